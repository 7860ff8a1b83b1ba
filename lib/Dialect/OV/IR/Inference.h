// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Inference.h - What the inference of result types shares --*- C++ -*-===//
#ifndef RECUR_LIB_DIALECT_OV_IR_INFERENCE_H
#define RECUR_LIB_DIALECT_OV_IR_INFERENCE_H

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "llvm/ADT/STLExtras.h"

namespace recur::ov::inference {

using Types = llvm::SmallVectorImpl<mlir::Type>;

/// Emits "'ov.x' op ..." where there is a location to emit it at.
struct Report {
  std::optional<mlir::Location> loc;
  llvm::StringRef opName;

  template <typename... Args>
  llvm::LogicalResult operator()(Args &&...args) const {
    return mlir::emitOptionalError(loc, "'", opName, "' op ", std::forward<Args>(args)...);
  }
};

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}
inline int64_t rankOf(mlir::Value value) { return shapeOf(value).size(); }
inline mlir::Type elementOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType();
}

inline llvm::LogicalResult addType(Types &types, llvm::ArrayRef<int64_t> shape, mlir::Type element) {
  types.push_back(mlir::RankedTensorType::get(shape, element));
  return llvm::success();
}

/// The builders that infer may be called with any value, before a verifier has seen it.
inline llvm::LogicalResult expectRanked(Report report, mlir::ValueRange operands) {
  for (mlir::Value operand : operands)
    if (!llvm::isa<mlir::RankedTensorType>(operand.getType()))
      return report("expected operands that are ranked tensors, but got ", operand.getType());
  return llvm::success();
}

/// The one axis of `data` that a constant names.
llvm::FailureOr<int64_t> expectConstantAxis(Report report, mlir::Value axis, mlir::Value data);

inline llvm::LogicalResult expectSameElement(Report report, mlir::ValueRange values) {
  for (mlir::Value value : values)
    if (elementOf(value) != elementOf(values.front()))
      return report("expected operands of one element type, but got ", elementOf(values.front()), " and ",
                    elementOf(value));
  return llvm::success();
}

/// Of an element-wise op with two operands; null for the operands' element type.
llvm::LogicalResult inferBinary(Report report, mlir::Value lhs, mlir::Value rhs, llvm::StringRef autoBroadcast,
                                mlir::Type resultElement, Types &types);
/// Of a reduction.
llvm::LogicalResult inferReduce(Report report, mlir::Value data, mlir::Value reductionAxes, bool keepDims,
                                Types &types);

} // namespace recur::ov::inference

#endif // RECUR_LIB_DIALECT_OV_IR_INFERENCE_H
