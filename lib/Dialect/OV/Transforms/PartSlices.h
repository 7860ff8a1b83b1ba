// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PartSlices.h - Parts of a tensor that a loop slices -------*- C++ -*-===//
//
// Layers of an unrolled loop read parts of a tensor, by slices, gathers and splits. This tells which slicing of the
// tensor has these parts, one for each iteration.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_DIALECT_OV_TRANSFORMS_PARTSLICES_H
#define RECUR_LIB_DIALECT_OV_TRANSFORMS_PARTSLICES_H

#include "Recur/Dialect/OV/IR/OV.h"

namespace recur::ov {
/// Parts of `data` along one axis, one for each iteration. The parts have all elements along the other dims. If
/// `squeezes` is true, they do not have the axis.
struct PartSlices {
  mlir::Value data;
  SliceInputAttr slice;
  bool squeezes;
};

/// The slices that `values`, two or more, are: one for each iteration, in this order. Returns nullopt if they are no
/// slices of one tensor at equal distances.
std::optional<PartSlices> findSlices(mlir::ArrayRef<mlir::Value> values);
} // namespace recur::ov

#endif // RECUR_LIB_DIALECT_OV_TRANSFORMS_PARTSLICES_H
