// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelBuilder.cpp - From a graph to the ov dialect ------------------===//
//
// Builds ops from layers, and compares the types that MLIR infers with those that the file declares. A Parameter that
// declares another type is an error. A port that does is a warning.
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

#include "Elementwise.h"
#include "Expansions/Expansion.h"
#include "FoldShapes.h"
#include "Importers.h"
#include "LayerChecks.h"
#include "Lengths.h"
#include "TypeSyntax.h"

#include "Recur/Import/OpenVINOIR.h"
#include "Recur/Target/Limits.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

Location ModelState::locate(const Layer &layer) const {
  Location place = reports.getSource().locate(layer.offset);
  return NameLoc::get(StringAttr::get(getContext(), layer.getName()), place);
}

/// Puts MLIR's words for an operand of a wrong type, "operand #0 must be ranked tensor of number values, but got T",
/// into words of the operation: "expected the elements of data to be numbers, but got T". Other texts stay.
static std::string nameOperand(StringRef opName, StringRef text) {
  StringRef rest = text;
  unsigned index = 0;
  if (!rest.consume_front("operand #") || rest.consumeInteger(10, index) ||
      !rest.consume_front(" must be ranked tensor of "))
    return text.str();
  auto [types, got] = rest.split(" values, ");
  const ov::LayerType *type = ov::findLayerTypeOfOp(opName);
  bool hasName = type && !type->operands.empty() && (index < type->operands.size() || type->operands.back().isVariadic);
  std::string name = hasName ? type->operands[std::min<size_t>(index, type->operands.size() - 1)].name.str()
                             : "input " + std::to_string(index);
  std::string words = llvm::StringSwitch<std::string>(types)
                          .Case("number", "numbers")
                          .Case("integer", "integers")
                          .Case("1-bit signless integer", "booleans")
                          .Case("integer or 1-bit signless integer", "integers or booleans")
                          .Default(types.str());
  return "expected the elements of " + name + " to be " + words + ", " + got.str();
}

std::string recur::ir::captureErrors(MLIRContext *context, llvm::function_ref<void()> action) {
  std::string text;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return success();
    if (!text.empty())
      text += "; ";
    // Drops the name of the op from the message, because the caller adds the layer.
    std::string message = diagnostic.str();
    StringRef shortened = message;
    StringRef opName;
    if (size_t prefix = shortened.find("' op "); shortened.starts_with("'ov.") && prefix != StringRef::npos) {
      opName = shortened.slice(1, prefix);
      shortened = shortened.drop_front(prefix + 5);
    }
    text += nameOperand(opName, shortened);
    return success();
  });
  action();
  return text;
}

LogicalResult recur::ir::verifyOp(Operation *op) {
  return success(succeeded(op->getName().verifyInvariants(op)) && succeeded(op->getName().verifyRegionInvariants(op)));
}

