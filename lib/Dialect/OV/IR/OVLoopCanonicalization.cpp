// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OVLoopCanonicalization.cpp - Canonicalize loops --------------------===//
//
// A loop may run zero times, and then its last values are zeros. So a last value may be replaced by the value that the
// body yields only if the loop provably has at least one iteration. A carried value is its initial value after zero
// iterations.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/OVShapes.h"
#include "Recur/Dialect/OV/IR/SliceRange.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace recur::ov;

namespace {

/// The sliced inputs, carried values, last values and concatenations of a loop that are dropped: their bits are set.
struct Dropped {
  template <typename LoopT>
  explicit Dropped(LoopT op)
      : slices(op.getSliced().size()), carried(op.getInitArgs().size()), last(op.getLast().size()),
        concats(op.getConcatenated().size()) {}
  bool any() const { return slices.any() || carried.any() || last.any() || concats.any(); }
  llvm::BitVector slices, carried, last, concats;
};

/// The dims after no iteration of the results that are not dropped. A loop that runs needs none.
template <typename LoopT>
SmallVector<Value> keepEmptyDims(LoopT op, const Dropped &dropped) {
  SmallVector<Value> kept;
  if (op.getEmptyDims().empty() || op.runsAtLeastOnce())
    return kept;
  unsigned numLast = dropped.last.size();
  for (auto [i, dims] : llvm::enumerate(op.getEmptyDims()))
    if (!(i < numLast ? dropped.last.test(i) : dropped.concats.test(i - numLast)))
      kept.push_back(dims);
  return kept;
}

/// The values or attributes that are not dropped.
template <typename RangeT>
SmallVector<Value> keep(RangeT values, const llvm::BitVector &dropped) {
  SmallVector<Value> kept;
  for (auto [i, value] : llvm::enumerate(values))
    if (!dropped.test(i))
      kept.push_back(value);
  return kept;
}

ArrayAttr keep(ArrayAttr attrs, const llvm::BitVector &dropped) {
  SmallVector<Attribute> kept;
  for (auto [i, attr] : llvm::enumerate(attrs))
    if (!dropped.test(i))
      kept.push_back(attr);
  return ArrayAttr::get(attrs.getContext(), kept);
}

/// Creates a loop of the kind of `op`, with its trip count and condition, but other operands and results. The body is
/// empty.
TensorIteratorOp createLike(TensorIteratorOp op, PatternRewriter &rewriter, TypeRange carried, TypeRange last,
                            TypeRange concatenated, ValueRange sliced, ValueRange inits, ValueRange emptyDims,
                            ArrayAttr slices, ArrayAttr concats) {
  return TensorIteratorOp::create(rewriter, op.getLoc(), carried, last, concatenated, sliced, inits, emptyDims, slices,
                                  concats, op.getMayBeEmptyAttr());
}
LoopOp createLike(LoopOp op, PatternRewriter &rewriter, TypeRange carried, TypeRange last, TypeRange concatenated,
                  ValueRange sliced, ValueRange inits, ValueRange emptyDims, ArrayAttr slices, ArrayAttr concats) {
  return LoopOp::create(rewriter, op.getLoc(), carried, last, concatenated, op.getTripCount(), op.getCondition(),
                        sliced, inits, emptyDims, slices, concats, op.getHasIndexAttr());
}

/// Replaces `op` by a loop without the values in `dropped`. The dropped block arguments and results must have no uses.
template <typename LoopT>
void rebuildWithout(LoopT op, const Dropped &dropped, PatternRewriter &rewriter) {
  YieldOp yield = op.getYield();
  SmallVector<Value> carried = keep(op.getCarried(), dropped.carried), last = keep(op.getLast(), dropped.last),
                     concats = keep(op.getConcatenated(), dropped.concats);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(yield);
    SmallVector<Value> next = keep(yield.getNext(), dropped.carried), lastYield = keep(yield.getLast(), dropped.last),
                       concatYield = keep(yield.getConcat(), dropped.concats);
    rewriter.replaceOpWithNewOp<YieldOp>(yield, yield.getCondition(), next, lastYield, concatYield);
  }
  LoopT replacement = createLike(op, rewriter, TypeRange(ValueRange(carried)), TypeRange(ValueRange(last)),
                                 TypeRange(ValueRange(concats)), keep(op.getSliced(), dropped.slices),
                                 keep(op.getInitArgs(), dropped.carried), keepEmptyDims(op, dropped),
                                 keep(op.getSlices(), dropped.slices), keep(op.getConcats(), dropped.concats));
  replacement->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  llvm::BitVector droppedArgs(op.getBodyBlock()->getNumArguments());
  unsigned firstSlice = droppedArgs.size() - dropped.slices.size() - dropped.carried.size();
  for (unsigned i : dropped.slices.set_bits())
    droppedArgs.set(firstSlice + i);
  for (unsigned i : dropped.carried.set_bits())
    droppedArgs.set(firstSlice + dropped.slices.size() + i);
  rewriter.modifyOpInPlace(op, [&] { op.getBodyBlock()->eraseArguments(droppedArgs); });
  rewriter.inlineRegionBefore(op.getBody(), replacement.getBody(), replacement.getBody().end());
  for (auto [from, to] : llvm::zip_equal(carried, replacement.getCarried()))
    rewriter.replaceAllUsesWith(from, to);
  for (auto [from, to] : llvm::zip_equal(last, replacement.getLast()))
    rewriter.replaceAllUsesWith(from, to);
  for (auto [from, to] : llvm::zip_equal(concats, replacement.getConcatenated()))
    rewriter.replaceAllUsesWith(from, to);
  rewriter.eraseOp(op);
}

