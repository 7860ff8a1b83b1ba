// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OV.td - Umbrella of the ov dialect -------------------*- tablegen -*-===//
//
// Includes all files of the dialect. mlir-tblgen and recur-tblgen read this file.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_OV_TD
#define RECUR_DIALECT_OV_IR_OV_TD

include "Recur/Dialect/OV/IR/Activation.td"
include "Recur/Dialect/OV/IR/Arithmetic.td"
include "Recur/Dialect/OV/IR/Bitwise.td"
include "Recur/Dialect/OV/IR/Comparison.td"
include "Recur/Dialect/OV/IR/Condition.td"
include "Recur/Dialect/OV/IR/Convolution.td"
include "Recur/Dialect/OV/IR/Detection.td"
include "Recur/Dialect/OV/IR/DetectionPriors.td"
include "Recur/Dialect/OV/IR/DetectionRegions.td"
include "Recur/Dialect/OV/IR/DetectionSuppression.td"
include "Recur/Dialect/OV/IR/Generation.td"
include "Recur/Dialect/OV/IR/Image.td"
include "Recur/Dialect/OV/IR/Infrastructure.td"
include "Recur/Dialect/OV/IR/Logical.td"
include "Recur/Dialect/OV/IR/Matrix.td"
include "Recur/Dialect/OV/IR/Missing.td"
include "Recur/Dialect/OV/IR/Movement.td"
include "Recur/Dialect/OV/IR/MovementGather.td"
include "Recur/Dialect/OV/IR/MovementPatches.td"
include "Recur/Dialect/OV/IR/MovementRepeat.td"
include "Recur/Dialect/OV/IR/MovementScatter.td"
include "Recur/Dialect/OV/IR/MovementSlice.td"
include "Recur/Dialect/OV/IR/Normalization.td"
include "Recur/Dialect/OV/IR/Pooling.td"
include "Recur/Dialect/OV/IR/Quantization.td"
include "Recur/Dialect/OV/IR/Reduction.td"
include "Recur/Dialect/OV/IR/Sequence.td"
include "Recur/Dialect/OV/IR/Shape.td"
include "Recur/Dialect/OV/IR/Signals.td"
include "Recur/Dialect/OV/IR/Sort.td"
include "Recur/Dialect/OV/IR/Sparse.td"
include "Recur/Dialect/OV/IR/Type.td"

#endif // RECUR_DIALECT_OV_IR_OV_TD
