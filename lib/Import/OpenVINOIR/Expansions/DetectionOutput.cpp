// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DetectionOutput.cpp - The head of SSD detectors --------------------===//
//
// DetectionOutput moves priors by what a model predicts for them, and chooses the best ones that overlap little, for
// each image and class.
//
//===----------------------------------------------------------------------===//

#include "Suppression.h"

#include "../TypeSyntax.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

namespace {
class DetectionOutput {
public:
  explicit DetectionOutput(Expansion &e) : e(e) {}
  LogicalResult expand();

private:
  LogicalResult check();
  Value decode(Value priors, Value moves);
  Value readPriors(unsigned row, int64_t first, int64_t entries);
  Value findBestClasses(Value scores);
  Value keepBest(const Candidates &candidates, Value isChosen, Value shape, int64_t most);

  Expansion &e;
  Type element;
  bool isNormalized = false, isShared = true;
  /// Entries of a prior.
  int64_t each = 4;
  Size images, priors, classes;
  /// [images or 1, priors, 1, 4], or null.
  Value variances;
};
} // namespace

LogicalResult DetectionOutput::check() {
  if (failed(e.expectRank(0, 2, 2)) || failed(e.expectRank(1, 2, 2)) || failed(e.expectRank(2, 3, 3)) ||
      failed(e.expectSameElements({0, 1, 2, 3, 4})))
    return failure();
  if (!e.operand(3) != !e.operand(4))
    return e.error("expected 'aux_box_preds', because 'aux_class_preds' is given");
  for (unsigned i : {3, 4})
    if (e.operand(i) && failed(e.expectRank(i, 2, 2)))
      return failure();
  bool isFirst = e.getOpset() < 8;
  constexpr int64_t kMost = 1 << 24;
  if (isFirst && (!e.has("num_classes") || e.integer("num_classes") < 1 || e.integer("num_classes") > kMost))
    return e.error("expected 'num_classes' to be from 1 to 16777216");
  if (e.integer("top_k") < -1 || e.integer("top_k") > kMost)
    return e.error("expected 'top_k' to be from -1 to 16777216, but got " + Twine(e.integer("top_k")));
  if (e.integers("keep_top_k").empty() || e.integers("keep_top_k")[0] < -1 || e.integers("keep_top_k")[0] > kMost)
    return e.error("expected 'keep_top_k' to be from -1 to 16777216");
  for (StringRef name : {"input_width", "input_height"})
    if (e.integer(name) < 1)
      return e.error("expected '" + name + "' to be 1 or more, but got " + Twine(e.integer(name)));
  return success();
}

/// Entries `first` to `first + 4` of each prior, of which row `row` has `entries` entries: [images or 1, priors, 1, 4].
Value DetectionOutput::readPriors(unsigned row, int64_t first, int64_t entries) {
  Value all = e.operand(2);
  Value line = e.slice(e.slice(all, 1, row, row + 1), 2, e.size(0), e.multiply(priors, e.size(entries)));
  Value split = e.reshape(line, {e.dim(all, 0), priors, e.size(1), e.size(entries)});
  return entries == 4 ? split : e.slice(split, 3, first, first + 4);
}

/// Boxes [images, priors, classes or 1, 4] from priors and what is predicted for them, tensors that broadcast to this.
Value DetectionOutput::decode(Value from, Value moves) {
  if (!isNormalized) {
    auto width = double(e.integer("input_width")), height = double(e.integer("input_height"));
    from = e.divide(from, e.floats({width, height, width, height}, {4}, element));
  }
  if (variances)
    moves = e.multiply(moves, variances);
  Value result;
  if (e.text("code_type") == "caffe.priorboxparameter.corner") {
    result = e.add(from, moves);
  } else {
    Value low = e.slice(from, 3, 0, 2), high = e.slice(from, 3, 2, 4), size = e.subtract(high, low);
    Value centre = e.add(e.multiply(e.slice(moves, 3, 0, 2), size), e.divide(e.add(low, high), 2));
    Value half = e.divide(e.multiply(e.make<ov::ExpOp>(e.slice(moves, 3, 2, 4)), size), 2);
    Value first = e.subtract(centre, half), second = e.add(centre, half);
    result = e.concat({first, second}, 3);
  }
  return e.flag("clip_before_nms") ? e.maximum(e.minimum(result, 1), 0) : result;
}

