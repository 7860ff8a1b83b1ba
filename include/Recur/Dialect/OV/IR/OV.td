// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OV.td - Umbrella of the ov dialect -------------------*- tablegen -*-===//

#ifndef RECUR_DIALECT_OV_IR_OV_TD
#define RECUR_DIALECT_OV_IR_OV_TD

include "Recur/Dialect/OV/IR/OVLoopOps.td"
include "Recur/Dialect/OV/IR/OVMathOps.td"
include "Recur/Dialect/OV/IR/OVMovementOps.td"
include "Recur/Dialect/OV/IR/OVSequenceOps.td"
include "Recur/Dialect/OV/IR/OVTensorOps.td"

#endif // RECUR_DIALECT_OV_IR_OV_TD
