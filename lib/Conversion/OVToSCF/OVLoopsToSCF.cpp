// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVLoopsToSCF.cpp - Lower TensorIterator and Loop to scf ------------===//
//
// Turns a loop into an `scf.for`, or an `scf.while` if its body computes a condition. How each value of the loop is
// kept is decided in LoopValue.h. This file decides which way fits a value, and emits the loop around them.
//
//===----------------------------------------------------------------------===//

#include "BodyDims.h"
#include "BroadcastInputs.h"
#include "IfLowering.h"
#include "InitialValues.h"
#include "LoopValue.h"
#include "Recur/Conversion/Passes.h"
#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace recur {
#define GEN_PASS_DEF_CONVERTOVLOOPSTOSCF
#include "Recur/Conversion/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {

/// The values that the body yields, after it was placed.
struct Yielded {
  Value condition;
  SmallVector<Value> next, last, concat;
};

/// The start of a loop: the number of its first iteration, the condition for it, and the initial iter_args.
struct Start {
  Value iteration, condition;
  SmallVector<Value> scalars;
};

/// Lowers one ov loop. The methods below are in the order of the code that they emit.
template <typename LoopT>
class LoopLowering : public LoopBuilder {
public:
  LoopLowering(LoopT op, RewriterBase &rewriter) : LoopBuilder(rewriter, op), op(op), bodyDims(rewriter, op) {}

  /// Lowers the loop. Fails, with an error, if the declared type of a concatenation contradicts its slices.
  LogicalResult run();
  /// The number of scf loops that were created: 1, or 0 if the body is known to run at most once.
  unsigned getNumTimeLoops() const { return numTimeLoops; }

private:
  /// Sets `ran`.
  void findWhetherRuns();
  void planCarriedValues();
  void planFinalDestinations();
  void planLastValues();
  LogicalResult planConcatenations();
  /// Emits the first iteration before the loop, if carried values may change their dims in it.
  Start emitStart();
  void emitFor();
  void emitWhile();
  /// Emits an iteration; returns the next condition, or null if the body computes none. If `isInitial`, it reads the
  /// initial values themselves. If `copy`, it is a copy of the body, else the body itself.
  Value emitBody(Value number, ValueRange scalars, SmallVectorImpl<Value> &nextScalars, bool isInitial, bool copy);
  Value emitIterationIndex(BlockArgument arg, Value number);
  Value emitSlice(unsigned i, Value number);
  Yielded placeBody(ValueRange args, bool copy);
  void replaceResults(Value numIterations, ValueRange scalars);
  bool isWrittenInto(BlockArgument arg);
  /// Computes dims before the loop. One that is not known is null.
  SmallVector<OpFoldResult> materialize(const BodyDims::Dims &dims) {
    return llvm::map_to_vector(dims, [&](const std::optional<BodyDims::Dim> &dim) {
      return dim ? bodyDims.materialize(*dim) : OpFoldResult();
    });
  }
  /// The dims that result `i` has after no iteration, but along the axis of a concatenation. `known` are the dims of
  /// what the body yields. One that neither the loop nor the body tells is null.
  SmallVector<OpFoldResult> getEmptyDims(unsigned i, ArrayRef<OpFoldResult> known);
  /// Carried values, last values and concatenations.
  auto getValues() { return llvm::concat<std::unique_ptr<LoopValue>>(carried, last, concatenations); }

