// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DetectionAlign.cpp - Means of samples of regions -------------------===//
//
// This file expands ROIAlign, ROIAlignRotated and ExperimentalDetectronROIFeatureExtractor. All of them sample the bins
// of regions at positions between elements. They differ in how they find the positions and the image.
//
//===----------------------------------------------------------------------===//

#include "Regions.h"

#include "../TypeSyntax.h"

#include <cmath>

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

namespace {
/// Regions along the height or the width of the images, as real numbers of shape [regions, 1].
struct Extent {
  Value begin, length;
};
/// The samples of bins along the height or the width.
struct SampledAxis {
  /// The position of the first sample of each bin minus half a distance, and the distance of samples.
  Value start, distance;
  /// The number of samples of each bin, as i64 numbers of shape [regions, 1], and the greatest of them.
  Value count;
  Size most;
};
/// The rows and the columns of samples, as real numbers of shape [regions, bins, samples].
struct Positions {
  Value row, column;
};
} // namespace

static LogicalResult checkSamplingRatio(Expansion &e) {
  int64_t ratio = e.integer("sampling_ratio");
  if (ratio < 0 || ratio > 1 << 10)
    return e.error("expected 'sampling_ratio' to be from 0 to 1024, but got " + Twine(ratio));
  return success();
}

/// The samples of the `bins` bins of each region along an axis. `bin` is the number of each bin on it.
static SampledAxis sampleAxis(Regions &regions, const Extent &extent, int64_t bins, Value bin) {
  Expansion &e = regions.e;
  int64_t ratio = e.integer("sampling_ratio");
  Value size = e.divide(extent.length, double(bins));
  SampledAxis axis;
  if (ratio == 0) {
    axis.count = e.maximum(e.convert(e.make<ov::CeilingOp>(size), e.i64()), 0);
    axis.most = regions.most(axis.count);
  } else {
    axis.count = axis.most = e.size(ratio);
    axis.count = e.unsqueeze(axis.count, {0});
  }
  axis.start = e.add(extent.begin, e.multiply(bin, size));
  axis.distance = e.divide(size, e.maximum(e.convert(axis.count, regions.real), 1));
  return axis;
}

/// Combines the samples of bins: their means, or their maxima, as [regions, bins, channels]. `image` is the image of
/// each region, an i64 tensor of shape [regions, 1, 1]. `move`, if it is not null, says where in the image a position
/// is. `isRead`, if it is not null, is false for regions that read nothing; its shape is [regions, 1, 1].
static Value combineSamples(Regions &regions, Value image, const Extent &rows, const Extent &columns, bool isMax,
                            llvm::function_ref<Positions(const Positions &)> move = {}, Value isRead = {}) {
  Expansion &e = regions.e;
  SampledAxis y = sampleAxis(regions, rows, regions.rows, regions.binRow());
  SampledAxis x = sampleAxis(regions, columns, regions.columns, regions.binColumn());
  // The row and the column of each sample in its bin.
  Value samples = e.range(e.multiply(y.most, x.most), e.i64());
  Value row = regions.divided(samples, x.most), column = regions.rest(samples, x.most);
  auto getPositions = [&](const SampledAxis &axis, Value sample) {
    Value part = e.multiply(regions.widen(axis.distance), e.add(e.convert(sample, regions.real), 0.5));
    return e.add(regions.widen(axis.start), part);
  };
  Positions at = {getPositions(y, row), getPositions(x, column)};
  if (move)
    at = move(at);
  auto isInside = [&](Value at, Size length) {
    return regions.isIn(at, regions.number(-1), e.convert(length, regions.real));
  };
  Value counts = regions.both(isInside(at.row, regions.pixels.height), isInside(at.column, regions.pixels.width));
  if (e.integer("sampling_ratio") == 0)
    counts = regions.both(counts, regions.both(regions.isLess(row, regions.widen(y.count)),
                                               regions.isLess(column, regions.widen(x.count))));
  if (isRead)
    counts = regions.both(counts, isRead);
  Value values = regions.pixels.interpolate(image, at.row, at.column, counts, /*padsZeros=*/false);
  // Without samples, the result is 0.
  if (isMax) {
    Value zero = e.unsqueeze(regions.number(0), {0});
    return e.maximum(e.reduce<ov::ReduceMaxOp>(values, {2}, /*keepDims=*/false), zero);
  }
  Value number = e.maximum(e.convert(e.multiply(y.count, x.count), regions.real), 1);
  return e.divide(e.reduce<ov::ReduceSumOp>(values, {2}, /*keepDims=*/false), regions.widen(number));
}

/// Operand 2, the image of each region. There are as many as regions.
static Value readImages(Expansion &e) {
  return e.reshape(e.convert(e.operand(2), e.i64()), {e.dim(e.operand(1), 0), e.size(1), e.size(1)});
}

LogicalResult recur::ir::expandROIAlign(Expansion &e) {
  if (failed(Regions::check(e, 4, {"pooled_h", "pooled_w"})) || failed(e.expectRank(2, 1, 1)) ||
      failed(checkSamplingRatio(e)))
    return failure();
  Regions regions(e, e.operand(0), 4, e.integer("pooled_h"), e.integer("pooled_w"));
  StringRef mode = e.has("aligned_mode") ? e.text("aligned_mode") : "asymmetric";
  bool isAligned = mode != "asymmetric";
  auto getExtent = [&](int64_t first) -> Extent {
    auto scale = [&](Value corner) {
      corner = e.multiply(mode == "half_pixel" ? e.add(corner, 0.5) : corner, e.number("spatial_scale"));
      return isAligned ? e.subtract(corner, 0.5) : corner;
    };
    Value begin = scale(regions.column(first)), length = e.subtract(scale(regions.column(first + 2)), begin);
    return {begin, isAligned ? length : e.maximum(length, 1)};
  };
  Extent rows = getExtent(1), columns = getExtent(0);
  return regions.replace(combineSamples(regions, readImages(e), rows, columns, e.text("mode") == "max"));
}

