// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LayerChecks.cpp - Checks before anything is built ------------------===//
//
// Compares each layer with the table of layers (Layers.h), which is generated from the `.td` files of the ov dialect.
//
//===----------------------------------------------------------------------===//

#include "LayerChecks.h"

#include "Elementwise.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

static constexpr unsigned lastOpset = 16;

/// The number in a version such as "opset8", or 0 if the version is not known. GRUCell and RNNCell also exist with the
/// versions "extension" and "experimental", which count as opset6.
static unsigned parseOpset(const Layer &layer) {
  unsigned number = 0;
  StringRef text = layer.version;
  if (text.consume_front("opset") && !text.getAsInteger(10, number))
    return number <= lastOpset ? number : 0;
  if ((text == "extension" || text == "experimental") && (layer.is("GRUCell") || layer.is("RNNCell")))
    return 6;
  return 0;
}

unsigned recur::ir::getOpset(const Layer &layer, const ov::LayerType &type) {
  if (!layer.version.empty())
    return parseOpset(layer);
  unsigned opset = type.opset;
  for (const ov::LayerAttribute &attribute : type.attributes)
    if (layer.findData(attribute.name))
      opset = std::max(opset, attribute.opset);
  return opset;
}

namespace {
/// An operation that is not supported: the first layer that has it, and the number of such layers.
struct UnsupportedOp {
  const Layer *first;
  unsigned count;
};
using UnsupportedOps = llvm::MapVector<StringRef, UnsupportedOp>;
} // namespace

/// Checks one layer. Adds it to `unsupported` if its type is not supported, and reports all other problems.
static void checkLayer(Layer &layer, UnsupportedOps &unsupported, Reports &reports) {
  const ov::LayerType *type = ov::findLayerType(layer.type);
  if (!type) {
    layer.isBroken = true;
    ++unsupported.try_emplace(layer.type, UnsupportedOp{&layer, 0}).first->second.count;
    return;
  }
  if (!layer.version.empty() && parseOpset(layer) == 0) {
    layer.isBroken = true;
    return reports
        .error(layer.versionOffset, "ir-opset",
               layer.describe() + ": expected a version from opset1 to opset" + Twine(lastOpset) + ", but got " +
                   quoted(layer.version))
        .emit();
  }
  // The table has no attributes for Parameters and Results. Other code reads theirs.
  if (layer.is("Parameter") || layer.is("Result"))
    return;
  if (getOpset(layer, *type) < type->opset) {
    layer.isBroken = true;
    reports
        .error(layer.versionOffset, "ir-opset",
               layer.describe() + ": " + type->name + " is in opset" + Twine(type->opset) + " and later, but not in " +
                   layer.version)
        .emit();
  }
  SmallVector<StringRef> known;
  for (const ov::LayerAttribute &attribute : type->attributes)
    known.push_back(attribute.name);
  for (const TextAttribute &attribute : layer.data)
    if (!llvm::is_contained(known, attribute.name) && attribute.name != kBroadcastAxis)
      reports.warning(attribute.offset, "ir-unknown-attribute",
                      layer.describe() + ": unknown attribute " + quoted(attribute.name) +
                          didYouMean(attribute.name, known));
}

static void checkGraph(Graph &graph, UnsupportedOps &unsupported, Reports &reports) {
  for (unsigned index : graph.parameters)
    checkLayer(graph.layers[index], unsupported, reports);
  for (unsigned index : graph.order) {
    Layer &layer = graph.layers[index];
    checkLayer(layer, unsupported, reports);
    if (layer.loop)
      checkGraph(layer.loop->body, unsupported, reports);
    if (layer.branches)
      for (Branch &branch : layer.branches->branches)
        checkGraph(branch.body, unsupported, reports);
  }
}

/// The names of all operations that can be imported.
static SmallVector<StringRef> getLayerNames() {
  SmallVector<StringRef> names;
  for (const ov::LayerType &type : ov::getLayerTypes())
    names.push_back(type.name);
  return names;
}

/// Why an operation is not supported, or one with a similar name; empty if neither is known.
static std::string explain(StringRef type) {
  if (const ov::MissingLayer *missing = ov::findMissingLayer(type))
    return (": " + missing->reason).str();
  return didYouMean(type, getLayerNames());
}

LogicalResult recur::ir::checkLayers(Graph &graph, Reports &reports) {
  UnsupportedOps unsupported;
  checkGraph(graph, unsupported, reports);
  if (!unsupported.empty()) {
    std::vector<std::string> names;
    for (auto &[type, op] : unsupported)
      names.push_back(shown(type) + (op.first->version.empty() ? "" : " (" + shown(op.first->version) + ")") +
                      (op.count == 1 ? "" : " in " + std::to_string(op.count) + " layers"));
    const Layer &first = *unsupported.front().second.first;
    Report report = reports.error(
        first.typeOffset, "ir-unsupported-op",
        (names.size() == 1 ? "this operation is not supported: " : "these operations are not supported: ") +
            listed(names) + (names.size() == 1 ? explain(first.type) : "") + " (" + first.describe() + ")");
    if (names.size() > 1 && ov::findMissingLayer(first.type))
      report.note(first.typeOffset, first.describe() + explain(first.type));
    constexpr size_t most = 12;
    for (auto &[type, op] :
         llvm::make_range(unsupported.begin() + 1, unsupported.begin() + std::min(most, names.size())))
      report.note(op.first->typeOffset, op.first->describe() + explain(type));
  }
  return failure(reports.stops());
}
