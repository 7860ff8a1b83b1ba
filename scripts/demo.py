#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a model by JIT and as a linked object, and prints the results.

    demo.py --ir-run build/release/bin/ir-run --model examples/lstm-example2

The folder has model.xml, model.bin, in_<i>.npy and out_<i>.npy. The out_<i>.npy do not come from Recur; ir-run compares
its results with them. The two results may differ in the last bits, because the JIT compiles for this machine, and an
object has code for several CPUs.
"""
import argparse
import ast
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

WAYS = [("by JIT", []), ("as a linked object", ["--aot"])]
REPEAT = 200


def read_npy(path):
    """(element type, shape, bytes)"""
    data = path.read_bytes()
    if data[:6] != b"\x93NUMPY":
        sys.exit(f"error: {path} is not a .npy file")
    wide = data[6] >= 2
    start = 12 if wide else 10
    length = struct.unpack_from("<I" if wide else "<H", data, 8)[0]
    header = ast.literal_eval(data[start:start + length].decode("latin1"))
    return header["descr"], header["shape"], data[start + length:]


def largest_difference(first, second):
    """None if the two arrays are the same bit for bit."""
    if first == second:
        return None
    if first[:2] != second[:2] or first[0] != "<f4":
        sys.exit("error: the outputs are not of one type and shape")
    count = len(first[2]) // 4
    pairs = zip(struct.unpack(f"<{count}f", first[2]), struct.unpack(f"<{count}f", second[2]))
    return max(abs(a - b) for a, b in pairs)


def run(ir_run, model, options, output):
    """Runs, writes the outputs to a folder, and returns ir-run's text."""
    inputs = sorted(model.glob("in_*.npy"), key=lambda path: int(path.stem[3:]))
    command = [str(ir_run), str(model / "model.xml"), *map(str, inputs), *options, f"--expect={model}",
               f"--output-dir={output}", f"--repeat={REPEAT}"]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if result.returncode:
        sys.exit(f"error: ir-run ended with status {result.returncode}: {' '.join(command)}")
    return result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ir-run", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recur-demo-") as temporary:
        results = []
        print(f"model: {args.model / 'model.xml'}")
        for number, (name, options) in enumerate(WAYS):
            output = Path(temporary) / str(number)
            text = run(args.ir_run, args.model, options, output)
            files = sorted(output.glob("out_*.npy"), key=lambda path: int(path.stem[4:]))
            results.append([read_npy(path) for path in files])
            reference = max(map(float, re.findall(r"largest difference (\S+)", text)))
            time = re.search(r"^time per call: (.*)$", text, re.M)[1]
            shapes = ", ".join("x".join(map(str, shape)) for _, shape, _ in results[-1])
            print(f"{name + ':':20} outputs {shapes}; largest difference from the stored outputs {reference:.3g}; "
                  f"time per call {time}")
        differences = [largest_difference(a, b) for a, b in zip(*results)]
        if all(difference is None for difference in differences):
            print("the two agree: bit for bit")
        else:
            print(f"the two agree: largest difference {max(d or 0 for d in differences):.3g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
