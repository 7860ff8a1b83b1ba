// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NestDims.cpp - Dims of values in a body, from outside it -----------===//
//
// Follows the dims of values in the body of a loop to values from before the loop. Arguments of the body need an
// assumption about the carried values; inner loops are analyzed here. Other ops describe their own dims (Dims.h).
//
// The dims of a carried value are known before the loop if an iteration leaves the dims that it finds. This is assumed
// for all values, and then checked across the body. A value for which it does not hold may still settle: the first
// iteration changes its dims, and the others keep them. A value that does not settle is dropped, and the assumption is
// checked again, because other values may depend on it.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/NestDims.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"
#include "Recur/Dialect/OV/IR/RankedValues.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace recur::ov;

llvm::SetVector<Value> recur::ov::getReadValues(Operation *op) {
  llvm::SetVector<Value> read(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), read);
  return read;
}

bool NestDims::isOutside(Value value) const { return value.getParentRegion()->isAncestor(loop->getParentRegion()); }

void NestDims::setCarried(BlockArgument argument, Dims dims) {
  carried[argument] = std::move(dims);
  forget();
  inner.clear();
  settled.clear();
}

void NestDims::prefer(const Dims &dims) {
  for (std::optional<Dim> dim : dims)
    if (dim && !exprs.getConstant(*dim))
      preferred.insert(*dim);
}

NestDims::Dims NestDims::getAll(Value tensor) {
  Dims dims;
  for (int64_t d = 0, rank = typeOf(tensor).getRank(); d < rank; ++d)
    dims.push_back(get(tensor, d));
  return dims;
}