/// True if carried value `i` is only used to compute its own next value, through ops without side effects.
template <typename LoopT>
bool onlyFeedsItself(LoopT op, unsigned i) {
  YieldOp yield = op.getYield();
  SmallVector<Value> worklist{op.getCarriedArgs()[i]};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val().getUses()) {
      Operation *user = op.getBodyBlock()->findAncestorOpInBlock(*use.getOwner());
      if (user == yield.getOperation()) {
        if (use.getOperandNumber() != yield.getNextMutable()[i].getOperandNumber())
          return false;
      } else if (!isMemoryEffectFree(user)) {
        return false;
      } else if (seen.insert(user).second) {
        llvm::append_range(worklist, user->getResults());
      }
    }
  return true;
}

/// Drops results without uses, parts without uses (as long as another sliced input defines the number of iterations),
/// and carried values that are only used to compute themselves.
template <typename LoopT>
struct DropUnused final : OpRewritePattern<LoopT> {
  using OpRewritePattern<LoopT>::OpRewritePattern;
  LogicalResult matchAndRewrite(LoopT op, PatternRewriter &rewriter) const override {
    Dropped dropped(op);
    for (auto [i, result] : llvm::enumerate(op.getLast()))
      dropped.last[i] = result.use_empty();
    for (auto [i, result] : llvm::enumerate(op.getConcatenated()))
      dropped.concats[i] = result.use_empty();
    for (auto [i, result] : llvm::enumerate(op.getCarried()))
      dropped.carried[i] = result.use_empty() && onlyFeedsItself(op, i);
    // It is a fault if a Loop has more iterations than parts, so all its slices stay. A TensorIterator needs one static
    // slice, which defines the number of iterations, and with which those that only the call tells are compared.
    if (isa<TensorIteratorOp>(op.getOperation()) && op.getStaticCount()) {
      auto isStatic = [&](unsigned i) {
        return !cast<RankedTensorType>(op.getSliced()[i].getType()).isDynamicDim(op.getSliceAt(i).getAxis());
      };
      unsigned left = llvm::count_if(llvm::seq<unsigned>(op.getSliced().size()), isStatic);
      for (auto [i, arg] : llvm::enumerate(op.getSliceArgs())) {
        if (arg.use_empty() && isStatic(i) && left > 1) {
          dropped.slices.set(i);
          --left;
        }
      }
    }
    if (!dropped.any())
      return rewriter.notifyMatchFailure(op, "everything is used");
    // The ops that still use the dropped carried values are dead, so any value may take their place.
    for (unsigned i : dropped.carried.set_bits())
      rewriter.replaceAllUsesWith(op.getCarriedArgs()[i], op.getInitArgs()[i]);
    rebuildWithout(op, dropped, rewriter);
    return success();
  }
};

