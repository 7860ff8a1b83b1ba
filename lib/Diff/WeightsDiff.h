// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WeightsDiff.h - How two constants differ -----------------*- C++ -*-===//
//
// Compares the elements of two constants, and says in numbers how far they are apart.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_DIFF_WEIGHTSDIFF_H
#define RECUR_LIB_DIFF_WEIGHTSDIFF_H

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Diff/Diff.h"

#include <string>

namespace recur::diff {

/// Describes the difference of two constants in words: how many elements differ, the first of them, and the largest
/// differences. Empty if there is none, or if their shapes differ. `before` and `after` are the bytes of the weights
/// files. Constants of different element types are compared by the numbers that they have.
std::string describeWeights(ov::ConstantOp constant, llvm::ArrayRef<char> before, ov::ConstantOp other,
                            llvm::ArrayRef<char> after, const DiffOptions &options);

} // namespace recur::diff

#endif // RECUR_LIB_DIFF_WEIGHTSDIFF_H
