// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SeparateDestinations.cpp - A destination for each op ---------------===//

#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {
#define GEN_PASS_DEF_SEPARATEDESTINATIONS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {
struct SeparateDestinations final : recur::impl::SeparateDestinationsBase<SeparateDestinations> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // Fills first: each of their copies is a use of an empty tensor.
    SmallVector<Operation *> fills, empties;
    getOperation().walk([&](Operation *op) {
      if (auto fill = dyn_cast<linalg::FillOp>(op); fill && fill->getNumResults() == 1)
        fills.push_back(op);
      else if (isa<tensor::EmptyOp>(op))
        empties.push_back(op);
    });
    for (Operation *op : llvm::concat<Operation *>(fills, empties)) {
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : op->getResult(0).getUses())
        uses.push_back(&use);
      rewriter.setInsertionPointAfter(op);
      for (OpOperand *use : llvm::drop_begin(uses)) {
        Operation *copy = rewriter.clone(*op);
        rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(copy->getResult(0)); });
      }
    }
  }
};
} // namespace
