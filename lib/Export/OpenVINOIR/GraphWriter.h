// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphWriter.h - Layers and edges of a model or a body ----*- C++ -*-===//
//
// A GraphWriter writes the ops of one block, the model or a body, as layers and edges. The IR has no values that a body
// captures, so each of these becomes a Parameter of the body, which the owner of the body feeds through its port map.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_EXPORT_OPENVINOIR_GRAPHWRITER_H
#define RECUR_LIB_EXPORT_OPENVINOIR_GRAPHWRITER_H

#include "Constants.h"
#include "States.h"

#include "Recur/Dialect/OV/IR/Layers.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <pugixml.hpp>

namespace recur::ir {

/// The state that all graphs of a model share while they are written.
struct ExportState {
  ExportState(ConstantWriter &constants, bool isSimplified) : constants(constants), isSimplified(isSimplified) {}

  ConstantWriter &constants;
  /// The ops that results and states need. Others are not written, because readers leave them out.
  llvm::DenseSet<mlir::Operation *> live;
  /// Whether passes have changed the module. A body then has constants of its own in place of those that it captures:
  /// passes move constants out of bodies, but OpenVINO computes some operations only with constants beside them.
  bool isSimplified;
  /// The names of tensors that stand at ports. OpenVINO refuses a name that two tensors have.
  llvm::StringSet<> tensorNames;
  ov::StateReads reads;
};

/// An output port of a layer, where edges begin: both ids, and the element.
struct OutputPort {
  unsigned layer, port;
  pugi::xml_node node;
};

/// A layer while it is written. The ids of its ports are 0, 1, … in the order in which they are added, so inputs come
/// before outputs.
struct LayerNode {
  unsigned id;
  pugi::xml_node node, input = {}, output = {};
  unsigned ports = 0;

  /// Adds an attribute to the data of the layer.
  void setData(llvm::StringRef name, const std::string &value);
};

class GraphWriter {
public:
  /// Writes to `owner`, a `<net>` or a body. `parent` is the graph around a body, or null.
  GraphWriter(ExportState &model, GraphWriter *parent, mlir::Block &block, pugi::xml_node owner);

  /// Writes all live ops of the block but its terminator. Emits errors.
  llvm::LogicalResult writeOps();

  /// Adds a layer of `type` for an op or an argument at `location`, whose name it gets if there is one.
  LayerNode addLayer(const ov::LayerType &type, mlir::Location location) {
    return addLayer(type.name, type.writtenOpset, location);
  }
  LayerNode addLayer(llvm::StringRef type, unsigned opset, mlir::Location location);
  /// Adds an input port that `value` feeds, and returns its id. Fails, with an error at `user`, if the value cannot be
  /// written.
  llvm::FailureOr<unsigned> addInput(LayerNode &layer, mlir::Value value, mlir::Operation *user);
  /// Adds an input port that a constant feeds. Fails with an error at `location`.
  llvm::LogicalResult addInput(LayerNode &layer, mlir::TypedAttr value, mlir::Location location);
  /// Adds an output port, which is that of `value`, if it is not null, and returns its id. `name` is the name of the
  /// tensor, or empty. `precision` replaces the precision of the type, if it is not empty.
  unsigned addOutput(LayerNode &layer, mlir::Type type, mlir::Value value = {}, llvm::StringRef name = "",
                     llvm::StringRef precision = "");
  /// Adds a Parameter, which is the value of an argument or a captured value. Returns its id. The shape is that of the
  /// value if none is given. `name` is the name of the tensor, or empty.
  unsigned addParameter(mlir::Value value);
  unsigned addParameter(mlir::Value value, llvm::StringRef shape, llvm::StringRef name);
  /// Adds a Result of `value`. `name` is the name of the tensor, or empty. Fails as addInput does.
  llvm::FailureOr<unsigned> addResult(mlir::Value value, mlir::Operation *user, llvm::StringRef name = "");
  /// Adds a Const, and returns its only port, which is also that of `result` if that is not null. Fails with an error
  /// at `location`.
  llvm::FailureOr<OutputPort> addConstant(mlir::TypedAttr value, mlir::Location location, mlir::Value result = {});

  /// The port of a value. Fails, with an error at `user`, if the value cannot be written.
  llvm::FailureOr<OutputPort> findPort(mlir::Value value, mlir::Operation *user);
  /// The values that the body captures, with the ids of their Parameters.
  llvm::ArrayRef<std::pair<mlir::Value, unsigned>> getCaptures() const { return captures; }
  /// Adds the names of a tensor to the port that it has, unless another tensor has this name.
  void addTensorName(mlir::Value value, llvm::StringRef name);

  ExportState &model;

private:
  unsigned addInput(LayerNode &layer, mlir::Type type, OutputPort source);
  llvm::LogicalResult writeOp(mlir::Operation *op);
  llvm::LogicalResult writeByTable(mlir::Operation *op, const ov::LayerType &type);
  llvm::LogicalResult writeSlice(mlir::tensor::ExtractSliceOp op);
  std::string chooseName(llvm::StringRef type, unsigned id, mlir::Location location);

  GraphWriter *parent;
  mlir::Block &block;
  pugi::xml_node layers, edges;
  unsigned nextId = 0;
  llvm::DenseMap<mlir::Value, OutputPort> ports;
  llvm::SmallVector<std::pair<mlir::Value, unsigned>> captures;
  /// The names of layers that are taken, and for each name in the locations of ops the last op that has it. That op
  /// keeps the name, because it computes what the layer of the original model did.
  llvm::StringSet<> names;
  llvm::StringMap<mlir::Operation *> owners;
  /// The op that is written.
  mlir::Operation *current = nullptr;
};

/// The value that a chain of casts is made of. The IR has no casts: a reader infers types.
mlir::Value stripCasts(mlir::Value value);

/// The operands of an op that are inputs of a layer. The dims of a loop after no iteration are not among them: they are
/// found in the body again when the layer is read.
mlir::OperandRange getInputs(mlir::Operation *op);

/// A name in a list that commas separate.
std::string escapeName(llvm::StringRef name);

} // namespace recur::ir

#endif // RECUR_LIB_EXPORT_OPENVINOIR_GRAPHWRITER_H
