#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""many_dims.py IR_RUN FOLDER [N]: compares compiled models of tensors with many dims with interpreted ones.

Each model is a chain of random ops on a tensor of 9 to 28 dims, of which most are 1 or 2. Some are known. N: every
N-th model. The last line is `N passed, N failed`.
"""
import math
import random
import sys

import against_interpreter
import npy


class Chain:
    """The lines of a function, and the value and shape that they have computed so far."""

    def __init__(self, rng):
        self.rng, self.lines, self.inputs, self.count = rng, [], {}, 0
        rank = rng.randrange(9, 29)
        self.shape = [1 if rng.random() < max(0.0, 1 - 9 / rank) else 2 for _ in range(rank)]
        self.shape[rng.randrange(rank)] = 3
        self.open = [rng.random() < rng.choice([0, 0.2, 1]) for _ in range(rank)]
        self.value = self.add_input(self.shape, self.open)

    def type_of(self, shape, is_open):
        return "tensor<" + "".join(("?" if free else str(dim)) + "x" for dim, free in zip(shape, is_open)) + "f32>"

    def add_input(self, shape, is_open):
        name = f"x{len(self.inputs)}"
        self.inputs[name] = (list(shape), self.type_of(shape, is_open))
        return "%" + name

    def integers(self, values):
        self.count += 1
        kind = f"tensor<{len(values)}xi64>"
        self.lines.append(f"%v{self.count} = ov.constant dense<{list(values)}> : {kind}")
        return f"%v{self.count}", kind

    def add(self, op, operands, shape, is_open, attributes=""):
        own = self.type_of(self.shape, self.open)
        self.shape, self.open = list(shape), list(is_open)
        self.count += 1
        names, kinds = [self.value, *(name for name, _ in operands)], [own, *(kind for _, kind in operands)]
        result = self.type_of(self.shape, self.open)
        self.value = f"%v{self.count}"
        self.lines.append(f"{self.value} = {op} {', '.join(names)} {attributes} : ({', '.join(kinds)}) -> {result}")

    def unary(self):
        kind = self.type_of(self.shape, self.open)
        self.count += 1
        self.lines.append(f"%v{self.count} = {self.rng.choice(['ov.relu', 'ov.tanh', 'ov.negative'])} {self.value} "
                          f": {kind}")
        self.value = f"%v{self.count}"

    def binary(self):
        """Adds another input, which has one element along some dims."""
        shape = [1 if self.rng.random() < 0.3 else dim for dim in self.shape]
        is_open = [free and dim != 1 for dim, free in zip(shape, self.open)]
        name = self.add_input(shape, is_open)
        self.add("ov.add", [(name, self.inputs[name[1:]][1])], self.shape, self.open)

    def transpose(self):
        order = list(range(len(self.shape)))
        i, j = sorted(self.rng.sample(order, 2))
        order = self.rng.choice([order[j:] + order[:j], order[:i] + order[j:] + order[i:j],
                                 self.rng.sample(order, len(order))])
        self.add("ov.transpose", [self.integers(order)], [self.shape[i] for i in order], [self.open[i] for i in order])

    def slice(self):
        axis = self.rng.randrange(len(self.shape))
        shape, is_open = list(self.shape), list(self.open)
        shape[axis], is_open[axis] = 1, False
        self.add("ov.slice", [self.integers([value]) for value in (shape[axis] - 1, shape[axis], 1, axis)], shape,
                 is_open)

    def sum(self):
        axes = sorted(self.rng.sample(range(len(self.shape)), self.rng.randrange(1, 4)))
        kept = [i for i in range(len(self.shape)) if i not in axes]
        self.add("ov.reduce_sum", [self.integers(axes)], [self.shape[i] for i in kept], [self.open[i] for i in kept])

    def product(self):
        columns = self.rng.choice([1, 5, 16])
        name = self.add_input([self.shape[-1], columns], [False, False])
        self.add("ov.matmul", [(name, self.inputs[name[1:]][1])], [*self.shape[:-1], columns], [*self.open[:-1], False])

    def write(self, path):
        """Writes the model, and a file for each input. Returns the files."""
        inputs = ", ".join(f'%{name}: {kind} {{ov.name = "{name}"}}' for name, (_, kind) in self.inputs.items())
        result = self.type_of(self.shape, self.open)
        body = "\n".join("  " + line for line in self.lines)
        path.write_text(f'func.func @main({inputs}) -> ({result} {{ov.name = "y"}}) {{\n{body}\n'
                        f"  return {self.value} : {result}\n}}\n")
        files = []
        for name, (shape, _) in self.inputs.items():
            files.append(path.with_suffix(f".{name}.npy"))
            numbers = [self.rng.randrange(-16, 17) / 8 for _ in range(math.prod(shape))]
            npy.write(files[-1], "f4", ",".join(map(str, shape)), numbers)
        return files


def write(folder):
    for seed in range(24):
        rng = random.Random(seed)
        chain = Chain(rng)
        for _ in range(rng.randrange(2, 7)):
            rng.choice([chain.unary, chain.binary, chain.transpose, chain.slice, chain.sum, chain.product])()
        path = folder / f"{seed}.mlir"
        yield [path, *chain.write(path)], []


sys.exit(against_interpreter.check(write, *sys.argv[1:]))
