// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Inference.h - Helpers for inferring result types ---------*- C++ -*-===//
//
// The `inferTypes`, `describeDim` and `canFault` of the ops use these functions.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_DIALECT_OV_IR_INFERENCE_H
#define RECUR_LIB_DIALECT_OV_IR_INFERENCE_H

#include "Recur/Dialect/OV/IR/OVShapes.h"
#include "Recur/Dialect/OV/IR/RankedValues.h"

namespace recur::ov {

using Types = llvm::SmallVectorImpl<mlir::Type>;

/// Emits an error with the prefix "'ov.x' op " at `location`, or none if there is no location, and returns failure.
struct Report {
  std::optional<mlir::Location> location;
  llvm::StringRef opName;

  template <typename... Args>
  llvm::LogicalResult operator()(Args &&...args) const {
    return mlir::emitOptionalError(location, "'", opName, "' op ", std::forward<Args>(args)...);
  }
};

/// True if a dim, an index or another number is not known at compile time (ShapedType::kDynamic).
inline bool isUnknown(int64_t number) { return mlir::ShapedType::isDynamic(number); }
/// True if all dims of a ranked tensor are static.
inline bool isStatic(mlir::Value value) { return typeOf(value).hasStaticShape(); }

/// True if dim `i` of `a` and dim `j` of `b` are provably equal: the same dim, or static and the same.
inline bool provablySameDim(mlir::Value a, int64_t i, mlir::Value b, int64_t j) {
  return (a == b && i == j) || provablyEqual(shapeOf(a)[i], shapeOf(b)[j]);
}

/// True if there are as many inferred as actual types, and each inferred type is compatible with the actual one
/// (areCompatible).
bool areAllCompatible(mlir::TypeRange inferred, mlir::TypeRange actual);

/// Appends a ranked tensor type to `types`. Always succeeds.
inline llvm::LogicalResult addType(Types &types, llvm::ArrayRef<int64_t> shape, mlir::Type element) {
  types.push_back(mlir::RankedTensorType::get(shape, element));
  return llvm::success();
}

/// Replaces `shape` by the shape that it and the shape of `b` broadcast to, or, without broadcasting, by their merged
/// shape. Fails with an error about `a` and `b` if they clash.
llvm::LogicalResult combineShapes(const Report &report, mlir::Value a, mlir::Value b, AutoBroadcast autoBroadcast,
                                  llvm::SmallVector<int64_t> &shape);
/// Appends the result type of an element-wise op with two operands. Its elements are boolean if `isBoolean`, else those
/// of `lhs`.
llvm::LogicalResult inferBinary(const Report &report, mlir::Value lhs, mlir::Value rhs, AutoBroadcast autoBroadcast,
                                bool isBoolean, Types &types);
/// Appends the result type of a reduction over constant axes, which must be valid.
llvm::LogicalResult inferReduction(mlir::Value data, mlir::Value reductionAxes, bool keepDims, Types &types);

/// Dim number `dim` of the result of a reduction over constant axes, or nullopt if it is not known.
DimSource::MaybeDim describeReduction(DimSource &dims, mlir::Value data, mlir::Value reductionAxes, bool keepDims,
                                      int64_t dim);
/// The axis of the result of a reduction over constant axes that axis `axis` of the data is kept as. Nullopt if
/// elements along it are combined.
std::optional<int64_t> keepUnreduced(mlir::Value data, mlir::Value reductionAxes, bool keepDims, int64_t axis);
/// `axis`, unless an op works along it, or along an axis that is not known. `along` is the axis that it works along.
inline std::optional<int64_t> keepUnless(std::optional<int64_t> along, int64_t axis) {
  return along && *along != axis ? std::optional(axis) : std::nullopt;
}
/// The number of an axis once the dims at `axes`, which does not have it, are dropped.
int64_t dropAxes(llvm::ArrayRef<int64_t> axes, int64_t axis);
/// The number of an axis once unit dims are inserted, so that they stand at `axes`.
int64_t insertAxes(llvm::ArrayRef<int64_t> axes, int64_t axis);
/// If the dims at `axes` are dropped from a tensor of rank `rank`: the number of the dim of the tensor that becomes dim
/// number `dim` of the result. -1 if there is none.
int64_t skipAxes(llvm::ArrayRef<int64_t> axes, int64_t rank, int64_t dim);

/// True unless the shapes of the operands of an element-wise op provably do not clash at run time.
bool canClash(mlir::Value a, mlir::Value b, AutoBroadcast autoBroadcast);
/// True if the division by `divisor` may fail: it has integer elements that are not known to be other than 0.
bool canDivideByZero(mlir::Value divisor);
/// True if all elements of `indices` are known and in [-size, size).
bool areInside(mlir::Value indices, int64_t size);
/// True if all coordinates are known and in range. The last dim of `indices` holds one coordinate for each of `dims`,
/// which may be negative to count from the end.
bool areCoordinatesInside(mlir::Value indices, llvm::ArrayRef<int64_t> dims);

} // namespace recur::ov

#endif // RECUR_LIB_DIALECT_OV_IR_INFERENCE_H
