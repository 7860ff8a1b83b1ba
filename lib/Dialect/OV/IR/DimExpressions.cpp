// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DimExpressions.cpp - Arithmetic on dims ----------------------------===//
//
// Expressions are interned in canonical form: operands are flattened, constants folded and the rest sorted. Two
// expressions that simplify to the same form get the same number, so a comparison of dims is a comparison of numbers.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/DimExpressions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace recur::ov;

DimExpressions::Dim DimExpressions::intern(Expr expr) {
  auto [it, isNew] = numbers.try_emplace(expr, exprs.size());
  if (isNew)
    exprs.push_back(std::move(expr));
  return it->second;
}

DimExpressions::Dim DimExpressions::countSteps(Dim dim, int64_t step) {
  if (step == 1)
    return dim;
  if (std::optional<int64_t> number = getConstant(dim))
    return constant(*number <= 0 ? 0 : (*number - 1) / step + 1);
  return intern({DimKind::steps, step, {}, {dim}});
}

std::optional<int64_t> DimExpressions::getConstant(Dim dim) const {
  if (exprs[dim].kind != DimKind::constant)
    return std::nullopt;
  return exprs[dim].number;
}

bool DimExpressions::isProvablySize(Dim dim) const {
  const Expr &expr = exprs[dim];
  if (expr.kind == DimKind::constant)
    return expr.number >= 0;
  return expr.kind != DimKind::element &&
         llvm::all_of(expr.operands, [&](Dim operand) { return isProvablySize(operand); });
}

DimExpressions::Dim DimExpressions::combine(DimKind kind, ArrayRef<Dim> operands) {
  int64_t number = kind == DimKind::sum ? 0 : 1;
  SmallVector<Dim, 2> rest;
  auto add = [&](auto &&self, Dim operand) -> void {
    if (std::optional<int64_t> value = getConstant(operand)) {
      // If two static dims do not broadcast, the op faults, so either of them may be the result. A number that would
      // overflow stays an operand.
      bool overflows = false;
      int64_t combined = *value;
      if (kind == DimKind::sum)
        overflows = llvm::AddOverflow(number, *value, combined);
      else if (kind == DimKind::product)
        overflows = llvm::MulOverflow(number, *value, combined);
      else if (*value == 1)
        combined = number;
      if (overflows)
        rest.push_back(operand);
      else
        number = combined;
    } else if (exprs[operand].kind == kind) {
      for (Dim inner : SmallVector<Dim, 2>(exprs[operand].operands))
        self(self, inner);
    } else {
      rest.push_back(operand);
    }
  };
  for (Dim operand : operands)
    add(add, operand);
  llvm::sort(rest);
  if (kind == DimKind::join) {
    if (number != 1)
      return constant(number);
    rest.erase(llvm::unique(rest), rest.end());
  }
  bool neutral = number == (kind == DimKind::sum ? 0 : 1);
  if (rest.empty() || (kind == DimKind::product && number == 0))
    return constant(number);
  if (neutral && rest.size() == 1)
    return rest.front();
  if (!neutral)
    rest.insert(rest.begin(), constant(number));
  return intern({kind, 0, {}, std::move(rest)});
}

DimExpressions::Dim DimExpressions::divide(ArrayRef<Dim> dividends, ArrayRef<Dim> divisors) {
  auto split = [&](ArrayRef<Dim> dims, int64_t &number) {
    Dim product = combine(DimKind::product, dims);
    SmallVector<Dim, 2> factors{product};
    if (exprs[product].kind == DimKind::product)
      factors = exprs[product].operands;
    llvm::erase_if(factors, [&](Dim factor) {
      std::optional<int64_t> value = getConstant(factor);
      int64_t product = number;
      if (!value || llvm::MulOverflow(number, *value, product))
        return false;
      number = product;
      return true;
    });
    return factors;
  };
  int64_t above = 1, below = 1;
  SmallVector<Dim, 2> upper = split(dividends, above), lower = split(divisors, below);
  for (Dim *factor = lower.begin(); factor != lower.end();) {
    Dim *same = llvm::find(upper, *factor);
    if (same == upper.end()) {
      ++factor;
      continue;
    }
    upper.erase(same);
    factor = lower.erase(factor);
  }
  if (below != 0 && above % below == 0) {
    above /= below;
    below = 1;
  }
  upper.push_back(constant(above));
  lower.push_back(constant(below));
  Dim dividend = combine(DimKind::product, upper), divisor = combine(DimKind::product, lower);
  if (getConstant(divisor) == 1)
    return dividend;
  return intern({DimKind::quotient, 0, {}, {dividend, divisor}});
}

bool DimExpressions::isComputed(Dim dim) const {
  DimKind kind = exprs[dim].kind;
  return kind != DimKind::constant && kind != DimKind::dim && kind != DimKind::index && !values.contains(dim);
}

OpFoldResult DimExpressions::materialize(OpBuilder &builder, Location loc, Dim dim) {
  if (std::optional<int64_t> number = getConstant(dim))
    return builder.getIndexAttr(*number);
  if (auto it = values.find(dim); it != values.end())
    return it->second;
  Expr expr = exprs[dim];
  SmallVector<Value> operands;
  for (Dim operand : expr.operands)
    operands.push_back(getValueOrCreateConstantIndexOp(builder, loc, materialize(builder, loc, operand)));
  auto number = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); };
  auto equals = [&](Value value, int64_t other) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value, number(other));
  };
  Value result;
  switch (expr.kind) {
  case DimKind::constant:
    break;
  case DimKind::dim:
    result = tensor::DimOp::create(builder, loc, expr.value, expr.number);
    break;
  case DimKind::element: {
    SmallVector<Value> indices;
    if (cast<RankedTensorType>(expr.value.getType()).getRank())
      indices.push_back(number(expr.number));
    Value element = tensor::ExtractOp::create(builder, loc, expr.value, indices);
    result = arith::MaxSIOp::create(
        builder, loc, arith::IndexCastOp::create(builder, loc, builder.getIndexType(), element), number(0));
    break;
  }
  case DimKind::index:
    result = expr.value;
    break;
  case DimKind::join:
    result = operands.front();
    for (Value operand : ArrayRef(operands).drop_front())
      result = arith::SelectOp::create(builder, loc, equals(result, 1), operand, result);
    break;
  case DimKind::sum:
    result = operands.front();
    for (Value operand : ArrayRef(operands).drop_front())
      result = arith::AddIOp::create(builder, loc, result, operand);
    break;
  case DimKind::product:
    result = operands.front();
    for (Value operand : ArrayRef(operands).drop_front())
      result = arith::MulIOp::create(builder, loc, result, operand);
    break;
  case DimKind::quotient:
    result =
        arith::DivUIOp::create(builder, loc, operands[0], arith::MaxUIOp::create(builder, loc, operands[1], number(1)));
    break;
  case DimKind::steps:
    // Before an op that fails, the dim may be negative, which gives 0.
    if (!isProvablySize(expr.operands[0]))
      operands[0] = arith::MaxSIOp::create(builder, loc, operands[0], number(0));
    result = arith::CeilDivUIOp::create(builder, loc, operands[0], number(expr.number));
    break;
  case DimKind::ifZero:
    result = arith::SelectOp::create(builder, loc, equals(operands[0], 0), operands[1], operands[0]);
    break;
  }
  values[dim] = result;
  return result;
}
