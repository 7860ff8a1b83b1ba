// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Type.cpp - Lowering of conversions ---------------------------------===//

#include "Elementwise.h"
#include "Payloads.h"

using namespace mlir;

namespace recur::ov {

static Value buildConvert(LoweringBuilder &b, ConvertOp op, ValueRange args) {
  return convertScalar(b, args[0], elementOf(op.getInput()), op.getType().getElementType());
}

void populateTypePatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  addElementwise<ConvertOp, buildConvert>(converter, patterns);
}

} // namespace recur::ov
