// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelSymbols.h - the functions of a model by name --------*- C++ -*-===//
//
// A model's functions are the symbols NAME_info, NAME_init and so on. These functions find the name of a model in its
// object or library, and fill the table of its functions.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_MODELSYMBOLS_H
#define RECUR_TARGET_MODELSYMBOLS_H

#include "Recur/Target/EntryPoints.h"
#include "Recur/Target/ModelDescription.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <string>

namespace recur {

/// Fills the table of the functions of the model `modelName` for `entry`. `find` returns the address of a symbol. Fails
/// with the first error of `find`.
llvm::Error resolveEntryPoints(llvm::StringRef modelName,
                               llvm::function_ref<llvm::Expected<void *>(llvm::StringRef)> find,
                               recur_entry_points &entries, Entry entry = Entry::Run);

/// The name of the model in an object file or a shared library. Fails if the bytes are neither, or if they have no
/// model or several.
llvm::Expected<std::string> findModelName(llvm::MemoryBufferRef file);

} // namespace recur

#endif // RECUR_TARGET_MODELSYMBOLS_H
