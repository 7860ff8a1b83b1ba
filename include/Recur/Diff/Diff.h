// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Diff.h - How two models differ ---------------------------*- C++ -*-===//
//
// Compares two modules of the ov dialect as a person would: layer by layer, with the numbers of their weights.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIFF_DIFF_H
#define RECUR_DIFF_DIFF_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace recur {

/// A model that is compared.
struct DiffSide {
  /// The name of the model in the report.
  std::string name;
  mlir::ModuleOp module;
  /// The bytes of the weights file; empty if the module does not refer to one.
  llvm::ArrayRef<char> weights;
};

/// Options of diffModels.
struct DiffOptions {
  /// Real numbers a and b of constants agree if |a - b| <= atol + rtol * |a|. If both are 0, the bits must be equal.
  double rtol = 0, atol = 0;
};

/// The number of layers and of inputs and outputs that differ. A layer with another one of its inputs differs too.
struct DiffCounts {
  uint64_t removed = 0, added = 0, changed = 0;
  bool any() const { return removed || added || changed; }
};

/// Compares two models, whose modules belong to the same context, and prints the differences on `os`, in colours if it
/// is a terminal that has some. Nothing is printed if there are none.
///
/// Layers are matched by their names, which are in the locations of their ops, and layers without a counterpart of that
/// name by their place: they have the same operation, and the same inputs or the same users. The constants that
/// `#ov.weights` refers to are compared by their values, wherever they are in the weights file.
DiffCounts diffModels(const DiffSide &before, const DiffSide &after, const DiffOptions &options, llvm::raw_ostream &os);

} // namespace recur

#endif // RECUR_DIFF_DIFF_H
