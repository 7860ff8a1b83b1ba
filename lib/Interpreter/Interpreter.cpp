// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Interpreter.cpp - the reference interpreter of ov ------------------===//
//
// Runs the ops of a function in order. Each op has a function that computes its results from tensors; afterwards the
// results are checked against the declared types and against the dims that the compiler would derive for the op.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "Recur/Dialect/OV/IR/EmptyDims.h"
#include "Recur/Dialect/OV/IR/NestDims.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <utility>

using namespace mlir;

namespace recur::interpreter {

std::nullopt_t Machine::fault(recur_status code, const Twine &what) {
  if (status == RECUR_OK) {
    status = code;
    message = what.str();
  }
  return std::nullopt;
}

MaybeTensor Machine::make(recur_element_type type, ArrayRef<int64_t> shape) {
  int64_t count = countElements(shape);
  if (count < 0 || count > std::numeric_limits<int64_t>::max() / int64_t(getElementBytes(type)))
    return fault(RECUR_E_OVERFLOW, "a tensor is too large");
  if (count > kMostElements)
    return fault(RECUR_E_NOMEM, "a tensor of " + Twine(count) + " elements is too large to interpret the model");
  if (options.maxBytes && count > options.maxBytes / int64_t(getElementBytes(type)))
    return fault(RECUR_E_MEM_LIMIT, "a tensor of " + Twine(count) + " elements exceeds the limit");
  return Tensor(type, shape);
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

static const Handlers &getHandlers() {
  static const Handlers handlers = [] {
    Handlers all;
    for (AddFamily *add : {addActivation,     addArithmetic,      addBitwise,       addComparison,
                           addCondition,      addConvolution,     addGeneration,    addInfrastructure,
                           addLogical,        addMatrix,          addMovement,      addMovementGather,
                           addMovementRepeat, addMovementScatter, addMovementSlice, addReduction,
                           addSequence,       addShape,           addSort,          addType})
      add(all);
    return all;
  }();
  return handlers;
}

/// True if the result of an op has the element type and the shape of its declared type; a dynamic dim may be any. Else
/// a fault.
static bool hasType(Machine &machine, const Tensor &tensor, Type declared, StringRef op) {
  auto type = cast<RankedTensorType>(declared);
  bool fits = tensor.getType() == getElementType(type.getElementType()) && tensor.getRank() == type.getRank();
  if (!fits) {
    machine.fault(RECUR_E_INTERNAL, op + " has another element type or rank than its declared type");
    return false;
  }
  for (auto [dim, expected] : llvm::zip_equal(tensor.getShape(), type.getShape()))
    fits &= ShapedType::isDynamic(expected) || dim == expected;
  if (!fits)
    machine.fault(RECUR_E_SHAPE, "the shape of " + op + " is not that of its declared type");
  return fits;
}

/// Checks an input of a call as the C interface of a compiled model does (ABIShim/Checks.h), with the same messages.
static bool fitsInput(Machine &machine, const Tensor &tensor, func::FuncOp function, unsigned index) {
  auto type = cast<RankedTensorType>(function.getArgumentTypes()[index]);
  auto name = function.getArgAttrOfType<StringAttr>(index, ov::kNameAttr);
  std::string place = ("input " + Twine(index) + " '" + (name ? name.getValue() : StringRef()) + "': ").str();
  recur_element_type element = getElementType(type.getElementType());
  if (tensor.getRank() != type.getRank())
    machine.fault(RECUR_E_SHAPE, place + "rank is " + Twine(tensor.getRank()) + ", expected " + Twine(type.getRank()));
  else if (tensor.getType() != element)
    machine.fault(RECUR_E_DTYPE, place + "element type is " + getElementName(tensor.getType()) + ", expected " +
                                     getElementName(element));
  else
    for (auto [axis, dim, expected] : llvm::enumerate(tensor.getShape(), type.getShape()))
      if (!ShapedType::isDynamic(expected) && dim != expected)
        machine.fault(RECUR_E_SHAPE,
                      place + "dim " + Twine(axis) + " is " + Twine(dim) + ", expected " + Twine(expected));
  return machine.status == RECUR_OK;
}

MaybeTensors Machine::runOp(Operation *op) {
  StringRef name = op->getName().getStringRef();
  auto handler = getHandlers().find(name);
  if (handler == getHandlers().end())
    return fault(RECUR_E_INTERNAL, "the interpreter does not know " + name);
  SmallVector<const Tensor *> operands;
  for (Value operand : op->getOperands())
    operands.push_back(&valueOf(operand));
  MaybeTensors results = handler->second(*this, op, operands);
  if (!results) {
    // Only the innermost op adds its name to the message: the layer, if the location has one.
    if (auto layer = op->getLoc()->findInstanceOf<NameLoc>(); !isPlaced && layer)
      message = "'" + layer.getName().str() + "': " + message;
    isPlaced = true;
    return std::nullopt;
  }
  for (auto [tensor, value] : llvm::zip_equal(*results, op->getResults()))
    if (!hasType(*this, tensor, value.getType(), name))
      return std::nullopt;
  if (!checkDims(*this, op, *results))
    return std::nullopt;
  return results;
}

bool Machine::run(Block &block) {
  for (Operation &op : block.without_terminator()) {
    MaybeTensors results = runOp(&op);
    if (!results)
      return false;
    for (auto [value, tensor] : llvm::zip_equal(op.getResults(), *results))
      bind(value, std::move(tensor));
    if (options.observe) {
      SmallVector<const Tensor *> tensors;
      for (Value value : op.getResults())
        tensors.push_back(&valueOf(value));
      options.observe(&op, iterations, tensors);
    }
  }
  return true;
}

std::vector<recur_status> Machine::findFaults(Block &block) {
  recur_status first = std::exchange(status, RECUR_OK);
  std::string firstMessage = message;
  options.observe = nullptr;
  std::vector<recur_status> faults;
  auto isBound = [&](Value value) { return values.contains(value); };
  for (Operation &op : block.without_terminator()) {
    if (llvm::all_of(op.getResults(), isBound) || !llvm::all_of(ov::getReadValues(&op), isBound))
      continue;
    iterations.clear();
    if (MaybeTensors results = runOp(&op))
      for (auto [value, tensor] : llvm::zip_equal(op.getResults(), *results))
        bind(value, std::move(tensor));
    else
      faults.push_back(std::exchange(status, RECUR_OK));
  }
  status = first;
  message = std::move(firstMessage);
  return faults;
}

} // namespace recur::interpreter

using namespace recur;
using namespace recur::interpreter;

std::optional<std::vector<Tensor>> recur::getInitialStates(ModuleOp module, int64_t maxBytes) {
  constexpr int64_t most = int64_t(1) << 30;
  int64_t left = maxBytes ? std::min(maxBytes, most) : most;
  std::vector<Tensor> states;
  auto listed = module->getAttrOfType<DenseI64ArrayAttr>(ov::kStatesAttr);
  auto functions = module.getOps<func::FuncOp>();
  if (!listed || functions.empty() || (*functions.begin()).getNumArguments() < 2 * listed.size())
    return states;
  for (Type type : (*functions.begin()).getArgumentTypes().take_back(2 * listed.size())) {
    auto tensor = cast<RankedTensorType>(type);
    Shape dims(tensor.getShape());
    for (int64_t &dim : dims)
      dim = ShapedType::isDynamic(dim) ? 0 : dim;
    recur_element_type element = getElementType(tensor.getElementType());
    int64_t count = countElements(dims), bytes = getElementBytes(element);
    if (count < 0 || count > left / bytes)
      return std::nullopt;
    left -= count * bytes;
    states.emplace_back(element, dims);
  }
  return states;
}

ModelRun recur::interpret(ModuleOp module, ArrayRef<char> weights, ArrayRef<Tensor> inputs,
                          const InterpreterOptions &options) {
  Machine machine(weights, options);
  auto functions = module.getOps<func::FuncOp>();
  ModelRun result;
  auto finish = [&] {
    result.status = machine.status;
    result.message = machine.message;
    return std::move(result);
  };
  if (functions.empty()) {
    machine.fault(RECUR_E_INTERNAL, "the module has no function");
    return finish();
  }
  func::FuncOp function = *functions.begin();
  ov::tellEmptyDims(function);
  Block &body = function.getBody().front();
  std::vector<Tensor> all(inputs.begin(), inputs.end());
  bool hasNoStates = inputs.size() != body.getNumArguments();
  size_t numStates = 0;
  if (hasNoStates) {
    std::optional<std::vector<Tensor>> states = getInitialStates(module, options.maxBytes);
    if (!states) {
      machine.fault(RECUR_E_MEM_LIMIT, "the states exceed the limit");
      return finish();
    }
    numStates = states->size() / 2;
    llvm::append_range(all, *states);
    inputs = all;
  }
  if (inputs.size() != body.getNumArguments()) {
    machine.fault(RECUR_E_NULL, "expected " + Twine(body.getNumArguments()) + " inputs");
    return finish();
  }
  for (auto [i, arg, input] : llvm::enumerate(body.getArguments(), inputs)) {
    if (!fitsInput(machine, input, function, i))
      return finish();
    machine.bind(arg, input);
  }
  if (machine.run(body))
    for (Value value : body.getTerminator()->getOperands())
      result.outputs.push_back(machine.valueOf(value));
  else if (options.findsAllFaults)
    result.faults = machine.findFaults(body);
  if (result.outputs.size() >= numStates)
    result.outputs.erase(result.outputs.end() - numStates, result.outputs.end());
  // As for a compiled model, the other dims of an empty output must fit.
  for (auto [i, output] : llvm::enumerate(result.outputs)) {
    Shape dims = llvm::to_vector(llvm::make_filter_range(output.getShape(), [](int64_t dim) { return dim != 0; }));
    if (countElements(dims) < 0) {
      machine.fault(RECUR_E_OVERFLOW, "output " + Twine(i) + ": its size does not fit 64 bits");
      result.outputs.clear();
      break;
    }
  }
  return finish();
}
