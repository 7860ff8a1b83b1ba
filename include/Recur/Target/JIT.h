// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- JIT.h - an object in this process ------------------------*- C++ -*-===//
#ifndef RECUR_TARGET_JIT_H
#define RECUR_TARGET_JIT_H

#include "Recur/Target/EntryPoints.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace recur {

/// A model's object, linked into this process. The code goes with it.
class JITModel {
public:
  /// An object for this machine, emitted with WeightsPlacement::External. The weights are 64-byte aligned (or empty),
  /// and outlive the model.
  static llvm::Expected<std::unique_ptr<JITModel>> create(std::unique_ptr<llvm::MemoryBuffer> object,
                                                          llvm::StringRef modelName, llvm::ArrayRef<uint8_t> weights);
  ~JITModel();

  const recur_entry_points &entryPoints() const { return entries; }

private:
  explicit JITModel(std::unique_ptr<llvm::orc::LLJIT> jit);

  std::unique_ptr<llvm::orc::LLJIT> jit;
  recur_entry_points entries = {};
};

} // namespace recur

#endif // RECUR_TARGET_JIT_H
