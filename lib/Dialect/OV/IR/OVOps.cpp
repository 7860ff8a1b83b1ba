// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVOps.cpp - What is generated for the ops of the ov dialect --------===//
//
// In a file of its own: it takes longer to compile than all that is written by hand.
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace recur::ov;

#define GET_OP_CLASSES
#include "Recur/Dialect/OV/IR/OVOps.cpp.inc"

#include "Recur/Dialect/OV/IR/OVOpRules.cpp.inc"
