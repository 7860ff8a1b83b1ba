// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Runner.c - running a model on .npy files, in C ---------------------===//
//
// C99 and POSIX. It uses only the public ABI, as the program of a user does, so each run also tests the ABI.
//
//===----------------------------------------------------------------------===//
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "Runner.h"

#include "Gang.h"
#include "Numbers.h"
#include "Options.h"
#include "Show.h"
#include "Strict.h"
#ifdef RECUR_DRIVER_EMBEDDED
#include "recur_tuner.h"
#else
#include "Recur/Target/recur_tuner.h"
#endif

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

/// The state of a run; recur_close_run frees its memory.
struct recur_run {
  const recur_entry_points *model;
  const recur_info *info;
  run_options options;
  recur_tensor *inputs, *outputs;
  void **inputBlocks, **outputBlocks; /* null in outputBlocks: the model took the data from takeMemory */
  void **stateBlocks;                 /* the memory of states with dynamic dims */
  recur_config config;
  gang_threads *gang; /* null: one thread */
  recur_tuner tuner;
  void *instance, *workspaceBlock, *workspace;
  void *weightsBlock; /* of --read-weights */
  size_t workspaceBytes;
  recur_profile_reader readProfile; /* null: the model measures nothing */
  uint64_t calls;
  recur_error error;
};

typedef struct recur_run run_state;

