#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build-example.sh PREFIX COMPILER C++_COMPILER LINKER KIND: configures, builds and runs examples/cmake-project of the
# current folder with the Recur that is installed in PREFIX. KIND is -static or -pie. The build is in the folder
# COMPILER-LINKER, and all output goes to COMPILER-LINKER.log.
set -e
build=$2-$4
{
  cmake -G Ninja -S examples/cmake-project -B "$build" -DCMAKE_PREFIX_PATH="$1" -DCMAKE_C_COMPILER="$2" \
    -DCMAKE_CXX_COMPILER="$3" -DCMAKE_C_FLAGS="-Wall -Wextra -Werror" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" \
    -DCMAKE_EXE_LINKER_FLAGS="-fuse-ld=$4 $5" &&
    cmake --build "$build" && ctest --test-dir "$build" --output-on-failure
} > "$build.log" 2>&1 || { cat "$build.log"; exit 1; }
