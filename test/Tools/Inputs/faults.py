#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of faults.json in a folder of small inputs on which something failed once.

faults.py [--sanitized] FOLDER [NAME...]. Each entry of the table belongs to the folder of its name, and has a list of
runs:
  command   a line of the shell, run in a copy of the folder. The tools are in PATH.
  status    the exit status that is right (0 if there is none).
  says      a regular expression that the output has (`re.search`, with `.` for any character).
  not       one that it does not have.
  seconds   the most seconds of CPU (10 if there is none).
  large     true if the model is large, so that tools with sanitizers take minutes. --sanitized leaves it out, and gives
            the others five times the seconds.
A folder without an entry fails. An entry without a folder is named in the output: it was left out of the folder.
"""
import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile


def check(run, folder, factor):
    """The words for what is wrong with a run, or an empty text."""
    seconds = run.get("seconds", 10) * factor
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    done = subprocess.run(["sh", "-c", run["command"]], cwd=folder, text=True, errors="replace", preexec_fn=limit,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    faults = []
    if done.returncode != run.get("status", 0):
        faults.append(f"expected status {run.get('status', 0)}, but got {done.returncode}")
    if "says" in run and not re.search(run["says"], done.stdout, re.DOTALL):
        faults.append(f"expected {run['says']!r}")
    if "not" in run and re.search(run["not"], done.stdout, re.DOTALL):
        faults.append(f"expected no {run['not']!r}")
    return "; ".join(faults) + f"\n{done.stdout[:2000]}" if faults else ""


def main():
    arguments = sys.argv[1:]
    if sanitized := arguments[0] == "--sanitized":
        arguments.pop(0)
    shared, only = pathlib.Path(arguments[0]), arguments[1:]
    table = json.loads(pathlib.Path(__file__).with_suffix(".json").read_text())
    passed = failed = 0
    for name in sorted({*table, *(path.name for path in shared.iterdir() if path.is_dir())}):
        if only and name not in only:
            continue
        if name not in table:
            print(f"FAIL {name}: no entry in faults.json")
            failed += 1
            continue
        if not (shared / name).is_dir():
            print(f"{name}: no folder")
            continue
        for run in table[name]:
            if sanitized and run.get("large"):
                continue
            with tempfile.TemporaryDirectory() as place:
                copy = pathlib.Path(place, name)
                shutil.copytree(shared / name, copy, copy_function=shutil.copyfile)
                copy.chmod(0o755)
                fault = check(run, copy, 5 if sanitized else 1)
            passed, failed = passed + (not fault), failed + bool(fault)
            if fault:
                print(f"FAIL {name}: {run['command']}: {fault}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
