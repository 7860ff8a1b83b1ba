#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the checks of .clang-tidy on C++ files. The preset must be built, because the files include generated headers and
# the precompiled header.
#
#     scripts/tidy.sh [--preset PRESET] [--jobs N] [FILE...]
#
# Without FILE it checks the .cpp files that changed (changed_files.py), at most 40 of them, because a file takes some
# seconds. The last line is `N passed, N failed`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=release jobs=$(nproc) most=40 files=()
while (($#)); do
  case $1 in
  --preset) preset=$2 && shift ;;
  --jobs) jobs=$2 && shift ;;
  -*) echo "usage: scripts/tidy.sh [--preset PRESET] [--jobs N] [FILE...]" >&2 && exit 1 ;;
  *) files+=("$1") ;;
  esac
  shift
done
build=build/$preset
[[ -f $build/compile_commands.json ]] || { echo "error: expected $build to be built" >&2 && exit 1; }

if ((!${#files[@]})); then
  list=$(scripts/changed_files.py)
  mapfile -t files <<<"$list"
  [[ $list ]] || files=()
  if ((${#files[@]} > most)); then
    echo "checks $most of ${#files[@]} files that changed, leaves out $((${#files[@]} - most))"
    files=("${files[@]:0:most}")
  fi
fi

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
check() { # LOGS FILE
  local log=$1/${2//\//_}
  clang-tidy-22 -p "$1" --quiet "$2" >"$log" 2>&1 || touch "$log.found"
}
export -f check
if ((${#files[@]})); then
  scripts/file_commands.py "$build" "$logs"
  printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$jobs" bash -c 'check "$@"' _ "$logs"
fi
found=0
for file in ${files[@]+"${files[@]}"}; do
  if [[ -e $logs/${file//\//_}.found ]]; then
    cat "$logs/${file//\//_}"
    found=$((found + 1))
  fi
done
echo "$((${#files[@]} - found)) passed, $found failed"
exit $((found > 0))
