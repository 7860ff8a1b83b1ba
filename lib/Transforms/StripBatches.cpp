// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StripBatches.cpp - Several iterations for each part of a batch -----===//
//
// The states of a batch may be larger than L1, where those of one part of the batch fit. A time loop that
// does each iteration for the whole batch then reads all states from L2 or L3. Here each part of the batch does a
// strip of iterations before the next part begins. That is legal if no part reads or writes what another one writes,
// which is checked on the loops as they will be.
//
//===----------------------------------------------------------------------===//

#include "LoopMarks.h"
#include "MovedBuffers.h"
#include "Recur/Analysis/IndependentLoops.h"
#include "Recur/Analysis/TimeLoopBuffers.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"
#include "TargetFacts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace recur {
#define GEN_PASS_DEF_STRIPBATCHES
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The iterations of a strip. Reading the states once for so many costs little, and what a strip reads of the inputs
/// and writes of the outputs leaves the states in the cache.
static constexpr int64_t kStripIterations = 16;

/// The loop over the parts of a batch that does all the work of `timeLoop`, or null.
static scf::ForOp findParts(scf::ForOp timeLoop, rt::IterationOp marker) {
  scf::ForOp parts;
  for (Operation &op : timeLoop.getBody()->without_terminator()) {
    if (&op == marker.getOperation() || (op.getNumRegions() == 0 && isMemoryEffectFree(&op)))
      continue;
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || parts)
      return {};
    parts = loop;
  }
  std::optional<APInt> trips = parts ? parts.getStaticTripCount() : std::nullopt;
  bool isBatch = trips && trips->sge(2) && parts.getNumResults() == 0;
  return isBatch && llvm::all_of(ValueRange{parts.getLowerBound(), parts.getUpperBound(), parts.getStep()},
                                 [](Value bound) { return matchPattern(bound, m_Constant()); })
             ? parts
             : scf::ForOp();
}

/// True if the loop accesses a buffer that does not fit L1, but whose part for one iteration does.
static bool isWorthwhile(scf::ForOp parts) {
  int64_t trips = parts.getStaticTripCount()->getSExtValue();
  auto isLarge = [&](Value buffer) {
    auto alloc = buffer.getDefiningOp<memref::AllocOp>();
    if (!alloc || !alloc.getType().hasStaticShape() || !alloc.getType().getElementType().isIntOrFloat())
      return false;
    int64_t bytes = alloc.getType().getNumElements() * llvm::divideCeil(alloc.getType().getElementTypeBitWidth(), 8);
    return bytes > kL1Bytes && bytes / trips <= kL1Bytes;
  };
  WalkResult found = parts.walk([&](Operation *op) {
    return llvm::any_of(op->getOperands(), isLarge) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

/// Builds, in front of `timeLoop`, a loop over strips that does its work, and returns the loop over parts in it.
static scf::ForOp buildStrips(scf::ForOp timeLoop, scf::ForOp parts) {
  OpBuilder b(timeLoop);
  Location loc = timeLoop.getLoc();
  Value one = timeLoop.getStep(), length = arith::ConstantIndexOp::create(b, loc, kStripIterations);
  auto strips = scf::ForOp::create(b, loc, timeLoop.getLowerBound(), timeLoop.getUpperBound(), length);
  strips->setDiscardableAttrs(timeLoop->getDiscardableAttrDictionary());
  b.setInsertionPointToStart(strips.getBody());
  Value start = strips.getInductionVar(), end = arith::AddIOp::create(b, loc, start, length);
  std::optional<APInt> trips = timeLoop.getStaticTripCount();
  if (!trips || trips->srem(kStripIterations) != 0)
    end = arith::MinSIOp::create(b, loc, end, timeLoop.getUpperBound());
  // The number of the last iteration exceeds a limit if that of any iteration of the strip does.
  rt::IterationOp::create(b, loc, arith::SubIOp::create(b, loc, end, one));
  auto batch = scf::ForOp::create(b, parts.getLoc(), parts.getLowerBound(), parts.getUpperBound(), parts.getStep());
  batch->setDiscardableAttrs(parts->getDiscardableAttrDictionary());
  b.setInsertionPointToStart(batch.getBody());
  auto steps = scf::ForOp::create(b, loc, start, end, one);
  steps->setAttr(rt::kStepsAttr, b.getUnitAttr());
  b.setInsertionPointToStart(steps.getBody());
  IRMapping mapping;
  mapping.map(timeLoop.getInductionVar(), steps.getInductionVar());
  mapping.map(parts.getInductionVar(), batch.getInductionVar());
  for (Operation &op : timeLoop.getBody()->without_terminator())
    if (&op != parts && !isa<rt::IterationOp>(op))
      b.clone(op, mapping);
  for (Operation &op : parts.getBody()->without_terminator())
    b.clone(op, mapping);
  return batch;
}

namespace {
struct StripBatches final : recur::impl::StripBatchesBase<StripBatches> {
  void runOnOperation() override {
    SmallVector<rt::IterationOp> markers;
    getOperation().walk([&](rt::IterationOp marker) { markers.push_back(marker); });
    for (rt::IterationOp marker : markers) {
      auto timeLoop = dyn_cast<scf::ForOp>(marker->getParentOp());
      if (!timeLoop || timeLoop.getNumResults() || marker.getNumber() != timeLoop.getInductionVar() ||
          !matchPattern(timeLoop.getStep(), m_One()))
        continue;
      scf::ForOp parts = findParts(timeLoop, marker);
      if (!parts || !isWorthwhile(parts))
        continue;
      MovedBuffers moved(timeLoop);
      scf::ForOp batch = buildStrips(timeLoop, parts);
      if (hasIndependentIterations(batch)) {
        remarkPassed(parts.getLoc(), "rt-strip-batches", "strips",
                     "each part of the batch does {0} iterations before the next part begins", kStripIterations);
        timeLoop.erase();
        continue;
      }
      remarkMissed(parts.getLoc(), "rt-strip-batches", "no-strips",
                   "expected parts of the batch that do not read or write what others write");
      batch->getParentOp()->erase();
      moved.undo();
    }
  }
};
} // namespace