/// Drops dims after no iteration from a loop that provably has an iteration.
template <typename LoopT>
struct DropEmptyDims final : OpRewritePattern<LoopT> {
  using OpRewritePattern<LoopT>::OpRewritePattern;
  LogicalResult matchAndRewrite(LoopT op, PatternRewriter &rewriter) const override {
    if (op.getEmptyDims().empty())
      return rewriter.notifyMatchFailure(op, "no dims are given");
    if (!op.runsAtLeastOnce())
      return rewriter.notifyMatchFailure(op, "may run zero times");
    rewriter.modifyOpInPlace(op, [&] { op.getEmptyDimsMutable().clear(); });
    return success();
  }
};

/// Replaces a carried value that never changes by its initial value. This also holds for zero iterations.
template <typename LoopT>
struct ForwardInvariantCarried final : OpRewritePattern<LoopT> {
  using OpRewritePattern<LoopT>::OpRewritePattern;
  LogicalResult matchAndRewrite(LoopT op, PatternRewriter &rewriter) const override {
    Dropped dropped(op);
    for (auto [i, next] : llvm::enumerate(op.getYield().getNext()))
      dropped.carried[i] = next == op.getCarriedArgs()[i] || next == op.getInitArgs()[i];
    if (!dropped.carried.any())
      return rewriter.notifyMatchFailure(op, "every carried value changes");
    for (unsigned i : dropped.carried.set_bits()) {
      rewriter.replaceAllUsesWith(op.getCarriedArgs()[i], op.getInitArgs()[i]);
      rewriter.replaceAllUsesWith(op.getCarried()[i], op.getInitArgs()[i]);
    }
    rebuildWithout(op, dropped, rewriter);
    return success();
  }
};

/// Merges duplicate parts, carried values and results.
template <typename LoopT>
struct MergeDuplicates final : OpRewritePattern<LoopT> {
  using OpRewritePattern<LoopT>::OpRewritePattern;
  LogicalResult matchAndRewrite(LoopT op, PatternRewriter &rewriter) const override {
    Dropped dropped(op);
    YieldOp yield = op.getYield();
    SmallVector<std::pair<Value, Value>> replacements;
    auto merge = [&](auto values, auto results, llvm::BitVector &bits, auto same) {
      for (unsigned j = 1; j < values.size(); ++j)
        for (unsigned i = 0; i < j; ++i)
          if (!bits.test(i) && values[i] == values[j] && same(i, j)) {
            bits.set(j);
            replacements.emplace_back(results[j], results[i]);
            break;
          }
    };
    // Values that are equal may have been known differently well before passes made them equal.
    auto sameEmptyDims = [&](unsigned i, unsigned j) {
      return op.runsAtLeastOnce() || op.findEmptyDims(i) == op.findEmptyDims(j);
    };
    merge(op.getSliced(), op.getSliceArgs(), dropped.slices,
          [&](unsigned i, unsigned j) { return op.getSlices()[i] == op.getSlices()[j]; });
    merge(op.getInitArgs(), op.getCarriedArgs(), dropped.carried,
          [&](unsigned i, unsigned j) { return yield.getNext()[i] == yield.getNext()[j]; });
    for (unsigned j : dropped.carried.set_bits())
      for (unsigned i = 0; i < j; ++i)
        if (!dropped.carried.test(i) && op.getInitArgs()[i] == op.getInitArgs()[j] &&
            yield.getNext()[i] == yield.getNext()[j]) {
          replacements.emplace_back(op.getCarried()[j], op.getCarried()[i]);
          break;
        }
    merge(yield.getLast(), op.getLast(), dropped.last, sameEmptyDims);
    merge(yield.getConcat(), op.getConcatenated(), dropped.concats, [&](unsigned i, unsigned j) {
      return op.getConcats()[i] == op.getConcats()[j] &&
             op.getConcatenated()[i].getType() == op.getConcatenated()[j].getType() &&
             sameEmptyDims(op.getLast().size() + i, op.getLast().size() + j);
    });
    if (op.runsAtLeastOnce())
      for (auto [i, value] : llvm::enumerate(yield.getLast()))
        for (auto [k, next] : llvm::enumerate(yield.getNext()))
          if (!dropped.last.test(i) && value == next) {
            dropped.last.set(i);
            replacements.emplace_back(op.getLast()[i], op.getCarried()[k]);
          }
    if (!dropped.any())
      return rewriter.notifyMatchFailure(op, "nothing is there twice");
    for (auto [from, to] : replacements)
      rewriter.replaceAllUsesWith(from, to);
    rebuildWithout(op, dropped, rewriter);
    return success();
  }
};

