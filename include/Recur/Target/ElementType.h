// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ElementType.h - element types of the ABI -----------------*- C++ -*-===//
//
// Header-only, because the interpreter and the compiler both use it and the interpreter does not link RecurTarget.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_ELEMENTTYPE_H
#define RECUR_TARGET_ELEMENTTYPE_H

#include "Recur/Target/ABI.h"
#include "mlir/IR/BuiltinTypes.h"

namespace recur {

/// Maps an element type of the ov dialect to the ABI's: f16, bf16, f32, f64, i1 (boolean), or an integer of 8, 16, 32
/// or 64 bits. A signless integer counts as signed.
inline recur_element_type getElementType(mlir::Type type) {
  if (type.isF16())
    return RECUR_F16;
  if (type.isBF16())
    return RECUR_BF16;
  if (type.isF32())
    return RECUR_F32;
  if (type.isF64())
    return RECUR_F64;
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return RECUR_BOOLEAN;
  case 8:
    return isUnsigned ? RECUR_U8 : RECUR_I8;
  case 16:
    return isUnsigned ? RECUR_U16 : RECUR_I16;
  case 32:
    return isUnsigned ? RECUR_U32 : RECUR_I32;
  default:
    return isUnsigned ? RECUR_U64 : RECUR_I64;
  }
}

/// The size of an element in memory, in bytes.
inline unsigned getElementBytes(recur_element_type type) {
  switch (type) {
  case RECUR_BOOLEAN:
  case RECUR_I8:
  case RECUR_U8:
    return 1;
  case RECUR_I16:
  case RECUR_U16:
  case RECUR_F16:
  case RECUR_BF16:
    return 2;
  case RECUR_I32:
  case RECUR_U32:
  case RECUR_F32:
    return 4;
  default:
    return 8;
  }
}

} // namespace recur

#endif // RECUR_TARGET_ELEMENTTYPE_H
