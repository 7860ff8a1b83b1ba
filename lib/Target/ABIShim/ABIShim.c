// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ABIShim.c - the public ABI in front of generated code -----------------===//
//
// Freestanding C99. It is compiled to assembly when Recur is built, for models with states (RECUR_SHIM_STATES is 1) and
// without, and for those that have both NAME_run and NAME_step (RECUR_SHIM_ENTRIES is 2; such models may have states).
// The assembly becomes a part of the object of each model. It is compiled for the baseline CPU, so that NAME_init can
// report a CPU that is too old for the model. Only memcpy, memset and memmove may be undefined symbols. They are those
// of Memory.c, for the least CPU of the model, so nothing may copy before chooseLevel. linkABIShim gives recur_shim_X
// the name NAME_X, and all other symbols are local.
//
//===----------------------------------------------------------------------===//
#include <stdint.h>

/* All of the contract is defined in the same object, but for the weights, which may be far from the code in a JIT. */
extern __attribute__((visibility("default"))) const uint8_t recur_model_weights[];
#pragma GCC visibility push(hidden)
#include "Recur/Target/ShimContract.h"
#pragma GCC visibility pop
#include "Recur/Target/Weights.h"

#include "Allocator.h"
#include "CPU.h"
#include "Gang.h"
#include "States.h"

static int32_t computeSizes(int entry, recur_frame *frame, int64_t *dims, int64_t *bytes) {
#if RECUR_SHIM_ENTRIES == 2
  if (entry)
    return recur_step_sizes(frame, dims, bytes);
#endif
  (void)entry;
  return recur_model_sizes(frame, dims, bytes);
}

static int32_t compute(int entry, recur_frame *frame) {
#if RECUR_SHIM_ENTRIES == 2
  if (entry)
    return recur_step_compute(frame);
#endif
  (void)entry;
  return recur_model_compute(frame);
}

static int32_t checkArrays(const recur_tensor *inputs, const recur_tensor *outputs, recur_error *error) {
  int64_t size = sizeof(recur_tensor);
  if (recur_model_info.num_inputs && !inputs)
    return fail2(error, RECUR_E_NULL, inCall, "inputs is null", 0, 0);
  if (recur_model_info.num_outputs && !outputs)
    return fail2(error, RECUR_E_NULL, inCall, "outputs is null", 0, 0);
  if (overlaps(inputs, recur_model_info.num_inputs * size, outputs, recur_model_info.num_outputs * size))
    return fail2(error, RECUR_E_ALIAS, inCall, "inputs and outputs overlap", 0, 0);
  return RECUR_OK;
}

/// The bytes in front of packed weights that the caller gives.
static int64_t countHeaderBytes(void) {
  return recur_model_info.weights_layout ? (int64_t)sizeof(recur_weights_header) : 0;
}

/// The kinds of memory that an output, or its shape, must not overlap. aliasTexts has the messages in this order: first
/// for the data of the output, then for its shape.
enum { inputData, inputShape, outputData, outputShape, theWorkspace, theInstance, theWeights, stateMemory };
static const char aliasTexts[][2][48] = {
    {"overlaps input {0}", "its shape overlaps input {0}"},
    {"overlaps the shape of input {0}", "its shape overlaps that of input {0}"},
    {"overlaps output {0}", "its shape overlaps output {0}"},
    {"overlaps the shape of output {0}", "its shape overlaps that of output {0}"},
    {"overlaps the workspace", "its shape overlaps the workspace"},
    {"overlaps the instance", "its shape overlaps the instance"},
    {"overlaps the weights", "its shape overlaps the weights"},
    {"overlaps the memory of state {0}", "its shape overlaps the memory of state {0}"},
};

