# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of pooling, of images and of transposed convolutions."""
import numpy as np

from make_semantics import Graph
from op_cases import CASES, Const, element_type, integers, numbers, op


def windows_of(dim, kernel, stride, dilation, begin, end, rounding="floor", auto_pad="explicit"):
    """The pad before the data, and the number of windows."""
    reach = (kernel - 1) * dilation + 1
    if auto_pad.startswith("same"):
        places = -(-dim // stride)
        total = max((places - 1) * stride + reach - dim, 0)
        return (total // 2 if auto_pad == "same_upper" else total - total // 2), places
    if auto_pad == "valid":
        begin = end = 0
    room = dim + begin + end - reach
    places = (room // stride if rounding == "floor" else -(-room // stride)) + 1
    if rounding == "ceil_torch" and (places - 1) * stride >= dim + begin:
        places -= 1
    return begin, places


def pool(x, kernel, strides, begin, end, combine, dilations=None, **how):
    """Calls `combine` with the positions of each window, as a list of coordinates, and the data of a channel."""
    spatial = x.shape[2:]
    dilations = dilations or [1] * len(spatial)
    plan = [windows_of(*sizes, **how) for sizes in zip(spatial, kernel, strides, dilations, begin, end)]
    out = np.zeros(x.shape[:2] + tuple(places for _, places in plan))
    for at in np.ndindex(*out.shape):
        taps = [tuple(p * s - pad + j * d for p, s, (pad, _), j, d in zip(at[2:], strides, plan, tap, dilations))
                for tap in np.ndindex(*kernel)]
        out[at] = combine(x[at[:2]], taps, spatial)
    return out


def maximum(data, taps, spatial):
    inside = [data[t] for t in taps if all(0 <= i < n for i, n in zip(t, spatial))]
    return np.max(inside) if inside else -np.inf


def index_of_maximum(data, taps, spatial):
    inside = [t for t in taps if all(0 <= i < n for i, n in zip(t, spatial))]
    best = max(inside, key=lambda t: (data[t], -inside.index(t)))
    return np.ravel_multi_index(best, spatial)


def mean(begin, end, excludes):
    def combine(data, taps, spatial):
        inside = [data[t] for t in taps if all(0 <= i < n for i, n in zip(t, spatial))]
        counted = taps if not excludes and sum(begin) + sum(end) else inside
        return np.sum(inside) / max(len(counted), 1)

    return combine


def max_case(name, x, kernel, strides, begin, end, dilations, rounding="floor", auto_pad="explicit"):
    text = {key: ",".join(map(str, value)) for key, value in
            dict(kernel=kernel, strides=strides, pads_begin=begin, pads_end=end, dilations=dilations).items()}
    op("MaxPool", 8, inputs=(x,), static=True, name=f"max_pool_{name}", rounding_type=rounding, auto_pad=auto_pad,
       **text)(lambda d: pool(d, kernel, strides, begin, end, maximum, dilations, rounding=rounding, auto_pad=auto_pad))


max_case("plain", numbers(2, 2, 5, 7), (2, 3), (2, 1), (0, 0), (0, 0), (1, 1))
max_case("pads", numbers(1, 2, 5, 6), (3, 3), (2, 2), (1, 1), (1, 0), (1, 1))
max_case("dilated", numbers(1, 1, 9), (3,), (1,), (1,), (1,), (2,))
max_case("ceil", numbers(1, 1, 6), (3,), (2,), (0,), (0,), (1,), rounding="ceil")
max_case("ceil_torch", numbers(1, 1, 5), (2,), (3,), (1,), (1,), (1,), rounding="ceil_torch")
max_case("same_upper", numbers(1, 1, 6, 5), (3, 2), (2, 3), (0, 0), (0, 0), (1, 1), auto_pad="same_upper")
max_case("same_lower", numbers(1, 1, 6, 5), (3, 2), (2, 3), (0, 0), (0, 0), (1, 1), auto_pad="same_lower")
max_case("large", numbers(1, 2, 40), (21,), (3,), (5,), (4,), (1,))
max_case("global", numbers(2, 3, 12, 3), (12, 3), (1, 1), (0, 0), (0, 0), (1, 1))
max_case("integers", integers(1, 2, 5, dtype=np.int32), (2,), (2,), (1,), (1,), (1,))


@op("MaxPool", 8, inputs=(integers(2, 2, 4, 5, least=0, most=3).astype(np.float32),), static=True,
    element=("f32", "i32"), kernel="3,2", strides="2,1", pads_begin="1,0", pads_end="0,1", dilations="1,1",
    rounding_type="floor", auto_pad="explicit", index_element_type="i32", axis="2")
def max_pool_indices(x):
    """Equal elements: the first one is the maximum."""
    how = ((3, 2), (2, 1), (1, 0), (0, 1))
    return pool(x, *how, maximum), pool(x, *how, index_of_maximum)


def mean_case(name, x, kernel, strides, begin, end, excludes, rounding="floor", auto_pad="explicit"):
    text = {key: ",".join(map(str, value)) for key, value in
            dict(kernel=kernel, strides=strides, pads_begin=begin, pads_end=end).items()}
    text["exclude-pad"] = "true" if excludes else "false"

    def run(data):
        made = pool(data, kernel, strides, begin, end, mean(begin, end, excludes), rounding=rounding,
                    auto_pad=auto_pad)
        return made if x.dtype == np.float32 else np.rint(made)

    op("AvgPool", 1, inputs=(x,), static=True, name=f"avg_pool_{name}", rounding_type=rounding, auto_pad=auto_pad,
       **text)(run)


mean_case("plain", numbers(2, 2, 5, 7), (2, 3), (2, 1), (0, 0), (0, 0), True)
mean_case("excluded", numbers(1, 2, 5, 6), (3, 3), (2, 2), (1, 1), (1, 1), True)
mean_case("included", numbers(1, 2, 5, 6), (3, 3), (2, 2), (1, 1), (1, 1), False)
mean_case("ceil", numbers(1, 1, 6), (3,), (2,), (1,), (0,), False, rounding="ceil")
mean_case("ceil_no_pads", numbers(1, 1, 8), (4,), (3,), (0,), (0,), False, rounding="ceil")
mean_case("outside", numbers(1, 2, 3), (2,), (4,), (1,), (3,), True)
mean_case("integers", integers(2, 2, 5, 4, dtype=np.int32), (2, 1), (1, 2), (1, 0), (0, 0), False)
mean_case("bytes", integers(1, 2, 9, least=0, most=255, dtype=np.uint8), (2,), (1,), (0,), (0,), True)
mean_case("same", numbers(1, 1, 6, 5), (3, 2), (2, 3), (0, 0), (0, 0), True, auto_pad="same_lower")
mean_case("large", numbers(1, 2, 40), (19,), (2,), (5,), (4,), True)
mean_case("global", numbers(2, 3, 12, 3), (12, 3), (1, 1), (0, 0), (0, 0), True)


@op("MaxPool", 8, inputs=(np.array([[[np.nan, 1, -1], [2, np.nan, np.nan]]], np.float32),), static=True,
    element=("f32", "i64"), name="max_pool_outside", kernel="2", strides="4", pads_begin="1", pads_end="4",
    dilations="1", rounding_type="floor", auto_pad="explicit", axis="-1")
def max_pool_outside(x):
    """NaN is the maximum; a window in the padding has the index 0."""
    return np.array([[[np.nan, -np.inf], [2, -np.inf]]]), np.array([[[0, 0], [0, 0]]])


def adaptive_max_case(name, x, sizes, element, const=True):
    def run(x, *_):
        out, indices = np.zeros(x.shape[:2] + sizes), np.zeros(x.shape[:2] + sizes, np.int64)
        for at in np.ndindex(*out.shape):
            spans = [range(i * n // m, -(-(i + 1) * n // m)) for i, n, m in zip(at[2:], x.shape[2:], sizes)]
            taps = [tuple(s[k] for s, k in zip(spans, tap)) for tap in np.ndindex(*map(len, spans))]
            out[at] = maximum(x[at[:2]], taps, x.shape[2:])
            indices[at] = index_of_maximum(x[at[:2]], taps, x.shape[2:])
        return out, indices

    shape = np.array(sizes, np.int64)
    op("AdaptiveMaxPool", 8, inputs=(x, Const(shape) if const else shape), static=True, element=("f32", element),
       name=f"adaptive_max_pool_{name}", index_element_type=element)(run)


adaptive_max_case("2d", integers(2, 2, 7, 5, least=0, most=4).astype(np.float32), (3, 4), "i64")
adaptive_max_case("1d", numbers(1, 3, 5), (7,), "i32")
adaptive_max_case("3d", numbers(1, 2, 3, 4, 2), (2, 3, 1), "i64", const=False)


@op("AdaptiveAvgPool", 8, inputs=(numbers(2, 2, 7, 5), Const([3, 4], np.int64)), static=True)
def adaptive_avg_pool(x, shape):
    out = np.zeros((2, 2, 3, 4))
    for i in range(3):
        for j in range(4):
            out[:, :, i, j] = x[:, :, i * 7 // 3:-(-(i + 1) * 7 // 3), j * 5 // 4:-(-(j + 1) * 5 // 4)].mean((2, 3))
    return out


def positions(size, scale, length, mode):
    x = np.arange(size)
    return {"half_pixel": (x + 0.5) / scale - 0.5, "asymmetric": x / scale, "tf_half_pixel_for_nn": (x + 0.5) / scale,
            "pytorch_half_pixel": (x + 0.5) / scale - 0.5 if size > 1 else x * 0.0,
            "align_corners": x * (length - 1) / max(size - 1, 1)}[mode]


def along(x, axis, rows):
    """Multiplies the axis by a matrix [results, elements]."""
    return np.moveaxis(np.tensordot(rows, x, (1, axis)), 0, axis)


def linear_rows(at, length):
    at = np.clip(at, 0, length - 1)
    low = np.floor(at).astype(int)
    rows = np.zeros((len(at), length))
    for i, (p, l) in enumerate(zip(at, low)):
        rows[i, l] += 1 - (p - l)
        rows[i, min(l + 1, length - 1)] += p - l
    return rows


def cubic_rows(at, length, a=-0.75):
    rows = np.zeros((len(at), length))
    for i, p in enumerate(at):
        low = int(np.floor(p))
        for tap in range(-1, 3):
            d = abs(p - low - tap)
            w = ((a + 2) * d - (a + 3)) * d * d + 1 if d <= 1 else ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
            rows[i, min(max(low + tap, 0), length - 1)] += w
    return rows


def triangle_rows(at, length, narrow):
    """The weights of a triangle of the width 1 / narrow on both sides."""
    w = np.maximum(1 - np.abs((np.arange(length)[None] - at[:, None]) * narrow), 0)
    return w / w.sum(1, keepdims=True)


def nearest_rows(at, length, mode, scale):
    index = {"floor": np.floor, "ceil": np.ceil, "round_prefer_floor": lambda p: np.ceil(p - 0.5),
             "round_prefer_ceil": lambda p: np.floor(p + 0.5),
             "simple": np.ceil if scale < 1 else np.floor}[mode](at)
    return np.eye(length)[np.clip(index, 0, length - 1).astype(int)]


def resize_case(name, kind, sizes, transformation="half_pixel", nearest="round_prefer_floor", antialias=False,
                shape=(1, 2, 5, 6)):
    def run(x, *_):
        scales = [size / length for size, length in zip(sizes, x.shape[2:])]
        for axis, size, scale in zip((2, 3), sizes, scales):
            length = x.shape[axis]
            # If an axis becomes smaller, the triangles of all axes get the widths of their scales.
            narrow = min(scale, 1.0) if kind == "bilinear_pillow" else scale if min(scales) < 1 else 1.0
            at = positions(size, scale, length, transformation)
            if kind.endswith("_pillow"):
                at = positions(size, scale, length, "half_pixel")
            rows = (nearest_rows(at, length, nearest, scale) if kind == "nearest" else cubic_rows(at, length)
                    if kind == "cubic" else triangle_rows(at, length, narrow) if antialias or kind == "bilinear_pillow"
                    else linear_rows(at, length))
            x = along(x, axis, rows)
        return x

    op("Interpolate", 11, inputs=(numbers(*shape), Const(sizes, np.int64), Const([2, 3], np.int64)), static=True,
       name=f"interpolate_{name}", mode=kind, shape_calculation_mode="sizes",
       coordinate_transformation_mode=transformation, nearest_mode=nearest,
       antialias="true" if antialias else "false")(run)


resize_case("linear", "linear", (8, 4))
resize_case("linear_onnx", "linear_onnx", (3, 11), "align_corners")
resize_case("linear_half", "linear_onnx", (1, 11), "pytorch_half_pixel")
resize_case("cubic", "cubic", (7, 9))
resize_case("cubic_asymmetric", "cubic", (3, 4), "asymmetric")
resize_case("antialias", "linear", (3, 9), antialias=True)
resize_case("pillow", "bilinear_pillow", (2, 9))
for rule in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"):
    resize_case(f"nearest_{rule}", "nearest", (10, 3), "asymmetric", rule)
resize_case("nearest_tf", "nearest", (7, 4), "tf_half_pixel_for_nn", "floor")


def first_case(name, kind, sizes, transformation, shape, axes, align=False, antialias=False, begin=None, end=None):
    """Interpolate of opset1."""
    pads = [begin or [0] * len(shape), end or [0] * len(shape)]

    def run(x, *_):
        x = np.pad(x, list(zip(*pads)))
        scales = [size / x.shape[axis] for size, axis in zip(sizes, axes)]
        for axis, size, scale in zip(axes, sizes, scales):
            length = x.shape[axis]
            at = positions(size, scale, length, transformation) if size != length else np.arange(size)
            rows = (nearest_rows(at, length, "simple", scale) if kind == "nearest" else cubic_rows(at, length)
                    if kind == "cubic" else triangle_rows(at, length, scale if min(scales) < 1 else 1.0) if antialias
                    else linear_rows(at, length))
            x = along(x, axis, rows)
        return x

    op("Interpolate", 1, inputs=(numbers(*shape), Const(sizes, np.int64)), static=True, name=f"interpolate_1_{name}",
       mode=kind, axes=",".join(map(str, axes)), align_corners=str(align).lower(), antialias=str(antialias).lower(),
       pads_begin=",".join(map(str, pads[0])), pads_end=",".join(map(str, pads[1])))(run)


first_case("nearest", "nearest", (7, 4), "asymmetric", (1, 2, 5, 6), (2, 3))
first_case("nearest_corners", "nearest", (3, 8), "align_corners", (1, 2, 5, 6), (2, 3), align=True)
first_case("linear_corners", "linear", (8, 4), "align_corners", (1, 2, 5, 6), (2, 3), align=True)
first_case("linear", "linear", (8, 4), "asymmetric", (1, 2, 5, 6), (2, 3))
first_case("linear_one", "linear", (7,), "half_pixel", (2, 3, 4), (2,))
first_case("linear_pads", "linear", (7,), "asymmetric", (2, 3, 4), (2,), begin=[0, 0, 1], end=[0, 0, 2])
first_case("antialias", "linear", (2, 4, 3), "align_corners", (1, 1, 4, 3, 5), (2, 3, 4), align=True, antialias=True)
first_case("cubic", "cubic", (7, 3), "asymmetric", (1, 2, 4, 6), (2, 3))


def transposed_case(name, x, w, stride, begin, end, dilation, more, wanted=None, groups=1, auto_pad="explicit"):
    def run(x, w, *_):
        w = w if groups > 1 else w[None]
        n, _, length = x.shape
        g, inputs, outputs, kernel = w.shape
        full = np.zeros((n, g * outputs, stride * (length - 1) + dilation * (kernel - 1) + 1 + more))
        for group in range(g):
            for i in range(length):
                for k in range(kernel):
                    full[:, group * outputs:(group + 1) * outputs, i * stride + k * dilation] += \
                        x[:, group * inputs:(group + 1) * inputs, i] @ w[group, :, :, k]
        size = wanted if wanted is not None else full.shape[2] - begin - end
        extra = full.shape[2] - size
        first = {"explicit": begin, "valid": 0, "same_upper": extra - extra // 2, "same_lower": extra // 2}[auto_pad]
        return full[:, :, first:first + size]

    inputs = (x, Const(w)) + ((Const([wanted], np.int64),) if wanted is not None else ())
    kind = "GroupConvolutionBackpropData" if groups > 1 else "ConvolutionBackpropData"
    op(kind, 1, inputs=inputs, static=True, name=f"transposed_convolution_{name}", strides=stride, pads_begin=begin,
       pads_end=end, dilations=dilation, output_padding=more, auto_pad=auto_pad)(run)


transposed_case("plain", numbers(2, 3, 4), numbers(3, 2, 3, seed=1), 1, 0, 0, 1, 0)
transposed_case("strided", numbers(1, 2, 4), numbers(2, 3, 3, seed=1), 3, 1, 2, 2, 1)
transposed_case("groups", numbers(1, 4, 3), numbers(2, 2, 3, 2, seed=1), 2, 1, 0, 1, 0, groups=2)
transposed_case("shape", numbers(1, 2, 4), numbers(2, 3, 3, seed=1), 2, 1, 0, 1, 0, wanted=7)
for rule in ("same_upper", "same_lower", "valid"):
    transposed_case(rule, numbers(1, 2, 4), numbers(2, 3, 4, seed=1), 2, 0, 0, 1, 0, wanted=7, auto_pad=rule)


def transposed_planes(name, x, w, strides, begin, end):
    """Transposed convolutions with strides of several dims, whose phases have kernels of different sizes."""
    groups = w.shape[0] if w.ndim > x.ndim else 1

    def run(x, w):
        filters = w.reshape(groups, -1, *w.shape[-3:])
        kernel = filters.shape[3:]
        sizes = [stride * (size - 1) + count for stride, size, count in zip(strides, x.shape[2:], kernel)]
        parts = []
        for own, data in zip(filters, np.split(x, groups, axis=1)):
            full = np.zeros((len(x), own.shape[1], *sizes))
            for i, j in np.ndindex(*kernel):
                full[:, :, i:i + sizes[0] - kernel[0] + 1:strides[0], j:j + sizes[1] - kernel[1] + 1:strides[1]] += \
                    np.einsum("io,nihw->nohw", own[:, :, i, j], data)
            parts.append(full[:, :, begin[0]:sizes[0] - end[0], begin[1]:sizes[1] - end[1]])
        return np.concatenate(parts, axis=1)

    lists = {"strides": strides, "pads_begin": begin, "pads_end": end, "dilations": [1, 1]}
    attributes = {key: ",".join(map(str, value)) for key, value in lists.items()}
    kind = "GroupConvolutionBackpropData" if groups > 1 else "ConvolutionBackpropData"
    op(kind, 1, inputs=(x, Const(w)), static=True, name=f"transposed_convolution_{name}", auto_pad="explicit",
       **attributes)(run)


transposed_planes("phases", numbers(2, 3, 4, 5), numbers(3, 5, 3, 5, seed=1), [2, 3], [1, 1], [0, 2])
transposed_planes("phases_of_tiles", numbers(1, 4, 3, 6), numbers(4, 16, 4, 2, seed=1), [2, 2], [1, 0], [1, 0])
transposed_planes("phases_of_groups", numbers(1, 4, 3, 3), numbers(2, 2, 3, 3, 4, seed=1), [1, 2], [0, 0], [1, 1])


def convolve(x, w, strides, begin, dilations):
    """The convolution in f64, for the same pads at both ends."""
    spatial = x.ndim - 2
    groups = w.shape[0] if w.ndim > x.ndim else 1
    filters = w.reshape(groups, -1, *w.shape[-spatial - 1:])
    wide = np.pad(x, [(0, 0), (0, 0)] + [(pad, pad) for pad in begin])
    places = [(n - (k - 1) * d - 1) // s + 1
              for n, k, d, s in zip(wide.shape[2:], w.shape[-spatial:], dilations, strides)]
    outputs, inputs = filters.shape[1:3]
    out = np.zeros((x.shape[0], groups * outputs, *places))
    for g in range(groups):
        for tap in np.ndindex(*w.shape[-spatial:]):
            at = tuple(slice(t * d, t * d + (n - 1) * s + 1, s) for t, d, n, s in zip(tap, dilations, places, strides))
            read = wide[:, g * inputs:(g + 1) * inputs][(slice(None), slice(None)) + at]
            factors = filters[g][(slice(None), slice(None)) + tap].astype(np.float64)
            out[:, g * outputs:(g + 1) * outputs] += np.einsum("oi,ni...->no...", factors, read)
    return out


def window_of(strides, begin, dilations):
    """The attributes of a convolution."""
    pads = ",".join(map(str, begin))
    return {"strides": ",".join(map(str, strides)), "dilations": ",".join(map(str, dilations)), "pads_begin": pads,
            "pads_end": pads, "auto_pad": "explicit"}


def convolution_case(name, x, w, strides=None, begin=None, dilations=None):
    """Convolutions with more work than the short cases of the other files, which have kernels of their own."""
    spatial = x.ndim - 2
    window = strides or [1] * spatial, begin or [0] * spatial, dilations or [1] * spatial
    # Multiples of 1/8, so that the sums are exact in any order.
    x, w = np.round(x * 8) / np.float32(8), np.round(w * 8) / np.float32(8)
    op("GroupConvolution" if w.ndim > x.ndim else "Convolution", inputs=(x, Const(w)), static=True,
       name=f"convolution_{name}", **window_of(*window))(lambda x, w: convolve(x, w, *window))


convolution_case("rows", numbers(2, 3, 90), numbers(20, 3, 5, seed=1), begin=[2])
convolution_case("planes", numbers(2, 4, 9, 21), numbers(17, 4, 3, 3, seed=1), begin=[1, 1])
convolution_case("dilated", numbers(1, 4, 11, 60), numbers(9, 4, 2, 5, seed=1), begin=[2, 3], dilations=[3, 2])
# Columns of the kernel that read padding are left out.
convolution_case("dilated_ranges", numbers(2, 20, 6, 9), numbers(20, 20, 2, 5, seed=1), begin=[2, 8], dilations=[4, 4])
convolution_case("groups", numbers(1, 6, 12, 19), numbers(2, 10, 3, 3, 3, seed=1), begin=[1, 0])
convolution_case("depthwise", numbers(1, 30, 12, 19), numbers(30, 1, 1, 3, 3, seed=1), begin=[1, 1])
convolution_case("few", numbers(2, 5, 40), numbers(30, 5, 16, seed=1), strides=[8])
convolution_case("few_planes", numbers(2, 5, 7, 6), numbers(30, 5, 3, 3, seed=1), strides=[3, 2], dilations=[2, 1])


@op("Convolution", static=True, **window_of([1], [1], [1]),
    inputs=(np.array([[[1, 2, -3, 4]]], np.float32),
            np.array([[[np.inf, 1]], [[1, -np.inf]], [[2, np.nan]], [[0.5, 2]]], np.float32)))
def convolution_infinite_filter(x, w):
    """The zeros of the padding are multiplied like other elements."""
    with np.errstate(invalid="ignore"):
        return convolve(x, w, [1], [1], [1])


@op("ReduceSum", inputs=(numbers(2, 3, 4), np.array([-1, 0], np.int64)), static=False, keep_dims="true")
def reduce_sum_axes(x, axes):
    """The call decides the axes."""
    return x.sum((0, 2), keepdims=True)


@op("ReduceMean", inputs=(integers(2, 3, 4), np.array([1], np.int32)), static=False, keep_dims="true")
def reduce_mean_axes(x, axes):
    return np.trunc(x.mean(1, keepdims=True))


def reduce_nothing():
    """Reductions of no elements, with static and with dynamic dims."""
    graph, given, outputs = Graph(), [], []
    least = np.iinfo(np.int64).min
    for element, values in (("f32", (-np.inf, np.inf, np.nan)), ("i64", (least, -(least + 1), 0))):
        for shape in ([2, 0], ["?", "?"]):
            data = graph.parameter(element, shape)
            given.append(np.zeros((2, 0), element_type(element)))
            for kind, value in zip(("ReduceMax", "ReduceMin", "ReduceMean"), values):
                graph.result(graph.add(kind, [data, graph.i64(1)], keep_dims="false"))
                outputs.append(np.full(2, value, element_type(element)))
    return graph, given, outputs


CASES["op_reduce_nothing"] = reduce_nothing


convolution_case("strides", numbers(1, 4, 25, 40), numbers(17, 4, 7, 7, seed=1), strides=[2, 2], begin=[3, 3])
convolution_case("strides_rows", numbers(2, 3, 120), numbers(20, 3, 10, seed=1), strides=[3], begin=[4])
convolution_case("strides_groups", numbers(1, 30, 13, 18), numbers(30, 1, 1, 3, 3, seed=1), strides=[2, 1], begin=[1, 1])
convolution_case("strides_dilated", numbers(1, 5, 20, 31), numbers(9, 5, 3, 2, seed=1), strides=[2, 3], begin=[2, 1],
                 dilations=[2, 3])
convolution_case("strides_pointwise", numbers(1, 40, 20, 30), numbers(24, 40, 1, 1, seed=1), strides=[2, 2])


def network_case(name, x, layers):
    """Convolutions that feed each other, which have the channels as the last dim. The last two are added up."""

    def build():
        graph = Graph()
        outputs = []
        for shape in (["?"] * x.ndim, x.shape):
            values, read = [graph.parameter("f32", shape)], [np.float64(x)]
            for i, (w, *window) in enumerate(layers):
                kind = "GroupConvolution" if w.ndim > x.ndim else "Convolution"
                values.append(graph.add(kind, [values[-1], graph.const(w)], element="f32", **window_of(*window)))
                read.append(convolve(read[-1], w, *window))
                if i + 1 < len(layers):
                    bias = numbers(1, read[-1].shape[1], *[1] * (x.ndim - 2), seed=i)
                    values[-1] = graph.binary("Add", values[-1], graph.const(bias))
                    values[-1] = graph.add("ReLU", [values[-1]], element="f32")
                    read[-1] = np.maximum(read[-1] + bias, 0)
            graph.result(graph.binary("Add", values[-1], values[-2]))
            outputs.append((read[-1] + read[-2]).astype(np.float32))
        return graph, [x, x], outputs

    build.__doc__ = network_case.__doc__
    CASES["op_convolution_network_" + name] = build


# Channels that are no whole tiles, an odd number of tiles, positions that are no whole tiles, and data in both layouts.
network_case("planes", numbers(2, 5, 15, 17), [
    (numbers(40, 5, 3, 3, seed=1) / 4, [2, 1], [1, 1], [1, 1]),
    (numbers(40, 1, 1, 3, 3, seed=2) / 4, [1, 2], [1, 1], [1, 1]),
    (numbers(20, 40, 1, 1, seed=3) / 8, [1, 1], [0, 0], [1, 1]),
    (numbers(20, 20, 3, 3, seed=4) / 8, [1, 1], [2, 2], [2, 2]),
])
network_case("rows", numbers(1, 20, 37), [
    (numbers(20, 1, 1, 5, seed=1) / 4, [1], [2], [1]),
    (numbers(48, 20, 3, seed=2) / 4, [1], [2], [2]),
    (numbers(16, 48, 1, seed=3) / 8, [2], [0], [1]),
    (numbers(16, 16, 3, seed=4) / 8, [1], [1], [1]),
])

network_case("volumes", numbers(2, 5, 5, 7, 15), [
    (numbers(24, 5, 3, 3, 3, seed=1) / 48, [1, 1, 1], [1, 1, 1], [1, 1, 1]),
    (numbers(64, 24, 3, 2, 3, seed=2) / 96, [2, 1, 1], [1, 2, 0], [2, 1, 1]),
    (numbers(20, 64, 1, 1, 1, seed=3) / 48, [1, 1, 2], [0, 0, 0], [1, 1, 1]),
    (numbers(20, 20, 2, 3, 5, seed=4) / 96, [1, 1, 1], [1, 1, 2], [2, 1, 1]),
])
network_case("groups", numbers(1, 24, 9, 13), [
    (numbers(2, 64, 12, 3, 3, seed=1) / 48, [1, 1], [1, 1], [1, 1]),
    (numbers(4, 16, 32, 3, 3, seed=2) / 96, [2, 1], [1, 1], [1, 1]),
    (numbers(2, 32, 32, 1, 1, seed=3) / 48, [1, 1], [0, 0], [1, 1]),
    (numbers(2, 32, 32, 3, 3, seed=4) / 96, [1, 1], [2, 2], [2, 2]),
])
network_case("groups_rows", numbers(2, 24, 33), [
    (numbers(2, 16, 12, 5, seed=1) / 48, [1], [2], [1]),
    (numbers(1, 48, 32, 3, seed=2) / 96, [1], [2], [2]),
    (numbers(3, 32, 16, 3, seed=3) / 48, [1], [1], [1]),
    (numbers(6, 16, 16, 3, seed=4) / 96, [1], [1], [1]),
])


def windows(x, *kernel):
    """The windows of the last two dims, at every position."""
    return np.lib.stride_tricks.sliding_window_view(x, kernel, (-2, -1))


FILTERS = numbers(3, 2, 2, 3, seed=5)


@op("Convolution", inputs=(numbers(1, 2, 5, 6), Const(FILTERS)), static=True, name="convolution_no_attributes")
@op("Convolution", inputs=(numbers(1, 2, 5, 6), Const(FILTERS)), static=True, strides="", pads_begin="", pads_end="",
    dilations="", auto_pad="explicit", name="convolution_empty_attributes")
def convolution_plain(x, filters):
    """Strides and dilations are 1, and there are no pads, if the layer does not say so."""
    return np.einsum("nihwkl,oikl->nohw", windows(x, 2, 3), filters)


@op("MaxPool", inputs=(numbers(1, 2, 5, 6),), static=True, kernel="2,3", strides="1,1")
def max_pool_no_pads(x):
    return windows(x, 2, 3).max((-2, -1))


@op("AvgPool", inputs=(numbers(1, 2, 5, 6),), static=True, kernel="2,3", strides="1,1", pads_end="0,1")
def avg_pool_exclude_pad_by_default(x):
    mean = windows(x, 2, 3).mean((-2, -1))
    return np.concatenate([mean, windows(x[..., -2:], 2, 2).mean((-2, -1))], 3)


class OldGraph(Graph):
    """A model with means of the input "in_0": a `<channel>` element for each."""

    channels = ""

    def text(self):
        return f'<pre-process reference-layer-name="in_0">{self.channels}</pre-process>\n{super().text()}'


def means(element="f32", image=False):
    def build():
        """The means of the channels are subtracted from the input, numbers or images."""
        shape = (2, 3, 4, 5)
        x = numbers(*shape).astype(element_type(element))
        graph = OldGraph()
        graph.result(graph.add("ReLU", [graph.parameter(element, shape if image else ["?", 3, "?", "?"], name="in_0")]))
        mean = numbers(*shape[1:], seed=1) if image else np.float32([[[1.25]], [[-0.3]], [[0.7]]])
        if image:
            graph.weights += b"\0" + mean.tobytes()
            graph.channels = "".join(f'<channel><mean offset="{1 + 80 * i}" size="80"/></channel>' for i in range(3))
        else:
            graph.channels = "".join(f'<channel id="{i}"><mean value="{mean[i, 0, 0]}"/></channel>' for i in (1, 0, 2))
        return graph, [x], [np.maximum(np.float32(x) - mean, 0).astype(x.dtype)]

    return build


CASES["op_means"] = means()
CASES["op_means_half"] = means("f16")
CASES["op_means_image"] = means(image=True)
CASES["op_means_image_half"] = means("f16", image=True)
