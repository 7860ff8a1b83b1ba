// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KeepTimeLoops.cpp - Loops over time stay loops ---------------------===//
//
// Runs twice: on scf, where time loops and trip counts are visible, and on the LLVM dialect, where the annotation moves
// to the attribute that the translation to LLVM IR reads.
//
//===----------------------------------------------------------------------===//

#include "KernelCalls.h"
#include "LoopMarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Target/ShortLoops.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace recur {
#define GEN_PASS_DEF_KEEPTIMELOOPS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// True if `start` is `end` without the remainder of a division by a small number, or `end` itself.
static bool isNear(Value start, Value end) {
  if (auto either = start.getDefiningOp<arith::SelectOp>())
    return isNear(either.getTrueValue(), end) && isNear(either.getFalseValue(), end);
  auto whole = start.getDefiningOp<arith::SubIOp>();
  auto rest = whole && whole.getLhs() == end ? whole.getRhs().getDefiningOp<arith::RemUIOp>() : arith::RemUIOp();
  std::optional<int64_t> step = rest && rest.getLhs() == end ? getConstantIntValue(rest.getRhs()) : std::nullopt;
  return start == end || (step && *step <= kFewIterations);
}

/// True for a loop that is known to have few iterations, though not how many: it handles the last elements of a row,
/// which fill no vector. Upstream's bounds tell it for affine values. They do not know arith.remui.
static bool isRest(scf::ForOp loop) {
  if (isNear(loop.getLowerBound(), loop.getUpperBound()))
    return true;
  MLIRContext *context = loop.getContext();
  auto length =
      AffineMap::get(/*dimCount=*/2, /*symbolCount=*/0, getAffineDimExpr(0, context) - getAffineDimExpr(1, context));
  Value bounds[] = {loop.getUpperBound(), loop.getLowerBound()};
  FailureOr<int64_t> most =
      ValueBoundsConstraintSet::computeConstantBound(presburger::BoundType::UB, {length, ValueRange(bounds)},
                                                     /*stopCondition=*/nullptr, /*closedUB=*/true);
  return succeeded(most) && *most < kFewIterations;
}

namespace {
struct KeepTimeLoops final : recur::impl::KeepTimeLoopsBase<KeepTimeLoops> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    auto yes = BoolAttr::get(context, true);
    auto annotation = getLoopAnnotation(LLVM::LoopUnrollAttr::get(context, /*disable=*/yes, {}, {}, {}, {}, {}, {}));
    auto innermost =
        getLoopAnnotation(LLVM::LoopUnrollAttr::get(context, {}, {}, /*runtimeDisable=*/yes, {}, {}, {}, {}),
                          LLVM::LoopInterleaveAttr::get(context, Builder(context).getI32IntegerAttr(1)));
    getOperation()->walk([&](rt::IterationOp marker) {
      if (auto loop = marker->getParentOfType<LoopLikeOpInterface>())
        loop->setDiscardableAttr(kLoopAnnotation, annotation);
    });
    getOperation()->walk([&](scf::ForOp inner) {
      if (inner->removeDiscardableAttr(rt::kStepsAttr))
        inner->setDiscardableAttr(kLoopAnnotation, annotation);
      if (inner.getStaticTripCount())
        return;
      if (!inner->hasAttr(kLoopAnnotation)) {
        if (isRest(inner))
          keepLoop(inner);
        else
          inner->setDiscardableAttr(kLoopAnnotation, innermost);
      }
      for (auto loop = inner->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>())
        loop->setDiscardableAttr(kLoopAnnotation, annotation);
    });
    // The conversions move the annotation to the back edge, as a discardable attribute, which the translation to LLVM
    // IR ignores.
    getOperation()->walk([&](Operation *op) {
      auto inherited = op->getDiscardableAttr(kLoopAnnotation);
      if (!inherited || !isa<LLVM::BrOp, LLVM::CondBrOp>(op))
        return;
      op->removeDiscardableAttr(kLoopAnnotation);
      if (auto branch = dyn_cast<LLVM::BrOp>(op))
        branch.setLoopAnnotationAttr(cast<LLVM::LoopAnnotationAttr>(inherited));
      else
        cast<LLVM::CondBrOp>(op).setLoopAnnotationAttr(cast<LLVM::LoopAnnotationAttr>(inherited));
    });
  }
};
} // namespace
