// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Memory.c - memcpy, memmove and memset of a model ----------------------===//
//
// LLVM's code generator calls these three functions by name, in the generated code and in the ABI shim. They become
// local symbols of the object of each model, so that it needs no C library. Freestanding C99 with vectors of GNU C. It
// is compiled for each width of vectors (RECUR_VECTOR_BYTES is 16, 32 or 64), and linkABIShim takes the one of the CPU
// that the model is compiled for. So the ABI shim may call them only after it has checked the CPU.
//
// A short run is a few values at its start and as many at its end, which may overlap: all are loaded before one is
// stored. A longer one is a loop over blocks, aligned in the destination. On x86-64 a long one is a string instruction,
// which moves whole cache lines.
//
//===----------------------------------------------------------------------===//
#include <stddef.h>
#include <stdint.h>

/* Values that may be at any address and may alias any object. */
typedef uint16_t word2 __attribute__((aligned(1), may_alias));
typedef uint32_t word4 __attribute__((aligned(1), may_alias));
typedef uint64_t word8 __attribute__((aligned(1), may_alias));
typedef uint8_t vec16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint8_t vec32 __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint8_t vec __attribute__((vector_size(RECUR_VECTOR_BYTES), aligned(1), may_alias));
typedef uint8_t line __attribute__((vector_size(64), aligned(1), may_alias));

/// Vectors in a row.
typedef struct pair {
  vec part[2];
} pair;
typedef struct block {
  vec part[4];
} block;

/// The least bytes for which a string instruction is at least as fast as a loop (measured on sapphirerapids). It takes
/// about 40 cycles to start.
enum { leastStringBytes = RECUR_VECTOR_BYTES == 64 ? 16384 : RECUR_VECTOR_BYTES == 32 ? 4096 : 2048 };

#define INLINE static inline __attribute__((always_inline))

#define LOAD(type, from) (*(const type *)(from))
#define STORE(type, to, value) (*(type *)(to) = (value))

/* Each vector is loaded and stored by itself, in order: clang would store those of a larger value in another order. */
INLINE pair loadPair(const uint8_t *from) { return (pair){{LOAD(vec, from), LOAD(vec, from + sizeof(vec))}}; }

INLINE void storePair(uint8_t *to, pair value) {
  STORE(vec, to, value.part[0]);
  STORE(vec, to + sizeof(vec), value.part[1]);
}

INLINE block loadBlock(const uint8_t *from) {
  pair low = loadPair(from), high = loadPair(from + sizeof(pair));
  return (block){{low.part[0], low.part[1], high.part[0], high.part[1]}};
}

INLINE void storeBlock(uint8_t *to, block value) {
  storePair(to, (pair){{value.part[0], value.part[1]}});
  storePair(to + sizeof(pair), (pair){{value.part[2], value.part[3]}});
}

/// Copies a run of at least one and at most two values of `type`.
#define COPY_ENDS(type, to, from, bytes)                                                                               \
  do {                                                                                                                 \
    type first = LOAD(type, from), last = LOAD(type, (from) + (bytes) - sizeof(type));                                 \
    STORE(type, to, first);                                                                                            \
    STORE(type, (to) + (bytes) - sizeof(type), last);                                                                  \
  } while (0)

/// Fills a run of at least one and at most two values of `type`.
#define FILL_ENDS(type, to, value, bytes)                                                                              \
  do {                                                                                                                 \
    type filled = (type)(value);                                                                                       \
    STORE(type, to, filled);                                                                                           \
    STORE(type, (to) + (bytes) - sizeof(type), filled);                                                                \
  } while (0)

/// The value of a vector type whose bytes are all `byte`.
#define SPLAT(type, byte) ((byte) - (type){0})

/// The first multiple of `unit`, a power of two, that is not before `at`.
INLINE uint8_t *alignUp(uint8_t *at, size_t unit) { return at + (-(uintptr_t)at & (unit - 1)); }

/// Copies less than a vector.
INLINE void copyShort(uint8_t *to, const uint8_t *from, size_t bytes) {
#if RECUR_VECTOR_BYTES > 32
  if (bytes >= 32) {
    COPY_ENDS(vec32, to, from, bytes);
    return;
  }
#endif
#if RECUR_VECTOR_BYTES > 16
  if (bytes >= 16) {
    COPY_ENDS(vec16, to, from, bytes);
    return;
  }
#endif
  if (bytes >= 8)
    COPY_ENDS(word8, to, from, bytes);
  else if (bytes >= 4)
    COPY_ENDS(word4, to, from, bytes);
  else if (bytes >= 2)
    COPY_ENDS(word2, to, from, bytes);
  else if (bytes)
    *to = *from;
}

