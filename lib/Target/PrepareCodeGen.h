// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PrepareCodeGen.h - Edits in front of the code generator --*- C++ -*-===//
//
// Private to the library.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_PREPARECODEGEN_H
#define RECUR_TARGET_PREPARECODEGEN_H

#include "Recur/Target/ModelModule.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class Loop;
class Module;
} // namespace llvm

namespace recur {

/// Calls `handle` for each loop of the module, outer ones first.
void forEachLoop(llvm::Module &module, llvm::function_ref<void(llvm::Loop &)> handle);

/// The number of instructions of a loop that make vectors. Those that compute addresses do not count: most of them are
/// the same in all iterations, and there are more of them if dims are dynamic.
uint64_t countVectors(const llvm::Loop &loop);

/// Edits a module that LLVM has optimized where its code generator would do the wrong thing, or take long. The module
/// computes the same afterwards.
void prepareCodeGen(llvm::Module &module, Levels levels);

} // namespace recur

#endif // RECUR_TARGET_PREPARECODEGEN_H
