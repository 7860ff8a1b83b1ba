// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Names.h - what values and numbers of a model are called --*- C++ -*-===//
//
// Values have the names of inputs, outputs and layers. Numbers of iterations are put into words by the dims and values
// that they follow from.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_EXPLAIN_NAMES_H
#define RECUR_LIB_EXPLAIN_NAMES_H

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Explain/Explanation.h"

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace recur {

/// The first layer that a location names, and its place. `sources` has the text of the model, which has the ids.
LayerPlace findLayer(mlir::Location loc, const llvm::SourceMgr &sources);

/// The type of a layer as OpenVINO calls it, such as "MatMul"; of an op that no layer has, the name of the op.
std::string getLayerType(mlir::Operation *op);

/// The name of a value: that of the input or the layer that it comes from, or its number if it is a constant with one.
std::string getName(mlir::Value value);

/// Where a result of a loop goes: the names of outputs, and of layers that read it, of which many are left out. Empty
/// if nothing reads it.
std::string getUsers(mlir::Value value);

/// The element type and the dims of a tensor, such as "f32 [2, ?]".
std::string spellType(mlir::Type type);

/// The bytes of a tensor; nullopt if it has a dim that is not known.
std::optional<double> countTensorBytes(mlir::Type type);

/// Puts numbers of iterations into words.
class CountText {
public:
  std::string describe(ov::TensorIteratorOp loop);
  std::string describe(ov::LoopOp loop);
  /// Of a sequence: the length of the axis, and the lengths if they may be less.
  std::string describeSequence(mlir::Value x, mlir::Value lengths);

private:
  using Dim = ov::DimExpressions::Dim;

  std::string spell(Dim dim, bool isOperand = false);
  std::string spellDim(mlir::Value tensor, int64_t axis);
  /// The element of an integer tensor of one element, and one that no expression explains.
  std::string spellElement(mlir::Value value);
  std::string spellSymbol(mlir::Value value);

  ov::ValueDims dims;
};

} // namespace recur

#endif // RECUR_LIB_EXPLAIN_NAMES_H
