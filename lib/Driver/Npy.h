// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Npy.h - reading and writing .npy files -------------------*- C -*-===//
//
// NumPy's file format for one array, for the element types of the ABI. C99 and libc. The file is compiled into the
// tools, and also, with the generated header of a model in front, into the programs of ir-run --aot.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DRIVER_NPY_H
#define RECUR_DRIVER_NPY_H

#ifndef RECUR_ABI_V1
#include "Recur/Target/ABI.h"
#endif
#ifdef RECUR_DRIVER_EMBEDDED
#include "Limits.h"
#else
#include "Recur/Target/Limits.h"
#endif

#define NPY_MESSAGE_BYTES 256

#ifdef __cplusplus
extern "C" {
#endif

/// The header of a file.
typedef struct npy_array {
  int32_t element_type; /* recur_element_type; never bf16, which is stored as u16 */
  int32_t rank;
  int64_t shape[RECUR_MAX_RANK];
  size_t bytes;      /* of the data */
  size_t offset;     /* of the data in the file */
  int fortran_order; /* 1 if the file has Fortran order; npy_read returns data in C order in any case */
} npy_array;

/// Parses the header at the beginning of a file. `file` has the first `size` bytes of the file, which must include the
/// whole header. fileBytes is the size of the whole file; the data must fill the rest of it exactly. Returns 0, or -1
/// and a message of at most NPY_MESSAGE_BYTES bytes.
int npy_parse(const uint8_t *file, size_t size, uint64_t fileBytes, npy_array *array, char *message);

/// Reads a file into memory. *data is aligned to 64 bytes; free(*block) frees it. Returns 0, or -1 and a message.
int npy_read(const char *path, npy_array *array, void **data, void **block, char *message);

/// Writes a file completely or not at all; bf16 is written as u16. Returns 0, or -1 and a message.
int npy_write(const char *path, int32_t elementType, int32_t rank, const int64_t *shape, const void *data,
              char *message);

/// The size of an element in bytes; 1 for an unknown type.
size_t npy_element_bytes(int32_t elementType);
/// The name of an element type, such as "f32"; "unknown" for an unknown type.
const char *npy_element_name(int32_t elementType);

/// Allocates 64-byte aligned memory; the result is not null even for 0 bytes. free(*block) frees it. Null on failure.
void *npy_allocate(size_t bytes, void **block);

#ifdef __cplusplus
}
#endif

#endif /* RECUR_DRIVER_NPY_H */
