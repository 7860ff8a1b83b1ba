// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Padding.h - A tensor surrounded by a value ---------------*- C++ -*-===//
//
// Places data in a larger tensor whose other elements all have one value. Pad and Convolution use it.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_PADDING_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_PADDING_H

#include "Lowering.h"

namespace recur::ov {

/// The position of the data in one dim of the padded tensor: `size` elements that begin at `offset`. They are the
/// elements of the data that begin at `from`. Negative pads crop the data, so `from` may be greater than 0.
struct Center {
  mlir::OpFoldResult offset, size, from;
};

/// Builds a tensor of `sizes` with the data at `centers` and `value` elsewhere. It writes every element once: a slab of
/// the value before and after the data along each dim, then the data.
mlir::Value surround(LoweringBuilder &b, mlir::Value data, mlir::Value value, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                     llvm::ArrayRef<Center> centers);

/// Pads each dim of `data` with `before` and `behind` elements of `value`. The pads must not be negative.
mlir::Value padWith(LoweringBuilder &b, mlir::Value data, mlir::Value value, llvm::ArrayRef<mlir::OpFoldResult> before,
                    llvm::ArrayRef<mlir::OpFoldResult> behind);

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_PADDING_H
