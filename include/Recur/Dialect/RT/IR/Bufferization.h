// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Bufferization.h - Ops of rt that work on tensors ---------*- C++ -*-===//
#ifndef RECUR_DIALECT_RT_IR_BUFFERIZATION_H
#define RECUR_DIALECT_RT_IR_BUFFERIZATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace recur::rt {
/// Says how `rt.broadcast_dim` becomes a view of a buffer.
void registerBufferization(mlir::DialectRegistry &registry);
} // namespace recur::rt

#endif // RECUR_DIALECT_RT_IR_BUFFERIZATION_H
