// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BroadcastInputs.h - Rows that broadcast, before a loop ---*- C++ -*-===//
#ifndef RECUR_CONVERSION_OVTOSCF_BROADCASTINPUTS_H
#define RECUR_CONVERSION_OVTOSCF_BROADCASTINPUTS_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/IR/PatternMatch.h"

namespace recur {
/// Broadcasts the inputs of a loop along the dims that broadcast against one another in its body: the batch of the
/// input, of h and of c of an LSTM that is written with element-wise ops. Then the body has one dim where it had
/// several, and carried values keep their dims. An input whose dim is right is taken as it is; the call finds out.
///
/// It happens only where nobody can tell the difference: the body works along these dims row by row, all that it yields
/// has the broadcast dim anyway, and the loop runs once at least.
void broadcastInputs(mlir::RewriterBase &rewriter, ov::TensorIteratorOp op);
void broadcastInputs(mlir::RewriterBase &rewriter, ov::LoopOp op);
} // namespace recur

#endif // RECUR_CONVERSION_OVTOSCF_BROADCASTINPUTS_H
