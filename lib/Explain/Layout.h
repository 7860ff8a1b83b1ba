// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Layout.h - boxes in rows, and arrows between them --------*- C++ -*-===//
//
// Places the boxes of a graph without cycles: each below those that it depends on.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_EXPLAIN_LAYOUT_H
#define RECUR_LIB_EXPLAIN_LAYOUT_H

#include "llvm/ADT/ArrayRef.h"

#include <utility>
#include <vector>

namespace recur {

/// A box to place. All lengths are in pixels.
struct LayoutBox {
  double width, height;
  /// Where it is in the flow: boxes at the start are in the first rows, and those at the end in the last ones.
  enum class Place { Start, Middle, End } place = Place::Middle;
  /// True for an end of arrows that has no width: they leave it, or reach it, wherever they are.
  bool isEdge = false;
  /// The result: the left upper corner.
  double x = 0, y = 0;
};

/// An arrow between boxes. Its points are ends of parts by turns: a straight part down, then a bent part to the next
/// row, and so on, with a straight part at the end. No part crosses a box.
struct LayoutArrow {
  size_t from, to;
  std::vector<std::pair<double, double>> points = {};
};

/// The size of all.
struct LayoutSize {
  double width = 0, height = 0;
};

/// Places boxes and arrows, of which no two have the same ends. The arrows must have no cycle. A row of several boxes
/// is not wider than `maxWidth`, not counting the arrows that pass.
LayoutSize layOut(std::vector<LayoutBox> &boxes, std::vector<LayoutArrow> &arrows, double maxWidth);

} // namespace recur

#endif // RECUR_LIB_EXPLAIN_LAYOUT_H
