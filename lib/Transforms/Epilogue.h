// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Epilogue.h - The epilogue of a convolution in a kernel ---*- C++ -*-===//
//
// A bias, an activation or a residual behind a convolution is computed on the accumulators of a tile, before they are
// stored, or while the results are in L2. This file emits the body of such an epilogue on vectors.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_EPILOGUE_H
#define RECUR_LIB_TRANSFORMS_EPILOGUE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace recur {

/// True for a body of many ops, or of functions such as exponentials. A kernel whose code would have it for each
/// accumulator of a tile applies it to results that were stored and are still in L2.
bool isLong(mlir::Block &body);

/// A text that is equal for bodies that compute the same.
std::string describeBody(mlir::Block &body);

/// Emits the body for vectors of `type`. `arguments` are the vectors that stand for its arguments.
mlir::Value emitBody(mlir::OpBuilder &builder, mlir::Block &body, mlir::VectorType type, mlir::ValueRange arguments);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_EPILOGUE_H
