#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Unpacks libc++ for clang++-22 into a folder, if it is not there: a standard library that has std::mdspan.
#
#     scripts/libcxx.sh FOLDER
#
# Its packages must not be installed: libc++abi-22-dev puts a cxxabi.h before the one of the library with which Recur is
# built. FOLDER/include and FOLDER/lib are what a compiler needs; the libraries are static.
set -euo pipefail

folder=$1
[[ -f $folder/lib/libc++.a ]] && exit 0
rm -rf "$folder" && mkdir -p "$folder/packages" && cd "$folder/packages"
packages=(libc++-22-dev libc++abi-22-dev)
# As root, apt would change to a user that may not write here.
download() { apt-get -qq -o APT::Sandbox::User=root download "${packages[@]}" </dev/null >&2; }
download || { apt-get update -qq </dev/null >&2 && download; } || {
  echo "error: apt cannot download ${packages[*]}" >&2
  exit 1
}
for package in *.deb; do
  dpkg-deb -x "$package" .
done
mv usr/lib/llvm-22/include/c++/v1 "$folder/include"
mkdir "$folder/unfinished" && mv usr/lib/*/libc++.a usr/lib/*/libc++abi.a "$folder/unfinished"
rm -rf "$folder/packages" && mv "$folder/unfinished" "$folder/lib"
