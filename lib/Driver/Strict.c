// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Strict.c - checks the promises of the ABI --------------------------===//
//
// C99 and POSIX; it uses only the public ABI. Reads of uninitialized memory show as outputs that differ between two
// calls, accesses out of bounds as faults on guard pages or as changed marks.
//
//===----------------------------------------------------------------------===//
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#endif

#include "Strict.h"

#include "Guard.h"
#include "Npy.h"

#include <inttypes.h>
#include <stdarg.h>

enum { strictUnset = -77 };

/// The state of one of the two calls.
typedef struct strict_round {
  strict_call *call;
  const recur_info *info;
  int isSecond;
  uint8_t fill;
  guard_block *instance, *workspace, *error, *options;
  recur_tensor *inputs, *outputs;
  size_t workspaceBytes;
  int32_t queryStatus;
} strict_round;

/// The allocator of a round, which is also its ctx: counts of blocks, and the last breach that it detected.
typedef struct strict_allocator {
  const strict_round *round;
  size_t live, calls;
  const char *breach;
} strict_allocator;

static int strictBreach(const char *format, ...) {
  va_list list;
  va_start(list, format);
  fputs("error: strict: ", stderr);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
  return 1;
}

static int strictNoMemory(void) { return strictBreach("out of memory"); }

static guard_block *strictTake(const strict_round *round, size_t bytes, size_t alignment, const char *format, ...) {
  char name[128];
  va_list list;
  va_start(list, format);
  vsnprintf(name, sizeof(name), format, list);
  va_end(list);
  return guardTake(bytes, alignment, !round->isSecond, round->fill, name);
}

static void *strictAlloc(void *ctx, size_t bytes, size_t alignment) {
  strict_allocator *allocator = (strict_allocator *)ctx;
  if (alignment != RECUR_ALIGNMENT)
    allocator->breach = "the model asked the allocator for another alignment than RECUR_ALIGNMENT";
  guard_block *block = strictTake(allocator->round, bytes, RECUR_ALIGNMENT, "block %zu of the allocator, of %zu bytes",
                                  allocator->calls, bytes);
  if (!block)
    return NULL;
  ++allocator->live;
  ++allocator->calls;
  return block->data;
}

static guard_block *strictFind(const void *data) {
  guard_block *block = guardBlocks;
  while (block && (block->data != data || strncmp(block->name, "block ", 6) != 0))
    block = block->next;
  return block;
}

static void strictRelease(void *ctx, void *data) {
  strict_allocator *allocator = (strict_allocator *)ctx;
  guard_block *block = strictFind(data);
  if (!block || block->isReleased) {
    allocator->breach =
        block ? "the model released a block twice" : "the model released what is no block of the allocator";
    return;
  }
  --allocator->live;
  if (!guardIsIntact(block))
    allocator->breach = "the model wrote around a block of the allocator";
  guardRelease(block);
}

