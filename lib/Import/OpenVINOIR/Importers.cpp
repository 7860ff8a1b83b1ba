// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Importers.cpp - Layers that are more than their op -----------------===//
//
// The short importers. Constants, cells, loops and Ifs have files of their own.
//
//===----------------------------------------------------------------------===//

#include "Importers.h"

#include "LayerChecks.h"
#include "ModelBuilder.h"
#include "TypeSyntax.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

Importer recur::ir::findImporter(StringRef name) {
  return llvm::StringSwitch<Importer>(name)
#define IMPORTER(NAME) .Case(#NAME, NAME)
#define EXPANSION(NAME)
#include "Recur/Dialect/OV/IR/OVLayerImporters.inc"
      .Default(nullptr);
}

/// Convert: the op has no attribute for the destination; the type of its result has the element type.
LogicalResult recur::ir::importConvert(LayerBuilder &layer) {
  FailureOr<Attribute> destination = layer.readAttribute("destination_type");
  if (failed(destination))
    return failure();
  auto input = cast<RankedTensorType>(layer.operands[0].getType());
  return layer.createOp(layer.operands, {}, input.clone(cast<TypeAttr>(*destination).getValue()));
}

/// SoftMax: before opset8, the axis must not be negative.
LogicalResult recur::ir::importSoftmax(LayerBuilder &layer) {
  const TextAttribute *axis = layer.findData("axis");
  std::optional<int64_t> value = axis ? parseInteger(axis->value) : std::nullopt;
  if (value && *value < 0 && getOpset(layer.layer, *layer.type) < 8)
    return layer.error(axis->offset, "ir-attribute",
                       "expected an axis that is not negative before opset8, but got " + Twine(*value));
  return layer.createOp();
}

/// Identity: there is no op. The users of the layer use its input directly.
LogicalResult recur::ir::importIdentity(LayerBuilder &layer) {
  layer.results.push_back(layer.operands[0]);
  return success();
}

/// Range: without `output_type`, the result has the element type of the first operand.
LogicalResult recur::ir::importRange(LayerBuilder &layer) {
  if (layer.findData("output_type"))
    return layer.createOp();
  Type element = cast<RankedTensorType>(layer.operands[0].getType()).getElementType();
  return layer.createOp(layer.operands, layer.builder.getNamedAttr("output_type", TypeAttr::get(element)));
}

/// Broadcast: an `axes_mapping` has a meaning only in the mode "explicit". OpenVINO's front end for TensorFlow writes
/// one in other modes too, so it is dropped there.
LogicalResult recur::ir::importBroadcast(LayerBuilder &layer) {
  bool isExplicit = false;
  if (layer.findData("mode")) {
    FailureOr<Attribute> mode = layer.readAttribute("mode");
    if (failed(mode))
      return failure();
    isExplicit = cast<ov::BroadcastModeAttr>(*mode).getValue() == ov::BroadcastMode::Explicit;
  }
  return layer.createOp(layer.operands.size() == 3 && !isExplicit ? layer.operands.drop_back() : layer.operands);
}
