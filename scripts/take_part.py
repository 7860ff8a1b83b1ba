#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""take_part.py CORPUS OUT N: makes the corpus OUT of every Nth case of CORPUS, by links to its folders."""
import json
import sys
from pathlib import Path


def main():
    corpus, out, step = Path(sys.argv[1]).resolve(), Path(sys.argv[2]), int(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    cases = json.loads((corpus / "cases.json").read_text())[::step]
    for case in cases:
        link = out / case["name"]
        if not link.is_symlink():
            link.symlink_to(corpus / case["name"])
    (out / "cases.json").write_text(json.dumps(cases))


if __name__ == "__main__":
    main()
