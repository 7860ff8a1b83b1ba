// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NarrowWeights.h - When constants stay in a narrow type ---*- C++ -*-===//
//
// Constants that were shipped as f16 or bf16 can stay so in memory, and products widen their elements. This header is
// the only place that decides where. The only property of the target that it asks for is whether there are instructions
// that convert f16.
//
// A vector of f16 or bf16 takes two instructions of the arithmetic units to widen. A multiply-add takes one.
//
// * A matrix that a near cache does not hold costs its bytes. A narrow one is read in half the time, and the
//   instructions are hidden (measured for one row and 2 to 8 MiB of f16: 0.32 to 0.5 of the time).
// * A matrix that a time loop reads from a near cache for few rows costs the instructions (measured: 1.06 to 1.09 of
//   the time). It is widened at compile time.
// * A product of many rows would widen each vector once per tile (measured: 1.17 to 1.24 of the time). It widens a
//   panel, which is the columns of one tile, before all of its rows. That costs as much as to widen in three tiles
//   (measured: 1.12 for 64 rows, 1.01 for 256).
// * Without instructions for f16, an element takes a dozen operations (measured: up to 8 times as long). So f16 is
//   widened at compile time there. bf16 needs none of them.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_NARROWWEIGHTS_H
#define RECUR_LIB_TRANSFORMS_NARROWWEIGHTS_H

#include "TargetFacts.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace recur {

/// True if `product` shall read a constant of `elements` elements, which it needs as f32, in the type `narrow` in which
/// it was shipped.
inline bool staysNarrow(mlir::Operation *product, int64_t elements, mlir::Type narrow, bool hasF16C) {
  bool isNear = elements <= kNearBytes / 4 && product->getParentOfType<mlir::LoopLikeOpInterface>();
  return !isNear && (hasF16C || !narrow.isF16());
}

/// The most rows for which a product with a narrow matrix widens it in registers, if `rowsPerTile` rows share the
/// loads. For more rows, it widens panels first.
constexpr int64_t getMostRowsInRegisters(int64_t rowsPerTile) { return 2 * rowsPerTile; }

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_NARROWWEIGHTS_H
