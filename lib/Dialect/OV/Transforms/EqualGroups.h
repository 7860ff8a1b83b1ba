// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EqualGroups.h - Chains of equal groups of ops ------------*- C++ -*-===//
#ifndef RECUR_LIB_DIALECT_OV_TRANSFORMS_EQUALGROUPS_H
#define RECUR_LIB_DIALECT_OV_TRANSFORMS_EQUALGROUPS_H

#include "mlir/IR/Operation.h"

namespace recur::ov {

/// The fewest groups that are worth a loop.
inline constexpr unsigned kLeastGroups = 8;

/// The ops of a block, but for constants and the terminator, in the order in which a walk from the results of the block
/// finishes them. Equal groups of ops have their ops in the same order, whatever the order in the block was. Ops that
/// may fault keep theirs.
struct OpOrder {
  explicit OpOrder(mlir::Block &block);

  llvm::SmallVector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, unsigned> places;
};

/// `count` groups of `period` ops, which stand one after the other in an OpOrder from `first` on.
struct EqualGroups {
  unsigned first, period, count;
};

/// Stretches of `order` in which each op is the same as the one `period` places before, the longest first. The groups
/// of a stretch may begin at any of its first ops. Takes time that grows with the number of ops.
llvm::SmallVector<EqualGroups> findStretches(const OpOrder &order);

/// True if two ops are the same, but for their operands and locations.
bool isSameOp(mlir::Operation *a, mlir::Operation *b);

} // namespace recur::ov

#endif // RECUR_LIB_DIALECT_OV_TRANSFORMS_EQUALGROUPS_H
