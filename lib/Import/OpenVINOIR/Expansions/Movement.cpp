// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Movement.cpp - Layers that reorder elements ------------------------===//
//
// This file expands BatchToSpace, DepthToSpace, Reverse, Roll, ShuffleChannels, SpaceToBatch and SpaceToDepth. Most of
// them split a dim into two, exchange dims, and merge dims again.
//
//===----------------------------------------------------------------------===//

#include "Axes.h"

#include "../TypeSyntax.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

/// Reads the attribute `block_size` of DepthToSpace and SpaceToDepth.
static FailureOr<int64_t> readBlockSize(Expansion &e) {
  int64_t block = e.integer("block_size");
  if (block < 1)
    return e.error("expected 'block_size' to be 1 or more, but got " + Twine(block));
  return block;
}

// [N, C * b^k, D1, .., Dk] becomes [N, b, .., b, C, D1, .., Dk] or [N, C, b, .., b, D1, .., Dk], then
// [N, C, D1, b, .., Dk, b], then [N, C, D1 * b, .., Dk * b].
LogicalResult recur::ir::expandDepthToSpace(Expansion &e) {
  FailureOr<int64_t> block = readBlockSize(e);
  if (failed(block) || failed(e.expectRank(0, 3)))
    return failure();
  Value data = e.operand(0);
  int64_t spatial = rankOf(data) - 2, blocks = 1;
  for (int64_t i = 0; i != spatial; ++i)
    if (llvm::MulOverflow(blocks, *block, blocks))
      return e.error("expected a product of blocks below 2^63");
  bool isBlocksFirst = e.text("mode") == "blocks_first";
  Size depth = e.divide(e.dim(data, 1), e.size(blocks));
  SmallVector<Size> split{e.dim(data, 0)}, merged{e.dim(data, 0), depth};
  if (!isBlocksFirst)
    split.push_back(depth);
  split.append(spatial, e.size(*block));
  if (isBlocksFirst)
    split.push_back(depth);
  // The position of the depth, and of the first block.
  int64_t depthAt = isBlocksFirst ? spatial + 1 : 1, blockAt = isBlocksFirst ? 1 : 2;
  SmallVector<int64_t> order{0, depthAt};
  for (int64_t i = 0; i != spatial; ++i) {
    split.push_back(e.dim(data, i + 2));
    merged.push_back(e.multiply(e.dim(data, i + 2), e.size(*block)));
    order.append({spatial + 2 + i, blockAt + i});
  }
  return e.replace(e.reshape(e.transpose(e.reshape(data, split), order), merged));
}

LogicalResult recur::ir::expandSpaceToDepth(Expansion &e) {
  FailureOr<int64_t> block = readBlockSize(e);
  if (failed(block) || failed(e.expectRank(0, 3)))
    return failure();
  Value data = e.operand(0);
  int64_t spatial = rankOf(data) - 2, blocks = 1;
  for (int64_t i = 0; i != spatial; ++i)
    if (llvm::MulOverflow(blocks, *block, blocks))
      return e.error("expected a product of blocks below 2^63");
  SmallVector<Size> split{e.dim(data, 0), e.dim(data, 1)};
  SmallVector<Size> merged{e.dim(data, 0), e.multiply(e.dim(data, 1), e.size(blocks))};
  SmallVector<int64_t> order{0}, last;
  for (int64_t i = 0; i != spatial; ++i) {
    Size outer = e.divide(e.dim(data, i + 2), e.size(*block));
    split.append({outer, e.size(*block)});
    merged.push_back(outer);
    order.push_back(3 + 2 * i);
    last.push_back(2 + 2 * i);
  }
  bool isBlocksFirst = e.text("mode") == "blocks_first";
  order.insert(isBlocksFirst ? order.end() : order.begin() + 1, 1);
  llvm::append_range(order, last);
  return e.replace(e.reshape(e.transpose(e.reshape(data, split), order), merged));
}

/// The dims of `data`, as sizes.
static SmallVector<Size> getSizes(Expansion &e, Value data) {
  SmallVector<Size> sizes;
  for (int64_t i : llvm::seq(rankOf(data)))
    sizes.push_back(e.dim(data, i));
  return sizes;
}

