// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Guard.h - memory blocks between guard pages --------------*- C -*-===//
//
// Part of Strict.c, which includes it once. One end of a block touches a guard page, which must not be accessed; the
// unused bytes between the other end and its guard page hold a mark. Between guardWatch and guardUnwatch, the process
// ends with a message that names the block if code accesses a guard page or released memory, or writes read-only
// memory.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DRIVER_GUARD_H
#define RECUR_DRIVER_GUARD_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct guard_block {
  struct guard_block *next;
  char name[128];
  uint8_t *map; /* guard page, pages of memory, guard page */
  size_t mapBytes;
  uint8_t *data;
  size_t bytes;
  int isReleased;
} guard_block;

/// The list of all blocks. A signal handler has no context argument, so the list is global.
static guard_block *guardBlocks;
static struct sigaction guardOldActions[2];
static const int guardSignals[2] = {SIGSEGV, SIGBUS};
static const uint8_t guardMark = 0xc5;

static size_t guardPage(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/// Allocates a block of `bytes` bytes, all set to `fill`. If `atEnd` is set, the block ends at a guard page, or as near
/// as the alignment allows; else it begins behind one. A block of 0 bytes has the address of a guard page. Null if
/// there is no memory.
static guard_block *guardTake(size_t bytes, size_t alignment, int atEnd, uint8_t fill, const char *name) {
  size_t page = guardPage();
  guard_block *block = bytes > SIZE_MAX / 2 ? NULL : (guard_block *)calloc(1, sizeof(guard_block));
  if (!block)
    return NULL;
  size_t inner = (bytes + page - 1) / page * page;
  block->mapBytes = inner + 2 * page;
  void *map = mmap(NULL, block->mapBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED || (inner && mprotect((uint8_t *)map + page, inner, PROT_READ | PROT_WRITE) != 0)) {
    if (map != MAP_FAILED)
      munmap(map, block->mapBytes);
    free(block);
    return NULL;
  }
  block->map = (uint8_t *)map;
  block->bytes = bytes;
  block->data = block->map + page + (atEnd ? (inner - bytes) / alignment * alignment : 0);
  snprintf(block->name, sizeof(block->name), "%s", name);
  memset(block->map + page, guardMark, inner);
  memset(block->data, fill, bytes);
  block->next = guardBlocks;
  guardBlocks = block;
  return block;
}

/// Makes the block read-only.
static void guardSeal(guard_block *block) {
  mprotect(block->map + guardPage(), block->mapBytes - 2 * guardPage(), PROT_READ);
}

/// Frees the memory of the block but keeps its addresses reserved, so that a later access is detected.
static void guardRelease(guard_block *block) {
  block->isReleased = 1;
  mmap(block->map, block->mapBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/// True if the marks in the bytes around the data, up to the guard pages, are unchanged. True for a released block.
static int guardIsIntact(const guard_block *block) {
  const uint8_t *at = block->map + guardPage(), *end = block->map + block->mapBytes - guardPage();
  for (; !block->isReleased && at < end; ++at)
    if ((at < block->data || at >= block->data + block->bytes) && *at != guardMark)
      return 0;
  return 1;
}

static void guardFreeAll(void) {
  while (guardBlocks) {
    guard_block *next = guardBlocks->next;
    munmap(guardBlocks->map, guardBlocks->mapBytes);
    free(guardBlocks);
    guardBlocks = next;
  }
}

static void guardPut(const char *text) {
  ssize_t written = write(2, text, strlen(text));
  (void)written;
}

static void guardPutNumber(size_t value) {
  char digits[24], *at = digits + sizeof(digits) - 1;
  *at = 0;
  do
    *--at = (char)('0' + value % 10);
  while (value /= 10);
  guardPut(at);
}

/// The signal handler. It calls only functions that are async-signal-safe.
static void guardOnSignal(int number, siginfo_t *info, void *context) {
  uint8_t *at = (uint8_t *)info->si_addr;
  (void)context;
  for (guard_block *block = guardBlocks; block; block = block->next) {
    if (at < block->map || at >= block->map + block->mapBytes)
      continue;
    guardPut("error: strict: the model accessed ");
    if (block->isReleased) {
      guardPut("memory that it had given back: ");
    } else if (at >= block->data && at < block->data + block->bytes) {
      guardPut("memory that it may only read, by a write to byte ");
      guardPutNumber((size_t)(at - block->data));
      guardPut(" of ");
    } else if (at < block->data) {
      guardPut("the byte ");
      guardPutNumber((size_t)(block->data - at));
      guardPut(" before ");
    } else {
      guardPut("the byte ");
      guardPutNumber((size_t)(at - block->data) - block->bytes);
      guardPut(" behind the end of ");
    }
    guardPut(block->name);
    guardPut("\n");
    _exit(1);
  }
  /* The address is in none of the blocks. With the old handler restored, the instruction runs again and faults as it
     would have done without guardWatch. */
  sigaction(number, &guardOldActions[number == guardSignals[1]], NULL);
}

/// Installs the signal handler.
static void guardWatch(void) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_sigaction = guardOnSignal;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < 2; ++i)
    sigaction(guardSignals[i], &action, &guardOldActions[i]);
}

/// Restores the signal handlers that guardWatch replaced.
static void guardUnwatch(void) {
  for (int i = 0; i < 2; ++i)
    sigaction(guardSignals[i], &guardOldActions[i], NULL);
}

#endif /* RECUR_DRIVER_GUARD_H */
