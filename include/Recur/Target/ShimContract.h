// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ShimContract.h - what the ABI shim offers and needs ----------*- C -*-===//
//
// The complement of ModelContract.h: functions of the ABI shim that generated code may call, and facts about the model
// that emitModelInfo writes for the ABI shim. All of these symbols are internal to the object file of one model.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_SHIMCONTRACT_H
#define RECUR_TARGET_SHIMCONTRACT_H

#include "Recur/Target/ModelContract.h"

/* The ABI shim resolves the defaults in frame->options, so that generated code needs no special cases: max_iterations
   and max_bytes are INT64_MAX if there is no limit, and cancel is never null. alloc may be null. */

/// Takes 64-byte aligned memory from the caller's allocator; it lives at most until the call returns. Returns null on
/// failure; then frame->fault_site is -1, fault_detail is set, and the caller must return the status
/// (int32_t)frame->fault_detail[3].
uint8_t *recur_frame_alloc(recur_frame *frame, int64_t bytes);

/// Releases a block of recur_frame_alloc before the call ends (for example, a buffer that was replaced by a larger
/// one). Null is allowed. This is optional: the ABI shim releases all remaining blocks when the call ends, also after a
/// fault.
void recur_frame_release(recur_frame *frame, uint8_t *block);

/// Returns a buffer of at least `bytes` bytes. The buffer grows if its capacity is smaller: the capacity at least
/// doubles, and the first `keep` bytes are copied. `cell` holds the address and the capacity in bytes; the caller sets
/// it to {0, 0} before the first call. Returns null on failure, like recur_frame_alloc.
uint8_t *recur_frame_reserve(recur_frame *frame, int64_t *cell, int64_t bytes, int64_t keep);

/// Returns the buffer of an output that has a dim of -1 from recur_model_sizes, once its size in bytes is known. If the
/// caller gave a buffer, it is returned; it must be large enough (else RECUR_E_CAPACITY). If the caller's data is null,
/// the buffer comes from the allocator, and data and bytes of the tensor are set. Returns null on failure, like
/// recur_frame_alloc. The generated code sets the shape, before or after this call.
uint8_t *recur_frame_output(recur_frame *frame, int64_t index, int64_t bytes);

/// Has `body` called for the indices below a count that the caller's callback chooses (recur_config.gang), at most
/// `want`, and returns after that. Without a callback, or if `want` is below 2, the count is 1. `want` may be any
/// number.
void recur_frame_gang(const recur_frame *frame, int64_t want, recur_body body, void *arg);

/// Facts about the model that only the ABI shim needs. emitModelInfo writes them.
typedef struct recur_shim_facts {
  int64_t output_dims;       /* the sum of the ranks of all outputs */
  const uint64_t *cpu_masks; /* for each of recur_info.levels, bits of CPUFeatures.def: the features that the code of
                                the level may use */
  const uint8_t *sizes_read; /* for each input: 1 if recur_model_sizes reads its data, else 0 */
  int64_t reserves;          /* 0 if the sizes of all buffers inside the model are known before the computation. Else
                                1 + the index of the first fault with code 0, which names the layer, or -1 if there
                                is no such fault */
  const uint8_t *sets_state; /* for each state: 1 if the model sets it, else 0 */
  int64_t needs_weights;     /* 1 if the object has no weights, so that the caller must give them, else 0 */
  int64_t counter_bytes;     /* the bytes at the end of an instance, for the counters of a profile (Profile.c) */
} recur_shim_facts;

/* The states of a model are the last entries of recur_model_info.inputs and outputs, behind num_inputs and num_outputs,
   and the last tensors of a frame. Inputs have two for each state: its value, and a boolean that says if it was set.
   Outputs have one: its next value. `output_dims` and `sizes_read` count them. */

extern const recur_shim_facts recur_model_facts;

/* A model that has both NAME_run and NAME_step defines the symbols of both headers a second time, with the prefix
   recur_step_, for NAME_step. Only that entry has states, and the weights are those of recur_model_weights. */

int32_t recur_step_compute(recur_frame *frame);
int32_t recur_step_sizes(recur_frame *frame, int64_t *output_dims, int64_t *workspace_bytes);
extern const recur_info recur_step_info;
extern const recur_fault recur_step_faults[];
extern const recur_shim_facts recur_step_facts;

#endif /* RECUR_TARGET_SHIMCONTRACT_H */
