// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GlueContract.h - what the glue offers and needs ----------*- C -*-===//
//
// Beside ModelContract.h: helpers of the glue that generated code may call, and facts that emitModelInfo writes for
// the glue. All of it is internal to the object of one model.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_GLUECONTRACT_H
#define RECUR_TARGET_GLUECONTRACT_H

#include "Recur/Target/ModelContract.h"

/* What frame->options holds, so that generated code needs no cases: max_iterations and max_bytes are INT64_MAX where
   there is no limit, cancel is never null. alloc may be null. */

/// Takes 64-byte aligned memory from the caller's allocator for the time of the call. Returns null if it cannot;
/// then frame->fault_site is -1, fault_detail is set, and the status to return is (int32_t)frame->fault_detail[3].
uint8_t *recur_frame_alloc(recur_frame *frame, int64_t bytes);

/// Gives a block of recur_frame_alloc back before the call ends (a buffer that grew). Optional: what is left is
/// released when the call returns, on every path.
void recur_frame_release(recur_frame *frame, uint8_t *block);

/// A buffer of at least `bytes` bytes that grows as it is asked for more: at least twofold, keeping its first `keep`
/// bytes. `cell` is its address and its capacity, {0, 0} at first. Null as recur_frame_alloc.
uint8_t *recur_frame_reserve(recur_frame *frame, int64_t *cell, int64_t bytes, int64_t keep);

/// The buffer of an output whose dims recur_model_sizes gave as -1, once its size is known: the caller's, if that is
/// large enough, else from the allocator (then data and bytes of the tensor are set). Null as recur_frame_alloc.
/// The generated code sets the shape, and it may do so before.
uint8_t *recur_frame_output(recur_frame *frame, int64_t index, int64_t bytes);

/// Written by emitModelInfo.
typedef struct recur_glue_facts {
  int64_t output_dims;       /* the ranks of all outputs, added up */
  uint64_t cpu_mask;         /* of CPUFeatures.def */
  const uint8_t *sizes_read; /* for each input: recur_model_sizes reads its data */
  int64_t reserves;          /* 0 unless a buffer inside has a size that only the computation tells: then 1 + the fault
                                of code 0 that names its layer, or -1 where none does */
} recur_glue_facts;

extern const recur_glue_facts recur_model_facts;

#endif /* RECUR_TARGET_GLUECONTRACT_H */
