#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs every model that there is in every way: by JIT, as linked objects, for three levels of x86-64, with the check of
# time loops, 10,000 random models, the promises of the documents on 300 others, and 51,000 changed files. It also
# compiles all files with g++, and runs the sanitized tests of passes and tools. CI runs parts of this. It takes two to
# three hours on two CPUs. The last line is `N passed, N failed`.
#
#     scripts/proof.sh --bin FOLDER --shared FOLDER [--asan FOLDER] [--onnx FOLDER] [--python PYTHON] [--output FOLDER]
#         [--only TEXT]
#
# --bin: bin/ of a build, whose files g++ checks too.  --shared: a folder with compare.py, conformance/ and models/.
# --asan: a build of the preset asan, whose tests of passes and of tools are all run.
# --onnx: the folder that onnx_node.py wrote.  --python: a Python that has numpy.
# --output: where the reports go (build/proof).  --only: jobs whose name has TEXT.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
  sed -n '/^#     scripts/,/^#$/s/^#     //p' "${BASH_SOURCE[0]}" | sed '1s/^/usage: /' >&2 && exit 1
}
bin= shared= asan= onnx= python=python3 output=$root/build/proof only=
while (($#)); do
  case $1 in
  --bin) bin=$2 ;;
  --shared) shared=$2 ;;
  --asan) asan=$(realpath "$2") ;;
  --onnx) onnx=$2 ;;
  --python) python=$2 ;;
  --output) output=$2 ;;
  --only) only=$2 ;;
  *) usage ;;
  esac
  shift 2 || usage
done
[[ $bin && $shared ]] || usage
[[ ! $asan || -f $asan/CMakeCache.txt ]] || { echo "error: expected a build for --asan, but got $asan" >&2 && exit 1; }
bin=$(realpath "$bin") shared=$(realpath "$shared")
mkdir -p "$output"
# The linked programs of all models have the same C driver.
export RECUR_DRIVER_CACHE=${RECUR_DRIVER_CACHE:-$output/driver-cache}

