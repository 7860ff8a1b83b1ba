// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- States.h - ReadValue and Assign --------------------------*- C++ -*-===//
//
// The inverse of the importer's States.cpp. A state is two arguments of the function, its value and whether it was set,
// and a result, its next value. A ReadValue with an initial value is the ops that choose between the two.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_EXPORT_OPENVINOIR_STATES_H
#define RECUR_LIB_EXPORT_OPENVINOIR_STATES_H

#include "Recur/Dialect/OV/IR/StateReads.h"

namespace recur::ir {

class GraphWriter;

/// Writes a ReadValue that gives `result`. Fails with an error at `user`.
llvm::LogicalResult writeRead(GraphWriter &graph, const ov::StateRead &read, mlir::Value result, mlir::Operation *user);

/// Writes the Assign of a state that has one. Fails with an error at `user`.
llvm::LogicalResult writeAssign(GraphWriter &graph, const ov::State &state, mlir::Operation *user);

} // namespace recur::ir

#endif // RECUR_LIB_EXPORT_OPENVINOIR_STATES_H
