// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Pooling.cpp - Maxima and means of windows --------------------------===//
//
// This file expands AdaptiveAvgPool, AdaptiveMaxPool, AvgPool and MaxPool. A maximum or a sum over a window of several
// dims is computed along one dim after the other. Without indices, the data of MaxPool and AvgPool is padded so that
// all windows lie in it. The index of a maximum is the least index of an element that is equal to it.
//
//===----------------------------------------------------------------------===//

#include "Axes.h"
#include "Samples.h"
#include "Windows.h"

#include "../TypeSyntax.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <tuple>

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

namespace {
/// The windows of a layer, and how its data is padded for them.
struct Pooling {
  SmallVector<Window> windows;
  /// For each spatial dim: the pads of the layer, and how much the last window needs beyond them.
  SmallVector<Size> padBegin, padEnd, beyond;
};
} // namespace

/// Reads the attributes of the windows, and computes their number. Reports an error if they are not valid.
static FailureOr<Pooling> readPooling(Expansion &e) {
  if (failed(e.expectRank(0, 3, 5)))
    return failure();
  Value data = e.operand(0);
  int64_t spatial = rankOf(data) - 2;
  ArrayRef<int64_t> kernel = e.integers("kernel"), strides = e.integers("strides"), dilations = e.integers("dilations");
  SmallVector<int64_t> begin(e.integers("pads_begin")), end(e.integers("pads_end"));
  StringRef autoPad = e.text("auto_pad"), rounding = e.text("rounding_type");
  if (autoPad != "explicit") {
    begin.assign(spatial, 0);
    end.assign(spatial, 0);
  }
  for (ArrayRef<int64_t> list : {kernel, strides, dilations, ArrayRef(begin), ArrayRef(end)})
    if (int64_t(list.size()) != spatial)
      return e.error("expected an entry for each of " + Twine(spatial) + " spatial dims, but got " +
                     Twine(list.size()));
  constexpr int64_t kMost = int64_t(1) << 31;
  auto isIn = [](ArrayRef<int64_t> list, int64_t least) {
    return llvm::all_of(list, [&](int64_t value) { return value >= least && value < kMost; });
  };
  if (!isIn(kernel, 1) || !isIn(strides, 1) || !isIn(dilations, 1) || !isIn(begin, 0) || !isIn(end, 0))
    return e.error("expected a kernel, strides and dilations of 1 or more, and pads of 0 or more, all below 2^31");
  Pooling pooling;
  for (int64_t i : llvm::seq(spatial)) {
    // With "same", there is no window for no data, which the pads would cover.
    bool coversData = rounding == "floor" && !autoPad.starts_with("same");
    Window window{kernel[i], strides[i], dilations[i], {}, coversData};
    Size dim = e.dim(data, i + 2), padBegin = e.size(begin[i]), padEnd = e.size(end[i]), beyond = e.size(0);
    double stride = double(strides[i]), reach = double(window.getReach());
    if (autoPad.starts_with("same")) {
      // There is one window for each stride of the data.
      window.places = e.divide(e.add(dim, stride - 1), stride);
      Size last = e.multiply(e.subtract(window.places, 1), stride);
      std::tie(padBegin, padEnd) = splitPads(e, e.maximum(e.subtract(e.add(last, reach + 1), dim), 0));
    } else {
      Size padded = e.add(dim, double(begin[i] + end[i])), room = e.subtract(padded, reach + 1);
      if (std::optional<SmallVector<int64_t>> known = ov::getConstantIntegers(room); known && known->front() < 0)
        return e.error("expected a kernel that fits the padded data, but got a kernel of " + Twine(kernel[i]) +
                       " for " + spell(typeOf(data)));
      window.places = e.add(e.divide(room, stride), 1);
      if (rounding != "floor") {
        Size rounded = e.add(e.divide(e.add(room, stride - 1), stride), 1);
        if (rounding == "ceil_torch") {
          // The last window must begin before the pad at the end.
          Size start = e.multiply(e.subtract(rounded, 1), stride), limit = e.add(dim, double(begin[i]));
          Value isInside = e.make<ov::LessOp>({start, limit});
          rounded = e.select(isInside, rounded, e.subtract(rounded, 1));
        }
        window.places = rounded;
        Size needed = e.add(e.multiply(e.subtract(rounded, 1), stride), reach + 1);
        beyond = e.maximum(e.subtract(needed, padded), 0);
      }
    }
    pooling.windows.push_back(window);
    pooling.padBegin.push_back(padBegin);
    pooling.padEnd.push_back(padEnd);
    pooling.beyond.push_back(beyond);
  }
  return pooling;
}

