// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Dequantization.h - Weights that are integers -------------*- C++ -*-===//
//
// Takes a constant apart that is dequantized from integers, w = (q - zero) * scale.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_DEQUANTIZATION_H
#define RECUR_DIALECT_OV_IR_DEQUANTIZATION_H

#include "Recur/Dialect/OV/IR/OV.h"

namespace recur::ov {

/// A constant of f32 as integers of 8 bits, a zero point that is subtracted, and then a scale that multiplies. Each of
/// the two may be null. Otherwise it has as many dims as the integers, and a dim of it divides that of the integers:
/// as many neighbours as the quotient share an element. Their elements have the type in which they were shipped.
struct Dequantization {
  WeightsAttr elements;
  mlir::TypedAttr zero, scale;
  /// True if the integers were shipped in four bits. They are between 0 and 15 if they are unsigned, and between -8 and
  /// 7 otherwise.
  bool hasFourBits;
};

/// Takes `weights` apart. Returns nullopt if it is not dequantized from integers of at most 8 bits, or if its other
/// layout steps do more than move elements.
std::optional<Dequantization> getDequantization(WeightsAttr weights);

/// True if weights of f32 were rounded to fewer bits because the user asked for it (ov-round-weights). They stay narrow
/// even where wide ones would be faster.
bool wereRounded(WeightsAttr weights);

/// A zero point or scale of a matrix of `columns` columns, packed for blocks of `block` columns: [blocks, groups of
/// rows, block]. If `transposed` holds, the columns of the matrix are its first dim.
mlir::TypedAttr packFactor(mlir::TypedAttr factor, bool transposed, int64_t columns, int64_t block);

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_DEQUANTIZATION_H
