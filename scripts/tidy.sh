#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the checks of .clang-tidy on C++ files. The preset must be built, because the files include generated headers.
#
#     scripts/tidy.sh [--preset PRESET] [FILE...]
#
# Without FILE it checks the .cpp files that differ from origin/main, or if there are none, from the commit before. It
# checks at most 30 of them, because a file takes some seconds. The last line is `N files, M with findings`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=release most=30
if [[ ${1-} == --preset ]]; then
  preset=$2
  shift 2
fi
files=("$@")
if ((!${#files[@]})); then
  base=$(git merge-base HEAD origin/main 2>/dev/null || true)
  if [[ ! $base || $(git rev-parse HEAD) == "$base" ]]; then
    base=$(git rev-parse --verify --quiet HEAD~1 || true)
  fi
  if [[ $base ]]; then
    mapfile -t files < <(git diff --name-only --diff-filter=d "$base" -- 'lib/*.cpp' 'tools/*.cpp' 'unittests/*.cpp')
  fi
  if ((${#files[@]} > most)); then
    echo "checks $most of ${#files[@]} files that changed"
    files=("${files[@]:0:most}")
  fi
fi

log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
check() { # LOG PRESET FILE
  clang-tidy-22 -p "build/$2" --quiet "$3" >"$1/${3//\//_}" 2>/dev/null || touch "$1/${3//\//_}.found"
}
export -f check
if ((${#files[@]})); then
  printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'check "$@"' _ "$log" "$preset" || true
fi
found=0
for file in ${files[@]+"${files[@]}"}; do
  if [[ -e $log/${file//\//_}.found ]]; then
    cat "$log/${file//\//_}"
    found=$((found + 1))
  fi
done
echo "${#files[@]} files, $found with findings"
exit $((found > 0))