  LoopT op;
  BodyDims bodyDims;
  ov::LoopDims dims;
  SmallVector<std::unique_ptr<LoopValue>> carried, last, concatenations;
  /// Those carried values that are double-buffered, with their results.
  SmallVector<std::pair<DoubleBufferedValue *, Value>> doubleBuffered;
  unsigned numTimeLoops = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// In front of the loop
//===----------------------------------------------------------------------===//

template <typename LoopT>
void LoopLowering<LoopT>::findWhetherRuns() {
  if (isa<ov::TensorIteratorOp>(op.getOperation()) && op.runsAtLeastOnce())
    return;
  if (getConstantIntValue(space.count).value_or(0) <= 0)
    ran = compare(arith::CmpIPredicate::sgt, indexValue(space.count), index(0));
  if (space.condition)
    ran = ran ? arith::AndIOp::create(rewriter, loc, ran, space.condition).getResult() : space.condition;
}

/// True if the next value of a carried value is made by writing into the present one, and all that reads the present
/// one does so before: then one buffer serves for both. (Where bufferization finds a reader after all, it makes a
/// copy.)
template <typename LoopT>
bool LoopLowering<LoopT>::isWrittenInto(BlockArgument arg) {
  Block *body = op.getBodyBlock();
  Value next;
  for (auto [carriedArg, value] : llvm::zip_equal(op.getCarriedArgs(), op.getYield().getNext()))
    if (carriedArg == arg)
      next = value;
  Operation *first = nullptr;
  for (Value value = next; value != arg; value = first->getOperand(0)) {
    first = value.getDefiningOp();
    if (!isa_and_nonnull<ov::ScatterUpdateOp, ov::ScatterElementsUpdateOp, ov::ScatterNDUpdateOp>(first) ||
        first->getBlock() != body || (value != next && !value.hasOneUse()))
      return false;
  }
  return first && llvm::all_of(arg.getUses(), [&](OpOperand &use) {
           if (use.getOwner() == first)
             return use.getOperandNumber() == 0;
           Operation *reader = body->findAncestorOpInBlock(*use.getOwner());
           return reader && reader->isBeforeInBlock(first);
         });
}

/// Decides how each carried value is kept.
template <typename LoopT>
void LoopLowering<LoopT>::planCarriedValues() {
  for (auto [arg, init, result] : llvm::zip_equal(op.getCarriedArgs(), op.getInitArgs(), op.getCarried())) {
    auto type = cast<RankedTensorType>(init.getType());
    auto settled = dims.settled.find(arg);
    if (isScalar(type)) {
      carried.push_back(std::make_unique<ScalarValue>(*this, type, init));
      continue;
    }
    if (settled == dims.settled.end()) {
      carried.push_back(std::make_unique<GrowingValue>(*this, type, init));
      continue;
    }
    SmallVector<OpFoldResult> known = materialize(settled->second), initialDims;
    if (dims.initial[arg] != settled->second)
      initialDims = materialize(dims.initial[arg]);
    if (initialDims.empty() && !isEmpty(known) && isWrittenInto(arg)) {
      carried.push_back(std::make_unique<InPlaceValue>(*this, init, known));
      continue;
    }
    auto value = std::make_unique<DoubleBufferedValue>(*this, init, known, initialDims);
    doubleBuffered.push_back({value.get(), result});
    carried.push_back(std::move(value));
  }
}

/// Lets the last iteration write results to their final destinations, if the number of iterations is known before the
/// loop.
template <typename LoopT>
void LoopLowering<LoopT>::planFinalDestinations() {
  if (space.condition)
    return;
  bool found = false;
  for (auto [value, result] : doubleBuffered)
    found |= value->findFinalDestination(result);
  if (found)
    lastIteration = arith::SubIOp::create(rewriter, loc, indexValue(space.count), index(1));
}

template <typename LoopT>
SmallVector<OpFoldResult> LoopLowering<LoopT>::getEmptyDims(unsigned i, ArrayRef<OpFoldResult> known) {
  SmallVector<OpFoldResult> result(known);
  Value told = op.findEmptyDims(i);
  auto type = cast<RankedTensorType>(op.getResult(op.getCarried().size() + i).getType());
  for (unsigned d = 0, rank = told ? type.getRank() : 0; d < rank; ++d) {
    if (!type.isDynamicDim(d))
      continue;
    BodyDims::Dim dim = *bodyDims.getElement(told, d);
    std::optional<int64_t> number = bodyDims.exprs.getConstant(dim);
    result[d] = number ? rewriter.getIndexAttr(std::max<int64_t>(0, *number)) : bodyDims.materialize(dim);
  }
  return result;
}

template <typename LoopT>
void LoopLowering<LoopT>::planLastValues() {
  for (auto [i, value] : llvm::enumerate(op.getYield().getLast())) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<OpFoldResult> known = materialize(dims.yielded[value]), empty = getEmptyDims(i, known);
    if (isScalar(type))
      last.push_back(std::make_unique<ScalarValue>(*this, type, /*initial=*/Value()));
    else if (llvm::is_contained(known, OpFoldResult()))
      last.push_back(std::make_unique<GrowingValue>(*this, type, /*initial=*/Value(), empty));
    else
      last.push_back(std::make_unique<LastValue>(*this, type, known, empty));
  }
}

