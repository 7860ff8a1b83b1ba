// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SteppedRows.h - Rows whose elements are apart ------------*- C++ -*-===//
//
// A slice with a step takes every second element of a row, or every third, and so on. Upstream loads such elements one
// by one. Here a vector of them is picked by shuffles from vectors of all elements.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_STEPPEDROWS_H
#define RECUR_LIB_TRANSFORMS_STEPPEDROWS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace recur {

/// True if the elements of a row of `buffer` are a few elements apart, such that a vector of the type `type` is read
/// faster by `loadWithStep` than one by one. The buffer is a view of one whose rows are contiguous.
bool canLoadWithStep(mlir::VectorType type, mlir::Value buffer);

/// Reads a vector of a row of `buffer`, for which canLoadWithStep holds. It is all in bounds. With `active`, only that
/// many lanes are, and the others become `padding`.
mlir::Value loadWithStep(mlir::OpBuilder &builder, mlir::Location loc, mlir::VectorType type, mlir::Value buffer,
                         mlir::ValueRange indices, mlir::Value active = {}, mlir::Value padding = {});

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_STEPPEDROWS_H
