// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoadedModel.h - a model's shared library in this process -*- C++ -*-===//
//
// Loads the shared library of a model with the loader of the system, as a program that is linked with it would.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_LOADEDMODEL_H
#define RECUR_TARGET_LOADEDMODEL_H

#include "Recur/Target/EntryPoints.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace recur {

/// A model's shared library, loaded into this process. The destructor unloads it.
class LoadedModel {
public:
  /// Loads the file `path`. Fails if it cannot be read or loaded, or if it does not have exactly one model.
  static llvm::Expected<std::unique_ptr<LoadedModel>> open(llvm::StringRef path);
  /// Loads a library from memory, as `open` does.
  static llvm::Expected<std::unique_ptr<LoadedModel>> create(std::unique_ptr<llvm::MemoryBuffer> library);
  ~LoadedModel();

  /// The functions of the model, valid as long as this object lives.
  const recur_entry_points &entryPoints() const { return entries; }
  /// The bytes of the library.
  llvm::StringRef bytes() const { return library->getBuffer(); }

private:
  explicit LoadedModel(std::unique_ptr<llvm::MemoryBuffer> library) : library(std::move(library)) {}
  /// Loads the file `path`, which has the bytes of the library. Messages call it by the name of the buffer.
  llvm::Error load(const char *path);

  std::unique_ptr<llvm::MemoryBuffer> library;
  void *handle = nullptr;
  recur_entry_points entries = {};
};

} // namespace recur

#endif // RECUR_TARGET_LOADEDMODEL_H
