// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ScalarNest.cpp - linalg on tensors as scalar loops -----------------===//
//
// This lowering serves ops that cannot be vectorized, and all ops if optimization is off. The accumulators of
// reductions are scalars, so no partial result is stored.
//
//===----------------------------------------------------------------------===//

#include "ScalarNest.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace recur;

namespace {
/// Emits the nest of one op.
class ScalarNest {
public:
  ScalarNest(RewriterBase &rewriter, linalg::GenericOp op) : rewriter(rewriter), op(op), loc(op.getLoc()) {}

  void emit() {
    rewriter.setInsertionPoint(op);
    SmallVector<Range> ranges = cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(rewriter, loc);
    for (Range range : ranges)
      sizes.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, range.size));
    ivs.resize(sizes.size());
    for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray()))
      (kind == utils::IteratorType::parallel ? parallel : reduced).push_back(i);
    SmallVector<Value> results, starts;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      // The scalar of the fill starts the accumulator, and the tensor that it filled takes the results.
      auto fill = init.get().getDefiningOp<linalg::FillOp>();
      bool folds = fill && !reduced.empty();
      starts.push_back(folds ? fill.getInputs()[0] : Value());
      results.push_back(folds ? fill.getOutputs()[0] : init.get());
    }
    initialValues = std::move(starts);
    zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    rewriter.replaceOp(op, emitParallel(0, results));
  }

private:
  /// Emits the loop over `dim`, which carries `carried`, and returns its results.
  SmallVector<Value> emitLoop(unsigned dim, ValueRange carried, function_ref<SmallVector<Value>(ValueRange)> body) {
    auto loop = scf::ForOp::create(rewriter, loc, zero, sizes[dim], one, carried);
    OpBuilder::InsertionGuard guard(rewriter);
    if (!loop.getBody()->empty())
      rewriter.eraseOp(&loop.getBody()->back());
    rewriter.setInsertionPointToEnd(loop.getBody());
    ivs[dim] = loop.getInductionVar();
    SmallVector<Value> next = body(loop.getRegionIterArgs());
    scf::YieldOp::create(rewriter, loc, next);
    return llvm::to_vector(ValueRange(loop.getResults()));
  }

  /// Emits the loops over the parallel dims from number `depth` on, which carry the results. Inside all of them, one
  /// element of each result is computed and stored.
  SmallVector<Value> emitParallel(unsigned depth, ValueRange results) {
    if (depth < parallel.size())
      return emitLoop(parallel[depth], results, [&](ValueRange carried) { return emitParallel(depth + 1, carried); });
    SmallVector<Value> accumulators;
    for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable()))
      accumulators.push_back(initialValues[i] ? initialValues[i] : read(&init, results[i]));
    accumulators = emitReduced(0, accumulators);
    SmallVector<Value> next;
    for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable()))
      next.push_back(tensor::InsertOp::create(rewriter, loc, accumulators[i], results[i], indices(&init)));
    return next;
  }

  /// Emits the loops over the reduced dims from number `depth` on, which carry the accumulators. Inside all of them,
  /// the payload is cloned.
  SmallVector<Value> emitReduced(unsigned depth, ValueRange accumulators) {
    if (depth < reduced.size())
      return emitLoop(reduced[depth], accumulators,
                      [&](ValueRange carried) { return emitReduced(depth + 1, carried); });
    IRMapping mapping;
    for (OpOperand *input : op.getDpsInputOperands()) {
      BlockArgument arg = op.getMatchingBlockArgument(input);
      if (!arg.use_empty())
        mapping.map(arg, isa<RankedTensorType>(input->get().getType()) ? read(input, input->get()) : input->get());
    }
    for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable()))
      mapping.map(op.getMatchingBlockArgument(&init), accumulators[i]);
    Block *body = op.getBody();
    for (Operation &inner : body->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(inner))
        mapping.map(index.getResult(), ivs[index.getDim()]);
      else
        rewriter.clone(inner, mapping);
    }
    SmallVector<Value> next;
    for (Value value : body->getTerminator()->getOperands())
      next.push_back(mapping.lookupOrDefault(value));
    return next;
  }

  /// The indices of the present element of an operand, by its indexing map.
  SmallVector<Value> indices(OpOperand *operand) {
    SmallVector<Value> values;
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (AffineExpr expr : map.getResults()) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        values.push_back(ivs[dim.getPosition()]);
      else
        values.push_back(getValueOrCreateConstantIndexOp(
            rewriter, loc,
            affine::makeComposedFoldedAffineApply(rewriter, loc, AffineMap::get(map.getNumDims(), 0, expr),
                                                  getAsOpFoldResult(fillUnused()))));
    }
    return values;
  }

  /// The loop indices. Loops that are not open yet have index 0, which is harmless because their dims do not occur.
  SmallVector<Value> fillUnused() {
    SmallVector<Value> values = ivs;
    for (Value &value : values)
      if (!value)
        value = zero;
    return values;
  }

  /// Reads the present element of an operand from `tensor`, which may be the carried value of the operand.
  Value read(OpOperand *operand, Value tensor) {
    return tensor::ExtractOp::create(rewriter, loc, tensor, indices(operand));
  }

  RewriterBase &rewriter;
  linalg::GenericOp op;
  Location loc;
  /// By loop: the size, and the induction variable if the loop is open. By result: the scalar that its accumulator
  /// starts from, or null if it starts from the element in the tensor.
  SmallVector<Value> sizes, ivs, initialValues;
  /// The numbers of the parallel and of the reduced loops.
  SmallVector<unsigned> parallel, reduced;
  Value zero, one;
};
} // namespace

LogicalResult recur::lowerToScalarNest(RewriterBase &rewriter, linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics())
    return rewriter.notifyMatchFailure(op, "expected an op on tensors");
  ScalarNest(rewriter, op).emit();
  return success();
}
