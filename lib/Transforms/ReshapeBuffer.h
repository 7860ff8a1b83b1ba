// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ReshapeBuffer.h - Destinations of reshaped values --------*- C++ -*-===//
//
// A reshape between a value and the buffer that it is written to is in the way of computing the value in the buffer.
// These functions reshape the buffer instead. They work on tensors before bufferization and on memrefs after it.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_RESHAPEBUFFER_H
#define RECUR_LIB_TRANSFORMS_RESHAPEBUFFER_H

#include "mlir/IR/Builders.h"

namespace recur {

/// `buffer` has the shape of the result of `reshape`, an expand_shape or collapse_shape of a tensor or a memref.
/// Returns a view of `buffer` that has the shape of the operand of `reshape`, or null if there is no such view.
mlir::Value undoReshape(mlir::OpBuilder &builder, mlir::Operation *reshape, mlir::Value buffer);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_RESHAPEBUFFER_H
