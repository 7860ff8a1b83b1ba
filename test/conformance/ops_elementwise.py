# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of operations that work element by element."""
import numpy as np

from make_semantics import Graph
from op_cases import CASES, op


@op("Relu")
def relu(x):
    return np.where(x < 0, 0, x)


@op("IsNaN", opset=10, element="boolean")
def is_nan(x):
    return np.isnan(x)


@op("IsFinite", opset=10, element="boolean", static=True)
def is_finite(x):
    return np.isfinite(x)


@op("IsInf", opset=10, element="boolean", static=True)
def is_inf(x):
    return np.isinf(x)


@op("IsInf", opset=10, element="boolean", static=True, detect_negative="false")
def is_inf_positive(x):
    return np.isposinf(x)


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
