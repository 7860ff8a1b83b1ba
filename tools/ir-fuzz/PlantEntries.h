// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlantEntries.h - how bugs are planted --------------------*- C++ -*-===//
#ifndef RECUR_TOOLS_IR_FUZZ_PLANTENTRIES_H
#define RECUR_TOOLS_IR_FUZZ_PLANTENTRIES_H

#include "Plants.h"

#include "Recur/Dialect/OV/IR/OV.h"

#include "llvm/ADT/SmallVector.h"
#include <array>

namespace recur::fuzz {

/// A bug, and what plants it: one of the functions.
struct PlantEntry {
  PlantInfo info;
  /// Changes what it can of a module after the stage; false if there is nothing.
  Stage stage = Stage::Import;
  bool (*changeModule)(mlir::ModuleOp) = nullptr;
  /// Changes the packed weights; false if there are too few.
  bool (*changeWeights)(llvm::MutableArrayRef<uint8_t>) = nullptr;
  /// What the caller calls instead of the model; those find it by `getPlantedModel`.
  void (*changeCalls)(recur_entry_points &) = nullptr;
  /// Only models that end with a fault show it.
  bool isOfFaults = false;
};

/// Bugs of passes, from raised loops to places in the workspace and weights.
llvm::ArrayRef<PlantEntry> getPassPlants();
/// Bugs in what callers see.
llvm::ArrayRef<PlantEntry> getCallPlants();

/// The model behind the calls that a bug has changed.
recur_entry_points &getPlantedModel();

/// On a loop before the passes: its slices, its concatenations, and 1 where its trip count is a constant. One that has
/// more of them afterwards was raised.
inline constexpr llvm::StringLiteral kImportedAttr = "imported";

/// What kImportedAttr has of it.
std::array<int64_t, 3> countForms(ov::LoopOp op);

/// Calls `change` for each op of the kind; true if it has changed one.
template <typename Op>
bool forEach(mlir::ModuleOp module, llvm::function_ref<bool(Op)> change) {
  llvm::SmallVector<Op> ops;
  module.walk([&](Op op) { ops.push_back(op); });
  bool changed = false;
  for (Op op : ops)
    changed |= change(op);
  return changed;
}

/// True for a loop that a pass has raised (kImportedAttr).
bool isRaised(ov::LoopOp op);

/// Changes the partitions of the attribute `name` of loops, all or only raised ones, to what `change` gives for each,
/// given the static dim that a slice cuts. Null leaves a partition as it is. True if one has changed.
bool changePartitions(mlir::ModuleOp module, llvm::StringRef name, bool onlyRaised,
                      llvm::function_ref<ov::PartitionAttr(ov::PartitionAttr, int64_t dim)> change);
/// Shifts each slice by one place, where there is room.
bool shiftSlices(mlir::ModuleOp module, bool onlyRaised);
/// The partition from its end to its start.
ov::PartitionAttr reversed(ov::PartitionAttr partition);

} // namespace recur::fuzz

#endif // RECUR_TOOLS_IR_FUZZ_PLANTENTRIES_H
