// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MarkIndependentLoops.cpp - Find loops for several threads ----------===//
//
// The loops are found before the places of buffers in the workspace are planned, where each allocation is memory of its
// own. The plan keeps them independent: what a loop accesses lives at least as long as the loop.
//
//===----------------------------------------------------------------------===//

#include "LargeWeights.h"
#include "MovedBuffers.h"
#include "Recur/Analysis/IndependentLoops.h"
#include "Recur/Analysis/KernelParts.h"
#include "Recur/Analysis/TimeLoopBuffers.h"
#include "Recur/Analysis/WorkEstimate.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"
#include "TargetFacts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace recur {
#define GEN_PASS_DEF_MARKINDEPENDENTLOOPS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The least vector instructions for each cache line of a result that several threads compute and one reads, if the
/// least work of a thread is the default. Measured on sapphirerapids, where a line from another core takes some 60
/// cycles of a loop: products by matrices of 64 rows lose by two threads, and those by 128 rows gain.
static constexpr uint64_t kLeastWorkPerLine = 96;

/// The same for what one thread has written, and several threads read outside of time loops. The second thread reads
/// half of the lines, and the first one has to get them back when it writes the buffer again. Measured on znver5: a sum
/// of rows with 4 instructions for each line loses a half by two threads.
static constexpr uint64_t kLeastWorkPerReadLine = 12;

/// The bytes of a buffer whose unknown dims are of medium size.
static uint64_t getTypicalBytes(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  uint64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    OpFoldResult size = getKnownDim(buffer, dim);
    std::optional<int64_t> known = size ? getConstantIntValue(size) : std::nullopt;
    bytes = llvm::SaturatingMultiply<uint64_t>(bytes, known.value_or(kTypicalTripCount));
  }
  return bytes;
}

/// True if a time loop reads what `op`, a loop or a call of a kernel, computes with little work for each cache line.
/// One thread runs the time loop, and gets from the other core what that has computed. That takes longer than to
/// compute it.
static bool isReadByOneThread(Operation *op, int64_t gangWork) {
  SmallVector<BufferAccess> accesses;
  WalkResult known = op->walk([&](Operation *inner) {
    return inner->getNumRegions() || succeeded(collectAccessesOf(inner, accesses)) ? WalkResult::advance()
                                                                                   : WalkResult::interrupt();
  });
  if (known.wasInterrupted())
    return false;
  // A store in a loop is a part of what the loop writes, and a loop has many stores to one buffer.
  SetVector<Value> results;
  for (const BufferAccess &access : accesses) {
    if (!access.writes || !getElementTypeOrSelf(access.buffer).isIntOrFloat())
      continue;
    if (access.op == op)
      results.insert(access.buffer);
    else
      results.insert_range(findRoots(access.buffer));
  }
  // Half of the instructions of inline code load operands and spread them; the cost of a kernel has the others only.
  uint64_t work = WorkEstimate(op).getTypical() / kWorkPerInstruction / (isa<scf::ForOp>(op) ? 2 : 1);
  return llvm::any_of(results, [&](Value result) {
    uint64_t lines = getTypicalBytes(result) / kLineBytes;
    return llvm::SaturatingMultiply<uint64_t>(work, kDefaultGangWork) <
               llvm::SaturatingMultiply<uint64_t>(lines, kLeastWorkPerLine * gangWork) &&
           llvm::any_of(findRoots(result), [&](Value root) { return isReadInOtherTimeLoop(root, op); });
  });
}

/// True if several threads may compute `op` or a loop around it, which has been marked.
static bool isDivided(Operation *op, int64_t gangWork) {
  auto hasWork = [&](Operation *part) { return WorkEstimate(part).getTypical() / kWorkPerInstruction / 2 >= gangWork; };
  if (auto call = dyn_cast<func::CallOp>(op); call && getKernelParts(call))
    return hasWork(op);
  for (; op; op = op->getParentOp())
    if (op->hasAttr(rt::kIndependentAttr) && !op->hasAttr(rt::kUndividedAttr))
      return true;
  return false;
}

