#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the cases of this folder (packed_cases.py), and compares their outputs with the expected ones.

    run.py --ir-run build/dev/bin/ir-run [--mode=jit] [--only=TEXT] [--jobs=N]

Modes: jit, aot, levels, check-time-loops, naive, strict, given-weights, interpret, export (all of them on cases.json),
malformed (on malformed/malformed.json). ir-run itself compares; this script chooses the tolerances and judges the
status. lit uses the functions of this file, one test for each case and each mode of TESTED_MODES (lit.local.cfg).

    run.py --judge EXCEPTIONS.json RESULTS.json

judges a report of compare.py. A case of EXCEPTIONS.json must fail, with the listed text in the message; the report then
counts it as a success. If it does not, its entry must be deleted. strict-exceptions.json is for commands with --strict,
export-exceptions.json for the mode export, onnx-node-exceptions.json for ONNX's own tests.
"""
import argparse
import functools
import json
import os
import platform
import resource
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

import export  # noqa: E402
import packed_cases  # noqa: E402

IS_X86 = platform.machine() == "x86_64"

# CPUs for the levels of an object. The first is this machine's.
EMULATORS = [[], ["--emulator=qemu-x86_64 -cpu Haswell"], ["--emulator=qemu-x86_64 -cpu Nehalem"]]

# The target is one fixed CPU: the remainder of a product depends on the width of vectors, and check-time-loops.json
# lists cases. Code for one CPU takes a third of the time of code for several ones, which the mode levels has.
FIXED_CPU = ["--mcpu=x86-64-v3"] if IS_X86 else []

# The options that each mode adds to the command of ir-run.
MODES = {
    "jit": [],
    # load_cases adds the check of time loops for the cases that it must accept.
    "aot": ["--aot", *FIXED_CPU],
    # load_cases adds a CPU.
    "levels": ["--aot", "--verify-passes"],
    "check-time-loops": ["--check-time-loops", *FIXED_CPU],
    "naive": ["--naive"],
    # The second call of the strict caller has threads, and each gets work, however little it is.
    "strict": ["--strict", "--threads=3", "--gang-work=1"],
    # The caller puts the weights between guard pages: a model may not read behind them.
    "given-weights": ["--aot", "--weights-mode=caller", "--strict", *FIXED_CPU],
    "interpret": ["--interpret"],
    # The model is simplified and exported first (export.py).
    "export": [],
    "malformed": [],
}
# The caller of strict computes and compares all that jit does. aot checks the time loops, so check-time-loops is left
# for the cases that it must refuse (is_tested).
TESTED_MODES = [mode for mode in MODES if mode != "jit"]
SECONDS = {"malformed": 10}
DEFAULT_SECONDS = export.SECONDS
# The memory limit of ir-run for malformed files.
MALFORMED_MEGABYTES = 4096


STRICT_EXCEPTIONS = FOLDER / "strict-exceptions.json"
EXPORT_EXCEPTIONS = FOLDER / "export-exceptions.json"


@functools.cache
def load_known_failures(path):
    """By name: what is known to fail, with its words and the reason."""
    return json.loads(path.read_text())


def judge_exception(name, problem, path=STRICT_EXCEPTIONS):
    """The problem that is left of one where an exception is expected: None if it has the words."""
    exception = load_known_failures(path).get(name)
    if not exception:
        return problem
    if problem is None:
        return f"it passes: delete it from {path.name}"
    return None if exception["words"] in problem else f"{problem} (expected: {exception['words']})"


def judge_report(exceptions, path):
    rows = json.loads(path.read_text())
    for row in rows:
        row["problem"] = judge_exception(row["name"], row["problem"], exceptions)
        if row["problem"]:
            print(f"FAIL {row['name']}: {row['problem']}")
    path.write_text(json.dumps(rows, indent=1))


def load_exceptions():
    """Cases that check-time-loops must refuse, with the reason."""
    groups = json.loads((FOLDER / "check-time-loops.json").read_text())
    return {name: group["reason"] for group in groups for name in group["cases"]}


def has_large_constants(directory, least=1024):
    """True if the weights file has more than `least` bytes. By default, a constant of so many is a part of the code."""
    weights = directory / "model.bin"
    return weights.exists() and weights.stat().st_size > least


def load_cases(mode, folder):
    index = folder / ("malformed/malformed.json" if mode == "malformed" else "cases.json")
    cases = json.loads(index.read_text())
    if mode in ("aot", "check-time-loops"):
        exceptions = load_exceptions()
        # An object of a case that the check refuses is made without the check.
        cases = [case | ({"exception": exceptions.get(case["name"])} if mode == "check-time-loops" else
                         {"options": [] if case["name"] in exceptions else ["--check-time-loops"]}) for case in cases]
    if mode == "levels":
        # Only objects for x86-64 have several levels. Each case runs on one of the CPUs.
        cases = [case for case in cases if IS_X86 and "first" in case["tags"]]
        cases = [case | {"options": EMULATORS[i % len(EMULATORS)]} for i, case in enumerate(cases)]
    if mode == "export":
        # The interpreter is quicker than a compilation, except for large models.
        cases = [case | {"options": [] if has_large_constants(folder / case["name"], 1 << 16) else ["--interpret"]}
                 for case in cases]
    if mode == "given-weights":
        cases = [case for case in cases if has_large_constants(folder / case["name"])]
    return cases


def is_tested(mode, case):
    """True if lit runs a case in one of TESTED_MODES."""
    return mode != "check-time-loops" or bool(case["exception"])


def make_command(ir_run, mode, case, folder, model=None):
    """The command that runs a case, or `model` in the place of the case's model."""
    if mode == "malformed":
        directory = folder / "malformed" / case["name"]
        inputs = [directory / f"in_{i}.npy" for i in range(case["inputs"])]
        return [str(ir_run), str(directory / "model.xml"), *map(str, inputs)]
    directory = folder / case["name"]
    inputs = [directory / entry["file"] for entry in case["inputs"]]
    rtol, atol = (0, 0) if case["exact"] else (case["rtol"], case["atol"])
    return [str(ir_run), str(model or directory / "model.xml"), *map(str, inputs), *MODES[mode],
            *case.get("options", []), f"--expect={directory}", f"--rtol={rtol}", f"--atol={atol}"]


