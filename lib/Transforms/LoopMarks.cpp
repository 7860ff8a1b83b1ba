// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopMarks.cpp - What loops carry for later passes and LLVM ---------===//

#include "LoopMarks.h"
#include "Recur/Dialect/RT/IR/RT.h"

using namespace mlir;
using namespace recur;

bool recur::isTimeLoop(Operation *op) {
  return llvm::any_of(op->getRegions(), [](Region &region) {
    return llvm::any_of(region, [](Block &block) { return !block.getOps<rt::IterationOp>().empty(); });
  });
}

LLVM::LoopAnnotationAttr recur::getLoopAnnotation(LLVM::LoopUnrollAttr unroll, LLVM::LoopInterleaveAttr interleave,
                                                  LLVM::LoopVectorizeAttr vectorize) {
  return LLVM::LoopAnnotationAttr::get(unroll.getContext(), {}, vectorize, interleave, unroll, {}, {}, {}, {}, {}, {},
                                       {}, {}, {}, {}, {});
}
