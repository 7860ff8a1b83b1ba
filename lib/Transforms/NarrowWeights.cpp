// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NarrowWeights.cpp - Ops that widen elements ------------------------===//
//
// The passes about narrow constants emit these ops.
//
//===----------------------------------------------------------------------===//

#include "NarrowWeights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace recur;

Value recur::widen(OpBuilder &builder, Location loc, Value narrow) {
  int64_t rank = cast<RankedTensorType>(narrow.getType()).getRank();
  Type wide = builder.getF32Type();
  Value empty = tensor::EmptyOp::create(builder, loc, tensor::getMixedSizes(builder, loc, narrow), wide);
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, loc, empty.getType(), narrow, empty, maps, kinds,
                                   [&](OpBuilder &body, Location at, ValueRange args) {
                                     Value extended = arith::ExtFOp::create(body, at, wide, args[0]);
                                     linalg::YieldOp::create(body, at, extended);
                                   })
      .getResult(0);
}

Value recur::unflatten(OpBuilder &builder, Location loc, Value flat, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(flat.getType()).clone(shape);
  if (type == flat.getType())
    return flat;
  SmallVector<ReassociationIndices> groups;
  int64_t rank = shape.size(), first = cast<RankedTensorType>(flat.getType()).getRank() == 2 ? 2 : 0;
  if (first != 0)
    groups.push_back({0, 1});
  groups.push_back(llvm::to_vector(llvm::seq<int64_t>(first, rank)));
  return tensor::ExpandShapeOp::create(builder, loc, type, flat, groups);
}

void recur::extendArgument(RewriterBase &rewriter, BlockArgument argument, Type narrow) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(argument.getOwner());
  Type wide = argument.getType();
  argument.setType(narrow);
  auto extended = arith::ExtFOp::create(rewriter, argument.getLoc(), wide, argument);
  rewriter.replaceAllUsesExcept(argument, extended, extended);
}
