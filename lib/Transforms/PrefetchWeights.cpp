// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PrefetchWeights.cpp - Ask for weights before they are needed -------===//
//
// A product of several rows computes longer on each row of a matrix than L3 takes to deliver it. But the CPU itself
// asks for it too late, so the two times add up. A prefetch, of the next block if several tiles read the same one and
// else some steps ahead, makes them overlap. A single row reads as fast as L2 delivers, and needs no more than a loop
// that the CPU can look ahead in.
//
//===----------------------------------------------------------------------===//

#include "KernelCalls.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"
#include "TargetFacts.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace recur {
#define GEN_PASS_DEF_PREFETCHWEIGHTS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// A tile of fewer rows reads faster than L3 delivers, whoever asks.
static constexpr int64_t kLeastRows = 4;

/// How many steps along the shared dim a prefetch is ahead: at about 12 cycles a step, the latency of L3.
static constexpr int64_t kStepsAhead = 16;

/// The cache lines that one iteration reads of a stream. Measured in L2, for steps of 8 lines: with 24
/// lines, sapphirerapids reads 1.08 times as fast as with 8, and as fast as with 32; znver5 reads as fast with 1 to 28,
/// and 1.5 times slower with 32.
static constexpr int64_t kLinesOfIteration = 24;

/// Steps of fewer lines are left as they are.
static constexpr int64_t kLeastLinesOfStep = 8;

/// True if `load` reads a part of a row of packed weights in each step of `loop`.
static bool readsWeights(vector::LoadOp load, scf::ForOp loop) {
  MemRefType type = load.getMemRefType();
  return type.getRank() == 3 && !ShapedType::isDynamic(type.getDimSize(2)) && type.getElementType().isIntOrFloat() &&
         load.getIndices()[1] == loop.getInductionVar();
}

/// True if all steps of `loop` read the same block.
static bool readsOneBlock(vector::LoadOp load, scf::ForOp loop) {
  return loop.isDefinedOutsideOfLoop(load.getBase()) && loop.isDefinedOutsideOfLoop(load.getIndices()[0]);
}

/// The type of a whole row of a block of packed weights.
static VectorType getRowType(vector::LoadOp load) {
  MemRefType type = load.getMemRefType();
  return VectorType::get(type.getShape().back(), type.getElementType());
}

/// True if the matrix may be too large for L2 and what is near behind it, from which the CPU fetches
/// early enough by itself. Measured on znver5: products of 64 to 128 rows by matrices of 0.5 to 1 MiB take 1.2 to 2
/// times as long if tiles ask for them, and models with matrices of 4 MiB take 5 percent less.
static bool mayBeFar(MemRefType type) {
  return !type.hasStaticShape() || type.getNumElements() * type.getElementTypeBitWidth() / 8 > kL2Bytes;
}

/// The loop over tiles of rows around `loop`, in which all tiles read the same block, or null.
static scf::ForOp getLoopOverRows(scf::ForOp loop, vector::LoadOp load) {
  auto rows = dyn_cast<scf::ForOp>(loop->getParentOp());
  if (!rows || rows.getNumResults() != 0 || !rows.isDefinedOutsideOfLoop(load.getIndices()[0]) ||
      !rows.isDefinedOutsideOfLoop(load.getBase()))
    return {};
  return rows;
}

/// `value`, if `variable` were `replacement`. `slice` has the ops that compute it from that, in order.
static Value recompute(OpBuilder &b, Value value, ArrayRef<Operation *> slice, Value variable, Value replacement) {
  IRMapping map;
  map.map(variable, replacement);
  for (Operation *op : slice)
    b.clone(*op, map);
  return map.lookup(value);
}

/// The block that comes after `block`: that of the next iteration of the closest loop around `inner` that it depends
/// on, or, in the last one, that with which the loop begins in the next iteration of a loop around it. Null if it
/// depends on none, or by other ops than those that give a loop its direction.
static Value getNextBlock(OpBuilder &b, Value block, Operation *inner) {
  auto isPlace = [](Operation *op) { return isa<arith::AddIOp, arith::SubIOp, arith::SelectOp>(op); };
  for (auto loop = inner->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>()) {
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
    if (failed(getBackwardSlice(block, &slice, options)) || !llvm::all_of(slice, isPlace))
      return {};
    Value variable = loop.getInductionVar();
    if (block != variable &&
        llvm::none_of(slice, [&](Operation *op) { return llvm::is_contained(op->getOperands(), variable); }))
      continue;
    Location loc = block.getLoc();
    Value later = b.createOrFold<arith::AddIOp>(loc, variable, loop.getStep());
    if (Value first = getNextBlock(b, loop.getLowerBound(), loop)) {
      Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, later, loop.getUpperBound());
      later = arith::SelectOp::create(b, loc, isInside, later, first);
    }
    return recompute(b, block, slice.getArrayRef(), variable, later);
  }
  return {};
}

