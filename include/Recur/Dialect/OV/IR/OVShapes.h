// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVShapes.h - Arithmetic on partly known shapes -----------*- C++ -*-===//
//
// Type inference, verification and lowerings of the tensor ops share these functions. An unknown (dynamic) dim is
// ShapedType::kDynamic.
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

/// The value of two dims that must be equal: kDynamic if neither is known, nullopt if they clash.
std::optional<int64_t> mergeDims(int64_t a, int64_t b);

/// The shape of two tensors whose shapes must be equal, merged dim by dim; nullopt if ranks or dims clash.
std::optional<llvm::SmallVector<int64_t>> mergeShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// True if `a` and `b` provably broadcast by NumPy's rules, whatever values their unknown dims have. Compares only the
/// trailing dims that both have.
bool provablyBroadcast(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// True if `a` and `b` are provably equal: both are static and the same.
bool provablyEqual(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// `axis` as a number in [0, rank), or nullopt if it is out of range. A negative axis counts from the end.
std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank);

/// The number of batch dims of ov.gather: a negative `batchDims` counts from the rank of the indices. The result is
/// negative if `batchDims` is too small. The upper bound is not checked.
inline int64_t normalizeBatchDims(int64_t batchDims, int64_t indexRank) {
  return batchDims < 0 ? batchDims + indexRank : batchDims;
}

/// The axes in `value`, each normalized to [0, rank), in the order given. Nullopt if `value` (which may be null) is not
/// constant, or an axis is out of range or repeated.
std::optional<llvm::SmallVector<int64_t>> getConstantAxes(mlir::Value value, int64_t rank);

/// The axis in `value`, normalized to [0, rank). Nullopt if `value` is not a constant of one element that is in range.
std::optional<int64_t> getConstantAxis(mlir::Value value, int64_t rank);

/// The entries of an integer tensor of rank 0 or 1, as far as they are known at compile time; kDynamic stands for the
/// others. Follows the ops that produce the tensor (shape_of, concat, gather and the like). Nullopt if the rank is
/// greater than 1, the length is not static, or the elements are not integers.
std::optional<llvm::SmallVector<int64_t>> getPartlyKnownIntegers(mlir::Value value);

/// The result shape of ov.reshape.
struct ReshapedShape {
  /// The dims of the result; kDynamic where they are not known.
  llvm::SmallVector<int64_t> dims;
  /// True if the reshape provably cannot fail, whatever values the unknown dims have.
  bool safe = false;
};

/// The shape that ov.reshape gives a tensor of shape `input` for the target entries `target` (kDynamic where unknown).
/// Nullopt, with the reason in `why`, if the reshape provably fails.
std::optional<ReshapedShape> reshapeShape(llvm::ArrayRef<int64_t> input, llvm::ArrayRef<int64_t> target,
                                          bool specialZero, std::string &why);

/// The axes that ov.squeeze drops, in ascending order: the constant `axes`, or all unit dims if `axes` is null or
/// empty. Nullopt if `axes` is not valid, or if all unit dims are meant and a dim is unknown.
std::optional<llvm::SmallVector<int64_t>> getSqueezedAxes(llvm::ArrayRef<int64_t> shape, mlir::Value axes);

/// The permutation of ov.transpose: result dim i is input dim `permutation[i]`. An empty `order` reverses the dims.
/// Nullopt if `order` is neither empty nor a constant permutation of `rank` axes.
std::optional<llvm::SmallVector<int64_t>> getPermutation(mlir::Value order, int64_t rank);

/// The shape that the slope of ov.prelu is reshaped to, so that it broadcasts to the data by NumPy's rules. A slope of
/// rank 1 that belongs to dim 1 of the data gets trailing unit dims. Nullopt if it may belong to dim 1 or to the last
/// dim, which only the call tells.
std::optional<llvm::SmallVector<int64_t>> getSlopeShape(llvm::ArrayRef<int64_t> data, llvm::ArrayRef<int64_t> slope);

/// Builds a tensor.extract_slice with a result of type `type`. Builds a tensor.empty instead if the result or `tensor`
/// is statically empty, because extract_slice does not verify there.
mlir::Value createSlice(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type, mlir::Value tensor,
                        llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                        llvm::ArrayRef<mlir::OpFoldResult> strides);

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_OVSHAPES_H
