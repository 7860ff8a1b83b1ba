// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EntryPoints.cpp - the interpreter as a compiled model --------------===//
//
// With the interface of a compiled model, the interpreter can be run by the same driver.
//
//===----------------------------------------------------------------------===//

#include "Recur/Interpreter/Interpreter.h"

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdio>
#include <cstring>
#include <optional>

using namespace mlir;
using namespace recur;
using namespace recur::interpreter;

struct InterpretedModel::State {
  Run run;
  std::vector<std::string> names;
  std::vector<Shape> dims;
  /// Those of the function, with the arguments and results of states behind the others.
  std::vector<recur_tensor_info> inputs, outputs;
  recur_info info = {};
  /// For each state, its value, and whether the model sets it. Without a value it has its initial one.
  std::vector<std::optional<Tensor>> states;
  ArrayRef<int64_t> setsState;
  /// Nullopt if the states are too large.
  std::optional<std::vector<Tensor>> initialStates;
};

/// The model that exists. The functions of the interface have no context argument, so it is global.
static InterpretedModel::State *current;

static int32_t report(recur_error *error, recur_status status, StringRef message) {
  if (error) {
    uint32_t size = error->size;
    std::memset(error, 0, sizeof(recur_error));
    error->size = size;
    error->code = status;
    error->tensor = error->axis = -1;
    std::snprintf(error->message, sizeof(error->message), "%s", message.str().c_str());
  }
  return status;
}

static int32_t resetModel(void *) {
  std::fill(current->states.begin(), current->states.end(), std::nullopt);
  return RECUR_OK;
}

static int32_t initModel(void *instance, const recur_config *, recur_error *error) {
  return report(error, recur_status(resetModel(instance)), "");
}

static int32_t getState(const void *, int32_t index, recur_tensor *value, recur_error *error) {
  std::optional<Tensor> &state = current->states[index];
  *value = {};
  if (state)
    *value = {state->getBytes().data(),
              const_cast<int64_t *>(state->getShape().data()),
              nullptr,
              int32_t(state->getRank()),
              int32_t(state->getType()),
              state->getBytes().size()};
  return report(error, RECUR_OK, "");
}

/// The message about a tensor for which `fits` is false ends with this.
static constexpr const char *kTooLarge = ": its size does not fit 64 bits";

/// True if the bytes of a tensor, taken dim by dim, fit 64 bits. A dim of 0 may come after others that do not.
static bool fits(const recur_tensor &tensor) {
  int64_t count = countElements(ArrayRef(tensor.shape, tensor.rank)), bytes;
  return count >= 0 &&
         !llvm::MulOverflow(count, int64_t(getElementBytes(recur_element_type(tensor.element_type))), bytes);
}

static int32_t setState(void *, int32_t index, const recur_tensor *value, recur_error *error) {
  std::optional<Tensor> &state = current->states[index];
  state.reset();
  if (value) {
    if (!fits(*value))
      return report(error, RECUR_E_OVERFLOW, "state " + std::to_string(index) + kTooLarge);
    state.emplace(recur_element_type(value->element_type), ArrayRef(value->shape, value->rank));
    std::memcpy(state->getBytes().data(), value->data, state->getBytes().size());
  }
  return report(error, RECUR_OK, "");
}

static int32_t setStateMemory(void *, int32_t, void *, size_t, recur_error *error) {
  return report(error, RECUR_OK, "");
}

/// Appends the arguments of the states.
static void addStates(std::vector<Tensor> &arguments) {
  for (auto [i, state] : llvm::enumerate(current->states)) {
    arguments.push_back(state ? *state : (*current->initialStates)[2 * i]);
    arguments.push_back((*current->initialStates)[2 * i + 1]);
    arguments.back().setInteger(0, state.has_value());
  }
}

/// Sizes are known only after a run, so each dim is -1 and the caller must give an allocator.
static int32_t queryModel(const void *, const recur_tensor *, recur_tensor *outputs, size_t *workspaceBytes,
                          recur_error *error) {
  *workspaceBytes = 0;
  for (auto [i, info] : llvm::enumerate(ArrayRef(current->info.outputs, current->info.num_outputs))) {
    recur_tensor &output = outputs[i];
    output.rank = info.rank;
    output.element_type = info.element_type;
    output.bytes = info.rank == 0 ? getElementBytes(recur_element_type(info.element_type)) : 0;
    std::fill(output.shape, output.shape + info.rank, -1);
  }
  return report(error, RECUR_E_ALLOCATOR_NEEDED, "the sizes of outputs show when they are computed");
}

