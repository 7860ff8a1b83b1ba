// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Inference.h - What the inference of result types shares --*- C++ -*-===//
#ifndef RECUR_LIB_DIALECT_OV_IR_INFERENCE_H
#define RECUR_LIB_DIALECT_OV_IR_INFERENCE_H

#include "Recur/Dialect/OV/IR/OVShapes.h"

namespace recur::ov {

using Types = llvm::SmallVectorImpl<mlir::Type>;

/// Emits "'ov.x' op ..." where there is a location to emit it at.
struct Report {
  std::optional<mlir::Location> location;
  llvm::StringRef opName;

  template <typename... Args>
  llvm::LogicalResult operator()(Args &&...args) const {
    return mlir::emitOptionalError(location, "'", opName, "' op ", std::forward<Args>(args)...);
  }
};

inline bool isUnknown(int64_t number) { return mlir::ShapedType::isDynamic(number); }
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}
inline int64_t rankOf(mlir::Value value) { return shapeOf(value).size(); }
inline mlir::Type elementOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType();
}
inline bool isStatic(mlir::Value value) { return llvm::cast<mlir::RankedTensorType>(value.getType()).hasStaticShape(); }

/// True if dim `i` of `a` and dim `j` of `b` are known to be equal.
inline bool surelySameDim(mlir::Value a, int64_t i, mlir::Value b, int64_t j) {
  return (a == b && i == j) || surelyEqual(shapeOf(a)[i], shapeOf(b)[j]);
}

/// True if each inferred type may stand for the actual one.
bool areAllCompatible(mlir::TypeRange inferred, mlir::TypeRange actual);

inline llvm::LogicalResult addType(Types &types, llvm::ArrayRef<int64_t> shape, mlir::Type element) {
  types.push_back(mlir::RankedTensorType::get(shape, element));
  return llvm::success();
}

/// Brings `shape`, that of `a`, together with the shape of `b`.
llvm::LogicalResult combineShapes(const Report &report, mlir::Value a, mlir::Value b, AutoBroadcast autoBroadcast,
                                  llvm::SmallVector<int64_t> &shape);
/// The type of an element-wise op with two operands: boolean, or of the operands' elements.
llvm::LogicalResult inferBinary(const Report &report, mlir::Value lhs, mlir::Value rhs, AutoBroadcast autoBroadcast,
                                bool isBoolean, Types &types);
/// The type of a reduction over constant axes.
llvm::LogicalResult inferReduction(mlir::Value data, mlir::Value reductionAxes, bool keepDims, Types &types);

/// A dim of the result of a reduction over constant axes.
DimSource::MaybeDim describeReduction(DimSource &dims, mlir::Value data, mlir::Value reductionAxes, bool keepDims,
                                      int64_t dim);
/// The dim of a tensor of this rank that is dim `dim` of a result without the dims at `axes`; -1 if there is none.
int64_t skipAxes(llvm::ArrayRef<int64_t> axes, int64_t rank, int64_t dim);

/// True if the shapes of an element-wise op may clash at run time.
bool canClash(mlir::Value a, mlir::Value b, AutoBroadcast autoBroadcast);
/// True if integers may be divided by 0.
bool canDivideByZero(mlir::Value divisor);
/// True if all of `indices` are constant and in range of `size` elements, from the end too.
bool areInside(mlir::Value indices, int64_t size);
/// The same of coordinates, of which the last dim of `indices` holds one for each of `dims`.
bool areCoordinatesInside(mlir::Value indices, llvm::ArrayRef<int64_t> dims);

} // namespace recur::ov

#endif // RECUR_LIB_DIALECT_OV_IR_INFERENCE_H
