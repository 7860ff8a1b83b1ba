// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.h - Passes on tensors, buffers and loops ----------*- C++ -*-===//
//
// The passes are declared in Passes.td, which documents them and their options. This file also declares what the
// compiler and the tools need to know about a module between stages: its stage, its entry function, and the names of
// the functions of a lowered module.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TRANSFORMS_PASSES_H
#define RECUR_TRANSFORMS_PASSES_H

#include "Recur/Analysis/WorkEstimate.h"
#include "Recur/Dialect/OV/Transforms/Passes.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace recur {
#define GEN_PASS_DECL
#include "Recur/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "Recur/Transforms/Passes.h.inc"

/// The names of the two functions of a lowered module. `rt-lower-entry` turns the model into the first one, which
/// computes a call. `rt-plan-workspace` adds the second one, which computes the bytes of workspace and the dims of the
/// outputs.
inline constexpr llvm::StringLiteral kComputeFunction = "recur_model_compute";
inline constexpr llvm::StringLiteral kSizesFunction = "recur_model_sizes";

/// The last stage that the module has passed, from its attribute `rt.stage`; `import` if it has none.
rt::Stage getStage(mlir::ModuleOp module);
/// Verifies what later stages and the code generator rely on. The module may come from a text file, so nothing else
/// guarantees it. Before `schedule` the module must have one public function on tensors, from `linalg` on no `ov` ops
/// (but `ov.constant` until `schedule`), and from `schedule` on the functions of docs/ModelContract.md and the module
/// attributes of RT.h. Emits a diagnostic on failure.
mlir::LogicalResult verifyStage(mlir::ModuleOp module);

/// Returns the public function that is the model, before `rt-lower-entry`: it has one block, and its arguments and
/// results are ranked tensors whose element types the ABI has. Returns null if the module has no public function.
/// Reports an error and fails if there are several, or if the function has another form.
mlir::FailureOr<mlir::func::FuncOp> findEntry(mlir::ModuleOp module);
} // namespace recur

#endif // RECUR_TRANSFORMS_PASSES_H
