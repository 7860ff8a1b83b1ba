// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EmptyDims.cpp - Dims of results after no iteration -----------------===//
//
// The dims that a body would give are expressions over values from before the loop. They become ov ops in front of the
// loop. What the body computes from such values alone, by ops that cannot fail, is known before the loop too: a copy of
// these ops computes it there.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/EmptyDims.h"

#include "Recur/Dialect/OV/IR/NestDims.h"
#include "Recur/Dialect/OV/IR/RankedValues.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace recur::ov;

/// A constant vector of i64.
static Value createVector(OpBuilder &builder, Location loc, ArrayRef<int64_t> numbers) {
  auto type = RankedTensorType::get({int64_t(numbers.size())}, builder.getI64Type());
  return ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, numbers));
}

Value recur::ov::createOpenDims(OpBuilder &builder, Location loc) { return createVector(builder, loc, {}); }

namespace {
/// Finds the dims in the body of a loop that are known before the loop, and computes them there.
class EmptyDims final : public NestDims {
public:
  explicit EmptyDims(Operation *loop) : NestDims(loop), builder(loop) {}

  /// A vector with the known dims of a result of type `type`, and 0 in place of those at `axis` and of unknown ones.
  Value compute(RankedTensorType type, const Dims &known, std::optional<int64_t> axis);

private:
  bool isKnown(Value value) override { return isInvariant(value); }
  bool isInvariant(Value value);
  /// A value outside of the loop that is equal to an invariant one.
  Value moveOut(Value value);
  /// A vector of one element: the number that a dim is.
  Value compute(Dim dim);
  Value computeElement(Value tensor, int64_t position);
  Value createConstant(ArrayRef<int64_t> numbers) { return createVector(builder, loop->getLoc(), numbers); }
  /// `then` where `dim` is `number`, else `otherwise`.
  Value selectIfEqual(Value dim, int64_t number, Value then, Value otherwise);

  OpBuilder builder;
  IRMapping moved;
  llvm::DenseMap<Operation *, bool> invariants;
  llvm::DenseMap<Dim, Value> computed;
  /// The depth of the recursion, which is limited.
  unsigned depth = 0;
};
} // namespace

