# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of operations that reorder elements."""
import numpy as np

from make_semantics import Graph
from op_cases import CASES, Const, integers, numbers, op


def space_to_depth_of(x, block, mode):
    n, c, h, w = x.shape
    x = x.reshape(n, c, h // block, block, w // block, block)
    order = (0, 3, 5, 1, 2, 4) if mode == "blocks_first" else (0, 1, 3, 5, 2, 4)
    return x.transpose(order).reshape(n, c * block * block, h // block, w // block)


def depth_to_space_of(x, block, mode):
    n, c, h, w = x.shape
    c //= block * block
    if mode == "blocks_first":
        x = x.reshape(n, block, block, c, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        x = x.reshape(n, c, block, block, h, w).transpose(0, 1, 4, 2, 5, 3)
    return x.reshape(n, c, h * block, w * block)


@op("DepthToSpace", inputs=(numbers(2, 12, 2, 3),), static=True, mode="blocks_first", block_size=2)
def depth_to_space_blocks(x):
    return depth_to_space_of(x, 2, "blocks_first")


@op("DepthToSpace", inputs=(integers(1, 9, 2, 1, dtype=np.int32),), static=True, mode="depth_first", block_size=3)
def depth_to_space_depth(x):
    return depth_to_space_of(x, 3, "depth_first")


@op("DepthToSpace", inputs=(numbers(1, 8, 2, 1, 3),), static=True, mode="depth_first", block_size=2)
def depth_to_space_3d(x):
    """Three spatial dims."""
    n, c, d, h, w = x.shape
    x = x.reshape(n, c // 8, 2, 2, 2, d, h, w).transpose(0, 1, 5, 2, 6, 3, 7, 4)
    return x.reshape(n, c // 8, d * 2, h * 2, w * 2)


@op("SpaceToDepth", inputs=(numbers(2, 3, 4, 6),), static=True, mode="blocks_first", block_size=2)
def space_to_depth_blocks(x):
    return space_to_depth_of(x, 2, "blocks_first")


@op("SpaceToDepth", inputs=(numbers(0, 2, 3, 6),), static=True, mode="depth_first", block_size=3)
def space_to_depth_depth(x):
    """An empty batch."""
    return space_to_depth_of(x, 3, "depth_first")


@op("SpaceToDepth", inputs=(numbers(1, 2, 6),), static=True, mode="depth_first", block_size=2)
def space_to_depth_1d(x):
    """One spatial dim."""
    return x.reshape(1, 2, 3, 2).transpose(0, 1, 3, 2).reshape(1, 4, 3)


@op("ShuffleChannels", inputs=(numbers(2, 6, 3),), static=True, axis=-2, group=3)
def shuffle_channels(x):
    return x.reshape(2, 3, 2, 3).transpose(0, 2, 1, 3).reshape(2, 6, 3)


@op("Reverse", inputs=(numbers(2, 3, 4), Const([-1, 0], np.int64)), static=True, mode="index")
def reverse_index(x, axes):
    return x[::-1, :, ::-1]


@op("Reverse", inputs=(integers(2, 0, 4), Const([False, True, True])), static=True, mode="mask")
def reverse_mask(x, axes):
    """An empty tensor."""
    return x


@op("Reverse", inputs=(numbers(5), Const([True])), static=True, mode="mask")
def reverse_vector(x, axes):
    return x[::-1]


@op("Roll", 7, inputs=(numbers(3, 4, 5), integers(3, least=-9, most=9), Const([0, -1, 0], np.int64)), static=True)
def roll_axes(x, shift, axes):
    """An axis that is given twice."""
    return np.roll(np.roll(np.roll(x, shift[0], 0), shift[1], 2), shift[2], 0)


@op("Roll", 7, inputs=(integers(3, 4), Const(-6, np.int32), Const([0, 1], np.int32)), static=True)
def roll_one_shift(x, shift, axes):
    return np.roll(x, (-6, -6), (0, 1))


@op("Roll", 7, inputs=(numbers(0, 4), Const([2], np.int64), Const([0], np.int64)), static=True)
def roll_empty(x, shift, axes):
    return x


@op("BatchToSpace", 2, inputs=(numbers(12, 2, 3, 1), Const([1, 1, 3, 2], np.int64), Const([0, 0, 1, 0], np.int64),
                               Const([0, 1, 2, 1], np.int64)), static=True)
def batch_to_space(x, block, begin, end):
    y = x.reshape(3, 2, 2, 2, 3, 1).transpose(2, 3, 4, 0, 5, 1).reshape(2, 2, 9, 2)
    return y[:, :1, 1:7, :1]


@op("SpaceToBatch", 2, inputs=(numbers(2, 1, 5, 3), Const([1, 1, 3, 2], np.int64), Const([0, 0, 1, 0], np.int64),
                               Const([0, 1, 0, 1], np.int64)), static=True)
def space_to_batch(x, block, begin, end):
    y = np.pad(x, ((0, 0), (0, 1), (1, 0), (0, 1))).reshape(2, 2, 2, 3, 2, 2)
    return y.transpose(3, 5, 0, 1, 2, 4).reshape(12, 2, 2, 2)


def unique_slices(data, axis=None, is_sorted=True):
    """The different slices, their first indices, the number of each slice, and the counts."""
    rows = data.reshape(-1, 1) if axis is None else np.moveaxis(data, axis, 0).reshape(data.shape[axis], -1)
    keys = [tuple(row) for row in rows.tolist()]
    found = list(dict.fromkeys(keys))
    if is_sorted:
        found.sort()
    first = np.array([keys.index(key) for key in found], np.int64)
    values = data.reshape(-1)[first] if axis is None else np.take(data, first, axis)
    return (values, first, np.array([found.index(key) for key in keys], np.int64),
            np.array([keys.count(key) for key in found], np.int64))


REPEATED = np.array([[3, 1, 3], [-2, 1, 7], [3, 1, 3], [-2, 1, 5]], np.float32)
OF_UNIQUE = ("f32", "i64", "i64", "i64")


@op("Unique", opset=10, element=OF_UNIQUE, static=True, inputs=(REPEATED,))
def unique(data):
    return unique_slices(data)


@op("Unique", opset=10, element=OF_UNIQUE, static=True, inputs=(REPEATED,), sorted="false")
def unique_unsorted(data):
    return unique_slices(data, is_sorted=False)


@op("Unique", opset=10, element=("f32", "i32", "i32", "i32"), static=True, inputs=(REPEATED, Const(0, np.int64)),
    index_element_type="i32", count_element_type="i32")
def unique_rows(data, axis):
    return unique_slices(data, 0)


@op("Unique", opset=10, element=OF_UNIQUE, static=True, inputs=(REPEATED, Const([-1], np.int32)), sorted="false")
def unique_columns_unsorted(data, axis):
    return unique_slices(data, 1, is_sorted=False)


@op("Unique", opset=10, element=("boolean", "i64", "i64", "i64"), static=True,
    inputs=(np.array([True, True, False]),))
def unique_booleans(data):
    return unique_slices(data)


@op("Unique", opset=10, element=OF_UNIQUE, static=True, inputs=(np.zeros((3, 0), np.float32),))
def unique_none(data):
    return unique_slices(data)


@op("Unique", opset=10, element=OF_UNIQUE, static=True, inputs=(np.zeros((3, 0), np.float32), Const(0, np.int64)))
def unique_empty_rows(data, axis):
    """Slices without elements are all equal."""
    return unique_slices(data, 0)


@op("Unique", opset=10, element=OF_UNIQUE, static=True, inputs=(np.array([np.nan, 2, np.nan, 2], np.float32),))
def unique_nan(data):
    """A NaN equals nothing, and is sorted behind all numbers."""
    return np.array([2, np.nan, np.nan]), np.array([1, 0, 2]), np.array([1, 0, 2, 0]), np.array([2, 1, 1])


@op("SliceScatter", opset=15, static=True,
    inputs=(numbers(4, 5, seed=9), numbers(2, 3, seed=10), Const([3, -5], np.int64), Const([0, 5], np.int64),
            Const([-2, 2], np.int64)))
def slice_scatter(data, updates, start, stop, step):
    data = data.copy()
    data[3:0:-2, 0:5:2] = updates
    return data


@op("SliceScatter", opset=15, static=True,
    inputs=(integers(2, 6), integers(2, 3, seed=1), Const([3], np.int64), Const([100], np.int64),
            Const([1], np.int64), Const([-1], np.int64)))
def slice_scatter_axis(data, updates, start, stop, step, axes):
    """A stop beyond the end is the end."""
    data = data.copy()
    data[:, 3:] = updates
    return data


@op("ScatterNDUpdate", opset=15, static=True, reduction="sub",
    inputs=(np.array([True, False, True, False, True]), Const([[0], [-4], [2], [2], [2], [3]], np.int64),
            np.array([True, True, True, True, True, False])))
def scatter_nd_update_of_booleans(data, indices, updates):
    """The difference of booleans is exclusive or."""
    data = data.copy()
    for (i,), update in zip(indices, updates):
        data[i] ^= update
    return data


def squeeze_skipped():
    """An axis of a dim that is known and not 1 is left out; a dim that only the run knows is taken for 1."""
    graph, outputs = Graph(), []
    x = numbers(1, 3, 1)
    for shape, axes, opset, data in (([1, 3, 1], [0, 1], 15, {"allow_axis_skip": "true"}), ([1, 3, 1], [1], 1, {}),
                                     (["?", 3, "?"], [-1, -2], 15, {"allow_axis_skip": "true"}),
                                     ([1, 3, 1], [0, -1], 15, {})):
        graph.result(graph.add("Squeeze", [graph.parameter("f32", shape), graph.i64(*axes)], opset=opset, **data))
        outputs.append(np.squeeze(x, tuple(axis for axis in axes if x.shape[axis] == 1)))
    return graph, [x] * len(outputs), outputs


CASES["op_squeeze_skipped"] = squeeze_skipped


def reshape_empty():
    """A dynamic dim beside a dim of 0 may change, though the number of elements stays 0."""
    graph = Graph()
    data, shape = graph.parameter("f32", [0, "?"]), graph.parameter("i64", [2])
    graph.result(graph.add("Reshape", [data, shape], special_zero="false"))
    return graph, [np.zeros((0, 2), np.float32), np.array([0, 5], np.int64)], [np.zeros((0, 5), np.float32)]


CASES["op_reshape_empty"] = reshape_empty


def reshape_copied_zero():
    """A dim of 0 that is copied takes no part in the division, so the other dim keeps its length."""
    graph = Graph()
    data = graph.parameter("i8", [0, 1, "?"])
    flat = graph.add("Reshape", [data, graph.i64(0, -1)], special_zero="true")
    graph.result(graph.add("GreaterEqual", [flat, data]))
    return graph, [np.zeros((0, 1, 2), np.int8)], [np.zeros((0, 0, 2), bool)]


CASES["op_reshape_copied_zero"] = reshape_copied_zero


@op("Slice", 8, inputs=(numbers(4, 5), Const([-9, -6], np.int64), Const([-99, -99], np.int64),
                        Const([-1, -2], np.int64)), static=True, name="slice_from_below")
@op("StridedSlice", 1, inputs=(numbers(4, 5), Const([-9, -6], np.int64), Const([-99, -99], np.int64),
                               Const([-1, -2], np.int64)), static=True, name="strided_slice_from_below",
    begin_mask="0,0", end_mask="0,0")
def slices_from_below(x, *bounds):
    """A backward slice from before the first element has this element."""
    return x[:1, :1]


@op("Slice", 8, inputs=(numbers(3, 0), Const([-9, 4], np.int64), Const([-99, -99], np.int64),
                        Const([-1, -1], np.int64)), static=True, name="slice_from_below_nothing")
def slice_of_nothing(x, *bounds):
    return x[:1]


def steps_case(name, x):
    @op("Slice", 8, inputs=(x, Const([1, 2], np.int64), Const([99, 99], np.int64), Const([2, 3], np.int64)), static=True,
        name=f"slice_steps_{name}")
    def run(x, *bounds):
        """Steps along rows of several vectors."""
        return x[1::2, 2::3]


steps_case("f32", numbers(5, 97))
steps_case("i64", integers(5, 97))
steps_case("u8", integers(5, 97, least=0, most=255, dtype=np.uint8))


@op("ReverseSequence", 1, inputs=(integers(2, 1, 3, 1, 2, 1, 2, 1, 2, 1, 2, 4), Const([3, 2])), static=True,
    name="reverse_sequence_many_dims", batch_axis=10, seq_axis=-1)
def reverse_many_dims(x, lengths):
    """More dims than a nest has loops."""
    out = x.copy()
    for i, length in enumerate(lengths):
        out[..., i, :length] = x[..., i, :length][..., ::-1]
    return out


def tile_nothing():
    """A dim of 0 ends all loops, however long the others would be."""
    graph = Graph()
    graph.result(graph.add("Tile", [graph.parameter("f32", ["?", "?"]), graph.parameter("i64", [2])]))
    return graph, [numbers(2, 3), np.array([10**11, 0], np.int64)], [np.zeros((2 * 10**11, 0), np.float32)]


CASES["op_tile_nothing_of_many"] = tile_nothing
