// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelFile.h - a compiled model as bytes ------------------*- C++ -*-===//
//
// The form in which a model that was compiled for a JIT is kept in a file or travels to another process.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_COMPILER_MODELFILE_H
#define RECUR_COMPILER_MODELFILE_H

#include "Recur/Compiler/Compiler.h"

#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/raw_ostream.h"

namespace recur {

using ContentHash = llvm::BLAKE3Result<32>;

/// A hash of fields. Each is preceded by its length, so that no two lists of fields are the same bytes.
class FieldHasher {
public:
  void add(llvm::StringRef field) {
    uint64_t size = field.size();
    hasher.update(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&size), sizeof(size)));
    hasher.update(field);
  }
  void addNumber(uint64_t number) { add(llvm::StringRef(reinterpret_cast<const char *>(&number), sizeof(number))); }
  ContentHash result() { return hasher.final<32>(); }

private:
  llvm::BLAKE3 hasher;
};

/// Writes the packed weights and the object of a model. `key` says which model they belong to.
void writeModelFile(llvm::raw_ostream &os, const ContentHash &key, const CompiledModel &model);

/// Reads what writeModelFile has written. Fails if `bytes` are not exactly what was written for `key`. The result has
/// no description.
mlir::FailureOr<CompiledModel> readModelFile(llvm::StringRef bytes, const ContentHash &key);

/// True if `bytes` begin as those of writeModelFile do.
bool isModelFile(llvm::StringRef bytes);

} // namespace recur

#endif // RECUR_COMPILER_MODELFILE_H
