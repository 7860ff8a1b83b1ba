// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OpenIf.cpp - Ifs whose bodies give values of two ranks -------------===//
//
// A value has one rank in the dialect. Where the bodies of an If give values of two ranks, the layers that use such a
// value are built in both bodies, each with the rank that it has there, until all values have one rank again. So an If
// that squeezes a dim or not has a meaning if a reshape, a reduction or another layer behind it makes up for it.
//
// A Squeeze without axes is such an If, if only the call tells whether a dim is 1.
//
// Often only one of the two ranks fits the layers behind. Then the other body can never be the right one: it is left
// out, and a call whose condition chooses it is a fault.
//
//===----------------------------------------------------------------------===//

#include "Expansions/Axes.h"
#include "ModelBuilder.h"
#include "TypeSyntax.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

/// True for a layer that cannot stand in a body.
static bool staysOutside(const Layer &layer) {
  return layer.is("Result") || layer.is("Assign") || layer.is("ReadValue");
}

/// True if one value can stand for values of both types.
static bool haveOneRank(RankedTensorType a, RankedTensorType b) {
  return a && b && a.getRank() == b.getRank() && a.getElementType() == b.getElementType();
}

/// Erases the ops of `block` behind `last`, or all if it is null.
static void eraseBehind(Block &block, Operation *last) {
  while (!block.empty() && &block.back() != last)
    block.back().erase();
}

/// A builder at the end of the only block of `region`, which belongs to no op yet.
static OpBuilder atEnd(Region &region, MLIRContext *context) {
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&region.front());
  return builder;
}

static Operation *getLast(Block &block) { return block.empty() ? nullptr : &block.back(); }

/// `value`, which is computed in the body that a call takes if `isTaken`. Another call is a fault.
static Value guard(Expansion &e, Value value, Value isTaken) {
  Value shape = e.shapeOf(value);
  Size count = e.reduce<ov::ReduceProdOp>(shape, {0}, /*keepDims=*/true);
  return e.reshape(e.reshape(value, require(e, isTaken, count)), shape);
}

namespace {
/// The layers that depend on an If, and what is known of their values in both bodies.
struct Behind {
  bool isDependent(const Input &input) const { return input.isFed() && dependents.contains(input.layer); }
  /// The type that an input from a dependent layer has in a body; null if it has none there.
  RankedTensorType get(unsigned body, const Input &input) const {
    auto found = types[body].find({input.layer, input.port});
    return found == types[body].end() ? RankedTensorType() : found->second;
  }
  bool isOpen(const Input &input) const { return isDependent(input) && !haveOneRank(get(0, input), get(1, input)); }
  /// True if both values of an input that is open can be a tensor of rank 1.
  bool isAtMostVector(const Input &input) const {
    RankedTensorType a = get(0, input), b = get(1, input);
    return a && b && a.getElementType() == b.getElementType() && a.getRank() <= 1 && b.getRank() <= 1;
  }

  /// The If and the layers that depend on it.
  llvm::DenseSet<unsigned> dependents;
  /// The types of the outputs of these layers in each body, by layer and output.
  llvm::DenseMap<std::pair<unsigned, unsigned>, RankedTensorType> types[2];
};
} // namespace

