// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Profile.h - the times of the layers of a model -----------*- C -*-===//
//
// For models that measure the times of their layers (`ir-compile --profile`). The header of such a model contains the
// text of this file, and declares NAME_profile. C99 without a C library.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_PROFILE_V1
#define RECUR_PROFILE_V1 1

#include <stdint.h>

/// What an instance has measured since NAME_init for a row: layers that the model computes in one go, or a time loop.
typedef struct recur_profile_row {
  const char *layers; /* their names and places, such as "Add_3 (model.xml:7), Relu_4 (model.xml:9)" */
  int32_t loop;       /* the row of the time loop that the row is in, or -1 */
  int32_t reserved;   /* 0 */
  uint64_t calls;     /* how often it was computed; of a time loop, its iterations */
  uint64_t ticks;     /* of the clock of the CPU, without those of other rows: the sum of all rows is the whole time */
} recur_profile_row;

/// The type of NAME_profile: copies at most `capacity` rows, in the order in which a call computes them, and returns
/// the number of all rows. An instance that is null has none.
typedef int32_t (*recur_profile_reader)(const void *instance, recur_profile_row *rows, int32_t capacity);

#endif /* RECUR_PROFILE_V1 */
