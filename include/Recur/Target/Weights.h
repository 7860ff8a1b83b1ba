// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Weights.h - weights outside of a model's object ----------*- C -*-===//
//
// For models whose objects have no weights (`ir-compile --weights-mode=file` and `caller`). The header of such a model
// contains the text of this file. The caller reads the weights, checks them here once, and gives them to NAME_init.
// C99 without a C library.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_WEIGHTS_V1
#define RECUR_WEIGHTS_V1 1

#ifndef RECUR_ABI_V1
#include "Recur/Target/ABI.h"
#endif

#if defined(__GNUC__)
#define RECUR_WEIGHTS_INLINE __attribute__((unused)) static inline
#else
#define RECUR_WEIGHTS_INLINE static inline
#endif

/// The first bytes of weights. The packed weights follow.
typedef struct recur_weights_header {
  uint64_t layout; /* recur_info.weights_layout of the objects that the weights are for */
  uint64_t hash;   /* recur_hash_weights of the packed weights */
  uint64_t reserved[6];
} recur_weights_header;

/// recur_info.weights_layout. The object of an older compiler does not have it, and its header, which may come before
/// this one, does not declare it.
RECUR_WEIGHTS_INLINE uint64_t recur_get_weights_layout(const recur_info *info) {
  return info->size < 136 ? 0 : *(const uint64_t *)(const void *)((const char *)info + 128);
}

/* Parts of recur_hash_weights. */

RECUR_WEIGHTS_INLINE uint64_t recur_hash_word(const uint8_t *at) {
  return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24;
}

