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

Tensors recur::ir::combineWindows(Expansion &e, const Tensors &data, int64_t axis, const Window &window,
                                  llvm::function_ref<Tensors(const Tensors &, const Tensors &)> combine) {
  // The distance from the first element of the first window to that of the last one, and 1 more.
  Size span = e.add(e.multiply(e.subtract(window.places, 1), double(window.stride)), 1);
  // Takes `span + more` elements from element `by` on.
  auto slice = [&](const Tensors &tensors, int64_t by, int64_t more, int64_t step = 1) {
    Tensors result;
    for (Value tensor : tensors)
      result.push_back(e.slice(tensor, axis, e.size(by), e.add(span, double(by + more)), e.size(step)));
    return result;
  };
  Tensors result;
  if (window.kernel <= kFewElements) {
    for (int64_t j = 0; j != window.kernel; ++j) {
      Tensors element = slice(data, j * window.dilation, 0, window.stride);
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
      result = done ? combine(slice(result, 0, rest(both)), slice(power, done * window.dilation, rest(both))) : power;
      done = both;
    }
    if (2 * width <= window.kernel)
      power = combine(slice(power, 0, rest(2 * width)), slice(power, width * window.dilation, rest(2 * width)));
  }
  return slice(result, 0, 0, window.stride);
}
