// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DetectionSuppression.cpp - MatrixNms, MulticlassNms, NMSRotated ----===//
//
// The first two layers give each box of each class a score, or none. The scores return to the places of their boxes, so
// that a stable sort puts equal ones into the order of classes and boxes. The best ones of each image then become rows.
// NMSRotated has rows in the order of choice, as NonMaxSuppression does.
//
//===----------------------------------------------------------------------===//

#include "Suppression.h"

#include "../TypeSyntax.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

namespace {
/// The boxes of images and classes. A group is an image and a class.
struct Detections {
  Size images, classes, boxes;
  /// All boxes, [rows, 4], and the row of the first one of each group, [groups, 1].
  Value rows, firstRow;
  /// The scores of the groups, and which of them may be chosen: [groups, boxes].
  Value scores, mayBeChosen;
  /// True if the classes of an image share its boxes.
  bool isShared = true;
};
} // namespace

/// The image and the class of each group, [groups, 1].
static std::pair<Value, Value> splitGroups(Expansion &e, const Detections &detections) {
  Value groups = e.unsqueeze(e.range(e.dim(detections.scores, 0), e.i64()), {1});
  return divideWithRemainder(e, groups, detections.classes);
}

/// Fails unless dim `axis` of operand `i` may have this length.
static LogicalResult expectDim(Expansion &e, unsigned i, int64_t axis, int64_t length, const Twine &what) {
  int64_t given = typeOf(e.operand(i)).getDimSize(axis);
  if (ShapedType::isDynamic(given) || ShapedType::isDynamic(length) || given == length)
    return success();
  return e.error("expected " + Twine(length) + " " + what + ", but got " + spell(typeOf(e.operand(i))));
}

static LogicalResult checkAttributes(Expansion &e) {
  Type output = e.type("output_type");
  if (!output.isSignlessInteger(32) && !output.isSignlessInteger(64))
    return e.error("expected 'output_type' to be i32 or i64, but got " + spell(output));
  for (StringRef name : {"nms_top_k", "keep_top_k"})
    if (e.integer(name) < -1 || e.integer(name) > INT32_MAX)
      return e.error("expected '" + name + "' to be -1 or a count, but got " + Twine(e.integer(name)));
  return e.expectSameElements({0, 1});
}

/// Reads boxes [images, boxes, 4] and scores [images, classes, boxes]. A rotated box has five numbers.
static FailureOr<Detections> readShared(Expansion &e, int64_t sides = 4) {
  if (failed(e.expectRank(0, 3, 3)) || failed(e.expectRank(1, 3, 3)) ||
      failed(expectDim(e, 0, 2, sides, sides == 4 ? "corners" : "numbers of each box")))
    return failure();
  Value boxes = e.operand(0), scores = e.operand(1);
  if (failed(expectDim(e, 1, 0, typeOf(boxes).getDimSize(0), "images")) ||
      failed(expectDim(e, 1, 2, typeOf(boxes).getDimSize(1), "boxes")))
    return failure();
  Detections result;
  result.images = e.dim(boxes, 0);
  result.boxes = e.dim(boxes, 1);
  result.classes = e.dim(scores, 1);
  Size groups = e.multiply(result.images, result.classes);
  result.rows = e.reshape(boxes, {e.multiply(result.images, result.boxes), e.size(sides)});
  result.scores = e.reshape(scores, {groups, result.boxes});
  result.firstRow = e.multiply(splitGroups(e, result).first, result.boxes);
  return result;
}

