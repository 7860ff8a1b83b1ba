// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVOps.cpp - Generated code of the ov dialect's ops -----------------===//
//
// The generated code is in a file of its own, because it takes longer to compile than all code that is written by hand.
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace recur::ov;

#define GET_OP_CLASSES
#include "Recur/Dialect/OV/IR/OVOps.cpp.inc"

#include "Recur/Dialect/OV/IR/OVOpRules.cpp.inc"
