// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reducing.h - Loops that accumulate -----------------------*- C++ -*-===//
//
// Builds reductions and contractions as one linalg.generic over a linalg.fill. Later passes recognize this form when
// they tile and vectorize.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_REDUCING_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_REDUCING_H

#include "Lowering.h"

namespace recur::ov {

/// Combines the accumulator `lhs` with an element `rhs`, which has compute type.
using Combine = mlir::Value (*)(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs, bool isUnsigned);

/// Reduces `data`, whose element type is `element`, along `axes`. The accumulator, and thus the result, has the type of
/// `neutral`, the scalar that the accumulation starts with.
mlir::Value reduce(LoweringBuilder &b, mlir::Value data, mlir::Type element, llvm::ArrayRef<int64_t> axes,
                   mlir::Value neutral, Combine combine);
/// The indexing map of the result of `reduce` in loops over the dims of its data.
mlir::AffineMap getReducedMap(mlir::MLIRContext *context, int64_t rank, llvm::ArrayRef<int64_t> axes);

/// A matrix product of any form, as sums of products of elements of type `element`. `sizes` are the sizes of the loops
/// over the result. The loops over the contracted dims come last. `maps` are the indexing maps of the factors, two or
/// more, and of the result. Sums are kept in compute type; the result has storage type. `columns` decides their order
/// (rt::kColumnsAttr), and with `anyRows`, the number of rows may not (rt::kAnyRowsAttr).
mlir::Value contract(LoweringBuilder &b, mlir::ValueRange factors, mlir::Type element,
                     llvm::ArrayRef<mlir::OpFoldResult> sizes, llvm::ArrayRef<mlir::AffineMap> maps,
                     int64_t columns = -1, bool anyRows = false);

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_REDUCING_H
