// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OpenVINOIR.cpp - Import of OpenVINO IR into the ov dialect ---------===//
//
// The steps of an import: read the XML into a graph (GraphReader), check the types of all layers (LayerChecks), and
// build the function `main` from the graph (ModelBuilder). A step runs only if the steps before it found no error, or
// if all errors are to be reported.
//
//===----------------------------------------------------------------------===//

#include "Recur/Import/OpenVINOIR.h"

#include "ForeignFile.h"
#include "GraphReader.h"
#include "LayerChecks.h"
#include "ModelBuilder.h"
#include "PreProcess.h"
#include "TypeSyntax.h"

#include "Recur/Import/FoldConstants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

namespace {
/// Builds the module and its only function. Parameters become arguments of the function and Results its results.
class ModuleBuilder {
public:
  ModuleBuilder(ModelState &state, const ModelFile &file)
      : state(state), file(file), graph(file.graph), builder(state.getContext()) {}

  OwningOpRef<ModuleOp> run();

private:
  LogicalResult readShapes();
  LogicalResult fixShape(const Layer &layer, StringRef name, DeclaredType &declared);
  FailureOr<RankedTensorType> getParameterType(const Layer &layer, StringRef name);
  LogicalResult preProcess(Block &entry, GraphBuilder &graphBuilder);
  DictionaryAttr describe(StringRef name, Type type, llvm::StringSet<> &used);

  ModelState &state;
  const ModelFile &file;
  const Graph &graph;
  OpBuilder builder;
  /// A shape that the user gives for the input `name`. `isUsed` is set when the input is found.
  struct FixedShape {
    StringRef name;
    SmallVector<int64_t> dims;
    bool isUsed = false;
  };
  SmallVector<FixedShape> fixedShapes;
};
} // namespace

/// The first name of a list that commas separate. A comma that belongs to a name is written "\,".
static std::string getFirstName(StringRef names) {
  std::string name;
  for (size_t i = 0; i != names.size() && names[i] != ','; ++i) {
    if (names[i] == '\\' && i + 1 != names.size())
      ++i;
    name += names[i];
  }
  return name;
}

LogicalResult ModuleBuilder::readShapes() {
  for (StringRef text : state.options.shapes) {
    auto [name, shape] = text.rsplit('=');
    std::string problem;
    FailureOr<SmallVector<int64_t>> dims = parseShape(shape, problem);
    if (name.empty() || shape.empty() || failed(dims))
      return state.reports.error(graph.offset, "ir-fixed-shape",
                                 "expected the shape of an input as NAME=[2,?,3], but got '" + text + "'" +
                                     (problem.empty() ? "" : ": " + problem));
    fixedShapes.push_back({name, std::move(*dims)});
  }
  return success();
}

/// Replaces the open dims of an input by those that the user gives. `name` is the input's public name; the name of the
/// layer is accepted too. Reports an error if the two shapes contradict each other.
LogicalResult ModuleBuilder::fixShape(const Layer &layer, StringRef name, DeclaredType &declared) {
  for (FixedShape &fixed : fixedShapes) {
    if (fixed.name != name && fixed.name != layer.getName())
      continue;
    fixed.isUsed = true;
    SmallVector<int64_t> dims = fixed.dims;
    bool fits = !declared.hasShape || declared.dims.size() == dims.size();
    if (declared.hasShape && fits)
      for (auto [own, dim] : llvm::zip_equal(declared.dims, dims)) {
        dim = ShapedType::isDynamic(dim) ? own : dim;
        fits &= own == dim || ShapedType::isDynamic(own);
      }
    if (!fits)
      return state.reports.error(declared.where, "ir-fixed-shape",
                                 layer.describe() + ": expected a shape like " + spell(declared.dims) + ", but got " +
                                     spell(fixed.dims));
    declared.dims = std::move(dims);
    declared.hasShape = true;
    declared.hasOpenRank = false;
  }
  return success();
}

FailureOr<RankedTensorType> ModuleBuilder::getParameterType(const Layer &layer, StringRef name) {
  FailureOr<DeclaredType> declared = readDeclaredType(layer, state.reports);
  if (failed(declared) || failed(fixShape(layer, name, *declared)))
    return failure();
  if (!declared->element)
    return state.reports.error(layer.offset, "ir-element-type",
                               layer.describe() + ": expected an element type, but got none");
  if (declared->hasOpenRank)
    return state.reports.error(declared->where, "ir-shape",
                               layer.describe() + ": a shape of unknown rank is not supported");
  // A port without dims declares a scalar. Without a port, no shape is declared.
  if (!declared->hasShape && layer.outputs.empty())
    return state.reports.error(layer.offset, "ir-shape",
                               layer.describe() + ": expected a shape, of the data or of the port, but got none");
  auto type = RankedTensorType::get(declared->dims, declared->element);
  LayerBuilder sizes(state, builder, layer, {});
  if (failed(sizes.checkSize(type, declared->where)))
    return failure();
  return type;
}

