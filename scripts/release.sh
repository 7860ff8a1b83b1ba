#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# release.sh TAG [FOLDER]: makes the files of a release from a tag (vX.Y.Z) in FOLDER (default: release): the source as
# a tarball, the Debian packages, built with -O2 and LTO, and SHA256SUMS. The packages are checked in an empty root.
# Nothing of the working tree gets in.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
fail() { echo "error: $1" >&2 && exit 1; }
(($# == 1 || $# == 2)) || { echo "usage: release.sh TAG [FOLDER]" >&2 && exit 1; }
tag=$1 version=${1#v}
commit=$(git rev-parse --verify --quiet "refs/tags/$tag^{commit}") || fail "there is no tag '$tag'"
declared=$(git show "$commit:CMakeLists.txt" | sed -n 's/^project(Recur VERSION \([0-9.]*\) .*/\1/p')
[[ $tag == "v$declared" ]] || fail "expected the tag v$declared, which CMakeLists.txt says, but got '$tag'"
git show "$commit:CHANGELOG.md" | grep -qE "^## ${version//./\\.} \([0-9]{4}-[0-9]{2}-[0-9]{2}\)\$" ||
  fail "expected CHANGELOG.md to have '## $version (YYYY-MM-DD)'"

mkdir -p "${2:-release}"
folder=$(cd "${2:-release}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct "$commit")
export SOURCE_DATE_EPOCH
git archive --format=tar --prefix="recur-$version/" "$commit" | gzip -n >"$folder/recur-$version.tar.gz"
tar -xzf "$folder/recur-$version.tar.gz" -C "$work"

cd "$work/recur-$version"
scripts/build.sh dist
(cd build/dist && cpack -B "$work/packages" >"$work/log") || { cat "$work/log" >&2 && exit 1; }
scripts/check_packages.sh "$work/packages" "$version"
cp "$work"/packages/*.deb "$folder"
cd "$folder"
sha256sum "recur-$version.tar.gz" recur-tools_"$version"_*.deb recur-dev_"$version"_*.deb >SHA256SUMS
