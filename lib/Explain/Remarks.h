// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Remarks.h - the decisions of the compiler ----------------*- C++ -*-===//
//
// Collects the remarks of passes.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_EXPLAIN_REMARKS_H
#define RECUR_LIB_EXPLAIN_REMARKS_H

#include "Recur/Explain/Explanation.h"

#include "mlir/IR/MLIRContext.h"

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace recur {

/// Collects all remarks of a context, each one once, as long as it lives: those of the remark engine, and those that
/// are diagnostics. A context has no engine before, and none afterwards.
class RemarkCollector {
public:
  /// `sources` has the text of the model.
  RemarkCollector(mlir::MLIRContext &context, const llvm::SourceMgr &sources);
  ~RemarkCollector();

  std::vector<ExplainedRemark> remarks;

private:
  mlir::MLIRContext &context;
  mlir::DiagnosticEngine::HandlerID handler;
};

} // namespace recur

#endif // RECUR_LIB_EXPLAIN_REMARKS_H
