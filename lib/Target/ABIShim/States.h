// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- States.h - states of an instance -------------------------*- C -*-===//
//
// Part of ABIShim.c, which includes it once. A state has two buffers: its value, and the one that the next call writes.
// A call that succeeds exchanges them, so a call that fails leaves all states as they were. The buffers of a state with
// static dims are in the instance. Those of a state with dynamic dims are memory of the caller (NAME_state_memory).
//
// An instance is followed by a recur_state for each state, by two shapes for each state, and by the buffers.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_ABISHIM_STATES_H
#define RECUR_ABISHIM_STATES_H

#include "Checks.h"

typedef struct recur_state {
  uint8_t *buffers[2]; /* the value, and the buffer for the next one; null if the caller has given no memory */
  int64_t *shapes[2];
  int64_t capacity; /* the bytes of each buffer, a multiple of RECUR_ALIGNMENT */
  uint8_t isSet;    /* 0 after a reset. Then the value is zeros, and has no elements if a dim is dynamic */
  uint8_t padding[7];
} recur_state;

static int32_t countStates(void) { return RECUR_SHIM_STATES ? infoOf(lastEntry)->num_states : 0; }

/// The number of states that a call of an entry reads and writes.
static int32_t countStatesOf(int entry) { return entry == lastEntry ? countStates() : 0; }

static recur_state *statesOf(const recur_instance *instance) { return (recur_state *)(uintptr_t)(instance + 1); }

static int64_t roundUp(int64_t bytes) { return (bytes + RECUR_ALIGNMENT - 1) & ~(int64_t)(RECUR_ALIGNMENT - 1); }

static int isStatic(const recur_tensor_info *info) { return !isUnknown(info->dims, info->rank); }

/// The bytes of each buffer that is part of the instance; 0 for a state of dynamic dims.
static int64_t ownBytes(const recur_tensor_info *info) {
  return isStatic(info) ? roundUp(denseBytes(info->dims, info->rank, info->element_type)) : 0;
}

static int64_t instanceBytes(void) {
  int64_t bytes = (int64_t)sizeof(recur_instance), buffers = 0;
  for (int32_t i = 0; i < countStates(); ++i) {
    const recur_tensor_info *info = &infoOf(lastEntry)->states[i];
    bytes += (int64_t)sizeof(recur_state) + 2 * shapeBytes(info->rank);
    buffers += 2 * ownBytes(info);
  }
  return (buffers ? bytes + RECUR_ALIGNMENT + buffers : bytes) + recur_model_facts.counter_bytes;
}

/// Gives a state its initial value.
static void resetState(recur_state *state, const recur_tensor_info *info) {
  state->isSet = 0;
  for (int32_t axis = 0; axis < info->rank; ++axis)
    state->shapes[0][axis] = info->dims[axis] < 0 ? 0 : info->dims[axis];
  if (isStatic(info))
    __builtin_memset(state->buffers[0], 0, (size_t)state->capacity);
}

static void initStates(recur_instance *instance) {
  recur_state *states = statesOf(instance);
  int64_t *shapes = (int64_t *)(void *)(states + countStates());
  for (int32_t i = 0; i < countStates(); ++i)
    for (int k = 0; k < 2; ++k) {
      states[i].shapes[k] = shapes;
      shapes += infoOf(lastEntry)->states[i].rank;
    }
  uint8_t *next = (uint8_t *)(((uintptr_t)shapes + RECUR_ALIGNMENT - 1) & ~(uintptr_t)(RECUR_ALIGNMENT - 1));
  for (int32_t i = 0; i < countStates(); ++i) {
    const recur_tensor_info *info = &infoOf(lastEntry)->states[i];
    states[i].capacity = ownBytes(info);
    for (int k = 0; k < 2; ++k) {
      states[i].buffers[k] = isStatic(info) ? next : 0;
      next += states[i].capacity;
    }
    resetState(&states[i], info);
  }
}

