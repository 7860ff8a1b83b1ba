// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Dims.h - Where the dims of an op's results come from -----*- C++ -*-===//
//
// An op describes the dims of its results in terms of the dims and elements of its operands (DimsOpInterface). Ops that
// compute shapes also describe the elements of their results (ElementsOpInterface). Both methods get a DimSource, which
// looks up the dims of the operands; a subclass decides how far back it follows them.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_DIMS_H
#define RECUR_DIALECT_OV_IR_DIMS_H

#include "Recur/Dialect/OV/IR/DimExpressions.h"

#include "mlir/IR/OpDefinition.h"

namespace recur::ov {

/// Finds the dims of values as expressions. If operands must agree on a dim, the dim of any of them may be returned: if
/// they clash at run time, the op that checks them fails anyway.
class DimSource {
public:
  using Dim = DimExpressions::Dim;
  /// The number of an expression in `exprs`, or nullopt if the dim is not known.
  using MaybeDim = std::optional<Dim>;

  virtual ~DimSource() = default;
  /// Dim number `dim` of a tensor, or nullopt if it is not known.
  virtual MaybeDim get(mlir::Value tensor, int64_t dim) = 0;
  /// The element at `position` of an i32 or i64 tensor of rank 0 or 1, or nullopt if it is not known.
  virtual MaybeDim getElement(mlir::Value tensor, int64_t position) = 0;
  /// Dim number `dim` of operands that must agree on it: that of the first operand where it is known. The op that asks
  /// must fail at run time if they differ.
  virtual MaybeDim getAgreed(mlir::ValueRange operands, int64_t dim);

  /// A static dim.
  MaybeDim constant(int64_t number) { return exprs.constant(number); }
  /// Dim number `dim` of the result of rank `rank` that the operands broadcast to by NumPy's rules.
  MaybeDim getBroadcast(mlir::ValueRange operands, int64_t rank, int64_t dim);
  /// The element of `other` at `position`, if `tensor` and `other` have equal lengths; nullopt otherwise.
  MaybeDim getSameElement(mlir::Value tensor, mlir::Value other, int64_t position);
  /// A join, sum or product of dims; nullopt if one of them is nullopt.
  MaybeDim combine(DimKind kind, llvm::ArrayRef<MaybeDim> dims);
  /// The exact quotient of two products; nullopt if one of the dims is nullopt.
  MaybeDim divide(llvm::ArrayRef<MaybeDim> dividends, llvm::ArrayRef<MaybeDim> divisors);

  /// The table of all expressions that this source has returned.
  DimExpressions exprs;

protected:
  /// Asks the op that defines `result`, through its interfaces or its traits.
  MaybeDim ask(mlir::OpResult result, int64_t dim);
  /// The same for an element of `result`.
  MaybeDim askElement(mlir::OpResult result, int64_t position);
};

/// Follows dims through the ops that produce them, as far as these ops describe them. At the end of the chain, a dim is
/// the symbol "dim d of this value", and an element is the symbol "element i of this tensor", if `isKnown` allows it.
/// Two dims with the same number are provably equal; two with different numbers may be equal too.
class ValueDims : public DimSource {
public:
  MaybeDim get(mlir::Value tensor, int64_t dim) override;
  MaybeDim getElement(mlir::Value tensor, int64_t position) override;

protected:
  /// True if a dim or an element of `value` may be used as a symbol. A subclass can forbid this for values that are not
  /// available where the dim is needed.
  virtual bool isKnown(mlir::Value value) { return true; }
  /// A dim of a block argument in terms of other values, or nullopt if there are none.
  virtual MaybeDim getOfArgument(mlir::BlockArgument argument, int64_t dim) { return std::nullopt; }
  /// A dim of a result of an op other than tensor.cast in terms of other values, or nullopt if there are none.
  virtual MaybeDim getOfOp(mlir::OpResult result, int64_t dim) { return ask(result, dim); }
  /// Clears the cache of dims. A subclass calls it when it changes its answer for a block argument.
  void forget() { found.clear(); }

private:
  /// The answers of `get` so far.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, MaybeDim> found;
  /// The depth of the recursion, which is limited.
  unsigned depth = 0;
};

/// The most elements of a tensor whose elements are tracked. Shapes, axes and bounds are short; longer tensors are
/// data.
inline constexpr int64_t kMaxShapeElements = 1024;

/// The number of elements of a tensor of rank 0 or 1; nullopt if it is not static, or `value` is not such a tensor.
std::optional<int64_t> getStaticLength(mlir::Value value);

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_DIMS_H
