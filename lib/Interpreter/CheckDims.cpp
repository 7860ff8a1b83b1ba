// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckDims.cpp - checks the dims that ops state ---------------------===//
//
// The compiler relies on what ops state about the dims and elements of their results. Each run of the interpreter
// checks these statements against the tensors that it computes.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "Recur/Dialect/OV/IR/Dims.h"

using namespace mlir;
using namespace recur;
using namespace recur::interpreter;

namespace {
/// A source of dims and elements that reads the tensors of a run, so all of them are constants.
class ActualDims final : public ov::DimSource {
public:
  explicit ActualDims(Machine &machine) : machine(machine) {}

  MaybeDim get(Value tensor, int64_t dim) override { return constant(machine.valueOf(tensor).getDim(dim)); }

  MaybeDim getElement(Value tensor, int64_t position) override {
    const Tensor &value = machine.valueOf(tensor);
    if ((value.getType() != RECUR_I32 && value.getType() != RECUR_I64) || value.getRank() > 1 ||
        position >= value.getNumElements())
      return std::nullopt;
    return constant(value.getInteger(position));
  }

private:
  Machine &machine;
};
} // namespace

namespace {
/// Computes expressions of dims from the tensors of a run.
class Evaluator {
public:
  /// The results of `op` are not computed yet, or are those of another iteration.
  Evaluator(Machine &machine, Operation *op) : machine(machine), exprs(machine.dims.exprs), op(op) {}

  /// Nullopt if the run does not have the value, or the expression has none.
  std::optional<int64_t> get(ov::DimSource::Dim dim) {
    if (auto it = known.find(dim); it != known.end())
      return it->second;
    std::optional<int64_t> result = compute(exprs.get(dim));
    known[dim] = result;
    return result;
  }

private:
  std::optional<int64_t> compute(const ov::DimExpressions::Expr &expr) {
    if (expr.value && (!machine.isBound(expr.value) || expr.value.getDefiningOp() == op))
      return std::nullopt;
    SmallVector<int64_t> operands;
    for (ov::DimSource::Dim operand : expr.operands) {
      std::optional<int64_t> number = get(operand);
      if (!number)
        return std::nullopt;
      operands.push_back(*number);
    }
    switch (expr.kind) {
    case ov::DimKind::constant:
      return expr.number;
    case ov::DimKind::dim:
      return machine.valueOf(expr.value).getDim(expr.number);
    case ov::DimKind::element:
      return std::max<int64_t>(machine.valueOf(expr.value).getInteger(expr.number), 0);
    case ov::DimKind::index:
      return std::nullopt;
    case ov::DimKind::join: {
      int64_t joined = 1;
      for (int64_t operand : operands)
        joined = operand == 1 ? joined : operand;
      return joined;
    }
    case ov::DimKind::sum:
      return accumulate(operands, 0, llvm::AddOverflow<int64_t>);
    case ov::DimKind::product:
      return accumulate(operands, 1, llvm::MulOverflow<int64_t>);
    case ov::DimKind::quotient:
      return operands[1] == 0 ? (operands[0] == 0 ? std::optional<int64_t>(0) : std::nullopt)
                              : operands[0] / operands[1];
    case ov::DimKind::steps:
      return llvm::divideCeilSigned(operands[0], expr.number);
    case ov::DimKind::ifZero:
      return operands[0] == 0 ? operands[1] : operands[0];
    }
    llvm_unreachable("every kind has a value");
  }

  template <typename CombineT>
  static std::optional<int64_t> accumulate(ArrayRef<int64_t> numbers, int64_t result, CombineT combine) {
    for (int64_t number : numbers)
      if (combine(result, number, result))
        return std::nullopt;
    return result;
  }

  Machine &machine;
  const ov::DimExpressions &exprs;
  Operation *op;
  llvm::DenseMap<ov::DimSource::Dim, std::optional<int64_t>> known;
};
} // namespace

/// The elements of a result that are checked. Ops state the elements only of shapes and of short lists of indices.
static constexpr int64_t kMaxElements = 16;

bool interpreter::checkDims(Machine &machine, Operation *op, ArrayRef<Tensor> results) {
  auto dims = dyn_cast<ov::DimsOpInterface>(op);
  auto elements = dyn_cast<ov::ElementsOpInterface>(op);
  ActualDims actual(machine);
  Evaluator followed(machine, op);
  auto agrees = [&](std::optional<int64_t> number, int64_t computed, const Twine &what) {
    if (!number || *number == computed)
      return true;
    machine.fault(RECUR_E_INTERNAL, op->getName().getStringRef() + " states " + Twine(*number) + " as " + what +
                                        ", which is " + Twine(computed));
    return false;
  };
  auto getConstant = [&](ov::DimSource::MaybeDim stated) {
    return stated ? actual.exprs.getConstant(*stated) : std::nullopt;
  };
  for (auto [i, tensor] : llvm::enumerate(results)) {
    // The compiler does not ask the op about a static dim of the type.
    auto type = cast<RankedTensorType>(op->getResult(i).getType());
    for (int64_t d = 0; dims && d < tensor.getRank(); ++d)
      if (type.isDynamicDim(d) &&
          (!agrees(getConstant(dims.describeDim(actual, i, d)), tensor.getDim(d), "dim " + Twine(d)) ||
           !agrees(followed.get(*machine.dims.get(op->getResult(i), d)), tensor.getDim(d),
                   "dim " + Twine(d) + " with the ops in front of it")))
        return false;
    bool isShape = (tensor.getType() == RECUR_I32 || tensor.getType() == RECUR_I64) && tensor.getRank() <= 1;
    for (int64_t k = 0; elements && isShape && k < std::min(tensor.getNumElements(), kMaxElements); ++k)
      if (!agrees(getConstant(elements.describeElement(actual, i, k)), int64_t(tensor.getInteger(k)),
                  "element " + Twine(k)))
        return false;
  }
  return true;
}
