# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of operations that work element by element."""
import numpy as np

from make_semantics import Graph
from op_cases import CASES, REALS, Const, numbers, op


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


@op("SoftPlus", opset=4, inputs=(np.concatenate([REALS, np.linspace(-30, 30, 97, dtype=np.float32)]),), static=True)
def softplus(x):
    return np.logaddexp(0, x)


# Powers whose exponent is a multiple of a fourth: also of zeros, infinities and negative numbers. They are within
# 4 ulp, or steps of denormal numbers.
POWER = (6e-7, 6e-45)
BASES = np.concatenate([REALS, np.float32([np.inf, 1e-38, 3e38, 1e-45, 4.0, 16.0]), numbers(40, least=0, most=50)])


@op("Power", inputs=(BASES, Const(np.float32(0.75))), name="power_fourths", static=True, tolerance=POWER)
@op("Power", inputs=(BASES, Const(np.float32(2.5))), name="power_halves", static=True, tolerance=POWER)
@op("Power", inputs=(BASES, Const(np.float32(-0.25))), name="power_inverse", static=True, tolerance=POWER)
@op("Power", inputs=(BASES, Const(np.float32(0.5))), name="power_root", static=True, tolerance=POWER)
def power(x, exponent):
    """C's pow. numpy takes the root of minus infinity for a power of a half, which is NaN."""
    return np.where(np.isneginf(x) & (exponent > 0), np.inf, np.power(x, exponent))


# The whole range of the result, with the limits of normal and of all numbers. They are within 2 ulp, or steps of
# denormal numbers.
EXPONENTS = np.concatenate([np.float64(REALS), np.linspace(-750, 720, 211),
                            np.float64([709.78, 709.79, -708.4, -745.2, 1e-300, -1e-300, 1e308, -1e308])])


@op("Exp", inputs=(EXPONENTS,), name="exp_f64", static=True, tolerance=(4e-16, 1e-323))
def exp(x):
    return np.exp(x)


# Both sides of the limits of the inverse functions.
FRACTIONS = np.concatenate([REALS, np.nextafter(np.float32([1, -1, 1, -1]), np.float32([0, 0, 2, -2])),
                            np.linspace(-1, 1, 33, dtype=np.float32), np.float32([1e-5, -1e-5, 3e-4, 1e-7])])
ANGLES = np.concatenate([REALS, np.linspace(-12, 12, 61, dtype=np.float32), np.float32([1e-5, -3e-4, 1e5, 44.5, 89.2])])


@op("Acos", inputs=(FRACTIONS,))
def acos(x):
    return np.arccos(x)


@op("Acosh", opset=4, inputs=(np.concatenate([FRACTIONS, ANGLES]),))
def acosh(x):
    return np.arccosh(x)


@op("Asin", inputs=(FRACTIONS,))
def asin(x):
    return np.arcsin(x)


@op("Asinh", opset=4, inputs=(ANGLES,))
def asinh(x):
    return np.arcsinh(x)


@op("Atan", inputs=(ANGLES,))
def atan(x):
    return np.arctan(x)


@op("Atanh", opset=4, inputs=(FRACTIONS,))
def atanh(x):
    return np.arctanh(x)


@op("Cosh", inputs=(ANGLES,))
def cosh(x):
    return np.cosh(x)


@op("Sinh", inputs=(ANGLES,))
def sinh(x):
    return np.sinh(x)


@op("Tan", inputs=(ANGLES[np.abs(ANGLES) < 1e6],))
def tan(x):
    return np.tan(x)


def functions_of_doubles():
    """The functions above on f64: they keep the digits of small numbers, and do not overflow early."""
    small = np.array([0.0, -0.0, 1e-12, -1e-12, 0.3, -0.7, 0.999, 1.0, -1.0, np.nan], np.float64)
    large = np.array([1.0, 1 + 1e-12, 1.5, 3.0, 1e8, 1e9, 1e200, np.inf, np.nan], np.float64)
    graph, outputs = Graph(), []
    values = [graph.parameter("f64", ["?"]), graph.parameter("f64", ["?"])]
    with np.errstate(all="ignore"):
        for kind, opset, which, function in (
                ("Acos", 1, 0, np.arccos), ("Acosh", 4, 1, np.arccosh), ("Asin", 1, 0, np.arcsin),
                ("Asinh", 4, 0, np.arcsinh), ("Asinh", 4, 1, np.arcsinh), ("Atan", 1, 1, np.arctan),
                ("Atanh", 4, 0, np.arctanh), ("Cosh", 1, 0, np.cosh), ("Sinh", 1, 0, np.sinh), ("Tan", 1, 0, np.tan)):
            graph.result(graph.add(kind, [values[which]], element="f64", opset=opset))
            outputs.append(function((small, large)[which]))
    return graph, [small, large], outputs


