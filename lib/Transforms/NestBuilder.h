// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NestBuilder.h - Emits the parts of a scalar nest ---------*- C++ -*-===//
//
// Loops over the dims of a `linalg.generic` on tensors, reads of its operands, and its payload, on scalars or on
// vectors along one of the loops.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_NESTBUILDER_H
#define RECUR_LIB_TRANSFORMS_NESTBUILDER_H

#include "Recur/Dialect/RT/IR/SumOrder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace recur {

/// True if `expr` is `dim`, or a sum of `dim` and others.
inline bool advancesWith(mlir::AffineExpr expr, mlir::AffineExpr dim) {
  if (expr == dim)
    return true;
  auto sum = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(expr);
  unsigned position = llvm::cast<mlir::AffineDimExpr>(dim).getPosition();
  return sum && sum.getKind() == mlir::AffineExprKind::Add &&
         ((sum.getLHS() == dim && !sum.getRHS().isFunctionOfDim(position)) ||
          (sum.getRHS() == dim && !sum.getLHS().isFunctionOfDim(position)));
}

/// True if an operand with this map has contiguous elements along the loop `row`.
inline bool isContiguous(mlir::AffineMap map, unsigned row) {
  return advancesWith(map.getResults().back(), mlir::getAffineDimExpr(row, map.getContext())) &&
         llvm::none_of(map.getResults().drop_back(), [&](mlir::AffineExpr expr) { return expr.isFunctionOfDim(row); });
}

/// Emits the loops, reads and payloads of one op.
class NestBuilder {
protected:
  NestBuilder(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()) {}

