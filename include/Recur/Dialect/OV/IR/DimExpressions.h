// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DimExpressions.h - Arithmetic on dims --------------------*- C++ -*-===//
#ifndef RECUR_DIALECT_OV_IR_DIMEXPRESSIONS_H
#define RECUR_DIALECT_OV_IR_DIMEXPRESSIONS_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <tuple>

namespace recur::ov {

enum class DimKind {
  constant, ///< number
  dim,      ///< dim `number` of a value that is not taken apart
  element,  ///< element `number` of a rank-1 tensor (or the only one of a scalar), at least 0
  index,    ///< an index value
  join,     ///< what the operands broadcast to
  sum,
  product,
  quotient, ///< of the first operand by the second, which may be 0 only if the first is
  ifZero    ///< the second operand where the first is 0, else the first
};

/// Dims as expressions, each of which has a number: two with the same number are the same dim.
class DimExpressions {
public:
  /// The number of an expression.
  using Dim = unsigned;
  struct Expr {
    DimKind kind;
    int64_t number = 0;
    mlir::Value value;
    llvm::SmallVector<Dim, 2> operands;

    bool operator<(const Expr &other) const {
      return std::make_tuple(kind, number, value.getAsOpaquePointer(), llvm::ArrayRef(operands).vec()) <
             std::make_tuple(other.kind, other.number, other.value.getAsOpaquePointer(),
                             llvm::ArrayRef(other.operands).vec());
    }
  };

  Dim intern(Expr expr);
  Dim constant(int64_t number) { return intern({DimKind::constant, number, {}, {}}); }
  /// A join, sum or product in its one form.
  Dim combine(DimKind kind, llvm::ArrayRef<Dim> operands);
  /// The exact quotient of two products.
  Dim divide(llvm::ArrayRef<Dim> dividends, llvm::ArrayRef<Dim> divisors);

  std::optional<int64_t> getConstant(Dim dim) const;
  /// False for what may be -1 in the program, and is a special case of the ops that take it.
  bool isSurelySize(Dim dim) const;
  /// True for what takes arithmetic, as far as no value is known that is the same.
  bool isComputed(Dim dim) const;

  /// Says of what value the dim is best taken.
  void setValue(Dim dim, mlir::Value value) { values[dim] = value; }
  /// The dim as a constant or an index value.
  mlir::OpFoldResult materialize(mlir::OpBuilder &builder, mlir::Location loc, Dim dim);

private:
  std::vector<Expr> exprs;
  std::map<Expr, Dim> numbers;
  llvm::DenseMap<Dim, mlir::OpFoldResult> values;
};

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_DIMEXPRESSIONS_H
