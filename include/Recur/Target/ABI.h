// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ABI.h - the types of a compiled model's C interface ------*- C -*-===//
//
// The types that all models compiled by Recur share. The language is C99. All models use the same include guard, so
// that one file can include the headers of two models. The header of a model declares its functions; their names begin
// with the name of the model, which is written NAME here (NAME_run).
//
// Rules for all functions:
//  - They return RECUR_OK (0) or another recur_status. They never abort, print, take locks, start threads, touch the
//    floating-point environment, or call malloc. They check all arguments before they write an output or the workspace.
//  - The caller owns all memory: the instance, the tensors, the workspace, and the blocks that recur_options.alloc
//    returned for outputs. Memory that a call writes (data and shapes of outputs, the workspace) must not overlap any
//    other memory that is passed to the call.
//  - Calls on different instances may run at the same time. NAME_run does not write to the instance of a model
//    without states; threads may share such an instance if each uses a workspace of its own.
//  - Structs that begin with `size` may get new members at their end. The caller sets `size` to the sizeof of its
//    struct, and all other members that it does not use to zero. recur_tensor, recur_tensor_info and all numbers here
//    never change.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_ABI_V1
#define RECUR_ABI_V1 1

#include <stddef.h>
#include <stdint.h>

/// The alignment in bytes of a workspace, of weights given by the caller, and of memory from recur_options.alloc. The
/// data of a tensor needs only the alignment of its element type. An instance needs the alignment that malloc gives.
#define RECUR_ALIGNMENT 64

/// The status that a function returns. After every status except RECUR_OK the outputs hold unspecified values (after
/// NAME_query they are unchanged, unless its description says otherwise). A failed call writes nothing except the
/// outputs, the workspace and its recur_error.
typedef enum recur_status {
  RECUR_OK = 0,
  RECUR_E_NULL = 1,       /* a pointer is null that must not be */
  RECUR_E_SHAPE = 2,      /* rank or dims of an input differ from the model's, or clash with each other */
  RECUR_E_DTYPE = 3,      /* the element type of a tensor is not the model's */
  RECUR_E_LAYOUT = 4,     /* strides that are not dense, or data not aligned to its element */
  RECUR_E_OVERFLOW = 5,   /* a size or counter overflows its type; the non-zero dims of an empty tensor must fit too */
  RECUR_E_WORKSPACE = 6,  /* the workspace is too small or not aligned; detail[0]: bytes needed */
  RECUR_E_NOMEM = 7,      /* recur_options.alloc returned null; detail[0]: bytes wanted */
  RECUR_E_CAPACITY = 8,   /* the buffer of a tensor is too small; detail[0]: bytes needed so far, [1]: bytes given */
  RECUR_E_ITER_LIMIT = 9, /* a loop reached recur_options.max_iterations */
  RECUR_E_CANCELLED = 10, /* *recur_options.cancel became non-zero */
  RECUR_E_TRIP = 11,      /* a loop has a trip count below -1, more iterations than slices, or no bound at all */
  RECUR_E_MEM_LIMIT = 12, /* recur_options.max_bytes would be exceeded */
  RECUR_E_INDEX = 13,     /* an index in the data of a tensor is out of range */
  RECUR_E_ARITH = 14,     /* integer division by zero or overflow of a division */
  RECUR_E_CPU = 15,       /* the CPU lacks an instruction set that the model was compiled for */
  RECUR_E_VERSION = 16,   /* a struct is too small to be of this ABI, or has flags that the model does not know */
  RECUR_E_WEIGHTS = 17,   /* the weights given do not fit the model, or cannot be read, or none are given to a model
                             whose object has none */
  RECUR_E_NOT_INITIALIZED = 18,  /* NAME_init was not called on this instance */
  RECUR_E_ALLOCATOR_NEEDED = 19, /* the size of an output, or of a buffer inside the model, is known only during the
                                   computation: recur_options.alloc is needed. NAME_query also returns this status if a
                                   size depends on the value of an input whose data is null */
  RECUR_E_ALIAS = 20, /* memory to be written (an output, its shape, the workspace) overlaps other memory of the call */
  RECUR_E_NAN = 21,   /* an input or the result of a layer has a NaN, in a model that was compiled to check this;
                         detail[0]: the iteration of the innermost loop around the layer, if there is one */
  RECUR_E_INTERNAL = 22 /* a fault of the compiler */
} recur_status;

/// Element types. A boolean is a byte: 0 is false, every other value is true. Models write 0 and 1.
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

/// A tensor in the caller's memory. A model does not write inputs: neither the struct nor the memory it points to.
typedef struct recur_tensor {
  void *data;             /* aligned to the element; may be null if there are no elements. If the data of an output is
                             null, NAME_run takes a buffer from recur_options.alloc and sets data and bytes */
  int64_t *shape;         /* rank entries, writable for outputs; may be null if rank is 0 */
  const int64_t *strides; /* in elements; null: dense, row-major (the only layout that is accepted today) */
  int32_t rank;
  int32_t element_type; /* recur_element_type */
  size_t bytes;         /* size of the memory at data, in bytes */
} recur_tensor;

