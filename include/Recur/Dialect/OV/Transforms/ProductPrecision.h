// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ProductPrecision.h - The type of the factors of products -*- C++ -*-===//
#ifndef RECUR_DIALECT_OV_TRANSFORMS_PRODUCTPRECISION_H
#define RECUR_DIALECT_OV_TRANSFORMS_PRODUCTPRECISION_H

#include "llvm/Support/CommandLine.h"

namespace recur::ov {

/// The type that the operands of matrix products of f32 are rounded to.
enum class ProductPrecision {
  /// They stay as they are.
  F32,
  /// They are rounded to bf16. Sums stay f32.
  BF16
};

/// The values of an option that chooses one.
inline llvm::cl::ValuesClass productPrecisionValues() {
  return llvm::cl::values(clEnumValN(ProductPrecision::F32, "f32", "Operands stay as they are"),
                          clEnumValN(ProductPrecision::BF16, "bf16", "Operands are rounded to bf16; sums are f32"));
}

/// True if a product that sums over a dim of `shared`, with a matrix of `elements` elements, is worth instructions that
/// add the two products of a pair of bf16. A matrix that L1 holds as f32 is read as fast.
inline bool mayHavePairs(int64_t shared, int64_t elements) {
  return shared >= 32 && shared % 2 == 0 && elements > 8192;
}

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_TRANSFORMS_PRODUCTPRECISION_H
