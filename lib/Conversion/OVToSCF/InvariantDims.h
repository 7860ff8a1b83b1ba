// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- InvariantDims.h - Dims that do not change in a loop ------*- C++ -*-===//
#ifndef RECUR_CONVERSION_OVTOSCF_INVARIANTDIMS_H
#define RECUR_CONVERSION_OVTOSCF_INVARIANTDIMS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseSet.h"

namespace recur {
/// A dim of `value`, which is defined in the body of the ov loop `loop`, computed before the loop: from sliced inputs,
/// initial values, and what the body captures. Fails where the dim is not known to stay the same. A carried value is
/// taken to keep the dims of its initial value, but for those whose block arguments are in `changing`.
mlir::FailureOr<mlir::OpFoldResult> getInvariantDim(mlir::OpBuilder &builder, mlir::Operation *loop, mlir::Value value,
                                                    int64_t dim, const llvm::DenseSet<mlir::Value> &changing = {});

/// True if two dims are known to be the same number.
bool isSameDim(mlir::OpFoldResult a, mlir::OpFoldResult b);
} // namespace recur

#endif // RECUR_CONVERSION_OVTOSCF_INVARIANTDIMS_H
