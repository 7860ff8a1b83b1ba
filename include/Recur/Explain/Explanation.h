// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Explanation.h - what a model does, as data ---------------*- C++ -*-===//
//
// The facts that ir-explain shows, without MLIR: texts and numbers that printText and printPage put into words and
// pictures. Names come from the file of the model, and may have any bytes.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_EXPLAIN_EXPLANATION_H
#define RECUR_EXPLAIN_EXPLANATION_H

#include "Recur/Compiler/Summary.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace recur {

/// A layer, and where it is in the text of the model. `name` and `id` are empty, and `line` is 0, if they are not
/// known.
struct LayerPlace {
  std::string name, id, file;
  unsigned line = 0, column = 0;

  bool operator==(const LayerPlace &other) const = default;
  /// The line and column, which tell layers of a file apart.
  std::pair<unsigned, unsigned> getKey() const { return {line, column}; }
  /// The file, line and column, such as "model.xml:34:3"; empty if they are not known.
  std::string describe() const;
};

/// The number of layers of each type, such as "Add".
using CountsByType = std::map<std::string, unsigned>;

/// A part of an input that each iteration reads.
struct ExplainedSlice {
  /// The input, and its type.
  std::string value, type;
  std::string partType;
  int64_t axis, partSize, start, end, stride;
  /// The bytes of a part, if its dims are known.
  std::optional<double> bytes;

  bool operator==(const ExplainedSlice &other) const = default;
  /// How the input is taken apart, such as "along axis 0, 1 at a time".
  std::string describe() const;
};

/// A value that passes from one iteration to the next.
struct ExplainedState {
  /// `initial` is the value before the first iteration, and `user` is where that of the last one goes: outputs and
  /// layers. It is empty if nothing reads it.
  std::string name, initial, type, user;
  std::optional<double> bytes;

  bool operator==(const ExplainedState &other) const = default;
};

/// A value that a loop gives besides its states: the parts of all iterations, or the value of the last one.
struct ExplainedResult {
  /// Where it goes: outputs and layers. Empty if nothing reads it.
  std::string user, type, partType;
  /// The axis of a concatenation; nullopt for the value of the last iteration.
  std::optional<int64_t> axis;
  /// True if the part of the last iteration comes first.
  bool isReverse = false;
  std::optional<double> bytes;

  bool operator==(const ExplainedResult &other) const = default;
  /// How it is put together, such as "concatenated along axis 0".
  std::string describe() const;
};

/// A value from outside of a loop that each iteration reads whole.
struct ExplainedRead {
  std::string value, type;

  bool operator==(const ExplainedRead &other) const = default;
};

/// The work of an iteration of a loop, or of what is outside of all loops.
struct ExplainedWork {
  /// The operations on real numbers, and all iterations of a call. Nullopt if it depends on the call.
  std::optional<double> flops, iterations;
  /// The bytes of the constants that are read.
  double weightBytes = 0;
};

struct ExplainedLoop;

/// A box in the flow of data through a body.
struct ExplainedBox {
  enum class Kind { Input, Layers, Loop, Output };
  Kind kind;
  /// The number of the input, the loop or the output. In the model, states come behind the other inputs and outputs.
  /// In a loop, one input stands for all that an iteration reads, and one output for all that it gives.
  size_t index = 0;
  /// The layers of a box of layers.
  CountsByType layers = {};
};

/// An arrow from a box of a body to a later one.
struct ExplainedFlow {
  size_t from, to;
  /// The tensors that flow, each with its name and type.
  std::vector<std::string> tensors;
};

/// The body of a loop, or the model.
struct ExplainedBody {
  /// Inputs, layers and loops in the order of the model, and outputs. Layers are in one box if the same loops come
  /// before them, and the same loops after them, so the flow has no cycles.
  std::vector<ExplainedBox> boxes;
  std::vector<ExplainedFlow> flows;
  /// In the order of the model.
  std::vector<ExplainedLoop> loops;
  /// Nullopt if it is not known which code belongs to it.
  std::optional<ExplainedWork> work;
  /// Line and column of all layers, without those of loops in it.
  std::set<std::pair<unsigned, unsigned>> places;

  CountsByType countLayers() const;
};

struct ExplainedLoop {
  LayerPlace layer;
  /// The type of the layer, such as "TensorIterator".
  std::string type;
  /// The number of iterations, such as "dim 0 of x" or "until go is false".
  std::string count;
  std::vector<ExplainedSlice> slices;
  std::vector<ExplainedState> states;
  std::vector<ExplainedResult> results;
  /// Without constants.
  std::vector<ExplainedRead> reads;
  ExplainedBody body;

  /// The name of the layer, or else its type.
  const std::string &getName() const { return layer.name.empty() ? type : layer.name; }
};

/// True if two bodies have equal loops around any layers.
bool haveEqualLoops(const ExplainedBody &a, const ExplainedBody &b);

/// A decision of the compiler.
struct ExplainedRemark {
  /// "passed", "missed", "failed" or "analysis".
  std::string kind;
  /// The pass and the name of the decision. Both are empty for a remark of no pass.
  std::string pass, name;
  LayerPlace layer;
  std::string text;

  bool operator==(const ExplainedRemark &other) const = default;
};

/// A row of a profile: layers that are computed in one go, or a loop.
struct ExplainedTime {
  std::string layers;
  /// The row of the loop around it, or -1.
  int loop;
  /// The part of the time of a call, from 0 to 1, and how often a call computes it.
  double share, times;
};

struct ExplainedTimes {
  /// The median time of `calls` calls, in seconds, with the measurement of layers.
  double seconds;
  size_t calls;
  std::vector<ExplainedTime> rows;
};

struct Explanation {
  /// The name of the model in its file, and that of the file.
  std::string name, file;
  ModelTensors tensors;
  /// As the file states the model, with the work of code that is not optimized; and after the stage simplify, with the
  /// work of the optimized code.
  ExplainedBody stated, simplified;
  std::vector<ExplainedRemark> remarks;
  /// A description of the compiled model (describeProduct).
  std::vector<std::pair<std::string, std::string>> product;
  std::optional<ExplainedTimes> times;
};

} // namespace recur

#endif // RECUR_EXPLAIN_EXPLANATION_H
