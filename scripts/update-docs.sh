#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# update-docs.sh [PRESET]: regenerates docs/generated from the .td files, the importer's table, the statuses, and the
# options of the tools.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=${1:-dev}
scripts/build.sh "$preset" recur-docs
python3 scripts/docs.py update --build "build/$preset"
