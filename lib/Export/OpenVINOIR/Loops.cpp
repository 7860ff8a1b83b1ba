// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Loops.cpp - TensorIterator and Loop --------------------------------===//
//
// Operands, block arguments, yielded values and results become port maps and back edges. A value that the body captures
// becomes an input that each iteration gets whole.
//
//===----------------------------------------------------------------------===//

#include "Exporters.h"
#include "GraphWriter.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

namespace {
/// Writes the layer of an ov.tensor_iterator or ov.loop.
template <typename LoopLikeOp>
class LoopWriter {
public:
  LoopWriter(GraphWriter &graph, LoopLikeOp op)
      : graph(graph), op(op), layer(graph.addLayer(*ov::findLayerTypeOfOp(op->getName().getStringRef()), op->getLoc())),
        portMap(layer.node.append_child("port_map")), backEdges(layer.node.append_child("back_edges")),
        body(graph.model, &graph, *op.getBodyBlock(), layer.node.append_child("body")) {}

  LogicalResult run();

private:
  LogicalResult writeInputs();
  LogicalResult writeBody();
  LogicalResult writeCaptures();
  LogicalResult writeOutputs();

  /// Adds an entry of the port map. A port of -1 means that there is none.
  pugi::xml_node addEntry(const char *kind, int64_t external, unsigned internal) {
    pugi::xml_node entry = portMap.append_child(kind);
    entry.append_attribute("external_port_id") = external;
    entry.append_attribute("internal_layer_id") = internal;
    return entry;
  }
  static void setRange(pugi::xml_node entry, int64_t axis, int64_t start, int64_t end, int64_t stride, int64_t part) {
    entry.append_attribute("axis") = axis;
    entry.append_attribute("start") = start;
    entry.append_attribute("end") = end;
    entry.append_attribute("stride") = stride;
    entry.append_attribute("part_size") = part;
  }

  GraphWriter &graph;
  LoopLikeOp op;
  LayerNode layer;
  pugi::xml_node portMap, backEdges;
  GraphWriter body;
  /// The ids of the Parameters of carried values, and of the Results of what the body yields.
  SmallVector<unsigned> carried, next, last, concat;
};
} // namespace

template <typename LoopLikeOp>
LogicalResult LoopWriter<LoopLikeOp>::writeInputs() {
  if constexpr (std::is_same_v<LoopLikeOp, ov::LoopOp>) {
    if (failed(graph.addInput(layer, op.getTripCount(), op)) || failed(graph.addInput(layer, op.getCondition(), op)))
      return failure();
    if (BlockArgument index = op.getIndexArg())
      addEntry("input", -1, body.addParameter(index)).append_attribute("purpose") = "current_iteration";
  }
  for (auto [i, operand, part] : llvm::enumerate(op.getSliced(), op.getSliceArgs())) {
    FailureOr<unsigned> port = graph.addInput(layer, operand, op);
    if (failed(port))
      return failure();
    ov::SliceInputAttr slice = op.getSliceAt(i);
    setRange(addEntry("input", *port, body.addParameter(part)), slice.getAxis(), slice.getStart(), slice.getEnd(),
             slice.getStride(), slice.getPartSize());
  }
  for (auto [init, state] : llvm::zip_equal(op.getInitArgs(), op.getCarriedArgs())) {
    FailureOr<unsigned> port = graph.addInput(layer, init, op);
    if (failed(port))
      return failure();
    carried.push_back(body.addParameter(state));
    addEntry("input", *port, carried.back());
  }
  return success();
}

template <typename LoopLikeOp>
LogicalResult LoopWriter<LoopLikeOp>::writeBody() {
  ov::YieldOp yield = op.getYield();
  if (failed(body.writeOps()))
    return failure();
  if (Value condition = yield.getCondition()) {
    FailureOr<unsigned> id = body.addResult(condition, yield);
    if (failed(id))
      return failure();
    addEntry("output", -1, *id).append_attribute("purpose") = "execution_condition";
  }
  auto addResults = [&](ValueRange values, SmallVectorImpl<unsigned> &ids) -> LogicalResult {
    for (Value value : values) {
      FailureOr<unsigned> id = body.addResult(value, yield);
      if (failed(id))
        return failure();
      ids.push_back(*id);
    }
    return success();
  };
  if (failed(addResults(yield.getNext(), next)) || failed(addResults(yield.getLast(), last)) ||
      failed(addResults(yield.getConcat(), concat)))
    return failure();
  for (auto [from, to] : llvm::zip_equal(next, carried)) {
    pugi::xml_node edge = backEdges.append_child("edge");
    edge.append_attribute("from-layer") = from;
    edge.append_attribute("to-layer") = to;
  }
  return success();
}

template <typename LoopLikeOp>
LogicalResult LoopWriter<LoopLikeOp>::writeCaptures() {
  for (auto [value, parameter] : body.getCaptures()) {
    FailureOr<unsigned> port = graph.addInput(layer, value, op);
    if (failed(port))
      return failure();
    addEntry("input", *port, parameter);
  }
  return success();
}

template <typename LoopLikeOp>
LogicalResult LoopWriter<LoopLikeOp>::writeOutputs() {
  auto addOutput = [&](Value result, unsigned id) {
    return addEntry("output", graph.addOutput(layer, result.getType(), result), id);
  };
  for (auto [result, id] : llvm::zip_equal(op.getCarried(), next))
    if (!result.use_empty())
      addOutput(result, id);
  for (auto [result, id] : llvm::zip_equal(op.getLast(), last))
    addOutput(result, id);
  for (auto [i, result, id, value] : llvm::enumerate(op.getConcatenated(), concat, op.getYield().getConcat())) {
    ov::ConcatOutputAttr attribute = op.getConcatAt(i);
    int64_t part = cast<RankedTensorType>(value.getType()).getDimSize(attribute.getAxis());
    // The parts have different lengths if this is dynamic. The IR has one number for all.
    if (ShapedType::isDynamic(part))
      part = 1;
    bool isReverse = attribute.getReverse();
    setRange(addOutput(result, id), attribute.getAxis(), isReverse ? -1 : 0, isReverse ? 0 : -1,
             isReverse ? -part : part, part);
  }
  return success();
}

template <typename LoopLikeOp>
LogicalResult LoopWriter<LoopLikeOp>::run() {
  return failure(failed(writeInputs()) || failed(writeBody()) || failed(writeCaptures()) || failed(writeOutputs()));
}

LogicalResult recur::ir::exportLoop(GraphWriter &graph, Operation *op) {
  if (auto loop = dyn_cast<ov::LoopOp>(op))
    return LoopWriter<ov::LoopOp>(graph, loop).run();
  return LoopWriter<ov::TensorIteratorOp>(graph, cast<ov::TensorIteratorOp>(op)).run();
}