/// Read-only descriptors, shapes and, if `hasData` is set, data of the inputs; else their data is null.
static recur_tensor *strictInputs(const strict_round *round, int hasData) {
  int32_t count = round->info->num_inputs;
  const char *suffix = hasData ? "" : ", of the query without data";
  guard_block *array =
      strictTake(round, (size_t)count * sizeof(recur_tensor), sizeof(void *), "the descriptors of inputs%s", suffix);
  for (int32_t i = 0; i < count && array; ++i) {
    const recur_tensor *from = &round->call->inputs[i];
    const char *name = round->info->inputs[i].name;
    size_t rank = (size_t)from->rank;
    guard_block *shape = strictTake(round, rank * sizeof(int64_t), sizeof(int64_t), "the shape of input %d '%.60s'%s",
                                    (int)i, name, suffix);
    guard_block *data = NULL;
    if (hasData && (from->bytes || !round->isSecond))
      data = strictTake(round, from->bytes, npy_element_bytes(from->element_type), "input %d '%.60s'", (int)i, name);
    if (!shape || (hasData && from->bytes && !data))
      return NULL;
    /* A scalar may have no shape, and an empty tensor no data. */
    if (shape->bytes)
      memcpy(shape->data, from->shape, shape->bytes);
    guardSeal(shape);
    if (data) {
      if (data->bytes)
        memcpy(data->data, from->data, data->bytes);
      /* Each byte except 0 is true, so the second call gets other bytes for true. */
      for (size_t k = 0; k < data->bytes && round->isSecond && from->element_type == RECUR_BOOLEAN; ++k)
        if (data->data[k])
          data->data[k] = k % 2 ? 2 : 255;
      guardSeal(data);
    }
    recur_tensor tensor = {data ? data->data : NULL, (int64_t *)(void *)shape->data, NULL, from->rank,
                           from->element_type,       data ? data->bytes : 0};
    memcpy(array->data + (size_t)i * sizeof(tensor), &tensor, sizeof(tensor));
  }
  if (!array)
    return NULL;
  guardSeal(array);
  return (recur_tensor *)(void *)array->data;
}

/// Descriptors of outputs that have only room for their shapes; the query must set the rest.
static recur_tensor *strictOutputs(const strict_round *round, const char *suffix) {
  int32_t count = round->info->num_outputs;
  guard_block *array =
      strictTake(round, (size_t)count * sizeof(recur_tensor), sizeof(void *), "the descriptors of outputs%s", suffix);
  recur_tensor *tensors = array ? (recur_tensor *)(void *)array->data : NULL;
  for (int32_t i = 0; i < count && tensors; ++i) {
    const recur_tensor_info *info = &round->info->outputs[i];
    guard_block *shape = strictTake(round, (size_t)info->rank * sizeof(int64_t), sizeof(int64_t),
                                    "the shape of output %d '%.60s'%s", (int)i, info->name, suffix);
    if (!shape)
      return NULL;
    recur_tensor tensor = {NULL, (int64_t *)(void *)shape->data, NULL, strictUnset, strictUnset, 0};
    tensors[i] = tensor;
    for (int32_t axis = 0; axis < info->rank; ++axis)
      tensors[i].shape[axis] = strictUnset;
  }
  return tensors;
}

static recur_error *strictError(const strict_round *round) {
  recur_error *error = (recur_error *)(void *)round->error->data;
  memset(error, round->fill, sizeof(*error));
  error->size = sizeof(*error);
  return error;
}

/// Records a status that the ABI allows, with its error. Returns 1.
static int strictAnswer(strict_round *round, const char *function) {
  round->call->function = function;
  memcpy(&round->call->error, round->error->data, sizeof(recur_error));
  return 1;
}

static int strictCheckError(const strict_round *round, const char *function, int32_t status) {
  const recur_error *error = (const recur_error *)(void *)round->error->data;
  if (error->code != status)
    return strictBreach("%s returned status %d, and its error says %d", function, (int)status, (int)error->code);
  if (!memchr(error->message, 0, sizeof(error->message)))
    return strictBreach("the message of %s does not end", function);
  return 0;
}

static int isKnown(const recur_tensor *tensor) {
  for (int32_t axis = 0; axis < tensor->rank; ++axis)
    if (tensor->shape[axis] < 0)
      return 0;
  return 1;
}

static size_t denseBytes(const recur_tensor *tensor) {
  size_t bytes = npy_element_bytes(tensor->element_type);
  for (int32_t axis = 0; axis < tensor->rank; ++axis)
    bytes *= (size_t)tensor->shape[axis];
  return bytes;
}