namespace {
/// The tiles that read the same block one after the other.
struct Tiles {
  /// How many there are, and how many come before this one.
  Value count, number;
};
} // namespace

/// Finds the tiles that read what `load` in `loop` reads: loops beside it, and the iterations of a loop over rows. Two
/// products by the same block, one after the other, count as one. In a kernel, a loop over the tiles is marked.
static Tiles findTiles(OpBuilder &b, scf::ForOp loop, vector::LoadOp load) {
  Location loc = load.getLoc();
  for (auto marked = loop->getParentOfType<scf::ForOp>(); marked; marked = marked->getParentOfType<scf::ForOp>())
    if (marked->hasAttr(rt::kTilesOfBlockAttr))
      return {marked.getUpperBound(), marked.getInductionVar()};
  scf::ForOp own = getLoopOverRows(loop, load), place = own ? own : loop;
  auto plus = [&](Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); };
  Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
  Tiles tiles{zero, zero};
  for (auto other : place->getBlock()->getOps<scf::ForOp>()) {
    vector::LoadOp same;
    other.walk([&](vector::LoadOp candidate) {
      if (candidate.getBase() == load.getBase() && candidate.getIndices()[0] == load.getIndices()[0])
        same = candidate;
    });
    // Bounds that are computed behind this loop belong to another product.
    auto isBefore = [&](Value value) {
      Operation *op = value.getDefiningOp();
      return !op || op->getBlock() != place->getBlock() || op->isBeforeInBlock(place);
    };
    if (!same || !llvm::all_of(other->getOperands(), isBefore))
      continue;
    bool isOwn = other == place, hasRows = isOwn ? bool(own) : same->getParentOfType<scf::ForOp>() != other;
    auto minus = [&](Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); };
    Value count = one, number = zero;
    if (hasRows) {
      Value extent = minus(other.getUpperBound(), other.getLowerBound());
      count = b.createOrFold<arith::CeilDivUIOp>(loc, extent, other.getStep());
      if (isOwn)
        number =
            b.createOrFold<arith::DivUIOp>(loc, minus(other.getInductionVar(), other.getLowerBound()), other.getStep());
    }
    if (isOwn)
      tiles.number = plus(tiles.count, number);
    tiles.count = plus(tiles.count, count);
  }
  return tiles;
}

