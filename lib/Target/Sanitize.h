// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sanitize.h - checks of memory in generated code ----------*- C++ -*-===//
//
// Adds LLVM's AddressSanitizer or ThreadSanitizer to the optimization of a model.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TARGET_SANITIZE_H
#define RECUR_LIB_TARGET_SANITIZE_H

#include "Recur/Target/ModelModule.h"
#include "llvm/IR/PassManager.h"

namespace recur {

/// Marks the functions of the module as those that `sanitizer` instruments, and adds its passes to `passes`. The object
/// gets no constructor: the runtime library of the program must be set up before the model is called.
void addSanitizer(llvm::Module &module, llvm::ModulePassManager &passes, Sanitizer sanitizer);

} // namespace recur

#endif // RECUR_LIB_TARGET_SANITIZE_H
