// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EntryPoints.h - the functions of one model as a table ----*- C -*-===//
//
// What the driver is written against, so that it serves a model from the JIT and a linked one. Needs the types of
// ABI.h in front of it (here, or in the header of a model).
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_ENTRYPOINTS_H
#define RECUR_TARGET_ENTRYPOINTS_H

#ifndef RECUR_ABI_V1
#include "Recur/Target/ABI.h"
#endif

typedef struct recur_entry_points {
  const recur_info *(*info)(void);
  size_t (*instance_size)(void);
  int32_t (*init)(void *instance, const recur_config *config, recur_error *error);
  int32_t (*query)(const void *instance, const recur_tensor *inputs, recur_tensor *outputs, size_t *workspace_bytes,
                   recur_error *error);
  int32_t (*run)(void *instance, const recur_tensor *inputs, recur_tensor *outputs, void *workspace,
                 size_t workspace_bytes, const recur_options *options, recur_error *error);
  int32_t (*reset)(void *instance);
} recur_entry_points;

#endif /* RECUR_TARGET_ENTRYPOINTS_H */
