#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles all C++ files with g++, without making code.

    check_gcc.py --build build/ci [--only TEXT]... [--part I/N [--changed]] [--jobs N]

The build, with clang, has made the generated headers, and its compile_commands.json says how each file is compiled.
Most of a file's time goes into the headers, so files are compiled together, as if they were one, behind the precompiled
header, where their names allow it (unity.py). Files that fail together are divided, down to single files. The last line
is `N passed, N failed`, which counts files.
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from changed_files import find_changed_files
from file_commands import read_commands
from unity import SourceFile, make_groups

ROOT = Path(__file__).resolve().parent.parent
# Each group instantiates anew what the headers need, which takes about as long as eight files.
MOST_TOGETHER = 64
# Those of clang, and those that do not change what a file means.
DROPPED = re.compile(r"-Xclang|-fno-pch-timestamp|-W|-O|-g|-f(?!no-|exceptions)|-fno-sanitize|-fno-omit")


class Unit(SourceFile):
    """A file, and the arguments of its compiler that decide what it means."""

    def __init__(self, entry):
        super().__init__(entry["file"])
        words = shlex.split(entry["command"])
        start = next(i for i, word in enumerate(words) if re.search(r"(clang|g)\+\+[^/]*$", word)) + 1
        self.has_header = "-include-pch" in words
        # Programs go together too: each main gets another name.
        self.is_program = "main" in self.names
        self.names.discard("main")
        self.arguments, self.folders, self.macros, skip = [], [], [], False
        for word, following in zip(words[start:], words[start + 1:] + [""]):
            if skip or word in ("-o", "-c") or (word == "-Xclang" and following != "-fno-pch-timestamp"):
                skip = not skip
            elif word.startswith("-I"):
                self.folders.append(word)
            elif word.startswith("-D"):
                self.macros.append(word)
            elif not DROPPED.match(word):
                self.arguments.append(word)

    def key(self):
        # All files may see these two namespaces, so files of all folders go together.
        return self.namespaces - {"mlir", "recur"}, self.generated, self.has_header, tuple(self.arguments)


class Checker:
    def __init__(self, folder, header):
        self.folder, self.header = folder, header

    def compile(self, units, name):
        """Returns what g++ says, and whether it has failed."""
        source = self.folder / f"{name}.cpp"
        lines = []
        for number, unit in enumerate(units):
            line = f'#include "{unit.path}"\n'
            lines.append(f"#define main main{number}\n{line}#undef main\n" if unit.is_program else line)
        source.write_text("".join(lines))
        include = ["-include", self.header] if units[0].has_header else []
        options = dict.fromkeys(option for unit in units for option in unit.folders + unit.macros)
        command = ["g++", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-unused-parameter", *include, *units[0].arguments,
                   *options, source]
        result = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return result.stderr, result.returncode != 0

    def check(self, units, name):
        """The findings of a group, by file, and how often it was divided although no file fails alone."""
        text, failed = self.compile(units, name)
        if not failed or len(units) == 1:
            return {units[0].path: text} if failed else {}, 0
        findings, divisions = {}, 1
        middle = len(units) // 2
        for half in units[:middle], units[middle:]:
            found, more = self.check(half, name)
            findings |= found
            divisions += more
        return findings, 0 if findings else divisions


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--only", action="append", default=[],
                        help="only files whose path contains this text, or that of another --only")
    parser.add_argument("--part", default="1/1", help="the I-th of N parts of the files, from 1 on")
    parser.add_argument("--changed", action="store_true",
                        help="also the files of other parts that changed (changed_files.py)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    args = parser.parse_args()
    match = re.fullmatch(r"(\d+)/(\d+)", args.part)
    part, parts = map(int, match.groups()) if match else (0, 0)
    if not 1 <= part <= parts:
        parser.error(f"expected a part from 1/N to N/N, but got {args.part}")
    entries = read_commands(args.build)
    build = args.build.resolve()
    units = [Unit(entry) for entry in entries if entry["file"].endswith(".cpp") and
             any(text in entry["file"] for text in args.only or [""]) and
             Path(entry["file"]).is_relative_to(ROOT) and not Path(entry["file"]).is_relative_to(build)]
    if not units:
        sys.exit(f"error: {args.build} compiles no such file")
    with tempfile.TemporaryDirectory(prefix="recur-gcc-") as name, ThreadPoolExecutor(args.jobs) as pool:
        folder = Path(name)
        checker = Checker(folder, folder / "all.h")
        first = next((unit for unit in units if unit.has_header), None)
        if first:
            header = next((build / "lib").rglob("RecurPCH.dir/cmake_pch.hxx"))
            (folder / "all.h").write_text(f'#include "{header}"\n')
            options = [*first.arguments, *first.folders, *first.macros]
            command = ["g++", "-x", "c++-header", "-w", *options, folder / "all.h"]
            subprocess.run(command, check=True)
        findings, divisions = {}, 0
        all_groups = make_groups(units, MOST_TOGETHER)
        groups = all_groups[part - 1::parts]
        if args.changed:
            changed = {ROOT / path for path in find_changed_files()}
            others = [unit for group in all_groups if group not in groups for unit in group if unit.path in changed]
            groups += make_groups(others, MOST_TOGETHER)
        names = [f"group{number}" for number in range(len(groups))]
        for found, more in pool.map(checker.check, groups, names):
            findings |= found
            divisions += more
            for path, text in found.items():
                print(f"{path.relative_to(ROOT)}:\n{text}", flush=True)
    print(f"{len(groups)} groups, divided {divisions} times because files do not go together")
    print(f"{sum(map(len, groups)) - len(findings)} passed, {len(findings)} failed")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
