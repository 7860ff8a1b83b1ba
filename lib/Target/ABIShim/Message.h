// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Message.h - filling recur_error without a C library ------*- C -*-===//
//
// Part of ABIShim.c, which includes it once. Except for `succeed`, this code runs only when a call fails, so it is
// marked cold.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_ABISHIM_MESSAGE_H
#define RECUR_ABISHIM_MESSAGE_H

#include "Recur/Target/ShimContract.h"

#define COLD __attribute__((cold, noinline))

/// The entries of a model (NAME_run, NAME_step), of which the ABI shim serves RECUR_SHIM_ENTRIES. What all of them
/// share is taken from the first one: weights, and the numbers, names and ranks of inputs and outputs. The last one has
/// the states.
enum { firstEntry = 0, lastEntry = RECUR_SHIM_ENTRIES - 1 };

static const recur_info *infoOf(int entry) {
  return RECUR_SHIM_ENTRIES == 2 && entry ? &recur_step_info : &recur_model_info;
}
static const recur_fault *faultsOf(int entry) {
  return RECUR_SHIM_ENTRIES == 2 && entry ? recur_step_faults : recur_model_faults;
}
static const recur_shim_facts *factsOf(int entry) {
  return RECUR_SHIM_ENTRIES == 2 && entry ? &recur_step_facts : &recur_model_facts;
}

typedef struct text_buffer {
  char *at;
  char *end; /* the last byte, reserved for the terminating zero */
} text_buffer;

static void putChar(text_buffer *out, char c) {
  if (out->at < out->end)
    *out->at++ = c;
}

/// Appends at most `limit` bytes of `text` (-1: all), so that a long tensor name leaves room for the rest of the
/// message. Null is empty text.
static void putText(text_buffer *out, const char *text, int limit) {
  for (; text && *text && limit; ++text, --limit)
    putChar(out, *text);
}

static void putNumber(text_buffer *out, int64_t value) {
  char digits[20];
  int count = 0;
  /* Unsigned, because -INT64_MIN is not an int64_t. */
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  if (value < 0)
    putChar(out, '-');
  do {
    digits[count++] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest);
  while (count)
    putChar(out, digits[--count]);
}

/// Appends a template. {k} stands for detail[k], and {tk} for the name of the element type whose number is detail[k].
static void putTemplate(text_buffer *out, const char *text, const int64_t *detail) {
  /* An array of characters, because a table of pointers would need relocations. */
  static const char types[14][8] = {"unknown", "boolean", "i8",  "i16", "i32",  "i64", "u8",
                                    "u16",     "u32",     "u64", "f16", "bf16", "f32", "f64"};
  while (*text) {
    if (text[0] == '{' && text[1] >= '0' && text[1] <= '3' && text[2] == '}') {
      putNumber(out, detail[text[1] - '0']);
      text += 3;
    } else if (text[0] == '{' && text[1] == 't' && text[2] >= '0' && text[2] <= '3' && text[3] == '}') {
      int64_t type = detail[text[2] - '0'];
      const char *name = types[type >= 1 && type <= 13 ? type : 0];
      for (int i = 0; i < 8 && name[i]; ++i)
        putChar(out, name[i]);
      text += 4;
    } else {
      putChar(out, *text++);
    }
  }
}

/// The argument that a status is about; tensor and axis are -1 if there is none.
typedef struct origin {
  int32_t where, tensor, axis;
} origin;

