// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BodyDims.h - Dims of values in a loop's body, before it --*- C++ -*-===//
//
// Buffers of a loop are allocated before it, so their dims must be computed before it too. This class expresses dims of
// values in the body by values that exist before the loop.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_CONVERSION_OVTOSCF_BODYDIMS_H
#define RECUR_CONVERSION_OVTOSCF_BODYDIMS_H

#include "Recur/Dialect/OV/IR/NestDims.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace recur {

/// NestDims while the loops stage runs: it also follows dims through what this stage has made of outer loops.
/// `materialize` computes an expression before the loop.
class BodyDims final : public ov::NestDims {
public:
  /// Code is emitted at the builder's insertion point, which must be before `loop`.
  BodyDims(mlir::OpBuilder &builder, mlir::Operation *loop) : NestDims(loop), builder(builder) {}

  /// A dim of a value inside or outside the loop.
  std::optional<Dim> get(mlir::Value tensor, int64_t dim) override;

  /// The dim as a constant or an index value.
  mlir::OpFoldResult materialize(Dim dim) { return exprs.materialize(builder, loop->getLoc(), dim); }

private:
  std::optional<Dim> getOfOp(mlir::OpResult result, int64_t dim) override;
  /// The expression of a size that is an attribute or an index value.
  std::optional<Dim> traceIndex(mlir::OpFoldResult size);

  mlir::OpBuilder &builder;
};

} // namespace recur

#endif // RECUR_CONVERSION_OVTOSCF_BODYDIMS_H
