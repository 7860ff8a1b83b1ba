// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Plants.h - bugs that the comparison must find ------------*- C++ -*-===//
#ifndef RECUR_TOOLS_IR_FUZZ_PLANTS_H
#define RECUR_TOOLS_IR_FUZZ_PLANTS_H

#include "Recur/Compiler/Compiler.h"
#include "Recur/Target/EntryPoints.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace recur::fuzz {

struct PlantInfo {
  llvm::StringRef name, description;
};

/// The bugs that there are.
std::vector<PlantInfo> getPlants();

/// False where a model cannot show the bug, whatever it is compiled to.
bool canShow(llvm::StringRef name, bool endsWithFault);

/// Puts the bug into the module; false where it finds no place.
bool plantBug(mlir::ModuleOp module, llvm::StringRef name, const CompileOptions &options);

/// Puts the bug into the packed weights, where it is one of those; false where it finds no place.
bool plantInWeights(llvm::MutableArrayRef<uint8_t> weights, llvm::StringRef name);

/// Puts the bug between the caller and the model, where it is one of those. There is one such model at a time.
recur_entry_points plantInCalls(const recur_entry_points &entries, llvm::StringRef name);

} // namespace recur::fuzz

#endif // RECUR_TOOLS_IR_FUZZ_PLANTS_H
