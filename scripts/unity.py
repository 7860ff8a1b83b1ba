#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Divides C++ files into groups that can be compiled as one file each.

    unity.py [--most N] FILE...

Most of a file's time goes into what it includes, so a group takes a third of the time of its files. Files that give one
name to different things do not go together, as far as this script sees. A file of generated code is alone, because it
takes long by itself. It prints a line `GROUP FILE` for each file. CMake uses it for builds from nothing (RECUR_UNITY),
and check_gcc.py for its check.
"""
import argparse
import re
from pathlib import Path

# The name that a line declares for the file.
DECLARATION = re.compile(r"#define (\w+)|(?:struct|class|enum|enum class) (\w+)|using (\w+) =|"
                         r"(?!namespace |using |template)[A-Za-z][^=;(<]*?(?:<.*>[^=;(]*?)?(?<!::)\b(\w+)"
                         r"(?:\(| =|\[|;|{)")
GENERATED = re.compile(r'^#include ".*\.cpp\.inc"', re.M)
USING = re.compile(r"^using namespace ([\w:]+);", re.M)


class SourceFile:
    def __init__(self, path):
        self.path = Path(path)
        text = self.path.read_text()
        self.words = set(re.findall(r"\w+", text))
        # The names that the file declares, and those that it alone has.
        self.names, self.own_names = set(), set()
        is_unnamed = False
        for line in text.splitlines():
            if line.startswith(("namespace {", "} // namespace")):
                is_unnamed = line == "namespace {"
            elif match := DECLARATION.match(line):
                name = next(filter(None, match.groups()))
                self.names.add(name)
                if is_unnamed or line.startswith(("static ", "constexpr ", "#define ", "using ")):
                    self.own_names.add(name)
        # Files that see other namespaces may mean other things by a name.
        self.namespaces = frozenset(USING.findall(text))
        self.generated = self.path if GENERATED.search(text) else None

    def suits(self, other):
        """False if a name of one file is declared or means another thing in the other one."""
        return not (self.names & other.names or self.own_names & other.words or other.own_names & self.words)

    def key(self):
        """Files with another key do not go together."""
        return self.path.parent, self.namespaces, self.generated


def make_groups(files, most):
    """Lists of files that go together."""
    groups = []
    for file in files:
        for group in groups:
            if len(group) < most and group[0].key() == file.key() and all(map(file.suits, group)):
                group.append(file)
                break
        else:
            groups.append([file])
    return groups


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=8, help="the most files of a group")
    parser.add_argument("files", nargs="+", metavar="FILE")
    args = parser.parse_args()
    for number, group in enumerate(make_groups(list(map(SourceFile, args.files)), args.most)):
        for file in group:
            print(number, file.path)


if __name__ == "__main__":
    main()
