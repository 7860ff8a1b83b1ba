// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Movement.cpp - Layers that reorder elements ------------------------===//
//
// Most of them split a dim into two, exchange dims, and merge dims again.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

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

LogicalResult recur::ir::expandShuffleChannels(Expansion &e) {
  Value data = e.operand(0);
  FailureOr<int64_t> axis = e.normalizeAxis("axis", e.integer("axis"), rankOf(data));
  if (failed(axis))
    return failure();
  if (e.integer("group") < 1)
    return e.error("expected 'group' to be 1 or more, but got " + Twine(e.integer("group")));
  Size group = e.size(e.integer("group"));
  SmallVector<Size> split;
  for (int64_t i : llvm::seq(rankOf(data)))
    split.push_back(e.dim(data, i));
  Value whole = e.concat(split, 0);
  split[*axis] = e.divide(split[*axis], group);
  split.insert(split.begin() + *axis, group);
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq(rankOf(data) + 1));
  std::swap(order[*axis], order[*axis + 1]);
  return e.replace(e.reshape(e.transpose(e.reshape(data, split), order), whole));
}
