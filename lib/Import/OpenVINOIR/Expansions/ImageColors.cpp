// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ImageColors.cpp - Colours of pixels --------------------------------===//
//
// This file expands NV12toRGB, NV12toBGR, I420toRGB and I420toBGR. The planes of colours are repeated along both axes,
// and each colour is a weighted sum of the three planes.
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include "../TypeSyntax.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

namespace {
/// The planes of a layer, [N, H, W, 1] each.
struct Planes {
  Value y, u, v;
};
} // namespace

/// Fails if dim `i` of operand `operand` is static and not a multiple of `divisor`.
static LogicalResult expectMultiple(Expansion &e, unsigned operand, int64_t i, int64_t divisor) {
  int64_t dim = typeOf(e.operand(operand)).getDimSize(i);
  if (ShapedType::isDynamic(dim) || dim % divisor == 0)
    return success();
  return e.error("expected dim " + llvm::Twine(i) + " to be a multiple of " + llvm::Twine(divisor) + ", but got " +
                 spell(typeOf(e.operand(operand))));
}

/// Repeats each element of [N, H / 2, W / 2, 1] twice along H and W.
static Value repeat(Expansion &e, Value plane, Size batch, Size height, Size width) {
  Size halfHeight = e.dim(plane, 1), halfWidth = e.dim(plane, 2), one = e.size(1), two = e.size(2);
  Value split = e.reshape(plane, {batch, halfHeight, one, halfWidth, one});
  Value repeated = e.broadcast(split, e.concat({batch, halfHeight, two, halfWidth, two}, 0));
  return e.reshape(repeated, {batch, height, width, one});
}

/// Reads the planes. `isInterleaved`: U and V are in turns (NV12), not one after the other (I420).
static FailureOr<Planes> readPlanes(Expansion &e, bool isInterleaved) {
  unsigned count = e.countOperands(), separate = isInterleaved ? 2 : 3;
  if (count != 1 && count != separate)
    return e.error("expected 1 or " + llvm::Twine(separate) + " operands, but got " + llvm::Twine(count));
  for (unsigned i = 0; i < count; ++i)
    if (failed(e.expectRank(i, 4, 4)))
      return failure();
  if (failed(expectMultiple(e, 0, 1, count == 1 ? 3 : 2)) || failed(expectMultiple(e, 0, 2, 2)))
    return failure();
  Value y = e.operand(0);
  Size batch = e.dim(y, 0), rows = e.dim(y, 1), width = e.dim(y, 2);
  Value u, v;
  if (count == 1) {
    Size height = e.multiply(e.divide(rows, 3), 2), half = e.divide(height, 2), halfWidth = e.divide(width, 2);
    Value colors = e.slice(y, 1, height, rows);
    y = e.slice(y, 1, e.size(0), height);
    // The axis of U and V is the last or the second one.
    int64_t axis = isInterleaved ? 3 : 1;
    Value both = isInterleaved ? e.reshape(colors, {batch, half, halfWidth, e.size(2)})
                               : e.reshape(colors, {batch, e.size(2), half, halfWidth});
    auto plane = [&](int64_t i) {
      return e.reshape(e.slice(both, axis, i, i + 1), {batch, half, halfWidth, e.size(1)});
    };
    u = plane(0);
    v = plane(1);
  } else if (isInterleaved) {
    u = e.slice(e.operand(1), 3, 0, 1);
    v = e.slice(e.operand(1), 3, 1, 2);
  } else {
    u = e.operand(1);
    v = e.operand(2);
  }
  Size height = e.dim(y, 1);
  return Planes{y, repeat(e, u, batch, height, width), repeat(e, v, batch, height, width)};
}

static LogicalResult expandColors(Expansion &e, bool isInterleaved, bool isRedFirst) {
  FailureOr<Planes> planes = readPlanes(e, isInterleaved);
  if (failed(planes))
    return failure();
  Type given = elementOf(e.operand(0)), real = getComputedType(e, given);
  auto centre = [&](Value plane, double middle) { return e.subtract(e.convert(plane, real), middle); };
  // The numbers are those of ITU-R BT.601.
  Value light = e.multiply(centre(planes->y, 16), 1.164), u = centre(planes->u, 128), v = centre(planes->v, 128);
  auto finish = [&](Value color) {
    color = e.minimum(e.maximum(color, 0), 255);
    return e.convert(isa<IntegerType>(given) ? roundAway(e, color) : color, given);
  };
  Value red = finish(e.add(light, e.multiply(v, 1.596)));
  Value green = finish(e.subtract(e.subtract(light, e.multiply(u, 0.391)), e.multiply(v, 0.813)));
  Value blue = finish(e.add(light, e.multiply(u, 2.018)));
  return e.replace(e.concat({isRedFirst ? red : blue, green, isRedFirst ? blue : red}, 3));
}

LogicalResult recur::ir::expandNV12toRGB(Expansion &e) { return expandColors(e, true, /*isRedFirst=*/true); }
LogicalResult recur::ir::expandNV12toBGR(Expansion &e) { return expandColors(e, true, /*isRedFirst=*/false); }
LogicalResult recur::ir::expandI420toRGB(Expansion &e) { return expandColors(e, false, /*isRedFirst=*/true); }
LogicalResult recur::ir::expandI420toBGR(Expansion &e) { return expandColors(e, false, /*isRedFirst=*/false); }
