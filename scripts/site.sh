#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the site of the documentation in build/site, with what docs/requirements.txt lists. A dead link is an error.
#
#     scripts/site.sh [--serve]
#
# --serve: shows the site on http://127.0.0.1:8000 until Ctrl-C.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
case ${1-} in
'' | --serve) ;;
*) echo "usage: scripts/site.sh [--serve]" >&2 && exit 1 ;;
esac

venv=build/site-venv
[[ -x $venv/bin/python ]] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r docs/requirements.txt </dev/null

# The pages, and the files that they link to.
source=build/site-source
rm -rf "$source"
mkdir -p "$source"
cp -r --parents README.md CONTRIBUTING.md CHANGELOG.md THIRD_PARTY.md LICENSE docs examples include \
  benchmarks/README.md editors/README.md test/conformance/README.md cmake/package/RecurAddModel.cmake \
  lib/Driver/Gang.c "$source"
find "$source" \( -name '*.npy' -o -name '*.bin' -o -name __pycache__ \) -prune -exec rm -r {} +

# --quiet would hide the warnings from --strict.
export NO_MKDOCS_2_WARNING=1
if [[ ${1-} ]]; then
  exec "$venv/bin/python" -m mkdocs serve --strict
fi
exec "$venv/bin/python" -m mkdocs build --strict
