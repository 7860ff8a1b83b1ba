# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of constants whose elements are packed in bytes, a small one and one that stays in the weights file."""
import numpy as np

from make_semantics import PRECISIONS, Graph
from op_cases import CASES, numbers

NORMAL = np.array([-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
                   -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
                   0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
                   0.7229568362236023, 1.0])


def real_of(bits, exponents, mantissas):
    """A real number of a sign, an exponent and a mantissa, without NaN and infinity."""
    exponent, mantissa = bits >> mantissas & 2**exponents - 1, bits & 2**mantissas - 1
    bias = 2**(exponents - 1) - 1
    size = np.where(exponent == 0, mantissa * 2.0**(1 - bias - mantissas),
                    (mantissa + 2**mantissas) * 2.0**(exponent - bias - mantissas))
    return np.where(bits >> exponents + mantissas, -size, size)


def e4m3(bits):
    return np.where(bits & 127 == 127, np.nan, real_of(bits, 4, 3))


def e5m2(bits):
    special = np.where(bits & 3, np.nan, np.where(bits & 128, -np.inf, np.inf))
    return np.where(bits & 124 == 124, special, real_of(bits, 5, 2))


# The bits of an element, and its value.
FORMATS = {"u1": (1, None), "u2": (2, None), "u3": (3, None), "u4": (4, None), "u6": (6, None),
           "i4": (4, lambda bits: np.where(bits > 7, bits - 16, bits)), "nf4": (4, lambda bits: NORMAL[bits]),
           "f4e2m1": (4, lambda bits: real_of(bits, 2, 1)), "f8e4m3": (8, e4m3), "f8e5m2": (8, e5m2),
           "f8e8m0": (8, lambda bits: np.where(bits == 255, np.nan, 2.0**(bits - 127.0)))}
PRECISIONS.update({name: "BIN" if name == "u1" else name.upper() for name in FORMATS})


def joined(bits, places):
    """Bytes of elements that lie at these places of a byte."""
    rows = np.pad(bits, (0, -len(bits) % len(places))).reshape(-1, len(places))
    return sum(rows[:, i] << place for i, place in enumerate(places)).astype(np.uint8)


def packed(name, bits):
    """The first element has the low bits, but in u1, u3 and u6 the highest ones."""
    size = FORMATS[name][0]
    if size == 1:
        return joined(bits, range(7, -1, -1)).tobytes()
    if size in (3, 6):
        # The low bits of all elements of a group are in its first two bytes, the others in the third.
        group, low = (8, 2) if size == 3 else (4, 4)
        bits = np.pad(bits, (0, -len(bits) % group))
        lows = joined(bits & 2**low - 1, range(8 - low, -1, -low)).reshape(-1, 2)
        highs = joined(bits >> low, range(8 - (size - low), -1, low - size)).reshape(-1, 1)
        return np.hstack([lows, highs]).tobytes()
    return joined(bits, range(0, 8, size)).tobytes()


def packed_const(graph, name, bits, shape):
    data, offset = packed(name, bits), len(graph.weights)
    graph.weights += data
    return graph.add("Const", element=name, element_type=name, shape=",".join(map(str, shape)), offset=offset,
                     size=len(data))


def register(name):
    size, value = FORMATS[name]

    def build():
        graph, outputs = Graph(), []
        x = numbers(1)
        given = graph.parameter("f32", ["?"])
        for shape in ((11,), (47, 45)):
            bits = np.random.default_rng(size).permutation(np.arange(np.prod(shape)) % 2**size)
            const = packed_const(graph, name, bits, shape)
            flat = graph.add("Reshape", [const, graph.i64(-1)], element=name, special_zero=False)
            real = graph.add("Convert", [flat], element="f32", destination_type="f32")
            graph.result(graph.binary("Add", real, given))
            outputs.append((value(bits) if value else bits).astype(np.float32) + x)
        return graph, [x], outputs

    build.__doc__ = f"Constants of {name}"
    CASES["op_packed_" + name] = build


for format_name in FORMATS:
    register(format_name)


