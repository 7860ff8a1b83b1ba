#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build.sh PRESET [TARGET...]: installs what is missing, configures and builds in build/PRESET.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1
shift
scripts/setup.sh
cmake --preset "$preset" -Wno-dev >&2
cmake --build --preset "$preset" ${1:+--target "$@"} >&2
