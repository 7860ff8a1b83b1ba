// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoadedModel.h - a model's shared library in this process -*- C++ -*-===//
//
// Loads the shared library of a model with the loader of the system, as a program that is linked with it would.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_LOADEDMODEL_H
#define RECUR_TARGET_LOADEDMODEL_H

#include "Recur/Target/EntryPoints.h"
#include "Recur/Target/ModelDescription.h"
#include "Recur/Target/Profile.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>

namespace recur {

/// A model's shared library, loaded into this process. The destructor unloads it.
class LoadedModel {
public:
  /// Loads the file `path`. The functions are those of `entry`; without it, those of NAME_run if the library has it,
  /// and otherwise those of NAME_step. Fails if the file cannot be read or loaded, if it does not have exactly one
  /// model, or if the model does not have the entry.
  static llvm::Expected<std::unique_ptr<LoadedModel>> open(llvm::StringRef path,
                                                           std::optional<Entry> entry = std::nullopt);
  /// Loads a library from memory, as `open` does.
  static llvm::Expected<std::unique_ptr<LoadedModel>> create(std::unique_ptr<llvm::MemoryBuffer> library,
                                                             std::optional<Entry> entry = std::nullopt);
  ~LoadedModel();

  /// The functions of the model, valid as long as this object lives.
  const recur_entry_points &entryPoints() const { return entries; }
  /// The entry of these functions.
  Entry entry() const { return loadedEntry; }
  /// The function NAME_profile of the entry, or null if the model measures nothing.
  recur_profile_reader profileReader() const { return reader; }
  /// The bytes of the library.
  llvm::StringRef bytes() const { return library->getBuffer(); }

private:
  explicit LoadedModel(std::unique_ptr<llvm::MemoryBuffer> library) : library(std::move(library)) {}
  /// Loads the file `path`, which has the bytes of the library. Messages call it by the name of the buffer.
  llvm::Error load(const char *path, std::optional<Entry> wanted);

  std::unique_ptr<llvm::MemoryBuffer> library;
  void *handle = nullptr;
  recur_entry_points entries = {};
  Entry loadedEntry = Entry::Run;
  recur_profile_reader reader = nullptr;
};

} // namespace recur

#endif // RECUR_TARGET_LOADEDMODEL_H
