# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of the choice of boxes, of sorting and searching, and of reductions along rows."""
import numpy as np

from make_semantics import Graph
from op_cases import CASES, Const, integers, numbers, op


def corners_of(box, encoding):
    if encoding == "center":
        x, y, w, h = box
        return y - h / 2, x - w / 2, y + h / 2, x + w / 2
    return *np.minimum(box[:2], box[2:]), *np.maximum(box[:2], box[2:])


def overlap_of(a, b):
    a, b = (np.array(c, np.float32) for c in (a, b))
    areas = [(c[2] - c[0]) * (c[3] - c[1]) for c in (a, b)]
    if not all(area > 0 for area in areas):
        return 0.0
    common = np.prod([np.maximum(np.minimum(a[i + 2], b[i + 2]) - np.maximum(a[i], b[i]), 0) for i in (0, 1)])
    return common / (sum(areas) - common)


def chosen(boxes, scores, most=0, limit=0.0, least=0.0, sigma=0.0, encoding="corner", descending=True, opset=9):
    """Selected indices, selected scores and their number."""
    most, limit, least, sigma = (float(np.reshape(v, ())) for v in (most, limit, least, sigma))
    rows = []
    for batch, kind in np.ndindex(*scores.shape[:2]):
        corners = [corners_of(box, encoding) for box in boxes[batch]]
        left = {i: s for i, s in enumerate(scores[batch, kind]) if s > least}
        count = 0
        while left and count < most:
            best = max(left, key=lambda i: (left[i], -i))
            rows.append((batch, kind, best, left.pop(best)))
            count += 1
            for i in list(left):
                overlap = overlap_of(corners[i], corners[best])
                if sigma > 0:
                    left[i] *= np.exp(-0.5 * overlap * overlap / sigma)
                if (overlap > limit and (opset < 9 or sigma <= 0)) or not left[i] > least:
                    del left[i]
    if descending:
        rows.sort(key=lambda row: -row[3])
    table = np.array(rows, float).reshape(-1, 4)
    return table[:, :3], table[:, [0, 1, 3]], np.array([len(rows)])


def boxes_of(*shape, seed=0):
    corners = numbers(*shape, 4, seed=seed, least=0, most=4)
    return corners


BOXES = boxes_of(2, 12)
SCORES = np.random.default_rng(1).permutation(2 * 3 * 12).reshape(2, 3, 12).astype(np.float32) / 72
FULL = (BOXES, SCORES, Const(5, np.int64), Const(0.3, np.float32), Const(0.2, np.float32))
ALL = ("i64", "f32", "i64")


@op("NonMaxSuppression", opset=9, inputs=FULL, element=ALL, static=True)
def non_max_suppression(*data):
    return chosen(*data)


@op("NonMaxSuppression", opset=9, element=("i32", "f32", "i32"), static=True, box_encoding="center",
    sort_result_descending=False, output_type="i32",
    inputs=(BOXES, SCORES, np.array([3], np.int32), np.array([0.25], np.float32), np.array([0.1], np.float32)))
def non_max_suppression_center(*data):
    """Limits that are known only at run time, in the order of classes."""
    return chosen(*data, encoding="center", descending=False)


@op("NonMaxSuppression", opset=9, inputs=(*FULL, Const(0.5, np.float32)), element=ALL, static=True)
def non_max_suppression_soft(*data):
    """Soft suppression drops no box for its overlap."""
    return chosen(*data)


@op("NonMaxSuppression", opset=5, inputs=(*FULL, Const(0.5, np.float32)), element=ALL, static=True)
def non_max_suppression_soft_5(*data):
    """Before opset9 soft suppression drops boxes for their overlap."""
    return chosen(*data, opset=5)


@op("NonMaxSuppression", opset=5, inputs=(BOXES, SCORES), element=ALL, static=True)
def non_max_suppression_none(*data):
    """By default no box is chosen."""
    return chosen(*data)


# Boxes with an area that f32 does not hold, of infinite and of no sides, and with a side that is NaN.
WIDE = BOXES.copy()
WIDE[0, 0] = [-1e30, -1e30, 1e30, 1e30]
WIDE[0, 1] = [-np.inf, 0, np.inf, 2]
WIDE[0, 4] = [0, 0, np.inf, 3]
WIDE[1, 2] = [np.inf, np.inf, np.inf, np.inf]
WIDE[1, 3] = [np.nan, 0, 2, 2]
WIDE[1, 7] = [-1e20, 1, 1e20, 1]


