// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelModule.h - from generated code to an object ---------*- C++ -*-===//
//
// The order: emitModelInfo, linkGlue, optimizeModule, emitModule; then of an object patchWeights and checkObject
// (ObjectFile.h).
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_MODELMODULE_H
#define RECUR_TARGET_MODELMODULE_H

#include "Recur/Target/ModelDescription.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace recur {

/// Where the packed weights are.
enum class WeightsPlacement {
  /// Zeros in the section weightsSectionName, to be overwritten in the object.
  Embedded,
  /// An undefined symbol, weightsSymbolName (the JIT).
  External,
};

inline constexpr llvm::StringLiteral weightsSectionName = ".rodata.recur.weights";
inline constexpr llvm::StringLiteral weightsSymbolName = "recur_model_weights";

/// Defines the constants of ModelContract.h and GlueContract.h in the module.
void emitModelInfo(llvm::Module &module, const ModelDescription &model, const llvm::TargetMachine &machine,
                   WeightsPlacement placement);

/// Links the glue, names its functions after the model, and makes everything else internal. The module defines what
/// ModelContract.h asks for. Without `optimizeGlue` the glue stays as it is.
llvm::Error linkGlue(llvm::Module &module, llvm::StringRef modelName, const llvm::TargetMachine &machine,
                     bool optimizeGlue = true);

/// LLVM's pipeline at 0 to 3 with both vectorizers, knowing no library function but memcpy, memmove and memset.
llvm::Error optimizeModule(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel);

enum class EmitKind { Object, Assembly, LLVM };

/// Machine code generation changes the module: one call for each module, unless for LLVM.
llvm::Error emitModule(llvm::Module &module, llvm::TargetMachine &machine, EmitKind kind,
                       llvm::SmallVectorImpl<char> &output);

} // namespace recur

#endif // RECUR_TARGET_MODELMODULE_H
