// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Image.cpp - Interpolation of images --------------------------------===//
//
// This file expands Interpolate and GridSample. Interpolate works on one axis after the other. Along an axis, each
// result is a weighted sum of a few elements, which are gathered. With antialiasing the number of these elements
// depends on the scale, so the axis is multiplied by a matrix of weights instead.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "../TypeSyntax.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

/// The elements that a result reads along an axis: their indices, which are in range, and their weights. Both have the
/// shape of the results along the axis.
using Taps = SmallVector<std::pair<Value, Value>>;

static Value floorOf(Expansion &e, Value x) { return e.make<ov::FloorOp>(x); }
static Value isLess(Expansion &e, Value a, Value b) { return e.make<ov::LessOp>({a, b}); }
static Value clamp(Expansion &e, Value x, Value least, Value most) { return e.minimum(e.maximum(x, least), most); }

/// The four weights of cubic interpolation with the coefficient `a` at a position p. The elements are those at
/// floor(p) - 1, floor(p), floor(p) + 1 and floor(p) + 2, and `t` is p - floor(p), in [0, 1).
static SmallVector<Value> cubicWeights(Expansion &e, Value t, double a) {
  auto near = [&](Value x) { return e.add(e.multiply(e.multiply(e.subtract(e.multiply(x, a + 2), a + 3), x), x), 1); };
  auto far = [&](Value x) {
    return e.subtract(e.multiply(e.add(e.multiply(e.subtract(e.multiply(x, a), 5 * a), x), 8 * a), x), 4 * a);
  };
  Value one = t ? e.scalar(1, elementOf(t)) : Value(), two = t ? e.scalar(2, elementOf(t)) : Value();
  return {far(e.add(t, 1)), near(t), near(e.subtract(one, t)), far(e.subtract(two, t))};
}

//===----------------------------------------------------------------------===//
// Interpolate
//===----------------------------------------------------------------------===//

namespace {
/// Resizes one axis after the other.
class Interpolation {
public:
  explicit Interpolation(Expansion &e) : e(e), mode(e.text("mode")), cube(e.number("cube_coeff")) {}
  LogicalResult run();

private:
  /// Resizes `axis` to `size` elements. `scale` is their number divided by that of the data, an f32 of shape [1].
  Value resize(Value data, int64_t axis, Size size, Value scale);
  /// The position of each result in the data, as f32 numbers of shape [size].
  Value getPositions(Size from, Size size, Value scale);
  Value nearest(Value positions, Value scale);
  /// The weights [size, from] of an antialiased result.
  Value getWeights(Value positions, Size from, Size size, Value scale);

  Expansion &e;
  StringRef mode;
  double cube;
  Type f32, i64;
};
} // namespace

Value Interpolation::getPositions(Size from, Size size, Value scale) {
  Value x = e.range(size, f32);
  Value centers = e.divide(e.add(x, 0.5), scale);
  if (mode.ends_with("_pillow"))
    return e.subtract(centers, 0.5);
  StringRef transformation = e.text("coordinate_transformation_mode");
  if (transformation == "half_pixel")
    return e.subtract(centers, 0.5);
  if (transformation == "tf_half_pixel_for_nn")
    return centers;
  if (transformation == "asymmetric")
    return e.divide(x, scale);
  Value isMany = e.make<ov::GreaterOp>({size, e.size(1)}), zero = e.scalar(0, f32);
  if (transformation == "pytorch_half_pixel")
    return e.select(isMany, e.subtract(centers, 0.5), zero);
  // align_corners
  Value last = e.convert(e.subtract(from, 1), f32), steps = e.convert(e.maximum(e.subtract(size, 1), 1), f32);
  return e.select(isMany, e.divide(e.multiply(x, last), steps), zero);
}

