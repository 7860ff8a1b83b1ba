#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# try_release.sh BUILD: makes and tests a release of the last commit, of which BUILD is a build, and throws it away. The
# date of the release and its tag are in a temporary clone only. It needs root and a network (check_in_debian.sh).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
(($# == 1)) || { echo "usage: try_release.sh BUILD" >&2 && exit 1; }
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone --quiet . "$work/clone"
cd "$work/clone"
version=$(sed -n 's/^project(Recur VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
sed -i "s/^## $version (not released)\$/## $version (2000-01-01)/" CHANGELOG.md
export GIT_{AUTHOR,COMMITTER}_NAME=nobody GIT_{AUTHOR,COMMITTER}_EMAIL=nobody@localhost
git commit --quiet --allow-empty --message="Release $version" CHANGELOG.md
git tag --force "v$version" >/dev/null
scripts/release.sh --build "$build" "v$version" "$work/release"
cd "$work/release"
sha256sum --check --quiet SHA256SUMS
# The source, two packages and two wheels.
[[ $(wc -l <SHA256SUMS) == 5 ]] || { echo "error: expected five files, but got: $(<SHA256SUMS)" >&2 && exit 1; }
