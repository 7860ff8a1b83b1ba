// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Explanation.cpp - what a model does, as data -----------------------===//
//
// The words that the text and the page have in common.
//
//===----------------------------------------------------------------------===//
#include "Recur/Explain/Explanation.h"

#include "llvm/ADT/STLExtras.h"

using namespace recur;

std::string LayerPlace::describe() const {
  return line ? file + ":" + std::to_string(line) + ":" + std::to_string(column) : "";
}

std::string ExplainedSlice::describe() const {
  std::string text = "along axis " + std::to_string(axis) + ", " + std::to_string(partSize) + " at a time";
  bool isBackward = stride < 0;
  if (int64_t step = std::abs(stride); step != partSize)
    text += ", in steps of " + std::to_string(step);
  if (start != (isBackward ? -1 : 0) || end != (isBackward ? 0 : -1))
    text += ", from " + std::to_string(start) + " to " + std::to_string(end);
  return text + (isBackward ? ", backward" : "");
}

std::string ExplainedResult::describe() const {
  if (!axis)
    return "of the last iteration";
  return "joined along axis " + std::to_string(*axis) + (isReverse ? ", the last first" : "");
}

CountsByType ExplainedBody::countLayers() const {
  CountsByType all;
  for (const ExplainedBox &box : boxes)
    for (const auto &[type, count] : box.layers)
      all[type] += count;
  return all;
}

bool recur::haveEqualLoops(const ExplainedBody &a, const ExplainedBody &b) {
  return llvm::equal(a.loops, b.loops, [](const ExplainedLoop &x, const ExplainedLoop &y) {
    return x.layer == y.layer && x.type == y.type && x.count == y.count && x.slices == y.slices &&
           x.states == y.states && x.results == y.results && x.reads == y.reads && haveEqualLoops(x.body, y.body);
  });
}
