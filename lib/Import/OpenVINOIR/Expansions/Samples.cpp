// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Samples.cpp - Elements of images at positions ----------------------===//
//
// Reads all channels of pixels by one gather for each of the four neighbours of a position.
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

Value recur::ir::weigh(Expansion &e, Value value, Value weight) {
  Value zero = e.scalar(0, elementOf(weight));
  return e.select(e.make<ov::EqualOp>({weight, zero}), zero, e.multiply(value, weight));
}

Value recur::ir::roundAway(Expansion &e, Value value) {
  auto mode = ov::RoundModeAttr::get(value.getContext(), ov::RoundMode::HalfAwayFromZero);
  return e.make<ov::RoundOp>(value, e.attribute("mode", mode));
}

Type recur::ir::getComputedType(Expansion &e, Type given) { return given.isF64() ? given : e.f32(); }

std::pair<Size, Size> recur::ir::splitPads(Expansion &e, Size total) {
  Size less = e.divide(total, 2), more = e.subtract(total, less);
  return e.text("auto_pad") == "same_upper" ? std::pair(less, more) : std::pair(more, less);
}

std::pair<Size, Size> recur::ir::getPads(Expansion &e, int64_t i, unsigned filters) {
  StringRef autoPad = e.text("auto_pad");
  if (!autoPad.starts_with("same")) {
    bool isExplicit = autoPad == "explicit";
    return {e.size(isExplicit ? e.integers("pads_begin")[i] : 0), e.size(isExplicit ? e.integers("pads_end")[i] : 0)};
  }
  double stride = double(e.integers("strides")[i]), dilation = double(e.integers("dilations")[i]);
  Size dim = e.dim(e.operand(0), i + 2), last = e.multiply(e.divide(e.subtract(dim, 1), stride), stride);
  Size reach = e.multiply(e.subtract(e.dim(e.operand(filters), i + 2), 1), dilation);
  return splitPads(e, e.maximum(e.subtract(e.add(e.add(last, reach), 1), dim), 0));
}

/// All pixels of images, [pixels, channels].
static Value makeRows(Expansion &e, Value images) {
  Size count = e.product({e.dim(images, 0), e.dim(images, 2), e.dim(images, 3)});
  return e.reshape(e.transpose(images, {0, 2, 3, 1}), {count, e.dim(images, 1)});
}

Pixels::Pixels(Expansion &e, Value images)
    : height(e.dim(images, 2)), width(e.dim(images, 3)), element(elementOf(images)), e(e), rows(makeRows(e, images)) {}

Pixels::Pixels(Expansion &e, ArrayRef<Value> images, Value which) : element(elementOf(images.front())), e(e) {
  SmallVector<Value> heights, widths, starts, parts;
  Size start = e.size(0);
  for (Value image : images) {
    heights.push_back(e.dim(image, 2));
    widths.push_back(e.dim(image, 3));
    starts.push_back(start);
    parts.push_back(makeRows(e, image));
    start = e.add(start, e.dim(parts.back(), 0));
  }
  auto choose = [&](ArrayRef<Value> sizes) { return e.gather(e.concat(sizes, 0), which, 0); };
  height = choose(heights);
  width = choose(widths);
  first = choose(starts);
  rows = e.concat(parts, 0);
}

Value Pixels::read(Value image, Value row, Value column) {
  Value place = e.add(e.multiply(e.add(e.multiply(image, height), row), width), column);
  return e.gather(rows, first ? e.add(place, first) : place, 0);
}

Value Pixels::interpolate(Value image, Value row, Value column, Value counts, bool padsZeros) {
  struct Tap {
    Value position, weight;
  };
  Value zero = e.scalar(0, element), one = e.scalar(1, element);
  auto getTaps = [&](Value position, Size length) -> SmallVector<Tap> {
    Value last = e.convert(e.subtract(length, 1), element);
    auto clamp = [&](Value value) { return e.minimum(e.maximum(value, zero), last); };
    if (!padsZeros)
      position = clamp(position);
    Value before = e.make<ov::FloorOp>(position), part = e.subtract(position, before);
    SmallVector<Tap> taps;
    for (bool isNext : {false, true}) {
      Value at = isNext ? e.add(before, 1) : before, weight = isNext ? part : e.subtract(one, part), inside = clamp(at);
      if (padsZeros)
        weight = e.select(e.make<ov::EqualOp>({at, inside}), weight, zero);
      taps.push_back({e.convert(inside, e.i64()), weight});
    }
    return taps;
  };
  SmallVector<Tap> columns = getTaps(column, width);
  Value sum;
  for (const Tap &own : getTaps(row, height)) {
    for (const Tap &other : columns) {
      Value weight = e.select(counts, e.multiply(own.weight, other.weight), zero);
      Value read = this->read(image, own.position, other.position);
      read = weigh(e, read, e.unsqueeze(weight, {rankOf(read) - 1}));
      sum = sum ? e.add(sum, read) : read;
    }
  }
  return sum;
}
