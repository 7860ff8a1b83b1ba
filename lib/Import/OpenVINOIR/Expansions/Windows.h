// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Windows.h - Windows that move along a dim ----------------*- C++ -*-===//
//
// Pooling and LRN combine the elements of windows that move along the dims of a tensor.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_EXPANSIONS_WINDOWS_H
#define RECUR_LIB_IMPORT_OPENVINOIR_EXPANSIONS_WINDOWS_H

#include "Expansion.h"

namespace recur::ir {

/// A window along one dim: element j of window i is element `i * stride + j * dilation` of the dim.
struct Window {
  int64_t kernel = 1, stride = 1, dilation = 1;
  /// The number of windows.
  Size places;
  /// True if the data are known to end before there is room for another window, so that the dims of all parts that are
  /// combined follow from that of the data.
  bool coversData = true;

  /// The distance from the first to the last element of a window.
  int64_t getReach() const { return (kernel - 1) * dilation; }
};

/// Tensors of one shape that are combined together, such as values and their indices.
using Tensors = llvm::SmallVector<mlir::Value, 2>;

/// Combines the elements of each window along `axis`, and returns a tensor with one element for each window. `combine`
/// must be associative; its first argument comes from elements before those of the second one. The data must be
/// padded so that all windows lie in it. A large window takes few ops, because it is put together from windows of 2, 4,
/// 8, ... elements.
Tensors combineWindows(Expansion &e, const Tensors &data, int64_t axis, const Window &window,
                       llvm::function_ref<Tensors(const Tensors &, const Tensors &)> combine);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_EXPANSIONS_WINDOWS_H
