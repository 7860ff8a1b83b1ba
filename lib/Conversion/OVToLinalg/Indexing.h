// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Indexing.h - Elements and slices at computed places ------*- C++ -*-===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_INDEXING_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_INDEXING_H

#include "Lowering.h"

namespace recur::ov {

/// An integer of `tensor` (i32 or i64) as index; it is read where it is needed.
mlir::Value readIndex(LoweringBuilder &b, mlir::Value tensor, mlir::ValueRange position);

/// `index`, which counts from the end where it is negative, as an index of a dim of `size` elements; checked.
mlir::Value checkIndex(LoweringBuilder &b, mlir::Value index, mlir::Value size);

/// A slice of one element along each of the dims `dropped` (ascending), which it does not have, and its counterpart
/// that writes one. Unlike the ops by themselves, they are right where other dims are 1 too.
mlir::Value extractDropping(LoweringBuilder &b, mlir::Value tensor, llvm::ArrayRef<mlir::OpFoldResult> offsets,
                            llvm::ArrayRef<mlir::OpFoldResult> sizes, llvm::ArrayRef<int64_t> dropped);
mlir::Value insertDropping(LoweringBuilder &b, mlir::Value slice, mlir::Value tensor,
                           llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                           llvm::ArrayRef<int64_t> dropped);

/// What `data` holds at the leading indices `place`: an element, or the slice of the dims that follow.
mlir::Value readAt(LoweringBuilder &b, mlir::Value data, mlir::ValueRange place);
/// `tensor` with what `readAt` would read at `place` replaced by `value`.
mlir::Value writeAt(LoweringBuilder &b, mlir::Value value, mlir::Value tensor, mlir::ValueRange place);

using Place = llvm::function_ref<llvm::SmallVector<mlir::Value>(LoweringBuilder &, mlir::ValueRange)>;

/// A tensor of `sizes`: for each index of its first `outer` dims, what `data` holds at the place that `place` gives.
mlir::Value gatherAt(LoweringBuilder &b, mlir::Value data, llvm::ArrayRef<mlir::OpFoldResult> sizes, int64_t outer,
                     Place place);

/// Index arithmetic that folds.
mlir::Value addIndex(LoweringBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value subIndex(LoweringBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value minIndex(LoweringBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value maxIndex(LoweringBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value selectValue(LoweringBuilder &b, mlir::Value condition, mlir::Value yes, mlir::Value no);
/// A value as a size: an attribute where it is constant.
mlir::OpFoldResult toSize(LoweringBuilder &b, mlir::Value value);

/// Entry `i` of a vector of integers: `known`, or read from memory.
mlir::Value entryOf(LoweringBuilder &b, mlir::Value vector, int64_t known, int64_t i);

/// `tensor` under other dims, of which it is known that they hold as many elements; `untied` is the same tensor before
/// it was made to depend on a check of that.
mlir::Value reshapeTo(LoweringBuilder &b, mlir::Value tensor, mlir::Value untied,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// `data` with `value` in front of and behind its dims. Pads are not negative.
mlir::Value padWith(LoweringBuilder &b, mlir::Value data, mlir::Value value, llvm::ArrayRef<mlir::OpFoldResult> before,
                    llvm::ArrayRef<mlir::OpFoldResult> behind);

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_INDEXING_H
