// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SequenceLengths.h - Lengths that need no mask ------------*- C++ -*-===//
//
// The lengths of sequences, as far as ov-expand-sequences knows them.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_TRANSFORMS_SEQUENCELENGTHS_H
#define RECUR_DIALECT_OV_TRANSFORMS_SEQUENCELENGTHS_H

#include "mlir/IR/Value.h"

namespace recur::ov {

/// True if each of `lengths`, an integer for each sequence of the batch `x` [N, T, I], is provably at least T.
bool hasWholeLengths(mlir::Value x, mlir::Value lengths);

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_TRANSFORMS_SEQUENCELENGTHS_H