Value Placeholders::get(Type element) {
  Value &value = values[element];
  if (!value) {
    OpBuilder builder(element.getContext());
    builder.setInsertionPointToEnd(&block);
    SmallVector<int64_t> dims(size_t(2) * RECUR_MAX_RANK, ShapedType::kDynamic);
    auto type = RankedTensorType::get(dims, element);
    value = UnrealizedConversionCastOp::create(builder, UnknownLoc::get(element.getContext()), type, ValueRange())
                .getResult(0);
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Declared types
//===----------------------------------------------------------------------===//

FailureOr<DeclaredType> recur::ir::readDeclaredType(const Layer &layer, Reports &reports, bool isConstant) {
  DeclaredType declared;
  declared.where = layer.offset;
  const TextAttribute *element = layer.findData("element_type"), *shape = layer.findData("shape");
  const Port *port = layer.outputs.empty() ? nullptr : &layer.outputs.front();
  StringRef elementText = element ? element->value : port ? port->precision : StringRef();
  Offset elementOffset = element ? element->offset : port ? port->precisionOffset : layer.offset;
  if (!elementText.empty()) {
    ElementType parsed = parseElementType(elementText, reports.getSource().getContext());
    if (isConstant && parsed.format) {
      declared.format = parsed.format;
      parsed = {ov::UnpackStepAttr::getElementType(*parsed.format, reports.getSource().getContext())};
    }
    if (!parsed.problem.empty())
      return reports.error(elementOffset, "ir-element-type", layer.describe() + ": " + parsed.problem);
    declared.element = parsed.type;
    declared.where = elementOffset;
  }
  if (shape && shape->value.trim() == "...") {
    declared.hasOpenRank = true;
    declared.where = shape->offset;
  } else if (shape) {
    std::string problem;
    FailureOr<SmallVector<int64_t>> dims = parseShape(shape->value, problem);
    if (failed(dims))
      return reports.error(shape->offset, "ir-shape", layer.describe() + ": " + problem);
    declared.dims = std::move(*dims);
    declared.hasShape = true;
    declared.where = shape->offset;
  } else if (port && !port->dims.empty()) {
    declared.dims.assign(port->dims.begin(), port->dims.end());
    declared.hasShape = true;
    declared.where = port->offset;
  }
  return declared;
}

/// True if a declared shape and that of a value may be equal: same rank, and no static dims that differ.
static bool areCompatibleDims(ArrayRef<int64_t> declared, ArrayRef<int64_t> actual) {
  return declared.size() == actual.size() && llvm::all_of(llvm::zip(declared, actual), [](auto pair) {
           auto [a, b] = pair;
           return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
         });
}

LogicalResult recur::ir::checkDeclaredType(const Layer &parameter, const DeclaredType &declared,
                                           RankedTensorType actual, Offset source, StringRef sourceIs,
                                           StringRef reportId, Reports &reports) {
  bool sameElement = !declared.element || declared.element == actual.getElementType();
  if (sameElement && (!declared.hasShape || areCompatibleDims(declared.dims, actual.getShape())))
    return success();
  std::string type =
      (declared.element ? spell(declared.element) : "") + (declared.hasShape ? spell(declared.dims) : "");
  return reports
      .error(source, reportId,
             "expected " + type + " for " + parameter.describe() + ", but " + sourceIs + " " + spell(actual))
      .note(declared.where, "declared here");
}

//===----------------------------------------------------------------------===//
// GraphBuilder
//===----------------------------------------------------------------------===//

GraphBuilder::GraphBuilder(ModelState &state, const Graph &graph, OpBuilder &builder)
    : state(state), graph(graph), builder(builder), values(graph.layers.size()) {}

Value GraphBuilder::getValue(const Input &input) const {
  if (!input.isFed())
    return {};
  ArrayRef<Value> produced = values[input.layer];
  return input.port < produced.size() ? produced[input.port] : Value();
}

Value GraphBuilder::getResult(unsigned layer) const { return values[layer].empty() ? Value() : values[layer].front(); }

LogicalResult GraphBuilder::run() {
  bool ok = true;
  for (unsigned parameter : graph.parameters)
    if (!values[parameter].empty() && failed(checkOutputs(graph.layers[parameter], values[parameter]))) {
      // The layers that it feeds may declare the same.
      values[parameter].clear();
      ok = false;
    }
  return success(succeeded(buildLayers(graph.order)) && ok);
}

LogicalResult GraphBuilder::buildLayers(ArrayRef<unsigned> order) {
  bool ok = true;
  for (auto [position, index] : llvm::enumerate(order)) {
    if (state.reports.full())
      return failure();
    const Layer &layer = graph.layers[index];
    SmallVector<Value> operands, results;
    for (const Input &input : layer.inputs)
      operands.push_back(getValue(input));
    bool hasResult = !layer.is("Result") || operands.size() == 1;
    if (layer.isBroken || !hasResult || llvm::is_contained(operands, Value())) {
      ok = false;
      if (state.reports.goesOn())
        checkUnbuilt(layer, operands);
      continue;
    }
    if (failed(checkInputs(layer, operands))) {
      ok = false;
      continue;
    }
    if (layer.is("Result")) {
      values[index].assign(operands.begin(), operands.end());
      continue;
    }
    LayerBuilder layerBuilder(state, builder, layer, operands, this);
    LogicalResult built = build(layerBuilder);
    if (succeeded(built) && layerBuilder.open)
      return success(succeeded(buildBehind(index, *layerBuilder.open, order.drop_front(position + 1))) && ok);
    // No model is refused without a word.
    if (failed(built) && !state.reports.failed())
      layerBuilder.error("ir-op", "the operation is not valid").emit();
    if (failed(built) || failed(checkOutputs(layer, layerBuilder.results))) {
      ok = false;
      continue;
    }
    foldShapes(builder, layerBuilder.results);
    values[index].assign(layerBuilder.results.begin(), layerBuilder.results.end());
  }
  return success(ok);
}

/// Checks a layer that is not built, because it or one that it depends on is wrong, as far as that does not matter.
void GraphBuilder::checkUnbuilt(const Layer &layer, ArrayRef<Value> operands) {
  (void)checkInputs(layer, operands);
  LayerBuilder layerBuilder(state, builder, layer, operands);
  if (layer.loop)
    return checkLoopBody(layerBuilder);
  if (layer.branches)
    return checkIfBodies(layerBuilder);
  if (layer.isBroken || !layerBuilder.type || layer.is("Result"))
    return;
  if (failed(checkInputCount(layerBuilder)))
    return;
  // A default may depend on the type of an operand, but an error does not.
  layerBuilder.operands = {};
  (void)layerBuilder.readAttributes(/*onlyOfOp=*/false);
}

LogicalResult GraphBuilder::checkInputCount(LayerBuilder &layer) {
  unsigned least = layer.type->minInputs, most = layer.type->maxInputs;
  if (layer.operands.size() >= least && layer.operands.size() <= most)
    return success();
  return layer.error(
      "ir-inputs", "expected " +
                       (least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most)) +
                       " inputs, but got " + Twine(layer.operands.size()));
}

LogicalResult GraphBuilder::build(LayerBuilder &layer) {
  if (!layer.type)
    return failure();
  // Every layer counts each time it is built. The body of a loop is built again if a carried dim turns out to be
  // dynamic, so loops in loops may cost much more than the file shows.
  if (state.layersBuilt++ == state.options.maxOperations)
    return layer.error("limit-operations", "more than " + Twine(state.options.maxOperations) + " operations are built");
  if (state.layersBuilt > state.options.maxOperations || failed(checkInputCount(layer)))
    return failure();
  SmallVector<Value> operands(layer.operands);
  if (failed(alignOperands(layer, operands)) || failed(tellLengths(layer, operands)))
    return failure();
  layer.operands = operands;
  if (isFunctionOfIntegers(layer))
    return createFunctionOfIntegers(layer);
  if (!layer.type->expansion.empty())
    return expandLayer(layer);
  Importer import = findImporter(layer.type->importer);
  return import ? import(layer) : layer.createOp();
}

/// Compares the dims and the precision of a port with the type of its value. `kind` is "input" or "output". A port has
/// no say where the layer tells the type: OpenVINO infers types anew, and some of its writers leave labels of another
/// type. So the first port that differs is a warning.
static LogicalResult checkPort(const Layer &layer, const Port &port, StringRef kind, Type type, ModelState &state) {
  Reports &reports = state.reports;
  auto tensor = cast<RankedTensorType>(type);
  auto describe = [&] { return (kind + " port " + Twine(port.id) + " of " + layer.describe()).str(); };
  auto warn = [&](Offset where, StringRef id, const Twine &expected) {
    if (!std::exchange(state.hasWarnedOfPort, true))
      reports.warning(where, id,
                      "expected " + expected + " at " + describe() + ", but the layer gives " + spell(tensor) +
                          ", which counts");
    return success();
  };
  if (!port.dims.empty() && !areCompatibleDims(port.dims, tensor.getShape()))
    return warn(port.offset, "ir-port-dims", "dims " + spell(port.dims));
  if (port.precision.empty())
    return success();
  ElementType element = parseElementType(port.precision, reports.getSource().getContext());
  // A constant of packed elements goes on as one of a wider type.
  if (element.format &&
      tensor.getElementType() == ov::UnpackStepAttr::getElementType(*element.format, tensor.getContext()))
    return success();
  if (!element.problem.empty())
    return reports.error(port.precisionOffset, "ir-element-type", describe() + ": " + element.problem);
  if (element.type && element.type != tensor.getElementType())
    return warn(port.precisionOffset, "ir-port-type", spell(element.type));
  return success();
}

LogicalResult GraphBuilder::checkInputs(const Layer &layer, ValueRange operands) {
  bool ok = true;
  for (auto [port, value] : llvm::zip(layer.inputs, operands))
    if (value)
      ok &= succeeded(checkPort(layer, port, "input", value.getType(), state));
  return success(ok);
}

LogicalResult GraphBuilder::checkOutputs(const Layer &layer, ValueRange results) {
  bool ok = true;
  if (layer.outputs.size() > results.size())
    return state.reports.error(layer.outputs[results.size()].offset, "ir-outputs",
                               layer.describe() + ": expected at most " + Twine(results.size()) +
                                   " output ports, but got " + Twine(layer.outputs.size()));
  for (auto [port, value] : llvm::zip(layer.outputs, results)) // A layer may have fewer ports than its op has results.
    if (value)
      ok &= succeeded(checkPort(layer, port, "output", value.getType(), state));
  return success(ok);
}

//===----------------------------------------------------------------------===//
// LayerBuilder
//===----------------------------------------------------------------------===//

LayerBuilder::LayerBuilder(ModelState &state, OpBuilder &builder, const Layer &layer, ValueRange operands,
                           const GraphBuilder *graph)
    : state(state), builder(builder), layer(layer), type(ov::findLayerType(layer.type)), operands(operands),
      location(state.locate(layer)), graph(graph) {}

LayerBuilder::~LayerBuilder() = default;

const Layer *LayerBuilder::findProducer(unsigned i) const {
  const Input &input = layer.inputs[i];
  return graph && input.isFed() ? &graph->getGraph().layers[input.layer] : nullptr;
}

std::optional<int64_t> LayerBuilder::getDeclaredRank() const {
  if (layer.outputs.empty() || layer.outputs[0].dims.empty())
    return std::nullopt;
  return layer.outputs[0].dims.size();
}

Report LayerBuilder::error(Offset where, StringRef id, const Twine &message) {
  return state.reports.error(where, id, layer.describe() + ": " + message);
}

Report LayerBuilder::error(StringRef id, const Twine &message) { return error(layer.offset, id, message); }

LogicalResult LayerBuilder::checkSize(Type type, Offset where) {
  auto tensor = cast<RankedTensorType>(type);
  if (tensor.getRank() > RECUR_MAX_RANK)
    return error(where, "limit-rank",
                 "expected a tensor of at most " + Twine(RECUR_MAX_RANK) + " dims, but got " + Twine(tensor.getRank()));
  std::optional<uint64_t> count = countElements(tensor.getShape(), state.options.maxElements);
  if (!count)
    return error(where, "limit-elements",
                 "a tensor " + spell(tensor) + " has more than " + Twine(state.options.maxElements) + " elements");
  if (*count > state.options.maxBytes / getStoredBytes(tensor.getElementType()))
    return error(where, "limit-bytes",
                 "a tensor " + spell(tensor) + " has more than " + Twine(state.options.maxBytes) + " bytes");
  return success();
}

Value LayerBuilder::createConstant(TypedAttr value) {
  return ov::ConstantOp::create(builder, location, value).getResult();
}

FailureOr<Value> LayerBuilder::takeOnly(Value value) {
  if (cast<RankedTensorType>(value.getType()).hasStaticShape())
    return value;
  auto axes = RankedTensorType::get({1}, builder.getI64Type());
  Value axis = createConstant(DenseElementsAttr::get(axes, ArrayRef<int64_t>{0}));
  Operation *squeeze = create("ov.squeeze", {value, axis}, {});
  if (!squeeze)
    return failure();
  return squeeze->getResult(0);
}

/// Infers the result types of an op that has not been created, and stores them in `state.types`.
static LogicalResult inferTypes(OperationState &state, RegisteredOperationName name) {
  auto *inference = name.getInterface<InferTypeOpInterface>();
  if (!inference) {
    emitError(state.location) << "has results that cannot be inferred";
    return failure();
  }
  MLIRContext *context = name.getContext();
  DictionaryAttr attributes = state.attributes.getDictionary(context);
  SmallVector<std::max_align_t> storage(name.getOpPropertyByteSize() / sizeof(std::max_align_t) + 1);
  OpaqueProperties properties(name.getOpPropertyByteSize() ? storage.data() : nullptr);
  if (properties) {
    name.initOpProperties(properties, /*init=*/nullptr);
    name.populateDefaultProperties(properties);
  }
  LogicalResult result = success();
  if (properties)
    result = name.setOpPropertiesFromAttribute(state.name, properties, attributes,
                                               [&] { return emitError(state.location); });
  if (succeeded(result))
    result =
        inference->inferReturnTypes(context, state.location, state.operands, attributes, properties, {}, state.types);
  if (properties)
    name.destroyOpProperties(properties);
  return result;
}

/// True if operand `i` is an axis, a dim, an index or a count. OpenVINO takes any integer type for such an operand, the
/// ops of the dialect only i32 and i64.
static bool isIndexOperand(StringRef opName, size_t i) {
  const ov::LayerType *type = ov::findLayerTypeOfOp(opName);
  return type && i < type->operands.size() && type->operands[i].elements == ov::LayerElements::Index;
}

Operation *LayerBuilder::create(StringRef opName, ValueRange operands, ArrayRef<NamedAttribute> attributes,
                                TypeRange types) {
  SmallVector<Value> values(operands);
  for (auto [i, value] : llvm::enumerate(values)) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !isIndexOperand(opName, i))
      continue;
    auto element = dyn_cast<IntegerType>(type.getElementType());
    // The types of the results are inferred before the op, and so the types of its operands, can be verified.
    if (!element || element.isInteger(1)) {
      error("ir-op", "expected '" + ov::findLayerTypeOfOp(opName)->operands[i].name +
                         "' to be a tensor of integers, but got " + spell(type))
          .emit();
      return nullptr;
    }
    if (element.isSignlessInteger(32) || element.isSignlessInteger(64))
      continue;
    value = builder.createOrFold<ov::ConvertOp>(location, type.clone(builder.getI64Type()), value);
  }
  std::optional<RegisteredOperationName> name = RegisteredOperationName::lookup(opName, state.getContext());
  if (!name) {
    error("ir-unsupported-op", "the operation " + opName + " is not registered").emit();
    return nullptr;
  }
  Operation *op = nullptr;
  std::string problem = captureErrors(state.getContext(), [&] {
    OperationState opState(location, *name);
    opState.addOperands(values);
    opState.addAttributes(attributes);
    opState.addTypes(types);
    if (types.empty() && failed(inferTypes(opState, *name)))
      return;
    op = builder.create(opState);
    if (failed(verifyOp(op))) {
      op->erase();
      op = nullptr;
    }
  });
  if (!op) {
    error("ir-op", problem.empty() ? "the operation is not valid" : problem).emit();
    return nullptr;
  }
  for (Type type : op->getResultTypes()) {
    if (failed(checkSize(type, layer.offset))) {
      op->erase();
      return nullptr;
    }
  }
  return op;
}

LogicalResult LayerBuilder::createOp(ValueRange operands, ArrayRef<NamedAttribute> more, TypeRange types) {
  FailureOr<SmallVector<NamedAttribute>> attributes = readAttributes();
  if (failed(attributes))
    return failure();
  attributes->append(more.begin(), more.end());
  Operation *op = create(type->op, operands, *attributes, types);
  if (!op)
    return failure();
  results.assign(op->result_begin(), op->result_end());
  return success();
}
