// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Explain.h - shows what a model does ----------------------*- C++ -*-===//
//
// `explain` reads the loops of a model, follows it through the compiler, and measures its layers if that is asked for.
// `printText` and `printPage` show the result.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_EXPLAIN_EXPLAIN_H
#define RECUR_EXPLAIN_EXPLAIN_H

#include "Recur/Compiler/Compiler.h"
#include "Recur/Explain/Explanation.h"

namespace recur {

/// Explains a model of Stage::Simplify or before, which stays as it is. `sources` has its text, and `path` is its file.
/// The model is compiled for this machine as `options` say. With `measures`, it is also called, with random inputs, to
/// measure its layers; then all dims of its inputs must be known. Errors of the compiler are diagnostics of the context
/// too.
llvm::Expected<Explanation> explain(Model &model, const llvm::SourceMgr &sources, llvm::StringRef path,
                                    const CompileOptions &options, bool measures);

/// Prints the explanation for a terminal. Bytes of names that are not printable ASCII are escaped.
void printText(llvm::raw_ostream &os, const Explanation &explanation);

/// Prints the explanation as a page of HTML, with pictures. It has no scripts, and loads nothing.
void printPage(llvm::raw_ostream &os, const Explanation &explanation);

} // namespace recur

#endif // RECUR_EXPLAIN_EXPLAIN_H