/// Fails if memory that the call writes overlaps other memory of the call. If outputBytes is null, as in a query, the
/// call writes only the shapes of outputs.
static int32_t checkAliases(const recur_instance *instance, const recur_tensor *inputs, const int64_t *inputBytes,
                            const recur_tensor *outputs, const int64_t *outputBytes, const void *workspace,
                            int64_t workspaceBytes, recur_error *error) {
  const recur_tensor_info *inputInfos = recur_model_info.inputs, *outputInfos = recur_model_info.outputs;
  int32_t numInputs = recur_model_info.num_inputs;
  for (int32_t i = 0; i < recur_model_info.num_outputs; ++i)
    for (int isShape = !outputBytes; isShape < 2; ++isShape) {
      const void *at = isShape ? (const void *)outputs[i].shape : outputs[i].data;
      int64_t bytes = isShape ? shapeBytes(outputInfos[i].rank) : outputBytes[i];
      int other = -1;
      int32_t k = 0;
      for (; k < numInputs; ++k) {
        if (overlaps(at, bytes, inputs[k].data, inputBytes[k]))
          other = inputData;
        else if (overlaps(at, bytes, inputs[k].shape, shapeBytes(inputInfos[k].rank)))
          other = inputShape;
        if (other >= 0)
          break;
      }
      if (other < 0)
        for (k = 0; k <= i; ++k) {
          if (outputBytes && (k < i || isShape) && overlaps(at, bytes, outputs[k].data, outputBytes[k]))
            other = outputData;
          else if (k < i && overlaps(at, bytes, outputs[k].shape, shapeBytes(outputInfos[k].rank)))
            other = outputShape;
          if (other >= 0)
            break;
        }
      if (other < 0)
        other = overlaps(at, bytes, workspace, workspaceBytes)   ? theWorkspace
                : overlaps(at, bytes, instance, instanceBytes()) ? theInstance
                : overlaps(at, bytes, instance->weights - countHeaderBytes(), recur_model_info.weights_bytes)
                    ? theWeights
                    : -1;
      for (int32_t s = 0; s < countStates() && other < 0; ++s)
        if (overlapsState(instance, s, at, bytes)) {
          other = stateMemory;
          k = s;
        }
      if (other >= 0) {
        origin from = {RECUR_IN_OUTPUT, i, -1};
        return fail2(error, RECUR_E_ALIAS, from, aliasTexts[other][isShape], k, 0);
      }
    }
  for (int32_t k = 0; k < numInputs; ++k) {
    origin from = {RECUR_IN_INPUT, k, -1};
    if (overlaps(workspace, workspaceBytes, inputs[k].data, inputBytes[k]))
      return fail2(error, RECUR_E_ALIAS, from, "overlaps the workspace", 0, 0);
    if (overlaps(workspace, workspaceBytes, inputs[k].shape, shapeBytes(inputInfos[k].rank)))
      return fail2(error, RECUR_E_ALIAS, from, "its shape overlaps the workspace", 0, 0);
  }
  if (overlaps(workspace, workspaceBytes, instance, instanceBytes()))
    return fail2(error, RECUR_E_ALIAS, inWorkspace, "overlaps the instance", 0, 0);
  for (int32_t s = 0; s < countStates(); ++s)
    if (overlapsState(instance, s, workspace, workspaceBytes))
      return fail2(error, RECUR_E_ALIAS, inWorkspace, "overlaps the memory of state {0}", s, 0);
  return RECUR_OK;
}

const recur_info *recur_shim_info(void) { return &recur_model_info; }

size_t recur_shim_instance_size(void) { return (size_t)instanceBytes(); }

