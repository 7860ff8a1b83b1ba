# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compile_time.py KIND SIZE TIMES TOOL [OPTIONS]: compiles a model of SIZE parts, and one of TIMES as many.

Fails if the CPU time of the second one is more than twice TIMES that of the first. Time that grows with the square of
the size is TIMES * TIMES as much. What other processes do changes a time by less than a factor of two; the least of
three is taken.
"""

import resource
import subprocess
import sys


class Model:
    """A model of f32 layers that are written one by one."""

    def __init__(self):
        self.layers, self.edges = [], []

    def add(self, kind, operands, data="", ports=1):
        """Adds a layer. Operands and results are pairs of a layer and a port. Returns the first result."""
        number, first = len(self.layers), len(operands)
        for to, (layer, port) in enumerate(operands):
            self.edges.append(f'<edge from-layer="{layer}" from-port="{port}" to-layer="{number}" to-port="{to}"/>')
        inputs = "".join(f'<port id="{i}"/>' for i in range(first))
        outputs = "".join(f'<port id="{first + i}" precision="FP32"/>' for i in range(0 if kind == "Result" else ports))
        self.layers.append(f'<layer id="{number}" name="{kind}_{number}" type="{kind}" version="opset1">{data}'
                           f"<input>{inputs}</input><output>{outputs}</output></layer>")
        return number, first

    def parameter(self, shape):
        return self.add("Parameter", [], f'<data shape="{shape}" element_type="f32"/>')

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write('<net name="m" version="11"><layers>' + "\n".join(self.layers) + "</layers><edges>" +
                       "\n".join(self.edges) + "</edges></net>")


def chain(model, size, kinds):
    """Element-wise layers, each of which reads the one before."""
    value = model.parameter("2,3")
    for i in range(size):
        value = model.add(kinds[i % len(kinds)], [value])
    model.add("Result", [value])


def readers(model, size):
    """Layers of one chain that a Concat reads too, as it reads the states of a recurrence that was unrolled."""
    value, other = model.parameter("1,8"), model.parameter("1,8")
    parts = []
    for i in range(size):
        value = model.add(["Add", "Multiply", "Subtract", "Maximum", "Minimum"][i * i % 5], [value, other])
        parts.append(value)
    model.add("Result", [model.add("Concat", parts, '<data axis="0"/>')])


def inputs(model, size):
    """A Concat of inputs of the model."""
    model.add("Result", [model.add("Concat", [model.parameter("1,8") for _ in range(size)], '<data axis="0"/>')])


KINDS = {
    "relu": lambda model, size: chain(model, size, ["Relu"]),
    "functions": lambda model, size: chain(model, size, ["Tanh", "Relu", "Sigmoid"]),
    "readers": readers,
    "inputs": inputs,
}


def measure(kind, size, command):
    """The least CPU seconds of the command on a model of this kind and size."""
    model = Model()
    KINDS[kind](model, size)
    path = f"{kind}-{size}.xml"
    model.write(path)
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([*command, path], check=True, stdout=subprocess.DEVNULL)
        times.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    return min(times)


def main():
    kind, size, times, *command = sys.argv[1:]
    small = measure(kind, int(size), command)
    large = measure(kind, int(size) * int(times), command)
    print(f"{kind}: {small:.2f} s of CPU for {size}, {large:.2f} s for {int(size) * int(times)}")
    if large > 2 * int(times) * small:
        sys.exit(f"expected at most {2 * int(times)} times as much, but got {large / small:.1f} times")


main()
