// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Broadcasting.h - Loops over operands that broadcast ------*- C++ -*-===//
//
// Plans and emits the loops of an element-wise op. By NumPy's rules, a dim of 1 is read at index 0 for every index of
// the result. Whether a dynamic dim is 1 is known only at run time. The plan therefore says for each dim of each
// operand how it is indexed, and contains the checks of the shapes.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_BROADCASTING_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_BROADCASTING_H

#include "Lowering.h"

namespace recur::ov {

/// An operand, and the way in which the loops over the result read it.
struct BroadcastOperand {
  /// The way in which the loops index a dim of the operand.
  enum Read {
    /// By the index of the loop.
    Loop,
    /// By 0: the dim is statically 1, but the dim of the result is not.
    Zero,
    /// By 0 if `sizes[dim]` is 1 at run time, else by the index of the loop.
    Select
  };
  mlir::Value tensor;
  /// The operand before its conversion, or null.
  mlir::Value given;
  llvm::SmallVector<Read> reads;
  /// The sizes of the dims that are read by `Select`; null for the others.
  llvm::SmallVector<mlir::Value> sizes;

  /// True if a linalg indexing map can express how the operand is read.
  bool isRegular() const { return !llvm::is_contained(reads, Select); }
};

/// The loops over the result of an element-wise op. The shapes of the operands have been checked.
struct Broadcasting {
  /// The sizes of the loops, which are the dims of the result.
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  llvm::SmallVector<BroadcastOperand> operands;

  /// True if all loops have the static size 1. The operands may still be dynamic.
  bool isScalar() const;
  /// The indexing map by which a linalg op reads a regular operand.
  mlir::AffineMap getMap(mlir::MLIRContext *context, const BroadcastOperand &operand) const;
  /// Reads the element of `operand` for the element of the result at `ivs`.
  mlir::Value read(LoweringBuilder &b, const BroadcastOperand &operand, mlir::ValueRange ivs) const;
};

/// Plans the loops over `operands`, which have converted types. Their shapes broadcast by NumPy's rules if `numpy`, and
/// must be equal otherwise. `declared` is the shape in the type of the result. If shapes do not fit, the emitted checks
/// end the call with a shape fault. `given` has the operands before their conversion, if they are operands of an op of
/// the program: the ops that made them tell which of their dims are equal.
Broadcasting planBroadcasting(LoweringBuilder &b, mlir::ValueRange operands, llvm::ArrayRef<int64_t> declared,
                              bool numpy, mlir::ValueRange given = {});

/// Emits the loops of a plan. The body gets elements of storage types and returns one of type `element`. A result of
/// one element needs no loop. A body with `sideEffects` (checks or loops) gets a nest of scf.for, any other a
/// linalg.generic.
mlir::Value emitBroadcasting(LoweringBuilder &b, const Broadcasting &plan, mlir::Type element, bool sideEffects,
                             Body body);

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_BROADCASTING_H