template <typename LoopT>
LogicalResult LoopLowering<LoopT>::planConcatenations() {
  for (auto [i, slice] : llvm::enumerate(op.getYield().getConcat())) {
    SmallVector<OpFoldResult> known = materialize(dims.yielded[slice]),
                              empty = getEmptyDims(op.getLast().size() + i, known);
    empty[op.getConcatAt(i).getAxis()] = OpFoldResult();
    concatenations.push_back(planConcatenation(*this, cast<RankedTensorType>(op.getConcatenated()[i].getType()),
                                               cast<RankedTensorType>(slice.getType()), op.getConcatAt(i), known,
                                               empty));
    if (!concatenations.back())
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// An iteration
//===----------------------------------------------------------------------===//

/// Puts the body, or a copy of it, where the rewriter stands.
template <typename LoopT>
Yielded LoopLowering<LoopT>::placeBody(ValueRange args, bool copy) {
  ov::YieldOp yield = op.getYield();
  IRMapping mapping;
  if (copy) {
    mapping.map(op.getBodyBlock()->getArguments(), args);
    for (Operation &inner : op.getBodyBlock()->without_terminator())
      rewriter.clone(inner, mapping);
  } else {
    rewriter.inlineBlockBefore(op.getBodyBlock(), rewriter.getInsertionBlock(), rewriter.getInsertionPoint(), args);
  }
  auto get = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return mapping.lookupOrDefault(value); });
  };
  Yielded result;
  if (yield.getCondition())
    result.condition = mapping.lookupOrDefault(yield.getCondition());
  result.next.assign(get(yield.getNext()));
  result.last.assign(get(yield.getLast()));
  result.concat.assign(get(yield.getConcat()));
  if (!copy)
    rewriter.eraseOp(yield);
  return result;
}

/// The tensor that the iteration index `arg` stands for in iteration `number`.
template <typename LoopT>
Value LoopLowering<LoopT>::emitIterationIndex(BlockArgument arg, Value number) {
  auto type = cast<RankedTensorType>(arg.getType());
  constexpr int64_t greatest = std::numeric_limits<int32_t>::max();
  std::optional<int64_t> count = getConstantIntValue(space.count);
  if (type.getElementType().isInteger(32) && !(count && *count <= greatest + 1)) {
    Value fits = compare(arith::CmpIPredicate::sle, number, index(greatest));
    number = rt::CheckOp::create(rewriter, loc, fits, rt::FaultKind::Overflow,
                                 "iteration {0} does not fit the i32 iteration index", asI64(number), number)
                 .getResult(0);
  }
  return scalarToTensor(arith::IndexCastOp::create(rewriter, loc, type.getElementType(), number), type);
}

/// The slice of sliced input `i` in iteration `number`.
template <typename LoopT>
Value LoopLowering<LoopT>::emitSlice(unsigned i, Value number) {
  const SlicedAxis &sliced = space.slices[i];
  if (space.checkSlices) {
    Value count = indexValue(sliced.count);
    Value isInside = compare(arith::CmpIPredicate::slt, number, count);
    number = rt::CheckOp::create(rewriter, loc, isInside, rt::FaultKind::TripCount,
                                 "iteration {0} needs a part of its own, but a sliced input has {1}",
                                 ValueRange{asI64(number), asI64(count)}, number)
                 .getResult(0);
  }
  return sliced.extractSlice(rewriter, loc, number, cast<RankedTensorType>(op.getSliceArgs()[i].getType()));
}

