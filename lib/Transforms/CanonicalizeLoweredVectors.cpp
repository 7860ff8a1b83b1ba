// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CanonicalizeLoweredVectors.cpp - All ops but vector.insert ---------===//
//
// rt-lower-vectors puts a vector of several dims together from the registers that hold its rows. The canonical form of
// such a chain of vector.insert is one op on all elements, which takes the rows apart again. Upstream's canonicalizer
// can leave out patterns by the names of their classes, but those are in an anonymous namespace. This pass leaves out
// the patterns of one op.
//
//===----------------------------------------------------------------------===//

#include "CanonicalPatterns.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace recur {
#define GEN_PASS_DEF_CANONICALIZELOWEREDVECTORS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {
struct CanonicalizeLoweredVectors final : recur::impl::CanonicalizeLoweredVectorsBase<CanonicalizeLoweredVectors> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    addCanonicalizationPatterns(all, /*omitted=*/TypeID::get<vector::InsertOp>());
    patterns = FrozenRewritePatternSet(std::move(all));
    return success();
  }

  void runOnOperation() override {
    // As in upstream's pass, it is no error if the form still changes when the limit of iterations is reached.
    (void)applyPatternsGreedily(getOperation(), patterns);
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
