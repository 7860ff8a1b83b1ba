#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the files of a release from a tag (vX.Y.Z) in FOLDER (default: release): the source as a tarball, the Debian
# packages and the wheels of the Python package, built with -O2 and LTO, and SHA256SUMS. Nothing of the working tree
# gets in. The packages and the wheel for this Python are tested here, and then in a minimal Debian
# (check_in_debian.sh, which needs root). The wheel for Python 3.12 and later is made and tested in another one
# (abi3_wheel.sh).
#
#     release.sh [--build BUILD] TAG [FOLDER]
#
# --build: packs the build in the folder BUILD, which must be one of the tag, instead of building for an hour. It is for
# trials of this script: what it makes is no release, and the tests of the Python package are left out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
fail() { echo "error: $1" >&2 && exit 1; }
build=
if [[ ${1-} == --build && $# -ge 2 ]]; then
  build=$(cd "$2" && pwd)
  shift 2
fi
(($# == 1 || $# == 2)) || { echo "usage: release.sh [--build BUILD] TAG [FOLDER]" >&2 && exit 1; }
tag=$1 version=${1#v}
commit=$(git rev-parse --verify --quiet "refs/tags/$tag^{commit}") || fail "there is no tag '$tag'"
declared=$(git show "$commit:CMakeLists.txt" | sed -n 's/^project(Recur VERSION \([0-9.]*\) .*/\1/p')
[[ $tag == "v$declared" ]] || fail "expected the tag v$declared, which CMakeLists.txt says, but got '$tag'"
# Not by pipes: grep -q ends at the first match, and then a writer that has not ended yet fails.
changes=$(git show "$commit:CHANGELOG.md")
grep -qE "^## ${version//./\\.} \([0-9]{4}-[0-9]{2}-[0-9]{2}\)\$" <<<"$changes" ||
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
if [[ $build ]]; then
  # The wheel is built here.
  mkdir -p build/dist && ln -s "$build"/* build/dist && rm -f build/dist/python
else
  scripts/setup.sh build python release
  scripts/build.sh dist
fi
(cd build/dist && cpack -B "$work/packages" >"$work/log") || { cat "$work/log" >&2 && exit 1; }
scripts/check_packages.sh "$work/packages" "$version"
# The tests of the package are not a matter of the release, so a trial leaves them out.
scripts/python.sh --preset dist ${build:+--wheel-only} -q
mkdir "$work/files"
cp "$work"/packages/*.deb build/dist/python/dist/*.whl "$work/files"
scripts/check_in_debian.sh "$work/files" "$version"
cmake --install build/dist --prefix "$work/prefix" >"$work/log"
scripts/abi3_wheel.sh "$work/prefix" "$work/files"
for wheel in "$work"/files/*.whl; do
  glibc=$(sed -n 's/.*manylinux_\([0-9]*\)_\([0-9]*\)_.*/\1.\2/p' <<<"$wheel")
  grep -qF "glibc of $glibc or" docs/GettingStarted.md ||
    fail "expected docs/GettingStarted.md to name the glibc that $(basename "$wheel") needs"
done
cp "$work"/files/* "$folder"
cd "$folder"
sha256sum "recur-$version.tar.gz" recur-tools_"$version"_*.deb recur-dev_"$version"_*.deb recur-"$version"-*.whl \
  >SHA256SUMS
