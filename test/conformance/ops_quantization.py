# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of FakeConvert, and of convolutions of zeros and ones."""
import numpy as np

from make_semantics import Graph
from op_cases import CASES, Const, integers, numbers, op
from ops_packed import packed_const
from ops_windows import windows_of


def round_to(values, mantissa, least, greatest, most):
    """The nearest numbers of a type of 8 bits; of two, the even one."""
    half = np.float16(np.clip(values, -most, most)).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = np.clip(np.floor(np.log2(np.abs(half))), least, greatest)
    distance = 2.0 ** (exponent - mantissa)
    return np.rint(half / distance) * distance


TYPES = {"f8e4m3": (3, -6, 8, 448), "f8e5m2": (2, -14, 15, 57344)}
TIES = np.array([0, -0.0, 1, 1.0625, 1.1875, 1.125 + 2**-20, 1.0625 + 2**-20, 2**-9, 2**-10, 2**-10 * 1.01, 1.5 * 2**-9,
                 -2.5 * 2**-9, 2**-7 + 2**-10, 448, 464, -465, 480, 65504, 70000, -1e30, np.inf, -np.inf, np.nan, 57344,
                 61441, 2**-16, 2**-17, 1.1 * 2**-17, 2**-24, 3.3, -7.7, 100.1], np.float32)
for name, form in TYPES.items():
    def fake_convert(x, scale=1.0, shift=0.0, form=form):
        return (round_to(np.float32(np.float32(x) * np.float32(scale)) - np.float32(shift), *form) + shift) / scale

    op("FakeConvert", 13, inputs=(TIES, np.array([1.0], np.float32)), static=True, name=f"fake_convert_{name}_ties",
       destination_type=name)(fake_convert)
    op("FakeConvert", 13, inputs=(numbers(3, 20, least=-9, most=9), Const(np.array([[2], [0.5], [8]], np.float32)),
                                  Const(np.array([[0], [1.5], [-2]], np.float32))),
       static=True, name=f"fake_convert_{name}_scaled", destination_type=name)(fake_convert)


def binary_convolution(x, bits, strides, dilations, begin, end, pad_value, auto_pad):
    pads = [windows_of(x.shape[2 + i], bits.shape[2 + i], strides[i], dilations[i], begin[i], end[i], auto_pad=auto_pad)
            for i in range(2)]
    (top, rows), (left, columns) = pads
    far = np.full(x.shape[:2] + tuple(n + 64 for n in x.shape[2:]), pad_value, np.float64)
    far[:, :, 32:32 + x.shape[2], 32:32 + x.shape[3]] = x
    out = np.zeros((x.shape[0], bits.shape[0], rows, columns))
    for i, j in np.ndindex(rows, columns):
        for a, b in np.ndindex(*bits.shape[2:]):
            y = 32 - top + i * strides[0] + a * dilations[0]
            z = 32 - left + j * strides[1] + b * dilations[1]
            out[:, :, i, j] += np.where(far[:, None, :, y, z] == bits[None, :, :, a, b], 1, -1).sum(2)
    return out


def binary_case(name, strides=(1, 1), dilations=(1, 1), begin=(0, 0), end=(0, 0), pad_value=0.0, auto_pad="explicit"):
    def build():
        bits = integers(4, 3, 3, 2, seed=5, least=0, most=1, dtype=np.uint8)
        graph, given, outputs = Graph(), [], []
        x = integers(2, 3, 6, 7, seed=6, least=0, most=1).astype(np.float32)
        for shape in (["?"] * 4, x.shape):
            data = graph.parameter("f32", shape)
            filters = packed_const(graph, "u1", bits.ravel(), bits.shape)
            text = {key: ",".join(map(str, value)) for key, value in
                    (("strides", strides), ("dilations", dilations), ("pads_begin", begin), ("pads_end", end))}
            graph.result(graph.add("BinaryConvolution", [data, filters], mode="xnor-popcount", pad_value=pad_value,
                                   auto_pad=auto_pad, **text))
            given.append(x)
            outputs.append(binary_convolution(x, bits, strides, dilations, begin, end, pad_value, auto_pad)
                           .astype(np.float32))
        return graph, given, outputs

    build.__doc__ = "a convolution of zeros and ones"
    build.tolerance = None
    CASES["op_binary_convolution_" + name] = build


binary_case("plain")
binary_case("pads", strides=(2, 1), begin=(1, 2), end=(2, 0), pad_value=1.0)
binary_case("same", strides=(2, 2), dilations=(1, 2), auto_pad="same_upper")
binary_case("neither", begin=(1, 1), end=(1, 1), pad_value=0.5)
