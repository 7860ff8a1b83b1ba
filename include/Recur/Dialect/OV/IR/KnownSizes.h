// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KnownSizes.h - Numbers of tensors that become sizes ------*- C++ -*-===//
//
// A number in a tensor may be any, also the least int64_t, which is ShapedType::kDynamic where it is a dim.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_KNOWNSIZES_H
#define RECUR_DIALECT_OV_IR_KNOWNSIZES_H

#include "Recur/Dialect/OV/IR/OV.h"

namespace recur::ov {

/// Up to so many constant repeats of a dynamic dim are not checked: their product with the dim of a buffer fits
/// int64_t.
inline constexpr int64_t kMostUncheckedRepeats = int64_t(1) << 14;

/// The entries of an integer tensor like getPartlyKnownIntegers, for numbers that become dims, counts, pads or bounds.
/// A number that is equal to kDynamic is replaced by the next greater one, which is as wrong as a dim and as far away
/// as a bound, and is known.
std::optional<llvm::SmallVector<int64_t>> getPartlyKnownSizes(mlir::Value value);

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_KNOWNSIZES_H
