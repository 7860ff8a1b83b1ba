// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Machine.h - what the interpreter's op functions work with -*- C++ -*-===//
#ifndef RECUR_LIB_INTERPRETER_MACHINE_H
#define RECUR_LIB_INTERPRETER_MACHINE_H

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Interpreter/Interpreter.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"
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

  /// More are not made, whatever the limits are.
  static constexpr int64_t kMostElements = int64_t(1) << 40;

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

/// True if the dims and elements that `op` states of its results (`DimsOpInterface`, `ElementsOpInterface`) are those of
/// `results`, for operands that `machine` has; else a fault. Dims that the op does not state pass.
bool checkDims(Machine &machine, mlir::Operation *op, llvm::ArrayRef<Tensor> results);

//===----------------------------------------------------------------------===//
// Axes, indices and places
//===----------------------------------------------------------------------===//

/// The axis in [0, rank), or a fault.
std::optional<int64_t> normalize(Machine &machine, int64_t axis, int64_t rank);
/// The index in [0, size), or a fault. A negative one counts from the end, if that is allowed.
std::optional<int64_t> normalizeIndex(Machine &machine, Integer index, int64_t size, bool allowNegative = true);
/// The integers of a tensor.
Shape getIntegers(const Tensor &tensor);
/// The axes in a tensor, each in [0, rank) and none twice, or a fault.
std::optional<Shape> getAxes(Machine &machine, const Tensor &axes, int64_t rank);
/// The coordinates that row `row` of `indices` holds, of dims of `data` from `first`.
std::optional<Shape> getCoordinates(Machine &machine, const Tensor &indices, int64_t row, const Tensor &data,
                                    int64_t first);

/// The shape that `a` and `b` broadcast to.
std::optional<Shape> broadcast(Machine &machine, llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b,
                               ov::AutoBroadcast mode = ov::AutoBroadcast::Numpy);
/// Where the element of a tensor of `shape` is that a result's element at `place` is made of.
int64_t getBroadcastOffset(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> place);

/// Calls `visit` with the first place of each line along `axis`.
void forEachLine(const Tensor &data, int64_t axis, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);
/// Where element `i` of such a line is.
int64_t getLineOffset(const Tensor &tensor, llvm::ArrayRef<int64_t> line, int64_t axis, int64_t i);

//===----------------------------------------------------------------------===//
// Functions of elements
//===----------------------------------------------------------------------===//

/// Integers wrap in 64 bits.
Scalar sumOf(Scalar a, Scalar b);
Scalar productOf(Scalar a, Scalar b);
/// NaN if either is.
Scalar lesserOf(Scalar a, Scalar b);
Scalar greaterOf(Scalar a, Scalar b);

namespace real {
double relu(double x);
double sigmoid(double x);
double hardSigmoid(double x, double alpha, double beta);
} // namespace real

//===----------------------------------------------------------------------===//
// Functions of tensors
//===----------------------------------------------------------------------===//

/// Applies `function` to elements; results are stored as `type`.
MaybeTensor mapUnary(Machine &machine, const Tensor &x, recur_element_type type,
                     llvm::function_ref<Scalar(Scalar)> function);
/// The same with two tensors that broadcast; `function` may fault.
MaybeTensor mapBinary(Machine &machine, const Tensor &a, const Tensor &b, recur_element_type type,
                      ov::AutoBroadcast mode, llvm::function_ref<std::optional<Scalar>(Scalar, Scalar)> function);

/// A tensor of `shape`, each of whose elements is that of `data` at the place that `from` gives; nothing leaves it to
/// what `otherwise` holds.
MaybeTensor take(Machine &machine, const Tensor &data, llvm::ArrayRef<int64_t> shape,
                 llvm::function_ref<std::optional<Shape>(llvm::ArrayRef<int64_t>)> from,
                 const Tensor *otherwise = nullptr);
