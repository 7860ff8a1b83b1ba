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
#include "Recur/Analysis/WorkEstimate.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace recur {
#define GEN_PASS_DEF_MARKINDEPENDENTLOOPS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {
struct MarkIndependentLoops final : recur::impl::MarkIndependentLoopsBase<MarkIndependentLoops> {
  using Base::Base;

  void runOnOperation() override {
    // The parts of a kernel are those of its calls.
    if (getOperation()->hasAttr(rt::kKernelAttr))
      return;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      // Two threads must get enough work, or the order of the iterations must matter (rt-alternate-order).
      if (WorkEstimate(loop).getTypical() / kWorkPerInstruction / 2 < gangWork &&
          !(rt::isInTimeLoop(loop) && readsLargeWeights(loop)))
        return WalkResult::advance();
      MovedBuffers moved(loop);
      if (!hasIndependentIterations(loop)) {
        moved.undo();
        return WalkResult::advance();
      }
      loop->setAttr(rt::kIndependentAttr, UnitAttr::get(&getContext()));
      return WalkResult::skip();
    });
  }
};
} // namespace
