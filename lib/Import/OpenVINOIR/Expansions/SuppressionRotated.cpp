// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SuppressionRotated.cpp - Overlaps of rotated boxes -----------------===//
//
// The area that two boxes share is an integral. In the frame of one box, which has the sides 2W and 2H there, it is
//
//     the integral over x from -W to W of the length of [low(x), high(x)] in [-H, H]
//
// where `low` and `high` are the two borders of the other box, and that length is clamp(high(x)) - clamp(low(x)). So
// each edge of the other box contributes the integral of its clamped height, and those of upper edges and of lower ones
// have opposite signs. No corners of the intersection are found or sorted. Edges may coincide or touch: a small change
// of a corner changes the integral a little.
//
//===----------------------------------------------------------------------===//

#include "Suppression.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

RotatedBoxes RotatedBoxes::split(Expansion &e, Value boxes) {
  auto number = [&](int64_t i) { return e.squeeze(e.slice(boxes, 2, i, i + 1), {2}); };
  auto half = [&](Value length) { return e.multiply(e.make<ov::AbsOp>(length), 0.5); };
  RotatedBoxes result;
  Value width = number(2), height = number(3), angle = number(4);
  result.x = number(0);
  result.y = number(1);
  result.cosine = e.make<ov::CosOp>(angle);
  result.sine = e.make<ov::SinOp>(angle);
  result.halfWidth = half(width);
  result.halfHeight = half(height);
  result.area = e.multiply(width, height);
  return result;
}

RotatedBoxes RotatedBoxes::getColumn(Expansion &e, Value at) const {
  RotatedBoxes result = *this;
  for (Value *values :
       {&result.x, &result.y, &result.cosine, &result.sine, &result.halfWidth, &result.halfHeight, &result.area})
    *values = e.unsqueeze(e.gather(*values, at, 1), {1});
  return result;
}

/// The integrals of the clamped heights of edges from (x0, y0) to (x1, y1), over the part with x from -width to width.
/// The height is clamped to the range from -height to height.
static Value integrate(Expansion &e, Value x0, Value y0, Value x1, Value y1, Value width, Value height) {
  Type element = elementOf(x0);
  auto clamp = [&](Value value, Value most, Value least) { return e.maximum(e.minimum(value, most), least); };
  // Where this is 0, any other divisor will do: what the quotient multiplies is 0 too.
  auto divisor = [&](Value length) {
    return e.select(e.equal(length, e.scalar(0, element)), e.scalar(1, element), length);
  };
  Value left = e.make<ov::NegativeOp>(width), bottom = e.make<ov::NegativeOp>(height);
  Value from = clamp(x0, width, left), to = clamp(x1, width, left);
  Value length = divisor(e.subtract(x1, x0)), rise = e.subtract(y1, y0);
  auto heightAt = [&](Value x) { return e.add(y0, e.multiply(e.divide(e.subtract(x, x0), length), rise)); };
  Value first = heightAt(from), last = heightAt(to);
  Value low = clamp(first, height, bottom), high = clamp(last, height, bottom);
  // The edge is beyond the range at its beginning, then within it, then beyond it at its end. This is how much more of
  // it is beyond the range at its beginning.
  Value beyond = e.divide(e.subtract(e.subtract(low, first), e.subtract(last, high)), divisor(e.subtract(last, first)));
  Value mean = e.add(e.add(low, high), e.multiply(e.subtract(low, high), beyond));
  return e.multiply(e.multiply(e.subtract(to, from), mean), 0.5);
}

Value RotatedBoxes::overlapWith(Expansion &e, const RotatedBoxes &box) const {
  Type element = elementOf(x);
  auto turn = [&](Value right, Value up) {
    Value turnedRight = e.add(e.multiply(box.cosine, right), e.multiply(box.sine, up));
    Value turnedUp = e.subtract(e.multiply(box.cosine, up), e.multiply(box.sine, right));
    return std::pair(turnedRight, turnedUp);
  };
  auto center = turn(e.subtract(x, box.x), e.subtract(y, box.y));
  auto across = turn(e.multiply(halfWidth, cosine), e.multiply(halfWidth, sine));
  auto along = turn(e.make<ov::NegativeOp>(e.multiply(halfHeight, sine)), e.multiply(halfHeight, cosine));
  // All edges, along a new first dim. They go against the angle, so that upper ones go from left to right.
  auto corners = [&](Value middle, Value side, Value otherSide, ArrayRef<double> aheads, ArrayRef<double> aboves) {
    Value moved = e.add(middle, e.multiply(side, e.floats(aheads, {4, 1, 1}, element)));
    return e.add(moved, e.multiply(otherSide, e.floats(aboves, {4, 1, 1}, element)));
  };
  auto startsOf = [&](Value middle, Value side, Value otherSide) {
    return corners(middle, side, otherSide, {1, 1, -1, -1}, {1, -1, -1, 1});
  };
  auto endsOf = [&](Value middle, Value side, Value otherSide) {
    return corners(middle, side, otherSide, {1, -1, -1, 1}, {-1, -1, 1, 1});
  };
  Value x0 = startsOf(center.first, across.first, along.first);
  Value y0 = startsOf(center.second, across.second, along.second);
  Value x1 = endsOf(center.first, across.first, along.first);
  Value y1 = endsOf(center.second, across.second, along.second);
  Value integrals = integrate(e, x0, y0, x1, y1, box.halfWidth, box.halfHeight);
  auto edge = [&](int64_t i) { return e.squeeze(e.slice(integrals, 0, i, i + 1), {0}); };
  Value common = e.add(e.add(edge(0), edge(1)), e.add(edge(2), edge(3)));
  // Rounding cannot make it more than a box, so no overlap is above 1.
  common = e.maximum(e.minimum(common, e.minimum(area, box.area)), 0);
  Value share = e.divide(common, e.subtract(e.add(area, box.area), common)), zero = e.scalar(0, element);
  return e.select(both(e, greater(e, area, zero), greater(e, box.area, zero)), share, zero);
}
