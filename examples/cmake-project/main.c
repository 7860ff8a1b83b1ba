// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- main.c - calls a compiled model from C -----------------------------===//
//
// The argument is the folder of the model's inputs and of its expected output. The status is 0 if the output is as
// expected. All memory of the model is static.
//
//===----------------------------------------------------------------------===//
#include "lstm.h"
#include "npy.h"

#include <math.h>

enum { steps = 25, inputSize = 512, hiddenSize = 256 };
static float x[steps * inputSize], h[hiddenSize], c[hiddenSize], y[steps * hiddenSize], expected[steps * hiddenSize];
static union {
  unsigned char bytes[4096];
  long double aligned;
} instance;
static unsigned char memory[1 << 20];

int main(int argc, char **argv) {
  int64_t xShape[] = {1, steps, inputSize}, stateShape[] = {1, hiddenSize}, yShape[3];
  recur_tensor inputs[] = {{x, xShape, NULL, 3, RECUR_F32, sizeof(x)},
                           {h, stateShape, NULL, 2, RECUR_F32, sizeof(h)},
                           {c, stateShape, NULL, 2, RECUR_F32, sizeof(c)}};
  recur_tensor output = {y, yShape, NULL, 3, RECUR_F32, sizeof(y)};
  recur_error error = {.size = sizeof(error)};
  unsigned char *workspace = memory + (RECUR_ALIGNMENT - (uintptr_t)memory % RECUR_ALIGNMENT);
  size_t i, bytes = 0;
  int wrong = 0;

  if (argc != 2 || !readFloats(argv[1], "in_0.npy", x, steps * inputSize) ||
      !readFloats(argv[1], "in_1.npy", h, hiddenSize) || !readFloats(argv[1], "in_2.npy", c, hiddenSize) ||
      !readFloats(argv[1], "out_0.npy", expected, steps * hiddenSize)) {
    fprintf(stderr, "usage: call-from-c FOLDER\n");
    return 2;
  }
  if (lstm_instance_size() > sizeof(instance) || lstm_init(&instance, NULL, &error) ||
      lstm_query(&instance, inputs, &output, &bytes, &error) || bytes > sizeof(memory) - RECUR_ALIGNMENT ||
      lstm_run(&instance, inputs, &output, workspace, bytes, NULL, &error)) {
    fprintf(stderr, "the model failed: %s\n", error.message);
    return 1;
  }
  for (i = 0; i < steps * hiddenSize; ++i)
    if (!(fabsf(y[i] - expected[i]) < 1e-4f))
      ++wrong;
  printf("%d of %d elements differ\n", wrong, steps * hiddenSize);
  return wrong != 0;
}
