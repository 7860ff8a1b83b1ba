// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DimExpressions.h - Arithmetic on dims --------------------*- C++ -*-===//
//
// Dynamic dims are compared as symbolic expressions. The result tells whether two dims are provably equal, without
// building ops that compute them.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_DIMEXPRESSIONS_H
#define RECUR_DIALECT_OV_IR_DIMEXPRESSIONS_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <tuple>

namespace recur::ov {

/// The kinds of expressions that a dim can be.
enum class DimKind {
  constant, ///< `number`
  dim,      ///< dim `number` of a tensor, as an opaque symbol
  element,  ///< element `number` of a rank-1 tensor (or that of a scalar); 0 in its place if it is negative
  index,    ///< an index value
  join,     ///< the dim that the operands broadcast to
  sum,
  product,
  quotient, ///< operand 0 / operand 1, exact; operand 1 may be 0 only if operand 0 is, which gives 0
  steps,    ///< operand 0 / `number`, rounded up
  ifZero    ///< operand 1 if operand 0 is 0, else operand 0
};

/// A table of expressions for dims. Each expression has a number. Sums, products and joins are simplified and sorted
/// before they are stored, so that equal expressions get the same number: two dims with one number are provably equal.
/// Dims with different numbers may still be equal.
class DimExpressions {
public:
  /// The number of an expression in the table.
  using Dim = unsigned;
  /// `number` and `value` are used by the kinds that name them (see DimKind), `operands` by the others.
  struct Expr {
    DimKind kind;
    int64_t number = 0;
    mlir::Value value;
    llvm::SmallVector<Dim, 2> operands;

    /// An arbitrary order, for the table.
    bool operator<(const Expr &other) const {
      return std::make_tuple(kind, number, value.getAsOpaquePointer(), llvm::ArrayRef(operands).vec()) <
             std::make_tuple(other.kind, other.number, other.value.getAsOpaquePointer(),
                             llvm::ArrayRef(other.operands).vec());
    }
  };

  /// The number of `expr`, which is added to the table if it is not there. Does not simplify.
  Dim intern(Expr expr);
  /// The expression with a number.
  const Expr &get(Dim dim) const { return exprs[dim]; }
  /// The number of a constant.
  Dim constant(int64_t number) { return intern({DimKind::constant, number, {}, {}}); }
  /// A join, sum or product in canonical form: nested operands of the same kind are flattened, constants are folded,
  /// and the rest is sorted.
  Dim combine(DimKind kind, llvm::ArrayRef<Dim> operands);
  /// The exact quotient of two products, after common factors are cancelled.
  Dim divide(llvm::ArrayRef<Dim> dividends, llvm::ArrayRef<Dim> divisors);
  /// How many elements of a dim are taken in steps of `step`, which is positive.
  Dim countSteps(Dim dim, int64_t step);

  /// The value of a constant, or nullopt for any other expression.
  std::optional<int64_t> getConstant(Dim dim) const;
  /// True if the dim is provably not negative in the program. An element of a tensor may be -1, to which ops such as
  /// Reshape give a special meaning.
  bool isProvablySize(Dim dim) const;
  /// True if `materialize` would have to build ops other than one tensor.dim: the dim is neither a constant, an index
  /// value nor a dim of a tensor, and no value is recorded for it.
  bool isComputed(Dim dim) const;

  /// Records the index value from which `materialize` takes the dim.
  void setValue(Dim dim, mlir::Value value) { values[dim] = value; }
  /// The dim as an index attribute, if it is constant, or as an index value. Builds the ops that compute it at the
  /// insertion point and records their result, so a later call must be at a point that they dominate.
  mlir::OpFoldResult materialize(mlir::OpBuilder &builder, mlir::Location loc, Dim dim);

private:
  /// The expressions by number, and the numbers by expression.
  std::vector<Expr> exprs;
  std::map<Expr, Dim> numbers;
  /// The values that `setValue` has recorded or `materialize` has computed.
  llvm::DenseMap<Dim, mlir::OpFoldResult> values;
};

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_DIMEXPRESSIONS_H
