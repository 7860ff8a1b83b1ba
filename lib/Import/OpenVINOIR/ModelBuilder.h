// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelBuilder.h - From a graph to the ov dialect ----------*- C++ -*-===//
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

/// What all of a model's graphs share while they are built.
struct ModelState {
  Reports &reports;
  const ImportOptions &options;
  Weights &weights;
  uint64_t operationsBuilt = 0;

  mlir::MLIRContext *getContext() const { return reports.getSource().getContext(); }
  /// The layer's name, at its place in the file.
  mlir::Location locate(const Layer &layer) const;
};

/// What a Parameter says about its type; dims and element type may both be open.
struct DeclaredType {
  mlir::Type element;
  /// Dims are known, but for those that are dynamic; or even the rank is said to be open ("...").
  bool hasShape = false, hasOpenRank = false;
  llvm::SmallVector<int64_t> dims;
  Offset where = 0;
};
mlir::FailureOr<DeclaredType> readDeclaredType(const Layer &layer, Reports &reports);
/// Checks that a value of type `actual` may stand for `parameter`, whose declaration is `declared`.
llvm::LogicalResult checkDeclaredType(const Layer &parameter, const DeclaredType &declared,
                                      mlir::RankedTensorType actual, Offset source, llvm::StringRef sourceIs,
                                      llvm::StringRef reportId, Reports &reports);

class LayerBuilder;

/// Builds the layers of one graph, in its order.
class GraphBuilder {
public:
  GraphBuilder(ModelState &state, const Graph &graph, mlir::OpBuilder &builder);

  /// The value of a Parameter, known from outside.
  void setParameter(unsigned layer, mlir::Value value) { values[layer] = {value}; }
  /// Builds everything. Layers that depend on one that failed are left out silently.
  llvm::LogicalResult run();
  /// What feeds an input; null if that failed.
  mlir::Value getValue(const Input &input) const;
  /// What a Result returns.
  mlir::Value getResult(unsigned layer) const;

private:
  llvm::LogicalResult build(LayerBuilder &layer);
  llvm::LogicalResult checkInputs(const Layer &layer, mlir::ValueRange operands);
  llvm::LogicalResult checkOutputs(const Layer &layer, mlir::ValueRange results);

  ModelState &state;
  const Graph &graph;
  mlir::OpBuilder &builder;
  std::vector<llvm::SmallVector<mlir::Value, 1>> values;
};

/// One layer on its way to an op.
class LayerBuilder {
public:
  LayerBuilder(ModelState &state, mlir::OpBuilder &builder, const Layer &layer, mlir::ValueRange operands)
      : state(state), builder(builder), layer(layer), type(ov::findLayerType(layer.type)), operands(operands),
        location(state.locate(layer)) {}

  /// Creates an op and checks it. Without `types`, its results are inferred. What the op says is reported for the
  /// layer.
  mlir::Operation *create(llvm::StringRef name, mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes, mlir::TypeRange types = {});
  /// Creates the layer's op from all operands and the layer's attributes.
  llvm::LogicalResult createOp() { return createOp(operands); }
  /// The same of these operands, with `more` attributes, and with these result types where they are not inferred.
  llvm::LogicalResult createOp(mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> more = {},
                               mlir::TypeRange types = {});
  mlir::Value createConstant(mlir::TypedAttr value);
  /// The attributes of the op, read off the layer. Those of the layer that the op has not are checked.
  mlir::FailureOr<llvm::SmallVector<mlir::NamedAttribute>> readAttributes();
  /// One attribute of the layer, which must be there.
  mlir::FailureOr<mlir::Attribute> readAttribute(llvm::StringRef name);
  /// Reports for the layer, at the layer.
  Report error(llvm::StringRef id, const llvm::Twine &message);
  Report error(Offset where, llvm::StringRef id, const llvm::Twine &message);
  llvm::LogicalResult checkSize(mlir::Type type, Offset where);
  const TextAttribute *findData(llvm::StringRef name) const { return layer.findData(name); }

  ModelState &state;
  mlir::OpBuilder &builder;
  const Layer &layer;
  /// What the operation is.
  const ov::LayerType *type;
  mlir::ValueRange operands;
  mlir::Location location;
  llvm::SmallVector<mlir::Value> results;
};

/// The axis of a port map entry on a tensor of this type, not negative.
mlir::FailureOr<int64_t> normaliseAxis(LayerBuilder &layer, const PortMapEntry &entry, mlir::RankedTensorType type);
/// How an input entry cuts a tensor of this type, checked as far as the type tells.
mlir::FailureOr<ov::SliceInputAttr> resolveSlice(LayerBuilder &layer, const PortMapEntry &entry,
                                                 mlir::RankedTensorType type);
/// The type of a value that may be of either type, which have one rank: dims that differ are dynamic.
mlir::RankedTensorType join(mlir::RankedTensorType a, mlir::RankedTensorType b);
/// True for [] and [1], and for [?], which can only be checked at run time.
bool hasOneElement(llvm::ArrayRef<int64_t> dims);
/// Checks one op by itself. (mlir::verify would look at the dominance of what it captures, which cannot be told while
/// the body that it stands in is not part of the module.)
llvm::LogicalResult verifyOp(mlir::Operation *op);
/// Runs `action` and returns the text of the errors that it emits.
std::string captureErrors(mlir::MLIRContext *context, llvm::function_ref<void()> action);

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_MODELBUILDER_H
