// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- JIT.h - an object in this process ------------------------*- C++ -*-===//
//
// Links the object file of a model into this process, so that tools and tests can run it without a linker.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_JIT_H
#define RECUR_TARGET_JIT_H

#include "Recur/Target/EntryPoints.h"
#include "Recur/Target/ModelDescription.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace recur {

/// Links an object file into this process, for as long as the result lives. `addresses` are its undefined symbols.
llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
linkObject(std::unique_ptr<llvm::MemoryBuffer> object,
           llvm::ArrayRef<std::pair<llvm::StringRef, const void *>> addresses = {});

/// A model's object file, linked into this process. The destructor frees the code.
class JITModel {
public:
  /// Links `object`, which must be compiled for this machine with WeightsPlacement::External. `weights` are the packed
  /// weights; they must be 64-byte aligned (or empty) and outlive the JITModel. `entry` is one that the object has; the
  /// member `run` of its functions is that of this entry. Fails if a symbol is missing.
  static llvm::Expected<std::unique_ptr<JITModel>> create(std::unique_ptr<llvm::MemoryBuffer> object,
                                                          llvm::StringRef modelName, llvm::ArrayRef<uint8_t> weights,
                                                          Entry entry = Entry::Run);
  ~JITModel();

  /// The functions of the model, valid as long as this object lives.
  const recur_entry_points &entryPoints() const { return entries; }
  /// The address of another function of the object, valid as long. Fails if there is none.
  llvm::Expected<void *> find(llvm::StringRef symbol) const;

private:
  explicit JITModel(std::unique_ptr<llvm::orc::LLJIT> jit);

  std::unique_ptr<llvm::orc::LLJIT> jit;
  recur_entry_points entries = {};
};

} // namespace recur

#endif // RECUR_TARGET_JIT_H
