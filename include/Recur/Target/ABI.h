// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ABI.h - the types of a compiled model's C interface ------*- C -*-===//
//
// The types that every model compiled by Recur shares: C99, one guard for all models, so that the headers of two models
// fit one file. The functions, each with the name of the model in front, are declared in the header of the model.
//
// Rules that hold for all of them:
//  - They return RECUR_OK (0) or another recur_status. They never abort, print, take locks, start threads, touch the
//    floating-point environment, or call malloc. Arguments are checked before anything is written.
//  - The caller owns all memory: the instance, the tensors, the workspace, and what recur_options.alloc gave for
//    outputs. What a call writes (data and shapes of outputs, the workspace) overlaps nothing else that it is given.
//  - Calls on different instances may run at the same time. NAME_run does not write to the instance of a model
//    without states; such an instance may be shared by threads, each with a workspace of its own.
//  - Structs that begin with `size` grow at their end; the caller sets `size` to sizeof of the struct it knows and
//    clears the rest. recur_tensor, recur_tensor_info and all numbers here are frozen.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_ABI_V1
#define RECUR_ABI_V1 1

#include <stddef.h>
#include <stdint.h>

/// What a workspace, weights given by the caller, and memory from recur_options.alloc are aligned to. Tensors need
/// the alignment of their element only; an instance that of any C object (what malloc gives).
#define RECUR_ALIGNMENT 64

/// The results of the functions. After every status but RECUR_OK outputs hold unspecified values (NAME_query: are
/// unchanged unless said otherwise); nothing outside of them and the workspace was written.
typedef enum recur_status {
  RECUR_OK = 0,
  RECUR_E_NULL = 1,             /* a pointer that must not be null is */
  RECUR_E_SHAPE = 2,            /* rank or dims of an input differ from the model's, or clash with each other */
  RECUR_E_DTYPE = 3,            /* the element type of a tensor is not the model's */
  RECUR_E_LAYOUT = 4,           /* strides that are not dense, or data not aligned to its element */
  RECUR_E_OVERFLOW = 5,         /* a size or a counter does not fit its type; dims beside a dim of 0 must fit too */
  RECUR_E_WORKSPACE = 6,        /* the workspace is too small or not aligned; detail[0]: bytes needed */
  RECUR_E_NOMEM = 7,            /* recur_options.alloc returned null; detail[0]: bytes wanted */
  RECUR_E_CAPACITY = 8,         /* the buffer of a tensor is too small; detail[0]: bytes needed so far, [1]: given */
  RECUR_E_ITER_LIMIT = 9,       /* a loop reached recur_options.max_iterations */
  RECUR_E_CANCELLED = 10,       /* *recur_options.cancel became non-zero */
  RECUR_E_TRIP = 11,            /* the trip count of a loop is below -1, exceeds its slices, or is without bound */
  RECUR_E_MEM_LIMIT = 12,       /* recur_options.max_bytes would be exceeded */
  RECUR_E_INDEX = 13,           /* an index among the data is out of range */
  RECUR_E_ARITH = 14,           /* integer division by zero or overflow of a division */
  RECUR_E_CPU = 15,             /* the CPU lacks an instruction set that the model was compiled for */
  RECUR_E_VERSION = 16,         /* a struct is too small to be of this ABI, or has flags that the model does not know */
  RECUR_E_WEIGHTS = 17,         /* the weights given do not fit the model */
  RECUR_E_NOT_INITIALIZED = 18, /* NAME_init was not called on this instance */
  RECUR_E_ALLOCATOR_NEEDED = 19, /* only the computation tells the size of an output, or of a buffer inside of the model:
                                   recur_options.alloc is needed; of NAME_query also: the value of an input does,
                                   whose data is null */
  RECUR_E_ALIAS = 20,           /* what is written (an output, its shape, the workspace) overlaps something else */
  RECUR_E_NAN = 21,             /* reserved: a check for NaN, compiled in on demand, found one */
  RECUR_E_INTERNAL = 22         /* a fault of the compiler */
} recur_status;

