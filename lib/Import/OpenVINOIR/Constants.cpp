// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Constants.cpp - Const layers ---------------------------------------===//
//
// A Const names a range of bytes of the weights file. The range and the type must agree before any byte is read.
//
//===----------------------------------------------------------------------===//

#include "Importers.h"
#include "ModelBuilder.h"
#include "TypeSyntax.h"

#include "Recur/Import/OpenVINOIR.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

/// The value of a mandatory attribute that is a number of bytes. Reports an error and returns nullopt if there is none.
static std::optional<uint64_t> readBytes(LayerBuilder &layer, StringRef name) {
  const TextAttribute *attribute = layer.findData(name);
  if (!attribute)
    return layer.error(layer.layer.hasData ? layer.layer.dataOffset : layer.layer.offset, "ir-attribute-missing",
                       "expected an attribute '" + name + "', but got none");
  std::optional<int64_t> value = parseInteger(attribute->value);
  if (!value || *value < 0)
    return layer.error(attribute->offset, "ir-attribute",
                       "expected a number of bytes for attribute '" + name + "', but got " + quoted(attribute->value));
  return *value;
}

/// The end of the last range of the weights file that a layer of the graph names, whether it is reached or not.
static uint64_t findEndOfWeights(const Graph &graph) {
  uint64_t end = 0;
  auto add = [&](uint64_t offset, uint64_t bytes) { end = std::max(end, llvm::SaturatingAdd(offset, bytes)); };
  for (const Layer &layer : graph.layers) {
    if (layer.loop)
      add(findEndOfWeights(layer.loop->body), 0);
    if (layer.branches)
      for (const Branch &branch : layer.branches->branches)
        add(findEndOfWeights(branch.body), 0);
    const TextAttribute *offset = layer.findData("offset"), *bytes = layer.findData("size");
    if (layer.is("Const") && offset && bytes)
      add(std::max<int64_t>(parseInteger(offset->value).value_or(0), 0),
          std::max<int64_t>(parseInteger(bytes->value).value_or(0), 0));
  }
  if (graph.preProcess)
    for (const PreProcess::Channel &channel : graph.preProcess->channels)
      add(channel.place, channel.size);
  return end;
}

LogicalResult recur::ir::checkWeightsRange(LayerBuilder &layer, Offset where, uint64_t offset, uint64_t bytes) {
  Weights &weights = layer.state.weights;
  std::string problem;
  if (failed(weights.open(problem))) {
    // The first constant has reported the problem; all constants need the same file.
    if (problem.empty())
      return failure();
    return layer.error("weights-file", problem);
  }
  uint64_t fileSize = weights.getBytes().size();
  if (bytes <= fileSize && offset <= fileSize - bytes)
    return success();
  // One error tells what is wrong with the file, however many constants are behind its end.
  if (std::exchange(layer.state.hasReportedEnd, true))
    return failure();
  return layer.error(where, "ir-const-range",
                     "expected " + Twine(bytes) + " bytes at offset " + Twine(offset) + " of the weights file " +
                         quotedPath(weights.getPath()) + ", but it has " + Twine(fileSize) +
                         " bytes, and the constants of the model end at " + Twine(findEndOfWeights(layer.state.graph)) +
                         "; it may be cut off, or that of another model");
}

void recur::ir::checkWeightsSize(const Graph &graph, const Weights &weights, Reports &reports) {
  uint64_t end = findEndOfWeights(graph), size = weights.getBytes().size();
  if (size > end)
    reports.warning(graph.offset, "weights-size",
                    "the weights file " + quotedPath(weights.getPath()) + " has " + Twine(size) +
                        " bytes, but the constants of the model end at " + Twine(end) +
                        "; it may be that of another model");
}

LogicalResult recur::ir::buildConstant(LayerBuilder &builder) {
  const Layer &layer = builder.layer;
  ModelState &state = builder.state;
  if (!layer.hasData)
    return builder.error("ir-const-data", "expected <data> with offset and size, but got none");
  FailureOr<DeclaredType> declared = readDeclaredType(layer, state.reports, /*isConstant=*/true);
  if (failed(declared))
    return failure();
  if (!declared->element)
    return builder.error("ir-element-type", "expected an element type, of the data or of the port, but got none");
  if (declared->hasOpenRank || (!declared->hasShape && layer.outputs.empty()))
    return builder.error("ir-shape", "expected a shape, of the data or of the port, but got none");
  std::optional<uint64_t> offset = readBytes(builder, "offset"), size = readBytes(builder, "size");
  if (!offset || !size)
    return failure();
  if (llvm::any_of(declared->dims, ShapedType::isDynamic))
    return builder.error(declared->where, "ir-shape",
                         "expected a static shape of a constant, but got " + spell(declared->dims));

  auto type = RankedTensorType::get(declared->dims, declared->element);
  if (failed(builder.checkSize(type, declared->where)))
    return failure();
  uint64_t bytes = declared->format ? ov::UnpackStepAttr::countBytes(*declared->format, type.getNumElements())
                                    : uint64_t(type.getNumElements()) * getStoredBytes(declared->element);
  // Some exporters write a few bytes for a constant without elements.
  constexpr uint64_t mostOfNothing = 8;
  if (bytes == 0 ? *size > mostOfNothing : *size != bytes)
    return builder.error(layer.findData("size")->offset, "ir-const-size",
                         "expected size " + Twine(bytes) + " of a constant " + spell(type) + ", but got " +
                             Twine(*size));
  if (bytes != 0 && failed(checkWeightsRange(builder, layer.findData("offset")->offset, *offset, bytes)))
    return failure();
  builder.results.push_back(builder.createConstant(state.weights.getConstant(*offset, type, declared->format)));
  return success();
}
