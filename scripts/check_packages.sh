#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# check_packages.sh FOLDER VERSION: checks the Debian packages of a version in FOLDER. They are unpacked into an empty
# root, and the example is built with nothing else of Recur.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
(($# == 2)) || { echo "usage: check_packages.sh FOLDER VERSION" >&2 && exit 1; }
folder=$(cd "$1" && pwd) version=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "error: $1" >&2 && exit 1; }

for package in recur-tools recur-dev; do
  files=("$folder/${package}_${version}_"*.deb)
  [[ -f ${files[0]} && ${#files[@]} == 1 ]] || fail "expected one package $package of version $version in $1"
  dpkg-deb -x "${files[0]}" "$work/root"
done
# What the tools need, the packages name.
dpkg-deb -f "$folder/recur-tools_${version}_"*.deb Depends >"$work/depends"
for library in libmlir libllvm libpugixml libc6; do
  grep -q "$library" "$work/depends" || fail "expected recur-tools to depend on $library, but got: $(<"$work/depends")"
done
dpkg-deb -f "$folder/recur-dev_${version}_"*.deb Depends >"$work/depends"
grep -qF "recur-tools (= $version)" "$work/depends" ||
  fail "expected recur-dev to depend on recur-tools (= $version)"

root=$work/root/usr
others=$(find "$work/root" -mindepth 1 -maxdepth 1 ! -name usr)
[[ -z $others ]] || fail "expected the packages to have files in /usr alone, but got $others"
for tool in "$root"/bin/*; do
  name=$(basename "$tool")
  "$tool" --version >"$work/printed"
  grep -q "^Recur $version\$" "$work/printed" || fail "expected $name --version to print Recur $version"
  for page in "share/man/man1/$name.1" "share/bash-completion/completions/$name" "share/zsh/site-functions/_$name"; do
    [[ -s $root/$page ]] || fail "expected the packages to have $page"
  done
done
for list in recur-tools/recur.spdx.json recur-dev/librecur.spdx.json; do
  python3 -m json.tool "$root/share/doc/$list" >/dev/null
done
for file in recur-tools/{copyright,THIRD_PARTY.md,CHANGELOG.md} recur-dev/copyright \
  recur-{dev,tools}/licenses/{llvm,pugixml,zstd}.txt; do
  [[ -s $root/share/doc/$file ]] || fail "expected the packages to have share/doc/$file"
done

export PKG_CONFIG_PATH=$root/lib/pkgconfig
[[ $(pkg-config --modversion recur) == "$version" ]] || fail "expected pkg-config to know version $version"
cp -r "$source/examples" "$work"
compiler=$(pkg-config --variable=ir_compile recur)
"$compiler" "$work/examples/lstm-example2/model.xml" -o "$work/lstm.o" --header="$work/lstm.h"
# shellcheck disable=SC2046
${CXX:-c++} -std=c++20 -I"$work" $(pkg-config --cflags recur) "$work/examples/cmake-project/main.cpp" "$work/lstm.o" \
  -o "$work/call" $(pkg-config --libs recur)
"$work/call" "$work/examples/lstm-example2"
cmake -S "$work/examples/cmake-project" -B "$work/build" "-DCMAKE_PREFIX_PATH=$root" >"$work/log"
cmake --build "$work/build" >>"$work/log"
ctest --test-dir "$work/build" --output-on-failure >>"$work/log" || { cat "$work/log" >&2 && exit 1; }