Value Interpolation::nearest(Value positions, Value scale) {
  StringRef rule = e.text("nearest_mode");
  Value up = e.make<ov::CeilingOp>(positions);
  if (rule == "floor")
    return floorOf(e, positions);
  if (rule == "ceil")
    return up;
  if (rule == "round_prefer_ceil")
    return floorOf(e, e.add(positions, 0.5));
  if (rule == "round_prefer_floor")
    return e.make<ov::CeilingOp>(e.subtract(positions, 0.5));
  // simple: positions are rounded up if the result is smaller than the data, else down. A position below 0 is clamped
  // to the first element in both cases.
  return e.select(isLess(e, scale, e.scalar(1, f32)), up, floorOf(e, positions));
}

Value Interpolation::getWeights(Value positions, Size from, Size size, Value scale) {
  // The distance from each result to each element. If there are fewer results than elements, the unit is the distance
  // of two results.
  Value narrow = e.minimum(scale, 1);
  Value distance = e.subtract(e.unsqueeze(e.range(from, f32), {0}), e.unsqueeze(positions, {1}));
  Value x = e.make<ov::AbsOp>(e.multiply(distance, narrow)), weights;
  if (mode == "bicubic_pillow") {
    Value inner = e.add(e.multiply(e.multiply(e.subtract(e.multiply(x, cube + 2), cube + 3), x), x), 1);
    Value outer =
        e.subtract(e.multiply(e.add(e.multiply(e.subtract(e.multiply(x, cube), 5 * cube), x), 8 * cube), x), 4 * cube);
    weights = e.select(isLess(e, x, e.scalar(1, f32)), inner,
                       e.select(isLess(e, x, e.scalar(2, f32)), outer, e.scalar(0, f32)));
  } else {
    weights = e.maximum(e.subtract(e.scalar(1, f32), x), 0);
  }
  return e.divide(weights, e.reduce<ov::ReduceSumOp>(weights, {1}, /*keepDims=*/true));
}

Value Interpolation::resize(Value data, int64_t axis, Size size, Value scale) {
  Size from = e.dim(data, axis);
  Value positions = getPositions(from, size, scale);
  int64_t rank = rankOf(data);
  if (mode.ends_with("_pillow") || (mode == "linear" && e.flag("antialias"))) {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq(rank));
    std::swap(order[axis], order[rank - 1]);
    Value product = e.make<ov::MatMulOp>({e.transpose(data, order), getWeights(positions, from, size, scale)},
                                         e.attribute("transpose_b", true));
    return e.transpose(product, order);
  }
  Value zero = e.scalar(0, f32), last = e.convert(e.subtract(from, 1), f32);
  auto at = [&](Value index) { return e.gather(data, e.convert(clamp(e, index, zero, last), i64), axis); };
  if (mode == "nearest")
    return at(nearest(positions, scale));
  auto weigh = [&](Value index, Value weight) { return e.multiply(at(index), e.alignTo(weight, axis, rank)); };
  Value result;
  if (mode == "cubic") {
    Value before = floorOf(e, positions);
    for (auto [i, weight] : llvm::enumerate(cubicWeights(e, e.subtract(positions, before), cube))) {
      Value own = weigh(e.add(before, double(i) - 1), weight);
      result = i ? e.add(result, own) : own;
    }
    return result;
  }
  // linear and linear_onnx
  Value inside = clamp(e, positions, zero, last), before = floorOf(e, inside), t = e.subtract(inside, before);
  return e.add(weigh(before, e.subtract(e.scalar(1, f32), t)), weigh(e.add(before, 1), t));
}