@op("NonMaxSuppression", opset=5, inputs=(WIDE, *FULL[1:], Const(0.5, np.float32)), element=ALL, static=True)
def non_max_suppression_soft_infinite(*data):
    """Areas are computed in f32. An overlap of infinite areas is NaN, which drops a box in soft suppression."""
    with np.errstate(invalid="ignore", over="ignore"):
        return chosen(*data, opset=5)


@op("NonMaxSuppression", opset=9, inputs=(WIDE, *FULL[1:]), element=ALL, static=True)
def non_max_suppression_infinite(*data):
    """Without soft suppression, an overlap that is NaN drops nothing."""
    with np.errstate(invalid="ignore", over="ignore"):
        return chosen(*data)


HALVES = np.array([[[0, 0, 1, 2], [1, 1, 0, 0], [0, 2, 1, 0], [5, 5, 6, 6], [7, 7, 6, 6], [3, 3, 3, 9]]], np.float32)


@op("NonMaxSuppression", opset=9, element=ALL, static=True,
    inputs=(HALVES, np.array([[[0.9, 0.5, 0.5, 0.5, np.nan, 0.25]]], np.float32), Const(9, np.int64),
            Const(0.5, np.float32), Const(0.25, np.float32)))
def non_max_suppression_edges(boxes, scores, *rest):
    """An overlap that is the limit stays, a score that is the limit or NaN is no candidate; equal scores."""
    return chosen(boxes, np.nan_to_num(scores, nan=-1.0), *rest)


@op("NonMaxSuppression", opset=9, element=ALL, static=True,
    inputs=(np.zeros((1, 0, 4), np.float32), np.zeros((1, 2, 0), np.float32), Const(9, np.int64)))
def non_max_suppression_empty(*data):
    return chosen(*data)


EDGES = np.array([-2.0, 0.5, 0.5, 3.0, np.inf], np.float32)
VALUES = np.array([[-np.inf, -2.0, -1.5, 0.5, 0.75], [3.0, 100.0, np.inf, np.nan, -0.0]], np.float32)


def count_before(row, values, right):
    """What a binary search finds: a NaN is before all elements, or behind them if the right end is looked for."""
    row = row[..., None, :]
    values = values[..., None]
    return (~(row > values) if right else row < values).sum(axis=-1)


@op("Bucketize", opset=3, element="i64", static=True, inputs=(VALUES, EDGES))
def bucketize(data, buckets):
    return count_before(buckets, data, False)


@op("Bucketize", opset=3, element="i32", static=True, inputs=(VALUES, EDGES), output_type="i32",
    with_right_bound="false")
def bucketize_left(data, buckets):
    return count_before(buckets, data, True)


@op("Bucketize", opset=3, element="i64", static=True,
    inputs=(np.array([-3, 0, 1, 7], np.int32), np.array([-2.5, 0.0, 0.5], np.float32)))
def bucketize_integers(data, buckets):
    """Numbers of different types are compared as real numbers."""
    return count_before(buckets, data, False)


@op("Bucketize", opset=3, element="i64", static=True, inputs=(VALUES, np.zeros(0, np.float32)))
def bucketize_none(data, buckets):
    return np.zeros(data.shape, np.int64)


ROWS = np.array([[1, 3, 3, 5], [-7, 0, 2, 9]], np.int64)


@op("SearchSorted", opset=15, element="i64", static=True,
    inputs=(ROWS, np.array([[3, 4, 0], [9, 10, -8]], np.int64)))
def search_sorted(row, values):
    return count_before(row, values, False)


@op("SearchSorted", opset=15, element="i32", static=True, right_mode="true", output_type="i32",
    inputs=(ROWS, np.array([[3, 4, 0], [9, 10, -8]], np.int64)))
def search_sorted_right(row, values):
    return count_before(row, values, True)


@op("SearchSorted", opset=16, element="i32", static=True, right_mode="true", output_type="i32", inputs=(EDGES, VALUES))
def search_sorted_one(row, values):
    """One row serves all rows of values."""
    return count_before(row, values, True)