/// Reads boxes [classes, boxes, 4] and scores [classes, boxes], and the numbers of boxes of the images, which follow
/// one another. Each image has all boxes, and only its own ones may be chosen.
static FailureOr<Detections> readSplit(Expansion &e) {
  if (!e.operand(2))
    return e.error("expected 'roisnum', because 'scores' has rank 2");
  if (failed(e.expectRank(0, 3, 3)) || failed(e.expectRank(2, 1, 1)) || failed(expectDim(e, 0, 2, 4, "corners")))
    return failure();
  Value boxes = e.operand(0), scores = e.operand(1);
  if (failed(expectDim(e, 1, 0, typeOf(boxes).getDimSize(0), "classes")) ||
      failed(expectDim(e, 1, 1, typeOf(boxes).getDimSize(1), "boxes")))
    return failure();
  Detections result;
  result.isShared = false;
  Value numbers = e.maximum(e.operand(2), 0);
  result.images = e.dim(numbers, 0);
  result.classes = e.dim(boxes, 0);
  result.boxes = e.dim(boxes, 1);
  Size groups = e.multiply(result.images, result.classes);
  result.rows = e.reshape(boxes, {e.multiply(result.classes, result.boxes), e.size(4)});
  Value shape = e.concat({result.images, result.classes, result.boxes}, 0);
  result.scores = e.reshape(e.broadcast(e.reshape(scores, {e.size(1), result.classes, result.boxes}), shape),
                            {groups, result.boxes});
  result.firstRow = e.multiply(splitGroups(e, result).second, result.boxes);
  Value ends = e.make<ov::CumSumOp>({numbers, e.scalar(0, e.i64())});
  Size all = e.reduce<ov::ReduceSumOp>(numbers, {0}, /*keepDims=*/true);
  if (failed(e.requireSizes("the number of boxes without those of 'roisnum'", e.subtract(result.boxes, all))))
    return failure();
  Value place = e.range(result.boxes, e.i64()), starts = e.unsqueeze(e.subtract(ends, numbers), {1});
  Value isOwn = both(e, e.make<ov::LessEqualOp>({starts, place}), e.less(place, e.unsqueeze(ends, {1})));
  result.mayBeChosen = e.reshape(e.broadcast(e.unsqueeze(isOwn, {1}), shape), {groups, result.boxes});
  return result;
}

/// The candidates: boxes of a class that is not the background, and for which `isGood` holds. A score of minus infinity
/// is none, as in the results.
static Candidates rank(Expansion &e, Detections &detections, Value isGood) {
  Value isCandidate = isGood;
  if (detections.mayBeChosen)
    isCandidate = both(e, isCandidate, detections.mayBeChosen);
  if (int64_t background = e.integer("background_class"); background >= 0) {
    Value kind = splitGroups(e, detections).second;
    isCandidate = both(e, isCandidate, e.make<ov::NotEqualOp>({kind, e.scalar(double(background), e.i64())}));
  }
  Scores scores = Scores::mask(e, detections.scores, isCandidate);
  return rankBoxes(e, detections.rows, detections.firstRow, scores, e.integer("nms_top_k"));
}

/// Ends the expansion. `scores` and `isChosen` belong to the candidates.
static LogicalResult replaceByRows(Expansion &e, const Detections &detections, const Candidates &candidates,
                                   Value scores, Value isChosen, bool sortsClassesOfImages) {
  Type element = elementOf(scores), i64 = e.i64(), output = e.type("output_type");
  // The scores at the places of the boxes; minus infinity is none.
  Value none = e.broadcast(e.least(element), e.shapeOf(detections.scores));
  Value all = e.make<ov::ScatterElementsUpdateOp>(
      {none, candidates.places, e.select(isChosen, scores, e.least(element)), e.scalar(1, i64)});
  Size ofImage = e.multiply(detections.classes, detections.boxes), kept = ofImage;
  if (int64_t most = e.integer("keep_top_k"); most >= 0)
    kept = e.minimum(ofImage, e.size(most));
  SmallVector<Value> sorted = findGreatest(e, e.reshape(all, {detections.images, ofImage}), kept);
  Value isRow = greater(e, sorted[0], e.least(element));
  Value counts = e.reduce<ov::ReduceSumOp>(e.convert(isRow, i64), {1}, /*keepDims=*/false);
  Choices choices = Choices::find(e, isRow);
  Value score = choices.pick(e, sorted[0]), place = choices.pick(e, sorted[1]), image = choices.groups;
  auto [kind, box] = divideWithRemainder(e, place, detections.boxes);

  // Rows are in the order of images and scores. A stable sort keeps that of equal ones.
  Value key;
  bool isAcross = e.flag("sort_result_across_batch");
  if (e.text("sort_result_type") == "classid" && (isAcross || sortsClassesOfImages))
    key = isAcross ? kind : e.add(e.multiply(image, detections.classes), kind);
  if (e.text("sort_result_type") == "score" && isAcross)
    key = e.make<ov::NegativeOp>(score);
  if (key) {
    Value order = e.sort(key, e.dim(key, 0))[1];
    for (Value *values : {&score, &image, &kind, &box})
      *values = e.gather(*values, order, 0);
  }
  Value row = e.add(e.multiply(detections.isShared ? image : kind, detections.boxes), box);
  Value index = detections.isShared ? row : e.add(e.multiply(box, detections.classes), kind);
  auto column = [&](Value values) { return e.unsqueeze(values, {1}); };
  Value rows = e.concat({column(e.convert(kind, element)), column(score), e.gather(detections.rows, row, 0)}, 1);
  return e.replace({rows, column(e.convert(index, output)), e.convert(counts, output)});
}

