// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphWriter.cpp - Layers and edges of a model or a body ------------===//

#include "GraphWriter.h"

#include "Attributes.h"
#include "Exporters.h"

#include "Recur/Dialect/OV/IR/LayerName.h"
#include "Recur/Import/TypeNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;

Value recur::ir::stripCasts(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  return value;
}

OperandRange recur::ir::getInputs(Operation *op) {
  unsigned numEmptyDims =
      TypeSwitch<Operation *, unsigned>(op)
          .Case<ov::LoopOp, ov::TensorIteratorOp>([](auto loop) { return loop.getEmptyDims().size(); })
          .Default([](Operation *) { return 0; });
  return op->getOperands().drop_back(numEmptyDims);
}

std::string recur::ir::escapeName(StringRef name) {
  std::string text;
  for (char c : name) {
    if (c == ',' || c == '\\')
      text += '\\';
    text += c;
  }
  return text;
}

Exporter recur::ir::findExporter(StringRef name) {
  return llvm::StringSwitch<Exporter>(name)
#define EXPORTER(NAME) .Case(#NAME, NAME)
#include "Recur/Dialect/OV/IR/OVLayerExporters.inc"
      .Default(nullptr);
}

void LayerNode::setData(StringRef name, const std::string &value) {
  pugi::xml_node data = node.child("data");
  if (!data)
    data = node.append_child("data");
  data.append_attribute(name.str().c_str()) = value.c_str();
}

/// Adds a port of `type` with the next id to `list`, the inputs or the outputs of a layer.
static pugi::xml_node addPort(LayerNode &layer, pugi::xml_node &list, const char *kind, Type type,
                              StringRef precision = "") {
  if (!list)
    list = layer.node.append_child(kind);
  auto tensor = cast<RankedTensorType>(type);
  pugi::xml_node port = list.append_child("port");
  port.append_attribute("id") = layer.ports++;
  if (precision.empty())
    precision = spellPrecision(tensor.getElementType());
  port.append_attribute("precision") = precision.str().c_str();
  for (int64_t dim : tensor.getShape())
    port.append_child("dim").text() = ShapedType::isDynamic(dim) ? int64_t(-1) : dim;
  return port;
}

//===----------------------------------------------------------------------===//
// Layers and ports
//===----------------------------------------------------------------------===//

GraphWriter::GraphWriter(ExportState &model, GraphWriter *parent, Block &block, pugi::xml_node owner)
    : model(model), parent(parent), block(block), layers(owner.append_child("layers")),
      edges(owner.append_child("edges")) {
  for (Operation &op : block)
    if (StringRef name = getLayerName(op.getLoc()); !name.empty() && model.live.contains(&op))
      owners[name] = &op;
}

std::string GraphWriter::chooseName(StringRef type, unsigned id, Location location) {
  StringRef base = getLayerName(location);
  std::string name = base.empty() ? (type + "_" + llvm::Twine(id)).str() : base.str();
  Operation *owner = owners.lookup(name);
  std::string unique = name;
  for (unsigned i = 1; (unique == name && owner && owner != current) || !names.insert(unique).second; ++i)
    unique = name + "_" + std::to_string(i);
  return unique;
}

LayerNode GraphWriter::addLayer(StringRef type, unsigned opset, Location location) {
  LayerNode layer{nextId++, layers.append_child("layer")};
  layer.node.append_attribute("id") = layer.id;
  layer.node.append_attribute("name") = chooseName(type, layer.id, location).c_str();
  layer.node.append_attribute("type") = type.str().c_str();
  layer.node.append_attribute("version") = ("opset" + std::to_string(opset)).c_str();
  return layer;
}

unsigned GraphWriter::addInput(LayerNode &layer, Type type, OutputPort source) {
  unsigned id = layer.ports;
  addPort(layer, layer.input, "input", type, source.node.attribute("precision").value());
  pugi::xml_node edge = edges.append_child("edge");
  edge.append_attribute("from-layer") = source.layer;
  edge.append_attribute("from-port") = source.port;
  edge.append_attribute("to-layer") = layer.id;
  edge.append_attribute("to-port") = id;
  return id;
}

FailureOr<unsigned> GraphWriter::addInput(LayerNode &layer, Value value, Operation *user) {
  FailureOr<OutputPort> source = findPort(value, user);
  if (failed(source))
    return failure();
  return addInput(layer, stripCasts(value).getType(), *source);
}

LogicalResult GraphWriter::addInput(LayerNode &layer, TypedAttr value, Location location) {
  FailureOr<OutputPort> source = addConstant(value, location);
  if (failed(source))
    return failure();
  addInput(layer, value.getType(), *source);
  return success();
}

unsigned GraphWriter::addOutput(LayerNode &layer, Type type, Value value, StringRef name, StringRef precision) {
  unsigned id = layer.ports;
  pugi::xml_node port = addPort(layer, layer.output, "output", type, precision);
  if (value)
    ports[value] = {layer.id, id, port};
  if (!name.empty())
    addTensorName(value, name);
  return id;
}

void GraphWriter::addTensorName(Value value, StringRef name) {
  auto found = ports.find(stripCasts(value));
  if (found == ports.end() || !model.tensorNames.insert(name).second)
    return;
  pugi::xml_attribute names = found->second.node.attribute("names");
  if (!names)
    found->second.node.append_attribute("names") = escapeName(name).c_str();
  else
    names = (names.value() + ("," + escapeName(name))).c_str();
}

unsigned GraphWriter::addParameter(Value value) {
  return addParameter(value, writeDims(cast<RankedTensorType>(value.getType())), "");
}

