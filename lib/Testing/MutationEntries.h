// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MutationEntries.h - the table of bugs to mutation --------------*- C++ -*-===//
//
// Mutations.cpp, PassMutations.cpp and CallMutations.cpp each have a table of bugs. This header declares the form of
// the tables, and helpers that the files share.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TESTING_MUTATIONENTRIES_H
#define RECUR_LIB_TESTING_MUTATIONENTRIES_H

#include "Recur/Testing/Mutations.h"

#include "Recur/Dialect/OV/IR/OV.h"

#include "llvm/ADT/SmallVector.h"
#include <array>

namespace recur::fuzz {

/// A mutation, and the one function that makes it.
struct MutationEntry {
  MutationInfo info;
  /// Changes a module after the stage. Returns false if it finds nothing to change.
  Stage stage = Stage::Import;
  bool (*changeModule)(mlir::ModuleOp) = nullptr;
  /// Changes the packed weights. Returns false if there are too few bytes.
  bool (*changeWeights)(llvm::MutableArrayRef<uint8_t>) = nullptr;
  /// Replaces entry points of the model. The replacements reach the model by `getMutatedModel`.
  void (*changeCalls)(recur_entry_points &) = nullptr;
  /// Only models that end with a fault show the bug.
  bool isOfFaults = false;
};

/// Bugs of passes, from raised loops to places in the workspace and weights.
llvm::ArrayRef<MutationEntry> getPassMutations();
/// Bugs in the packed weights, in queries and in the results of runs.
llvm::ArrayRef<MutationEntry> getCallMutations();

/// The entry points of the model whose calls a bug has changed.
recur_entry_points &getMutatedModel();

/// An attribute of loops before the passes run: the numbers of their slices and of their concatenations, and 1 if the
/// trip count is a constant. A loop that has more of them afterwards was raised.
inline constexpr llvm::StringLiteral kImportedAttr = "imported";

/// The three numbers that kImportedAttr holds for a loop.
std::array<int64_t, 3> countForms(ov::LoopOp op);

/// Calls `change` for each op of the kind. Returns true if it changed at least one.
template <typename Op>
bool forEach(mlir::ModuleOp module, llvm::function_ref<bool(Op)> change) {
  llvm::SmallVector<Op> ops;
  module.walk([&](Op op) { ops.push_back(op); });
  bool changed = false;
  for (Op op : ops)
    changed |= change(op);
  return changed;
}

/// True if a pass has raised the loop (kImportedAttr).
bool isRaised(ov::LoopOp op);

/// Shifts each slice by one element, if there is room.
bool shiftSlices(mlir::ModuleOp module, bool onlyRaised);
/// Lets raised loops, or if not `onlyRaised` all backward slices, run in the other direction.
bool reverseSlices(mlir::ModuleOp module, bool onlyRaised);
/// Turns around the concatenations of raised loops, or if not `onlyRaised` all reversed ones.
bool reverseConcats(mlir::ModuleOp module, bool onlyRaised);

} // namespace recur::fuzz

#endif // RECUR_LIB_TESTING_MUTATIONENTRIES_H
