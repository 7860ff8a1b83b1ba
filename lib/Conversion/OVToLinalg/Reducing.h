// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reducing.h - Loops that accumulate -----------------------*- C++ -*-===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_REDUCING_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_REDUCING_H

#include "Lowering.h"

namespace recur::ov {

/// Combines what was accumulated with a value of compute type.
using Combine = mlir::Value (*)(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs, bool isUnsigned);

/// Reduces `data`, whose elements are of type `element`, along `axes`, to elements of the type of `neutral`.
mlir::Value reduce(LoweringBuilder &b, mlir::Value data, mlir::Type element, llvm::ArrayRef<int64_t> axes,
                   mlir::Value neutral, Combine combine);
/// Reads what `reduce` gives in loops over the dims of its data.
mlir::AffineMap getReducedMap(mlir::MLIRContext *context, int64_t rank, llvm::ArrayRef<int64_t> axes);

/// Sums of products of elements of type `element`, as memory has them: `sizes` are the loops over the result, and one
/// more, over what is summed, comes last. The maps say how `lhs`, `rhs` and the result are read.
mlir::Value contract(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs, mlir::Type element,
                     llvm::ArrayRef<mlir::OpFoldResult> sizes, llvm::ArrayRef<mlir::AffineMap> maps);

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_REDUCING_H
