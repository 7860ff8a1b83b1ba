// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TimeAxes.h - Where the tensors of a model have time ------*- C++ -*-===//
//
// The analysis behind ov-stream-loops. The loops of a model say which axis of their inputs is time. From there the axis
// is followed back to the inputs of the model, and then forward through all ops to its outputs. An op that keeps the
// time steps apart maps an axis of an operand to one of a result. Any other op that reads time steps is an error.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_DIALECT_OV_TRANSFORMS_TIMEAXES_H
#define RECUR_LIB_DIALECT_OV_TRANSFORMS_TIMEAXES_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace recur::ov {

/// The dim of a tensor that has time. It has `outer * T * inner` elements, in row-major order, if the model has T time
/// steps. `outer` and `inner` are not 1 where a reshape has merged time with other dims.
struct TimeAxis {
  int64_t axis;
  DimSource::Dim outer, inner;

  bool operator==(const TimeAxis &other) const {
    return axis == other.axis && outer == other.outer && inner == other.inner;
  }
};

/// How a value of a model depends on time.
struct Timing {
  enum Kind {
    Fixed,  ///< the same at each time step
    Timed,  ///< a part for each time step, along `time`
    Latest, ///< what follows from the last time step and the steps before it
    Sizes   ///< integers that depend on the number of time steps
  };
  /// What an element of `Sizes` is.
  enum Size { Other, Steps, FromSteps };

  Kind kind = Fixed;
  TimeAxis time = {};
  /// For `Sizes`, what each element is: a number that does not depend on T, T itself, or a number that depends on it.
  llvm::SmallVector<Size> sizes = {};

  bool operator==(const Timing &other) const {
    return kind == other.kind && (kind != Timed || time == other.time) && sizes == other.sizes;
  }
};

/// Dims of values outside of loops. A concatenation of a loop over time is as long as the sliced inputs.
class TimeDims : public ValueDims {
public:
  /// From now on, the iterations of `loop` are taken for time steps.
  void addLoop(mlir::Operation *loop) {
    loops.insert(loop);
    forget();
  }

private:
  MaybeDim getOfOp(mlir::OpResult result, int64_t dim) override;

  llvm::DenseSet<mlir::Operation *> loops;
};

/// The time axes of all values of a function.
class TimeAxes {
public:
  explicit TimeAxes(mlir::func::FuncOp entry) : entry(entry) {}

  /// Finds them. Fails, with an error at the op that prevents it, if the function cannot process one time step after
  /// the other.
  llvm::LogicalResult run();

  /// How a value of the function, outside of the bodies of loops, depends on time.
  const Timing &get(mlir::Value value) const;
  /// The type that a value has for one time step.
  mlir::RankedTensorType getStepType(mlir::Value value) const;
  /// True if the iterations of this loop are the time steps.
  bool isTimeLoop(mlir::Operation *op) const { return timeLoops.contains(op); }
  /// True if the op takes the last time step of its first operand, and all of it.
  bool takesLastStep(mlir::Operation *op) const { return lastSteps.contains(op); }
  /// How many time steps before its own the result of `op` for a time step is computed from, if `op` is a convolution
  /// and dim `axis` of its data is time. Zeros are in front of the first time step. Returns nullopt for any other op,
  /// and for a convolution that has not one result for each time step or that needs later ones.
  static std::optional<int64_t> getStepsBefore(mlir::Operation *op, int64_t axis);

private:
  /// The result of following a value: whether it comes from an input or from a loop over time, and otherwise the op
  /// that does not keep time steps apart, which is null if there is a constant.
  struct Search {
    bool isFound = false;
    mlir::Operation *end = nullptr;
  };

  /// True if the axis is time and nothing else.
  bool isAlone(TimeAxis time) { return time.outer == dims.constant(1) && time.inner == dims.constant(1); }
  /// The axis of result `result` of `op` that has the time steps of axis `time` of operand `operand`, or nullopt if
  /// the op does not keep them apart.
  std::optional<TimeAxis> map(mlir::Operation *op, unsigned operand, unsigned result, TimeAxis time);
  /// The same for an op whose result has the elements of its operand in the same order, and other dims.
  std::optional<TimeAxis> mapElements(mlir::Value from, mlir::Value to, TimeAxis time);
  /// The quotient of two dims if it is provably exact.
  DimSource::MaybeDim divide(DimSource::Dim dividend, DimSource::Dim divisor);
  /// The product of some dims of a value, or nullopt if one of them is not known.
  DimSource::MaybeDim multiplyDims(mlir::Value value, int64_t begin, int64_t end);

  /// Follows an axis of time back to inputs of the model, which become timed. Returns false if there is neither an
  /// input nor a loop over time.
  bool follow(mlir::Value value, TimeAxis time);
  /// Follows the sliced inputs of all loops back.
  void findLoops();

  /// Finds how the results of an op depend on time.
  llvm::LogicalResult transfer(mlir::Operation *op);
  template <typename LoopT>
  llvm::LogicalResult transferLoop(LoopT loop);
  llvm::LogicalResult transferTimed(mlir::Operation *op);
  llvm::LogicalResult transferSizes(mlir::Operation *op);
  /// Sets the timing of all results of an op.
  llvm::LogicalResult setAll(mlir::Operation *op, const Timing &timing);
  /// Fails unless operand `operand` of `op` is the same at each place of the axis `time` of result `result`. If it is
  /// not, but is an input of the model, the input becomes timed.
  llvm::LogicalResult checkRepeated(mlir::Operation *op, unsigned operand, unsigned result, TimeAxis time);
  /// True if `op` takes the last time step of its first operand, and all of it.
  bool isLastStep(mlir::Operation *op, TimeAxis time);
  /// Fails if a loop over time does not have one iteration for each time step.
  llvm::LogicalResult checkCount(TensorIteratorOp loop, mlir::Value sliced, int64_t axis) { return llvm::success(); }
  llvm::LogicalResult checkCount(LoopOp loop, mlir::Value sliced, int64_t axis);
  /// Emits an error that says why `op` prevents the model from being streamed.
  mlir::InFlightDiagnostic refuse(mlir::Operation *op);
  /// Adds a note at the op where the search for an input, along an axis of `value`, has ended.
  llvm::LogicalResult explain(mlir::InFlightDiagnostic diag, mlir::Value value, int64_t axis);

  mlir::func::FuncOp entry;
  TimeDims dims;
  /// The number of time steps, if it is static.
  std::optional<int64_t> length;
  /// The inputs of the model that are timed.
  llvm::DenseMap<mlir::Value, TimeAxis> inputs;
  /// How many of them the current pass over all ops takes for timed. It may find more.
  size_t numTimed = 0;
  /// What was found for the values that were followed along an axis.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, Search> followed;
  /// The first loop with sliced inputs, the first of them, and its axis. Null if there is none.
  mlir::Operation *firstLoop = nullptr;
  mlir::Value firstSliced;
  int64_t firstAxis = 0;
  llvm::DenseMap<mlir::Value, Timing> timings;
  llvm::DenseSet<mlir::Operation *> timeLoops, lastSteps;
};

} // namespace recur::ov

#endif // RECUR_LIB_DIALECT_OV_TRANSFORMS_TIMEAXES_H
