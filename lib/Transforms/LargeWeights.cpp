// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LargeWeights.cpp - Weights that the first cache may not hold -------===//

#include "LargeWeights.h"
#include "ByteCount.h"
#include "Recur/Analysis/TimeLoopBuffers.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "TargetFacts.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace recur;

bool recur::isPartOfLargeWeights(Value buffer) {
  return isa<MemRefType>(buffer.getType()) && llvm::any_of(findRoots(buffer), [](Value root) {
           auto weights = root.getDefiningOp<rt::WeightsOp>();
           return weights && getStaticBytes(cast<MemRefType>(weights.getType())).value_or(0) > kFirstCacheBytes;
         });
}

/// True if `value` differs in the iterations of `loop`, as far as ops without regions and the bounds of inner loops
/// say.
static bool dependsOn(Value value, scf::ForOp loop, llvm::SmallDenseSet<Value> &visited) {
  if (value == loop.getInductionVar())
    return true;
  if (loop.isDefinedOutsideOfLoop(value) || !visited.insert(value).second)
    return false;
  auto depends = [&](Value operand) { return dependsOn(operand, loop, visited); };
  if (Operation *op = value.getDefiningOp())
    return llvm::any_of(op->getOperands(), depends);
  auto inner = dyn_cast<scf::ForOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
  return inner && llvm::any_of(inner->getOperands(), depends);
}

bool recur::readsLargeWeights(scf::ForOp loop) {
  WalkResult result = loop.getBody()->walk([&](Operation *op) {
    if (isa<ViewLikeOpInterface>(op) || llvm::none_of(op->getOperands(), isPartOfLargeWeights))
      return WalkResult::advance();
    // What a kernel reads is the view that it gets. Other ops have indices too.
    llvm::SmallDenseSet<Value> visited;
    bool isCall = isa<CallOpInterface>(op);
    bool depends = llvm::any_of(op->getOperands(), [&](Value operand) {
      return (!isCall || isPartOfLargeWeights(operand)) && dependsOn(operand, loop, visited);
    });
    return depends ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}
