// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Machine.h - state and helpers of the interpreter ---------*- C++ -*-===//
//
// Private to the interpreter: the state of a run, helpers that the functions of several ops share, and the registration
// of these functions by op name. A function that can fail returns an optional, which is empty after a fault.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_INTERPRETER_MACHINE_H
#define RECUR_LIB_INTERPRETER_MACHINE_H

#include "Recur/Dialect/OV/IR/Dims.h"
#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Interpreter/Interpreter.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include <optional>

namespace recur::interpreter {

/// A tensor, or nullopt after a fault.
using MaybeTensor = std::optional<Tensor>;
using Tensors = std::vector<Tensor>;
using MaybeTensors = std::optional<Tensors>;
/// The operands of an op, in order. An optional operand that is absent has no entry.
using Operands = llvm::ArrayRef<const Tensor *>;

/// One execution of a function.
class Machine {
public:
  Machine(llvm::ArrayRef<char> weights, const InterpreterOptions &options) : weights(weights), options(options) {}

  /// Records a fault; only the first one of a run is kept. Returns nullopt, so that callers can return the result.
  std::nullopt_t fault(recur_status code, const llvm::Twine &what);

  /// The largest number of elements that `make` accepts, regardless of the limits of the options. A compiled model has
  /// no such limit.
  static constexpr int64_t kMostElements = int64_t(1) << 40;

  /// A tensor of zeros. RECUR_E_OVERFLOW if a compiled model cannot have it either; RECUR_E_MEM_LIMIT or
  /// RECUR_E_NOMEM if it is too large for this run.
  MaybeTensor make(recur_element_type type, llvm::ArrayRef<int64_t> shape);

  /// The tensor that was bound to `value`; there must be one.
  const Tensor &valueOf(mlir::Value value) const { return *values.find(value)->second; }
  bool isBound(mlir::Value value) const { return values.contains(value); }
  void bind(mlir::Value value, Tensor tensor) { values[value] = std::make_shared<const Tensor>(std::move(tensor)); }
  /// Runs the ops of a block except its terminator, and binds their results. Returns false after a fault.
  bool run(mlir::Block &block);
  /// After `run` of the block has failed: the statuses of all its ops that fail, or would if they ran.
  std::vector<recur_status> findFaults(mlir::Block &block);
  /// Runs one op on the tensors of its operands, and checks the results against their types and against the dims that
  /// the op states. The results are not bound.
  MaybeTensors runOp(mlir::Operation *op);

