#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""count_raised.py [--bin DIR] [--all] MODEL.xml ...: counts the loops that ov-raise-loops raises.

Imports and simplifies each model. For each model with a loop it prints the number of TensorIterators and Loops before
and after; the number of those after that always run as often as their trip count; the numbers of their slices and
concatenations; and the remarks of ov-raise-loops, which say what is not raised and why. An LSTMSequence, GRUSequence or
RNNSequence does not count as a loop. `--all` also lists models whose loops had slices and concatenations before.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

LOOP = re.compile(r"^(\s*)(?:%\S+ = )?ov\.(loop|tensor_iterator)\b(.*)\{$")
CONSTANT = re.compile(r"^\s*(%\S+) = ov\.constant (dense<[^\n]*>) : ")
REMARK = re.compile(r'remark: \[Missed\] not-raised \|.* Reason="(.*)"')


class Loop:
    def __init__(self, kind, head, constants):
        self.kind = kind
        self.slices = len(re.findall(r"\balong \d+ \[[^\]]*\] part \d+ : \S+ to ", head))
        self.concats = len(re.findall(r"\balong ", head)) - self.slices
        trip = re.search(r"trip\((%\S+)", head)
        self.unlimited = bool(trip) and constants.get(trip[1]) == "dense<-1>"
        self.counted = kind == "tensor_iterator"


def run(command, stdin=None):
    try:
        return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", "error: out of time")


def get_loops(text):
    """Returns the loops of a module. The line that ends the body of a loop shows its condition."""
    constants, open_loops, loops = {}, [], []
    for line in text.splitlines():
        if match := CONSTANT.match(line):
            constants[match[1]] = match[2]
        if match := LOOP.match(line):
            loop = Loop(match[2], match[3], constants)
            loops.append(loop)
            open_loops.append(loop)
        elif open_loops and line.lstrip().startswith("ov.yield"):
            loop = open_loops.pop()
            condition = re.search(r"while\((%\S+)", line)
            if condition:
                loop.counted = constants.get(condition[1]) == "dense<true>" and not loop.unlimited
    return loops


def first_error(text):
    for line in text.splitlines():
        if "error: " in line:
            return line.split("error: ", 1)[1]
    return "no message"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    total = collections.Counter()
    reasons = collections.Counter()
    for model in args.models:
        name = model.parent.name if model.name == "model.xml" else model.stem
        if not re.search(r'type="(Loop|TensorIterator)"', model.read_text(errors="replace")):
            continue
        total["models"] += 1
        imported = run([args.bin / "ir-translate", "--import-openvino", model])
        if imported.returncode:
            print(f"{name}: does not import: {first_error(imported.stderr)}")
            total["models that do not import"] += 1
            continue
        before = get_loops(imported.stdout)
        simplified = run([args.bin / "ir-opt", "-", "--ov-simplify", "--remarks-filter-missed=ov-raise-loops",
                          "--remark-format=emitRemark"], imported.stdout)
        if simplified.returncode:
            print(f"{name}: does not simplify: {first_error(simplified.stderr)}")
            total["models that do not simplify"] += 1
            continue
        after = get_loops(simplified.stdout)
        missed = collections.Counter(REMARK.findall(simplified.stderr))
        reasons.update(missed.keys())
        kinds = collections.Counter(loop.kind for loop in before)
        counted = sum(loop.counted for loop in after)
        parts = [sum(getattr(loop, what) for loop in loops)
                 for what in ("slices", "concats") for loops in (before, after)]
        for what, loops in (("before", before), ("after", after)):
            for kind in ("tensor_iterator", "loop"):
                own = [loop for loop in loops if loop.kind == kind]
                total[f"{kind}s {what}"] += len(own)
                if kind == "loop":
                    total[f"loops {what} that never end before their trip count"] += sum(loop.counted for loop in own)
                    total[f"loops {what} that slice or concatenate"] += sum(
                        bool(loop.slices or loop.concats) for loop in own)
        total["models with something not raised"] += bool(missed)
        if not args.all and not missed and parts[0] == parts[1] and parts[2] == parts[3] and counted == len(after):
            continue
        print(f"{name}: {kinds['tensor_iterator']} TensorIterator, {kinds['loop']} Loop -> {len(after)}; counted "
              f"{sum(loop.counted for loop in before)} -> {counted}; slices {parts[0]} -> {parts[1]}; concats "
              f"{parts[2]} -> {parts[3]}")
        for reason, count in missed.items():
            print(f"    not raised: {reason}" + (f" ({count} times)" if count > 1 else ""))
    print("total:")
    for what, number in sorted(total.items(), key=lambda item: item[0]):
        print(f"  {number:5} {what}")
    if reasons:
        print("reasons, by models:")
        for reason, number in reasons.most_common():
            print(f"  {number:5} {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
