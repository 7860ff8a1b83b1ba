// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Epilogue.h - Element-wise ops behind convolutions --------*- C++ -*-===//
//
// A bias, an activation or a residual behind a convolution is computed on the accumulators of a tile, before they are
// stored, or while the results are in L2. This file finds such an op, and emits its body on vectors.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_EPILOGUE_H
#define RECUR_LIB_TRANSFORMS_EPILOGUE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace recur {

/// An element-wise op that alone reads the result of a convolution.
struct Epilogue {
  mlir::linalg::GenericOp op;
  /// The number of the input that is the result of the convolution.
  unsigned input;
  /// The reshapes and slices between the two, in their order.
  llvm::SmallVector<mlir::Operation *> views;
};

/// Finds the epilogue of a convolution for which `matchChannelsLast` holds, on tensors or buffers. The loops of the op
/// are batch, positions and channel. Each other input has an element for each channel, and may have one for each batch
/// and position.
std::optional<Epilogue> findEpilogue(mlir::linalg::GenericOp convolution);

/// True for a body of many ops, or of functions such as exponentials. A kernel whose code would have it for each
/// accumulator of a tile applies it to results that were stored and are still in L2.
bool isLong(Epilogue epilogue);

/// The convolution whose epilogue `op`, on tensors, is, or null.
mlir::linalg::GenericOp findConvolution(mlir::linalg::GenericOp op);

/// A text that is equal for epilogues whose bodies compute the same.
std::string describeBody(Epilogue epilogue);

/// Emits the body for a vector. `inputs` are the vectors that stand for the inputs of the op.
mlir::Value emitBody(mlir::OpBuilder &builder, mlir::linalg::GenericOp op, mlir::VectorType type,
                     mlir::ValueRange inputs);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_EPILOGUE_H
