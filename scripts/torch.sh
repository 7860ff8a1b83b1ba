#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests the wheel that scripts/python.sh has left with modules of PyTorch, in a virtual environment on Debian's Python.
#
#     scripts/torch.sh [--preset PRESET] [PYTEST ARGUMENTS...]
#
# PyPI's torch for Linux needs gigabytes of libraries for CUDA, even if nothing uses them. Debian's has none, but it is
# too old for the converters of OpenVINO from 2025.1 on, so an older one is taken.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=release arguments=()
while (($#)); do
  case $1 in
  --preset) preset=$2 && shift ;;
  *) arguments+=("$1") ;;
  esac
  shift
done

scripts/setup.sh torch
out=$PWD/build/$preset/python
venv=$out/torch-venv
[[ -x $venv/bin/python ]] || /usr/bin/python3 -m venv --system-site-packages "$venv"
wheels=("$out"/dist/*.whl)
"$venv/bin/pip" install --quiet --disable-pip-version-check pytest openvino==2025.0.0
"$venv/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "${wheels[0]}"
exec "$venv/bin/python" -m pytest -p no:cacheprovider python/tests/test_torch.py "${arguments[@]}"
