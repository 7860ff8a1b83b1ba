// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Report.h - what a compilation made -----------------------*- C++ -*-===//
//
// The report of `ir-compile -v`.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_COMPILER_REPORT_H
#define RECUR_COMPILER_REPORT_H

#include "Recur/Compiler/Compiler.h"

namespace recur {

/// A file that a tool wrote: its path, and the bytes.
struct WrittenFile {
  llvm::StringRef path;
  llvm::ArrayRef<char> bytes;
};

/// Prints a line for each tensor, e.g. "input 0: f32 [2,?] x"; `kind` is its first word.
void printTensors(llvm::raw_ostream &os, llvm::StringRef kind, llvm::ArrayRef<TensorDescription> tensors);

/// Describes a compiled model: the subjects, such as "code", and the words for each, such as "512 bytes". If `isObject`
/// is not set, `model.output` is text, and the sizes and symbols of an object are left out.
std::vector<std::pair<llvm::StringRef, std::string>> describeProduct(const CompiledModel &model, bool isObject);

/// Prints what a compiled model takes and gives, its sizes, what it needs from others, the time of each stage of its
/// compilation, and the SHA-256 of each file. `isObject` is that of describeProduct.
void printReport(llvm::raw_ostream &os, const CompiledModel &model, bool isObject, llvm::ArrayRef<WrittenFile> files);

} // namespace recur

#endif // RECUR_COMPILER_REPORT_H
