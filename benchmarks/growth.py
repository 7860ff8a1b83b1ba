# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles models of growing size, and prints how CPU time and memory grow.

    benchmarks/growth.py [--ir-run=build/release/bin/ir-run] [--sizes=250,500,1000,2000,4000] [--rounds=3] [KIND...]

A cell has the CPU seconds of the user for import, compilation and one call, the least of the rounds, and the peak of
memory in MB. Twice the size should take twice the time. It asserts nothing.
"""
import argparse
import os
import random
import struct
import subprocess
import tempfile
from pathlib import Path

from dynamic import processor


class Model:
    """Layers of f32 that are written one by one, and the weights of their constants."""

    def __init__(self):
        self.layers, self.edges, self.weights = [], [], bytearray()
        # A value is a layer and its port. All dims are known.
        self.shapes = {}

    def add(self, kind, operands, shape, data="", precision="FP32", opset=1):
        """Adds a layer, and returns its result."""
        number, first = len(self.layers), len(operands)
        for to, (layer, port) in enumerate(operands):
            self.edges.append(f'<edge from-layer="{layer}" from-port="{port}" to-layer="{number}" to-port="{to}"/>')
        inputs = "".join(f'<port id="{i}"/>' for i in range(first))
        dims = "".join(f"<dim>{dim}</dim>" for dim in shape)
        outputs = "" if kind == "Result" else f'<port id="{first}" precision="{precision}">{dims}</port>'
        self.layers.append(f'<layer id="{number}" name="{kind}_{number}" type="{kind}" version="opset{opset}">{data}'
                           f"<input>{inputs}</input><output>{outputs}</output></layer>")
        self.shapes[number, first] = shape
        return number, first

    def parameter(self, shape):
        text = ",".join(map(str, shape))
        return self.add("Parameter", [], shape, f'<data shape="{text}" element_type="f32"/>')

    def constant(self, shape, values, element="f32"):
        offset = len(self.weights)
        self.weights += struct.pack(f"<{len(values)}{'f' if element == 'f32' else 'q'}", *values)
        data = (f'<data element_type="{element}" shape="{",".join(map(str, shape))}" offset="{offset}" '
                f'size="{len(self.weights) - offset}"/>')
        return self.add("Const", [], shape, data, "FP32" if element == "f32" else "I64")

    def result(self, value):
        self.add("Result", [value], [])

    def write(self, path):
        """Writes PATH and the weights beside it."""
        path.write_text('<net name="m" version="11"><layers>' + "\n".join(self.layers) + "</layers><edges>" +
                        "\n".join(self.edges) + "</edges></net>")
        path.with_suffix(".bin").write_bytes(self.weights)


def equal(model, size):
    """A chain of element-wise layers of one kind."""
    value = model.parameter([2, 64])
    for _ in range(size):
        value = model.add("Sigmoid", [value], [2, 64])
    model.result(value)


def add_unequal(model, value, rng):
    """Adds a layer whose kind, width and constants are random."""
    rows, width = model.shapes[value]
    random_row = lambda count: [rng.uniform(-0.3, 0.3) for _ in range(count)]
    kind = rng.randrange(5)
    if kind == 0:
        return model.add(rng.choice(["Relu", "Tanh", "Sigmoid", "Exp", "Abs", "Floor", "Sin"]), [value], [rows, width])
    if kind == 1:
        columns = rng.randrange(3, 40)
        matrix = model.constant([width, columns], random_row(width * columns))
        return model.add("MatMul", [value, matrix], [rows, columns], '<data transpose_a="false" transpose_b="false"/>')
    if kind == 2:
        row = model.constant([1, width], random_row(width))
        return model.add(rng.choice(["Add", "Multiply", "Maximum"]), [value, row], [rows, width])
    if kind == 3:
        return model.add("Softmax", [value], [rows, width], '<data axis="1"/>')
    axis = model.constant([1], [1], "i64")
    mean = model.add("ReduceMean", [value, axis], [rows, 1], '<data keep_dims="true"/>')
    return model.add("Subtract", [value, mean], [rows, width])


def unequal(model, size):
    """A chain of layers of which no two groups are equal."""
    rng, value = random.Random(1), model.parameter([1, 8])
    for _ in range(size):
        value = add_unequal(model, value, rng)
    model.result(value)


def concat(model, size):
    """A Concat of as many inputs."""
    parts = [model.parameter([1, 8]) for _ in range(size)]
    model.result(model.add("Concat", parts, [size, 8], '<data axis="0"/>'))


def recurrence(model, size):
    """A recurrence that was unrolled, with its layers in each step, and a Concat of all states."""
    inputs, state, states = model.parameter([size, 8]), model.parameter([1, 8]), []
    axis = model.constant([1], [0], "i64")
    step = model.constant([1], [1], "i64")
    for i in range(size):
        begin, end = model.constant([1], [i], "i64"), model.constant([1], [i + 1], "i64")
        row = model.add("Slice", [inputs, begin, end, step, axis], [1, 8], opset=8)
        state = model.add("Tanh", [model.add("Add", [row, state], [1, 8])], [1, 8])
        states.append(state)
    model.result(model.add("Concat", states, [size, 8], '<data axis="0"/>'))


def results(model, size):
    """As many results, each of a layer that differs from the others."""
    rng, value = random.Random(1), model.parameter([1, 8])
    for _ in range(size):
        model.result(add_unequal(model, value, rng))


KINDS = {
    "equal": ("chain of equal layers", equal),
    "unequal": ("chain of unequal layers", unequal),
    "concat": ("Concat of n inputs", concat),
    "recurrence": ("unrolled recurrence of n steps", recurrence),
    "results": ("n results of unequal layers", results),
}


def measure(command):
    """The user's CPU seconds of the command, and its peak memory in MB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{command[0]} failed")
    return usage.ru_utime, usage.ru_maxrss / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ir-run", default="build/release/bin/ir-run")
    parser.add_argument("--sizes", default="250,500,1000,2000,4000")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("kinds", nargs="*", help=f"of {', '.join(KINDS)} (default: all)")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sizes.split(",")]
    print(f"CPU: {processor()}; least user CPU seconds of {arguments.rounds} rounds (peak memory in MB)\n")
    print("| n | " + " | ".join(map(str, sizes)) + " |\n" + "|---" * (len(sizes) + 1) + "|")
    for name in arguments.kinds or KINDS:
        title, make = KINDS[name]
        print(f"| {title} |", end="", flush=True)
        for size in sizes:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "model.xml"
                model = Model()
                make(model, size)
                model.write(path)
                runs = [measure([arguments.ir_run, path, "--random-inputs=1", "--quiet"])
                        for _ in range(arguments.rounds)]
            print(f" {min(time for time, _ in runs):.2f} ({min(memory for _, memory in runs):.0f}) |", end="",
                  flush=True)
        print()


if __name__ == "__main__":
    main()