/// Reverses the dims whose entry of `flags`, a boolean tensor of rank 1, is true.
static LogicalResult reverseWhere(Expansion &e, Value data, Value flags) {
  flags = e.reshape(flags, e.size(rankOf(data)));
  for (int64_t i : llvm::seq(rankOf(data))) {
    Size length = e.dim(data, i);
    Value forward = e.range(length, e.i64()), backward = e.subtract(e.subtract(length, 1), forward);
    data = e.gather(data, e.select(e.gather(flags, e.size(i), 0), backward, forward), i);
  }
  return e.replace(data);
}

LogicalResult recur::ir::expandReverse(Expansion &e) {
  Value data = e.operand(0);
  int64_t rank = rankOf(data);
  SmallVector<int64_t> axes;
  if (e.operand(1)) {
    bool isMask = e.text("mode") == "mask";
    if (isMask != elementOf(e.operand(1)).isInteger(1))
      return e.error("expected booleans for mode 'mask' and integers for mode 'index'");
    if (!isConstant(e.operand(1)) && rankOf(e.operand(1)) <= 1)
      return reverseWhere(e, data, isMask ? e.operand(1) : isListed(e, e.operand(1), rank));
    FailureOr<SmallVector<int64_t>> given = e.expectConstant(1);
    if (failed(given))
      return failure();
    if (isMask && int64_t(given->size()) != rank)
      return e.error("expected a boolean for each of " + Twine(rank) + " axes, but got " + Twine(given->size()));
    for (auto [i, value] : llvm::enumerate(*given)) {
      FailureOr<int64_t> axis = isMask ? FailureOr<int64_t>(i) : e.normalizeAxis("axes", value, rank);
      if (failed(axis))
        return failure();
      if (!isMask || value)
        axes.push_back(*axis);
    }
  }
  // The slice goes from the last element to the one before the first.
  for (int64_t axis : axes)
    data = e.slice(data, axis, -1, INT64_MIN, -1);
  return e.replace(data);
}

/// Shifts `data` by `shift` along `axis`. A shift by s puts the last s elements first.
static Value rollAlong(Expansion &e, Value data, int64_t axis, Size shift) {
  // An empty dim has nothing to shift.
  Size length = e.dim(data, axis);
  Size cut = e.subtract(length, e.make<ov::FloorModOp>({shift, e.maximum(length, e.size(1))}));
  return e.concat({e.slice(data, axis, cut, length), e.slice(data, axis, e.size(0), cut)}, axis);
}

LogicalResult recur::ir::expandRoll(Expansion &e) {
  Value data = e.operand(0), shape = e.shapeOf(data), shift = e.operand(1), axes = e.operand(2);
  int64_t rank = rankOf(data);
  if (rankOf(shift) > 1 || rankOf(axes) > 1)
    return e.error("expected shifts and axes of rank 0 or 1, but got ranks " + Twine(rankOf(shift)) + " and " +
                   Twine(rankOf(axes)));
  if (rankOf(shift) == 0)
    shift = e.unsqueeze(shift, {0});
  if (!isConstant(axes)) {
    // Each dim is shifted by the sum of the shifts along it.
    Value list = countFromFirst(e, axes, rank);
    for (int64_t axis : llvm::seq(rank)) {
      Value own = e.select(e.equal(list, e.size(axis)), shift, e.size(0));
      data = rollAlong(e, data, axis, e.reduce<ov::ReduceSumOp>(own, {0}, /*keepDims=*/true));
    }
    return e.replace(e.reshape(data, shape));
  }
  FailureOr<SmallVector<int64_t>> known = e.expectConstant(2);
  if (failed(known))
    return failure();
  // One shift serves all axes.
  int64_t shifts = typeOf(shift).getDimSize(0);
  if (!ShapedType::isDynamic(shifts) && shifts != 1 && shifts != int64_t(known->size()))
    return e.error("expected one shift, or as many as axes, but got " + spell(typeOf(shift)) + " for " +
                   Twine(known->size()) + " axes");
  for (auto [i, given] : llvm::enumerate(*known)) {
    FailureOr<int64_t> axis = e.normalizeAxis("axes", given, rank);
    if (failed(axis))
      return failure();
    Size own = e.gather(shift, e.minimum(e.size(i), e.subtract(e.dim(shift, 0), 1)), 0);
    data = rollAlong(e, data, *axis, own);
  }
  // The dims are those of the data, which a concatenation of two slices does not show.
  return e.replace(e.reshape(data, shape));
}

