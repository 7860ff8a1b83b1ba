// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVMovement.cpp - What slices, pads and ranges come to --------------===//

#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace recur::ov {

static bool isUnknown(int64_t number) { return ShapedType::isDynamic(number); }

std::optional<int64_t> getConstantAxis(Value value, int64_t rank) {
  std::optional<SmallVector<int64_t>> axes = getConstantAxes(value, rank);
  if (!axes || axes->size() != 1)
    return std::nullopt;
  return axes->front();
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// The entries of bounds or steps. A constant that is the same number as kDynamic is as good as one more.
static std::optional<SmallVector<int64_t>> getEntries(Value value) {
  if (auto type = dyn_cast<RankedTensorType>(value.getType()); !type || type.getRank() != 1)
    return std::nullopt;
  std::optional<SmallVector<int64_t>> constant = getConstantIntegers(value);
  if (!constant)
    return getPartlyKnownIntegers(value);
  for (int64_t &entry : *constant)
    entry = std::max(entry, std::numeric_limits<int64_t>::min() + 1);
  return constant;
}

/// Finds what is taken of a dim of `size` elements.
static void resolve(SliceDim &dim, int64_t begin, int64_t end, int64_t step, int64_t size) {
  dim.start = dim.size = ShapedType::kDynamic;
  dim.step = dim.shrinks ? 1 : step;
  if (dim.shrinks) {
    dim.size = 1;
    if (!dim.hasBegin)
      dim.start = 0;
    else if (!isUnknown(begin) && (begin >= 0 || !isUnknown(size)))
      dim.start = begin < 0 ? begin + size : begin;
    return;
  }
  if (isUnknown(step))
    return;
  bool isBackward = step < 0;
  if (dim.isWhole()) {
    dim.start = 0;
    dim.size = size;
    return;
  }
  if (isUnknown(size)) {
    if (!isBackward && (!dim.hasBegin || begin == 0))
      dim.start = 0;
    if (!dim.hasBegin && !dim.hasEnd && step == -1)
      dim.size = size;
    return;
  }
  int64_t least = isBackward ? -1 : 0, most = isBackward ? size - 1 : size;
  auto clamp = [&](bool isGiven, int64_t bound, int64_t otherwise) {
    if (!isGiven)
      return otherwise;
    if (isUnknown(bound))
      return ShapedType::kDynamic;
    return std::clamp(bound < 0 ? bound + size : bound, least, std::max(least, most));
  };
  int64_t first = clamp(dim.hasBegin, begin, isBackward ? most : least);
  int64_t final = clamp(dim.hasEnd, end, isBackward ? least : most);
  dim.start = first;
  if (isUnknown(first) || isUnknown(final))
    return;
  dim.size = countSteps(first, final, step);
  // Of nothing, the place does not matter, but must be one.
  if (dim.size == 0)
    dim.start = 0;
}

static bool resolveAll(Slicing &slicing, ArrayRef<int64_t> shape, Value begin, Value end, Value steps,
                       std::string &why) {
  auto beginEntries = getEntries(begin), endEntries = getEntries(end);
  std::optional<SmallVector<int64_t>> stepEntries;
  if (beginEntries)
    stepEntries = steps ? getEntries(steps) : SmallVector<int64_t>(beginEntries->size(), 1);
  if (!beginEntries || !endEntries || !stepEntries || beginEntries->size() != endEntries->size() ||
      beginEntries->size() != stepEntries->size()) {
    why = "expected bounds and steps of rank 1 and one static length";
    return false;
  }
  for (auto [dim, size] : llvm::zip_equal(slicing.dims, shape)) {
    if (!dim.entry) {
      dim.size = size;
      continue;
    }
    int64_t step = (*stepEntries)[*dim.entry];
    if (step == 0 && !dim.shrinks) {
      why = "expected steps other than 0";
      return false;
    }
    resolve(dim, (*beginEntries)[*dim.entry], (*endEntries)[*dim.entry], step, size);
    if (!dim.shrinks || isUnknown(dim.start) || isUnknown(size))
      continue;
    dim.isInside = dim.start >= 0 && dim.start < size;
    if (!dim.isInside) {
      why = "expected an index in range of the axis that shrinks";
      return false;
    }
  }
  return true;
}

template <typename T>
static std::optional<Slicing> getSlicingOfSlice(T op, std::string &why) {
  auto data = dyn_cast<RankedTensorType>(op.getData().getType());
  std::optional<SmallVector<int64_t>> start = getEntries(op.getStart()), axes;
  if (!data || !start || start->size() > static_cast<size_t>(data.getRank())) {
    why = "expected bounds of rank 1, and of a static length that is not above the rank of data";
    return std::nullopt;
  }
  if (op.getAxes())
    axes = getConstantAxes(op.getAxes(), data.getRank());
  else
    axes = llvm::to_vector(llvm::seq<int64_t>(0, start->size()));
  if (!axes || axes->size() != start->size()) {
    why = "expected axes that are constant, in range and without repetition, one for each bound";
    return std::nullopt;
  }
  Slicing slicing;
  slicing.dims.resize(data.getRank());
  for (auto [i, axis] : llvm::enumerate(*axes))
    slicing.dims[axis].entry = i;
  if (!resolveAll(slicing, data.getShape(), op.getStart(), op.getStop(), op.getStep(), why))
    return std::nullopt;
  return slicing;
}

template <typename T>
static std::optional<Slicing> getSlicingOfStridedSlice(T op, std::string &why) {
  auto data = dyn_cast<RankedTensorType>(op.getData().getType());
  std::optional<SmallVector<int64_t>> begin = getEntries(op.getBegin());
  if (!data || !begin) {
    why = "expected bounds and steps of rank 1 and one static length";
    return std::nullopt;
  }
  for (ArrayRef<int64_t> mask :
       {op.getBeginMask(), op.getEndMask(), op.getNewAxisMask(), op.getShrinkAxisMask(), op.getEllipsisMask()})
    if (!llvm::all_of(mask, [](int64_t bit) { return bit == 0 || bit == 1; })) {
      why = "expected masks of 0 and 1";
      return std::nullopt;
    }
  auto isSet = [](ArrayRef<int64_t> mask, size_t i) { return i < mask.size() && mask[i] == 1; };
  int64_t needed = 0, ellipses = 0;
  for (size_t i = 0; i != begin->size(); ++i) {
    if (isSet(op.getEllipsisMask(), i))
      ++ellipses;
    else if (!isSet(op.getNewAxisMask(), i))
      ++needed;
  }
  if (ellipses > 1 || needed > data.getRank()) {
    why = ellipses > 1 ? "expected one ellipsis at most" : "expected no more entries than data has dims";
    return std::nullopt;
  }
  Slicing slicing;
  int64_t resultDim = 0;
  auto takeWhole = [&](int64_t count) {
    slicing.dims.resize(slicing.dims.size() + count);
    resultDim += count;
  };
  for (unsigned i = 0; i != begin->size(); ++i) {
    if (isSet(op.getEllipsisMask(), i)) {
      takeWhole(data.getRank() - needed);
    } else if (isSet(op.getNewAxisMask(), i)) {
      slicing.newAxes.push_back(resultDim++);
    } else {
      bool shrinks = isSet(op.getShrinkAxisMask(), i);
      slicing.dims.push_back({i, !isSet(op.getBeginMask(), i), !isSet(op.getEndMask(), i), shrinks, false});
      resultDim += !shrinks;
    }
  }
  takeWhole(data.getRank() - slicing.dims.size());
  if (!resolveAll(slicing, data.getShape(), op.getBegin(), op.getEnd(), op.getStrides(), why))
    return std::nullopt;
  return slicing;
}

std::optional<Slicing> getSlicing(SliceOp::Adaptor op, std::string &why) { return getSlicingOfSlice(op, why); }
std::optional<Slicing> getSlicing(StridedSliceOp::Adaptor op, std::string &why) {
  return getSlicingOfStridedSlice(op, why);
}
std::optional<Slicing> getSlicing(SliceOp op) {
  std::string why;
  return getSlicingOfSlice(op, why);
}
std::optional<Slicing> getSlicing(StridedSliceOp op) {
  std::string why;
  return getSlicingOfStridedSlice(op, why);
}

SmallVector<int64_t> Slicing::getResultShape() const {
  SmallVector<int64_t> shape;
  for (const SliceDim &dim : dims)
    if (!dim.shrinks)
      shape.push_back(dim.size);
  for (int64_t axis : newAxes)
    shape.insert(shape.begin() + axis, 1);
  return shape;
}

std::optional<SmallVector<int64_t>> resolveSplitLengths(ArrayRef<int64_t> lengths, int64_t dim) {
  SmallVector<int64_t> result(lengths);
  int64_t *rest = nullptr, sum = 0;
  bool isKnown = true;
  for (int64_t &length : result) {
    if (length == -1 && !rest) {
      rest = &length;
      continue;
    }
    isKnown &= !isUnknown(length);
    if (!isUnknown(length) && (length < 0 || llvm::AddOverflow(sum, length, sum)))
      return std::nullopt;
  }
  if (!isUnknown(dim) && (sum > dim || (isKnown && !rest && sum != dim)))
    return std::nullopt;
  if (rest)
    *rest = isKnown && !isUnknown(dim) ? dim - sum : ShapedType::kDynamic;
  return result;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

int64_t countSteps(int64_t start, int64_t stop, int64_t step) {
  if (step > 0 ? start >= stop : start <= stop)
    return 0;
  // As unsigned numbers, differences do not overflow.
  uint64_t distance = step > 0 ? uint64_t(stop) - uint64_t(start) : uint64_t(start) - uint64_t(stop);
  uint64_t length = step > 0 ? uint64_t(step) : -uint64_t(step);
  uint64_t count = (distance - 1) / length + 1;
  return std::min<uint64_t>(count, std::numeric_limits<int64_t>::max());
}

int64_t countRealSteps(double start, double stop, double step) {
  double count = std::ceil((stop - start) / step);
  if (!std::isfinite(stop - start) || std::isnan(count) || count >= std::ldexp(1.0, 56))
    return ShapedType::kDynamic;
  return static_cast<int64_t>(std::max(count, 0.0));
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

std::optional<int64_t> getWindowedDim(int64_t dim, int64_t kernel, int64_t stride, int64_t dilation, int64_t padBegin,
                                      int64_t padEnd, StringRef autoPad) {
  bool isSame = autoPad == "same_upper" || autoPad == "same_lower";
  if (isUnknown(dim) || (isUnknown(kernel) && !isSame))
    return ShapedType::kDynamic;
  if (isSame)
    return llvm::divideCeil(dim, stride);
  int64_t padded = dim, window;
  if (autoPad != "valid" && (llvm::AddOverflow(padded, padBegin, padded) || llvm::AddOverflow(padded, padEnd, padded)))
    return std::nullopt;
  if (kernel == 0 || llvm::MulOverflow(kernel - 1, dilation, window) || window >= padded)
    return std::nullopt;
  return (padded - window - 1) / stride + 1;
}

} // namespace recur::ov
