// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Subsets.h - Equal and disjoint slices of tensors ---------*- C++ -*-===//
#ifndef RECUR_ANALYSIS_SUBSETS_H
#define RECUR_ANALYSIS_SUBSETS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace recur {

/// Registers how bufferization and hoisting compare `tensor.extract_slice` with `tensor.insert_slice`. Two slices are
/// compared in a time that does not depend on how their offsets and sizes are computed. Upstream's comparison solves a
/// system of constraints of all index arithmetic that leads to them, again for each pair of slices.
void registerSubsets(mlir::DialectRegistry &registry);

} // namespace recur

#endif // RECUR_ANALYSIS_SUBSETS_H
