// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Machine.h - what the interpreter's op functions work with -*- C++ -*-===//
#ifndef RECUR_LIB_INTERPRETER_MACHINE_H
#define RECUR_LIB_INTERPRETER_MACHINE_H

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Interpreter/Interpreter.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include <optional>

namespace recur::interpreter {

/// Nothing after a fault.
using MaybeTensor = std::optional<Tensor>;
using Tensors = std::vector<Tensor>;
using MaybeTensors = std::optional<Tensors>;
/// The operands of an op; one that is optional and absent is missing.
using Operands = llvm::ArrayRef<const Tensor *>;

/// One execution of a function.
class Machine {
public:
  Machine(llvm::ArrayRef<char> weights, const InterpreterOptions &options) : weights(weights), options(options) {}

  /// Notes what went wrong; the first fault counts.
  std::nullopt_t fault(recur_status code, const llvm::Twine &what);

  /// Zeros; a fault if they are too many.
  MaybeTensor make(recur_element_type type, llvm::ArrayRef<int64_t> shape);

  const Tensor &valueOf(mlir::Value value) const { return *values.find(value)->second; }
  void bind(mlir::Value value, Tensor tensor) { values[value] = std::make_shared<const Tensor>(std::move(tensor)); }
  /// Runs the ops of a block but its terminator; false after a fault.
  bool run(mlir::Block &block);
  MaybeTensors runOp(mlir::Operation *op);

  llvm::ArrayRef<char> weights;
  InterpreterOptions options;
  recur_status status = RECUR_OK;
  std::string message;
  /// The iterations of the loops that are running, from the outside in.
  llvm::SmallVector<int64_t> iterations;

private:
  llvm::DenseMap<mlir::Value, std::shared_ptr<const Tensor>> values;
  /// The message says where.
  bool isPlaced = false;
};

using Handler = std::function<MaybeTensors(Machine &, mlir::Operation *, Operands)>;
using Handlers = llvm::StringMap<Handler>;

/// Adds a function of an op of one result.
template <typename Op>
void addHandler(Handlers &handlers, MaybeTensor (*function)(Machine &, Op, Operands)) {
  handlers[Op::getOperationName()] = [function](Machine &machine, mlir::Operation *op,
                                                Operands operands) -> MaybeTensors {
    MaybeTensor result = function(machine, mlir::cast<Op>(op), operands);
    if (!result)
      return std::nullopt;
    Tensors results;
    results.push_back(std::move(*result));
    return results;
  };
}

/// Adds a function of an op of any number of results.
template <typename Op>
void addHandler(Handlers &handlers, MaybeTensors (*function)(Machine &, Op, Operands)) {
  handlers[Op::getOperationName()] = [function](Machine &machine, mlir::Operation *op, Operands operands) {
    return function(machine, mlir::cast<Op>(op), operands);
  };
}

void addCells(Handlers &handlers);
void addElementwise(Handlers &handlers);
void addGatherTree(Handlers &handlers);
void addIndexing(Handlers &handlers);
void addLoops(Handlers &handlers);
void addMatMul(Handlers &handlers);
void addMath(Handlers &handlers);
void addMovement(Handlers &handlers);
void addReductions(Handlers &handlers);

//===----------------------------------------------------------------------===//
// What several families need
//===----------------------------------------------------------------------===//

/// The axis in [0, rank), or a fault.
std::optional<int64_t> normalize(Machine &machine, int64_t axis, int64_t rank);
/// The integers of a tensor.
Shape getIntegers(const Tensor &tensor);
/// The axes in a tensor, each in [0, rank).
std::optional<Shape> getAxes(Machine &machine, const Tensor &axes, int64_t rank);
/// The shape that `a` and `b` broadcast to: by NumPy's rules, or only if they are equal.
std::optional<Shape> broadcast(Machine &machine, llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b,
                               bool numpy = true);
/// Where the element of a tensor of `shape` is that a result's element at `place` is made of.
int64_t getBroadcastOffset(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> place);

/// Elements [start, start + size) along `axis`.
MaybeTensor slice(Machine &machine, const Tensor &data, int64_t axis, int64_t start, int64_t size);
MaybeTensor concatenate(Machine &machine, Operands parts, int64_t axis);
MaybeTensor transpose(Machine &machine, const Tensor &data, llvm::ArrayRef<int64_t> order);
MaybeTensor convert(Machine &machine, const Tensor &data, recur_element_type type);
MaybeTensor matMul(Machine &machine, const Tensor &a, const Tensor &b, bool transposeA, bool transposeB);

/// Applies `function` to elements that broadcast; results are stored as `type`.
MaybeTensor mapUnary(Machine &machine, const Tensor &x, recur_element_type type,
                     llvm::function_ref<Scalar(Scalar)> function);
MaybeTensor mapBinary(Machine &machine, const Tensor &a, const Tensor &b, recur_element_type type, bool numpy,
                      llvm::function_ref<std::optional<Scalar>(Scalar, Scalar)> function);

} // namespace recur::interpreter

#endif // RECUR_LIB_INTERPRETER_MACHINE_H
