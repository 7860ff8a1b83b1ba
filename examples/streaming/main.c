/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Gives a model one time step at a time with speech_step, and compares what comes out with one call of speech_run on
 * all time steps at once. The two must be equal, bit for bit. The inputs are random numbers, so any model with static
 * dims and tensors of f32 will do: speech_info and speech_step_info say which axis of a tensor is time.
 */
#include "speech.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A tensor of all time steps, and the part of one of them. */
typedef struct {
  int32_t rank;
  int32_t axis; /* of time, or -1 if the tensor has none */
  int64_t dims[8], step_dims[8];
  size_t count, step_count; /* of elements */
  float *data, *step_data;
} values;

static size_t count_elements(const int64_t *dims, int32_t from, int32_t to) {
  size_t count = 1;
  for (int32_t i = from; i < to; ++i)
    count *= (size_t)dims[i];
  return count;
}

static values make_signal(const recur_tensor_info *whole, const recur_tensor_info *step) {
  values result = {whole->rank, -1, {0}, {0}, 0, 0, NULL, NULL};
  if (whole->element_type != RECUR_F32 || whole->rank > 8) {
    fprintf(stderr, "%s: expected f32 of at most 8 dims\n", whole->name);
    exit(2);
  }
  for (int32_t i = 0; i < whole->rank; ++i) {
    if (whole->dims[i] < 0 || step->dims[i] < 0) {
      fprintf(stderr, "%s: expected static dims\n", whole->name);
      exit(2);
    }
    result.dims[i] = whole->dims[i];
    result.step_dims[i] = step->dims[i];
    if (whole->dims[i] != step->dims[i])
      result.axis = i;
  }
  result.count = count_elements(result.dims, 0, whole->rank);
  result.step_count = count_elements(result.step_dims, 0, whole->rank);
  result.data = malloc((result.count + 1) * sizeof(float));
  result.step_data = malloc((result.step_count + 1) * sizeof(float));
  if (!result.data || !result.step_data) {
    fprintf(stderr, "there is no memory\n");
    exit(2);
  }
  return result;
}

/* Copies the part of time step `at`; all of it if the tensor has no time axis. */
static void copy_step(const values *from, int64_t at, float *to) {
  int32_t axis = from->axis < 0 ? 0 : from->axis;
  size_t row = count_elements(from->dims, axis, from->rank), part = count_elements(from->step_dims, axis, from->rank);
  size_t outer = from->axis < 0 ? 1 : count_elements(from->dims, 0, axis);
  for (size_t i = 0; i < outer; ++i)
    memcpy(to + i * part, from->data + i * row + (from->axis < 0 ? 0 : (size_t)at * part), part * sizeof(float));
}

static void *allocate(size_t bytes) {
  char *block = malloc(bytes + RECUR_ALIGNMENT);
  return block ? block + (RECUR_ALIGNMENT - (uintptr_t)block % RECUR_ALIGNMENT) : NULL;
}

static void expect(int32_t status, const recur_error *error) {
  if (status) {
    fprintf(stderr, "status %d: %s\n", (int)status, error->message);
    exit(2);
  }
}

int main(void) {
  enum { inputs = speech_num_inputs, outputs = speech_num_outputs };
  values in[inputs + 1], out[outputs + 1];
  recur_tensor all_in[inputs + 1], all_out[outputs + 1], step_in[inputs + 1], step_out[outputs + 1];
  float *want[outputs + 1];
  int64_t steps = 1;
  uint32_t seed = 1;
  for (int i = 0; i < inputs; ++i) {
    in[i] = make_signal(&speech_info()->inputs[i], &speech_step_info()->inputs[i]);
    if (in[i].axis >= 0)
      steps = in[i].dims[in[i].axis];
    for (size_t k = 0; k < in[i].count; ++k) {
      seed = seed * 1664525u + 1013904223u;
      in[i].data[k] = (float)(seed >> 8) / (float)(1 << 23) - 1;
    }
    recur_tensor all = {in[i].data, in[i].dims, NULL, in[i].rank, RECUR_F32, in[i].count * sizeof(float)};
    recur_tensor step = {in[i].step_data, in[i].step_dims, NULL,
                         in[i].rank,      RECUR_F32,       in[i].step_count * sizeof(float)};
    all_in[i] = all;
    step_in[i] = step;
  }
  for (int i = 0; i < outputs; ++i) {
    out[i] = make_signal(&speech_info()->outputs[i], &speech_step_info()->outputs[i]);
    recur_tensor all = {out[i].data, out[i].dims, NULL, out[i].rank, RECUR_F32, out[i].count * sizeof(float)};
    recur_tensor step = {out[i].step_data, out[i].step_dims, NULL,
                         out[i].rank,      RECUR_F32,        out[i].step_count * sizeof(float)};
    all_out[i] = all;
    step_out[i] = step;
    want[i] = malloc((out[i].step_count + 1) * sizeof(float));
    if (!want[i])
      return 2;
  }

  recur_error error = {.size = sizeof(error)};
  void *instance = malloc(speech_instance_size());
  void *workspace = allocate(speech_workspace_bytes), *step_workspace = allocate(speech_step_workspace_bytes);
  if (!instance || !workspace || !step_workspace)
    return 2;
  expect(speech_init(instance, NULL, &error), &error);
  expect(speech_run(instance, all_in, all_out, workspace, speech_workspace_bytes, NULL, &error), &error);

  for (int64_t at = 0; at < steps; ++at) {
    for (int i = 0; i < inputs; ++i)
      copy_step(&in[i], at, in[i].step_data);
    expect(speech_step(instance, step_in, step_out, step_workspace, speech_step_workspace_bytes, NULL, &error), &error);
    for (int i = 0; i < outputs; ++i) {
      /* An output without time is that of the steps so far, so it is compared at the end. */
      if (out[i].axis < 0 && at + 1 < steps)
        continue;
      copy_step(&out[i], at, want[i]);
      if (memcmp(want[i], out[i].step_data, out[i].step_count * sizeof(float)) != 0) {
        fprintf(stderr, "output %d differs at step %d\n", i, (int)at);
        return 1;
      }
    }
  }
  printf("%d steps are equal to the run, bit for bit\n", (int)steps);
  return 0;
}
