// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Image.cpp - Interpolation of images --------------------------------===//
//
// This file expands Interpolate and GridSample. Interpolate works on one axis after the other. Each result is a
// weighted sum of the elements around its position, which are gathered: a fixed number of them, or (with antialiasing
// and Pillow's filters) a number that the scale decides.
//
//===----------------------------------------------------------------------===//

#include "Axes.h"
#include "Samples.h"

#include "../TypeSyntax.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

static Value floorOf(Expansion &e, Value x) { return e.make<ov::FloorOp>(x); }
static Value ceilingOf(Expansion &e, Value x) { return e.make<ov::CeilingOp>(x); }
static Value isLess(Expansion &e, Value a, Value b) { return e.make<ov::LessOp>({a, b}); }
static Value isEqual(Expansion &e, Value a, Value b) { return e.make<ov::EqualOp>({a, b}); }
static Value clamp(Expansion &e, Value x, Value least, Value most) { return e.minimum(e.maximum(x, least), most); }

/// The cubic weight of an element at the distance `x`, for distances up to 1, with the coefficient `a`.
static Value cubicNear(Expansion &e, Value x, double a) {
  return e.add(e.multiply(e.multiply(e.subtract(e.multiply(x, a + 2), a + 3), x), x), 1);
}
/// The same for distances from 1 to 2.
static Value cubicFar(Expansion &e, Value x, double a) {
  return e.subtract(e.multiply(e.add(e.multiply(e.subtract(e.multiply(x, a), 5 * a), x), 8 * a), x), 4 * a);
}

/// The four weights of cubic interpolation with the coefficient `a` at a position p. The elements are those at
/// floor(p) - 1, floor(p), floor(p) + 1 and floor(p) + 2, and `t` is p - floor(p), in [0, 1).
static SmallVector<Value> cubicWeights(Expansion &e, Value t, double a) {
  Value one = e.scalar(1, elementOf(t)), two = e.scalar(2, elementOf(t));
  return {cubicFar(e, e.add(t, 1), a), cubicNear(e, t, a), cubicNear(e, e.subtract(one, t), a),
          cubicFar(e, e.subtract(two, t), a)};
}

//===----------------------------------------------------------------------===//
// Interpolate
//===----------------------------------------------------------------------===//

namespace {
/// Resizes one axis after the other.
class Interpolation {
public:
  explicit Interpolation(Expansion &e)
      : e(e), data(e.text("mode") == "nearest" ? e.given(0) : e.operand(0)), rank(rankOf(data)), mode(e.text("mode")),
        element(elementOf(data)), f32(Float32Type::get(data.getContext())), f64(Float64Type::get(data.getContext())),
        i64(elementOf(e.size(0))) {}
  LogicalResult run();

private:
  /// An axis that is resized from `from` to `size` elements. `scale`, an f32 of shape [1], is the one that is given, or
  /// the quotient of both.
  struct ResizedAxis {
    Axis place;
    Size from, size;
    Value scale;
    /// The axis in the data while they are resized.
    int64_t axis = 0;
  };
  /// Read the attributes and the operands of the opsets 1 to 3, and of later ones.
  LogicalResult readFirst();
  LogicalResult readLater();
  /// Pads the data, and finds the sizes and the scales of `numbers`. Each entry of `given` is a size or a scale.
  LogicalResult readAxes(ArrayRef<Axis> places, Value given, bool bySizes);
  Value resize(const ResizedAxis &axis);
  /// The position of each result in the data, as numbers of shape [size].
  Value getPositions(const ResizedAxis &axis);
  Value nearest(Value positions, Value scale);
  /// The weighted means of all elements that are closer to a position than `reach`, an f64 of shape [1]. `getWeights`
  /// gives the weights for distances.
  Value filter(const ResizedAxis &axis, Value positions, Value reach, llvm::function_ref<Value(Value)> getWeights);
  /// The elements at whole positions along the axis, or the nearest ones.
  Value at(const ResizedAxis &axis, Value positions) {
    Value zero = e.scalar(0, f32), last = e.convert(e.subtract(axis.from, 1), f32);
    return e.gather(data, e.convert(clamp(e, positions, zero, last), i64), axis.axis);
  }
  /// True if the result has fewer elements along the axis, whatever the call.
  static bool shrinks(const ResizedAxis &axis) {
    DenseFPElementsAttr scale;
    if (matchPattern(axis.scale, m_Constant(&scale)))
      return scale.getSplatValue<APFloat>().convertToFloat() < 1;
    auto from = ov::getConstantIntegers(axis.from);
    auto size = ov::getConstantIntegers(axis.size);
    return from && size && size->front() < from->front();
  }
  bool isPillow() const { return mode.ends_with("_pillow"); }

