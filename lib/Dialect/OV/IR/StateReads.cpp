// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StateReads.cpp - States and their initial values -------------------===//
//
// A state of static dims is read by a Select. If a dim is dynamic, the elements of the state and those of the initial
// value are joined, and the first ones are reshaped to the dims of the one that counts: the state has no elements while
// it is not set.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/StateReads.h"

#include "Recur/Dialect/OV/IR/Dims.h"
#include "Recur/Dialect/OV/IR/OVMovement.h"
#include "Recur/Dialect/OV/IR/OVShapes.h"
#include "Recur/Dialect/OV/IR/RankedValues.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ov;

std::vector<State> recur::ov::findStates(FunctionOpInterface func) {
  auto isAssigned = func->getParentOfType<ModuleOp>()->getAttrOfType<DenseI64ArrayAttr>(kStatesAttr);
  std::vector<State> states;
  if (!isAssigned)
    return states;
  unsigned count = isAssigned.size(), firstArgument = func.getNumArguments() - 2 * count,
           firstResult = func.getNumResults() - count;
  Operation *end = func.getFunctionBody().front().getTerminator();
  for (auto [i, assigned] : llvm::enumerate(isAssigned.asArrayRef())) {
    unsigned argument = firstArgument + 2 * i;
    auto name = func.getArgAttrOfType<StringAttr>(argument, kNameAttr);
    states.push_back({name ? name.str() : "state_" + std::to_string(i), func.getArgument(argument),
                      func.getArgument(argument + 1), assigned ? end->getOperand(firstResult + i) : Value()});
  }
  return states;
}

/// The vectors that `sizes` joins where it chooses the dims of an initial value and not those of a state. Returns
/// nullopt if `sizes` does not choose by the flag `isSet`.
static std::optional<SmallVector<Value>> getInitSizes(Value sizes, Value isSet) {
  SmallVector<Value> parts{sizes};
  if (auto concat = sizes.getDefiningOp<ConcatOp>())
    parts.assign(concat.getInputs().begin(), concat.getInputs().end());
  bool chooses = false;
  for (Value &part : parts)
    if (auto select = part.getDefiningOp<SelectOp>(); select && select.getCondition() == isSet) {
      chooses = true;
      part = select.getElseValue();
    }
  return chooses ? std::optional(std::move(parts)) : std::nullopt;
}

/// A constant of the dims in `sizes` with the elements of `flat`, or without elements if that is null. Null if there is
/// none, or if a dim is not known.
static TypedAttr makeInit(ArrayRef<Value> sizes, Value flat, Type element) {
  SmallVector<int64_t> shape;
  for (Value part : sizes) {
    std::optional<SmallVector<int64_t>> known = getConstantIntegers(part);
    if (!known)
      return {};
    llvm::append_range(shape, *known);
  }
  auto type = RankedTensorType::get(shape, element);
  if (!flat)
    return type.getNumElements() == 0 ? DenseElementsAttr::get(type, ArrayRef<Attribute>()) : TypedAttr();
  auto constant = flat.getDefiningOp<ConstantOp>();
  auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  return dense && dense.getNumElements() == type.getNumElements() ? dense.reshape(type) : TypedAttr();
}

/// True if `init` provably has the dims in `sizes`.
static bool hasDims(Value init, ArrayRef<Value> sizes) {
  ValueDims dims;
  int64_t rank = rankOf(init), i = 0;
  for (Value part : sizes)
    for (int64_t position = 0, e = getStaticLength(part).value_or(rank + 1); position != e; ++position, ++i) {
      DimSource::MaybeDim size = dims.getElement(part, position);
      if (!size || i >= rank || dims.get(init, i) != size)
        return false;
    }
  return i == rank;
}

/// Adds the reads of a state whose elements, or those of `flat`, are joined with those of an initial value.
static void addJoinedReads(const State &state, Value flat, StateReads &reads) {
  auto type = cast<RankedTensorType>(state.value.getType());
  for (Operation *concat : flat.getUsers()) {
    if (!isa<ConcatOp>(concat) || concat->getNumOperands() != 2 || concat->getOperand(0) != flat)
      continue;
    for (Operation *slice : concat->getUsers()) {
      if (!isa<SliceOp>(slice))
        continue;
      for (Operation *reshape : slice->getUsers()) {
        if (!isa<ReshapeOp>(reshape))
          continue;
        auto sizes = getInitSizes(reshape->getOperand(1), state.isSet);
        if (!sizes)
          continue;
        Value init = concat->getOperand(1);
        if (auto flattened = init.getDefiningOp<ReshapeOp>())
          init = flattened->getOperand(0);
        StateRead read{&state};
        if (hasDims(init, *sizes))
          read.init = init;
        else
          read.constantInit = makeInit(*sizes, init, type.getElementType());
        if (read.init || read.constantInit)
          reads[reshape->getResult(0)] = read;
      }
    }
  }
}

StateReads recur::ov::findReads(ArrayRef<State> states) {
  StateReads reads;
  for (const State &state : states) {
    addJoinedReads(state, state.value, reads);
    for (Operation *user : state.value.getUsers()) {
      if (auto select = dyn_cast<SelectOp>(user))
        if (select.getCondition() == state.isSet && select.getThenValue() == state.value)
          reads[select.getResult()] = {&state, select.getElseValue()};
      auto reshape = dyn_cast<ReshapeOp>(user);
      if (!reshape || reshape->getOperand(0) != state.value)
        continue;
      addJoinedReads(state, reshape.getResult(), reads);
      // Without elements of the initial value, only the dims differ.
      auto sizes = getInitSizes(reshape->getOperand(1), state.isSet);
      Type element = cast<RankedTensorType>(state.value.getType()).getElementType();
      if (TypedAttr init = sizes ? makeInit(*sizes, {}, element) : TypedAttr())
        reads[reshape.getResult()] = {&state, {}, init};
    }
  }
  return reads;
}
