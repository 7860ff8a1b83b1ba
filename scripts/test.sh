#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds Recur, runs all tests, and closes with `N passed, N failed`.
#
#     scripts/test.sh [--preset PRESET] [--shared FOLDER]
#
# --shared: a folder with more models (compare.py, conformance/, models/), which are run and counted too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=release shared=
while (($#)); do
  case $1 in
  --preset) preset=$2 ;;
  --shared) shared=$2 ;;
  *) echo "usage: scripts/test.sh [--preset PRESET] [--shared FOLDER]" >&2 && exit 1 ;;
  esac
  shift 2
done

passed=0 failed=0
# Whatever happens, the last line tells; what ended too early counts as a failure.
finished=
finish() {
  [[ $finished ]] || failed=$((failed + 1))
  echo "$passed passed, $failed failed"
  exit $((failed > 0 || passed == 0))
}
trap finish EXIT

scripts/build.sh "$preset"

# lit finds psutil, which stops tests that hang, only with Debian's own Python.
build=build/$preset
lit=$(sed -n 's/^LLVM_EXTERNAL_LIT:[^=]*=//p' "$build/CMakeCache.txt")
results=$build/test/results.json
rm -f "$results"
"$lit" -sv --no-progress-bar --output "$results" "$build/test" </dev/null || true
read -r passed failed < <(python3 scripts/count.py "$results")

if [[ $shared ]]; then
  [[ -x $build/shared-venv/bin/python ]] || python3 -m venv "$build/shared-venv"
  "$build/shared-venv/bin/python" -m pip install --quiet numpy </dev/null
  run="$PWD/$build/bin/ir-run {model} {inputs} --output-dir {out}"
  compare() { # NAME FOLDER ARGUMENTS...
    local name=$1 json=$build/shared-$1.json
    shift
    rm -f "$json"
    if [[ $name == strict* ]]; then
      # Some break a promise, and are known.
      "$build/shared-venv/bin/python" "$shared/compare.py" --json "$json" "$@" </dev/null >/dev/null || true
      python3 test/conformance/run.py --judge-strict "$json" || true
    else
      "$build/shared-venv/bin/python" "$shared/compare.py" --json "$json" "$@" </dev/null | grep '^FAIL' || true
    fi
    local more_passed more_failed
    read -r more_passed more_failed < <(python3 scripts/count.py "$json")
    echo "more models, $name: $more_passed of $((more_passed + more_failed)) pass"
    passed=$((passed + more_passed)) failed=$((failed + more_failed))
  }
  compare jit "$shared/conformance" --command "$run"
  compare aot "$shared/conformance" --tag first --command "$run --aot"
  compare check-time-loops "$shared/conformance" --tag first --command "$run --check-time-loops"
  compare onnx "$shared/models" --only onnx --command "$run"
  compare ov "$shared/models" --only ov_ --command "$run"
  compare strict "$shared/conformance" --command "$run --strict"
  compare strict-onnx "$shared/models" --only onnx --command "$run --strict"
  compare strict-ov "$shared/models" --only ov_ --command "$run --strict"
  compare malformed "$shared/conformance" --malformed --command "$run"
fi
finished=yes
