// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- HoistChecks.cpp - Checks of sizes move out of loops ----------------===//
//
// A check returns the sizes that it guards. While it is in a loop, buffers of these sizes belong to the loop, too. So a
// check moves out if its operands allow it, and asks only if the loop or branch would have asked.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace recur {
#define GEN_PASS_DEF_HOISTCHECKS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// True for a division of unsigned numbers by at least a positive constant.
static bool isSafeDivision(Operation *op) {
  if (!isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp>(op))
    return false;
  Operation *divisor = op->getOperand(1).getDefiningOp();
  return isa_and_nonnull<arith::MaxSIOp, arith::MaxUIOp>(divisor) &&
         llvm::any_of(divisor->getOperands(), [](Value least) { return getConstantIntValue(least).value_or(0) > 0; });
}

/// True for an op that is cheap enough to run even if its region does not run: sizes, and comparisons of them.
static bool isCheapScalar(Operation *op) {
  return op->getNumRegions() == 0 && (isPure(op) || isSafeDivision(op)) &&
         (isa<arith::ArithDialect, affine::AffineDialect>(op->getDialect()) ||
          isa<tensor::DimOp, tensor::ExtractOp, memref::DimOp>(op)) &&
         llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIntOrIndexOrFloat(); });
}

/// Collects, in program order, the ops in `region` that `values` are computed from. They may use the arguments of the
/// region that are in `given`, but no others. Fails if one of the ops must stay in the region.
static LogicalResult collectSlice(Region &region, ValueRange values, SmallVectorImpl<Operation *> &slice,
                                  ValueRange given = {}) {
  llvm::SetVector<Operation *> found;
  SmallVector<Value> worklist(values);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!region.isAncestor(value.getParentRegion()) || llvm::is_contained(given, value))
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || op->getParentRegion() != &region || !isCheapScalar(op))
      return failure();
    if (found.insert(op))
      llvm::append_range(worklist, op->getOperands());
  }
  slice.assign(found.begin(), found.end());
  llvm::sort(slice, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return success();
}

/// The opposite of `condition`.
static Value negate(RewriterBase &rewriter, Location loc, Value condition) {
  if (auto comparison = condition.getDefiningOp<arith::CmpIOp>())
    return rewriter.createOrFold<arith::CmpIOp>(loc, arith::invertPredicate(comparison.getPredicate()),
                                                comparison.getLhs(), comparison.getRhs());
  Value yes = arith::ConstantIntOp::create(rewriter, loc, 1, 1);
  return rewriter.createOrFold<arith::XOrIOp>(loc, condition, yes);
}

/// True if one of the conditions holds. A comparison that is there twice is enough once, so rt-use-checks sees it.
static Value either(RewriterBase &rewriter, Location loc, Value first, Value second) {
  auto a = first.getDefiningOp<arith::CmpIOp>(), b = second.getDefiningOp<arith::CmpIOp>();
  if (a && b && a.getPredicate() == b.getPredicate() && a.getLhs() == b.getLhs() && a.getRhs() == b.getRhs())
    return second;
  return rewriter.createOrFold<arith::OrIOp>(loc, first, second);
}

/// Builds, before the op around `block`, the condition under which the block is executed at least once. Returns null if
/// it is not known there.
static Value buildPathCondition(RewriterBase &rewriter, Block *block) {
  Operation *parent = block->getParentOp();
  Location loc = parent->getLoc();
  rewriter.setInsertionPoint(parent);
  if (auto branch = dyn_cast<scf::IfOp>(parent)) {
    if (block == branch.thenBlock())
      return branch.getCondition();
    return negate(rewriter, loc, branch.getCondition());
  }
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return rewriter.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, loop.getLowerBound(),
                                                loop.getUpperBound());
  auto loop = dyn_cast<scf::WhileOp>(parent);
  if (!loop)
    return {};
  if (block == loop.getBeforeBody())
    return arith::ConstantIntOp::create(rewriter, loc, 1, 1);
  // The condition of the first iteration can be computed before the loop if it depends on scalars only.
  Value condition = loop.getConditionOp().getCondition();
  IRMapping mapping;
  mapping.map(loop.getBeforeArguments(), loop.getInits());
  SmallVector<Operation *> slice;
  if (failed(collectSlice(loop.getBefore(), condition, slice, loop.getBeforeArguments())))
    return {};
  for (Operation *op : slice)
    rewriter.clone(*op, mapping);
  return mapping.lookupOrDefault(condition);
}

