// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelBuilder.h - From a graph to the ov dialect ----------*- C++ -*-===//
//
// A GraphBuilder builds the ops of one graph, the model or a body, layer by layer. It makes a LayerBuilder for each
// layer, which importers (Importers.h) use to create ops. Each op is verified when it is created, so that an error
// names the layer and its place in the file.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_MODELBUILDER_H
#define RECUR_LIB_IMPORT_OPENVINOIR_MODELBUILDER_H

#include "Graph.h"
#include "Weights.h"

#include "Recur/Dialect/OV/IR/Layers.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace recur {
struct ImportOptions;
} // namespace recur

namespace recur::ir {

/// A state of the model, which ReadValue reads and Assign writes.
struct Variable {
  std::string name;
  /// The arguments of the function: the value of the state, and whether it was set since the last reset. Null if no
  /// ReadValue reads the state.
  mlir::Value value, isSet;
  /// The last Assign that was built, and its operand; null if there is none.
  const Layer *assign = nullptr;
  mlir::Value next;
};

/// Values that stand for the results of ops that could not be created (Expansion.h). They are in no function.
class Placeholders {
public:
  Placeholders() = default;
  Placeholders(const Placeholders &) = delete;
  Placeholders &operator=(const Placeholders &) = delete;
  ~Placeholders() { block.dropAllDefinedValueUses(); }
  /// A tensor of this element type. It has more dims than a tensor of a model may have, and none of them is known. So
  /// every axis of a tensor of the model is one of its axes, too.
  mlir::Value get(mlir::Type element);

private:
  mlir::Block block;
  llvm::DenseMap<mlir::Type, mlir::Value> values;
};

/// The state that all graphs of a model share while they are built.
struct ModelState {
  Reports &reports;
  const ImportOptions &options;
  Weights &weights;
  /// The whole model.
  const Graph &graph;
  /// The number of layers that were built, for the limit of ImportOptions.
  uint64_t layersBuilt = 0;
  /// In the order in which the layers that name them are built.
  std::vector<Variable> variables = {};
  Placeholders placeholders = {};
  /// True if a warning has told that a port does not have the type of its value.
  bool hasWarnedOfPort = false;
  /// True if an error has told that the weights file is too short.
  bool hasReportedEnd = false;

  Variable &getVariable(llvm::StringRef name);

  mlir::MLIRContext *getContext() const { return reports.getSource().getContext(); }
  /// The location of the ops of a layer: its name, at its place in the file.
  mlir::Location locate(const Layer &layer) const;
};

/// The type that a Parameter or a Const declares, by its attributes or its output port.
struct DeclaredType {
  /// The element type, or null if it is open.
  mlir::Type element;
  /// Set if the elements of a constant are packed in bytes. `element` is then the type of the unpacked ones.
  std::optional<ov::PackedFormat> format;
  /// `hasShape` is true if the shape is declared: `dims` are then its dims, kDynamic if open. `hasOpenRank` is true if
  /// the declaration leaves even the rank open ("..."). If both are false, no dims are declared; a port without dims
  /// may mean a scalar.
  bool hasShape = false, hasOpenRank = false;
  llvm::SmallVector<int64_t> dims;
  /// The place of the declaration.
  Offset where = 0;
};
/// Reads the declaration of a Parameter or a Const. Reports an error if it is malformed. Only a constant may have
/// packed elements.
mlir::FailureOr<DeclaredType> readDeclaredType(const Layer &layer, Reports &reports, bool isConstant = false);
/// Checks that a value of type `actual` may be passed to `parameter`, which declares the type `declared`. An error is
/// reported at `source`, with the id `reportId`; in its text, `sourceIs` comes before the actual type.
llvm::LogicalResult checkDeclaredType(const Layer &parameter, const DeclaredType &declared,
                                      mlir::RankedTensorType actual, Offset source, llvm::StringRef sourceIs,
                                      llvm::StringRef reportId, Reports &reports);

class LayerBuilder;
struct OpenIf;

/// Builds the ops of one graph, in the order `graph.order`, at the insertion point of `builder`.
class GraphBuilder {
public:
  GraphBuilder(ModelState &state, const Graph &graph, mlir::OpBuilder &builder);

