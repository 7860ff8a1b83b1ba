// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DetectionProposals.cpp - Boxes that are moved and chosen -----------===//
//
// These layers move boxes by what a model predicts for them, and choose the best ones that overlap little: the anchors
// of all places of an image (GenerateProposals), or regions, for each class (ExperimentalDetectronDetectionOutput).
//
//===----------------------------------------------------------------------===//

#include "Suppression.h"

#include "../TypeSyntax.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

namespace {
/// Boxes, or by what boxes are moved: tensors [2, groups, boxes]. What belongs to x and what belongs to y are their
/// planes, so that both take the same ops.
struct Planes {
  /// The corners where x and y are least and greatest. Of moves, those of the centres and of the sides.
  Value low, high;
  /// Splits the last dim, which is 4, of a tensor of rank 3. The planes are copied, so that they are read as vectors.
  static Planes split(Expansion &e, Value boxes) { return fromPlanes(e, e.transpose(boxes, {2, 0, 1})); }
  /// Splits the first dim, which is 4.
  static Planes fromPlanes(Expansion &e, Value planes) {
    Value low = e.slice(planes, 0, 0, 2), high = e.slice(planes, 0, 2, 4);
    return {low, high};
  }
  /// The boxes as rows, [groups * boxes, 4].
  Value makeRows(Expansion &e) const {
    return e.reshape(e.transpose(e.concat({low, high}, 0), {1, 2, 0}), {e.size(-1), e.size(4)});
  }
};
} // namespace

/// True where this holds for x and for y, the planes of `flags`.
static Value bothPlanes(Expansion &e, Value flags) {
  Value x = getPlane(e, flags, 0), y = getPlane(e, flags, 1);
  return both(e, x, y);
}

/// Moves the boxes `from` by deltas. The first two deltas move the centre, in units of the sides. The others, but at
/// most `most`, are logarithms of factors of the sides. `offset` is what a side has beyond the difference of its
/// corners, and `endOffset` is how much of it the results have not.
static Planes moveBoxes(Expansion &e, const Planes &from, const Planes &by, double offset, double endOffset,
                        double most) {
  Value length = e.add(e.subtract(from.high, from.low), offset);
  Value centre = e.add(e.multiply(by.low, length), e.add(from.low, e.multiply(length, 0.5)));
  Value half = e.multiply(e.multiply(e.make<ov::ExpOp>(e.minimum(by.high, most)), length), 0.5);
  Value low = e.subtract(centre, half), high = e.subtract(e.add(centre, half), endOffset);
  return {low, high};
}

/// Appends zeros until `values` has `count` rows.
static Value padRows(Expansion &e, Value values, int64_t count) {
  SmallVector<int64_t> begin(rankOf(values), 0);
  SmallVector<Size> end{e.subtract(e.size(count), e.dim(values, 0))}, shape{e.size(count)};
  for (int64_t i = 1; i < rankOf(values); ++i) {
    end.push_back(e.size(0));
    shape.push_back(e.dim(values, i));
  }
  return e.reshape(e.pad(values, e.integers(begin), e.concat(end, 0), e.scalar(0, elementOf(values))), shape);
}

/// Fails unless the attribute is a count, or -1 if that is allowed.
static LogicalResult expectCount(Expansion &e, StringRef name, int64_t least) {
  constexpr int64_t kMost = 1 << 24;
  if (e.integer(name) >= least && e.integer(name) <= kMost)
    return success();
  return e.error("expected '" + name + "' to be from " + Twine(least) + " to " + Twine(kMost) + ", but got " +
                 Twine(e.integer(name)));
}

//===----------------------------------------------------------------------===//
// Anchors
//===----------------------------------------------------------------------===//

namespace {
/// What is chosen of the anchors of each image: booleans [images, candidates].
struct Proposals {
  Candidates candidates;
  Value isChosen;
};

/// How layers that move anchors differ.
struct ProposalRules {
  /// See moveBoxes.
  double offset, endOffset, mostGrowth = std::log(1000. / 16.);
  /// A small box is never chosen, or its score is 0.
  bool keepsSmall = false;
  bool isClipped = true;
  /// The number of candidates.
  int64_t before;
};
} // namespace

