// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementPatches.cpp - Patches of images ----------------------------===//
//
// This file expands Col2Im and ExtractImagePatches. Both work on the rows and then on the columns: a table has the
// index of each element of each patch, or of each patch that an element is in, and one gather reads them all.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
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

LogicalResult recur::ir::expandExtractImagePatches(Expansion &e) {
  if (failed(e.expectRank(0, 4, 4)) || failed(expectTwo(e, "sizes", 1)) || failed(expectTwo(e, "strides", 1)) ||
      failed(expectTwo(e, "rates", 1)))
    return failure();
  Value data = e.operand(0);
  StringRef autoPad = e.text("auto_pad");
  SmallVector<Size> begin(2, e.size(0)), end = begin, patches;
  for (int64_t i : {0, 1}) {
    double stride = double(e.integers("strides")[i]),
           reach = double((e.integers("sizes")[i] - 1) * e.integers("rates")[i]);
    Size dim = e.dim(data, i + 2), total = e.size(0);
    if (autoPad == "valid") {
      patches.push_back(e.maximum(e.add(e.divide(e.subtract(dim, reach + 1), stride), 1), 0));
    } else {
      patches.push_back(e.divide(e.add(dim, stride - 1), stride));
      Size last = e.multiply(e.subtract(patches.back(), 1), stride);
      total = e.maximum(e.subtract(e.add(last, reach + 1), dim), 0);
    }
    auto [before, behind] = splitPads(e, total);
    begin.push_back(before);
    end.push_back(behind);
  }
  if (autoPad != "valid")
    data = e.pad(data, e.concat(begin, 0), e.concat(end, 0), e.scalar(0, elementOf(data)));
  auto getIndices = [&](int64_t i) {
    Value inside = e.multiply(e.range(e.size(e.integers("sizes")[i]), e.i64()), double(e.integers("rates")[i]));
    Value starts = e.multiply(e.range(patches[i], e.i64()), double(e.integers("strides")[i]));
    return e.add(e.unsqueeze(inside, {1}), e.unsqueeze(starts, {0}));
  };
  // [N, C, rows, H, columns, W].
  Value split = e.gather(e.gather(data, getIndices(0), 2), getIndices(1), 4);
  Size area = e.size(e.integers("sizes")[0] * e.integers("sizes")[1]);
  SmallVector<Size> shape{e.dim(data, 0), e.multiply(e.dim(data, 1), area), patches[0], patches[1]};
  return e.replace(e.reshape(e.transpose(split, {0, 2, 4, 1, 3, 5}), shape));
}

LogicalResult recur::ir::expandCol2Im(Expansion &e) {
  if (failed(e.expectRank(0, 2, 3)) || failed(expectTwo(e, "strides", 1)) || failed(expectTwo(e, "dilations", 1)) ||
      failed(expectTwo(e, "pads_begin", 0)) || failed(expectTwo(e, "pads_end", 0)))
    return failure();
  for (unsigned i : {1, 2}) {
    RankedTensorType type = typeOf(e.operand(i));
    if (type.getRank() != 1 || (type.hasStaticShape() && type.getDimSize(0) != 2))
      return e.error("expected an output size and a kernel of two entries, but got " + spell(type));
  }
  if (failed(e.requireSizes("'output_size'", e.operand(1))) || failed(e.requireSizes("'kernel_size'", e.operand(2), 1)))
    return failure();
  Value data = e.operand(0);
  int64_t rank = rankOf(data);
  Type element = elementOf(data);
  SmallVector<Size> image, kernel, patches;
  for (int64_t i : {0, 1}) {
    image.push_back(e.gather(e.operand(1), e.size(i), 0));
    kernel.push_back(e.gather(e.operand(2), e.size(i), 0));
    Size reach = e.multiply(e.subtract(kernel[i], 1), double(e.integers("dilations")[i]));
    Size room = e.subtract(e.add(image[i], double(e.integers("pads_begin")[i] + e.integers("pads_end")[i] - 1)), reach);
    patches.push_back(e.add(e.divide(room, double(e.integers("strides")[i])), 1));
  }
  SmallVector<Size> batch;
  if (rank == 3)
    batch.push_back(e.dim(data, 0));
  Size channels = e.divide(e.dim(data, rank - 2), e.maximum(e.multiply(kernel[0], kernel[1]), 1));
  Size planes = e.multiply(e.product(batch), channels);
  // [planes, rows, columns, H, W] becomes [planes, rows * H, columns * W].
  data = e.transpose(e.reshape(data, {planes, kernel[0], kernel[1], patches[0], patches[1]}), {0, 1, 3, 2, 4});
  data = e.reshape(data, {planes, e.multiply(kernel[0], patches[0]), e.multiply(kernel[1], patches[1])});
  for (int64_t i : {0, 1}) {
    // Element x of the image is element k of the patch (x + pad - k * dilation) / stride, if there is such a patch.
    double stride = double(e.integers("strides")[i]);
    Value x = e.unsqueeze(e.add(e.range(image[i], e.i64()), double(e.integers("pads_begin")[i])), {1});
    Value k = e.unsqueeze(e.range(kernel[i], e.i64()), {0});
    Value start = e.subtract(x, e.multiply(k, double(e.integers("dilations")[i])));
    Value patch = e.divide(start, stride);
    Value inside = e.minimum(e.maximum(patch, 0), e.subtract(patches[i], 1));
    Value counts = e.make<ov::EqualOp>({e.multiply(inside, stride), start});
    Value read = e.gather(data, e.add(e.multiply(k, patches[i]), inside), i + 1);
    SmallVector<int64_t> others = i == 0 ? SmallVector<int64_t>{0, 3} : SmallVector<int64_t>{0, 1};
    read = e.select(e.unsqueeze(counts, others), read, e.scalar(0, element));
    data = e.reduce<ov::ReduceSumOp>(read, {i + 2}, /*keepDims=*/false);
  }
  batch.append({channels, image[0], image[1]});
  return e.replace(e.reshape(data, batch));
}