/// Copies more than two blocks.
INLINE void copyLong(uint8_t *to, const uint8_t *from, size_t bytes) {
  uint8_t *end = to + bytes;
  ptrdiff_t shift = from - to;
  if ((uintptr_t)to - (uintptr_t)from < bytes) {
    /* A loop from the start would overwrite what it has not read. */
    block first = loadBlock(from);
    vec last = LOAD(vec, from + bytes - sizeof(vec));
    uint8_t *at = end - ((uintptr_t)end & (sizeof(vec) - 1));
    for (; at > to + sizeof(block); at -= sizeof(block))
      storeBlock(at - sizeof(block), loadBlock(at - sizeof(block) + shift));
    STORE(vec, end - sizeof(vec), last);
    storeBlock(to, first);
    return;
  }
#if defined(__x86_64__)
  if (bytes >= leastStringBytes && (uintptr_t)from - (uintptr_t)to >= bytes) {
    line first = LOAD(line, from);
    uint8_t *at = alignUp(to, sizeof(line));
    const uint8_t *read = at + shift;
    size_t count = (size_t)(end - at);
    __asm__ volatile("rep movsb" : "+D"(at), "+S"(read), "+c"(count) : : "memory");
    STORE(line, to, first);
    return;
  }
#endif
  vec first = LOAD(vec, from);
  block last = loadBlock(from + bytes - sizeof(block));
  uint8_t *at = alignUp(to, sizeof(vec));
  for (; at < end - sizeof(block); at += sizeof(block))
    storeBlock(at, loadBlock(at + shift));
  STORE(vec, to, first);
  storeBlock(end - sizeof(block), last);
}

void *memmove(void *destination, const void *source, size_t bytes) {
  uint8_t *to = (uint8_t *)destination;
  const uint8_t *from = (const uint8_t *)source;
  if (bytes < sizeof(vec)) {
    copyShort(to, from, bytes);
  } else if (bytes <= 2 * sizeof(vec)) {
    COPY_ENDS(vec, to, from, bytes);
  } else if (bytes <= 2 * sizeof(pair)) {
    pair first = loadPair(from), last = loadPair(from + bytes - sizeof(pair));
    storePair(to, first);
    storePair(to + bytes - sizeof(pair), last);
  } else if (bytes <= 2 * sizeof(block)) {
    block first = loadBlock(from), last = loadBlock(from + bytes - sizeof(block));
    storeBlock(to, first);
    storeBlock(to + bytes - sizeof(block), last);
  } else {
    copyLong(to, from, bytes);
  }
  return destination;
}

void *memcpy(void *restrict destination, const void *restrict source, size_t bytes) __attribute__((alias("memmove")));

/// Fills less than a vector.
INLINE void fillShort(uint8_t *to, uint8_t byte, size_t bytes) {
#if RECUR_VECTOR_BYTES > 32
  if (bytes >= 32) {
    FILL_ENDS(vec32, to, SPLAT(vec32, byte), bytes);
    return;
  }
#endif
#if RECUR_VECTOR_BYTES > 16
  if (bytes >= 16) {
    FILL_ENDS(vec16, to, SPLAT(vec16, byte), bytes);
    return;
  }
#endif
  uint64_t word = byte * UINT64_C(0x0101010101010101);
  if (bytes >= 8)
    FILL_ENDS(word8, to, word, bytes);
  else if (bytes >= 4)
    FILL_ENDS(word4, to, word, bytes);
  else if (bytes >= 2)
    FILL_ENDS(word2, to, word, bytes);
  else if (bytes)
    *to = byte;
}

void *memset(void *destination, int value, size_t bytes) {
  uint8_t *to = (uint8_t *)destination, *end = to + bytes;
  uint8_t byte = (uint8_t)value;
  vec fill = SPLAT(vec, byte);
  pair two = {{fill, fill}};
  block four = {{fill, fill, fill, fill}};
  if (bytes < sizeof(vec)) {
    fillShort(to, byte, bytes);
  } else if (bytes <= 2 * sizeof(vec)) {
    FILL_ENDS(vec, to, fill, bytes);
  } else if (bytes <= 2 * sizeof(pair)) {
    storePair(to, two);
    storePair(end - sizeof(pair), two);
  } else if (bytes <= 2 * sizeof(block)) {
    storeBlock(to, four);
    storeBlock(end - sizeof(block), four);
#if defined(__x86_64__)
  } else if (bytes >= leastStringBytes) {
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(byte) : "memory");
#endif
  } else {
    STORE(vec, to, fill);
    for (uint8_t *at = alignUp(to, sizeof(vec)); at < end - sizeof(block); at += sizeof(block))
      storeBlock(at, four);
    storeBlock(end - sizeof(block), four);
  }
  return destination;
}
