// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ObjectFile.h - work on finished objects ------------------*- C++ -*-===//
//
// The steps after code generation: the weights are written into the object file, its symbols and sections are checked,
// and it is written to disk.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TARGET_OBJECTFILE_H
#define RECUR_TARGET_OBJECTFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace recur {

/// Calls `pack` with the bytes of the weights section of `object`, an ELF object file of this compiler. The bytes are
/// zero; their number is a multiple of 64 and at least the size of the weights. Fails if there is no such section.
llvm::Error patchWeights(llvm::MutableArrayRef<char> object,
                         llvm::function_ref<llvm::Error(llvm::MutableArrayRef<char>)> pack);

/// Checks the promises of an object file: only the names in `allowed`, and those that begin with `allowedPrefix` if it
/// is not empty, are undefined symbols; the name of every global symbol begins with the model's name and an underscore;
/// no section is writable, except .data.rel.ro; there are no constructors or destructors.
llvm::Error checkObject(llvm::ArrayRef<char> object, llvm::StringRef modelName,
                        llvm::ArrayRef<llvm::StringRef> allowed = {}, llvm::StringRef allowedPrefix = "");

/// What a report says of an object file.
struct ObjectFacts {
  /// The bytes of code, and those of constants without the weights.
  uint64_t codeBytes = 0, constantBytes = 0;
  /// The symbols that other code must define, sorted.
  std::vector<std::string> undefined;
};

/// Reads the facts of an object that checkObject has accepted. Fails if it is no ELF object file.
llvm::Expected<ObjectFacts> readObjectFacts(llvm::ArrayRef<char> object);

/// Writes an output file of a tool completely or not at all: to a temporary file, which is renamed at the end. "-" is
/// standard output. Devices and pipes are written in place. An error message contains the path.
llvm::Error writeProduct(llvm::StringRef path, llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write);
llvm::Error writeProduct(llvm::StringRef path, llvm::ArrayRef<char> bytes);

} // namespace recur

#endif // RECUR_TARGET_OBJECTFILE_H
