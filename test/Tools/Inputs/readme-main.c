// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- readme-main.c - calls the snippet of README.md on its example ------===//
//
// Appended to the snippet. The arguments are in_0.npy, ... and out_0.npy of examples/lstm-example2.
//
//===----------------------------------------------------------------------===//
#include "npy.h"

#include <math.h>

int main(int argc, char **argv) {
  int64_t x[3] = {1, 25, 512}, h[2] = {1, 256}, c[2] = {1, 256}, y[3] = {0, 0, 0};
  size_t sizes[4] = {25 * 512, 256, 256, 25 * 256};
  recur_tensor inputs[3] = {{0}}, output = {0};
  int64_t *shapes[3];
  float *data[4], largest = 0;
  int i, status;
  if (argc != 5)
    return 2;
  shapes[0] = x;
  shapes[1] = h;
  shapes[2] = c;
  for (i = 0; i < 4; ++i) {
    data[i] = malloc(sizes[i] * sizeof(float));
    if (!data[i] || !readFloats(".", argv[i + 1], data[i], sizes[i]))
      return 3;
  }
  for (i = 0; i < 3; ++i) {
    inputs[i].data = data[i];
    inputs[i].shape = shapes[i];
    inputs[i].rank = i ? 2 : 3;
    inputs[i].element_type = RECUR_F32;
    inputs[i].bytes = sizes[i] * sizeof(float);
  }
  output.data = malloc(sizes[3] * sizeof(float));
  output.shape = y;
  status = recognise(inputs, &output);
  for (i = 0; !status && i < 25 * 256; ++i)
    largest = fmaxf(largest, fabsf(((float *)output.data)[i] - data[3][i]));
  printf("status %d, shape %d %d %d, %s\n", status, (int)y[0], (int)y[1], (int)y[2],
         largest < 1e-4f ? "as expected" : "another answer");
  for (i = 0; i < 4; ++i)
    free(data[i]);
  free(output.data);
  return 0;
}
