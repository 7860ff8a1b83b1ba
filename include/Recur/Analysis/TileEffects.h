// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TileEffects.h - What stores of tile registers do ---------*- C++ -*-===//
#ifndef RECUR_ANALYSIS_TILEEFFECTS_H
#define RECUR_ANALYSIS_TILEEFFECTS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace recur {

/// Registers that `amx.tile_store` writes to its buffer. Upstream does not say what its effects are, so passes would
/// assume any.
void registerTileEffects(mlir::DialectRegistry &registry);

} // namespace recur

#endif // RECUR_ANALYSIS_TILEEFFECTS_H
