// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- If.cpp - If --------------------------------------------------------===//
//
// An If becomes an `ov.if`. Its bodies have no block arguments: a Parameter of a body becomes the outer value that the
// port map assigns to it. The Results become the operands of the `ov.result` that ends the body.
//
// Of an If with a constant condition, only the chosen body is built, in place of the If. So the other one may give
// values of other types.
//
//===----------------------------------------------------------------------===//

#include "Expansions/Expansion.h"
#include "Importers.h"
#include "ModelBuilder.h"
#include "TypeSyntax.h"

#include "Recur/Import/OpenVINOIR.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

namespace {
/// Builds the op of one If.
class IfBuilder {
public:
  explicit IfBuilder(LayerBuilder &layer) : layer(layer), branches(layer.layer.branches->branches) {}
  LogicalResult run();
  /// Checks the layers of the bodies, but builds nothing (checkIfBodies).
  void check();

private:
  FailureOr<Value> getCondition();
  LogicalResult buildBody(const Branch &branch, OpBuilder &builder, SmallVectorImpl<Value> &results);
  LogicalResult findTypes(ArrayRef<Value> first, ArrayRef<Value> second);
  void widenScalars(Region (&regions)[2], SmallVector<Value> (&values)[2]);
  std::optional<unsigned> findOpenPort(ArrayRef<Value> first, ArrayRef<Value> second);

  LayerBuilder &layer;
  const Branch *branches;
  /// The output ports that both bodies fill, and the types of their values: dims that differ are dynamic.
  SmallVector<unsigned> ports;
  SmallVector<RankedTensorType> types;
};
} // namespace

/// The condition, which is the value of port 0, as a boolean of one element.
FailureOr<Value> IfBuilder::getCondition() {
  auto port = llvm::find_if(layer.layer.inputs, [](const Input &input) { return input.id == 0; });
  unsigned number = port == layer.layer.inputs.end() ? 0 : port - layer.layer.inputs.begin();
  Value condition = layer.operands[number];
  RankedTensorType type = typeOf(condition);
  if (!type.getElementType().isInteger(1) || !hasOneElement(type.getShape()))
    return layer.error(layer.layer.inputs[number].edge, "ir-if-condition-type",
                       "expected the condition to be one boolean, but got " + spell(type));
  return layer.takeOnly(condition);
}

/// Builds a body where `builder` stands, without a terminator. `results` has an entry for each output port of the
/// layer, null if the body does not fill the port.
LogicalResult IfBuilder::buildBody(const Branch &branch, OpBuilder &builder, SmallVectorImpl<Value> &results) {
  GraphBuilder graph(layer.state, branch.body, builder);
  Reports &reports = layer.state.reports;
  bool ok = true;
  for (const PortMapEntry *entry : branch.inputs) {
    const Layer &parameter = branch.body.layers[entry->layer];
    Value value = layer.operands[entry->port];
    FailureOr<DeclaredType> declared = readDeclaredType(parameter, reports);
    bool fits = succeeded(declared) && value &&
                succeeded(checkDeclaredType(parameter, *declared, typeOf(value), entry->offset, "the input is",
                                            "ir-parameter-type", reports));
    ok &= fits;
    if (fits)
      graph.setParameter(entry->layer, value);
  }
  if ((!ok && !reports.goesOn()) || failed(graph.run()) || !ok)
    return failure();
  for (const PortMapEntry *entry : branch.outputs)
    results.push_back(entry ? graph.getResult(entry->layer) : Value());
  return success();
}

/// Where one body gives a scalar and the other one a tensor of rank 1, the file may declare rank 1 for both. The scalar
/// then becomes a tensor of one element.
void IfBuilder::widenScalars(Region (&regions)[2], SmallVector<Value> (&values)[2]) {
  for (auto [port, pair] : llvm::enumerate(llvm::zip_equal(values[0], values[1]))) {
    auto [a, b] = pair;
    if (!a || !b || layer.layer.outputs[port].dims.size() != 1 || typeOf(a).getRank() + typeOf(b).getRank() != 1)
      continue;
    unsigned body = typeOf(a).getRank() == 0 ? 0 : 1;
    OpBuilder inner(layer.builder.getContext());
    inner.setInsertionPointToEnd(&regions[body].front());
    LayerBuilder own(layer.state, inner, layer.layer, {});
    values[body][port] = Expansion(own, {}, {}).unsqueeze(values[body][port], {0});
  }
}