DictionaryAttr ModuleBuilder::describe(StringRef name, Type type, llvm::StringSet<> &used) {
  // Users refer to tensors by name, for example on a command line, so no two inputs or two outputs may share a name.
  std::string unique = name.str();
  for (unsigned i = 1; !used.insert(unique).second; ++i)
    unique = name.str() + "_" + std::to_string(i);
  Type element = cast<RankedTensorType>(type).getElementType();
  return builder.getDictionaryAttr({builder.getNamedAttr(ov::kNameAttr, builder.getStringAttr(unique)),
                                    builder.getNamedAttr(ov::kElementTypeAttr, TypeAttr::get(element))});
}

/// Subtracts the means of `<pre-process>` from its input. `entry` has the arguments of the Parameters.
LogicalResult ModuleBuilder::preProcess(Block &entry, GraphBuilder &graphBuilder) {
  SmallVector<Value> parameters(entry.getArguments());
  FailureOr<unsigned> input = findPreProcessed(*graph.preProcess, graph, parameters, state.reports);
  if (failed(input))
    return failure();
  unsigned index = graph.parameters[*input];
  LayerBuilder layer(state, builder, graph.layers[index], {});
  Value value = subtractMeans(*graph.preProcess, layer, parameters[*input]);
  graphBuilder.setParameter(index, value);
  return success(bool(value));
}

OwningOpRef<ModuleOp> ModuleBuilder::run() {
  Location location = state.reports.getSource().locate(graph.offset);
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, location);
  if (!file.name.empty())
    (*module)->setAttr(kModelNameAttr, builder.getStringAttr(file.name));
  builder.setInsertionPointToStart(module->getBody());
  auto func = func::FuncOp::create(builder, location, "main", builder.getFunctionType({}, {}));
  Block *entry = func.addEntryBlock();
  builder.setInsertionPointToStart(entry);

  GraphBuilder graphBuilder(state, graph, builder);
  bool ok = succeeded(readShapes());
  SmallVector<Attribute> argAttrs, resultAttrs;
  llvm::StringSet<> argNames, resultNames;
  for (unsigned index : graph.parameters) {
    const Layer &layer = graph.layers[index];
    std::string name = layer.outputs.empty() ? "" : getFirstName(layer.outputs.front().names);
    if (name.empty())
      name = layer.getName();
    FailureOr<RankedTensorType> type = failure();
    if (!layer.isBroken)
      type = getParameterType(layer, name);
    if (failed(type)) {
      ok = false;
      continue;
    }
    graphBuilder.setParameter(index, entry->addArgument(*type, state.locate(layer)));
    mlir::NamedAttrList attributes(describe(name, *type, argNames));
    const TextAttribute *shape = layer.findData("shape");
    if (shape && shape->value.contains("..") && !type->hasStaticShape())
      attributes.set(kDeclaredShapeAttr, builder.getStringAttr(shape->value.trim()));
    argAttrs.push_back(attributes.getDictionary(builder.getContext()));
  }
  for (const FixedShape &fixed : fixedShapes)
    if (!fixed.isUsed) {
      auto names = llvm::map_to_vector(argAttrs, [](Attribute attrs) {
        return quoted(cast<DictionaryAttr>(attrs).getAs<StringAttr>(ov::kNameAttr));
      });
      state.reports
          .error(graph.offset, "ir-fixed-shape",
                 "the model has no input '" + fixed.name + "'" + (names.empty() ? "" : "; it has " + listed(names)))
          .emit();
      ok = false;
    }
  if (ok && graph.preProcess)
    ok = succeeded(preProcess(*entry, graphBuilder));
  if (failed(graphBuilder.run()) || !ok || state.reports.failed())
    return {};

  SmallVector<Value> results;
  for (unsigned index : graph.results) {
    const Layer &layer = graph.layers[index];
    const Input &input = layer.inputs.front();
    results.push_back(graphBuilder.getResult(index));
    std::string name = getFirstName(layer.outputNames);
    if (name.empty())
      name = getFirstName(graph.layers[input.layer].outputs[input.port].names);
    resultAttrs.push_back(describe(name.empty() ? layer.getName() : name, results.back().getType(), resultNames));
  }
  FailureOr<SmallVector<int64_t>> states = finishStates(state, builder, *entry, results);
  if (failed(states))
    return {};
  llvm::StringSet<> stateNames, flagNames;
  for (const Variable &variable : state.variables) {
    argAttrs.push_back(describe(variable.name, variable.value.getType(), stateNames));
    argAttrs.push_back(describe(variable.name + " is set", variable.isSet.getType(), flagNames));
    resultAttrs.push_back(argAttrs[argAttrs.size() - 2]);
  }
  if (!states->empty())
    (*module)->setAttr(ov::kStatesAttr, builder.getDenseI64ArrayAttr(*states));
  func::ReturnOp::create(builder, location, results);
  func.setType(builder.getFunctionType(entry->getArgumentTypes(), TypeRange(ValueRange(results))));
  func.setArgAttrsAttr(builder.getArrayAttr(argAttrs));
  func.setResAttrsAttr(builder.getArrayAttr(resultAttrs));
  if (state.weights.isReferred())
    (*module)->setAttr(ov::kWeightsFileAttr, state.weights.describe(builder.getContext()));
  return module;
}

