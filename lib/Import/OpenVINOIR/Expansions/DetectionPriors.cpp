// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DetectionPriors.cpp - Boxes at all places of an image --------------===//
//
// This file expands PriorBox, PriorBoxClustered and the layers of Detectron that make and choose boxes. A place has the
// same boxes as every other one, so their sizes are a vector of constants, and the boxes of all places are sums of that
// and of the centres of the places.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "../TypeSyntax.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

namespace {
/// A grid of places over an image.
struct Grid {
  /// The numbers of rows and columns of the grid.
  Size height, width;
  /// The height and the width of the image: f32 tensors of shape [1].
  Value imageHeight, imageWidth;
};

/// Boxes around each place, f32 vectors with an entry for each box: the distances of their centres from the place, and
/// half their widths and heights. `low` and `high` bound the corners; null if nothing does.
struct Boxes {
  Value right, down, halfWidth, halfHeight, low, high;
  int64_t count;
};
} // namespace

/// Reads the sizes of the operands `output_size` and `image_size`.
static FailureOr<Grid> readGrid(Expansion &e) {
  for (unsigned i : {0, 1})
    if (failed(e.expectRank(i, 1, 1)))
      return failure();
  for (unsigned i : {0, 1})
    if (int64_t dim = typeOf(e.operand(i)).getDimSize(0); !ShapedType::isDynamic(dim) && dim != 2)
      return e.error("expected two sizes, but got " + spell(typeOf(e.operand(i))));
  auto at = [&](unsigned i, int64_t place) { return e.gather(e.operand(i), e.size(place), 0); };
  auto real = [&](Value size) { return e.convert(size, e.f32()); };
  return Grid{e.convert(at(0, 0), e.i64()), e.convert(at(0, 1), e.i64()), real(at(1, 0)), real(at(1, 1))};
}

/// A vector of f32 constants.
static Value makeVector(Expansion &e, ArrayRef<double> values) {
  return e.floats(values, {int64_t(values.size())}, e.f32());
}

/// The numbers 0, 1, ... below `count`, plus `offset`, times `step`.
static Value makeCentres(Expansion &e, Size count, double offset, Value step) {
  return e.multiply(e.add(e.range(count, e.f32()), offset), step);
}

/// Ends the expansion: the first row has the corners of all boxes of all places, divided by the size of the image, and
/// the second one the variances. `rows` and `columns` are the centres of the places.
static LogicalResult replaceByCorners(Expansion &e, const Grid &grid, Value rows, Value columns, const Boxes &boxes) {
  SmallVector<double> variance = e.numbers("variance");
  if (variance.empty())
    variance.push_back(0.1);
  if (variance.size() != 1 && variance.size() != 4)
    return e.error("expected 'variance' to have 0, 1 or 4 entries, but got " + Twine(variance.size()));
  Value shape = e.concat({grid.height, grid.width, e.size(boxes.count), e.size(1)}, 0);
  auto corner = [&](Value centres, int64_t axis, Value distance, Value half, Value size, bool isFirst) {
    Value centre = e.add(e.alignTo(centres, axis, 3), distance);
    Value at = e.divide(isFirst ? e.subtract(centre, half) : e.add(centre, half), size);
    if (isFirst && boxes.low)
      at = e.maximum(at, boxes.low);
    if (!isFirst && boxes.high)
      at = e.minimum(at, boxes.high);
    if (e.flag("clip"))
      at = e.minimum(e.maximum(at, 0), 1);
    return e.broadcast(e.unsqueeze(at, {3}), shape);
  };
  auto x = [&](bool isFirst) { return corner(columns, 1, boxes.right, boxes.halfWidth, grid.imageWidth, isFirst); };
  auto y = [&](bool isFirst) { return corner(rows, 0, boxes.down, boxes.halfHeight, grid.imageHeight, isFirst); };
  Value corners = e.concat({x(true), y(true), x(false), y(false)}, 3);
  Value row = e.reshape(corners, e.integers({1, -1}));
  Value entries = variance.size() == 4 ? makeVector(e, variance) : e.scalar(variance.front(), e.f32());
  Value second = e.reshape(e.broadcast(entries, e.shapeOf(corners)), e.integers({1, -1}));
  return e.replace(e.concat({row, second}, 0));
}

