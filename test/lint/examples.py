#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the examples in the descriptions of ops and passes.

    examples.py [ROOT]

Every block of MLIR text (```mlir) in a .td file under ROOT/include must parse and verify by itself, and every op must
have one. Prints each op and block that breaks the rule as FILE:LINE: TEXT, and ends with status 1 if there is any.
Finds ir-opt and llvm-tblgen by PATH, and the .td files of MLIR beside llvm-tblgen.
"""
import json
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

INCLUDE = re.compile(r'^\s*include "([^"]+)"', re.M)
BLOCK = re.compile(r"^( *)```mlir\n(.*?)^ *```$", re.M | re.S)


def find_files(include):
    """Each .td file that no other one includes, with all files under `include` that it reads."""
    includes = {path: [include / name for name in INCLUDE.findall(path.read_text())]
                for path in sorted(include.rglob("*.td"))}
    for root in includes:
        if any(root in others for others in includes.values()):
            continue
        files = [root]
        for path in files:
            files += [other for other in includes[path] if other in includes and other not in files]
        yield root, files


def read_records(path, include):
    """The definitions in a .td file and in what it includes."""
    tblgen = shutil.which("llvm-tblgen")
    if not tblgen:
        sys.exit("error: there is no llvm-tblgen in PATH")
    folders = ["-I", include, "-I", Path(tblgen).resolve().parents[1] / "include"]
    result = subprocess.run([tblgen, "--dump-json", *folders, path], stdin=subprocess.DEVNULL, capture_output=True,
                            text=True)
    if result.returncode:
        sys.exit(result.stderr)
    return [record for record in json.loads(result.stdout).values()
            if isinstance(record, dict) and "!superclasses" in record]


def find_line(path, first, block):
    """The line, from `first` on, where a block begins. None for a block that a class puts together."""
    lines = path.read_text().splitlines()
    for number in range(first, len(lines)):
        if lines[number - 1].strip() == "```mlir" and lines[number].strip() == block[0].strip():
            return number
    return None


def collect(root):
    """Yields the file, the line and the text of each block; the text is None for an op without a block."""
    include = root / "include"
    for path, files in find_files(include):
        # A record names its file without folders.
        by_name = {file.name: file for file in files}
        for record in read_records(path, include):
            name, _, line = record["!locs"][0].rpartition(":") if record["!locs"] else ("", "", "")
            is_op = "Op" in record["!superclasses"]
            if name not in by_name or not (is_op or "PassBase" in record["!superclasses"]):
                continue
            file, line = by_name[name], int(line)
            blocks = [textwrap.dedent(match[2]) for match in BLOCK.finditer(record["description"] or "")]
            after = line
            for block in blocks:
                after = find_line(file, after + 1, block.splitlines()) or after
                yield file, after, block
            if is_op and not blocks:
                yield file, line, None


def run(text):
    """The first error of ir-opt, or an empty text."""
    result = subprocess.run(["ir-opt", "--split-input-file", "-", "-o", "/dev/null"], input=text, capture_output=True,
                            text=True)
    errors = [line for line in result.stderr.splitlines() if "error:" in line] or [result.stderr or "crashed"]
    return errors[0].partition("error: ")[2] or errors[0] if result.returncode else ""


def main(arguments):
    root = Path(arguments[0] if arguments else Path(__file__).parents[2]).resolve()
    found = sorted(collect(root), key=lambda entry: entry[:2])
    if not found:
        sys.exit(f"error: there is no op or pass in {root / 'include'}")
    problems = [(file, line, "the op has no example") for file, line, text in found if text is None]
    blocks = [entry for entry in found if entry[2] is not None]
    # One run is fast. Only if it fails, more runs find the blocks that are wrong.
    if run("\n// -----\n".join(text for _, _, text in blocks)):
        problems += [(file, line, error) for file, line, text in blocks if (error := run(text))]
    for file, line, text in sorted(problems):
        print(f"{file.relative_to(root)}:{line}: {text}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