  /// Sets the value of a Parameter, before `run`.
  void setParameter(unsigned layer, mlir::Value value) { values[layer] = {value}; }
  /// Builds all layers and reports errors. A layer that depends on one that failed is not built. Of its errors, only
  /// those are reported that do not follow from that.
  llvm::LogicalResult run();
  /// The value that feeds an input, or null if it could not be built.
  mlir::Value getValue(const Input &input) const;
  /// The value of a Result, or null if it could not be built.
  mlir::Value getResult(unsigned layer) const;
  const Graph &getGraph() const { return graph; }

private:
  /// Builds these layers, in this order.
  llvm::LogicalResult buildLayers(llvm::ArrayRef<unsigned> order);
  /// Builds the layers that come after the If `layer`, whose bodies give values of two ranks (OpenIf.cpp).
  llvm::LogicalResult buildBehind(unsigned layer, OpenIf &open, llvm::ArrayRef<unsigned> order);
  llvm::LogicalResult build(LayerBuilder &layer);
  void checkUnbuilt(const Layer &layer, llvm::ArrayRef<mlir::Value> operands);
  llvm::LogicalResult checkInputCount(LayerBuilder &layer);
  llvm::LogicalResult checkInputs(const Layer &layer, mlir::ValueRange operands);
  llvm::LogicalResult checkOutputs(const Layer &layer, mlir::ValueRange results);

  ModelState &state;
  const Graph &graph;
  mlir::OpBuilder &builder;
  /// For each layer, the values of its output ports; for a Result, its value.
  std::vector<llvm::SmallVector<mlir::Value, 1>> values;
};

/// A layer while its op is built. Importers read the operands and fill `results`.
class LayerBuilder {
public:
  LayerBuilder(ModelState &state, mlir::OpBuilder &builder, const Layer &layer, mlir::ValueRange operands,
               const GraphBuilder *graph = nullptr);
  ~LayerBuilder();

  /// Creates the op `name` ("ov.add") and verifies it. The types of the results are `types`, or are inferred if `types`
  /// is empty. An operand that must be i32 or i64 in the dialect but may have any integer type in OpenVINO is converted
  /// to i64. Errors of the op are reported for the layer; the result is then null.
  mlir::Operation *create(llvm::StringRef name, mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes, mlir::TypeRange types = {});
  /// Creates the layer's op from all operands and the layer's attributes.
  llvm::LogicalResult createOp() { return createOp(operands); }
  /// The same, with these operands, `more` attributes, and these result types (inferred if there are none).
  llvm::LogicalResult createOp(mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> more = {},
                               mlir::TypeRange types = {});
  mlir::Value createConstant(mlir::TypedAttr value);
  /// A value for which hasOneElement holds, with a static type: a [?] becomes a scalar, and the call fails if it does
  /// not have one element.
  mlir::FailureOr<mlir::Value> takeOnly(mlir::Value value);
  /// The attributes of the op, from those of the layer. Attributes of the layer that the op does not have are checked
  /// too; they are part of the result unless `onlyOfOp`. Reports an error if one is missing, not valid or not
  /// supported.
  mlir::FailureOr<llvm::SmallVector<mlir::NamedAttribute>> readAttributes(bool onlyOfOp = true);
  /// One attribute of the layer. Reports an error if the layer does not have it, or if it is not valid.
  mlir::FailureOr<mlir::Attribute> readAttribute(llvm::StringRef name);
  /// An error whose text begins with the layer, at the layer or at `where`.
  Report error(llvm::StringRef id, const llvm::Twine &message);
  Report error(Offset where, llvm::StringRef id, const llvm::Twine &message);
  /// Reports an error at `where` if a tensor of this type is beyond RECUR_MAX_RANK or the limits of ImportOptions.
  llvm::LogicalResult checkSize(mlir::Type type, Offset where);
  /// The attribute of `<data>` with this name, or null.
  const TextAttribute *findData(llvm::StringRef name) const { return layer.findData(name); }
  /// The layer that computes operand `i`, or null if it is not known. Its op may have been folded to a constant.
  const Layer *findProducer(unsigned i) const;
  /// The value that feeds an input of a layer of the same graph, or null if it is not known.
  mlir::Value getFeeding(const Input &input) const { return graph ? graph->getValue(input) : mlir::Value(); }
  /// The rank that output port 0 declares, or nullopt if it has no dims.
  std::optional<int64_t> getDeclaredRank() const;

