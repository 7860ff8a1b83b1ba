/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A whole program that calls a compiled model: a moving average of pairs of numbers, which goes on from call to call.
 * The number of time steps is open (make_model.py), so the program asks the model for sizes before each call.
 */
#include "average.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* One user of the model: an instance, which holds the state, and memory for calls. */
typedef struct {
  void *instance;
  char *block; /* the workspace is its aligned part */
  size_t block_bytes;
  float *y;
  size_t y_bytes;
} averager;

/* Returns a recur_status. */
static int start(averager *user, recur_error *error) {
  averager none = {NULL, NULL, 0, NULL, 0};
  *user = none;
  user->instance = malloc(average_instance_size()); /* as aligned as malloc aligns */
  return user->instance ? average_init(user->instance, NULL, error) : RECUR_E_NOMEM;
}

static void end(averager *user) {
  free(user->instance); /* nothing else ends an instance */
  free(user->block);
  free(user->y);
}

/* Averages `steps` pairs, and leaves the averages in user->y. Returns a recur_status. */
static int add_pairs(averager *user, const float *x, int64_t steps, recur_error *error) {
  int64_t x_shape[2] = {steps, 2}, y_shape[2]; /* the model writes y_shape */
  recur_tensor input = {(void *)x, x_shape, NULL, 2, RECUR_F32, (size_t)steps * 2 * sizeof(float)};
  recur_tensor output = {NULL, y_shape, NULL, 2, RECUR_F32, 0};
  size_t workspace_bytes = 0;

  /* 1. What does a call need? The query sets y_shape, output.bytes and workspace_bytes. It reads no data. */
  int status = average_query(user->instance, &input, &output, &workspace_bytes, error);
  if (status)
    return status;

  /* 2. Memory, which the next calls use again. */
  if (output.bytes > user->y_bytes) {
    free(user->y);
    user->y_bytes = output.bytes;
    user->y = malloc(output.bytes);
  }
  if (workspace_bytes + RECUR_ALIGNMENT > user->block_bytes) {
    free(user->block);
    user->block_bytes = workspace_bytes + RECUR_ALIGNMENT;
    user->block = malloc(user->block_bytes);
  }
  if (!user->y || !user->block)
    return RECUR_E_NOMEM;
  char *workspace = user->block + (RECUR_ALIGNMENT - (uintptr_t)user->block % RECUR_ALIGNMENT);

  /* 3. The call. */
  output.data = user->y;
  output.bytes = user->y_bytes;
  return average_run(user->instance, &input, &output, workspace, workspace_bytes, NULL, error);
}

static void show(const char *what, const float *pair) { printf("%s: %g %g\n", what, pair[0], pair[1]); }

/* Threads share the code and the weights. Each has an instance, a workspace and an error of its own. */
static void *average_in_thread(void *result) {
  static const float x[] = {4, 8};
  averager user;
  recur_error error = {.size = sizeof(error)};
  int status = start(&user, &error);
  if (!status)
    status = add_pairs(&user, x, 1, &error);
  *(float *)result = status ? -1 : user.y[0];
  end(&user);
  return NULL;
}

int main(void) {
  static const float x[] = {4, 8, 4, 8, 4, 8};
  averager user;
  recur_error error = {.size = sizeof(error)};
  int status = start(&user, &error);

  /* Three time steps, and two more in another call: the state of the instance connects them. */
  if (!status && !(status = add_pairs(&user, x, 3, &error)))
    show("step 3", user.y + 4);
  if (!status && !(status = add_pairs(&user, x, 2, &error)))
    show("step 5", user.y + 2);

  /* The value of a state is in the instance, until the next call that writes it. */
  recur_tensor state;
  int32_t index = average_find_state("average");
  if (!status && !(status = average_get_state(user.instance, index, &state, &error)))
    show("state", state.data);

  /* A state is set by a tensor, or set back to its initial value. */
  float saved[2] = {100, 200};
  int64_t saved_shape[2] = {1, 2};
  recur_tensor value = {saved, saved_shape, NULL, 2, RECUR_F32, sizeof(saved)};
  if (!status && !(status = average_set_state(user.instance, index, &value, &error)) &&
      !(status = add_pairs(&user, x, 1, &error)))
    show("after set", user.y);
  if (!status && !(status = average_reset(user.instance)) && !(status = add_pairs(&user, x, 1, &error)))
    show("after reset", user.y);
  if (status) {
    fprintf(stderr, "status %d: %s\n", status, error.message);
    return 1;
  }

  /* A call that does not fit is refused before anything is written. The error says what, where, and why. */
  int64_t wide[2] = {1, 3}, y_shape[2];
  recur_tensor wrong = {(void *)x, wide, NULL, 2, RECUR_F32, sizeof(x)},
               output = {NULL, y_shape, NULL, 2, RECUR_F32, 0};
  size_t bytes;
  status = average_query(user.instance, &wrong, &output, &bytes, &error);
  printf("status %d, axis %d: %s\n", status, (int)error.axis, error.message);
  end(&user);

  pthread_t threads[2];
  float results[2];
  int count = 0;
  while (count < 2 && pthread_create(&threads[count], NULL, average_in_thread, &results[count]) == 0)
    ++count;
  for (int i = 0; i < count; ++i) {
    pthread_join(threads[i], NULL);
    printf("thread %d: %g\n", i, results[i]);
  }
  return 0;
}
