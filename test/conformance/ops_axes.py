# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of operations whose axis, or order, only the call tells."""
import numpy as np

from make_semantics import Graph, element_of
from op_cases import CASES, Const, integers, numbers, op
from ops_normalization import lrn_of
from ops_signals import complex_of, pairs_of, resized, transform


def axis_of(value, element=np.int64):
    return np.array(value, element)


@op("Gather", 8, inputs=(numbers(3, 4, 5), integers(2, 2, least=-3, most=3), axis_of(1, np.int32)), static=True)
def gather_open_axis(x, indices, axis):
    return np.take(x, indices, axis)


@op("Gather", 1, inputs=(numbers(3, 4), axis_of(2), axis_of([-1])), static=True)
def gather_open_axis_scalar(x, index, axis):
    return x[:, index]


@op("Gather", 8, inputs=(numbers(2, 3, 4, 5), integers(2, 3, least=0, most=4), axis_of(-1)), static=True, batch_dims=1)
def gather_open_axis_batch(x, indices, axis):
    return np.stack([x[0][..., indices[0]], x[1][..., indices[1]]])


@op("ScatterUpdate", 3, inputs=(numbers(3, 4, 5), np.array([[2], [-4]]), numbers(3, 2, 1, 5, seed=1), axis_of(1)),
    static=True)
def scatter_update_open_axis(x, indices, updates, axis):
    x = x.copy()
    x[:, indices[:, 0]] = updates[:, :, 0]
    return x


@op("ScatterElementsUpdate", 12, inputs=(numbers(3, 4, 2), np.array([[[0, 1], [3, -1], [-4, 0]]]),
                                         numbers(1, 3, 2, seed=1), axis_of(-2)),
    static=True, reduction="mean", use_init_val="false")
def scatter_elements_update_open_axis(x, indices, updates, axis):
    x = x.copy()
    for column in range(2):
        for row in range(4):
            own = [u for i, u in zip(indices[0, :, column] % 4, updates[0, :, column]) if i == row]
            if own:
                x[0, row, column] = np.float64(np.float32(sum(own)) / np.float32(len(own)))
    return x


@op("ScatterNDUpdate", 15, inputs=(integers(3, 4, 2), np.array([[[0, 1]], [[-1, -4]], [[0, 1]]]),
                                   integers(3, 1, 2, least=1, most=9)), static=True, reduction="sum")
def scatter_nd_update_open(x, indices, updates):
    """Only the call tells how many coordinates an index has."""
    x = x.copy()
    for (at,), (update,) in zip(indices, updates):
        x[tuple(at)] += update
    return x


@op("Split", 1, inputs=(numbers(3, 4, 5), axis_of(1)), static=True, num_splits=2, element=("f32", "f32"))
def split_open_axis(x, axis):
    return x[:, :2], x[:, 2:]


@op("VariadicSplit", 1, inputs=(numbers(3, 4, 5), axis_of([-1]), Const([1, -1], np.int64)), static=True,
    element=("f32", "f32"), name="variadic_split_open_axis")
def variadic_split(x, axis, lengths):
    return x[..., :1], x[..., 1:]


@op("Unsqueeze", 1, inputs=(numbers(3, 4), axis_of(-2)), static=True)
def unsqueeze_open_axis(x, axis):
    return x[:, None]


@op("Transpose", 1, inputs=(numbers(2, 3, 4), np.array([2, 0, 1])), static=True)
def transpose_open_order(x, order):
    return x.transpose(order)


@op("Transpose", 1, inputs=(numbers(0, 3), np.array([1, 0], np.int32)), static=True)
def transpose_open_empty(x, order):
    return x.T


@op("Reverse", 1, inputs=(numbers(2, 3, 4), np.array([-1, 0])), static=True, mode="index")
def reverse_open_axes(x, axes):
    return x[::-1, :, ::-1]


@op("Reverse", 1, inputs=(numbers(2, 3), np.array([False, True])), static=True, mode="mask")
def reverse_open_mask(x, mask):
    return x[:, ::-1]


@op("Roll", 7, inputs=(numbers(3, 4, 5), np.array([2, 9, -1]), np.array([0, -1, 0])), static=True)
def roll_open_axes(x, shift, axes):
    """An axis that is given twice."""
    return np.roll(np.roll(x, 1, 0), 9, 2)


@op("MVN", 6, inputs=(numbers(2, 3, 4), np.array([-1, 0])), static=True, normalize_variance="true", eps=1e-3,
    eps_mode="inside_sqrt")
def mvn_open_axes(x, axes):
    x = x - x.mean((0, 2), keepdims=True)
    return x / np.sqrt((x * x).mean((0, 2), keepdims=True) + 1e-3)


