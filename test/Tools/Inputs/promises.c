/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * promises LIBRARY RUN_LIBRARY SEED STEPS: checks promises of the documents on a model, through its C interface.
 * LIBRARY has both entries of a model whose name is `model`, RUN_LIBRARY has NAME_run alone. Inputs are random, an open
 * dim of time is STEPS. Prints the first promise that is broken, and returns 1.
 */
#include "Gang.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { maxTensors = 16, maxRank = 8, openDim = 2, mostThreads = 7, canaryBytes = 64, stateBytes = 1 << 16 };
enum { outputBytes = 1 << 16 /* of an output whose dims the query does not know */ };

static uint64_t seed;
static uint32_t nextRandom(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33);
}
static int below(int count) { return (int)(nextRandom() % (uint32_t)count); }

static void broken(const char *promise, int where, int at) {
  printf("%s (%d, step %d)\n", promise, where, at);
  exit(1);
}

static void expect(int32_t status, const recur_error *error) {
  if (!status)
    return;
  printf("status %d: %s\n", (int)status, error->message);
  exit(1);
}

static size_t elementBytes(int32_t type) {
  static const size_t bytes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};
  return bytes[type];
}

/* Memory of `bytes` bytes with a canary behind, aligned for a workspace. It is never freed: the program is short. */
static char *take(size_t bytes) {
  char *block = malloc(bytes + canaryBytes + 2 * RECUR_ALIGNMENT);
  if (!block)
    exit(2);
  block += RECUR_ALIGNMENT - (uintptr_t)block % RECUR_ALIGNMENT;
  for (size_t i = 0; i < bytes; ++i)
    block[i] = (char)nextRandom();
  memset(block + bytes, 0x5a, canaryBytes);
  return block;
}
static void checkCanary(const char *block, size_t bytes, const char *promise, int where) {
  for (size_t i = 0; i < canaryBytes; ++i)
    if (block[bytes + i] != 0x5a)
      broken(promise, where, -1);
}

/* A tensor of the caller, with its dims. */
typedef struct {
  recur_tensor tensor;
  int64_t dims[maxRank];
} value;

static size_t sizeOf(const value *of) {
  size_t count = elementBytes(of->tensor.element_type);
  for (int i = 0; i < of->tensor.rank; ++i)
    count *= (size_t)of->dims[i];
  return count;
}

static int isEqual(const value *a, const value *b) {
  return a->tensor.rank == b->tensor.rank && memcmp(a->dims, b->dims, sizeof(int64_t) * (size_t)a->tensor.rank) == 0 &&
         memcmp(a->tensor.data, b->tensor.data, sizeOf(a)) == 0;
}

/* An entry of a model. */
typedef struct {
  recur_entry_points functions;
  const recur_info *info;
} entry;

static void *find(void *library, const char *prefix, const char *function) {
  char name[64];
  snprintf(name, sizeof(name), "model_%s%s", prefix, function);
  return dlsym(library, name);
}

static entry load(void *library, int isStep) {
  entry result;
  const char *prefix = isStep ? "step_" : "";
  /* C99 has no conversion from an object to a function. */
  *(void **)&result.functions.info = find(library, prefix, "info");
  *(void **)&result.functions.query = find(library, prefix, "query");
  *(void **)&result.functions.run = find(library, "", isStep ? "step" : "run");
  *(void **)&result.functions.instance_size = find(library, "", "instance_size");
  *(void **)&result.functions.init = find(library, "", "init");
  *(void **)&result.functions.reset = find(library, "", "reset");
  *(void **)&result.functions.get_state = find(library, "", "get_state");
  *(void **)&result.functions.set_state = find(library, "", "set_state");
  *(void **)&result.functions.state_memory = find(library, "", "state_memory");
  if (!result.functions.info || !result.functions.run)
    exit(2);
  result.info = result.functions.info();
  return result;
}

static void *makeInstance(const entry *model, const entry *states, const recur_config *config) {
  recur_error error = {.size = sizeof(error)};
  void *instance = take(model->functions.instance_size());
  expect(model->functions.init(instance, config, &error), &error);
  for (int i = 0; i < states->info->num_states; ++i)
    for (int axis = 0; axis < states->info->states[i].rank; ++axis)
      if (states->info->states[i].dims[axis] < 0) {
        expect(states->functions.state_memory(instance, i, take(stateBytes), stateBytes, &error), &error);
        break;
      }
  return instance;
}

