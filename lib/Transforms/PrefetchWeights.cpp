// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PrefetchWeights.cpp - Ask for weights before they are needed -------===//
//
// A product of several rows computes longer on each row of a matrix than a far cache takes to deliver it. But the CPU
// itself asks for it too late, so the two times add up. A prefetch some steps ahead makes them overlap. A single row
// reads as fast as the near cache delivers, and needs no more than a loop that the CPU can look ahead in.
//
//===----------------------------------------------------------------------===//

#include "KernelCalls.h"
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

/// A tile of fewer rows reads faster than a far cache delivers, whoever asks.
static constexpr int64_t kLeastRows = 4;

/// How many steps along the shared dim a prefetch is ahead: at about 12 cycles a step, the latency of a far cache.
static constexpr int64_t kStepsAhead = 16;

/// The cache lines that one iteration reads of a stream. Measured in the second cache, for steps of 8 lines: with 24
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

/// The type of a whole row of a block of packed weights.
static VectorType getRowType(vector::LoadOp load) {
  MemRefType type = load.getMemRefType();
  return VectorType::get(type.getShape().back(), type.getElementType());
}

/// True if the matrix may be too large for the second cache, from which the CPU fetches early enough.
static bool mayBeFar(MemRefType type) {
  return !type.hasStaticShape() || type.getNumElements() * type.getElementTypeBitWidth() / 8 > kLeastSecondCacheBytes;
}

/// The loop over tiles of rows around `loop`, in which all tiles read the same block, or null.
static scf::ForOp getLoopOverRows(scf::ForOp loop, vector::LoadOp load) {
  auto rows = dyn_cast<scf::ForOp>(loop->getParentOp());
  if (!rows || rows.getNumResults() != 0 || !rows.isDefinedOutsideOfLoop(load.getIndices()[0]) ||
      !rows.isDefinedOutsideOfLoop(load.getBase()))
    return {};
  return rows;
}

/// The block in the next iteration of the closest loop around `inner` that it depends on: `block` with the induction
/// variable a step later. Null if it depends on none, or by other ops than those that give a loop its direction.
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
    if (block != loop.getInductionVar() && llvm::none_of(slice, [&](Operation *op) {
          return llvm::is_contained(op->getOperands(), loop.getInductionVar());
        }))
      continue;
    IRMapping next;
    next.map(loop.getInductionVar(),
             b.createOrFold<arith::AddIOp>(block.getLoc(), loop.getInductionVar(), loop.getStep()));
    for (Operation *op : slice)
      b.clone(*op, next);
    return next.lookup(block);
  }
  return {};
}

/// Asks for the cache lines of `load` in a later step. Behind the last step, the address may be none of the matrix's; a
/// prefetch of it has no effect.
static void prefetch(scf::ForOp loop, vector::LoadOp load) {
  MemRefType type = load.getMemRefType();
  int64_t columns = type.getDimSize(2), bytes = type.getElementTypeBitWidth() / 8;
  int64_t lineColumns = kLineBytes / bytes, lines = llvm::divideCeil(columns, lineColumns);
  APInt first;
  // One prefetch of several loads is enough.
  if (!matchPattern(load.getIndices()[2], m_ConstantInt(&first)) || !first.isZero())
    return;
  OpBuilder b(loop);
  Location loc = load.getLoc();
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  auto plus = [&](Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); };
  auto choose = [&](Value which, Value x, Value y) { return b.createOrFold<arith::SelectOp>(loc, which, x, y); };
  Value block = load.getIndices()[0], column = index(0), ahead = index(kStepsAhead), apart = index(lineColumns);
  if (scf::ForOp rows = getLoopOverRows(loop, load)) {
    // Each of the first tiles asks for one line of each row of the next block. So the far cache delivers while all
    // tiles compute, and not only while the first one does. A single tile asks for its own block.
    Value extent = b.createOrFold<arith::SubIOp>(loc, rows.getUpperBound(), rows.getLowerBound());
    Value isOnly = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, extent, rows.getStep());
    Value tile = arith::DivUIOp::create(
        b, loc, arith::SubIOp::create(b, loc, rows.getInductionVar(), rows.getLowerBound()), rows.getStep());
    tile = arith::MinUIOp::create(b, loc, tile, index(lines - 1));
    Value next = getNextBlock(b, block, rows);
    block = choose(isOnly, block, next ? next : plus(block, index(1)));
    column = choose(isOnly, column, b.createOrFold<arith::MulIOp>(loc, tile, apart));
    ahead = choose(isOnly, ahead, index(0));
    apart = choose(isOnly, apart, index(0));
  }
  // The distance of two addresses is that of two rows, so the loop keeps one address, and its registers for the sums.
  b.setInsertionPoint(load);
  Value step = plus(loop.getInductionVar(), ahead);
  for (int64_t line = 0; line < lines; ++line) {
    memref::PrefetchOp::create(b, loc, load.getBase(), ValueRange{block, step, column}, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
    if (matchPattern(apart, m_Zero()))
      break;
    column = plus(column, apart);
  }
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
      if (mayBeFar(load.getMemRefType()))
        prefetch(loop, load);
  }
};
} // namespace
