// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Broadcasting.h - Loops over operands that broadcast ------*- C++ -*-===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_BROADCASTING_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_BROADCASTING_H

#include "Lowering.h"

namespace recur::ov {

/// How one operand is read in a loop nest over the result.
struct BroadcastOperand {
  /// How a dim of the operand is indexed.
  enum Read {
    /// By the loop.
    Loop,
    /// By 0: the dim is 1.
    Zero,
    /// By the loop, or by 0 if `sizes[dim]` turns out to be 1.
    Select
  };
  mlir::Value tensor;
  llvm::SmallVector<Read> reads;
  llvm::SmallVector<mlir::Value> sizes;

  bool isRegular() const { return !llvm::is_contained(reads, Select); }
};

/// The loops over the result of an element-wise op, with the shapes of its operands checked.
struct Broadcasting {
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  llvm::SmallVector<BroadcastOperand> operands;

  /// True if the result has exactly one element, whatever the operands are.
  bool isScalar() const;
  /// How a linalg op reads a regular operand.
  mlir::AffineMap getMap(mlir::MLIRContext *context, const BroadcastOperand &operand) const;
  /// Reads the element of `operand` that belongs to the element of the result at `ivs`.
  mlir::Value read(LoweringBuilder &b, const BroadcastOperand &operand, mlir::ValueRange ivs) const;
};

/// Plans the loops over `operands` (with converted types), which broadcast by NumPy's rules if `numpy`, and agree else.
/// `declared` is what the result's type knows of its shape.
Broadcasting planBroadcasting(LoweringBuilder &b, mlir::ValueRange operands, llvm::ArrayRef<int64_t> declared,
                              bool numpy);

/// Computes `body` for each element; the body sees elements as memory has them and gives one of type `element`. No loop
/// is made for one element; a body with `sideEffects` is put into a nest of scf.for.
mlir::Value emitBroadcasting(LoweringBuilder &b, const Broadcasting &plan, mlir::Type element, bool sideEffects,
                             Body body);

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_BROADCASTING_H
