// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BroadcastInputs.h - Rows that broadcast, before a loop ---*- C++ -*-===//
//
// A cell that is written with element-wise ops broadcasts its states against its input. If the batch of a state may be
// 1, each such op in the loop would have to find that out, and the state would change its dims after the first
// iteration. So the inputs are broadcast once before the loop.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_CONVERSION_OVTOSCF_BROADCASTINPUTS_H
#define RECUR_CONVERSION_OVTOSCF_BROADCASTINPUTS_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/IR/PatternMatch.h"

namespace recur {
/// Broadcasts the inputs of a loop along the dims that broadcast against each other in its body, such as the batch of
/// x, h and c of an LSTM written with element-wise ops. The body then has one dim instead of several, and carried
/// values keep their dims. Whether an input has the common dim already is decided at run time.
///
/// The results do not change: the body computes each row along these dims separately, all values that it yields have
/// the common dim anyway, and the loop provably runs at least once.
void broadcastInputs(mlir::RewriterBase &rewriter, ov::TensorIteratorOp op);
void broadcastInputs(mlir::RewriterBase &rewriter, ov::LoopOp op);
} // namespace recur

#endif // RECUR_CONVERSION_OVTOSCF_BROADCASTINPUTS_H
