// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- IfLowering.h - Lower If to scf ---------------------------*- C++ -*-===//
#ifndef RECUR_CONVERSION_OVTOSCF_IFLOWERING_H
#define RECUR_CONVERSION_OVTOSCF_IFLOWERING_H

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/IR/PatternMatch.h"

namespace recur {
/// Replaces an If by `scf.if`. What encloses it has been lowered already, so that its results may find where they
/// belong: a value that is written to one place when the If is done is written there by both bodies.
void lowerIf(mlir::RewriterBase &rewriter, ov::IfOp op);
} // namespace recur

#endif // RECUR_CONVERSION_OVTOSCF_IFLOWERING_H
