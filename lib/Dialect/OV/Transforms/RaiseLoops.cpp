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

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

namespace recur::ov {
#define GEN_PASS_DEF_RAISELOOPS
#include "Recur/Dialect/OV/Transforms/Passes.h.inc"
} // namespace recur::ov

using namespace mlir;
using namespace recur::ov;
using namespace recur::ov::raising;

LoopOp raising::rebuild(LoopOp loop, RewriterBase &rewriter, ValueRange sliced, ArrayAttr slices,
                        TypeRange concatenated, ArrayAttr concats) {
  LoopOp replacement = LoopOp::create(rewriter, loop.getLoc(), loop.getCarried().getTypes(), loop.getLast().getTypes(),
                                      concatenated, loop.getTripCount(), loop.getCondition(), sliced,
                                      loop.getInitArgs(), slices, concats, loop.getHasIndexAttr());
  replacement->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(loop.getBody(), replacement.getBody(), replacement.getBody().end());
  unsigned old = loop.getNumResults();
  rewriter.replaceOp(loop, replacement.getResults().take_front(old));
  return replacement;
}

namespace {
/// Turns each match failure of a step into a remark with its reason.
struct Remarks final : RewriterBase::Listener {
  void notifyMatchFailure(Location loc, function_ref<void(Diagnostic &)> reason) override {
    Diagnostic diag(loc, DiagnosticSeverity::Remark);
    reason(diag);
    remark::missed(loc, remark::RemarkOpts::name("not-raised").category("ov-raise-loops"))
        << remark::reason("{0}", diag.str());
  }
};

struct RaiseLoops final : recur::ov::impl::RaiseLoopsBase<RaiseLoops> {
  void runOnOperation() override {
    SmallVector<LoopOp> loops;
    getOperation().walk([&](LoopOp loop) { loops.push_back(loop); });
    Remarks remarks;
    IRRewriter rewriter(&getContext(), &remarks);
    for (LoopOp loop : loops) {
      raiseTripCount(loop, rewriter);
      // This step matches gathers of indices at the counter. It runs before raiseSlices, which turns these into sliced
      // inputs.
      raiseElementScatters(loop, rewriter);
      raiseConcats(raiseSlices(loop, rewriter), rewriter);
    }
  }
};
} // namespace
