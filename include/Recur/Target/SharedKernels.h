// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SharedKernels.h - kernels that models share --------------*- C++ -*-===//
//
// A kernel for products of any size does not depend on the model, only on the CPU. Such kernels are most of the code of
// a small model. rt-share-kernels gives them names that say what their code is. Threads generate this code apart from
// that of the model, and later models of the same process find it here. The code of some kernels is made when Recur is
// built (lib/Kernels).
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_SHAREDKERNELS_H
#define RECUR_TARGET_SHAREDKERNELS_H

#include "Recur/Target/ModelModule.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/ThreadPool.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace recur {

struct PartCode;

/// The shared kernels of one model. Their code depends on their names alone, not on what the process has compiled
/// before, and not on the number of threads.
class SharedKernels {
public:
  /// For a model that emitModule writes as an object or as assembly, if `areAssembly` is set, or as LLVM IR.
  /// `levels` must live as long as the kernels.
  SharedKernels(bool areAssembly, Levels levels, unsigned optLevel)
      : isAssembly(areAssembly), levels(levels), optLevel(optLevel) {}
  /// Waits for the threads.
  ~SharedKernels();

  /// True if the kernels of a model can have code of their own: LLVM optimizes, and the assembly of x86-64 can be put
  /// together.
  bool isPossible() const;

  /// Tells what the code of kernels for the CPU of `levels[level]` depends on besides the kernels.
  std::string describeTarget(size_t level) const;

  /// The same for kernels that are common to CPUs with vectors of one width (findCommonCPU). Empty if there are none.
  std::string describeCommonTarget(size_t level) const;

  /// True if the process has code for the kernel `name`, or generates it for this model.
  bool hasCode(llvm::StringRef name);

  /// Makes an LLVM module with a kernel, for a machine, in a thread.
  using Make =
      std::function<llvm::Expected<std::unique_ptr<llvm::Module>>(llvm::LLVMContext &, const llvm::TargetMachine &)>;

  /// Begins to generate the code of the kernel `name` for the CPU of `levels[level]`, or for the one that it has in
  /// common with others. hasCode must have returned false.
  void generate(llvm::StringRef name, size_t level, bool isCommon, Make make);

  /// Takes the kernels that have code, and RECUR_SHARED_ATTRIBUTE, out of the module, which keeps declarations of them.
  /// The module may have declarations before, too. Comes before hashLayout: who wants remarks has kernels until then.
  void take(llvm::Module &module);

  /// Waits for the code: the name and the assembly, or the bitcode, of each kernel that the module still calls, in the
  /// order of take.
  std::vector<std::pair<llvm::StringRef, const PartCode *>> getCode(const llvm::Module &module);

  /// Waits for the kernels, and puts them back into the module, optimized. They must not be assembly.
  llvm::Error putBack(llvm::Module &module);

  bool empty() const { return names.empty(); }
  bool areAssembly() const { return isAssembly; }

private:
  bool isAssembly;
  Levels levels;
  unsigned optLevel;
  /// The kernels of the module, in its order, and the code of these and others, which a thread may be generating.
  std::vector<std::string> names;
  llvm::StringMap<std::shared_ptr<const PartCode>> codes;
  std::optional<llvm::DefaultThreadPool> threads;
  /// True if nobody needs the code any more.
  std::atomic<bool> isCancelled = false;
};

/// Writes the code of all kernels that this process has generated.
void saveKernels(llvm::raw_ostream &os);

/// Lets models find the kernels that saveKernels wrote. `saved` must live as long as the process.
void addSavedKernels(llvm::StringRef saved);

} // namespace recur

#endif // RECUR_TARGET_SHAREDKERNELS_H
