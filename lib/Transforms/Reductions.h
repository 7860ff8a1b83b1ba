// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reductions.h - Forms of reductions on tensors ------------*- C++ -*-===//
//
// These functions describe a `linalg.generic` with reduced dims.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_REDUCTIONS_H
#define RECUR_LIB_TRANSFORMS_REDUCTIONS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace recur {

/// An op without its reduced dims: the kinds of the loops that are left, and the maps of its operands in terms of them.
/// An operand has the index 0 along a reduced dim.
struct ParallelForm {
  llvm::SmallVector<mlir::utils::IteratorType> kinds;
  llvm::SmallVector<mlir::AffineMap> maps;
};

/// The form of `op` without its reduced dims. Returns nullopt if one of them has more than one element, or an unknown
/// number.
std::optional<ParallelForm> getParallelForm(mlir::linalg::GenericOp op);

/// True if all results of `op` start from a fill, or it is no reduction.
bool startsFromFills(mlir::linalg::GenericOp op);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_REDUCTIONS_H
