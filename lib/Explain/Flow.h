// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Flow.h - how data flows through a body -------------------*- C++ -*-===//
//
// Puts the layers of a body into few boxes, with arrows between them.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_EXPLAIN_FLOW_H
#define RECUR_LIB_EXPLAIN_FLOW_H

#include "Recur/Explain/Explanation.h"

#include "mlir/IR/Region.h"

namespace recur {

/// Adds the boxes and flows of `region`, which is the function of a model or the body of a loop. `layers` are its
/// layers in their order, those in bodies of an If in front of the If. Their loops are body.loops.
void readFlow(mlir::Region &region, llvm::ArrayRef<mlir::Operation *> layers, ExplainedBody &body);

} // namespace recur

#endif // RECUR_LIB_EXPLAIN_FLOW_H
