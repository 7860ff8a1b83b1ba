// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVLoopsToSCF.cpp - Lower TensorIterator and Loop to scf ------------===//
//
// The pass convert-ov-loops-to-scf. It lowers TensorIterator and Loop to scf.for or scf.while, and If to scf.if. A loop
// is lowered in steps: broadcast the inputs, compute the iteration space, find the dims of all values that live between
// iterations, allocate their buffers, emit the loop around the body, and read the results.
//
// The base class LoopBuffers emits the buffers. This file decides which kind of buffer each value gets.
//
//===----------------------------------------------------------------------===//

#include "BodyDims.h"
#include "BroadcastInputs.h"
#include "IfLowering.h"
#include "LoopBuffers.h"
#include "Recur/Conversion/Passes.h"
#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

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

/// The state at the start of a loop: the number of the first iteration, whether to run it (null without a condition),
/// and the iter_args.
struct Start {
  Value iteration, condition;
  SmallVector<Value> scalars;
};

/// Lowers one ov loop. The methods below are in the order of the code that they emit.
template <typename LoopT>
class LoopLowering : LoopBuffers {
public:
  LoopLowering(LoopT op, RewriterBase &rewriter) : LoopBuffers(op, rewriter), op(op), bodyDims(rewriter, op) {}

  LogicalResult run();
  /// The number of scf loops that were created: 1, or 0 if the body is known to run at most once.
  unsigned getNumTimeLoops() const { return numTimeLoops; }

private:
  /// Finds the dims of carried values, last values and parts that can be computed before the loop.
  void findDims();
  /// Sets `ran`.
  void findWhetherRuns();
  /// Allocates the cells of carried and last values.
  LogicalResult planCells();
  /// Finds homes of carried values.
  void planHomes();
  /// Allocates the buffers of concatenations.
  LogicalResult planConcatenations();
  /// Emits the first iteration before the loop, if carried values may change their dims in it.
  Start emitStart();
  void emitFor();
  void emitWhile();
  /// Emits an iteration. Returns the next condition if the body computes one, and sets `nextScalars` to the next
  /// iter_args. If `initial` is true, the iteration reads the initial values instead of the buffers. If `copy` is true,
  /// the body is cloned, else moved.
  Value emitBody(Value iteration, ValueRange scalars, SmallVectorImpl<Value> &nextScalars, bool initial, bool copy);
  /// Moves or clones the body to the insertion point.
  Yielded placeBody(ValueRange args, bool copy);
  /// Replaces the results of the loop. `finalIteration` is the number of iterations that ran.
  void replaceResults(Value finalIteration, ValueRange scalars);
  /// Reads the result of a carried value.
  Value readCarried(const Cell &cell, Value init, Value finalIteration, ValueRange scalars);

  /// Allocate the cell of the carried value that is `arg` in the body, or of a last value.
  Cell planCarried(BlockArgument arg, Value init);
  Cell planLast(Value value);
  /// True if a carried value can be updated in place.
  bool isWrittenInto(BlockArgument arg);
  /// Computes known dims before the loop.
  SmallVector<OpFoldResult> materialize(const BodyDims::Dims &dims) {
    SmallVector<OpFoldResult> result;
    for (std::optional<BodyDims::Dim> dim : dims)
      result.push_back(bodyDims.materialize(*dim));
    return result;
  }

  LoopT op;
  BodyDims bodyDims;
  SmallVector<Cell> carried, last;
  SmallVector<Concatenation> concatenations;
  /// The dims of carried values before the loop, and after each iteration. Values whose dims change in each iteration
  /// are not in `settledDims`.
  llvm::DenseMap<Value, BodyDims::Dims> initialDims, settledDims;
  /// The dims of last values and parts, if they are the same in all iterations.
  llvm::DenseMap<Value, BodyDims::Dims> yieldedDims;
  /// True if the first iteration may change the dims of a carried value.
  bool settles = false;
  unsigned numTimeLoops = 0;
};

} // namespace

/// True if the next value of a carried value is a chain of scatter ops on the present one, and every other use of the
/// present one comes before the chain. Then one slot is enough. (If bufferization finds a conflicting read after all,
/// it inserts a copy.)
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

