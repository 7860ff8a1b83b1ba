# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of operations that normalize, and of FakeQuantize."""
import numpy as np

from make_semantics import Graph
from op_cases import CASES, Const, numbers, op


def normalized(x, axes, eps=0.0, outside=0.0, divides=True):
    centered = x - x.mean(axes, keepdims=True)
    if not divides:
        return centered
    return centered / (np.sqrt((centered * centered).mean(axes, keepdims=True) + eps) + outside)


def along_channels(x, vector):
    return vector.reshape((1, -1) + (1,) * (x.ndim - 2))


VECTORS = [numbers(3, seed=i) for i in range(3)] + [numbers(3, seed=9, least=0.5, most=2)]


@op("BatchNormInference", 5, inputs=(numbers(2, 3, 4, 5), *VECTORS), static=True, epsilon=1e-3)
def batch_norm(x, gamma, beta, mean, variance):
    gamma, beta, mean, variance = (along_channels(x, v) for v in (gamma, beta, mean, variance))
    return (x - mean) / np.sqrt(variance + 1e-3) * gamma + beta


@op("BatchNormInference", 1, inputs=(VECTORS[0], VECTORS[1], numbers(2, 3), VECTORS[2], VECTORS[3]), static=True,
    epsilon=0.5)
def batch_norm_1(gamma, beta, x, mean, variance):
    """The operands come in another order before opset5."""
    return (x - mean) / np.sqrt(variance + 0.5) * gamma + beta


@op("MVN", 6, inputs=(numbers(2, 3, 4, 5), Const([-1, 1], np.int64)), static=True, normalize_variance="true", eps=1e-6,
    eps_mode="inside_sqrt")
def mvn_inside(x, axes):
    return normalized(x, (1, 3), eps=1e-6)


@op("MVN", 6, inputs=(numbers(2, 7), Const([1], np.int32)), static=True, normalize_variance="true", eps=0.25,
    eps_mode="outside_sqrt")
def mvn_outside(x, axes):
    return normalized(x, (1,), outside=0.25)


@op("MVN", 6, inputs=(numbers(2, 7), Const([1], np.int64)), static=True, normalize_variance="false", eps=1e-9,
    eps_mode="inside_sqrt")
def mvn_mean(x, axes):
    return normalized(x, (1,), divides=False)


@op("MVN", 6, inputs=(numbers(2, 3), Const([], np.int64)), static=True, normalize_variance="true", eps=1e-3,
    eps_mode="inside_sqrt")
def mvn_no_axes(x, axes):
    """Each element is its own mean."""
    return np.zeros_like(x)


@op("MVN", 2, inputs=(numbers(2, 3, 4, 5),), static=True, across_channels="false", normalize_variance="true", eps=1e-3)
def mvn_2(x):
    return normalized(x, (2, 3), eps=1e-3)


@op("MVN", 2, inputs=(numbers(2, 3, 4),), static=True, across_channels="true", normalize_variance="false", eps=1e-9)
def mvn_2_across(x):
    return normalized(x, (1, 2), divides=False)


@op("NormalizeL2", 1, inputs=(numbers(2, 3, 4), Const([1, -1], np.int64)), static=True, eps=0.01, eps_mode="add")
def normalize_l2_add(x, axes):
    return x / np.sqrt((x * x).sum((1, 2), keepdims=True) + 0.01)


@op("NormalizeL2", 1, inputs=(numbers(3, 4, least=-0.1, most=0.1), Const([1], np.int64)), static=True, eps=0.02,
    eps_mode="max")
def normalize_l2_max(x, axes):
    return x / np.sqrt(np.maximum((x * x).sum(1, keepdims=True), np.float32(0.02)))


@op("NormalizeL2", 1, inputs=(numbers(3, 4), Const([], np.int64)), static=True, eps=0.5, eps_mode="add")
def normalize_l2_no_axes(x, axes):
    return x / np.sqrt(x * x + 0.5)


@op("GroupNormalization", 12, inputs=(numbers(2, 6, 5), numbers(6, seed=1), numbers(6, seed=2)), static=True,
    num_groups=3, epsilon=1e-3)
def group_normalization(x, scale, bias):
    y = normalized(x.reshape(2, 3, 10), (2,), eps=1e-3).reshape(x.shape)
    return y * along_channels(x, scale) + along_channels(x, bias)


