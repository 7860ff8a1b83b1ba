// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BodyDims.h - Dims of values in a loop's body, before it --*- C++ -*-===//
#ifndef RECUR_CONVERSION_OVTOSCF_BODYDIMS_H
#define RECUR_CONVERSION_OVTOSCF_BODYDIMS_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace recur {

/// Dims of values in the body of an ov loop, or in those of an If, as expressions over what is known before the loop:
/// sliced inputs, initial values, what the body captures. They can be computed in front of the loop.
class BodyDims final : public ov::ValueDims {
public:
  /// Dims of a tensor; none where it can't be told.
  using Dims = llvm::SmallVector<std::optional<Dim>>;

  /// Code goes to the builder's insertion point, which is in front of `loop`.
  BodyDims(mlir::OpBuilder &builder, mlir::Operation *loop) : builder(builder), loop(loop) {}

  /// A dim of a value inside or outside the loop.
  std::optional<Dim> get(mlir::Value tensor, int64_t dim) override;
  /// Of operands that must agree: a dim of a carried value if there is one, so that it is seen to stay.
  std::optional<Dim> getAgreed(mlir::ValueRange operands, int64_t dim) override;
  Dims getAll(mlir::Value tensor);

  /// Says what dims a carried value has at the start of an iteration. Forgets what followed from others.
  void setCarried(mlir::BlockArgument argument, Dims dims);
  /// Where operands must agree, their dim is one of these if it can be.
  void prefer(const Dims &dims);

  /// The dim as a constant or an index value.
  mlir::OpFoldResult materialize(Dim dim) { return exprs.materialize(builder, loop->getLoc(), dim); }

private:
  bool isOutside(mlir::Value value) const;
  /// A value outside can be read in front of the loop.
  bool isKnown(mlir::Value value) override { return isOutside(value); }
  std::optional<Dim> getOfArgument(mlir::BlockArgument argument, int64_t dim) override;
  std::optional<Dim> getOfOp(mlir::OpResult result, int64_t dim) override;
  std::optional<Dim> traceIndex(mlir::OpFoldResult size);
  template <typename LoopT>
  std::optional<Dim> traceLoop(LoopT op, mlir::OpResult result, int64_t dim);
  template <typename LoopT>
  std::optional<Dim> traceLoopArgument(LoopT op, mlir::BlockArgument argument, int64_t dim);
  template <typename LoopT>
  void settle(LoopT op);
  template <typename LoopT>
  std::optional<Dim> countIterations(LoopT op);

  mlir::OpBuilder &builder;
  mlir::Operation *loop;
  /// Of the carried values of the loop, and of those of loops in its body.
  llvm::DenseMap<mlir::Value, Dims> carried, inner;
  llvm::DenseSet<Dim> preferred;
  llvm::DenseSet<mlir::Operation *> settled;
};

} // namespace recur

#endif // RECUR_CONVERSION_OVTOSCF_BODYDIMS_H
