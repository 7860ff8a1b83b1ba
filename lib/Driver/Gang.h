// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Gang.h - threads for a compiled model --------------------*- C -*-===//
//
// An implementation of recur_config.gang for the driver, and an example for callers of a model. C99 and POSIX threads.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DRIVER_GANG_H
#define RECUR_DRIVER_GANG_H

#ifndef RECUR_DRIVER_EMBEDDED
#include "Recur/Target/EntryPoints.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The most threads of a gang.
enum { gangMaxThreads = 256 };

typedef struct gang_threads gang_threads;

/// Starts `threads` - 1 threads, from 1 to gangMaxThreads in all. Returns null if that fails. One call of a model at a
/// time gets them. With `isPatient`, a call of the gang waits for all threads that are wanted, also for those that do
/// not run now. Otherwise it begins without them, which is faster.
gang_threads *gangStart(int threads, int isPatient);

/// Ends the threads. Null is allowed.
void gangStop(gang_threads *gang);

/// The callback of recur_config, whose gang_ctx is a gang_threads. The calling thread takes index 0. An idle thread
/// spins for a short time before it sleeps, because a model often calls again soon.
void gangRun(void *gang_ctx, int32_t want, recur_body body, void *arg);

#ifdef __cplusplus
}
#endif

#endif /* RECUR_DRIVER_GANG_H */
