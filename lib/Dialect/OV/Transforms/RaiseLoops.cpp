// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RaiseLoops.cpp - The ov-raise-loops pass ---------------------------===//
//
// Many exporters do not write slices and concatenations, but loops over a counter. The steps of this pass recover from
// the uses of the counter how often the loop runs, which part of an input an iteration reads, and where its result
// goes.
//
//===----------------------------------------------------------------------===//

#include "RaiseLoops.h"
#include "Recur/Dialect/OV/Transforms/Passes.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace recur::ov {
#define GEN_PASS_DEF_RAISELOOPS
#include "Recur/Dialect/OV/Transforms/Passes.h.inc"
} // namespace recur::ov

using namespace mlir;
using namespace recur;
using namespace recur::ov;
using namespace recur::ov::raising;

LoopOp raising::rebuild(LoopOp loop, RewriterBase &rewriter, ValueRange sliced, ValueRange emptyDims, ArrayAttr slices,
                        TypeRange concatenated, ArrayAttr concats) {
  LoopOp replacement = LoopOp::create(rewriter, loop.getLoc(), loop.getCarried().getTypes(), loop.getLast().getTypes(),
                                      concatenated, loop.getTripCount(), loop.getCondition(), sliced,
                                      loop.getInitArgs(), emptyDims, slices, concats, loop.getHasIndexAttr());
  replacement->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(loop.getBody(), replacement.getBody(), replacement.getBody().end());
  unsigned old = loop.getNumResults();
  rewriter.replaceOp(loop, replacement.getResults().take_front(old));
  return replacement;
}

namespace {
struct RaiseLoops final : recur::ov::impl::RaiseLoopsBase<RaiseLoops> {
  void runOnOperation() override {
    SmallVector<LoopOp> loops;
    getOperation().walk([&](LoopOp loop) { loops.push_back(loop); });
    RefusalRemarks remarks("ov-raise-loops", "not-raised");
    IRRewriter rewriter(&getContext(), &remarks);
    for (LoopOp loop : loops) {
      Location loc = loop.getLoc();
      unsigned slices = loop.getSliced().size(), concats = loop.getConcatenated().size();
      bool wasCounted = loop.isConditionAlwaysTrue();
      raiseTripCount(loop, rewriter);
      if (!wasCounted && loop.isConditionAlwaysTrue())
        remarkPassed(loc, "ov-raise-loops", "trip-count", "the condition of the loop became its trip count");
      // This step matches gathers of indices at the counter. It runs before raiseSlices, which turns these into sliced
      // inputs.
      raiseElementScatters(loop, rewriter);
      loop = raiseConcats(raiseSlices(loop, rewriter), rewriter);
      if (unsigned raised = loop.getSliced().size() - slices)
        remarkPassed(loc, "ov-raise-loops", "slices", "reads at a counter that became slices of the loop: {0}", raised);
      if (unsigned raised = loop.getConcatenated().size() - concats)
        remarkPassed(loc, "ov-raise-loops", "concatenations", "lists that became concatenations of the loop: {0}",
                     raised);
    }
  }
};
} // namespace