LogicalResult recur::ir::expandROIAlignRotated(Expansion &e) {
  if (failed(Regions::check(e, 5, {"pooled_h", "pooled_w"})) || failed(e.expectRank(2, 1, 1)) ||
      failed(checkSamplingRatio(e)))
    return failure();
  Regions regions(e, e.operand(0), 5, e.integer("pooled_h"), e.integer("pooled_w"));
  auto scale = [&](int64_t entry) { return e.multiply(regions.column(entry), e.number("spatial_scale")); };
  auto getMiddle = [&](int64_t entry) { return regions.widen(e.subtract(scale(entry), 0.5)); };
  // The positions are those of a region that is not turned and whose middle is 0.
  auto getExtent = [&](int64_t entry) -> Extent {
    Value length = scale(entry);
    return {e.multiply(length, -0.5), length};
  };
  Value angle = e.multiply(regions.column(4), e.flag("clockwise_mode") ? -1 : 1);
  Value cosine = regions.widen(e.make<ov::CosOp>(angle)), sine = regions.widen(e.make<ov::SinOp>(angle));
  Value middleRow = getMiddle(1), middleColumn = getMiddle(0);
  auto turn = [&](const Positions &at) -> Positions {
    Value row = e.subtract(e.multiply(at.row, cosine), e.multiply(at.column, sine));
    Value column = e.add(e.multiply(at.row, sine), e.multiply(at.column, cosine));
    return {e.add(row, middleRow), e.add(column, middleColumn)};
  };
  Extent rows = getExtent(3), columns = getExtent(2);
  return regions.replace(combineSamples(regions, readImages(e), rows, columns, /*isMax=*/false, turn));
}

LogicalResult recur::ir::expandExperimentalDetectronROIFeatureExtractor(Expansion &e) {
  if (failed(Regions::checkEntries(e, 0, 4)) || failed(Regions::checkBins(e, StringRef("output_size"))) ||
      failed(checkSamplingRatio(e)))
    return failure();
  Value entries = Regions::settle(e, e.operand(0), 4);
  ArrayRef<Value> levels = e.getOperands().drop_front();
  ArrayRef<int64_t> scales = e.integers("pyramid_scales");
  if (scales.size() != levels.size())
    return e.error("expected 'pyramid_scales' to have an entry for each of the " + Twine(levels.size()) +
                   " images, but got " + Twine(scales.size()));
  for (unsigned i = 1; i < e.countOperands(); ++i) {
    if (failed(e.expectRank(i, 4, 4)) || failed(e.expectSameElements({1, i})))
      return failure();
    int64_t images = typeOf(e.operand(i)).getDimSize(0);
    if (!ShapedType::isDynamic(images) && images != 1)
      return e.error("expected one image, but got " + spell(typeOf(e.operand(i))));
  }
  if (llvm::any_of(scales, [](int64_t scale) { return scale < 1; }))
    return e.error("expected the entries of 'pyramid_scales' to be positive");
  Type real = elementOf(levels.front());
  auto column = [&](int64_t i) { return e.convert(e.slice(entries, 1, i, i + 1), real); };
  Value width = e.subtract(column(2), column(0)), height = e.subtract(column(3), column(1));
  // The level is 2 for the side 224, and one more each time that the side doubles.
  constexpr double kSide = 224, kSlack = 1e-6, kLevel = 2;
  Value area = e.multiply(width, height), isRead = e.make<ov::GreaterOp>({area, e.scalar(0, real)});
  Value side = e.add(e.divide(e.squareRoot(e.maximum(area, 0)), kSide), kSlack);
  Value level = e.multiply(e.convert(isRead, e.i64()), 0);
  for (size_t i = 1; i < levels.size(); ++i) {
    Value isBeyond = e.make<ov::GreaterEqualOp>({side, e.scalar(std::exp2(double(i) - kLevel), real)});
    level = e.add(level, e.convert(isBeyond, e.i64()));
  }
  level = e.unsqueeze(level, {2});
  int64_t bins = e.integer("output_size");
  Regions regions(e, entries, 4, Pixels(e, levels, level), e.dim(levels.front(), 1), bins, bins);
  SmallVector<double> factors = llvm::map_to_vector(scales, [](int64_t scale) { return 1.0 / double(scale); });
  Value factor = e.gather(e.floats(factors, int64_t(factors.size()), real), e.squeeze(level, {2}), 0);
  auto getExtent = [&](int64_t first) -> Extent {
    auto scale = [&](Value corner) {
      corner = e.multiply(corner, factor);
      return e.flag("aligned") ? e.subtract(corner, 0.5) : corner;
    };
    Value begin = scale(regions.column(first));
    return {begin, e.maximum(e.subtract(scale(regions.column(first + 2)), begin), 1)};
  };
  Extent rows = getExtent(1), columns = getExtent(0);
  Value image = e.scalar(0, e.i64());
  Value means = combineSamples(regions, image, rows, columns, /*isMax=*/false, {}, regions.widen(isRead));
  return e.replace({regions.shape(means), entries});
}
