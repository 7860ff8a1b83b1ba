// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StateReads.h - States and their initial values -----------*- C++ -*-===//
//
// The importer turns a state into two arguments of the function, its value and whether it was set, and a result, its
// next value. A ReadValue with an initial value becomes the ops that choose between the two. This header finds both
// again.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_STATEREADS_H
#define RECUR_DIALECT_OV_IR_STATEREADS_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

#include <string>
#include <vector>

namespace recur::ov {

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
std::vector<State> findStates(mlir::FunctionOpInterface func);

/// Finds the values that choose between a state and an initial value. The states must outlive the result.
StateReads findReads(llvm::ArrayRef<State> states);

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_STATEREADS_H
