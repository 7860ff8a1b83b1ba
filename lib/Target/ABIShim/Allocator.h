// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Allocator.h - memory whose size is known late ------------*- C -*-===//
//
// Part of ABIShim.c, which includes it once. Generated code calls these functions for memory whose size depends on
// computed data. The memory comes from the caller's allocator; a list in the frame holds all blocks, so that the ABI
// shim can release them when a call ends, also after a fault.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_ABISHIM_ALLOCATOR_H
#define RECUR_ABISHIM_ALLOCATOR_H

#include "Message.h"

/// The header in front of each block. The list is doubly linked, so that one block can be released before the others.
/// frame->allocations is the head.
typedef struct block_header {
  struct block_header *next, *previous;
  int64_t bytes;
  uint8_t padding[RECUR_ALIGNMENT - 2 * sizeof(void *) - sizeof(int64_t)];
} block_header;

/// Records a fault with status `code` in the frame. Returns null, for functions that return a pointer.
static uint8_t *failFrame(recur_frame *frame, int32_t code, int64_t first, int64_t second, int64_t third) {
  frame->fault_site = -1;
  frame->fault_detail[0] = first;
  frame->fault_detail[1] = second;
  frame->fault_detail[2] = third;
  frame->fault_detail[3] = code;
  return 0;
}

/// Takes `bytes` bytes from the caller's allocator and does not add them to the list. Returns null after a fault, which
/// the frame then records.
static uint8_t *take(recur_frame *frame, int64_t bytes) {
  const recur_options *options = frame->options;
  int64_t total;
  if (!options->alloc || !options->release)
    return failFrame(frame, RECUR_E_ALLOCATOR_NEEDED, bytes, 0, 0);
  if (bytes < 0 || __builtin_add_overflow(frame->held, bytes, &total))
    return failFrame(frame, RECUR_E_OVERFLOW, bytes, 0, 0);
  if (total > options->max_bytes)
    return failFrame(frame, RECUR_E_MEM_LIMIT, bytes, options->max_bytes, 0);
  uint8_t *block = (uint8_t *)options->alloc(options->ctx, (size_t)(bytes ? bytes : 1), RECUR_ALIGNMENT);
  if (block && ((uintptr_t)block & (RECUR_ALIGNMENT - 1))) {
    options->release(options->ctx, block);
    block = 0;
  }
  if (!block)
    return failFrame(frame, RECUR_E_NOMEM, bytes, 0, 0);
  frame->held = total;
  return block;
}

uint8_t *recur_frame_alloc(recur_frame *frame, int64_t bytes) {
  int64_t total;
  if (bytes < 0 || __builtin_add_overflow(bytes, (int64_t)sizeof(block_header), &total))
    return failFrame(frame, RECUR_E_OVERFLOW, bytes, 0, 0);
  block_header *block = (block_header *)take(frame, total);
  if (!block)
    return 0;
  block->next = (block_header *)frame->allocations;
  block->previous = 0;
  block->bytes = total;
  if (block->next)
    block->next->previous = block;
  frame->allocations = (uint8_t *)block;
  return (uint8_t *)(block + 1);
}

void recur_frame_release(recur_frame *frame, uint8_t *payload) {
  if (!payload)
    return;
  block_header *block = (block_header *)payload - 1;
  if (block->previous)
    block->previous->next = block->next;
  else
    frame->allocations = (uint8_t *)block->next;
  if (block->next)
    block->next->previous = block->previous;
  frame->held -= block->bytes;
  frame->options->release(frame->options->ctx, block);
}

uint8_t *recur_frame_output(recur_frame *frame, int64_t index, int64_t bytes) {
  recur_tensor *output = &frame->outputs[index];
  if (output->data) {
    if (bytes < 0 || output->bytes < (uint64_t)bytes)
      return failFrame(frame, RECUR_E_CAPACITY, bytes, (int64_t)output->bytes, index);
    return (uint8_t *)output->data;
  }
  uint8_t *block = take(frame, bytes);
  if (block) {
    output->data = block;
    output->bytes = (size_t)bytes;
  }
  return block;
}

uint8_t *recur_frame_reserve(recur_frame *frame, int64_t *cell, int64_t bytes, int64_t keep) {
  uint8_t *old = (uint8_t *)(intptr_t)cell[0];
  /* No code reads or writes a buffer of no bytes, so any pointer except null will do, and no allocator is needed. */
  if (bytes == 0 && !old)
    return (uint8_t *)frame;
  if (bytes >= 0 && bytes <= cell[1])
    return old;
  int64_t doubled;
  if (__builtin_mul_overflow(cell[1], (int64_t)2, &doubled) || doubled < bytes)
    doubled = bytes;
  if (doubled < 4096 && bytes > 0)
    doubled = 4096;
  uint8_t *block = recur_frame_alloc(frame, doubled);
  if (!block)
    return 0;
  if (keep > 0)
    __builtin_memcpy(block, old, (size_t)keep);
  recur_frame_release(frame, old);
  cell[0] = (int64_t)(intptr_t)block;
  cell[1] = doubled;
  return block;
}

/// Releases all blocks of the list, at the end of a call.
static void releaseAll(recur_frame *frame) {
  block_header *block = (block_header *)frame->allocations;
  while (block) {
    block_header *next = block->next;
    frame->options->release(frame->options->ctx, block);
    block = next;
  }
}

#endif /* RECUR_ABISHIM_ALLOCATOR_H */
