// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopMarks.cpp - Annotations of loops for LLVM ----------------------===//

#include "LoopMarks.h"

using namespace mlir;
using namespace recur;

LLVM::LoopAnnotationAttr recur::getLoopAnnotation(LLVM::LoopUnrollAttr unroll, LLVM::LoopInterleaveAttr interleave,
                                                  LLVM::LoopVectorizeAttr vectorize) {
  return LLVM::LoopAnnotationAttr::get(unroll.getContext(), {}, vectorize, interleave, unroll, {}, {}, {}, {}, {}, {},
                                       {}, {}, {}, {}, {});
}