static int64_t stateBytes(const recur_state *state, const recur_tensor_info *info) {
  return denseBytes(state->shapes[0], info->rank, info->element_type);
}

/// Appends the tensors of the states to those of the caller. A tensor without elements has data that nothing reads.
static void addStates(const recur_instance *instance, recur_tensor *inputs, recur_tensor *outputs) {
  for (int32_t i = 0; i < countStates(); ++i) {
    recur_state *state = &statesOf(instance)[i];
    const recur_tensor_info *info = &infoOf(lastEntry)->states[i];
    uint8_t *none = (uint8_t *)state;
    recur_tensor value = {state->buffers[0] ? state->buffers[0] : none,
                          state->shapes[0],
                          0,
                          info->rank,
                          info->element_type,
                          (size_t)stateBytes(state, info)};
    recur_tensor isSet = {&state->isSet, 0, 0, 0, RECUR_BOOLEAN, 1};
    recur_tensor next = {state->buffers[1] ? state->buffers[1] : none,
                         state->shapes[1],
                         0,
                         info->rank,
                         info->element_type,
                         (size_t)state->capacity};
    inputs[2 * i] = value;
    inputs[2 * i + 1] = isSet;
    if (outputs)
      outputs[i] = next;
  }
}

/// True if memory of the caller overlaps the memory that it gave for a state.
static int overlapsState(const recur_instance *instance, int32_t index, const void *at, int64_t bytes) {
  const recur_state *state = &statesOf(instance)[index];
  return overlaps(at, bytes, state->buffers[0], state->capacity) ||
         overlaps(at, bytes, state->buffers[1], state->capacity);
}

static int32_t failCapacity(int32_t index, int64_t bytes, int64_t capacity, recur_error *error) {
  origin from = {RECUR_IN_STATE, index, -1};
  return fail2(error, RECUR_E_CAPACITY, from, "needs {0} bytes of memory, has {1}", 2 * roundUp(bytes), 2 * capacity);
}

/// Checks that the next values fit, whose dims are `dims`, and stores the dims that are known if `stores` is set.
static int32_t checkNext(const recur_instance *instance, const int64_t *dims, int stores, recur_error *error) {
  for (int32_t i = 0; i < countStates(); ++i) {
    const recur_state *state = &statesOf(instance)[i];
    const recur_tensor_info *info = &infoOf(lastEntry)->states[i];
    int64_t bytes = outputBytesOf(dims, info);
    if (bytes < 0) {
      origin from = {RECUR_IN_STATE, i, -1};
      return fail2(error, RECUR_E_OVERFLOW, from, "its size does not fit 64 bits", 0, 0);
    }
    if (bytes > state->capacity)
      return failCapacity(i, bytes, state->capacity, error);
    for (int32_t axis = 0; axis < info->rank && stores; ++axis)
      state->shapes[1][axis] = dims[axis];
    dims += info->rank;
  }
  return RECUR_OK;
}

/// Makes the buffer for the next value the value.
static void exchange(recur_state *state) {
  uint8_t *buffer = state->buffers[0];
  int64_t *shape = state->shapes[0];
  state->buffers[0] = state->buffers[1];
  state->buffers[1] = buffer;
  state->shapes[0] = state->shapes[1];
  state->shapes[1] = shape;
  state->isSet = 1;
}

/// Ends a call that succeeded.
static void keepNext(const recur_instance *instance) {
  for (int32_t i = 0; i < countStates(); ++i)
    if (factsOf(lastEntry)->sets_state[i])
      exchange(&statesOf(instance)[i]);
}

#if RECUR_SHIM_STATES

static int32_t checkIndex(const recur_instance *instance, int32_t index, recur_error *error) {
  int32_t status = checkInstance(instance, error);
  if (!status && (index < 0 || index >= countStates()))
    return fail2(error, RECUR_E_SHAPE, inCall, "there is no state {1}, the model has {0}", countStates(), index);
  return status;
}