/// Maps the arguments of `block`, the body of a loop, to the values that they have in the first iteration. Returns the
/// arguments that have such values before the loop.
static SmallVector<Value> mapFirstIteration(Block *block, IRMapping &mapping) {
  SmallVector<Value> given;
  auto map = [&](Value argument, Value first) {
    mapping.map(argument, first);
    given.push_back(argument);
  };
  Operation *parent = block->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    map(loop.getInductionVar(), loop.getLowerBound());
    for (auto [argument, init] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInits()))
      map(argument, init);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    for (auto [argument, init] : llvm::zip_equal(loop.getBeforeArguments(), loop.getInits()))
      map(argument, init);
    if (block == loop.getAfterBody())
      for (auto [argument, passed] : llvm::zip_equal(loop.getAfterArguments(), loop.getConditionOp().getArgs()))
        if (Value first = mapping.lookupOrDefault(passed); !loop->isAncestor(first.getParentRegion()->getParentOp()))
          map(argument, first);
  }
  return given;
}

/// Builds, before the loop around `check`, the condition of the check in the first iteration. Returns null if it is not
/// known there.
static Value buildFirstCondition(RewriterBase &rewriter, rt::CheckOp check) {
  Block *block = check->getBlock();
  IRMapping mapping;
  SmallVector<Value> given = mapFirstIteration(block, mapping);
  SmallVector<Operation *> slice;
  if (failed(collectSlice(*block->getParent(), check.getCondition(), slice, given)))
    return {};
  rewriter.setInsertionPoint(block->getParentOp());
  for (Operation *op : slice)
    rewriter.clone(*op, mapping);
  return mapping.lookupOrDefault(check.getCondition());
}

namespace {
struct HoistChecks final : recur::impl::HoistChecksBase<HoistChecks> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    skipped.clear();
    // In program order, because the condition of a check may use the result of an earlier one.
    SmallVector<rt::CheckOp> checks;
    getOperation().walk<WalkOrder::PreOrder>([&](rt::CheckOp check) { checks.push_back(check); });
    for (rt::CheckOp check : checks) {
      Block *block = check->getBlock();
      auto comparison = check.getCondition().getDefiningOp<arith::CmpIOp>();
      while (check->getParentOp() != getOperation() && hoist(rewriter, check)) {
      }
      if (check->getBlock() != block && comparison && !skipped[block].hasStaying)
        unify(rewriter, block, comparison);
      Skipped &state = skipped[check->getBlock()];
      state.staying.push_back(check);
      state.hasStaying = true;
    }
    hoistSizes();
  }