template <typename LoopT>
Cell LoopLowering<LoopT>::planCarried(BlockArgument arg, Value init) {
  auto type = cast<RankedTensorType>(init.getType());
  if (isScalar(type))
    return planScalar(type, init);
  // Without settled dims, two growing buffers are needed.
  auto settled = settledDims.find(arg);
  if (settled == settledDims.end())
    return planGrowing(init);
  Cell cell;
  cell.type = type;
  cell.dims = materialize(settled->second);
  if (initialDims[arg] != settled->second)
    cell.initialDims = materialize(initialDims[arg]);
  // A statically empty value needs no slots, and one that is updated in place needs one.
  cell.inPlace = cell.initialDims.empty() && !isEmpty(cell.dims) && isWrittenInto(arg);
  cell.buffer = checkedAlloc(type, cell.dims, /*slots=*/isEmpty(cell.dims) ? 0 : cell.inPlace ? 1 : 2);
  if (cell.initialDims.empty())
    write(init, getSlot(cell, rewriter.getIndexAttr(0)));
  return cell;
}

template <typename LoopT>
Cell LoopLowering<LoopT>::planLast(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (isScalar(type))
    return planScalar(type, {});
  Cell cell;
  cell.type = type;
  if (auto dims = yieldedDims.find(value); dims != yieldedDims.end()) {
    for (auto [dim, declared] : llvm::zip_equal(materialize(dims->second), type.getShape()))
      cell.dims.push_back(dimIfRun(dim, declared));
    cell.buffer = checkedAlloc(type, cell.dims, /*slots=*/0);
    // If no iteration runs, a last value is zeros. Its dynamic dims are 0 then, so only a static one has elements to
    // write.
    if (ran && type.hasStaticShape())
      write(zeros(type), cell.buffer);
    return cell;
  }
  // One growing buffer. Its dynamic dims are 0 until the first iteration writes it.
  cell.buffer = createCells({1, 2});
  cell.firstDim = initialScalars.size();
  initialScalars.append(type.getNumDynamicDims(), index(0));
  return cell;
}

/// Finds the dims that do not change. First assumes that all carried values keep their initial dims, and analyzes one
/// iteration. Values whose next dims cannot be computed from that are changing. If other dims follow for some, assumes
/// these dims instead: values that change again are changing too. Repeats this until no value becomes changing, because
/// the dims of a value may depend on those of another.
template <typename LoopT>
void LoopLowering<LoopT>::findDims() {
  auto args = op.getCarriedArgs();
  auto next = op.getYield().getNext();
  llvm::DenseSet<Value> changing;
  for (auto [arg, init] : llvm::zip_equal(args, op.getInitArgs())) {
    initialDims[arg] = bodyDims.getAll(init);
    bodyDims.prefer(initialDims[arg]);
  }
  auto assume = [&](const llvm::DenseMap<Value, BodyDims::Dims> &dims) {
    for (BlockArgument arg : args)
      bodyDims.setCarried(arg, changing.contains(arg) ? BodyDims::Dims(dims.lookup(arg).size(), std::nullopt)
                                                      : dims.lookup(arg));
  };
  // Dims may settle in the first iteration, for example if a state of one row broadcasts to a batch.
  llvm::DenseMap<Value, BodyDims::Dims> then;
  for (bool found = true; found;) {
    found = false;
    assume(initialDims);
    settles = false;
    for (auto [arg, value] : llvm::zip_equal(args, next)) {
      if (changing.contains(arg))
        continue;
      then[arg] = bodyDims.getAll(value);
      settles |= then[arg] != initialDims[arg];
      if (llvm::is_contained(then[arg], std::nullopt))
        found |= changing.insert(arg).second;
    }
    if (found || !settles)
      continue;
    assume(then);
    for (auto [arg, value] : llvm::zip_equal(args, next))
      if (!changing.contains(arg) && bodyDims.getAll(value) != then[arg])
        found |= changing.insert(arg).second;
  }
  for (BlockArgument arg : args)
    if (!changing.contains(arg))
      settledDims[arg] = then[arg];
  auto collect = [&](ValueRange values, llvm::DenseMap<Value, BodyDims::Dims> &dims) {
    for (Value value : values) {
      BodyDims::Dims found = bodyDims.getAll(value);
      if (!llvm::is_contained(found, std::nullopt))
        dims[value] = found;
    }
  };
  // At this point, `bodyDims` assumes the dims of all iterations, except perhaps of the first one.
  for (ValueRange values : {ValueRange(op.getYield().getLast()), ValueRange(op.getYield().getConcat())})
    collect(values, yieldedDims);
  if (!settles)
    return;
  // In the first iteration, yielded values may have other dims than later. Those are not the same in all iterations.
  llvm::DenseMap<Value, BodyDims::Dims> initially;
  assume(initialDims);
  for (ValueRange values : {ValueRange(op.getYield().getLast()), ValueRange(op.getYield().getConcat())})
    collect(values, initially);
  for (auto &[value, dims] : initially)
    if (yieldedDims.lookup(value) != dims)
      yieldedDims.erase(value);
}