template <typename LoopT>
Value LoopLowering<LoopT>::emitBody(Value number, ValueRange scalars, SmallVectorImpl<Value> &nextScalars,
                                    bool isInitial, bool copy) {
  nextScalars.assign(initialScalars.size(), {});
  Iteration iteration(number, scalars, isInitial, nextScalars);
  SmallVector<Value> args;
  if constexpr (std::is_same_v<LoopT, ov::LoopOp>)
    if (BlockArgument arg = op.getIndexArg())
      args.push_back(emitIterationIndex(arg, number));
  for (unsigned i = 0; i < space.slices.size(); ++i)
    args.push_back(emitSlice(i, number));
  for (auto &value : carried)
    args.push_back(value->read(iteration));
  for (auto &value : getValues())
    value->prepare(iteration);

  Yielded yielded = placeBody(args, copy);
  auto values = llvm::to_vector(llvm::concat<Value>(yielded.next, yielded.last, yielded.concat));
  for (auto [value, tensor] : llvm::zip_equal(getValues(), values))
    value->write(iteration, tensor);
  Value condition = space.condition ? extractElement(rewriter, loc, yielded.condition) : Value();
  // No op of this iteration reads the present values any more.
  for (auto [value, tensor] : llvm::zip_equal(carried, yielded.next))
    value->overwrite(iteration, tensor);
  return condition;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Emits the first iteration in front of the loop if it changes the dims of carried values.
template <typename LoopT>
Start LoopLowering<LoopT>::emitStart() {
  Start none{index(0), space.condition, initialScalars};
  if (!dims.settles)
    return none;
  Value differs;
  bool provablyDiffers = false;
  for (auto [value, result] : doubleBuffered)
    for (auto [before, after] : llvm::zip(value->getInitialDims(), value->getDims())) {
      std::optional<int64_t> x = getConstantIntValue(before), y = getConstantIntValue(after);
      provablyDiffers |= x && y && x != y;
      if (isEqualConstantIntOrValue(before, after))
        continue;
      Value other = compare(arith::CmpIPredicate::ne, indexValue(before), indexValue(after));
      differs = differs ? arith::OrIOp::create(rewriter, loc, differs, other).getResult() : other;
    }
  // scf.if returns a flat list of values.
  auto flatten = [](const Start &start) {
    SmallVector<Value> values{start.iteration};
    if (start.condition)
      values.push_back(start.condition);
    llvm::append_range(values, start.scalars);
    return values;
  };
  auto unflatten = [&](ValueRange values) {
    Start start;
    start.iteration = values.front();
    values = values.drop_front();
    if (space.condition) {
      start.condition = values.front();
      values = values.drop_front();
    }
    start.scalars.assign(values.begin(), values.end());
    return start;
  };
  // Emits a branch whose two sides say where to go on.
  auto choose = [&](Value condition, auto then, auto otherwise) {
    SmallVector<Type> types = llvm::to_vector(ValueRange(flatten(none)).getTypes());
    auto branch = scf::IfOp::create(rewriter, loc, types, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(rewriter, loc, flatten(then()));
    rewriter.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(rewriter, loc, flatten(otherwise()));
    return unflatten(branch.getResults());
  };
  auto first = [&] {
    Start start{index(1), {}, {}};
    start.condition = emitBody(index(0), initialScalars, start.scalars, /*isInitial=*/true, /*copy=*/true);
    return start;
  };
  // The first iteration may run only if the loop runs at all.
  auto firstIfAny = [&] { return ran ? choose(ran, first, [&] { return none; }) : first(); };
  if (provablyDiffers)
    return firstIfAny();
  return choose(differs, firstIfAny, [&] {
    for (auto [value, result] : doubleBuffered)
      if (!value->getInitialDims().empty())
        value->writeInitial();
    return none;
  });
}

template <typename LoopT>
void LoopLowering<LoopT>::emitFor() {
  std::optional<int64_t> count = getConstantIntValue(space.count);
  if (count && *count <= 1) {
    // A single iteration needs no loop.
    SmallVector<Value> scalars = initialScalars;
    if (*count == 1)
      emitBody(index(0), initialScalars, scalars, /*isInitial=*/true, /*copy=*/false);
    rewriter.setInsertionPoint(op);
    replaceResults(index(*count), scalars);
    return;
  }
  // The scf.for carries only scalars; all tensors are in buffers.
  Start start = emitStart();
  auto loop = scf::ForOp::create(rewriter, loc, start.iteration, indexValue(space.count), index(1), start.scalars);
  Block *body = loop.getBody();
  if (initialScalars.empty())
    rewriter.eraseOp(body->getTerminator());
  rewriter.setInsertionPointToEnd(body);
  rt::IterationOp::create(rewriter, loc, loop.getInductionVar());
  SmallVector<Value> next;
  auto end = scf::YieldOp::create(rewriter, loc);
  rewriter.setInsertionPoint(end);
  emitBody(loop.getInductionVar(), loop.getRegionIterArgs(), next, /*isInitial=*/false, /*copy=*/false);
  rewriter.modifyOpInPlace(end, [&] { end->setOperands(next); });
  ++numTimeLoops;
  rewriter.setInsertionPoint(op);
  replaceResults(indexValue(space.count), loop.getResults());
}

template <typename LoopT>
void LoopLowering<LoopT>::emitWhile() {
  // The loop carries the number of the iteration, the condition for it, and the scalars.
  Start start = emitStart();
  SmallVector<Value> inits{start.iteration, start.condition};
  llvm::append_range(inits, start.scalars);
  SmallVector<Type> types = llvm::to_vector(ValueRange(inits).getTypes());
  SmallVector<Location> locs(types.size(), loc);
  Value bound = indexValue(space.count);
  auto loop = scf::WhileOp::create(rewriter, loc, types, inits);
  Block *before = rewriter.createBlock(&loop.getBefore(), {}, types, locs);
  Value more = compare(arith::CmpIPredicate::slt, before->getArgument(0), bound);
  Value go = arith::AndIOp::create(rewriter, loc, more, before->getArgument(1));
  scf::ConditionOp::create(rewriter, loc, go, before->getArguments());
  Block *after = rewriter.createBlock(&loop.getAfter(), {}, types, locs);
  Value iteration = after->getArgument(0);
  rt::IterationOp::create(rewriter, loc, iteration);
  auto end = scf::YieldOp::create(rewriter, loc);
  rewriter.setInsertionPoint(end);
  SmallVector<Value> next;
  Value condition = emitBody(iteration, after->getArguments().drop_front(2), next, /*isInitial=*/false, /*copy=*/false);
  SmallVector<Value> yielded{arith::AddIOp::create(rewriter, loc, iteration, index(1)), condition};
  llvm::append_range(yielded, next);
  rewriter.modifyOpInPlace(end, [&] { end->setOperands(yielded); });
  ++numTimeLoops;
  rewriter.setInsertionPoint(op);
  replaceResults(loop.getResult(0), loop.getResults().drop_front(2));
}

template <typename LoopT>
void LoopLowering<LoopT>::replaceResults(Value numIterations, ValueRange scalars) {
  for (auto [value, result] : doubleBuffered)
    value->eraseFinalWrite();
  SmallVector<Value> results;
  for (auto &value : getValues())
    results.push_back(value->getResult(numIterations, scalars));
  rewriter.replaceOp(op, results);
}

template <typename LoopT>
LogicalResult LoopLowering<LoopT>::run() {
  rewriter.setInsertionPoint(op);
  broadcastInputs(rewriter, op);
  space = buildIterationSpace(rewriter, op);
  findWhetherRuns();
  dims = ov::findLoopDims(bodyDims, op.getCarriedArgs(), op.getInitArgs(), op.getYield());
  planCarriedValues();
  planFinalDestinations();
  planLastValues();
  if (failed(planConcatenations()))
    return failure();
  if (space.condition)
    emitWhile();
  else
    emitFor();
  return success();
}

namespace {
struct ConvertOVLoopsToSCF final : recur::impl::ConvertOVLoopsToSCFBase<ConvertOVLoopsToSCF> {
  // Lowers one op at a time and searches again, because lowering moves and clones other ops.
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    int64_t numTimeLoops = 0;
    auto lower = [&](auto op) {
      LoopLowering lowering(op, rewriter);
      LogicalResult result = lowering.run();
      numTimeLoops += lowering.getNumTimeLoops();
      return result;
    };
    branchToInitialValues(rewriter, getOperation());
    // Outer loops come first, so that an inner loop captures values that are lowered. The body of an outer loop may
    // then exist twice.
    for (;;) {
      Operation *next = nullptr;
      getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (!isa<ov::TensorIteratorOp, ov::LoopOp, ov::IfOp>(op))
          return WalkResult::advance();
        next = op;
        return WalkResult::interrupt();
      });
      if (!next)
        break;
      if (auto branch = dyn_cast<ov::IfOp>(next)) {
        lowerIf(rewriter, branch);
        continue;
      }
      auto loop = dyn_cast<ov::LoopOp>(next);
      if (failed(loop ? lower(loop) : lower(cast<ov::TensorIteratorOp>(next))))
        return signalPassFailure();
    }
    getOperation()->setAttr(rt::kTimeLoopsAttr, Builder(&getContext()).getI64IntegerAttr(numTimeLoops));
  }
};
} // namespace