/// Pads the spatial dims of `data` with a scalar, so that all windows lie in the result.
static Value padFor(Expansion &e, const Pooling &pooling, Value data, Value scalar) {
  SmallVector<Size> begin(2, e.size(0)), end(2, e.size(0));
  bool isPadded = false;
  auto isZero = [](Size size) {
    std::optional<SmallVector<int64_t>> known = ov::getConstantIntegers(size);
    return known && known->front() == 0;
  };
  for (size_t i = 0; i != pooling.windows.size(); ++i) {
    begin.push_back(pooling.padBegin[i]);
    end.push_back(e.add(pooling.padEnd[i], pooling.beyond[i]));
    isPadded |= !isZero(begin.back()) || !isZero(end.back());
  }
  return isPadded ? e.pad(data, e.concat(begin, 0), e.concat(end, 0), scalar) : data;
}

/// True if the padded data is one window along spatial dim `i`, whatever the call.
static bool isGlobal(Value padded, const Pooling &pooling, int64_t i) {
  const Window &window = pooling.windows[i];
  return window.dilation == 1 && typeOf(padded).getDimSize(i + 2) == window.kernel;
}

/// The positions in the flattened dims of `data` from `axis` on, as a tensor of the shape of `data`.
static Value numberElements(Expansion &e, Value data, int64_t axis) {
  Type i64 = elementOf(e.size(0));
  Value numbers = e.scalar(0, i64);
  Size step = e.size(1);
  for (int64_t d = rankOf(data); d-- > axis;) {
    numbers = e.add(numbers, e.alignTo(e.multiply(e.range(e.dim(data, d), i64), step), d, rankOf(data)));
    step = e.multiply(step, e.dim(data, d));
  }
  return e.broadcast(numbers, e.shapeOf(data));
}

/// True where an element is the maximum `most`, or where both are NaN.
static Value isMaximum(Expansion &e, Value value, Value most) {
  Value isEqual = e.make<ov::EqualOp>({value, most});
  if (!isa<FloatType>(elementOf(value)))
    return isEqual;
  return e.make<ov::LogicalOrOp>({isEqual, e.make<ov::IsNaNOp>(value)});
}

/// Reads the type of indices. Reports an error if it is not i32 or i64.
static FailureOr<Type> readIndexType(Expansion &e) {
  Type type = e.type("index_element_type");
  if (type.isInteger(32) || type.isInteger(64))
    return type;
  return e.error("expected 'index_element_type' to be i32 or i64, but got " + spell(type));
}

/// The indices of maxima, in which `nowhere` becomes 0.
static Value finishIndices(Expansion &e, Value indices, Value nowhere) {
  return e.select(e.make<ov::EqualOp>({indices, nowhere}), e.scalar(0, elementOf(e.size(0))), indices);
}

namespace {
/// The elements of windows along one axis, for windows that are gathered.
struct WindowElements {
  /// The positions of the elements, which are in range, of shape [windows, most].
  Value positions;
  /// False for positions that stand for no element of the window, of the same shape.
  Value isInside;
};
/// Maxima of windows, and the indices of their elements in memory, which are null if nothing needs them.
struct Maxima {
  Value values, indices;
};
} // namespace

/// A tensor of the shape [windows, most], with unit dims for the other dims of data of this rank.
static Value alignWindows(Expansion &e, Value value, int64_t axis, int64_t rank) {
  SmallVector<int64_t> others;
  for (int64_t i : llvm::seq(rank + 1))
    if (i != axis && i != axis + 1)
      others.push_back(i);
  return e.unsqueeze(value, others);
}