/// Fills the caller's recur_error as far as its `size` allows. `prefix` is text in front of the template `text`, or
/// null. Returns `code`, so that callers can return the result.
COLD static int32_t failAt(recur_error *error, int32_t code, origin from, const char *prefix, const char *text,
                           const int64_t *detail) {
  if (!error || error->size < offsetof(recur_error, message))
    return code;
  error->code = code;
  error->where = from.where;
  error->tensor = from.tensor;
  error->axis = from.axis;
  error->reserved = 0;
  for (int i = 0; i < 4; ++i)
    error->detail[i] = detail[i];
  if (error->size < sizeof(recur_error))
    return code;
  text_buffer out = {error->message, error->message + sizeof(error->message) - 1};
  if (from.where == RECUR_IN_WORKSPACE) {
    putText(&out, "workspace: ", -1);
  } else if (from.where != RECUR_IN_CALL) {
    int isInput = from.where == RECUR_IN_INPUT, isState = from.where == RECUR_IN_STATE;
    const recur_tensor_info *infos = isInput   ? recur_model_info.inputs
                                     : isState ? infoOf(lastEntry)->states
                                               : recur_model_info.outputs;
    putText(&out, isInput ? "input " : isState ? "state " : "output ", -1);
    putNumber(&out, from.tensor);
    putText(&out, " '", -1);
    putText(&out, infos[from.tensor].name, 96);
    putText(&out, "': ", -1);
  }
  putText(&out, prefix, -1);
  putTemplate(&out, text, detail);
  *out.at = 0;
  return code;
}

COLD static int32_t fail(recur_error *error, int32_t code, origin from, const char *text, const int64_t *detail) {
  return failAt(error, code, from, 0, text, detail);
}

/// Fails with two numbers; detail[2] is the axis, if there is one.
COLD static int32_t fail2(recur_error *error, int32_t code, origin from, const char *text, int64_t first,
                          int64_t second) {
  int64_t detail[4] = {first, second, 0, 0};
  if (from.axis >= 0)
    detail[2] = from.axis;
  return fail(error, code, from, text, detail);
}

/// Clears the caller's recur_error as far as its `size` allows. Returns RECUR_OK.
static int32_t succeed(recur_error *error) {
  if (!error || error->size < offsetof(recur_error, message))
    return RECUR_OK;
  error->code = RECUR_OK;
  error->where = RECUR_IN_CALL;
  error->tensor = error->axis = -1;
  if (error->size >= sizeof(recur_error))
    error->message[0] = 0;
  return RECUR_OK;
}

static const origin inCall = {RECUR_IN_CALL, -1, -1};
static const origin inWorkspace = {RECUR_IN_WORKSPACE, -1, -1};

/// Reports a fault of the generated code. The message is that of the fault site in the table of the entry. A site whose
/// code is 0 only names the layer of a fault that the ABI shim recorded in the frame; then the message is one for the
/// status.
COLD static int32_t failCompute(recur_error *error, int32_t code, int entry, const recur_frame *frame) {
  const int64_t *detail = frame->fault_detail;
  const recur_fault *fault = frame->fault_site >= 0 ? &faultsOf(entry)[frame->fault_site] : 0;
  if (fault && fault->code)
    return fail(error, (int32_t)fault->code, inCall, fault->text, detail);
  const char *layer = fault ? fault->text : 0, *words = "the computation failed";
  origin from = inCall;
  switch (code) {
  case RECUR_E_CAPACITY:
    from.where = RECUR_IN_OUTPUT;
    from.tensor = (int32_t)detail[2];
    layer = 0;
    words = "needs {0} bytes, the buffer has {1}";
    if (from.tensor >= recur_model_info.num_outputs) {
      /* A state has two buffers in the memory that the caller gave. */
      const int64_t twice[4] = {2 * ((detail[0] + RECUR_ALIGNMENT - 1) & ~(int64_t)(RECUR_ALIGNMENT - 1)),
                                2 * detail[1], 0, 0};
      origin state = {RECUR_IN_STATE, from.tensor - recur_model_info.num_outputs, -1};
      return failAt(error, code, state, 0, "needs {0} bytes of memory, has {1}", twice);
    }
    break;
  case RECUR_E_ALLOCATOR_NEEDED:
    words = "an allocator is needed for a size that is known only after the computation";
    break;
  case RECUR_E_NOMEM:
    words = "the allocator could not give {0} bytes";
    break;
  case RECUR_E_MEM_LIMIT:
    words = "{0} bytes more would exceed max_bytes, which is {1}";
    break;
  case RECUR_E_OVERFLOW:
    words = "a size does not fit 64 bits";
    break;
  }
  return failAt(error, code, from, layer, words, detail);
}

#endif /* RECUR_ABISHIM_MESSAGE_H */
