// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Options.h - the options of a run -------------------------*- C -*-===//
//
// Reads the options that Runner.h documents, and reports errors on standard error.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DRIVER_OPTIONS_H
#define RECUR_DRIVER_OPTIONS_H

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct run_options {
  const char *outputDir, *expectDir, *mappedWeights, *readWeights;
  int isRandom, isStrict, isQuiet, isShown, suggestsShapes;
  uint64_t seed;
  double rtol, atol;
  int64_t repeat, threads, maxIterations, maxBytes;
  int numInputs, numStates;
  const char *const *inputs;
  const char **states; /* NAME=FILE */
} run_options;

/// Prints an error, and returns 1.
static int complain(const char *format, ...) {
  va_list list;
  va_start(list, format);
  fputs("error: ", stderr);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
  return 1;
}

static const char *optionValue(const char *argument, const char *name) {
  size_t length = strlen(name);
  return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1 : NULL;
}

static int readInteger(const char *text, int64_t *value) {
  char *end;
  errno = 0;
  *value = strtoll(text, &end, 10);
  return *text && !*end && errno == 0 && *value >= 0 ? 0 : complain("'%s' is not a number", text);
}

static int readFloat(const char *text, double *value) {
  char *end;
  *value = strtod(text, &end);
  return *text && !*end && *value >= 0 ? 0 : complain("'%s' is not a tolerance", text);
}

/// Sets all of *options. Its strings are those of argv; the caller frees options->states. Returns 1 after an error.
static int parseArguments(int argc, const char *const *argv, run_options *options) {
  run_options defaults = {NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 1e-4, 1e-5, 0, 1, 0, 0, 0, 0, NULL, NULL};
  *options = defaults;
  options->states = (const char **)calloc((size_t)argc + 1, sizeof(char *));
  if (!options->states)
    return complain("out of memory");
  for (int i = 0; i < argc; ++i) {
    const char *value;
    int64_t number = 0;
    int failed = 0;
    if (strcmp(argv[i], "--") == 0) {
      options->numInputs = argc - i - 1;
      options->inputs = argv + i + 1;
      break;
    }
    if (strcmp(argv[i], "--strict") == 0) {
      options->isStrict = 1;
    } else if (strcmp(argv[i], "--quiet") == 0) {
      options->isQuiet = 1;
    } else if (strcmp(argv[i], "--show") == 0) {
      options->isShown = 1;
    } else if (strcmp(argv[i], "--suggest-shapes") == 0) {
      options->suggestsShapes = 1;
    } else if ((value = optionValue(argv[i], "--state"))) {
      options->states[options->numStates++] = value;
    } else if ((value = optionValue(argv[i], "--output-dir"))) {
      options->outputDir = value;
    } else if ((value = optionValue(argv[i], "--expect"))) {
      options->expectDir = value;
    } else if ((value = optionValue(argv[i], "--map-weights"))) {
      options->mappedWeights = value;
    } else if ((value = optionValue(argv[i], "--read-weights"))) {
      options->readWeights = value;
    } else if ((value = optionValue(argv[i], "--random-inputs"))) {
      failed = readInteger(value, &number);
      options->seed = (uint64_t)number;
      options->isRandom = 1;
    } else if ((value = optionValue(argv[i], "--rtol"))) {
      failed = readFloat(value, &options->rtol);
    } else if ((value = optionValue(argv[i], "--atol"))) {
      failed = readFloat(value, &options->atol);
    } else if ((value = optionValue(argv[i], "--repeat"))) {
      failed = readInteger(value, &options->repeat);
    } else if ((value = optionValue(argv[i], "--threads"))) {
      failed = readInteger(value, &options->threads);
    } else if ((value = optionValue(argv[i], "--max-iterations"))) {
      failed = readInteger(value, &options->maxIterations);
    } else if ((value = optionValue(argv[i], "--max-bytes"))) {
      failed = readInteger(value, &options->maxBytes);
    } else {
      failed = complain("unknown option '%s'", argv[i]);
    }
    if (failed)
      return 1;
  }
  if (options->isStrict && options->numStates)
    return complain("--state cannot be used with --strict");
  if (options->isStrict && options->repeat)
    return complain("--repeat cannot be used with --strict, which makes calls slower");
  return 0;
}

#endif // RECUR_DRIVER_OPTIONS_H
