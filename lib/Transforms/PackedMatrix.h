// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PackedMatrix.h - Matrices in blocks of columns -----------*- C++ -*-===//
//
// The passes that pack a matrix, and the kernels that read it, agree here on the sizes of its blocks and on the numbers
// that its integers stand for.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_PACKEDMATRIX_H
#define RECUR_LIB_TRANSFORMS_PACKEDMATRIX_H

#include "TargetFacts.h"

#include "mlir/IR/Builders.h"

namespace recur {

/// How a product uses a packed matrix of integers of eight bits.
struct QuantizedMatrix {
  /// True if the integers, or the zero points, are signed.
  bool isSigned = false, zeroIsSigned = false;
  /// True if a byte holds two integers of four bits, of the first and the second half of a block. Signed ones are
  /// raised by 8.
  bool hasHalves = false;
};

/// Emits the factor that the element `b` of a matrix of integers stands for. `zero` and `scale` may be null. If a byte
/// holds two integers, `half` is 0 or 1, an index; otherwise it may be null.
mlir::Value emitDequantization(mlir::OpBuilder &builder, mlir::Location loc, const QuantizedMatrix &matrix,
                               mlir::Value half, mlir::Value b, mlir::Value zero, mlir::Value scale);

/// The number of columns of a block of a packed matrix, for vectors of `lanes` elements. Matrices are packed in such
/// blocks, and kernels read such blocks.
constexpr int64_t getPackedColumns(int64_t lanes) { return 2 * lanes; }

/// The number of columns of a block if a matrix of `shared` rows of `columns` elements, each of `bytes` bytes, is only
/// multiplied by a single row. One row reads each block once, from its first to its last byte, and L2
/// delivers one long stream faster than several short ones. So a block has a vector for each accumulator. If that takes
/// more columns of padding, it has fewer vectors, and then tiles that are read by turns are faster. Matrices of which a
/// good part stays in L1, or that do not stay in L2, are read faster in several streams.
constexpr int64_t getColumnsOfRow(int64_t lanes, int64_t vectorRegisters, int64_t columns, int64_t shared,
                                  int64_t bytes) {
  int64_t least = getPackedColumns(lanes), block = lanes * getAccumulatorsOfRow(vectorRegisters);
  int64_t rowBytes = least * bytes, all = columns * shared * bytes;
  auto getPadded = [&](int64_t size) { return (columns + size - 1) / size * size; };
  if (all <= 2 * kL1Bytes || all >= kL2Bytes)
    return least;
  if (getPadded(block) > getPadded(least) && getBlocksByTurns(getPadded(least) / least, shared * rowBytes, rowBytes))
    return least;
  while (block > least && getPadded(block) > getPadded(least))
    block /= 2;
  return block;
}

/// The rows of a tile register, its columns of f32, and its elements of bf16 along K. K of a product with pairs is a
/// multiple of the last, and its blocks have two times as many columns as a tile.
constexpr int64_t kTileRows = 16, kTileColumns = 16, kTileDepth = 32;

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_PACKEDMATRIX_H
