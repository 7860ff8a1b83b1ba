// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OpenVINOIR.cpp - Import of OpenVINO IR into the ov dialect ---------===//

#include "Recur/Import/OpenVINOIR.h"

#include "GraphReader.h"
#include "LayerChecks.h"
#include "ModelBuilder.h"
#include "TypeSyntax.h"

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

/// The discardable attribute of the module that keeps the model's name.
static constexpr llvm::StringLiteral kModelNameAttr = "ov.model_name";

namespace {
/// Builds the module and its one function.
class ModuleBuilder {
public:
  ModuleBuilder(ModelState &state, const ModelFile &file)
      : state(state), file(file), graph(file.graph), builder(state.getContext()) {}

  OwningOpRef<ModuleOp> run();

private:
  LogicalResult readShapes();
  LogicalResult fixShape(const Layer &layer, StringRef name, DeclaredType &declared);
  FailureOr<RankedTensorType> getParameterType(const Layer &layer, StringRef name);
  DictionaryAttr describe(StringRef name, Type type, llvm::StringSet<> &used);

  ModelState &state;
  const ModelFile &file;
  const Graph &graph;
  OpBuilder builder;
  /// Shapes that the user fixes, by the name of the input; true once it was found.
  struct FixedShape {
    StringRef name;
    SmallVector<int64_t> dims;
    bool isUsed = false;
  };
  SmallVector<FixedShape> fixedShapes;
};
} // namespace

/// The first of a list of names, in which a comma within a name is written "\,".
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

/// Replaces dims that the model leaves open.
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
  // A port without dims is a scalar; without a port nothing is said.
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
  // Names find tensors on a command line, so that each must be one tensor's.
  std::string unique = name.str();
  for (unsigned i = 1; !used.insert(unique).second; ++i)
    unique = name.str() + "_" + std::to_string(i);
  Type element = cast<RankedTensorType>(type).getElementType();
  return builder.getDictionaryAttr({builder.getNamedAttr(ov::kNameAttr, builder.getStringAttr(unique)),
                                    builder.getNamedAttr(ov::kElementTypeAttr, TypeAttr::get(element))});
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
    FailureOr<RankedTensorType> type = getParameterType(layer, name);
    if (failed(type)) {
      ok = false;
      continue;
    }
    graphBuilder.setParameter(index, entry->addArgument(*type, state.locate(layer)));
    argAttrs.push_back(describe(name, *type, argNames));
  }
  for (const FixedShape &fixed : fixedShapes)
    if (!fixed.isUsed) {
      state.reports.error(graph.offset, "ir-fixed-shape", "the model has no input '" + fixed.name + "'").emit();
      ok = false;
    }
  if (failed(graphBuilder.run()) || !ok)
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
  func::ReturnOp::create(builder, location, results);
  func.setType(builder.getFunctionType(entry->getArgumentTypes(), TypeRange(ValueRange(results))));
  func.setArgAttrsAttr(builder.getArrayAttr(argAttrs));
  func.setResAttrsAttr(builder.getArrayAttr(resultAttrs));
  if (state.weights.isReferred())
    (*module)->setAttr(ov::kWeightsFileAttr, state.weights.describe(builder.getContext()));
  return module;
}

/// `<stem>.bin` beside the model; empty where the model is not a file.
static std::string getDefaultWeightsPath(StringRef modelPath) {
  if (modelPath.empty() || modelPath == "-" || modelPath == "<stdin>")
    return "";
  SmallString<128> path(modelPath);
  llvm::sys::path::replace_extension(path, ".bin");
  return path.str().str();
}

FailureOr<ImportedModel> recur::importOpenVINOIR(llvm::MemoryBufferRef xml, MLIRContext *context,
                                                 const ImportOptions &options) {
  context->loadDialect<ov::OVDialect, func::FuncDialect, tensor::TensorDialect, arith::ArithDialect>();
  SourceText source(xml.getBuffer(), xml.getBufferIdentifier(), context);
  Reports reports(source, options.maxReports);
  if (xml.getBufferSize() > options.maxFileBytes)
    return reports.error(0, "limit-file", "the file has more than " + Twine(options.maxFileBytes) + " bytes");
  ModelFile file;
  if (failed(file.read(xml.getBuffer(), reports, options)) || failed(checkLayers(file.graph, reports)))
    return failure();

  Weights weights(options.weightsPath.empty() ? getDefaultWeightsPath(xml.getBufferIdentifier()) : options.weightsPath);
  ModelState state{reports, options, weights};
  ImportedModel model;
  model.module = ModuleBuilder(state, file).run();
  // Each op has been checked as it was built; this is for what no single op can see.
  if (reports.failed() || !model.module || failed(verify(*model.module)))
    return failure();
  if (weights.isOpen())
    model.weightsFile = weights.getPath();
  if (weights.isReferred())
    model.weights = weights.take();
  return model;
}
