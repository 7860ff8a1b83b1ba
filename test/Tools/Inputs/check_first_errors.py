# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares ir-check with ir-compile on every model of a folder.

    check_first_errors.py FOLDER PATTERN

ir-check accepts a model if ir-compile does; otherwise the first error is the same, and no error is reported twice. The
models are FOLDER/NAME/model.xml, for the names of the pattern.
"""
import subprocess
import sys
from pathlib import Path


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, errors="replace")
    errors = [line for line in result.stderr.splitlines() if " error: " in line]
    return result.returncode, errors


def check(model):
    status, errors = run("ir-check", "--max-errors=0", model)
    wanted, first = run("ir-compile", "--emit=linalg", "-o", "/dev/null", model)
    if status != wanted:
        return f"expected status {wanted}, as of ir-compile, but got {status}: {errors}"
    if errors[:1] != first[:1] or (status != 0) != bool(errors):
        return f"expected the first error {first[:1]}, but got {errors[:1]}"
    return "" if len(set(errors)) == len(errors) else f"expected each error once, but got {errors}"


def main():
    models = sorted(Path(sys.argv[1]).glob(sys.argv[2] + "/model.xml"))
    wrong = [f"{model}: {problem}" for model in models if (problem := check(model))]
    print(f"{len(models)} models, {len(wrong)} wrong")
    print("\n".join(wrong))
    return 1 if wrong or not models else 0


if __name__ == "__main__":
    sys.exit(main())
