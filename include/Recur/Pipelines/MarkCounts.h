// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MarkCounts.h - Passes that drop marks --------------------*- C++ -*-===//
//
// Some attributes of the rt dialect are marks: they stand on ops of other dialects, and what the code computes depends
// on them. A pattern that replaces such an op by a new one of its kind drops its marks without a word. This
// instrumentation counts the ops of the kind with and without the mark before and after each pass.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_PIPELINES_MARKCOUNTS_H
#define RECUR_PIPELINES_MARKCOUNTS_H

#include "mlir/Pass/PassInstrumentation.h"

#include <atomic>
#include <memory>

namespace recur {

/// A mark: an attribute of ops that are not of our dialects.
struct Mark {
  llvm::StringLiteral name;
  /// The names of the ops that have it.
  llvm::ArrayRef<llvm::StringLiteral> kinds;
  /// The mark says this of an op, and without it nothing else does.
  llvm::StringLiteral meaning;
  /// The passes that do what the mark says, after which ops of these kinds need none.
  llvm::ArrayRef<llvm::StringLiteral> consumers;
};

/// All marks that RT.h and SumOrder.h describe.
llvm::ArrayRef<Mark> getMarks();

/// Emits an error at the function or the module if a pass that is no consumer of a mark leaves fewer ops with it, and
/// more ops of these kinds without it, and sets `hasDropped` then. A pass may erase ops, and merge equal ones. One that
/// drops a mark is not found if it also copies an op with the mark, or erases one of the kind without it.
std::unique_ptr<mlir::PassInstrumentation> createMarkCounts(std::atomic<bool> &hasDropped);

} // namespace recur

#endif // RECUR_PIPELINES_MARKCOUNTS_H
