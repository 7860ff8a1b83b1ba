// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Rules.h - The checks of OV_Rule --------------------------*- C++ -*-===//
//
// Each says in an error what it expected of the operand or attribute `name`, and what it got. An optional operand that is
// absent keeps every rule.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_DIALECT_OV_IR_RULES_H
#define RECUR_LIB_DIALECT_OV_IR_RULES_H

#include "Inference.h"

namespace recur::ov {

inline constexpr int64_t kMaxRank = std::numeric_limits<int64_t>::max();

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

llvm::LogicalResult expectSameElementType(const Report &report, llvm::ArrayRef<mlir::Value> values);
/// One operand at least, and equal element types.
llvm::LogicalResult expectOperands(const Report &report, llvm::StringRef name, mlir::ValueRange values);
llvm::LogicalResult expectRank(const Report &report, llvm::StringRef name, mlir::Value value, int64_t least,
                               int64_t most);
/// The rank of `other`, and `more` dims.
llvm::LogicalResult expectRankOf(const Report &report, llvm::StringRef name, mlir::Value value, mlir::Value other,
                                 int64_t more);
llvm::LogicalResult expectOneElement(const Report &report, llvm::StringRef name, mlir::Value value);
/// Rank 1 and a static length.
llvm::LogicalResult expectList(const Report &report, llvm::StringRef name, mlir::Value value);
llvm::LogicalResult expectStaticLastDim(const Report &report, llvm::StringRef name, mlir::Value value);
/// A static last dim, not greater than the rank of `data`.
llvm::LogicalResult expectCoordinates(const Report &report, llvm::StringRef name, mlir::Value value, mlir::Value data);

//===----------------------------------------------------------------------===//
// Constant operands
//===----------------------------------------------------------------------===//

llvm::LogicalResult expectConstantAxis(const Report &report, llvm::StringRef name, mlir::Value axis, mlir::Value data);
llvm::LogicalResult expectConstantAxes(const Report &report, llvm::StringRef name, mlir::Value axes, mlir::Value data);
/// One element, which is an axis of `data` if it is constant.
llvm::LogicalResult expectAxisOperand(const Report &report, llvm::StringRef name, mlir::Value axis, mlir::Value data);
/// A permutation of the axes of `data`, or nothing.
llvm::LogicalResult expectPermutation(const Report &report, llvm::StringRef name, mlir::Value order, mlir::Value data);

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// An axis of a tensor that has `more` dims more than `data`.
llvm::LogicalResult expectAxis(const Report &report, llvm::StringRef name, int64_t axis, mlir::Value data,
                               int64_t more);
llvm::LogicalResult expectIndexType(const Report &report, llvm::StringRef name, mlir::Type type);
llvm::LogicalResult expectNumberType(const Report &report, llvm::StringRef name, mlir::Type type);
llvm::LogicalResult expectNotNegative(const Report &report, llvm::StringRef name, const llvm::APFloat &value);
/// `least` is not greater than `most`.
llvm::LogicalResult expectOrder(const Report &report, llvm::StringRef leastName, const llvm::APFloat &least,
                                llvm::StringRef mostName, const llvm::APFloat &most);
/// A number of parts, from `least` to 65536: more are no model, but an attack.
llvm::LogicalResult expectParts(const Report &report, llvm::StringRef name, int64_t count, int64_t least);
llvm::LogicalResult expectHiddenSize(const Report &report, int64_t hiddenSize);
/// The activations of a cell, and their parameters.
llvm::LogicalResult expectActivations(const Report &report, size_t count, mlir::ArrayAttr activations,
                                      mlir::ArrayAttr alpha, mlir::ArrayAttr beta);
/// The entries of a window, one for each spatial dim of `data`.
llvm::LogicalResult expectWindow(const Report &report, mlir::Value data, llvm::ArrayRef<int64_t> strides,
                                 llvm::ArrayRef<int64_t> dilations, llvm::ArrayRef<int64_t> padsBegin,
                                 llvm::ArrayRef<int64_t> padsEnd);

} // namespace recur::ov

#endif // RECUR_LIB_DIALECT_OV_IR_RULES_H
