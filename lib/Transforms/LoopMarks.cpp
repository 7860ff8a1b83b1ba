// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopMarks.cpp - Annotations of loops for LLVM ----------------------===//
//
// LoopAnnotationAttr has many parameters, of which this file names the three that Recur uses.
//
//===----------------------------------------------------------------------===//

#include "LoopMarks.h"

using namespace mlir;
using namespace recur;

LLVM::LoopAnnotationAttr recur::getLoopAnnotation(LLVM::LoopUnrollAttr unroll, LLVM::LoopInterleaveAttr interleave,
                                                  LLVM::LoopVectorizeAttr vectorize) {
  return LLVM::LoopAnnotationAttr::get(unroll.getContext(), {}, vectorize, interleave, unroll, {}, {}, {}, {}, {}, {},
                                       {}, {}, {}, {}, {});
}
