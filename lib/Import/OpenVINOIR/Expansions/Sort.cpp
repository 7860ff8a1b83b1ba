// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sort.cpp - NonMaxSuppression ---------------------------------------===//
//
// This file expands NonMaxSuppression. The op ov.select_boxes chooses the boxes. The other ops convert the boxes to the
// form that it takes, and its results to the outputs of the layer.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "../TypeSyntax.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

/// The boxes as y1, x1, y2, x2 with y1 <= y2 and x1 <= x2. They are given as two corners, or as x, y of the center, the
/// width and the height.
static Value normalizeBoxes(Expansion &e, Value boxes, bool areCenters) {
  if (!areCenters) {
    Value first = e.slice(boxes, 2, 0, 2), second = e.slice(boxes, 2, 2, 4);
    return e.concat({e.minimum(first, second), e.maximum(first, second)}, 2);
  }
  auto side = [&](int64_t i) { return e.slice(boxes, 2, i, i + 1); };
  Value halfWidth = e.divide(side(2), 2), halfHeight = e.divide(side(3), 2);
  return e.concat({e.subtract(side(1), halfHeight), e.subtract(side(0), halfWidth), e.add(side(1), halfHeight),
                   e.add(side(0), halfWidth)},
                  2);
}

LogicalResult recur::ir::expandNonMaxSuppression(Expansion &e) {
  if (failed(e.expectRank(0, 3, 3)) || failed(e.expectRank(1, 3, 3)))
    return failure();
  for (unsigned i = 2; i < e.countOperands(); ++i)
    if (failed(e.expectOneElement(i)))
      return failure();
  Type element = e.wide(elementOf(e.operand(1))), i64 = e.i64();
  Value boxes = e.operand(0), scores = e.convert(e.operand(1), element);
  Type output = e.has("output_type") ? e.type("output_type") : i64;
  if (!output.isSignlessInteger(32) && !output.isSignlessInteger(64))
    return e.error("expected 'output_type' to be i32 or i64, but got " + spell(output));
  auto limit = [&](unsigned i) {
    return e.operand(i) ? e.reshape(e.convert(e.operand(i), element), e.integers({})) : e.scalar(0, element);
  };
  boxes = normalizeBoxes(e, e.convert(boxes, element), e.text("box_encoding") == "center");
  Value most = e.operand(2) ? e.reshape(e.operand(2), e.integers({})) : e.scalar(0, i64);
  SmallVector<Value> chosen = e.makeAll<ov::SelectBoxesOp>({boxes, scores, most, limit(3), limit(4), limit(5)},
                                                           e.attribute("drops", e.getOpset() < 9));
  Value indices = chosen[0], best = chosen[1];
  Size count = e.dim(best, 0);
  if (e.flag("sort_result_descending")) {
    MLIRContext *context = i64.getContext();
    SmallVector<Value> sorted =
        e.makeAll<ov::TopKOp>({best, count}, {e.attribute("axis", int64_t(0)),
                                              e.attribute("mode", ov::TopKModeAttr::get(context, ov::TopKMode::Max)),
                                              e.attribute("sort", ov::TopKSortAttr::get(context, ov::TopKSort::Value)),
                                              e.attribute("index_element_type", i64)});
    best = sorted[0];
    indices = e.gather(indices, sorted[1], 0);
  }
  // Scores have the type of the thresholds, if there is one.
  Type own = elementOf(e.operand(e.operand(3) ? 3 : 1));
  Value places = e.convert(e.slice(indices, 1, 0, 2), own);
  Value rows = e.concat({places, e.unsqueeze(e.convert(best, own), {1})}, 1);
  SmallVector<Value> results{e.convert(indices, output)};
  if (e.getOpset() >= 5)
    results.append({rows, e.convert(count, output)});
  return e.replace(results);
}
