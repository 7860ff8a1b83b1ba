// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OutlineLayers.cpp - Cut a very long block into functions -----------===//
//
// The time to compile a function grows faster than the function: blocks are split again and again, and the dominator
// tree of a sequence of loops is as deep as the sequence is long. So no block may become very long.
//
//===----------------------------------------------------------------------===//

#include "CapturedValues.h"
#include "KernelCalls.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Target/ABI.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

namespace recur {
#define GEN_PASS_DEF_OUTLINELAYERS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The number of ops in `op`, with itself.
static int64_t countOps(Operation *op) {
  int64_t count = 0;
  op->walk([&](Operation *) { ++count; });
  return count;
}

/// The number of ops in a block and in their regions.
static int64_t countOps(Block &block) {
  int64_t count = 0;
  for (Operation &op : block)
    count += countOps(&op);
  return count;
}

/// True for an op that only the function of the model may have: it polls the caller, or gets an output from there.
static bool endsGroup(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<rt::IterationOp, rt::OutputOp>(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True if a function can return the value: a number of a type that all targets have, or a vector of such numbers,
/// which LLVM returns in memory if it must. It has no rule for masks that all targets share.
static bool mayReturn(Value value) {
  Type type = value.getType();
  if (auto vector = dyn_cast<VectorType>(type))
    type = vector.getElementType();
  return type.isF32() || type.isF64() || (type.isIntOrIndex() && (type == value.getType() || !type.isInteger(1)));
}

/// True for an op whose buffers can be had again behind a function that has it: a view, a check of a buffer, which
/// held then, and a reservation, whose buffer its cell holds.
static bool givesAgain(Operation *op) { return isView(op) || isa<rt::CheckOp, rt::ReserveOp>(op); }

/// The values that `giveAgain` needs.
static SmallVector<Value> getNeeded(Operation *op) {
  if (auto check = dyn_cast<rt::CheckOp>(op))
    return llvm::to_vector(check.getGuarded());
  if (auto reserve = dyn_cast<rt::ReserveOp>(op))
    return {reserve.getCell()};
  return llvm::to_vector(op->getOperands());
}

/// Makes the buffers again that `op` gave to others. `values` has the values that it needs, and gets those buffers.
static void giveAgain(OpBuilder &builder, Operation *op, IRMapping &values) {
  if (auto check = dyn_cast<rt::CheckOp>(op)) {
    for (auto [guarded, result] : llvm::zip_equal(check.getGuarded(), check.getResults()))
      if (!values.contains(result))
        values.map(result, values.lookupOrDefault(guarded));
    return;
  }
  if (auto reserve = dyn_cast<rt::ReserveOp>(op)) {
    Value cell = values.lookupOrDefault(reserve.getCell());
    values.map(reserve.getBuffer(),
               rt::HeldOp::create(builder, op->getLoc(), reserve.getBuffer().getType(), cell).getBuffer());
    return;
  }
  builder.clone(*op, values);
}

/// Calls `handle` for each value that `op` uses, and that is not of its own regions.
static void forEachUsed(Operation *op, function_ref<void(Value)> handle) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  llvm::for_each(used, handle);
}

namespace {
/// Ops of a block that may become a function together.
class LayerGroup {
public:
  /// Adds an op, which is at `position` in the block. `lastUse` is the position of the last op that must be in the same
  /// function, because it uses a result that cannot be returned.
  void add(Operation *op, int64_t position, int64_t lastUse) {
    ops.push_back(op);
    set.insert(op);
    size += countOps(op);
    reach = std::max(reach, lastUse);
    if (reach > position)
      return;
    numWhole = ops.size();
    wholeSize = size;
  }

  /// True if the op uses a result of the group.
  bool isUsedBy(Operation *op) const {
    bool isUsed = false;
    forEachUsed(op, [&](Value value) { isUsed |= set.contains(value.getDefiningOp()); });
    return isUsed;
  }

  /// The first ops of the group whose values others do not use, but for those that can be returned, and how many ops
  /// these are with those in them.
  ArrayRef<Operation *> getWhole() const { return ArrayRef(ops).take_front(numWhole); }
  int64_t getWholeSize() const { return wholeSize; }

private:
  SmallVector<Operation *> ops;
  llvm::SmallPtrSet<Operation *, 16> set;
  size_t numWhole = 0;
  int64_t size = 0, wholeSize = 0, reach = 0;
};

struct OutlineLayers final : recur::impl::OutlineLayersBase<OutlineLayers> {
  using Base::Base;

  void runOnOperation() override {
    auto compute = getOperation().lookupSymbol<func::FuncOp>(kComputeFunction);
    if (!compute)
      return;
    // Inner blocks come first: they are shorter then.
    compute.walk([&](Block *block) {
      if (isa<func::FuncOp, scf::ForOp, scf::IfOp, scf::IndexSwitchOp>(block->getParentOp()) &&
          countOps(*block) > mostOps)
        cut(compute, *block);
    });
  }

private:
  void cut(func::FuncOp compute, Block &block) {
    SmallVector<Operation *> ops;
    llvm::DenseMap<Operation *, int64_t> positions;
    for (Operation &op : block) {
      positions[&op] = ops.size();
      ops.push_back(&op);
    }
    LayerGroup group;
    auto finish = [&](int64_t least) {
      if (group.getWholeSize() >= std::max<int64_t>(least, 1))
        outline(compute, group.getWhole());
      group = LayerGroup();
    };
    for (auto [position, op] : llvm::enumerate(ArrayRef(ops).drop_back())) {
      auto output = dyn_cast<rt::OutputOp>(op);
      bool mayStayBefore = isPure(op) || (output && !output.getLate());
      if (mayStayBefore && !group.isUsedBy(op))
        continue;
      if (endsGroup(op)) {
        finish(partOps / 4);
        continue;
      }
      int64_t lastUse = position;
      for (Value result : op->getResults())
        if (!mayReturn(result) && !givesAgain(op))
          for (Operation *user : result.getUsers())
            lastUse = std::max(lastUse, positions.lookup(block.findAncestorOpInBlock(*user)));
      group.add(op, position, lastUse);
      if (group.getWholeSize() >= partOps)
        finish(partOps);
    }
    finish(partOps / 4);
  }

  /// Moves the ops to a function, which is called in the place of the last one. It returns a status, if one of the ops
  /// is a check, and the values that other ops use.
  void outline(func::FuncOp compute, ArrayRef<Operation *> ops) {
    Location loc = ops.front()->getLoc();
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    auto func = func::FuncOp::create(builder, loc, "rt_layers_" + std::to_string(numFunctions++),
                                     builder.getFunctionType({pointer}, {}));
    func.setPrivate();
    func->setAttr(kPassThroughAttr, builder.getStrArrayAttr({"noinline"}));
    Block &entry = *func.addEntryBlock();
    builder.setInsertionPointToStart(&entry);
    CapturedValues values(builder, entry);
    llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
    auto isOutside = [&](Operation *user) {
      return !inside.contains(ops.front()->getBlock()->findAncestorOpInBlock(*user));
    };
    bool hasChecks = false;
    for (Operation *op : ops) {
      forEachUsed(op, [&](Value value) { (void)values.get(value); });
      builder.clone(*op, values.map);
      hasChecks |= op->walk([](rt::CheckOp) { return WalkResult::interrupt(); }).wasInterrupted();
    }
    // The numbers that others use are returned. The buffers are made again behind the call, of other values.
    llvm::SetVector<Value> used;
    llvm::DenseSet<Value> needed;
    SmallVector<Operation *> repeated;
    for (Operation *op : llvm::reverse(ops)) {
      bool isRepeated = false;
      for (Value result : op->getResults()) {
        if (!needed.contains(result) && llvm::none_of(result.getUsers(), isOutside))
          continue;
        if (mayReturn(result))
          used.insert(result);
        else
          isRepeated = true;
      }
      if (!isRepeated)
        continue;
      repeated.push_back(op);
      needed.insert_range(getNeeded(op));
    }
    SmallVector<Value> returned;
    if (hasChecks)
      returned.push_back(arith::ConstantIntOp::create(builder, loc, RECUR_OK, 32));
    for (Value value : used)
      returned.push_back(values.map.lookup(value));
    func::ReturnOp::create(builder, loc, returned);
    func.setFunctionType(builder.getFunctionType(entry.getArgumentTypes(), TypeRange(ValueRange(returned))));
    IRRewriter at(ops.back());
    at.setInsertionPointAfter(ops.back());
    SmallVector<Value> operands{compute.getArgument(0)};
    llvm::append_range(operands, values.getArguments());
    auto call = func::CallOp::create(at, loc, func, operands);
    if (hasChecks) {
      // The function has recorded the fault.
      Value status = arith::ExtUIOp::create(at, loc, at.getI64Type(), call.getResult(0));
      Value none = arith::ConstantIntOp::create(at, loc, RECUR_OK, 64);
      Value ok = arith::CmpIOp::create(at, loc, arith::CmpIPredicate::eq, status, none);
      rt::CheckOp::create(at, loc, ok, rt::FaultKind::Recorded, "", status, ValueRange());
    }
    IRMapping after;
    for (auto [value, result] : llvm::zip_equal(used, call.getResults().drop_front(hasChecks)))
      after.map(value, result);
    for (Operation *op : llvm::reverse(repeated))
      giveAgain(at, op, after);
    for (Operation *op : ops)
      for (Value result : op->getResults())
        if (Value replacement = after.lookupOrNull(result))
          at.replaceUsesWithIf(result, replacement, [&](OpOperand &use) { return isOutside(use.getOwner()); });
    for (Operation *op : llvm::reverse(ops))
      op->erase();
  }

  unsigned numFunctions = 0;
};
} // namespace
