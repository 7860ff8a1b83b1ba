// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Type.cpp - conversions ---------------------------------------------===//

#include "Machine.h"

using namespace mlir;

namespace recur::interpreter {

MaybeTensor convert(Machine &machine, const Tensor &data, recur_element_type type) {
  return mapUnary(machine, data, type, [&](Scalar x) { return convertScalar(x, data.getType(), type); });
}

static MaybeTensor convertOp(Machine &machine, ov::ConvertOp op, Operands operands) {
  return convert(machine, *operands[0], getElementType(op.getType().getElementType()));
}

static MaybeTensor convertLike(Machine &machine, ov::ConvertLikeOp, Operands operands) {
  return convert(machine, *operands[0], operands[1]->getType());
}

void addType(Handlers &handlers) {
  addHandler<ov::ConvertOp>(handlers, convertOp);
  addHandler<ov::ConvertLikeOp>(handlers, convertLike);
}

} // namespace recur::interpreter
