// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ProfileContract.h - how a model measures its layers ------*- C -*-===//
//
// The parts of ModelContract.h and ShimContract.h that only models with a profile have (`ir-compile --profile`). The
// counters are the last bytes of an instance. lib/Target/ABIShim/Profile.c finds them and reads them, and lowerProfile
// makes the code that adds to them.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_PROFILECONTRACT_H
#define RECUR_TARGET_PROFILECONTRACT_H

#include "Recur/Target/ModelContract.h"

/// The function that the generated code calls at the ends of layers (rt-profile-layers), before lowerProfile replaces
/// the calls. Its arguments are the row and what is added to the calls of it.
#define RECUR_PROFILE_MARK "rt_profile_mark"

/// The counters of a row.
typedef struct recur_profile_counter {
  uint64_t calls;
  uint64_t ticks;
} recur_profile_counter;

/// What is known about a row. emitModelInfo writes it.
typedef struct recur_profile_label {
  const char *layers;
  int64_t loop;
} recur_profile_label;

extern const int64_t recur_profile_size;                 /* the number of rows */
extern const recur_profile_label recur_profile_labels[]; /* of the rows, in their order */

/// The counters of the instance that a call uses.
recur_profile_counter *recur_profile_counters(const recur_frame *frame);

#endif // RECUR_TARGET_PROFILECONTRACT_H
