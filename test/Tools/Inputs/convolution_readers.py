#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""convolution_readers.py IR_RUN FOLDER [N]: compares compiled convolutions with interpreted ones, whatever reads their
results.

The result of a convolution with channels last is read through slices and reshapes, with an activation in front of
them or behind them. N: every N-th model. The last line is `N passed, N failed`.
"""
import itertools
import sys

import against_interpreter


def text(shape):
    return "x".join(map(str, shape))


def constant(shape):
    """A constant of numbers that differ, as MLIR spells it."""
    numbers = iter(range(1, 1 << 30))

    def nest(dims):
        if not dims:
            return str((next(numbers) * 7 % 31 - 15) / 8)
        return "[" + ", ".join(nest(dims[1:]) for _ in range(dims[0])) + "]"

    return f"ov.constant dense<{nest(shape)}> : tensor<{text(shape)}xf32>"


def integers(values):
    return f"ov.constant dense<[{', '.join(map(str, values))}]> : tensor<{len(values)}xi64>"


class Model:
    """The text of a function with the inputs `inputs`, and the value and shape that it has computed so far."""

    def __init__(self, inputs):
        self.lines, self.inputs, self.count = [], inputs, 0
        self.value, self.shape = "%x", inputs["x"]

    def add(self, op, operands, shape, attributes=""):
        """Adds an op on the value and on constants, given as pairs of text and type."""
        types, names = [f"tensor<{text(self.shape)}xf32>"], [self.value]
        for definition in operands:
            self.count += 1
            name = definition if definition.startswith("%") else f"%c{self.count}"
            kind = definition.rsplit(" : ", 1)[1] if name != definition else None
            if kind:
                self.lines.append(f"{name} = {definition}")
            else:
                kind = f"tensor<{text(self.inputs[name[1:]])}xf32>"
            names.append(name)
            types.append(kind)
        self.count += 1
        arrow = f"({', '.join(types)}) -> tensor<{text(shape)}xf32>" if operands else types[0]
        self.lines.append(f"%v{self.count} = {op} {', '.join(names)} {attributes} : {arrow}")
        self.value, self.shape = f"%v{self.count}", list(shape)

    def relu(self):
        self.add("ov.relu", [], self.shape)

    def reshape(self, shape):
        self.add("ov.reshape", [integers(shape)], shape)

    def slice(self, axis, size):
        shape = list(self.shape)
        shape[axis] = size
        self.add("ov.slice", [integers([0]), integers([size]), integers([1]), integers([axis])], shape)

    def write(self, path):
        inputs = ", ".join(f'%{name}: tensor<{text(shape)}xf32> {{ov.name = "{name}"}}'
                           for name, shape in self.inputs.items())
        result = f"tensor<{text(self.shape)}xf32>"
        body = "\n".join("  " + line for line in self.lines)
        path.write_text(f'func.func @main({inputs}) -> ({result} {{ov.name = "y"}}) {{\n{body}\n'
                        f"  return {self.value} : {result}\n}}\n")


# The batch, the dims of the data and of the kernel, the groups, and the channels of a group in and out.
FORMS = {
    "tiles": (2, [9], [3], 1, 3, 40),
    "rest": (2, [9], [3], 1, 3, 20),
    "whole": (2, [9], [3], 1, 3, 32),
    "edge": (1, [4], [1], 1, 1, 17),
    "plane": (2, [6, 7], [3, 1], 1, 2, 16),
    "depthwise": (2, [9], [3], 24, 1, 1),
    "one": (1, [9], [3], 1, 3, 16),
}


def convolve(form, more=()):
    batch, spatial, kernel, groups, inputs, outputs = FORMS[form]
    model = Model({"x": [batch, groups * inputs, *spatial], **dict(more)})
    filters = ([groups] if groups > 1 else []) + [outputs, inputs, *kernel]
    places = [size - k + 1 for size, k in zip(spatial, kernel)]
    ones, zeros = ", ".join("1" for _ in spatial), ", ".join("0" for _ in spatial)
    attributes = (f"{{strides = array<i64: {ones}>, pads_begin = array<i64: {zeros}>, "
                  f"pads_end = array<i64: {zeros}>, dilations = array<i64: {ones}>}}")
    op = "ov.group_convolution" if groups > 1 else "ov.convolution"
    model.add(op, [constant(filters)], [batch, groups * outputs, *places], attributes)
    rank = len(spatial) + 2
    last = [0, *range(2, rank), 1]
    model.add("ov.transpose", [integers(last)], [model.shape[i] for i in last])
    return model


def models():
    """Yields names and models."""
    for form, order in itertools.product(FORMS, ["before", "behind"]):
        for axis in range(len(FORMS[form][1]) + 2):
            model = convolve(form)
            size = model.shape[axis]
            kept_sizes = {size - 1, (size + 1) // 2}
            if axis == len(model.shape) - 1:
                # Ends of tiles.
                kept_sizes |= {n for n in (16, 32) if n < size}
            for kept in sorted(kept_sizes - {0}):
                model = convolve(form)
                if order == "before":
                    model.relu()
                model.slice(axis, kept)
                if order == "behind":
                    model.relu()
                yield f"{form}-axis{axis}-{kept}-{order}", model
        # Dims of 1 move, and neighbours are joined.
        shape = convolve(form).shape
        for name, to in {"moved": [shape[1], shape[0], *shape[2:]],
                         "joined": [1, shape[0] * shape[1], *shape[2:]],
                         "split": [*shape[:-2], 1, shape[-2] * shape[-1]]}.items():
            model = convolve(form)
            if order == "before":
                model.relu()
            model.reshape(to)
            if order == "behind":
                model.relu()
            yield f"{form}-{name}-{order}", model
    # The tiles of channels get a destination in which they are apart.
    model = convolve("whole", {"z": [2, 7, 2, 4]}.items())
    model.reshape([2, 7, 2, 16])
    model.add("ov.concat", ["%z"], [2, 7, 2, 20], "{axis = 3 : i64}")
    yield "whole-apart", model


def write(folder):
    for name, model in models():
        model.write(folder / f"{name}.mlir")
        yield [folder / f"{name}.mlir", "--random-inputs=1"], []


sys.exit(against_interpreter.check(write, *sys.argv[1:]))
