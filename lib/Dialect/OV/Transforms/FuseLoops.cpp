// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FuseLoops.cpp - Fuse loops of equal trip count ---------------------===//
//
// Two small independent loops, such as the directions of a sequence, take less time as one loop, as long as the
// constants that both bodies read fit into the nearest cache. The description of the pass in Passes.td has the
// measurements.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/OV/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace recur::ov {
#define GEN_PASS_DEF_FUSELOOPS
#include "Recur/Dialect/OV/Transforms/Passes.h.inc"
} // namespace recur::ov

using namespace mlir;
using namespace recur::ov;

/// The size in bytes of the constants that an iteration reads, or nullopt if the body has a nested loop.
template <typename LoopT>
static std::optional<int64_t> getWeightBytes(LoopT loop) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(loop.getBody(), captured);
  int64_t bytes = 0;
  for (Value value : captured)
    if (auto constant = value.getDefiningOp<ConstantOp>()) {
      auto type = cast<RankedTensorType>(constant.getType());
      bytes += type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8);
    }
  bool nests = loop.getBody()
                   .walk([&](Operation *op) {
                     return isa<TensorIteratorOp, LoopOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
                   })
                   .wasInterrupted();
  return nests ? std::nullopt : std::optional(bytes);
}

/// True if both loops provably have the same number of iterations.
static bool haveSameCount(TensorIteratorOp first, TensorIteratorOp second) {
  std::optional<int64_t> count = first.getStaticCount();
  return count && count == second.getStaticCount();
}
static bool haveSameCount(LoopOp first, LoopOp second) {
  if (!first.isConditionAlwaysTrue() || !second.isConditionAlwaysTrue() ||
      getConstantBool(first.getCondition()) != true || getConstantBool(second.getCondition()) != true)
    return false;
  return first.getTripCount() == second.getTripCount();
}

static bool hasStaticShapes(TypeRange types) {
  return llvm::all_of(types, [](Type type) { return cast<RankedTensorType>(type).hasStaticShape(); });
}

/// True if an iteration provably cannot fail: the body has no ops that can, and the yielded values are static, so their
/// shapes need no check at run time.
template <typename LoopT>
static bool isSafe(LoopT loop) {
  return !loop.canBodyFault() && hasStaticShapes(loop.getYield()->getOperandTypes());
}

/// The ops of the loop's block that need it, directly or not.
static llvm::DenseSet<Operation *> collectDependents(Operation *loop) {
  llvm::DenseSet<Operation *> dependents;
  SmallVector<Operation *> worklist{loop};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val()->getUsers())
      if (Operation *op = loop->getBlock()->findAncestorOpInBlock(*user); op && dependents.insert(op).second)
        worklist.push_back(op);
  return dependents;
}

/// The ops between the loops on which the second loop depends, in program order. They must move in front of the first
/// loop, which is not among them. Fails for an op that must not be moved because it has side effects.
template <typename LoopT>
static FailureOr<SmallVector<Operation *>> collectNeeded(LoopT first, LoopT second, RewriterBase &rewriter) {
  llvm::SetVector<Operation *> needed;
  SmallVector<Operation *> worklist{second};
  while (!worklist.empty()) {
    llvm::SetVector<Value> values;
    Operation *op = worklist.pop_back_val();
    values.insert(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), values);
    for (Value value : values) {
      Operation *source = value.getDefiningOp();
      if (!source || source->getBlock() != first->getBlock() || source->isBeforeInBlock(first))
        continue;
      if (!isMemoryEffectFree(source))
        return rewriter.notifyMatchFailure(source, "expected what the second loop needs not to fail");
      if (needed.insert(source))
        worklist.push_back(source);
    }
  }
  SmallVector<Operation *> sorted = needed.takeVector();
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return sorted;
}

/// Creates the fused loop with an empty body. `first` and `second` give the trip count and the iteration index.
static TensorIteratorOp create(TensorIteratorOp first, TensorIteratorOp, RewriterBase &rewriter, TypeRange carried,
                               TypeRange last, TypeRange concatenated, ValueRange sliced, ValueRange inits,
                               ArrayAttr slices, ArrayAttr concats) {
  return TensorIteratorOp::create(rewriter, first.getLoc(), carried, last, concatenated, sliced, inits, slices,
                                  concats);
}
static LoopOp create(LoopOp first, LoopOp second, RewriterBase &rewriter, TypeRange carried, TypeRange last,
                     TypeRange concatenated, ValueRange sliced, ValueRange inits, ArrayAttr slices, ArrayAttr concats) {
  UnitAttr index = first.getHasIndexAttr() ? first.getHasIndexAttr() : second.getHasIndexAttr();
  return LoopOp::create(rewriter, first.getLoc(), carried, last, concatenated, first.getTripCount(),
                        first.getCondition(), sliced, inits, slices, concats, index);
}
/// The iteration index of a loop, or null if it has none.
static BlockArgument getIndexArg(TensorIteratorOp) { return {}; }
static BlockArgument getIndexArg(LoopOp op) { return op.getIndexArg(); }

template <typename RangeT>
static SmallVector<Value> concat(RangeT first, RangeT second) {
  SmallVector<Value> values(first);
  llvm::append_range(values, second);
  return values;
}
static ArrayAttr concat(ArrayAttr first, ArrayAttr second) {
  SmallVector<Attribute> attrs(first.begin(), first.end());
  llvm::append_range(attrs, second);
  return ArrayAttr::get(first.getContext(), attrs);
}