static uint64_t nanosecondsNow(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The allocator that the model gets. The address to free is kept in the 64 bytes in front of the memory. */
static void *takeMemory(void *ctx, size_t bytes, size_t alignment) {
  void *block;
  (void)ctx;
  (void)alignment; /* always 64, the alignment of npy_allocate */
  char *memory = bytes > SIZE_MAX - 128 ? NULL : (char *)npy_allocate(bytes + 64, &block);
  if (!memory)
    return NULL;
  memcpy(memory, &block, sizeof(block));
  return memory + 64;
}

static void releaseMemory(void *ctx, void *memory) {
  void *block;
  (void)ctx;
  memcpy(&block, (char *)memory - 64, sizeof(block));
  free(block);
}

/// The index of the tensor that NAME=FILE names, or -1. A name may contain '=', so the longest name that fits counts.
/// Sets *path to the file.
static int findTensor(const recur_tensor_info *infos, int count, const char *argument, const char **path) {
  int found = -1;
  size_t longest = 0;
  for (int i = 0; i < count; ++i) {
    size_t length = strlen(infos[i].name);
    if (length >= longest && strncmp(argument, infos[i].name, length) == 0 && argument[length] == '=') {
      found = i;
      longest = length;
      *path = argument + length + 1;
    }
  }
  return found;
}

/// The most names that an error lists.
#define MAX_LISTED_NAMES 12

/// Reports that no tensor has the name in NAME=FILE, and lists the names that there are. `kind` is "input" or "state".
static int complainOfName(const char *kind, const char *argument, const recur_tensor_info *infos, int count) {
  fprintf(stderr, "error: the model has no %s of the name in '%s'; it has ", kind, argument);
  for (int i = 0; i < count && i < MAX_LISTED_NAMES; ++i)
    fprintf(stderr, "%s'%s'", i ? ", " : "", infos[i].name);
  if (count == 0)
    fprintf(stderr, "none");
  if (count > MAX_LISTED_NAMES)
    fprintf(stderr, " and %d more", count - MAX_LISTED_NAMES);
  fputc('\n', stderr);
  return 1;
}

static int findInput(const recur_info *info, const char *argument, const char **path) {
  return findTensor(info->inputs, info->num_inputs, argument, path);
}

/// Sets the file of each input; null for an input with random data.
static int assignInputs(const run_state *state, const char **paths) {
  const recur_info *info = state->info;
  const run_options *options = &state->options;
  for (int i = 0; i < options->numInputs; ++i) {
    const char *path = NULL;
    int index = findInput(info, options->inputs[i], &path);
    if (index < 0)
      continue;
    if (paths[index])
      return complain("input '%s' is given twice", info->inputs[index].name);
    paths[index] = path;
  }
  int next = 0;
  for (int i = 0; i < options->numInputs; ++i) {
    const char *path;
    if (findInput(info, options->inputs[i], &path) >= 0)
      continue;
    while (next < info->num_inputs && paths[next])
      ++next;
    if (next == info->num_inputs) {
      FILE *file = fopen(options->inputs[i], "rb");
      if (file)
        fclose(file);
      if (!file && strchr(options->inputs[i], '='))
        return complainOfName("input", options->inputs[i], info->inputs, info->num_inputs);
      return complain("too many inputs: the model has %d", (int)info->num_inputs);
    }
    paths[next] = options->inputs[i];
  }
  for (int i = 0; i < info->num_inputs && !options->isRandom; ++i)
    if (!paths[i])
      return complain("input %d '%s' is not given (--random-inputs=SEED gives it random data)", i,
                      info->inputs[i].name);
  return 0;
}

/// True if a file with elements of type `stored` can hold a tensor of type `wanted`: bf16 is stored as u16, and a
/// boolean may be stored as u8.
static int typesFit(int32_t wanted, int32_t stored) {
  return wanted == stored || (wanted == RECUR_BF16 && stored == RECUR_U16) ||
         (wanted == RECUR_BOOLEAN && stored == RECUR_U8);
}

/// Prints the dims of an input with random data if the model leaves some of them open. `suggests` says that ir-run can
/// compile for them.
static void showChosenDims(int index, const recur_tensor_info *info, const int64_t *shape, int suggests) {
  int isOpen = 0;
  for (int axis = 0; axis < info->rank; ++axis)
    isOpen |= info->dims[axis] < 0;
  if (!isOpen)
    return;
  char chosen[SHAPE_BYTES], declared[SHAPE_BYTES];
  writeShape(chosen, info->rank, shape);
  writeShape(declared, info->rank, info->dims);
  printf("input %d '%s': random %s %s for %s of the model", index, info->name, npy_element_name(info->element_type),
         chosen, declared);
  if (suggests)
    printf("; '--shape=%s=%s' compiles for these dims, which is often faster", info->name, chosen);
  putchar('\n');
}

static int loadInput(run_state *state, int index, const char *path, uint64_t *random) {
  const recur_tensor_info *info = &state->info->inputs[index];
  recur_tensor *tensor = &state->inputs[index];
  char message[NPY_MESSAGE_BYTES];
  npy_array array;
  memset(&array, 0, sizeof(array));
  if (path) {
    if (npy_read(path, &array, &tensor->data, &state->inputBlocks[index], message))
      return complain("input %d '%s': '%s': %s", index, info->name, path, message);
    if (!typesFit(info->element_type, array.element_type))
      return complain("input %d '%s': '%s' holds %s, expected %s", index, info->name, path,
                      npy_element_name(array.element_type), npy_element_name(info->element_type));
  } else {
    array.rank = info->rank;
    array.bytes = npy_element_bytes(info->element_type);
    if (array.rank > RECUR_MAX_RANK)
      return complain("input %d '%s' has more than %d dimensions", index, info->name, RECUR_MAX_RANK);
    for (int axis = 0; axis < array.rank; ++axis) {
      array.shape[axis] = info->dims[axis] < 0 ? 2 : info->dims[axis];
      array.bytes *= (size_t)array.shape[axis];
    }
    tensor->data = npy_allocate(array.bytes, &state->inputBlocks[index]);
    if (!tensor->data)
      return complain("out of memory");
    if (!state->options.isQuiet)
      showChosenDims(index, info, array.shape, state->options.suggestsShapes);
    fillRandom(info->element_type, tensor->data, array.bytes / npy_element_bytes(info->element_type), random);
  }
  tensor->shape = (int64_t *)calloc((size_t)array.rank + 1, sizeof(int64_t));
  if (!tensor->shape)
    return complain("out of memory");
  memcpy(tensor->shape, array.shape, (size_t)array.rank * sizeof(int64_t));
  tensor->rank = array.rank;
  tensor->element_type = info->element_type;
  tensor->bytes = array.bytes;
  return 0;
}

static int reportStatus(const char *call, int32_t status, const recur_error *error) {
  if (error->code == status && error->message[0])
    return complain("%s (status %d)", error->message, (int)status);
  return complain("%s returned status %d", call, (int)status);
}

/// Gives a state with dynamic dims memory of at least `bytes` bytes.
static int allocateState(run_state *state, int index, size_t bytes, recur_error *error) {
  void *block, *memory = npy_allocate(bytes, &block);
  if (!memory)
    return complain("out of memory: state %d needs %zu bytes", index, bytes);
  int32_t status = state->model->state_memory(state->instance, index, memory, bytes, error);
  if (status) {
    free(block);
    return reportStatus("state_memory", status, error);
  }
  free(state->stateBlocks[index]);
  state->stateBlocks[index] = block;
  return 0;
}

/// If a state needs more memory, gives it more than that and returns 1. Returns 0 for another status, and -1 if it
/// fails.
static int growState(run_state *state, int32_t status, recur_error *error) {
  if (status != RECUR_E_CAPACITY || error->where != RECUR_IN_STATE || error->detail[0] <= error->detail[1])
    return 0;
  return allocateState(state, error->tensor, 2 * (size_t)error->detail[0], error) ? -1 : 1;
}

/// Sets the states that the user gives.
static int loadStates(run_state *state, recur_error *error) {
  for (int i = 0; i < state->options.numStates; ++i) {
    const char *argument = state->options.states[i], *path = NULL;
    char message[NPY_MESSAGE_BYTES];
    int index = findTensor(state->info->states, state->info->num_states, argument, &path);
    if (index < 0)
      return complainOfName("state", argument, state->info->states, state->info->num_states);
    const recur_tensor_info *info = &state->info->states[index];
    npy_array array;
    void *data, *block;
    if (npy_read(path, &array, &data, &block, message))
      return complain("state %d '%s': '%s': %s", index, info->name, path, message);
    int failed = 0;
    if (!typesFit(info->element_type, array.element_type))
      failed = complain("state %d '%s': '%s' holds %s, expected %s", index, info->name, path,
                        npy_element_name(array.element_type), npy_element_name(info->element_type));
    recur_tensor value = {data, array.shape, NULL, array.rank, info->element_type, array.bytes};
    while (!failed) {
      int32_t status = state->model->set_state(state->instance, index, &value, error);
      int grown = growState(state, status, error);
      failed = grown < 0 || (status && !grown && reportStatus("set_state", status, error));
      if (!grown)
        break;
    }
    free(block);
    if (failed)
      return 1;
  }
  return 0;
}

static int makeShapes(run_state *state) {
  for (int i = 0; i < state->info->num_outputs; ++i) {
    state->outputs[i].shape = (int64_t *)calloc((size_t)state->info->outputs[i].rank + 1, sizeof(int64_t));
    if (!state->outputs[i].shape)
      return complain("out of memory");
  }
  return 0;
}

/// Initializes the instance, queries sizes, and allocates the workspace and the outputs whose sizes are known.
static int prepare(run_state *state, recur_error *error) {
  const recur_info *info = state->info;
  state->instance = malloc(state->model->instance_size() + 1);
  if (!state->instance)
    return complain("out of memory");
  int32_t status = state->model->init(state->instance, &state->config, error);
  if (status)
    return reportStatus("init", status, error);
  if (loadStates(state, error))
    return 1;
  for (int grown = 1; grown;) {
    status = state->model->query(state->instance, state->inputs, state->outputs, &state->workspaceBytes, error);
    if ((grown = growState(state, status, error)) < 0)
      return 1;
  }
  if (status && status != RECUR_E_ALLOCATOR_NEEDED)
    return reportStatus("query", status, error);
  state->workspace = npy_allocate(state->workspaceBytes, &state->workspaceBlock);
  if (!state->workspace)
    return complain("out of memory: the model needs %zu bytes of workspace", state->workspaceBytes);
  for (int i = 0; i < info->num_outputs; ++i) {
    recur_tensor *output = &state->outputs[i];
    int isKnown = 1;
    for (int axis = 0; axis < output->rank; ++axis)
      isKnown &= output->shape[axis] >= 0;
    if (isKnown && !(output->data = npy_allocate(output->bytes, &state->outputBlocks[i])))
      return complain("out of memory: output %d '%s' has %zu bytes", i, info->outputs[i].name, output->bytes);
  }
  return 0;
}

/// Frees the outputs that the model allocated, so that it allocates them again in the next run.
static void releaseOutputs(run_state *state) {
  for (int i = 0; i < state->info->num_outputs; ++i) {
    if (state->outputBlocks[i] || !state->outputs[i].data)
      continue;
    releaseMemory(NULL, state->outputs[i].data);
    state->outputs[i].data = NULL;
  }
}

static int callModel(run_state *state, recur_error *error) {
  recur_options options = {sizeof(recur_options),   0,    state->options.maxIterations,
                           state->options.maxBytes, NULL, takeMemory,
                           releaseMemory,           NULL};
  int32_t status;
  int grown;
  ++state->calls;
  do {
    recur_tuner_begin(&state->tuner, /*work=*/0);
    status = state->model->run(state->instance, state->inputs, state->outputs, state->workspace, state->workspaceBytes,
                               &options, error);
    if (!status)
      recur_tuner_end(&state->tuner);
    if ((grown = growState(state, status, error)) < 0)
      return 1;
  } while (grown);
  return status ? reportStatus("run", status, error) : 0;
}

static int callStrictly(run_state *state) {
  strict_call call;
  memset(&call, 0, sizeof(call));
  call.model = state->model;
  call.inputs = state->inputs;
  call.maxIterations = state->options.maxIterations;
  call.maxBytes = state->options.maxBytes;
  call.config = &state->config;
  call.outputs = state->outputs;
  call.blocks = state->outputBlocks;
  if (recur_call_strictly(&call))
    return call.function ? reportStatus(call.function, call.error.code, &call.error) : 1;
  if (!state->options.isQuiet)
    printf("strict: no promise was broken; query returned %d and asked for %zu bytes of workspace\n",
           (int)call.queryStatus, call.workspaceBytes);
  return 0;
}

static char *joinPath(const char *directory, const char *kind, int index) {
  size_t bytes = strlen(directory) + 32;
  char *path = (char *)malloc(bytes);
  if (path)
    snprintf(path, bytes, "%s/%s_%d.npy", directory, kind, index);
  return path;
}

/// Writes a tensor into the directory, or shows it if that is null.
static int deliverTensor(const char *directory, const char *kind, int index, const char *name,
                         const recur_tensor *tensor) {
  if (!directory) {
    showTensor(strcmp(kind, "out") == 0 ? "output" : kind, index, name, tensor);
    return 0;
  }
  char message[NPY_MESSAGE_BYTES];
  char *path = joinPath(directory, kind, index);
  int failed = !path || npy_write(path, tensor->element_type, tensor->rank, tensor->shape, tensor->data, message);
  if (failed)
    complain("'%s': %s", path ? path : directory, path ? message : "out of memory");
  free(path);
  return failed;
}

/// Writes the outputs, and the states that are set, or shows them if there is no directory for them.
static int deliverOutputs(const run_state *state, recur_error *error) {
  const char *directory = state->options.outputDir;
  if (directory && mkdir(directory, 0777) != 0 && errno != EEXIST)
    return complain("cannot make the directory '%s': %s", directory, strerror(errno));
  for (int i = 0; i < state->info->num_outputs; ++i)
    if (deliverTensor(directory, "out", i, state->info->outputs[i].name, &state->outputs[i]))
      return 1;
  for (int i = 0; i < state->info->num_states && !state->options.isStrict; ++i) {
    recur_tensor value;
    int32_t status = state->model->get_state(state->instance, i, &value, error);
    if (status)
      return reportStatus("get_state", status, error);
    if (value.data && deliverTensor(directory, "state", i, state->info->states[i].name, &value))
      return 1;
  }
  return 0;
}

/// Returns 0, 1 after an error, or 2 if the output differs.
static int compareOutput(const run_state *state, int index, const char *path) {
  const recur_tensor *output = &state->outputs[index];
  const char *name = state->info->outputs[index].name;
  char message[NPY_MESSAGE_BYTES];
  npy_array want;
  void *data, *block;
  if (npy_read(path, &want, &data, &block, message))
    return complain("'%s': %s", path, message);
  int result = 2;
  size_t count = want.bytes / npy_element_bytes(want.element_type);
  differences found;
  if (!typesFit(output->element_type, want.element_type)) {
    complain("output %d '%s' is %s, expected %s", index, name, npy_element_name(output->element_type),
             npy_element_name(want.element_type));
  } else if (want.rank != output->rank || memcmp(want.shape, output->shape, (size_t)want.rank * sizeof(int64_t)) != 0) {
    char got[SHAPE_BYTES], wanted[SHAPE_BYTES];
    writeShape(got, output->rank, output->shape);
    writeShape(wanted, want.rank, want.shape);
    complain("output %d '%s' has another shape than '%s': expected %s, but got %s", index, name, path, wanted, got);
  } else if ((found = compareElements(output->element_type, output->data, data, count, state->options.rtol,
                                      state->options.atol))
                 .count != 0) {
    char position[SHAPE_BYTES], got[ELEMENT_BYTES], wanted[ELEMENT_BYTES];
    writePosition(position, want.rank, want.shape, found.first);
    writeElement(got, output->element_type, output->data, found.first);
    writeElement(wanted, output->element_type, data, found.first);
    complain("output %d '%s' differs from '%s' in %zu of %zu elements (%.3g %%), by up to %.3g (rtol %g, atol %g); the "
             "first is %s: expected %s, but got %s",
             index, name, path, found.count, count, 100 * (double)found.count / (double)count, found.largest,
             state->options.rtol, state->options.atol, position, wanted, got);
  } else {
    if (!state->options.isQuiet)
      printf("output %d '%s': largest difference %.3g\n", index, name, found.largest);
    result = 0;
  }
  free(block);
  return result;
}

static int compareOutputs(const run_state *state) {
  int result = 0;
  for (int i = 0; i < state->info->num_outputs && result != 1; ++i) {
    char *path = joinPath(state->options.expectDir, "out", i);
    int status = path ? compareOutput(state, i, path) : complain("out of memory");
    free(path);
    if (status == 1 || result == 0)
      result = status;
  }
  return result;
}

static int compareTimes(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int recur_time_calls(recur_run *state, size_t count, double *seconds) {
  int failed = 0;
  for (size_t i = 0; i < count && !failed; ++i) {
    releaseOutputs(state);
    uint64_t begin = nanosecondsNow();
    failed = callModel(state, &state->error);
    seconds[i] = 1e-9 * (double)(nanosecondsNow() - begin);
  }
  return failed;
}

static int reportTimes(run_state *state) {
  size_t repeat = (size_t)state->options.repeat;
  double *times = repeat > SIZE_MAX / sizeof(double) ? NULL : (double *)malloc(repeat * sizeof(double));
  if (!times)
    return complain("out of memory");
  int failed = recur_time_calls(state, repeat, times);
  if (!failed) {
    qsort(times, repeat, sizeof(double), compareTimes);
    printf("time per call: %.3f us (median of %zu calls; least %.3f us)\n", times[repeat / 2] * 1e6, repeat,
           times[0] * 1e6);
  }
  free(times);
  return failed;
}

static int compareRows(const void *a, const void *b) {
  uint64_t x = ((const recur_profile_row *)a)->ticks, y = ((const recur_profile_row *)b)->ticks;
  return (x < y) - (x > y);
}

/// Prints the rows of the profile, those with the most time first.
static int reportProfile(const run_state *state) {
  int32_t count = state->readProfile(state->instance, NULL, 0);
  recur_profile_row *rows = (recur_profile_row *)calloc((size_t)count + 1, sizeof(recur_profile_row));
  if (!rows)
    return complain("out of memory");
  state->readProfile(state->instance, rows, count);
  uint64_t total = 0;
  for (int32_t i = 0; i < count; ++i)
    total += rows[i].ticks;
  qsort(rows, (size_t)count, sizeof(recur_profile_row), compareRows);
  printf("profile: %.0f ticks per call in %" PRIu64 " calls\n", (double)total / (double)state->calls, state->calls);
  printf("   share  ticks/call  times/call  ticks/time  layers\n");
  for (int32_t i = 0; i < count; ++i)
    printf("%6.2f %% %11.0f %11.6g %11.1f  %s\n", total ? 100.0 * (double)rows[i].ticks / (double)total : 0.0,
           (double)rows[i].ticks / (double)state->calls, (double)rows[i].calls / (double)state->calls,
           rows[i].calls ? (double)rows[i].ticks / (double)rows[i].calls : 0.0, rows[i].layers);
  free(rows);
  return 0;
}

/// Starts the threads that the user wants.
static int startThreads(run_state *state) {
  int64_t threads = state->options.threads;
  recur_tuner_init(&state->tuner, gangRun, NULL, nanosecondsNow);
  state->config.size = sizeof(recur_config);
  state->config.flags = recur_request_tiles();
  if (threads == 1)
    return 0;
  state->gang = threads > gangMaxThreads ? NULL : gangStart((int)threads, state->options.isStrict);
  state->tuner.gang_ctx = state->gang;
  if (!state->gang)
    return complain("cannot start %" PRId64 " threads", threads);
  /* A strict run tests the code for threads, also where they do not pay. */
  if (state->options.isStrict) {
    state->config.gang = gangRun;
    state->config.gang_ctx = state->gang;
  } else {
    state->config.gang = recur_tuner_gang;
    state->config.gang_ctx = &state->tuner;
  }
  return 0;
}

/// Reads the file of --read-weights into memory, and checks it.
static int readWeights(run_state *state, const char *path) {
  size_t bytes = (size_t)state->info->weights_bytes;
  void *weights = npy_allocate(bytes, &state->weightsBlock);
  if (!weights)
    return complain("out of memory: the weights have %zu bytes", bytes);
  FILE *file = fopen(path, "rb");
  if (!file)
    return complain("cannot open '%s': %s", path, strerror(errno));
  size_t count = fread(weights, 1, bytes, file);
  /* A longer file is not the right one. */
  count += fgetc(file) != EOF;
  fclose(file);
  int32_t status = recur_check_weights(state->info, weights, count, &state->error);
  if (status)
    return reportStatus("recur_check_weights", status, &state->error);
  state->config.weights = bytes ? weights : NULL;
  state->config.weights_bytes = bytes;
  return 0;
}

/// Gets the weights of a model whose object has none.
static int loadWeights(run_state *state) {
  if (state->options.readWeights)
    return readWeights(state, state->options.readWeights);
  if (!state->options.mappedWeights)
    return 0;
  int32_t status = recur_map_weights(state->info, state->options.mappedWeights, &state->config, &state->error);
  return status ? reportStatus("recur_map_weights", status, &state->error) : 0;
}

/// Reads the inputs, and makes the instance and the buffers of a call.
static int makeReady(run_state *state) {
  state->error.size = sizeof(state->error);
  const recur_info *info = state->info;
  const char **paths = (const char **)calloc((size_t)info->num_inputs + 1, sizeof(char *));
  if (!paths)
    return complain("out of memory");
  uint64_t random = state->options.seed;
  int status = startThreads(state);
  if (!status)
    status = loadWeights(state);
  if (!status)
    status = assignInputs(state, paths);
  for (int i = 0; i < info->num_inputs && !status; ++i)
    status = loadInput(state, i, paths[i], &random);
  free(paths);
  if (!status)
    status = makeShapes(state);
  if (!status && !state->options.isStrict)
    status = prepare(state, &state->error);
  return status;
}

recur_run *recur_open_run(const recur_entry_points *model, int argc, const char *const *argv) {
  run_state *state = (run_state *)calloc(1, sizeof(run_state));
  if (!state) {
    complain("out of memory");
    return NULL;
  }
  state->model = model;
  state->info = model->info();
  if (parseArguments(argc, argv, &state->options)) {
    recur_close_run(state);
    return NULL;
  }
  size_t numInputs = (size_t)state->info->num_inputs, numOutputs = (size_t)state->info->num_outputs;
  state->inputs = (recur_tensor *)calloc(numInputs + 1, sizeof(recur_tensor));
  state->outputs = (recur_tensor *)calloc(numOutputs + 1, sizeof(recur_tensor));
  state->inputBlocks = (void **)calloc(numInputs + 1, sizeof(void *));
  state->outputBlocks = (void **)calloc(numOutputs + 1, sizeof(void *));
  state->stateBlocks = (void **)calloc((size_t)state->info->num_states + 1, sizeof(void *));
  int isWhole = state->inputs && state->outputs && state->inputBlocks && state->outputBlocks && state->stateBlocks;
  if (!isWhole)
    complain("out of memory");
  if (!isWhole || makeReady(state)) {
    recur_close_run(state);
    return NULL;
  }
  return state;
}

int recur_finish_run(recur_run *state) {
  int status = state->options.isStrict ? callStrictly(state) : callModel(state, &state->error);
  if (!status && (state->options.outputDir || state->options.isShown))
    status = deliverOutputs(state, &state->error);
  if (!status && state->options.expectDir)
    status = compareOutputs(state);
  if (!status && state->options.repeat)
    status = reportTimes(state);
  if (!status && state->readProfile)
    status = reportProfile(state);
  return status;
}

const void *recur_get_instance(const recur_run *state) { return state->instance; }

void recur_close_run(recur_run *state) {
  gangStop(state->gang);
  if (state->outputs && state->outputBlocks)
    releaseOutputs(state);
  for (int i = 0; i < state->info->num_inputs && state->inputs && state->inputBlocks; ++i) {
    free(state->inputBlocks[i]);
    free(state->inputs[i].shape);
  }
  for (int i = 0; i < state->info->num_outputs && state->outputs && state->outputBlocks; ++i) {
    free(state->outputBlocks[i]);
    free(state->outputs[i].shape);
  }
  for (int i = 0; i < state->info->num_states && state->stateBlocks; ++i)
    free(state->stateBlocks[i]);
  free(state->stateBlocks);
  free(state->options.states);
  free(state->inputs);
  free(state->outputs);
  free(state->inputBlocks);
  free(state->outputBlocks);
  free(state->instance);
  free(state->workspaceBlock);
  free(state->weightsBlock);
  if (state->options.mappedWeights)
    recur_unmap_weights(&state->config);
  free(state);
}

int recur_run_model(const recur_entry_points *model, int argc, const char *const *argv) {
  return recur_run_profiled_model(model, NULL, argc, argv);
}

int recur_run_profiled_model(const recur_entry_points *model, recur_profile_reader read, int argc,
                             const char *const *argv) {
  recur_run *state = recur_open_run(model, argc, argv);
  if (state)
    state->readProfile = read;
  int status = state ? recur_finish_run(state) : 1;
  if (state)
    recur_close_run(state);
  if (fflush(stdout) != 0 && status == 0)
    status = complain("cannot write to standard output");
  return status;
}