/// The entries of operand `i`, an i64 tensor of shape [rank], as sizes, none of which may be below `least`.
static FailureOr<SmallVector<Size>> splitEntries(Expansion &e, unsigned i, int64_t rank, StringRef name,
                                                 int64_t least = 0) {
  RankedTensorType type = typeOf(e.operand(i));
  if (type.getRank() != 1 || (!type.isDynamicDim(0) && type.getDimSize(0) != rank))
    return e.error("expected an entry for each of " + Twine(rank) + " dims, but got " + spell(type));
  if (failed(e.requireSizes(name, e.operand(i), least)))
    return failure();
  SmallVector<Size> entries;
  for (int64_t d : llvm::seq(rank))
    entries.push_back(e.gather(e.operand(i), e.size(d), 0));
  return entries;
}

LogicalResult recur::ir::expandBatchToSpace(Expansion &e) {
  Value data = e.operand(0);
  int64_t rank = rankOf(data);
  FailureOr<SmallVector<Size>> block = splitEntries(e, 1, rank, "'block_shape'", 1),
                               begin = splitEntries(e, 2, rank, "'crops_begin'"),
                               end = splitEntries(e, 3, rank, "'crops_end'");
  if (failed(block) || failed(begin) || failed(end))
    return failure();
  // [b1, .., bk, N, D1, .., Dk] becomes [N, D1, b1, .., Dk, bk], then [N, D1 * b1, .., Dk * bk].
  SmallVector<Size> dims = getSizes(e, data), split(llvm::drop_begin(*block)), merged;
  Size blocks = e.product(split);
  merged.push_back(e.divide(dims[0], blocks));
  split.push_back(merged[0]);
  SmallVector<int64_t> order{rank - 1};
  for (int64_t i : llvm::seq<int64_t>(1, rank)) {
    split.push_back(dims[i]);
    merged.push_back(e.multiply(dims[i], (*block)[i]));
    order.append({rank + i - 1, i - 1});
  }
  Value whole = e.reshape(e.transpose(e.reshape(data, split), order), merged);
  for (int64_t i : llvm::seq<int64_t>(1, rank))
    whole = e.slice(whole, i, (*begin)[i], e.subtract(merged[i], (*end)[i]));
  return e.replace(whole);
}

LogicalResult recur::ir::expandSpaceToBatch(Expansion &e) {
  int64_t rank = rankOf(e.operand(0));
  FailureOr<SmallVector<Size>> block = splitEntries(e, 1, rank, "'block_shape'", 1);
  if (failed(block) || failed(splitEntries(e, 2, rank, "'pads_begin'")) ||
      failed(splitEntries(e, 3, rank, "'pads_end'")))
    return failure();
  Value data = e.pad(e.operand(0), e.operand(2), e.operand(3), e.scalar(0, elementOf(e.operand(0))));
  // [N, D1 * b1, .., Dk * bk] becomes [N, D1, b1, .., Dk, bk], then [b1, .., bk, N, D1, .., Dk].
  SmallVector<Size> dims = getSizes(e, data), split{dims[0]}, merged{dims[0]};
  SmallVector<int64_t> order, last{0};
  for (int64_t i : llvm::seq<int64_t>(1, rank)) {
    Size outer = e.divide(dims[i], (*block)[i]);
    split.append({outer, (*block)[i]});
    merged[0] = e.multiply(merged[0], (*block)[i]);
    merged.push_back(outer);
    order.push_back(2 * i);
    last.push_back(2 * i - 1);
  }
  llvm::append_range(order, last);
  return e.replace(e.reshape(e.transpose(e.reshape(data, split), order), merged));
}

LogicalResult recur::ir::expandShuffleChannels(Expansion &e) {
  Value data = e.operand(0);
  FailureOr<int64_t> axis = e.normalizeAxis("axis", e.integer("axis"), rankOf(data));
  if (failed(axis))
    return failure();
  if (e.integer("group") < 1)
    return e.error("expected 'group' to be 1 or more, but got " + Twine(e.integer("group")));
  Size group = e.size(e.integer("group"));
  SmallVector<Size> split = getSizes(e, data);
  Value whole = e.concat(split, 0);
  split[*axis] = e.divide(split[*axis], group);
  split.insert(split.begin() + *axis, group);
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq(rankOf(data) + 1));
  std::swap(order[*axis], order[*axis + 1]);
  return e.replace(e.reshape(e.transpose(e.reshape(data, split), order), whole));
}
