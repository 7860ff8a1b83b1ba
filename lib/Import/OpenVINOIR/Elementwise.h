// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Elementwise.h - Element-wise layers in the terms of ov ---*- C++ -*-===//
//
// The importer changes operands of element-wise layers, so that the ops need not know the broadcasting of PaddlePaddle,
// and functions of real numbers that get integers.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_ELEMENTWISE_H
#define RECUR_LIB_IMPORT_OPENVINOIR_ELEMENTWISE_H

#include "ModelBuilder.h"

namespace recur::ir {

/// The attribute that says where the broadcasting of PaddlePaddle begins.
inline constexpr llvm::StringLiteral kBroadcastAxis = "auto_broadcast.auto_broadcast_axis";

/// If the layer has auto_broadcast "pdpd", replaces those of `operands` whose dims stand at an axis of another one.
/// They get unit dims at their end, so that NumPy's rules broadcast them.
llvm::LogicalResult alignOperands(LayerBuilder &layer, llvm::SmallVectorImpl<mlir::Value> &operands);

/// True if the layer is a function of real numbers and all its operands are integers.
bool isFunctionOfIntegers(const LayerBuilder &layer);
/// Builds such a layer: the operands become f64, and the result is rounded to the nearest integer, halves to the even
/// one. In f32, the error of a function may round a number next to a half to the wrong side.
llvm::LogicalResult createFunctionOfIntegers(LayerBuilder &layer);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_ELEMENTWISE_H