namespace {
/// The boxes of a PriorBox: sizes in f32, as OpenVINO computes them.
class PriorBoxes {
public:
  explicit PriorBoxes(Expansion &e)
      : e(e), minima(e.numbers("min_size")), maxima(e.numbers("max_size")), fixed(e.numbers("fixed_size")),
        density(e.numbers("density")), scalesAll(e.flag("scale_all_sizes")) {}
  LogicalResult read();
  Boxes make(const Grid &grid);

private:
  /// Half the width and half the height are `width` and `height`, times the height of the image if `isPart`. With
  /// `isRoot`, they are square roots of products with it.
  struct Box {
    double right, down, width, height;
    bool isPart = false, isRoot = false, isBounded = false;
  };
  LogicalResult readFixed();
  void readMinima();
  void addDense(size_t i, double halfWidth, double halfHeight);

  Expansion &e;
  SmallVector<double> minima, maxima, fixed, density;
  bool scalesAll;
  /// Without 1.
  SmallVector<float> ratios;
  SmallVector<Box> boxes;
};
} // namespace

/// Adds the boxes of a fixed size at density * density places around the centre.
void PriorBoxes::addDense(size_t i, double halfWidth, double halfHeight) {
  auto count = int64_t(density[i]), distance = int64_t(fixed[i] / double(count));
  auto at = [&](int64_t place) { return -std::trunc(fixed[i]) / 2 + double(distance) / 2 + double(place * distance); };
  for (int64_t row = 0; row < count; ++row)
    for (int64_t column = 0; column < count; ++column)
      boxes.push_back({at(column), at(row), halfWidth, halfHeight, false, false, /*isBounded=*/true});
}

LogicalResult PriorBoxes::readFixed() {
  if (fixed.empty())
    return success();
  // Boxes of other ratios than 1 need a density, too.
  bool needsDensity = !e.numbers("fixed_ratio").empty() || !ratios.empty() || !density.empty();
  if (needsDensity && density.size() != fixed.size())
    return e.error("expected 'density' to have " + Twine(fixed.size()) + " entries, as 'fixed_size' has, but got " +
                   Twine(density.size()));
  constexpr double kMost = 1 << 10;
  for (double entry : density)
    if (!(entry >= 1 && entry <= kMost))
      return e.error("expected the entries of 'density' to be from 1 to 1024");
  for (double entry : fixed)
    if (!(entry >= 0 && entry <= 1e9))
      return e.error("expected the entries of 'fixed_size' to be from 0 to 1000000000");
  auto addRatio = [&](size_t i, double ratio) {
    float root = std::sqrt(float(ratio)), half = float(fixed[i]) * 0.5f;
    addDense(i, half * root, half / root);
  };
  for (size_t i = 0; i < fixed.size(); ++i) {
    if (SmallVector<double> given = e.numbers("fixed_ratio"); !given.empty()) {
      for (double ratio : given)
        addRatio(i, ratio);
      continue;
    }
    if (!density.empty())
      addDense(i, std::trunc(fixed[i]) * 0.5, std::trunc(fixed[i]) * 0.5);
    for (float ratio : ratios)
      addRatio(i, ratio);
  }
  return success();
}

void PriorBoxes::readMinima() {
  for (size_t i = 0; i < minima.size(); ++i) {
    bool isPart = !scalesAll;
    auto add = [&](float width, float height) { boxes.push_back({0, 0, width, height, isPart}); };
    auto half = float(minima[i]) * 0.5f;
    add(half, half);
    auto addMaximum = [&] {
      if (i >= maxima.size())
        return;
      float product = float(minima[i]) * float(maxima[i]);
      if (isPart)
        boxes.push_back({0, 0, product, product, false, /*isRoot=*/true});
      else
        add(std::sqrt(product) * 0.5f, std::sqrt(product) * 0.5f);
    };
    auto addRatios = [&] {
      if (!scalesAll && i + 1 != minima.size())
        return;
      float of = float(minima[scalesAll ? i : 0]) * 0.5f;
      for (float ratio : ratios)
        add(of * std::sqrt(ratio), of / std::sqrt(ratio));
    };
    bool isMaximumFirst = !e.has("min_max_aspect_ratios_order") || e.flag("min_max_aspect_ratios_order");
    if (isMaximumFirst)
      addMaximum();
    addRatios();
    if (!isMaximumFirst)
      addMaximum();
  }
}

