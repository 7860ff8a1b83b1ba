// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelContract.h - what generated code and ABI shim agree on --*- C -*-===//
//
// The interface between the generated code of a model and the ABI shim (lib/Target/ABIShim); see docs/ModelContract.md.
// C99. lib/Conversion/RTToLLVM takes the offsets of the fields of recur_frame from this header.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_MODELCONTRACT_H
#define RECUR_TARGET_MODELCONTRACT_H

#include "Recur/Target/ABI.h" // recur_tensor, recur_options, recur_error, recur_info, status codes

/// One call of a model, as the generated code sees it. Every field is 8 bytes.
typedef struct recur_frame {
  const recur_tensor *inputs;   /* 0: checked: rank, type, static dims, data not null unless empty */
  recur_tensor *outputs;        /* 1: the shape of each entry points to `rank` writable dims */
  uint8_t *workspace;           /* 2: 64-byte aligned, at least as many bytes as recur_model_sizes returned */
  const uint8_t *weights;       /* 3: the packed weights, 64-byte aligned */
  const recur_options *options; /* 4: never null (the ABI shim supplies defaults) */
  const recur_config *config;   /* 5: of the instance, for recur_frame_gang; null in recur_model_sizes */
  uint8_t *allocations;         /* 6: head of the list of blocks from options->alloc, which the ABI shim releases */
  int64_t fault_site;           /* 7: index into recur_model_faults, set if a call returns non-zero */
  int64_t fault_detail[4];      /* 8..11: the numbers of the fault's message */
  int64_t held;                 /* 12: bytes taken from options->alloc and not given back: outputs and allocations */
  int64_t level;                /* 13: the level that NAME_init chose, an index into recur_info.levels */
} recur_frame;

/// One place in the model that can fail: the status it reports, and its message, in which {k} stands for
/// fault_detail[k]. For example { RECUR_E_INDEX, "Gather_7 (Gather): index {0} is out of range [-{1}, {1})" }.
/// If code is 0, the fault is one that a function of the ABI shim recorded in the frame (such as recur_frame_alloc).
/// Then the status is fault_detail[3], and text is a prefix of the ABI shim's own message, for example "'Gather_7': ".
typedef struct recur_fault {
  int64_t code;
  const char *text;
} recur_fault;

/* Defined by the generated code. If an object has several levels, each level has functions of its own, and these two
   call those of frame->level. */

/// Runs the model on a checked frame. Returns 0 or a recur_status; then fault_site (an index into recur_model_faults,
/// or -1) and fault_detail are set.
int32_t recur_model_compute(recur_frame *frame);

/// Computes sizes for the inputs of the frame: the dims of all outputs, one output after the other (-1 for a dim that
/// is known only after the computation), and the bytes of workspace that recur_model_compute needs. Reads the dims of
/// inputs, and the data only of the inputs that recur_shim_facts.sizes_read marks (ShimContract.h); these must not be
/// null. The frame needs no workspace, outputs or options. Returns 0 or a status, as recur_model_compute does.
int32_t recur_model_sizes(recur_frame *frame, int64_t *output_dims, int64_t *workspace_bytes);

extern const recur_info recur_model_info;      /* what NAME_info returns */
extern const recur_fault recur_model_faults[]; /* indexed by fault_site */
extern const uint8_t recur_model_weights[];    /* the packed weights (zeros if there are none) */

/// An LLVM attribute of a function of the generated code whose loops are already vectorized and unrolled.
/// optimizeModule runs only clean-up passes on such a function, which keep the form of its loops.
#define RECUR_KERNEL_ATTRIBUTE "rt.kernel"

/// An LLVM attribute of a kernel that models share. Its value is the name of the kernel, which says what its code is.
#define RECUR_SHARED_ATTRIBUTE "rt.shared"

#endif // RECUR_TARGET_MODELCONTRACT_H
