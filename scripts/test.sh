#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds Recur and runs all tests. The last line is `N passed, N failed`.
#
#     scripts/test.sh [--preset PRESET] [--shared FOLDER] [--optional-shared FOLDER] [--sanitize] [--torch]
#
# --shared: a folder with more models (compare.py, conformance/, models/), which are run and counted too.
# --optional-shared: the same, if there is such a folder. Otherwise the last line but one says that it is not there.
# --sanitize: builds the tools of the asan preset too, and runs their tests and a part of the conformance tests with it.
# --torch: runs the tests of the Python package that need PyTorch, which it installs as root (scripts/torch.sh).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=release shared= missing= sanitize= torch=
while (($#)); do
  case $1 in
  --preset) preset=$2 && shift ;;
  --shared) shared=$2 && shift ;;
  --optional-shared)
    if [[ -f $2/compare.py ]]; then shared=$(realpath "$2"); else missing=$(realpath -m "$2"); fi
    shift
    ;;
  --sanitize) sanitize=yes ;;
  --torch) torch=yes ;;
  *) sed -n '5s/^# */usage: /p' scripts/test.sh >&2 && exit 1 ;;
  esac
  shift
done

passed=0 failed=0
# The last line is printed in every case. A script that ends too early counts as a failure.
finished=
finish() {
  [[ $finished ]] || failed=$((failed + 1))
  echo "$passed passed, $failed failed"
  exit $((failed > 0 || passed == 0))
}
trap finish EXIT

# Prints the time of the step that ends here.
since=$SECONDS
took() { # STEP
  echo "$1: $((SECONDS - since)) s"
  since=$SECONDS
}

count() { # JSON
  local more_passed more_failed
  read -r more_passed more_failed < <(python3 scripts/count.py "$1")
  passed=$((passed + more_passed)) failed=$((failed + more_failed))
}

# psutil stops tests that hang. lit finds it only with Debian's own Python.
run_lit() { # PRESET JSON ARGUMENTS...
  local build=build/$1 json=build/$1/test/$2
  shift 2
  local lit
  lit=$(sed -n 's/^LLVM_EXTERNAL_LIT:[^=]*=//p' "$build/CMakeCache.txt")
  rm -f "$json"
  "$lit" -sv --no-progress-bar --output "$json" "$@" "$build/test" </dev/null || true
  count "$json"
}

# For tests that run more models if they are there.
export RECUR_SHARED=$shared
# The linked programs of all models have the same C driver, which is compiled once for each compiler.
export RECUR_DRIVER_CACHE=$PWD/build/$preset/test/driver-cache
mkdir -p "build/$preset"
scripts/setup.sh build test
took "installation"
# What the build does not need is installed beside it.
scripts/setup.sh all ${torch:+torch} >"build/$preset/install.log" 2>&1 &
others=$!
scripts/build.sh "$preset"
took "build $preset"
wait "$others" || { cat "build/$preset/install.log" && exit 1; }
took "rest of the installation"
build=build/$preset
# What takes long and finds little is divided among commits: each chooses its part, and the seed of random models.
seed=$(python3 scripts/seed.py)

