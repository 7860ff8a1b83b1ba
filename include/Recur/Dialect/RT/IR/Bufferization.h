// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Bufferization.h - Ops of rt that work on tensors ---------*- C++ -*-===//
//
// Bufferization is MLIR's conversion of tensors, which are values, to memrefs, which are memory. A dialect says in an
// interface how its ops take part. The interface is registered separately, so that tools that do not bufferize need not
// link it.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_RT_IR_BUFFERIZATION_H
#define RECUR_DIALECT_RT_IR_BUFFERIZATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace recur::rt {
/// Registers the interface of `rt.broadcast_dim`, which becomes a view of a buffer, and of `rt.convolution`.
void registerBufferization(mlir::DialectRegistry &registry);
} // namespace recur::rt

#endif // RECUR_DIALECT_RT_IR_BUFFERIZATION_H
