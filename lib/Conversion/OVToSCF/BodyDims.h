// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BodyDims.h - Dims of values in a loop's body, before it --*- C++ -*-===//
//
// Buffers of a loop are allocated before it, so their dims must be computed before it too. This class expresses dims of
// values in the body by values that exist before the loop.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_CONVERSION_OVTOSCF_BODYDIMS_H
#define RECUR_CONVERSION_OVTOSCF_BODYDIMS_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace recur {

/// Finds the dims of values in the body of an ov loop or an If, as expressions over values from before the op: sliced
/// inputs, initial values, and values that the body captures. `materialize` computes such an expression there.
class BodyDims final : public ov::ValueDims {
public:
  /// The dims of a tensor, with nullopt for each one that is not known.
  using Dims = llvm::SmallVector<std::optional<Dim>>;

  /// Code is emitted at the builder's insertion point, which must be before `loop`.
  BodyDims(mlir::OpBuilder &builder, mlir::Operation *loop) : builder(builder), loop(loop) {}

  /// A dim of a value inside or outside the loop.
  std::optional<Dim> get(mlir::Value tensor, int64_t dim) override;
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

  /// The dim as a constant or an index value.
  mlir::OpFoldResult materialize(Dim dim) { return exprs.materialize(builder, loop->getLoc(), dim); }

private:
  /// True if the value is defined outside of `loop`.
  bool isOutside(mlir::Value value) const;
  /// Only a dim of a value from outside can be used as a symbol, because the value can be read before the loop.
  bool isKnown(mlir::Value value) override { return isOutside(value); }
  std::optional<Dim> getOfArgument(mlir::BlockArgument argument, int64_t dim) override;
  std::optional<Dim> getOfOp(mlir::OpResult result, int64_t dim) override;
  /// The expression of a size that is an attribute or an index value.
  std::optional<Dim> traceIndex(mlir::OpFoldResult size);
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

  mlir::OpBuilder &builder;
  mlir::Operation *loop;
  /// The dims of the carried values of `loop`, and of those of loops in its body.
  llvm::DenseMap<mlir::Value, Dims> carried, inner;
  /// The dims given to `prefer`.
  llvm::DenseSet<Dim> preferred;
  /// The inner loops whose carried values are in `inner`.
  llvm::DenseSet<mlir::Operation *> settled;
};

} // namespace recur

#endif // RECUR_CONVERSION_OVTOSCF_BODYDIMS_H