LogicalResult Interpolation::run() {
  Value data = e.operand(0);
  int64_t rank = rankOf(data);
  f32 = Float32Type::get(data.getContext());
  i64 = elementOf(e.size(0));
  bool hasBoth = e.getOpset() < 11, bySizes = e.text("shape_calculation_mode") == "sizes";
  Value given = e.operand(hasBoth && !bySizes ? 2 : 1), list = e.operand(hasBoth ? 3 : 2);
  if (!given)
    return e.error("expected an input of scales, but got " + Twine(e.countOperands()) + " inputs");
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq(rank));
  if (list) {
    FailureOr<SmallVector<int64_t>> known = e.expectConstant(hasBoth ? 3 : 2);
    if (failed(known))
      return failure();
    axes = *known;
  }
  RankedTensorType type = typeOf(given);
  if (type.getRank() != 1 || (type.hasStaticShape() && type.getDimSize(0) != int64_t(axes.size())))
    return e.error("expected a size or a scale for each of " + Twine(axes.size()) + " axes, but got " + spell(type));
  if (isa<FloatType>(type.getElementType()) == bySizes)
    return e.error("expected integers for sizes and real numbers for scales, but got " + spell(type));
  if (mode.ends_with("_pillow") && e.text("coordinate_transformation_mode") != "half_pixel")
    return e.error("expected the coordinate_transformation_mode 'half_pixel' for the mode '" + mode + "'");
  SmallVector<int64_t> begin(e.integers("pads_begin")), end(e.integers("pads_end"));
  if (int64_t(begin.size()) > rank || int64_t(end.size()) > rank)
    return e.error("expected at most one pad for each of " + Twine(rank) + " dims");
  begin.resize(rank);
  end.resize(rank);
  Type element = elementOf(data);
  // The weights are f32, and f64 data stays f64.
  bool moves = mode == "nearest";
  Type wide = moves || element.isF64() ? element : f32;
  data = e.convert(data, wide);
  if (llvm::any_of(begin, [](int64_t pad) { return pad != 0; }) || llvm::any_of(end, [](int64_t pad) { return pad; }))
    data = e.pad(data, e.integers(begin), e.integers(end), e.scalar(0, wide));
  for (auto [i, axis] : llvm::enumerate(axes)) {
    FailureOr<int64_t> own = e.normalizeAxis("axes", axis, rank);
    if (failed(own))
      return failure();
    Value entry = e.gather(given, e.size(i), 0);
    Value from = e.convert(e.dim(data, *own), f32);
    Size size = e.convert(entry, i64);
    Value scale = e.convert(entry, f32);
    if (bySizes)
      scale = e.divide(e.convert(size, f32), from);
    else
      size = e.convert(floorOf(e, e.add(e.multiply(from, scale), 1e-5)), i64);
    if (wide.isF64())
      data = e.convert(resize(e.convert(data, f32), *own, size, scale), wide);
    else
      data = resize(data, *own, size, scale);
  }
  return e.replace(e.convert(data, element));
}

LogicalResult recur::ir::expandInterpolate(Expansion &e) { return Interpolation(e).run(); }

//===----------------------------------------------------------------------===//
// GridSample
//===----------------------------------------------------------------------===//

namespace {
/// The positions that a grid gives along one dim of the image.
struct GridAxis {
  /// The positions in elements, of shape [N, h, w], the index of the last element, and the number of elements. The last
  /// two are scalars. All have the element type of the grid.
  Value positions, last, length;
};
} // namespace

/// Reflects positions at the borders of the image, as often as necessary.
static Value reflect(Expansion &e, Value x, const GridAxis &axis, bool alignCorners) {
  if (alignCorners) {
    // Positions repeat after 2 * last, and run back in the second half.
    Value period = e.maximum(e.multiply(axis.last, 2), 1);
    Value folded = e.make<ov::FloorModOp>({x, period});
    return e.minimum(folded, e.subtract(period, folded));
  }
  // The borders are half an element before the first element and behind the last one.
  Value period = e.multiply(axis.length, 2);
  Value folded = e.make<ov::FloorModOp>({e.add(x, 0.5), period});
  return e.subtract(e.minimum(folded, e.subtract(period, folded)), 0.5);
}

