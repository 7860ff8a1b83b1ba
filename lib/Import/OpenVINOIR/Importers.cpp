// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Importers.cpp - Layers that are more than their op -----------------===//
//
// The short importers. Constants, cells, loops and Ifs have files of their own.
//
//===----------------------------------------------------------------------===//

#include "Importers.h"

#include "Expansions/Expansion.h"
#include "LayerChecks.h"
#include "ModelBuilder.h"
#include "TypeSyntax.h"

#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

Importer recur::ir::findImporter(StringRef name) {
  return llvm::StringSwitch<Importer>(name)
#define IMPORTER(NAME) .Case(#NAME, NAME)
#define EXPANSION(NAME, IS_WIDENED)
#include "Recur/Dialect/OV/IR/OVLayerImporters.inc"
      .Default(nullptr);
}

/// Returns in f32 a 16-bit value that decompresses a constant: the Convert of a constant, less a zero point, times a
/// scale, perhaps reshaped. Returns null for any other value. Converts and constants have no rounding of their own
/// there, so the result is that of the 16-bit ops without their rounding.
static Value widenDecompressed(LayerBuilder &layer, Value value) {
  Expansion e(layer, {}, {});
  Operation *op = value.getDefiningOp();
  Type f32 = layer.builder.getF32Type();
  auto isConstant = [](Value operand) { return bool(operand.getDefiningOp<ov::ConstantOp>()); };
  if (isa_and_nonnull<ov::ConvertOp>(op))
    return isConstant(op->getOperand(0)) ? e.convert(op->getOperand(0), f32) : Value();
  if (!isa_and_nonnull<ov::SubtractOp, ov::MultiplyOp, ov::ReshapeOp>(op))
    return {};
  SmallVector<Value> operands = {widenDecompressed(layer, op->getOperand(0))};
  if (!operands[0])
    return {};
  Value second = op->getOperand(1);
  if (isa<ov::ReshapeOp>(op))
    operands.push_back(second);
  else
    operands.push_back(isConstant(second) ? e.convert(second, f32) : widenDecompressed(layer, second));
  if (!operands[1])
    return {};
  Operation *wide = layer.create(op->getName().getStringRef(), operands, op->getAttrs());
  return wide ? wide->getResult(0) : Value();
}

/// Convert: the op has no attribute for the destination; the type of its result has the element type. Weights that are
/// decompressed in a 16-bit type and converted to f32 are decompressed in f32.
LogicalResult recur::ir::importConvert(LayerBuilder &layer) {
  FailureOr<Attribute> destination = layer.readAttribute("destination_type");
  if (failed(destination))
    return failure();
  auto input = cast<RankedTensorType>(layer.operands[0].getType());
  Type element = cast<TypeAttr>(*destination).getValue();
  if (element.isF32() && isa<Float16Type, BFloat16Type>(input.getElementType()) &&
      !layer.operands[0].getDefiningOp<ov::ConvertOp>()) {
    if (Value wide = widenDecompressed(layer, layer.operands[0])) {
      layer.results.push_back(wide);
      return success();
    }
  }
  return layer.createOp(layer.operands, {}, input.clone(element));
}

/// True for a constant of integers that are all 2.
static bool isTwo(Value value) {
  std::optional<SmallVector<int64_t>> elements = ov::getConstantIntegers(value);
  return elements && !elements->empty() && llvm::all_of(*elements, [](int64_t element) { return element == 2; });
}

/// Divide: an integer that is divided by a power of two is shifted to the right. This is how converters write the shift
/// of ONNX. A power that the type does not hold would be 0, but a shift has a value for each number of bits.
LogicalResult recur::ir::importDivide(LayerBuilder &layer) {
  auto element = dyn_cast<IntegerType>(elementOf(layer.operands[0]));
  const Layer *power = layer.findProducer(1);
  if (!element || element.isInteger(1) || !power || !power->is("Power") || power->inputs.size() != 2)
    return layer.createOp();
  FailureOr<Attribute> floors = layer.findData("m_pythondiv") ? layer.readAttribute("m_pythondiv") : Attribute();
  if (failed(floors))
    return failure();
  Value base = layer.getFeeding(power->inputs[0]), bits = layer.getFeeding(power->inputs[1]);
  bool isFloored = element.isUnsigned() || !*floors || cast<BoolAttr>(*floors).getValue();
  if (!base || !bits || !isTwo(base) || !isFloored)
    return layer.createOp();
  Expansion e(layer, {}, {});
  RankedTensorType quotients = typeOf(layer.operands[1]);
  for (int64_t rank = rankOf(bits); rank < quotients.getRank(); ++rank)
    bits = e.unsqueeze(bits, {0});
  if (e.hasFailed())
    return failure();
  if (typeOf(bits) != quotients)
    return layer.createOp();
  const TextAttribute *mode = layer.findData("auto_broadcast");
  bool isExact = mode && (mode->value.equals_insensitive("none") || mode->value.equals_insensitive("explicit"));
  return e.replace(e.make<ov::BitwiseRightShiftOp>(
      {layer.operands[0], bits},
      e.attribute("auto_broadcast",
                  ov::AutoBroadcastAttr::get(layer.builder.getContext(),
                                             isExact ? ov::AutoBroadcast::None : ov::AutoBroadcast::Numpy))));
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

/// Returns 16-bit weights of an attention in f32, before they are rounded: a SoftMax, or a Select of one. Returns null
/// for any other value.
static Value widenAttentionWeights(LayerBuilder &layer, Value weights) {
  Expansion e(layer, {}, {});
  Type f32 = layer.builder.getF32Type();
  // Exporters leave a Convert to the type that a value has.
  while (auto cast = weights.getDefiningOp<ov::ConvertOp>()) {
    if (cast->getOperand(0).getType() != weights.getType())
      break;
    weights = cast->getOperand(0);
  }
  Operation *op = weights.getDefiningOp();
  SmallVector<Value> operands;
  if (auto softmax = dyn_cast_or_null<ov::SoftmaxOp>(op)) {
    operands = {e.convert(softmax->getOperand(0), f32)};
  } else if (auto select = dyn_cast_or_null<ov::SelectOp>(op)) {
    Value kept = widenAttentionWeights(layer, select.getThenValue());
    Value other = widenAttentionWeights(layer, select.getElseValue());
    if (!kept && !other)
      return {};
    operands = {select.getCondition(), kept ? kept : e.convert(select.getThenValue(), f32),
                other ? other : e.convert(select.getElseValue(), f32)};
  } else {
    return {};
  }
  Operation *wide = layer.create(op->getName().getStringRef(), operands, op->getAttrs());
  return wide ? wide->getResult(0) : Value();
}

/// MatMul: the weights of an attention in a 16-bit type are not rounded before their product with the values, as in
/// ScaledDotProductAttention.
LogicalResult recur::ir::importMatMul(LayerBuilder &layer) {
  Type element = getElementTypeOrSelf(layer.operands[0]);
  if (!isa<Float16Type, BFloat16Type>(element) || getElementTypeOrSelf(layer.operands[1]) != element)
    return layer.createOp();
  Value weights = widenAttentionWeights(layer, layer.operands[0]);
  Expansion e(layer, {}, layer.operands);
  if (!weights)
    return layer.createOp();
  Value values = e.convert(layer.operands[1], layer.builder.getF32Type());
  if (failed(layer.createOp({weights, values})))
    return failure();
  return e.replace(e.convert(layer.results[0], element));
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