/// Elements [start, start + size) along `axis`.
MaybeTensor slice(Machine &machine, const Tensor &data, int64_t axis, int64_t start, int64_t size);
MaybeTensor concatenate(Machine &machine, Operands parts, int64_t axis);
MaybeTensor transpose(Machine &machine, const Tensor &data, llvm::ArrayRef<int64_t> order);
MaybeTensor convert(Machine &machine, const Tensor &data, recur_element_type type);
MaybeTensor matMul(Machine &machine, const Tensor &a, const Tensor &b, bool transposeA, bool transposeB);

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

using Handler = std::function<MaybeTensors(Machine &, mlir::Operation *, Operands)>;
using Handlers = llvm::StringMap<Handler>;

/// Each adds the ops of its family, in the file of that name; `interpret` knows the families from a list of these.
using AddFamily = void(Handlers &handlers);
AddFamily addActivation, addArithmetic, addComparison, addCondition, addConvolution, addGeneration, addInfrastructure,
    addLogical, addMatrix, addMovement, addMovementGather, addMovementRepeat, addMovementScatter, addMovementSlice,
    addReduction, addSequence, addShape, addSort, addType;

/// The results of an op that has one.
inline MaybeTensors toResults(MaybeTensor result) {
  if (!result)
    return std::nullopt;
  Tensors results;
  results.push_back(std::move(*result));
  return results;
}

/// Adds a function of an op of one result.
template <typename Op>
void addHandler(Handlers &handlers, MaybeTensor (*function)(Machine &, Op, Operands)) {
  handlers[Op::getOperationName()] = [function](Machine &machine, mlir::Operation *op, Operands operands) {
    return toResults(function(machine, mlir::cast<Op>(op), operands));
  };
}

/// Adds a function of an op of any number of results.
template <typename Op>
void addHandler(Handlers &handlers, MaybeTensors (*function)(Machine &, Op, Operands)) {
  handlers[Op::getOperationName()] = [function](Machine &machine, mlir::Operation *op, Operands operands) {
    return function(machine, mlir::cast<Op>(op), operands);
  };
}

/// Adds a function of the elements of one operand. It may be one from a kind of numbers to the other, as the element
/// type of the result is.
template <typename Op>
void addUnary(Handlers &handlers, std::function<Scalar(Scalar)> function) {
  handlers[Op::getOperationName()] = [function](Machine &machine, mlir::Operation *op, Operands operands) {
    recur_element_type type = getElementType(mlir::getElementTypeOrSelf(op->getResult(0)));
    return toResults(mapUnary(machine, *operands[0], type, function));
  };
}

/// Adds a function of real numbers and one of integers, which stay as they are without one.
template <typename Op>
void addUnary(Handlers &handlers, double (*real)(double), Integer (*integer)(Integer) = nullptr) {
  addUnary<Op>(handlers, [real, integer](Scalar x) {
    if (x.isReal)
      return Scalar::of(real(x.real));
    return integer ? Scalar::of(integer(x.integer)) : x;
  });
}

/// Adds a function of real numbers whose results implementations may round otherwise.
template <typename Op>
void addTranscendental(Handlers &handlers, double (*real)(double)) {
  addUnary<Op>(handlers, [real](Scalar x) { return Scalar::rounded(real(x.real)); });
}

/// Adds a function of the elements of two operands that broadcast.
template <typename Op>
void addBinary(Handlers &handlers, std::function<Scalar(Scalar, Scalar)> function) {
  handlers[Op::getOperationName()] = [function](Machine &machine, mlir::Operation *op, Operands operands) {
    recur_element_type type = getElementType(mlir::getElementTypeOrSelf(op->getResult(0)));
    ov::AutoBroadcast mode = mlir::cast<Op>(op).getAutoBroadcast();
    return toResults(mapBinary(machine, *operands[0], *operands[1], type, mode, function));
  };
}

/// Adds a function of two real numbers and one of two integers.
template <typename Op>
void addBinary(Handlers &handlers, double (*real)(double, double), Integer (*integer)(Integer, Integer)) {
  addBinary<Op>(handlers, [real, integer](Scalar a, Scalar b) {
    return a.isReal ? Scalar::of(real(a.real, b.real)) : Scalar::of(integer(a.integer, b.integer));
  });
}

} // namespace recur::interpreter

#endif // RECUR_LIB_INTERPRETER_MACHINE_H
