# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases that are hard for f16 and bf16: large values, small epsilons, long sums and all functions of numbers.

narrow_types.py makes them in both types. The inputs here are f32; each function gets what the narrow type holds of
them, as f64.
"""
import math

import numpy as np

from op_cases import Const, numbers, op

# Numbers of all magnitudes that f16 has, and more; both zeros, infinities and NaN.
POSITIVE = np.concatenate([np.logspace(-8, 4.9, 59), np.linspace(0.03, 9, 60)]).astype(np.float32)
WIDE = np.concatenate([POSITIVE, -POSITIVE, np.float32([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, -0.5, 2.5])])
UNIT = np.concatenate([np.linspace(-1, 1, 65, dtype=np.float32), np.float32([1e-3, -1e-3, 1e-6, 0.999, -0.999])])
ABOVE_ONE = np.concatenate([np.linspace(1, 4, 31, dtype=np.float32), np.float32([10, 1e3, 6e4])])
# The values of sums, at which f16 has steps of 0.5.
LARGE = numbers(6, 96, seed=3, least=300, most=1000)
HUGE = numbers(6, 96, seed=4, least=-60000, most=60000)
# A mean that is far from 0, and small deviations.
FAR = numbers(6, 64, seed=5, least=-1, most=1) + np.float32(100)
ROW = Const([1], np.int64)


def of_x(kind, function, values=WIDE, opset=1, **data):
    op(kind, opset, inputs=(values,), name=f"of_x_{kind.lower()}_{'_'.join(map(str, data.values()))}", **data)(function)


def erf(x):
    return np.vectorize(math.erf)(x)


def mish(x):
    return np.where(x > 30, x, x * np.tanh(np.log1p(np.exp(np.minimum(x, 30)))))


def gelu(x):
    # The sum 1 + erf(x) would cancel.
    return np.where(np.isneginf(x), np.nan, x) / 2 * np.vectorize(math.erfc)(-x * math.sqrt(0.5))


def gelu_tanh(x):
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return np.where(np.isneginf(x), np.nan, x) / (1 + np.exp(-2 * inner))


of_x("Abs", np.abs)
of_x("Acos", np.arccos, UNIT)
of_x("Acosh", np.arccosh, ABOVE_ONE, 4)
of_x("Asin", np.arcsin, UNIT)
of_x("Asinh", np.arcsinh, opset=4)
of_x("Atan", np.arctan)
of_x("Atanh", np.arctanh, UNIT, 4)
of_x("Ceiling", np.ceil)
of_x("Clamp", lambda x: np.where(np.isnan(x), x, np.clip(x, -0.3, 4.7)), min=-0.3, max=4.7)
of_x("Cos", np.cos)
of_x("Cosh", np.cosh)
of_x("Elu", lambda x: np.where(x < 0, 0.7 * np.expm1(x), x), alpha=0.7)
of_x("Erf", erf)
of_x("Exp", np.exp)
of_x("Floor", np.floor)
of_x("Gelu", gelu, opset=7, approximation_mode="ERF")
of_x("Gelu", gelu_tanh, opset=7, approximation_mode="TANH")
of_x("HSigmoid", lambda x: np.clip(x + 3, 0, 6) / 6, opset=5)
of_x("HSwish", lambda x: np.where(np.isneginf(x), np.nan, x) * np.clip(x + 3, 0, 6) / 6, opset=4)
of_x("Log", np.log)
of_x("Mish", mish, opset=4)
of_x("Negative", np.negative)
of_x("Relu", lambda x: np.where(x < 0, 0, x))
of_x("Round", np.round, opset=5, mode="half_to_even")
of_x("Sigmoid", lambda x: 1 / (1 + np.exp(-x)))
of_x("Sign", np.sign)
of_x("Sin", np.sin)
of_x("Sinh", np.sinh)
of_x("SoftPlus", lambda x: np.logaddexp(0, x), opset=4)
of_x("SoftSign", lambda x: x / (1 + np.abs(x)), opset=9)
of_x("Sqrt", np.sqrt)
of_x("Tan", np.tan)
of_x("Tanh", np.tanh)
of_x("Swish", lambda x: np.where(np.isneginf(x), np.nan, x) / (1 + np.exp(-x)), opset=4)

LEFT, RIGHT = numbers(400, seed=1, least=-300, most=300), numbers(400, seed=2, least=-30, most=30)
for kind, function in {"Add": np.add, "Subtract": np.subtract, "Multiply": np.multiply, "Divide": np.divide,
                       "Maximum": np.maximum, "Minimum": np.minimum, "FloorMod": np.mod, "Mod": np.fmod,
                       "SquaredDifference": lambda a, b: (a - b)**2}.items():
    op(kind, inputs=(LEFT, RIGHT), name=f"of_two_{kind.lower()}", auto_broadcast="numpy")(function)
op("Power", inputs=(np.abs(RIGHT), LEFT / 100), name="of_two_power", auto_broadcast="numpy")(np.power)
op("FloorMod", inputs=(HUGE, HUGE[::-1] / 3e6), name="floor_mod_huge", auto_broadcast="numpy")(np.mod)
op("Mod", inputs=(HUGE, HUGE[::-1] / 3e6), name="mod_huge", auto_broadcast="numpy")(np.fmod)
op("PRelu", inputs=(RIGHT, Const(0.3, np.float32)), name="of_prelu")(lambda x, slope: np.where(x < 0, x * slope, x))
op("HardSigmoid", inputs=(RIGHT, Const(0.21, np.float32), Const(0.47, np.float32)), name="of_hard_sigmoid")(
    lambda x, a, b: np.clip(a * x + b, 0, 1))
op("Selu", inputs=(RIGHT, Const(1.67, np.float32), Const(1.05, np.float32)), name="of_selu")(
    lambda x, a, l: l * np.where(x < 0, a * np.expm1(x), x))
op("Swish", 4, inputs=(RIGHT, Const(0.7, np.float32)), name="swish_beta")(lambda x, b: x / (1 + np.exp(-b * x)))
op("Range", 4, inputs=(Const(0.1, np.float32), Const(70, np.float32), Const(0.3, np.float32)), output_type="f32",
   name="of_range")(
    lambda start, stop, step: start + step * np.arange(np.ceil((stop - start) / step)))

for kind, function in {"Equal": np.equal, "Greater": np.greater, "GreaterEqual": np.greater_equal, "Less": np.less,
                       "LessEqual": np.less_equal, "NotEqual": np.not_equal}.items():
    op(kind, inputs=(WIDE, np.roll(WIDE, 1)), name=f"of_two_{kind.lower()}", element="boolean", auto_broadcast="numpy")(
        function)

# Movement: the elements stay as they are

TENSOR = numbers(2, 3, 4, seed=2)
for kind, opset, more, data, function in (
        ("Concat", 1, (TENSOR[:1],), dict(axis=0), lambda x, y: np.concatenate([x, y])),
        ("Pad", 1, (Const([1, 0, 2]), Const([0, 1, 0]), Const(0.1, np.float32)), dict(pad_mode="constant"),
         lambda x, begin, end, value: np.pad(x, list(zip(begin, end)), constant_values=value)),
        ("Tile", 1, (Const([1, 2, 3]),), {}, np.tile),
        ("Broadcast", 3, (Const([2, 2, 3, 4]),), dict(mode="numpy"), np.broadcast_to),
        ("Reshape", 1, (Const([4, -1]),), dict(special_zero="false"), np.reshape),
        ("Squeeze", 1, (Const([], np.int64),), {}, lambda x, axes: np.squeeze(x)),
        ("GatherElements", 6, (Const(np.array([[[0, 3, -1]] * 3] * 2) % 4),), dict(axis=2),
         lambda x, at: np.take_along_axis(x, at, 2)),
        ("GatherND", 8, (Const([[1, 2], [0, 1]]),), dict(batch_dims=0), lambda x, at: x[tuple(at.T)]),
        ("ReverseSequence", 1, (Const([3, 2]),), dict(batch_axis=0, seq_axis=2),
         lambda x, lengths: np.stack([np.concatenate([y[:, :n][:, ::-1], y[:, n:]], 1) for y, n in zip(x, lengths)]))):
    op(kind, opset, inputs=(TENSOR, *more), name=f"moved_{kind.lower()}", **data)(function)
op("OneHot", inputs=(np.array([0, 2, 1]), Const(3, np.int64), Const(0.7, np.float32), Const(-0.1, np.float32)), axis=-1,
   element="f32", name="moved_one_hot")(lambda at, depth, on, off: np.where(np.eye(3)[at] > 0, on, off))
op("NonZero", 3, inputs=(np.round(TENSOR),), output_type="i64", element="i64", name="moved_non_zero")(
    lambda x: np.stack(np.nonzero(x)))

# Sums


LONG = numbers(3, 5000, seed=6, least=0, most=8)


def over(kind, function, data=LONG, **more):
    op(kind, 4, inputs=(data, ROW), name=f"{kind.lower()}_{len(data)}_{data.shape[1]}", **more)(
        lambda x, axes: function(x, 1))
    # The call decides the axis.
    op(kind, 4, inputs=(data, np.array([1])), name=f"{kind.lower()}_{len(data)}_{data.shape[1]}_any", keep_dims="true",
       **more)(lambda x, axes: function(x, 1)[:, None])


def norm(x, axis):
    return np.sqrt((x * x).sum(axis))


for data in (LONG, LARGE, HUGE):
    over("ReduceL1", lambda x, axis: np.abs(x).sum(axis), data)
    over("ReduceL2", norm, data)
    over("ReduceMax", np.max, data)
    over("ReduceMin", np.min, data)
for data in (LONG, LARGE):
    over("ReduceMean", np.mean, data)
    over("ReduceSum", np.sum, data)
over("ReduceProd", np.prod, numbers(3, 400, seed=7, least=0.9, most=1.1))


@op("CumSum", 3, inputs=(LONG / 8, Const(1, np.int64)))
def cum_sum_long(x, axis):
    return np.cumsum(x, 1)


def softmax(x, axis):
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


for name, data in {"long": LONG, "large": LARGE, "huge": HUGE}.items():
    op("SoftMax", 8, inputs=(data,), name=f"soft_max_{name}", axis=1)(lambda x: softmax(x, 1))
    op("LogSoftmax", 5, inputs=(data,), name=f"log_softmax_{name}", axis=1, slack=lambda x: x.shape[1] * 2.0**-24)(
        lambda x: x - x.max(1, keepdims=True) - np.log(np.exp(x - x.max(1, keepdims=True)).sum(1, keepdims=True)))


@op("MatMul", inputs=(numbers(3, 3000, seed=8, least=0), Const(numbers(3000, 5, seed=9, least=0))))
def mat_mul_long(a, b):
    return a @ b


@op("MatMul", inputs=(numbers(2, 3, 700, seed=8), numbers(2, 1, 700, seed=9, least=1)), transpose_b="true",
    slack=lambda a, b: 700 * 2.0**-24 * np.abs(a) @ np.swapaxes(b, 1, 2))
def mat_mul_batches(a, b):
    return a @ np.swapaxes(b, 1, 2)


ONES = dict(strides="1,1", pads_begin="0,0", pads_end="0,0", dilations="1,1")


@op("Convolution", inputs=(numbers(1, 40, 5, 6, least=0), Const(numbers(8, 40, 3, 3, seed=1, least=0))), **ONES)
def convolution_sums(x, w):
    return sum(np.einsum("ncyx,oc->noyx", x[:, :, i:i + 3, j:j + 4], w[..., i, j]) for i, j in np.ndindex(3, 3))


@op("GroupConvolution", inputs=(numbers(1, 40, 5, 6, least=0), Const(numbers(2, 4, 20, 3, 3, seed=1, least=0))), **ONES)
def group_convolution_sums(x, w):
    return np.concatenate([sum(np.einsum("ncyx,oc->noyx", x[:, 20 * g:20 * g + 20, i:i + 3, j:j + 4], w[g, ..., i, j])
                               for i, j in np.ndindex(3, 3)) for g in range(2)], 1)


@op("ConvolutionBackpropData", inputs=(numbers(1, 60, 4, 5, least=0), Const(numbers(60, 3, 3, 3, seed=1, least=0))),
    **{**ONES, "strides": "2,2"})
def transposed_sums(x, w):
    out = np.zeros((1, 3, 9, 11))
    for i, j in np.ndindex(3, 3):
        out[:, :, i:i + 7:2, j:j + 9:2] += np.einsum("ncyx,co->noyx", x, w[..., i, j])
    return out


@op("GroupConvolutionBackpropData", inputs=(numbers(1, 60, 9, least=0), Const(numbers(2, 30, 3, 4, seed=1, least=0))),
    strides="3", pads_begin="0", pads_end="0", dilations="1")
def transposed_groups_sums(x, w):
    out = np.zeros((1, 6, 28))
    for g in range(2):
        for i in range(4):
            out[:, 3 * g:3 * g + 3, i:i + 25:3] += np.einsum("ncx,co->nox", x[:, 30 * g:30 * g + 30], w[g, ..., i])
    return out


@op("AvgPool", inputs=(numbers(1, 2, 40, 50, least=0, most=2000),), kernel="40,50", strides="1,1", pads_begin="0,0",
    pads_end="0,0", **{"exclude-pad": "true"})
def avg_pool_global(x):
    return x.mean((2, 3), keepdims=True)


@op("AvgPool", inputs=(numbers(1, 1, 60, least=0, most=60000),), kernel="21", strides="1", pads_begin="0",
    pads_end="0", **{"exclude-pad": "true"})
def avg_pool_large(x):
    return np.stack([x[:, :, i:i + 21].mean(2) for i in range(40)], 2)


@op("AdaptiveAvgPool", 8, inputs=(numbers(1, 2, 45, 50, least=0, most=60000), Const([2, 3], np.int64)))
def adaptive_avg_pool_large(x, sizes):
    def means(x, axis, count):
        dim = x.shape[axis]
        return np.stack([np.take(x, range(i * dim // count, -(-(i + 1) * dim // count)), axis).mean(axis)
                         for i in range(count)], axis)
    return means(means(x, 2, 2), 3, 3)


# Normalizations


def normalized(x, eps=0.0, outside=0.0, axes=1):
    centered = x - x.mean(axes, keepdims=True)
    return centered / (np.sqrt((centered * centered).mean(axes, keepdims=True) + eps) + outside)


for name, data in {"large": LARGE, "huge": HUGE, "far": FAR, "constant": np.full((3, 32), 7, np.float32)}.items():
    # A sum of numbers far from 0 has the error of these.
    slack = {"far": 64 * 2.0**-24 * 100 / 0.5}.get(name, 0)
    for eps, mode in ((1e-12, "inside_sqrt"), (1e-9, "outside_sqrt")):
        for any_axes in (False, True) if mode == "inside_sqrt" else (False,):
            op("MVN", 6, inputs=(data, np.array([1]) if any_axes else ROW), name=f"mvn_{name}_{mode}_{eps}_{any_axes}",
               normalize_variance="true", eps=eps, eps_mode=mode, slack=lambda *_, slack=slack: slack)(
                lambda x, axes, eps=eps, mode=mode: normalized(x, eps if mode == "inside_sqrt" else 0,
                                                               0 if mode == "inside_sqrt" else eps))
    op("MVN", 2, inputs=(data[None],), name=f"mvn_2_{name}", across_channels="false", normalize_variance="true",
       eps=1e-10, slack=lambda *_, slack=slack: slack)(lambda x: normalized(x, 1e-10, axes=2))
    op("GroupNormalization", 12,
       inputs=(data[None], Const(numbers(len(data), seed=1)), Const(numbers(len(data), seed=2))),
       name=f"group_normalization_{name}", num_groups=3, epsilon=1e-12, slack=lambda *_, slack=slack: 2 * slack + 1e-6)(
        lambda x, scale, bias: normalized(x.reshape(1, 3, -1), 1e-12, axes=2).reshape(x.shape) *
        scale[None, :, None] + bias[None, :, None])
for name, data in {"large": LARGE, "huge": HUGE, "small": LARGE / np.float32(1e8)}.items():
    for mode, function in (("add", np.add), ("max", np.maximum)):
        for any_axes in (False, True) if name == "huge" else (False,):
            op("NormalizeL2", 1, inputs=(data, np.array([1]) if any_axes else ROW),
               name=f"normalize_l2_{name}_{mode}_{any_axes}", eps=1e-12, eps_mode=mode)(
                lambda x, axes, function=function: x / np.sqrt(function((x * x).sum(1, keepdims=True), 1e-12)))
    op("GRN", 1, inputs=(data[None],), name=f"grn_{name}", bias=1e-12)(
        lambda x: x / np.sqrt((x * x).sum(1, keepdims=True) + 1e-12))
    op("LRN", 1, inputs=(data[..., None], Const([1], np.int64)), name=f"lrn_{name}", alpha=1e-4, beta=0.75, bias=1e-9,
       size=5)(lambda x, axes: x / (1e-9 + 1e-4 / 5 * np.stack(
           [(x[:, max(i - 2, 0):i + 3] ** 2).sum(1) for i in range(x.shape[1])], 1))**0.75)
op("BatchNormInference", 5, inputs=(HUGE, Const(numbers(96, seed=1)), Const(numbers(96, seed=2)),
                                    Const(numbers(96, seed=3, least=-6e4, most=6e4)),
                                    Const(numbers(96, seed=4, least=0, most=1e-7))), epsilon=1e-10,
   name="batch_norm_small_variance")(lambda x, g, b, m, v: (x - m) / np.sqrt(v + 1e-10) * g + b)
op("BatchNormInference", 5, inputs=(HUGE, Const(numbers(96, seed=1)), Const(numbers(96, seed=2)),
                                    Const(numbers(96, seed=3, least=-6e4, most=6e4)),
                                    Const(numbers(96, seed=4, least=3e4, most=6e4))), epsilon=1e-10,
   name="batch_norm_large")(lambda x, g, b, m, v: (x - m) / np.sqrt(v + 1e-10) * g + b)
op("FakeQuantize", inputs=(numbers(400, least=-9, most=9), Const(-8.1, np.float32), Const(8.3, np.float32),
                           Const(-6e4, np.float32), Const(6e4, np.float32)), levels=16, name="fake_quantize_large")(
    lambda x, il, ih, ol, oh: np.where(x <= il, ol, np.where(
        x > ih, oh, np.round((x - il) / (ih - il) * 15) / 15 * (oh - ol) + ol)))

# Lists of rows

TABLE, PICKED = numbers(40, 3, seed=1, least=0, most=3), np.random.default_rng(2).integers(0, 40, 1500)


@op("EmbeddingBagOffsetsSum", 3, inputs=(TABLE, PICKED, np.array([0, 1400])))
def embedding_bag_long(table, indices, offsets):
    return np.stack([table[indices[:1400]].sum(0), table[indices[1400:]].sum(0)])


@op("EmbeddingBagOffsets", 15, inputs=(TABLE, PICKED, np.array([0, 1400, 1400]), np.array(4)), reduction="mean")
def embedding_bag_mean_long(table, indices, offsets, default):
    rows = table[indices]
    return np.stack([rows[:1400].mean(0), table[4], rows[1400:].mean(0)])


@op("EmbeddingBagPackedSum", 3, inputs=(TABLE, PICKED.reshape(3, 500), numbers(3, 500, seed=3, least=0, most=9)))
def embedding_packed_long(table, indices, weights):
    return (table[indices] * weights[..., None]).sum(1)


@op("EmbeddingBagPacked", 15, inputs=(TABLE, PICKED.reshape(3, 500)), reduction="mean")
def embedding_packed_mean_long(table, indices):
    return table[indices].mean(1)


@op("EmbeddingSegmentsSum", 3, inputs=(TABLE, PICKED, np.sort(PICKED) // 20, Const(2, np.int64)))
def embedding_segments_long(table, indices, segments, count):
    return np.stack([table[indices[segments == s]].sum(0) for s in range(2)])


PLACES = np.random.default_rng(5).integers(0, 2, (900, 3))
MANY = numbers(900, 3, seed=7, least=0, most=3)
for kind, function in {"sum": np.sum, "mean": np.mean, "prod": np.prod, "max": np.max}.items():
    updates = numbers(900, 3, seed=7, least=0.95, most=1.05) if kind == "prod" else MANY

    @op("ScatterElementsUpdate", 12, inputs=(updates[:2] + 1, PLACES, updates, Const(0, np.int64)),
        name=f"scatter_elements_{kind}", reduction=kind)
    def scatter_elements(data, indices, updates, axis, function=function):
        return [[function(np.append(updates[indices[:, j] == i, j], data[i, j])) for j in range(3)] for i in range(2)]

    if kind != "mean":
        @op("ScatterNDUpdate", 15, inputs=(updates[:2] + 1, PLACES[:, :1], updates), name=f"scatter_nd_{kind}",
            reduction=kind)
        def scatter_nd(data, indices, updates, function=function):
            return np.stack([function(np.concatenate([updates[indices[:, 0] == i], data[i:i + 1]]), 0)
                             for i in range(2)])


@op("Col2Im", 15, inputs=(numbers(1, 2 * 49, 36, seed=2, least=0, most=900), Const([12, 12], np.int64),
                          Const([7, 7], np.int64)), strides="1,1", dilations="1,1", pads_begin="0,0", pads_end="0,0")
def col2im_sums(data, size, kernel):
    out = np.zeros((1, 2, 12, 12))
    parts = data.reshape(1, 2, 7, 7, 6, 6)
    for i, j in np.ndindex(7, 7):
        out[:, :, i:i + 6, j:j + 6] += parts[:, :, i, j]
    return out


# Images


def taps(at, length, mode):
    """The indices and weights of a position along a dim. Indices may be outside."""
    low = int(np.floor(at))
    t = at - low
    if mode == "nearest":
        return [(int(np.round(at)), 1.0)]
    if mode == "bilinear":
        return [(low, 1 - t), (low + 1, t)]
    near, far = (lambda d: (1.25 * d - 2.25) * d * d + 1), (lambda d: ((-0.75 * d + 3.75) * d - 6) * d + 3)
    return [(low - 1, far(t + 1)), (low, near(t)), (low + 1, near(1 - t)), (low + 2, far(2 - t))]


def grid_case(mode, padding):
    @op("GridSample", 9, inputs=(numbers(1, 2, 5, 6, seed=1, least=-900, most=900),
                                 numbers(1, 4, 7, 2, seed=2, least=-1.1, most=1.1)), name=f"grid_sample_{mode}",
        mode=mode, padding_mode=padding, align_corners="true", slack=lambda *_: 900 * 6 * 2.0**-22)
    def grid_sample(x, grid):
        out = np.zeros((1, 2, 4, 7))
        for i, j in np.ndindex(4, 7):
            for row, down in taps((grid[0, i, j, 1] + 1) / 2 * 4, 5, mode):
                for column, across in taps((grid[0, i, j, 0] + 1) / 2 * 5, 6, mode):
                    inside = 0 <= row < 5 and 0 <= column < 6
                    if inside or padding == "border":
                        out[0, :, i, j] += down * across * x[0, :, min(max(row, 0), 4), min(max(column, 0), 5)]
        return out


for mode, padding in (("nearest", "border"), ("bilinear", "zeros"), ("bicubic", "border")):
    grid_case(mode, padding)


def resize(name, function, **data):
    op("Interpolate", 11, inputs=(numbers(1, 2, 5, 6, seed=1, least=-900, most=900), Const([10, 12], np.int64),
                                  Const([2, 3], np.int64)), name=f"interpolate_twice_{name}", antialias="false",
       shape_calculation_mode="sizes", coordinate_transformation_mode="asymmetric", nearest_mode="floor", mode=name,
       slack=lambda *_: 900 * 2.0**-22)(lambda x, sizes, axes: function(function(x, 2), 3))


def at_halves(x, axis, mode):
    length = x.shape[axis]
    return np.stack([sum(weight * np.take(x, min(max(index, 0), length - 1), axis)
                         for index, weight in taps(i / 2, length, mode)) for i in range(2 * length)], axis)


resize("nearest", lambda x, axis: np.repeat(x, 2, axis))
resize("linear_onnx", lambda x, axis: at_halves(x, axis, "bilinear"))
resize("cubic", lambda x, axis: at_halves(x, axis, "cubic"))

# Products and attention


@op("Einsum", 7, inputs=(numbers(3, 40, least=0), numbers(40, 30, seed=1, least=0), numbers(30, 4, seed=2, least=0)),
    equation="ij,jk,kl->il")
def einsum_three_long(a, b, c):
    return a @ b @ c


@op("Einsum", 7, inputs=(numbers(3, 40, 30, least=0), numbers(40, seed=1, least=0)), equation="ijk,j->i")
def einsum_two_sums(a, b):
    return np.einsum("ijk,j->i", a, b)


@op("ScaledDotProductAttention", 13, inputs=(numbers(1, 2, 5, 64, least=-9, most=9),
                                             numbers(1, 2, 300, 64, seed=1, least=-9, most=9),
                                             numbers(1, 2, 300, 4, seed=2, least=1)), causal="false",
    slack=lambda *_: 64 * 2.0**-24 * 81 * 2)
def attention_long(q, k, v):
    return softmax(q @ np.swapaxes(k, 2, 3) / 8, 3) @ v


# Cells and sequences


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_step(x, h, c, w, r, b):
    f, i, g, o = np.split(x @ w.T + h @ r.T + b, 4, 1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def gru_step(x, h, w, r, b):
    (wz, wr, wh), (rz, rr, rh), (bz, br, bh) = np.split(w, 3), np.split(r, 3), np.split(b, 3)
    z, reset = sigmoid(x @ wz.T + h @ rz.T + bz), sigmoid(x @ wr.T + h @ rr.T + br)
    return (1 - z) * np.tanh(x @ wh.T + (reset * h) @ rh.T + bh) + z * h,


def rnn_step(x, h, w, r, b):
    return np.tanh(x @ w.T + h @ r.T + b),


STEPS, HIDDEN, GIVEN = 24, 9, 7
for kind, step, gates, states in (("LSTM", lstm_step, 4, 2), ("GRU", gru_step, 3, 1), ("RNN", rnn_step, 1, 1)):
    weights = [numbers(gates * HIDDEN, GIVEN, seed=1, least=-1, most=1),
               numbers(gates * HIDDEN, HIDDEN, seed=2, least=-0.5, most=0.5),
               numbers(gates * HIDDEN, seed=3, least=-1, most=1)]
    initial = [numbers(2, HIDDEN, seed=4 + i, least=-1, most=1) for i in range(states)]
    opset = {"LSTM": 4, "GRU": 3, "RNN": 1}[kind]
    op(kind + "Cell", opset, inputs=(numbers(2, GIVEN), *initial, *map(Const, weights)), name=f"{kind.lower()}_cell",
       element=("f32",) * states, hidden_size=HIDDEN)(step)

    def run(x, *rest, step=step, states=states):
        now, lengths, weights = [s[:, 0] for s in rest[:states]], rest[states], [w[0] for w in rest[states + 1:]]
        outputs = []
        for t in range(STEPS):
            now = step(x[:, t], *now, *weights)
            outputs.append(now[0])
        return (np.stack(outputs, 1)[:, None], *(s[:, None] for s in now))

    op(kind + "Sequence", 5, name=f"{kind.lower()}_sequence", element=("f32",) * (states + 1), hidden_size=HIDDEN,
       direction="forward",
       inputs=(numbers(2, STEPS, GIVEN), *(s[:, None] for s in initial), Const([STEPS] * 2, np.int64),
               *(Const(w[None]) for w in weights)))(run)