/// `bounds` are the width and the height of the images, planes that broadcast to [2, images, 1]. `deltas` is [images,
/// 4 * anchors, height, width], and `scores` is [images, anchors, height, width]. `anchors` are of one group, in the
/// order height, width, anchors. `least` are the least width and height of a box, as `bounds`, or a scalar for both if
/// small boxes are kept.
static Proposals propose(Expansion &e, Value bounds, const Planes &anchors, Value deltas, Value scores, Value least,
                         const ProposalRules &rules) {
  Size height = e.dim(scores, 2), width = e.dim(scores, 3), each = e.dim(scores, 1), four = e.size(4);
  Size images = e.dim(scores, 0), places = e.product({height, width, each});
  Value moves = e.transpose(e.reshape(deltas, {images, each, four, height, width}), {2, 0, 3, 4, 1});
  Planes by = Planes::fromPlanes(e, e.reshape(moves, {four, images, places}));
  Value all = e.reshape(e.transpose(scores, {0, 2, 3, 1}), {images, places});
  // Each place has its own anchor: a wrong number must not broadcast.
  auto perPlace = [&](Value corners) { return e.reshape(corners, {e.size(2), e.size(1), places}); };
  Value low = perPlace(anchors.low), high = perPlace(anchors.high);
  Planes boxes = moveBoxes(e, {low, high}, by, rules.offset, rules.endOffset, rules.mostGrowth);
  if (rules.isClipped) {
    Value last = e.subtract(bounds, rules.offset);
    for (Value *corner : {&boxes.low, &boxes.high})
      *corner = e.maximum(e.minimum(*corner, last), 0);
  }
  if (rules.keepsSmall) {
    Value isLong = e.make<ov::LessEqualOp>({least, e.add(e.subtract(boxes.high, boxes.low), rules.offset)});
    all = e.select(bothPlanes(e, isLong), all, e.scalar(0, elementOf(all)));
  }
  Value first = e.multiply(e.unsqueeze(e.range(images, e.i64()), {1}), places);
  Proposals result;
  Candidates &candidates = result.candidates;
  // A score that is NaN is never chosen.
  candidates = rankBoxes(e, boxes.makeRows(e), first, {all, e.equal(all, all)}, rules.before);
  if (rules.keepsSmall)
    return result;
  auto isLong = [&](Value low, Value high, int64_t plane) {
    Value shortest = getPlane(e, least, plane);
    return e.make<ov::LessEqualOp>({shortest, e.add(e.subtract(high, low), rules.offset)});
  };
  const Corners &corners = candidates.corners;
  Value isLarge = both(e, isLong(corners.y0, corners.y1, 1), isLong(corners.x0, corners.x1, 0));
  candidates.isCandidate = both(e, candidates.isCandidate, isLarge);
  return result;
}

/// The corners of anchors, a tensor whose last dim is 4.
static Planes splitAnchors(Expansion &e, Value anchors) {
  return Planes::split(e, e.reshape(anchors, {e.size(1), e.size(-1), e.size(4)}));
}

/// Columns of a tensor of rank 2 as planes, [columns, rows, 1].
static Value makePlanes(Expansion &e, Value values, ArrayRef<int64_t> columns) {
  return e.unsqueeze(e.transpose(e.gather(values, e.integers(columns), 1), {1, 0}), {2});
}

/// Gives the tensor of what is known of `images` images, [images, 3 or more], dims that are known. So no op needs code
/// for others.
static Value settleInfo(Expansion &e, Value info, Size images) {
  if (typeOf(info).hasStaticShape())
    return info;
  return e.reshape(e.slice(info, 1, 0, 3), {images, e.size(3)});
}

/// Chooses, and returns the choices.
static Choices choose(Expansion &e, Proposals &proposals, double offset) {
  Overlap overlap{offset, /*needsContact=*/true};
  Type element = elementOf(proposals.candidates.scores);
  Value all = chooseGreedily(e, proposals.candidates, overlap, OverlapLimit::read(e, "nms_threshold", element));
  proposals.isChosen = keepFirst(e, all, e.integer("post_nms_count"));
  return Choices::find(e, proposals.isChosen);
}

