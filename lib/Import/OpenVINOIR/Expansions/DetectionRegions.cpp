// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DetectionRegions.cpp - Regions of images ---------------------------===//
//
// This file expands PSROIPooling, ROIAlign and ROIPooling. The positions of the samples of all bins of all regions have
// the shape [regions, bins, samples]. Their pixels are gathered, and the samples of each bin are combined. If the call
// decides how many samples a bin has, the dim is as large as for the bin that has most, and the others of a bin do not
// count.
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include "../TypeSyntax.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

namespace {
/// The regions of a layer.
class Regions {
public:
  /// `images` is [images, channels, height, width]. Each region has `rows * columns` bins.
  Regions(Expansion &e, Value images, int64_t rows, int64_t columns)
      : e(e), real(elementOf(images)), pixels(e, images), channels(e.dim(images, 1)), rows(rows), columns(columns) {}

  /// Checks the operands and the numbers of bins. The operand with the regions has `entries` entries for each one.
  static LogicalResult check(Expansion &e, int64_t entries, ArrayRef<StringRef> numbersOfBins);

  /// Column `i` of the operand with the regions, as real numbers of shape [regions, 1].
  Value column(int64_t i) { return e.convert(e.slice(e.operand(1), 1, i, i + 1), real); }
  /// The number of each bin, of shape [bins].
  Value bins() { return e.range(e.size(rows * columns), e.i64()); }
  /// The row and the column of each bin, as real numbers of shape [bins].
  Value binRow() { return e.convert(divided(bins(), e.size(columns)), real); }
  Value binColumn() { return e.convert(rest(bins(), e.size(columns)), real); }
  /// Ends the expansion with [regions, bins, channels].
  LogicalResult replace(Value result);

  Value divided(Value a, Value b) { return e.divide(a, e.maximum(b, 1)); }
  Value rest(Value a, Value b) { return e.make<ov::FloorModOp>({a, e.maximum(b, 1)}); }
  Value isLess(Value a, Value b) { return e.less(a, b); }
  Value both(Value a, Value b) { return e.make<ov::LogicalAndOp>({a, b}); }
  Value isIn(Value x, Value least, Value most) {
    return both(e.make<ov::GreaterEqualOp>({x, least}), e.make<ov::LessEqualOp>({x, most}));
  }
  Value number(double value) { return e.scalar(value, real); }
  /// The greatest of the integers, or 0, as a size.
  Size most(Value integers) {
    SmallVector<int64_t> axes = llvm::to_vector(llvm::seq(rankOf(integers)));
    return e.unsqueeze(e.maximum(e.reduce<ov::ReduceMaxOp>(integers, axes, /*keepDims=*/false), 0), {0});
  }
  /// A tensor [regions, bins] or [regions, 1] as one that broadcasts with [regions, bins, samples].
  Value widen(Value value) { return e.unsqueeze(value, {2}); }

  Expansion &e;
  Type real;
  Pixels pixels;
  Size channels;
  int64_t rows, columns;
};
} // namespace

LogicalResult Regions::check(Expansion &e, int64_t entries, ArrayRef<StringRef> numbersOfBins) {
  if (failed(e.expectRank(0, 4, 4)) || failed(e.expectRank(1, 2, 2)))
    return failure();
  int64_t dim = typeOf(e.operand(1)).getDimSize(1);
  if (!ShapedType::isDynamic(dim) && dim != entries)
    return e.error("expected " + Twine(entries) + " entries for each region, but got " + spell(typeOf(e.operand(1))));
  constexpr int64_t kMost = 1 << 15;
  for (StringRef name : numbersOfBins)
    if (e.integer(name) < 1 || e.integer(name) > kMost)
      return e.error("expected '" + name + "' to be from 1 to 32768, but got " + Twine(e.integer(name)));
  return success();
}

LogicalResult Regions::replace(Value result) {
  Value moved = e.transpose(result, {0, 2, 1});
  return e.replace(e.reshape(moved, {e.dim(e.operand(1), 0), channels, e.size(rows), e.size(columns)}));
}