bool EmptyDims::isInvariant(Value value) {
  constexpr unsigned maxDepth = 512;
  if (isOutside(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || depth == maxDepth)
    return false;
  if (auto found = invariants.find(op); found != invariants.end())
    return found->second;
  // A copy of what only one branch computes would always run.
  bool isInLoops = true;
  for (Operation *parent = op->getParentOp(); isInLoops && parent != loop; parent = parent->getParentOp())
    isInLoops = isa<LoopLikeOpInterface>(parent);
  ++depth;
  bool result = isInLoops && isMemoryEffectFree(op) && isSpeculatable(op) &&
                llvm::all_of(getReadValues(op), [&](Value read) { return isInvariant(read); });
  --depth;
  return invariants[op] = result;
}

Value EmptyDims::moveOut(Value value) {
  if (isOutside(value) || moved.contains(value))
    return moved.lookupOrDefault(value);
  Operation *op = value.getDefiningOp();
  for (Value read : getReadValues(op))
    moveOut(read);
  builder.clone(*op, moved);
  return moved.lookup(value);
}

Value EmptyDims::computeElement(Value tensor, int64_t position) {
  Location loc = loop->getLoc();
  tensor = moveOut(tensor);
  RankedTensorType type = typeOf(tensor);
  if (!type.getElementType().isInteger(64))
    tensor = ConvertOp::create(builder, loc, type.clone(builder.getI64Type()), tensor);
  if (type.getRank() == 0)
    return UnsqueezeOp::create(builder, loc, typeOf(tensor).clone({1}), tensor, createConstant({0}));
  if (type.getDimSize(0) == 1)
    return tensor;
  return GatherOp::create(builder, loc, tensor, createConstant({position}), createConstant({0}));
}

Value EmptyDims::selectIfEqual(Value dim, int64_t number, Value then, Value otherwise) {
  Location loc = loop->getLoc();
  Value equal = EqualOp::create(builder, loc, dim, createConstant({number}));
  return SelectOp::create(builder, loc, equal, then, otherwise);
}

Value EmptyDims::compute(Dim dim) {
  if (Value known = computed.lookup(dim))
    return known;
  Location loc = loop->getLoc();
  DimExpressions::Expr expr = exprs.get(dim);
  SmallVector<Value> of;
  for (Dim operand : expr.operands) {
    of.push_back(compute(operand));
    // A loop takes 0 in place of a negative element. So does arithmetic.
    if (exprs.get(operand).kind == DimKind::element)
      of.back() = MaximumOp::create(builder, loc, of.back(), createConstant({0}));
  }
  Value result = of.empty() ? Value() : of.front();
  ArrayRef<Value> others = ArrayRef(of).drop_front(of.empty() ? 0 : 1);
  switch (expr.kind) {
  case DimKind::constant:
    result = createConstant({expr.number});
    break;
  case DimKind::dim:
    result = computeElement(ShapeOfOp::create(builder, loc, moveOut(expr.value), builder.getI64Type()), expr.number);
    break;
  case DimKind::element:
    result = computeElement(expr.value, expr.number);
    break;
  case DimKind::index:
    result = createConstant({0}); // There are no index values among ov ops.
    break;
  case DimKind::join:
    for (Value other : others)
      result = selectIfEqual(result, 1, other, result);
    break;
  case DimKind::sum:
    for (Value other : others)
      result = AddOp::create(builder, loc, result, other);
    break;
  case DimKind::product:
    for (Value other : others)
      result = MultiplyOp::create(builder, loc, result, other);
    break;
  case DimKind::quotient:
    result = DivideOp::create(builder, loc, result, MaximumOp::create(builder, loc, of[1], createConstant({1})));
    break;
  case DimKind::steps:
    result = AddOp::create(builder, loc, MaximumOp::create(builder, loc, result, createConstant({0})),
                           createConstant({expr.number - 1}));
    result = DivideOp::create(builder, loc, result, createConstant({expr.number}));
    break;
  case DimKind::ifZero:
    result = selectIfEqual(result, 0, of[1], result);
    break;
  }
  return computed[dim] = result;
}

Value EmptyDims::compute(RankedTensorType type, const Dims &known, std::optional<int64_t> axis) {
  SmallVector<int64_t> numbers;
  SmallVector<Value> parts;
  // Puts the numbers so far in front of the next dim.
  auto flush = [&] {
    if (!numbers.empty())
      parts.push_back(createConstant(numbers));
    numbers.clear();
  };
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    std::optional<int64_t> number = 0;
    if (!ShapedType::isDynamic(size))
      number = size;
    else if (axis != int64_t(d) && known[d])
      number = exprs.getConstant(*known[d]);
    if (number) {
      numbers.push_back(*number);
      continue;
    }
    flush();
    parts.push_back(compute(*known[d]));
  }
  flush();
  return parts.size() == 1 ? parts.front() : ConcatOp::create(builder, loop->getLoc(), parts, 0).getResult();
}

template <typename LoopT>
static void tell(LoopT op) {
  if (op.runsAtLeastOnce())
    return;
  unsigned numLast = op.getLast().size(), numCarried = op.getCarried().size();
  auto getAxis = [&](unsigned i) {
    return i < numLast ? std::nullopt : std::optional(int64_t(op.getConcatAt(i - numLast).getAxis()));
  };
  SmallVector<unsigned> open;
  for (unsigned i : llvm::seq<unsigned>(op.getNumResults() - numCarried)) {
    auto isOpen = [&](auto dim) { return ShapedType::isDynamic(dim.value()) && getAxis(i) != int64_t(dim.index()); };
    if (!op.findEmptyDims(i) && llvm::any_of(llvm::enumerate(typeOf(op.getResult(numCarried + i)).getShape()), isOpen))
      open.push_back(i);
  }
  if (open.empty())
    return;
  EmptyDims dims(op);
  LoopDims told = findLoopDims(dims, op.getCarriedArgs(), op.getInitArgs(), op.getYield());
  SmallVector<Value> operands(op.getEmptyDims());
  operands.resize(op.getNumResults() - numCarried);
  for (unsigned i : open) {
    Value yielded = i < numLast ? op.getYield().getLast()[i] : op.getYield().getConcat()[i - numLast];
    operands[i] = dims.compute(typeOf(op.getResult(numCarried + i)), told.yielded.lookup(yielded), getAxis(i));
  }
  OpBuilder builder(op);
  Value others = llvm::is_contained(operands, Value()) ? createOpenDims(builder, op.getLoc()) : Value();
  for (Value &operand : operands)
    operand = operand ? operand : others;
  op.getEmptyDimsMutable().assign(operands);
}

void recur::ov::tellEmptyDims(Operation *root) {
  // Inner loops come first: outer ones ask for their dims.
  root->walk([](Operation *op) {
    if (auto loop = dyn_cast<LoopOp>(op))
      tell(loop);
    else if (auto loop = dyn_cast<TensorIteratorOp>(op))
      tell(loop);
  });
}
