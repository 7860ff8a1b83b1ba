// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Normalization.cpp - Layers that normalize --------------------------===//
//
// This file expands BatchNormInference, GRN, GroupNormalization, LRN, MVN and NormalizeL2. Means and variances are
// reductions that keep their dims, so that they broadcast to the data.
//
//===----------------------------------------------------------------------===//

#include "Axes.h"
#include "Windows.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

/// The data minus its mean along the axes, and with `divides` divided by the root of its variance. `eps` is added to
/// the variance, or with `isOutside` to its root.
static Value normalize(Expansion &e, Value data, Value axes, bool divides, double eps, bool isOutside) {
  Value centered = e.subtract(data, reduceKeeping<ov::ReduceMeanOp>(e, data, axes));
  if (!divides)
    return centered;
  Value variance = reduceKeeping<ov::ReduceMeanOp>(e, e.square(centered), axes);
  Value deviation = isOutside ? e.add(e.squareRoot(variance), eps) : e.squareRoot(e.add(variance, eps));
  return e.divide(centered, deviation);
}

/// The constant axes in operand `i`, in [0, rank). Reports an error if they are not valid.
static FailureOr<SmallVector<int64_t>> readAxes(Expansion &e, unsigned i, int64_t rank) {
  FailureOr<SmallVector<int64_t>> axes = e.expectConstant(i);
  if (failed(axes))
    return failure();
  for (int64_t &axis : *axes) {
    FailureOr<int64_t> normalized = e.normalizeAxis("axes", axis, rank);
    if (failed(normalized))
      return failure();
    axis = *normalized;
  }
  llvm::sort(*axes);
  if (std::adjacent_find(axes->begin(), axes->end()) != axes->end())
    return e.error("expected axes without repetition");
  return axes;
}

/// The same for axes that need not be constant, as an i64 tensor.
static FailureOr<Value> readAnyAxes(Expansion &e, unsigned i, int64_t rank) {
  if (!isConstant(e.operand(i)) && rankOf(e.operand(i)) <= 1)
    return e.operand(i);
  FailureOr<SmallVector<int64_t>> axes = readAxes(e, i, rank);
  if (failed(axes))
    return failure();
  return e.integers(*axes);
}

LogicalResult recur::ir::expandBatchNormInference(Expansion &e) {
  bool isOld = e.getOpset() < 5;
  Value data = e.operand(isOld ? 2 : 0), gamma = e.operand(isOld ? 0 : 1), beta = e.operand(isOld ? 1 : 2);
  Value mean = e.operand(3), variance = e.operand(4);
  int64_t rank = rankOf(data);
  if (rank < 2)
    return e.error("expected data of rank 2 or more, but got rank " + Twine(rank));
  if (failed(e.expectSameElements({0, 1, 2, 3, 4})))
    return failure();
  for (Value vector : {gamma, beta, mean, variance})
    if (rankOf(vector) != 1)
      return e.error("expected gamma, beta, mean and variance to have rank 1, but got rank " + Twine(rankOf(vector)));
  Value scale = e.divide(gamma, e.squareRoot(e.add(variance, e.number("epsilon"))));
  Value centered = e.subtract(data, e.alignTo(mean, 1, rank));
  return e.replace(e.add(e.multiply(centered, e.alignTo(scale, 1, rank)), e.alignTo(beta, 1, rank)));
}

LogicalResult recur::ir::expandMVN(Expansion &e) {
  Value data = e.operand(0);
  int64_t rank = rankOf(data);
  bool divides = e.flag("normalize_variance"), isOutside = false;
  Value axes;
  if (e.getOpset() >= 6) {
    if (e.countOperands() != 2)
      return e.error("expected 2 inputs, but got 1");
    FailureOr<Value> given = readAnyAxes(e, 1, rank);
    if (failed(given))
      return failure();
    axes = *given;
    isOutside = e.text("eps_mode") == "outside_sqrt";
  } else {
    int64_t first = std::min<int64_t>(rank, e.flag("across_channels") ? 1 : 2);
    axes = e.integers(llvm::to_vector(llvm::seq<int64_t>(first, rank)));
  }
  return e.replace(normalize(e, data, axes, divides, e.number("eps"), isOutside));
}

