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

/// A tensor as one of three dims, the middle one of which is an axis that the call decides.
struct AxisView {
  /// The dims of the tensor, an i64 tensor of shape [rank].
  mlir::Value shape;
  int64_t rank;
  /// The axis, counted from the first one.
  Size axis;
  Size outer, length, inner;
};
/// The view of `data`. Only the dims from `first` on are in it.
AxisView viewAlong(Expansion &e, mlir::Value data, mlir::Value axis, int64_t first = 0);
/// The shape of the view, with the `count` dims `middle` in place of the axis.
mlir::Value spliceShape(Expansion &e, const AxisView &view, mlir::Value middle, int64_t count);

/// An axis of a layer: `open` if only the call tells it, an i64 tensor of shape [1], else `number`.
struct Axis {
  int64_t number;
  mlir::Value open;
};
/// The axes in operand `i`, of a tensor of rank `rank`. Reports an error if one is out of range or given twice, or if
/// their number is not known. If the call decides the axes, such an axis fails the call.
mlir::FailureOr<llvm::SmallVector<Axis>> readAxisList(Expansion &e, unsigned i, int64_t rank);

/// Computes along an axis: `enter` gives a tensor in which `axis` is the axis, and `leave` gives a result its dims
/// back, of which only that of the axis may be another. Tensors that enter have the dims of `data`. A result with the
/// dims of one that has left before, `like`, gets the same dims, so that they are known to be equal.
class AlongAxis {
public:
  AlongAxis(Expansion &e, const Axis &axis, mlir::Value data);
  mlir::Value enter(mlir::Value data);
  mlir::Value leave(mlir::Value result, mlir::Value like = {});
  int64_t axis;

private:
  Expansion &e;
  std::optional<AxisView> view;
  /// The shape of all that has entered, or null before the first one.
  mlir::Value entered;
};

/// Computes along the last axis of a tensor as along an outer one: `enter` moves it behind the first axis, or in front
/// of it, and `leave` moves it back. So slices along the axis have contiguous elements, which costs less to gather even
/// with both transpositions. Tensors stay as they are if `axis` is another one, or has all their elements.
class LastAxisOutside {
public:
  LastAxisOutside(Expansion &e, int64_t axis, mlir::Value data);
  mlir::Value enter(mlir::Value data);
  mlir::Value leave(mlir::Value result);
  int64_t axis;

private:
  Expansion &e;
  bool moves = false;
};

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
