// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KernelOps.cpp - What ops that kernels compute have in common -------===//
//
// On tensors such an op has no effects. On buffers it reads its operands and writes its destination.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace recur::rt;

#include "Recur/Dialect/RT/IR/RTInterfaces.cpp.inc"

static void addEffects(DestinationStyleOpInterface op, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<BaseMemRefType>(operand.get().getType()))
      effects.emplace_back(op.isDpsInit(&operand) ? static_cast<MemoryEffects::Effect *>(MemoryEffects::Write::get())
                                                  : MemoryEffects::Read::get(),
                           &operand, SideEffects::DefaultResource::get());
}

static Speculation::Speculatability speculate(DestinationStyleOpInterface op) {
  return op.hasPureTensorSemantics() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

static LogicalResult reifyShape(OpBuilder &builder, DestinationStyleOpInterface op,
                                ReifiedRankedShapedTypeDims &shapes) {
  if (op.hasPureTensorSemantics())
    shapes.push_back(tensor::getMixedSizes(builder, op.getLoc(), op.getDpsInits()[0]));
  return success();
}

void ProductOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) { addEffects(*this, effects); }
Speculation::Speculatability ProductOp::getSpeculatability() { return speculate(*this); }
LogicalResult ProductOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  return reifyShape(builder, *this, shapes);
}

void ConvolutionOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) { addEffects(*this, effects); }
Speculation::Speculatability ConvolutionOp::getSpeculatability() { return speculate(*this); }
LogicalResult ConvolutionOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  return reifyShape(builder, *this, shapes);
}
