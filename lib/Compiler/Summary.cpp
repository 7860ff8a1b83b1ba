// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Summary.cpp - what a model is --------------------------------------===//
//
// Reads the function of a module, which is that of the model's text: nothing is lowered.
//
//===----------------------------------------------------------------------===//
#include "Recur/Compiler/Summary.h"

#include "Recur/Compiler/Report.h"
#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Import/OpenVINOIR.h"
#include "Recur/Target/ElementType.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace recur;

/// The description of an argument or a result. `fallback` is its name if `attrs` has none.
static TensorDescription describeTensor(Type type, DictionaryAttr attrs, const std::string &fallback) {
  auto tensor = cast<RankedTensorType>(type);
  auto name = attrs ? attrs.getAs<StringAttr>(ov::kNameAttr) : StringAttr();
  auto element = attrs ? attrs.getAs<TypeAttr>(ov::kElementTypeAttr) : TypeAttr();
  TensorDescription description;
  description.name = name ? name.str() : fallback;
  description.elementType = getElementType(element ? element.getValue() : tensor.getElementType());
  for (int64_t dim : tensor.getShape())
    description.dims.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
  return description;
}

/// The tensors with the numbers `begin`, `begin + step`, ... below `end` of `types`.
static std::vector<TensorDescription> describeTensors(TypeRange types, function_ref<DictionaryAttr(unsigned)> attrs,
                                                      StringRef fallback, unsigned begin, unsigned end,
                                                      unsigned step = 1) {
  std::vector<TensorDescription> tensors;
  for (unsigned i = begin; i < end; i += step)
    tensors.push_back(describeTensor(types[i], attrs(i), (fallback + std::to_string(i)).str()));
  return tensors;
}

ModelTensors recur::describeTensors(ModuleOp module) {
  func::FuncOp entry = *findEntry(module);
  auto listed = module->getAttrOfType<DenseI64ArrayAttr>(ov::kStatesAttr);
  unsigned numStates = listed ? listed.size() : 0, numArguments = entry.getNumArguments();
  unsigned numInputs = numArguments - 2 * numStates, numOutputs = entry.getNumResults() - numStates;
  auto arguments = [&](unsigned i) { return entry.getArgAttrDict(i); };
  auto results = [&](unsigned i) { return entry.getResultAttrDict(i); };
  TypeRange types = entry.getArgumentTypes();
  // Behind the value of a state is the flag that says if it is set.
  return {::describeTensors(types, arguments, "in_", 0, numInputs),
          ::describeTensors(entry.getResultTypes(), results, "out_", 0, numOutputs),
          ::describeTensors(types, arguments, "in_", numInputs, numArguments, 2)};
}

bool recur::isLoopOrSequence(Operation *op) {
  return isa<LoopLikeOpInterface, ov::LSTMSequenceOp, ov::GRUSequenceOp, ov::RNNSequenceOp>(op);
}

bool recur::isLayer(Operation *op) {
  return isa_and_present<ov::OVDialect>(op->getDialect()) && !op->hasTrait<OpTrait::IsTerminator>() &&
         !op->hasTrait<OpTrait::ConstantLike>();
}

LayerCounts recur::countLayers(ModuleOp module) {
  // An op that several ops were made of has one location with them, that of its layer. Inputs and outputs are no ops.
  DenseSet<Location> layers, loops;
  module.walk([&](Operation *op) {
    if (!isLayer(op))
      return;
    layers.insert(op->getLoc());
    if (isLoopOrSequence(op))
      loops.insert(op->getLoc());
  });
  return {layers.size(), loops.size()};
}

void recur::printSummary(raw_ostream &os, ModuleOp module) {
  func::FuncOp entry = *findEntry(module);
  ModelTensors tensors = describeTensors(module);
  printTensors(os, "input", tensors.inputs);
  printTensors(os, "output", tensors.outputs);
  printTensors(os, "state", tensors.states);

  LayerCounts counts = countLayers(module);
  os << "layers: " << counts.layers << ", without constants\nloops: " << counts.loops << "\n";
  for (auto [i, input] : llvm::enumerate(tensors.inputs)) {
    if (!llvm::is_contained(input.dims, -1))
      continue;
    os << "open dims: ";
    if (auto declared = entry.getArgAttrOfType<StringAttr>(i, kDeclaredShapeAttr)) {
      llvm::printEscapedString(input.name, os);
      os << " is declared as ";
      llvm::printEscapedString(declared, os);
      os << "; ";
    }
    os << "fix them by '--shape=";
    llvm::printEscapedString(input.name, os);
    std::string type = describeType(input);
    os << "=" << StringRef(type).drop_until([](char c) { return c == '['; }) << "', with numbers instead of '?'; "
       << "calls are often faster then\n";
  }
}

std::string recur::getShortWeights(ModuleOp module) {
  std::string found;
  module.walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs()) {
      // Values of the weights file may be of another type than the file has.
      auto weights = dyn_cast<ov::WeightsAttr>(attribute.getValue());
      auto value = dyn_cast<TypedAttr>(attribute.getValue());
      auto type = weights ? weights.getStored() : value ? dyn_cast<ShapedType>(value.getType()) : ShapedType();
      if (!type || !(type.getElementType().isF16() || type.getElementType().isBF16()))
        continue;
      found = type.getElementType().isF16() ? "f16" : "bf16";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}
