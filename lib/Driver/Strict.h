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

/// The arguments and the results of a strict call. All memory belongs to the driver.
typedef struct strict_call {
  const recur_entry_points *model;
  const recur_tensor *inputs;
  int64_t maxIterations, maxBytes;
  /// Results: each tensor must have room for its shape. The call sets the other members and fills the shape;
  /// free(blocks[i]) frees the data of output i.
  recur_tensor *outputs;
  void **blocks;
  /// Results of the query: its status, which is 0 or RECUR_E_ALLOCATOR_NEEDED, and the bytes of the workspace.
  int32_t queryStatus;
  size_t workspaceBytes;
  /// If the model returned a status that the ABI allows, such as RECUR_E_SHAPE: the name of the function that returned
  /// it, and its error. Otherwise `function` is null.
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
///   - Workspace, outputs and memory of the allocator hold other bytes in each call, and so do true booleans; what
///   comes
///     out is the same.
///
/// Returns 0; or 1, after a breach, which is printed, or a status of the model, which is in `function` and `error`.
int recur_call_strictly(strict_call *call);

#ifdef __cplusplus
}
#endif

#endif /* RECUR_DRIVER_STRICT_H */
