// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Pooling.cpp - Maxima and means of windows --------------------------===//
//
// This file expands AdaptiveAvgPool, AvgPool and MaxPool. The data is padded so that all windows lie in it. A maximum
// or a sum over a window of several dims is computed along one dim after the other. The last dim is the first of them,
// so that of equal maxima the one that comes first in memory is found.
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

#include "../TypeSyntax.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

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
  SmallVector<int64_t> dilations(spatial, 1);
  if (e.has("dilations") && !e.integers("dilations").empty())
    dilations.assign(e.integers("dilations").begin(), e.integers("dilations").end());
  ArrayRef<int64_t> kernel = e.integers("kernel"), strides = e.integers("strides");
  SmallVector<int64_t> begin(e.integers("pads_begin")), end(e.integers("pads_end"));
  StringRef autoPad = e.text("auto_pad"), rounding = e.text("rounding_type");
  if (autoPad != "explicit") {
    begin.assign(spatial, 0);
    end.assign(spatial, 0);
  }
  for (ArrayRef<int64_t> list : {kernel, strides, ArrayRef(dilations), ArrayRef(begin), ArrayRef(end)})
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
    Window window{kernel[i], strides[i], dilations[i], {}};
    Size dim = e.dim(data, i + 2), padBegin = e.size(begin[i]), padEnd = e.size(end[i]), beyond = e.size(0);
    double stride = double(strides[i]), reach = double(window.getReach());
    if (autoPad.starts_with("same")) {
      // There is one window for each stride of the data. If the sum of the pads is odd, "same_upper" makes the pad at
      // the end greater, "same_lower" the one at the beginning.
      window.places = e.divide(e.add(dim, stride - 1), stride);
      Size last = e.multiply(e.subtract(window.places, 1), stride);
      Size total = e.maximum(e.subtract(e.add(last, reach + 1), dim), 0), less = e.divide(total, 2);
      padBegin = autoPad == "same_upper" ? less : e.subtract(total, less);
      padEnd = e.subtract(total, padBegin);
    } else {
      Size padded = e.add(dim, double(begin[i] + end[i])), room = e.subtract(padded, reach + 1);
      if (std::optional<SmallVector<int64_t>> known = room ? ov::getConstantIntegers(room) : std::nullopt;
          known && known->front() < 0)
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
    std::optional<SmallVector<int64_t>> known = size ? ov::getConstantIntegers(size) : std::nullopt;
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
  return padded && window.dilation == 1 && typeOf(padded).getDimSize(i + 2) == window.kernel;
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

LogicalResult recur::ir::expandMaxPool(Expansion &e) {
  FailureOr<Pooling> pooling = readPooling(e);
  if (failed(pooling))
    return failure();
  Value data = e.operand(0);
  Tensors tensors{padFor(e, *pooling, data, e.least(elementOf(data)))};
  bool hasIndices = e.countOutputs() > 1;
  if (hasIndices) {
    FailureOr<int64_t> axis = e.normalizeAxis("axis", e.integer("axis"), rankOf(data));
    if (failed(axis))
      return failure();
    tensors.push_back(padFor(e, *pooling, numberElements(e, data, *axis), e.scalar(0, elementOf(e.size(0)))));
  }
  auto combine = [&](const Tensors &a, const Tensors &b) -> Tensors {
    Tensors result{e.maximum(a[0], b[0])};
    if (hasIndices)
      result.push_back(e.select(e.make<ov::GreaterEqualOp>({a[0], b[0]}), a[1], b[1]));
    return result;
  };
  for (int64_t i = pooling->windows.size(); i-- > 0;) {
    if (!hasIndices && isGlobal(tensors[0], *pooling, i))
      tensors = {e.reduce<ov::ReduceMaxOp>(tensors[0], {i + 2}, /*keepDims=*/true)};
    else
      tensors = combineWindows(e, tensors, i + 2, pooling->windows[i], combine);
  }
  if (hasIndices)
    tensors[1] = e.convert(tensors[1], e.type("index_element_type"));
  return e.replace(tensors);
}

/// The number of elements of each window along spatial dim `i` by which AvgPool divides, as real numbers of shape
/// [windows].
static Value countCovered(Expansion &e, const Pooling &pooling, int64_t i, bool excludesPads, Type element) {
  const Window &window = pooling.windows[i];
  Type i64 = elementOf(e.size(0));
  // Element j of the window that starts at s is at s + j * dilation, in the data if that is in [0, dim).
  Size dim = e.dim(e.operand(0), i + 2);
  Size first = excludesPads ? e.size(0) : e.subtract(e.size(0), pooling.padBegin[i]);
  Size end = excludesPads ? dim : e.add(dim, pooling.padEnd[i]);
  Value start = e.subtract(e.multiply(e.range(window.places, i64), double(window.stride)), pooling.padBegin[i]);
  double dilation = double(window.dilation);
  Value from = e.maximum(e.divide(e.add(e.subtract(first, start), dilation - 1), dilation), 0);
  Value to = e.minimum(e.add(e.divide(e.subtract(e.subtract(end, start), 1), dilation), 1), double(window.kernel));
  return e.convert(e.maximum(e.subtract(to, from), 0), element);
}

LogicalResult recur::ir::expandAvgPool(Expansion &e) {
  FailureOr<Pooling> pooling = readPooling(e);
  if (failed(pooling))
    return failure();
  // Narrow types are summed in f32, and rounded once.
  Type given = elementOf(e.operand(0));
  Type element = given.getIntOrFloatBitWidth() < 32 ? Float32Type::get(given.getContext()) : given;
  Value data = e.convert(e.operand(0), element), sum = padFor(e, *pooling, data, e.scalar(0, element));
  auto add = [&](const Tensors &a, const Tensors &b) -> Tensors { return {e.add(a[0], b[0])}; };
  Value count = e.scalar(1, element);
  for (int64_t i = pooling->windows.size(); i-- > 0;) {
    sum = isGlobal(sum, *pooling, i) ? e.reduce<ov::ReduceSumOp>(sum, {i + 2}, /*keepDims=*/true)
                                     : combineWindows(e, {sum}, i + 2, pooling->windows[i], add)[0];
    Value own = countCovered(e, *pooling, i, e.flag("exclude-pad"), element);
    count = e.multiply(count, e.alignTo(own, i + 2, rankOf(data)));
  }
  return e.replace(e.convert(e.divide(sum, count), given));
}

LogicalResult recur::ir::expandAdaptiveAvgPool(Expansion &e) {
  if (failed(e.expectRank(0, 3, 5)))
    return failure();
  Type given = elementOf(e.operand(0));
  Type element = given.getIntOrFloatBitWidth() < 32 ? Float32Type::get(given.getContext()) : given;
  Value data = e.convert(e.operand(0), element);
  int64_t rank = rankOf(data);
  RankedTensorType shape = typeOf(e.operand(1));
  if (shape.getRank() != 1 || (shape.hasStaticShape() && shape.getDimSize(0) != rank - 2))
    return e.error("expected 'output_shape' to have an entry for each of " + Twine(rank - 2) +
                   " spatial dims, but got " + spell(shape));
  Type i64 = elementOf(e.size(0));
  for (int64_t axis : llvm::seq<int64_t>(2, rank)) {
    Size windows = e.gather(e.operand(1), e.size(axis - 2), 0), dim = e.dim(data, axis);
    Value i = e.range(windows, i64);
    Value first = e.divide(e.multiply(i, dim), windows);
    Value end = e.divide(e.add(e.multiply(e.add(i, 1), dim), e.subtract(windows, 1)), windows);
    // A matrix [elements, windows] holds 1 / count where the element is in the window.
    Value position = e.unsqueeze(e.range(dim, i64), {1});
    Value isInside =
        e.make<ov::LogicalAndOp>({e.make<ov::LessEqualOp>({first, position}), e.make<ov::LessOp>({position, end})});
    Value share = e.divide(e.scalar(1, element), e.convert(e.subtract(end, first), element));
    Value matrix = e.select(isInside, share, e.scalar(0, element));
    // The product is along the last dim.
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq(rank));
    std::swap(order[axis], order[rank - 1]);
    data = e.transpose(e.make<ov::MatMulOp>({e.transpose(data, order), matrix}), order);
  }
  return e.replace(e.convert(data, given));
}
