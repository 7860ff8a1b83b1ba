/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tells where there is speech in sound that comes in, by Silero VAD. The model takes one chunk of 32 ms in a call, and
 * gives back its state for the next one. Each line of the output has the time in seconds at which a chunk begins and
 * the probability of speech in it.
 *
 *   detect SOUND.wav       a file, of one channel with 16000 samples of 16 bits in a second
 *   arecord -t wav -f S16_LE -r 16000 | detect -         such a file, as a microphone makes it
 *   detect                 sound that the program makes: silence, vowels from second 1 to 2, and silence
 */
#include "vad.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The model sees the end of the last chunk before the chunk itself. */
enum { rate = 16000, chunk = 512, context = 64, state_size = 2 * 128 };

static void fail(const char *message) {
  fprintf(stderr, "%s\n", message);
  exit(2);
}

static uint32_t number(const unsigned char *bytes, int count) {
  uint32_t result = 0;
  while (count--)
    result = result << 8 | bytes[count];
  return result;
}

/* Reads a WAV file up to its samples. */
static void read_header(FILE *file) {
  unsigned char head[12], format[16] = {0};
  if (fread(head, 1, 12, file) != 12 || memcmp(head, "RIFF", 4) != 0 || memcmp(head + 8, "WAVE", 4) != 0)
    fail("expected a WAV file");
  while (fread(head, 1, 8, file) == 8) {
    uint32_t size = number(head + 4, 4), used = 0;
    if (memcmp(head, "data", 4) == 0) {
      if (number(format, 2) != 1 || number(format + 2, 2) != 1 || number(format + 4, 4) != rate ||
          number(format + 14, 2) != 16)
        fail("expected one channel with 16000 samples of 16 bits in a second");
      return;
    }
    if (memcmp(head, "fmt ", 4) == 0 && size >= 16)
      used = (uint32_t)fread(format, 1, 16, file);
    for (size += size % 2; used < size; ++used) /* a seek would not do for a pipe */
      if (getc(file) == EOF)
        break;
  }
  fail("expected a WAV file with samples");
}

static int read_sample(FILE *file, float *sample) {
  unsigned char bytes[2];
  if (fread(bytes, 1, 2, file) != 2)
    return 0;
  *sample = (float)((int32_t)(number(bytes, 2) ^ 0x8000) - 0x8000) / 32768;
  return 1;
}

/* Makes the next of 3 seconds of samples: a voice of 120 Hz, which three resonators give four vowels. */
static int make_sample(float *sample) {
  static const double vowels[4][3] = {{700, 1220, 2600}, {300, 2300, 3000}, {400, 800, 2600}, {500, 1800, 2500}};
  static const double widths[3] = {80, 100, 150}, gains[3] = {1, 0.5, 0.25}, pi = 3.14159265358979;
  static double phase, last[3], before[3];
  static uint32_t seed = 1, at;
  if (at == 3 * rate)
    return 0;
  seed = seed * 1664525u + 1013904223u;
  double noise = (double)(seed >> 8) / (1 << 23) - 1, sound = 0, second = (double)at++ / rate - 1;
  if (second >= 0 && second < 1) {
    double syllable = 4 * second;
    phase += (120 + 20 * sin(6 * pi * second)) / rate;
    double source = 0.05 * noise + (phase >= 1 ? 10 : 0);
    phase -= phase >= 1;
    for (int k = 0; k < 3; ++k) {
      double r = exp(-pi * widths[k] / rate), turn = 2 * pi * vowels[(int)syllable][k] / rate;
      double next = source * (1 - r) + 2 * r * cos(turn) * last[k] - r * r * before[k];
      before[k] = last[k];
      last[k] = next;
      sound += gains[k] * next;
    }
    sound *= 0.5 * sin(pi * (syllable - floor(syllable)));
  }
  *sample = (float)(sound + 0.001 * noise);
  return 1;
}

static void *allocate(size_t bytes) {
  char *block = malloc(bytes + RECUR_ALIGNMENT);
  if (!block)
    fail("there is no memory");
  return block + (RECUR_ALIGNMENT - (uintptr_t)block % RECUR_ALIGNMENT);
}

int main(int argc, char **argv) {
  FILE *file = NULL;
  if (argc > 1) {
    file = strcmp(argv[1], "-") == 0 ? stdin : fopen(argv[1], "rb");
    if (!file)
      fail("the file cannot be read");
    read_header(file);
  }
  void *vad = allocate(vad_instance_size()), *workspace = allocate(vad_workspace_bytes);
  recur_error error = {.size = sizeof(error)};
  if (vad_init(vad, NULL, &error))
    fail(error.message);

  /* An output must not overlap an input, so two states take turns. */
  static float samples[context + chunk], states[2][state_size];
  for (int i = 0;; ++i) {
    for (int k = context; k < context + chunk; ++k)
      if (!(file ? read_sample(file, &samples[k]) : make_sample(&samples[k])))
        return 0;
    float speech;
    if (vad_call(vad, samples, states[i % 2], &speech, states[(i + 1) % 2], workspace, &error))
      fail(error.message);
    printf("%.3f %.3f%s\n", (double)i * chunk / rate, (double)speech, speech >= 0.5f ? " speech" : "");
    fflush(stdout);
    memmove(samples, samples + chunk, context * sizeof(float));
  }
}
