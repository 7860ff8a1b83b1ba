// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.h - Passes on tensors, buffers and loops ----------*- C++ -*-===//
#ifndef RECUR_TRANSFORMS_PASSES_H
#define RECUR_TRANSFORMS_PASSES_H

#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace recur {
#define GEN_PASS_DECL
#include "Recur/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "Recur/Transforms/Passes.h.inc"

/// The function that computes, once `rt-lower-entry` has run, and the one that tells sizes (`rt-plan-workspace`).
inline constexpr llvm::StringLiteral kComputeFunction = "recur_model_compute";
inline constexpr llvm::StringLiteral kSizesFunction = "recur_model_sizes";

/// The last stage that a module has passed.
rt::Stage getStage(mlir::ModuleOp module);
/// Checks that a module, which may come from a text, has what one of its stage has: before `schedule` one public
/// function on tensors, then the functions of docs/ModelContract.md and the attributes of RT.h. Errors are diagnostics.
mlir::LogicalResult verifyStage(mlir::ModuleOp module);

/// The public function that a model is, before `rt-lower-entry`: of one block, on ranked tensors. Null where there is
/// none; an error, which is reported, where there are several or it is of another kind.
mlir::FailureOr<mlir::func::FuncOp> findEntry(mlir::ModuleOp module);
} // namespace recur

#endif // RECUR_TRANSFORMS_PASSES_H