CASES["op_functions_of_doubles"] = functions_of_doubles


def functions_of_halves():
    """The functions above on f16: a linked program calls no function that rounds f64 to f16."""
    x = np.array([0.0, -0.0, 0.25, -0.5, 0.75, -0.125, 0.9375, 1.0, -1.0], np.float16)
    graph, outputs = Graph(), []
    value = graph.parameter("f16", ["?"])
    for kind, opset, function in (("Acos", 1, np.arccos), ("Asin", 1, np.arcsin), ("Asinh", 4, np.arcsinh),
                                  ("Atan", 1, np.arctan), ("Cosh", 1, np.cosh), ("Sinh", 1, np.sinh),
                                  ("Tan", 1, np.tan)):
        graph.result(graph.add(kind, [value], element="f16", opset=opset))
        outputs.append(function(x.astype(np.float64)).astype(np.float16))
    return graph, [x], outputs


CASES["op_functions_of_halves"] = functions_of_halves


def functions_of_integers():
    """A function of real numbers rounds its results to integers, halves to the even one."""
    bytes_, words = np.array([-128, -3, -2, -1, 0, 1, 2, 3, 4, 127], np.int8), np.array([0, 1, 2, 3, 4, 7, 9, 10, 16, 20])
    graph, outputs = Graph(), []
    small, large = graph.parameter("i8", ["?"]), graph.parameter("i64", ["?"])
    for kind, opset, value, x, function in (
            ("Atan", 1, small, bytes_, np.arctan), ("Cos", 1, small, bytes_, np.cos), ("Sin", 1, small, bytes_, np.sin),
            ("Erf", 1, small, bytes_, lambda x: np.sign(x) * (x != 0)), ("Tanh", 1, small, bytes_, np.tanh),
            ("Sigmoid", 1, small, bytes_, lambda x: 1 / (1 + np.exp(-x))), ("Asinh", 4, large, words, np.arcsinh),
            ("Sqrt", 1, large, words, np.sqrt), ("Exp", 1, large, words, np.exp), ("Cosh", 1, large, words, np.cosh)):
        graph.result(graph.add(kind, [value], opset=opset))
        outputs.append(np.round(function(x.astype(np.float64))).astype(x.dtype))
    return graph, [bytes_, words], outputs


CASES["op_functions_of_integers"] = functions_of_integers

SECOND = {"auto_broadcast": "pdpd", "auto_broadcast.auto_broadcast_axis": "1"}


@op("Add", inputs=(numbers(2, 3, 4, 5), Const(numbers(3, 4, seed=1))), static=True, **SECOND)
def add_at_axis(a, b):
    """PaddlePaddle's broadcasting: the dims of `b` stand at axis 1 of `a`."""
    return a + b[:, :, None]


@op("Less", inputs=(numbers(2, 3, 4), Const(numbers(3, 4, 1, seed=1))), element="boolean", static=True, **SECOND)
def less_at_axis(a, b):
    """Unit dims at the end of `b` that do not fit do not count."""
    return a < b[..., 0]


@op("Divide", inputs=(numbers(2, 3, 4), Const(numbers(3, 4, seed=1))), static=True, auto_broadcast="pdpd")
def divide_at_the_end(a, b):
    """Without an axis, the dims of `b` are the last ones."""
    return a / b


@op("Select", inputs=(Const([True, False, True]), numbers(2, 3, 4), Const(numbers(3, 4, seed=1))), element="f32",
    static=True, **SECOND)
def select_at_axis(condition, a, b):
    """The first value has the shape of the result."""
    return np.where(condition[:, None], a, b)


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
