// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TransposeKernel.h - Code for transposes ------------------*- C++ -*-===//
//
// The function that transposes matrices, in blocks that fit registers.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_TRANSPOSEKERNEL_H
#define RECUR_LIB_TRANSFORMS_TRANSPOSEKERNEL_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace recur {

/// True if a kernel shall compute `op`, on tensors or buffers: it exchanges one dim of f32 or f64 with the dims behind
/// it, or the last dim with some in front of it, and is not small.
bool callsKernel(mlir::linalg::TransposeOp op);

/// Emits calls of a kernel before `op`, for which callsKernel holds. The kernel is B[q, p] = A[p, q]. Other dims are
/// loops around the calls. Fails, and changes nothing, if the rows of a buffer are not contiguous.
mlir::LogicalResult lowerTranspose(mlir::RewriterBase &rewriter, mlir::linalg::TransposeOp op, int64_t vectorBits);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_TRANSPOSEKERNEL_H
