// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Axes.h - Axes that the call decides ----------------------*- C++ -*-===//
//
// Most ops of the dialect have constant axes. A layer whose axes are not constant is built from other ops, as long as
// the ranks of its results are known. This file has what such expansions share.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_EXPANSIONS_AXES_H
#define RECUR_LIB_IMPORT_OPENVINOIR_EXPANSIONS_AXES_H

#include "Expansion.h"

namespace recur::ir {

/// True if the value is a constant of integers.
bool isConstant(mlir::Value value);
/// `axes`, an i64 tensor of rank 0 or 1, as a tensor of rank 1 whose entries count from the first of `rank` axes. An
/// axis out of range fails the call.
mlir::Value countFromFirst(Expansion &e, mlir::Value axes, int64_t rank);
/// A boolean for each of `rank` axes: true if `axes` contains it.
mlir::Value isListed(Expansion &e, mlir::Value axes, int64_t rank);
/// `value`, which stays as it is if `condition` (a boolean tensor) is true everywhere. Otherwise the call fails with
/// the status of a shape.
Size require(Expansion &e, mlir::Value condition, Size value);

/// The reduction `op` ("ov.reduce_sum") of `data` along `axes`, an i64 tensor that the call decides. If dims are not
/// kept, the number of axes is known.
mlir::Value reduceAlong(Expansion &e, llvm::StringRef op, mlir::Value data, mlir::Value axes, bool keepDims);
/// The reduction `OpT` with unit dims for the axes, which may be constant or not.
template <typename OpT>
mlir::Value reduceKeeping(Expansion &e, mlir::Value data, mlir::Value axes) {
  if (isConstant(axes))
    return e.make<OpT>({data, axes}, e.attribute("keep_dims", true));
  return reduceAlong(e, OpT::getOperationName(), data, axes, /*keepDims=*/true);
}

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_EXPANSIONS_AXES_H
