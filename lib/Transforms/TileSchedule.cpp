// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TileSchedule.cpp - Choose the tiles of an op -----------------------===//
//
// Lanes run along the last dim of the result. A reduction gets rows, blocks and columns of accumulators until the
// registers are used.
//
//===----------------------------------------------------------------------===//

#include "TileSchedule.h"
#include "ScalarNest.h"
#include "TargetFacts.h"

#include "Recur/Analysis/WorkEstimate.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Dialect/RT/IR/SumOrder.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace recur;

/// The greatest element width in bits, among the operands and in the payload, at most 64. It determines the number of
/// lanes.
static int64_t getElementBits(linalg::GenericOp op) {
  int64_t bits = 8;
  for (Value operand : op->getOperands())
    bits = std::max<int64_t>(bits, getElementTypeOrSelf(operand.getType()).getIntOrFloatBitWidth());
  for (Operation &inner : *op.getBody())
    for (Type type : inner.getResultTypes())
      if (type.isIntOrFloat())
        bits = std::max<int64_t>(bits, type.getIntOrFloatBitWidth());
  return std::min<int64_t>(bits, 64);
}

std::nullopt_t recur::refuseToVectorize(linalg::GenericOp op, const char *reason) {
  if (reducesRowsInVectors(op))
    return std::nullopt;
  remarkMissed(op.getLoc(), "rt-tile-and-vectorize", "not-vectorized", "{0}", reason);
  return std::nullopt;
}

void recur::reportSchedule(linalg::GenericOp op, const TileSchedule &schedule, const TileTarget &target) {
  if (!wantsRemarks(op.getContext()))
    return;
  SmallVector<int64_t> tile;
  for (auto [size, range, kind] :
       llvm::zip_equal(schedule.parallel, op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (int64_t whole = size ? size : range; whole != 1 && kind == utils::IteratorType::parallel)
      tile.push_back(whole);
  int64_t bits = getElementBits(op), lanes = std::max<int64_t>(1, target.vectorBits / bits);
  if (op.getNumReductionLoops() == 0)
    remarkPassed(op.getLoc(), "rt-tile-and-vectorize", "vectorized",
                 "a tile has {0} elements of {1} bits, {2} in a vector", JoinedSizes(tile), bits, lanes);
  else
    remarkPassed(op.getLoc(), "rt-tile-and-vectorize", "vectorized",
                 "a tile has {0} elements of {1} bits, {2} in a vector; accumulators of an element: {3}",
                 JoinedSizes(tile), bits, lanes, schedule.perElement);
}

std::optional<unsigned> recur::getLaneLoop(linalg::GenericOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (AffineExpr expr : llvm::reverse(op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResults()))
    if (unsigned dim = cast<AffineDimExpr>(expr).getPosition(); ranges[dim] != 1)
      return dim;
  return std::nullopt;
}

/// A tile of so few rows costs little more than a remainder of it.
static constexpr int64_t kSmallTile = 4;

/// The rows of a tile, at most `most`, for `rows` rows in all. A small remainder costs almost as much as a whole tile,
/// so the rows are divided evenly then: 40 rows are 4 tiles of 10, and not 3 of 13 and one of 1.
static int64_t balanceRows(int64_t rows, int64_t most) {
  if (ShapedType::isDynamic(rows) || rows <= most || most <= kSmallTile)
    return most;
  auto isEven = [&](int64_t size) { return rows % size == 0 || rows % size * 2 >= size; };
  if (isEven(most))
    return most;
  int64_t size = llvm::divideCeil(rows, llvm::divideCeil(rows, most));
  while (!isEven(size))
    --size;
  return size;
}

/// The blocks of a tile, at most `most`: a power of two, or, if so few blocks would be left over that they had too few
/// accumulators, a number that divides the blocks evenly. A block has `accumulators` accumulators.
static int64_t balanceBlocks(int64_t blocks, int64_t most, int64_t accumulators) {
  int64_t size = llvm::bit_floor(uint64_t(most));
  if (ShapedType::isDynamic(blocks) || blocks <= size)
    return size;
  int64_t rest = blocks % size;
  if (rest == 0 || rest * accumulators >= kEnoughAccumulators)
    return size;
  return llvm::divideCeil(blocks, llvm::divideCeil(blocks, most));
}

/// True if `dim` indexes an operand together with the lane: it is one of blocks of columns. Any other is one of rows.
static bool runsWithLane(linalg::GenericOp op, unsigned dim, unsigned lane) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return map.isFunctionOfDim(dim) && map.isFunctionOfDim(lane);
  });
}