int32_t recur_shim_init(void *memory, const recur_config *config, recur_error *error) {
  recur_instance *instance = (recur_instance *)memory;
  if (!instance)
    return fail2(error, RECUR_E_NULL, inCall, "instance is null", 0, 0);
  if (isMisaligned(instance, sizeof(void *)))
    return fail2(error, RECUR_E_LAYOUT, inCall, "instance is not aligned to {0} bytes", sizeof(void *), 0);
  if (config && config->size < sizeof(recur_config))
    return fail2(error, RECUR_E_VERSION, inCall, "config has size {1}, expected at least {0}", sizeof(recur_config),
                 config->size);
  if (config && (config->flags & ~(uint32_t)RECUR_USE_TILES))
    return fail2(error, RECUR_E_VERSION, inCall, "config has flags {1}, expected 0 or {0}", RECUR_USE_TILES,
                 config->flags);
  int64_t level;
  int32_t status = chooseLevel(&level, error);
  if (status)
    return status;
  const uint8_t *weights = recur_model_weights;
  if (config && config->weights) {
    uint64_t bytes = recur_model_info.weights_bytes;
    if (config->weights_bytes != bytes)
      return fail2(error, RECUR_E_WEIGHTS, inCall, "the weights have {1} bytes, expected {0}", (int64_t)bytes,
                   (int64_t)config->weights_bytes);
    if (isMisaligned(config->weights, RECUR_ALIGNMENT))
      return fail2(error, RECUR_E_WEIGHTS, inCall, "the weights are not aligned to {0} bytes", RECUR_ALIGNMENT, 0);
    weights = (const uint8_t *)config->weights;
    if (recur_model_info.weights_layout) {
      uint64_t layout = ((const recur_weights_header *)config->weights)->layout;
      if (layout != recur_model_info.weights_layout)
        return fail2(error, RECUR_E_WEIGHTS, inCall, "the weights have layout {1}, expected {0}",
                     (int64_t)recur_model_info.weights_layout, (int64_t)layout);
      weights += countHeaderBytes();
    }
  } else if (recur_model_facts.needs_weights) {
    return fail2(error, RECUR_E_WEIGHTS, inCall, "the object has no weights: config must give {0} bytes",
                 (int64_t)recur_model_info.weights_bytes, 0);
  }
  recur_config none = {sizeof(recur_config), 0, 0, 0, 0, 0};
  instance->config = config ? *config : none;
  instance->weights = weights;
  instance->level = level;
  instance->model = &recur_model_info;
  instance->magic = magicWord;
  initStates(instance);
  return succeed(error);
}

int32_t recur_shim_level(const void *memory) {
  const recur_instance *instance = (const recur_instance *)memory;
  return checkInstance(instance, 0) ? -1 : (int32_t)instance->level;
}

int32_t recur_shim_reset(void *memory) {
  const recur_instance *instance = (const recur_instance *)memory;
  int32_t status = checkInstance(instance, 0);
  for (int32_t i = 0; i < countStates() && !status; ++i)
    resetState(&statesOf(instance)[i], &infoOf(lastEntry)->states[i]);
  return status;
}

/// The index of the first input whose data is null although sizes depend on its value, or -1.
static int32_t findUntold(int entry, const recur_tensor *inputs, const int64_t *inputBytes) {
  for (int32_t i = 0; i < infoOf(entry)->num_inputs; ++i)
    if (factsOf(entry)->sizes_read[i] && !inputs[i].data && inputBytes[i])
      return i;
  return -1;
}

