# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of operations on lists of rows."""
import numpy as np

from op_cases import Const, integers, numbers, op

TABLE = numbers(6, 3, seed=1)
WHOLE = integers(5, 2, 2, seed=2, dtype=np.int32)


def sum_bags(table, lists, default=-1, weights=None, mean=False):
    """A row for each list of positions: the sum of the table's rows `indices` at these positions."""
    rows = []
    for indices, positions in lists:
        if len(positions) == 0:
            row = table[default] if default >= 0 else np.zeros_like(table[:1].sum(axis=0))
        else:
            taken = [table[indices[p]] * (1 if weights is None else weights[p]) for p in positions]
            row = np.sum(taken, axis=0, dtype=table.dtype)
            if mean:
                row = row / len(positions) if table.dtype.kind == "f" else np.trunc(row / len(positions))
        rows.append(row)
    return np.array(rows, table.dtype).reshape(-1, *table.shape[1:])


def bags_of_offsets(indices, offsets):
    ends = list(offsets[1:]) + [len(indices)]
    return [(indices, range(begin, end)) for begin, end in zip(offsets, ends)]


INDICES = np.array([0, 2, 3, 4, 5, 1, 1], np.int64)
OFFSETS = np.array([1, 3, 3, 6], np.int64)
WEIGHTS = numbers(7, seed=3)


@op("EmbeddingBagPackedSum", opset=3, static=True, inputs=(TABLE, np.array([[0, 2], [1, 2], [3, 5]], np.int32)))
def embedding_bag_packed_sum(table, indices):
    return table[indices].sum(axis=1)


@op("EmbeddingBagPackedSum", opset=3, static=True,
    inputs=(TABLE, np.array([[0, 2], [1, 2], [3, 5]], np.int64), numbers(3, 2, seed=4)))
def embedding_bag_packed_sum_weights(table, indices, weights):
    return (table[indices] * weights[:, :, None]).sum(axis=1)


@op("EmbeddingBagPacked", opset=15, static=True, reduction="mean",
    inputs=(WHOLE, np.array([[0, 2, 4], [1, 1, 3]], np.int64)))
def embedding_bag_packed_mean(table, indices):
    """A mean of integers is truncated."""
    return np.trunc(table[indices].sum(axis=1) / 3)


@op("EmbeddingBagPacked", opset=15, static=True, reduction="mean", inputs=(TABLE, np.zeros((2, 0), np.int64)))
def embedding_bag_packed_mean_of_none(table, indices):
    """The mean of no rows is 0."""
    return np.zeros((2, 3))


@op("EmbeddingBagOffsetsSum", opset=3, static=True, inputs=(TABLE, INDICES, OFFSETS))
def embedding_bag_offsets_sum(table, indices, offsets):
    """A bag without rows is 0. Positions before the first bag are not used."""
    return sum_bags(table, bags_of_offsets(indices, offsets))


@op("EmbeddingBagOffsetsSum", opset=3, static=True,
    inputs=(TABLE, INDICES, OFFSETS, np.array(4, np.int64), WEIGHTS))
def embedding_bag_offsets_sum_default(table, indices, offsets, default, weights):
    """A bag without rows is the default row, without a weight."""
    return sum_bags(table, bags_of_offsets(indices, offsets), int(default), weights)


@op("EmbeddingBagOffsets", opset=15, static=True, reduction="mean",
    inputs=(WHOLE, np.array([4, 1, 0, 2], np.int64), np.array([0, 3, 3], np.int64), np.array(-1, np.int64)))
def embedding_bag_offsets_mean(table, indices, offsets, default):
    return sum_bags(table, bags_of_offsets(indices, offsets), int(default), mean=True)


SEGMENTS = np.array([0, 0, 2, 2, 2, 3, 7], np.int64)


@op("EmbeddingSegmentsSum", opset=3, static=True,
    inputs=(TABLE, INDICES, SEGMENTS, np.array(5, np.int64), np.array(3, np.int64), WEIGHTS))
def embedding_segments_sum(table, indices, segments, count, default, weights):
    """Segments from `num_segments` on are dropped."""
    lists = [(indices, np.flatnonzero(segments == s)) for s in range(int(count))]
    return sum_bags(table, lists, int(default), weights)


@op("EmbeddingSegmentsSum", opset=3, static=True, inputs=(TABLE, INDICES, SEGMENTS, Const(4, np.int64)))
def embedding_segments_sum_zeros(table, indices, segments, count):
    return sum_bags(table, [(indices, np.flatnonzero(segments == s)) for s in range(int(count))])


MAXIMA = np.concatenate([numbers(6, 3, seed=6), np.full((1, 3), -np.inf, np.float32)])
MAXIMA[2, 1] = np.nan


def segment_max(data, segments, count, fill):
    rows = [data[segments == s].max(axis=0) if (segments == s).any() else np.full(data.shape[1:], fill)
            for s in range(count)]
    return np.array(rows)


@op("SegmentMax", opset=16, static=True, fill_mode="ZERO", inputs=(MAXIMA, np.array([0, 0, 2, 2, 2, 3, 5], np.int64)))
def segment_max_zero(data, segments):
    """The last id decides the number of segments. NaN wins."""
    return segment_max(data, segments, 6, 0)


@op("SegmentMax", opset=16, static=True, fill_mode="LOWEST",
    inputs=(MAXIMA, np.array([0, 0, 2, 2, 2, 3, 5], np.int64), np.array(4, np.int64)))
def segment_max_lowest(data, segments, count):
    """Segments from `num_segments` on are dropped."""
    return segment_max(data, segments, int(count), np.finfo(np.float32).min)


@op("SegmentMax", opset=16, static=True, fill_mode="LOWEST",
    inputs=(integers(4, least=0, most=200, dtype=np.uint8), np.array([1, 1, 1, 3], np.int64), Const(6, np.int64)))
def segment_max_of_bytes(data, segments, count):
    return segment_max(data, segments, int(count), 0)


@op("SparseFillEmptyRows", opset=16, element=("i64", "f32", "boolean"), static=True,
    inputs=(numbers(4, seed=7), np.array([5, 6], np.int64), np.array([[1, 3], [1, 0], [2, 5], [4, 1]], np.int64),
            np.array(-7.5, np.float32)))
def sparse_fill_empty_rows(values, shape, indices, default):
    entries = sorted([(r, i, c, v) for i, ((r, c), v) in enumerate(zip(indices, values))] +
                     [(r, 9, 0, default) for r in range(shape[0]) if r not in indices[:, 0]])
    pairs = np.array([[r, c] for r, _, c, _ in entries])
    return pairs, np.array([v for *_, v in entries]), ~np.isin(np.arange(shape[0]), indices[:, 0])
