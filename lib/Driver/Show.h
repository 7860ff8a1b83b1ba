// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Show.h - tensors as text ---------------------------------*- C -*-===//
//
// One line for a tensor: its element type, its shape, and what its elements are like.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DRIVER_SHOW_H
#define RECUR_DRIVER_SHOW_H

#include "Numbers.h"

#include <inttypes.h>
#include <stdio.h>

/// The bytes of a text of writeShape and writePosition, and of writeElement.
#define SHAPE_BYTES (RECUR_MAX_RANK * 21 + 3)
#define ELEMENT_BYTES 32

/// Writes dims as "[2,?,3]" into `text`; a dim below 0 is open. Dims after RECUR_MAX_RANK are left out.
static void writeShape(char *text, int rank, const int64_t *dims) {
  *text++ = '[';
  for (int axis = 0; axis < rank && axis < RECUR_MAX_RANK; ++axis) {
    if (axis)
      *text++ = ',';
    text += dims[axis] < 0 ? sprintf(text, "?") : sprintf(text, "%" PRId64, dims[axis]);
  }
  strcpy(text, "]");
}

/// Writes the position of an element of a tensor, whose dims are not 0, as "[1,0]" into `text`.
static void writePosition(char *text, int rank, const int64_t *dims, size_t index) {
  int64_t position[RECUR_MAX_RANK];
  for (int axis = rank - 1; axis >= 0; --axis) {
    position[axis] = (int64_t)(index % (size_t)dims[axis]);
    index /= (size_t)dims[axis];
  }
  writeShape(text, rank, position);
}

/// Writes an integer of orderedInteger into `text`.
static void writeInteger(char *text, int32_t type, uint64_t ordered, size_t bytes) {
  if (isSigned(type))
    snprintf(text, ELEMENT_BYTES, "%" PRId64, (int64_t)(ordered - ((uint64_t)1 << (8 * bytes - 1))));
  else
    snprintf(text, ELEMENT_BYTES, "%" PRIu64, ordered);
}

/// Writes an element into `text`, with so many digits that another element has another text.
static void writeElement(char *text, int32_t type, const void *data, size_t index) {
  size_t bytes = npy_element_bytes(type);
  const uint8_t *element = (const uint8_t *)data + index * bytes;
  if (type == RECUR_BOOLEAN)
    strcpy(text, *element ? "true" : "false");
  else if (isFloat(type))
    snprintf(text, ELEMENT_BYTES, "%.*g", type == RECUR_F64 ? 17 : 9, floatElement(type, data, index));
  else
    writeInteger(text, type, orderedInteger(type, element, bytes), bytes);
}

/// Prints the least and the greatest of the finite elements and their mean, and how many are NaN or infinite.
static void printFloats(const recur_tensor *tensor, size_t count) {
  double least = INFINITY, greatest = -INFINITY, sum = 0;
  size_t nans = 0, infinities = 0;
  for (size_t i = 0; i < count; ++i) {
    double value = floatElement(tensor->element_type, tensor->data, i);
    if (isnan(value)) {
      ++nans;
    } else if (isinf(value)) {
      ++infinities;
    } else {
      least = fmin(least, value);
      greatest = fmax(greatest, value);
      sum += value;
    }
  }
  size_t finite = count - nans - infinities;
  if (finite)
    printf(", least %.6g, greatest %.6g, mean %.6g", least, greatest, sum / (double)finite);
  if (nans)
    printf(", %zu NaN", nans);
  if (infinities)
    printf(", %zu infinite", infinities);
}

/// Prints the least and the greatest element and the mean of all.
static void printIntegers(const recur_tensor *tensor, size_t count) {
  size_t bytes = npy_element_bytes(tensor->element_type);
  uint64_t least = UINT64_MAX, greatest = 0;
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t value = orderedInteger(tensor->element_type, (const uint8_t *)tensor->data + i * bytes, bytes);
    least = value < least ? value : least;
    greatest = value > greatest ? value : greatest;
    // The subtraction is one of integers: beside 2^63, a double has no room for a small element.
    sum += isSigned(tensor->element_type) ? (double)(int64_t)(value - ((uint64_t)1 << (8 * bytes - 1))) : (double)value;
  }
  char texts[2][ELEMENT_BYTES];
  writeInteger(texts[0], tensor->element_type, least, bytes);
  writeInteger(texts[1], tensor->element_type, greatest, bytes);
  printf(", least %s, greatest %s, mean %.6g", texts[0], texts[1], sum / (double)count);
}

/// Prints a line about a tensor, e.g. "output 0 'y': f32 [2,3], least -1, greatest 1, mean 0.25".
static void showTensor(const char *kind, int index, const char *name, const recur_tensor *tensor) {
  size_t count = tensor->bytes / npy_element_bytes(tensor->element_type), trues = 0;
  char shape[SHAPE_BYTES];
  writeShape(shape, tensor->rank, tensor->shape);
  printf("%s %d '%s': %s %s", kind, index, name, npy_element_name(tensor->element_type), shape);
  if (count == 0) {
    printf(", no elements");
  } else if (tensor->element_type == RECUR_BOOLEAN) {
    for (size_t i = 0; i < count; ++i)
      trues += ((const uint8_t *)tensor->data)[i] != 0;
    printf(", %zu of %zu true", trues, count);
  } else if (isFloat(tensor->element_type)) {
    printFloats(tensor, count);
  } else {
    printIntegers(tensor, count);
  }
  putchar('\n');
}

#endif /* RECUR_DRIVER_SHOW_H */