/// True if `loop` reads with little work what one thread has written and its L1 and L2 may still hold. The other
/// threads would get it from there.
static bool readsOfOneThread(scf::ForOp loop, int64_t gangWork) {
  SmallVector<BufferAccess> accesses;
  WalkResult known = loop.walk([&](Operation *inner) {
    return inner->getNumRegions() || succeeded(collectAccessesOf(inner, accesses)) ? WalkResult::advance()
                                                                                   : WalkResult::interrupt();
  });
  if (known.wasInterrupted())
    return false;
  SetVector<Value> read;
  for (const BufferAccess &access : accesses)
    if (access.reads)
      read.insert_range(findRoots(access.buffer));
  uint64_t lines = 0;
  for (Value root : read) {
    // The model does not write its inputs and weights.
    uint64_t bytes = isa_and_present<memref::AllocOp, rt::OutputOp>(root.getDefiningOp()) ? getTypicalBytes(root) : 0;
    if (bytes == 0 || bytes > uint64_t(kHalfL2Bytes))
      continue;
    bool isWritten = false, isByOne = true;
    SetVector<Value> views;
    views.insert(root);
    for (size_t i = 0; i < views.size(); ++i)
      for (Operation *user : views[i].getUsers()) {
        if (isa<ViewLikeOpInterface>(user)) {
          views.insert_range(user->getResults());
          continue;
        }
        SmallVector<BufferAccess> uses;
        if (loop->isAncestor(user) || user->getNumRegions() || failed(collectAccessesOf(user, uses)))
          continue;
        if (llvm::none_of(uses, [&](const BufferAccess &use) { return use.writes && views.contains(use.buffer); }))
          continue;
        isWritten = true;
        isByOne &= !isDivided(user, gangWork);
      }
    if (isWritten && isByOne)
      lines += bytes / kLineBytes;
  }
  uint64_t work = WorkEstimate(loop).getTypical() / kWorkPerInstruction;
  return llvm::SaturatingMultiply<uint64_t>(work, kDefaultGangWork) <
         llvm::SaturatingMultiply<uint64_t>(lines, kLeastWorkPerReadLine * gangWork);
}

namespace {
struct MarkIndependentLoops final : recur::impl::MarkIndependentLoopsBase<MarkIndependentLoops> {
  using Base::Base;

  void runOnOperation() override {
    // The parts of a kernel are those of its calls.
    if (getOperation()->hasAttr(rt::kKernelAttr))
      return;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      // A group of time loops, or of parts of one, which has loops of its own.
      if (loop->hasAttr(rt::kIndependentAttr) || loop->hasAttr(rt::kInterchangeableAttr))
        return WalkResult::advance();
      // Two threads must get enough work, or the order of the iterations must matter (rt-alternate-order).
      if (WorkEstimate(loop).getTypical() / kWorkPerInstruction / 2 < gangWork &&
          !(rt::isInTimeLoop(loop) && readsLargeWeights(loop)))
        return WalkResult::advance();
      MovedBuffers moved(loop);
      if (!hasIndependentIterations(loop)) {
        // Nobody expects it of a loop over time.
        if (!rt::isTimeLoop(loop))
          remarkMissed(loop.getLoc(), "rt-mark-independent-loops", "not-independent",
                       "expected iterations that do not read or write what others write, for several threads");
        moved.undo();
        return WalkResult::advance();
      }
      loop->setAttr(rt::kIndependentAttr, UnitAttr::get(&getContext()));
      if (isReadByOneThread(loop, gangWork) || (!rt::isInTimeLoop(loop) && readsOfOneThread(loop, gangWork)))
        loop->setAttr(rt::kUndividedAttr, UnitAttr::get(&getContext()));
      return WalkResult::skip();
    });
    getOperation().walk([&](func::CallOp call) {
      if (getKernelParts(call) && isReadByOneThread(call, gangWork))
        call->setAttr(rt::kUndividedAttr, UnitAttr::get(&getContext()));
    });
  }
};
} // namespace