/// Replaces a last value that is loop-invariant (captured from above) by the captured value, if the loop provably has
/// at least one iteration.
template <typename LoopT>
struct ForwardCapturedLast final : OpRewritePattern<LoopT> {
  using OpRewritePattern<LoopT>::OpRewritePattern;
  LogicalResult matchAndRewrite(LoopT op, PatternRewriter &rewriter) const override {
    if (!op.runsAtLeastOnce())
      return rewriter.notifyMatchFailure(op, "may run zero times");
    Dropped dropped(op);
    for (auto [i, value] : llvm::enumerate(op.getYield().getLast()))
      dropped.last[i] = !op.getBody().isAncestor(value.getParentRegion());
    if (!dropped.last.any())
      return rewriter.notifyMatchFailure(op, "no last value is captured");
    for (unsigned i : dropped.last.set_bits())
      rewriter.replaceAllUsesWith(op.getLast()[i], op.getYield().getLast()[i]);
    rebuildWithout(op, dropped, rewriter);
    return success();
  }
};

/// Turns a carried value that the body does not read into a last value, if the loop provably has at least one
/// iteration.
template <typename LoopT>
struct UnreadCarriedToLast final : OpRewritePattern<LoopT> {
  using OpRewritePattern<LoopT>::OpRewritePattern;
  LogicalResult matchAndRewrite(LoopT op, PatternRewriter &rewriter) const override {
    if (!op.runsAtLeastOnce())
      return rewriter.notifyMatchFailure(op, "may run zero times");
    Dropped dropped(op);
    for (auto [i, arg] : llvm::enumerate(op.getCarriedArgs()))
      dropped.carried[i] = arg.use_empty() && !op.getCarried()[i].use_empty();
    if (!dropped.carried.any())
      return rewriter.notifyMatchFailure(op, "every carried value is read");
    YieldOp yield = op.getYield();
    SmallVector<Value> lastYield(yield.getLast());
    for (unsigned i : dropped.carried.set_bits()) {
      Value value = yield.getNext()[i];
      // The value was cast to the type of the initial value, which may be less static. A last value needs no such cast.
      while (auto cast = value.getDefiningOp<tensor::CastOp>())
        value = cast.getSource();
      lastYield.push_back(value);
    }
    SmallVector<Type> last = llvm::to_vector(ValueRange(lastYield).getTypes());
    LoopT replacement =
        createLike(op, rewriter, op.getCarried().getTypes(), last, op.getConcatenated().getTypes(), op.getSliced(),
                   op.getInitArgs(), /*emptyDims=*/ValueRange(), op.getSlices(), op.getConcats());
    replacement->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    unsigned first = op.getLast().size();
    for (auto [k, i] : llvm::enumerate(dropped.carried.set_bits())) {
      Value from = op.getCarried()[i], to = replacement.getLast()[first + k];
      if (to.getType() != from.getType())
        to = tensor::CastOp::create(rewriter, op.getLoc(), from.getType(), to);
      rewriter.replaceAllUsesWith(from, to);
    }
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(yield);
      rewriter.replaceOpWithNewOp<YieldOp>(yield, yield.getCondition(), yield.getNext(), lastYield, yield.getConcat());
    }
    rewriter.inlineRegionBefore(op.getBody(), replacement.getBody(), replacement.getBody().end());
    SmallVector<Value> results(replacement.getCarried());
    llvm::append_range(results, replacement.getLast().take_front(first));
    llvm::append_range(results, replacement.getConcatenated());
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// Moves the broadcast of a carried value in front of the loop, if that broadcast is the only use of the carried value
/// in the body, its result has a static shape that the next value has too, and the loop provably has at least one
/// iteration. TensorFlow reserves lists like this: the elements get their dims when the first one is set.
template <typename LoopT>
struct BroadcastCarriedBefore final : OpRewritePattern<LoopT> {
  using OpRewritePattern<LoopT>::OpRewritePattern;

