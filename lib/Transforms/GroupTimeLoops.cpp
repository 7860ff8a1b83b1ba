// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GroupTimeLoops.cpp - Time loops that threads run side by side ------===//
//
// A time loop runs one iteration after the other, but two time loops may need nothing of each other, as the two
// directions of a sequence. A loop over the numbers of such loops has independent iterations, and is divided among
// threads like any other.
//
//===----------------------------------------------------------------------===//

#include "LargeWeights.h"
#include "MovedBuffers.h"
#include "Recur/Analysis/BufferLifetimes.h"
#include "Recur/Analysis/IndependentLoops.h"
#include "Recur/Analysis/TimeLoopBuffers.h"
#include "Recur/Analysis/WorkEstimate.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/IntEqClasses.h"

namespace recur {
#define GEN_PASS_DEF_GROUPTIMELOOPS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The most ops between two loops that are looked at, except for those without effects.
static constexpr size_t kMaxOpsBetween = 32;

/// True if `op` uses a value of `results`.
static bool usesAny(Operation *op, const llvm::DenseSet<Value> &results) {
  return llvm::any_of(getUsedValues(op), [&](Value value) { return results.contains(value); });
}

/// True if `accesses` are independent of those of each of the others, in one block of `scope`.
static bool areIndependentOfAll(const BufferAccesses &accesses, ArrayRef<BufferAccesses> others, Operation *scope) {
  return llvm::all_of(others, [&](const BufferAccesses &other) { return areIndependent(accesses, other, scope); });
}

static void append(BufferAccesses &accesses, const BufferAccesses &others) {
  llvm::append_range(accesses.accesses, others.accesses);
  llvm::append_range(accesses.roots, others.roots);
}

namespace {
/// Time loops that follow each other and are independent of each other. Each of them may be in a loop over strips of
/// its iterations, and in a branch for a number of rows.
struct Group {
  SmallVector<Operation *> loops;
  SmallVector<BufferAccesses> accesses;
  /// The allocations of each loop, which stand in front of it.
  SmallVector<MovedBuffers> moved;
  /// The ops in front of the group that only one of the loops needs, last first.
  SmallVector<SmallVector<Operation *>> producers;
  /// The number of the loop that an op is, or belongs to.
  llvm::DenseMap<Operation *, unsigned> owners;

  /// The number of the loop that `op` is in.
  std::optional<unsigned> getOwner(Operation *op) const {
    for (; op; op = op->getParentOp())
      if (auto known = owners.find(op); known != owners.end())
        return known->second;
    return std::nullopt;
  }
};

struct GroupTimeLoops final : recur::impl::GroupTimeLoopsBase<GroupTimeLoops> {
  using Base::Base;

