// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Profile.c - the counters of a model that measures its layers -------===//
//
// Freestanding C99, which becomes a part of models with a profile, as ABIShim.c does. The counters lie at the end of
// an instance. The first counter has the time of the last mark in `ticks`. linkABIShim gives the functions
// recur_profile_init and recur_profile_read their public names.
//
//===----------------------------------------------------------------------===//
#include <stdint.h>

#pragma GCC visibility push(hidden)
#include "Recur/Target/Profile.h"
#include "Recur/Target/ProfileContract.h"

#include "Instance.h"

size_t recur_shim_instance_size(void);
int32_t recur_shim_init(void *memory, const recur_config *config, recur_error *error);
#pragma GCC visibility pop

static recur_profile_counter *countersOf(const void *instance) {
  uintptr_t end = (uintptr_t)instance + recur_shim_instance_size();
  return (recur_profile_counter *)(end - (size_t)(recur_profile_size + 1) * sizeof(recur_profile_counter));
}

recur_profile_counter *recur_profile_counters(const recur_frame *frame) {
  return countersOf((const uint8_t *)frame->config - offsetof(recur_instance, config));
}

int32_t recur_profile_init(void *memory, const recur_config *config, recur_error *error) {
  int32_t status = recur_shim_init(memory, config, error);
  if (!status)
    __builtin_memset(countersOf(memory), 0, (size_t)(recur_profile_size + 1) * sizeof(recur_profile_counter));
  return status;
}

int32_t recur_profile_read(const void *instance, recur_profile_row *rows, int32_t capacity) {
  if (!instance)
    return 0;
  const recur_profile_counter *counters = countersOf(instance) + 1;
  for (int32_t i = 0; i < capacity && i < recur_profile_size; ++i) {
    const recur_profile_label *label = &recur_profile_labels[i];
    recur_profile_row row = {label->layers, (int32_t)label->loop, 0, counters[i].calls, counters[i].ticks};
    rows[i] = row;
  }
  return (int32_t)recur_profile_size;
}
