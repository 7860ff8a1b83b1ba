// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StackMeasure.h - the stack that a model needs ------------*- C++ -*-===//
//
// The code generator knows how large the frame of each function is. It tells this class, and writes the same object as
// without it.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_STACKMEASURE_H
#define RECUR_TARGET_STACKMEASURE_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DiagnosticHandler.h"
#include <cstdint>
#include <memory>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace recur {

/// Measures the frames of a module's functions while emitModule generates their code. Construct it before, and ask it
/// after that; the module must live as long. Until its end, it stands before the diagnostic handler of the module's
/// context, which gets all other diagnostics.
class StackMeasure {
public:
  explicit StackMeasure(llvm::Module &module);
  ~StackMeasure();
  StackMeasure(const StackMeasure &) = delete;
  StackMeasure &operator=(const StackMeasure &) = delete;

  /// The bytes of the deepest chain of calls from a function of the module to others of it, with the return addresses.
  /// A function whose address is taken counts as called. The frames of the ABI shim, of libm and of the caller's
  /// callbacks are not known here.
  uint64_t getDeepest() const;

private:
  uint64_t getDepth(const llvm::Function &function, llvm::DenseMap<const llvm::Function *, uint64_t> &depths) const;

  llvm::Module &module;
  llvm::DenseMap<const llvm::Function *, uint64_t> frames;
  std::unique_ptr<llvm::DiagnosticHandler> previous;
};

} // namespace recur

#endif // RECUR_TARGET_STACKMEASURE_H