/// True if `dim` is one of blocks of columns, and not one of a batch, which all operands have.
static bool indexesColumnsOnly(linalg::GenericOp op, unsigned dim, unsigned lane) {
  return runsWithLane(op, dim, lane) && llvm::count_if(op.getDpsInputOperands(), [&](OpOperand *input) {
                                          return op.getMatchingIndexingMap(input).isFunctionOfDim(dim);
                                        }) == 1;
}

/// The most packed blocks, which the loop `dim` indexes, that a tile should read at the same time. Eight streams read
/// L2 faster than four, but not if all blocks fall into one set of the first TLB. `isRow` says that the tile
/// has one row, and the blocks at most two vectors: such tiles may be read by turns.
static int64_t getMostBlocks(linalg::GenericOp op, unsigned dim, unsigned lane, bool isRow) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (ShapedType::isDynamic(ranges[lane]))
    return kBlocksOfWholeTile;
  bool hasTurns = isRow && !ShapedType::isDynamic(ranges[dim]) && indexesColumnsOnly(op, dim, lane);
  int64_t most = kMostBlocksOfTile;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isFunctionOfDim(dim) || !map.isFunctionOfDim(lane))
      continue;
    int64_t rowBytes = llvm::divideCeil(getElementTypeOrSelf(input->get()).getIntOrFloatBitWidth() * ranges[lane], 8);
    int64_t bytes = rowBytes;
    for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
      if (kind == utils::IteratorType::reduction && map.isFunctionOfDim(loop)) {
        if (ShapedType::isDynamic(ranges[loop]))
          return kBlocksOfWholeTile;
        bytes *= ranges[loop];
      }
    if (int64_t byTurns = hasTurns ? getBlocksByTurns(ranges[dim], bytes, rowBytes) : 0)
      return byTurns;
    if (bytes % kBytesOfTLBSets == 0)
      most = kBlocksOfWholeTile;
  }
  return most;
}

int64_t recur::getAccumulatorsOfSum(linalg::GenericOp op, int64_t vectorBits) {
  // A reduction into which a product was fused has one accumulator for each element, as if it were not fused.
  arith::AddFOp sum = rt::getSumOfProducts(op);
  if (!sum)
    return 1;
  if (auto known = op->getAttrOfType<IntegerAttr>(rt::kAccumulatorsAttr))
    return known.getInt();
  return getAccumulatorsOfColumns(*rt::getColumns(op), vectorBits / sum.getType().getIntOrFloatBitWidth());
}

SmallVector<int64_t> recur::getPanelSizes(linalg::GenericOp op, const TileTarget &target) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges(), sizes(ranges.size(), 0);
  std::optional<unsigned> lane = getLaneLoop(op);
  if (!lane || op.getNumReductionLoops() == 0 || llvm::any_of(ranges, ShapedType::isDynamic))
    return sizes;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    if (!type || !map.isProjectedPermutation() || map.isFunctionOfDim(*lane))
      continue;
    int64_t bytes = llvm::divideCeil(type.getNumElements() * type.getElementTypeBitWidth(), 8), rows = 1;
    std::optional<unsigned> outer;
    for (unsigned dim = 0; dim < ranges.size(); ++dim)
      if (map.isFunctionOfDim(dim) && op.getIteratorTypesArray()[dim] == utils::IteratorType::parallel &&
          ranges[dim] != 1 && !runsWithLane(op, dim, *lane)) {
        rows *= ranges[dim];
        outer = outer.value_or(dim);
      }
    if (bytes <= kHalfL2Bytes || !outer)
      continue;
    // A panel of few tiles would read the other operand too often.
    int64_t least = kLeastTilesOfPanel * getAccumulators(target.registers) / 2, range = ranges[*outer], parts = 1;
    while (parts < range && (range % parts != 0 || bytes / parts > kHalfL2Bytes))
      ++parts;
    if (rows / parts < least)
      continue;
    sizes[*outer] = range / parts;
    return sizes;
  }
  return sizes;
}

/// A step of a reduction with so many ops takes no less time than the next step waits for its result.
static constexpr int64_t kOpsThatHideLatency = 5;

/// A payload of so many multiply-adds evaluates the polynomial of a function.
static constexpr int64_t kLeastStepsOfFunction = 4;

