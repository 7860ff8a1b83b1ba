// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Mutations.h - bugs that the comparison must find ------------*- C++ -*-===//
//
// A mutation puts a known bug into what is compiled. If the comparison with the interpreter does not find it, the
// random models are not good enough.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TESTING_MUTATIONS_H
#define RECUR_TESTING_MUTATIONS_H

#include "Recur/Compiler/Compiler.h"
#include "Recur/Target/EntryPoints.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace recur::fuzz {

/// The name of a bug for --mutate, and what it does.
struct MutationInfo {
  llvm::StringRef name, description;
};

/// All mutations.
std::vector<MutationInfo> getMutations();

/// False if the bug shows only in models that end with a fault, and this model does not end with one.
bool canShow(llvm::StringRef name, bool endsWithFault);

/// Makes the mutation in the module. Returns false if the module has no place for it, and true without a change for a
/// bug of weights or of calls.
bool mutateModule(mlir::ModuleOp module, llvm::StringRef name, const CompileOptions &options);

/// Makes the mutation in the packed weights, if it is a bug of weights. Returns false if there is no place for it.
bool mutateWeights(llvm::MutableArrayRef<uint8_t> weights, llvm::StringRef name);

/// Makes the mutation between the caller and the model, if it is a bug of calls, and returns the entry points to call.
/// Only one model can have such a bug at a time.
recur_entry_points mutateCalls(const recur_entry_points &entries, llvm::StringRef name);

} // namespace recur::fuzz

#endif // RECUR_TESTING_MUTATIONS_H
