#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the seed of the tests of random models, which also chooses the parts of tests that are divided among commits.

    seed.py

It is RECUR_TEST_SEED, or else the first digits of the commit's tree: another one for each commit, so that they see new
models, and the same for a merge that changes nothing. It is 1 where there is no commit.
"""
import os
import subprocess
import sys
from pathlib import Path


def main():
    if given := os.environ.get("RECUR_TEST_SEED"):
        if not given.isdecimal() or int(given) >= 2 ** 32:
            sys.exit(f"expected RECUR_TEST_SEED to be a number below 2^32, but got '{given}'")
        return print(int(given))
    root = Path(__file__).resolve().parent.parent
    try:
        tree = subprocess.run(["git", "-C", root, "rev-parse", "HEAD^{tree}"], capture_output=True)
    except OSError:
        return print(1)
    print(int(tree.stdout[:8], 16) if tree.returncode == 0 else 1)


main()