template <typename LoopT>
void LoopLowering<LoopT>::findWhetherRuns() {
  if (isa<ov::TensorIteratorOp>(op.getOperation()))
    return;
  if (getConstantIntValue(space.count).value_or(0) <= 0)
    ran = compare(arith::CmpIPredicate::sgt, indexValue(space.count), index(0));
  if (space.condition)
    ran = ran ? arith::AndIOp::create(rewriter, loc, ran, space.condition).getResult() : space.condition;
}

template <typename LoopT>
LogicalResult LoopLowering<LoopT>::planCells() {
  for (auto [arg, init] : llvm::zip_equal(op.getCarriedArgs(), op.getInitArgs()))
    carried.push_back(planCarried(arg, init));
  planHomes();
  for (Value value : op.getYield().getLast())
    last.push_back(planLast(value));
  return success();
}

/// Finds homes. An iteration must know that it is the last one, so only loops without a condition have homes.
template <typename LoopT>
void LoopLowering<LoopT>::planHomes() {
  if (space.condition)
    return;
  for (auto [cell, init, result] : llvm::zip_equal(carried, op.getInitArgs(), op.getCarried())) {
    if (!cell.buffer || cell.firstDim || cell.inPlace || isEmpty(cell.dims) || !cell.initialDims.empty())
      continue;
    findHome(cell, result);
    if (!cell.home || getConstantIntValue(space.count).value_or(0) > 0)
      continue;
    // If no iteration runs, the result is the initial value.
    Value none = compare(arith::CmpIPredicate::sle, indexValue(space.count), index(0));
    auto branch = scf::IfOp::create(rewriter, loc, none, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(branch.thenYield());
    write(init, cell.home);
  }
  if (llvm::any_of(carried, [](const Cell &cell) { return bool(cell.home); }))
    lastIteration = arith::SubIOp::create(rewriter, loc, indexValue(space.count), index(1));
}

template <typename LoopT>
LogicalResult LoopLowering<LoopT>::planConcatenations() {
  for (auto [i, part] : llvm::enumerate(op.getYield().getConcat())) {
    Concatenation &concat = concatenations.emplace_back();
    concat.type = cast<RankedTensorType>(op.getConcatenated()[i].getType());
    concat.partType = cast<RankedTensorType>(part.getType());
    concat.axis = op.getConcatAt(i).getAxis();
    concat.backward = op.getConcatAt(i).isBackward();
    auto dims = yieldedDims.find(part);
    if (dims == yieldedDims.end()) {
      planRagged(concat);
      continue;
    }
    concat.partDims = materialize(dims->second);
    if (space.condition)
      concat.cell = createCells({2});
    else if (failed(planBuffer(concat)))
      return failure();
  }
  return success();
}

/// Puts the body, or a clone of it, at the insertion point, and finds the yielded values in it.
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

/// An iteration has five steps: compute the block arguments, create the destinations, place the body, write what it
/// yields to the destinations, and collect the next iter_args.
template <typename LoopT>
Value LoopLowering<LoopT>::emitBody(Value iteration, ValueRange scalars, SmallVectorImpl<Value> &nextScalars,
                                    bool initial, bool copy) {
  SmallVector<Value> args;
  if constexpr (std::is_same_v<LoopT, ov::LoopOp>)
    if (BlockArgument arg = op.getIndexArg()) {
      auto type = cast<RankedTensorType>(arg.getType());
      Value number = iteration;
      // An i32 index is checked unless the static number of iterations fits.
      if (type.getElementType().isInteger(32) &&
          getConstantIntValue(space.count).value_or(std::numeric_limits<int64_t>::max()) >
              int64_t(std::numeric_limits<int32_t>::max()) + 1) {
        Value fits = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sle, number,
                                           index(std::numeric_limits<int32_t>::max()));
        Value detail = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), number);
        number = rt::CheckOp::create(rewriter, loc, fits, rt::FaultKind::Overflow,
                                     "iteration {0} does not fit the i32 iteration index", detail, number)
                     .getResult(0);
      }
      args.push_back(scalarToTensor(arith::IndexCastOp::create(rewriter, loc, type.getElementType(), number), type));
    }
  for (auto [i, slice] : llvm::enumerate(space.slices)) {
    Value at = iteration;
    // The condition may let the loop run longer than there are parts. That is a trip count fault.
    if (space.checkSlices) {
      Value count = indexValue(slice.count);
      Value inside = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt, at, count);
      SmallVector<Value> details;
      for (Value detail : {at, count})
        details.push_back(arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), detail));
      at = rt::CheckOp::create(rewriter, loc, inside, rt::FaultKind::TripCount,
                               "iteration {0} needs a part of its own, but a sliced input has {1}", details, at)
               .getResult(0);
    }
    args.push_back(slice.extractPart(rewriter, loc, at, cast<RankedTensorType>(op.getSliceArgs()[i].getType())));
  }
  bool slots = llvm::any_of(carried, [](const Cell &cell) { return bool(cell.buffer); });
  Value current, other;
  if (slots) {
    current = arith::AndIOp::create(rewriter, loc, iteration, index(1));
    other = arith::XOrIOp::create(rewriter, loc, current, index(1));
  }
  // Destinations are created before the body, so they dominate it and values can be computed into them.
  SmallVector<Value> destinations;
  for (auto [cell, init] : llvm::zip_equal(carried, op.getInitArgs())) {
    if (cell.iterArg) {
      args.push_back(scalarToTensor(scalars[*cell.iterArg], cell.type));
      destinations.push_back({});
      continue;
    }
    // The dims of this iteration are iter_args. The destination is created after the body, when the next dims are
    // known.
    if (cell.firstDim) {
      args.push_back(readBuffer(growingSlot(cell, current, getDims(cell, scalars), /*isHeld=*/true), cell.type));
      destinations.push_back({});
      continue;
    }
    // The tensor of the only slot is writable, so scatter ops can write into it.
    if (cell.inPlace) {
      Value slot = getSlot(cell, rewriter.getIndexAttr(0));
      args.push_back(initial ? init : readBuffer(slot, cell.type, /*writable=*/true));
      destinations.push_back(slot);
      continue;
    }
    args.push_back(initial ? init : readBuffer(getSlot(cell, current), cell.type));
    destinations.push_back(chooseHome(cell, getSlot(cell, other), iteration));
  }
  SmallVector<Value> parts;
  for (const Concatenation &concat : concatenations) {
    int64_t rank = concat.type.getRank();
    // `addPart` makes room when the length of the part is known. Empty parts need no room.
    if (concat.lengths || isEmpty(concat.partDims)) {
      parts.push_back({});
      continue;
    }
    if (concat.cell) {
      // The number of parts is not known yet. So parts lie one after the other, and the buffer grows.
      Value bytes = getBytes(concat.partType, concat.partDims);
      Value begin = arith::MulIOp::create(rewriter, loc, iteration, bytes);
      Value end = arith::AddIOp::create(rewriter, loc, begin, bytes);
      parts.push_back(viewAs(grow(concat.cell, end, begin), begin, concat.partType, concat.partDims));
      continue;
    }
    Value length = indexValue(concat.partDims[concat.axis]);
    Value place = iteration;
    if (concat.backward)
      place = arith::SubIOp::create(rewriter, loc,
                                    arith::SubIOp::create(rewriter, loc, indexValue(space.count), index(1)), iteration);
    SmallVector<OpFoldResult> offsets(rank, rewriter.getIndexAttr(0)), strides(rank, rewriter.getIndexAttr(1));
    offsets[concat.axis] = arith::MulIOp::create(rewriter, loc, place, length).getResult();
    parts.push_back(memref::SubViewOp::create(rewriter, loc, concat.buffer, offsets, concat.partDims, strides));
  }

  Yielded yielded = placeBody(args, copy);
  nextScalars.assign(initialScalars.size(), {});
  // Writes a value whose dims change, and passes its dims to the next iteration.
  auto writeGrowing = [&](const Cell &cell, Value value, Value slot) {
    for (unsigned d = 0, scalar = *cell.firstDim; d < cell.type.getRank(); ++d)
      if (cell.type.isDynamicDim(d))
        nextScalars[scalar++] = tensor::DimOp::create(rewriter, loc, value, d);
    write(value, growingSlot(cell, slot, getDims(cell, nextScalars), /*isHeld=*/false));
  };
  for (auto [cell, next, destination] : llvm::zip_equal(carried, yielded.next, destinations)) {
    if (cell.iterArg)
      nextScalars[*cell.iterArg] = extractElement(rewriter, loc, next);
    else if (cell.firstDim)
      writeGrowing(cell, next, other);
    else if (!cell.inPlace)
      write(next, destination);
  }
  for (auto [cell, value] : llvm::zip_equal(last, yielded.last)) {
    if (cell.iterArg)
      nextScalars[*cell.iterArg] = extractElement(rewriter, loc, value);
    else if (cell.firstDim)
      writeGrowing(cell, value, index(0));
    else
      write(value, cell.buffer);
  }
  for (auto [concat, part, destination] : llvm::zip_equal(concatenations, yielded.concat, parts)) {
    if (concat.lengths)
      addPart(concat, part, iteration, scalars, nextScalars);
    else if (destination)
      write(part, destination);
  }
  Value condition = space.condition ? extractElement(rewriter, loc, yielded.condition) : Value();
  // Values that are updated in place are written last, when nothing reads the present ones any more.
  for (auto [cell, next, destination] : llvm::zip_equal(carried, yielded.next, destinations))
    if (cell.inPlace)
      write(next, destination);
  return condition;
}

