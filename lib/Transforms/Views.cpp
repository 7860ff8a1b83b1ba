// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Views.cpp - Tensors that show others -------------------------------===//

#include "Views.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

Value recur::getViewed(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp>(op))
      break;
    tensor = op->getOperand(0);
  }
  return tensor;
}
