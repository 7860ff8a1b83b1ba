// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Indexing.h - Elements and slices at computed indices -----*- C++ -*-===//
//
// Helpers that read and write elements or slices at indices that are computed at run time, with the checks of these
// indices, and index arithmetic that folds.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_INDEXING_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_INDEXING_H

#include "Lowering.h"

namespace recur::ov {

/// Reads an integer of `tensor` (i32 or i64) as an index. The read stands at the builder's position.
mlir::Value readIndex(LoweringBuilder &b, mlir::Value tensor, mlir::ValueRange position);

/// Checks that `index` is in range for a dim of `size` elements, and returns it as a non-negative index. A negative
/// index counts from the end unless `fromEnd` is false. A failure is an index fault.
mlir::Value checkIndex(LoweringBuilder &b, mlir::Value index, mlir::Value size, bool fromEnd = true);

/// The same for an axis of a tensor of rank `rank`.
mlir::Value checkAxis(LoweringBuilder &b, mlir::Value axis, int64_t rank);

/// Reads coordinates along the last dim of `indices` at `position`, checks them against `sizes`, and appends them to
/// `place`.
void appendCoordinates(LoweringBuilder &b, mlir::Value indices, mlir::ValueRange position,
                       llvm::ArrayRef<mlir::OpFoldResult> sizes, llvm::SmallVectorImpl<mlir::Value> &place);

/// Extract and insert a slice that has one element along each of the dims `dropped` (ascending) and lacks these dims in
/// its type. tensor.extract_slice and tensor.insert_slice alone may be bufferized wrongly if other dims are 1 too.
mlir::Value extractDropping(LoweringBuilder &b, mlir::Value tensor, llvm::ArrayRef<mlir::OpFoldResult> offsets,
                            llvm::ArrayRef<mlir::OpFoldResult> sizes, llvm::ArrayRef<int64_t> dropped);
mlir::Value insertDropping(LoweringBuilder &b, mlir::Value slice, mlir::Value tensor,
                           llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                           llvm::ArrayRef<int64_t> dropped);

/// Reads `data` at the leading indices `place`. The result is a scalar if there are as many indices as dims, else a
/// slice of the remaining dims.
mlir::Value readAt(LoweringBuilder &b, mlir::Value data, mlir::ValueRange place);
/// Writes `value`, a scalar or a slice, to `tensor` at the leading indices `place`, and returns the new tensor.
mlir::Value writeAt(LoweringBuilder &b, mlir::Value value, mlir::Value tensor, mlir::ValueRange place);

/// Computes the leading indices into the data from the indices of the result.
using Place = llvm::function_ref<llvm::SmallVector<mlir::Value>(LoweringBuilder &, mlir::ValueRange)>;

/// Builds a tensor of `sizes`. For each index of its first `outer` dims, it copies the element or slice of `data` at
/// the indices that `place` returns.
mlir::Value gatherAt(LoweringBuilder &b, mlir::Value data, llvm::ArrayRef<mlir::OpFoldResult> sizes, int64_t outer,
                     Place place);

/// A nest of loops over all dims except `axis`. The indices passed to the body lack the axis.
llvm::SmallVector<mlir::Value>
loopsAround(LoweringBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, int64_t axis, mlir::ValueRange inits,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(LoweringBuilder &, mlir::ValueRange outer,
                                                              mlir::ValueRange carried)>
                body);
/// Inserts `index` for the axis into the indices `outer`.
llvm::SmallVector<mlir::Value> placeAt(mlir::ValueRange outer, int64_t axis, mlir::Value index);

/// Index arithmetic that folds.
mlir::Value addIndex(LoweringBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value subIndex(LoweringBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value minIndex(LoweringBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value maxIndex(LoweringBuilder &b, mlir::Value x, mlir::Value y);

/// Entry `i` of a vector of integers, as an index: the constant `known`, or a read at run time if `known` is kDynamic.
mlir::Value entryOf(LoweringBuilder &b, mlir::Value vector, int64_t known, int64_t i);

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_INDEXING_H
