// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVShapes.h - Arithmetic on partly known shapes -----------*- C++ -*-===//
//
// What inference, verification and lowering of the tensor ops share. An unknown dim is ShapedType::kDynamic.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_OVSHAPES_H
#define RECUR_DIALECT_OV_IR_OVSHAPES_H

#include "Recur/Dialect/OV/IR/OV.h"

namespace recur::ov {

/// The dim that `a` and `b` broadcast to by NumPy's rules, or nullopt if they clash.
std::optional<int64_t> broadcastDim(int64_t a, int64_t b);

/// The shape that `a` and `b` broadcast to by NumPy's rules, or nullopt if they clash.
std::optional<llvm::SmallVector<int64_t>> broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// What is known of two dims that must be equal, or nullopt if they clash.
std::optional<int64_t> mergeDims(int64_t a, int64_t b);

/// What is known of two shapes that must be equal, or nullopt if they clash.
std::optional<llvm::SmallVector<int64_t>> mergeShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// True if `a` and `b` broadcast whatever their unknown dims turn out to be.
bool surelyBroadcast(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// True if `a` and `b` are equal whatever their unknown dims turn out to be.
bool surelyEqual(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// The axis in [0, rank), or nullopt if it is out of range.
std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank);

/// The number of batch dims of ov.gather; negative if `batchDims` is out of range below.
inline int64_t normalizeBatchDims(int64_t batchDims, int64_t indexRank) {
  return batchDims < 0 ? batchDims + indexRank : batchDims;
}

/// The constant axes in `value`, each in [0, rank) and none twice, in the order given; else nullopt.
std::optional<llvm::SmallVector<int64_t>> getConstantAxes(mlir::Value value, int64_t rank);

/// The one axis in `value`, in [0, rank), or nullopt if it is not a constant of one element in range.
std::optional<int64_t> getConstantAxis(mlir::Value value, int64_t rank);

/// What is known of the entries of an i32 or i64 tensor of rank 0 or 1 and static length: an entry that is not known is
/// kDynamic. Looks through shape_of, concat, gather and the like. Nullopt if the length is not static.
std::optional<llvm::SmallVector<int64_t>> getPartlyKnownIntegers(mlir::Value value);

/// What ov.reshape makes of a shape.
struct ReshapedShape {
  llvm::SmallVector<int64_t> dims;
  /// True if no values of the unknown dims can make the reshape fail.
  bool safe = false;
};

/// The result of reshaping `input` to `target` (whose unknown entries are kDynamic), or nullopt, with the reason in
/// `why`, if that cannot be.
std::optional<ReshapedShape> reshapeShape(llvm::ArrayRef<int64_t> input, llvm::ArrayRef<int64_t> target,
                                          bool specialZero, std::string &why);

/// The axes that ov.squeeze drops, in ascending order, or nullopt if `axes` is not valid (or is absent or empty where a
/// dim is unknown).
std::optional<llvm::SmallVector<int64_t>> getSqueezedAxes(llvm::ArrayRef<int64_t> shape, mlir::Value axes);

/// The permutation of ov.transpose, or nullopt if `order` is not a constant permutation of `rank` axes or empty.
std::optional<llvm::SmallVector<int64_t>> getPermutation(mlir::Value order, int64_t rank);

/// The shape with which the slope of ov.prelu broadcasts to its data by NumPy's rules.
llvm::SmallVector<int64_t> getSlopeShape(llvm::ArrayRef<int64_t> data, llvm::ArrayRef<int64_t> slope);

/// tensor.extract_slice, and where it is known to be of nothing, for which that does not verify, tensor.empty.
mlir::Value createSlice(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type, mlir::Value tensor,
                        llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                        llvm::ArrayRef<mlir::OpFoldResult> strides);

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_OVSHAPES_H
