// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- IfLowering.h - Lower If to scf ---------------------------*- C++ -*-===//
//
// Lowers ov.if to scf.if. It is part of convert-ov-loops-to-scf, because an If can contain loops, and loops can contain
// an If.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_CONVERSION_OVTOSCF_IFLOWERING_H
#define RECUR_CONVERSION_OVTOSCF_IFLOWERING_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/IR/PatternMatch.h"

namespace recur {
/// Replaces an If by `scf.if`. Loops around it must have been lowered already, because their buffers are destinations
/// of its results. A result that is only written to buffers is written there by both bodies instead.
void lowerIf(mlir::RewriterBase &rewriter, ov::IfOp op);
} // namespace recur

#endif // RECUR_CONVERSION_OVTOSCF_IFLOWERING_H