/// The maxima of windows along an axis. `nowhere` is the index of the maximum of a window without elements. Without
/// indices of the data, there are none of the maxima.
static Maxima reduceWindows(Expansion &e, const Maxima &data, int64_t axis, const WindowElements &windows,
                            Value nowhere) {
  LastAxisOutside outside(e, axis, data.values);
  axis = outside.axis;
  Value isInside = alignWindows(e, windows.isInside, axis, rankOf(data.values));
  Value read = e.select(isInside, e.gather(outside.enter(data.values), windows.positions, axis),
                        e.least(elementOf(data.values)));
  Value most = e.reduce<ov::ReduceMaxOp>(read, {axis + 1}, /*keepDims=*/true);
  Value values = outside.leave(e.squeeze(most, {axis + 1}));
  if (!data.indices)
    return {values, {}};
  Value counts = e.make<ov::LogicalAndOp>({isInside, isMaximum(e, read, most)});
  Value indices = e.select(counts, e.gather(outside.enter(data.indices), windows.positions, axis), nowhere);
  return {values, outside.leave(e.reduce<ov::ReduceMinOp>(indices, {axis + 1}, /*keepDims=*/false))};
}

/// The elements of the windows along spatial dim `i`. Those in the padding are none.
static WindowElements findElements(Expansion &e, const Pooling &pooling, int64_t i) {
  const Window &window = pooling.windows[i];
  Type i64 = elementOf(e.size(0));
  Value starts = e.subtract(e.multiply(e.range(window.places, i64), double(window.stride)), pooling.padBegin[i]);
  Value steps = e.multiply(e.range(e.size(window.kernel), i64), double(window.dilation));
  Value positions = e.add(e.unsqueeze(starts, {1}), e.unsqueeze(steps, {0}));
  Value last = e.subtract(e.dim(e.operand(0), i + 2), 1), inside = e.minimum(e.maximum(positions, 0), last);
  return {inside, e.make<ov::EqualOp>({positions, inside})};
}

LogicalResult recur::ir::expandMaxPool(Expansion &e) {
  FailureOr<Pooling> pooling = readPooling(e);
  FailureOr<Type> indexType = readIndexType(e);
  if (failed(pooling) || failed(indexType))
    return failure();
  Value data = e.operand(0);
  int64_t spatial = rankOf(data) - 2;
  Value values = padFor(e, *pooling, data, e.least(elementOf(data)));
  auto combine = [&](const Tensors &a, const Tensors &b) -> Tensors { return {e.maximum(a[0], b[0])}; };
  // The innermost dim comes last: its elements take the longest to pick, and there are fewer of them then.
  for (int64_t i : llvm::seq(spatial))
    values = isGlobal(values, *pooling, i) ? e.reduce<ov::ReduceMaxOp>(values, {i + 2}, /*keepDims=*/true)
                                           : combineWindows(e, {values}, i + 2, pooling->windows[i], combine)[0];
  if (e.countOutputs() < 2)
    return e.replace(values);
  FailureOr<int64_t> axis = e.normalizeAxis("axis", e.integer("axis"), rankOf(data));
  if (failed(axis))
    return failure();
  // Mostly nothing uses the indices. Some of the ops below could fail for dynamic dims, and would stay.
  if (!e.isUsed(1))
    return e.replace({values, e.broadcast(e.scalar(0, *indexType), e.shapeOf(values))});
  // The order in memory decides between equal maxima, whatever the axis is. The indices are computed apart from the
  // values.
  Value nowhere = e.greatest(elementOf(e.size(0)));
  Maxima maxima{data, numberElements(e, data, std::min<int64_t>(*axis, 2))};
  for (int64_t i : llvm::seq(spatial))
    maxima = reduceWindows(e, maxima, i + 2, findElements(e, *pooling, i), nowhere);
  SmallVector<Size> counted;
  for (int64_t i : llvm::seq(*axis, rankOf(data)))
    counted.push_back(e.dim(data, i));
  Value indices = finishIndices(e, maxima.indices, nowhere);
  if (*axis > 2)
    indices = e.make<ov::FloorModOp>({indices, e.maximum(e.product(counted), 1)});
  return e.replace({values, e.convert(indices, *indexType)});
}

