// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Indexing.h - Elements and slices at computed places ------*- C++ -*-===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_INDEXING_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_INDEXING_H

#include "Lowering.h"

namespace recur::ov {

/// An integer of `tensor` (i32 or i64) as index; it is read where it is needed.
mlir::Value readIndex(LoweringBuilder &b, mlir::Value tensor, mlir::ValueRange position);

/// `index`, which counts from the end where it is negative (unless `fromEnd` is false), as an index of a dim of `size`
/// elements; checked.
mlir::Value checkIndex(LoweringBuilder &b, mlir::Value index, mlir::Value size, bool fromEnd = true);

/// The same of an axis of a tensor with `rank` dims.
mlir::Value checkAxis(LoweringBuilder &b, mlir::Value axis, int64_t rank);

/// Appends the coordinates that the last dim of `indices` holds at `position`: checked indices of dims of `sizes`.
void appendCoordinates(LoweringBuilder &b, mlir::Value indices, mlir::ValueRange position,
                       llvm::ArrayRef<mlir::OpFoldResult> sizes, llvm::SmallVectorImpl<mlir::Value> &place);

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

/// A nest of loops over all dims but `axis`; the place that the body sees lacks the axis.
llvm::SmallVector<mlir::Value>
loopsAround(LoweringBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, int64_t axis, mlir::ValueRange inits,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(LoweringBuilder &, mlir::ValueRange outer,
                                                              mlir::ValueRange carried)>
                body);
/// The place with `index` along the axis.
llvm::SmallVector<mlir::Value> placeAt(mlir::ValueRange outer, int64_t axis, mlir::Value index);

/// Index arithmetic that folds.
mlir::Value addIndex(LoweringBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value subIndex(LoweringBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value minIndex(LoweringBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value maxIndex(LoweringBuilder &b, mlir::Value x, mlir::Value y);

/// Entry `i` of a vector of integers: `known`, or read from memory.
mlir::Value entryOf(LoweringBuilder &b, mlir::Value vector, int64_t known, int64_t i);

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_INDEXING_H
