/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Classifies the frames of in_0.npy with the compiled Keras model. All memory is static: the header of the model has
 * the sizes, because all dims of the model are known.
 */
#include "speech.h"
#include <stdio.h>

static float frames[20 * 8], scores[4];
static _Alignas(RECUR_ALIGNMENT) unsigned char workspace[speech_workspace_bytes];
static _Alignas(16) unsigned char instance[1024];

int main(void) {
  recur_error error = {.size = sizeof(error)};
  FILE *file = fopen("in_0.npy", "rb");
  /* What numpy writes in front of a small array has 128 bytes. */
  if (!file || fseek(file, 128, SEEK_SET) || fread(frames, sizeof(frames), 1, file) != 1)
    return 2;
  fclose(file);
  if (speech_instance_size() > sizeof(instance) || speech_init(instance, NULL, &error) ||
      speech_call(instance, frames, scores, workspace, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  for (int i = 0; i < 4; ++i)
    printf("class %d: %.4f\n", i, scores[i]);
  return 0;
}
