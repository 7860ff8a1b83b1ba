// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SharedKernels.h - kernels that models share --------------*- C++ -*-===//
//
// A kernel for products or convolutions of any size does not depend on the model, only on the CPU. Its code is most of
// the code of a small model. So such kernels leave the module before it is optimized, threads optimize them and
// generate their code meanwhile, and later models of the same process find it here.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_SHAREDKERNELS_H
#define RECUR_TARGET_SHAREDKERNELS_H

#include "Recur/Target/ModelModule.h"
#include "llvm/Support/ThreadPool.h"

#include <memory>
#include <optional>
#include <vector>

namespace recur {

struct PartCode;

/// The shared kernels of one module. Their code depends on the kernel, the levels and `optLevel` alone, not on what the
/// process has compiled before, and not on the number of threads.
class SharedKernels {
public:
  /// For code of the kind that emitModule gets.
  explicit SharedKernels(EmitKind kind) : kind(kind) {}
  /// Waits for the threads.
  ~SharedKernels();

  /// Takes the kernels out of the module, which keeps declarations of them, and begins to generate their code. A kernel
  /// stays if it is small, if the arguments that all calls give it make it small, if it refers to anything but its
  /// arguments, if there are lines for a debugger, or if the target is not x86-64. Comes before optimizeModule.
  void take(llvm::Module &module, Levels levels, unsigned optLevel);

  /// Waits for the code: the assembly of each kernel, in the order of the module. `kind` must be Object.
  std::vector<std::shared_ptr<const PartCode>> getCode();

  /// Waits for the kernels, and puts them back into the module, optimized. `kind` must not be Object.
  llvm::Error putBack(llvm::Module &module);

  bool empty() const { return units.empty(); }

private:
  /// A kernel as the only function of a module in bitcode, and what has become of it.
  struct Unit {
    std::string name, bitcode;
    std::shared_ptr<const PartCode> code;
  };
  EmitKind kind;
  std::vector<Unit> units;
  std::optional<llvm::DefaultThreadPool> threads;
};

} // namespace recur

#endif // RECUR_TARGET_SHAREDKERNELS_H
