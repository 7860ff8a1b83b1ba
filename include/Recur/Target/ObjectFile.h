// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ObjectFile.h - work on finished objects ------------------*- C++ -*-===//
#ifndef RECUR_TARGET_OBJECTFILE_H
#define RECUR_TARGET_OBJECTFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace recur {

/// Calls pack on the bytes of the weights section, which are zero, a multiple of 64, and at least as many as the
/// weights; an ELF object of this compiler.
llvm::Error patchWeights(llvm::MutableArrayRef<char> object,
                         llvm::function_ref<llvm::Error(llvm::MutableArrayRef<char>)> pack);

/// What an object promises: undefined are at most memcpy, memmove, memset and the names in `allowed`; every symbol
/// that others see begins with the model's name and an underscore; no section is writable (but .data.rel.ro).
llvm::Error checkObject(llvm::ArrayRef<char> object, llvm::StringRef modelName,
                        llvm::ArrayRef<llvm::StringRef> allowed = {});

/// Writes a product whole or not at all: to a temporary file that is renamed when everything was written. "-" is
/// standard output. An error names the path.
llvm::Error writeProduct(llvm::StringRef path, llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write);
llvm::Error writeProduct(llvm::StringRef path, llvm::ArrayRef<char> bytes);

} // namespace recur

#endif // RECUR_TARGET_OBJECTFILE_H
