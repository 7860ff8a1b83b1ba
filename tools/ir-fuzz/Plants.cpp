// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Plants.cpp - bugs that the comparison must find --------------------===//

#include "Plants.h"

using namespace mlir;

namespace recur::fuzz {

std::vector<PlantInfo> getPlants() { return {}; }

bool plantBug(ModuleOp module, llvm::StringRef name, const CompileOptions &options) { return false; }

} // namespace recur::fuzz
