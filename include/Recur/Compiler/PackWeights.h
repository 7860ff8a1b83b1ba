// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PackWeights.h - From the weights file to packed weights --*- C++ -*-===//
#ifndef RECUR_COMPILER_PACKWEIGHTS_H
#define RECUR_COMPILER_PACKWEIGHTS_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace recur {

/// Runs the recipe of `weights` on the bytes of the weights file; `output` has the size of the result. Fails where the
/// file has too few bytes, or a step does not fit what it is applied to.
llvm::Error packConstant(ov::WeightsAttr weights, llvm::ArrayRef<char> file, llvm::MutableArrayRef<char> output);

/// Packs everything in the module's `rt.weights_plan` into `output`, which has `rt.weights_bytes` bytes.
llvm::Error packWeights(mlir::ModuleOp module, llvm::ArrayRef<char> file, llvm::MutableArrayRef<char> output);

} // namespace recur

#endif // RECUR_COMPILER_PACKWEIGHTS_H
