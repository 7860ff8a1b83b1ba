// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopDims.cpp - Dims that are the same in every iteration -----------===//

#include "Forms.h"
#include "RaiseLoops.h"
#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace recur::ov;
using namespace recur::ov::raising;

/// Chains of ops are not followed without end.
static constexpr unsigned kMaxDepth = 64;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

SteadyDims::SteadyDims(LoopOp loop) : loop(loop) {
  // Taken to be those of the initial value until that leads to a contradiction.
  auto args = loop.getCarriedArgs();
  for (BlockArgument arg : args)
    for (int64_t d = 0; d < typeOf(arg).getRank(); ++d)
      if (typeOf(arg).isDynamicDim(d))
        steady.insert({arg, d});
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [arg, init, next] : llvm::zip_equal(args, loop.getInitArgs(), loop.getYield().getNext()))
      for (int64_t d = 0; d < typeOf(arg).getRank(); ++d)
        if (steady.contains({arg, d})) {
          std::optional<Dim> first = get(init, d), then = get(next, d);
          if (first && first == then)
            continue;
          steady.erase({arg, d});
          changed = true;
        }
  }
}

std::optional<SteadyDims::Dim> SteadyDims::get(Value tensor, int64_t dim) { return trace(tensor, dim, 0); }

std::optional<SteadyDims::Dim> SteadyDims::getEntry(Value values, int64_t position) {
  return traceEntry(values, position, 0);
}

/// What operands of which one dim is read broadcast to; none where that cannot be told.
std::optional<SteadyDims::Dim> SteadyDims::join(ValueRange operands, int64_t rank, int64_t dim, unsigned depth) {
  std::optional<Dim> result = Dim{Value(), 1};
  for (Value operand : operands) {
    int64_t own = dim - (rank - typeOf(operand).getRank());
    std::optional<Dim> found = own < 0 ? Dim{Value(), 1} : trace(operand, own, depth);
    if (!found)
      return std::nullopt;
    if (*found == Dim{Value(), 1} || found == result)
      continue;
    if (*result != Dim{Value(), 1})
      return std::nullopt;
    result = found;
  }
  return result;
}

std::optional<SteadyDims::Dim> SteadyDims::traceEntry(Value values, int64_t position, unsigned depth) {
  if (depth == kMaxDepth)
    return std::nullopt;
  if (std::optional<SmallVector<int64_t>> constant = getConstantIntegers(values))
    return Dim{Value(), (*constant)[position]};
  Operation *op = values.getDefiningOp();
  if (auto shape = dyn_cast_or_null<ShapeOfOp>(op))
    return trace(shape.getData(), position, depth + 1);
  if (keepsElements(op) && isOneInteger(values) && isOneInteger(op->getOperand(0)))
    return traceEntry(op->getOperand(0), 0, depth + 1);
  if (auto gather = dyn_cast_or_null<GatherOp>(op)) {
    std::optional<SmallVector<int64_t>> indices = getConstantIntegers(gather.getIndices());
    RankedTensorType data = typeOf(gather.getData());
    if (indices && gather.getBatchDims() == 0 && data.getRank() == 1 && data.hasStaticShape()) {
      int64_t at = (*indices)[position];
      if (at >= 0 && at < data.getDimSize(0))
        return traceEntry(gather.getData(), at, depth + 1);
    }
  }
  if (auto concat = dyn_cast_or_null<ConcatOp>(op))
    for (Value operand : concat.getOperands()) {
      if (!typeOf(operand).hasStaticShape())
        return std::nullopt;
      if (position < typeOf(operand).getNumElements())
        return traceEntry(operand, position, depth + 1);
      position -= typeOf(operand).getNumElements();
    }
  return std::nullopt;
}

std::optional<SteadyDims::Dim> SteadyDims::trace(Value tensor, int64_t dim, unsigned depth) {
  RankedTensorType type = typeOf(tensor);
  if (!type.isDynamicDim(dim))
    return Dim{Value(), type.getDimSize(dim)};
  if (depth == kMaxDepth)
    return std::nullopt;
  std::optional<Dim> result;
  if (auto arg = dyn_cast<BlockArgument>(tensor))
    result = traceArgument(arg, dim, depth);
  else
    result = traceOp(cast<OpResult>(tensor), dim, depth);
  // What the loop does not change is what it is.
  if (!result && isOutside(loop, tensor))
    result = Dim{tensor, dim};
  return result;
}

std::optional<SteadyDims::Dim> SteadyDims::traceArgument(BlockArgument arg, int64_t dim, unsigned depth) {
  if (arg.getOwner() != loop.getBodyBlock())
    return std::nullopt;
  for (auto [slice, input] : llvm::zip_equal(loop.getSliceArgs(), loop.getSliced()))
    if (slice == arg)
      return trace(input, dim, depth + 1);
  for (auto [carried, init] : llvm::zip_equal(loop.getCarriedArgs(), loop.getInitArgs()))
    if (carried == arg && steady.contains({arg, dim}))
      return trace(init, dim, depth + 1);
  return std::nullopt;
}

std::optional<SteadyDims::Dim> SteadyDims::traceOp(OpResult result, int64_t dim, unsigned depth) {
  Operation *op = result.getOwner();
  int64_t rank = typeOf(result).getRank();
  ++depth;
  if (isa<tensor::CastOp>(op) || (op->hasTrait<OpTrait::Elementwise>() && op->getNumOperands() == 1))
    return trace(op->getOperand(0), dim, depth);
  if (op->getAttrOfType<AutoBroadcastAttr>("auto_broadcast"))
    return join(op->getOperands(), rank, dim, depth);
  if (auto matmul = dyn_cast<MatMulOp>(op)) {
    if (typeOf(matmul.getA()).getRank() != 2 || typeOf(matmul.getB()).getRank() != 2)
      return std::nullopt;
    return dim == 0 ? trace(matmul.getA(), matmul.getTransposeA() ? 1 : 0, depth)
                    : trace(matmul.getB(), matmul.getTransposeB() ? 0 : 1, depth);
  }
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    std::optional<SmallVector<int64_t>> order = getPermutation(transpose.getInputOrder(), rank);
    return order ? trace(transpose.getArg(), (*order)[dim], depth) : std::nullopt;
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return broadcast.getMode() == BroadcastMode::Bidirectional ? std::nullopt
                                                               : traceEntry(broadcast.getTargetShape(), dim, depth);
  if (isa<SplitOp, VariadicSplitOp>(op)) {
    std::optional<SmallVector<int64_t>> axis = getConstantAxes(op->getOperand(1), rank);
    return axis && axis->front() != dim ? trace(op->getOperand(0), dim, depth) : std::nullopt;
  }
  if (auto unsqueeze = dyn_cast<UnsqueezeOp>(op)) {
    std::optional<SmallVector<int64_t>> axes = getConstantAxes(unsqueeze.getAxes(), rank);
    if (!axes)
      return std::nullopt;
    return trace(op->getOperand(0), dim - llvm::count_if(*axes, [&](int64_t axis) { return axis < dim; }), depth);
  }
  if (auto squeeze = dyn_cast<SqueezeOp>(op)) {
    std::optional<SmallVector<int64_t>> axes = getSqueezedAxes(typeOf(op->getOperand(0)).getShape(), squeeze.getAxes());
    if (!axes)
      return std::nullopt;
    for (int64_t axis : *axes)
      dim += axis <= dim;
    return trace(op->getOperand(0), dim, depth);
  }
  return std::nullopt;
}
