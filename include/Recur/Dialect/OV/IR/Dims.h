// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Dims.h - Where the dims of an op's results come from -----*- C++ -*-===//
//
// Each op says what the dims of its results are, in terms of its operands (DimsOpInterface), and what the elements of a
// result are, where they are dims (ElementsOpInterface). Who asks is a DimSource, which knows the operands.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_DIMS_H
#define RECUR_DIALECT_OV_IR_DIMS_H

#include "Recur/Dialect/OV/IR/DimExpressions.h"

#include "mlir/IR/OpDefinition.h"

namespace recur::ov {

/// Finds dims of values. A dim that clashes with another is taken to be that of either: the op that finds out ends the
/// call.
class DimSource {
public:
  using Dim = DimExpressions::Dim;
  using MaybeDim = std::optional<Dim>;

  virtual ~DimSource() = default;
  /// A dim of a tensor, or nullopt where it cannot be told.
  virtual MaybeDim get(mlir::Value tensor, int64_t dim) = 0;
  /// The element at `position` of an i32 or i64 tensor of rank 0 or 1, or nullopt where it cannot be told.
  virtual MaybeDim getElement(mlir::Value tensor, int64_t position) = 0;
  /// The dim of operands that must agree on it.
  virtual MaybeDim getAgreed(mlir::ValueRange operands, int64_t dim);

  MaybeDim constant(int64_t number) { return exprs.constant(number); }
  /// What operands broadcast to, by NumPy's rules, at `dim` of a result of this rank.
  MaybeDim getBroadcast(mlir::ValueRange operands, int64_t rank, int64_t dim);
  /// The same element of another tensor, if that has as many.
  MaybeDim getSameElement(mlir::Value tensor, mlir::Value other, int64_t position);
  /// A join, sum or product; nullopt if one of the dims is.
  MaybeDim combine(DimKind kind, llvm::ArrayRef<MaybeDim> dims);
  /// The exact quotient of two products; nullopt if one of the dims is.
  MaybeDim divide(llvm::ArrayRef<MaybeDim> dividends, llvm::ArrayRef<MaybeDim> divisors);

  DimExpressions exprs;

protected:
  /// Asks the op that has the result.
  MaybeDim ask(mlir::OpResult result, int64_t dim);
  MaybeDim askElement(mlir::OpResult result, int64_t position);
};

/// Dims of values as far back as ops tell. Where none tells, a dim is that of the value itself, and an element is that
/// of the tensor itself, if `isKnown` allows it. So two dims of one number are surely equal; two of other numbers may
/// be equal.
class ValueDims : public DimSource {
public:
  MaybeDim get(mlir::Value tensor, int64_t dim) override;
  MaybeDim getElement(mlir::Value tensor, int64_t position) override;

protected:
  /// True if the value itself is as good as what it comes from.
  virtual bool isKnown(mlir::Value value) { return true; }
  /// A dim of a block's argument, or nullopt where nothing but the value itself tells it.
  virtual MaybeDim getOfArgument(mlir::BlockArgument argument, int64_t dim) { return std::nullopt; }
  /// A dim of a result of an op that is no cast, or nullopt where nothing but the value itself tells it.
  virtual MaybeDim getOfOp(mlir::OpResult result, int64_t dim) { return ask(result, dim); }
  /// Forgets all dims that were found. A source calls it when an argument gets other dims.
  void forget() { found.clear(); }

private:
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, MaybeDim> found;
  unsigned depth = 0;
};

/// Shapes, axes and bounds are short. A tensor of more elements is never followed as one of them.
inline constexpr int64_t kMaxShapeElements = 1024;

/// The number of elements of a tensor of rank 0 or 1, where it is static.
std::optional<int64_t> getStaticLength(mlir::Value value);

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_DIMS_H
