// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Diagnostics.h - How the tools print diagnostics ----------*- C++ -*-===//
//
// The tools report an error of a model at its line and column of the XML or MLIR text, with that line.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_COMPILER_DIAGNOSTICS_H
#define RECUR_COMPILER_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

#include <functional>

namespace llvm {
class raw_ostream;
class SourceMgr;
} // namespace llvm

namespace recur {

struct Remark;

/// Prints the diagnostics of a context as `model.xml:41:17: error: ...`, with the source line and a caret under the
/// column. Of a long line it prints only the part around the column. `sources` holds the source texts; their buffer
/// names must be the file names in the locations. The handler is active as long as this object lives.
class DiagnosticPrinter : public mlir::ScopedDiagnosticHandler {
public:
  DiagnosticPrinter(const llvm::SourceMgr &sources, mlir::MLIRContext *context, llvm::raw_ostream &os);

  /// Prints a remark in the same way, with its kind if it is a missed one, its pass and its name.
  void print(const Remark &remark) const;

  /// Called before each message, e.g. to remove what else the terminal shows. May be null.
  std::function<void()> prepare;

private:
  void print(mlir::Location loc, mlir::DiagnosticSeverity severity, const llvm::Twine &message) const;

  const llvm::SourceMgr &sources;
  llvm::raw_ostream &os;
};

} // namespace recur

#endif // RECUR_COMPILER_DIAGNOSTICS_H
