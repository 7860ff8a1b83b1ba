// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Elementwise.cpp - Element-wise layers in the terms of ov -----------===//
//
// This file changes the operands of element-wise layers; see Elementwise.h.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "Expansions/Expansion.h"
#include "TypeSyntax.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

LogicalResult recur::ir::alignOperands(LayerBuilder &layer, SmallVectorImpl<Value> &operands) {
  const TextAttribute *mode = layer.findData("auto_broadcast");
  if (!mode || !StringRef(mode->value).equals_insensitive("pdpd"))
    return success();
  int64_t declared = -1;
  if (const TextAttribute *text = layer.findData(kBroadcastAxis)) {
    std::optional<int64_t> axis = parseInteger(text->value);
    if (!axis || *axis < -1)
      return layer.error(text->offset, "ir-attribute",
                         "expected -1 or more for attribute '" + kBroadcastAxis + "', but got '" + text->value + "'");
    declared = *axis;
  }
  // The tensor to whose shape the others broadcast.
  unsigned base = layer.layer.is("Select") ? 1 : 0;
  int64_t rank = rankOf(operands[base]);
  Expansion e(layer, {}, {});
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (i == base)
      continue;
    ArrayRef<int64_t> dims = typeOf(operand).getShape();
    int64_t axis = declared < 0 ? rank - int64_t(dims.size()) : declared, kept = dims.size();
    // An axis may be any number, so nothing can be added to it.
    while (kept > 0 && axis > rank - kept && dims[kept - 1] == 1)
      --kept;
    if (axis < 0 || axis > rank - kept)
      return layer.error("ir-op", "expected dims that fit in those of operand " + Twine(base) + ", " +
                                      spell(typeOf(operands[base])) + ", at axis " + Twine(axis) + " for operand " +
                                      Twine(i) + ", but got " + spell(typeOf(operand)));
    if (kept < int64_t(dims.size()))
      operand = e.squeeze(operand, llvm::to_vector(llvm::seq<int64_t>(kept, dims.size())));
    if (axis + kept < rank)
      operand = e.unsqueeze(operand, llvm::to_vector(llvm::seq<int64_t>(kept, rank - axis)));
  }
  return success(!e.hasFailed());
}

bool recur::ir::isFunctionOfIntegers(const LayerBuilder &layer) {
  auto isReal = [](const ov::LayerValue &value) { return value.elements == ov::LayerElements::Real; };
  auto isInteger = [](Value value) {
    auto type = dyn_cast<IntegerType>(elementOf(value));
    return type && !type.isInteger(1);
  };
  return layer.type->isElementwise && !layer.operands.empty() && llvm::all_of(layer.type->operands, isReal) &&
         llvm::all_of(layer.operands, isInteger);
}

LogicalResult recur::ir::createFunctionOfIntegers(LayerBuilder &layer) {
  Type element = elementOf(layer.operands[0]);
  Builder &builder = layer.builder;
  Expansion e(layer, {}, {});
  SmallVector<Value> operands;
  for (Value operand : layer.operands)
    operands.push_back(e.convert(operand, builder.getF64Type()));
  if (e.hasFailed() || failed(layer.createOp(operands)))
    return failure();
  Value rounded = e.make<ov::RoundOp>(
      layer.results[0], e.attribute("mode", ov::RoundModeAttr::get(builder.getContext(), ov::RoundMode::HalfToEven)));
  return e.replace(e.convert(rounded, element));
}