/// The least factor of the scores of each candidate: for each better box, 1 - overlap over 1 - the greatest overlap of
/// that box with boxes that are better than it, or a difference of squares in an exponential.
static Value decay(Expansion &e, const Candidates &candidates) {
  Type element = elementOf(candidates.scores);
  Overlap overlap{e.flag("normalized") ? 0.0 : 1.0, /*needsContact=*/true, /*hasEmptyBoxes=*/true};
  bool isGaussian = e.text("decay_function") == "gaussian";
  double sigma = e.number("gaussian_sigma");
  Size count = e.dim(candidates.scores, 1);
  Value positions = e.unsqueeze(e.range(count, e.i64()), {0}), zero = e.scalar(0, element), one = e.scalar(1, element);
  Value shape = e.shapeOf(candidates.scores), axis = e.scalar(1, e.i64());
  SmallVector<Value> result =
      e.loop(count, {e.broadcast(zero, shape), e.broadcast(one, shape)},
             [&](Value iteration, ValueRange carried) -> SmallVector<Value> {
               Value share = overlap.compute(e, candidates.corners.getColumn(e, iteration), candidates.corners);
               Value isBetter = e.less(positions, iteration), greatest = carried[0];
               // An overlap that is NaN, of two boxes without area, counts as none.
               share = e.select(both(e, isBetter, e.equal(share, share)), share, zero);
               Value own = e.reduce<ov::ReduceMaxOp>(share, {1}, /*keepDims=*/false);
               Value factors;
               if (isGaussian)
                 factors = e.make<ov::ExpOp>(e.multiply(e.subtract(e.square(greatest), e.square(share)), sigma));
               else
                 factors = e.divide(e.subtract(one, share), e.add(e.subtract(one, greatest), 1e-10));
               factors = e.select(isBetter, factors, one);
               Value least = e.minimum(e.reduce<ov::ReduceMinOp>(factors, {1}, /*keepDims=*/false), one);
               Value first = e.make<ov::ScatterUpdateOp>({greatest, iteration, own, axis});
               Value second = e.make<ov::ScatterUpdateOp>({carried[1], iteration, least, axis});
               return {first, second};
             });
  return result[1];
}

LogicalResult recur::ir::expandMatrixNms(Expansion &e) {
  if (failed(checkAttributes(e)))
    return failure();
  FailureOr<Detections> detections = readShared(e);
  if (failed(detections))
    return failure();
  Type element = elementOf(detections->scores);
  Value isGood = greater(e, detections->scores, e.scalar(e.number("score_threshold"), element));
  Candidates candidates = rank(e, *detections, isGood);
  Value scores = e.multiply(candidates.scores, decay(e, candidates));
  Value isChosen = both(e, candidates.isCandidate, greater(e, scores, e.scalar(e.number("post_threshold"), element)));
  return replaceByRows(e, *detections, candidates, scores, isChosen, /*sortsClassesOfImages=*/false);
}