static int32_t query(int entry, const void *memory, const recur_tensor *inputs, recur_tensor *outputs,
                     size_t *workspaceBytes, recur_error *error) {
  int32_t numInputs = infoOf(entry)->num_inputs, numOutputs = infoOf(entry)->num_outputs;
  const recur_tensor_info *infos = infoOf(entry)->outputs;
  int64_t dims[factsOf(entry)->output_dims + 1], inputBytes[numInputs + 1], outputBytes[numOutputs + 1];
  int64_t needed = infoOf(entry)->workspace_bytes, *next = dims;
  int32_t status = checkInstance((const recur_instance *)memory, error);
  if (status || (status = checkArrays(inputs, outputs, error)))
    return status;
  for (int32_t i = 0; i < numInputs; ++i)
    if ((status = checkInput(entry, &inputs[i], i, 0, &inputBytes[i], error)))
      return status;
  for (int32_t i = 0; i < numOutputs; ++i)
    if (infos[i].rank && !outputs[i].shape) {
      origin from = {RECUR_IN_OUTPUT, i, -1};
      return fail2(error, RECUR_E_NULL, from, "shape is null", 0, 0);
    }
  if ((status = checkAliases((const recur_instance *)memory, inputs, inputBytes, outputs, 0, 0, 0, error)))
    return status;

  int32_t untold = findUntold(entry, inputs, inputBytes);
  recur_tensor all[numInputs + 2 * countStatesOf(entry) + 1];
  recur_frame frame = {inputs, 0, 0, 0, 0, 0, 0, -1, {0, 0, 0, 0}, 0, ((const recur_instance *)memory)->level};
  if (countStatesOf(entry)) {
    __builtin_memcpy(all, inputs, (size_t)numInputs * sizeof(recur_tensor));
    addStates((const recur_instance *)memory, all + numInputs, 0);
    frame.inputs = all;
  }
  if (untold < 0 && (status = computeSizes(entry, &frame, dims, &needed)))
    return failCompute(error, status, entry, &frame);

  int32_t unknown = -1;
  for (int32_t i = 0; i < numOutputs; next += infos[i++].rank) {
    for (int32_t axis = 0; axis < infos[i].rank && untold >= 0; ++axis)
      next[axis] = infos[i].dims[axis];
    outputBytes[i] = outputBytesOf(next, &infos[i]);
    if (outputBytes[i] < 0) {
      origin from = {RECUR_IN_OUTPUT, i, -1};
      return fail2(error, RECUR_E_OVERFLOW, from, "its size does not fit 64 bits", 0, 0);
    }
    if (unknown < 0 && isUnknown(next, infos[i].rank))
      unknown = i;
  }
  next = dims;
  for (int32_t i = 0; i < numOutputs; ++i) {
    outputs[i].rank = infos[i].rank;
    outputs[i].element_type = infos[i].element_type;
    outputs[i].bytes = (size_t)outputBytes[i];
    for (int32_t axis = 0; axis < infos[i].rank; ++axis)
      outputs[i].shape[axis] = *next++;
  }
  if (workspaceBytes)
    *workspaceBytes = needed < 0 ? 0 : (size_t)needed;
  if (untold >= 0) {
    origin from = {RECUR_IN_INPUT, untold, -1};
    return fail2(error, RECUR_E_ALLOCATOR_NEEDED, from, "sizes depend on its value, and data is null", 0, 0);
  }
  if (unknown >= 0) {
    origin from = {RECUR_IN_OUTPUT, unknown, -1};
    return fail2(error, RECUR_E_ALLOCATOR_NEEDED, from,
                 "its size is known only when the model runs: give run an allocator or a large buffer", 0, 0);
  }
  if (needed < 0)
    return fail2(error, RECUR_E_ALLOCATOR_NEEDED, inWorkspace, "its size depends on the values of inputs", 0, 0);
  if (entry == lastEntry && (status = checkNext((const recur_instance *)memory, next, 0, error)))
    return status;
  if (factsOf(entry)->reserves) {
    const int64_t none[4] = {0, 0, 0, 0};
    const char *layer = factsOf(entry)->reserves > 0 ? faultsOf(entry)[factsOf(entry)->reserves - 1].text : 0;
    return failAt(error, RECUR_E_ALLOCATOR_NEEDED, inWorkspace, layer,
                  "the size of a buffer inside of the model is known only when it runs: give run an allocator", none);
  }
  return succeed(error);
}

/// Checks an output against its dims, which are known or -1. Sets *bytes to the bytes of the output; if a dim is
/// unknown, to the bytes of the caller's buffer. Sets *takes if the buffer must come from the allocator.
static int32_t checkOutput(int entry, const recur_tensor *tensor, int32_t index, const int64_t *dims, int hasAllocator,
                           int64_t *bytes, uint8_t *takes, recur_error *error) {
  const recur_tensor_info *info = &infoOf(entry)->outputs[index];
  origin from = {RECUR_IN_OUTPUT, index, -1};
  int32_t status = checkHead(tensor, info, from, error);
  if (status)
    return status;
  int isOpen = isUnknown(dims, info->rank);
  *bytes = outputBytesOf(dims, info);
  *takes = !tensor->data && (isOpen || *bytes > 0);
  if (*bytes < 0)
    return fail2(error, RECUR_E_OVERFLOW, from, "its size does not fit 64 bits", 0, 0);
  if (*takes && !hasAllocator)
    return isOpen ? fail2(error, RECUR_E_ALLOCATOR_NEEDED, from,
                          "its size is known only when the model runs: give an allocator or a large buffer", 0, 0)
                  : fail2(error, RECUR_E_CAPACITY, from, "needs {0} bytes, and data is null without an allocator",
                          *bytes, 0);
  if (!tensor->data)
    return RECUR_OK;
  status = checkData(tensor, dims, *bytes, from, error);
  if (isOpen)
    *bytes = tensor->bytes > INT64_MAX ? INT64_MAX : (int64_t)tensor->bytes; /* all of it may be written */
  return status;
}