LogicalResult recur::ir::expandNormalizeL2(Expansion &e) {
  Value data = e.operand(0);
  FailureOr<Value> axes = readAnyAxes(e, 1, rankOf(data));
  if (failed(axes))
    return failure();
  Value sum = reduceKeeping<ov::ReduceSumOp>(e, e.square(data), *axes);
  double eps = e.number("eps");
  return e.replace(e.divide(data, e.squareRoot(e.text("eps_mode") == "add" ? e.add(sum, eps) : e.maximum(sum, eps))));
}

LogicalResult recur::ir::expandGroupNormalization(Expansion &e) {
  if (failed(e.expectRank(0, 2)) || failed(e.expectRank(1, 1)) || failed(e.expectRank(2, 1)) ||
      failed(e.expectSameElements({0, 1, 2})))
    return failure();
  if (e.integer("num_groups") < 1)
    return e.error("expected 'num_groups' to be 1 or more, but got " + Twine(e.integer("num_groups")));
  Value data = e.operand(0), shape = e.shapeOf(data);
  int64_t rank = rankOf(data);
  SmallVector<Size> split{e.dim(data, 0), e.size(e.integer("num_groups"))};
  SmallVector<int64_t> axes{2};
  split.push_back(e.divide(e.dim(data, 1), split[1]));
  for (int64_t i : llvm::seq<int64_t>(2, rank)) {
    split.push_back(e.dim(data, i));
    axes.push_back(i + 1);
  }
  Value normal = normalize(e, e.reshape(data, split), e.integers(axes), /*divides=*/true, e.number("epsilon"),
                           /*isOutside=*/false);
  Value scaled = e.multiply(e.reshape(normal, shape), e.alignTo(e.operand(1), 1, rank));
  return e.replace(e.add(scaled, e.alignTo(e.operand(2), 1, rank)));
}

LogicalResult recur::ir::expandLRN(Expansion &e) {
  Value data = e.operand(0);
  int64_t rank = rankOf(data), size = e.integer("size");
  FailureOr<SmallVector<Axis>> axes = readAxisList(e, 1, rank);
  if (failed(axes))
    return failure();
  constexpr int64_t kMost = int64_t(1) << 31;
  if (size < 1 || size >= kMost)
    return e.error("expected 'size' to be 1 or more and below 2^31, but got " + Twine(size));
  Value sum = e.square(data);
  double count = 1;
  for (const Axis &axis : *axes) {
    AlongAxis along(e, axis, data);
    sum = along.enter(sum);
    SmallVector<int64_t> begin(rankOf(sum)), end(rankOf(sum));
    begin[along.axis] = (size - 1) / 2;
    end[along.axis] = size - 1 - begin[along.axis];
    Value padded = e.pad(sum, e.integers(begin), e.integers(end), e.scalar(0, elementOf(data)));
    auto add = [&](const Tensors &a, const Tensors &b) -> Tensors { return {e.add(a[0], b[0])}; };
    sum = along.leave(combineWindows(e, {padded}, along.axis, {size, 1, 1, e.dim(sum, along.axis)}, add)[0]);
    count *= double(size);
  }
  Value base = e.add(e.multiply(sum, e.number("alpha") / count), e.number("bias"));
  Value power = e.make<ov::PowerOp>({base, e.scalar(e.number("beta"), elementOf(data))});
  return e.replace(e.divide(data, power));
}

LogicalResult recur::ir::expandGRN(Expansion &e) {
  if (failed(e.expectRank(0, 2)))
    return failure();
  Value data = e.operand(0);
  Value sum = e.reduce<ov::ReduceSumOp>(e.square(data), {1}, /*keepDims=*/true);
  return e.replace(e.divide(data, e.squareRoot(e.add(sum, e.number("bias")))));
}
