// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Npy.h - .npy files of the types that models have ---------*- C -*-===//
//
// C99 and libc; part of the driver, which is compiled into the tools and again, with a generated header in front,
// into the programs of ir-run --aot.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DRIVER_NPY_H
#define RECUR_DRIVER_NPY_H

#ifndef RECUR_ABI_V1
#include "Recur/Target/ABI.h"
#endif

#define NPY_MAX_RANK 32
#define NPY_MESSAGE_BYTES 256

#ifdef __cplusplus
extern "C" {
#endif

typedef struct npy_array {
  int32_t element_type; /* recur_element_type; never bf16, which is stored as u16 */
  int32_t rank;
  int64_t shape[NPY_MAX_RANK];
  size_t bytes;  /* of the data */
  size_t offset; /* of the data in the file */
  int fortran_order; /* of the file; npy_read gives C order */
} npy_array;

/// Reads the header of a file of which size bytes are given (the whole header must be among them); fileBytes is the
/// size of the whole file, which the data must fill exactly. Returns 0, or -1 and a message.
int npy_parse(const uint8_t *file, size_t size, uint64_t fileBytes, npy_array *array, char *message);

/// Reads a file. *data is aligned to 64 bytes, and *block is what to free. Returns 0, or -1 and a message.
int npy_read(const char *path, npy_array *array, void **data, void **block, char *message);

/// Writes a file, whole or not at all. Returns 0, or -1 and a message.
int npy_write(const char *path, int32_t elementType, int32_t rank, const int64_t *shape, const void *data,
              char *message);

size_t npy_element_bytes(int32_t elementType);
const char *npy_element_name(int32_t elementType);

/// 64-byte aligned memory for at least one byte; *block is what to free. Null if there is none.
void *npy_allocate(size_t bytes, void **block);

#ifdef __cplusplus
}
#endif

#endif /* RECUR_DRIVER_NPY_H */