  /// Emits the loop over `dim`, which carries `carried`, and returns its results.
  llvm::SmallVector<mlir::Value> emitLoop(unsigned dim, mlir::ValueRange carried,
                                          llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)> body) {
    return emitLoop(dim, {zero, sizes[dim], one}, carried, body);
  }

  /// The same, from `bounds[0]` to `bounds[1]` with the step `bounds[2]`.
  llvm::SmallVector<mlir::Value> emitLoop(unsigned dim, std::array<mlir::Value, 3> bounds, mlir::ValueRange carried,
                                          llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)> body) {
    auto loop = mlir::scf::ForOp::create(rewriter, loc, bounds[0], bounds[1], bounds[2], carried);
    mlir::OpBuilder::InsertionGuard guard(rewriter);
    if (!loop.getBody()->empty())
      rewriter.eraseOp(&loop.getBody()->back());
    rewriter.setInsertionPointToEnd(loop.getBody());
    ivs[dim] = loop.getInductionVar();
    llvm::SmallVector<mlir::Value> next = body(loop.getRegionIterArgs());
    mlir::scf::YieldOp::create(rewriter, loc, next);
    return llvm::to_vector(mlir::ValueRange(loop.getResults()));
  }

  /// Emits the payload on the present elements, and returns the next accumulators. With `lanes`, it works on that many
  /// elements along the loop `along`, which is the innermost reduced one if it is not given.
  llvm::SmallVector<mlir::Value> emitPayload(mlir::ValueRange accumulators, int64_t lanes = 0,
                                             std::optional<unsigned> along = std::nullopt) {
    unsigned laneLoop = lanes ? along.value_or(reduced.back()) : 0;
    mlir::IRMapping mapping;
    for (mlir::OpOperand *input : op.getDpsInputOperands()) {
      mlir::BlockArgument arg = op.getMatchingBlockArgument(input);
      if (!arg.use_empty())
        mapping.map(arg, llvm::isa<mlir::RankedTensorType>(input->get().getType())
                             ? read(input, input->get(), lanes, laneLoop)
                             : input->get());
    }
    for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable()))
      mapping.map(op.getMatchingBlockArgument(&init), accumulators[i]);
    mlir::Block *body = op.getBody();
    mlir::arith::AddFOp sum = rt::getSumOfProducts(op);
    mlir::arith::MulFOp product = sum ? getProduct(sum) : mlir::arith::MulFOp();
    for (mlir::Operation &inner : body->without_terminator()) {
      if (&inner == product.getOperation())
        continue;
      if (product && &inner == sum.getOperation())
        mapping.map(sum.getResult(), emitMultiplyAdd(product, mapping));
      else if (auto index = llvm::dyn_cast<mlir::linalg::IndexOp>(inner))
        mapping.map(index.getResult(), emitIndex(index.getDim(), lanes, laneLoop));
      else if (lanes)
        cloneInLanes(inner, mapping, lanes);
      else
        rewriter.clone(inner, mapping);
    }
    llvm::SmallVector<mlir::Value> next;
    for (mlir::Value value : body->getTerminator()->getOperands())
      next.push_back(mapping.lookupOrDefault(value));
    return next;
  }

  /// The product that `sum` adds to the accumulator, if nothing else reads it.
  mlir::arith::MulFOp getProduct(mlir::arith::AddFOp sum) {
    mlir::BlockArgument accumulator = op.getRegionOutputArgs().front();
    auto product = (sum.getLhs() == accumulator ? sum.getRhs() : sum.getLhs()).getDefiningOp<mlir::arith::MulFOp>();
    return product && product->hasOneUse() ? product : mlir::arith::MulFOp();
  }

  /// Emits a step of a sum of products.
  mlir::Value emitMultiplyAdd(mlir::arith::MulFOp product, mlir::IRMapping &mapping) {
    mlir::Value accumulator = mapping.lookup(op.getRegionOutputArgs().front());
    auto toType = [&](mlir::Value factor) -> mlir::Value {
      factor = mapping.lookupOrDefault(factor);
      if (factor.getType() == accumulator.getType())
        return factor;
      return mlir::vector::BroadcastOp::create(rewriter, loc, accumulator.getType(), factor);
    };
    mlir::Value lhs = toType(product.getLhs()), rhs = toType(product.getRhs());
    return mlir::math::FmaOp::create(rewriter, loc, lhs, rhs, accumulator);
  }

  /// A function that combines two values as `combiner` does.
  std::function<mlir::Value(mlir::Value, mlir::Value)> by(mlir::Operation *combiner) {
    return [this, combiner](mlir::Value a, mlir::Value b) { return combine(combiner, a, b); };
  }

  /// Clones `combiner` with two operands of any type.
  mlir::Value combine(mlir::Operation *combiner, mlir::Value a, mlir::Value b) {
    mlir::OperationState state(loc, combiner->getName(), {a, b}, a.getType(), combiner->getAttrs());
    state.attributes.erase(rt::kColumnsAttr);
    state.attributes.erase(rt::kAnyRowsAttr);
    return rewriter.create(state)->getResult(0);
  }

  /// Clones an op of the payload. It works on vectors if one of its operands is a vector.
  void cloneInLanes(mlir::Operation &inner, mlir::IRMapping &mapping, int64_t lanes) {
    auto isVector = [&](mlir::Value operand) {
      return llvm::isa<mlir::VectorType>(mapping.lookupOrDefault(operand).getType());
    };
    if (!llvm::any_of(inner.getOperands(), isVector)) {
      rewriter.clone(inner, mapping);
      return;
    }
    llvm::SmallVector<mlir::Value> operands;
    for (mlir::Value operand : inner.getOperands()) {
      mlir::Value value = mapping.lookupOrDefault(operand);
      if (!llvm::isa<mlir::VectorType>(value.getType()))
        value = mlir::vector::BroadcastOp::create(rewriter, loc, mlir::VectorType::get(lanes, value.getType()), value);
      operands.push_back(value);
    }
    // Instructions look for NaN in the first operand, which then does not wait for the accumulator.
    if (llvm::isa<mlir::arith::MaximumFOp, mlir::arith::MinimumFOp>(inner) &&
        llvm::is_contained(op.getRegionOutputArgs(), inner.getOperand(0)))
      std::swap(operands[0], operands[1]);
    llvm::SmallVector<mlir::Type> types;
    for (mlir::Type type : inner.getResultTypes())
      types.push_back(mlir::VectorType::get(lanes, type));
    mlir::OperationState state(inner.getLoc(), inner.getName(), operands, types, inner.getAttrs());
    mapping.map(inner.getResults(), rewriter.create(state)->getResults());
  }

  /// The present index of a loop: a vector with `lanes` for the loop `along`.
  mlir::Value emitIndex(unsigned dim, int64_t lanes, unsigned along) {
    if (!lanes || dim != along)
      return ivs[dim];
    auto type = mlir::VectorType::get(lanes, rewriter.getIndexType());
    llvm::SmallVector<int64_t> offsets = llvm::to_vector(llvm::seq(lanes));
    mlir::Value first = mlir::vector::BroadcastOp::create(rewriter, loc, type, ivs[dim]);
    mlir::Value steps = mlir::arith::ConstantOp::create(rewriter, loc, mlir::DenseIntElementsAttr::get(type, offsets));
    return mlir::arith::AddIOp::create(rewriter, loc, first, steps);
  }

  /// The indices of the present element of an operand, by its indexing map.
  llvm::SmallVector<mlir::Value> indices(mlir::OpOperand *operand) {
    llvm::SmallVector<mlir::Value> values;
    mlir::AffineMap map = op.getMatchingIndexingMap(operand);
    for (mlir::AffineExpr expr : map.getResults()) {
      if (auto dim = llvm::dyn_cast<mlir::AffineDimExpr>(expr))
        values.push_back(ivs[dim.getPosition()]);
      else
        values.push_back(mlir::getValueOrCreateConstantIndexOp(
            rewriter, loc,
            mlir::affine::makeComposedFoldedAffineApply(rewriter, loc, mlir::AffineMap::get(map.getNumDims(), 0, expr),
                                                        mlir::getAsOpFoldResult(fillUnused()))));
    }
    return values;
  }

  /// The loop indices. Loops that are not open yet have index 0, which is harmless because their dims do not occur.
  llvm::SmallVector<mlir::Value> fillUnused() {
    llvm::SmallVector<mlir::Value> values = ivs;
    for (mlir::Value &value : values)
      if (!value)
        value = zero;
    return values;
  }

  /// Reads the present element of an operand from `tensor`, which may be the carried value of the operand. Reads
  /// `lanes` elements along the loop `along` if the operand has one for each.
  mlir::Value read(mlir::OpOperand *operand, mlir::Value tensor, int64_t lanes = 0, unsigned along = 0) {
    if (!lanes || !op.getMatchingIndexingMap(operand).isFunctionOfDim(along))
      return mlir::tensor::ExtractOp::create(rewriter, loc, tensor, indices(operand));
    auto type = mlir::VectorType::get(lanes, mlir::getElementTypeOrSelf(tensor));
    if (!isContiguous(op.getMatchingIndexingMap(operand), along))
      return readOneByOne(operand, tensor, type, along);
    return mlir::vector::TransferReadOp::create(rewriter, loc, type, tensor, indices(operand), /*padding=*/std::nullopt,
                                                llvm::ArrayRef<bool>{true});
  }

  /// Reads the elements of a vector along the loop `along`, which are not contiguous.
  mlir::Value readOneByOne(mlir::OpOperand *operand, mlir::Value tensor, mlir::VectorType type, unsigned along) {
    mlir::Value first = ivs[along];
    llvm::SmallVector<mlir::Value> elements;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      ivs[along] = rewriter.createOrFold<mlir::arith::AddIOp>(loc, first,
                                                              mlir::arith::ConstantIndexOp::create(rewriter, loc, i));
      elements.push_back(mlir::tensor::ExtractOp::create(rewriter, loc, tensor, indices(operand)));
    }
    ivs[along] = first;
    return mlir::vector::FromElementsOp::create(rewriter, loc, type, elements);
  }

  mlir::RewriterBase &rewriter;
  mlir::linalg::GenericOp op;
  mlir::Location loc;
  /// By loop: the size, and the induction variable if the loop is open. By result: the scalar that its accumulator
  /// starts from, or null if it starts from the element in the tensor.
  llvm::SmallVector<mlir::Value> sizes, ivs, initialValues;
  /// The numbers of the parallel and of the reduced loops.
  llvm::SmallVector<unsigned> parallel, reduced;
  mlir::Value zero, one;
};

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_NESTBUILDER_H
