// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RowProduct.h - Matrix products that kernels compute ------*- C++ -*-===//
//
// Finds products among the `linalg.generic` ops and sorts their loops by role. Upstream's inferContractionDims gives
// the same roles; these matchers also demand a payload of one multiply-add, and the order of dims that the kernels
// need.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_ROWPRODUCT_H
#define RECUR_LIB_TRANSFORMS_ROWPRODUCT_H

#include "TargetFacts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace recur {

/// How a product uses a packed matrix of integers of eight bits.
struct QuantizedMatrix {
  /// The numbers of the inputs that have the zero points and the scales of the columns, [blocks, groups of rows, lane].
  std::optional<unsigned> zero, scale;
  /// True if the integers, or the zero points, are signed.
  bool isSigned = false, zeroIsSigned = false;
  /// True if a byte holds two integers of four bits, of the first and the second half of a block. Then these halves are
  /// a loop of their own, and signed integers are raised by 8.
  bool hasHalves = false;
};

/// A product C += A * B of f32 or f64, on tensors or buffers. It sorts the loops of the `linalg.generic` by the
/// operands that they index.
struct RowProduct {
  /// The numbers of the inputs A, which has the rows, and B, which has the columns.
  unsigned a, b;
  /// Loops, in the order of the dims of C: `batch` loops index A, B and C; `rows` index A and C; `blocks` index B and
  /// C, but do not include the lane.
  llvm::SmallVector<unsigned> batch, rows, blocks;
  /// The loop that indexes the last dim of B and of C.
  unsigned lane;
  /// The loop that the products are summed along.
  unsigned shared;
  /// Set if the elements of B are integers q, which stand for (q - zero) * scale.
  std::optional<QuantizedMatrix> quantized;
  /// Set if B has bf16 in pairs, [blocks, shared, lane, 2], and the elements of A are rounded to bf16. The loop of the
  /// two elements of a pair, which are neighbours along the last dim of A.
  std::optional<unsigned> pair;
  /// True if A has bf16 too, so its elements were rounded before. Otherwise the payload of a product of pairs rounds.
  bool hasRoundedRows = false;
};

/// Matches a product in which one loop, the lane, indexes the last dim of B and of C, so that vectors of both are
/// contiguous if their last strides are 1. Returns nullopt for any other op.
std::optional<RowProduct> matchRowProduct(mlir::linalg::GenericOp op);

/// The index along the dim of A that the products of `op` are summed along.
mlir::AffineExpr getSharedIndex(mlir::linalg::GenericOp op, const RowProduct &product);

/// Emits the factor that the element `b` of a matrix of integers stands for. `zero` and `scale` may be null. Call it in
/// a payload; `halves` is the loop of the halves of a block.
mlir::Value emitDequantization(mlir::OpBuilder &builder, mlir::Location loc, const QuantizedMatrix &matrix,
                               unsigned halves, mlir::Value b, mlir::Value zero, mlir::Value scale);

/// A product C += M * v of f32 or f64, on tensors or buffers: each element of C is the dot product of a row of M and a
/// vector.
struct DotProduct {
  /// The numbers of the inputs M, which has the rows, and v, which has the vectors.
  unsigned matrix, vector;
  /// The loops that index the dims of C except the last one, in their order.
  llvm::SmallVector<unsigned> outer;
  /// The loop that indexes the last dim of C and the rows of M; and the one that the products are summed along, which
  /// indexes the last dims of M and of v.
  unsigned column, shared;
};

/// Matches a product along the last dims of both inputs, so that vectors of both are contiguous if their last strides
/// are 1. Returns nullopt for any other op.
std::optional<DotProduct> matchDotProduct(mlir::linalg::GenericOp op);

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

/// The slice whose elements are those of `rows`, perhaps in another shape, or null.
mlir::tensor::ExtractSliceOp getSliceOfRows(mlir::Value rows);

/// True if a kernel shall compute the product: a RowProduct with a dynamic batch, row or lane dim, with pairs or a
/// matrix of integers, or a DotProduct that is large enough to be worth a call.
bool callsKernel(mlir::linalg::GenericOp op);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_ROWPRODUCT_H