LogicalResult recur::ir::expandROIAlign(Expansion &e) {
  if (failed(Regions::check(e, 4, {"pooled_h", "pooled_w"})) || failed(e.expectRank(2, 1, 1)))
    return failure();
  int64_t ratio = e.integer("sampling_ratio");
  if (ratio < 0 || ratio > 1 << 10)
    return e.error("expected 'sampling_ratio' to be from 0 to 1024, but got " + Twine(ratio));
  Regions regions(e, e.operand(0), e.integer("pooled_h"), e.integer("pooled_w"));
  Type real = regions.real;
  StringRef mode = e.has("aligned_mode") ? e.text("aligned_mode") : "asymmetric";
  bool isAligned = mode != "asymmetric";
  struct Axis {
    /// The position of the first sample of each bin minus half a distance, and the distance of samples.
    Value start, distance;
    /// The number of samples of each bin, as i64 numbers of shape [regions, 1], and the greatest of them.
    Value count;
    Size most;
  };
  auto getAxis = [&](int64_t first, int64_t bins, Value bin) {
    auto scale = [&](Value corner) {
      corner = e.multiply(mode == "half_pixel" ? e.add(corner, 0.5) : corner, e.number("spatial_scale"));
      return isAligned ? e.subtract(corner, 0.5) : corner;
    };
    Value begin = scale(regions.column(first)), end = scale(regions.column(first + 2));
    Value length = e.subtract(end, begin);
    if (!isAligned)
      length = e.maximum(length, 1);
    Value size = e.divide(length, double(bins));
    Axis axis;
    if (ratio == 0) {
      axis.count = e.maximum(e.convert(e.make<ov::CeilingOp>(size), e.i64()), 0);
      axis.most = regions.most(axis.count);
    } else {
      axis.count = axis.most = e.size(ratio);
      axis.count = e.unsqueeze(axis.count, {0});
    }
    axis.start = e.add(begin, e.multiply(bin, size));
    axis.distance = e.divide(size, e.maximum(e.convert(axis.count, real), 1));
    return axis;
  };
  Axis y = getAxis(1, regions.rows, regions.binRow()), x = getAxis(0, regions.columns, regions.binColumn());
  // The row and the column of each sample in its bin.
  Value samples = e.range(e.multiply(y.most, x.most), e.i64());
  Value row = regions.divided(samples, x.most), column = regions.rest(samples, x.most);
  auto getPositions = [&](const Axis &axis, Value sample) {
    Value part = e.multiply(regions.widen(axis.distance), e.add(e.convert(sample, real), 0.5));
    return e.add(regions.widen(axis.start), part);
  };
  Value atRow = getPositions(y, row), atColumn = getPositions(x, column);
  auto isInside = [&](Value at, Size length) { return regions.isIn(at, regions.number(-1), e.convert(length, real)); };
  Value counts = regions.both(isInside(atRow, regions.pixels.height), isInside(atColumn, regions.pixels.width));
  if (ratio == 0)
    counts = regions.both(counts, regions.both(regions.isLess(row, regions.widen(y.count)),
                                               regions.isLess(column, regions.widen(x.count))));
  Value image = e.unsqueeze(e.convert(e.operand(2), e.i64()), {1, 2});
  Value values = regions.pixels.interpolate(image, atRow, atColumn, counts, /*padsZeros=*/false);
  // The samples of a bin are combined; without samples, the result is 0.
  if (e.text("mode") == "max") {
    Value zero = e.unsqueeze(regions.number(0), {0});
    return regions.replace(e.maximum(e.reduce<ov::ReduceMaxOp>(values, {2}, /*keepDims=*/false), zero));
  }
  Value number = e.maximum(e.convert(e.multiply(y.count, x.count), real), 1);
  return regions.replace(e.divide(e.reduce<ov::ReduceSumOp>(values, {2}, /*keepDims=*/false), regions.widen(number)));
}

namespace {
/// The elements of bins along the height or the width.
struct Span {
  /// The first element of each bin and the one behind its last one, as i64 numbers of shape [regions, bins].
  Value begin, end;
};
} // namespace

/// The span from `begin` to `end`, which are real numbers, without what is outside of the image.
static Span clampSpan(Expansion &e, Value begin, Value end, Size length) {
  auto clamp = [&](Value at) { return e.minimum(e.maximum(e.convert(at, e.i64()), 0), length); };
  return {clamp(begin), clamp(end)};
}