LogicalResult PriorBoxes::read() {
  SmallVector<float> all{1};
  for (double given : e.numbers("aspect_ratio")) {
    auto ratio = float(given);
    if (!(ratio > 0) || !std::isfinite(ratio))
      return e.error("expected the entries of 'aspect_ratio' to be positive");
    if (llvm::any_of(all, [&](float other) { return std::fabs(ratio - other) < 1e-6f; }))
      continue;
    all.push_back(ratio);
    if (e.flag("flip"))
      all.push_back(1 / ratio);
  }
  llvm::copy_if(all, std::back_inserter(ratios), [](float ratio) { return std::fabs(ratio - 1) >= 1e-6f; });
  if (failed(readFixed()))
    return failure();
  readMinima();
  if (boxes.empty())
    return e.error("expected a box at each place, but 'min_size' and 'fixed_size' have none");
  if (boxes.size() > (1 << 16))
    return e.error("expected at most 65536 boxes at each place, but got " + Twine(boxes.size()));
  return success();
}

Boxes PriorBoxes::make(const Grid &grid) {
  auto vector = [&](llvm::function_ref<double(const Box &)> get) {
    return makeVector(e, llvm::map_to_vector(boxes, [&](const Box &box) { return get(box); }));
  };
  auto half = [&](double Box::*size) {
    Value known = vector([&](const Box &box) { return box.isPart || box.isRoot ? 0 : box.*size; });
    if (scalesAll)
      return known;
    Value part = vector([&](const Box &box) { return box.isPart ? box.*size : 0; });
    Value root = vector([&](const Box &box) { return box.isRoot ? box.*size : 0; });
    Value roots = e.multiply(e.squareRoot(e.multiply(root, grid.imageHeight)), 0.5);
    return e.add(known, e.add(e.multiply(part, grid.imageHeight), roots));
  };
  Boxes result;
  result.right = vector([](const Box &box) { return box.right; });
  result.down = vector([](const Box &box) { return box.down; });
  result.halfWidth = half(&Box::width);
  result.halfHeight = half(&Box::height);
  result.count = int64_t(boxes.size());
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (llvm::any_of(boxes, [](const Box &box) { return box.isBounded; })) {
    result.low = vector([&](const Box &box) { return box.isBounded ? 0 : -kNone; });
    result.high = vector([&](const Box &box) { return box.isBounded ? 1 : kNone; });
  }
  return result;
}

LogicalResult recur::ir::expandPriorBox(Expansion &e) {
  FailureOr<Grid> grid = readGrid(e);
  PriorBoxes boxes(e);
  if (failed(grid) || failed(boxes.read()))
    return failure();
  Value rows = e.convert(grid->height, e.f32()), columns = e.convert(grid->width, e.f32());
  double step = e.number("step");
  Value down = e.divide(grid->imageHeight, rows), right = e.divide(grid->imageWidth, columns);
  double offset = 0.5;
  // Without `scale_all_sizes`, sizes are parts of the image's height, and -1 is the step that fits.
  bool isPart = !e.flag("scale_all_sizes");
  if (isPart && step == -1) {
    right = down;
    offset = e.number("offset");
  } else if (step != 0) {
    Value given = e.unsqueeze(e.scalar(step, e.f32()), {0});
    down = right = isPart ? e.multiply(given, grid->imageHeight) : given;
    offset = e.number("offset");
  }
  return replaceByCorners(e, *grid, makeCentres(e, grid->height, offset, down),
                          makeCentres(e, grid->width, offset, right), boxes.make(*grid));
}