@op("NormalizeL2", 1, inputs=(numbers(2, 3, 4), np.array([1])), static=True, eps=0.5, eps_mode="add")
def normalize_l2_open_axes(x, axes):
    return x / np.sqrt((x * x).sum(1, keepdims=True) + 0.5)


@op("ReduceL2", 4, inputs=(integers(2, 3, 4), np.array([1])), static=True, keep_dims="true")
def reduce_l2_of_integers_open(x, axes):
    return np.trunc(np.sqrt((x * x).sum(1, keepdims=True)))


@op("ReduceL2", 4, inputs=(integers(2, 3, 4), Const([0, -1], np.int32)), static=True)
def reduce_l2_of_integers(x, axes):
    return np.trunc(np.sqrt((x * x).sum((0, 2))))


@op("PReLU", 1, inputs=(numbers(2, 3, 4), numbers(4, seed=1)), static=True)
def prelu_open_last(x, slope):
    """With dynamic dims, only the call tells that the slope fits the last dim."""
    return np.where(x < 0, x * slope, x)


@op("PReLU", 1, inputs=(numbers(2, 3, 4), numbers(3, seed=1)), static=True)
def prelu_open_channels(x, slope):
    return np.where(x < 0, x * slope[:, None], x)


@op("PReLU", 1, inputs=(numbers(2, 3, 3), numbers(3, seed=1)), static=True)
def prelu_open_both(x, slope):
    """The slope belongs to the channels if it fits both."""
    return np.where(x < 0, x * slope[:, None], x)


def open_lists():
    """Lists of axes whose length is known: two new dims, and the dims that a broadcast maps to."""
    graph, x = Graph(), numbers(3, 4)
    for shape in ([3, 4], ["?", "?"]):
        data, axes = graph.parameter("f32", shape), graph.parameter("i64", [2])
        graph.result(graph.add("Unsqueeze", [data, axes]))
        mapping = graph.parameter("i32", [2])
        graph.result(graph.add("Broadcast", [data, graph.i64(3, 2, 4), mapping], opset=3, mode="explicit"))
    given = [x, np.array([-1, 1]), np.array([0, 2], np.int32)]
    return graph, given * 2, [x[:, None, :, None], np.broadcast_to(x[:, None], (3, 2, 4))] * 2


CASES["op_open_lists"] = open_lists


def listed(name, kind, opset, x, more, result, **data):
    """Registers a case of a layer whose axes or bounds have a known number: with static and with dynamic dims of the data."""

    def build():
        graph = Graph()
        for shape in (x.shape, ["?"] * x.ndim):
            given = [graph.parameter(element_of(value), value.shape) for value in more]
            graph.result(graph.add(kind, [graph.parameter("f32", shape), *given], opset=opset, **data))
        return graph, [*more, x] * 2, [np.float32(result)] * 2

    build.__doc__ = f"Axes or bounds of {kind} that the call decides."
    CASES[f"op_{name}"] = build


PAIRS, PLAIN = numbers(2, 5, 6, 2), numbers(2, 5, 6)
listed("dft_open_axes", "DFT", 7, PAIRS, [np.array([2, -3]), np.array([4, -1])],
       pairs_of(transform(complex_of(PAIRS), (2, 0), (4, 2), np.fft.fft)))
listed("idft_open_axes", "IDFT", 7, PAIRS, [np.array([1], np.int32)], pairs_of(np.fft.ifft(complex_of(PAIRS), axis=1)))
listed("rdft_open_axes", "RDFT", 9, PLAIN, [np.array([1, 0]), np.array([3, 8])],
       pairs_of(np.fft.fft(resized(np.fft.rfft(resized(PLAIN, 0, 8), axis=0), 1, 3), axis=1)))
listed("irdft_open_axes", "IRDFT", 9, PAIRS, [np.array([0, 2])],
       np.fft.irfft(np.fft.ifft(complex_of(PAIRS), axis=0), axis=2))
listed("lrn_open_axes", "LRN", 1, numbers(2, 4, 3, 2), [np.array([-1, 1])],
       lrn_of(np.float64(numbers(2, 4, 3, 2)), (1, 3), 0.3, 0.5, 1, 3), alpha=0.3, beta=0.5, bias=1, size=3)
listed("interpolate_open_axes", "Interpolate", 11, numbers(2, 3, 4), [np.array([6, 4]), np.array([2, 0])],
       np.repeat(np.repeat(np.pad(numbers(2, 3, 4), ((0, 0), (0, 0), (1, 1))), 2, 0), 1, 2), mode="nearest",
       shape_calculation_mode="sizes", coordinate_transformation_mode="asymmetric", nearest_mode="floor",
       pads_begin="0,0,1", pads_end="0,0,1")
listed("slice_from_below_open", "Slice", 8, numbers(4, 5),
       [np.array([-9, -6]), np.array([-99, -99]), np.array([-1, -2])], numbers(4, 5)[:1, :1])
