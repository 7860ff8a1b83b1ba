# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times models with one and with two threads, and two processes of one thread at once, and prints a table.

    benchmarks/threads.py [--ir-bench=build/release/bin/ir-bench] [--rounds=3] [--seconds=0.5] FOLDER...

Each folder has a model.xml. Two processes that have nothing to do with each other are what two CPUs can do: they share
a clock rate, a cache and the memory. So "roof" is twice the time of one process alone over the time of the slower of
two, and "gain" the time of a call with one thread over that with two. Times are medians of a round, in µs, of which the
least of all rounds counts. It asserts nothing. It needs two CPUs, on which nothing else runs.
"""
import argparse
import json
import os
import subprocess
from pathlib import Path


def start(bench, model, seconds, threads=1, cpu=None):
    """Starts ir-bench, on one CPU if it is given."""
    pin = ["taskset", "-c", str(cpu)] if cpu is not None else []
    return subprocess.Popen([*pin, bench, model, "--json", f"--seconds={seconds}", f"--threads={threads}"],
                            stdout=subprocess.PIPE, text=True)


def time(process):
    """The result of a process that `start` has started: its CPU, and the median time of a call in µs."""
    out = process.communicate()[0]
    if process.returncode != 0:
        raise SystemExit(f"{process.args[0]} failed")
    result = json.loads(out)
    return result["cpu"], result["recur"]["median_us"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ir-bench", default="build/release/bin/ir-bench")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("folders", nargs="+", type=Path)
    arguments = parser.parse_args()
    cpus = sorted(os.sched_getaffinity(0))[:2]
    if len(cpus) < 2:
        raise SystemExit("expected two CPUs, but got one")

    print("| model | one thread | two processes | roof | two threads | gain |\n|---|---|---|---|---|---|")
    machine = ""
    for folder in arguments.folders:
        model = folder / "model.xml"
        ones, pairs, twos = [], [], []
        for _ in range(arguments.rounds):
            machine, one = time(start(arguments.ir_bench, model, arguments.seconds, cpu=cpus[0]))
            both = [start(arguments.ir_bench, model, arguments.seconds, cpu=cpu) for cpu in cpus]
            pairs.append(max(time(process)[1] for process in both))
            twos.append(time(start(arguments.ir_bench, model, arguments.seconds, threads=2))[1])
            ones.append(one)
        one, pair, two = min(ones), min(pairs), min(twos)
        print(f"| {folder.name} | {one:.4g} | {pair:.4g} | {2 * one / pair:.2f} | {two:.4g} | {one / two:.2f} |",
              flush=True)
    print(f"\n{machine}")


if __name__ == "__main__":
    main()