int32_t recur_shim_find_state(const char *name) {
  for (int32_t i = 0; i < countStates() && name; ++i) {
    const char *own = infoOf(lastEntry)->states[i].name, *given = name;
    while (*own && *own == *given) {
      ++own;
      ++given;
    }
    if (*own == *given)
      return i;
  }
  return -1;
}

int32_t recur_shim_get_state(const void *memory, int32_t index, recur_tensor *value, recur_error *error) {
  const recur_instance *instance = (const recur_instance *)memory;
  int32_t status = checkIndex(instance, index, error);
  if (status)
    return status;
  if (!value)
    return fail2(error, RECUR_E_NULL, inCall, "value is null", 0, 0);
  recur_state *state = &statesOf(instance)[index];
  const recur_tensor_info *info = &infoOf(lastEntry)->states[index];
  int64_t bytes = stateBytes(state, info);
  recur_tensor result = {state->isSet ? (state->buffers[0] ? (void *)state->buffers[0] : (void *)state) : 0,
                         state->shapes[0],
                         0,
                         info->rank,
                         info->element_type,
                         state->isSet ? (size_t)bytes : 0};
  *value = result;
  return succeed(error);
}

int32_t recur_shim_set_state(void *memory, int32_t index, const recur_tensor *value, recur_error *error) {
  const recur_instance *instance = (const recur_instance *)memory;
  int32_t status = checkIndex(instance, index, error);
  if (status)
    return status;
  recur_state *state = &statesOf(instance)[index];
  const recur_tensor_info *info = &infoOf(lastEntry)->states[index];
  if (!value) {
    resetState(state, info);
    return succeed(error);
  }
  int64_t bytes;
  origin from = {RECUR_IN_STATE, index, -1};
  if ((status = checkGiven(value, info, from, 1, &bytes, error)))
    return status;
  if (bytes > state->capacity)
    return failCapacity(index, bytes, state->capacity, error);
  /* The value may be the state itself, so it goes to the other buffer. */
  if (bytes)
    __builtin_memmove(state->buffers[1], value->data, (size_t)bytes);
  for (int32_t axis = 0; axis < info->rank; ++axis)
    state->shapes[1][axis] = value->shape[axis];
  exchange(state);
  return succeed(error);
}

int32_t recur_shim_state_memory(void *memory, int32_t index, void *block, size_t bytes, recur_error *error) {
  const recur_instance *instance = (const recur_instance *)memory;
  int32_t status = checkIndex(instance, index, error);
  if (status)
    return status;
  origin from = {RECUR_IN_STATE, index, -1};
  recur_state *state = &statesOf(instance)[index];
  const recur_tensor_info *info = &infoOf(lastEntry)->states[index];
  if (isStatic(info))
    return fail2(error, RECUR_E_SHAPE, from, "its dims are static, so it lives in the instance", 0, 0);
  if (isMisaligned(block, RECUR_ALIGNMENT))
    return fail2(error, RECUR_E_LAYOUT, from, "the memory is not aligned to {0} bytes", RECUR_ALIGNMENT, 0);
  int64_t half = block ? (int64_t)(bytes / 2 & ~(size_t)(RECUR_ALIGNMENT - 1)) : 0, used = stateBytes(state, info);
  if (used > half)
    return failCapacity(index, used, half, error);
  for (int k = 0; k < 2; ++k)
    if (overlaps(block, 2 * half, state->buffers[k], state->capacity))
      return fail2(error, RECUR_E_ALIAS, from, "the memory overlaps the one that the state has", 0, 0);
  if (used)
    __builtin_memcpy(block, state->buffers[0], (size_t)used);
  state->buffers[0] = half ? (uint8_t *)block : 0;
  state->buffers[1] = half ? (uint8_t *)block + half : 0;
  state->capacity = half;
  return succeed(error);
}

#endif /* RECUR_SHIM_STATES */
#endif /* RECUR_ABISHIM_STATES_H */