unsigned GraphWriter::addParameter(Value value, StringRef shape, StringRef name) {
  auto type = cast<RankedTensorType>(value.getType());
  LayerNode layer = addLayer(*ov::findLayerType("Parameter"), value.getLoc());
  layer.setData("shape", shape.str());
  layer.setData("element_type", spell(type.getElementType()));
  addOutput(layer, type, value, name);
  return layer.id;
}

FailureOr<unsigned> GraphWriter::addResult(Value value, Operation *user, StringRef name) {
  if (failed(findPort(value, user)))
    return failure();
  LayerNode layer = addLayer(*ov::findLayerType("Result"), UnknownLoc::get(value.getContext()));
  if (!name.empty()) {
    layer.node.append_attribute("output_names") = escapeName(name).c_str();
    addTensorName(value, name);
  }
  if (failed(addInput(layer, value, user)))
    return failure();
  return layer.id;
}

FailureOr<OutputPort> GraphWriter::addConstant(TypedAttr value, Location location, Value result) {
  auto type = cast<RankedTensorType>(value.getType());
  // OpenVINO unpacks elements by a Convert of the constant. An imported constant had the users that it has, but passes
  // may have removed a Convert.
  std::optional<ov::PackedFormat> format;
  if (result && (!model.isSimplified || llvm::all_of(result.getUsers(), llvm::IsaPred<ov::ConvertOp>)))
    format = getPackedFormat(value);
  llvm::Expected<WeightsRange> range = model.constants.write(value, format.has_value());
  if (!range)
    return emitError(location) << llvm::toString(range.takeError());
  std::string element = format ? ov::stringifyPackedFormat(*format).str() : spell(type.getElementType());
  LayerNode layer = addLayer(*ov::findLayerTypeOfOp(ov::ConstantOp::getOperationName()), location);
  layer.setData("element_type", element);
  layer.setData("shape", writeDims(type));
  layer.setData("offset", std::to_string(range->offset));
  layer.setData("size", std::to_string(range->size));
  unsigned port = addOutput(layer, type, result, "", format ? StringRef(element).upper() : "");
  return OutputPort{layer.id, port, layer.output.first_child()};
}

FailureOr<OutputPort> GraphWriter::findPort(Value value, Operation *user) {
  value = stripCasts(value);
  if (auto found = ports.find(value); found != ports.end())
    return found->second;
  bool isInside = value.getParentBlock() == &block;
  if (auto constant = value.getDefiningOp<ov::ConstantOp>(); constant && (isInside || model.isSimplified)) {
    llvm::SaveAndRestore restore(current, constant.getOperation());
    return addConstant(constant.getValue(), constant.getLoc(), value);
  }
  if (isInside || !parent)
    return user->emitError() << "expected the flag of a state to select between the state and its initial value, but "
                                "it has another use";
  captures.push_back({value, addParameter(value)});
  return ports.find(value)->second;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult GraphWriter::writeByTable(Operation *op, const ov::LayerType &type) {
  LayerData data = writeAttributes(op, type);
  LayerNode layer = addLayer(type.name, data.opset, op->getLoc());
  for (auto &[name, text] : data.attributes)
    layer.setData(name, text);
  for (Value operand : op->getOperands())
    if (failed(addInput(layer, operand, op)))
      return failure();
  for (Value result : op->getResults())
    addOutput(layer, result.getType(), result);
  return success();
}

/// A slice whose numbers are static is a Slice along all axes.
LogicalResult GraphWriter::writeSlice(tensor::ExtractSliceOp op) {
  if (!op.getOffsets().empty() || !op.getSizes().empty() || !op.getStrides().empty() ||
      op.getType().getRank() != op.getSourceType().getRank())
    return op.emitError() << "expected a slice of constant offsets, sizes and strides, without dims that are dropped";
  SmallVector<int64_t> starts(op.getStaticOffsets()), steps(op.getStaticStrides()), stops, axes;
  for (auto [axis, start, size, step] : llvm::enumerate(starts, op.getStaticSizes(), steps)) {
    stops.push_back(start + size * step);
    axes.push_back(axis);
  }
  Builder builder(op.getContext());
  LayerNode layer = addLayer(*ov::findLayerTypeOfOp(ov::SliceOp::getOperationName()), op.getLoc());
  if (failed(addInput(layer, op.getSource(), op)))
    return failure();
  for (ArrayRef<int64_t> numbers : {ArrayRef(starts), ArrayRef(stops), ArrayRef(steps), ArrayRef(axes)})
    if (failed(addInput(layer, builder.getI64TensorAttr(numbers), UnknownLoc::get(op.getContext()))))
      return failure();
  addOutput(layer, op.getType(), op.getResult());
  return success();
}

LogicalResult GraphWriter::writeOp(Operation *op) {
  // Constants are written where they are used, and casts are no layers.
  if (isa<tensor::CastOp, ov::ConstantOp>(op))
    return success();
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return writeSlice(slice);
  if (op->getNumResults() == 1)
    if (auto read = model.reads.find(op->getResult(0)); read != model.reads.end())
      return writeRead(*this, read->second, read->first, op);
  const ov::LayerType *type = ov::findLayerTypeOfOp(op->getName().getStringRef());
  if (!type)
    return op->emitError() << "expected an operation of OpenVINO, but got '" << op->getName() << "'";
  // Constants and captured values come before the layers that use them.
  for (Value operand : getInputs(op))
    if (failed(findPort(operand, op)))
      return failure();
  Exporter exporter = findExporter(type->exporter);
  return exporter ? exporter(*this, op) : writeByTable(op, *type);
}

LogicalResult GraphWriter::writeOps() {
  for (Operation &op : block.without_terminator()) {
    if (!model.live.contains(&op))
      continue;
    current = &op;
    if (failed(writeOp(&op)))
      return failure();
  }
  current = nullptr;
  return success();
}
