#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a table of models: how large they are, what it costs to compile them, and how long a call takes.

    scripts/model_table.py FOLDER [--bin=build/release/bin] [--output=docs/Models.md] [--rounds=3]
                           [--seconds=0.2] [--only=TEXT] [--threads=1]

FOLDER has a cases.json and a folder for each model, with model.xml, model.bin, in_0.npy, ... and out_0.npy, ... Each
round times Recur (by JIT) and OpenVINO one after the other, in f32, with --threads threads; the table has the medians
of the rounds. OpenVINO runs in a process of its own, because some models end it. It asserts nothing.
"""
import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
import run as benchmark  # noqa: E402

SECONDS_MOST = 120


def count_layers(xml):
    """The number of layers, with those of bodies, and of types of operations."""
    layers = [layer for layer in ElementTree.parse(xml).getroot().iter("layer")]
    kinds = {layer.get("type") for layer in layers} - {"Parameter", "Result", "Const"}
    return len(layers), len(kinds)


def compile_model(ir_compile, case):
    """Seconds, MiB and KiB: the time and the peak memory of the compiler, and the size of the object."""
    with tempfile.TemporaryDirectory(prefix="recur-table-") as folder:
        output = Path(folder) / "model.o"
        begin = time.perf_counter()
        process = subprocess.Popen([str(ir_compile), str(case / "model.xml"), "-o", str(output), "--name=model",
                                    "--mcpu=x86-64-v3"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            return None
        return time.perf_counter() - begin, usage.ru_maxrss / 1024, output.stat().st_size / 1024


def inputs_of(case):
    return sorted(case.glob("in_*.npy"), key=lambda path: int(re.search(r"in_(\d+)\.npy$", path.name)[1]))


def ask_workspace(ir_run, case):
    """KiB of workspace for the inputs of the case, or None."""
    answer = subprocess.run([str(ir_run), str(case / "model.xml"), *map(str, inputs_of(case)), "--strict"],
                            capture_output=True, text=True, timeout=SECONDS_MOST)
    match = re.search(r"asked for (\d+) bytes of workspace", answer.stdout)
    return int(match[1]) / 1024 if match else None


def time_openvino(case, seconds, threads):
    """Microseconds of a call, or a word that says why there are none."""
    command = [sys.executable, __file__, "--openvino", str(case), f"--seconds={seconds}", f"--threads={threads}"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_MOST)
    except subprocess.TimeoutExpired:
        return "hangs"
    if answer.returncode < 0:
        return "crashes"
    try:
        return float(answer.stdout.strip())
    except ValueError:
        return "wrong" if answer.stdout.strip() == "wrong" else "refused"


def run_openvino(case, entry, seconds, threads):
    """In its own process: prints the time of a call, or that the outputs are wrong."""
    import numpy
    contestant = benchmark.OpenVINO(case, "f32", threads)
    for index in range(len(contestant.compiled.outputs)):
        want = numpy.load(case / f"out_{index}.npy")
        got = contestant.request.get_output_tensor(index).data
        if got.shape != want.shape or not numpy.allclose(got.astype("f8"), want.astype("f8"), rtol=entry["rtol"],
                                                         atol=entry["atol"], equal_nan=True):
            print("wrong")
            return
    print(contestant.time_call(seconds))


def measure(ir_run, case, rounds, seconds, threads):
    """Microseconds of a call of Recur and of OpenVINO; words instead of OpenVINO's if it has none."""
    ours, theirs = [], []
    try:
        recur = benchmark.Recur(case, ir_run, [f"--threads={threads}"] if threads > 1 else [])
    except (subprocess.CalledProcessError, TypeError):
        return None, None
    for _ in range(rounds):
        ours.append(recur.time_call(seconds))
        if not theirs or not isinstance(theirs[-1], str):
            theirs.append(time_openvino(case, seconds, threads))
    words = [value for value in theirs if isinstance(value, str)]
    return statistics.median(ours), words[0] if words else statistics.median(theirs)


def show(value, digits):
    return "—" if value is None else f"{value:.{digits}f}" if value < 100 else f"{value:.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--bin", type=Path, default=ROOT / "build/release/bin")
    parser.add_argument("--output", type=Path, default=ROOT / "docs/Models.md")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--only", default="", help="only models with this text in their name")
    parser.add_argument("--venv", type=Path, default=ROOT / "build/benchmarks-venv")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--openvino", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.openvino:
        cases = json.loads((args.openvino.parent / "cases.json").read_text())
        run_openvino(args.openvino, next(c for c in cases if c["name"] == args.openvino.name), args.seconds,
                     args.threads)
        return
    benchmark.enter_environment(args.venv.absolute())
    import openvino
    if args.threads == 1:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    ir_run, ir_compile = args.bin.resolve() / "ir-run", args.bin.resolve() / "ir-compile"
    lines, ratios, totals = [], [], {"models": 0, "compiled": 0}
    for entry in json.loads((args.folder / "cases.json").read_text()):
        if args.only not in entry["name"]:
            continue
        case = args.folder.resolve() / entry["name"]
        layers, kinds = count_layers(case / "model.xml")
        totals["models"] += 1
        compiled = compile_model(ir_compile, case)
        row = [entry["name"], str(layers), str(kinds)]
        if compiled:
            totals["compiled"] += 1
            ours, theirs = measure(ir_run, case, args.rounds, args.seconds, args.threads)
            ratio = theirs / ours if ours and isinstance(theirs, float) else None
            ratios += [ratio] if ratio else []
            row += [show(compiled[0], 2), show(compiled[1], 0), show(compiled[2], 0),
                    show(ask_workspace(ir_run, case), 1), show(ours, 2),
                    theirs if isinstance(theirs, str) else show(theirs, 2), show(ratio, 2)]
        else:
            row += ["—"] * 7
        lines.append("| " + " | ".join(row) + " |")
        print(lines[-1], flush=True)
    mean = math.exp(statistics.fmean(map(math.log, ratios))) if ratios else 0
    paragraph = textwrap.fill(
        f"`scripts/model_table.py` made this table on {benchmark.processor()}, with OpenVINO "
        f"{openvino.__version__.split('-')[0]} beside Recur in the same run: threads: {args.threads}; f32, medians of "
        f"{args.rounds} rounds. {totals['compiled']} of {totals['models']} models compile. A call of Recur takes "
        f"{mean:.1f} times less time, as the geometric mean over the {len(ratios)} models that OpenVINO answers too. "
        "\"wrong\" means "
        "that OpenVINO's outputs are not the expected ones, \"refused\" that it cannot compile the model.", 120)
    args.output.write_text(f"""<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->
# Models

{paragraph}

Layers count those of bodies. The time and the peak memory are those of `ir-compile`, for `x86-64-v3`. The object has
the weights. The workspace is that of the inputs that were timed; "—" means that an allocator is needed. Times of calls
are those of the code for this CPU.

| model | layers | kinds | compile, s | memory, MiB | object, KiB | workspace, KiB | Recur, µs | OpenVINO, µs | ratio |
|---|---|---|---|---|---|---|---|---|---|
""" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
