// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Numbers.h - elements of tensors as numbers ---------------*- C -*-===//
//
// Random inputs and the comparison of outputs, for the runner and for ir-bench.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DRIVER_NUMBERS_H
#define RECUR_DRIVER_NUMBERS_H

#include "Npy.h"

#include <math.h>
#include <string.h>

static inline float floatFromBits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

static inline uint32_t bitsFromFloat(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

static inline float floatFromHalf(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = (half >> 10) & 31, fraction = half & 1023;
  if (exponent == 31)
    return floatFromBits(sign | 0x7f800000 | fraction << 13);
  if (exponent)
    return floatFromBits(sign | (exponent + 112) << 23 | fraction << 13);
  float value = (float)fraction * 0x1p-24f;
  return sign ? -value : value;
}

/// Rounds towards zero and flushes small numbers to zero, which is good enough for random inputs.
static inline uint16_t halfFromFloat(float value) {
  uint32_t bits = bitsFromFloat(value);
  int32_t exponent = (int32_t)((bits >> 23) & 255) - 112;
  if (exponent <= 0)
    return (uint16_t)(bits >> 16 & 0x8000);
  return (uint16_t)((bits >> 16 & 0x8000) | (uint32_t)exponent << 10 | (bits >> 13 & 1023));
}

/// Element `index` of data of a float type.
static inline double floatElement(int32_t type, const void *data, size_t index) {
  switch (type) {
  case RECUR_F64:
    return ((const double *)data)[index];
  case RECUR_F32:
    return ((const float *)data)[index];
  case RECUR_F16:
    return floatFromHalf(((const uint16_t *)data)[index]);
  default:
    return floatFromBits((uint32_t)((const uint16_t *)data)[index] << 16);
  }
}

static inline int isFloat(int32_t type) { return type >= RECUR_F16 && type <= RECUR_F64; }

/// SplitMix64: a short generator with the same numbers on every machine.
static inline uint64_t nextRandom(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Fills data with random numbers: floats in [-1, 1), integers 0 or 1. Such an integer is a valid index into every axis
/// of at least two elements, and a small trip count or length.
static inline void fillRandom(int32_t type, void *data, size_t count, uint64_t *state) {
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits = nextRandom(state);
    float value = (float)((int64_t)(bits >> 40) - (1 << 23)) * 0x1p-23f;
    size_t bytes = npy_element_bytes(type);
    switch (type) {
    case RECUR_F64:
      ((double *)data)[i] = (double)((int64_t)(bits >> 11) - ((int64_t)1 << 52)) * 0x1p-52;
      break;
    case RECUR_F32:
      ((float *)data)[i] = value;
      break;
    case RECUR_F16:
      ((uint16_t *)data)[i] = halfFromFloat(value);
      break;
    case RECUR_BF16:
      ((uint16_t *)data)[i] = (uint16_t)(bitsFromFloat(value) >> 16);
      break;
    default:
      memset((char *)data + i * bytes, 0, bytes);
      ((uint8_t *)data)[i * bytes] = (uint8_t)(bits >> 63);
    }
  }
}

static inline int isSigned(int32_t type) { return type >= RECUR_I8 && type <= RECUR_I64; }

/// An integer of `bytes` bytes with its sign bit inverted if the type is signed, so that unsigned numbers order them.
static inline uint64_t orderedInteger(int32_t type, const uint8_t *element, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i)
    value |= (uint64_t)element[i] << (8 * i);
  return isSigned(type) ? value ^ (uint64_t)1 << (8 * bytes - 1) : value;
}

/// How two tensors differ.
typedef struct differences {
  size_t count; /* of elements that differ */
  size_t first; /* the least index of such an element */
  double largest;
} differences;

/// Compares the elements of `got` and `want`. They differ if they are apart by more than atol + rtol * |want|, integers
/// and booleans if they are not equal; NaN equals NaN. `largest` is the largest difference of numbers, differing or
/// not.
static inline differences compareElements(int32_t type, const void *got, const void *want, size_t count, double rtol,
                                          double atol) {
  size_t bytes = npy_element_bytes(type);
  differences result = {0, 0, 0};
  for (size_t i = 0; i < count; ++i) {
    const uint8_t *a = (const uint8_t *)got + i * bytes, *b = (const uint8_t *)want + i * bytes;
    int differs;
    if (type == RECUR_BOOLEAN) {
      differs = !*a != !*b;
    } else if (!isFloat(type)) {
      uint64_t x = orderedInteger(type, a, bytes), y = orderedInteger(type, b, bytes);
      differs = x != y;
      result.largest = fmax(result.largest, (double)(x < y ? y - x : x - y));
    } else {
      double x = floatElement(type, got, i), y = floatElement(type, want, i), difference = fabs(x - y);
      if (x == y || (isnan(x) && isnan(y)))
        continue;
      if (isnan(difference) || isinf(difference) || difference > result.largest)
        result.largest = isnan(difference) ? INFINITY : difference;
      differs = !(difference <= atol + rtol * fabs(y)) || isinf(y);
    }
    if (differs && result.count++ == 0)
      result.first = i;
  }
  return result;
}

#endif /* RECUR_DRIVER_NUMBERS_H */
