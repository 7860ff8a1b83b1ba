// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SkipEmptyNests.cpp - Loops around loops that never run -------------===//
//
// A tensor with a dim of 0 has no elements, but a loop over another of its dims would still run.
//
//===----------------------------------------------------------------------===//

#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace recur {
#define GEN_PASS_DEF_SKIPEMPTYNESTS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {
/// Emits conditions, in front of a loop, under which parts of its body do nothing in all iterations.
class EmptyNest {
public:
  explicit EmptyNest(scf::ForOp root) : root(root), loc(root.getLoc()), b(root) {}

  /// The condition for all ops of a block, or null if there is none.
  Value whenIdle(Block &block);

private:
  Value whenIdle(Operation *op);
  /// The condition that the loop has no iteration, or null if the bounds change in the root.
  Value whenEmpty(scf::ForOp loop);
  /// The value, computed in front of the root. Null if it depends on an iteration or must not be computed there.
  Value inFront(Value value);
  /// Both conditions, either of which may be null for one that never holds.
  Value either(Value x, Value y) { return x && y ? b.createOrFold<arith::OrIOp>(loc, x, y) : x ? x : y; }
  Value both(Value x, Value y) { return x && y ? b.createOrFold<arith::AndIOp>(loc, x, y) : Value(); }

  scf::ForOp root;
  Location loc;
  OpBuilder b;
  IRMapping copies;
};
} // namespace

Value EmptyNest::inFront(Value value) {
  if (root.isDefinedOutsideOfLoop(value))
    return value;
  if (Value copy = copies.lookupOrNull(value))
    return copy;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() != 0 || !isPure(op) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) { return inFront(operand); }))
    return {};
  b.clone(*op, copies);
  return copies.lookup(value);
}

Value EmptyNest::whenEmpty(scf::ForOp loop) {
  if (loop.getStaticTripCount())
    return {};
  Value from = inFront(loop.getLowerBound()), to = inFront(loop.getUpperBound());
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle;
  return from && to ? b.createOrFold<arith::CmpIOp>(loc, predicate, to, from) : Value();
}

/// True if each iteration leaves the values that `loop` carries as they are, if all loops in its body are idle.
static bool keepsValues(scf::ForOp loop) {
  return llvm::all_of(llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues()), [](auto both) {
    auto [before, after] = both;
    while (auto inner = after.template getDefiningOp<scf::ForOp>())
      after = inner.getTiedLoopInit(cast<OpResult>(after))->get();
    return after == before;
  });
}

Value EmptyNest::whenIdle(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return either(keepsValues(loop) ? whenIdle(*loop.getBody()) : Value(), whenEmpty(loop));
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch || branch.getNumResults() != 0)
    return {};
  Value always = arith::ConstantIntOp::create(b, loc, 1, 1), idleThen = whenIdle(*branch.thenBlock());
  Value idleElse = branch.elseBlock() ? whenIdle(*branch.elseBlock()) : always;
  Value isThen = inFront(branch.getCondition());
  if (!isThen)
    return both(idleThen, idleElse);
  Value isElse = b.createOrFold<arith::XOrIOp>(loc, isThen, always);
  return either(both(isThen, idleThen), both(isElse, idleElse));
}

Value EmptyNest::whenIdle(Block &block) {
  // Without a loop or branch, the block would do nothing in any case.
  Value idle;
  for (Operation &op : block.without_terminator()) {
    // The results of a loop count as its initial values.
    if (!isa<scf::ForOp>(op) && (isMemoryEffectFree(&op) || hasSingleEffect<MemoryEffects::Read>(&op)))
      continue;
    Value next = whenIdle(&op);
    if (!next)
      return {};
    idle = idle ? both(idle, next) : next;
  }
  return idle;
}

namespace {
struct SkipEmptyNests final : recur::impl::SkipEmptyNestsBase<SkipEmptyNests> {
  void runOnOperation() override {
    getOperation()->walk<WalkOrder::PreOrder>([](scf::ForOp loop) {
      // A constant number of iterations takes no time that a call decides.
      if (loop.getStaticTripCount() || !keepsValues(loop))
        return WalkResult::advance();
      Value idle = EmptyNest(loop).whenIdle(*loop.getBody());
      if (!idle)
        return WalkResult::advance();
      OpBuilder b(loop);
      loop.setUpperBound(
          b.createOrFold<arith::SelectOp>(loop.getLoc(), idle, loop.getLowerBound(), loop.getUpperBound()));
      return WalkResult::skip();
    });
  }
};
} // namespace
