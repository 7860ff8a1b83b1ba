// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- States.cpp - ReadValue and Assign ----------------------------------===//
//
// Writes the layers that read and write a state.
//
//===----------------------------------------------------------------------===//

#include "States.h"

#include "Attributes.h"
#include "GraphWriter.h"

#include "Recur/Import/TypeNames.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

LogicalResult recur::ir::writeRead(GraphWriter &graph, const ov::StateRead &read, Value result, Operation *user) {
  auto type = cast<RankedTensorType>(read.state->value.getType());
  LayerNode layer = graph.addLayer(*ov::findLayerType("ReadValue"), result.getLoc());
  layer.setData("variable_id", read.state->name);
  layer.setData("variable_type", spell(type.getElementType()));
  layer.setData("variable_shape", writeDims(type));
  if (read.init && failed(graph.addInput(layer, read.init, user)))
    return failure();
  if (read.constantInit && failed(graph.addInput(layer, read.constantInit, UnknownLoc::get(type.getContext()))))
    return failure();
  graph.addOutput(layer, result.getType(), result);
  return success();
}

LogicalResult recur::ir::writeAssign(GraphWriter &graph, const ov::State &state, Operation *user) {
  LayerNode layer = graph.addLayer(*ov::findLayerType("Assign"), UnknownLoc::get(user->getContext()));
  layer.setData("variable_id", state.name);
  if (failed(graph.addInput(layer, state.next, user)))
    return failure();
  graph.addOutput(layer, stripCasts(state.next).getType());
  return success();
}
