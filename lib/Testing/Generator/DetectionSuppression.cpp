// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DetectionSuppression.cpp - layers that choose boxes ----------------===//

#include "Build.h"

using llvm::StringRef;

namespace recur::fuzz {

/// Boxes that are the same or do not overlap, and scores that all differ, so that no choice depends on how numbers are
/// rounded.
bool Builder::emitSuppression(Scope &scope, StringRef op) {
  auto squares = [&](int64_t groups, int64_t count) {
    Tensor tensor(RECUR_F32, {groups, count, 4});
    for (int64_t box = 0; box != groups * count; ++box)
      for (int64_t axis = 0; axis != 2; ++axis) {
        int64_t corner = random(2);
        tensor.setReal(box * 4 + axis, double(4 * corner));
        tensor.setReal(box * 4 + 2 + axis, double(4 * corner + 2));
      }
    return tensor;
  };
  auto scores = [&](llvm::SmallVector<int64_t> shape) {
    Tensor tensor(RECUR_F32, shape);
    // Multiples of an odd number are all different modulo 256.
    int64_t factor = 1 + 2 * random(128), first = random(256);
    for (int64_t i = 0; i != tensor.getNumElements(); ++i)
      tensor.setReal(i, double((first + i * factor) % 256) / 256);
    return constant(scope, tensor);
  };
  auto reals = [&](llvm::SmallVector<int64_t> shape, llvm::ArrayRef<double> values) {
    Tensor tensor(RECUR_F32, shape);
    for (int64_t i = 0; i != tensor.getNumElements(); ++i)
      tensor.setReal(i, values[i % values.size()]);
    return constant(scope, tensor);
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
    Tensor boxes = squares(images, count);
    Dims rows{Dim{-1, newSymbol()}, Dim{6, 0}};
    Value first = create(scope, op, op == "MatrixNms" ? "opset8" : "opset9",
                         {constant(scope, boxes), scores({images, classes, count})}, attributes, RECUR_F32, rows);
    output(first, 1, index, {rows[0], Dim{1, 0}});
    output(first, 2, index, {Dim{images, 0}});
    return add(scope, first);
  }
  if (op == "ExperimentalDetectronDetectionOutput") {
    Tensor boxes = squares(1, count);
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
  Tensor boxes = squares(1, height * width * each);
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

} // namespace recur::fuzz
