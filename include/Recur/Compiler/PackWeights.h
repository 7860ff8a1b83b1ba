// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PackWeights.h - From the weights file to packed weights --*- C++ -*-===//
//
// Constants of more than 1 KiB stay in the weights file while passes run. After the last pass these functions read the
// bytes of the constants, reorder them as `#ov.weights` says, and put them into one block.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_COMPILER_PACKWEIGHTS_H
#define RECUR_COMPILER_PACKWEIGHTS_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace recur {

/// Makes one constant: reads its stored elements from the bytes of the weights file and applies the layout steps of
/// `weights`. `output` must have the size of the result. Fails if the file has too few bytes, or if a step does not fit
/// the shape that it is applied to.
llvm::Error packConstant(ov::WeightsAttr weights, llvm::ArrayRef<char> file, llvm::MutableArrayRef<char> output);

/// Packs all constants of the module's `rt.weights_plan` into `output`, which must have `rt.weights_bytes` bytes. Bytes
/// between the constants are not written.
llvm::Error packWeights(mlir::ModuleOp module, llvm::ArrayRef<char> file, llvm::MutableArrayRef<char> output);

} // namespace recur

#endif // RECUR_COMPILER_PACKWEIGHTS_H