/// If the first iteration may change the dims of carried values, emits a copy of it before the loop, because slots have
/// the settled dims. If it is not known before the run whether dims differ, an scf.if chooses: either the copy runs
/// first, or the loop runs all iterations.
template <typename LoopT>
Start LoopLowering<LoopT>::emitStart() {
  Start none{index(0), space.condition, initialScalars};
  if (!settles)
    return none;
  Value differs;
  bool surelyDiffers = false;
  for (const Cell &cell : carried)
    for (auto [before, after] : llvm::zip(cell.initialDims, cell.dims)) {
      std::optional<int64_t> x = getConstantIntValue(before), y = getConstantIntValue(after);
      surelyDiffers |= x && y && x != y;
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
  // Creates an scf.if whose results are the start of the loop after either branch.
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
    start.condition = emitBody(index(0), initialScalars, start.scalars, /*initial=*/true, /*copy=*/true);
    return start;
  };
  // The first iteration may run only if the loop runs at all.
  auto firstIfAny = [&] { return ran ? choose(ran, first, [&] { return none; }) : first(); };
  if (surelyDiffers)
    return firstIfAny();
  return choose(differs, firstIfAny, [&] {
    for (auto [cell, init] : llvm::zip_equal(carried, op.getInitArgs()))
      if (!cell.initialDims.empty())
        write(init, getSlot(cell, rewriter.getIndexAttr(0)));
    return none;
  });
}

