/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls the compiled ONNX model. Only the loop decides how large the output "states" is, so the model asks an allocator
 * for its memory.
 */
#include "growth.h"
#include <stdio.h>
#include <stdlib.h>

static void *take(void *ctx, size_t bytes, size_t alignment) {
  (void)ctx;
  return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void give_back(void *ctx, void *block) {
  (void)ctx;
  free(block);
}

int main(void) {
  float x[8] = {1, 0, 0, 0, 0, 0, 0, 0}, last[8];
  int64_t x_shape[2] = {1, 8}, last_shape[2], states_shape[3];
  recur_tensor input = {x, x_shape, NULL, 2, RECUR_F32, sizeof(x)};
  recur_tensor outputs[2] = {{last, last_shape, NULL, 2, RECUR_F32, sizeof(last)},
                             {NULL, states_shape, NULL, 3, RECUR_F32, 0}}; /* null: memory of the allocator */
  recur_options options = {.size = sizeof(options), .max_iterations = 1000, .alloc = take, .release = give_back};
  recur_error error = {.size = sizeof(error)};
  recur_tensor queried[2] = {{.shape = last_shape, .rank = 2}, {.shape = states_shape, .rank = 3}};
  size_t bytes = 0;
  void *instance = malloc(growth_instance_size()), *workspace = NULL;

  int status = instance ? growth_init(instance, NULL, &error) : RECUR_E_NOMEM;
  if (!status) {
    status = growth_query(instance, &input, queried, &bytes, &error);
    printf("query: status %d, states [%d, %d, %d]\n", status, (int)states_shape[0], (int)states_shape[1],
           (int)states_shape[2]);
    if (status == RECUR_E_ALLOCATOR_NEEDED)
      status = RECUR_OK; /* the query has told everything else */
  }
  if (!status && !(workspace = take(NULL, bytes + 1, RECUR_ALIGNMENT)))
    status = RECUR_E_NOMEM;
  if (!status)
    status = growth_run(instance, &input, outputs, workspace, bytes, &options, &error);
  if (status)
    fprintf(stderr, "status %d: %s\n", status, error.message);
  else
    printf("run: states [%d, %d, %d], last %.2f %.2f ...\n", (int)states_shape[0], (int)states_shape[1],
           (int)states_shape[2], last[0], last[1]);
  free(outputs[1].data);
  free(workspace);
  free(instance);
  return status != 0;
}
