#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the Debian packages that Recur is built with, and those that are named, if they are missing. Only the
# installation needs root.
#
#     setup.sh [PACKAGE...]
set -euo pipefail

packages=(
  cmake ninja-build g++ ccache
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22 clang-format-22 clang-tidy-22
  libclang-rt-22-dev lld-22
  libpugixml-dev libgtest-dev libtbb-dev gdb linux-perf locales
  python3 python3-dev python3-psutil python3-venv
  dpkg-dev file pkg-config zsh groff-base chromium debootstrap
  qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
  "$@"
)

missing=()
for package in "${packages[@]}"; do
  [[ $(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null) == ii* ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

if [[ $(id -u) != 0 ]]; then
  echo "error: packages are missing; as root: apt-get install ${missing[*]}" >&2
  exit 1
fi
echo "installing ${missing[*]}" >&2
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