  llvm::ArrayRef<char> weights;
  InterpreterOptions options;
  recur_status status = RECUR_OK;
  std::string message;
  /// The current iteration of each running loop, from the outermost to the innermost.
  llvm::SmallVector<int64_t> iterations;
  /// The dims of results as far back as ops state them.
  ov::ValueDims dims;

private:
  llvm::DenseMap<mlir::Value, std::shared_ptr<const Tensor>> values;
  /// The message already names the op that failed.
  bool isPlaced = false;
};

/// Checks `results` against the dims and elements that `op` states for them (`DimsOpInterface`, `ElementsOpInterface`),
/// given the operands that `machine` has, and the dims against what all ops in front of it state together. Returns
/// false, after a fault, if one differs. A dim or element that the op does not state passes.
bool checkDims(Machine &machine, mlir::Operation *op, llvm::ArrayRef<Tensor> results);

//===----------------------------------------------------------------------===//
// Axes, indices and places
//===----------------------------------------------------------------------===//

/// Maps an axis in [-rank, rank) to [0, rank); a negative axis counts from the end. Other axes are a fault.
std::optional<int64_t> normalize(Machine &machine, int64_t axis, int64_t rank);
/// Maps an index to [0, size); a negative one counts from the end if `allowNegative` is set. Other indices are a fault.
std::optional<int64_t> normalizeIndex(Machine &machine, Integer index, int64_t size, bool allowNegative = true);
/// The elements of an integer tensor as a list.
Shape getIntegers(const Tensor &tensor);
/// The axes in an integer tensor, mapped to [0, rank). A fault if one is out of range or given twice.
std::optional<Shape> getAxes(Machine &machine, const Tensor &axes, int64_t rank);
/// Maps all elements of an integer tensor as normalizeIndex does, in the order of memory. So one that is out of range
/// is a fault also if nothing is read or written there.
std::optional<Shape> normalizeIndices(Machine &machine, const Tensor &indices, int64_t size, bool allowNegative = true);
/// Reads each row of `indices` (a row is a line along its last axis) as indices into the dims of `data` from dim
/// `first` on. A negative index counts from the end; a fault if one is out of range.
std::optional<std::vector<Shape>> getCoordinates(Machine &machine, const Tensor &indices, const Tensor &data,
                                                 int64_t first);

/// The shape that `a` and `b` broadcast to in the given mode, or a fault. With mode None they must be equal.
std::optional<Shape> broadcast(Machine &machine, llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b,
                               ov::AutoBroadcast mode = ov::AutoBroadcast::Numpy);
/// The offset of the element of a tensor of `shape` that is broadcast to the indices `place` of a result.
int64_t getBroadcastOffset(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> place);

/// Calls `visit` with the indices of the first element of each line along `axis`.
void forEachLine(const Tensor &data, int64_t axis, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);
/// The offset of element `i` of such a line.
int64_t getLineOffset(const Tensor &tensor, llvm::ArrayRef<int64_t> line, int64_t axis, int64_t i);

//===----------------------------------------------------------------------===//
// Functions of elements
//===----------------------------------------------------------------------===//

/// Two elements of one kind: real numbers or integers. Integers wrap in 64 bits.
Scalar sumOf(Scalar a, Scalar b);
Scalar productOf(Scalar a, Scalar b);
/// NaN if either operand is NaN.
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

/// Applies `function` to each element. The result has the element type `type` and the shape of `x`.
MaybeTensor mapUnary(Machine &machine, const Tensor &x, recur_element_type type,
                     llvm::function_ref<Scalar(Scalar)> function);
/// Applies `function` to each pair of elements of two tensors that broadcast. `function` may fault and return nullopt.
MaybeTensor mapBinary(Machine &machine, const Tensor &a, const Tensor &b, recur_element_type type,
                      ov::AutoBroadcast mode, llvm::function_ref<std::optional<Scalar>(Scalar, Scalar)> function);

/// A tensor of `shape` with elements of `data`: `from` maps the indices of an element of the result to its indices in
/// `data`. If it returns nullopt, the element is zero.
MaybeTensor take(Machine &machine, const Tensor &data, llvm::ArrayRef<int64_t> shape,
                 llvm::function_ref<std::optional<Shape>(llvm::ArrayRef<int64_t>)> from);
/// The `size` elements along `axis` from `start` on, each `step` behind the one before.
MaybeTensor slice(Machine &machine, const Tensor &data, int64_t axis, int64_t start, int64_t size, int64_t step = 1);
/// Concatenates parts along `axis`; there must be at least one. A fault if their other dims differ.
MaybeTensor concatenate(Machine &machine, Operands parts, int64_t axis);
/// Dim i of the result is dim order[i] of `data`.
MaybeTensor transpose(Machine &machine, const Tensor &data, llvm::ArrayRef<int64_t> order);
/// Converts each element as `ov.convert` does.
MaybeTensor convert(Machine &machine, const Tensor &data, recur_element_type type);
/// The product of matrices or vectors as `ov.matmul` defines it; batch dims broadcast. A fault if the contracted dims
/// differ.
MaybeTensor matMul(Machine &machine, const Tensor &a, const Tensor &b, bool transposeA, bool transposeB);

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

using Handler = std::function<MaybeTensors(Machine &, mlir::Operation *, Operands)>;
using Handlers = llvm::StringMap<Handler>;

/// Each function adds the handlers of one family of ops; the file of that name defines it. Interpreter.cpp lists them.
using AddFamily = void(Handlers &handlers);
AddFamily addActivation, addArithmetic, addBitwise, addComparison, addCondition, addConvolution, addGeneration,
    addInfrastructure, addLogical, addMatrix, addMovement, addMovementGather, addMovementRepeat, addMovementScatter,
    addMovementSlice, addReduction, addSequence, addShape, addSort, addType;

/// The results of an op that has one result.
inline MaybeTensors toResults(MaybeTensor result) {
  if (!result)
    return std::nullopt;
  Tensors results;
  results.push_back(std::move(*result));
  return results;
}

/// Adds the function of an op with one result.
template <typename Op>
void addHandler(Handlers &handlers, MaybeTensor (*function)(Machine &, Op, Operands)) {
  handlers[Op::getOperationName()] = [function](Machine &machine, mlir::Operation *op, Operands operands) {
    return toResults(function(machine, mlir::cast<Op>(op), operands));
  };
}

/// Adds the function of an op with any number of results.
template <typename Op>
void addHandler(Handlers &handlers, MaybeTensors (*function)(Machine &, Op, Operands)) {
  handlers[Op::getOperationName()] = [function](Machine &machine, mlir::Operation *op, Operands operands) {
    return function(machine, mlir::cast<Op>(op), operands);
  };
}

/// Adds an elementwise function of one operand. Its result must be real if the element type of the op's result is real,
/// and an integer otherwise.
template <typename Op>
void addUnary(Handlers &handlers, std::function<Scalar(Scalar)> function) {
  handlers[Op::getOperationName()] = [function](Machine &machine, mlir::Operation *op, Operands operands) {
    recur_element_type type = getElementType(mlir::getElementTypeOrSelf(op->getResult(0)));
    return toResults(mapUnary(machine, *operands[0], type, function));
  };
}

/// Adds an elementwise function as one of real numbers and one of integers. Null: integers do not change.
template <typename Op>
void addUnary(Handlers &handlers, double (*real)(double), Integer (*integer)(Integer) = nullptr) {
  addUnary<Op>(handlers, [real, integer](Scalar x) {
    if (x.isReal)
      return Scalar::of(real(x.real));
    return integer ? Scalar::of(integer(x.integer)) : x;
  });
}

/// Adds an elementwise function of real numbers whose results other implementations may round in another way.
template <typename Op>
void addTranscendental(Handlers &handlers, double (*real)(double)) {
  addUnary<Op>(handlers, [real](Scalar x) { return Scalar::rounded(real(x.real)); });
}

/// Adds an elementwise function of two operands that broadcast.
template <typename Op>
void addBinary(Handlers &handlers, std::function<Scalar(Scalar, Scalar)> function) {
  handlers[Op::getOperationName()] = [function](Machine &machine, mlir::Operation *op, Operands operands) {
    recur_element_type type = getElementType(mlir::getElementTypeOrSelf(op->getResult(0)));
    ov::AutoBroadcast mode = mlir::cast<Op>(op).getAutoBroadcast();
    return toResults(mapBinary(machine, *operands[0], *operands[1], type, mode, function));
  };
}

/// Adds an elementwise function of two operands as one of real numbers and one of integers.
template <typename Op>
void addBinary(Handlers &handlers, double (*real)(double, double), Integer (*integer)(Integer, Integer)) {
  addBinary<Op>(handlers, [real, integer](Scalar a, Scalar b) {
    return a.isReal ? Scalar::of(real(a.real, b.real)) : Scalar::of(integer(a.integer, b.integer));
  });
}

} // namespace recur::interpreter

#endif // RECUR_LIB_INTERPRETER_MACHINE_H
