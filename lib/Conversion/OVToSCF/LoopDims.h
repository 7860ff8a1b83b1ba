// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopDims.h - Which dims of a loop's values change --------*- C++ -*-===//
//
// A state has a buffer of fixed size only if its dims do not change from one iteration to the next. This analysis finds
// the states for which that is provable, before memory is planned.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOSCF_LOOPDIMS_H
#define RECUR_LIB_CONVERSION_OVTOSCF_LOOPDIMS_H

#include "BodyDims.h"

#include "Recur/Dialect/OV/IR/OV.h"

namespace recur {

/// The dims of the values of one loop, as far as they are known before the loop.
struct LoopDims {
  using Map = llvm::DenseMap<mlir::Value, BodyDims::Dims>;

  /// By block argument: the dims of the initial value of each carried value.
  Map initial;
  /// By block argument: the dims of a carried value after each iteration. Values whose dims change in each iteration
  /// are missing.
  Map settled;
  /// By yielded value: the dims of last values and slices, as far as they are the same in all iterations.
  Map yielded;
  /// True if the first iteration may leave other dims than it finds, as where a state of one row broadcasts to a batch.
  bool settles = false;
};

/// Determines the dims of a loop with the carried block arguments `args`, the initial values `inits`, and `yield` at
/// the end of the body. Tells `bodyDims` the dims of the arguments.
LoopDims findLoopDims(BodyDims &bodyDims, mlir::Block::BlockArgListType args, mlir::ValueRange inits,
                      ov::YieldOp yield);

} // namespace recur

#endif // RECUR_LIB_CONVERSION_OVTOSCF_LOOPDIMS_H