/// Combines the elements of rectangles of images: their maxima, or their means. A rectangle without elements gives 0.
/// `image` is an i64 tensor that broadcasts to [regions, bins, 1].
static LogicalResult combineRectangles(Expansion &e, Regions &regions, Value image, const Span &y, const Span &x,
                                       bool isMean) {
  Value rowsOf = e.subtract(y.end, y.begin), columnsOf = e.subtract(x.end, x.begin);
  Size rows = regions.most(rowsOf), columns = regions.most(columnsOf);
  Value samples = e.range(e.multiply(rows, columns), e.i64());
  Value row = e.add(regions.widen(y.begin), regions.divided(samples, columns));
  Value column = e.add(regions.widen(x.begin), regions.rest(samples, columns));
  Value counts = regions.both(regions.isLess(row, regions.widen(y.end)), regions.isLess(column, regions.widen(x.end)));
  auto clamp = [&](Value at, Size length) { return e.minimum(at, e.subtract(length, 1)); };
  Value values = regions.pixels.read(image, clamp(row, regions.pixels.height), clamp(column, regions.pixels.width));
  values = e.select(e.unsqueeze(counts, {3}), values, isMean ? regions.number(0) : e.least(regions.real));
  Value area = regions.widen(e.multiply(e.maximum(rowsOf, 0), e.maximum(columnsOf, 0)));
  if (isMean)
    return regions.replace(e.divide(e.reduce<ov::ReduceSumOp>(values, {2}, /*keepDims=*/false),
                                    e.maximum(e.convert(area, regions.real), 1)));
  return regions.replace(e.select(e.make<ov::GreaterOp>({area, e.size(0)}),
                                  e.reduce<ov::ReduceMaxOp>(values, {2}, /*keepDims=*/false), regions.number(0)));
}

/// ROIPooling with the method "max".
static LogicalResult expandMaxima(Expansion &e, Regions &regions, Value image) {
  auto getSpan = [&](int64_t first, Size length, int64_t bins, Value bin) {
    auto corner = [&](int64_t i) { return roundAway(e, e.multiply(regions.column(i), e.number("spatial_scale"))); };
    Value start = corner(first);
    Value size = e.divide(e.maximum(e.add(e.subtract(corner(first + 2), start), 1), 1), double(bins));
    return clampSpan(e, e.add(e.make<ov::FloorOp>(e.multiply(bin, size)), start),
                     e.add(e.make<ov::CeilingOp>(e.multiply(e.add(bin, 1), size)), start), length);
  };
  Span y = getSpan(2, regions.pixels.height, regions.rows, regions.binRow());
  Span x = getSpan(1, regions.pixels.width, regions.columns, regions.binColumn());
  return combineRectangles(e, regions, image, y, x, /*isMean=*/false);
}

LogicalResult recur::ir::expandROIPooling(Expansion &e) {
  if (failed(Regions::check(e, 5, {"pooled_h", "pooled_w"})))
    return failure();
  Regions regions(e, e.operand(0), e.integer("pooled_h"), e.integer("pooled_w"));
  Value image = regions.widen(e.convert(regions.column(0), e.i64()));
  if (e.text("method") == "max")
    return expandMaxima(e, regions, image);
  auto getPositions = [&](int64_t first, Size length, int64_t bins, Value bin) {
    Value begin = regions.column(first), end = regions.column(first + 2);
    Value last = e.convert(e.subtract(length, 1), regions.real);
    if (bins == 1)
      return e.add(e.multiply(e.multiply(e.add(begin, end), 0.5), last), e.multiply(bin, 0));
    // The last bin is at the corner itself, so that rounding does not move it out of the image.
    Value step = e.divide(e.multiply(e.subtract(end, begin), last), double(bins - 1));
    return e.select(e.make<ov::EqualOp>({bin, regions.number(double(bins - 1))}), e.multiply(end, last),
                    e.add(e.multiply(bin, step), e.multiply(begin, last)));
  };
  Value row = getPositions(2, regions.pixels.height, regions.rows, regions.binRow());
  Value column = getPositions(1, regions.pixels.width, regions.columns, regions.binColumn());
  auto isInside = [&](Value at, Size length) {
    return regions.isIn(at, regions.number(0), e.convert(e.subtract(length, 1), regions.real));
  };
  Value counts = regions.both(isInside(row, regions.pixels.height), isInside(column, regions.pixels.width));
  Value values = regions.pixels.interpolate(image, regions.widen(row), regions.widen(column), regions.widen(counts),
                                            /*padsZeros=*/false);
  return regions.replace(e.squeeze(values, {2}));
}

