// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- VerifyStage.h - What a stage needs of the module ---------*- C++ -*-===//
//
// A stage may run on text that has no `rt.stage`, so what it needs is looked for in the ops.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_VERIFYSTAGE_H
#define RECUR_LIB_TRANSFORMS_VERIFYSTAGE_H

#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/IR/BuiltinOps.h"

namespace recur {

/// Verifies that no tensor of a module of `ov` ops has more dims than a call can give. Compile time grows with them.
mlir::LogicalResult verifyRanks(mlir::ModuleOp module);

/// Verifies that the stage before `next` has run, by the ops that it leaves none of. An error names the stage that is
/// missing.
mlir::LogicalResult verifyStageBefore(mlir::ModuleOp module, rt::Stage next);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_VERIFYSTAGE_H
