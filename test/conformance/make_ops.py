#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the cases of the family `op`: one operation each, with dynamic dims.

    make_ops.py [--only=TEXT]

Each entry is a function in numpy, from the specification alone. The cases are in the repository; this script shows where
they come from, and makes them anew after a change.
"""
import argparse
import json

import numpy as np

from make_semantics import FOLDER, Graph, element_of, write

CASES = {}

# Inputs that tell functions apart: zeros of both signs, small and large numbers, ties, NaN; more than one vector of
# them.
REALS = np.array([0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 1e-3, -1e-3, 3.0, -7.25, 20.0, -20.0, 88.0, -88.0, 1e30,
                  np.inf, -np.inf, np.nan], np.float32)


def op(kind, opset=1, inputs=(REALS,), element=None, **data):
    """Registers the function that gives the output for the inputs. `element` is that of the output, by default that of
    the first input; `data` are attributes of the layer."""

    def register(function):
        def build():
            graph = Graph()
            values = [graph.parameter(element_of(x), ["?"] * x.ndim) for x in inputs]
            made = graph.add(kind, values, element=element, opset=opset, **data)
            graph.result(made)
            with np.errstate(all="ignore"):
                output = function(*[x.astype(np.float64) if x.dtype == np.float32 else x for x in inputs])
            return graph, list(inputs), [np.asarray(output).astype(element_type(element or element_of(inputs[0])))]

        build.__doc__ = function.__doc__ or f"{kind} of all kinds of elements"
        CASES["op_" + function.__name__] = build
        return function

    return register


def element_type(name):
    return {"boolean": np.bool_, "f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64,
            "u8": np.uint8}[name]


@op("Relu")
def relu(x):
    return np.where(x < 0, 0, x)


@op("IsNaN", opset=10, element="boolean")
def is_nan(x):
    return np.isnan(x)


@op("SoftSign", opset=9)
def softsign(x):
    return x / (1 + np.abs(x))


@op("Mish", opset=4)
def mish(x):
    return x * np.tanh(np.log1p(np.exp(x)))


@op("ConvertLike", element="i64", inputs=(np.array([0.0, -0.0, 1.9, -1.9, 1e30, np.nan], np.float32),
                                          np.zeros((2, 0), np.int64)))
def convert_like(x, like):
    """ConvertLike reads the type of its second input alone."""
    least, most = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    return [0 if np.isnan(v) else int(max(least, min(most, np.trunc(v)))) for v in x]


def convert_to_bf16_once():
    """An integer is rounded to bf16 once: from 2^53 on, f64 does not hold all its bits."""
    values = [0, 1, -1, 257, (1 << 62) + (1 << 54), (1 << 62) + (1 << 54) + 1, (1 << 62) + (1 << 54) - 1,
              (1 << 62) + 3 * (1 << 54), -(1 << 62) - (1 << 54) - 1, -(1 << 62) - (1 << 54), (1 << 53) + 1,
              (1 << 63) - 1, -(1 << 63)]

    def nearest(value):
        """The nearest number with 8 significant bits, ties to even, by integer arithmetic."""
        size = abs(value)
        unit = 1 << max(size.bit_length() - 8, 0)
        low, rest = divmod(size, unit)
        low += 2 * rest > unit or (2 * rest == unit and low % 2)
        return float(low * unit) * (-1 if value < 0 else 1)

    graph = Graph()
    narrow = graph.add("Convert", [graph.parameter("i64", ["?"])], element="bf16", destination_type="bf16")
    graph.result(graph.add("Convert", [narrow], element="f32", destination_type="f32"))
    return graph, [np.array(values, np.int64)], [np.array([nearest(value) for value in values], np.float32)]


CASES["op_convert_to_bf16_once"] = convert_to_bf16_once


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT")
    options = parser.parse_args()
    index = FOLDER / "cases.json"
    entries = {entry["name"]: entry for entry in json.loads(index.read_text())}
    for name, build in CASES.items():
        if options.only in name:
            entries[name] = {**write(name, build, {}, ["dynamic"]), "family": "op"}
    index.write_text("[\n" + ",\n".join(json.dumps(entry) for entry in entries.values()) + "\n]\n")


if __name__ == "__main__":
    main()