/// How many elements of each window along spatial dim `i` are in the data, as real numbers of shape [windows]. `places`
/// is the number of windows, as that of a dim which these numbers divide.
static Value countInData(Expansion &e, const Pooling &pooling, int64_t i, Size places, Type element) {
  const Window &window = pooling.windows[i];
  Type i64 = elementOf(e.size(0));
  // Element j of the window that starts at s is at s + j * dilation, in the data if that is in [0, dim).
  Size dim = e.dim(e.operand(0), i + 2);
  Value start = e.subtract(e.multiply(e.range(places, i64), double(window.stride)), pooling.padBegin[i]);
  double dilation = double(window.dilation);
  Value from = e.maximum(e.divide(e.subtract(e.size(window.dilation - 1), start), dilation), 0);
  Value to = e.minimum(e.add(e.divide(e.subtract(e.subtract(dim, start), 1), dilation), 1), double(window.kernel));
  return e.convert(e.maximum(e.subtract(to, from), 0), element);
}

/// The type in which elements of type `given` are summed.
static Type getSumType(Type given) {
  return isa<IntegerType>(given) ? IntegerType::get(given.getContext(), 64) : given;
}

/// The quotients of sums, with the element type `given`; a number halfway between two integers becomes the even one. 0
/// where the count is 0.
static Value getMean(Expansion &e, Value sum, Value count, Type given) {
  if (isa<IntegerType>(given))
    sum = e.convert(sum, elementOf(count));
  Value mean = e.divide(sum, e.maximum(count, 1));
  return e.convert(isa<IntegerType>(given) ? e.make<ov::RoundOp>(mean) : mean, given);
}

LogicalResult recur::ir::expandAvgPool(Expansion &e) {
  FailureOr<Pooling> pooling = readPooling(e);
  if (failed(pooling))
    return failure();
  Type given = elementOf(e.operand(0)), element = getSumType(given);
  Value data = e.convert(e.operand(0), element), sum = padFor(e, *pooling, data, e.scalar(0, element));
  auto add = [&](const Tensors &a, const Tensors &b) -> Tensors { return {e.add(a[0], b[0])}; };
  Type real = isa<IntegerType>(given) ? Float64Type::get(given.getContext()) : element;
  Value count = e.scalar(1, real);
  Size pads = e.size(0);
  double kernel = 1;
  // The innermost dim comes last, as in MaxPool.
  for (int64_t i : llvm::seq<int64_t>(pooling->windows.size())) {
    sum = isGlobal(sum, *pooling, i) ? e.reduce<ov::ReduceSumOp>(sum, {i + 2}, /*keepDims=*/true)
                                     : combineWindows(e, {sum}, i + 2, pooling->windows[i], add)[0];
    count = e.multiply(count, e.alignTo(countInData(e, *pooling, i, e.dim(sum, i + 2), real), i + 2, rankOf(data)));
    pads = e.add(pads, e.add(pooling->padBegin[i], pooling->padEnd[i]));
    kernel *= double(pooling->windows[i].kernel);
  }
  // If the padding counts, and there is any, all elements of a window count, also those beyond the padding.
  if (!e.flag("exclude-pad"))
    count = e.select(e.make<ov::GreaterOp>({pads, e.size(0)}), e.scalar(kernel, real), count);
  return e.replace(getMean(e, sum, count, given));
}

//===----------------------------------------------------------------------===//
// Windows that cover a dim
//===----------------------------------------------------------------------===//

