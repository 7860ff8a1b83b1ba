// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Padding.h - A tensor in the midst of a value -------------*- C++ -*-===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_PADDING_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_PADDING_H

#include "Lowering.h"

namespace recur::ov {

/// Where the data stands in one dim of the padded tensor: `size` elements from `offset`, which are those of the data
/// from `from`.
struct Center {
  mlir::OpFoldResult offset, size, from;
};

/// A tensor of `sizes`, of `value` around the data. Every element is written once: in front of and behind each dim a
/// slab of the value, and the data.
mlir::Value surround(LoweringBuilder &b, mlir::Value data, mlir::Value value, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                     llvm::ArrayRef<Center> centers);

/// `data` with `value` in front of and behind its dims. Pads are not negative.
mlir::Value padWith(LoweringBuilder &b, mlir::Value data, mlir::Value value, llvm::ArrayRef<mlir::OpFoldResult> before,
                    llvm::ArrayRef<mlir::OpFoldResult> behind);

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_PADDING_H
