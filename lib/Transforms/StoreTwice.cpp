// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StoreTwice.cpp - Store a value in both of its destinations ---------===//
//
// In a time loop a state is often an output too, so it is computed in the buffer of the state and then copied to its
// place in the concatenation. The copy waits for cache lines that no one has read before. Here the op that computes the
// value gets a second result, which is stored as soon as the first one, and these lines arrive while it computes on.
//
//===----------------------------------------------------------------------===//

#include "Recur/Analysis/BufferLifetimes.h"
#include "Recur/Analysis/TimeLoopBuffers.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {
#define GEN_PASS_DEF_STORETWICE
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;
using bufferization::MaterializeInDestinationOp;

/// True if `write`, which stores a result of `op`, may store it as soon as `op` computes it: between the two, nothing
/// else uses the memory that the destination is a part of, and no tensor that this block uses is in it.
static bool mayStoreAtOnce(MaterializeInDestinationOp write, linalg::GenericOp op) {
  Block *block = op->getBlock();
  auto isUsedHere = [&](Operation *user) {
    auto tensor = dyn_cast<bufferization::ToTensorOp>(user);
    return tensor && llvm::any_of(tensor->getUsers(),
                                  [&](Operation *reader) { return block->findAncestorOpInBlock(*reader) != nullptr; });
  };
  return llvm::all_of(findRoots(write.getDest()), [&](Value root) {
    if (!isa_and_present<memref::AllocOp, rt::OutputOp>(root.getDefiningOp()))
      return false;
    return llvm::all_of(findAliases(root), [&](Value part) {
      return llvm::all_of(part.getUsers(), [&](Operation *user) {
        Operation *around = block->findAncestorOpInBlock(*user);
        if (isUsedHere(user))
          return false;
        if (!around || user == write || isMemoryEffectFree(user) || isa<bufferization::ToTensorOp>(user))
          return true;
        return isa<MaterializeInDestinationOp>(user) && (around->isBeforeInBlock(op) || write->isBeforeInBlock(around));
      });
    });
  });
}

/// The second write of the result of `op`, if it may be computed in the destination, or null.
static MaterializeInDestinationOp findSecondWrite(linalg::GenericOp op, DominanceInfo &dominance) {
  if (op.getNumResults() != 1 || op.getNumReductionLoops() != 0 || !op.hasPureTensorSemantics() ||
      !op.getMatchingBlockArgument(op.getDpsInitOperand(0)).use_empty())
    return {};
  auto place = op.getDpsInits()[0].getDefiningOp<bufferization::ToTensorOp>();
  if (!place)
    return {};
  bool isStored = false;
  MaterializeInDestinationOp second;
  for (Operation *user : op.getResult(0).getUsers()) {
    auto write = dyn_cast<MaterializeInDestinationOp>(user);
    if (!write || write.getSource() != op.getResult(0) || !isa<MemRefType>(write.getDest().getType()) ||
        memref::getTensorTypeFromMemRefType(write.getDest().getType()) != op.getResultTypes()[0])
      continue;
    if (write.getDest() == place.getBuffer())
      isStored = true;
    else if (!second && write.getRestrict() && write->getBlock() == op->getBlock() &&
             dominance.properlyDominates(write.getDest(), op) && mayStoreAtOnce(write, op))
      second = write;
  }
  return isStored ? second : MaterializeInDestinationOp();
}

/// Gives `op` a second result, equal to the first one, that is computed in the destination of `write`.
static void storeTwice(RewriterBase &rewriter, linalg::GenericOp op, MaterializeInDestinationOp write) {
  rewriter.setInsertionPoint(op);
  Value second = bufferization::ToTensorOp::create(rewriter, write.getLoc(), op.getResultTypes()[0], write.getDest(),
                                                   /*restrict=*/true, /*writable=*/true);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.push_back(maps.back());
  SmallVector<Value> inits{op.getDpsInits()[0], second};
  auto twice = linalg::GenericOp::create(rewriter, op.getLoc(), TypeRange(ValueRange(inits)), op.getInputs(), inits,
                                         maps, op.getIteratorTypesArray());
  twice->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(op.getRegion(), twice.getRegion(), twice.getRegion().end());
  Block *body = twice.getBody();
  body->addArgument(body->getArguments().back().getType(), op.getLoc());
  auto yield = cast<linalg::YieldOp>(body->getTerminator());
  rewriter.modifyOpInPlace(yield, [&] { yield.getValuesMutable().append(yield.getValues()[0]); });
  rewriter.modifyOpInPlace(write, [&] {
    write.getSourceMutable().assign(twice.getResult(1));
    write.setRestrict(false);
  });
  rewriter.replaceOp(op, twice.getResult(0));
}

namespace {
struct StoreTwice final : recur::impl::StoreTwiceBase<StoreTwice> {
  void runOnOperation() override {
    DominanceInfo dominance(getOperation());
    SmallVector<std::pair<linalg::GenericOp, MaterializeInDestinationOp>> found;
    getOperation().walk([&](linalg::GenericOp op) {
      if (MaterializeInDestinationOp write =
              rt::isInTimeLoop(op) ? findSecondWrite(op, dominance) : MaterializeInDestinationOp())
        found.emplace_back(op, write);
    });
    IRRewriter rewriter(&getContext());
    for (auto [op, write] : found) {
      remarkPassed(op.getLoc(), "rt-store-twice", "stored-twice",
                   "the result is stored as a state and as a part of an output at once");
      storeTwice(rewriter, op, write);
    }
  }
};
} // namespace
