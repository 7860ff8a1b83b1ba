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

/// The elements of a result that are checked. Ops state the elements only of shapes and of short lists of indices.
static constexpr int64_t kMaxElements = 16;

bool interpreter::checkDims(Machine &machine, Operation *op, ArrayRef<Tensor> results) {
  auto dims = dyn_cast<ov::DimsOpInterface>(op);
  auto elements = dyn_cast<ov::ElementsOpInterface>(op);
  ActualDims actual(machine);
  auto agrees = [&](ov::DimSource::MaybeDim stated, int64_t computed, const Twine &what) {
    std::optional<int64_t> number = stated ? actual.exprs.getConstant(*stated) : std::nullopt;
    if (!number || *number == computed)
      return true;
    machine.fault(RECUR_E_INTERNAL, op->getName().getStringRef() + " states " + Twine(*number) + " as " + what +
                                        ", which is " + Twine(computed));
    return false;
  };
  for (auto [i, tensor] : llvm::enumerate(results)) {
    // The compiler does not ask the op about a static dim of the type.
    auto type = cast<RankedTensorType>(op->getResult(i).getType());
    for (int64_t d = 0; dims && d < tensor.getRank(); ++d)
      if (type.isDynamicDim(d) && !agrees(dims.describeDim(actual, i, d), tensor.getDim(d), "dim " + Twine(d)))
        return false;
    bool isShape = (tensor.getType() == RECUR_I32 || tensor.getType() == RECUR_I64) && tensor.getRank() <= 1;
    for (int64_t k = 0; elements && isShape && k < std::min(tensor.getNumElements(), kMaxElements); ++k)
      if (!agrees(elements.describeElement(actual, i, k), int64_t(tensor.getInteger(k)), "element " + Twine(k)))
        return false;
  }
  return true;
}
