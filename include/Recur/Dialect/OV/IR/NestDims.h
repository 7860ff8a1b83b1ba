// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NestDims.h - Dims of values in a body, from outside it ---*- C++ -*-===//
//
// The buffers of a loop are allocated before it, and what it gives back without an iteration has the dims that its body
// would have given, as far as they are known before the loop (L6 of docs/Semantics.md).
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_DIALECT_OV_IR_NESTDIMS_H
#define RECUR_DIALECT_OV_IR_NESTDIMS_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace recur::ov {

/// Finds the dims of values in the body of a loop or an If, as expressions over values from before the op: sliced
/// inputs, initial values, and values that the body captures.
class NestDims : public ValueDims {
public:
  /// The dims of a tensor, with nullopt for each one that is not known.
  using Dims = llvm::SmallVector<std::optional<Dim>>;

  explicit NestDims(mlir::Operation *loop) : loop(loop) {}

  /// A dim of operands that must agree on it. Prefers the dims given to `prefer`, so that a carried value is seen to
  /// keep its dim.
  std::optional<Dim> getAgreed(mlir::ValueRange operands, int64_t dim) override;
  /// All dims of a tensor.
  Dims getAll(mlir::Value tensor);

  /// Sets the dims of a carried value at the start of an iteration, and clears everything that was derived from earlier
  /// assumptions.
  void setCarried(mlir::BlockArgument argument, Dims dims);
  /// Makes `getAgreed` choose one of these dims if an operand has it.
  void prefer(const Dims &dims);

protected:
  /// True if the value is defined outside of `loop`.
  bool isOutside(mlir::Value value) const;
  /// Only a dim of a value from outside can be used as a symbol, because the value can be read before the loop.
  bool isKnown(mlir::Value value) override { return isOutside(value); }
  std::optional<Dim> getOfArgument(mlir::BlockArgument argument, int64_t dim) override;
  std::optional<Dim> getOfOp(mlir::OpResult result, int64_t dim) override;

  mlir::Operation *loop;

private:
  /// A dim of a result of a loop inside the body.
  template <typename LoopT>
  std::optional<Dim> traceLoop(LoopT op, mlir::OpResult result, int64_t dim);
  /// A dim of a block argument of `loop` or of a loop inside the body.
  template <typename LoopT>
  std::optional<Dim> traceLoopArgument(LoopT op, mlir::BlockArgument argument, int64_t dim);
  /// Finds the carried values of a loop inside the body that keep the dims of their initial values.
  template <typename LoopT>
  void settle(LoopT op);
  /// The number of iterations of a loop inside the body, if it is known.
  template <typename LoopT>
  std::optional<Dim> countIterations(LoopT op);

  /// The dims of the carried values of `loop`, and of those of loops in its body.
  llvm::DenseMap<mlir::Value, Dims> carried, inner;
  /// The dims given to `prefer`.
  llvm::DenseSet<Dim> preferred;
  /// The inner loops whose carried values are in `inner`.
  llvm::DenseSet<mlir::Operation *> settled;
};

/// The operands of an op, and the values from outside of it that its regions read.
llvm::SetVector<mlir::Value> getReadValues(mlir::Operation *op);

/// The dims of the values of one loop, as far as they are known before the loop.
struct LoopDims {
  using Map = llvm::DenseMap<mlir::Value, NestDims::Dims>;

  /// By block argument: the dims of the initial value of each carried value.
  Map initial;
  /// By block argument: the dims of a carried value after each iteration. Values whose dims change in each iteration
  /// are missing.
  Map settled;
  /// By yielded value: the dims of last values and slices, with nullopt where they are not known or not the same in all
  /// iterations.
  Map yielded;
  /// True if the first iteration may leave other dims than it finds, as where a state of one row broadcasts to a batch.
  bool settles = false;
};

/// Determines the dims of a loop with the carried block arguments `args`, the initial values `inits`, and `yield` at
/// the end of the body. Tells `dims` the dims of the arguments.
LoopDims findLoopDims(NestDims &dims, mlir::Block::BlockArgListType args, mlir::ValueRange inits, YieldOp yield);

} // namespace recur::ov

#endif // RECUR_DIALECT_OV_IR_NESTDIMS_H
