// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Strict.h - the promises of the ABI, held to its words ----*- C -*-===//
#ifndef RECUR_DRIVER_STRICT_H
#define RECUR_DRIVER_STRICT_H

#ifdef RECUR_DRIVER_EMBEDDED
#include "EntryPoints.h"
#else
#include "Recur/Target/EntryPoints.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// A call of a model, in memory of the driver: what goes in, and what came out.
typedef struct strict_call {
  const recur_entry_points *model;
  const recur_tensor *inputs;
  int64_t maxIterations, maxBytes;
  /// Tensors with room for their shapes. They get data, to be freed by `blocks`.
  recur_tensor *outputs;
  void **blocks;
  /// What the query said: 0 or RECUR_E_ALLOCATOR_NEEDED, and bytes.
  int32_t queryStatus;
  size_t workspaceBytes;
  /// A status that the model may answer: the function (else null), and what it said.
  const char *function;
  recur_error error;
} strict_call;

/// Calls the model twice as the strictest caller does, and holds its answers against ABI.h:
///
///   - Each buffer, descriptor and shape is flush with a guard page, at its end in the first call and at its beginning
///     in the second. Inputs and the instance are read-only.
///   - The query without data answers as the one with data does, or with RECUR_E_ALLOCATOR_NEEDED and dims of -1.
///   - The workspace has the bytes that the query said. The caller has no allocator where the query said 0, and then,
///     in the second call, no options. Else the allocator counts, and guards what it gives.
///   - Workspace, outputs and memory of the allocator hold other bytes in each call, and so do true booleans; what comes
///     out is the same.
///
/// Returns 0; or 1, after a breach, which is printed, or a status of the model, which is in `function` and `error`.
int recur_call_strictly(strict_call *call);

#ifdef __cplusplus
}
#endif

#endif /* RECUR_DRIVER_STRICT_H */
