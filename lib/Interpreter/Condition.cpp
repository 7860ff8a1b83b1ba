// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Condition.cpp - If-8, NonZero and Select ---------------------------===//

#include "Machine.h"

using namespace mlir;

namespace recur::interpreter {

static MaybeTensors branch(Machine &machine, ov::IfOp op, Operands operands) {
  Block &body = (operands[0]->getInteger(0) != 0 ? op.getThenBody() : op.getElseBody()).front();
  if (!machine.run(body))
    return std::nullopt;
  Tensors results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(machine.valueOf(value));
  return results;
}

static MaybeTensor nonZero(Machine &machine, ov::NonZeroOp op, Operands operands) {
  const Tensor &data = *operands[0];
  std::vector<Shape> places;
  int64_t next = 0;
  forEachPlace(data.getShape(), [&](ArrayRef<int64_t> place) {
    Scalar x = data.get(next++);
    if (x.isReal ? x.real != 0 : x.integer != 0)
      places.push_back(Shape(place));
  });
  int64_t count = places.size();
  MaybeTensor result = machine.make(getElementType(op.getOutputType()), {data.getRank(), count});
  for (int64_t dim = 0; result && dim != data.getRank(); ++dim)
    for (int64_t i = 0; i != count; ++i)
      result->setInteger(dim * count + i, places[i][dim]);
  return result;
}

static MaybeTensor select(Machine &machine, ov::SelectOp op, Operands operands) {
  const Tensor &condition = *operands[0], &yes = *operands[1], &no = *operands[2];
  ov::AutoBroadcast mode = op.getAutoBroadcast();
  std::optional<Shape> values = broadcast(machine, yes.getShape(), no.getShape(), mode);
  std::optional<Shape> shape = values ? broadcast(machine, condition.getShape(), *values, mode) : std::nullopt;
  MaybeTensor result = shape ? machine.make(yes.getType(), *shape) : std::nullopt;
  if (!result)
    return std::nullopt;
  int64_t next = 0;
  forEachPlace(*shape, [&](ArrayRef<int64_t> place) {
    bool isTrue = condition.getInteger(getBroadcastOffset(condition.getShape(), place)) != 0;
    const Tensor &chosen = isTrue ? yes : no;
    result->copy(next++, chosen, getBroadcastOffset(chosen.getShape(), place));
  });
  return result;
}

void addCondition(Handlers &handlers) {
  addHandler<ov::IfOp>(handlers, branch);
  addHandler<ov::NonZeroOp>(handlers, nonZero);
  addHandler<ov::SelectOp>(handlers, select);
}

} // namespace recur::interpreter
