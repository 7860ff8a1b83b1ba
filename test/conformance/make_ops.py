#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the cases of the family `op`: one operation each, with dynamic dims and some with static dims too.

    make_ops.py [--only=TEXT]

Each entry of the files ops_*.py is a function in numpy, from the specification alone. The cases are in the repository;
this script shows where they come from, and makes them anew after a change.
"""
import argparse
import importlib
import json

from make_semantics import FOLDER, write
from op_cases import CASES

for path in sorted(FOLDER.glob("ops_*.py")):
    importlib.import_module(path.stem)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT")
    options = parser.parse_args()
    index = FOLDER / "cases.json"
    entries = {entry["name"]: entry for entry in json.loads(index.read_text())}
    for name, build in CASES.items():
        if options.only in name:
            entries[name] = {**write(name, build, {}, ["dynamic"]), "family": "op"}
    index.write_text("[\n" + ",\n".join(json.dumps(entry) for entry in entries.values()) + "\n]\n")


if __name__ == "__main__":
    main()