  /// The value that `value` was cast from.
  static Value skipCasts(Value value) {
    while (auto cast = value.getDefiningOp<tensor::CastOp>())
      value = cast.getSource();
    return value;
  }

  /// The broadcast that is the only use of carried value `i`, or null if it cannot be moved.
  static BroadcastOp findBroadcast(LoopT op, unsigned i) {
    BlockArgument arg = op.getCarriedArgs()[i];
    auto broadcast = arg.hasOneUse() ? dyn_cast<BroadcastOp>(*arg.user_begin()) : BroadcastOp();
    if (!broadcast || broadcast.getData() != arg || broadcast->getBlock() != op.getBodyBlock() ||
        broadcast.getMode() != BroadcastMode::Numpy || !broadcast.getType().hasStaticShape() ||
        skipCasts(op.getYield().getNext()[i]).getType() != broadcast.getType())
      return {};
    bool isTargetKnown = llvm::all_of(broadcast->getOperands().drop_front(), [&](Value operand) {
      return matchPattern(operand, m_Constant()) || !op.getBody().isAncestor(operand.getParentRegion());
    });
    return isTargetKnown ? broadcast : BroadcastOp();
  }

  LogicalResult matchAndRewrite(LoopT op, PatternRewriter &rewriter) const override {
    if (!op.runsAtLeastOnce())
      return rewriter.notifyMatchFailure(op, "may run zero times");
    SmallVector<BroadcastOp> broadcasts;
    for (unsigned i = 0, e = op.getCarried().size(); i != e; ++i)
      broadcasts.push_back(findBroadcast(op, i));
    if (llvm::none_of(broadcasts, [](BroadcastOp broadcast) { return bool(broadcast); }))
      return rewriter.notifyMatchFailure(op, "no carried value is broadcast to a fixed shape first");
    SmallVector<Value> inits(op.getInitArgs());
    for (auto [i, broadcast] : llvm::enumerate(broadcasts)) {
      if (!broadcast)
        continue;
      IRMapping mapping;
      mapping.map(broadcast.getData(), inits[i]);
      for (Value operand : broadcast->getOperands().drop_front())
        if (Operation *definition = operand.getDefiningOp(); definition && op->isProperAncestor(definition))
          mapping.map(operand, rewriter.clone(*definition)->getResult(0));
      inits[i] = rewriter.clone(*broadcast, mapping)->getResult(0);
    }
    LoopT replacement =
        createLike(op, rewriter, TypeRange(ValueRange(inits)), op.getLast().getTypes(), op.getConcatenated().getTypes(),
                   op.getSliced(), inits, /*emptyDims=*/ValueRange(), op.getSlices(), op.getConcats());
    replacement->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    SmallVector<Value> results(replacement.getResults());
    for (auto [i, broadcast] : llvm::enumerate(broadcasts)) {
      if (!broadcast)
        continue;
      rewriter.modifyOpInPlace(op, [&] { op.getCarriedArgs()[i].setType(broadcast.getType()); });
      rewriter.replaceOp(broadcast, op.getCarriedArgs()[i]);
      if (Type type = op.getCarried()[i].getType(); results[i].getType() != type)
        results[i] = tensor::CastOp::create(rewriter, op.getLoc(), type, results[i]);
    }
    {
      OpBuilder::InsertionGuard guard(rewriter);
      YieldOp yield = op.getYield();
      // These values are read only now: a next value may be one of the broadcasts, which were replaced.
      SmallVector<Value> next(yield.getNext());
      for (auto [i, broadcast] : llvm::enumerate(broadcasts))
        if (broadcast)
          next[i] = skipCasts(next[i]);
      rewriter.setInsertionPoint(yield);
      rewriter.replaceOpWithNewOp<YieldOp>(yield, yield.getCondition(), next, yield.getLast(), yield.getConcat());
    }
    rewriter.inlineRegionBefore(op.getBody(), replacement.getBody(), replacement.getBody().end());
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// A constant of zeros, cast to `type`. Its dims are those of `type`, but every dynamic dim and dim `emptyAxis` are 0.
Value createZeros(OpBuilder &builder, Location loc, RankedTensorType type, std::optional<int64_t> emptyAxis) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [d, dim] : llvm::enumerate(shape))
    if (ShapedType::isDynamic(dim) || emptyAxis == int64_t(d))
      dim = 0;
  RankedTensorType known = type.clone(shape);
  Value zeros = ConstantOp::create(builder, loc, known,
                                   DenseElementsAttr::get(known, builder.getZeroAttr(type.getElementType())));
  return known == type ? zeros : tensor::CastOp::create(builder, loc, type, zeros);
}

/// Replaces a loop that never runs by its initial values, zeros as last values, and empty concatenations.
struct FoldZeroIterations final : OpRewritePattern<LoopOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoopOp op, PatternRewriter &rewriter) const override {
    if (op.getStaticCount() != 0)
      return rewriter.notifyMatchFailure(op, "may run");
    if (!op.getValidTripCount())
      return rewriter.notifyMatchFailure(op, "the trip count may be a fault");
    for (auto [i, value] : llvm::enumerate(op.getSliced()))
      if (cast<RankedTensorType>(value.getType()).isDynamicDim(op.getSliceAt(i).getAxis()))
        return rewriter.notifyMatchFailure(op, "expected inputs that are known to hold whole parts");
    for (auto [i, result] : llvm::enumerate(op.getConcatenated())) {
      int64_t dim = cast<RankedTensorType>(result.getType()).getDimSize(op.getConcatAt(i).getAxis());
      if (!ShapedType::isDynamic(dim) && dim != 0)
        return rewriter.notifyMatchFailure(op, "a concatenation is declared not to be empty");
    }
    // Dims that only the body tells are computed where the loop is lowered.
    auto hasOpenDim = [](Value result, std::optional<int64_t> axis) {
      return llvm::any_of(llvm::enumerate(cast<RankedTensorType>(result.getType()).getShape()),
                          [&](auto dim) { return ShapedType::isDynamic(dim.value()) && axis != int64_t(dim.index()); });
    };
    if (llvm::any_of(op.getLast(), [&](Value result) { return hasOpenDim(result, std::nullopt); }) ||
        llvm::any_of(llvm::enumerate(op.getConcatenated()),
                     [&](auto result) { return hasOpenDim(result.value(), op.getConcatAt(result.index()).getAxis()); }))
      return rewriter.notifyMatchFailure(op, "expected dims that the types of the results tell");
    SmallVector<Value> results(op.getInitArgs());
    for (Value result : op.getLast())
      results.push_back(createZeros(rewriter, op.getLoc(), cast<RankedTensorType>(result.getType()), std::nullopt));
    for (auto [i, result] : llvm::enumerate(op.getConcatenated()))
      results.push_back(
          createZeros(rewriter, op.getLoc(), cast<RankedTensorType>(result.getType()), op.getConcatAt(i).getAxis()));
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// Inlines the body of a loop that runs exactly once.
template <typename LoopT>
struct InlineOneIteration final : OpRewritePattern<LoopT> {
  using OpRewritePattern<LoopT>::OpRewritePattern;
  LogicalResult matchAndRewrite(LoopT op, PatternRewriter &rewriter) const override {
    if (op.getStaticCount() != 1)
      return rewriter.notifyMatchFailure(op, "does not run exactly once");
    SmallVector<Value> args;
    for (Value value : op.getSliced())
      if (!cast<RankedTensorType>(value.getType()).hasStaticShape())
        return rewriter.notifyMatchFailure(op, "the shape of a sliced input is not static");
    for (auto [i, value] : llvm::enumerate(op.getSliced())) {
      SliceInputAttr slice = op.getSliceAt(i);
      int64_t dim = cast<RankedTensorType>(value.getType()).getDimSize(slice.getAxis());
      if (!slice.countSlices(dim))
        return rewriter.notifyMatchFailure(op, "a sliced input has no part");
    }
    // The declared type of a concatenation may have more static dims than its part. The loop checks them; a cast would
    // not.
    for (auto [part, result] : llvm::zip_equal(op.getYield().getConcat(), op.getConcatenated()))
      if (!tensor::CastOp::areCastCompatible(part.getType(), result.getType()) ||
          !tensor::preservesStaticInformation(result.getType(), part.getType()))
        return rewriter.notifyMatchFailure(op, "a concatenation is not known to have its declared dims");
    Location loc = op.getLoc();
    if constexpr (std::is_same_v<LoopT, LoopOp>)
      if (BlockArgument index = op.getIndexArg()) {
        auto type = cast<RankedTensorType>(index.getType());
        args.push_back(ConstantOp::create(rewriter, loc, type,
                                          DenseElementsAttr::get(type, rewriter.getZeroAttr(type.getElementType()))));
      }
    for (auto [i, value] : llvm::enumerate(op.getSliced())) {
      SliceInputAttr slice = op.getSliceAt(i);
      auto type = cast<RankedTensorType>(value.getType());
      int64_t start = slice.getRange(type.getDimSize(slice.getAxis()))->firstOffset;
      SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0)),
          strides(type.getRank(), rewriter.getIndexAttr(1)),
          sizes = getAsIndexOpFoldResult(rewriter.getContext(), type.getShape());
      offsets[slice.getAxis()] = rewriter.getIndexAttr(start);
      sizes[slice.getAxis()] = rewriter.getIndexAttr(slice.getPartSize());
      args.push_back(createSlice(rewriter, loc, cast<RankedTensorType>(op.getSliceArgs()[i].getType()), value, offsets,
                                 sizes, strides));
    }
    llvm::append_range(args, op.getInitArgs());
    YieldOp yield = op.getYield();
    rewriter.inlineBlockBefore(op.getBodyBlock(), op, args);
    // The yielded values are read only now, because inlining has replaced those that were block arguments.
    SmallVector<Value> results(yield.getNext());
    llvm::append_range(results, yield.getLast());
    llvm::append_range(results, yield.getConcat());
    rewriter.eraseOp(yield);
    for (auto [i, result] : llvm::enumerate(op.getResults()))
      if (results[i].getType() != result.getType())
        results[i] = tensor::CastOp::create(rewriter, loc, result.getType(), results[i]);
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void TensorIteratorOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropEmptyDims<TensorIteratorOp>, DropUnused<TensorIteratorOp>, ForwardInvariantCarried<TensorIteratorOp>,
               MergeDuplicates<TensorIteratorOp>, ForwardCapturedLast<TensorIteratorOp>,
               UnreadCarriedToLast<TensorIteratorOp>, BroadcastCarriedBefore<TensorIteratorOp>,
               InlineOneIteration<TensorIteratorOp>>(context);
}

void LoopOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropEmptyDims<LoopOp>, DropUnused<LoopOp>, ForwardInvariantCarried<LoopOp>, MergeDuplicates<LoopOp>,
               ForwardCapturedLast<LoopOp>, UnreadCarriedToLast<LoopOp>, BroadcastCarriedBefore<LoopOp>,
               FoldZeroIterations, InlineOneIteration<LoopOp>>(context);
}
