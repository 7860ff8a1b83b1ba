// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Plants.h - bugs that the comparison must find ------------*- C++ -*-===//
#ifndef RECUR_TOOLS_IR_FUZZ_PLANTS_H
#define RECUR_TOOLS_IR_FUZZ_PLANTS_H

#include "Recur/Compiler/Compiler.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace recur::fuzz {

struct PlantInfo {
  llvm::StringRef name, description;
};

/// The bugs that there are.
std::vector<PlantInfo> getPlants();

/// Puts the bug into the module; false where it finds no place.
bool plantBug(mlir::ModuleOp module, llvm::StringRef name, const CompileOptions &options);

} // namespace recur::fuzz

#endif // RECUR_TOOLS_IR_FUZZ_PLANTS_H
