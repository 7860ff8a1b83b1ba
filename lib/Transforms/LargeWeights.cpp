// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LargeWeights.cpp - Weights that L1 may not hold --------------------===//

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
           // A constant of a model in text is a global.
           return isa_and_present<rt::WeightsOp, memref::GetGlobalOp>(root.getDefiningOp()) &&
                  getStaticBytes(cast<MemRefType>(root.getType())).value_or(0) > kL1Bytes;
         });
}

bool recur::readsLargeWeights(scf::ForOp loop) {
  WalkResult result = loop.getBody()->walk([&](Operation *op) {
    if (isa<ViewLikeOpInterface>(op) || llvm::none_of(op->getOperands(), isPartOfLargeWeights))
      return WalkResult::advance();
    // A kernel reads the view that it gets, whatever its other operands are. Any other op has indices too.
    SmallVector<Value> place(op->getOperands());
    if (isa<CallOpInterface>(op))
      llvm::erase_if(place, [](Value operand) { return !isPartOfLargeWeights(operand); });
    return collectDependences(place).contains(loop.getInductionVar()) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}
