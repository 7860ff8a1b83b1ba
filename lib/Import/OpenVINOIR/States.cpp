// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- States.cpp - ReadValue and Assign ----------------------------------===//
//
// A state becomes two arguments and one result of the function, behind those of the Parameters and Results: its value,
// whether it was set since the last reset, and its next value. The compiled model keeps them in the instance. So no
// pass knows states: to the code they are inputs and outputs.
//
// A ReadValue returns the state if it was set, else the initial value.
//
//===----------------------------------------------------------------------===//

#include "Expansions/Expansion.h"
#include "Importers.h"
#include "TypeSyntax.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

Variable &ModelState::getVariable(StringRef name) {
  auto known = llvm::find_if(variables, [&](const Variable &variable) { return variable.name == name; });
  return known != variables.end() ? *known : variables.emplace_back(Variable{name.str(), {}, {}, nullptr, {}});
}

/// Appends the arguments of a state of this type to the function.
static void addArguments(Variable &variable, RankedTensorType type, Block &entry, Location location) {
  variable.value = entry.addArgument(type, location);
  variable.isSet = entry.addArgument(RankedTensorType::get({}, IntegerType::get(type.getContext(), 1)), location);
}

Value Expansion::state(StringRef name, RankedTensorType type) {
  Block *block = layer.builder.getInsertionBlock();
  // The block of a body belongs to no op yet.
  if (!isa_and_present<func::FuncOp>(block->getParentOp()))
    return {};
  Variable &variable = layer.state.getVariable(name);
  if (!variable.value)
    addArguments(variable, type, *block, layer.location);
  return variable.value;
}

void Expansion::setState(StringRef name, Value next) {
  Variable &variable = layer.state.getVariable(name);
  variable.assign = &layer.layer;
  variable.next = next;
}

std::string Expansion::getName() const { return layer.layer.getName(); }

namespace {
/// What a ReadValue declares of its state, by its attributes.
struct DeclaredState {
  /// The element type, or null if it is open.
  Type element;
  /// The dims, or nullopt if even the rank is open.
  std::optional<SmallVector<int64_t>> dims;
};
} // namespace

/// Reads `variable_type` and `variable_shape`. A state that is made out of any value, as the cross-attention of a
/// decoder has, leaves both open.
static FailureOr<DeclaredState> readDeclaredState(LayerBuilder &layer, Expansion &e) {
  DeclaredState declared;
  if (const TextAttribute *type = layer.findData("variable_type")) {
    StringRef text = type->value.trim();
    if (!text.equals_insensitive("dynamic") && !text.equals_insensitive("undefined")) {
      ElementType element = parseElementType(text, layer.builder.getContext());
      if (!element.type)
        return layer.error(type->offset, "ir-attribute",
                           "expected an element type" + (element.problem.empty() ? "" : " (" + element.problem + ")") +
                               " for attribute 'variable_type', but got " + quoted(type->value));
      declared.element = element.type;
    }
  }
  if (e.has("variable_shape") && StringRef(e.rawText("variable_shape")).trim() != "...") {
    std::string problem;
    FailureOr<SmallVector<int64_t>> dims = parseShape(e.rawText("variable_shape"), problem);
    if (failed(dims))
      return e.error(problem);
    declared.dims = std::move(*dims);
  }
  return declared;
}

/// The dims of the output port, where they fit in those of `init`; a dim that the port does not tell is dynamic.
/// Without dims at the port, all are dynamic.
static SmallVector<int64_t> getOpenDims(const Layer &layer, RankedTensorType init) {
  SmallVector<int64_t> dims(init.getRank(), ShapedType::kDynamic);
  if (!layer.outputs.empty() && layer.outputs[0].dims.size() == dims.size())
    dims.assign(layer.outputs[0].dims.begin(), layer.outputs[0].dims.end());
  return dims;
}

/// The type of the state of a ReadValue. What the layer leaves open is that of another ReadValue of the state
/// (`known`), of the initial value, or what the output port tells.
static FailureOr<RankedTensorType> getStateType(LayerBuilder &layer, Expansion &e, Value known) {
  FailureOr<DeclaredState> declared = readDeclaredState(layer, e);
  if (failed(declared))
    return failure();
  Value init = e.operand(0);
  Type element = declared->element;
  std::optional<SmallVector<int64_t>> dims = declared->dims;
  if (known && !element)
    element = elementOf(known);
  if (known && !dims)
    dims = llvm::to_vector(typeOf(known).getShape());
  if (init && !element)
    element = elementOf(init);
  if (init && !dims)
    dims = e.has("variable_shape") ? getOpenDims(layer.layer, typeOf(init)) : llvm::to_vector(typeOf(init).getShape());
  if (!layer.layer.outputs.empty()) {
    const Port &port = layer.layer.outputs[0];
    if (!element && !port.precision.empty())
      element = parseElementType(port.precision, layer.builder.getContext()).type;
    if (!dims && !port.dims.empty())
      dims = llvm::to_vector(port.dims);
  }
  if (!element || !dims)
    return e.error("expected 'variable_type' and a 'variable_shape' of known rank, or an initial value");
  if (init && elementOf(init) != element)
    return e.error("expected an initial value of " + spell(element) + ", but got " + spell(typeOf(init)));
  if (init && rankOf(init) != int64_t(dims->size()))
    return e.error("expected an initial value of rank " + Twine(dims->size()) + ", but got " + spell(typeOf(init)));
  auto type = RankedTensorType::get(*dims, element);
  if (init && failed(verifyCompatibleShape(type, typeOf(init))))
    return e.error("expected an initial value of " + spell(type) + ", but got " + spell(typeOf(init)));
  if (failed(layer.checkSize(type, layer.layer.offset)))
    return failure();
  return type;
}