LogicalResult GraphBuilder::buildBehind(unsigned layer, OpenIf &open, ArrayRef<unsigned> order) {
  Behind behind;
  behind.dependents.insert(layer);
  SmallVector<unsigned> others, following, inside;
  for (unsigned index : order) {
    const Layer &next = graph.layers[index];
    if (llvm::none_of(next.inputs, [&](const Input &input) { return behind.isDependent(input); })) {
      others.push_back(index);
      continue;
    }
    behind.dependents.insert(index);
    following.push_back(index);
    if (!staysOutside(next))
      inside.push_back(index);
  }
  if (failed(buildLayers(others)))
    return failure();

  // Builds layers in one of the bodies.
  std::vector<SmallVector<Value, 1>> built[2];
  auto buildIn = [&](unsigned body, ArrayRef<unsigned> layers) {
    OpBuilder inner = atEnd(open.regions[body], state.getContext());
    GraphBuilder branch(state, graph, inner);
    branch.values = values;
    branch.values[layer].assign(open.values[body].begin(), open.values[body].end());
    bool isValid = false;
    state.reports.attempt([&] { isValid = succeeded(branch.buildLayers(layers)); });
    built[body] = std::move(branch.values);
    return isValid;
  };
  bool isValid[2];
  for (unsigned body : {0, 1}) {
    Block &block = open.regions[body].front();
    Operation *last = getLast(block);
    isValid[body] = buildIn(body, inside);
    for (unsigned index : behind.dependents)
      for (auto [k, value] : llvm::enumerate(built[body][index]))
        if (value)
          behind.types[body][{index, unsigned(k)}] = typeOf(value);
    eraseBehind(block, last);
  }

  LayerBuilder own(state, builder, graph.layers[layer], {}, this);
  Expansion e(own, {}, {});
  auto refuse = [&]() -> LogicalResult {
    if (!open.problem.empty())
      return own.error("ir-op", open.problem);
    return own
        .error(open.places[1], "ir-if-type",
               "expected both bodies to give output port " + Twine(open.port) + " " + spell(open.types[0]) +
                   ", as then_body does, but else_body gives " + spell(open.types[1]))
        .note(open.places[0], "the value of then_body comes from here");
  };
  if (!isValid[0] && !isValid[1])
    return refuse();
  if (isValid[0] != isValid[1]) {
    unsigned body = isValid[1];
    Block &block = open.regions[body].front();
    builder.getInsertionBlock()->getOperations().splice(builder.getInsertionPoint(), block.getOperations());
    Value isTaken = body == 0 ? open.condition : e.make<ov::LogicalNotOp>(open.condition);
    values[layer].clear();
    for (Value value : open.values[body])
      values[layer].push_back(value ? guard(e, value, isTaken) : Value());
    if (e.hasFailed())
      return failure();
    return buildLayers(following);
  }

  // A layer is built in both bodies if it uses a value of two ranks, or if such a layer depends on it.
  llvm::DenseSet<unsigned> doubled{layer};
  for (unsigned index : llvm::reverse(inside)) {
    const Layer &next = graph.layers[index];
    if (!doubled.contains(index) &&
        llvm::none_of(next.inputs, [&](const Input &input) { return behind.isOpen(input); }))
      continue;
    doubled.insert(index);
    for (const Input &input : next.inputs)
      if (behind.isDependent(input))
        doubled.insert(input.layer);
  }
  SmallVector<unsigned> both, after;
  for (unsigned index : following)
    (doubled.contains(index) && !staysOutside(graph.layers[index]) ? both : after).push_back(index);

  // The values that other layers use. Some of these may not be in `order`.
  llvm::DenseSet<unsigned> isBoth(both.begin(), both.end());
  llvm::SetVector<std::pair<unsigned, unsigned>> exported;
  for (auto [index, other] : llvm::enumerate(graph.layers))
    for (const Input &input : other.inputs) {
      if (!graph.isReached[index] || isBoth.contains(index) || !input.isFed() || !doubled.contains(input.layer))
        continue;
      if (behind.isOpen(input) && !behind.isAtMostVector(input))
        return refuse();
      exported.insert({input.layer, input.port});
    }
  if (!buildIn(0, both) || !buildIn(1, both))
    return refuse();
  SmallVector<Value> given[2];
  SmallVector<Type> types;
  for (auto [index, port] : exported) {
    Value pair[2];
    for (unsigned body : {0, 1}) {
      ArrayRef<Value> outputs = built[body][index];
      pair[body] = port < outputs.size() ? outputs[port] : Value();
      if (!pair[body])
        return refuse();
    }
    for (unsigned body : {0, 1}) {
      OpBuilder inner = atEnd(open.regions[body], state.getContext());
      LayerBuilder scalar(state, inner, graph.layers[index], {}, this);
      if (rankOf(pair[body]) == 0 && rankOf(pair[1 - body]) != 0)
        pair[body] = Expansion(scalar, {}, {}).unsqueeze(pair[body], {0});
    }
    types.push_back(join(typeOf(pair[0]), typeOf(pair[1])));
    for (unsigned body : {0, 1})
      given[body].push_back(pair[body]);
  }
  for (unsigned body : {0, 1}) {
    OpBuilder inner = atEnd(open.regions[body], state.getContext());
    for (auto [value, type] : llvm::zip_equal(given[body], types))
      if (value.getType() != type)
        value = tensor::CastOp::create(inner, value.getLoc(), type, value);
    ov::ResultOp::create(inner, own.location, given[body]);
  }
  auto op = ov::IfOp::create(builder, own.location, types, open.condition);
  op.getThenBody().takeBody(open.regions[0]);
  op.getElseBody().takeBody(open.regions[1]);
  bool isFine = false;
  std::string problem = captureErrors(op.getContext(), [&] { isFine = succeeded(verifyOp(op)); });
  if (!isFine) {
    op.erase();
    return own.error("ir-op", problem.empty() ? "the operation is not valid" : problem);
  }
  for (unsigned index : doubled)
    values[index].assign(graph.layers[index].outputs.size(), Value());
  for (auto [place, result] : llvm::zip_equal(exported, op.getResults()))
    values[place.first][place.second] = result;
  return buildLayers(after);
}