/// True at `places` of a tensor of this shape, along axis 1.
static Value mark(Expansion &e, Value shape, Value places) {
  Value zeros = e.broadcast(e.scalar(0, e.i64()), shape), ones = e.broadcast(e.scalar(1, e.i64()), e.shapeOf(places));
  Value marked = e.make<ov::ScatterElementsUpdateOp>({zeros, places, ones, e.scalar(1, e.i64())});
  return e.make<ov::NotEqualOp>({marked, e.scalar(0, e.i64())});
}

/// The best class of each box, but class 0 and the background, if it is among the `top_k` best ones of its image:
/// booleans [images, classes, priors].
Value DetectionOutput::findBestClasses(Value scores) {
  Value numbers = e.alignTo(e.range(classes, e.i64()), 1, 3), none = e.least(element);
  Value isClass = greater(e, numbers, e.scalar(0, e.i64()));
  if (int64_t background = e.integer("background_label_id"); background > 0)
    isClass = both(e, isClass, e.make<ov::NotEqualOp>({numbers, e.scalar(double(background), e.i64())}));
  SmallVector<Value> best = findGreatest(e, e.select(isClass, scores, none), e.size(1));
  Value score = e.squeeze(best[0], {1}), limit = e.scalar(e.number("confidence_threshold"), element);
  Value isGood = both(e, greater(e, score, e.scalar(-1, element)), e.make<ov::GreaterEqualOp>({score, limit}));
  if (int64_t most = e.integer("top_k"); most >= 0) {
    Size count = e.minimum(priors, e.size(most));
    isGood = both(e, isGood, mark(e, e.shapeOf(score), findGreatest(e, e.select(isGood, score, none), count)[1]));
  }
  return both(e, e.unsqueeze(isGood, {1}), e.equal(best[1], numbers));
}

/// Keeps the best choices of each image; of equal scores, those of the first priors. `shape` is [groups, priors].
Value DetectionOutput::keepBest(const Candidates &candidates, Value isChosen, Value shape, int64_t most) {
  Size ofImage = e.multiply(priors, classes), axis = e.scalar(1, e.i64());
  Value none = e.least(element), all = e.broadcast(none, shape);
  all =
      e.make<ov::ScatterElementsUpdateOp>({all, candidates.places, e.select(isChosen, candidates.scores, none), axis});
  Value rows = e.reshape(e.transpose(e.reshape(all, {images, classes, priors}), {0, 2, 1}), {images, ofImage});
  Value isKept = mark(e, e.shapeOf(rows), findGreatest(e, rows, e.minimum(ofImage, e.size(most)))[1]);
  isKept = e.reshape(e.transpose(e.reshape(isKept, {images, priors, classes}), {0, 2, 1}), shape);
  return both(e, isChosen, e.make<ov::GatherElementsOp>({isKept, candidates.places}, e.attribute("axis", int64_t(1))));
}

