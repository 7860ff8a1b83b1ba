// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DetectionSuppression.cpp - layers that choose boxes ----------------===//

#include "Build.h"

using llvm::StringRef;

namespace recur::fuzz {

Value Builder::differentScores(Scope &scope, llvm::ArrayRef<int64_t> shape) {
  Tensor tensor(RECUR_F32, llvm::to_vector(shape));
  // Multiples of an odd number are all different modulo 256.
  int64_t factor = 1 + 2 * random(128), first = random(256);
  for (int64_t i = 0; i != tensor.getNumElements(); ++i)
    tensor.setReal(i, double((first + i * factor) % 256) / 256);
  return constant(scope, tensor);
}

Value Builder::repeatedNumbers(Scope &scope, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<double> values) {
  Tensor tensor(RECUR_F32, llvm::to_vector(shape));
  for (int64_t i = 0; i != tensor.getNumElements(); ++i)
    tensor.setReal(i, values[i % values.size()]);
  return constant(scope, tensor);
}

Tensor Builder::squareBoxes(int64_t groups, int64_t count) {
  Tensor tensor(RECUR_F32, {groups, count, 4});
  for (int64_t box = 0; box != groups * count; ++box)
    for (int64_t axis = 0; axis != 2; ++axis) {
      auto corner = double(4 * random(2));
      tensor.setReal(box * 4 + axis, corner);
      tensor.setReal(box * 4 + 2 + axis, corner + 2);
    }
  return tensor;
}

/// Boxes that are the same or do not overlap, and scores that all differ, so that no choice depends on how numbers are
/// rounded.
bool Builder::emitSuppression(Scope &scope, StringRef op) {
  auto scores = [&](llvm::ArrayRef<int64_t> shape) { return differentScores(scope, shape); };
  auto reals = [&](llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<double> values) {
    return repeatedNumbers(scope, shape, values);
  };
  /// Appends an output.
  auto output = [&](Value first, unsigned port, recur_element_type element, Dims dims) {
    first.ref.port = port;
    first.element = element;
    first.dims = dims;
    scope.graph.nodes[first.ref.node].outputs.push_back(first.getType());
    scope.pool.push_back(first);
  };
  int64_t images = 1 + random(2), classes = 1 + random(3), count = random(5);
  bool isShort = chance(50), isFlag = chance(50);
  recur_element_type index = isShort ? RECUR_I32 : RECUR_I64;
  std::string indexText = isShort ? "i32" : "i64", most = std::to_string(random(6));
  if (op == "MatrixNms" || op == "MulticlassNms") {
    static constexpr StringRef orders[] = {"none", "score", "classid"};
    Attributes attributes{{"sort_result_type", orders[random(std::size(orders))].str()},
                          {"sort_result_across_batch", isFlag ? "true" : "false"},
                          {"output_type", indexText},
                          {"score_threshold", "0.1"},
                          {"nms_top_k", chance(50) ? "-1" : most},
                          {"keep_top_k", chance(50) ? "-1" : most},
                          {"background_class", std::to_string(int64_t(random(3)) - 1)}};
    if (op == "MatrixNms")
      attributes.push_back({"post_threshold", "0.05"});
    else
      attributes.push_back({"iou_threshold", "0.5"});
    Tensor boxes = squareBoxes(images, count);
    Dims rows{Dim{-1, newSymbol()}, Dim{6, 0}};
    Value first = create(scope, op, op == "MatrixNms" ? "opset8" : "opset9",
                         {constant(scope, boxes), scores({images, classes, count})}, attributes, RECUR_F32, rows);
    output(first, 1, index, {rows[0], Dim{1, 0}});
    output(first, 2, index, {Dim{images, 0}});
    return add(scope, first);
  }
  if (op == "ExperimentalDetectronDetectionOutput") {
    Tensor boxes = squareBoxes(1, count);
    boxes = boxes.reshaped({count, 4});
    int64_t length = 1 + random(6);
    Value first = create(
        scope, op, "opset6",
        {constant(scope, boxes), reals({count, classes * 4}, {0}), scores({count, classes}), reals({1, 3}, {8, 8, 1})},
        {{"score_threshold", "0.1"},
         {"nms_threshold", "0.5"},
         {"num_classes", std::to_string(classes)},
         {"post_nms_count", chance(50) ? "-1" : most},
         {"max_detections_per_image", std::to_string(length)},
         {"max_delta_log_wh", "4"},
         {"deltas_weights", "1,1,2,2"}},
        RECUR_F32, {Dim{length, 0}, Dim{4, 0}});
    output(first, 1, RECUR_I32, {Dim{length, 0}});
    output(first, 2, RECUR_F32, {Dim{length, 0}});
    return add(scope, first);
  }
  bool isSingle = op == "ExperimentalDetectronGenerateProposalsSingleImage";
  int64_t height = 1 + random(2), width = 1 + random(3), each = 1 + random(2), length = 1 + random(6);
  Tensor boxes = squareBoxes(1, height * width * each);
  if (isSingle)
    boxes = boxes.reshaped({height * width * each, 4});
  else
    boxes = boxes.reshaped({height, width, each, 4});
  llvm::SmallVector<int64_t> info{images, 3}, moves{images, each * 4, height, width},
      places{images, each, height, width};
  if (isSingle)
    for (llvm::SmallVector<int64_t> *shape : {&info, &moves, &places})
      shape->erase(shape->begin());
  Attributes attributes{{"min_size", "1"},
                        {"nms_threshold", "0.5"},
                        {"pre_nms_count", std::to_string(1 + random(8))},
                        {"post_nms_count", std::to_string(length)}};
  Dim rows = isSingle ? Dim{length, 0} : Dim{-1, newSymbol()};
  if (!isSingle) {
    attributes.push_back({"normalized", isFlag ? "true" : "false"});
    attributes.push_back({"roi_num_type", indexText});
  }
  Value first = create(scope, op, isSingle ? "opset6" : "opset9",
                       {reals(info, {8, 8, 1}), constant(scope, boxes), reals(moves, {0}), scores(places)}, attributes,
                       RECUR_F32, {rows, Dim{4, 0}});
  output(first, 1, RECUR_F32, {rows});
  if (!isSingle)
    output(first, 2, index, {Dim{images, 0}});
  return add(scope, first);
}

/// Rotated boxes that overlap by almost 1, by 1/2 or not at all, so that no choice depends on how numbers are rounded.
bool Builder::emitRotatedSuppression(Scope &scope, StringRef op) {
  int64_t images = 1 + random(2), classes = 1 + random(3), count = random(5);
  Tensor boxes(RECUR_F32, {images, count, 5});
  double angle = (double(random(64)) - 32) / 8;
  for (int64_t box = 0; box != images * count; ++box) {
    // The second choice is the first one, turned by half a turn. The third one is half as wide.
    auto choice = int64_t(random(3));
    for (int64_t axis = 0; axis != 2; ++axis)
      boxes.setReal(box * 5 + axis, double(16 * random(2)));
    boxes.setReal(box * 5 + 2, choice == 2 ? 2 : 4);
    boxes.setReal(box * 5 + 3, 2);
    boxes.setReal(box * 5 + 4, choice == 1 ? angle + 3.140625 : angle);
  }
  bool isShort = chance(50);
  Value first = create(scope, op, "opset13",
                       {constant(scope, boxes), differentScores(scope, {images, classes, count}),
                        anyIndices(scope, {int64_t(random(5))}, true), repeatedNumbers(scope, {}, {0.75}),
                        repeatedNumbers(scope, {}, {0.1})},
                       {{"sort_result_descending", chance(50) ? "true" : "false"},
                        {"clockwise", chance(50) ? "true" : "false"},
                        {"output_type", isShort ? "i32" : "i64"}},
                       isShort ? RECUR_I32 : RECUR_I64, {Dim{-1, newSymbol()}, Dim{3, 0}});
  Value rows = first, number = first;
  rows.ref.port = 1;
  rows.element = RECUR_F32;
  number.ref.port = 2;
  number.dims = {Dim{1, 0}};
  for (const Value &value : {rows, number}) {
    scope.graph.nodes[first.ref.node].outputs.push_back(value.getType());
    scope.pool.push_back(value);
  }
  return add(scope, first);
}

/// Priors that do not overlap or are the same, and are not moved.
bool Builder::emitPriorHead(Scope &scope, StringRef op) {
  int64_t images = 1 + random(2);
  if (op == "Proposal") {
    int64_t height = 1 + random(2), width = 1 + random(3), length = 1 + random(6);
    bool isFirst = chance(50);
    Value first =
        create(scope, op, isFirst ? "opset1" : "opset4",
               {differentScores(scope, {images, 2, height, width}),
                repeatedNumbers(scope, {images, 4, height, width}, {0}), repeatedNumbers(scope, {3}, {64, 64, 1})},
               {{"base_size", "4"},
                {"pre_nms_topn", std::to_string(1 + random(8))},
                {"post_nms_topn", std::to_string(length)},
                {"nms_thresh", "0.5"},
                {"feat_stride", "8"},
                {"min_size", "1"},
                {"ratio", "1"},
                {"scale", "1"},
                {"normalize", chance(50) ? "true" : "false"}},
               RECUR_F32, {Dim{images * length, 0}, Dim{5, 0}});
    if (!isFirst) {
      Value scores = first;
      scores.ref.port = 1;
      scores.dims = {Dim{images * length, 0}};
      scope.graph.nodes[first.ref.node].outputs.push_back(scores.getType());
      scope.pool.push_back(scores);
    }
    return add(scope, first);
  }
  int64_t priors = 1 + random(4), classes = 1 + random(3), kept = 1 + random(6);
  bool isShared = chance(50);
  Value moves = repeatedNumbers(scope, {images, priors * (isShared ? 1 : classes) * 4}, {0});
  Value boxes = constant(scope, squareBoxes(1, priors).reshaped({1, 1, priors * 4}));
  return add(scope, create(scope, op, "opset8", {moves, differentScores(scope, {images, priors * classes}), boxes},
                           {{"background_label_id", std::to_string(int64_t(random(3)) - 1)},
                            {"top_k", chance(50) ? "-1" : std::to_string(1 + random(4))},
                            {"keep_top_k", std::to_string(kept)},
                            {"variance_encoded_in_target", "true"},
                            {"share_location", isShared ? "true" : "false"},
                            {"nms_threshold", "0.5"},
                            {"confidence_threshold", "0.1"},
                            {"decrease_label_id", chance(30) ? "true" : "false"},
                            {"normalized", "true"}},
                           RECUR_F32, {Dim{1, 0}, Dim{1, 0}, Dim{images * kept, 0}, Dim{7, 0}}));
}

} // namespace recur::fuzz
