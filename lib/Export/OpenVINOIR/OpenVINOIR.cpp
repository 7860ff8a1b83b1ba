// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OpenVINOIR.cpp - Export of the ov dialect as OpenVINO IR -----------===//
//
// Writes the function `main`: arguments become Parameters or states, results become Results or the next values of
// states, and ops become layers (GraphWriter).
//
//===----------------------------------------------------------------------===//

#include "Recur/Export/OpenVINOIR.h"

#include "GraphWriter.h"

#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Import/OpenVINOIR.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

namespace {
/// Passes what pugixml writes on to a stream of LLVM.
class StreamWriter final : public pugi::xml_writer {
public:
  explicit StreamWriter(llvm::raw_ostream &os) : os(os) {}
  void write(const void *data, size_t size) override { os.write(static_cast<const char *>(data), size); }

private:
  llvm::raw_ostream &os;
};

/// Writes a module.
class ModuleWriter {
public:
  ModuleWriter(ModuleOp module, ConstantWriter &constants)
      : module(module), model(constants, /*isSimplified=*/module->hasAttr(rt::kStageAttr)) {}

  LogicalResult run(pugi::xml_document &document);

private:
  LogicalResult findFunction();
  void findLive();
  LogicalResult writeArguments(GraphWriter &graph);
  LogicalResult writeResults(GraphWriter &graph);
  /// The number of results that are not states.
  unsigned countResults() { return func.getNumResults() - states.size(); }
  Operation *getReturn() { return func.getBody().front().getTerminator(); }

  ModuleOp module;
  func::FuncOp func;
  ExportState model;
  std::vector<ov::State> states;
  /// The states that are read without an initial value.
  llvm::DenseSet<Value> readStates;
};
} // namespace

LogicalResult ModuleWriter::findFunction() {
  func = module.lookupSymbol<func::FuncOp>("main");
  if (!func || func.isExternal() || !func.getBody().hasOneBlock())
    return module.emitError() << "expected a function 'main' of one block, but the module has none";
  return success();
}

/// Marks the ops that results and assigned states need.
void ModuleWriter::findLive() {
  SmallVector<Value> values(getReturn()->getOperands().take_front(countResults()));
  for (const ov::State &state : states)
    if (state.next)
      values.push_back(state.next);
  while (!values.empty()) {
    Value value = stripCasts(values.pop_back_val());
    Operation *op = value.getDefiningOp();
    if (!op)
      readStates.insert(value);
    if (!op || !model.live.insert(op).second)
      continue;
    if (auto read = model.reads.find(value); read != model.reads.end()) {
      if (read->second.init)
        values.push_back(read->second.init);
      continue;
    }
    llvm::append_range(values, getInputs(op));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(values, block.getTerminator()->getOperands());
  }
}

/// The shape of a Parameter. `declared` is the shape that the model declared, or empty. It bounds dims that are
/// dynamic; others may be fixed since.
static std::string writeShape(RankedTensorType type, StringRef declared) {
  declared.consume_front("[");
  declared.consume_back("]");
  SmallVector<StringRef> bounds;
  declared.split(bounds, ',');
  bool hasBounds = int64_t(bounds.size()) == type.getRank();
  std::string text;
  for (auto [i, dim] : llvm::enumerate(type.getShape())) {
    text += i == 0 ? "" : ",";
    if (ShapedType::isDynamic(dim))
      text += hasBounds && !bounds[i].trim().empty() ? bounds[i].trim().str() : "?";
    else
      text += std::to_string(dim);
  }
  return text;
}

LogicalResult ModuleWriter::writeArguments(GraphWriter &graph) {
  for (BlockArgument argument : func.getArguments().drop_back(2 * states.size())) {
    auto text = [&](StringRef attribute) -> StringRef {
      auto value = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), attribute);
      return value ? value.getValue() : StringRef();
    };
    graph.addParameter(argument, writeShape(cast<RankedTensorType>(argument.getType()), text(kDeclaredShapeAttr)),
                       text(ov::kNameAttr));
  }
  for (const ov::State &state : states)
    if (readStates.contains(state.value) && failed(writeRead(graph, {&state}, state.value, func)))
      return failure();
  return success();
}

LogicalResult ModuleWriter::writeResults(GraphWriter &graph) {
  Operation *end = getReturn();
  for (unsigned i = 0, count = countResults(); i != count; ++i) {
    auto name = func.getResultAttrOfType<StringAttr>(i, ov::kNameAttr);
    if (failed(graph.addResult(end->getOperand(i), end, name ? name.getValue() : "")))
      return failure();
  }
  for (const ov::State &state : states)
    if (state.next && failed(writeAssign(graph, state, end)))
      return failure();
  return success();
}

LogicalResult ModuleWriter::run(pugi::xml_document &document) {
  if (failed(findFunction()))
    return failure();
  states = ov::findStates(func);
  model.reads = ov::findReads(states);
  findLive();
  pugi::xml_node net = document.append_child("net");
  auto name = module->getAttrOfType<StringAttr>(kModelNameAttr);
  net.append_attribute("name") = name ? name.str().c_str() : "";
  net.append_attribute("version") = 11;
  GraphWriter graph(model, /*parent=*/nullptr, func.getBody().front(), net);
  return failure(failed(writeArguments(graph)) || failed(graph.writeOps()) || failed(writeResults(graph)));
}

LogicalResult recur::exportOpenVINOIR(ModuleOp module, ArrayRef<char> file, llvm::raw_ostream &xml,
                                      llvm::raw_ostream &weights) {
  ConstantWriter constants(file, weights);
  pugi::xml_document document;
  if (failed(ModuleWriter(module, constants).run(document)))
    return failure();
  StreamWriter writer(xml);
  document.save(writer, "  ");
  return success();
}
