// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Npy.c - reading and writing .npy files -----------------------------===//
//
// The reader is strict. It accepts versions 1 to 3, exactly the three keys of the format, little-endian data, and
// exactly the number of data bytes that the shape needs. Fortran order is converted to C order. Files that NumPy can
// read and this reader cannot get an error message that names the unsupported feature.
//
//===----------------------------------------------------------------------===//
#include "Npy.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct npy_type {
  char descr[4];
  char name[8];
  int32_t elementType;
  uint8_t bytes;
} npy_type;

/* The reader takes the first entry with the dtype of the file. NumPy has no dtype for bf16, so bf16 is written as u16,
   and read as u16 because that entry comes first. */
static const npy_type npyTypes[] = {
    {"|b1", "boolean", RECUR_BOOLEAN, 1}, {"|i1", "i8", RECUR_I8, 1},     {"<i2", "i16", RECUR_I16, 2},
    {"<i4", "i32", RECUR_I32, 4},         {"<i8", "i64", RECUR_I64, 8},   {"|u1", "u8", RECUR_U8, 1},
    {"<u2", "u16", RECUR_U16, 2},         {"<u4", "u32", RECUR_U32, 4},   {"<u8", "u64", RECUR_U64, 8},
    {"<f2", "f16", RECUR_F16, 2},         {"<u2", "bf16", RECUR_BF16, 2}, {"<f4", "f32", RECUR_F32, 4},
    {"<f8", "f64", RECUR_F64, 8},
};
enum { npyTypeCount = sizeof(npyTypes) / sizeof(npyTypes[0]) };

static const npy_type *npyType(int32_t elementType) {
  for (int i = 0; i < npyTypeCount; ++i)
    if (npyTypes[i].elementType == elementType)
      return &npyTypes[i];
  return NULL;
}

size_t npy_element_bytes(int32_t elementType) {
  const npy_type *type = npyType(elementType);
  return type ? type->bytes : 1;
}

const char *npy_element_name(int32_t elementType) {
  const npy_type *type = npyType(elementType);
  return type ? type->name : "unknown";
}

void *npy_allocate(size_t bytes, void **block) {
  *block = bytes > SIZE_MAX - 64 ? NULL : malloc(bytes + 64);
  return *block ? (void *)(((uintptr_t)*block + 63) & ~(uintptr_t)63) : NULL;
}

static int npyFail(char *message, const char *text) {
  snprintf(message, NPY_MESSAGE_BYTES, "%s", text);
  return -1;
}

/// The rest of the header's text, which is a Python dict of literals.
typedef struct npy_cursor {
  const char *at, *end;
} npy_cursor;

static void npySkipSpace(npy_cursor *in) {
  while (in->at < in->end && (*in->at == ' ' || *in->at == '\t' || *in->at == '\n' || *in->at == '\r'))
    ++in->at;
}

static int npyAccept(npy_cursor *in, char c) {
  npySkipSpace(in);
  if (in->at == in->end || *in->at != c)
    return 0;
  ++in->at;
  return 1;
}

/// A quoted string without escapes, copied into text.
static int npyString(npy_cursor *in, char *text, size_t size) {
  npySkipSpace(in);
  if (in->at == in->end || (*in->at != '\'' && *in->at != '"'))
    return 0;
  char quote = *in->at++;
  size_t length = 0;
  while (in->at < in->end && *in->at != quote) {
    if (*in->at < ' ' || *in->at > '~' || *in->at == '\\' || length + 1 >= size)
      return 0;
    text[length++] = *in->at++;
  }
  text[length] = 0;
  return npyAccept(in, quote);
}

static int npyWord(npy_cursor *in, const char *word) {
  size_t length = strlen(word);
  npySkipSpace(in);
  if ((size_t)(in->end - in->at) < length || memcmp(in->at, word, length) != 0)
    return 0;
  in->at += length;
  return 1;
}

static int npyShape(npy_cursor *in, npy_array *array, char *message) {
  if (!npyAccept(in, '('))
    return npyFail(message, "its shape is not a tuple");
  int afterComma = 1;
  array->rank = 0;
  while (!npyAccept(in, ')')) {
    int64_t dim = 0;
    npySkipSpace(in);
    if (!afterComma || in->at == in->end || *in->at < '0' || *in->at > '9')
      return npyFail(message, "its shape is not a tuple of sizes");
    while (in->at < in->end && *in->at >= '0' && *in->at <= '9') {
      int digit = *in->at++ - '0';
      if (dim > (INT64_MAX - digit) / 10)
        return npyFail(message, "a size in its shape does not fit 64 bits");
      dim = dim * 10 + digit;
    }
    if (array->rank == RECUR_MAX_RANK)
      return npyFail(message, "it has more than 32 dimensions");
    array->shape[array->rank++] = dim;
    afterComma = npyAccept(in, ',');
  }
  if (array->rank == 1 && !afterComma)
    return npyFail(message, "its shape is not a tuple");
  return 0;
}

