// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BodyDims.cpp - Dims of values in a loop's body ---------------------===//
//
// Follows the dims of values in the body of a loop to values from before the loop. Arguments of the body need an
// assumption about the carried values, which the caller sets; inner loops are analyzed here. ov ops describe their own
// dims (Dims.h).
//
//===----------------------------------------------------------------------===//

#include "BodyDims.h"

#include "Recur/Analysis/Sizes.h"
#include "Recur/Dialect/OV/IR/OVShapes.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace recur;
using ov::DimKind;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool BodyDims::isOutside(Value value) const { return !loop->isAncestor(value.getParentRegion()->getParentOp()); }

void BodyDims::setCarried(BlockArgument argument, Dims dims) {
  carried[argument] = std::move(dims);
  forget();
  inner.clear();
  settled.clear();
}

void BodyDims::prefer(const Dims &dims) {
  for (std::optional<Dim> dim : dims)
    if (dim && !exprs.getConstant(*dim))
      preferred.insert(*dim);
}

BodyDims::Dims BodyDims::getAll(Value tensor) {
  Dims dims;
  for (int64_t d = 0, rank = typeOf(tensor).getRank(); d < rank; ++d)
    dims.push_back(get(tensor, d));
  return dims;
}

std::optional<BodyDims::Dim> BodyDims::get(Value tensor, int64_t dim) {
  std::optional<Dim> result = ValueDims::get(tensor, dim);
  // If a tensor from outside has the dim, tensor.dim of it replaces the computation.
  if (result && isOutside(tensor) && exprs.isComputed(*result))
    exprs.setValue(*result, tensor::DimOp::create(builder, loop->getLoc(), tensor, dim).getResult());
  return result;
}

std::optional<BodyDims::Dim> BodyDims::getAgreed(ValueRange operands, int64_t dim) {
  std::optional<Dim> result;
  for (Value operand : operands) {
    std::optional<Dim> found = get(operand, dim);
    if (found && (!result || (!preferred.contains(*result) && preferred.contains(*found))))
      result = found;
  }
  return result;
}

std::optional<BodyDims::Dim> BodyDims::traceIndex(OpFoldResult size) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return exprs.constant(*number);
  auto value = cast<Value>(size);
  if (auto dim = value.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> i = dim.getConstantIndex(); i && isa<RankedTensorType>(dim.getSource().getType()))
      return get(dim.getSource(), *i);
  // A value that a check returns equals the guarded value. It represents the dim, so that code which needs the check
  // stays behind it.
  if (auto check = value.getDefiningOp<rt::CheckOp>(); check && isOutside(value)) {
    std::optional<Dim> result = traceIndex(check.getGuarded()[cast<OpResult>(value).getResultNumber()]);
    if (result && !exprs.getConstant(*result))
      exprs.setValue(*result, value);
    return result;
  }
  if (isOutside(value))
    return exprs.intern({DimKind::index, 0, value, {}});
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::optional<BodyDims::Dim> BodyDims::getOfArgument(BlockArgument argument, int64_t dim) {
  if (auto it = carried.find(argument); it != carried.end())
    return it->second[dim];
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto op = dyn_cast<ov::TensorIteratorOp>(parent))
    return traceLoopArgument(op, argument, dim);
  if (auto op = dyn_cast<ov::LoopOp>(parent))
    return traceLoopArgument(op, argument, dim);
  return std::nullopt;
}

template <typename LoopT>
std::optional<BodyDims::Dim> BodyDims::traceLoopArgument(LoopT op, BlockArgument argument, int64_t dim) {
  for (auto [part, input] : llvm::zip_equal(op.getSliceArgs(), op.getSliced()))
    if (part == argument)
      return get(input, dim);
  if (op == loop)
    return std::nullopt;
  settle(op);
  auto it = inner.find(argument);
  return it == inner.end() ? std::nullopt : it->second[dim];
}

