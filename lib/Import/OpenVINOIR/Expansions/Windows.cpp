// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Windows.cpp - Windows that move along a dim ------------------------===//
//
// Combines the elements of all windows at once, by ops on whole slices of the data.
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

/// For a window of at most this many elements, each element gets one slice of the data. The slices have the stride of
/// the windows, so elements between the windows are not combined.
static constexpr int64_t kFewElements = 8;

/// Takes the elements from number `by` on, up to the last `rest`, in steps of `step`. So parts of one tensor with equal
/// sums of `by` and `rest` are known to have equal dims.
static Value takeBetween(Expansion &e, Value data, int64_t axis, int64_t by, int64_t rest, int64_t step) {
  SmallVector<int64_t> lengths{by, -1, rest};
  llvm::erase(lengths, 0);
  if (lengths.size() > 1) {
    SmallVector<Value> parts =
        e.makeAll<ov::VariadicSplitOp>({data, e.scalar(double(axis), e.i64()), e.integers(lengths)});
    data = parts[by != 0];
  }
  if (step == 1)
    return data;
  // Masks of ones leave out the bounds.
  SmallVector<int64_t> zeros(axis + 1, 0), ones(axis + 1, 1), steps(ones);
  steps[axis] = step;
  return e.make<ov::StridedSliceOp>({data, e.integers(zeros), e.integers(zeros), e.integers(steps)},
                                    {e.attribute("begin_mask", ones), e.attribute("end_mask", ones)});
}

Tensors recur::ir::combineWindows(Expansion &e, const Tensors &data, int64_t axis, const Window &window,
                                  llvm::function_ref<Tensors(const Tensors &, const Tensors &)> combine) {
  // The distance from the first element of the first window to that of the last one, and 1 more.
  Size span = e.add(e.multiply(e.subtract(window.places, 1), double(window.stride)), 1);
  // Takes `span + more` elements from element `by` on, of `span + all`. The last of them may be the last of a step.
  auto slice = [&](const Tensors &tensors, int64_t all, int64_t by, int64_t more, int64_t step = 1) {
    Tensors result;
    for (Value tensor : tensors)
      if (typeOf(tensor).isDynamicDim(axis) && window.coversData)
        result.push_back(takeBetween(e, tensor, axis, by, all - more - by, step));
      else
        result.push_back(e.slice(tensor, axis, e.size(by), e.add(span, double(by + more)), e.size(step)));
    return result;
  };
  Tensors result;
  if (window.kernel <= kFewElements) {
    for (int64_t j = 0; j != window.kernel; ++j) {
      Tensors element = slice(data, window.getReach(), j * window.dilation, 0, window.stride);
      result = j ? combine(result, element) : element;
    }
    return result;
  }
  // `power` has the combinations of `width` elements, and `result` those of `done` elements, at every position that a
  // larger window needs.
  Tensors power = data;
  int64_t done = 0;
  auto rest = [&](int64_t width) { return (window.kernel - width) * window.dilation; };
  for (int64_t width = 1; width <= window.kernel; width *= 2) {
    if (window.kernel & width) {
      int64_t both = done + width;
      result = done ? combine(slice(result, rest(done), 0, rest(both)),
                              slice(power, rest(width), done * window.dilation, rest(both)))
                    : power;
      done = both;
    }
    if (2 * width <= window.kernel)
      power = combine(slice(power, rest(width), 0, rest(2 * width)),
                      slice(power, rest(width), width * window.dilation, rest(2 * width)));
  }
  return slice(result, 0, 0, 0, window.stride);
}
