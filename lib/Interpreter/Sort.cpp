// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sort.cpp - TopK ----------------------------------------------------===//

#include "Machine.h"

#include <cmath>

using namespace mlir;

namespace recur::interpreter {

static MaybeTensors topK(Machine &machine, ov::TopKOp op, Operands operands) {
  const Tensor &data = *operands[0];
  std::optional<int64_t> axis = normalize(machine, op.getAxis(), data.getRank());
  if (!axis)
    return std::nullopt;
  int64_t length = data.getDim(*axis);
  Integer k = operands[1]->getInteger(0);
  if (k < 0 || k > length)
    return machine.fault(RECUR_E_INDEX,
                         "k is " + Twine(int64_t(k)) + ", but the axis has " + Twine(length) + " elements");
  Shape shape = data.getShape();
  shape[*axis] = int64_t(k);
  MaybeTensor values = machine.make(data.getType(), shape);
  MaybeTensor indices = machine.make(getElementType(op.getIndexElementType()), shape);
  if (!values || !indices)
    return std::nullopt;
  bool isMax = op.getMode() == ov::TopKMode::Max;
  // NaN is greater than every number.
  auto isLess = [](Scalar a, Scalar b) {
    if (!a.isReal)
      return a.integer < b.integer;
    return std::isnan(b.real) ? !std::isnan(a.real) : a.real < b.real;
  };
  if (k != 0)
    forEachLine(data, *axis, [&](ArrayRef<int64_t> line) {
      std::vector<int64_t> order(length);
      for (int64_t i = 0; i != length; ++i)
        order[i] = i;
      llvm::sort(order, [&](int64_t i, int64_t j) {
        Scalar x = data.get(getLineOffset(data, line, *axis, i)), y = data.get(getLineOffset(data, line, *axis, j));
        // The first of equal elements comes first.
        if (isMax)
          std::swap(x, y);
        return isLess(x, y) || (!isLess(y, x) && i < j);
      });
      order.resize(int64_t(k));
      if (op.getSort() == ov::TopKSort::Index)
        llvm::sort(order);
      for (auto [i, from] : llvm::enumerate(order)) {
        values->copy(getLineOffset(*values, line, *axis, i), data, getLineOffset(data, line, *axis, from));
        indices->setInteger(getLineOffset(*indices, line, *axis, i), from);
      }
    });
  Tensors results;
  results.push_back(std::move(*values));
  results.push_back(std::move(*indices));
  return results;
}

void addSort(Handlers &handlers) { addHandler<ov::TopKOp>(handlers, topK); }

} // namespace recur::interpreter
