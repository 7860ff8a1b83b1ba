// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NarrowWeights.h - When constants stay in a narrow type ---*- C++ -*-===//
//
// Constants that were shipped as f16, bf16 or integers can stay so in memory, and products widen their elements. This
// header is the only place that decides where. The only property of the target that it asks for is whether there are
// instructions that convert f16.
//
// A vector of f16 or bf16 takes two instructions of the arithmetic units to widen. A multiply-add takes one.
//
// * A matrix that L2 does not hold costs its bytes. A narrow one is read in half the time, and the
//   instructions are hidden (measured for one row and 2 to 8 MiB of f16: 0.32 to 0.5 of the time).
// * A matrix that a time loop reads from L2 for few rows costs the instructions (measured: 1.06 to 1.09 of
//   the time). It is widened at compile time.
// * A product of many rows would widen each vector once per tile (measured: 1.17 to 1.24 of the time). It widens a
//   panel, which is the columns of one tile, before all of its rows. That costs as much as to widen in three tiles
//   (measured: 1.12 for 64 rows, 1.01 for 256).
// * Without instructions for f16, an element takes a dozen operations (measured: up to 8 times as long). So f16 is
//   widened at compile time there. bf16 needs none of them.
// * Other ops read f32. If a call reads each element of a constant often, as a convolution does, and a loop that reads
//   a near matrix, the call widens the constant once (measured for convolutions: 1.05 of the time for 64 reads, 1.03
//   for 196, 1.01 for 784; for a loop of 100 iterations: 1.02). If it reads only parts, as of a table of embeddings, it
//   widens them.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_NARROWWEIGHTS_H
#define RECUR_LIB_TRANSFORMS_NARROWWEIGHTS_H

#include "TargetFacts.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

namespace recur {

/// True if `product` shall read a constant of `elements` elements, which it needs as f32, in the type `narrow` in which
/// it was shipped.
inline bool staysNarrow(mlir::Operation *product, int64_t elements, mlir::Type narrow, bool hasF16C) {
  bool isNear = elements <= kHalfL2Bytes / 4 && product->getParentOfType<mlir::LoopLikeOpInterface>();
  return !isNear && (hasF16C || !narrow.isF16());
}

/// A smaller constant, in bytes as it was shipped, is widened at compile time, because the code that widens it would
/// take about as many bytes as it saves.
constexpr int64_t kLeastNarrowBytes = 4096;

/// True if `product` shall read integers, if a constant of `elements` elements was shipped so. Each takes several
/// instructions, and those of a near matrix would be executed in each iteration of a loop.
inline bool staysQuantized(mlir::Operation *product, int64_t elements) {
  bool isNear = elements <= kHalfL2Bytes / 4 && product->getParentOfType<mlir::LoopLikeOpInterface>();
  return !isNear && elements >= kLeastNarrowBytes;
}

/// How often a convolution has to read an element at least, for the time to widen it before to be small.
constexpr int64_t kManyReads = 128;

/// The same for a call whose loops read an element for few rows. Each read takes longer there.
constexpr int64_t kManyReadsOfLoops = 64;

/// True if a constant of the type `narrow`, which is no matrix of a product that stays narrow, is worth to be widened
/// by the call.
inline bool mayStayNarrow(mlir::RankedTensorType narrow, bool hasF16C) {
  int64_t bytes = narrow.getNumElements() * llvm::divideCeil(narrow.getElementTypeBitWidth(), 8);
  return bytes >= kLeastNarrowBytes && (hasF16C || !narrow.getElementType().isF16());
}

/// The most rows for which a product with a narrow matrix widens it in registers, if `rowsPerTile` rows share the
/// loads. For more rows, it widens panels first.
constexpr int64_t getMostRowsInRegisters(int64_t rowsPerTile) { return 2 * rowsPerTile; }

/// Emits an op whose result has the elements of the tensor `narrow` as f32.
mlir::Value widen(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value narrow);

/// The tensor `flat` of one or two dims under the dims `shape`. If there are two, the first has the first two of these.
mlir::Value unflatten(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value flat, llvm::ArrayRef<int64_t> shape);

/// Gives the argument of a payload, which is f32, the type `narrow`, and its users what it is extended to.
void extendArgument(mlir::RewriterBase &rewriter, mlir::BlockArgument argument, mlir::Type narrow);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_NARROWWEIGHTS_H