private:
  /// When a check that moves before the op around its block must not ask.
  struct Skipped {
    /// Whether `condition` was built, and whether it can be.
    bool isBuilt = false, isKnown = false;
    /// True if the block is not executed, or if an earlier check of the block fails in the first iteration. It stands
    /// before the op around the block, and the checks of the block share it. Null if it is never true.
    Value condition;
    /// Checks that stay in the block, which `condition` does not include yet.
    SmallVector<rt::CheckOp> staying;
    /// True if a check has stayed. What comes before it may run although a later check would fail.
    bool hasStaying = false;
  };

  /// Brings the condition of `block` up to date. Fails if it is not known before the op around the block.
  LogicalResult buildSkipped(RewriterBase &rewriter, Block *block) {
    Skipped &state = skipped[block];
    Location loc = block->getParentOp()->getLoc();
    auto addUnless = [&](Value holds) {
      if (matchPattern(holds, m_One()))
        return;
      Value fails = negate(rewriter, loc, holds);
      state.condition = state.condition ? either(rewriter, loc, state.condition, fails) : fails;
    };
    if (!std::exchange(state.isBuilt, true))
      if (Value path = buildPathCondition(rewriter, block)) {
        state.isKnown = true;
        addUnless(path);
      }
    if (!state.isKnown)
      return failure();
    // A check that stays may fail in the first iteration, and then its fault is the one that is reported. A check of
    // computed data is not known here; the fault of the check that moves is then reported instead.
    for (rt::CheckOp check : std::exchange(state.staying, {}))
      if (Value holds = buildFirstCondition(rewriter, check))
        addUnless(holds);
    return success();
  }

  /// Moves a check before the op around it, if all ops that it needs may move too. Returns true if it moved.
  bool hoist(RewriterBase &rewriter, rt::CheckOp check) {
    Block *block = check->getBlock();
    Operation *parent = check->getParentOp();
    SmallVector<Operation *> slice;
    if (!isa<scf::IfOp, scf::ForOp, scf::WhileOp>(parent) ||
        !llvm::all_of(check.getGuarded().getTypes(), [](Type type) { return type.isIntOrIndexOrFloat(); }) ||
        failed(collectSlice(*block->getParent(), check->getOperands(), slice)) || failed(buildSkipped(rewriter, block)))
      return false;
    for (Operation *op : slice)
      rewriter.moveOpBefore(op, parent);
    rewriter.moveOpBefore(check, parent);
    rewriter.setInsertionPoint(check);
    if (Value unless = skipped[block].condition) {
      Value condition = either(rewriter, check.getLoc(), unless, check.getCondition());
      rewriter.modifyOpInPlace(check, [&] { check.getConditionMutable().assign(condition); });
    }
    return true;
  }

  /// Replaces one of two sizes by the other in `block`, which is only executed if a check before it has found them
  /// equal. Ops whose sizes are the same value can be fused.
  static void unify(RewriterBase &rewriter, Block *block, arith::CmpIOp comparison) {
    Value kept = comparison.getLhs(), replaced = comparison.getRhs();
    Region *region = block->getParent();
    auto isOutside = [&](Value value) { return !region->isAncestor(value.getParentRegion()); };
    if (comparison.getPredicate() != arith::CmpIPredicate::eq || !kept.getType().isIndex() || !isOutside(kept) ||
        !isOutside(replaced) || getConstantIntValue(replaced))
      return;
    // The one that is known in more places: that of the outer region, the dim of a tensor or buffer, the first one.
    if (kept.getParentRegion() != replaced.getParentRegion()) {
      if (replaced.getParentRegion()->isProperAncestor(kept.getParentRegion()))
        std::swap(kept, replaced);
    } else {
      Operation *first = kept.getDefiningOp(), *second = replaced.getDefiningOp();
      bool isDim = isa_and_nonnull<tensor::DimOp, memref::DimOp>(first),
           isOtherDim = isa_and_nonnull<tensor::DimOp, memref::DimOp>(second);
      bool isBehind = first && (!second || (first->getBlock() == second->getBlock() && second->isBeforeInBlock(first)));
      if (isDim != isOtherDim ? isOtherDim : isBehind)
        std::swap(kept, replaced);
    }
    rewriter.replaceUsesWithIf(replaced, kept,
                               [&](OpOperand &use) { return region->isAncestor(use.getOwner()->getParentRegion()); });
  }

  /// Moves index arithmetic out of all loops and branches that do not define its operands.
  void hoistSizes() {
    SmallVector<Operation *> sizes;
    getOperation().walk([&](Operation *op) {
      if (isCheapScalar(op) && llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIndex(); }))
        sizes.push_back(op);
    });
    for (Operation *op : sizes)
      while (op->getParentOp() != getOperation()) {
        Region *region = op->getParentRegion();
        if (!isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op->getParentOp()) ||
            llvm::any_of(op->getOperands(), [&](Value value) { return region->isAncestor(value.getParentRegion()); }))
          break;
        op->moveBefore(op->getParentOp());
      }
  }

  llvm::DenseMap<Block *, Skipped> skipped;
};
} // namespace