LogicalResult recur::ir::expandPSROIPooling(Expansion &e) {
  if (failed(Regions::check(e, 5, {"output_dim", "group_size", "spatial_bins_x", "spatial_bins_y"})))
    return failure();
  Value data = e.operand(0);
  int64_t group = e.integer("group_size"), outputs = e.integer("output_dim");
  Size height = e.dim(data, 2), width = e.dim(data, 3), batch = e.dim(data, 0);
  if (e.text("mode") == "average") {
    // Each bin has its own channels, which become images of their own.
    int64_t bins = group * group;
    Value images = e.transpose(e.reshape(data, {batch, e.size(outputs), e.size(bins), height, width}), {0, 2, 1, 3, 4});
    images = e.reshape(images, {e.multiply(batch, double(bins)), e.size(outputs), height, width});
    Regions regions(e, images, group, group);
    Value first = e.multiply(e.convert(regions.column(0), e.i64()), double(bins));
    Value image = regions.widen(e.add(first, e.unsqueeze(regions.bins(), {0})));
    auto getSpan = [&](int64_t i, Size length, Value bin) {
      Value begin = e.multiply(roundAway(e, regions.column(i)), e.number("spatial_scale"));
      Value end = e.multiply(e.add(roundAway(e, regions.column(i + 2)), 1), e.number("spatial_scale"));
      Value size = e.divide(e.subtract(end, begin), double(group));
      return clampSpan(e, e.make<ov::FloorOp>(e.add(begin, e.multiply(bin, size))),
                       e.make<ov::CeilingOp>(e.add(begin, e.multiply(e.add(bin, 1), size))), length);
    };
    return combineRectangles(e, regions, image, getSpan(2, height, regions.binRow()),
                             getSpan(1, width, regions.binColumn()), /*isMean=*/true);
  }
  // Each part of a region has its own channels, and each bin reads a position in each part.
  int64_t rows = e.integer("spatial_bins_y"), columns = e.integer("spatial_bins_x"), parts = rows * columns;
  Value images = e.reshape(data, {e.multiply(batch, double(parts)), e.size(outputs), height, width});
  Regions regions(e, images, group, group);
  Value numbers = e.range(e.size(parts), e.i64());
  Value image = e.unsqueeze(
      e.add(e.multiply(e.convert(regions.column(0), e.i64()), double(parts)), e.unsqueeze(numbers, {0})), {1});
  auto getPositions = [&](int64_t i, Size length, int64_t partsOfAxis, Value part, Value bin) {
    Value begin = regions.widen(e.multiply(regions.column(i), e.number("spatial_scale")));
    Value end = regions.widen(e.multiply(regions.column(i + 2), e.number("spatial_scale")));
    Value size = e.divide(e.subtract(end, begin), double(partsOfAxis));
    Value last = e.convert(e.subtract(length, 1), regions.real);
    Value start = e.add(begin, e.multiply(e.convert(part, regions.real), size));
    bin = e.unsqueeze(bin, {1});
    if (group == 1)
      return e.add(e.multiply(e.multiply(e.add(e.add(start, start), size), last), 0.5), e.multiply(bin, 0));
    return e.add(e.multiply(bin, e.divide(e.multiply(size, last), double(group - 1))), e.multiply(start, last));
  };
  Value row = getPositions(2, height, rows, regions.divided(numbers, e.size(columns)), regions.binRow());
  Value column = getPositions(1, width, columns, regions.rest(numbers, e.size(columns)), regions.binColumn());
  auto isInside = [&](Value at, Size length) {
    return regions.both(e.make<ov::GreaterEqualOp>({at, regions.number(0)}),
                        regions.isLess(at, e.convert(length, regions.real)));
  };
  Value counts = regions.both(isInside(row, height), isInside(column, width));
  Value values = regions.pixels.interpolate(image, row, column, counts, /*padsZeros=*/false);
  return regions.replace(e.divide(e.reduce<ov::ReduceSumOp>(values, {2}, /*keepDims=*/false), double(parts)));
}