  void runOnOperation() override {
    if (getOperation()->hasAttr(rt::kKernelAttr))
      return;
    // Outer blocks come first, because their loops are more work.
    SmallVector<Block *> blocks;
    getOperation().walk<WalkOrder::PreOrder>([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      if (!isInGroup(block))
        groupAll(*block);
  }

  static bool isInGroup(Block *block) {
    for (Operation *op = block->getParentOp(); op; op = op->getParentOp())
      if (op->hasAttr(rt::kIndependentAttr))
        return true;
    return false;
  }

  /// Groups each time loop of a block with all later ones that are independent of it.
  void groupAll(Block &block) {
    SmallVector<Operation *> loops;
    for (Operation &op : block)
      if (isWorthThread(&op))
        loops.push_back(&op);
    for (unsigned i = 0; i < loops.size(); ++i) {
      RefusalRemarks remarks("rt-group-time-loops", "not-grouped");
      // Nobody expects threads for a single loop.
      IRRewriter rewriter(&getContext(), loops.size() > 1 ? &remarks : nullptr);
      Group group;
      if (failed(start(group, loops[i], rewriter)))
        continue;
      for (unsigned k = i + 1; k < loops.size();) {
        if (succeeded(join(group, loops[k], rewriter)))
          loops.erase(loops.begin() + k);
        else
          ++k;
      }
      if (group.loops.size() == 1) {
        if (!split(dyn_cast<scf::ForOp>(loops[i]), rewriter))
          group.moved.front().undo();
        continue;
      }
      for (auto [number, loop] : llvm::enumerate(group.loops))
        group.owners[loop] = number;
      takeProducers(group, group.loops.front());
      wrap(group, rewriter);
    }
  }

  /// The typical work of an op, in vector instructions.
  static int64_t getWork(Operation *op) { return WorkEstimate(op).getTypical() / kWorkPerInstruction; }

  /// True if neither of two threads would wait long for the other one. Otherwise threads had better share the larger
  /// loop, an iteration at a time.
  static bool areBalanced(int64_t first, int64_t second) {
    return std::max(first, second) / 2 <= std::min(first, second);
  }

  /// True for a loop or a branch with time loops that is enough work for a thread of its own, and has no results.
  bool isWorthThread(Operation *op) const {
    return isa<scf::ForOp, scf::IfOp>(op) && op->getNumResults() == 0 &&
           op->walk([](rt::IterationOp) { return WalkResult::interrupt(); }).wasInterrupted() &&
           getWork(op) / (isa<scf::IfOp>(op) ? 2 : 1) >= gangWork;
  }

  /// Collects the accesses of a time loop, and moves its allocations in front of it.
  static LogicalResult start(Group &group, Operation *loop, RewriterBase &rewriter) {
    WalkResult nested = loop->walk([&](rt::IterationOp marker) {
      Operation *timeLoop = marker->getParentOp();
      for (Operation *op = timeLoop; op != loop; op = op->getParentOp())
        if (rt::isTimeLoop(op->getParentOp()))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (nested.wasInterrupted())
      return rewriter.notifyMatchFailure(loop, "expected a time loop without time loops in its body");
    MovedBuffers moved(loop);
    FailureOr<BufferAccesses> accesses = BufferAccesses::collect(loop);
    if (failed(accesses)) {
      moved.undo();
      return rewriter.notifyMatchFailure(loop, "expected a time loop that cannot fail, and whose buffers are known");
    }
    group.loops.push_back(loop);
    group.accesses.push_back(std::move(*accesses));
    group.moved.push_back(std::move(moved));
    return success();
  }

  /// Moves `loop` to the end of the group. The ops between that do not need the group move in front of it.
  static LogicalResult join(Group &group, Operation *loop, RewriterBase &rewriter) {
    if (!areBalanced(getWork(group.loops.front()), getWork(loop)))
      return rewriter.notifyMatchFailure(loop, "expected about as much work as the other loop has");
    Group own;
    if (failed(start(own, loop, rewriter)))
      return failure();
    FailureOr<SmallVector<Operation *>> movable = collectMovable(group, own, rewriter);
    if (failed(movable)) {
      own.moved.front().undo();
      return failure();
    }
    for (Operation *op : *movable)
      rewriter.moveOpBefore(op, group.loops.front());
    rewriter.moveOpAfter(loop, group.loops.back());
    group.loops.push_back(loop);
    group.accesses.push_back(std::move(own.accesses.front()));
    group.moved.push_back(std::move(own.moved.front()));
    return success();
  }

  /// Finds the ops between the group and the loop of `own` that can run before the group. Fails if the loop cannot run
  /// at once after it then.
  static FailureOr<SmallVector<Operation *>> collectMovable(const Group &group, const Group &own,
                                                            RewriterBase &rewriter) {
    Operation *loop = own.loops.front();
    auto isIndependent = [&](const BufferAccesses &accesses, ArrayRef<BufferAccesses> others) {
      return areIndependentOfAll(accesses, others, loop->getParentOp());
    };
    SmallVector<Operation *> movable;
    SmallVector<BufferAccesses> staying;
    llvm::DenseSet<Value> results;
    size_t numLooked = 0;
    for (Operation *op = group.loops.back()->getNextNode(); op != loop; op = op->getNextNode()) {
      FailureOr<BufferAccesses> accesses = BufferAccesses();
      if (!isa<memref::AllocOp>(op)) {
        accesses = BufferAccesses::collect(op);
        if (failed(accesses) || (!accesses->roots.empty() && ++numLooked > kMaxOpsBetween))
          return rewriter.notifyMatchFailure(op, "expected few ops between the loops, whose buffers are known");
      }
      if (!usesAny(op, results) && isIndependent(*accesses, group.accesses) && isIndependent(*accesses, staying)) {
        movable.push_back(op);
        continue;
      }
      results.insert(op->result_begin(), op->result_end());
      staying.push_back(std::move(*accesses));
    }
    if (usesAny(loop, results) || !isIndependent(own.accesses.front(), group.accesses) ||
        !isIndependent(own.accesses.front(), staying))
      return rewriter.notifyMatchFailure(loop, "expected a loop that does not need what the other one computes");
    return movable;
  }

  /// Finds the ops in front of `front`, the first op of the group, whose buffers only one of the loops uses. The thread
  /// that runs the loop has computed them then.
  static void takeProducers(Group &group, Operation *front) {
    Operation *scope = front->getParentOp();
    group.producers.resize(group.accesses.size());
    SmallVector<BufferAccesses> staying;
    for (Operation *op = front->getPrevNode(); op; op = op->getPrevNode()) {
      if (isa<rt::CheckOp, memref::AllocOp>(op))
        continue;
      FailureOr<BufferAccesses> accesses = BufferAccesses::collect(op);
      if (failed(accesses) || staying.size() > kMaxOpsBetween)
        return;
      if (accesses->roots.empty())
        continue;
      std::optional<unsigned> user = findOnlyUser(group, op, *accesses);
      bool isFree = user && areIndependentOfAll(*accesses, staying, scope);
      for (unsigned i = 0; isFree && i < group.accesses.size(); ++i)
        isFree = i == *user || areIndependent(*accesses, group.accesses[i], scope);
      if (!isFree) {
        staying.push_back(std::move(*accesses));
        continue;
      }
      group.producers[*user].push_back(op);
      group.owners[op] = *user;
      append(group.accesses[*user], *accesses);
    }
  }

  /// The number of the loop that alone uses what `op` writes, if there is one.
  static std::optional<unsigned> findOnlyUser(const Group &group, Operation *op, const BufferAccesses &accesses) {
    std::optional<unsigned> only;
    if (op->getNumResults())
      return std::nullopt;
    for (auto [access, root] : llvm::zip_equal(accesses.accesses, accesses.roots)) {
      if (!access.writes)
        continue;
      if (!root.getDefiningOp<memref::AllocOp>())
        return std::nullopt;
      for (Value alias : findAliases(root))
        for (Operation *user : alias.getUsers()) {
          if (op->isAncestor(user) || (isMemoryEffectFree(user) && !user->hasTrait<OpTrait::IsTerminator>()))
            continue;
          std::optional<unsigned> owner = group.getOwner(user);
          if (!owner || only.value_or(*owner) != *owner)
            return std::nullopt;
          only = owner;
        }
    }
    return only;
  }

  /// Puts the loops into the cases of a switch on the number of a loop.
  static void wrap(const Group &group, RewriterBase &rewriter) {
    Location loc = group.loops.front()->getLoc();
    remarkPassed(loc, "rt-group-time-loops", "grouped", "up to {0} threads run a time loop each", group.loops.size());
    rewriter.setInsertionPoint(group.loops.front());
    for (auto [loop, end] : llvm::zip_equal(group.loops, moveProducers(group, rewriter, loc)))
      rewriter.moveOpBefore(loop, end);
  }

  /// Puts the producers of each loop, or of each part of a loop, into the cases of a switch in a loop that threads can
  /// share. Returns the ends of the cases.
  static SmallVector<Operation *> moveProducers(const Group &group, RewriterBase &rewriter, Location loc) {
    auto [all, ends] = buildSwitch(rewriter, loc, group.producers.size());
    all->setAttr(rt::kIndependentAttr, rewriter.getUnitAttr());
    for (auto [producers, end] : llvm::zip_equal(group.producers, ends))
      for (Operation *producer : llvm::reverse(producers))
        rewriter.moveOpBefore(producer, end);
    return ends;
  }

  /// Builds a loop over `count` numbers, and a switch on the number in it. Returns the loop and the ends of the cases.
  static std::pair<scf::ForOp, SmallVector<Operation *>> buildSwitch(RewriterBase &rewriter, Location loc,
                                                                     int64_t count) {
    OpBuilder::InsertionGuard guard(rewriter);
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0),
          one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    auto all = scf::ForOp::create(rewriter, loc, zero, arith::ConstantIndexOp::create(rewriter, loc, count), one);
    rewriter.setInsertionPointToStart(all.getBody());
    auto choice = scf::IndexSwitchOp::create(rewriter, loc, TypeRange(), all.getInductionVar(),
                                             llvm::to_vector(llvm::seq<int64_t>(0, count)), count);
    for (Region &region : choice->getRegions()) {
      rewriter.createBlock(&region);
      scf::YieldOp::create(rewriter, loc);
    }
    return {all, llvm::map_to_vector(choice.getCaseRegions(),
                                     [](Region &region) { return region.front().getTerminator(); })};
  }

  /// Puts the parts of the body of `loop` into the cases of a switch, if they need nothing of each other in any
  /// iteration, and each reads so many weights that nothing is kept in registers from one iteration to the next. The
  /// allocations in the loop must stand in front of it. Returns false if the loop stays as it is.
  bool split(scf::ForOp loop, RewriterBase &rewriter) const {
    if (!loop || !rt::isTimeLoop(loop))
      return false;
    // Values that all parts can use stay in front of the switch.
    SmallVector<Operation *> ops;
    llvm::DenseMap<Operation *, unsigned> numbers;
    for (Operation &op : loop.getBody()->without_terminator()) {
      bool isShared = op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
                      llvm::none_of(op.getOperands(), [&](Value v) { return numbers.contains(v.getDefiningOp()); });
      if (isShared || isa<rt::IterationOp>(op))
        continue;
      numbers[&op] = ops.size();
      ops.push_back(&op);
    }
    auto readsLarge = [](Operation *op) {
      return op
          ->walk([](Operation *inner) {
            return llvm::any_of(inner->getOperands(), isPartOfLargeWeights) ? WalkResult::interrupt()
                                                                            : WalkResult::advance();
          })
          .wasInterrupted();
    };
    // The ops are compared with each other only if there may be several parts.
    if (llvm::count_if(ops, readsLarge) < 2)
      return false;
    llvm::IntEqClasses parts(ops.size());
    SmallVector<BufferAccesses> accesses;
    for (auto [i, op] : llvm::enumerate(ops)) {
      FailureOr<BufferAccesses> own = BufferAccesses::collect(op);
      if (failed(own))
        return false;
      for (Value value : getUsedValues(op))
        if (auto known = numbers.find(value.getDefiningOp()); known != numbers.end())
          parts.join(i, known->second);
      for (unsigned k = 0; k < i; ++k)
        if (parts.findLeader(i) != parts.findLeader(k) &&
            !areIndependent(*own, accesses[k], loop->getParentOp(), cast<LoopLikeOpInterface>(*loop)))
          parts.join(i, k);
      accesses.push_back(std::move(*own));
    }
    parts.compress();
    // The other parts run with the first one that reads large weights.
    llvm::MapVector<unsigned, unsigned> large;
    for (auto [i, op] : llvm::enumerate(ops))
      if (readsLarge(op))
        large.insert({parts[i], large.size()});
    SmallVector<int64_t> work(large.size());
    for (auto [i, op] : llvm::enumerate(ops))
      if (auto known = large.find(parts[i]); known != large.end())
        work[known->second] += getWork(op);
    if (large.size() < 2 || getWork(loop) / int64_t(large.size()) < gangWork ||
        !llvm::all_of(work, [&](int64_t other) { return areBalanced(work.front(), other); }))
      return false;
    remarkPassed(loop.getLoc(), "rt-group-time-loops", "split", "up to {0} threads run a part of each iteration",
                 large.size());
    rewriter.setInsertionPoint(loop.getBody()->getTerminator());
    auto [all, ends] = buildSwitch(rewriter, loop.getLoc(), large.size());
    all->setAttr(rt::kInterchangeableAttr, rewriter.getUnitAttr());
    Group group;
    group.accesses.resize(large.size());
    for (auto [i, op] : llvm::enumerate(ops)) {
      auto known = large.find(parts[i]);
      unsigned number = known == large.end() ? 0 : known->second;
      rewriter.moveOpBefore(op, ends[number]);
      group.owners[op] = number;
      append(group.accesses[number], accesses[i]);
    }
    takeProducers(group, loop);
    wrapProducers(group, loop, rewriter);
    return true;
  }

  /// Puts what the parts of `loop` need into the cases of a switch in front of it, so that the thread which runs a part
  /// has computed it, if several threads have work then.
  void wrapProducers(const Group &group, scf::ForOp loop, RewriterBase &rewriter) const {
    auto isWorthThread = [&](ArrayRef<Operation *> producers) {
      int64_t work = 0;
      for (Operation *op : producers)
        work += getWork(op);
      return work >= gangWork;
    };
    if (!llvm::all_of(group.producers, isWorthThread))
      return;
    rewriter.setInsertionPoint(loop);
    moveProducers(group, rewriter, loop.getLoc());
  }
};
} // namespace
