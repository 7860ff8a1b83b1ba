// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopPlan.h - a loop that is being made -------------------*- C++ -*-===//
#ifndef RECUR_TOOLS_IR_FUZZ_LOOPPLAN_H
#define RECUR_TOOLS_IR_FUZZ_LOOPPLAN_H

#include "Build.h"

namespace recur::fuzz {

/// A loop that is being made.
struct Builder::LoopPlan {
  LoopPlan(Scope &outer, bool isLoop) : outer(outer), body{graph, {}, outer.depth + 1, outer.most, outer.iterations}, isLoop(isLoop) {}

  enum Kind { Plain, Growing, Counter, Filled };
  struct Carried {
    Value parameter;
    Kind kind = Plain;
    int64_t axis = 0;
    /// Takes the value of that one.
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
  /// What is 0, 1, 2, … in the body.
  std::vector<Value> counters;
  /// The body's condition; none of a TensorIterator.
  std::optional<Value> condition;
  /// The iterations, or -1 where only the run tells; no more than `most`.
  int64_t count = -1, most = 0;
  bool isStaticCount = false;
  /// Symbols up to this one mean something outside.
  unsigned lastOuterSymbol = 0;
};

} // namespace recur::fuzz

#endif // RECUR_TOOLS_IR_FUZZ_LOOPPLAN_H
