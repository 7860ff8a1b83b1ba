// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PairKernel.h - Products of bf16 in tile registers --------*- C++ -*-===//
//
// The kernels for products whose operands are rounded to bf16. Tile registers take two rows of B in one step, so B has
// pairs of elements (MatrixElements). If the caller of the model does not allow tile registers, the same pairs are
// widened in vector registers.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_PAIRKERNEL_H
#define RECUR_LIB_TRANSFORMS_PAIRKERNEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace recur {

/// The numbers of the arguments of the kernel for a group of rows in tiles, in their order.
enum TiledArgument : unsigned {
  /// The rows, [tile, step, row of the tile, element of the step].
  kTiledRows,
  /// B and C, as in ProductArgument. C may have fewer rows than the tiles.
  kTiledMatrix,
  kTiledResult,
  /// Room for at least 16 rows of 16 f32.
  kTiledScratch,
  kTiledArguments,
};

/// Emits the body of the kernel that rounds the rows of A, a group at a time, and multiplies each group by all of B.
/// ProductArgument has the arguments. `row` and `rows` multiply one row and several rows of f32, and
/// `tiles` a group of rows in tiles.
void emitPairKernel(mlir::func::FuncOp func, mlir::FloatType type, int64_t lanes, mlir::func::FuncOp row,
                    mlir::func::FuncOp rows, mlir::func::FuncOp tiles);

/// Emits the body of the kernel for a group of rows in tiles (TiledArgument).
void emitTileKernel(mlir::func::FuncOp func, mlir::FloatType type, int64_t lanes);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_PAIRKERNEL_H
