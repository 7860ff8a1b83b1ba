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

/// Moves the boxes `from` by deltas. The first two deltas move the centre, in units of the sides. The others, but at
/// most `most`, are logarithms of factors of the sides. `offset` is what a side has beyond the difference of its
/// corners, and `endOffset` is how much of it the results have not.
static Corners moveBoxes(Expansion &e, const Corners &from, const Corners &by, double offset, double endOffset,
                         double most) {
  auto move = [&](Value low, Value high, Value shift, Value growth) {
    Value length = e.add(e.subtract(high, low), offset);
    Value centre = e.add(e.multiply(shift, length), e.add(low, e.multiply(length, 0.5)));
    Value half = e.multiply(e.multiply(e.make<ov::ExpOp>(e.minimum(growth, most)), length), 0.5);
    Value first = e.subtract(centre, half), second = e.subtract(e.add(centre, half), endOffset);
    return std::pair(first, second);
  };
  auto [x0, x1] = move(from.x0, from.x1, by.x0, by.x1);
  auto [y0, y1] = move(from.y0, from.y1, by.y0, by.y1);
  return {x0, y0, x1, y1};
}

/// The corners as rows [boxes, 4].
static Value makeRows(Expansion &e, const Corners &corners) {
  auto column = [&](Value side) { return e.reshape(side, {e.size(-1), e.size(1)}); };
  Value x0 = column(corners.x0), y0 = column(corners.y0), x1 = column(corners.x1), y1 = column(corners.y1);
  return e.concat({x0, y0, x1, y1}, 1);
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

/// `info` is [images, 2 or more]: the height and the width of the image. `deltas` is [images, 4 * anchors, height,
/// width], and `scores` is [images, anchors, height, width]. The sides of `anchors` are in the order height, width,
/// anchors. `least` has the least height and width of a box of each image, tensors that broadcast to [images, 1].
static Proposals propose(Expansion &e, Value info, const Corners &anchors, Value deltas, Value scores,
                         std::pair<Value, Value> least, const ProposalRules &rules) {
  Size height = e.dim(scores, 2), width = e.dim(scores, 3), each = e.dim(scores, 1), four = e.size(4);
  Size images = e.dim(scores, 0), places = e.product({height, width, each});
  Value moves = e.transpose(e.reshape(deltas, {images, each, four, height, width}), {2, 0, 3, 4, 1});
  Corners by = Corners::fromPlanes(e, e.reshape(moves, {four, images, places}));
  Value all = e.reshape(e.transpose(scores, {0, 2, 3, 1}), {images, places});
  auto asRow = [&](Value side) { return e.reshape(side, {e.size(1), places}); };
  Value left = asRow(anchors.x0), top = asRow(anchors.y0), right = asRow(anchors.x1), bottom = asRow(anchors.y1);
  Corners moved = moveBoxes(e, {left, top, right, bottom}, by, rules.offset, rules.endOffset, rules.mostGrowth);
  auto clip = [&](Value side, int64_t entry) {
    if (!rules.isClipped)
      return side;
    Value last = e.subtract(e.slice(info, 1, entry, entry + 1), rules.offset);
    return e.maximum(e.minimum(side, last), 0);
  };
  Value x0 = clip(moved.x0, 1), y0 = clip(moved.y0, 0), x1 = clip(moved.x1, 1), y1 = clip(moved.y1, 0);
  Corners boxes{x0, y0, x1, y1};
  auto isLong = [&](Value low, Value high, Value shortest) {
    return e.make<ov::LessEqualOp>({shortest, e.add(e.subtract(high, low), rules.offset)});
  };
  auto isLarge = [&](const Corners &box) {
    return both(e, isLong(box.y0, box.y1, least.first), isLong(box.x0, box.x1, least.second));
  };
  if (rules.keepsSmall)
    all = e.select(isLarge(boxes), all, e.scalar(0, elementOf(all)));
  Value first = e.multiply(e.unsqueeze(e.range(images, e.i64()), {1}), places);
  Proposals result;
  Candidates &candidates = result.candidates;
  // A score that is NaN is never chosen.
  candidates = rankBoxes(e, makeRows(e, boxes), first, all, e.equal(all, all), rules.before);
  if (!rules.keepsSmall)
    candidates.isCandidate = both(e, candidates.isCandidate, isLarge(candidates.corners));
  return result;
}

/// The sides of anchors, a tensor whose last dim is 4.
static Corners splitAnchors(Expansion &e, Value anchors) {
  return Corners::split(e, e.reshape(anchors, {e.size(1), e.size(-1), e.size(4)}));
}

/// Gives the tensor of what is known of `images` images, [images, 3 or more], dims that are known. So no op needs code
/// for others.
static Value settleInfo(Expansion &e, Value info, Size images) {
  if (typeOf(info).hasStaticShape())
    return info;
  return e.reshape(e.slice(info, 1, 0, 3), {images, e.size(3)});
}

/// Chooses, and returns the numbers of what is chosen.
static Value choose(Expansion &e, Proposals &proposals, double offset) {
  Overlap overlap{offset, /*needsContact=*/true};
  Type element = elementOf(proposals.candidates.scores);
  Value all = chooseGreedily(e, proposals.candidates, overlap, OverlapLimit::read(e, "nms_threshold", element));
  proposals.isChosen = keepFirst(e, all, e.integer("post_nms_count"));
  return e.findTrue(e.reshape(proposals.isChosen, e.size(-1)));
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
  std::pair<Value, Value> least(e.multiply(down, e.number("min_size")), e.multiply(across, e.number("min_size")));
  ProposalRules rules{.offset = offset, .endOffset = offset, .before = e.integer("pre_nms_count")};
  Corners anchors = splitAnchors(e, e.operand(1));
  Proposals proposals = propose(e, info, anchors, e.operand(2), e.operand(3), least, rules);
  Value which = choose(e, proposals, offset);
  Value counts = e.reduce<ov::ReduceSumOp>(e.convert(proposals.isChosen, e.i64()), {1}, /*keepDims=*/false);
  Value boxes = e.gather(makeRows(e, proposals.candidates.corners), which, 0);
  Value scores = e.gather(e.reshape(proposals.candidates.scores, e.size(-1)), which, 0);
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
  Corners anchors = splitAnchors(e, e.operand(1));
  Proposals proposals = propose(e, info, anchors, deltas, scores, {least, least}, rules);
  Candidates &candidates = proposals.candidates;
  Value which = choose(e, proposals, /*offset=*/0);
  int64_t count = e.integer("post_nms_count");
  Value boxes = padRows(e, e.gather(makeRows(e, candidates.corners), which, 0), count);
  return e.replace({boxes, padRows(e, e.gather(e.reshape(candidates.scores, e.size(-1)), which, 0), count)});
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
/// a row that begins with -1, and rows of zeros: `count` rows for each image. Also their scores.
static LogicalResult replaceByImages(Expansion &e, const Proposals &proposals, ArrayRef<Value> sides, int64_t count) {
  Value isChosen = proposals.isChosen;
  Type element = elementOf(sides.front()), i64 = e.i64();
  MLIRContext *context = i64.getContext();
  Size images = e.dim(isChosen, 0), length = e.dim(isChosen, 1), kept = e.minimum(length, e.size(count));
  Value order = e.makeAll<ov::TopKOp>({e.convert(isChosen, IntegerType::get(context, 32)), kept},
                                      {e.attribute("axis", int64_t(1)),
                                       e.attribute("mode", ov::TopKModeAttr::get(context, ov::TopKMode::Max)),
                                       e.attribute("sort", ov::TopKSortAttr::get(context, ov::TopKSort::Value)),
                                       e.attribute("index_element_type", i64)})[1];
  Value counts = e.reduce<ov::ReduceSumOp>(e.convert(isChosen, i64), {1}, /*keepDims=*/true);
  Value numbers = e.unsqueeze(e.range(e.size(count), i64), {0}), zero = e.scalar(0, element);
  Value isRow = e.less(numbers, counts);
  // The sides and the scores are arranged together: planes of which each has the values of all images.
  SmallVector<Value> planes(sides);
  bool returnsScores = e.getOpset() >= 4;
  if (returnsScores)
    planes.push_back(proposals.candidates.scores);
  int64_t numPlanes = planes.size();
  for (Value &plane : planes)
    plane = e.unsqueeze(plane, {0});
  Value orders = e.broadcast(order, e.concat({e.size(numPlanes), images, kept}, 0));
  Value first = e.make<ov::GatherElementsOp>({e.concat(planes, 0), orders}, e.attribute("axis", int64_t(2)));
  Value missing = e.concat({e.size(0), e.size(0), e.subtract(e.size(count), kept)}, 0);
  Value shape = e.concat({e.size(numPlanes), images, e.size(count)}, 0);
  Value padded = e.reshape(e.pad(first, e.integers({0, 0, 0}), missing, zero), shape);
  Value chosen = e.select(isRow, padded, zero);
  auto getPlane = [&](int64_t i) { return e.squeeze(e.slice(chosen, 0, i, i + 1), {0}); };
  Value end = e.select(e.equal(numbers, counts), e.scalar(-1, element), zero);
  Value image = e.convert(e.unsqueeze(e.range(images, i64), {1}), element);
  SmallVector<Value> columns{e.unsqueeze(e.select(isRow, image, end), {2})};
  for (size_t i = 0; i != sides.size(); ++i)
    columns.push_back(e.unsqueeze(getPlane(i), {2}));
  Size rows = e.multiply(images, e.size(count));
  SmallVector<Value> results{e.reshape(e.concat(columns, 2), {rows, e.size(5)})};
  if (returnsScores)
    results.push_back(e.reshape(getPlane(4), {rows}));
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
  Value across = e.multiply(e.gather(info, last, 1), least);
  info = settleInfo(e, info, e.size(1));
  std::pair<Value, Value> sizes(e.multiply(e.slice(info, 1, 2, 3), least), across);
  // For TensorFlow, x and y, and so the sizes of the image, change places.
  if (isTensorFlow)
    info = e.gather(info, e.integers({1, 0}), 1);
  auto getPlaces = [&](Size count, int64_t axis) {
    return e.alignTo(e.multiply(e.range(count, element), double(e.integer("feat_stride"))), axis, 3);
  };
  Value x = isTensorFlow ? getPlaces(height, 0) : getPlaces(width, 1);
  Value y = isTensorFlow ? getPlaces(width, 1) : getPlaces(height, 0);
  Value shape = e.concat({height, width, e.size(each)}, 0);
  auto makeSide = [&](unsigned i) {
    SmallVector<double> ofPlace;
    for (int64_t k = 0; k != each; ++k)
      ofPlace.push_back(corners[4 * k + i]);
    Value side = e.add(e.broadcast(i % 2 ? y : x, shape), e.floats(ofPlace, {each}, element));
    if (!isTensorFlow)
      return side;
    Value bound = e.reshape(e.slice(info, 1, 1 - i % 2, 2 - i % 2), e.size(1));
    return e.maximum(e.minimum(side, bound), 0);
  };
  Value left = makeSide(0), top = makeSide(1), right = makeSide(2), bottom = makeSide(3);
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
  Proposals proposals =
      propose(e, info, {left, top, right, bottom}, deltas, e.slice(scores, 1, each, 2 * each), sizes, rules);
  Overlap overlap{offset, /*needsContact=*/true};
  Value isChosen = chooseGreedily(e, proposals.candidates, overlap, OverlapLimit::read(e, "nms_thresh", element));
  proposals.isChosen = keepFirst(e, isChosen, e.integer("post_nms_topn"));
  const Corners &boxes = proposals.candidates.corners;
  SmallVector<Value> sides{boxes.x0, boxes.y0, boxes.x1, boxes.y1};
  for (auto [i, side] : llvm::enumerate(sides)) {
    Value bound = e.slice(info, 1, i % 2 == 0 ? 1 : 0, i % 2 == 0 ? 2 : 1);
    if (e.flag("clip_after_nms"))
      side = e.maximum(e.minimum(side, bound), 0);
    if (e.flag("normalize"))
      side = e.divide(side, bound);
  }
  return replaceByImages(e, proposals, sides, e.integer("post_nms_topn"));
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
  Corners corners = Corners::split(e, given), by = Corners::split(e, deltas);
  Corners moved = moveBoxes(e, corners, by, /*offset=*/1, /*endOffset=*/1, e.number("max_delta_log_wh"));
  for (Value *side : {&moved.x0, &moved.y0, &moved.x1, &moved.y1})
    *side = e.maximum(*side, 0);
  Value rows = makeRows(e, moved), first = e.multiply(e.unsqueeze(e.range(classes, i64), {1}), count);
  Value hasArea = both(e, greater(e, corners.x1, corners.x0), greater(e, corners.y1, corners.y0));
  Value isCandidate = both(e, hasArea, greater(e, scores, e.scalar(e.number("score_threshold"), element)));
  Candidates candidates = rankBoxes(e, rows, first, scores, isCandidate, /*most=*/-1);
  Overlap overlap{/*offset=*/1, /*needsContact=*/true};
  Value isChosen = chooseGreedily(e, candidates, overlap, OverlapLimit::read(e, "nms_threshold", element));
  isChosen = keepFirst(e, isChosen, e.integer("post_nms_count"));

  Value which = e.findTrue(e.reshape(isChosen, e.size(-1)));
  auto pick = [&](Value values) { return e.gather(e.reshape(values, e.size(-1)), which, 0); };
  Value score = pick(candidates.scores), place = pick(candidates.places);
  Value row = e.add(pick(e.broadcast(first, e.shapeOf(candidates.places))), place);
  Value kind = pick(e.broadcast(e.unsqueeze(e.range(classes, i64), {1}), e.shapeOf(candidates.places)));
  // Only if there are too many, the best ones come first: of equal ones, those of the first regions.
  Size chosen = e.dim(which, 0), kept = e.minimum(chosen, e.size(most));
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