/// Checks outputs after the computation: dims that were unknown before must fit. Also makes boolean outputs 0 or 1: the
/// caller may pass other bytes, and ops that only move data copy them unchanged.
static int32_t finishOutputs(int entry, recur_frame *frame) {
  int32_t numInputs = infoOf(entry)->num_inputs, boolean = 0;
  for (int32_t i = 0; i < infoOf(entry)->num_outputs + countStatesOf(entry); ++i) {
    const recur_tensor_info *info = &infoOf(entry)->outputs[i];
    int isOpen = isUnknown(info->dims, info->rank), isBoolean = info->element_type == RECUR_BOOLEAN;
    if (!isOpen && !isBoolean)
      continue;
    int64_t bytes = denseBytes(frame->outputs[i].shape, info->rank, info->element_type);
    for (int32_t axis = 0; axis < info->rank && isOpen; ++axis)
      if (bytes < 0 || frame->outputs[i].shape[axis] < 0) {
        failFrame(frame, RECUR_E_OVERFLOW, 0, 0, 0);
        return RECUR_E_OVERFLOW;
      }
    for (int32_t k = 0; k < numInputs && isBoolean && !boolean; ++k)
      boolean = infoOf(entry)->inputs[k].element_type == RECUR_BOOLEAN;
    uint8_t *data = (uint8_t *)frame->outputs[i].data;
    for (int64_t k = 0; boolean && isBoolean && k < bytes; ++k)
      data[k] = data[k] != 0;
  }
  return RECUR_OK;
}