static void *allocate(void *ctx, size_t bytes, size_t alignment) {
  (void)ctx;
  (void)alignment;
  return take(bytes);
}
static void release(void *ctx, void *block) {
  (void)ctx;
  (void)block;
}

/* One call, which is asked for its sizes before. Its outputs have new memory. */
static void call(const entry *model, void *instance, value *inputs, value *outputs, int mayFail) {
  recur_error error = {.size = sizeof(error)};
  recur_tensor in[maxTensors], out[maxTensors], blind[maxTensors], other[maxTensors];
  char *before[maxTensors];
  int64_t dims[maxTensors][maxRank];
  const recur_info *info = model->info;
  size_t workspace = 0, blindly = 0;
  for (int i = 0; i < info->num_inputs; ++i) {
    in[i] = blind[i] = inputs[i].tensor;
    blind[i].data = NULL;
    blind[i].bytes = 0;
    before[i] = memcpy(take(sizeOf(&inputs[i])), in[i].data, sizeOf(&inputs[i]));
  }
  for (int i = 0; i < info->num_outputs; ++i) {
    recur_tensor empty = {NULL, outputs[i].dims, NULL, info->outputs[i].rank, info->outputs[i].element_type, 0};
    outputs[i].tensor = out[i] = other[i] = empty;
    other[i].shape = dims[i];
  }
  int32_t status = model->functions.query(instance, in, out, &workspace, &error);
  int needsAllocator = status == RECUR_E_ALLOCATOR_NEEDED;
  recur_options allocator = {.size = sizeof(allocator), .alloc = allocate, .release = release};
  const recur_options *options = needsAllocator ? &allocator : NULL;
  if (!needsAllocator)
    expect(status, &error);
  if (model->functions.query(instance, blind, other, &blindly, &error) != status || blindly != workspace)
    broken("a query without data has another answer", -1, -1);
  if (info->workspace_bytes >= 0 && (size_t)info->workspace_bytes < workspace)
    broken("a query asks for more than info says", -1, -1);
  for (int i = 0; i < info->num_outputs; ++i) {
    if (memcmp(dims[i], outputs[i].dims, sizeof(int64_t) * (size_t)out[i].rank) != 0)
      broken("a query without data has other dims", i, -1);
    int isKnown = 1;
    for (int axis = 0; axis < out[i].rank; ++axis) {
      dims[i][axis] = outputs[i].dims[axis];
      isKnown &= dims[i][axis] >= 0;
    }
    if (!isKnown && !needsAllocator)
      broken("a query asks for no allocator and does not know the dims", i, -1);
    out[i].bytes = isKnown ? sizeOf(&outputs[i]) : outputBytes;
    out[i].data = take(out[i].bytes);
    outputs[i].tensor = out[i];
  }
  char *memory = take(workspace);
  if (mayFail) {
    /* Nothing is written before all arguments are right. */
    char *copies[maxTensors];
    for (int i = 0; i < info->num_outputs; ++i)
      copies[i] = memcpy(take(out[i].bytes), out[i].data, out[i].bytes);
    if (workspace &&
        (model->functions.run(instance, in, out, memory, workspace - 1, options, &error) != RECUR_E_WORKSPACE ||
         error.detail[0] != (int64_t)workspace))
      broken("one byte of workspace less is no status", -1, -1);
    for (int i = 0; i < info->num_inputs; ++i) {
      int o = below(info->num_outputs);
      recur_tensor own = out[o];
      if (in[i].bytes < out[o].bytes || in[i].element_type != out[o].element_type || in[i].bytes == 0 || own.bytes == 0)
        continue;
      out[o].data = in[i].data;
      if (model->functions.run(instance, in, out, memory, workspace, options, &error) != RECUR_E_ALIAS)
        broken("an output in the place of an input is no status", o, -1);
      out[o] = own;
    }
    for (int i = 0; i < info->num_outputs; ++i)
      if (memcmp(copies[i], out[i].data, out[i].bytes) != 0)
        broken("a refused call writes an output", i, -1);
  }
  expect(model->functions.run(instance, in, out, memory, workspace, options, &error), &error);
  checkCanary(memory, workspace, "a call writes behind the workspace that the query asked for", -1);
  for (int i = 0; i < info->num_outputs; ++i) {
    checkCanary(out[i].data, out[i].bytes, "a call writes behind an output", i);
    for (int axis = 0; axis < out[i].rank; ++axis)
      if (dims[i][axis] >= 0 && dims[i][axis] != outputs[i].dims[axis])
        broken("a call has other dims than the query", i, -1);
  }
  for (int i = 0; i < info->num_inputs; ++i)
    if (memcmp(before[i], inputs[i].tensor.data, sizeOf(&inputs[i])) != 0)
      broken("a call writes an input", i, -1);
}

