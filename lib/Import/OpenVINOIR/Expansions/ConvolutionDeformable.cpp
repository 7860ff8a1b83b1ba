// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ConvolutionDeformable.cpp - Convolutions with moved kernels --------===//
//
// This file expands DeformableConvolution. The elements that the kernel reads are gathered for all positions of the
// kernel, and one product of matrices adds them up.
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include "../TypeSyntax.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

/// Fails if the attribute `name` has not two entries of `least` or more.
static LogicalResult expectTwo(Expansion &e, StringRef name, int64_t least) {
  ArrayRef<int64_t> list = e.integers(name);
  constexpr int64_t kMost = int64_t(1) << 31;
  if (list.size() == 2 && llvm::all_of(list, [&](int64_t entry) { return entry >= least && entry < kMost; }))
    return success();
  return e.error("expected '" + name + "' to have two entries of " + Twine(least) + " or more");
}

LogicalResult recur::ir::expandDeformableConvolution(Expansion &e) {
  for (unsigned i : {0, 1, 2})
    if (failed(e.expectRank(i, 4, 4)))
      return failure();
  if (e.operand(3) && failed(e.expectRank(3, 4, 4)))
    return failure();
  if (failed(expectTwo(e, "strides", 1)) || failed(expectTwo(e, "dilations", 1)) ||
      failed(expectTwo(e, "pads_begin", 0)) || failed(expectTwo(e, "pads_end", 0)))
    return failure();
  for (StringRef name : {"group", "deformable_group"})
    if (e.integer(name) < 1)
      return e.error("expected '" + name + "' to be 1 or more, but got " + Twine(e.integer(name)));
  Value data = e.operand(0), offsets = e.operand(1), filters = e.operand(2);
  Type real = elementOf(data);
  Size group = e.size(e.integer("group")), moving = e.size(e.integer("deformable_group"));
  Size batch = e.dim(data, 0), channels = e.dim(data, 1), outputs = e.dim(filters, 0);
  Size height = e.dim(offsets, 2), width = e.dim(offsets, 3);
  Size kernel = e.multiply(e.dim(filters, 2), e.dim(filters, 3)), places = e.multiply(height, width);
  // The channels that have the same offsets are one image.
  Size images = e.multiply(batch, moving);
  Pixels pixels(e, e.reshape(data, {images, e.divide(channels, moving), e.dim(data, 2), e.dim(data, 3)}));
  Value split = e.reshape(e.convert(offsets, real), {images, kernel, e.size(2), places});
  Value element = e.range(kernel, e.i64()), place = e.range(places, e.i64()), columns = e.maximum(e.dim(filters, 3), 1);
  // The rows and the columns that the kernel reads, [images, kernel, places].
  auto getPositions = [&](int64_t i, Value inKernel, Value inResult) {
    double stride = double(e.integers("strides")[i]), dilation = double(e.integers("dilations")[i]);
    Size pad = getPads(e, i, /*filters=*/2).first;
    Value whole = e.add(e.unsqueeze(e.multiply(inKernel, dilation), {1}),
                        e.unsqueeze(e.subtract(e.multiply(inResult, stride), pad), {0}));
    Value moved = e.squeeze(e.slice(split, 2, i, i + 1), {2});
    return e.add(e.unsqueeze(e.convert(whole, real), {0}), moved);
  };
  Value perRow = e.maximum(width, 1);
  Value row = getPositions(0, e.divide(element, columns), e.divide(place, perRow));
  Value column = getPositions(1, e.make<ov::FloorModOp>({element, columns}), e.make<ov::FloorModOp>({place, perRow}));
  bool padsZeros = e.has("bilinear_interpolation_pad") && e.flag("bilinear_interpolation_pad");
  auto isInside = [&](Value at, Size length) {
    Value isFirst = padsZeros ? e.make<ov::GreaterOp>({at, e.scalar(-1, real)})
                              : e.make<ov::GreaterEqualOp>({at, e.scalar(0, real)});
    return e.make<ov::LogicalAndOp>({isFirst, e.make<ov::LessOp>({at, e.convert(length, real)})});
  };
  Value counts = e.make<ov::LogicalAndOp>({isInside(row, pixels.height), isInside(column, pixels.width)});
  Value values = pixels.interpolate(e.unsqueeze(e.range(images, e.i64()), {1, 2}), row, column, counts, padsZeros);
  if (Value mask = e.operand(3))
    values = weigh(e, values, e.unsqueeze(e.reshape(e.convert(mask, real), {images, kernel, places}), {3}));
  // [images, kernel, places, channels] becomes [N, group, channels * kernel, places].
  Size inputs = e.multiply(e.divide(channels, group), kernel);
  values = e.reshape(e.transpose(values, {0, 3, 1, 2}), {batch, group, inputs, places});
  Value matrix = e.reshape(e.convert(filters, real), {group, e.divide(outputs, group), inputs});
  Value product = e.make<ov::MatMulOp>({matrix, values});
  return e.replace(e.reshape(product, {batch, outputs, height, width}));
}
