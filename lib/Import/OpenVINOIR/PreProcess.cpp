// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PreProcess.cpp - Means of an input in old models -------------------===//
//
// Reads `<pre-process>`, and subtracts its means from an input, as OpenVINO's reader does.
//
//===----------------------------------------------------------------------===//

#include "PreProcess.h"

#include "Expansions/Expansion.h"
#include "TypeSyntax.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

static constexpr llvm::StringLiteral kReport = "ir-pre-process";

/// The channel of a `<channel>` element. Without an id, it is `next`.
static void readChannel(XML &xml, pugi::xml_node node, uint64_t next, PreProcess &preProcess) {
  Element attributes(xml, node, {"id"}, {});
  std::optional<uint64_t> id = attributes.find("id") ? attributes.getId("id") : next;
  pugi::xml_node mean;
  xml.forEachChild(node, {"mean", "scale"}, [&](StringRef name, pugi::xml_node child) {
    if (name == "mean")
      mean = xml.takeOnly(mean, child);
    else
      xml.getReports().warning(xml.offsetOf(child), kReport, "the scale of a channel is not applied");
  });
  if (!id || !mean)
    return;
  Element values(xml, mean, {"value", "offset", "size"}, {});
  PreProcess::Channel channel;
  channel.id = *id;
  channel.offset = values.getOffset();
  if (const TextAttribute *value = values.find("value")) {
    channel.value.emplace();
    if (value->value.trim().getAsDouble(*channel.value))
      return xml.getReports()
          .error(value->offset, kReport, "expected a number as the mean of a channel, but got " + quoted(value->value))
          .emit();
  } else {
    std::optional<uint64_t> place = values.getId("offset"), size = values.getId("size");
    if (!place || !size)
      return;
    channel.place = *place;
    channel.size = *size;
  }
  preProcess.channels.push_back(channel);
}

PreProcess recur::ir::readPreProcess(XML &xml, pugi::xml_node node) {
  PreProcess preProcess;
  preProcess.offset = xml.offsetOf(node);
  Element attributes(xml, node, {"reference-layer-name"}, {"mean-precision"});
  if (const TextAttribute *name = attributes.find("reference-layer-name"))
    preProcess.input = name->value.trim();
  uint64_t next = 0;
  xml.forEachChild(node, {"channel"},
                   [&](StringRef, pugi::xml_node child) { readChannel(xml, child, next++, preProcess); });
  return preProcess;
}

FailureOr<unsigned> recur::ir::findPreProcessed(const PreProcess &preProcess, const Graph &graph,
                                                ArrayRef<Value> parameters, Reports &reports) {
  std::optional<unsigned> first;
  for (auto [i, index] : llvm::enumerate(graph.parameters)) {
    if (graph.layers[index].getName() == preProcess.input)
      return i;
    if (preProcess.input.empty() && !first && rankOf(parameters[i]) == 4)
      first = i;
  }
  if (preProcess.input.empty() && !parameters.empty())
    return first.value_or(0);
  return reports.error(preProcess.offset, kReport,
                       "expected the name of an input of the model, but got " + quoted(preProcess.input));
}

Value recur::ir::subtractMeans(const PreProcess &preProcess, LayerBuilder &layer, Value input) {
  ArrayRef<PreProcess::Channel> channels = preProcess.channels;
  if (channels.empty())
    return input;
  auto error = [&](Offset where, const Twine &message) {
    layer.error(where, kReport, message).emit();
    return Value();
  };
  RankedTensorType type = typeOf(input);
  int64_t rank = type.getRank(), axis = rank == 3 ? 0 : 1;
  if (rank < 2 || rank > 5 || type.isDynamicDim(axis) || type.getElementType().isInteger(1))
    return error(preProcess.offset,
                 "expected numbers of rank 2 to 5 with a static dim of channels, but got " + spell(type));
  int64_t count = type.getDimSize(axis);
  SmallVector<const PreProcess::Channel *> ordered(size_t(std::min<int64_t>(count, channels.size())), nullptr);
  if (int64_t(channels.size()) != count)
    return error(preProcess.offset,
                 "expected the means of " + Twine(count) + " channels, but got " + Twine(channels.size()));
  for (const PreProcess::Channel &channel : channels) {
    if (channel.id >= uint64_t(count) || ordered[channel.id])
      return error(channel.offset,
                   "expected each channel from 0 to " + Twine(count - 1) + " once, but got " + Twine(channel.id));
    if (channel.value.has_value() != channels.front().value.has_value())
      return error(channel.offset, "expected either numbers or images as the means of all channels, but got both");
    ordered[channel.id] = &channel;
  }

  Expansion e(layer, {}, {});
  // Means of 16 bits would be rounded.
  Type own = type.getElementType(), element = isa<FloatType>(own) && own.getIntOrFloatBitWidth() < 32 ? e.f32() : own;
  // The dims of a channel.
  SmallVector<int64_t> dims(type.getShape().drop_front(axis));
  dims[0] = 1;
  Value means;
  if (channels.front().value) {
    dims.assign(dims.size(), 1);
    dims[0] = count;
    means = e.convert(
        e.floats(llvm::map_to_vector(ordered, [](auto *channel) { return *channel->value; }), dims, e.f32()), element);
  } else {
    if (llvm::any_of(dims, ShapedType::isDynamic))
      return error(preProcess.offset, "expected static dims of an input with a mean image, but got " + spell(type));
    SmallVector<Value> images;
    for (const PreProcess::Channel *channel : ordered) {
      // Version 10 has images of f32 for an input of 16 bits.
      bool isWide =
          own != element && channel->size == uint64_t(RankedTensorType::get(dims, element).getNumElements()) * 4;
      auto image = RankedTensorType::get(dims, isWide ? element : own);
      uint64_t bytes = uint64_t(image.getNumElements()) * getStoredBytes(image.getElementType());
      if (channel->size != bytes)
        return error(channel->offset, "expected size " + Twine(bytes) + " of a mean image " + spell(image) +
                                          ", but got " + Twine(channel->size));
      if (failed(checkWeightsRange(layer, channel->offset, channel->place, bytes)))
        return {};
      images.push_back(
          e.convert(layer.createConstant(layer.state.weights.getConstant(channel->place, image)), element));
    }
    means = e.concat(images, 0);
  }
  Value result = e.convert(e.subtract(e.convert(input, element), means), own);
  return e.hasFailed() ? Value() : result;
}
