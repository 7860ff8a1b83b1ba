// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.h - Passes from one dialect to another ------------*- C++ -*-===//
//
// Declares the passes of Passes.td and the functions that register them. TableGen generates the contents.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_CONVERSION_PASSES_H
#define RECUR_CONVERSION_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace recur {
#define GEN_PASS_DECL
#include "Recur/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "Recur/Conversion/Passes.h.inc"
} // namespace recur

#endif // RECUR_CONVERSION_PASSES_H