cases=$(python3 "$root/test/conformance/packed_cases.py")
passed=0 failed=0
count() { # JOB SECONDS LINE
  if [[ $3 =~ ([0-9]+)" passed, "([0-9]+)" failed" ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
  else
    failed=$((failed + 1))
  fi
  echo "$1: $3 ($2 s)"
}

# A case of the list of exceptions must fail, so the list judges the report before it is counted.
compare() { # JOB FOLDER EXCEPTIONS OPTIONS...
  local job=$1 folder=$2 exceptions=$3 since=$SECONDS
  shift 3
  [[ $job == *"$only"* ]] || return 0
  rm -f "$output/$job.json"
  "$python" "$shared/compare.py" "$folder" --json "$output/$job.json" --timeout 300 \
    --command "$bin/ir-run {model} {inputs} --output-dir {out} --quiet $*" >"$output/$job.log" 2>&1 || true
  if [[ $exceptions && -s $output/$job.json ]]; then
    "$python" "$root/test/conformance/run.py" --judge "$root/test/conformance/$exceptions" "$output/$job.json" \
      >>"$output/$job.log" 2>&1 || true
  fi
  local good bad
  read -r good bad < <(python3 "$root/scripts/count.py" "$output/$job.json")
  count "$job" $((SECONDS - since)) "$good passed, $bad failed"
}

strict="--strict --threads=3 --gang-work=1"
for level in 2 3 4; do
  cpu=--mcpu=x86-64-v$level
  compare "jit-conformance-v$level" "$shared/conformance" strict-exceptions.json "$strict" $cpu
  compare "jit-models-v$level" "$shared/models" "" "$strict" $cpu
  [[ ! $onnx ]] || compare "jit-onnx-v$level" "$onnx" onnx-node-exceptions.json $cpu
done

check_time_loops() { # JOB ARGUMENTS...
  local job=$1 since=$SECONDS
  shift
  [[ $job == *"$only"* ]] || return 0
  "$python" "$root/test/conformance/run.py" --ir-run "$bin/ir-run" --mode=check-time-loops "$@" \
    >"$output/$job.log" 2>&1 || true
  count "$job" $((SECONDS - since)) "$(tail -n 1 "$output/$job.log")"
}
check_time_loops time-loops
check_time_loops time-loops-shared --folder "$shared/conformance"

# Each run sees other random models. RECUR_TEST_SEED repeats one.
seed=${RECUR_TEST_SEED:-$((RANDOM * 32768 + RANDOM))}
echo "random models have the seed $seed"

if [[ fuzz == *"$only"* ]]; then
  since=$SECONDS
  ("$bin/ir-fuzz" --seed $seed --count 10000 --jobs 2 --statistics --output-dir "$output/failures" \
    >"$output/fuzz.log" 2>&1 && echo "10000 passed, 0 failed" || echo "0 passed, 1 failed") >"$output/fuzz.count"
  count fuzz $((SECONDS - since)) "$(tail -n 1 "$output/fuzz.count")"
fi

# The last line of these commands is `N passed, N failed`.
run() { # JOB COMMAND...
  local job=$1 since=$SECONDS
  shift
  [[ $job == *"$only"* ]] || return 0
  PATH=$bin:$PATH "$@" >"$output/$job.log" 2>&1 || true
  count "$job" $((SECONDS - since)) "$(tail -n 1 "$output/$job.log")"
}
run random-models "$python" "$root/test/Tools/Inputs/random_models.py" "$bin/ir-compile" "${CC:-cc}" --seed $seed \
  --count 300 --keep "$output/promises"
run cache-keys "$python" "$root/test/Tools/Inputs/cache_keys.py" "$cases" $seed 200 512
run new-weights "$python" "$root/test/Tools/Inputs/new_weights.py" "$cases" $seed 300

# A case has the seed of the case before it plus one, so the three runs are far apart.
for number in 1 2 3; do
  job=mutate-files-$number
  [[ $job == *"$only"* ]] || continue
  since=$SECONDS
  ("$bin/ir-fuzz" --mutate-files --seed $((seed * 10000000 + number * 100000)) --count 17000 --jobs 2 --statistics \
    --corpus "$cases" --output-dir "$output/mutants-$number" >"$output/$job.log" 2>&1 &&
    echo "17000 passed, 0 failed" || echo "0 passed, 1 failed") >"$output/$job.count"
  count $job $((SECONDS - since)) "$(tail -n 1 "$output/$job.count")"
done

# CI checks a 16th of the groups of files with g++ for a commit, and a third of the sanitized tests of tools.
run gcc python3 "$root/scripts/check_gcc.py" --build "$bin/.."
if [[ $asan && sanitized == *"$only"* ]]; then
  since=$SECONDS
  rm -f "$output/sanitized.json"
  lit=$(sed -n 's/^LLVM_EXTERNAL_LIT:[^=]*=//p' "$asan/CMakeCache.txt")
  RECUR_TEST_SEED=$seed RECUR_SHARED=$shared RECUR_OTHER_TOOLS=$bin "$lit" -sv --no-progress-bar \
    --output "$output/sanitized.json" --filter='(Conversion|Dialect|Import|Pipelines|Tools|Transforms)/' "$asan/test" \
    >"$output/sanitized.log" 2>&1 || true
  read -r good bad < <(python3 "$root/scripts/count.py" "$output/sanitized.json")
  count sanitized $((SECONDS - since)) "$good passed, $bad failed"
fi

for level in 2 3 4; do
  cpu=--mcpu=x86-64-v$level
  compare "aot-conformance-v$level" "$shared/conformance" strict-exceptions.json --aot "$strict" $cpu
  compare "aot-models-v$level" "$shared/models" "" --aot "$strict" $cpu
  [[ ! $onnx ]] || compare "aot-onnx-v$level" "$onnx" onnx-node-exceptions.json --aot $cpu
done
echo "$passed passed, $failed failed"
exit $((failed > 0 || passed == 0))