/// Asks for the cache lines of `load` in a later step. Behind the last step, and before the first one of a loop that
/// goes backward, the address may be none of the matrix's; a prefetch of it has no effect.
static void prefetch(scf::ForOp loop, vector::LoadOp load) {
  MemRefType type = load.getMemRefType();
  int64_t columns = type.getDimSize(2), bytes = type.getElementTypeBitWidth() / 8;
  int64_t lineColumns = std::min(kLineBytes / bytes, columns), lines = llvm::divideCeil(columns, lineColumns);
  APInt first;
  // One prefetch of several loads is enough.
  if (!matchPattern(load.getIndices()[2], m_ConstantInt(&first)) || !first.isZero())
    return;
  OpBuilder b(loop);
  Location loc = load.getLoc();
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  auto plus = [&](Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); };
  auto times = [&](Value x, Value y) { return b.createOrFold<arith::MulIOp>(loc, x, y); };
  auto choose = [&](Value which, Value x, Value y) { return b.createOrFold<arith::SelectOp>(loc, which, x, y); };
  Tiles tiles = findTiles(b, loop, load);
  std::optional<int64_t> number = getConstantIntValue(tiles.number);
  // The first tiles have asked for all lines of the next block.
  if (number.value_or(0) >= lines)
    return;
  remarkPassed(loc, "rt-prefetch-weights", "prefetched", "tiles ask for weights of {0} before they need them",
               JoinedSizes(type.getShape()));
  Value block = load.getIndices()[0], line = index(lineColumns), zero = index(0);
  Value isOnly = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ule, tiles.count, index(1));
  // In elements: the distance of two rows of the block, the place at the first step, and what each step adds to it.
  SmallVector<int64_t> strides;
  int64_t offset;
  Value row = succeeded(type.getStridesAndOffset(strides, offset)) && !ShapedType::isDynamic(strides[1])
                  ? index(strides[1])
                  : memref::ExtractStridedMetadataOp::create(b, loc, load.getBase()).getStrides()[1];
  // Each of the first tiles asks for one line of the next block in each step, in the order of the addresses, which L3
  // delivers faster than every second line (measured: 1.13 times). So L3 delivers while all tiles
  // compute, and not only while the first one does. If a row is a part of a wider one, its lines are apart, and a tile
  // asks for one of each row. A single tile asks for all lines of a row of its own block.
  Value isWhole = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, row, index(columns));
  Value shared = b.createOrFold<memref::DimOp>(loc, load.getBase(), 1);
  Value place = times(tiles.number, choose(isWhole, times(shared, line), line)), pace = choose(isWhole, line, row);
  Value next = getNextBlock(b, block, loop);
  // The tiles behind the first ones ask for nothing.
  Value asks = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, tiles.number, index(lines));
  // And so do those of a matrix that turns out to be near.
  if (!type.hasStaticShape()) {
    Value rows = times(b.createOrFold<memref::DimOp>(loc, load.getBase(), 0), shared);
    asks = b.createOrFold<arith::AndIOp>(
        loc, asks,
        b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ugt, rows, index(kL2Bytes / (columns * bytes))));
  }
  block = choose(isOnly, block, next ? next : plus(block, index(1)));
  place = choose(isOnly, times(row, index(kStepsAhead)), place);
  pace = choose(isOnly, row, pace);
  b.setInsertionPoint(load);
  place = plus(place, times(loop.getInductionVar(), pace));
  auto emit = [&](int64_t i) {
    memref::PrefetchOp::create(b, loc, load.getBase(), ValueRange{block, zero, plus(place, index(i * lineColumns))},
                               /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
  };
  // A branch costs less than a prefetch of a line that is near.
  auto emitIf = [&](Value condition, function_ref<void()> body) {
    if (std::optional<int64_t> constant = getConstantIntValue(condition)) {
      if (*constant)
        body();
      return;
    }
    auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    body();
  };
  emitIf(asks, [&] {
    emit(0);
    emitIf(isOnly, [&] {
      for (int64_t i = 1; i < lines; ++i)
        emit(i);
    });
  });
}

/// Takes so many steps of a loop that reads one stream for one row in an iteration that the CPU fetches ahead best: if
/// each load follows itself at an equal distance, and there are about kLinesOfIteration of them.
static void readStream(scf::ForOp loop, vector::LoadOp load) {
  int64_t bits = load.getVectorType().getNumElements() * load.getMemRefType().getElementTypeBitWidth();
  int64_t lines = bits / 8 / kLineBytes;
  if (lines < kLeastLinesOfStep || 2 * lines > kLinesOfIteration)
    return keepLoop(loop);
  FailureOr<UnrolledLoopInfo> unrolled = loopUnrollByFactor(loop, kLinesOfIteration / lines);
  if (failed(unrolled))
    return keepLoop(loop);
  for (std::optional<scf::ForOp> part : {unrolled->mainLoopOp, unrolled->epilogueLoopOp})
    if (part)
      keepLoop(*part);
}

namespace {
struct PrefetchWeights final : recur::impl::PrefetchWeightsBase<PrefetchWeights> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      schedule(loop);
  }

  static void schedule(scf::ForOp loop) {
    SmallVector<vector::LoadOp> loads;
    int64_t loaded = 0, accumulated = 0;
    for (auto load : loop.getBody()->getOps<vector::LoadOp>())
      if (readsWeights(load, loop)) {
        loads.push_back(load);
        loaded += load.getVectorType().getNumElements();
      }
    for (Type type : loop.getResultTypes())
      if (auto vector = dyn_cast<VectorType>(type); vector && !vector.isScalable())
        accumulated += vector.getNumElements();
    if (loads.size() == 1 && accumulated == loaded && loads.front().getVectorType() == getRowType(loads.front()))
      return readStream(loop, loads.front());
    // Each row of a tile has an accumulator for each element of the loaded columns.
    if (accumulated < kLeastRows * loaded)
      return;
    for (vector::LoadOp load : loads)
      if (readsOneBlock(load, loop) && mayBeFar(load.getMemRefType()))
        prefetch(loop, load);
  }
};
} // namespace