LogicalResult DetectionOutput::expand() {
  if (failed(check()))
    return failure();
  element = elementOf(e.operand(0));
  isNormalized = e.flag("normalized");
  isShared = e.flag("share_location");
  each = isNormalized ? 4 : 5;
  Value given = e.operand(2), predicted = e.operand(1);
  images = e.dim(e.operand(0), 0);
  priors = e.divide(e.dim(given, 2), e.size(each));
  Type i64 = e.i64();
  classes =
      e.getOpset() < 8 ? e.size(e.integer("num_classes")) : e.divide(e.dim(predicted, 1), e.maximum(priors, e.size(1)));
  Size one = e.size(1), four = e.size(4), boxClasses = isShared ? one : classes, groups = e.multiply(images, classes);
  Value from = readPriors(0, isNormalized ? 0 : 1, each);
  if (!e.flag("variance_encoded_in_target"))
    variances = readPriors(1, 0, 4);
  auto readMoves = [&](unsigned i) { return e.reshape(e.operand(i), {images, priors, boxClasses, four}); };
  if (e.operand(4))
    from = decode(from, readMoves(4));
  Value boxes = decode(from, readMoves(0));
  Value rows = e.reshape(e.transpose(boxes, {0, 2, 1, 3}), {e.product({images, boxClasses, priors}), four});

  Value scores = e.transpose(e.reshape(predicted, {images, priors, classes}), {0, 2, 1});
  Value kinds = e.alignTo(e.range(e.dim(scores, 1), i64), 1, 3);
  int64_t background = e.integer("background_label_id");
  Value isOther = e.make<ov::NotEqualOp>({kinds, e.scalar(double(background), i64)});
  if (e.operand(3)) {
    // A box without an object is background.
    Value object = e.slice(e.reshape(e.operand(3), {images, one, priors, e.size(2)}), 3, 1, 2);
    Value isNone = e.less(e.squeeze(object, {3}), e.scalar(e.number("objectness_score"), element));
    scores = e.select(isNone, e.convert(e.make<ov::LogicalNotOp>(isOther), element), scores);
  }
  bool isBestOnly = e.flag("decrease_label_id");
  Value isCandidate = isBestOnly
                          ? findBestClasses(scores)
                          : both(e, isOther, greater(e, scores, e.scalar(e.number("confidence_threshold"), element)));
  Scores masked = Scores::mask(e, scores, isCandidate);
  masked.values = e.reshape(masked.values, {groups, priors});
  // The rows of a group's boxes are those of an image, or those of an image and a class.
  auto findFirstRow = [&](Value group) {
    return e.multiply(isShared ? divideWithRemainder(e, group, classes).first : group, priors);
  };
  Value first = findFirstRow(e.unsqueeze(e.range(e.dim(masked.values, 0), i64), {1}));
  Candidates candidates = rankBoxes(e, rows, first, masked, isBestOnly ? -1 : e.integer("top_k"));
  Overlap overlap{/*offset=*/0, /*needsContact=*/true};
  Value isChosen = chooseGreedily(e, candidates, overlap, OverlapLimit::read(e, "nms_threshold", element));
  int64_t kept = e.integers("keep_top_k")[0], most = e.integer("top_k");
  if (kept >= 0)
    isChosen = keepBest(candidates, isChosen, e.shapeOf(masked.values), kept);

  Choices choices = Choices::find(e, isChosen);
  auto column = [&](Value values) { return e.unsqueeze(e.convert(values, element), {1}); };
  auto [image, kind] = divideWithRemainder(e, choices.groups, classes);
  Value row = e.add(choices.pick(e, candidates.places), findFirstRow(choices.groups));
  Value corners = e.gather(rows, row, 0);
  if (isBestOnly)
    kind = e.subtract(kind, 1);
  if (e.flag("clip_after_nms"))
    corners = e.maximum(e.minimum(corners, 1), 0);
  Value table = e.concat({column(image), column(kind), column(choices.pick(e, candidates.scores)), corners}, 1);
  Size length = kept > 0   ? e.multiply(images, e.size(kept))
                : most > 0 ? e.product({images, e.size(most), classes})
                           : e.product({images, priors, classes});
  Size count = e.dim(choices.places, 0), seven = e.size(7);
  Value end = e.concat({e.subtract(length, count), e.size(0)}, 0);
  table = e.reshape(e.pad(table, e.integers({0, 0}), end, e.scalar(0, element)), {length, seven});
  Value isEnd =
      both(e, e.equal(e.unsqueeze(e.range(length, i64), {1}), count), e.equal(e.range(seven, i64), e.scalar(0, i64)));
  table = e.select(isEnd, e.scalar(-1, element), table);
  return e.replace(e.reshape(table, {one, one, length, seven}));
}

LogicalResult recur::ir::expandDetectionOutput(Expansion &e) { return DetectionOutput(e).expand(); }