template <typename LoopT>
void LoopLowering<LoopT>::emitFor() {
  std::optional<int64_t> count = getConstantIntValue(space.count);
  if (count && *count <= 1) {
    // One iteration needs no loop, and no iteration needs no body.
    SmallVector<Value> scalars = initialScalars;
    if (*count == 1)
      emitBody(index(0), initialScalars, scalars, /*initial=*/true, /*copy=*/false);
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
  emitBody(loop.getInductionVar(), loop.getRegionIterArgs(), next, /*initial=*/false, /*copy=*/false);
  rewriter.modifyOpInPlace(end, [&] { end->setOperands(next); });
  ++numTimeLoops;
  rewriter.setInsertionPoint(op);
  replaceResults(indexValue(space.count), loop.getResults());
}

template <typename LoopT>
void LoopLowering<LoopT>::emitWhile() {
  // The loop carries the number of the iteration, whether to run it, and the scalars.
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
  Value condition = emitBody(iteration, after->getArguments().drop_front(2), next, /*initial=*/false, /*copy=*/false);
  SmallVector<Value> yielded{arith::AddIOp::create(rewriter, loc, iteration, index(1)), condition};
  llvm::append_range(yielded, next);
  rewriter.modifyOpInPlace(end, [&] { end->setOperands(yielded); });
  ++numTimeLoops;
  rewriter.setInsertionPoint(op);
  replaceResults(loop.getResult(0), loop.getResults().drop_front(2));
}

template <typename LoopT>
Value LoopLowering<LoopT>::readCarried(const Cell &cell, Value init, Value finalIteration, ValueRange scalars) {
  if (cell.iterArg)
    return scalarToTensor(scalars[*cell.iterArg], cell.type);
  std::optional<int64_t> count = getConstantIntValue(finalIteration);
  // A loop that statically runs no iteration leaves the initial value.
  if (count == 0)
    return init;
  if (cell.home)
    return readBuffer(cell.home, cell.type);
  // The last iteration wrote the slot whose number is the parity of the number of iterations.
  Value parity = count ? index(*count & 1) : arith::AndIOp::create(rewriter, loc, finalIteration, index(1)).getResult();
  if (cell.firstDim)
    return readBuffer(growingSlot(cell, parity, getDims(cell, scalars), /*isHeld=*/true), cell.type);
  Value slot = getSlot(cell, cell.inPlace ? OpFoldResult(rewriter.getIndexAttr(0)) : getAsOpFoldResult(parity));
  if (cell.initialDims.empty() || !ran)
    return readBuffer(slot, cell.type);
  // If no iteration runs, the result is the initial value, which has other dims. So the result is copied to a buffer
  // with the dims of one or the other.
  SmallVector<OpFoldResult> dims;
  for (auto [before, after] : llvm::zip_equal(cell.initialDims, cell.dims))
    dims.push_back(
        isEqualConstantIntOrValue(before, after)
            ? before
            : OpFoldResult(
                  arith::SelectOp::create(rewriter, loc, ran, indexValue(after), indexValue(before)).getResult()));
  Value result = checkedAlloc(cell.type, dims, /*slots=*/0);
  auto branch = scf::IfOp::create(rewriter, loc, ran, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(branch.thenYield());
    write(readBuffer(slot, cell.type), result);
    rewriter.setInsertionPoint(branch.elseYield());
    write(init, result);
  }
  return readBuffer(result, cell.type);
}

template <typename LoopT>
void LoopLowering<LoopT>::replaceResults(Value finalIteration, ValueRange scalars) {
  SmallVector<Value> results;
  for (const Cell &cell : carried)
    // The last iteration has written the value to its home.
    if (cell.homeWrite)
      rewriter.eraseOp(cell.homeWrite);
  for (auto [cell, init] : llvm::zip_equal(carried, op.getInitArgs()))
    results.push_back(readCarried(cell, init, finalIteration, scalars));
  for (const Cell &cell : last) {
    if (cell.iterArg)
      results.push_back(scalarToTensor(scalars[*cell.iterArg], cell.type));
    else if (cell.firstDim)
      results.push_back(readBuffer(growingSlot(cell, index(0), getDims(cell, scalars), /*isHeld=*/true), cell.type));
    else
      results.push_back(readBuffer(cell.buffer, cell.type));
  }
  for (const Concatenation &concat : concatenations)
    results.push_back(concat.cell ? readConcatenation(concat, finalIteration, scalars)
                                  : readBuffer(concat.buffer, concat.type));
  rewriter.replaceOp(op, results);
}

template <typename LoopT>
LogicalResult LoopLowering<LoopT>::run() {
  rewriter.setInsertionPoint(op);
  broadcastInputs(rewriter, op);
  space = buildIterationSpace(rewriter, op);
  findWhetherRuns();
  findDims();
  if (failed(planCells()) || failed(planConcatenations()))
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
    // Outer loops are lowered first, so that the values that an inner loop captures are in their final buffers. If the
    // body of an outer loop was cloned, both copies of the inner loop are lowered.
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