/// Element types. A boolean is a byte: 0 is false, everything else true; models write 0 and 1.
typedef enum recur_element_type {
  RECUR_BOOLEAN = 1,
  RECUR_I8 = 2,
  RECUR_I16 = 3,
  RECUR_I32 = 4,
  RECUR_I64 = 5,
  RECUR_U8 = 6,
  RECUR_U16 = 7,
  RECUR_U32 = 8,
  RECUR_U64 = 9,
  RECUR_F16 = 10,
  RECUR_BF16 = 11,
  RECUR_F32 = 12,
  RECUR_F64 = 13
} recur_element_type;

/// A tensor in the caller's memory. Inputs are not written, neither the struct nor what it points to.
typedef struct recur_tensor {
  void *data;             /* aligned to the element; may be null if there are no elements. An output with null data is
                             taken from recur_options.alloc, and data and bytes are set */
  int64_t *shape;         /* rank entries, writable for outputs; may be null if rank is 0 */
  const int64_t *strides; /* in elements; null: dense, row-major (today the only layout accepted) */
  int32_t rank;
  int32_t element_type;   /* recur_element_type */
  size_t bytes;           /* how many bytes data has */
} recur_tensor;

/// What recur_error.where says.
typedef enum recur_place {
  RECUR_IN_CALL = 0, /* no single tensor */
  RECUR_IN_INPUT = 1,
  RECUR_IN_OUTPUT = 2,
  RECUR_IN_WORKSPACE = 3
} recur_place;

/// Filled, where given, by every call: also by one that succeeds.
typedef struct recur_error {
  uint32_t size;
  int32_t code;        /* recur_status */
  int32_t where;       /* recur_place */
  int32_t tensor;      /* index of the input or output, or -1 */
  int32_t axis;        /* or -1 */
  int32_t reserved;
  int64_t detail[4];   /* the numbers of the message; of argument checks: expected or needed, then got */
  char message[256];   /* one line, ends with a zero byte */
} recur_error;

typedef struct recur_options {
  uint32_t size;
  uint32_t flags;                  /* 0 */
  int64_t max_iterations;          /* of one execution of one loop; 0: no limit */
  int64_t max_bytes;               /* bound of what one call takes from alloc; 0: no limit */
  const volatile int32_t *cancel;  /* null, or read once per iteration: non-zero ends the call */
  void *(*alloc)(void *ctx, size_t bytes, size_t alignment); /* null: none. Returns null if it cannot */
  void (*release)(void *ctx, void *block);                   /* of the same allocator; required with alloc */
  void *ctx;
} recur_options;

/// A piece of work: called once for each index in [0, count), by any threads.
typedef void (*recur_body)(void *arg, int32_t index, int32_t count);

typedef struct recur_config {
  uint32_t size;
  uint32_t flags;         /* 0 */
  const void *weights;    /* null: the weights in the object */
  size_t weights_bytes;
  /* null: one thread. Else chooses a count in [1, want], has body called for each index below it, and returns when
     all have returned. Reserved: no model calls it yet */
  void (*gang)(void *gang_ctx, int32_t want, recur_body body, void *arg);
  void *gang_ctx;
} recur_config;

typedef struct recur_tensor_info {
  const char *name;
  int32_t element_type;
  int32_t rank;
  const int64_t *dims;    /* rank entries, -1 where only a call tells */
} recur_tensor_info;

typedef struct recur_info {
  uint32_t size;
  uint32_t abi;                     /* 1 */
  const char *name;
  int32_t num_inputs;
  int32_t num_outputs;
  const recur_tensor_info *inputs;
  const recur_tensor_info *outputs;
  int64_t workspace_bytes;          /* -1 if it depends on the inputs: ask NAME_query */
  uint64_t weights_bytes;
  uint64_t weights_hash;            /* xxh3, 64 bits, of the packed weights */
  const char *triple;
  const char *cpu;                  /* the least CPU, e.g. "x86-64-v3" */
  const char *cpu_features;         /* what NAME_init looks for, e.g. "avx2,fma" */
  const char *compiler;
} recur_info;

#endif /* RECUR_ABI_V1 */