/// Checks the results of a query that returned 0 or RECUR_E_ALLOCATOR_NEEDED: it must describe all outputs and the
/// workspace as ABI.h promises.
static int checkQuery(const strict_round *round, const char *query, int32_t status, const recur_tensor *outputs,
                      size_t workspaceBytes) {
  for (int32_t i = 0; i < round->info->num_outputs; ++i) {
    const recur_tensor *output = &outputs[i];
    const recur_tensor_info *info = &round->info->outputs[i];
    if (output->rank != info->rank || output->element_type != info->element_type || output->data)
      return strictBreach("%s does not describe output %d '%s'", query, (int)i, info->name);
    for (int32_t axis = 0; axis < info->rank; ++axis) {
      int64_t dim = output->shape[axis];
      if (dim < -1 || (dim == -1 && status == RECUR_OK) || (info->dims[axis] >= 0 && dim != info->dims[axis]))
        return strictBreach("%s returned status %d and dim %d of output %d '%s' as %" PRId64, query, (int)status,
                            (int)axis, (int)i, info->name, dim);
    }
    if (output->bytes != (isKnown(output) ? denseBytes(output) : 0))
      return strictBreach("%s gives output %d '%s' %zu bytes", query, (int)i, info->name, output->bytes);
  }
  // NAME_info answers for the level that needs the most, and the query for that of the instance.
  int64_t fixed = round->info->workspace_bytes;
  int isLevel = round->info->size > offsetof(recur_info, num_levels) && round->info->num_levels > 1;
  if (fixed >= 0 && (isLevel ? workspaceBytes > (size_t)fixed : workspaceBytes != (size_t)fixed))
    return strictBreach("%s asks for %zu bytes of workspace, NAME_info for %" PRId64, query, workspaceBytes, fixed);
  return 0;
}

/// Checks that each size that the query without data returned is the same in the query with data.
static int compareQueries(const strict_round *round, int32_t status, const recur_tensor *outputs,
                          size_t workspaceBytes) {
  if (status != RECUR_E_ALLOCATOR_NEEDED && status != round->queryStatus)
    return strictBreach("query returned %d without data and %d with it", (int)status, (int)round->queryStatus);
  if (status && status != RECUR_E_ALLOCATOR_NEEDED)
    return 0;
  if (checkQuery(round, "query without data", status, outputs, workspaceBytes))
    return 1;
  if (round->queryStatus && round->queryStatus != RECUR_E_ALLOCATOR_NEEDED)
    return 0;
  if (status == round->queryStatus && status == RECUR_OK && workspaceBytes != round->workspaceBytes)
    return strictBreach("query asks for %zu bytes of workspace without data and %zu with it", workspaceBytes,
                        round->workspaceBytes);
  for (int32_t i = 0; i < round->info->num_outputs; ++i)
    for (int32_t axis = 0; axis < outputs[i].rank; ++axis) {
      int64_t without = outputs[i].shape[axis], with = round->outputs[i].shape[axis];
      if (without != -1 && without != with)
        return strictBreach("dim %d of output %d '%s' is %" PRId64 " in query without data, %" PRId64 " with it",
                            (int)axis, (int)i, round->info->outputs[i].name, without, with);
    }
  return 0;
}

static int askSizes(strict_round *round) {
  const recur_entry_points *model = round->call->model;
  const recur_tensor *bare = strictInputs(round, 0);
  recur_tensor *bareOutputs = strictOutputs(round, ", of the query without data");
  round->inputs = strictInputs(round, 1);
  round->outputs = strictOutputs(round, "");
  if (!bare || !bareOutputs || !round->inputs || !round->outputs)
    return strictNoMemory();
  size_t bareBytes = SIZE_MAX;
  int32_t bareStatus = model->query(round->instance->data, bare, bareOutputs, &bareBytes, strictError(round));
  if (strictCheckError(round, "query without data", bareStatus))
    return 1;
  round->workspaceBytes = SIZE_MAX;
  round->queryStatus =
      model->query(round->instance->data, round->inputs, round->outputs, &round->workspaceBytes, strictError(round));
  if (strictCheckError(round, "query", round->queryStatus))
    return 1;
  if (round->queryStatus == RECUR_OK || round->queryStatus == RECUR_E_ALLOCATOR_NEEDED)
    if (checkQuery(round, "query", round->queryStatus, round->outputs, round->workspaceBytes))
      return 1;
  return compareQueries(round, bareStatus, bareOutputs, bareBytes);
}

