#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""odd_convolutions.py IR_RUN FOLDER [N]: compares compiled convolutions of odd sizes with interpreted ones.

The channels come first, and are no multiples of the tiles of filters. The rows of a result are shorter and longer than
vectors. N: every N-th model. The last line is `N passed, N failed`.
"""
import math
import random
import sys

import against_interpreter
import npy


def text(shape):
    return "x".join(map(str, shape))


def nest(values, shape):
    """The elements of a constant as MLIR spells them."""
    if not shape:
        return str(next(values))
    return "[" + ", ".join(nest(values, shape[1:]) for _ in range(shape[0])) + "]"


def write_model(rng, path):
    """Writes a model and its input. Returns the options of ir-run."""
    element = rng.choice(["f32", "f32", "f64"])
    spatial = rng.choice([1, 1, 2, 2, 3])
    groups, inputs = rng.choice([1, 1, 2, 3, 11]), rng.choice([1, 2, 3, 5])
    outputs = rng.choice([1, 3, 7, 9, 13, 17, 43, 51])
    kernel = [rng.choice([1, 2, 3, 5]) for _ in range(spatial)]
    stride = [rng.choice([1, 1, 2, 3]) for _ in range(spatial)]
    dilation = [rng.choice([1, 1, 2]) for _ in range(spatial)]
    pads = [rng.choice([0, 1]) for _ in range(spatial)]
    sizes = [rng.randrange(1, {1: 900, 2: 70, 3: 14}[spatial]) + d * (k - 1) for k, d in zip(kernel, dilation)]
    data = [rng.choice([1, 1, 2]), groups * inputs, *sizes]
    places = [(size + 2 * pad - d * (k - 1) - 1) // s + 1
              for size, pad, k, d, s in zip(sizes, pads, kernel, dilation, stride)]
    result = [data[0], groups * outputs, *places]
    if rng.random() < 0.4:
        data_dims, result_dims = [*data[:2], *["?"] * spatial], [*result[:2], *["?"] * spatial]
    else:
        data_dims, result_dims = data, result
    filters = [*([groups] if groups > 1 else []), outputs, inputs, *kernel]
    numbers = iter(lambda: rng.randrange(-16, 17) / 8, None)
    array = lambda values: f"array<i64: {', '.join(map(str, values))}>"  # noqa: E731
    op = "ov.group_convolution" if groups > 1 else "ov.convolution"
    path.write_text(f"""
func.func @main(%x: tensor<{text(data_dims)}x{element}>) -> tensor<{text(result_dims)}x{element}> {{
  %w = ov.constant dense<{nest(numbers, filters)}> : tensor<{text(filters)}x{element}>
  %y = {op} %x, %w {{strides = {array(stride)}, dilations = {array(dilation)}, pads_begin = {array(pads)},
                     pads_end = {array(pads)}}}
      : (tensor<{text(data_dims)}x{element}>, tensor<{text(filters)}x{element}>)
      -> tensor<{text(result_dims)}x{element}>
  return %y : tensor<{text(result_dims)}x{element}>
}}
""")
    npy.write(path.with_suffix(".npy"), {"f32": "f4", "f64": "f8"}[element], ",".join(map(str, data)),
              [next(numbers) for _ in range(math.prod(data))])
    return rng.choice([[], ["--mcpu=x86-64-v3"], ["--mcpu=x86-64-v2"], ["--threads=3", "--gang-work=1"]])


def write(folder):
    for seed in range(40):
        path = folder / f"{seed}.mlir"
        yield [path, path.with_suffix(".npy")], write_model(random.Random(seed), path)


sys.exit(against_interpreter.check(write, *sys.argv[1:]))