/// The boxes of the choices, [choices, 4].
static Value pickBoxes(Expansion &e, const Choices &choices, const Candidates &candidates) {
  return e.gather(e.reshape(candidates.boxes, {e.size(-1), e.size(4)}), choices.places, 0);
}

/// `batchDims` is 1 if the operands have a dim of images, and 0 if there is one image, whose anchors are rows.
static LogicalResult checkProposals(Expansion &e, int64_t batchDims) {
  if (failed(e.expectRank(0, 1 + batchDims, 1 + batchDims)) ||
      failed(e.expectRank(1, 2 + 2 * batchDims, 2 + 2 * batchDims)) ||
      failed(e.expectRank(2, 3 + batchDims, 3 + batchDims)) || failed(e.expectRank(3, 3 + batchDims, 3 + batchDims)) ||
      failed(expectCount(e, "pre_nms_count", 0)) || failed(expectCount(e, "post_nms_count", 0)))
    return failure();
  if (int64_t count = typeOf(e.operand(0)).getDimSize(batchDims);
      !ShapedType::isDynamic(count) && count != 3 && (count != 4 || batchDims == 0))
    return e.error("expected the height, the width and the scale of the image, but got " + spell(typeOf(e.operand(0))));
  return e.expectSameElements({0, 1, 2, 3});
}

LogicalResult recur::ir::expandGenerateProposals(Expansion &e) {
  if (failed(checkProposals(e, /*batchDims=*/1)))
    return failure();
  Type output = e.type("roi_num_type");
  if (!output.isSignlessInteger(32) && !output.isSignlessInteger(64))
    return e.error("expected 'roi_num_type' to be i32 or i64, but got " + spell(output));
  double offset = e.flag("normalized") ? 0 : 1;
  Size images = e.dim(e.operand(3), 0);
  // Entry 2 is the scale, or 2 and 3 are those of the height and of the width.
  Size last = e.subtract(e.dim(e.operand(0), 1), 1);
  Value across = e.reshape(e.gather(e.operand(0), last, 1), {images, e.size(1)});
  Value info = settleInfo(e, e.operand(0), images), down = e.slice(info, 1, 2, 3);
  Value least = e.multiply(makePlanes(e, e.concat({across, down}, 1), {0, 1}), e.number("min_size"));
  ProposalRules rules{.offset = offset, .endOffset = offset, .before = e.integer("pre_nms_count")};
  Planes anchors = splitAnchors(e, e.operand(1));
  Proposals proposals = propose(e, makePlanes(e, info, {1, 0}), anchors, e.operand(2), e.operand(3), least, rules);
  Choices choices = choose(e, proposals, offset);
  Value counts = e.reduce<ov::ReduceSumOp>(e.convert(proposals.isChosen, e.i64()), {1}, /*keepDims=*/false);
  Value boxes = pickBoxes(e, choices, proposals.candidates);
  Value scores = choices.pick(e, proposals.candidates.scores);
  return e.replace({boxes, scores, e.convert(counts, output)});
}

LogicalResult recur::ir::expandExperimentalDetectronGenerateProposalsSingleImage(Expansion &e) {
  if (failed(checkProposals(e, /*batchDims=*/0)))
    return failure();
  auto batched = [&](unsigned i) { return e.unsqueeze(e.operand(i), {0}); };
  Value info = settleInfo(e, batched(0), e.size(1)), deltas = batched(2), scores = batched(3);
  Value least = e.scalar(e.number("min_size"), elementOf(info));
  // OpenVINO counts a pixel more where boxes are moved, and not where they overlap.
  ProposalRules rules{.offset = 1, .endOffset = 1, .keepsSmall = true, .before = e.integer("pre_nms_count")};
  Planes anchors = splitAnchors(e, e.operand(1));
  Proposals proposals = propose(e, makePlanes(e, info, {1, 0}), anchors, deltas, scores, least, rules);
  Candidates &candidates = proposals.candidates;
  Choices choices = choose(e, proposals, /*offset=*/0);
  int64_t count = e.integer("post_nms_count");
  Value boxes = padRows(e, pickBoxes(e, choices, candidates), count);
  return e.replace({boxes, padRows(e, choices.pick(e, candidates.scores), count)});
}

