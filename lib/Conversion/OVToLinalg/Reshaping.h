// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reshaping.h - The same elements under other dims ---------*- C++ -*-===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_RESHAPING_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_RESHAPING_H

#include "Lowering.h"

namespace recur::ov {

/// `tensor` with each dim split into a group of dims of the given sizes.
mlir::Value expandShape(LoweringBuilder &b, mlir::Value tensor, llvm::ArrayRef<mlir::ReassociationIndices> groups,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// `tensor` with unit dims at `axes` (ascending) of the result, and without those at `axes`, which are static.
mlir::Value insertUnitDims(LoweringBuilder &b, mlir::Value tensor, llvm::ArrayRef<int64_t> axes);
mlir::Value dropUnitDims(LoweringBuilder &b, mlir::Value tensor, llvm::ArrayRef<int64_t> axes);

/// `tensor` under other dims, of which it is known that they hold as many elements; `untied` is the same tensor before
/// it was made to depend on a check of that.
mlir::Value reshapeTo(LoweringBuilder &b, mlir::Value tensor, mlir::Value untied,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes);

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_RESHAPING_H