std::optional<NestDims::Dim> NestDims::getAgreed(ValueRange operands, int64_t dim) {
  std::optional<Dim> result;
  for (Value operand : operands) {
    std::optional<Dim> found = get(operand, dim);
    if (found && (!result || (!preferred.contains(*result) && preferred.contains(*found))))
      result = found;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::optional<NestDims::Dim> NestDims::getOfArgument(BlockArgument argument, int64_t dim) {
  if (auto it = carried.find(argument); it != carried.end())
    return it->second[dim];
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto op = dyn_cast<TensorIteratorOp>(parent))
    return traceLoopArgument(op, argument, dim);
  if (auto op = dyn_cast<LoopOp>(parent))
    return traceLoopArgument(op, argument, dim);
  return std::nullopt;
}

template <typename LoopT>
std::optional<NestDims::Dim> NestDims::traceLoopArgument(LoopT op, BlockArgument argument, int64_t dim) {
  for (auto [part, input] : llvm::zip_equal(op.getSliceArgs(), op.getSliced()))
    if (part == argument)
      return get(input, dim);
  if (op == loop)
    return std::nullopt;
  settle(op);
  auto it = inner.find(argument);
  return it == inner.end() ? std::nullopt : it->second[dim];
}

/// True if no iteration of the loop reads what another one has carried: it runs once or not at all.
template <typename LoopT>
static bool runsAtMostOnce(LoopT op) {
  return op.getStaticCount().value_or(2) <= 1;
}

/// Assumes that all carried values of an inner loop keep the dims of their initial values, and drops the assumptions
/// that an iteration breaks, until none is left to drop.
template <typename LoopT>
void NestDims::settle(LoopT op) {
  if (!settled.insert(op).second)
    return;
  for (auto [argument, init] : llvm::zip_equal(op.getCarriedArgs(), op.getInitArgs())) {
    Dims dims = getAll(init);
    inner[argument] = std::move(dims);
  }
  if (runsAtMostOnce(op))
    return;
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
std::optional<NestDims::Dim> NestDims::countIterations(LoopT op) {
  if (std::optional<int64_t> count = op.getStaticCount())
    return exprs.constant(*count);
  if (auto loopOp = dyn_cast<LoopOp>(op.getOperation())) {
    // A negative trip count is a fault in this case, so the count is the trip count.
    bool counted =
        loopOp.isConditionAlwaysTrue() && matchPattern(loopOp.getCondition(), m_One()) && op.getSliced().empty();
    return counted ? getElement(loopOp.getTripCount(), 0) : std::nullopt;
  }
  for (auto [i, input] : llvm::enumerate(op.getSliced())) {
    SliceInputAttr slice = op.getSliceAt(i);
    if (slice.visitsEachElement())
      return get(input, slice.getAxis());
  }
  return std::nullopt;
}

template <typename LoopT>
std::optional<NestDims::Dim> NestDims::traceLoop(LoopT op, OpResult result, int64_t dim) {
  unsigned i = result.getResultNumber();
  if (i < op.getCarried().size()) {
    // A loop of a known number of iterations may be folded away, so that its results are values of other dims.
    if (runsAtMostOnce(op))
      return get(op.getStaticCount() == 0 ? op.getInitArgs()[i] : op.getYield().getNext()[i], dim);
    settle(op);
    return inner[op.getCarriedArgs()[i]][dim];
  }
  i -= op.getCarried().size();
  std::optional<Dim> count = countIterations(op);
  // A dim is known if it is the same with and without an iteration. Open dims are those of the body in both cases.
  Value emptyDims = op.runsAtLeastOnce() ? Value() : op.findEmptyDims(i);
  auto ifAlwaysSame = [&](std::optional<Dim> part) {
    return part && emptyDims && getElement(emptyDims, dim) != part ? std::nullopt : part;
  };
  if (i < op.getLast().size())
    return ifAlwaysSame(get(op.getYield().getLast()[i], dim));
  i -= op.getLast().size();
  std::optional<Dim> part = get(op.getYield().getConcat()[i], dim);
  if (dim != op.getConcatAt(i).getAxis())
    return ifAlwaysSame(part);
  if (!part || !count)
    return std::nullopt;
  return exprs.combine(DimKind::product, {*part, *count});
}

std::optional<NestDims::Dim> NestDims::getOfOp(OpResult result, int64_t dim) {
  using Found = std::optional<Dim>;
  return TypeSwitch<Operation *, Found>(result.getOwner())
      .Case<TensorIteratorOp, LoopOp>([&](auto inner) { return traceLoop(inner, result, dim); })
      .Case([&](IfOp branch) -> Found {
        // For an If outside of the loop, the dim is a symbol. Its bodies cannot be read from here.
        if (isOutside(result))
          return std::nullopt;
        unsigned i = result.getResultNumber();
        if (std::optional<bool> chosen = getConstantBool(branch.getCondition()))
          return get(branch.getEnd(*chosen).getValues()[i], dim);
        Found first = get(branch.getEnd(true).getValues()[i], dim);
        return first == get(branch.getEnd(false).getValues()[i], dim) ? first : std::nullopt;
      })
      .Default([&](Operation *) { return ValueDims::getOfOp(result, dim); });
}

//===----------------------------------------------------------------------===//
// The dims of one loop
//===----------------------------------------------------------------------===//

LoopDims recur::ov::findLoopDims(NestDims &bodyDims, Block::BlockArgListType args, ValueRange inits, YieldOp yield) {
  LoopDims result;
  OperandRange next = yield.getNext();
  llvm::DenseSet<Value> changing;
  for (auto [arg, init] : llvm::zip_equal(args, inits)) {
    result.initial[arg] = bodyDims.getAll(init);
    bodyDims.prefer(result.initial[arg]);
  }
  auto assume = [&](const LoopDims::Map &dims) {
    for (BlockArgument arg : args)
      bodyDims.setCarried(arg, changing.contains(arg) ? NestDims::Dims(dims.lookup(arg).size(), std::nullopt)
                                                      : dims.lookup(arg));
  };
  // The dims of the carried values after the first iteration.
  LoopDims::Map then;
  for (bool found = true; found;) {
    found = false;
    assume(result.initial);
    result.settles = false;
    for (auto [arg, value] : llvm::zip_equal(args, next)) {
      if (changing.contains(arg))
        continue;
      then[arg] = bodyDims.getAll(value);
      result.settles |= then[arg] != result.initial[arg];
      if (llvm::is_contained(then[arg], std::nullopt))
        found |= changing.insert(arg).second;
    }
    if (found || !result.settles)
      continue;
    assume(then);
    for (auto [arg, value] : llvm::zip_equal(args, next))
      if (!changing.contains(arg) && bodyDims.getAll(value) != then[arg])
        found |= changing.insert(arg).second;
  }
  for (BlockArgument arg : args)
    if (!changing.contains(arg))
      result.settled[arg] = then[arg];
  auto collect = [&](LoopDims::Map &dims) {
    for (ValueRange values : {ValueRange(yield.getLast()), ValueRange(yield.getConcat())})
      for (Value value : values)
        dims[value] = bodyDims.getAll(value);
  };
  collect(result.yielded);
  if (!result.settles)
    return result;
  LoopDims::Map initially;
  assume(result.initial);
  collect(initially);
  for (auto &[value, dims] : initially)
    for (auto [dim, before] : llvm::zip_equal(result.yielded[value], dims))
      if (dim != before)
        dim = std::nullopt;
  return result;
}
