// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Detection.cpp - Layers of detectors of objects ---------------------===//
//
// This file expands ReorgYolo and RegionYolo, the layers of the YOLO detectors.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

// The channels are s * s parts of C / (s * s); part i has the elements of the places (i / s, i % s) of the blocks of a
// picture of C / (s * s) channels that is s times as high and wide.
LogicalResult recur::ir::expandReorgYolo(Expansion &e) {
  if (failed(e.expectRank(0, 4, 4)))
    return failure();
  ArrayRef<int64_t> strides = e.integers("stride");
  if (strides.empty() || strides.front() < 1 || strides.front() > 65536)
    return e.error("expected 'stride' to be from 1 to 65536");
  Value data = e.operand(0);
  Size stride = e.size(strides.front()), square = e.multiply(stride, stride);
  Size batch = e.dim(data, 0), depth = e.dim(data, 1), height = e.dim(data, 2), width = e.dim(data, 3);
  Value split = e.reshape(data, {batch, e.divide(depth, square), height, stride, width, stride});
  return e.replace(e.reshape(e.transpose(split, {0, 3, 5, 1, 2, 4}),
                             {batch, e.multiply(depth, square), e.divide(height, stride), e.divide(width, stride)}));
}

LogicalResult recur::ir::expandRegionYolo(Expansion &e) {
  if (failed(e.expectRank(0, 4, 4)))
    return failure();
  Value data = e.operand(0);
  bool hasSoftmax = e.flag("do_softmax");
  int64_t coords = e.integer("coords"), classes = e.integer("classes");
  int64_t regions = hasSoftmax ? e.integer("num") : int64_t(e.integers("mask").size());
  constexpr int64_t most = 1 << 20;
  if (coords < 2 || classes < 1 || regions < 1 || coords > most || classes > most || regions > most)
    return e.error("expected 2 coords or more, a class and a region, but got " + Twine(coords) + ", " + Twine(classes) +
                   " and " + Twine(regions));
  int64_t entries = coords + 1 + classes;
  Size batch = e.dim(data, 0), height = e.dim(data, 2), width = e.dim(data, 3);
  Value split =
      e.reshape(e.slice(data, 1, 0, regions * entries), {batch, e.size(regions), e.size(entries), height, width});
  auto part = [&](int64_t from, int64_t to) { return e.slice(split, 2, from, to); };
  auto logistic = [&](Value value) { return e.make<ov::SigmoidOp>(value); };
  Value scores = part(coords + 1, entries);
  scores = hasSoftmax ? e.make<ov::SoftmaxOp>(scores, e.attribute("axis", int64_t(2))) : logistic(scores);
  SmallVector<Value> parts{logistic(part(0, 2))};
  if (coords > 2)
    parts.push_back(part(2, coords));
  parts.append({logistic(part(coords, coords + 1)), scores});
  Value whole = e.reshape(e.concat(parts, 2), {batch, e.size(regions * entries), height, width});
  if (!hasSoftmax)
    return e.replace(whole);
  // The dims from `axis` to `end_axis` become one.
  FailureOr<int64_t> axis = e.normalizeAxis("axis", e.integer("axis"), 4);
  if (failed(axis))
    return failure();
  FailureOr<int64_t> end = e.normalizeAxis("end_axis", e.integer("end_axis"), 4);
  if (failed(end))
    return failure();
  if (*end < *axis)
    return e.error("expected 'end_axis' to be 'axis' or after it");
  SmallVector<Size> dims{batch, e.size(regions * entries), height, width};
  SmallVector<Size> shape(dims.begin(), dims.begin() + *axis);
  shape.push_back(e.product(ArrayRef(dims).slice(*axis, *end - *axis + 1)));
  shape.append(dims.begin() + *end + 1, dims.end());
  return e.replace(e.reshape(whole, shape));
}
