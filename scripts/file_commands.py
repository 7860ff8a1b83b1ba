#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a compile_commands.json that has each file by itself.

    file_commands.py BUILD FOLDER

A build with RECUR_UNITY compiles files in groups: its compile_commands.json has a file of CMake's for each group, which
includes the files of the group. Tools that look at one file need a command for it. The result is in FOLDER.
"""
import json
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^#include "(.+)"$', re.M)


def read_commands(build):
    """The entries of a build's compile_commands.json, with the files of a group in place of the group."""
    commands = []
    for entry in json.loads((Path(build) / "compile_commands.json").read_text()):
        group = entry["file"]
        if not re.search(r"/Unity/unity_\w+\.cxx$", group):
            commands.append(entry)
            continue
        for file in INCLUDE.findall(Path(group).read_text()):
            commands.append(entry | {"file": file, "command": entry["command"].replace(group, file)})
    return commands


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: file_commands.py BUILD FOLDER")
    build, folder = map(Path, sys.argv[1:])
    (folder / "compile_commands.json").write_text(json.dumps(read_commands(build), indent=1))


if __name__ == "__main__":
    main()
