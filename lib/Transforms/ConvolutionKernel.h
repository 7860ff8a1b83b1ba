// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ConvolutionKernel.h - Code for convolutions --------------*- C++ -*-===//
//
// The functions that compute convolutions. They read the data where it lies, or from planes of it, without a matrix of
// windows. They take sizes as arguments, so a module needs one for each number of rows in a tile of filters.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_CONVOLUTIONKERNEL_H
#define RECUR_LIB_TRANSFORMS_CONVOLUTIONKERNEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace recur {

/// The numbers of the arguments of the kernel for convolutions, in their order.
enum ConvolutionArgument : unsigned {
  /// The filters, [tile, element, channel of the tile].
  kConvolutionFilters,
  /// The data, [input channel, plane of rows, row of the kernel, plane of columns, column of the kernel, position].
  kConvolutionData,
  /// The result, [channel, row, column].
  kConvolutionResult,
  /// The distance of two rows of positions, in positions.
  kConvolutionPitch,
  /// The number of positions whose data fits a cache.
  kConvolutionNearPositions,
  /// The number that all sums start from.
  kConvolutionStart,
  /// The number of channels of the result from the first tile of a part on. The last tile may have rows behind them.
  kConvolutionChannelsLeft,
  /// The number of all positions, and how many of them are left from the first one of a part on.
  kConvolutionPositions,
  kConvolutionPositionsLeft,
  kConvolutionArguments,
};

/// The numbers of the arguments of the kernel that copies data to planes, in their order.
enum PlanesArgument : unsigned {
  /// The data, [input channel, row, column].
  kPlanesSource,
  /// The planes, [input channel, plane of rows, plane of columns, row, column].
  kPlanesTarget,
  /// The distances, in rows and in columns of the data, of two rows or columns of a plane, and of two planes.
  kPlanesRowStride,
  kPlanesRowDilation,
  kPlanesColumnStride,
  kPlanesColumnDilation,
  kPlanesArguments,
};

/// The kernels of a module for convolutions of one element type, f32 or f64, with filters in tiles of `rows` output
/// channels.
///
/// The positions of the result are numbered along a plane of the data: position h * pitch + w of the result reads the
/// data from there on. The numbers between two rows of the result belong to no position. They are computed, but not
/// stored.
///
/// With strides, the elements that neighbouring positions read are no neighbours. Then the data is copied to planes
/// first. With M planes, element x of the kernel reads plane x mod M, shifted by x div M. So a plane serves all
/// elements of the kernel whose distance is the stride.
class ConvolutionKernel {
public:
  /// `vectorBits` is the width of a vector register, `vectorRegisters` the number of registers. Nothing is created yet.
  ConvolutionKernel(mlir::ModuleOp module, mlir::FloatType type, int64_t rows, int64_t vectorBits,
                    int64_t vectorRegisters);

  /// The kernel for
  ///
  ///     C[tile * rows + row, h, w] = start + sum over i, y, x of A[tile, (i * Y + y) * X + x, row] *
  ///                                  B[i, y mod M, y div M, x mod N, x div N, h * pitch + w]
  ///
  /// where A has the filters, B the data, and C the result (ConvolutionArgument), and the sizes of B are those of i, M,
  /// Y, N, X, and the number of positions. Positions whose data fits the cache, but at least one tile of them, are
  /// computed for all filters before the next ones. Positions are contiguous in B, and those of a row of the result in
  /// C. Rows of the last tile that are no channels of the result are computed, but not stored.
  mlir::func::FuncOp get();

  /// The kernel for
  ///
  ///     B[i, m, n, h, w] = D[i, h * sy + m * dy, w * sx + n * dx]
  ///
  /// where D is the source and B the target (PlanesArgument). An element that lies behind the end of a row of D is 0,
  /// and a row behind the last one is the last one.
  mlir::func::FuncOp getCopy();

  /// The types of the arguments A, B and C, and of D and B for the copy.
  mlir::MemRefType getFiltersType() const;
  mlir::MemRefType getDataType() const;
  mlir::MemRefType getResultType() const;
  mlir::MemRefType getSourceType() const;
  mlir::MemRefType getPlanesType() const;

private:
  mlir::ModuleOp module;
  mlir::FloatType type;
  /// The rows of a tile of A, the lanes of a vector, and the number of vector registers.
  int64_t rows, lanes, registers;
};

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_CONVOLUTIONKERNEL_H
