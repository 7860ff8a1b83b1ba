// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- InvariantDims.cpp - Dims that do not change in a loop --------------===//

#include "InvariantDims.h"

#include "IterationSpace.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace recur;

bool recur::isSameDim(OpFoldResult a, OpFoldResult b) {
  if (isEqualConstantIntOrValue(a, b))
    return true;
  auto left = dyn_cast<Value>(a), right = dyn_cast<Value>(b);
  auto leftDim = left ? left.getDefiningOp<tensor::DimOp>() : tensor::DimOp(),
       rightDim = right ? right.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  return leftDim && rightDim && leftDim.getSource() == rightDim.getSource() && leftDim.getConstantIndex() &&
         leftDim.getConstantIndex() == rightDim.getConstantIndex();
}

/// The value outside the loop whose dim `dim` a block argument has; null where there is none.
template <typename LoopT>
static Value getSourceOfArgument(LoopT op, BlockArgument arg) {
  for (auto [part, input] : llvm::zip_equal(op.getSliceArgs(), op.getSliced()))
    if (part == arg)
      return input;
  for (auto [carried, init] : llvm::zip_equal(op.getCarriedArgs(), op.getInitArgs()))
    if (carried == arg)
      return init;
  return {};
}

/// A dim of the result of broadcasting `operands` to each other.
static FailureOr<OpFoldResult> getBroadcastDim(OpBuilder &builder, Operation *loop, ValueRange operands, int64_t rank,
                                               int64_t dim, const llvm::DenseSet<Value> &changing) {
  FailureOr<OpFoldResult> found = failure();
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    int64_t own = dim - (rank - type.getRank());
    if (own < 0 || type.getDimSize(own) == 1)
      continue;
    FailureOr<OpFoldResult> candidate = getInvariantDim(builder, loop, operand, own, changing);
    if (failed(candidate))
      return failure();
    // Two unknown dims may broadcast to each other; only equal ones are known to be the result's.
    if (succeeded(found) && !isSameDim(*found, *candidate))
      return failure();
    found = candidate;
  }
  return found;
}

FailureOr<OpFoldResult> recur::getInvariantDim(OpBuilder &builder, Operation *loop, Value value, int64_t dim,
                                               const llvm::DenseSet<Value> &changing) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.isDynamicDim(dim))
    return OpFoldResult(builder.getIndexAttr(type.getDimSize(dim)));
  if (!loop->getRegion(0).isAncestor(value.getParentRegion()))
    return getDim(builder, loop->getLoc(), value, dim);
  if (changing.contains(value))
    return failure();
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    Value source;
    if (arg.getOwner()->getParentOp() == loop)
      source = isa<ov::LoopOp>(loop) ? getSourceOfArgument(cast<ov::LoopOp>(loop), arg)
                                     : getSourceOfArgument(cast<ov::TensorIteratorOp>(loop), arg);
    if (!source)
      return failure();
    return getDim(builder, loop->getLoc(), source, dim);
  }
  Operation *op = value.getDefiningOp();
  auto follow = [&](Value operand, int64_t at) { return getInvariantDim(builder, loop, operand, at, changing); };
  return TypeSwitch<Operation *, FailureOr<OpFoldResult>>(op)
      .Case([&](tensor::CastOp cast) { return follow(cast.getSource(), dim); })
      .Case([&](tensor::ExtractSliceOp slice) -> FailureOr<OpFoldResult> {
        if (slice.getSourceType().getRank() != type.getRank())
          return failure();
        OpFoldResult size = slice.getMixedSizes()[dim];
        if (isa<Attribute>(size))
          return size;
        if (auto dimOp = cast<Value>(size).getDefiningOp<tensor::DimOp>())
          if (std::optional<int64_t> index = dimOp.getConstantIndex())
            return follow(dimOp.getSource(), *index);
        return failure();
      })
      .Case([&](ov::MatMulOp matmul) -> FailureOr<OpFoldResult> {
        int64_t rank = type.getRank();
        auto a = cast<RankedTensorType>(matmul.getA().getType()), b = cast<RankedTensorType>(matmul.getB().getType());
        if (a.getRank() != rank || rank < 2)
          return failure();
        if (dim == rank - 2)
          return follow(matmul.getA(), matmul.getTransposeA() ? rank - 1 : rank - 2);
        if (dim == rank - 1 && b.getRank() >= 2)
          return follow(matmul.getB(), matmul.getTransposeB() ? b.getRank() - 2 : b.getRank() - 1);
        return follow(matmul.getA(), dim);
      })
      .Case([&](ov::UnsqueezeOp unsqueeze) -> FailureOr<OpFoldResult> {
        std::optional<SmallVector<int64_t>> axes = ov::getConstantIntegers(unsqueeze.getAxes());
        if (!axes)
          return failure();
        int64_t own = dim;
        for (int64_t axis : *axes)
          own -= (axis < 0 ? axis + type.getRank() : axis) < dim;
        return follow(unsqueeze.getData(), own);
      })
      .Case<ov::SqueezeOp, ov::ReshapeOp>([&](auto reshape) -> FailureOr<OpFoldResult> {
        // Where only unit dims come or go, the unknown dims stay in their order.
        auto source = cast<RankedTensorType>(reshape.getData().getType());
        auto others = [](RankedTensorType t) {
          SmallVector<int64_t> dims;
          for (int64_t d = 0; d < t.getRank(); ++d)
            if (t.getDimSize(d) != 1)
              dims.push_back(d);
          return dims;
        };
        SmallVector<int64_t> from = others(source), to = others(type);
        if (from.size() != to.size())
          return failure();
        for (auto [f, t] : llvm::zip_equal(from, to)) {
          if (source.getDimSize(f) != type.getDimSize(t))
            return failure();
          if (t == dim)
            return follow(reshape.getData(), f);
        }
        return failure();
      })
      .Case([&](ov::SelectOp select) {
        return getBroadcastDim(builder, loop, select.getOperands(), type.getRank(), dim, changing);
      })
      .Case<ov::LSTMCellOp, ov::GRUCellOp, ov::RNNCellOp>(
          [&](auto cell) { return follow(cell.getX(), dim); })
      .Default([&](Operation *other) -> FailureOr<OpFoldResult> {
        if (other->hasTrait<OpTrait::SameOperandsAndResultShape>() ||
            other->hasTrait<OpTrait::SameOperandsAndResultType>())
          return follow(other->getOperand(0), dim);
        // Element-wise with broadcasting: two operands of the ov dialect that say how they broadcast.
        if (other->getNumOperands() == 2 && other->hasAttr("auto_broadcast"))
          return getBroadcastDim(builder, loop, other->getOperands(), type.getRank(), dim, changing);
        return failure();
      });
}
