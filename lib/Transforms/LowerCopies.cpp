// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LowerCopies.cpp - Copies that need no runtime library --------------===//

#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {
#define GEN_PASS_DEF_LOWERCOPIES
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The same place, seen through views with the same offsets, sizes and strides.
static bool isSameView(Value a, Value b) {
  if (a == b)
    return true;
  Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
  return left && right && isa<ViewLikeOpInterface>(left) &&
         OperationEquivalence::isEquivalentTo(left, right, OperationEquivalence::IgnoreLocations);
}

/// Becomes a memcpy in the LLVM lowering, whose condition this is.
static bool isContiguous(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  // A reshape whose dims only the run tells becomes a view with strides that only the run tells.
  bool isReshaped = isa_and_nonnull<memref::ExpandShapeOp, memref::CollapseShapeOp>(buffer.getDefiningOp());
  if (type.getLayout().isIdentity() && !(isReshaped && !type.hasStaticShape()))
    return true;
  return type.hasStaticShape() && memref::isStaticShapeAndContiguousRowMajor(type);
}

namespace {
struct LowerCopies final : recur::impl::LowerCopiesBase<LowerCopies> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies) {
      if (isSameView(copy.getSource(), copy.getTarget())) {
        rewriter.eraseOp(copy);
        continue;
      }
      auto source = cast<MemRefType>(copy.getSource().getType());
      // A short copy is a few moves; a call of memcpy costs more.
      bool shortCopy = source.hasStaticShape() && source.getNumElements() <= 16;
      if (!shortCopy && isContiguous(copy.getSource()) && isContiguous(copy.getTarget()))
        continue;
      rewriter.setInsertionPoint(copy);
      linalg::GenericOp generic =
          linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(), copy.getTarget());
      FailureOr<linalg::LinalgLoops> loops =
          linalg::linalgOpToLoops(rewriter, cast<linalg::LinalgOp>(generic.getOperation()));
      if (failed(loops)) {
        copy.emitError("cannot lower this copy");
        return signalPassFailure();
      }
      rewriter.eraseOp(generic);
      rewriter.eraseOp(copy);
    }
  }
};
} // namespace
