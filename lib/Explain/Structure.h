// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Structure.h - the loops of a module ----------------------*- C++ -*-===//
//
// Reads what loops slice, carry and concatenate from a module of ov.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_EXPLAIN_STRUCTURE_H
#define RECUR_LIB_EXPLAIN_STRUCTURE_H

#include "Recur/Explain/Explanation.h"

#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace recur {

/// Describes the loops, and counts the layers, of a module of Stage::Simplify or before. `sources` has its text.
ExplainedBody describeStructure(mlir::ModuleOp module, const llvm::SourceMgr &sources);

} // namespace recur

#endif // RECUR_LIB_EXPLAIN_STRUCTURE_H
