// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ViewSizes.h - Sizes of views by those of their buffers ---*- C++ -*-===//
//
// Scratch takes its size from the view that it is for. The query can compute that size only if it is written in terms
// of the inputs.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_VIEWSIZES_H
#define RECUR_LIB_TRANSFORMS_VIEWSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace recur {
/// Replaces each size of a view, a `memref.dim` or a part of its strided metadata, by what the view was made with, as
/// far as that is known. Sizes that follow from the inputs then do so visibly, for example those of scratch that is as
/// large as a view.
void resolveViewSizes(mlir::func::FuncOp function);
} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_VIEWSIZES_H