/// Allocates the workspace and the outputs whose sizes are known: from the query, or in the second call from the first
/// call.
static int giveBuffers(strict_round *round) {
  for (int32_t i = 0; i < round->info->num_outputs; ++i) {
    recur_tensor *output = &round->outputs[i];
    if (!isKnown(output) && !round->isSecond)
      continue;
    output->bytes = isKnown(output) ? output->bytes : round->call->outputs[i].bytes;
    if (!output->bytes && round->isSecond && isKnown(output))
      continue;
    guard_block *block = strictTake(round, output->bytes, npy_element_bytes(output->element_type), "output %d '%.60s'",
                                    (int)i, round->info->outputs[i].name);
    if (!block)
      return strictNoMemory();
    output->data = block->data;
  }
  round->workspace = strictTake(round, round->workspaceBytes, RECUR_ALIGNMENT, "the workspace");
  return round->workspace ? 0 : strictNoMemory();
}

static int checkBooleans(const recur_tensor *output, int32_t index, const char *name) {
  const uint8_t *data = (const uint8_t *)output->data;
  for (size_t i = 0; i < output->bytes && output->element_type == RECUR_BOOLEAN; ++i)
    if (data[i] > 1)
      return strictBreach("element %zu of output %d '%s' is a boolean of %d", i, (int)index, name, data[i]);
  return 0;
}

/// In the first call, copies an output. In the second call, compares it with that copy.
static int keepOrCompare(strict_round *round, int32_t index, const recur_tensor *output) {
  const char *name = round->info->outputs[index].name;
  recur_tensor *kept = &round->call->outputs[index];
  size_t rank = (size_t)output->rank;
  if (!round->isSecond) {
    kept->rank = output->rank;
    kept->element_type = output->element_type;
    kept->bytes = output->bytes;
    memcpy(kept->shape, output->shape, rank * sizeof(int64_t));
    if (!(kept->data = npy_allocate(output->bytes, &round->call->blocks[index])))
      return strictNoMemory();
    if (output->bytes)
      memcpy(kept->data, output->data, output->bytes);
    return 0;
  }
  if (memcmp(kept->shape, output->shape, rank * sizeof(int64_t)) != 0)
    return strictBreach("output %d '%s' has another shape in the second call", (int)index, name);
  size_t element = npy_element_bytes(output->element_type);
  for (size_t i = 0; i < output->bytes; i += element)
    if (memcmp((const char *)kept->data + i, (const char *)output->data + i, element) != 0)
      return strictBreach("element %zu of output %d '%s' is another in the second call", i / element, (int)index, name);
  return 0;
}

/// Checks the outputs after a run. `before` has copies of their descriptors from before the run.
static int checkOutputs(strict_round *round, const recur_tensor *before, strict_allocator *allocator) {
  for (int32_t i = 0; i < round->info->num_outputs; ++i) {
    recur_tensor output = round->outputs[i];
    const char *name = round->info->outputs[i].name;
    if (output.rank != before[i].rank || output.element_type != before[i].element_type ||
        output.shape != before[i].shape || output.strides ||
        (before[i].data && (output.data != before[i].data || output.bytes != before[i].bytes)))
      return strictBreach("run changed the descriptor of output %d '%s'", (int)i, name);
    if (!isKnown(&output))
      return strictBreach("run left a dim of output %d '%s' open", (int)i, name);
    guard_block *block = before[i].data ? NULL : strictFind(output.data);
    size_t bytes = denseBytes(&output);
    if (bytes > output.bytes || (bytes && !before[i].data && (!block || block->isReleased || bytes > block->bytes)))
      return strictBreach("output %d '%s' has %zu bytes, fewer than the %zu of its shape", (int)i, name, output.bytes,
                          bytes);
    output.bytes = bytes;
    if (checkBooleans(&output, i, name) || keepOrCompare(round, i, &output))
      return 1;
    if (block && !block->isReleased)
      strictRelease(allocator, output.data);
  }
  return 0;
}

