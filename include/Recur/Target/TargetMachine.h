// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TargetMachine.h - which machine to compile for -----------*- C++ -*-===//
#ifndef RECUR_TARGET_TARGETMACHINE_H
#define RECUR_TARGET_TARGETMACHINE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace recur {

struct TargetConfig {
  /// Empty: this machine's.
  std::string triple;
  /// Empty: "x86-64-v3" for x86-64, else what LLVM calls generic. "native": this machine's, with its features.
  std::string cpu;
  /// As in --mattr: "+avx512f,-fma".
  std::string features;
  /// 0 to 3.
  unsigned optLevel = 3;

  /// This machine, as far as it goes.
  static TargetConfig forHost();
};

/// Checks names that LLVM would only warn about. Position-independent code, always.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const TargetConfig &options);

/// The bits of CPUFeatures.def that code for the machine may use.
uint64_t requiredFeatures(const llvm::TargetMachine &machine);

/// Their names, joined by commas.
std::string featureNames(uint64_t mask);

/// Triple and data layout, and for functions without them CPU and features: passes on the module read all of them
/// (without a triple LLVM expands memcpy into byte loops).
void setTarget(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace recur

#endif // RECUR_TARGET_TARGETMACHINE_H
