// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ReshapeBuffer.h - The other way through a reshape --------*- C++ -*-===//
#ifndef RECUR_LIB_TRANSFORMS_RESHAPEBUFFER_H
#define RECUR_LIB_TRANSFORMS_RESHAPEBUFFER_H

#include "mlir/IR/Builders.h"

namespace recur {

/// `buffer`, which has the shape of the result of `reshape` (of a tensor or of a buffer), in the shape of the operand
/// of `reshape`; null if there is no such view.
mlir::Value undoReshape(mlir::OpBuilder &builder, mlir::Operation *reshape, mlir::Value buffer);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_RESHAPEBUFFER_H