LogicalResult recur::ir::expandGridSample(Expansion &e) {
  if (failed(e.expectRank(0, 4, 4)) || failed(e.expectRank(1, 4, 4)))
    return failure();
  Value data = e.operand(0), grid = e.operand(1);
  Type element = elementOf(data), real = elementOf(grid), i64 = elementOf(e.size(0));
  bool alignCorners = e.flag("align_corners");
  StringRef padding = e.text("padding_mode"), mode = e.text("mode");
  // Channels are last, so that a position reads all of them.
  Value pixels = e.transpose(data, {0, 2, 3, 1});
  auto readAxis = [&](int64_t coordinate, int64_t dim) {
    GridAxis axis;
    axis.length = e.squeeze(e.convert(e.dim(data, dim), real), {0});
    axis.last = e.subtract(axis.length, 1);
    Value at = e.squeeze(e.slice(grid, 3, coordinate, coordinate + 1), {3});
    axis.positions = alignCorners ? e.multiply(e.multiply(e.add(at, 1), 0.5), axis.last)
                                  : e.multiply(e.subtract(e.multiply(e.add(at, 1), axis.length), 1), 0.5);
    return axis;
  };
  GridAxis x = readAxis(0, 3), y = readAxis(1, 2);
  Type computed = isa<FloatType>(element) ? element : real;
  // The elements at positions that are whole numbers, [N, h, w, C]. With the padding mode "zeros", elements outside of
  // the image are 0.
  auto read = [&](Value column, Value row) {
    auto prepare = [&](Value at, const GridAxis &axis) {
      if (padding == "reflection")
        at = reflect(e, at, axis, alignCorners);
      return clamp(e, at, e.scalar(0, real), axis.last);
    };
    Value insideX = prepare(column, x), insideY = prepare(row, y);
    Value indices = e.concat({e.unsqueeze(e.convert(insideY, i64), {3}), e.unsqueeze(e.convert(insideX, i64), {3})}, 3);
    Value values = e.make<ov::GatherNDOp>({pixels, indices}, e.attribute("batch_dims", int64_t(1)));
    values = e.convert(values, computed);
    if (padding != "zeros")
      return values;
    Value isInside =
        e.make<ov::LogicalAndOp>({e.make<ov::EqualOp>({insideX, column}), e.make<ov::EqualOp>({insideY, row})});
    return e.select(e.unsqueeze(isInside, {3}), values, e.scalar(0, computed));
  };
  Value result;
  if (mode == "nearest") {
    auto round = [&](const GridAxis &axis) { return e.make<ov::RoundOp>(axis.positions); };
    result = read(round(x), round(y));
  } else {
    bool isCubic = mode == "bicubic";
    // With border and reflection, bilinear positions come back into the image first.
    auto prepare = [&](const GridAxis &axis) {
      if (isCubic || padding == "zeros")
        return axis.positions;
      Value at = padding == "reflection" ? reflect(e, axis.positions, axis, alignCorners) : axis.positions;
      return clamp(e, at, e.scalar(0, real), axis.last);
    };
    auto getTaps = [&](const GridAxis &axis) {
      Taps taps;
      Value position = prepare(axis), before = floorOf(e, position), t = e.subtract(position, before);
      if (isCubic) {
        for (auto [i, weight] : llvm::enumerate(cubicWeights(e, t, -0.75)))
          taps.push_back({e.add(before, double(i) - 1), weight});
      } else {
        taps.push_back({before, e.subtract(e.scalar(1, real), t)});
        taps.push_back({e.add(before, 1), t});
      }
      return taps;
    };
    Taps columns = getTaps(x);
    for (auto [row, rowWeight] : getTaps(y))
      for (auto [column, weight] : columns) {
        Value own = e.convert(e.unsqueeze(e.multiply(rowWeight, weight), {3}), computed);
        Value product = e.multiply(read(column, row), own);
        result = result ? e.add(result, product) : product;
      }
  }
  return e.replace(e.convert(e.transpose(result, {0, 3, 1, 2}), element));
}