//===----------------------------------------------------------------------===//
// Proposal
//===----------------------------------------------------------------------===//

/// The corners of the anchors of a place, [4] each: x0, y0, x1, y1. Each ratio of height to width has boxes of all
/// scales. OpenVINO computes them in f32.
static SmallVector<double> makeAnchors(Expansion &e, bool isTensorFlow) {
  float size = float(e.integer("base_size")), offset = isTensorFlow ? 0 : 1;
  float centre = 0.5f * (size - offset), origin = isTensorFlow ? 0.5f * size : 0;
  SmallVector<double> result;
  for (double ratio : e.numbers("ratio")) {
    float width = std::sqrt(size * size / float(ratio));
    width = isTensorFlow ? width : std::round(width);
    float height = width * float(ratio);
    height = isTensorFlow ? height : std::round(height);
    for (double scale : e.numbers("scale")) {
      float right = 0.5f * (width * float(scale) - offset), down = 0.5f * (height * float(scale) - offset);
      for (float corner : {centre - right, centre - down, centre + right, centre + down})
        result.push_back(corner - origin);
    }
  }
  return result;
}

/// The chosen boxes of each image, the first ones first, as rows with the number of the image in front. Behind them is
/// a row that begins with -1, and rows of zeros: `count` rows for each image. Also their scores. `boxes` are those of
/// the candidates, [images, candidates, 4].
static LogicalResult replaceByImages(Expansion &e, const Proposals &proposals, Value boxes, int64_t count) {
  Value isChosen = proposals.isChosen;
  Type element = elementOf(boxes), i64 = e.i64();
  Size images = e.dim(isChosen, 0), length = e.dim(isChosen, 1);
  Value chosen = e.convert(isChosen, i64), counts = e.reduce<ov::ReduceSumOp>(chosen, {1}, /*keepDims=*/true);
  // A chosen box goes to the row of its number, and the others to a row behind all, which is dropped. Boxes and scores
  // go together.
  Value number = e.make<ov::CumSumOp>({chosen, e.scalar(1, i64)});
  Value row = e.select(isChosen, e.subtract(number, 1), e.scalar(double(count), i64));
  SmallVector<Value> parts{boxes};
  bool returnsScores = e.getOpset() >= 4;
  if (returnsScores)
    parts.push_back(e.unsqueeze(proposals.candidates.scores, {2}));
  Value values = e.concat(parts, 2), columns = e.dim(values, 2), zero = e.scalar(0, element);
  Value rows = e.broadcast(e.unsqueeze(row, {2}), e.concat({images, length, columns}, 0));
  Value none = e.broadcast(zero, e.concat({images, e.size(count + 1), columns}, 0));
  Value placed = e.slice(e.make<ov::ScatterElementsUpdateOp>({none, rows, values, e.scalar(1, i64)}), 1, 0, count);
  Value numbers = e.unsqueeze(e.range(e.size(count), i64), {0});
  Value end = e.select(e.equal(numbers, counts), e.scalar(-1, element), zero);
  Value image = e.convert(e.unsqueeze(e.range(images, i64), {1}), element);
  Value first = e.unsqueeze(e.select(e.less(numbers, counts), image, end), {2});
  Size all = e.multiply(images, e.size(count));
  SmallVector<Value> results{e.reshape(e.concat({first, e.slice(placed, 2, 0, 4)}, 2), {all, e.size(5)})};
  if (returnsScores)
    results.push_back(e.reshape(e.slice(placed, 2, 4, 5), {all}));
  return e.replace(results);
}

