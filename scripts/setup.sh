#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the Debian packages that are missing for what is named. Only the installation needs root.
#
#     setup.sh [PURPOSE...]
#
#     build     to build the tools and to link models (without arguments)
#     test      to run the tests that need neither `cross` nor `release`, and the checks of the source
#     cross     to run models on other CPUs: compilers and emulators
#     asan      to build with sanitizers
#     python    to build the Python package
#     site      to build the site of the documentation
#     release   to make the Debian packages, and to try them in a minimal Debian
#     torch     PyTorch, for the tests of the Python package
#     all       all of these but torch
set -euo pipefail

declare -A packages=(
  [build]="cmake ninja-build make g++ libmlir-22-dev mlir-22-tools llvm-22-dev clang-22 lld-22 libpugixml-dev python3"
  [test]="ccache llvm-22-tools clang-format-22 clang-tidy-22 libclang-rt-22-dev libgtest-dev libtbb-dev gdb linux-perf
    locales python3-psutil pkg-config zsh groff-base chromium qemu-user"
  [cross]="qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross"
  [asan]="libclang-rt-22-dev"
  [python]="python3-dev python3-venv"
  [site]="python3-venv"
  [release]="dpkg-dev file debootstrap python3-dev python3-venv"
  [torch]="python3-torch python3-venv"
)
all=(build test cross asan python site release)

missing=()
usage() {
  sed -n 's/^#     /       /; s/^       setup/usage: setup/p; /^       [a-z]/p' "${BASH_SOURCE[0]}" >&2 && exit 1
}
for purpose in "${@:-build}"; do
  [[ $purpose == all ]] && purposes=("${all[@]}") || purposes=("$purpose")
  for one in "${purposes[@]}"; do
    [[ ${packages[$one]-} ]] || usage
    for package in ${packages[$one]}; do
      [[ " ${missing[*]-} " == *" $package "* ||
        $(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null) == ii* ]] || missing+=("$package")
    done
  done
done
((${#missing[@]})) || exit 0

if [[ $(id -u) != 0 ]]; then
  echo "error: packages are missing; as root: apt-get install ${missing[*]}" >&2
  exit 1
fi
echo "installing ${#missing[@]} packages, and what they need (for ${*:-build}): ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq </dev/null >&2
if ! apt-cache show libmlir-22-dev >/dev/null 2>&1; then
  cat >&2 <<'TEXT'
error: apt knows no libmlir-22-dev
Debian bookworm has LLVM 22 in its security archive: /etc/apt/sources.list needs
    deb http://deb.debian.org/debian-security bookworm-security main
On other systems take the packages of the LLVM project, https://apt.llvm.org (branch 22).
TEXT
  exit 1
fi
apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null >&2
echo "installed in $SECONDS s" >&2
