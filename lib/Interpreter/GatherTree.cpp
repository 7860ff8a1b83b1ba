// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GatherTree.cpp - GatherTree-1 --------------------------------------===//

#include "Machine.h"

#include <cmath>

using namespace mlir;

namespace recur::interpreter {

/// A length or a parent as an integer: fractions truncate, what is too great for i64 saturates; nothing for NaN.
static std::optional<Integer> toInteger(Scalar value) {
  if (!value.isReal)
    return value.integer;
  if (std::isnan(value.real))
    return std::nullopt;
  return convertScalar(value, RECUR_F64, RECUR_I64).integer;
}

static bool isEqual(Scalar a, Scalar b) { return a.isReal ? a.real == b.real : a.integer == b.integer; }

static MaybeTensor gatherTree(Machine &machine, ov::GatherTreeOp op, Operands operands) {
  const Tensor &steps = *operands[0], &parents = *operands[1], &lengths = *operands[2], &end = *operands[3];
  const Shape &shape = steps.getShape();
  if (parents.getShape() != shape || lengths.getDim(0) != shape[1])
    return machine.fault(RECUR_E_SHAPE, "the shapes of step_ids, parent_ids and max_seq_len do not agree");
  MaybeTensor result = machine.make(steps.getType(), shape);
  if (!result)
    return std::nullopt;
  int64_t maxTime = shape[0];
  for (int64_t i = 0; i != result->getNumElements(); ++i)
    result->copy(i, end, 0);
  for (int64_t batch = 0; batch != shape[1]; ++batch) {
    std::optional<Integer> given = toInteger(lengths.get(batch));
    if (!given)
      return machine.fault(RECUR_E_INDEX, "max_seq_len of batch " + Twine(batch) + " is NaN");
    int64_t length = int64_t(std::clamp<Integer>(*given, 0, maxTime));
    for (int64_t beam = 0; beam != shape[2]; ++beam) {
      // Back in time along the parents.
      int64_t source = beam;
      for (int64_t time = length; time-- != 0;) {
        result->copy(getOffset(shape, {time, batch, beam}), steps, getOffset(shape, {time, batch, source}));
        if (time == 0)
          break;
        std::optional<Integer> parent = toInteger(parents.get(getOffset(shape, {time, batch, source})));
        if (!parent || *parent < 0 || *parent >= shape[2])
          return machine.fault(RECUR_E_INDEX, "the parent at time " + Twine(time) + ", batch " + Twine(batch) +
                                                  ", beam " + Twine(source) + " is out of range");
        source = int64_t(*parent);
      }
      // Forward: what follows the first end token is end tokens.
      bool isOver = false;
      for (int64_t time = 0; time != length; ++time) {
        int64_t place = getOffset(shape, {time, batch, beam});
        if (isOver)
          result->copy(place, end, 0);
        isOver |= isEqual(result->get(place), end.get(0));
      }
    }
  }
  return result;
}

void addGatherTree(Handlers &handlers) { addHandler<ov::GatherTreeOp>(handlers, gatherTree); }

} // namespace recur::interpreter