  Expansion &e;
  Value data;
  int64_t rank;
  StringRef mode, transformation, nearestMode;
  bool antialias = false;
  double cube = -0.75;
  SmallVector<ResizedAxis> axes;
  /// The least scale, a number of shape [1].
  Value leastScale;
  /// The element type of the data.
  Type element, f32, f64, i64;
};
} // namespace

LogicalResult Interpolation::readFirst() {
  ArrayRef<int64_t> numbers = e.integers("axes");
  if (numbers.empty())
    return e.error("expected an attribute 'axes', but got none");
  auto isZero = [](int64_t pad) { return pad == 0; };
  bool isPadded = !llvm::all_of(e.integers("pads_begin"), isZero) || !llvm::all_of(e.integers("pads_end"), isZero);
  // The choices of OpenVINO's conversion to opset4.
  bool isImage = rank == 4 && numbers.size() == 2 && llvm::is_contained(numbers, 2) && llvm::is_contained(numbers, 3);
  if (mode == "linear" && rank < 5)
    mode = "linear_onnx";
  transformation = e.flag("align_corners")                               ? "align_corners"
                   : mode.starts_with("linear") && !isPadded && !isImage ? "half_pixel"
                                                                         : "asymmetric";
  nearestMode = "simple";
  antialias = mode == "linear" && e.flag("antialias");
  SmallVector<Axis> places;
  for (int64_t number : numbers) {
    FailureOr<int64_t> axis = e.normalizeAxis("axes", number, rank);
    if (failed(axis))
      return failure();
    places.push_back({*axis, {}});
  }
  return readAxes(places, e.operand(1), /*bySizes=*/true);
}

LogicalResult Interpolation::readLater() {
  if (!e.has("shape_calculation_mode"))
    return e.error("expected an attribute 'shape_calculation_mode', but got none");
  bool hasBoth = e.getOpset() < 11, bySizes = e.text("shape_calculation_mode") == "sizes";
  transformation = e.text("coordinate_transformation_mode");
  nearestMode = e.text("nearest_mode");
  antialias = mode == "linear" && e.flag("antialias");
  cube = e.number("cube_coeff");
  if (isPillow() && hasBoth)
    return e.error("expected the mode '" + mode + "' only since opset11");
  Value given = e.operand(hasBoth && !bySizes ? 2 : 1);
  unsigned list = hasBoth ? 3 : 2;
  if (!given)
    return e.error("expected an input of scales, but got " + Twine(e.countOperands()) + " inputs");
  if (e.operand(list)) {
    FailureOr<SmallVector<Axis>> places = readAxisList(e, list, rank);
    return failed(places) ? failure() : readAxes(*places, given, bySizes);
  }
  SmallVector<Axis> places;
  for (int64_t axis : llvm::seq(rank))
    places.push_back({axis, {}});
  return readAxes(places, given, bySizes);
}

LogicalResult Interpolation::readAxes(ArrayRef<Axis> places, Value given, bool bySizes) {
  RankedTensorType type = typeOf(given);
  if (type.getRank() != 1 || (type.hasStaticShape() && type.getDimSize(0) != int64_t(places.size())))
    return e.error("expected a size or a scale for each of " + Twine(places.size()) + " axes, but got " + spell(type));
  if (isa<FloatType>(type.getElementType()) == bySizes)
    return e.error("expected integers for sizes and real numbers for scales, but got " + spell(type));
  SmallVector<int64_t> begin(e.integers("pads_begin")), end(e.integers("pads_end"));
  if (int64_t(begin.size()) > rank || int64_t(end.size()) > rank)
    return e.error("expected at most one pad for each of " + Twine(rank) + " dims");
  constexpr int64_t kMost = int64_t(1) << 31;
  for (int64_t pad : llvm::concat<int64_t>(begin, end))
    if (pad < 0 || pad >= kMost)
      return e.error("expected pads from 0 to 2^31, but got " + Twine(pad));
  begin.resize(rank);
  end.resize(rank);
  auto isPad = [](int64_t pad) { return pad != 0; };
  if (llvm::any_of(begin, isPad) || llvm::any_of(end, isPad))
    data = e.pad(data, e.integers(begin), e.integers(end), e.scalar(0, element));
  DenseFPElementsAttr known;
  bool areScalesKnown = !bySizes && matchPattern(given, m_Constant(&known));
  if (areScalesKnown)
    for (const APFloat &scale : known.getValues<APFloat>())
      if (!scale.isFinite() || scale.isNegative())
        return e.error("expected scales that are finite and 0 or more");
  Value shape = e.shapeOf(data);
  for (auto [i, place] : llvm::enumerate(places)) {
    Size length = place.open ? e.gather(shape, place.open, 0) : e.dim(data, place.number);
    Value entry = e.gather(given, e.size(i), 0);
    ResizedAxis axis{place, length, e.convert(entry, i64), e.convert(entry, f32)};
    Value from = e.convert(axis.from, f32);
    if (bySizes)
      axis.scale = e.divide(e.convert(axis.size, f32), from);
    else
      axis.size = e.convert(floorOf(e, e.add(e.multiply(from, axis.scale), 1e-5)), i64);
    if (!areScalesKnown && failed(e.requireSizes("the sizes of the result", axis.size)))
      return failure();
    axes.push_back(axis);
    leastScale = i ? e.minimum(leastScale, axis.scale) : axis.scale;
  }
  return success();
}