def lrn_of(x, axes, alpha, beta, bias, size):
    total = np.zeros_like(x)
    for at in np.ndindex(*x.shape):
        window = tuple(slice(max(i - (size - 1) // 2, 0), i - (size - 1) // 2 + size) if d in axes else slice(i, i + 1)
                       for d, i in enumerate(at))
        total[at] = (x[window] ** 2).sum()
    return x / (bias + alpha / size ** len(axes) * total) ** beta


@op("LRN", 1, inputs=(numbers(2, 7, 3, 2), Const([1], np.int64)), static=True, alpha=0.5, beta=0.75, bias=1.5, size=5)
def lrn_channels(x, axes):
    return lrn_of(x, (1,), 0.5, 0.75, 1.5, 5)


@op("LRN", 1, inputs=(numbers(1, 2, 5, 6), Const([2, 3], np.int64)), static=True, alpha=0.3, beta=0.5, bias=1, size=4)
def lrn_even(x, axes):
    """The window of an even size begins nearer to the element than it ends."""
    return lrn_of(x, (2, 3), 0.3, 0.5, 1, 4)


@op("GRN", 1, inputs=(numbers(2, 3, 4),), static=True, bias=0.25)
def grn(x):
    return x / np.sqrt((x * x).sum(1, keepdims=True) + 0.25)


def fake_quantize_of(x, il, ih, ol, oh, levels):
    level = np.round((x - il) / (ih - il) * (levels - 1))
    y = level / (levels - 1) * (oh - ol) + ol
    return np.where(x <= np.minimum(il, ih), ol, np.where(x > np.maximum(il, ih), oh, y))


QUANTIZED = np.array([[-9, -1, -0.75, -0.25, 0, 0.25, 0.5, 1, 1.25, 3, np.inf, -np.inf, np.nan]], np.float32)


@op("FakeQuantize", 1, inputs=(QUANTIZED, Const(-1, np.float32), Const(1, np.float32), Const(0, np.float32),
                               Const(8, np.float32)), static=True, levels=5)
def fake_quantize_ties(x, *limits):
    """A number halfway between two levels goes to the even one."""
    return fake_quantize_of(x, *limits, 5)


@op("FakeQuantize", 1, inputs=(numbers(2, 3, 4, least=-5, most=5), numbers(1, 3, 1, seed=1, least=-4, most=-1),
                               numbers(1, 3, 1, seed=2, least=1, most=4), numbers(4, seed=3, least=-3, most=-1),
                               numbers(4, seed=4, least=1, most=2)), static=True, levels=256)
def fake_quantize_channels(x, *limits):
    return fake_quantize_of(x, *limits, 256)


@op("FakeQuantize", 1, inputs=(numbers(2, 3, 4, least=-5, most=5), Const(numbers(3, seed=1, least=-4, most=-1)),
                               Const(numbers(3, 1, seed=2, least=1, most=4)), Const(-1, np.float32),
                               Const(2, np.float32)),
    static=True, levels=256, auto_broadcast="pdpd", **{"auto_broadcast.auto_broadcast_axis": "1"})
def fake_quantize_at_axis(x, low, high, *limits):
    """PaddlePaddle's broadcasting: the dims of the limits stand at axis 1."""
    return fake_quantize_of(x, low[:, None], high, *limits, 256)


def fake_quantize_linear():
    """Limits that are computed from a zero point and a scale: QuantizeLinear of ONNX, which rounds first."""
    x = np.array([0, 3, -3, 1, -1, 5, 2.9, -2.9, 1e9, -1e9, np.inf, -np.inf], np.float32)
    scale, zero = np.array([2, 2, 0.5], np.float32)[:, None], np.array([5, -4, 1], np.int8)[:, None]
    graph = Graph()
    data = graph.parameter("f32", ["?"])
    step, given = graph.parameter("f32", ["?", 1]), graph.parameter("i8", ["?", 1])
    low, high = graph.const(np.float32(-128)), graph.const(np.float32(127))
    real = graph.add("Convert", [given], element="f32", destination_type="f32")
    limits = [graph.binary("Multiply", step, graph.binary("Subtract", limit, real)) for limit in (low, high)]
    level = graph.add("FakeQuantize", [data, *limits, low, high], element="f32", levels=256)
    graph.result(graph.add("Convert", [level], element="i8", destination_type="i8"))
    return graph, [x, scale, zero], [np.clip(np.round(x / scale) + zero, -128, 127).astype(np.int8)]


CASES["op_fake_quantize_linear"] = fake_quantize_linear


def fake_quantize_weights():
    """Weights that are rounded when the model is compiled: shipped as f16, with limits for each column, and small ones
    whose limits are in another order."""
    graph, x = Graph(), numbers(3, 20)
    given, outputs = graph.parameter("f32", ["?", 20]), []

    def quantize(weights, *limits, levels):
        nodes = [graph.const(np.asarray(limit, np.float32)) for limit in limits]
        return graph.add("FakeQuantize", [weights, *nodes], levels=levels)

    # More limits than a constant in the text of a module has.
    rows = numbers(20, 300, seed=1).astype(np.float16)
    most = numbers(1, 300, seed=2, least=0.5, most=1.9)
    real = graph.add("Convert", [graph.const(rows)], element="f32", destination_type="f32")
    weights = quantize(real, -most, most, -most, most, levels=255)
    graph.result(graph.add("MatMul", [given, weights], transpose_a=False, transpose_b=False))
    exact = fake_quantize_of(np.float32(rows), -most, most, -most, most, 255).astype(np.float64)
    outputs.append((x @ exact).astype(np.float32))
    # Elements in the middle of two levels, on the limits and beyond them, in the text of the module and in the file.
    y = numbers(20, seed=3)
    other = graph.parameter("f32", ["?"])
    for few in (np.linspace(-1.5, 1.5, 13, dtype=np.float32)[:, None], QUANTIZED.T):
        for limits in ((-1, 1, 0, 8), (1, -1, 3, -3)):
            for columns in (1, 20):
                elements = few * np.ones((1, columns), np.float32)
                graph.result(graph.binary("Add", quantize(graph.const(elements), *limits, levels=5), other))
                outputs.append(fake_quantize_of(elements, *np.float32(limits), 5) + y)
    return graph, [x, y], outputs


CASES["op_fake_quantize_weights"] = fake_quantize_weights


def fake_quantize_near_ties():
    """Numbers beside the middle of two levels, and beyond the limits: each operation is one of f32, with its rounding.
    """
    graph, inputs, outputs = Graph(), [], []
    levels = np.arange(-2, 258, dtype=np.float64)[:, None]
    # The formula does not give the upper limit of the first ones.
    for limits in ((-2.1, 2.6, -0.7, 1.1), (0, 6, 0, 6), (0, 6, 5, -1), (-1, 1, -1.28, 1.27)):
        low, high, *_ = limits = [np.float32(limit) for limit in limits]
        middles = np.float32((levels + 0.5) / 255 * (float(high) - low) + low)
        x = np.concatenate([middles, *(np.nextafter(middles, np.float32(side)) for side in (-9, 9))], axis=1).ravel()
        x = np.concatenate([x, np.array([low, high, 0, -0.0, np.inf, -np.inf, np.nan], np.float32)])
        for shape in (["?"], x.shape):
            given = graph.parameter("f32", shape)
            graph.result(graph.add("FakeQuantize", [given, *map(graph.const, limits)], levels=256))
            inputs.append(x)
            outputs.append(fake_quantize_of(x, *limits, 256))
    return graph, inputs, outputs


CASES["op_fake_quantize_near_ties"] = fake_quantize_near_ties


def fake_quantize_convolutions():
    """Filters and results of a convolution and of one for each channel. The numbers are multiples of powers of two, and
    few, so that no sum is rounded.
    """
    graph, rng, outputs = Graph(), np.random.default_rng(4), []
    x = rng.integers(-8, 9, (1, 16, 9, 11)).astype(np.float32) / 8
    given = graph.parameter("f32", x.shape)

    def quantize(value, limit, levels):
        limits = [graph.const(np.float32(end)) for end in limit * 2]
        return graph.add("FakeQuantize", [value, *limits], levels=levels)

    def convolve(filters, groups):
        """Sums for each of the nine places of a filter."""
        padded, sums = np.pad(np.float64(x), ((0, 0), (0, 0), (1, 1), (1, 1))), 0
        for i in range(9):
            part = padded[:, :, i // 3:i // 3 + 9, i % 3:i % 3 + 11]
            own = filters[..., i // 3, i % 3]
            sums = sums + (part * own.reshape(1, -1, 1, 1) if groups else np.einsum("oc,ncyx->noyx", own, part))
        return np.float32(sums)

    for groups, shape in ((False, (32, 16, 3, 3)), (True, (16, 1, 1, 3, 3))):
        weights = (rng.integers(-40, 41, shape) / 64).astype(np.float32)
        filters = quantize(graph.const(weights), (-0.5, 0.5), 9)
        sums = graph.add("GroupConvolution" if groups else "Convolution", [given, filters], strides="1,1",
                         pads_begin="1,1", pads_end="1,1", dilations="1,1", auto_pad="explicit")
        graph.result(quantize(graph.add("ReLU", [sums]), (0, 3), 256))
        rounded = fake_quantize_of(weights, *np.float32([-0.5, 0.5, -0.5, 0.5]), 9)
        result = np.maximum(convolve(rounded.reshape(-1, *shape[-3:]) if groups else rounded, groups), 0)
        outputs.append(fake_quantize_of(result, *np.float32([0, 3, 0, 3]), 256))
    return graph, [x], outputs


CASES["op_fake_quantize_convolutions"] = fake_quantize_convolutions