static int32_t run(int entry, void *memory, const recur_tensor *inputs, recur_tensor *outputs, void *workspace,
                   size_t workspaceBytes, const recur_options *options, recur_error *error) {
  static const volatile int32_t neverCancelled = 0;
  const recur_instance *instance = (const recur_instance *)memory;
  int32_t numInputs = infoOf(entry)->num_inputs, numOutputs = infoOf(entry)->num_outputs;
  int64_t dims[factsOf(entry)->output_dims + 1], inputBytes[numInputs + 1], outputBytes[numOutputs + 1], needed = 0;
  uint8_t takes[numOutputs + 1];

  int32_t status = checkInstance(instance, error);
  if (status || (status = checkArrays(inputs, outputs, error)))
    return status;
  recur_options resolved = {sizeof(recur_options), 0, INT64_MAX, INT64_MAX, &neverCancelled, 0, 0, 0};
  if (options) {
    if (options->size < sizeof(recur_options))
      return fail2(error, RECUR_E_VERSION, inCall, "options has size {1}, expected at least {0}", sizeof(recur_options),
                   options->size);
    if (options->flags)
      return fail2(error, RECUR_E_VERSION, inCall, "options has flags {1}, expected {0}", 0, options->flags);
    resolved = *options;
    if (resolved.max_iterations <= 0)
      resolved.max_iterations = INT64_MAX;
    if (resolved.max_bytes <= 0)
      resolved.max_bytes = INT64_MAX;
    if (!resolved.cancel)
      resolved.cancel = &neverCancelled;
  }
  for (int32_t i = 0; i < numInputs; ++i)
    if ((status = checkInput(entry, &inputs[i], i, 1, &inputBytes[i], error)))
      return status;

  recur_tensor allInputs[numInputs + 2 * countStatesOf(entry) + 1], allOutputs[numOutputs + countStatesOf(entry) + 1];
  recur_frame frame = {
      inputs,       outputs, (uint8_t *)workspace, instance->weights, &resolved, &instance->config, 0, -1,
      {0, 0, 0, 0}, 0,       instance->level};
  if (countStatesOf(entry)) {
    __builtin_memcpy(allInputs, inputs, (size_t)numInputs * sizeof(recur_tensor));
    __builtin_memcpy(allOutputs, outputs, (size_t)numOutputs * sizeof(recur_tensor));
    addStates(instance, allInputs + numInputs, allOutputs + numOutputs);
    frame.inputs = allInputs;
    frame.outputs = allOutputs;
  }
  if ((status = computeSizes(entry, &frame, dims, &needed)))
    return failCompute(error, status, entry, &frame);

  const int64_t *next = dims;
  for (int32_t i = 0; i < numOutputs; next += infoOf(entry)->outputs[i++].rank)
    if ((status = checkOutput(entry, &outputs[i], i, next, resolved.alloc && resolved.release, &outputBytes[i],
                              &takes[i], error)))
      return status;
  if (needed < 0)
    return fail2(error, RECUR_E_INTERNAL, inWorkspace, "its size is not known", 0, 0);
  if (workspaceBytes < (uint64_t)needed || (needed && !workspace))
    return fail2(error, RECUR_E_WORKSPACE, inWorkspace, "needs {0} bytes, has {1}", needed,
                 workspace ? (int64_t)workspaceBytes : 0);
  if (needed && isMisaligned(workspace, RECUR_ALIGNMENT))
    return fail2(error, RECUR_E_WORKSPACE, inWorkspace, "is not aligned to {1} bytes", needed, RECUR_ALIGNMENT);
  if ((status = checkAliases(instance, inputs, inputBytes, outputs, outputBytes, workspace, needed, error)))
    return status;

  if (entry == lastEntry && (status = checkNext(instance, next, 1, error)))
    return status;

  /* All arguments are checked. From here on the call writes outputs. */
  next = dims;
  for (int32_t i = 0; i < numOutputs; ++i) {
    int isKnown = 1;
    for (int32_t axis = 0; axis < infoOf(entry)->outputs[i].rank; ++axis) {
      outputs[i].shape[axis] = *next;
      isKnown &= *next++ >= 0;
    }
    if (!takes[i] || !isKnown || status)
      continue;
    if (!recur_frame_output(&frame, i, outputBytes[i]))
      status = (int32_t)frame.fault_detail[3];
  }
  if (!status)
    status = compute(entry, &frame);
  if (!status)
    status = finishOutputs(entry, &frame);
  releaseAll(&frame);
  for (int32_t i = 0; i < numOutputs; ++i) {
    if (!takes[i])
      continue;
    /* frame.outputs may be a copy of outputs, or outputs itself. */
    void *data = frame.outputs[i].data;
    outputs[i].bytes = status ? 0 : frame.outputs[i].bytes;
    outputs[i].data = status ? 0 : data;
    if (status && data)
      resolved.release(resolved.ctx, data);
  }
  if (!status) {
    if (entry == lastEntry)
      keepNext(instance);
    return succeed(error);
  }
  return failCompute(error, status, entry, &frame);
}

int32_t recur_shim_query(const void *instance, const recur_tensor *inputs, recur_tensor *outputs,
                         size_t *workspaceBytes, recur_error *error) {
  return query(firstEntry, instance, inputs, outputs, workspaceBytes, error);
}

int32_t recur_shim_run(void *instance, const recur_tensor *inputs, recur_tensor *outputs, void *workspace,
                       size_t workspaceBytes, const recur_options *options, recur_error *error) {
  return run(firstEntry, instance, inputs, outputs, workspace, workspaceBytes, options, error);
}

#if RECUR_SHIM_ENTRIES == 2

const recur_info *recur_shim_step_info(void) { return &recur_step_info; }

int32_t recur_shim_step_query(const void *instance, const recur_tensor *inputs, recur_tensor *outputs,
                              size_t *workspaceBytes, recur_error *error) {
  return query(lastEntry, instance, inputs, outputs, workspaceBytes, error);
}

int32_t recur_shim_step_run(void *instance, const recur_tensor *inputs, recur_tensor *outputs, void *workspace,
                            size_t workspaceBytes, const recur_options *options, recur_error *error) {
  return run(lastEntry, instance, inputs, outputs, workspace, workspaceBytes, options, error);
}

#endif
