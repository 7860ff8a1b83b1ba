// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EmitParts.h - one object from code that threads generate -*- C++ -*-===//
//
// Implementation of emitModule.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_EMITPARTS_H
#define RECUR_TARGET_EMITPARTS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace recur {

/// True if emitParts can emit the module, and the module is large enough for it.
bool hasParts(const llvm::Module &module);

/// Appends the module to `output` as an object file, as emitModule does, but threads generate its code, as many as the
/// CPU has. They end before the function returns. The module keeps its functions.
llvm::Error emitParts(llvm::Module &module, llvm::TargetMachine &machine, llvm::SmallVectorImpl<char> &output);

} // namespace recur

#endif // RECUR_TARGET_EMITPARTS_H
