// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Generation.cpp - Range ---------------------------------------------===//

#include "Machine.h"

#include <cmath>

using namespace mlir;

namespace recur::interpreter {

static MaybeTensor range(Machine &machine, ov::RangeOp op, Operands operands) {
  recur_element_type type = getElementType(op.getOutputType());
  bool isInteger = !isReal(type);
  Scalar numbers[3];
  for (auto [i, operand] : llvm::enumerate(operands)) {
    numbers[i] = operand->get(0);
    if (numbers[i].isReal && isInteger) {
      if (std::isnan(numbers[i].real))
        return machine.fault(RECUR_E_SHAPE, "an operand of a range is NaN");
      numbers[i] = convertScalar(numbers[i], operand->getType(), RECUR_I64);
    }
  }
  bool allIntegers = llvm::none_of(numbers, [](Scalar number) { return number.isReal; });
  auto toReal = [](Scalar number) { return number.isReal ? number.real : double(number.integer); };
  int64_t count = 0;
  if (allIntegers) {
    Integer span = numbers[1].integer - numbers[0].integer, step = numbers[2].integer;
    if (step == 0)
      return machine.fault(RECUR_E_SHAPE, "the step of a range is 0");
    Integer steps = (span > 0) == (step > 0) && span != 0 ? (span + step - (step > 0 ? 1 : -1)) / step : 0;
    count = int64_t(std::min<Integer>(steps, Machine::kMostElements + 1));
  } else {
    double steps = std::ceil((toReal(numbers[1]) - toReal(numbers[0])) / toReal(numbers[2]));
    if (toReal(numbers[2]) == 0 || !std::isfinite(toReal(numbers[1]) - toReal(numbers[0])) || std::isnan(steps))
      return machine.fault(RECUR_E_SHAPE, "the operands of a range are none");
    count = int64_t(std::clamp<double>(steps, 0, double(Machine::kMostElements + 1)));
  }
  MaybeTensor result = machine.make(type, {count});
  for (int64_t i = 0; result && i != count; ++i)
    if (isInteger)
      result->setInteger(i, numbers[0].integer + i * numbers[2].integer);
    else
      result->setReal(i, toReal(numbers[0]) + double(i) * toReal(numbers[2]));
  return result;
}

void addGeneration(Handlers &handlers) { addHandler<ov::RangeOp>(handlers, range); }

} // namespace recur::interpreter
