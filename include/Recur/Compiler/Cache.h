// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Cache.h - compiled models in a folder --------------------*- C++ -*-===//
//
// A folder of compiled models, so that a program that runs a model again need not compile it again.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_COMPILER_CACHE_H
#define RECUR_COMPILER_CACHE_H

#include "Recur/Compiler/Compiler.h"

namespace recur {

/// Compiles the model as `compile` does, for a JIT (an object with external weights), or takes the result of an earlier
/// compilation from `folder`. `text` is the file that the model was read from, and `shapes` are the shapes that
/// `readModel` was given. The result has no description.
///
/// The name of an entry is a hash of the text, all of the weights file if it was read, the shapes, the options, the
/// CPU, and the program that compiles. An entry that is damaged, or belongs to another model, is compiled again and
/// replaced. Several processes may use a folder at once. If an entry cannot be written, `warn` gets the error, and the
/// result is there all the same.
llvm::Expected<CompiledModel> compileCached(Model &model, llvm::StringRef text, llvm::ArrayRef<std::string> shapes,
                                            const CompileOptions &options, llvm::StringRef folder,
                                            llvm::function_ref<void(llvm::Error)> warn);

} // namespace recur

#endif // RECUR_COMPILER_CACHE_H