# Runs a check whose last line is `N passed, N failed`, and counts these.
check_files() { # NAME COMMAND...
  local name=$1 text
  shift
  text=$("$@" </dev/null) || true
  echo "$text"
  if [[ $text =~ ([0-9]+)" passed, "([0-9]+)" failed"$ ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
  else
    failed=$((failed + 1))
  fi
  took "$name"
}

# Steps that wait for a network and for packages, or have work for one CPU, run beside the tests. So no CPU is idle.
beside() {
  passed=0 failed=0
  trap - EXIT
  # The Python package: its wheel is built from what was built above, and tested with the models of the folder.
  rm -f "$build/python/tests.xml"
  scripts/python.sh --preset "$preset" ${shared:+--shared "$shared"} -q -n 1 \
    --junitxml "$build/python/tests.xml" </dev/null || true
  count "$build/python/tests.xml"
  took "Python package"

  if [[ $torch ]]; then
    rm -f "$build/python/torch.xml"
    scripts/torch.sh --preset "$preset" -q --junitxml "$build/python/torch.xml" </dev/null || true
    count "$build/python/torch.xml"
    took "PyTorch"
  fi

  # The checks of clang-tidy, on the files that changed.
  check_files "clang-tidy" scripts/tidy.sh --preset "$preset" --jobs 1
  # The build was made with clang. GCC compiles a 16th of the groups of files, and what changed, without making code.
  check_files "g++" scripts/check_gcc.py --build "$build" --part $((1 + seed % 16))/16 --changed --jobs 1

  # The site of the documentation. A dead link is an error.
  if scripts/site.sh </dev/null; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
  took "site"

  # A release, which is installed into a minimal Debian. Only root can make that, where it may mount a file system. Its
  # wheel was tested with more models.
  if [[ $(id -u) == 0 ]] && unshare --mount true 2>/dev/null; then
    if RECUR_SHARED='' scripts/try_release.sh "$build" </dev/null >"$build/release.log" 2>&1; then
      passed=$((passed + 1))
    else
      tail "$build/release.log"
      failed=$((failed + 1))
    fi
    took "release"
  else
    echo "no release is tried, because that needs root that may mount a file system"
  fi
  echo "$passed $failed" >"$build/beside.count"
}
rm -f "$build/beside.count"
beside >"$build/beside.log" 2>&1 &
beside=$!

run_lit "$preset" results.json
took "tests"

if [[ $shared ]]; then
  [[ -x $build/shared-venv/bin/python ]] || python3 -m venv "$build/shared-venv"
  "$build/shared-venv/bin/python" -m pip install --quiet numpy </dev/null
  run="$PWD/$build/bin/ir-run {model} {inputs} --output-dir {out}"
  compare() { # NAME FOLDER ARGUMENTS...
    local name=$1 json=$build/shared-$1.json
    shift
    rm -f "$json"
    local exceptions=
    case $name in
    strict*) exceptions=test/conformance/strict-exceptions.json ;;
    onnx-node*) exceptions=test/conformance/onnx-node-exceptions.json ;;
    esac
    if [[ $exceptions ]]; then
      # Some cases are known to fail.
      "$build/shared-venv/bin/python" "$shared/compare.py" --json "$json" "$@" </dev/null >/dev/null || true
      python3 test/conformance/run.py --judge "$exceptions" "$json" || true
    else
      "$build/shared-venv/bin/python" "$shared/compare.py" --json "$json" "$@" </dev/null | grep '^FAIL' || true
    fi
    local passed_before=$passed failed_before=$failed
    count "$json"
    local more_passed=$((passed - passed_before)) more_failed=$((failed - failed_before))
    echo "more models, $name: $more_passed of $((more_passed + more_failed)) pass"
    took "more models, $name"
  }
  # Runs a script whose last line is `N passed, N failed`, and counts these.
  run_script() { # NAME SCRIPT ARGUMENTS...
    local name=$1 log=$build/shared-script.log more_passed more_failed
    shift
    python3 "$@" >"$log" </dev/null || true
    grep '^FAIL' "$log" || true
    # A script that has said nothing has tested nothing.
    read -r more_passed _ more_failed _ < <(tail -n 1 "$log") || true
    # A script that tests nothing has failed.
    ((more_passed + more_failed)) || more_failed=1
    echo "more models, $name: $more_passed of $((more_passed + more_failed)) pass"
    passed=$((passed + more_passed)) failed=$((failed + more_failed))
    took "more models, $name"
  }
  check_time_loops() { # ARGUMENTS...
    run_script "time loops of $*" test/conformance/run.py --ir-run "$build/bin/ir-run" --mode check-time-loops \
      --folder "$@"
  }
  compare aot "$shared/conformance" --tag first --command "$run --aot"
  for machine in aarch64 riscv64; do
    CC="$machine-linux-gnu-gcc -static" compare "$machine" "$shared/conformance" --tag first \
      --command "$run --aot --mtriple=$machine-linux-gnu --emulator=qemu-$machine"
  done
  # T time steps one after the other are a run over all of them. Models that cannot be streamed are not counted.
  steps() { # NAME MODELS...
    local name=$1
    shift
    run_script "steps, $name" test/Tools/Inputs/compare_steps.py "$build/bin/ir-compile" --refusals "$@" -- \
      --mcpu=x86-64-v3
  }
  steps conformance "$shared"/conformance/{ti_,spec_example,loop_slices}*/model.xml
  steps models "$shared"/models/*/model.xml
  # Shared libraries, and one program into which all models are linked statically.
  run_script "shipped forms" test/Tools/Inputs/shipped_forms.py "$build/bin" "$shared/models"
  check_time_loops "$shared/conformance"
  check_time_loops "$shared/models" --only onnx
  check_time_loops "$shared/models" --only ov_
  for folder in conformance models; do
    run_script "exports, $folder" test/conformance/run.py --ir-run "$build/bin/ir-run" --mode export \
      --folder "$shared/$folder"
  done
  # A strict caller computes all that another one does.
  compare strict "$shared/conformance" --command "$run --strict"
  compare strict-onnx "$shared/models" --only onnx --command "$run --strict"
  compare strict-ov "$shared/models" --only ov_ --command "$run --strict"
  compare malformed "$shared/conformance" --malformed --command "$run"

  # ONNX's own tests of its operations, as OpenVINO converts them. A part runs as linked programs.
  if [[ -f $shared/onnx_node.py ]]; then
    corpus=$build/onnx-node
    "$build/shared-venv/bin/python" -m pip install --quiet -r test/conformance/onnx-node-requirements.txt </dev/null &&
      "$build/shared-venv/bin/python" "$shared/onnx_node.py" "$corpus" </dev/null >"$build/onnx-node.log" 2>&1 &&
      python3 scripts/take_part.py "$corpus" "$build/onnx-node-part" 10 ||
      echo "error: the corpus of ONNX's node tests cannot be made; see $build/onnx-node.log"
    took "corpus of ONNX's node tests"
    compare onnx-node "$corpus" --command "$run"
    compare onnx-node-aot "$build/onnx-node-part" --command "$run --aot --mcpu=x86-64-v3"
  fi
fi

if [[ $sanitize ]]; then
  scripts/build.sh asan recur-tools
  took "build asan"
  export RECUR_OTHER_TOOLS=$PWD/$build/bin
  run_lit asan tests.json --filter='(Conversion|Dialect|Import|Pipelines|Transforms)/|Tools/reproducible-builds'
  took "tests of passes, asan"
  # A third of the tests of tools, which take the most time.
  run_lit asan tools.json --filter=Tools/ --filter-out=reproducible-builds --num-shards=3 --run-shard=$((1 + seed % 3))
  took "tests of tools, asan"
  run_lit asan conformance.json --filter=conformance/ --num-shards=32 --run-shard=1
  took "conformance, asan"
fi
wait "$beside" || true
cat "$build/beside.log"
# Steps that ended too early count as a failure.
read -r more_passed more_failed <"$build/beside.count" || { more_passed=0 more_failed=1; }
passed=$((passed + more_passed)) failed=$((failed + more_failed))
took "steps beside the others"
if [[ ! $shared ]]; then
  why="no --shared names a folder"
  [[ $missing ]] && why="there is no $missing/compare.py"
  echo "more models: none are run, because $why"
fi
finished=yes