/// The vectors of an element-wise tile, whose lanes run along `length` elements. A function such as exp is one long
/// chain, which fills the CPU's scheduler before the next chain begins. Vectors of one tile take turns in each step of
/// the chain instead. So do functions that do not wait for each other. Work without functions has enough independent
/// vectors anyway.
static int64_t getVectorsOfPayload(linalg::GenericOp op, int64_t length, int64_t lanes, int64_t registers) {
  int64_t functions = 0, longest = 0, steps = 0;
  llvm::DenseMap<Value, int64_t> depths;
  for (Operation &inner : op.getBody()->without_terminator()) {
    int64_t depth = 0;
    for (Value operand : inner.getOperands())
      depth = std::max(depth, depths.lookup(operand));
    if (isa<math::FmaOp>(inner)) {
      ++steps;
    } else if (isa<math::MathDialect>(inner.getDialect()) && !isSingleInstruction(&inner)) {
      ++functions;
      longest = std::max(longest, ++depth);
    }
    for (Value result : inner.getResults())
      depths[result] = depth;
  }
  if (functions == 0 && steps < kLeastStepsOfFunction)
    return 1;
  int64_t together = longest == 0 ? 1 : functions / longest;
  int64_t vectors = std::max<int64_t>(1, llvm::bit_floor(uint64_t(getVectorsByTurns(registers) / together)));
  while (vectors > 1 && !ShapedType::isDynamic(length) && length % (vectors * lanes) != 0)
    vectors /= 2;
  return vectors;
}

