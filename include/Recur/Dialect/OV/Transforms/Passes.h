// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.h - Passes on the ov dialect ----------------------*- C++ -*-===//
//
// The passes are declared in Passes.td, which documents them and their options. GEN_PASS_DECL declares a factory
// function for each pass, GEN_PASS_REGISTRATION the functions that register them with a tool.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_TRANSFORMS_PASSES_H
#define RECUR_DIALECT_OV_TRANSFORMS_PASSES_H

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/OV/Transforms/ProductPrecision.h"
#include "Recur/Dialect/OV/Transforms/WeightsPrecision.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace recur::ov {
/// The bytes that the product of many iterations of a time loop may take, whatever its matrix. They stay in L2, or
/// near it, until the iterations have read them.
inline constexpr int64_t kStripBytes = int64_t(1) << 20;

#define GEN_PASS_DECL
#include "Recur/Dialect/OV/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "Recur/Dialect/OV/Transforms/Passes.h.inc"
} // namespace recur::ov

#endif // RECUR_DIALECT_OV_TRANSFORMS_PASSES_H
