// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Rules.h - The checks of OV_Rule --------------------------*- C++ -*-===//
//
// Generated code calls these functions for the rules of an op. Each emits an error if the operand or attribute `name`
// breaks the rule; the error says what was expected and what it got. An optional operand that is absent (null) keeps
// every rule.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_DIALECT_OV_IR_RULES_H
#define RECUR_LIB_DIALECT_OV_IR_RULES_H

#include "Inference.h"

namespace recur::ov {

/// The upper bound of `expectRank` that allows any rank.
inline constexpr int64_t kMaxRank = std::numeric_limits<int64_t>::max();

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// All values that are not null have the element type of the first, which must not be null.
llvm::LogicalResult expectSameElementType(const Report &report, llvm::ArrayRef<mlir::Value> values);
/// There is at least one operand, and all have the same element type.
llvm::LogicalResult expectOperands(const Report &report, llvm::StringRef name, mlir::ValueRange values);
/// The rank is in [least, most].
llvm::LogicalResult expectRank(const Report &report, llvm::StringRef name, mlir::Value value, int64_t least,
                               int64_t most);
/// The rank is that of `other` plus `more`.
llvm::LogicalResult expectRankOf(const Report &report, llvm::StringRef name, mlir::Value value, mlir::Value other,
                                 int64_t more);
/// All dims are statically 1.
llvm::LogicalResult expectOneElement(const Report &report, llvm::StringRef name, mlir::Value value);
/// The operand has rank 1 and a static length.
llvm::LogicalResult expectList(const Report &report, llvm::StringRef name, mlir::Value value);
/// The last dim is static. The rank must be 1 or more.
llvm::LogicalResult expectStaticLastDim(const Report &report, llvm::StringRef name, mlir::Value value);
/// The last dim is static and not greater than the rank of `data`. The rank must be 1 or more.
llvm::LogicalResult expectCoordinates(const Report &report, llvm::StringRef name, mlir::Value value, mlir::Value data);

//===----------------------------------------------------------------------===//
// Constant operands
//===----------------------------------------------------------------------===//

/// The operand is a constant of one element, which is an axis of `data`.
llvm::LogicalResult expectConstantAxis(const Report &report, llvm::StringRef name, mlir::Value axis, mlir::Value data);
/// The operand is a constant, and its elements are different axes of `data`.
llvm::LogicalResult expectConstantAxes(const Report &report, llvm::StringRef name, mlir::Value axes, mlir::Value data);
/// The operand has one element. If it is constant, it is an axis of `data`.
llvm::LogicalResult expectAxisOperand(const Report &report, llvm::StringRef name, mlir::Value axis, mlir::Value data);
/// The operand is a constant permutation of the axes of `data`, or empty.
llvm::LogicalResult expectPermutation(const Report &report, llvm::StringRef name, mlir::Value order, mlir::Value data);

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The attribute is an axis of a tensor that has `more` dims more than `data`.
llvm::LogicalResult expectAxis(const Report &report, llvm::StringRef name, int64_t axis, mlir::Value data,
                               int64_t more);
/// The type is i32 or i64.
llvm::LogicalResult expectIndexType(const Report &report, llvm::StringRef name, mlir::Type type);
/// The type is an integer other than i1, or a float.
llvm::LogicalResult expectNumberType(const Report &report, llvm::StringRef name, mlir::Type type);
/// The value is 0 or more; NaN is an error.
llvm::LogicalResult expectNotNegative(const Report &report, llvm::StringRef name, const llvm::APFloat &value);
/// `least` is not greater than `most`; NaN is an error.
llvm::LogicalResult expectOrder(const Report &report, llvm::StringRef leastName, const llvm::APFloat &least,
                                llvm::StringRef mostName, const llvm::APFloat &most);
/// The number of parts is in [least, 65536]. No real model has more; the bound protects against hostile input.
llvm::LogicalResult expectParts(const Report &report, llvm::StringRef name, int64_t count, int64_t least);
/// The hidden size is positive and at most 2^40, so that products of it with small numbers do not overflow.
llvm::LogicalResult expectHiddenSize(const Report &report, int64_t hiddenSize);
/// A cell has `count` activations, and `count` parameters or none in `alpha` and in `beta`.
llvm::LogicalResult expectActivations(const Report &report, size_t count, mlir::ArrayAttr activations,
                                      mlir::ArrayAttr alpha, mlir::ArrayAttr beta);
/// The same for a sequence of this direction. One that is bidirectional may have `count` entries for each direction.
llvm::LogicalResult expectActivationsOfDirections(const Report &report, size_t count, SequenceDirection direction,
                                                  mlir::ArrayAttr activations, mlir::ArrayAttr alpha,
                                                  mlir::ArrayAttr beta);
/// Each attribute has an entry for each spatial dim of `data`, which has rank 2 or more. Strides and dilations are
/// positive, pads are not negative, and all are at most 2^40.
llvm::LogicalResult expectWindow(const Report &report, mlir::Value data, llvm::ArrayRef<int64_t> strides,
                                 llvm::ArrayRef<int64_t> dilations, llvm::ArrayRef<int64_t> padsBegin,
                                 llvm::ArrayRef<int64_t> padsEnd);

} // namespace recur::ov

#endif // RECUR_LIB_DIALECT_OV_IR_RULES_H
