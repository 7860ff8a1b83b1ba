// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- States.h - ReadValue and Assign --------------------------*- C++ -*-===//
//
// The inverse of the importer's States.cpp. A state is two arguments of the function, its value and whether it was set,
// and a result, its next value. A ReadValue with an initial value is the ops that choose between the two.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_EXPORT_OPENVINOIR_STATES_H
#define RECUR_LIB_EXPORT_OPENVINOIR_STATES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace recur::ir {

class GraphWriter;

/// A state of the model.
struct State {
  std::string name;
  /// The arguments of the function: the value, and whether it was set since the last reset.
  mlir::BlockArgument value, isSet;
  /// The next value, or null if no Assign writes the state.
  mlir::Value next;
};

/// A ReadValue of a state. If both initial values are null, it has none.
struct StateRead {
  const State *state;
  /// The initial value: a value of the function, or a constant that the function does not have in this form.
  mlir::Value init = {};
  mlir::TypedAttr constantInit = {};
};

/// The ReadValues of a model, by the values that they give.
using StateReads = llvm::DenseMap<mlir::Value, StateRead>;

/// The states of a function, in order.
std::vector<State> findStates(mlir::func::FuncOp func);

/// Finds the values that choose between a state and an initial value. The states must outlive the result.
StateReads findReads(llvm::ArrayRef<State> states);

/// Writes a ReadValue that gives `result`. Fails with an error at `user`.
llvm::LogicalResult writeRead(GraphWriter &graph, const StateRead &read, mlir::Value result, mlir::Operation *user);

/// Writes the Assign of a state that has one. Fails with an error at `user`.
llvm::LogicalResult writeAssign(GraphWriter &graph, const State &state, mlir::Operation *user);

} // namespace recur::ir

#endif // RECUR_LIB_EXPORT_OPENVINOIR_STATES_H
