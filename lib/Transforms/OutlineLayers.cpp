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
#include "Recur/Transforms/Passes.h"

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

/// True for an op that only the function of the model may have, because it can end the call.
static bool endsGroup(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        bool ends = isa<rt::CheckOp, rt::IterationOp, rt::ReserveOp, rt::OutputOp>(inner);
        return ends ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
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
  /// Adds an op, which is at `position` in the block. `lastUse` is the position of the last op that uses its results.
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

  /// The first ops of the group whose values no other op uses, and how many ops these are with those in them.
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
      if ((isPure(op) && !group.isUsedBy(op)) || (output && !output.getLate()))
        continue;
      if (endsGroup(op)) {
        finish(partOps / 4);
        continue;
      }
      int64_t lastUse = position;
      for (Operation *user : op->getUsers())
        lastUse = std::max(lastUse, positions.lookup(block.findAncestorOpInBlock(*user)));
      group.add(op, position, lastUse);
      if (group.getWholeSize() >= partOps)
        finish(partOps);
    }
    finish(partOps / 4);
  }

  /// Moves the ops to a function, which is called in the place of the last one.
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
    for (Operation *op : ops) {
      forEachUsed(op, [&](Value value) { (void)values.get(value); });
      builder.clone(*op, values.map);
    }
    func::ReturnOp::create(builder, loc);
    func.setFunctionType(builder.getFunctionType(entry.getArgumentTypes(), {}));
    OpBuilder at(ops.back());
    SmallVector<Value> operands{compute.getArgument(0)};
    llvm::append_range(operands, values.getArguments());
    func::CallOp::create(at, loc, func, operands);
    for (Operation *op : llvm::reverse(ops))
      op->erase();
  }

  unsigned numFunctions = 0;
};
} // namespace