Value Interpolation::getPositions(const ResizedAxis &axis) {
  // The positions of Pillow are f64, and do not depend on the scale.
  Type real = isPillow() ? f64 : f32;
  Value x = e.range(axis.size, real), from = e.convert(axis.from, real), size = e.convert(axis.size, real);
  if (isPillow())
    return e.subtract(e.multiply(e.add(x, 0.5), e.divide(from, size)), 0.5);
  Value centers = e.divide(e.add(x, 0.5), axis.scale), positions;
  Value isMany = e.make<ov::GreaterOp>({axis.size, e.size(1)}), zero = e.scalar(0, f32);
  if (transformation == "half_pixel")
    positions = e.subtract(centers, 0.5);
  else if (transformation == "pytorch_half_pixel")
    positions = e.select(isMany, e.subtract(centers, 0.5), zero);
  else if (transformation == "tf_half_pixel_for_nn")
    positions = centers;
  else if (transformation == "asymmetric")
    positions = e.divide(x, axis.scale);
  else // align_corners
    positions = e.select(isMany, e.divide(e.multiply(x, e.subtract(from, 1)), e.maximum(e.subtract(size, 1), 1)), zero);
  // An axis that keeps its size keeps its elements.
  return e.select(isEqual(e, axis.size, axis.from), x, positions);
}

Value Interpolation::nearest(Value positions, Value scale) {
  // Positions below 0 all read the first element, so the rules need not hold for them.
  Value up = ceilingOf(e, positions);
  if (nearestMode == "floor")
    return floorOf(e, positions);
  if (nearestMode == "ceil")
    return up;
  if (nearestMode == "round_prefer_ceil")
    return roundAway(e, positions);
  if (nearestMode == "round_prefer_floor")
    return ceilingOf(e, e.subtract(positions, 0.5));
  // simple: positions are rounded up if the result is smaller than the data, else down.
  return e.select(isLess(e, scale, e.scalar(1, f32)), up, floorOf(e, positions));
}

Value Interpolation::filter(const ResizedAxis &axis, Value positions, Value reach,
                            llvm::function_ref<Value(Value)> getWeights) {
  // The elements of each result, as numbers of shape [size, taps].
  positions = e.convert(positions, f64);
  Value first = e.maximum(ceilingOf(e, e.subtract(positions, reach)), 0);
  Size taps = e.minimum(e.convert(e.add(e.multiply(ceilingOf(e, reach), 2), 1), i64), axis.from);
  Value elements = e.add(e.unsqueeze(first, {1}), e.unsqueeze(e.range(taps, f64), {0}));
  Value zero = e.scalar(0, f64), inside = clamp(e, elements, zero, e.convert(e.subtract(axis.from, 1), f64));
  Value weights = getWeights(e.make<ov::AbsOp>(e.subtract(elements, e.unsqueeze(positions, {1}))));
  weights = e.select(isEqual(e, elements, inside), weights, zero);
  Value sum = e.reduce<ov::ReduceSumOp>(weights, {1}, /*keepDims=*/true);
  // The result is 0 if no element has a weight.
  weights = e.select(isEqual(e, sum, zero), zero, e.divide(weights, sum));
  SmallVector<int64_t> others;
  for (int64_t i : llvm::seq(rank + 1))
    if (i != axis.axis && i != axis.axis + 1)
      others.push_back(i);
  weights = e.convert(weights, elementOf(data));
  if (!others.empty())
    weights = e.unsqueeze(weights, others);
  Value read = e.gather(data, e.convert(inside, i64), axis.axis);
  return e.reduce<ov::ReduceSumOp>(weigh(e, read, weights), {axis.axis + 1}, /*keepDims=*/false);
}