/// Assumes that all carried values of an inner loop keep the dims of their initial values, and drops the assumptions
/// that an iteration breaks, until none is left to drop.
template <typename LoopT>
void BodyDims::settle(LoopT op) {
  if (!settled.insert(op).second)
    return;
  for (auto [argument, init] : llvm::zip_equal(op.getCarriedArgs(), op.getInitArgs())) {
    Dims dims = getAll(init);
    inner[argument] = std::move(dims);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [argument, next] : llvm::zip_equal(op.getCarriedArgs(), op.getYield().getNext())) {
      Dims then = getAll(next), &dims = inner[argument];
      for (auto [dim, other] : llvm::zip_equal(dims, then))
        if (dim && dim != other) {
          dim = std::nullopt;
          changed = true;
        }
    }
    if (changed)
      forget();
  }
}

template <typename LoopT>
std::optional<BodyDims::Dim> BodyDims::countIterations(LoopT op) {
  if (std::optional<int64_t> count = op.getStaticCount())
    return exprs.constant(*count);
  if (auto loopOp = dyn_cast<ov::LoopOp>(op.getOperation())) {
    // A negative trip count is a fault in this case, so the count is the trip count.
    bool counted =
        loopOp.isConditionAlwaysTrue() && matchPattern(loopOp.getCondition(), m_One()) && op.getSliced().empty();
    return counted ? getElement(loopOp.getTripCount(), 0) : std::nullopt;
  }
  for (auto [i, input] : llvm::enumerate(op.getSliced())) {
    ov::SliceInputAttr slice = op.getSliceAt(i);
    if (slice.visitsEachElement())
      return get(input, slice.getAxis());
  }
  return std::nullopt;
}

template <typename LoopT>
std::optional<BodyDims::Dim> BodyDims::traceLoop(LoopT op, OpResult result, int64_t dim) {
  unsigned i = result.getResultNumber();
  if (i < op.getCarried().size()) {
    settle(op);
    return inner[op.getCarriedArgs()[i]][dim];
  }
  i -= op.getCarried().size();
  std::optional<Dim> count = countIterations(op);
  // If no iteration runs, a dim that is dynamic in the type is 0. So the dim of the body is the answer only if an
  // iteration provably runs.
  bool runs = op.runsAtLeastOnce();
  if (i < op.getLast().size())
    return runs ? get(op.getYield().getLast()[i], dim) : std::nullopt;
  i -= op.getLast().size();
  std::optional<Dim> part = get(op.getYield().getConcat()[i], dim);
  if (dim != op.getConcatAt(i).getAxis())
    return runs ? part : std::nullopt;
  if (!part || !count)
    return std::nullopt;
  return exprs.combine(DimKind::product, {*part, *count});
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

std::optional<BodyDims::Dim> BodyDims::getOfOp(OpResult result, int64_t dim) {
  using Found = std::optional<Dim>;
  return TypeSwitch<Operation *, Found>(result.getOwner())
      .Case([&](tensor::ExtractSliceOp slice) { return traceIndex(getKeptSize(slice, dim)); })
      .Case([&](rt::BroadcastDimOp broadcast) {
        bool isWide = dim == static_cast<int64_t>(broadcast.getDim());
        return isWide ? traceIndex(broadcast.getSize()) : get(broadcast.getInput(), dim);
      })
      .Case([&](bufferization::ToTensorOp read) -> Found {
        OpFoldResult size = getBufferSize(read.getBuffer(), dim);
        return size ? traceIndex(size) : std::nullopt;
      })
      .Case<ov::TensorIteratorOp, ov::LoopOp>([&](auto inner) { return traceLoop(inner, result, dim); })
      .Case([&](ov::IfOp branch) -> Found {
        // For an If outside of the loop, the dim is a symbol. Its bodies cannot be read from here.
        if (isOutside(result))
          return std::nullopt;
        unsigned i = result.getResultNumber();
        Found first = get(branch.getEnd(true).getValues()[i], dim);
        return first == get(branch.getEnd(false).getValues()[i], dim) ? first : std::nullopt;
      })
      .Default([&](Operation *) { return ValueDims::getOfOp(result, dim); });
}
