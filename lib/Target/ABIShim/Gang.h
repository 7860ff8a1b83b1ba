// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Gang.h - work for several threads ------------------------*- C -*-===//
//
// Part of ABIShim.c, which includes it once.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_ABISHIM_GANG_H
#define RECUR_ABISHIM_GANG_H

#include "Recur/Target/ShimContract.h"

/* The function is not inlined, so that the code of a body is not copied to each call. */
__attribute__((noinline)) void recur_frame_gang(const recur_frame *frame, int64_t want, recur_body body, void *arg) {
  const recur_config *config = frame->config;
  if (want > 1 && config->gang)
    config->gang(config->gang_ctx, want < INT32_MAX ? (int32_t)want : INT32_MAX, body, arg);
  else
    body(arg, 0, 1);
}

#endif /* RECUR_ABISHIM_GANG_H */
