// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Exporters.cpp - Ops that are more than their layer -----------------===//
//
// The short exporters. Loops have a file of their own.
//
//===----------------------------------------------------------------------===//

#include "Exporters.h"

#include "GraphWriter.h"

#include "Recur/Import/TypeNames.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

LogicalResult recur::ir::exportConstant(GraphWriter &graph, Operation *op) {
  return graph.findPort(op->getResult(0), op);
}

/// Convert: the type of the result has the destination.
LogicalResult recur::ir::exportConvert(GraphWriter &graph, Operation *op) {
  auto convert = cast<ov::ConvertOp>(op);
  LayerNode layer = graph.addLayer(*ov::findLayerTypeOfOp(op->getName().getStringRef()), op->getLoc());
  layer.setData("destination_type", spell(convert.getType().getElementType()));
  if (failed(graph.addInput(layer, convert.getInput(), op)))
    return failure();
  graph.addOutput(layer, convert.getType(), convert.getResult());
  return success();
}

/// If: the values that a body captures become inputs of the layer, one for both bodies.
LogicalResult recur::ir::exportIf(GraphWriter &graph, Operation *op) {
  auto branch = cast<ov::IfOp>(op);
  LayerNode layer = graph.addLayer(*ov::findLayerTypeOfOp(op->getName().getStringRef()), op->getLoc());
  if (failed(graph.addInput(layer, branch.getCondition(), op)))
    return failure();
  llvm::MapVector<Value, unsigned> inputs;
  SmallVector<std::pair<pugi::xml_node, SmallVector<unsigned>>> results;
  for (bool first : {true, false}) {
    ov::ResultOp end = branch.getEnd(first);
    pugi::xml_node map = layer.node.append_child(first ? "then_port_map" : "else_port_map");
    GraphWriter body(graph.model, &graph, *end->getBlock(), layer.node.append_child(first ? "then_body" : "else_body"));
    if (failed(body.writeOps()))
      return failure();
    auto &ids = results.emplace_back(map, SmallVector<unsigned>()).second;
    for (Value value : end.getValues()) {
      FailureOr<unsigned> id = body.addResult(value, end);
      if (failed(id))
        return failure();
      ids.push_back(*id);
    }
    for (auto [value, parameter] : body.getCaptures()) {
      auto [input, isNew] = inputs.try_emplace(value, 0);
      if (isNew) {
        FailureOr<unsigned> port = graph.addInput(layer, value, op);
        if (failed(port))
          return failure();
        input->second = *port;
      }
      pugi::xml_node entry = map.append_child("input");
      entry.append_attribute("external_port_id") = input->second;
      entry.append_attribute("internal_layer_id") = parameter;
    }
  }
  for (auto [i, result] : llvm::enumerate(branch.getResults())) {
    unsigned port = graph.addOutput(layer, result.getType(), result);
    for (auto &[map, ids] : results) {
      pugi::xml_node entry = map.append_child("output");
      entry.append_attribute("external_port_id") = port;
      entry.append_attribute("internal_layer_id") = ids[i];
    }
  }
  return success();
}