/* The axis along which a tensor of the run has time, or -1. */
static int timeAxis(const recur_tensor_info *whole, const recur_tensor_info *step) {
  for (int i = 0; i < whole->rank; ++i)
    if (whole->dims[i] != step->dims[i])
      return i;
  return -1;
}

static value makeInput(const recur_tensor_info *info, int axis, int64_t steps) {
  value result;
  for (int i = 0; i < info->rank; ++i)
    result.dims[i] = i == axis ? steps : info->dims[i] < 0 ? openDim : info->dims[i];
  recur_tensor tensor = {NULL, NULL, NULL, info->rank, info->element_type, 0};
  result.tensor = tensor;
  size_t bytes = sizeOf(&result), count = bytes / elementBytes(info->element_type);
  result.tensor.data = take(bytes);
  result.tensor.bytes = bytes;
  for (size_t i = 0; i < count; ++i) {
    float number = (float)(int32_t)(nextRandom() - (1u << 30)) / (float)(1u << 30);
    if (info->element_type == RECUR_F32)
      ((float *)result.tensor.data)[i] = number;
    else if (info->element_type == RECUR_F64)
      ((double *)result.tensor.data)[i] = number;
    else if (info->element_type == RECUR_F16) /* below 1, of both signs */
      ((uint16_t *)result.tensor.data)[i] = (uint16_t)((nextRandom() & 0x8000) | (0x2c00 + below(0x1000)));
    else if (info->element_type == RECUR_I64) /* the length of a sequence */
      ((int64_t *)result.tensor.data)[i] = steps;
    else
      exit(2);
  }
  return result;
}

/* The part of `whole` at time step `at`. */
static value partOf(const value *whole, int axis, int64_t at) {
  value part = *whole;
  if (axis < 0)
    return part;
  size_t row = elementBytes(whole->tensor.element_type), outer = 1;
  for (int i = 0; i < axis; ++i)
    outer *= (size_t)whole->dims[i];
  for (int i = axis + 1; i < whole->tensor.rank; ++i)
    row *= (size_t)whole->dims[i];
  part.dims[axis] = 1;
  part.tensor.bytes = outer * row;
  part.tensor.data = take(outer * row);
  for (size_t i = 0; i < outer; ++i)
    memcpy((char *)part.tensor.data + i * row,
           (char *)whole->tensor.data + (i * (size_t)whole->dims[axis] + (size_t)at) * row, row);
  return part;
}

static entry whole, step;
static value inputs[maxTensors], want[maxTensors];
static int inputAxes[maxTensors], outputAxes[maxTensors];
static int64_t steps;

/* Time step `at`, whose outputs must be those of the run. */
static void takeStep(void *instance, int64_t at, const char *promise, int mayFail) {
  value parts[maxTensors], got[maxTensors];
  for (int i = 0; i < step.info->num_inputs; ++i) {
    parts[i] = partOf(&inputs[i], inputAxes[i], at);
    parts[i].tensor.shape = parts[i].dims;
  }
  call(&step, instance, parts, got, mayFail);
  for (int i = 0; i < step.info->num_outputs; ++i) {
    /* An output without time is that of the steps so far, so it is compared at the end. */
    if (outputAxes[i] < 0 && at + 1 < steps)
      continue;
    value expected = partOf(&want[i], outputAxes[i], at);
    if (!isEqual(&got[i], &expected))
      broken(promise, i, (int)at);
  }
}

/* A copy of state `i`, whose data is null if it has its initial value. */
static value getState(void *instance, int i) {
  recur_error error = {.size = sizeof(error)};
  recur_tensor state;
  value copy;
  expect(step.functions.get_state(instance, i, &state, &error), &error);
  copy.tensor = state;
  for (int axis = 0; axis < state.rank; ++axis)
    copy.dims[axis] = state.shape ? state.shape[axis] : 0;
  if (state.data)
    copy.tensor.data = memcpy(take(sizeOf(&copy)), state.data, sizeOf(&copy));
  return copy;
}

