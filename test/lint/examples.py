#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the examples in the descriptions of ops and passes.

    examples.py [ROOT]

Every block of MLIR text (```mlir) in a .td file under ROOT/include must parse and verify by itself, and every op must
have one. Every pass must have two blocks with a line between them that begins with `==>`: the IR before and after it.
The pass, with the options that the line names (`==>` with `stage=linalg`), must turn the one into the other. Names of
values do not matter, nor does what canonicalization and CSE change, nor the bodies of kernels. A pass with one block
only checks: it must give the diagnostics that the block expects. Prints each op, pass and block that breaks the rule as
FILE:LINE: TEXT, and ends with status 1 if there is any. Finds ir-opt and llvm-tblgen by PATH, and the .td files of MLIR
beside llvm-tblgen.
"""
import difflib
import json
import re
import shutil
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

INCLUDE = re.compile(r'^\s*include "([^"]+)"', re.M)
BLOCK = re.compile(r"^( *)```mlir\n(.*?)^ *```$", re.M | re.S)
# A kernel: a declaration, or a definition up to the brace that ends it.
KERNEL = re.compile(r"^  func\.func private @rt_[^\n]*(?:[^{\n]|\{\n.*?^  \})\n", re.M | re.S)
CONSTANT = re.compile(r"\s*(%\w+) = (?:arith|ov)\.constant (.*)")
VALUE = re.compile(r"%[A-Za-z0-9_]+")
ALIAS = re.compile(r"^(#\w+) = .*\n", re.M)
ARROW = re.compile(r"\s*==>(?: with `([^`]*)`)?\s*(?:\(.*\))?\s*")


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


class Example:
    """A block of MLIR text. For the first of two blocks of a pass, `result` is the second one."""

    def __init__(self, file, line, text):
        self.file, self.line, self.text = file, line, text
        self.result = self.pipeline = None


def pipeline_of(record, options):
    """The text of a pipeline that runs the pass of this record."""
    options = options.replace(",", " ")
    text = record["argument"] + (f"{{{options}}}" if options else "")
    if match := re.search(r"OperationPass<(?:::)?(?:mlir::)?([\w:]+)>", record["baseClass"]):
        anchor = {"func::FuncOp": "func.func", "ModuleOp": "builtin.module"}[match[1].replace("mlir::", "")]
        if anchor != "builtin.module":
            text = f"{anchor}({text})"
    return f"builtin.module({text})"


def collect(root):
    """Returns the examples, and a list of problems: file, line, text."""
    include = root / "include"
    examples, problems = [], []
    for path, files in find_files(include):
        # A record names its file without folders.
        by_name = {file.name: file for file in files}
        for record in read_records(path, include):
            name, _, line = record["!locs"][0].rpartition(":") if record["!locs"] else ("", "", "")
            is_op, is_pass = "Op" in record["!superclasses"], "PassBase" in record["!superclasses"]
            if name not in by_name or not (is_op or is_pass):
                continue
            file, line = by_name[name], int(line)
            description = record["description"] or ""
            matches = list(BLOCK.finditer(description))
            after, own = line, []
            for match in matches:
                block = textwrap.dedent(match[2])
                after = find_line(file, after + 1, block.splitlines()) or after
                own.append(Example(file, after, block))
            for i, (first, second) in enumerate(zip(matches, matches[1:])):
                if is_pass and (arrow := ARROW.fullmatch(description[first.end():second.start()])):
                    own[i].result, own[i].pipeline = own[i + 1].text, pipeline_of(record, arrow[1] or "")
            if is_op and not own:
                problems.append((file, line, "the op has no example"))
            if is_pass and len(own) == 1:
                own[0].pipeline = pipeline_of(record, "")
            if is_pass and not any(example.pipeline for example in own):
                problems.append((file, line, "the pass has no example of IR before and after it"))
            examples += own
    return examples, problems


def print_with(text, *options):
    """The text of the module as ir-opt prints it, and its first error or an empty text."""
    result = subprocess.run(["ir-opt", "-", *options], input=text, capture_output=True, text=True)
    errors = [line for line in result.stderr.splitlines() if "error:" in line] or [result.stderr or "crashed"]
    return result.stdout, errors[0].partition("error: ")[2] or errors[0] if result.returncode else ""


def normalize(text):
    """The text of a module after clean-up, without kernels, with constants first and in an order of their own."""
    text = KERNEL.sub("", print_with(text, "--canonicalize", "--cse")[0])
    # An alias may be used by another alias alone.
    while (shorter := ALIAS.sub(lambda match: match[0] if text.count(match[1]) > 1 else "", text)) != text:
        text = shorter
    lines, result, constants = text.splitlines(), [], []
    for line in lines + [""]:
        if match := CONSTANT.fullmatch(line):
            constants.append((match[2], line))
            continue
        # Constants stand at the beginning of a function.
        result += [line for _, line in sorted(constants)] + [line]
        constants = []
    names = {}
    return VALUE.sub(lambda match: names.setdefault(match[0], f"%{len(names)}"), "\n".join(result))


def compare(example):
    """The problem with an example of a pass, or an empty text."""
    pipeline = f"--pass-pipeline={example.pipeline}"
    if not example.result:
        return print_with(example.text, pipeline, "--verify-diagnostics")[1]
    got, error = print_with(example.text, pipeline)
    if error:
        return error
    want, error = print_with(example.result)
    if error:
        return error
    if got == want:
        return ""
    got, want = normalize(got), normalize(want)
    if got == want:
        return ""
    lines = difflib.unified_diff(want.splitlines(), got.splitlines(), "the example", "the pass", lineterm="", n=1)
    return "the pass gives something else:\n" + "\n".join(lines)


def main(arguments):
    root = Path(arguments[0] if arguments else Path(__file__).parents[2]).resolve()
    examples, problems = collect(root)
    if not examples:
        sys.exit(f"error: there is no op or pass in {root / 'include'}")
    # One run is fast. Only if it fails, more runs find the blocks that are wrong.
    if print_with("\n// -----\n".join(example.text for example in examples), "--split-input-file")[1]:
        problems += [(example.file, example.line, error) for example in examples
                     if (error := print_with(example.text)[1])]
    else:
        with ThreadPoolExecutor() as threads:
            passes = [example for example in examples if example.pipeline]
            problems += [(example.file, example.line, error)
                         for example, error in zip(passes, threads.map(compare, passes)) if error]
    for file, line, text in sorted(problems):
        print(f"{file.relative_to(root)}:{line}: {text}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