static int npyDescr(const char *descr, npy_array *array, char *message) {
  /* A type of one byte has no byte order. NumPy writes that in several ways. */
  int isByte = descr[0] && descr[1] && descr[2] == '1' && !descr[3];
  for (int i = 0; i < npyTypeCount; ++i) {
    const npy_type *type = &npyTypes[i];
    int isNative = type->bytes > 1 && descr[0] == '=';
    if (strcmp(type->descr + 1, descr + (descr[0] ? 1 : 0)) == 0 &&
        (descr[0] == type->descr[0] || (isByte && strchr("<>=|", descr[0])) || isNative)) {
      array->element_type = type->elementType;
      return 0;
    }
  }
  const char *kind = descr[0] == '>' ? "big-endian data" : "data";
  snprintf(message, NPY_MESSAGE_BYTES, "it holds %s of dtype '%.32s', which is not supported", kind, descr);
  return -1;
}

static int npyDict(npy_cursor *in, npy_array *array, char *message) {
  int seen[3] = {0, 0, 0};
  if (!npyAccept(in, '{'))
    return npyFail(message, "its header is not a dictionary");
  while (!npyAccept(in, '}')) {
    char key[32], descr[64];
    if (!npyString(in, key, sizeof(key)) || !npyAccept(in, ':'))
      return npyFail(message, "its header is malformed");
    int index = strcmp(key, "descr") == 0           ? 0
                : strcmp(key, "fortran_order") == 0 ? 1
                : strcmp(key, "shape") == 0         ? 2
                                                    : 3;
    if (index == 3 || seen[index]++)
      return npyFail(message, index == 3 ? "its header has an unknown key" : "its header repeats a key");
    if (index == 0) {
      npySkipSpace(in);
      if (in->at < in->end && *in->at == '[')
        return npyFail(message, "it holds a structured dtype, which is not supported");
      if (!npyString(in, descr, sizeof(descr)))
        return npyFail(message, "its dtype is malformed");
      if (npyDescr(descr, array, message))
        return -1;
    } else if (index == 1) {
      array->fortran_order = npyWord(in, "True");
      if (!array->fortran_order && !npyWord(in, "False"))
        return npyFail(message, "fortran_order is not True or False");
    } else if (npyShape(in, array, message)) {
      return -1;
    }
    if (!npyAccept(in, ',')) {
      if (!npyAccept(in, '}'))
        return npyFail(message, "its header is malformed");
      break;
    }
  }
  npySkipSpace(in);
  if (in->at != in->end)
    return npyFail(message, "text follows the dictionary in its header");
  if (!seen[0] || !seen[1] || !seen[2])
    return npyFail(message, "its header lacks descr, fortran_order or shape");
  return 0;
}

int npy_parse(const uint8_t *file, size_t size, uint64_t fileBytes, npy_array *array, char *message) {
  memset(array, 0, sizeof(*array));
  if (size < 10 || memcmp(file, "\x93NUMPY", 6) != 0)
    return npyFail(message, "it is not a .npy file");
  size_t lengthBytes = file[6] == 1 ? 2 : 4;
  if (file[6] < 1 || file[6] > 3)
    return npyFail(message, "its .npy version is not supported");
  size_t start = 8 + lengthBytes, length = 0;
  if (size < start)
    return npyFail(message, "its header is cut off");
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= (size_t)file[8 + i] << (8 * i);
  if (length > size - start)
    return npyFail(message, "its header is cut off");
  npy_cursor in = {(const char *)file + start, (const char *)file + start + length};
  if (npyDict(&in, array, message))
    return -1;

  /* An array with a dim of 0 is empty, even if the product of the other dims overflows. */
  uint64_t bytes = npy_element_bytes(array->element_type);
  for (int i = 0; i < array->rank; ++i)
    if (array->shape[i] == 0)
      bytes = 0;
  for (int i = 0; i < array->rank && bytes; ++i) {
    if (bytes > (uint64_t)INT64_MAX / (uint64_t)array->shape[i])
      return npyFail(message, "its size does not fit 64 bits");
    bytes *= (uint64_t)array->shape[i];
  }
  array->offset = start + length;
  array->bytes = (size_t)bytes;
  if (fileBytes - array->offset != bytes) {
    snprintf(message, NPY_MESSAGE_BYTES, "its shape needs %" PRIu64 " bytes of data, the file has %" PRIu64, bytes,
             fileBytes - array->offset);
    return -1;
  }
  return 0;
}

