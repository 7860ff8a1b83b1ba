// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ByteCount.h - Bytes of buffers without overflow ----------*- C++ -*-===//
//
// A wrong size would let a model write outside of its memory, so every size in bytes comes from here: the part that the
// type shows is computed with a check at compile time, and the rest with checks at run time.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_BYTECOUNT_H
#define RECUR_LIB_TRANSFORMS_BYTECOUNT_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace recur {

/// The bytes of an element, rounded up to a whole byte, times the static dims of a tensor or buffer. Nullopt if that is
/// 2^63 or more.
std::optional<int64_t> getStaticBytes(mlir::ShapedType type);

/// Builds code that computes `staticBytes` times the dims, as an index. `rt.check` ends the call with an overflow if
/// the product is more than `limit` bytes, perhaps even if it is more than a 64th of that, or if a dim is negative or
/// above 2^48.
mlir::Value buildByteCount(mlir::OpBuilder &builder, mlir::Location loc, int64_t staticBytes, mlir::ValueRange dims,
                           int64_t limit);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_BYTECOUNT_H