/// The elements of the windows of AdaptiveAvgPool and AdaptiveMaxPool along an axis. `count` becomes the number of
/// elements of each window, of shape [windows, 1].
static WindowElements coverDim(Expansion &e, Size windows, Size dim, Value &count) {
  Type i64 = elementOf(e.size(0));
  Value i = e.range(windows, i64);
  Value first = e.divide(e.multiply(i, dim), windows);
  Value end = e.divide(e.add(e.multiply(e.add(i, 1), dim), e.subtract(windows, 1)), windows);
  // A window is at most two longer than the quotient of the sizes, and equal to it if the sizes divide.
  Size divisor = e.maximum(windows, 1), rest = e.make<ov::FloorModOp>({dim, divisor});
  Size most = e.add(e.divide(dim, divisor), e.multiply(e.minimum(rest, 1), 2));
  count = e.unsqueeze(e.subtract(end, first), {1});
  Value numbers = e.unsqueeze(e.range(most, i64), {0});
  return {e.add(e.unsqueeze(first, {1}), e.minimum(numbers, e.subtract(count, 1))),
          e.make<ov::LessOp>({numbers, count})};
}

/// Checks the operands, and returns the number of windows along each spatial dim.
static FailureOr<SmallVector<Size>> readAdaptive(Expansion &e) {
  if (failed(e.expectRank(0, 3, 5)))
    return failure();
  int64_t spatial = rankOf(e.operand(0)) - 2;
  RankedTensorType shape = typeOf(e.operand(1));
  if (shape.getRank() != 1 || (shape.hasStaticShape() && shape.getDimSize(0) != spatial))
    return e.error("expected 'output_shape' to have an entry for each of " + Twine(spatial) +
                   " spatial dims, but got " + spell(shape));
  SmallVector<Size> windows;
  for (int64_t i : llvm::seq(spatial))
    windows.push_back(e.gather(e.operand(1), e.size(i), 0));
  if (failed(e.requireSizes("'output_shape'", e.concat(windows, 0))))
    return failure();
  return windows;
}

LogicalResult recur::ir::expandAdaptiveAvgPool(Expansion &e) {
  FailureOr<SmallVector<Size>> windows = readAdaptive(e);
  if (failed(windows))
    return failure();
  Value data = e.operand(0), count;
  Type element = elementOf(data);
  int64_t rank = rankOf(data);
  for (int64_t dim : llvm::seq<int64_t>(2, rank)) {
    WindowElements own = coverDim(e, (*windows)[dim - 2], e.dim(data, dim), count);
    LastAxisOutside outside(e, dim, data);
    int64_t axis = outside.axis;
    Value read = e.select(alignWindows(e, own.isInside, axis, rank), e.gather(outside.enter(data), own.positions, axis),
                          e.scalar(0, element));
    Value sum = e.reduce<ov::ReduceSumOp>(read, {axis + 1}, /*keepDims=*/true);
    Value means = e.divide(sum, alignWindows(e, e.convert(count, element), axis, rank));
    data = outside.leave(e.squeeze(means, {axis + 1}));
  }
  return e.replace(data);
}

LogicalResult recur::ir::expandAdaptiveMaxPool(Expansion &e) {
  FailureOr<SmallVector<Size>> windows = readAdaptive(e);
  FailureOr<Type> indexType = readIndexType(e);
  if (failed(windows) || failed(indexType))
    return failure();
  Value nowhere = e.greatest(elementOf(e.size(0))), count;
  // Some of the ops that compute the indices could fail for dynamic dims, and would stay if nothing used them.
  bool hasIndices = e.isUsed(1);
  Maxima maxima{e.operand(0), hasIndices ? numberElements(e, e.operand(0), /*axis=*/2) : Value()};
  for (int64_t axis : llvm::seq<int64_t>(2, rankOf(e.operand(0)))) {
    WindowElements own = coverDim(e, (*windows)[axis - 2], e.dim(maxima.values, axis), count);
    maxima = reduceWindows(e, maxima, axis, own, nowhere);
  }
  if (e.countOutputs() < 2)
    return e.replace(maxima.values);
  Value indices = hasIndices ? e.convert(finishIndices(e, maxima.indices, nowhere), *indexType)
                             : e.broadcast(e.scalar(0, *indexType), e.shapeOf(maxima.values));
  return e.replace({maxima.values, indices});
}