LogicalResult recur::ir::expandProposal(Expansion &e) {
  if (failed(e.expectRank(0, 4, 4)) || failed(e.expectRank(1, 4, 4)) || failed(e.expectRank(2, 1, 1)) ||
      failed(e.expectSameElements({0, 1, 2})))
    return failure();
  for (StringRef name : {"base_size", "pre_nms_topn", "post_nms_topn", "feat_stride"})
    if (failed(expectCount(e, name, 1)))
      return failure();
  if (int64_t count = typeOf(e.operand(2)).getDimSize(0); !ShapedType::isDynamic(count) && count != 3 && count != 4)
    return e.error("expected the height, the width and the scale of the image, but got " + spell(typeOf(e.operand(2))));
  StringRef framework = e.has("framework") ? e.text("framework") : "";
  if (!framework.empty() && framework != "tensorflow")
    return e.error("expected 'framework' to be empty or tensorflow, but got " + framework);
  bool isTensorFlow = framework == "tensorflow";
  for (double ratio : e.numbers("ratio"))
    if (!(ratio > 0) || !std::isfinite(ratio))
      return e.error("expected the entries of 'ratio' to be positive");
  SmallVector<double> corners = makeAnchors(e, isTensorFlow);
  int64_t each = int64_t(corners.size()) / 4;
  if (each == 0 || each > (1 << 16))
    return e.error("expected 1 to 65536 boxes of 'ratio' and 'scale' at each place, but got " + Twine(each));

  Type element = elementOf(e.operand(0));
  Size images = e.dim(e.operand(0), 0), height = e.dim(e.operand(0), 2), width = e.dim(e.operand(0), 3);
  Value info = e.unsqueeze(e.operand(2), {0}), last = e.subtract(e.dim(info, 1), 1);
  double least = double(e.integer("min_size")), offset = isTensorFlow ? 0 : 1;
  Value across = e.gather(info, last, 1);
  info = settleInfo(e, info, e.size(1));
  Value sizes = e.multiply(makePlanes(e, e.concat({across, e.slice(info, 1, 2, 3)}, 1), {0, 1}), least);
  // For TensorFlow, x and y, and so the sizes of the image, change places.
  Value bounds = isTensorFlow ? makePlanes(e, info, {0, 1}) : makePlanes(e, info, {1, 0});
  auto getPlaces = [&](Size count, int64_t axis) {
    Value places = e.multiply(e.range(count, element), double(e.integer("feat_stride")));
    return e.broadcast(e.alignTo(places, axis, 4), e.concat({e.size(1), height, width, e.size(1)}, 0));
  };
  Value x = isTensorFlow ? getPlaces(height, 1) : getPlaces(width, 2);
  Value y = isTensorFlow ? getPlaces(width, 2) : getPlaces(height, 1);
  Value places = e.concat({x, y}, 0);
  auto makeAnchorCorners = [&](int64_t first) {
    SmallVector<double> ofPlace;
    for (int64_t i : {first, first + 1})
      for (int64_t k = 0; k != each; ++k)
        ofPlace.push_back(corners[4 * k + i]);
    Value corner = e.add(places, e.floats(ofPlace, {2, 1, 1, each}, element));
    corner = e.reshape(corner, {e.size(2), e.size(1), e.size(-1)});
    return isTensorFlow ? e.maximum(e.minimum(corner, bounds), 0) : corner;
  };
  Value low = makeAnchorCorners(0), high = makeAnchorCorners(2);
  double shift = e.number("box_coordinate_scale"), growth = e.number("box_size_scale");
  Value deltas = e.divide(e.reshape(e.operand(1), {images, e.size(each), e.size(4), height, width}),
                          e.floats({shift, shift, growth, growth}, {4, 1, 1}, element));
  // The first half of the scores is that of the background.
  Value scores = e.reshape(e.operand(0), {images, e.size(2 * each), height, width});
  ProposalRules rules{.offset = offset,
                      .endOffset = 0,
                      .mostGrowth = std::numeric_limits<double>::infinity(),
                      .keepsSmall = true,
                      .isClipped = e.flag("clip_before_nms"),
                      .before = e.integer("pre_nms_topn")};
  Proposals proposals = propose(e, bounds, {low, high}, deltas, e.slice(scores, 1, each, 2 * each), sizes, rules);
  Overlap overlap{offset, /*needsContact=*/true};
  Value isChosen = chooseGreedily(e, proposals.candidates, overlap, OverlapLimit::read(e, "nms_thresh", element));
  proposals.isChosen = keepFirst(e, isChosen, e.integer("post_nms_topn"));
  Value boxes = proposals.candidates.boxes, limits = e.reshape(e.concat({bounds, bounds}, 0), e.size(4));
  if (e.flag("clip_after_nms"))
    boxes = e.maximum(e.minimum(boxes, limits), 0);
  if (e.flag("normalize"))
    boxes = e.divide(boxes, limits);
  return replaceByImages(e, proposals, boxes, e.integer("post_nms_topn"));
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

LogicalResult recur::ir::expandExperimentalDetectronDetectionOutput(Expansion &e) {
  for (unsigned i : {0, 1, 2})
    if (failed(e.expectRank(i, 2, 2)))
      return failure();
  int64_t all = e.integer("num_classes"), most = e.integer("max_detections_per_image");
  SmallVector<double> weights = e.numbers("deltas_weights");
  if (failed(expectCount(e, "num_classes", 1)) || failed(expectCount(e, "max_detections_per_image", 0)) ||
      failed(expectCount(e, "post_nms_count", -1)) || failed(e.expectSameElements({0, 1, 2, 3})))
    return failure();
  if (weights.size() != 4)
    return e.error("expected 'deltas_weights' to have 4 entries, but got " + Twine(weights.size()));
  Value regions = e.operand(0);
  Type element = elementOf(regions), i64 = e.i64();
  Size count = e.dim(regions, 0), classes = e.size(all - 1), four = e.size(4);
  // Class 0 is the background.
  auto perClass = [&](Value values) { return e.slice(values, 1, 1, all); };
  Value deltas = perClass(e.reshape(e.operand(1), {count, e.size(all), four}));
  deltas = e.divide(e.transpose(deltas, {1, 0, 2}), e.floats(weights, {4}, element));
  Value scores = e.transpose(perClass(e.reshape(e.operand(2), {count, e.size(all)})), {1, 0});
  Value given = e.reshape(regions, {e.size(1), count, four});
  Planes corners = Planes::split(e, given), by = Planes::split(e, deltas);
  Planes moved = moveBoxes(e, corners, by, /*offset=*/1, /*endOffset=*/1, e.number("max_delta_log_wh"));
  for (Value *corner : {&moved.low, &moved.high})
    *corner = e.maximum(*corner, 0);
  Value rows = moved.makeRows(e), first = e.multiply(e.unsqueeze(e.range(classes, i64), {1}), count);
  Value hasArea = bothPlanes(e, greater(e, corners.high, corners.low));
  Value isCandidate = both(e, hasArea, greater(e, scores, e.scalar(e.number("score_threshold"), element)));
  Candidates candidates = rankBoxes(e, rows, first, Scores::mask(e, scores, isCandidate), /*most=*/-1);
  Overlap overlap{/*offset=*/1, /*needsContact=*/true};
  Value isChosen = chooseGreedily(e, candidates, overlap, OverlapLimit::read(e, "nms_threshold", element));
  isChosen = keepFirst(e, isChosen, e.integer("post_nms_count"));

  Choices choices = Choices::find(e, isChosen);
  Value score = choices.pick(e, candidates.scores), place = choices.pick(e, candidates.places), kind = choices.groups;
  Value row = e.add(e.multiply(kind, count), place);
  // Only if there are too many, the best ones come first: of equal ones, those of the first regions.
  Size chosen = e.dim(choices.places, 0), kept = e.minimum(chosen, e.size(most));
  Value isMany = greater(e, chosen, e.size(most));
  auto sortBy = [&](Value key, Size length) {
    Value order = e.sort(e.select(isMany, key, e.scalar(0, elementOf(key))), length)[1];
    for (Value *values : {&score, &place, &row, &kind})
      *values = e.gather(*values, order, 0);
  };
  sortBy(place, chosen);
  sortBy(e.make<ov::NegativeOp>(score), kept);
  Type i32 = IntegerType::get(i64.getContext(), 32);
  return e.replace({padRows(e, e.gather(rows, row, 0), most), padRows(e, e.convert(e.add(kind, 1), i32), most),
                    padRows(e, score, most)});
}
