// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- npy.h - the data of the example --------------------------*- C -*-===//
//
// Reads the tensors that are beside the model, for programs in C and in C++.
//
//===----------------------------------------------------------------------===//
#ifndef EXAMPLE_NPY_H
#define EXAMPLE_NPY_H

#include <stdio.h>

/// Reads `count` floats from the file `folder`/`name`, which numpy wrote (version 1.0 of the format, type f32). Returns
/// 0 if the file does not have so many.
static int readFloats(const char *folder, const char *name, float *data, size_t count) {
  unsigned char head[10];
  char path[4096];
  FILE *file;
  int isGood;
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  file = fopen(path, "rb");
  if (!file)
    return 0;
  /* Bytes 8 and 9 are the size of the text that describes the tensor. */
  isGood = fread(head, 1, sizeof(head), file) == sizeof(head) && fseek(file, head[8] | head[9] << 8, SEEK_CUR) == 0 &&
           fread(data, sizeof(float), count, file) == count;
  fclose(file);
  return isGood;
}

#endif /* EXAMPLE_NPY_H */