LogicalResult recur::ir::expandMulticlassNms(Expansion &e) {
  if (failed(checkAttributes(e)) || failed(e.expectRank(1, 2, 3)))
    return failure();
  FailureOr<Detections> detections = rankOf(e.operand(1)) == 3 ? readShared(e) : readSplit(e);
  if (failed(detections))
    return failure();
  Type element = elementOf(detections->scores);
  Value isGood = e.make<ov::GreaterEqualOp>({detections->scores, e.scalar(e.number("score_threshold"), element)});
  Candidates candidates = rank(e, *detections, isGood);
  double factor = e.number("nms_eta");
  Overlap overlap{e.flag("normalized") ? 0.0 : 1.0};
  OverlapLimit limit = OverlapLimit::read(e, "iou_threshold", element);
  limit.includesEqual = true;
  if (factor >= 0 && factor < 1)
    limit.factor = factor;
  Value isChosen = chooseGreedily(e, candidates, overlap, limit);
  return replaceByRows(e, *detections, candidates, candidates.scores, isChosen, /*sortsClassesOfImages=*/true);
}

LogicalResult recur::ir::expandNMSRotated(Expansion &e) {
  Type output = e.type("output_type"), i64 = e.i64();
  if (!output.isSignlessInteger(32) && !output.isSignlessInteger(64))
    return e.error("expected 'output_type' to be i32 or i64, but got " + spell(output));
  for (unsigned i : {2, 3, 4})
    if (failed(e.expectOneElement(i)))
      return failure();
  FailureOr<Detections> detections = readShared(e, /*sides=*/5);
  if (failed(detections) || failed(e.expectSameElements({0, 1})))
    return failure();
  Type element = e.wide(elementOf(detections->scores));
  for (Value *values : {&detections->rows, &detections->scores})
    *values = e.convert(*values, element);
  auto scalar = [&](unsigned i, Type type) { return e.reshape(e.convert(e.operand(i), type), e.integers({})); };
  Value isCandidate = greater(e, detections->scores, scalar(4, element));
  Candidates candidates = rankScores(e, Scores::mask(e, detections->scores, isCandidate), /*most=*/-1);
  Value rows = gatherBoxes(e, candidates, detections->rows, detections->firstRow);
  if (!e.flag("clockwise"))
    rows = e.multiply(rows, e.floats({1, 1, 1, 1, -1}, {5}, element));
  RotatedBoxes boxes = RotatedBoxes::split(e, rows);
  auto overlapWith = [&](Value at) { return boxes.overlapWith(e, boxes.getColumn(e, at)); };
  Value isChosen = chooseGreedily(e, candidates, overlapWith, OverlapLimit{scalar(3, element)});
  isChosen = keepFirst(e, isChosen, scalar(2, i64));

  // Candidates are in the order of images, classes and scores. A stable sort keeps that of equal scores.
  Choices choices = Choices::find(e, isChosen);
  auto [image, kind] = divideWithRemainder(e, choices.groups, detections->classes);
  Value score = choices.pick(e, candidates.scores);
  auto column = [&](Value values) { return e.unsqueeze(values, {1}); };
  Value indices = e.concat({column(image), column(kind), column(choices.pick(e, candidates.places))}, 1);
  Size count = e.dim(choices.places, 0);
  if (e.flag("sort_result_descending")) {
    Value order = e.sort(e.make<ov::NegativeOp>(score), count)[1];
    score = e.gather(score, order, 0);
    indices = e.gather(indices, order, 0);
  }
  Type own = elementOf(e.operand(4));
  Value places = e.convert(e.slice(indices, 1, 0, 2), own);
  Value table = e.concat({places, e.unsqueeze(e.convert(score, own), {1})}, 1);
  return e.replace({e.convert(indices, output), table, e.convert(count, output)});
}
