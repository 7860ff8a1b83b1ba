#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""count.py RESULTS: prints how many tests passed and how many failed, from the JSON of lit or compare.py, or from the
XML of pytest (--junitxml).

A file that does not exist or has no results counts as a failure.
"""
import json
import sys
from xml.etree import ElementTree

GOOD = {"PASS", "FLAKYPASS", "XFAIL"}
NOT_RUN = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def count(text):
    if text.startswith("<"):  # pytest
        suites = list(ElementTree.fromstring(text).iter("testsuite"))
        total, skipped, *bad = (
            sum(int(suite.get(key)) for suite in suites) for key in ("tests", "skipped", "failures", "errors")
        )
        return total - skipped - sum(bad), sum(bad)
    results = json.loads(text)
    if isinstance(results, list):  # compare.py
        failed = sum(row["problem"] is not None for row in results)
        return len(results) - failed, failed
    codes = [test["code"] for test in results["tests"]]
    passed = sum(code in GOOD for code in codes)
    return passed, len(codes) - passed - sum(code in NOT_RUN for code in codes)


def main():
    try:
        passed, failed = count(open(sys.argv[1]).read())
    except (OSError, ValueError, ElementTree.ParseError) as error:
        print(f"error: {error}", file=sys.stderr)
        passed, failed = 0, 1
    print(passed, failed if passed + failed else 1)


if __name__ == "__main__":
    main()