/// The first output port to which both bodies give values of one element type, but of two ranks.
std::optional<unsigned> IfBuilder::findOpenPort(ArrayRef<Value> first, ArrayRef<Value> second) {
  for (auto [port, values] : llvm::enumerate(llvm::zip_equal(first, second))) {
    auto [a, b] = values;
    if (a && b && typeOf(a).getElementType() == typeOf(b).getElementType() &&
        typeOf(a).getRank() != typeOf(b).getRank())
      return port;
  }
  return std::nullopt;
}

/// Fills `ports` and `types` from the values of both bodies. Element types and ranks must be equal.
LogicalResult IfBuilder::findTypes(ArrayRef<Value> first, ArrayRef<Value> second) {
  bool ok = true;
  for (auto [port, values] : llvm::enumerate(llvm::zip_equal(first, second))) {
    auto [a, b] = values;
    if (!a || !b)
      continue;
    RankedTensorType left = typeOf(a), right = typeOf(b);
    if (left.getElementType() != right.getElementType() || left.getRank() != right.getRank()) {
      layer
          .error(branches[1].outputs[port]->offset, "ir-if-type",
                 "expected both bodies to give output port " + Twine(layer.layer.outputs[port].id) + " " + spell(left) +
                     ", as then_body does, but else_body gives " + spell(right))
          .note(branches[0].outputs[port]->offset, "the value of then_body comes from here")
          .emit();
      ok = false;
      continue;
    }
    ports.push_back(port);
    types.push_back(join(left, right));
    ok &= succeeded(layer.checkSize(types.back(), layer.layer.outputs[port].offset));
  }
  return success(ok);
}

LogicalResult IfBuilder::run() {
  FailureOr<Value> condition = getCondition();
  if (failed(condition)) {
    if (layer.state.reports.goesOn())
      check();
    return failure();
  }
  if (std::optional<bool> chosen = ov::getConstantBool(*condition))
    return buildBody(branches[*chosen ? 0 : 1], layer.builder, layer.results);
  Region regions[2];
  SmallVector<Value> values[2];
  bool ok = true;
  for (auto [branch, region, results] : llvm::zip_equal(ArrayRef(branches, 2), regions, values)) {
    OpBuilder builder(layer.builder.getContext());
    builder.setInsertionPointToStart(&region.emplaceBlock());
    ok &= succeeded(buildBody(branch, builder, results));
  }
  if (!ok)
    return failure();
  widenScalars(regions, values);
  if (std::optional<unsigned> port = findOpenPort(values[0], values[1])) {
    layer.open = std::make_unique<OpenIf>();
    layer.open->condition = *condition;
    layer.open->port = layer.layer.outputs[*port].id;
    for (unsigned body : {0, 1}) {
      layer.open->regions[body].takeBody(regions[body]);
      layer.open->values[body] = values[body];
      layer.open->places[body] = branches[body].outputs[*port]->offset;
      layer.open->types[body] = typeOf(values[body][*port]);
    }
    return success();
  }
  if (failed(findTypes(values[0], values[1])))
    return failure();
  for (auto [region, results] : llvm::zip_equal(regions, values)) {
    OpBuilder builder(layer.builder.getContext());
    builder.setInsertionPointToEnd(&region.front());
    SmallVector<Value> given;
    for (auto [port, type] : llvm::zip_equal(ports, types)) {
      Value value = results[port];
      given.push_back(
          value.getType() == type ? value : tensor::CastOp::create(builder, value.getLoc(), type, value).getResult());
    }
    ov::ResultOp::create(builder, layer.location, given);
  }
  SmallVector<Type> resultTypes(types.begin(), types.end());
  auto op = ov::IfOp::create(layer.builder, layer.location, resultTypes, *condition);
  op.getThenBody().takeBody(regions[0]);
  op.getElseBody().takeBody(regions[1]);
  bool isValid = false;
  std::string problem = captureErrors(op.getContext(), [&] { isValid = succeeded(verifyOp(op)); });
  if (!isValid) {
    op.erase();
    return layer.error("ir-op", problem.empty() ? "the operation is not valid" : problem);
  }
  layer.results.assign(layer.layer.outputs.size(), Value());
  for (auto [port, result] : llvm::zip_equal(ports, op.getResults()))
    layer.results[port] = result;
  return success();
}

void IfBuilder::check() {
  for (const Branch &branch : ArrayRef(branches, 2)) {
    Region region;
    OpBuilder builder(layer.builder.getContext());
    builder.setInsertionPointToStart(&region.emplaceBlock());
    SmallVector<Value> results;
    (void)buildBody(branch, builder, results);
  }
}

LogicalResult recur::ir::buildIf(LayerBuilder &layer) { return IfBuilder(layer).run(); }
void recur::ir::checkIfBodies(LayerBuilder &layer) { IfBuilder(layer).check(); }