static int32_t runModel(void *, const recur_tensor *inputs, recur_tensor *outputs, void *, size_t,
                        const recur_options *options, recur_error *error) {
  if (!current->initialStates)
    return report(error, RECUR_E_NOMEM, "the states are too large to interpret the model");
  std::vector<Tensor> arguments;
  for (auto [i, info] : llvm::enumerate(ArrayRef(current->info.inputs, current->info.num_inputs))) {
    if (!fits(inputs[i]))
      return report(error, RECUR_E_OVERFLOW, "input " + std::to_string(i) + kTooLarge);
    Tensor &tensor =
        arguments.emplace_back(recur_element_type(info.element_type), ArrayRef(inputs[i].shape, inputs[i].rank));
    if (!tensor.getBytes().empty())
      std::memcpy(tensor.getBytes().data(), inputs[i].data, tensor.getBytes().size());
  }
  addStates(arguments);
  InterpreterOptions limits;
  limits.maxIterations = options->max_iterations;
  limits.maxBytes = options->max_bytes;
  ModelRun run = current->run(arguments, limits);
  if (run.status != RECUR_OK)
    return report(error, run.status, run.message);
  size_t numOutputs = run.outputs.empty() ? 0 : current->info.num_outputs;
  for (auto [i, tensor] : llvm::enumerate(ArrayRef(run.outputs).take_front(numOutputs))) {
    recur_tensor &output = outputs[i];
    llvm::copy(tensor.getShape(), output.shape);
    output.rank = tensor.getRank();
    output.element_type = tensor.getType();
    output.bytes = tensor.getBytes().size();
    if (!output.data)
      output.data = options->alloc(options->ctx, std::max<size_t>(output.bytes, 1), RECUR_ALIGNMENT);
    if (!output.data)
      return report(error, RECUR_E_NOMEM, "out of memory");
    llvm::copy(tensor.getBytes(), static_cast<char *>(output.data));
  }
  for (size_t i = 0; i != current->states.size() && !run.outputs.empty(); ++i)
    if (current->setsState[i])
      current->states[i] = std::move(run.outputs[numOutputs + i]);
  return report(error, RECUR_OK, "");
}

static const recur_entry_points entries = {
    [] { return const_cast<const recur_info *>(&current->info); },
    [] { return size_t(1); },
    initModel,
    queryModel,
    runModel,
    resetModel,
    getState,
    setState,
    setStateMemory,
};

InterpretedModel::InterpretedModel(ModuleOp module, std::shared_ptr<llvm::MemoryBuffer> weights)
    : InterpretedModel(module, [=](ArrayRef<Tensor> inputs, const InterpreterOptions &limits) {
        ArrayRef<char> bytes;
        if (weights)
          bytes = ArrayRef(weights->getBufferStart(), weights->getBufferSize());
        return interpret(module, bytes, inputs, limits);
      }) {}

InterpretedModel::InterpretedModel(ModuleOp module, Run run) : state(std::make_unique<State>()) {
  state->run = std::move(run);
  current = state.get();
  auto function = *module.getOps<func::FuncOp>().begin();
  unsigned numInputs = function.getNumArguments(), numOutputs = function.getNumResults();
  // recur_tensor_info has pointers into these vectors, so they must not be reallocated.
  state->names.reserve(numInputs + numOutputs);
  state->dims.reserve(numInputs + numOutputs);
  auto describe = [&](Type type, Attribute name) {
    auto tensor = cast<RankedTensorType>(type);
    auto text = dyn_cast_or_null<StringAttr>(name);
    state->names.push_back(text ? text.str() : "");
    Shape &dims = state->dims.emplace_back();
    for (int64_t dim : tensor.getShape())
      dims.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
    return recur_tensor_info{state->names.back().c_str(), getElementType(tensor.getElementType()),
                             int32_t(tensor.getRank()), dims.data()};
  };
  for (unsigned i = 0; i != numInputs; ++i)
    state->inputs.push_back(describe(function.getArgumentTypes()[i], function.getArgAttr(i, ov::kNameAttr)));
  for (unsigned i = 0; i != numOutputs; ++i)
    state->outputs.push_back(describe(function.getResultTypes()[i], function.getResultAttr(i, ov::kNameAttr)));
  recur_info &info = state->info;
  info.size = sizeof(recur_info);
  info.abi = 1;
  info.name = "interpreted";
  if (auto states = module->getAttrOfType<DenseI64ArrayAttr>(ov::kStatesAttr))
    state->setsState = states;
  state->states.resize(state->setsState.size());
  state->initialStates = getInitialStates(module);
  size_t numStates = state->states.size();
  info.num_inputs = numInputs - 2 * numStates;
  info.num_outputs = numOutputs - numStates;
  info.num_states = numStates;
  info.inputs = state->inputs.data();
  info.outputs = state->outputs.data();
  info.states = state->outputs.data() + info.num_outputs;
  info.triple = info.cpu = info.cpu_features = "";
  info.compiler = "Recur";
}

InterpretedModel::~InterpretedModel() { current = nullptr; }

const recur_entry_points &InterpretedModel::entryPoints() const { return entries; }
