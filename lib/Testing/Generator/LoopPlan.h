// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopPlan.h - a loop under construction -------------------*- C++ -*-===//
//
// A TensorIterator or Loop is planned in steps: inputs, carried values and condition first, then the ops of its body,
// then its outputs. This struct keeps the plan between the steps.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TESTING_GENERATOR_LOOPPLAN_H
#define RECUR_LIB_TESTING_GENERATOR_LOOPPLAN_H

#include "Build.h"

namespace recur::fuzz {

/// A loop under construction.
struct Builder::LoopPlan {
  LoopPlan(Scope &outer, bool isLoop)
      : outer(outer), body{graph, {}, outer.depth + 1, outer.most, outer.iterations}, isLoop(isLoop) {}

  enum Kind { Plain, Growing, Counter, Filled };
  struct Carried {
    Value parameter;
    Kind kind = Plain;
    int64_t axis = 0;
    /// The index of the carried value whose value this one takes in the next iteration.
    std::optional<unsigned> source;
  };

  int addInput(const Value &value) {
    node.inputs.push_back(value.ref);
    for (Value &other : outer.pool)
      if (other.ref.node == value.ref.node && other.ref.port == value.ref.port)
        other.isUsed = true;
    return node.inputs.size() - 1;
  }

  int64_t mostIterations() const { return count >= 0 ? count : most; }

  Scope &outer;
  Graph graph;
  Scope body;
  bool isLoop;
  Node node;
  std::vector<PortEntry> entries;
  std::vector<Carried> carried;
  /// Values of the body that count the iterations: 0, 1, 2, …
  std::vector<Value> counters;
  /// The condition of the body. A TensorIterator has none.
  std::optional<Value> condition;
  /// The number of iterations, or -1 if it is known only at run time. It is at most `most`.
  int64_t count = -1, most = 0;
  bool isStaticCount = false;
  /// Symbols up to this one belong to dims that exist outside the loop.
  unsigned lastOuterSymbol = 0;
};

} // namespace recur::fuzz

#endif // RECUR_LIB_TESTING_GENERATOR_LOOPPLAN_H
