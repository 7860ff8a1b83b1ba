#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what a build needs, builds ir-run and ir-compile, and runs the LSTM of examples/lstm-example2, by JIT and as
# a linked native object.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=release
scripts/build.sh "$preset" ir-run ir-compile
python3 scripts/demo.py --ir-run "build/$preset/bin/ir-run" --model examples/lstm-example2
echo "The tools are in build/$preset/bin; to find them: export PATH=$PWD/build/$preset/bin:\$PATH"
