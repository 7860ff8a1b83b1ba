// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Instance.h - the head of an instance ---------------------*- C -*-===//
//
// Part of ABIShim.c and of Profile.c.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_ABISHIM_INSTANCE_H
#define RECUR_ABISHIM_INSTANCE_H

/// The layout of an instance, which is memory of the caller. `model` detects an instance that was initialized by
/// another model.
typedef struct recur_instance {
  uint64_t magic;
  const recur_info *model;
  const uint8_t *weights;
  recur_config config;
  int64_t level; /* an index into recur_info.levels */
} recur_instance;

#endif /* RECUR_ABISHIM_INSTANCE_H */
