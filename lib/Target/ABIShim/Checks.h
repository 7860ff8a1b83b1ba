// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Checks.h - sizes and checks of arguments -----------------*- C -*-===//
//
// Part of ABIShim.c, which includes it once: the sizes of tensors, and the checks of what a caller gives.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_ABISHIM_CHECKS_H
#define RECUR_ABISHIM_CHECKS_H

#include "Instance.h"
#include "Message.h"

static const uint64_t magicWord = 0x315f525543455252u; /* "RRECUR_1" */

static int isMisaligned(const void *pointer, uint64_t alignment) { return ((uintptr_t)pointer & (alignment - 1)) != 0; }

static int64_t elementBytes(int32_t type) {
  switch (type) {
  case RECUR_I16:
  case RECUR_U16:
  case RECUR_F16:
  case RECUR_BF16:
    return 2;
  case RECUR_I32:
  case RECUR_U32:
  case RECUR_F32:
    return 4;
  case RECUR_I64:
  case RECUR_U64:
  case RECUR_F64:
    return 8;
  default:
    return 1;
  }
}

/// An upper bound of the bytes of a tensor. No address space is larger, and a sum of a few sizes below it cannot
/// overflow.
static const int64_t mostBytes = (int64_t)1 << 56;

/// The bytes of a dense tensor, or -1 if they are more than mostBytes. A tensor with a dim of 0 has 0 bytes, but the
/// product of its other dims must fit too: the model may make a tensor of these dims that is not empty.
static int64_t denseBytes(const int64_t *dims, int32_t rank, int32_t type) {
  int64_t bytes = elementBytes(type);
  int isEmpty = 0, overflow = 0;
  for (int32_t axis = 0; axis < rank; ++axis) {
    isEmpty |= dims[axis] == 0;
    overflow |= __builtin_mul_overflow(bytes, dims[axis] ? dims[axis] : 1, &bytes);
  }
  if (overflow || bytes < 0 || bytes > mostBytes)
    return -1;
  return isEmpty ? 0 : bytes;
}

/// True if a dim is -1: it is known only after the computation. A dim below -1 is not such a dim, but an overflow.
static int isUnknown(const int64_t *dims, int32_t rank) {
  int unknown = 0;
  for (int32_t axis = 0; axis < rank; ++axis)
    unknown |= dims[axis] == -1;
  return unknown;
}

/// The bytes of an output: 0 if a dim is unknown, -1 if they are too many or a dim is below -1.
static int64_t outputBytesOf(const int64_t *dims, const recur_tensor_info *info) {
  for (int32_t axis = 0; axis < info->rank; ++axis)
    if (dims[axis] < -1)
      return -1;
  return isUnknown(dims, info->rank) ? 0 : denseBytes(dims, info->rank, info->element_type);
}

static int64_t shapeBytes(int32_t rank) { return rank * (int64_t)sizeof(int64_t); }

/// The checks that inputs and outputs have in common and that do not need their dims: rank, element type, shape
/// pointer.
static int32_t checkHead(const recur_tensor *tensor, const recur_tensor_info *info, origin from, recur_error *error) {
  if (tensor->rank != info->rank)
    return fail2(error, RECUR_E_SHAPE, from, "rank is {1}, expected {0}", info->rank, tensor->rank);
  if (tensor->element_type != info->element_type)
    return fail2(error, RECUR_E_DTYPE, from, "element type is {t1}, expected {t0}", info->element_type,
                 tensor->element_type);
  if (info->rank && !tensor->shape)
    return fail2(error, RECUR_E_NULL, from, "shape is null", 0, 0);
  return RECUR_OK;
}

/// Checks data that is not null: its alignment, its size (at least `bytes` bytes), and its strides for `dims`.
static int32_t checkData(const recur_tensor *tensor, const int64_t *dims, int64_t bytes, origin from,
                         recur_error *error) {
  if (isMisaligned(tensor->data, (uint64_t)elementBytes(tensor->element_type)))
    return fail2(error, RECUR_E_LAYOUT, from, "data is not aligned to its elements of {0} bytes",
                 elementBytes(tensor->element_type), 0);
  if (tensor->bytes < (uint64_t)bytes)
    return fail2(error, RECUR_E_CAPACITY, from, "needs {0} bytes, the buffer has {1}", bytes, (int64_t)tensor->bytes);
  if (!tensor->strides || !bytes)
    return RECUR_OK;
  int64_t expected = 1;
  for (int32_t axis = tensor->rank - 1; axis >= 0; --axis) {
    from.axis = axis;
    if (dims[axis] != 1 && tensor->strides[axis] != expected)
      return fail2(error, RECUR_E_LAYOUT, from, "stride of axis {2} is {1}, expected {0} (dense, row-major)", expected,
                   tensor->strides[axis]);
    expected *= dims[axis];
  }
  return RECUR_OK;
}

/// Checks a tensor that the caller gives, and sets *bytes to the bytes of its shape. Null data is a fault only if
/// `needsData` is set and the tensor is not empty.
static int32_t checkGiven(const recur_tensor *tensor, const recur_tensor_info *info, origin from, int needsData,
                          int64_t *bytes, recur_error *error) {
  int32_t status = checkHead(tensor, info, from, error);
  if (status)
    return status;
  for (int32_t axis = 0; axis < info->rank; ++axis) {
    int64_t dim = tensor->shape[axis];
    from.axis = axis;
    if (info->dims[axis] >= 0 && dim != info->dims[axis])
      return fail2(error, RECUR_E_SHAPE, from, "dim {2} is {1}, expected {0}", info->dims[axis], dim);
    if (dim < 0)
      return fail2(error, RECUR_E_SHAPE, from, "dim {2} is {1}, expected at least {0}", 0, dim);
  }
  from.axis = -1;
  *bytes = denseBytes(tensor->shape, info->rank, info->element_type);
  if (*bytes < 0)
    return fail2(error, RECUR_E_OVERFLOW, from, "its size does not fit 64 bits", 0, 0);
  if (tensor->data)
    return checkData(tensor, tensor->shape, *bytes, from, error);
  if (needsData && *bytes)
    return fail2(error, RECUR_E_NULL, from, "data is null", 0, 0);
  return RECUR_OK;
}

static int32_t checkInput(int entry, const recur_tensor *tensor, int32_t index, int needsData, int64_t *bytes,
                          recur_error *error) {
  origin from = {RECUR_IN_INPUT, index, -1};
  return checkGiven(tensor, &infoOf(entry)->inputs[index], from, needsData, bytes, error);
}

static int32_t checkInstance(const recur_instance *instance, recur_error *error) {
  if (!instance)
    return fail2(error, RECUR_E_NULL, inCall, "instance is null", 0, 0);
  if (isMisaligned(instance, sizeof(void *)) || instance->magic != magicWord || instance->model != &recur_model_info)
    return fail2(error, RECUR_E_NOT_INITIALIZED, inCall, "the instance is not initialized: call init first", 0, 0);
  return RECUR_OK;
}

/// True if two blocks of memory share a byte. A null pointer overlaps nothing.
static int overlaps(const void *a, int64_t aBytes, const void *b, int64_t bBytes) {
  uintptr_t first = (uintptr_t)a, second = (uintptr_t)b;
  return a && b && aBytes > 0 && bBytes > 0 && first < second + (uint64_t)bBytes && second < first + (uint64_t)aBytes;
}

#endif /* RECUR_ABISHIM_CHECKS_H */
