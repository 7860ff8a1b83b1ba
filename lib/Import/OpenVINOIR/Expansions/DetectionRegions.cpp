// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DetectionRegions.cpp - Regions of images ---------------------------===//
//
// This file expands PSROIPooling, DeformablePSROIPooling and ROIPooling.
//
//===----------------------------------------------------------------------===//

#include "Regions.h"

#include "../TypeSyntax.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

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
  Regions regions(e, e.operand(0), 5, e.integer("pooled_h"), e.integer("pooled_w"));
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
    Regions regions(e, images, 5, group, group);
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
  Regions regions(e, images, 5, group, group);
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

LogicalResult recur::ir::expandDeformablePSROIPooling(Expansion &e) {
  if (failed(Regions::check(e, 5, {"output_dim", "group_size", "spatial_bins_x", "spatial_bins_y", "part_size"})))
    return failure();
  Value data = e.operand(0), offsets = e.operand(2);
  int64_t group = e.integer("group_size"), outputs = e.integer("output_dim"), part = e.integer("part_size");
  if (offsets) {
    if (failed(e.expectRank(2, 4, 4)))
      return failure();
    int64_t entries = typeOf(offsets).getDimSize(1);
    if (!ShapedType::isDynamic(entries) && (entries < 2 || outputs % (entries / 2) != 0))
      return e.error("expected 'output_dim' to be a multiple of the " + Twine(entries / 2) +
                     " classes of 'offsets', but got " + Twine(outputs));
  }
  int64_t bins = group * group;
  Size height = e.dim(data, 2), width = e.dim(data, 3), batch = e.dim(data, 0);
  // The channels of a class are moved alike. Each bin of each class has its own channels, which become images. The
  // number of classes is a dim from here on, so it is known to be equal wherever it is one.
  Size count = e.dim(e.operand(1), 0), classes = e.size(1);
  if (offsets) {
    offsets = e.reshape(e.convert(offsets, elementOf(data)),
                        {count, e.divide(e.dim(offsets, 1), 2), e.size(2), e.size(part * part)});
    classes = e.dim(offsets, 1);
  }
  Size channels = e.divide(e.size(outputs), e.maximum(classes, 1));
  Value images = e.reshape(data, {batch, classes, channels, e.size(bins), height, width});
  Size perImage = e.multiply(classes, double(bins));
  images = e.reshape(e.transpose(images, {0, 1, 3, 2, 4, 5}), {e.multiply(batch, perImage), channels, height, width});
  Regions regions(e, e.operand(1), 5, Pixels(e, images), channels, group, group);
  // Real numbers of shape [regions, 1] as [regions, classes, bins, samples].
  auto align = [&](Value value) { return e.unsqueeze(value, {2, 3}); };
  int64_t rows = e.integer("spatial_bins_y"), columns = e.integer("spatial_bins_x");
  Value samples = e.range(e.size(rows * columns), e.i64());
  // The entry of `offsets` that moves each bin.
  Value ofRow = e.divide(e.multiply(regions.divided(regions.bins(), e.size(group)), double(part)), double(group));
  Value ofColumn = e.divide(e.multiply(regions.rest(regions.bins(), e.size(group)), double(part)), double(group));
  Value entry = e.add(e.multiply(ofRow, double(part)), ofColumn);
  auto getPositions = [&](int64_t axis, int64_t samplesOfBin, Value bin, Value sample) {
    auto corner = [&](int64_t more) {
      Value rounded = roundAway(e, regions.column(1 + axis + 2 * more));
      return e.subtract(e.multiply(e.add(rounded, double(more)), e.number("spatial_scale")), 0.5);
    };
    Value begin = corner(0), length = e.maximum(e.subtract(corner(1), begin), 0.1);
    Value size = e.divide(length, double(group));
    Value at = e.unsqueeze(e.add(begin, e.multiply(bin, size)), {1, 3});
    if (offsets) {
      Value moved = e.gather(e.squeeze(e.slice(offsets, 2, axis, axis + 1), {2}), entry, 2);
      moved = e.unsqueeze(e.multiply(moved, e.number("trans_std")), {3});
      at = e.add(at, e.multiply(moved, align(length)));
    }
    return e.add(at, e.multiply(e.convert(sample, regions.real), align(e.divide(size, double(samplesOfBin)))));
  };
  Value row = getPositions(1, rows, regions.binRow(), regions.divided(samples, e.size(columns)));
  Value column = getPositions(0, columns, regions.binColumn(), regions.rest(samples, e.size(columns)));
  auto isInside = [&](Value at, Size length) {
    return regions.isIn(at, regions.number(-0.5), e.subtract(e.convert(length, regions.real), 0.5));
  };
  Value index = align(e.convert(regions.column(0), e.i64()));
  Value counts = regions.both(isInside(row, height), isInside(column, width));
  counts = regions.both(counts, e.make<ov::GreaterEqualOp>({index, e.scalar(0, e.i64())}));
  Value number = e.reshape(e.range(perImage, e.i64()), {e.size(1), classes, e.size(bins), e.size(1)});
  Value image = e.add(e.multiply(e.maximum(index, 0), perImage), number);
  Value values = regions.pixels.interpolate(image, row, column, counts, /*padsZeros=*/false);
  Value total = e.reduce<ov::ReduceSumOp>(values, {3}, /*keepDims=*/false);
  Value counted = e.reduce<ov::ReduceSumOp>(e.convert(counts, regions.real), {3}, /*keepDims=*/true);
  Value means = e.transpose(e.divide(total, e.maximum(counted, 1)), {0, 1, 3, 2});
  return e.replace(e.reshape(means, {count, e.size(outputs), e.size(group), e.size(group)}));
}
