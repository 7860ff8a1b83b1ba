// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- HoistInvariants.cpp - Invariant code moves out of loops ------------===//
//
// Upstream's pass takes an op on tensors for safe to run at any time. But sizes and indices may be right only where a
// check of the loop has passed, and a check that rt-hoist-checks has moved out asks nothing if the loop does not run.
//
//===----------------------------------------------------------------------===//

#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace recur {
#define GEN_PASS_DEF_HOISTINVARIANTS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// True if the body of `loop` runs whenever the loop is reached.
static bool hasIterations(LoopLikeOpInterface loop) {
  auto counted = dyn_cast<scf::ForOp>(loop.getOperation());
  std::optional<llvm::APInt> trips = counted ? counted.getStaticTripCount() : std::nullopt;
  return trips && !trips->isZero();
}

/// True if `op` reads and writes only what exists, whatever a check says: its sizes are its own, or static.
static bool isSafeAlone(Operation *op) {
  if (isa<tensor::EmptyOp, tensor::DimOp, tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
          linalg::TransposeOp, linalg::FillOp>(op))
    return true;
  auto isOpen = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && !shaped.hasStaticShape();
  };
  if (llvm::any_of(op->getOperandTypes(), isOpen) || llvm::any_of(op->getResultTypes(), isOpen))
    return false;
  // Parts with constant places have been verified.
  if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op))
    return !ShapedType::isDynamicShape(slice.getStaticOffsets()) && !ShapedType::isDynamicShape(slice.getStaticSizes());
  return !isa<tensor::ExtractOp, tensor::InsertOp>(op);
}

/// True if `op`, and what stands in it, may run although the loop around it does not.
static bool isSafe(Operation *op) {
  return !op->walk([](Operation *inner) {
              return isSafeAlone(inner) ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

namespace {
struct HoistInvariants final : recur::impl::HoistInvariantsBase<HoistInvariants> {
  void runOnOperation() override {
    // Inner loops come first, so that their invariants can go on.
    getOperation().walk([&](LoopLikeOpInterface loop) {
      bool runs = hasIterations(loop);
      moveLoopInvariantCode(
          loop.getLoopRegions(), [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
          [&](Operation *op, Region *) { return isMemoryEffectFree(op) && isSpeculatable(op) && (runs || isSafe(op)); },
          [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
    });
  }
};
} // namespace
