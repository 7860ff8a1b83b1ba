// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TargetMachine.h - which machine to compile for -----------*- C++ -*-===//
//
// Chooses LLVM's target machine from the options of the user, and lists the CPU features that the code may use.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_TARGETMACHINE_H
#define RECUR_TARGET_TARGETMACHINE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace recur {

/// The machine to generate code for.
struct TargetConfig {
  /// Empty: the triple of this machine.
  std::string triple;
  /// Empty: "x86-64-v3" for x86-64, else "generic". "native": the CPU of this machine, with all its features.
  std::string cpu;
  /// Features to add or remove, as in --mattr: "+avx512f,-fma".
  std::string features;
  /// The CPUs for each of which an object shall have code, its levels, in any order. Empty: `cpu` alone. With levels,
  /// `cpu` and `features` are empty.
  std::vector<std::string> levels;
  /// The optimization level of code generation, 0 to 3.
  unsigned optLevel = 3;

  /// A configuration with the triple, CPU and features of this machine.
  static TargetConfig forHost();
};

/// LLVM's name of the CPU of this machine. LLVM goes by family and model, which a virtual machine may not tell: if
/// another CPU has all features of CPUFeatures.def that the named one has here, and more that this machine has, it is
/// that one, because the name chooses the costs of instructions.
std::string getHostCPU();

/// Registers the targets that createTargetMachine supports, once. Several threads may call it at once.
void initializeTargets();

/// Creates LLVM's target machine for position-independent code and for TargetConfig::cpu. Supports x86-64, aarch64 and
/// riscv64 with ELF. Fails if the target, the CPU or a feature is unknown; LLVM itself would only warn about the last
/// two.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const TargetConfig &options);

/// The levels of an object for which the user names no CPU: "x86-64-v2", "x86-64-v3" and "x86-64-v4" for x86-64. Empty
/// for other machines, of which an object has code for one CPU. An empty `triple` is that of this machine.
std::vector<std::string> getDefaultLevels(llvm::StringRef triple);

/// Creates the target machines of the levels of an object, from the least to the best one: at least one. Fails if a
/// machine cannot be created, if two levels have the same features, or if the target is not x86-64 and has several.
llvm::Expected<llvm::SmallVector<std::unique_ptr<llvm::TargetMachine>>> createLevels(const TargetConfig &options);

/// The machine of `levels` that `function` is for, by its CPU; the first one if none is.
const llvm::TargetMachine &findLevel(const llvm::Function &function,
                                     llvm::ArrayRef<std::unique_ptr<llvm::TargetMachine>> levels);

/// The features of CPUFeatures.def that code for the machine may use, as a bit mask; 0 for other machines than x86-64.
uint64_t requiredFeatures(const llvm::TargetMachine &machine);

/// The names of the features in `mask`, joined by commas.
std::string featureNames(uint64_t mask);

/// The width of a vector register of the machine in bits.
unsigned vectorBits(const llvm::TargetMachine &machine);

/// The CPU of the default levels whose code has vectors of the machine's width and runs on it: x86-64-v3 or x86-64-v4.
/// Empty if there is none.
llvm::StringRef findCommonCPU(const llvm::TargetMachine &machine);

/// True if the machine has an instruction that adds the products of two pairs of bf16 to each f32 of a vector, and it
/// takes no longer than a multiply-add.
bool hasFastDots(const llvm::TargetMachine &machine);

/// Sets the triple and the data layout of the module, and the CPU and the features of each function that has none.
/// Passes read all of these; without a triple, for example, LLVM expands memcpy into byte loops.
void setTarget(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace recur

#endif // RECUR_TARGET_TARGETMACHINE_H
