// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reshaping.h - The same elements under other dims ---------*- C++ -*-===//
//
// Views of a tensor under other dims: tensor.expand_shape and tensor.collapse_shape where they apply, because they are
// free, and tensor.reshape otherwise.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_RESHAPING_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_RESHAPING_H

#include "Lowering.h"

namespace recur::ov {

/// Splits each dim of `tensor` into a group of dims. `sizes` are the sizes of all resulting dims.
mlir::Value expandShape(LoweringBuilder &b, mlir::Value tensor, llvm::ArrayRef<mlir::ReassociationIndices> groups,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// Insert unit dims at `axes` of the result, and drop the static unit dims at `axes` of `tensor`. The axes are in
/// ascending order.
mlir::Value insertUnitDims(LoweringBuilder &b, mlir::Value tensor, llvm::ArrayRef<int64_t> axes);
mlir::Value dropUnitDims(LoweringBuilder &b, mlir::Value tensor, llvm::ArrayRef<int64_t> axes);

/// Reshapes `tensor` to `sizes`, which must have the same number of elements. `untied` is the tensor before it was made
/// to depend on a check of that.
mlir::Value reshapeTo(LoweringBuilder &b, mlir::Value tensor, mlir::Value untied,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes);

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_RESHAPING_H