/// Replaces both loops by one and returns it. `dependents` are the ops that need the first one. Fails, with the reason
/// as a match failure, if that is not possible; then nothing has changed.
template <typename LoopT>
static FailureOr<LoopT> fuse(LoopT first, LoopT second, const llvm::DenseSet<Operation *> &dependents, int64_t maxBytes,
                             RewriterBase &rewriter) {
  if (dependents.contains(second))
    return rewriter.notifyMatchFailure(second, "expected a loop that does not need the other");
  if (!haveSameCount(first, second))
    return rewriter.notifyMatchFailure(second, "expected as many iterations as the other loop has");
  if (getIndexArg(first) && getIndexArg(second) && getIndexArg(first).getType() != getIndexArg(second).getType())
    return rewriter.notifyMatchFailure(second, "expected iteration indices of one type");
  std::optional<int64_t> firstBytes = getWeightBytes(first), secondBytes = getWeightBytes(second);
  if (!firstBytes || !secondBytes || *firstBytes + *secondBytes > maxBytes)
    return rewriter.notifyMatchFailure(second, "expected bodies that read few constants, and have no loops");
  // Iterations of the two loops alternate in the fused loop. The fault that is reported first must stay the same, so
  // only one loop may fail. Slices with too few parts are a fault before the first iteration, so those of the second
  // loop count too.
  if (!isSafe(first) && !(isSafe(second) && hasStaticShapes(second.getSliced().getTypes())))
    return rewriter.notifyMatchFailure(second, "expected that not both loops can fail");
  FailureOr<SmallVector<Operation *>> needed = collectNeeded(first, second, rewriter);
  if (failed(needed))
    return failure();

  for (Operation *op : *needed)
    rewriter.moveOpBefore(op, first);
  YieldOp a = first.getYield(), b = second.getYield();
  rewriter.setInsertionPoint(first);
  auto types = [](ValueRange one, ValueRange two) {
    SmallVector<Type> result(one.getTypes());
    llvm::append_range(result, two.getTypes());
    return result;
  };
  LoopT fused =
      create(first, second, rewriter, types(first.getCarried(), second.getCarried()),
             types(first.getLast(), second.getLast()), types(first.getConcatenated(), second.getConcatenated()),
             concat(first.getSliced(), second.getSliced()), concat(first.getInitArgs(), second.getInitArgs()),
             concat(first.getSlices(), second.getSlices()), concat(first.getConcats(), second.getConcats()));
  fused->setDiscardableAttrs(first->getDiscardableAttrDictionary());
  Block *body = rewriter.createBlock(&fused.getBody());
  IRMapping map;
  auto addArgs = [&](ValueRange args) {
    for (Value arg : args)
      map.map(arg, body->addArgument(arg.getType(), arg.getLoc()));
  };
  BlockArgument index = getIndexArg(first) ? getIndexArg(first) : getIndexArg(second);
  if (index) {
    Value arg = body->addArgument(index.getType(), index.getLoc());
    for (BlockArgument old : {getIndexArg(first), getIndexArg(second)})
      if (old)
        map.map(old, arg);
  }
  addArgs(first.getSliceArgs());
  addArgs(second.getSliceArgs());
  addArgs(first.getCarriedArgs());
  addArgs(second.getCarriedArgs());
  auto inlineBody = [&](LoopT loop) {
    SmallVector<Value> args;
    for (BlockArgument arg : loop.getBodyBlock()->getArguments())
      args.push_back(map.lookup(arg));
    rewriter.inlineBlockBefore(loop.getBodyBlock(), body, body->end(), args);
  };
  inlineBody(first);
  inlineBody(second);
  rewriter.setInsertionPointToEnd(body);
  YieldOp::create(rewriter, b.getLoc(), a.getCondition(), concat(a.getNext(), b.getNext()),
                  concat(a.getLast(), b.getLast()), concat(a.getConcat(), b.getConcat()));
  rewriter.eraseOp(a);
  rewriter.eraseOp(b);
  auto replace = [&](auto results, auto replacements) {
    for (auto [from, to] : llvm::zip_equal(results, replacements))
      rewriter.replaceAllUsesWith(from, to);
  };
  replace(concat(first.getCarried(), second.getCarried()), fused.getCarried());
  replace(concat(first.getLast(), second.getLast()), fused.getLast());
  replace(concat(first.getConcatenated(), second.getConcatenated()), fused.getConcatenated());
  rewriter.eraseOp(first);
  rewriter.eraseOp(second);
  return fused;
}

/// Fuses the loops of one kind in a block. Each loop is fused with every later loop that it can be fused with.
template <typename LoopT>
static void fuseAll(Block &block, int64_t maxBytes, RewriterBase &rewriter) {
  SmallVector<LoopT> loops(block.getOps<LoopT>());
  for (unsigned i = 0; i + 1 < loops.size(); ++i) {
    llvm::DenseSet<Operation *> dependents = collectDependents(loops[i]);
    for (unsigned j = i + 1; j < loops.size();) {
      FailureOr<LoopT> fused = fuse(loops[i], loops[j], dependents, maxBytes, rewriter);
      if (failed(fused)) {
        ++j;
        continue;
      }
      loops[i] = *fused;
      loops.erase(loops.begin() + j);
      dependents = collectDependents(loops[i]);
    }
  }
}

namespace {
struct FuseLoops final : recur::ov::impl::FuseLoopsBase<FuseLoops> {
  using Base::Base;
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // The walk visits inner blocks first, so fusing loops never erases a block that is still to be visited.
    getOperation().walk([&](Block *block) {
      fuseAll<TensorIteratorOp>(*block, maxBytes, rewriter);
      fuseAll<LoopOp>(*block, maxBytes, rewriter);
    });
  }
};
} // namespace