static int checkAround(void) {
  for (const guard_block *block = guardBlocks; block; block = block->next)
    if (!guardIsIntact(block))
      return strictBreach("the model wrote around %s", block->name);
  return 0;
}

static int runRound(strict_round *round) {
  const recur_entry_points *model = round->call->model;
  int32_t numOutputs = round->info->num_outputs;
  strict_allocator allocator = {round, 0, 0, NULL};
  recur_options options = {
      sizeof(options), 0, round->call->maxIterations, round->call->maxBytes, NULL, NULL, NULL, NULL};
  int needsAllocator = round->queryStatus == RECUR_E_ALLOCATOR_NEEDED;
  if (needsAllocator) {
    options.alloc = strictAlloc;
    options.release = strictRelease;
    options.ctx = &allocator;
  }
  memcpy(round->options->data, &options, sizeof(options));
  guardSeal(round->options);
  /* Copies of the descriptors and the shapes, to compare with after the run. */
  recur_tensor *before = (recur_tensor *)calloc((size_t)numOutputs + 1, sizeof(recur_tensor));
  int64_t **asked = (int64_t **)calloc((size_t)numOutputs + 1, sizeof(int64_t *));
  int failed = before && asked ? 0 : strictNoMemory();
  for (int32_t i = 0; i < numOutputs && !failed; ++i) {
    before[i] = round->outputs[i];
    size_t bytes = (size_t)before[i].rank * sizeof(int64_t);
    asked[i] = (int64_t *)malloc(bytes + 1);
    if (asked[i])
      memcpy(asked[i], before[i].shape, bytes);
    failed = asked[i] ? 0 : strictNoMemory();
  }
  int32_t status = 0;
  if (!failed) {
    int hasOptions = needsAllocator || !round->isSecond;
    status =
        model->run(round->instance->data, round->inputs, round->outputs,
                   round->workspaceBytes || !round->isSecond ? round->workspace->data : NULL, round->workspaceBytes,
                   hasOptions ? (const recur_options *)(void *)round->options->data : NULL, strictError(round));
    failed = checkAround() || strictCheckError(round, "run", status);
  }
  if (!failed && status == RECUR_E_ALLOCATOR_NEEDED && !needsAllocator)
    failed = strictBreach("query returned 0, and run wants an allocator: %s",
                          ((const recur_error *)(void *)round->error->data)->message);
  for (int32_t i = 0; i < numOutputs && !failed && !status; ++i)
    for (int32_t axis = 0; axis < before[i].rank; ++axis)
      if (!failed && asked[i][axis] >= 0 && round->outputs[i].shape[axis] != asked[i][axis])
        failed = strictBreach("dim %d of output %d '%s' is %" PRId64 ", query said %" PRId64, (int)axis, (int)i,
                              round->info->outputs[i].name, round->outputs[i].shape[axis], asked[i][axis]);
  if (!failed && !status)
    failed = checkOutputs(round, before, &allocator);
  if (!failed && allocator.live)
    failed = strictBreach("run kept %zu blocks of the allocator", allocator.live);
  if (!failed && allocator.breach)
    failed = strictBreach("%s", allocator.breach);
  for (int32_t i = 0; i < numOutputs && asked; ++i)
    free(asked[i]);
  free(asked);
  free(before);
  return failed ? 1 : status ? strictAnswer(round, "run") : 0;
}

