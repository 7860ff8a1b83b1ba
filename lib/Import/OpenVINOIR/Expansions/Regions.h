// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Regions.h - The regions of a layer -----------------------*- C++ -*-===//
//
// The regions of images that a layer pools. The positions of the samples of all bins of all regions have the shape
// [regions, bins, samples]. Their pixels are gathered, and the samples of each bin are combined. If the call decides
// how many samples a bin has, the dim is as large as for the bin that has most, and the others of a bin do not count.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_EXPANSIONS_REGIONS_H
#define RECUR_LIB_IMPORT_OPENVINOIR_EXPANSIONS_REGIONS_H

#include "Samples.h"

#include "llvm/ADT/STLExtras.h"

namespace recur::ir {

/// The regions of a layer.
class Regions {
public:
  /// `entries` has a row for each region, `count` numbers, and `pixels` are those of `channels` channels. Each region
  /// has `rows * columns` bins. If the length of a row is dynamic, the call fails unless it is right, and no op needs
  /// code for another length.
  Regions(Expansion &e, mlir::Value entries, int64_t count, Pixels pixels, Size channels, int64_t rows, int64_t columns)
      : e(e), entries(settle(e, entries, count)), real(pixels.element), pixels(pixels), channels(channels), rows(rows),
        columns(columns) {}
  /// The same for a layer whose operand 1 has the regions. `images` is [images, channels, height, width].
  Regions(Expansion &e, mlir::Value images, int64_t count, int64_t rows, int64_t columns)
      : Regions(e, e.operand(1), count, Pixels(e, images), e.dim(images, 1), rows, columns) {}

  /// `entries`, whose type tells that a row has `count` of them.
  static mlir::Value settle(Expansion &e, mlir::Value entries, int64_t count);
  /// Checks operand `i`, which has `count` entries for each region.
  static llvm::LogicalResult checkEntries(Expansion &e, unsigned i, int64_t count);
  /// Checks attributes that are numbers of bins.
  static llvm::LogicalResult checkBins(Expansion &e, llvm::ArrayRef<llvm::StringRef> numbersOfBins);
  /// Checks operand 0, the images, operand 1, which has `count` entries for each region, and the numbers of bins.
  static llvm::LogicalResult check(Expansion &e, int64_t count, llvm::ArrayRef<llvm::StringRef> numbersOfBins);

  /// Entry `i` of the regions, as real numbers of shape [regions, 1].
  mlir::Value column(int64_t i) { return e.convert(e.slice(entries, 1, i, i + 1), real); }
  /// The number of each bin, of shape [bins].
  mlir::Value bins() { return e.range(e.size(rows * columns), e.i64()); }
  /// The row and the column of each bin, as real numbers of shape [bins].
  mlir::Value binRow() { return e.convert(divided(bins(), e.size(columns)), real); }
  mlir::Value binColumn() { return e.convert(rest(bins(), e.size(columns)), real); }
  /// [regions, bins, channels] as [regions, channels, rows, columns].
  mlir::Value shape(mlir::Value result);
  /// Ends the expansion with [regions, bins, channels].
  llvm::LogicalResult replace(mlir::Value result) { return e.replace(shape(result)); }

  mlir::Value divided(mlir::Value a, mlir::Value b) { return e.divide(a, e.maximum(b, 1)); }
  mlir::Value rest(mlir::Value a, mlir::Value b) { return e.make<ov::FloorModOp>({a, e.maximum(b, 1)}); }
  mlir::Value isLess(mlir::Value a, mlir::Value b) { return e.less(a, b); }
  mlir::Value both(mlir::Value a, mlir::Value b) { return e.make<ov::LogicalAndOp>({a, b}); }
  mlir::Value isIn(mlir::Value x, mlir::Value least, mlir::Value most) {
    return both(e.make<ov::GreaterEqualOp>({x, least}), e.make<ov::LessEqualOp>({x, most}));
  }
  mlir::Value number(double value) { return e.scalar(value, real); }
  /// The greatest of the integers, or 0, as a size.
  Size most(mlir::Value integers) {
    llvm::SmallVector<int64_t> axes = llvm::to_vector(llvm::seq(rankOf(integers)));
    return e.unsqueeze(e.maximum(e.reduce<ov::ReduceMaxOp>(integers, axes, /*keepDims=*/false), 0), {0});
  }
  /// A tensor [regions, bins] or [regions, 1] as one that broadcasts with [regions, bins, samples].
  mlir::Value widen(mlir::Value value) { return e.unsqueeze(value, {2}); }

  Expansion &e;
  mlir::Value entries;
  mlir::Type real;
  Pixels pixels;
  Size channels;
  int64_t rows, columns;
};

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_EXPANSIONS_REGIONS_H