RECUR_WEIGHTS_INLINE uint64_t recur_hash_read(const uint8_t *at) {
  return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
         (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
}

/// The bitwise difference of the halves of a product of 128 bits.
RECUR_WEIGHTS_INLINE uint64_t recur_hash_multiply(uint64_t a, uint64_t b) {
  uint64_t aLow = a & 0xffffffff, aHigh = a >> 32, bLow = b & 0xffffffff, bHigh = b >> 32;
  uint64_t low = aLow * bLow, middle = aHigh * bLow + (low >> 32), other = aLow * bHigh + (middle & 0xffffffff);
  uint64_t high = aHigh * bHigh + (middle >> 32) + (other >> 32);
  return high ^ ((other << 32) | (low & 0xffffffff));
}

RECUR_WEIGHTS_INLINE uint64_t recur_hash_mix(const uint8_t *at, const uint8_t *secret) {
  return recur_hash_multiply(recur_hash_read(at) ^ recur_hash_read(secret),
                             recur_hash_read(at + 8) ^ recur_hash_read(secret + 8));
}

RECUR_WEIGHTS_INLINE uint64_t recur_hash_finish(uint64_t hash, int shift, uint64_t factor, int last) {
  hash ^= hash >> shift;
  hash *= factor;
  return hash ^ (hash >> last);
}

/// Adds one stripe of 64 bytes.
RECUR_WEIGHTS_INLINE void recur_hash_add(uint64_t *sums, const uint8_t *at, const uint8_t *secret) {
  for (int i = 0; i < 8; ++i) {
    uint64_t value = recur_hash_read(at + 8 * i), key = value ^ recur_hash_read(secret + 8 * i);
    sums[i ^ 1] += value;
    sums[i] += (key & 0xffffffff) * (key >> 32);
  }
}

/// The hash of weights: XXH3 with 64 bits and no seed, as in `xxhsum -H3`. It finds files that were mixed up or
/// damaged, and does not protect from weights that someone made on purpose.
RECUR_WEIGHTS_INLINE uint64_t recur_hash_weights(const void *weights, size_t bytes) {
  static const uint8_t secret[192] = {
      0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c, 0xde, 0xd4,
      0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e,
      0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21, 0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43,
      0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb,
      0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3, 0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19,
      0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8, 0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7,
      0xc7, 0x0b, 0x4f, 0x1d, 0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78,
      0x73, 0x64, 0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
      0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e, 0x2b, 0x16,
      0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce, 0x45, 0xcb, 0x3a, 0x8f,
      0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e};
  static const uint64_t primes[5] = {0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9, 0x85ebca77c2b2ae63,
                                     0x27d4eb2f165667c5};
  static const uint64_t factor = 0x165667919e3779f9;
  const uint8_t *at = (const uint8_t *)weights, *end = bytes ? at + bytes : at;
  uint64_t hash = bytes * primes[0];
  if (bytes <= 3) {
    uint64_t key = bytes ? recur_hash_word(secret) ^ recur_hash_word(secret + 4)
                         : recur_hash_read(secret + 56) ^ recur_hash_read(secret + 64);
    uint64_t value = bytes ? (uint64_t)at[0] << 16 | (uint64_t)at[bytes / 2] << 24 | end[-1] | (uint64_t)bytes << 8 : 0;
    hash = recur_hash_finish(value ^ key, 33, primes[1], 29) * primes[2];
    return hash ^ (hash >> 32);
  }
  if (bytes <= 8) {
    uint64_t key = recur_hash_read(secret + 8) ^ recur_hash_read(secret + 16);
    hash = (recur_hash_word(end - 4) + (recur_hash_word(at) << 32)) ^ key;
    hash ^= ((hash << 49) | (hash >> 15)) ^ ((hash << 24) | (hash >> 40));
    hash *= 0x9fb21c651e98df25;
    hash ^= (hash >> 35) + bytes;
    hash *= 0x9fb21c651e98df25;
    return hash ^ (hash >> 28);
  }
  if (bytes <= 16) {
    uint64_t low = recur_hash_read(at) ^ recur_hash_read(secret + 24) ^ recur_hash_read(secret + 32);
    uint64_t high = recur_hash_read(end - 8) ^ recur_hash_read(secret + 40) ^ recur_hash_read(secret + 48);
    hash = bytes + high + recur_hash_multiply(low, high);
    for (int i = 0; i < 8; ++i)
      hash += (low >> (8 * i) & 0xff) << (56 - 8 * i);
    return recur_hash_finish(hash, 37, factor, 32);
  }
  if (bytes <= 128) {
    for (size_t i = (bytes - 1) / 32 + 1; i-- > 0;)
      hash += recur_hash_mix(at + 16 * i, secret + 32 * i) + recur_hash_mix(end - 16 * i - 16, secret + 32 * i + 16);
    return recur_hash_finish(hash, 37, factor, 32);
  }
  if (bytes <= 240) {
    for (size_t i = 0; i < 8; ++i)
      hash += recur_hash_mix(at + 16 * i, secret + 16 * i);
    hash = recur_hash_finish(hash, 37, factor, 32);
    for (size_t i = 8; i < bytes / 16; ++i)
      hash += recur_hash_mix(at + 16 * i, secret + 16 * (i - 8) + 3);
    hash += recur_hash_mix(end - 16, secret + 119);
    return recur_hash_finish(hash, 37, factor, 32);
  }
  uint64_t sums[8] = {0xc2b2ae3d, primes[0], primes[1], primes[2], primes[3], 0x85ebca77, primes[4], 0x9e3779b1};
  /* The last stripe overlaps the one in front of it if the number of bytes is no multiple of 64. */
  for (size_t stripe = 0, count = (bytes - 1) / 64; stripe < count; ++stripe) {
    recur_hash_add(sums, at + 64 * stripe, secret + 8 * (stripe % 16));
    for (int i = 0; i < 8 && stripe % 16 == 15; ++i)
      sums[i] = (sums[i] ^ (sums[i] >> 47) ^ recur_hash_read(secret + 128 + 8 * i)) * 0x9e3779b1;
  }
  recur_hash_add(sums, end - 64, secret + 121);
  for (int i = 0; i < 4; ++i)
    hash += recur_hash_multiply(sums[2 * i] ^ recur_hash_read(secret + 11 + 16 * i),
                                sums[2 * i + 1] ^ recur_hash_read(secret + 19 + 16 * i));
  return recur_hash_finish(hash, 37, factor, 32);
}

/// Fills `error` as a function of a model does, and returns `code`. `path` is put behind the text.
RECUR_WEIGHTS_INLINE int32_t recur_set_weights_error(recur_error *error, int32_t code, const char *text,
                                                     const char *path, uint64_t expected, uint64_t got) {
  if (!error || error->size < offsetof(recur_error, message))
    return code;
  error->code = code;
  error->where = RECUR_IN_CALL;
  error->tensor = error->axis = -1;
  error->reserved = 0;
  error->detail[0] = (int64_t)expected;
  error->detail[1] = (int64_t)got;
  error->detail[2] = error->detail[3] = 0;
  if (error->size < sizeof(recur_error))
    return code;
  size_t length = 0;
  for (; *text && length + 1 < sizeof(error->message); ++text)
    error->message[length++] = *text;
  for (; *path && length + 1 < sizeof(error->message); ++path)
    error->message[length++] = *path;
  error->message[length] = 0;
  return code;
}

/// Checks that these are weights of a model, those that it was compiled with or others of the same layout: their number
/// of bytes, their alignment (RECUR_ALIGNMENT), their layout, and that they are not damaged. It reads all of them,
/// which takes a second for a few gigabytes, so NAME_init does not compare the hash. `info` is what NAME_info returns;
/// error may be null. Returns RECUR_OK, RECUR_E_NULL, or RECUR_E_WEIGHTS, where detail[0] is what is expected and
/// detail[1] what was given.
RECUR_WEIGHTS_INLINE int32_t recur_check_weights(const recur_info *info, const void *weights, size_t bytes,
                                                 recur_error *error) {
  if (bytes != info->weights_bytes)
    return recur_set_weights_error(error, RECUR_E_WEIGHTS, "the weights have another number of bytes than the model's",
                                   "", info->weights_bytes, bytes);
  if (!weights && bytes)
    return recur_set_weights_error(error, RECUR_E_NULL, "weights is null", "", 0, 0);
  if ((uintptr_t)weights % RECUR_ALIGNMENT)
    return recur_set_weights_error(error, RECUR_E_WEIGHTS, "the weights are not aligned to RECUR_ALIGNMENT", "",
                                   RECUR_ALIGNMENT, (uintptr_t)weights % RECUR_ALIGNMENT);
  const recur_weights_header *header = (const recur_weights_header *)weights;
  uint64_t layout = recur_get_weights_layout(info), expected = info->weights_hash;
  if (layout) {
    if (header->layout != layout)
      return recur_set_weights_error(error, RECUR_E_WEIGHTS,
                                     "the weights are not of this model's layout, which its layers, its small "
                                     "constants, and the options of its compilation decide",
                                     "", layout, header->layout);
    for (int i = 0; i < 6; ++i)
      if (header->reserved[i])
        return recur_set_weights_error(error, RECUR_E_WEIGHTS, "the weights have an unknown header", "", 0,
                                       header->reserved[i]);
    expected = header->hash;
    weights = header + 1;
    bytes -= sizeof(*header);
  }
  uint64_t hash = recur_hash_weights(weights, bytes);
  if (hash != expected)
    return recur_set_weights_error(error, RECUR_E_WEIGHTS,
                                   layout ? "the weights are damaged: their hash is not that in their header"
                                          : "the weights have another hash than the model's",
                                   "", expected, hash);
  return recur_set_weights_error(error, RECUR_OK, "", "", 0, 0);
}

#endif /* RECUR_WEIGHTS_V1 */
