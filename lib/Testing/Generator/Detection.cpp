// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Detection.cpp - layers of detectors --------------------------------===//

#include "Build.h"

using llvm::StringRef;

namespace recur::fuzz {

bool Builder::emitYolo(Scope &scope, StringRef op) {
  if (op == "ReorgYolo") {
    int64_t stride = 1 + random(2), depth = 1 + random(2), height = 1 + random(3);
    Value data = randomConstant(scope, anyElement(), {1, depth * stride * stride, height * stride, stride});
    return add(scope, createExactly(scope, op, {data}, {{"stride", std::to_string(stride)}},
                                    {{1, 0}, {depth * stride * stride * stride * stride, 0}, {height, 0}, {1, 0}}));
  }
  int64_t classes = 1 + random(3), regions = 1 + random(2), depth = regions * (5 + classes);
  bool hasSoftmax = chance(50);
  Value data = randomConstant(scope, RECUR_F32, {2, depth, 2, 3});
  Dims dims = data.dims;
  if (hasSoftmax)
    dims = {{2, 0}, {depth * 6, 0}};
  return add(scope, create(scope, op, "opset1", {data},
                           {{"coords", "4"},
                            {"classes", std::to_string(classes)},
                            {"num", std::to_string(regions)},
                            {"do_softmax", hasSoftmax ? "true" : "false"},
                            {"mask", regions == 1 ? "0" : "0,1"},
                            {"axis", "1"},
                            {"end_axis", "-1"}},
                           data.element, dims));
}

/// The numbers of bins are powers of two, and the corners multiples of 1/4, so that all positions are exact.
bool Builder::emitRegions(Scope &scope, StringRef op) {
  bool isTurned = op == "ROIAlignRotated", isAlign = op == "ROIAlign" || isTurned;
  bool hasParts = op == "PSROIPooling", isBilinear = chance(50);
  int64_t images = 1 + random(2), channels = 1 + random(3), regions = random(4), bins = 1 << random(2);
  int64_t inputs = hasParts ? channels * bins * bins : channels, entries = op == "ROIAlign" ? 4 : 5;
  Value data = randomConstant(scope, RECUR_F32, {images, inputs, 1 + random(5), 1 + random(5)});
  Tensor tensor(RECUR_F32, {regions, entries});
  llvm::SmallVector<int64_t> indices;
  for (int64_t region = 0; region != regions; ++region) {
    int64_t image = random(images);
    indices.push_back(image);
    for (int64_t entry = 0; entry != entries; ++entry)
      tensor.setReal(region * entries + entry,
                     !isAlign && entry == 0 ? double(image) : double(int64_t(random(32)) - 8) / 4);
  }
  Dims dims{{regions, 0}, {channels, 0}, {bins, 0}, {bins, 0}};
  std::string number = std::to_string(bins);
  Value boxes = constant(scope, tensor);
  if (isTurned)
    return add(scope, create(scope, op, "opset15", {data, boxes, anyIndices(scope, indices)},
                             {{"pooled_h", number},
                              {"pooled_w", number},
                              {"sampling_ratio", std::to_string(random(3))},
                              {"spatial_scale", chance(50) ? "1" : "0.5"},
                              {"clockwise_mode", chance(50) ? "true" : "false"}},
                             RECUR_F32, dims));
  if (isAlign)
    return add(scope, create(scope, op, "opset9", {data, boxes, anyIndices(scope, indices)},
                             {{"pooled_h", number},
                              {"pooled_w", number},
                              {"sampling_ratio", std::to_string(random(3))},
                              {"spatial_scale", chance(50) ? "1" : "0.5"},
                              {"mode", chance(50) ? "avg" : "max"},
                              {"aligned_mode", chance(50) ? "asymmetric" : "half_pixel"}},
                             RECUR_F32, dims));
  if (hasParts)
    return add(scope, create(scope, op, "opset1", {data, boxes},
                             {{"output_dim", std::to_string(channels)},
                              {"group_size", number},
                              {"spatial_scale", "0.5"},
                              {"mode", isBilinear ? "bilinear" : "average"},
                              {"spatial_bins_x", isBilinear ? number : "1"},
                              {"spatial_bins_y", isBilinear ? number : "1"}},
                             RECUR_F32, dims));
  return add(scope, create(scope, op, "opset2", {data, boxes},
                           {{"pooled_h", number},
                            {"pooled_w", number},
                            {"spatial_scale", "0.5"},
                            {"method", isBilinear ? "bilinear" : "max"}},
                           RECUR_F32, dims));
}

/// Boxes at all places of a grid.
bool Builder::emitPriors(Scope &scope, StringRef op) {
  int64_t height = 1 + random(3), width = 1 + random(3);
  if (op == "ExperimentalDetectronPriorGridGenerator") {
    int64_t count = 1 + random(3);
    Value priors = randomConstant(scope, RECUR_F32, {count, 4});
    Value features = randomConstant(scope, RECUR_F32, {1, 1, height, width});
    Value image = randomConstant(scope, RECUR_F32, {1, 1, 4 * height, 8});
    return add(scope, create(scope, op, "opset6", {priors, features, image}, {{"flatten", "true"}}, RECUR_F32,
                             {{height * width * count, 0}, {4, 0}}));
  }
  Value grid = integers(scope, {height, width}, false), image = integers(scope, {16 * height, 32}, false);
  bool isClustered = op == "PriorBoxClustered";
  Attributes attributes{
      {"offset", "0.5"}, {"variance", chance(50) ? "0.5" : "1,2,3,4"}, {"clip", chance(50) ? "true" : "false"}};
  int64_t boxes = 2;
  if (isClustered) {
    attributes.push_back({"width", "8,4"});
    attributes.push_back({"height", "2,16"});
    attributes.push_back({"step", chance(50) ? "0" : "8"});
  } else {
    attributes.push_back({"min_size", "4"});
    attributes.push_back({"max_size", "9"});
    if (chance(50)) {
      attributes.push_back({"aspect_ratio", "4"});
      attributes.push_back({"flip", "true"});
      boxes += 2;
    }
  }
  return add(scope, create(scope, op, isClustered || chance(50) ? "opset1" : "opset8", {grid, image}, attributes,
                           RECUR_F32, {{2, 0}, {height * width * boxes * 4, 0}}));
}

bool Builder::emitBestRegions(Scope &scope, StringRef op) {
  int64_t count = 1 + random(5), most = 1 + random(5);
  Value regions = randomConstant(scope, RECUR_F32, {count, 4}), scores = randomConstant(scope, RECUR_F32, {count});
  return add(scope,
             createExactly(scope, op, {regions, scores}, {{"max_rois", std::to_string(most)}}, {{most, 0}, {4, 0}}));
}

bool Builder::emitMovedRegions(Scope &scope, StringRef op) {
  int64_t images = 1 + random(2), classes = 1 + random(2), channels = classes * (1 + random(2)), regions = random(4);
  int64_t bins = 1 << random(2), parts = 1 + random(2);
  Value data = randomConstant(scope, RECUR_F32, {images, channels * bins * bins, 1 + random(5), 1 + random(5)});
  Tensor tensor(RECUR_F32, {regions, 5});
  for (int64_t i = 0; i != regions * 5; ++i)
    tensor.setReal(i, i % 5 == 0 ? double(random(images + 1)) - 1 : double(int64_t(random(32)) - 8) / 4);
  std::vector<Value> operands{data, constant(scope, tensor)};
  if (chance(60))
    operands.push_back(randomConstant(scope, RECUR_F32, {regions, 2 * classes, parts, parts}));
  return add(scope, create(scope, op, "opset1", operands,
                           {{"output_dim", std::to_string(channels)},
                            {"group_size", std::to_string(bins)},
                            {"spatial_scale", chance(50) ? "1" : "0.5"},
                            {"spatial_bins_x", std::to_string(1 + random(2))},
                            {"spatial_bins_y", std::to_string(1 + random(2))},
                            {"trans_std", chance(50) ? "1" : "0.25"},
                            {"part_size", std::to_string(parts)}},
                           RECUR_F32, {{regions, 0}, {channels, 0}, {bins, 0}, {bins, 0}}));
}

bool Builder::emitRegionsOfSizes(Scope &scope, StringRef op) {
  int64_t channels = 1 + random(3), regions = random(5), bins = 1 << random(2), count = 1 + random(3);
  Tensor tensor(RECUR_F32, {regions, 4});
  for (int64_t i = 0; i != regions * 4; ++i)
    tensor.setReal(i, double(random(64)) * 4 + (i % 4 < 2 ? -32 : 0));
  std::vector<Value> operands{constant(scope, tensor)};
  std::string scales;
  for (int64_t i = 0; i != count; ++i) {
    operands.push_back(randomConstant(scope, RECUR_F32, {1, channels, 1 + random(8), 1 + random(8)}));
    scales += (i == 0 ? "" : ",") + std::to_string(16 << i);
  }
  Value pooled = create(scope, op, "opset6", operands,
                        {{"output_size", std::to_string(bins)},
                         {"sampling_ratio", std::to_string(random(3))},
                         {"pyramid_scales", scales},
                         {"aligned", chance(50) ? "true" : "false"}},
                        RECUR_F32, {{regions, 0}, {channels, 0}, {bins, 0}, {bins, 0}});
  Value boxes = pooled;
  boxes.ref.port = 1;
  boxes.dims = {{regions, 0}, {4, 0}};
  scope.graph.nodes[pooled.ref.node].outputs.push_back(boxes.getType());
  scope.pool.push_back(boxes);
  return add(scope, pooled);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const llvm::ArrayRef<Builder::Entry> Builder::detectionEntries = [] {
  static constexpr Entry entries[] = {
      {"Detection", &Builder::emitYolo, 1},
      {"ROIAlign", &Builder::emitRegions, 1},
      {"ROIPooling", &Builder::emitRegions, 1},
      {"PSROIPooling", &Builder::emitRegions, 1},
      {"PriorBox", &Builder::emitPriors, 1},
      {"PriorBoxClustered", &Builder::emitPriors, 1},
      {"ExperimentalDetectronPriorGridGenerator", &Builder::emitPriors, 1},
      {"ExperimentalDetectronTopKROIs", &Builder::emitBestRegions, 1},
      {"Proposal", &Builder::emitPriorHead, 1},
      {"DetectionOutput", &Builder::emitPriorHead, 1},
      {"MatrixNms", &Builder::emitSuppression, 1},
      {"MulticlassNms", &Builder::emitSuppression, 1},
      {"NMSRotated", &Builder::emitRotatedSuppression, 1},
      {"GenerateProposals", &Builder::emitSuppression, 1},
      {"ExperimentalDetectronDetectionOutput", &Builder::emitSuppression, 1},
      {"ExperimentalDetectronGenerateProposalsSingleImage", &Builder::emitSuppression, 1},
      {"ROIAlignRotated", &Builder::emitRegions, 1},
      {"DeformablePSROIPooling", &Builder::emitMovedRegions, 1},
      {"ExperimentalDetectronROIFeatureExtractor", &Builder::emitRegionsOfSizes, 1},
  };
  return llvm::ArrayRef(entries);
}();

} // namespace recur::fuzz