# Rows that are longer than a vector, with equal elements, zeros of both signs and NaN.
RANKED = numbers(6, 45, seed=5).round(1)
RANKED[0, [7, 40]] = 9
RANKED[1, 33], RANKED[1, 44] = np.nan, np.nan
RANKED[2] = np.nan
RANKED[3, 1:] = -np.inf
RANKED[4, :] = -0.0
RANKED[4, 20] = 0.0


def best_of_rows(name, mode, number, data=RANKED, sort="value", axis=1):
    def function(x, k):
        # NaN is greater than any number, and the first of equal elements is the best.
        rows = np.moveaxis(x, axis, 1)
        key = np.where(np.isnan(rows), np.inf, rows.astype(float))
        places = np.arange(rows.shape[1])[None].repeat(len(rows), 0)
        rank = np.lexsort((places, np.isnan(rows) * (-1 if mode == "max" else 1), -key if mode == "max" else key))
        best = rank[:, :int(k)]
        best = np.moveaxis(np.sort(best, 1) if sort == "index" else best, 1, axis)
        return np.take_along_axis(x, best, axis), best

    element = {"f4": "f32", "i4": "i32", "u1": "u8"}[data.dtype.str[1:]]
    op("TopK", 11, inputs=(data, Const(number, np.int64)), element=(element, "i64"), static=True,
       name=f"top_k_{name}", axis=axis, mode=mode, sort=sort, index_element_type="i64")(function)


best_of_rows("greatest", "max", 1)
best_of_rows("least", "min", 1)
best_of_rows("greatest_outer", "max", 1, np.ascontiguousarray(RANKED.T), axis=0)
best_of_rows("least_outer", "min", 1, np.ascontiguousarray(RANKED.T), axis=0)

# Rows that are sorted in more than one round.
WIDE = np.tile(RANKED, 9)
WIDE[5, ::7] = numbers(58, seed=8)
best_of_rows("many", "max", 100, WIDE)
best_of_rows("many_by_index", "min", 100, WIDE, sort="index")
best_of_rows("all_outer", "min", 405, np.ascontiguousarray(WIDE.T), axis=0)
best_of_rows("all_integers", "max", 300, integers(3, 300, seed=9, dtype=np.int32))
best_of_rows("many_u8", "max", 70, integers(3, 300, seed=9).astype(np.uint8))

# A few of the best, along each axis: whole vectors and remainders, and indices that fill more than one vector.
best_of_rows("few", "max", 5)
best_of_rows("few_by_index", "min", 7, WIDE, sort="index")
best_of_rows("few_of_long", "min", 20, numbers(2, 3000, seed=10).round(1))
best_of_rows("few_outer", "min", 4, np.ascontiguousarray(RANKED.T), axis=0)
best_of_rows("few_lanes", "min", 5, RANKED, axis=0)
best_of_rows("few_lanes_by_index", "max", 3, WIDE, sort="index", axis=0)
best_of_rows("few_lanes_u8", "max", 6, integers(30, 33, seed=11).astype(np.uint8), axis=0)
best_of_rows("none_lanes", "max", 0, integers(3, 48, seed=12, dtype=np.int32), axis=0)


@op("TopK", 11, inputs=(integers(3, 40, seed=6, dtype=np.int32), Const(1, np.int64)), element=("i32", "i64"), static=True,
    axis=1, mode="max", sort="value", index_element_type="i64")
def top_k_integers(x, k):
    best = x.argmax(1)[:, None]
    return np.take_along_axis(x, best, 1), best


def row_lengths():
    """Reductions of rows of each length up to two vectors and more, with static and with dynamic dims."""
    graph, given, outputs = Graph(), [], []
    for length in (1, 2, 7, 8, 9, 15, 16, 24, 31, 32, 33, 40, 48, 63, 64, 71, 100):
        x = (integers(2, length, seed=length) / 4).astype(np.float32)
        spoiled = x.copy()
        spoiled[1, -1] = np.nan
        for shape in (x.shape, ["?", "?"]):
            for kind, data, function in (("ReduceSum", x, np.sum), ("ReduceMax", spoiled, np.max),
                                         ("ReduceMin", x, np.min)):
                graph.result(graph.add(kind, [graph.parameter("f32", shape), graph.i64(1)], keep_dims="false"))
                given.append(data)
                outputs.append(function(data, 1))
    return graph, given, outputs


CASES["op_reduce_row_lengths"] = row_lengths