/* Copies the elements of a Fortran-ordered array to C order. */
static void npyReorder(const npy_array *array, const uint8_t *from, uint8_t *to) {
  size_t element = npy_element_bytes(array->element_type), count = array->bytes / element, source = 0;
  size_t strides[RECUR_MAX_RANK];
  int64_t index[RECUR_MAX_RANK] = {0};
  for (int d = 0; d < array->rank; ++d)
    strides[d] = d == 0 ? 1 : strides[d - 1] * (size_t)array->shape[d - 1];
  for (size_t i = 0; i < count; ++i) {
    memcpy(to + i * element, from + source * element, element);
    for (int d = array->rank - 1; d >= 0; --d) {
      source += strides[d];
      if (++index[d] < array->shape[d])
        break;
      source -= strides[d] * (size_t)array->shape[d];
      index[d] = 0;
    }
  }
}

int npy_read(const char *path, npy_array *array, void **data, void **block, char *message) {
  int status = -1;
  uint8_t *head = NULL;
  *block = *data = NULL;
  FILE *file = fopen(path, "rb");
  if (!file)
    return npyFail(message, errno == ENOENT ? "no such file" : "cannot open it");
  long size = -1;
  if (fseek(file, 0, SEEK_END) == 0)
    size = ftell(file);
  /* A header has a few hundred bytes, so 64 KiB are enough to read it. fopen may open a directory; its size is then an
     error or LONG_MAX. */
  size_t headBytes = size > 0 && size < 65536 + 12 ? (size_t)size : 65536 + 12;
  if (size < 0 || size == LONG_MAX || fseek(file, 0, SEEK_SET) != 0) {
    npyFail(message, "it is not a regular file");
  } else if (!(head = (uint8_t *)malloc(headBytes))) {
    npyFail(message, "out of memory");
  } else if (fread(head, 1, (size_t)size < headBytes ? (size_t)size : headBytes, file) !=
             ((size_t)size < headBytes ? (size_t)size : headBytes)) {
    npyFail(message, "cannot read it");
  } else if (npy_parse(head, (size_t)size < headBytes ? (size_t)size : headBytes, (uint64_t)size, array, message) ==
             0) {
    *data = npy_allocate(array->bytes, block);
    if (!*data)
      npyFail(message, "out of memory");
    else if (fseek(file, (long)array->offset, SEEK_SET) != 0 || fread(*data, 1, array->bytes, file) != array->bytes)
      npyFail(message, "cannot read it");
    else
      status = 0;
  }
  if (status == 0 && array->fortran_order && array->rank > 1 && array->bytes) {
    void *reordered, *newBlock;
    if (!(reordered = npy_allocate(array->bytes, &newBlock))) {
      status = npyFail(message, "out of memory");
    } else {
      npyReorder(array, (const uint8_t *)*data, (uint8_t *)reordered);
      free(*block);
      *data = reordered;
      *block = newBlock;
    }
  }
  free(head);
  fclose(file);
  return status;
}

int npy_write(const char *path, int32_t elementType, int32_t rank, const int64_t *shape, const void *data,
              char *message) {
  const npy_type *type = npyType(elementType);
  char header[1024], *temporary = (char *)malloc(strlen(path) + 5);
  if (!type || rank > RECUR_MAX_RANK || !temporary) {
    free(temporary);
    return npyFail(message, "out of memory");
  }
  int length = snprintf(header, sizeof(header), "{'descr': '%s', 'fortran_order': False, 'shape': (", type->descr);
  size_t bytes = type->bytes;
  for (int i = 0; i < rank; ++i) {
    length += snprintf(header + length, sizeof(header) - (size_t)length, i ? ", %" PRId64 : "%" PRId64, shape[i]);
    bytes *= (size_t)shape[i];
  }
  length += snprintf(header + length, sizeof(header) - (size_t)length, rank == 1 ? ",), }" : "), }");
  /* The format wants the data to begin at a multiple of 64 bytes. */
  while ((10 + length + 1) % 64)
    header[length++] = ' ';
  header[length++] = '\n';

  sprintf(temporary, "%s.tmp", path);
  uint8_t prefix[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)length, (uint8_t)(length >> 8)};
  FILE *file = fopen(temporary, "wb");
  int good = file && fwrite(prefix, 1, 10, file) == 10 && fwrite(header, 1, (size_t)length, file) == (size_t)length &&
             fwrite(data ? data : "", 1, bytes, file) == bytes;
  good = (file && fclose(file) == 0) && good;
  good = good && rename(temporary, path) == 0;
  if (!good && file)
    remove(temporary);
  free(temporary);
  return good ? 0 : npyFail(message, "cannot write it");
}