/// The argument that an error is about (recur_error.where).
typedef enum recur_place {
  RECUR_IN_CALL = 0, /* no single tensor */
  RECUR_IN_INPUT = 1,
  RECUR_IN_OUTPUT = 2,
  RECUR_IN_WORKSPACE = 3,
  RECUR_IN_STATE = 4
} recur_place;

/// Details of a status. Each call that is given a recur_error fills it, also if the call succeeds.
typedef struct recur_error {
  uint32_t size;
  int32_t code;   /* recur_status */
  int32_t where;  /* recur_place */
  int32_t tensor; /* index of the input, output or state, or -1 */
  int32_t axis;   /* axis of that tensor, or -1 */
  int32_t reserved;
  int64_t detail[4]; /* the numbers in the message; argument checks: first what is expected or needed, then what was
                        given */
  char message[256]; /* one line, ends with a zero byte */
} recur_error;

/// Options of one call of NAME_run.
typedef struct recur_options {
  uint32_t size;
  uint32_t flags;                 /* 0 */
  int64_t max_iterations;         /* limit for each execution of each loop; 0: no limit */
  int64_t max_bytes;              /* limit for the bytes that one call takes from alloc; 0: no limit */
  const volatile int32_t *cancel; /* null, or read once per iteration of a loop: ends the call if it stays non-zero */
  void *(*alloc)(void *ctx, size_t bytes, size_t alignment); /* null: no allocator. Returns null on failure */
  void (*release)(void *ctx, void *block);                   /* frees a block of alloc; required with alloc */
  void *ctx;
} recur_options;

/// A piece of parallel work. It is called once for each index in [0, count), on any thread. Calls with different
/// indices may wait for each other, so they must run at the same time.
typedef void (*recur_body)(void *arg, int32_t index, int32_t count);

/// Flags of recur_config. The first eight bits are reserved for flags that every model must know.
enum {
  RECUR_USE_TILES = 256 /* the model may use tile registers (AMX), because recur_request_tiles() returned this flag */
};

/// Configuration of an instance, for NAME_init.
typedef struct recur_config {
  uint32_t size;
  uint32_t flags;      /* RECUR_USE_TILES or 0. Outputs of models with products in bf16 depend on it, in their last
                          digits */
  const void *weights; /* null: the weights in the object file. An object without them needs weights here */
  size_t weights_bytes;
  /* null: one thread. Otherwise NAME_run calls it for work that is worth several threads. It chooses a count in
     [1, want], has body called once for each index below count, all of them at the same time and with the caller's
     floating-point environment, and returns after these calls have returned. Outputs do not depend on the count. Calls
     of NAME_run that run at the same time call it at the same time; it may choose 1 whenever it likes. A model calls it
     only for work of several microseconds, but often: a callback that wakes sleeping threads each time costs more than
     it gains */
  void (*gang)(void *gang_ctx, int32_t want, recur_body body, void *arg);
  void *gang_ctx;
} recur_config;

/// The static description of an input, output or state.
typedef struct recur_tensor_info {
  const char *name;
  int32_t element_type;
  int32_t rank;
  const int64_t *dims; /* rank entries, -1 for a dynamic dim */
} recur_tensor_info;

/// The static description of a model, from NAME_info.
typedef struct recur_info {
  uint32_t size;
  uint32_t abi; /* 1 */
  const char *name;
  int32_t num_inputs;
  int32_t num_outputs;
  const recur_tensor_info *inputs;
  const recur_tensor_info *outputs;
  int64_t workspace_bytes; /* -1 if it depends on the inputs: ask NAME_query */
  uint64_t weights_bytes;  /* with the header of weights that the caller gives (Weights.h) */
  uint64_t weights_hash;   /* xxh3, 64 bits, of these bytes as the model was compiled */
  const char *triple;
  const char *cpu;          /* the oldest CPU that the model runs on, e.g. "x86-64-v2": the first of levels */
  const char *cpu_features; /* the features without which NAME_init fails, e.g. "sse4.2,popcnt" */
  const char *compiler;
  int32_t num_states;
  int32_t reserved;
  const recur_tensor_info *states; /* null if there are none */
  int32_t num_levels;              /* at least 1 */
  int32_t reserved2;
  const char *const *levels; /* the CPUs for each of which the object has code, from the oldest to the newest, e.g.
                                "x86-64-v2" and "x86-64-v3". An object of another compiler than that of the header may
                                have a smaller `size`, which ends before num_levels or weights_layout */
  uint64_t weights_layout;   /* a hash of all that the object expects of weights that the caller gives. 0: they have no
                                header, or the object has its own weights */
} recur_info;

/// Asks the kernel of the operating system to let this process use tile registers. Returns the flag for recur_config,
/// or 0 if there are none. It is the only function here that makes a system call. Call it once, before models run.
#if defined(__GNUC__)
__attribute__((unused))
#endif
static inline uint32_t recur_request_tiles(void) {
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__)
  long result = 158; /* arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) */
  __asm__ volatile("syscall" : "+a"(result) : "D"(0x1023L), "S"(18L) : "rcx", "r11", "memory");
  return result == 0 ? RECUR_USE_TILES : 0;
#else
  return 0;
#endif
}

#endif /* RECUR_ABI_V1 */
