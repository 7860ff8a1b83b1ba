// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EmitParts.h - one object from code that threads generate -*- C++ -*-===//
//
// Implementation of emitModule.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_EMITPARTS_H
#define RECUR_TARGET_EMITPARTS_H

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace recur {

class SharedKernels;
enum class EmitKind;

/// The assembly of some functions, and what the code generator said.
struct PartCode {
  llvm::SmallString<0> text;
  /// Frames in bytes by the name of their function, and all other messages.
  std::vector<std::pair<std::string, uint64_t>> frames;
  std::vector<std::pair<llvm::DiagnosticSeverity, std::string>> messages;
  std::string error;
};

/// Lets the messages of a context go to `code`, which must live as long as the context.
void keepMessages(llvm::LLVMContext &context, PartCode &code);

/// Tells the context of `module`, which calls or has the functions of `code`, what the code generator said of them.
/// Fails if it failed.
llvm::Error report(llvm::Module &module, const PartCode &code);

/// A copy of a target machine, which serves one thread.
std::unique_ptr<llvm::TargetMachine> copyMachine(const llvm::TargetMachine &machine);

/// The same with the features of another CPU.
std::unique_ptr<llvm::TargetMachine> copyMachine(const llvm::TargetMachine &machine, llvm::StringRef cpu,
                                                 llvm::StringRef features = "");

/// True if emitParts can emit the module, and the module is large enough for it.
bool hasParts(const llvm::Module &module);

/// Appends the module to `output` as an object file or as assembly, as emitModule does, but threads generate its code,
/// as many as the CPU has, beside those of `kernels`. They end before the function returns. The module keeps its
/// functions. `kernels` may be null, and has code in assembly otherwise.
llvm::Error emitParts(llvm::Module &module, llvm::TargetMachine &machine, EmitKind kind, SharedKernels *kernels,
                      llvm::SmallVectorImpl<char> &output);

} // namespace recur

#endif // RECUR_TARGET_EMITPARTS_H
