// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FoldConstants.h - What depends on constants alone --------*- C++ -*-===//
//
// A model may compute a table, a scale or a filter from constants of its weights file. Such chains of ops are computed
// once, when the model is imported or compiled, and not in every call.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_IMPORT_FOLDCONSTANTS_H
#define RECUR_IMPORT_FOLDCONSTANTS_H

#include "mlir/IR/BuiltinOps.h"

namespace recur {

/// Replaces what follows from constants alone by constants, unless that takes more bytes than the constants that are
/// then needed no more. `weights` are the bytes of the weights file. What ops fold by themselves stays as it is, and so
/// does what has a result of more than 256 KiB.
void foldConstants(mlir::ModuleOp module, llvm::ArrayRef<char> weights);

/// The same for results of any size. Large constants become references to the weights, as if the file
/// went on after its end. The bytes that it would have there are returned.
llvm::SmallVector<char, 0> foldLargeConstants(mlir::ModuleOp module, llvm::ArrayRef<char> weights);

} // namespace recur

#endif // RECUR_IMPORT_FOLDCONSTANTS_H