def build_weights():
    """Weights of four bits with zero points and scales for groups of rows, as compressed models have them. They are
    not rounded to f16."""
    graph, rng = Graph(), np.random.default_rng(0)
    x = numbers(3, 64)
    bits, zeros = rng.integers(0, 16, (40, 4, 16)), rng.integers(0, 16, (40, 4, 1))
    scales = rng.uniform(0.5, 1, (40, 4, 1)).astype(np.float16)
    given = graph.parameter("f32", ["?", 64])
    real = [graph.add("Convert", [packed_const(graph, "u4", part.ravel(), part.shape)], element="f16",
                      destination_type="f16") for part in (bits, zeros)]
    scaled = graph.binary("Multiply", graph.binary("Subtract", *real), graph.const(scales))
    flat = graph.add("Reshape", [scaled, graph.i64(40, 64)], special_zero=False)
    weights = graph.add("Convert", [flat], element="f32", destination_type="f32")
    graph.result(graph.add("MatMul", [given, weights], transpose_a=False, transpose_b=True))
    exact = ((bits - zeros) * scales.astype(np.float64)).reshape(40, 64)
    return graph, [x], [(x.astype(np.float64) @ exact.T).astype(np.float32)]


CASES["op_packed_weights"] = build_weights


def build_products(name, has_zeros, group, scale_type, is_static, zeros_of=None, scales_of=None):
    """Products of one row, a tile and many rows with weights of integers, a zero point and a scale.

    `zeros_of` and `scales_of` are what has its own: a "column", a "group" of a column, or an "element".
    """
    def build():
        graph, rng, inputs, outputs = Graph(), np.random.default_rng(1), [], []
        columns, shared = 75, 96
        shape = (columns, shared // group, group) if group else (columns, shared)
        factors = {None: (*shape[:-1], 1), "column": (columns, 1, 1), "group": (*shape[:-1], 1), "element": shape}
        size, value = FORMATS.get(name, (8, None))

        def const(shape):
            if name in FORMATS:
                bits = rng.integers(0, 2**size, shape)
                return packed_const(graph, name, bits.ravel(), shape), value(bits) if value else bits
            array = rng.integers(*((-128, 128) if name == "i8" else (0, 256)), shape)
            return graph.const(array.astype({"i8": np.int8, "u8": np.uint8}[name])), array

        def real(constant):
            return graph.add("Convert", [constant], element=scale_type, destination_type=scale_type)

        stored, numbers = const(shape)
        weights = real(stored)
        if has_zeros:
            zeros, offsets = const(factors[zeros_of])
            weights = graph.add("Subtract", [weights, real(zeros)], element=scale_type, auto_broadcast="numpy")
            numbers = numbers - offsets
        # Few digits, so that the sums are exact in any order.
        scales = (rng.integers(8, 17, factors[scales_of]) / 16).astype({"f16": np.float16, "f32": np.float32}[scale_type])
        weights = graph.add("Multiply", [weights, graph.const(scales)], element=scale_type, auto_broadcast="numpy")
        numbers = (numbers * scales.astype(np.float64)).reshape(columns, shared)
        if group:
            weights = graph.add("Reshape", [weights, graph.i64(columns, shared)], element=scale_type,
                                special_zero=False)
        if scale_type == "f16":
            weights = graph.add("Convert", [weights], element="f32", destination_type="f32")
        for rows in (1, 5, 40):
            x = (np.random.default_rng(rows).integers(-8, 9, (rows, shared)) / 4).astype(np.float32)
            given = graph.parameter("f32", [rows if is_static else "?", shared])
            graph.result(graph.add("MatMul", [given, weights], transpose_a=False, transpose_b=True))
            inputs.append(x)
            outputs.append((x.astype(np.float64) @ numbers.T).astype(np.float32))
        return graph, inputs, outputs

    build.__doc__ = build_products.__doc__
    return build


CASES["op_mat_mul_u8_weights"] = build_products("u8", True, 0, "f16", True)
CASES["op_mat_mul_i8_weights"] = build_products("i8", False, 0, "f32", False)
CASES["op_mat_mul_i8_weights_groups"] = build_products("i8", True, 16, "f32", False)
CASES["op_mat_mul_u4_weights_groups"] = build_products("u4", True, 32, "f16", False)
CASES["op_mat_mul_i4_weights"] = build_products("i4", False, 0, "f16", True)
CASES["op_mat_mul_i4_weights_groups"] = build_products("i4", True, 32, "f32", True)
# Zero points and scales of other groups.
CASES["op_mat_mul_u4_weights_zero_of_column"] = build_products("u4", True, 32, "f32", True, "column", "group")
CASES["op_mat_mul_i4_weights_zero_of_element"] = build_products("i4", True, 32, "f32", False, "element", "group")
CASES["op_mat_mul_u8_weights_scale_of_column"] = build_products("u8", True, 16, "f16", True, "group", "column")
CASES["op_mat_mul_i8_weights_scale_of_element"] = build_products("i8", True, 48, "f32", True, "column", "element")
