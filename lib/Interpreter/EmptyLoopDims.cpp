// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EmptyLoopDims.cpp - dims after a loop that ran no iteration --------===//

#include "EmptyLoopDims.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <numeric>

using namespace mlir;

namespace recur::interpreter {

bool EmptyLoopDims::isInvariant(Value value) {
  if (isOutside(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto found = invariants.find(op); found != invariants.end())
    return found->second;
  // Loop-invariant code motion leaves the bodies of an If as they are.
  bool isInLoops = true;
  for (Operation *parent = op->getParentOp(); isInLoops && parent != loop; parent = parent->getParentOp())
    isInLoops = isa<LoopLikeOpInterface>(parent);
  bool result = isInLoops && isMemoryEffectFree(op) && isSpeculatable(op) &&
                llvm::all_of(getReadValues(op), [&](Value read) { return isInvariant(read); });
  return invariants[op] = result;
}

bool EmptyLoopDims::compute(Value value) {
  Operation *op = value.getDefiningOp();
  if (isOutside(value) || !computed.insert(op).second)
    return true;
  if (!llvm::all_of(getReadValues(op), [&](Value read) { return compute(read); }))
    return false;
  MaybeTensors results = machine.runOp(op);
  if (!results)
    return false;
  for (auto [result, tensor] : llvm::zip_equal(op->getResults(), *results))
    machine.bind(result, std::move(tensor));
  return true;
}

std::optional<int64_t> EmptyLoopDims::evaluate(Dim dim) {
  const ov::DimExpressions::Expr &expr = exprs.get(dim);
  SmallVector<int64_t> of;
  for (Dim operand : expr.operands) {
    std::optional<int64_t> number = evaluate(operand);
    if (!number)
      return std::nullopt;
    of.push_back(*number);
  }
  if (expr.value && !compute(expr.value))
    return std::nullopt;
  switch (expr.kind) {
  case ov::DimKind::constant:
    return expr.number;
  case ov::DimKind::dim:
    return machine.valueOf(expr.value).getDim(expr.number);
  case ov::DimKind::element:
    return std::max<int64_t>(0, int64_t(machine.valueOf(expr.value).getInteger(expr.number)));
  case ov::DimKind::index:
    return 0; // There are no index values where the interpreter runs.
  case ov::DimKind::join: {
    int64_t result = of[0];
    for (int64_t next : of)
      result = result == 1 ? next : result;
    return result;
  }
  case ov::DimKind::sum:
    return std::accumulate(of.begin(), of.end(), int64_t(0),
                           [](int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); });
  case ov::DimKind::product:
    return std::accumulate(of.begin(), of.end(), int64_t(1),
                           [](int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); });
  case ov::DimKind::quotient:
    return of[1] == 0 ? 0 : of[0] / of[1];
  case ov::DimKind::steps:
    return llvm::divideCeil(std::max<int64_t>(0, of[0]), expr.number);
  case ov::DimKind::ifZero:
    return of[0] == 0 ? of[1] : of[0];
  }
  return 0;
}

} // namespace recur::interpreter