static int giveStateMemory(strict_round *round) {
  for (int32_t i = 0; i < round->info->num_states; ++i) {
    const recur_tensor_info *info = &round->info->states[i];
    int isDynamic = 0;
    for (int32_t axis = 0; axis < info->rank; ++axis)
      isDynamic |= info->dims[axis] < 0;
    if (!isDynamic)
      continue;
    guard_block *block = strictTake(round, round->call->stateBytes, RECUR_ALIGNMENT, "the memory of state %d '%.60s'",
                                    (int)i, info->name);
    if (!block)
      return strictNoMemory();
    if (round->call->model->state_memory(round->instance->data, i, block->data, block->bytes, strictError(round)))
      return strictAnswer(round, "state_memory");
  }
  return 0;
}

static int callOnce(strict_call *call, int isSecond, uint32_t flags) {
  const recur_entry_points *model = call->model;
  strict_round round;
  memset(&round, 0, sizeof(round));
  round.call = call;
  round.info = model->info();
  round.isSecond = isSecond;
  /* In the first call, floats in the fill are NaN. */
  round.fill = isSecond ? 0x5b : 0xff;
  round.instance = strictTake(&round, model->instance_size(), 16, "the instance");
  round.error = strictTake(&round, sizeof(recur_error), 8, "the error");
  round.options = strictTake(&round, sizeof(recur_options), 8, "the options");
  if (!round.instance || !round.error || !round.options)
    return strictNoMemory();
  recur_config config = {sizeof(recur_config), flags, NULL, 0, NULL, NULL};
  if (isSecond && call->config) {
    config = *call->config;
    config.flags = flags;
  }
  if (call->config && call->config->weights) {
    config.weights_bytes = call->config->weights_bytes;
    guard_block *weights = strictTake(&round, config.weights_bytes, RECUR_ALIGNMENT, "the weights");
    if (!weights)
      return strictNoMemory();
    memcpy(weights->data, call->config->weights, config.weights_bytes);
    guardSeal(weights);
    config.weights = weights->data;
  }
  int hasConfig = isSecond || flags != 0 || config.weights;
  int32_t status = model->init(round.instance->data, hasConfig ? &config : NULL, strictError(&round));
  if (status)
    return strictAnswer(&round, "init");
  if (round.info->num_states == 0)
    guardSeal(round.instance);
  else if (giveStateMemory(&round))
    return 1;
  if (askSizes(&round))
    return 1;
  if (round.queryStatus && round.queryStatus != RECUR_E_ALLOCATOR_NEEDED)
    return strictAnswer(&round, "query");
  call->queryStatus = round.queryStatus;
  call->workspaceBytes = round.workspaceBytes;
  return giveBuffers(&round) || runRound(&round);
}

/// True if the model has refused the call because a state needs more memory. The next call gives it more.
static int growStates(strict_call *call) {
  const recur_error *error = &call->error;
  if (!call->function || error->code != RECUR_E_CAPACITY || error->where != RECUR_IN_STATE ||
      error->detail[0] <= (int64_t)call->stateBytes || error->detail[0] > INT64_MAX / 2)
    return 0;
  call->stateBytes = 2 * (size_t)error->detail[0];
  call->function = NULL;
  return 1;
}

int recur_call_strictly(strict_call *call) {
  int result = 0;
  call->function = NULL;
  if (!call->stateBytes)
    call->stateBytes = 1 << 20;
  guardWatch();
  /* The last digits of outputs depend on the flags, so there are two calls with flags, and two without. */
  uint32_t flags = call->config ? call->config->flags : 0;
  for (int i = flags ? 0 : 2; i < 4 && !result; ++i) {
    do {
      result = callOnce(call, i % 2, i < 2 ? flags : 0);
      guardFreeAll();
    } while (result && growStates(call));
    for (int output = 0, count = call->model->info()->num_outputs; i == 1 && !result && output < count; ++output) {
      free(call->blocks[output]);
      call->blocks[output] = NULL;
    }
  }
  guardUnwatch();
  return result;
}