  ModelState &state;
  mlir::OpBuilder &builder;
  const Layer &layer;
  /// The entry of the layer's type in the table of layers; null only for a type that is not supported.
  const ov::LayerType *type;
  mlir::ValueRange operands;
  mlir::Location location;
  llvm::SmallVector<mlir::Value> results;
  /// True once an expansion of the layer has failed (Expansion.h).
  bool hasFailedToExpand = false;
  /// The graph of the layer, if it is built as a part of one.
  const GraphBuilder *graph;
  /// Set instead of `results` by an If whose bodies give values of two ranks.
  std::unique_ptr<OpenIf> open;
};

/// An If whose bodies give values of different ranks, before there is an op.
struct OpenIf {
  mlir::Value condition;
  /// The bodies, each a block without a terminator: of "then" and of "else".
  mlir::Region regions[2];
  /// For each body and each output port, the value; null if the body does not fill the port.
  llvm::SmallVector<mlir::Value> values[2];
  /// The places of the two entries of the port map for the first output port of two ranks, and its id.
  Offset places[2] = {};
  uint64_t port = 0;
  /// The types of that output in the bodies.
  mlir::RankedTensorType types[2] = {};
  /// The error if the value has no meaning, for a layer that is no If but has a result of two ranks; or empty.
  std::string problem;
};

/// Checks the layers in the body of a TensorIterator or Loop that cannot be built. An operand of the layer is null if
/// it could not be built. A Parameter that receives another value in each iteration has the type that it declares. One
/// whose type is open, and what depends on it, is not checked.
void checkLoopBody(LayerBuilder &layer);
/// The same for the bodies of an If.
void checkIfBodies(LayerBuilder &layer);

/// Gives each state its place in the signature of the function whose body is `entry`: two arguments (States.cpp) and a
/// result, which is appended to `results`. Returns for each state whether an Assign writes it.
mlir::FailureOr<llvm::SmallVector<int64_t>> finishStates(ModelState &state, mlir::OpBuilder &builder,
                                                         mlir::Block &entry,
                                                         llvm::SmallVectorImpl<mlir::Value> &results);

/// Opens the weights file, and checks that it has `bytes` at `offset`. Reports an error, at `where` if that is the
/// problem.
llvm::LogicalResult checkWeightsRange(LayerBuilder &layer, Offset where, uint64_t offset, uint64_t bytes);

/// Warns if the weights file, which is open, goes on behind the last constant of the model, because OpenVINO writes no
/// such file.
void checkWeightsSize(const Graph &graph, const Weights &weights, Reports &reports);

/// The axis of a port map entry as a number in [0, rank) of `type`. Reports an error if it is out of range.
mlir::FailureOr<int64_t> normaliseAxis(LayerBuilder &layer, const PortMapEntry &entry, mlir::RankedTensorType type);
/// Describes how an input entry slices a tensor of this type. Reports an error if the axis, or the range and the slices
/// of a static axis, are not valid.
mlir::FailureOr<ov::SliceInputAttr> resolveSlice(LayerBuilder &layer, const PortMapEntry &entry,
                                                 mlir::RankedTensorType type);
/// The most precise type that covers both types: dims that differ are dynamic. Both have the same rank and element
/// type.
mlir::RankedTensorType join(mlir::RankedTensorType a, mlir::RankedTensorType b);
/// True for the shapes [] and [1], and for [?], whose dim can only be checked at run time.
bool hasOneElement(llvm::ArrayRef<int64_t> dims);
/// Verifies one op without its context. mlir::verify would also check that captured values dominate their uses, which
/// is not possible while the body that contains the op is not part of the module.
llvm::LogicalResult verifyOp(mlir::Operation *op);
/// Runs `action` and returns the texts of the errors that it emits, separated by "; ".
std::string captureErrors(mlir::MLIRContext *context, llvm::function_ref<void()> action);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_MODELBUILDER_H
