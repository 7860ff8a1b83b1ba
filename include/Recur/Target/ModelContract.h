// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelContract.h - what generated code and glue agree on --*- C -*-===//
//
// The generated half of a compiled model and the glue (lib/Target/Glue) meet here and nowhere else. See
// docs/ModelContract.md. C99; the MLIR side mirrors the layout of recur_frame in lib/Conversion/RTToLLVM, and a unit
// test compares the offsets.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_MODELCONTRACT_H
#define RECUR_TARGET_MODELCONTRACT_H

#include "Recur/Target/ABI.h" // recur_tensor, recur_options, recur_error, recur_info, status codes

/// One call of a model, as the generated code sees it. Every field is 8 bytes.
typedef struct recur_frame {
  const recur_tensor *inputs;   /* 0: checked: rank, type, static dims, data not null unless empty */
  recur_tensor *outputs;        /* 1: shape of every entry points to rank writable dims */
  uint8_t *workspace;           /* 2: 64-byte aligned, at least as many bytes as recur_model_sizes said */
  const uint8_t *weights;       /* 3: the packed weights, 64-byte aligned */
  const recur_options *options; /* 4: never null (the glue supplies defaults) */
  uint8_t *state;               /* 5: room for states of the instance (ReadValue/Assign), unused today */
  uint8_t *allocations;         /* 6: head of the list of blocks taken from options->alloc, freed by the glue */
  int64_t fault_site;           /* 7: index into recur_model_faults, set where a call returns non-zero */
  int64_t fault_detail[4];      /* 8..11 */
} recur_frame;

/// Where a status can come from: the code it is reported with and the words, without the numbers: e.g. {
/// RECUR_E_INDEX, "Gather_7 (Gather): index {0} is out of range [-{1}, {1})" }: {k} stands for fault_detail[k].
/// Where code is 0, the fault is one that the frame recorded (recur_frame_alloc): its code is fault_detail[3], and text
/// is what stands before the glue's own words for it, e.g. "'Gather_7': ".
typedef struct recur_fault {
  int64_t code;
  const char *text;
} recur_fault;

/* Defined by the generated code. */

/// Runs the model on a checked frame. Returns 0 or a recur_status; then fault_site (an index into recur_model_faults,
/// or -1) and fault_detail are set.
int32_t recur_model_compute(recur_frame *frame);

/// Output dims (the dims of all outputs, one after the other, -1 where only the computation tells) and the bytes of
/// workspace that recur_model_compute needs for the inputs of the frame. Reads input dims, and the data of those inputs
/// of which the model says so (GlueContract.h), which are not null. Needs no workspace, no outputs and no options.
/// Returns 0 or a status as above.
int32_t recur_model_sizes(recur_frame *frame, int64_t *output_dims, int64_t *workspace_bytes);

extern const recur_info recur_model_info;        /* what NAME_info returns */
extern const recur_fault recur_model_faults[];   /* indexed by fault_site */
extern const uint8_t recur_model_weights[];      /* the packed weights (a 1-byte dummy where there are none) */

/// An attribute of a function of the generated code, for LLVM: its loops have the form that they are to keep. The
/// optimizer cleans up what is around them, and leaves them alone.
#define RECUR_KERNEL_ATTRIBUTE "rt.kernel"

#endif // RECUR_TARGET_MODELCONTRACT_H