def execute(command, seconds, megabytes=None, environment=None):
    """Returns (status, or None when out of time; standard output; standard error)."""

    def prepare():
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if megabytes:
            resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=prepare,
                                   env=environment)
        try:
            status = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            status = None
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read(1 << 16).decode(errors="replace"))
    return status, *texts


def ended_by_signal(status):
    return status < 0 or 129 <= status <= 159


def judge(mode, case, status, out, err, seconds):
    """None if the case passed, else what is wrong."""
    if status is None:
        return f"no end after {seconds:g} s"
    if ended_by_signal(status):
        return f"ended by a signal (status {status})"
    if mode == "malformed":
        if status == 0:
            return None if case["expect"] == "survive" else f"was accepted, though {case['wrong']}"
        return None if "error:" in err else f"status {status} without 'error:' on standard error"
    if case.get("exception"):
        if status == 0:
            return "passes, but check-time-loops.json lists it as an exception"
        return None if "time loop" in err else f"status {status}, but not for a time loop"
    if status != 0:
        return f"status {status}"
    compared = sum(line.startswith("output ") and "largest difference" in line for line in out.splitlines())
    wanted = len(case["outputs"])
    return None if compared == wanted else f"{compared} of {wanted} outputs were compared"


def export_model(tools, model, scratch):
    """Like export.export. A text that the comparison of exports does not understand is a fault of the export too."""
    try:
        return export.export(tools, model, scratch)
    except (ArithmeticError, AttributeError, LookupError, ValueError) as error:
        raise export.ExportError(f"the export cannot be compared: {error!r}") from error


def run_case(ir_run, mode, case, folder, sanitized=False, environment=None):
    """Runs a case whose folder is in `folder`. Returns (what is wrong or None, a text to show)."""
    seconds = SECONDS.get(mode, DEFAULT_SECONDS) * (10 if sanitized else 1)
    # A sanitizer reserves terabytes of addresses.
    megabytes = MALFORMED_MEGABYTES if mode == "malformed" and not sanitized else None
    command, out, err = make_command(ir_run, mode, case, folder), "", ""
    with tempfile.TemporaryDirectory() as scratch:
        try:
            if mode == "export":
                tools = export.Tools(Path(ir_run).parent, seconds, environment)
                model = export_model(tools, folder / case["name"] / "model.xml", Path(scratch))
                command = make_command(ir_run, mode, case, folder, model)
            status, out, err = execute(command, seconds, megabytes, environment)
            problem = judge(mode, case, status, out, err, seconds)
        except export.ExportError as error:
            problem = str(error)
    if mode in ("strict", "given-weights", "export"):
        breach = err.strip().splitlines()[-1:] if problem else []
        problem = judge_exception(case["name"], problem and ": ".join([problem, *breach]),
                                  EXPORT_EXCEPTIONS if mode == "export" else STRICT_EXCEPTIONS)
    # A malformed model may be one line of a megabyte, which a diagnostic prints.
    lines = [line[:400] for line in (out + err).splitlines()]
    return problem, "\n".join([" ".join(command), *lines, problem or ""]).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ir-run", type=Path)
    parser.add_argument("--judge", type=Path, nargs=2, metavar=("EXCEPTIONS.json", "RESULTS.json"))
    parser.add_argument("--mode", choices=list(MODES), default="jit")
    parser.add_argument("--only", default="", help="only names that contain this text")
    parser.add_argument("--folder", type=Path, help="cases.json and other cases are there, unpacked")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("-v", "--verbose", action="store_true", help="show commands and outputs of cases that failed")
    args = parser.parse_args()
    if args.judge:
        return judge_report(*args.judge)
    if not args.ir_run:
        parser.error("--ir-run is missing")
    folder, ir_run = (args.folder or packed_cases.unpack()).resolve(), args.ir_run.resolve()
    cases = [case for case in load_cases(args.mode, folder) if args.only in case["name"]]
    with ThreadPoolExecutor(args.jobs) as pool:
        answers = list(pool.map(lambda case: run_case(ir_run, args.mode, case, folder), cases))
    failed = 0
    for case, (problem, text) in zip(cases, answers):
        if problem:
            failed += 1
            lines = [line for line in text.splitlines()[:-1] if "error:" in line]
            print(f"FAIL {case['name']}: {problem}" + (f": {lines[0]}" if lines else ""))
            if args.verbose:
                print(text)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
