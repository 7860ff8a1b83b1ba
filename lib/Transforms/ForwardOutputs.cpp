// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ForwardOutputs.cpp - Compute results where they belong -------------===//

#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"

namespace recur {
#define GEN_PASS_DEF_FORWARDOUTPUTS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// Moves `op` and what it needs before `anchor`, if it stands in the same block and all of that is free of effects.
static bool hoistBefore(Operation *op, Operation *anchor) {
  SmallVector<Operation *> slice{op};
  llvm::SetVector<Operation *> needed;
  while (!slice.empty()) {
    Operation *next = slice.pop_back_val();
    if (next->getBlock() != anchor->getBlock())
      return false;
    if (next->isBeforeInBlock(anchor) || needed.contains(next))
      continue;
    if (next != op && !isPure(next))
      return false;
    needed.insert(next);
    for (Value operand : next->getOperands())
      if (Operation *def = operand.getDefiningOp())
        slice.push_back(def);
  }
  SmallVector<Operation *> ordered(needed.begin(), needed.end());
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *move : ordered)
    move->moveBefore(anchor);
  return true;
}

/// True if nothing is computed in the block any more after `copy`: outputs are copied to, and that is all.
static bool isAtEnd(memref::CopyOp copy) {
  for (Operation *op = copy->getNextNode(); op; op = op->getNextNode()) {
    auto other = dyn_cast<memref::CopyOp>(op);
    bool writesOutput = other && other.getTarget().getDefiningOp<rt::OutputOp>();
    if (!writesOutput && !isa<rt::OutputOp>(op) && !isMemoryEffectFree(op))
      return false;
  }
  return true;
}

namespace {
struct ForwardOutputs final : recur::impl::ForwardOutputsBase<ForwardOutputs> {
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    Block &block = getOperation().getBody().front();
    for (auto copy : block.getOps<memref::CopyOp>())
      copies.push_back(copy);
    for (memref::CopyOp copy : copies) {
      auto output = copy.getTarget().getDefiningOp<rt::OutputOp>();
      auto alloc = copy.getSource().getDefiningOp<memref::AllocOp>();
      // The whole buffer, and an output that nothing else reads or writes.
      if (!output || !alloc || !output->hasOneUse() || alloc.getType() != output.getType() ||
          alloc->getBlock() != &block || !isAtEnd(copy))
        continue;
      if (!output->isBeforeInBlock(alloc) && !hoistBefore(output, alloc))
        continue;
      copy.erase();
      alloc.replaceAllUsesWith(output.getBuffer());
      alloc.erase();
    }
  }
};
} // namespace
