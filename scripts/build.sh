#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build.sh PRESET [TARGET...]: installs what is missing for a build, configures and builds in build/PRESET. It says what
# it does, and how long each part took.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1
shift
case $preset in
asan) scripts/setup.sh build asan ;;
*) scripts/setup.sh build ;;
esac
since=$SECONDS
echo "building ${*:-all} in build/$preset, with $(nproc) CPUs" >&2
cmake --preset "$preset" -Wno-dev >&2
cmake --build --preset "$preset" ${1:+--target "$@"} >&2
echo "built in $((SECONDS - since)) s" >&2