std::optional<TileSchedule> recur::makeSchedule(linalg::GenericOp op, const TileTarget &target) {
  if (op.getNumDpsInits() == 0 || failed(linalg::vectorizeOpPrecondition(op)))
    return refuseToVectorize(op, "expected an op that upstream's vectorizer takes");
  // A payload that uses indices, or reads at computed ones, is left to scalar loops.
  if (llvm::any_of(op.getBody()->getOperations(), [](Operation &inner) {
        return isa<linalg::IndexOp, tensor::ExtractOp>(inner) || inner.getNumRegions() != 0;
      }))
    return refuseToVectorize(op, "expected a payload without indices, reads at computed indices, and branches");
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!op.getMatchingIndexingMap(&init).isProjectedPermutation() || op.getMatchingIndexingMap(&init) != out)
      return refuseToVectorize(op,
                               "expected results that all have the same dims, in the order of the loops or permuted");
  if (rt::hasOneColumn(op))
    return refuseToVectorize(op, "expected a product with several columns");
  if (isDeepNest(op))
    return refuseToVectorize(op, "expected fewer loops around each other");
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  std::optional<unsigned> lane = getLaneLoop(op);
  if (!lane)
    return refuseToVectorize(op, "expected a result of more than one element");
  int64_t lanes = std::max<int64_t>(1, target.vectorBits / getElementBits(op));
  int64_t length = ranges[*lane];
  bool isReduction = op.getNumReductionLoops() != 0;
  // The vectors of a sum along rows would be columns of the input. One scalar accumulator for each row is better.
  if (isReduction && llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
        AffineMap map = op.getMatchingIndexingMap(input);
        return map.getNumResults() > op.getNumParallelLoops() && map.isFunctionOfDim(*lane) &&
               map.getResults().back() != getAffineDimExpr(*lane, op.getContext());
      }))
    return refuseToVectorize(op, "expected a reduction whose vectors are contiguous in the input");

  TileSchedule schedule;
  schedule.parallel.assign(ranges.size(), 0);
  schedule.reduction.assign(ranges.size(), 0);
  for (auto [dim, kind] : llvm::enumerate(kinds)) {
    if (ranges[dim] == 1)
      continue;
    if (kind == utils::IteratorType::parallel)
      schedule.parallel[dim] = 1;
    else
      schedule.reduction[dim] = 1;
  }
  int64_t vectors = isReduction ? 2 : getVectorsOfPayload(op, length, lanes, target.registers);
  // The two vectors of a reduction are separate accumulators, which hide latencies.
  if (isReduction && !ShapedType::isDynamic(length) && length < lanes * vectors)
    vectors = std::max<int64_t>(1, length / lanes);
  int64_t laneTile = lanes * vectors;
  if (!ShapedType::isDynamic(length) && length <= laneTile)
    schedule.parallel[*lane] = 0;
  else
    schedule.parallel[*lane] = laneTile;

  if (isReduction) {
    // The rows of a tile share the loads of the other operand, so a tile has as many rows as there are registers for
    // accumulators.
    int64_t perRow = std::max<int64_t>(
        1, llvm::divideCeil(ShapedType::isDynamic(length) ? laneTile : std::min(length, laneTile), lanes));
    schedule.perElement = getAccumulatorsOfSum(op, target.vectorBits);
    int64_t accumulators = getAccumulators(target.registers) / schedule.perElement;
    // The other dims in which the tile may grow: rows first, then, if there are few rows, blocks of columns (packed
    // weights).
    SmallVector<unsigned> others;
    for (AffineExpr expr : llvm::reverse(out.getResults())) {
      unsigned dim = cast<AffineDimExpr>(expr).getPosition();
      if (dim != *lane && ranges[dim] != 1)
        others.push_back(dim);
    }
    int64_t left = std::max<int64_t>(1, accumulators / perRow), rows = 1;
    auto enlarge = [&](unsigned dim) {
      int64_t size = ShapedType::isDynamic(ranges[dim]) ? left : std::min(left, ranges[dim]);
      if (ShapedType::isDynamic(ranges[dim]) || size < ranges[dim])
        schedule.parallel[dim] = size;
      else
        schedule.parallel[dim] = 0;
      left = std::max<int64_t>(1, left / std::max<int64_t>(1, size));
      return size;
    };
    for (unsigned dim : others)
      if (!runsWithLane(op, dim, *lane) && left > 1) {
        left = balanceRows(ranges[dim], left);
        rows *= enlarge(dim);
      }
    // A vector that several rows share takes a register too, and so does the element that it is multiplied by.
    if (rows > 1)
      left = std::min(left, std::max<int64_t>(1, (target.registers - 1) / ((rows + 1) * perRow)));
    // Other ops of the payload hide the latencies, so only rows that share loads gain by a larger tile.
    if (!rt::getSumOfProducts(op) && llvm::range_size(op.getBody()->without_terminator()) >= kOpsThatHideLatency)
      left = 1;
    // Without rows, more columns of a block hide the latencies.
    auto widen = [&](int64_t most) {
      if (left <= 1 || ShapedType::isDynamic(length) || length <= laneTile)
        return;
      int64_t factor = llvm::bit_floor(uint64_t(std::min({left, most / 2, length / laneTile})));
      laneTile *= factor;
      left = laneTile < lanes * kEnoughAccumulators ? left / factor : 1;
      schedule.parallel[*lane] = length <= laneTile ? 0 : laneTile;
    };
    if (llvm::all_of(others, [&](unsigned dim) { return indexesColumnsOnly(op, dim, *lane); }))
      widen(getAccumulatorsOfRow(target.registers));
    // The remaining accumulators go to blocks.
    for (unsigned dim : others)
      if (runsWithLane(op, dim, *lane) && left > 1) {
        int64_t most = std::min(left, getMostBlocks(op, dim, *lane, rows == 1 && length <= lanes * 2));
        left = balanceBlocks(ranges[dim], most, perRow * rows * schedule.perElement);
        enlarge(dim);
      }
    widen(kEnoughAccumulators);
    // Loops over blocks and columns are outermost, so that the columns of a tile stay in a cache for all rows.
    for (unsigned dim : others)
      if (runsWithLane(op, dim, *lane))
        schedule.order.push_back(dim);
    schedule.order.push_back(*lane);
    for (unsigned dim = 0; dim < ranges.size(); ++dim)
      if (!llvm::is_contained(schedule.order, dim))
        schedule.order.push_back(dim);
  }
  return schedule;
}

SmallVector<int64_t> recur::getMaskedSizes(linalg::GenericOp op, const TileSchedule &schedule) {
  if (op.getNumReductionLoops() != 0)
    return {};
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  std::optional<unsigned> dynamic;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (schedule.parallel[dim] == 0)
      continue;
    if (ShapedType::isDynamic(size) && schedule.parallel[dim] != 1)
      dynamic = dim;
    size = schedule.parallel[dim];
  }
  if (!dynamic)
    return {};
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!isa<ShapedType>(operand.get().getType()))
      continue;
    int64_t bits = getElementTypeOrSelf(operand.get().getType()).getIntOrFloatBitWidth();
    // The positions of the loops that index the operand. Any other index is a constant, of a dim of one element.
    SmallVector<unsigned> positions;
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        positions.push_back(dim.getPosition());
    if ((bits != 32 && bits != 64) || !map.isProjectedPermutation(/*allowZeroInResults=*/true) ||
        !llvm::is_sorted(positions) ||
        (map.isFunctionOfDim(*dynamic) && map.getResults().back() != getAffineDimExpr(*dynamic, op.getContext())))
      return {};
  }
  return sizes;
}