/// Reshapes `value` to the static dims of `type`. Dims that are dynamic in it stay. At run time the number of elements
/// must agree.
static Value fitTo(Expansion &e, Value value, RankedTensorType type) {
  SmallVector<Size> sizes;
  bool fits = true;
  for (int64_t i : llvm::seq(type.getRank())) {
    sizes.push_back(type.isDynamicDim(i) ? e.dim(value, i) : e.size(type.getDimSize(i)));
    fits &= type.isDynamicDim(i) || typeOf(value).getDimSize(i) == type.getDimSize(i);
  }
  return fits ? value : e.reshape(value, sizes);
}

/// The state if it was set, else the initial value.
static Value readState(Expansion &e, const Variable &variable) {
  Value state = variable.value;
  RankedTensorType type = typeOf(state);
  Value init = fitTo(e, e.operand(0), type);
  if (type.hasStaticShape())
    return e.select(variable.isSet, state, init);
  SmallVector<Size> sizes;
  for (int64_t i : llvm::seq(type.getRank()))
    sizes.push_back(type.isDynamicDim(i) ? e.select(variable.isSet, e.dim(state, i), e.dim(init, i))
                                         : e.size(type.getDimSize(i)));
  // The state has no elements while it is not set. If the initial value has none either, only the dims differ.
  Value flat = e.size(-1);
  if (llvm::is_contained(typeOf(init).getShape(), 0))
    return e.reshape(state, sizes);
  Value both = e.concat({e.reshape(state, flat), e.reshape(init, flat)}, 0);
  return e.reshape(e.slice(both, 0, e.size(0), e.product(sizes)), sizes);
}

LogicalResult recur::ir::importReadValue(LayerBuilder &layer) {
  FailureOr<SmallVector<NamedAttribute>> attributes = layer.readAttributes(/*onlyOfOp=*/false);
  if (failed(attributes))
    return failure();
  Expansion e(layer, *attributes, layer.operands);
  Variable &variable = layer.state.getVariable(e.rawText("variable_id"));
  FailureOr<RankedTensorType> type = getStateType(layer, e, variable.value);
  if (failed(type))
    return failure();
  if (e.state(variable.name, *type).getType() != *type)
    return e.error("expected the type " + spell(typeOf(variable.value)) + " that another ReadValue of '" +
                   variable.name + "' has, but got " + spell(*type));
  return e.replace(e.operand(0) ? readState(e, variable) : variable.value);
}

LogicalResult recur::ir::importAssign(LayerBuilder &layer) {
  FailureOr<SmallVector<NamedAttribute>> attributes = layer.readAttributes(/*onlyOfOp=*/false);
  if (failed(attributes))
    return failure();
  Expansion e(layer, *attributes, layer.operands);
  Variable &variable = layer.state.getVariable(e.rawText("variable_id"));
  if (variable.assign)
    return e.error("expected one Assign of '" + variable.name + "', but " + variable.assign->describe() +
                   " is another");
  variable.assign = &layer.layer;
  variable.next = layer.operands[0];
  return e.replace(layer.operands[0]);
}

FailureOr<SmallVector<int64_t>> recur::ir::finishStates(ModelState &state, OpBuilder &builder, Block &entry,
                                                        SmallVectorImpl<Value> &results) {
  SmallVector<int64_t> isAssigned;
  for (Variable &variable : state.variables) {
    isAssigned.push_back(variable.next ? 1 : 0);
    if (!variable.next) {
      results.push_back(variable.value);
      continue;
    }
    if (!variable.value)
      addArguments(variable, typeOf(variable.next), entry, state.locate(*variable.assign));
    RankedTensorType type = typeOf(variable.value), given = typeOf(variable.next);
    LayerBuilder layer(state, builder, *variable.assign, variable.next);
    if (type.getElementType() != given.getElementType() ||
        failed(verifyCompatibleShape(type.getShape(), given.getShape())))
      return layer.error("ir-op", "expected the type " + spell(type) + " of the state '" + variable.name +
                                      "', but got " + spell(given));
    Expansion e(layer, {}, variable.next);
    Value next = fitTo(e, variable.next, type);
    if (e.hasFailed())
      return failure();
    if (next.getType() != type)
      next = tensor::CastOp::create(builder, state.locate(*variable.assign), type, next);
    results.push_back(next);
  }
  return isAssigned;
}
