// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WeightsPrecision.h - The type that weights are rounded to -*- C++ -*-===//
#ifndef RECUR_DIALECT_OV_TRANSFORMS_WEIGHTSPRECISION_H
#define RECUR_DIALECT_OV_TRANSFORMS_WEIGHTSPRECISION_H

#include "llvm/Support/CommandLine.h"

namespace recur::ov {

/// The type that weights of f32 are rounded to.
enum class WeightsPrecision {
  /// They stay as they are.
  F32,
  /// Matrices, filters and tables are rounded to bf16.
  BF16,
  /// Matrices, filters and tables are rounded to integers of 8 bits, with a scale for each row, column or output
  /// channel.
  Int8
};

/// The values of an option that chooses one.
inline llvm::cl::ValuesClass weightsPrecisionValues() {
  return llvm::cl::values(
      clEnumValN(WeightsPrecision::F32, "f32", "Weights stay as they are"),
      clEnumValN(WeightsPrecision::BF16, "bf16", "Matrices, filters and tables are rounded to bf16"),
      clEnumValN(WeightsPrecision::Int8, "int8",
                 "Matrices, filters and tables are rounded to integers, with a scale for each row, column or "
                 "output channel"));
}

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_TRANSFORMS_WEIGHTSPRECISION_H