static void compareStates(void *a, void *b, const char *promise) {
  for (int i = 0; i < step.info->num_states; ++i) {
    value first = getState(a, i), second = getState(b, i);
    if (!first.tensor.data != !second.tensor.data || (first.tensor.data && !isEqual(&first, &second)))
      broken(promise, i, -1);
  }
}

/* All time steps. Before one of them the states move to another instance, and both go on. With `mayFail`, some calls of
 * this step are refused first. */
static void checkSteps(void *instance, const char *promise, int mayFail) {
  void *other = makeInstance(&step, &step, NULL);
  int64_t moved = below((int)steps), between = below((int)steps);
  value states[maxTensors], ignored[maxTensors];
  recur_error error = {.size = sizeof(error)};
  for (int64_t at = 0; at < steps; ++at) {
    if (at == between)
      call(&whole, instance, inputs, ignored, 0);
    if (at == moved)
      for (int i = 0; i < step.info->num_states; ++i) {
        states[i] = getState(instance, i);
        states[i].tensor.shape = states[i].dims;
        const recur_tensor *value = states[i].tensor.data ? &states[i].tensor : NULL;
        states[i].tensor.bytes = value ? sizeOf(&states[i]) : 0;
        expect(step.functions.set_state(other, i, value, &error), &error);
      }
    takeStep(instance, at, promise, mayFail && at == moved);
    if (at >= moved)
      takeStep(other, at, "an instance with moved states has other outputs", 0);
  }
  compareStates(instance, other, "an instance with moved states has other states");
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  void *both = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL), *alone = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
  if (!both || !alone) {
    printf("%s\n", dlerror());
    return 2;
  }
  seed = strtoull(argv[3], NULL, 10) + 1;
  steps = strtoll(argv[4], NULL, 10);
  entry single = load(alone, 0);
  whole = load(both, 0);
  step = load(both, 1);
  for (int i = 0; i < whole.info->num_inputs; ++i) {
    inputAxes[i] = timeAxis(&whole.info->inputs[i], &step.info->inputs[i]);
    if (inputAxes[i] >= 0 && whole.info->inputs[i].dims[inputAxes[i]] >= 0)
      steps = whole.info->inputs[i].dims[inputAxes[i]];
  }
  for (int i = 0; i < whole.info->num_inputs; ++i) {
    inputs[i] = makeInput(&whole.info->inputs[i], inputAxes[i], steps);
    inputs[i].tensor.shape = inputs[i].dims;
  }
  for (int i = 0; i < whole.info->num_outputs; ++i)
    outputAxes[i] = timeAxis(&whole.info->outputs[i], &step.info->outputs[i]);

  void *instance = makeInstance(&step, &step, NULL);
  call(&whole, instance, inputs, want, 1);
  for (int i = 0; i < whole.info->num_outputs; ++i)
    want[i].tensor.shape = want[i].dims;

  checkSteps(instance, "a step has other outputs than the run", 1);
  step.functions.reset(instance);
  compareStates(instance, makeInstance(&step, &step, NULL),
                "an instance after a reset has other states than a new one");
  checkSteps(instance, "a step after a reset has other outputs", 0);

  value got[maxTensors];
  /* An instance of a model without states may be moved. */
  size_t bytes = single.functions.instance_size();
  char *first = makeInstance(&single, &single, NULL), *second = memcpy(take(bytes), first, bytes);
  memset(first, 0x5a, bytes);
  call(&single, second, inputs, got, 0);
  for (int i = 0; i < whole.info->num_outputs; ++i)
    if (!isEqual(&got[i], &want[i]))
      broken("an object with NAME_run alone has other outputs", i, -1);

  for (int threads = 1; threads <= mostThreads; ++threads) {
    gang_threads *gang = gangStart(threads, /*isPatient=*/1);
    if (!gang)
      return 2;
    recur_config config = {.size = sizeof(config), .gang = gangRun, .gang_ctx = gang};
    void *shared = makeInstance(&step, &step, &config);
    call(&whole, shared, inputs, got, 0);
    for (int i = 0; i < whole.info->num_outputs; ++i)
      if (!isEqual(&got[i], &want[i]))
        broken("outputs depend on the number of threads", i, -threads);
    if (threads == 1 + below(mostThreads))
      checkSteps(shared, "a step with threads has other outputs", 0);
    gangStop(gang);
  }
  return 0;
}