/// The path `<stem>.bin` beside the model; empty if the model is not a file.
static std::string getDefaultWeightsPath(StringRef modelPath) {
  if (modelPath.empty() || modelPath == "-" || modelPath == "<stdin>")
    return "";
  SmallString<128> path(modelPath);
  llvm::sys::path::replace_extension(path, ".bin");
  return path.str().str();
}

/// Verifies properties of the whole module, such as dominance. (Each op was verified when it was built.) An error has
/// the form of those of the importer.
static LogicalResult verifyModule(ModuleOp module) {
  MLIRContext *context = module.getContext();
  std::optional<Location> place;
  bool isValid = false;
  std::string problem = captureErrors(context, [&] {
    ScopedDiagnosticHandler places(context, [&](Diagnostic &diagnostic) {
      if (!place)
        place = diagnostic.getLocation();
      return failure();
    });
    isValid = succeeded(verify(module));
  });
  if (isValid)
    return success();
  return emitError(place.value_or(module.getLoc())) << problem << " [ir-op]";
}

FailureOr<ImportedModel> recur::importOpenVINOIR(llvm::MemoryBufferRef xml, MLIRContext *context,
                                                 const ImportOptions &options) {
  context->loadDialect<ov::OVDialect, func::FuncDialect, tensor::TensorDialect, arith::ArithDialect>();
  // The place has no line, because that would be printed.
  if (std::string foreign = describeForeignFile(xml.getBuffer(), xml.getBufferIdentifier()); !foreign.empty())
    return emitError(FileLineColLoc::get(context, xml.getBufferIdentifier(), 0, 0))
           << "expected OpenVINO IR, an XML file with root <net>, but got " << foreign << " [xml-foreign]";
  SourceText source(xml.getBuffer(), xml.getBufferIdentifier(), context);
  Reports reports(source, options.maxReports, options.reportsAll);
  if (xml.getBufferSize() > options.maxFileBytes)
    return reports.error(0, "limit-file", "the file has more than " + Twine(options.maxFileBytes) + " bytes");
  ModelFile file;
  if (failed(file.read(xml.getBuffer(), reports, options)) || failed(checkLayers(file.graph, reports)))
    return failure();

  Weights weights(options.weightsPath.empty() ? getDefaultWeightsPath(xml.getBufferIdentifier()) : options.weightsPath,
                  options.weights);
  ModelState state{reports, options, weights, file.graph};
  ImportedModel model;
  model.module = ModuleBuilder(state, file).run();
  // The weights of another model are what most errors of layers come from that read constants.
  if (weights.isOpen() && !options.weights)
    checkWeightsSize(file.graph, weights, reports);
  if (!model.module && !reports.failed())
    return reports.error(file.graph.offset, "ir-op", "the model cannot be built");
  if (reports.failed() || !model.module || failed(verifyModule(*model.module)))
    return failure();
  StringRef bytes = weights.getBytes();
  foldConstants(*model.module, ArrayRef(bytes.data(), bytes.size()));
  if (weights.isOpen()) {
    model.weightsFile = weights.getPath();
    model.weights = weights.take();
  }
  return model;
}