Value Interpolation::resize(const ResizedAxis &axis) {
  Value positions = getPositions(axis);
  if (mode == "nearest")
    return at(axis, nearest(positions, axis.scale));
  if (isPillow()) {
    // A filter is wider if the result is smaller.
    Value wide = e.maximum(e.divide(e.convert(axis.from, f64), e.convert(axis.size, f64)), 1);
    Value one = e.scalar(1, f64), two = e.scalar(2, f64), zero = e.scalar(0, f64);
    if (mode == "bilinear_pillow")
      return filter(axis, positions, wide,
                    [&](Value distance) { return e.maximum(e.subtract(one, e.divide(distance, wide)), 0); });
    return filter(axis, positions, e.multiply(wide, 2), [&](Value distance) {
      Value x = e.divide(distance, wide);
      return e.select(isLess(e, x, one), cubicNear(e, x, cube),
                      e.select(isLess(e, x, two), cubicFar(e, x, cube), zero));
    });
  }
  if (antialias) {
    // All axes have their scales as widths as soon as one of them becomes smaller.
    Value one = e.scalar(1, f32);
    Value narrow = e.convert(e.select(isLess(e, leastScale, one), axis.scale, one), f64);
    Value reach = e.divide(e.scalar(1, f64), narrow);
    return filter(axis, positions, reach, [&](Value distance) {
      return e.maximum(e.subtract(e.scalar(1, f64), e.multiply(distance, narrow)), 0);
    });
  }
  auto read = [&](Value index, Value weight) {
    return weigh(e, at(axis, index), e.alignTo(e.convert(weight, elementOf(data)), axis.axis, rank));
  };
  if (mode == "cubic") {
    Value before = floorOf(e, positions), result;
    for (auto [i, weight] : llvm::enumerate(cubicWeights(e, e.subtract(positions, before), cube))) {
      Value own = read(e.add(before, double(i) - 1), weight);
      result = i ? e.add(result, own) : own;
    }
    return result;
  }
  // linear and linear_onnx
  Value inside = clamp(e, positions, e.scalar(0, f32), e.convert(e.subtract(axis.from, 1), f32));
  Value before = floorOf(e, inside), t = e.subtract(inside, before);
  return e.add(read(before, e.subtract(e.scalar(1, f32), t)), read(e.add(before, 1), t));
}

LogicalResult Interpolation::run() {
  if (failed(e.getOpset() < 4 ? readFirst() : readLater()))
    return failure();
  // Pillow resizes the last axis first, which matters for integers, whose results are rounded along each axis.
  if (isPillow())
    std::reverse(axes.begin(), axes.end());
  // Otherwise the last axis comes first, unless it shrinks: there are fewer elements to transpose then.
  else if (!axes.empty() && !axes.back().place.open && axes.back().place.number == rank - 1 && !shrinks(axes.back()))
    std::rotate(axes.begin(), axes.end() - 1, axes.end());
  bool isInteger = isa<IntegerType>(element);
  Type wide = mode == "nearest" || !isInteger ? element : isPillow() ? f64 : f32;
  for (ResizedAxis &axis : axes) {
    auto from = ov::getConstantIntegers(axis.from), size = ov::getConstantIntegers(axis.size);
    if (from && size && from->front() == size->front())
      continue;
    data = e.convert(data, wide);
    AlongAxis along(e, axis.place, data);
    axis.axis = along.axis;
    int64_t whole = std::exchange(rank, axis.place.open ? 3 : rank);
    data = along.enter(data);
    LastAxisOutside outside(e, along.axis, data);
    axis.axis = outside.axis;
    data = outside.enter(data);
    data = along.leave(outside.leave(resize(axis)));
    rank = whole;
    if (isPillow() && isInteger)
      data = e.convert(roundAway(e, data), element);
  }
  if (mode == "linear" && isInteger)
    data = e.convert(roundAway(e, e.convert(data, f32)), element);
  return e.replace(e.convert(data, element));
}

LogicalResult recur::ir::expandInterpolate(Expansion &e) { return Interpolation(e).run(); }

//===----------------------------------------------------------------------===//
// GridSample
//===----------------------------------------------------------------------===//

namespace {
/// The elements that a result reads along a dim: their positions, and their weights.
using Taps = SmallVector<std::pair<Value, Value>>;

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
  // The nearest elements are moved.
  Value data = e.text("mode") == "nearest" ? e.given(0) : e.operand(0), grid = e.operand(1);
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
