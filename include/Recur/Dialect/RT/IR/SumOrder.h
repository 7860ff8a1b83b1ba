// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SumOrder.h - In which order a product adds ---------------*- C++ -*-===//
//
// A product adds in an order that depends on its columns and on the length of the sum alone. Fusion makes new ops, and
// loses the attributes of the old ones, but it clones what stands in their payloads. So the mark is on the addition in
// the payload, where it survives.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_RT_IR_SUMORDER_H
#define RECUR_DIALECT_RT_IR_SUMORDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace recur::rt {

/// Addition in the payload of a product, i64: the number of columns, or -1 if each element has one accumulator for all
/// steps, such as where only the call tells the columns. A multiply-add with it may round once. A product with one
/// column adds in the order of the rows of ScalarNest.cpp, any other as getAccumulatorsOfElement (TargetFacts.h) says.
inline constexpr llvm::StringLiteral kColumnsAttr = "rt.columns";

/// The same addition, unit: other calls compute other numbers of rows, so their number may not decide how the product
/// is computed.
inline constexpr llvm::StringLiteral kAnyRowsAttr = "rt.any_rows";

/// The addition of `op` that is marked with its columns, or null if `op` is not a product of real numbers.
inline mlir::arith::AddFOp getSumOfProducts(mlir::linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
    return {};
  auto sum = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<mlir::arith::AddFOp>();
  return sum && sum->hasAttr(kColumnsAttr) ? sum : mlir::arith::AddFOp();
}

/// The columns that decide the order of the sums of `op`, or nullopt if it is not a product of real numbers.
inline std::optional<int64_t> getColumns(mlir::linalg::GenericOp op) {
  mlir::arith::AddFOp sum = getSumOfProducts(op);
  auto columns = sum ? sum->getAttrOfType<mlir::IntegerAttr>(kColumnsAttr) : mlir::IntegerAttr();
  return columns ? std::optional(columns.getInt()) : std::nullopt;
}

/// True if the number of rows may not decide how the product is computed.
inline bool hasAnyRows(mlir::linalg::GenericOp op) {
  mlir::arith::AddFOp sum = getSumOfProducts(op);
  return sum && sum->hasAttr(kAnyRowsAttr);
}

/// Drops the marks of an addition, for which no later pass asks.
inline void dropMarks(mlir::arith::AddFOp sum) {
  sum->removeDiscardableAttr(kColumnsAttr);
  sum->removeDiscardableAttr(kAnyRowsAttr);
}

/// True for a product with one column, which adds each row in vectors along it.
inline bool hasOneColumn(mlir::linalg::GenericOp op) { return getColumns(op) == 1; }

} // namespace recur::rt

#endif // RECUR_DIALECT_RT_IR_SUMORDER_H