LogicalResult recur::ir::expandPriorBoxClustered(Expansion &e) {
  FailureOr<Grid> grid = readGrid(e);
  if (failed(grid))
    return failure();
  SmallVector<double> widths = e.numbers("width"), heights = e.numbers("height");
  if (widths.empty() || widths.size() != heights.size())
    return e.error("expected 'width' and 'height' to have an entry for each box, but got " + Twine(widths.size()) +
                   " and " + Twine(heights.size()));
  double step = e.number("step"), across = e.number("step_w"), along = e.number("step_h");
  across = across == 0 ? step : across;
  along = along == 0 ? step : along;
  auto getStep = [&](double given, Value image, Size count) {
    if (across == 0 && along == 0)
      return e.divide(image, e.convert(count, e.f32()));
    return e.unsqueeze(e.scalar(given, e.f32()), {0});
  };
  auto halve = [&](ArrayRef<double> sizes) { return e.multiply(makeVector(e, sizes), 0.5); };
  Value zeros = makeVector(e, SmallVector<double>(widths.size(), 0));
  Boxes boxes{zeros, zeros, halve(widths), halve(heights), {}, {}, int64_t(widths.size())};
  double offset = e.number("offset");
  return replaceByCorners(e, *grid,
                          makeCentres(e, grid->height, offset, getStep(along, grid->imageHeight, grid->height)),
                          makeCentres(e, grid->width, offset, getStep(across, grid->imageWidth, grid->width)), boxes);
}

LogicalResult recur::ir::expandExperimentalDetectronPriorGridGenerator(Expansion &e) {
  if (failed(e.expectRank(0, 2, 2)) || failed(e.expectRank(1, 4, 4)) || failed(e.expectRank(2, 4, 4)))
    return failure();
  constexpr int64_t kMost = 1 << 20;
  for (StringRef name : {"h", "w"})
    if (e.integer(name) < 0 || e.integer(name) > kMost)
      return e.error("expected '" + name + "' to be from 0 to 1048576, but got " + Twine(e.integer(name)));
  Value priors = e.operand(0);
  Type given = elementOf(priors);
  Type real = given.isF64() ? given : e.f32();
  auto getCentres = [&](StringRef count, StringRef stride, int64_t axis) {
    Size places = e.integer(count) ? e.size(e.integer(count)) : e.dim(e.operand(1), axis);
    Value step = e.number(stride) != 0 ? e.unsqueeze(e.scalar(e.number(stride), real), {0})
                                       : e.divide(e.convert(e.dim(e.operand(2), axis), real), e.convert(places, real));
    return e.multiply(e.add(e.range(places, real), 0.5), step);
  };
  Value rows = getCentres("h", "stride_y", 2), columns = getCentres("w", "stride_x", 3);
  Size height = e.dim(rows, 0), width = e.dim(columns, 0), count = e.dim(priors, 0), one = e.size(1);
  Value places = e.concat({height, width, one, one}, 0);
  Value y = e.broadcast(e.alignTo(rows, 0, 4), places), x = e.broadcast(e.alignTo(columns, 1, 4), places);
  Value moved = e.convert(e.add(e.convert(priors, real), e.concat({x, y, x, y}, 3)), given);
  if (!e.flag("flatten"))
    return e.replace(moved);
  return e.replace(e.reshape(moved, {e.product({height, width, count}), e.size(4)}));
}

LogicalResult recur::ir::expandExperimentalDetectronTopKROIs(Expansion &e) {
  if (failed(e.expectRank(0, 2, 2)) || failed(e.expectRank(1, 1, 1)))
    return failure();
  int64_t most = e.integer("max_rois");
  constexpr int64_t kMost = 1 << 24;
  if (most < 0 || most > kMost)
    return e.error("expected 'max_rois' to be from 0 to 16777216, but got " + Twine(most));
  Value regions = e.operand(0), scores = e.operand(1);
  Size count = e.minimum(e.dim(scores, 0), e.size(most));
  SmallVector<Value> sorted = e.sort(e.make<ov::NegativeOp>(scores), count);
  if (sorted.empty())
    return failure();
  Value best = e.gather(regions, sorted[1], 0);
  // What is missing is zeros.
  Value missing = e.concat({e.subtract(e.size(most), count), e.size(0)}, 0);
  Value padded = e.pad(best, e.integers({0, 0}), missing, e.scalar(0, elementOf(regions)));
  return e.replace(e.reshape(padded, {e.size(most), e.dim(regions, 1)}));
}
