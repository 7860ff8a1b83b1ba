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

/// The loss that constants of f32 suffer when they are rounded to fewer bits (ov-round-weights).
struct RoundingLoss {
  /// The numbers of packed constants and of their elements that were rounded.
  uint64_t constants = 0, elements = 0;
  /// The sums of the squares of the elements, and of their errors. NaN and infinities do not count.
  double squares = 0, errorSquares = 0;

  /// The root mean square of the errors over that of the elements.
  double getRelativeError() const;
  /// Adds the loss of a step that was applied to `input`, elements of f32, and gave `output`. Other steps lose nothing.
  void add(ov::LayoutStepAttrInterface step, mlir::RankedTensorType type, llvm::ArrayRef<char> input,
           llvm::ArrayRef<char> output);
};

/// Makes one constant: reads its stored elements from the bytes of the weights file and applies the layout steps of
/// `weights`. `output` must have the size of the result. Fails if the file has too few bytes, or if a step does not fit
/// the shape that it is applied to. `loss` gets what is lost, unless it is null.
llvm::Error packConstant(ov::WeightsAttr weights, llvm::ArrayRef<char> file, llvm::MutableArrayRef<char> output,
                         RoundingLoss *loss = nullptr);

/// Packs all constants of the module's `rt.weights_plan` into `output`, which must have `rt.weights_bytes` bytes. Bytes
/// between the constants are not written. Returns what was lost.
llvm::Expected<RoundingLoss> packWeights(mlir::ModuleOp module, llvm::ArrayRef<char> file,
                                         llvm::MutableArrayRef<char> output);

} // namespace recur

#endif // RECUR_COMPILER_PACKWEIGHTS_H
