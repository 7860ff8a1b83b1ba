// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TileSchedule.h - Choose the tiles of an op ---------------*- C++ -*-===//
//
// The tile sizes of a `linalg.generic`, so that the accumulators of a tile fit the vector registers of the target.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_TILESCHEDULE_H
#define RECUR_LIB_TRANSFORMS_TILESCHEDULE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace recur {

/// The tile sizes of one op, by loops. 0 leaves a loop alone, because it has one element or its whole range is the
/// tile. `order` lists the loops from the outermost one inward; empty keeps their order.
struct TileSchedule {
  llvm::SmallVector<int64_t> parallel, reduction;
  llvm::SmallVector<int64_t> order;
  /// How many steps of a sum have accumulators of their own.
  int64_t perElement = 1;
};

/// The bits of a vector register, and the number of registers.
struct TileTarget {
  int64_t vectorBits, registers;
};

/// Chooses the tile sizes of an op. Returns nullopt, with a remark, if scalar loops are better.
std::optional<TileSchedule> makeSchedule(mlir::linalg::GenericOp op, const TileTarget &target);

/// How many steps of a sum have accumulators of their own, for vectors of `vectorBits` bits.
int64_t getAccumulatorsOfSum(mlir::linalg::GenericOp op, int64_t vectorBits);

/// How the rows of a reduction are cut into panels, by loops. Each block of columns reads all rows of a panel again, so
/// a panel stays in L2. Sizes are divisors. All are 0 if the rows are not cut: they stay there as a whole, or
/// their number has no fitting divisor.
llvm::SmallVector<int64_t> getPanelSizes(mlir::linalg::GenericOp op, const TileTarget &target);

/// The vector sizes, by loops, with which the element-wise `op` can be vectorized with masks. Empty if it cannot, or
/// needs no masks. Not every target has masked loads and stores of elements below 32 bits, so these are excluded.
llvm::SmallVector<int64_t> getMaskedSizes(mlir::linalg::GenericOp op, const TileSchedule &schedule);

/// The loop along which lanes run: the last dim of the result that is longer than one. Returns nullopt if the result
/// has one element.
std::optional<unsigned> getLaneLoop(mlir::linalg::GenericOp op);

/// Says in a remark which tile an op has.
void reportSchedule(mlir::linalg::GenericOp op, const TileSchedule &schedule, const TileTarget &target);

/// Says in a remark why an op becomes a nest of scalar loops. A nest that reduces rows in vectors needs no remark.
std::nullopt_t refuseToVectorize(mlir::linalg::GenericOp op, const char *reason);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_TILESCHEDULE_H
