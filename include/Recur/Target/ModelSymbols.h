// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelSymbols.h - the functions of a model by name --------*- C++ -*-===//
//
// A model's functions are the symbols NAME_info, NAME_init and so on. These functions find the name and the entries of
// a model in its object or library, and fill the table of its functions.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_MODELSYMBOLS_H
#define RECUR_TARGET_MODELSYMBOLS_H

#include "Recur/Target/EntryPoints.h"
#include "Recur/Target/ModelDescription.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <optional>
#include <string>

namespace recur {

/// Fills the table of the functions of the model `modelName` for `entry`. `find` returns the address of a symbol. Fails
/// with the first error of `find`.
llvm::Error resolveEntryPoints(llvm::StringRef modelName,
                               llvm::function_ref<llvm::Expected<void *>(llvm::StringRef)> find,
                               recur_entry_points &entries, Entry entry = Entry::Run);

/// What the symbols of an object file or a shared library say about its model.
struct ModelSymbols {
  /// The prefix of the functions.
  std::string name;
  /// The entries that the model has: one or both, in the order of Entry.
  llvm::SmallVector<Entry, 2> entries;
  /// True if it measures its layers: each entry has NAME_profile.
  bool hasProfile = false;
};

/// Finds the model of an object file or a shared library. Fails if the bytes are neither, or if they have no model or
/// several.
llvm::Expected<ModelSymbols> findModel(llvm::MemoryBufferRef file);

/// The entry of the table that a caller gets: `wanted`, or the first one that the model has. Fails if the model lacks
/// `wanted`; `file` is the name of its file in the message.
llvm::Expected<Entry> chooseEntry(const ModelSymbols &model, std::optional<Entry> wanted, llvm::StringRef file);

} // namespace recur

#endif // RECUR_TARGET_MODELSYMBOLS_H
