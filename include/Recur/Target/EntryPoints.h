// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EntryPoints.h - the functions of one model as a table ----*- C -*-===//
//
// For code that calls any model: the driver, which runs models of the JIT and linked ones, and recur.hpp. The header of
// a model contains the text of this file behind that of ABI.h, and its NAME_entry_points fills the table. Elsewhere
// this file includes ABI.h.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_ENTRYPOINTS_H
#define RECUR_TARGET_ENTRYPOINTS_H

#ifndef RECUR_ABI_V1
#include "Recur/Target/ABI.h"
#endif

/// The functions of one model. Each member is NAME_<member> of the generated header, which has the contract.
typedef struct recur_entry_points {
  const recur_info *(*info)(void);
  size_t (*instance_size)(void);
  int32_t (*init)(void *instance, const recur_config *config, recur_error *error);
  int32_t (*query)(const void *instance, const recur_tensor *inputs, recur_tensor *outputs, size_t *workspace_bytes,
                   recur_error *error);
  int32_t (*run)(void *instance, const recur_tensor *inputs, recur_tensor *outputs, void *workspace,
                 size_t workspace_bytes, const recur_options *options, recur_error *error);
  int32_t (*reset)(void *instance);
  /* Null if the model has no states. */
  int32_t (*get_state)(const void *instance, int32_t index, recur_tensor *value, recur_error *error);
  int32_t (*set_state)(void *instance, int32_t index, const recur_tensor *value, recur_error *error);
  int32_t (*state_memory)(void *instance, int32_t index, void *memory, size_t bytes, recur_error *error);
} recur_entry_points;

#endif /* RECUR_TARGET_ENTRYPOINTS_H */
