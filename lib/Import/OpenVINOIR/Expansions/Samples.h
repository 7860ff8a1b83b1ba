// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Samples.h - Elements of images at positions --------------*- C++ -*-===//
//
// ROIAlign, ROIPooling, DeformableConvolution and others like them read images at positions that they compute. A
// position reads all channels at once: the channels are the last dim, and the pixels of all images are rows of one
// matrix.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_IMPORT_OPENVINOIR_EXPANSIONS_SAMPLES_H
#define RECUR_LIB_IMPORT_OPENVINOIR_EXPANSIONS_SAMPLES_H

#include "Expansion.h"

namespace recur::ir {

/// `value` times `weight`, but 0 where the weight is 0, even if the value is infinite or NaN. The operands broadcast,
/// and have the same element type.
mlir::Value weigh(Expansion &e, mlir::Value value, mlir::Value weight);

/// The nearest integers of real numbers; of two, the one that is further from 0.
mlir::Value roundAway(Expansion &e, mlir::Value value);

/// The type in which numbers of the element type `given`, also integers, are computed: f64 for f64, and f32 for all
/// others.
mlir::Type getComputedType(Expansion &e, mlir::Type given);

/// The pads at the beginning and at the end, `total` together, where the attribute `auto_pad` is "same_upper" or
/// "same_lower". If `total` is odd, "same_upper" makes the pad at the end greater.
std::pair<Size, Size> splitPads(Expansion &e, Size total);

/// The pads at the beginning and at the end of spatial dim `i` of operand 0 of a convolution, by its attributes
/// `auto_pad`, `pads_begin`, `pads_end`, `strides` and `dilations`. Operand `filters` is [outputs, inputs, kernel...].
std::pair<Size, Size> getPads(Expansion &e, int64_t i, unsigned filters = 1);

/// The pixels of images.
class Pixels {
public:
  /// `images` is [images, channels, height, width], of real numbers.
  Pixels(Expansion &e, mlir::Value images);
  /// The same of images of several sizes, [1, channels, height, width] each. `which` is an i64 tensor with the number
  /// of the image that each position is in; the image that `read` gets is 0 then.
  Pixels(Expansion &e, llvm::ArrayRef<mlir::Value> images, mlir::Value which);

  /// The numbers of rows and of columns of an image: sizes, or tensors of the shape of `which`.
  mlir::Value height, width;
  mlir::Type element;

  /// The pixels at whole positions. `image`, `row` and `column` are i64 tensors that broadcast to a shape; rows and
  /// columns are in the image. The result has the shape, then a dim with the channels. An `image` that is not in [0,
  /// images) is a fault.
  mlir::Value read(mlir::Value image, mlir::Value row, mlir::Value column);
  /// The pixels at positions between whole ones, interpolated from the four that are nearest. `row` and `column` have
  /// the pixels' element type. `counts` is a tensor of booleans; the result is 0 where it is false. With `padsZeros`,
  /// pixels outside of the image are 0; otherwise they are those at the border.
  mlir::Value interpolate(mlir::Value image, mlir::Value row, mlir::Value column, mlir::Value counts, bool padsZeros);

private:
  Expansion &e;
  /// [images * height * width, channels].
  mlir::Value rows;
  /// The row of the first pixel of each image, if they have several sizes.
  mlir::Value first;
};

} // namespace recur::ir

#endif // RECUR_LIB_IMPORT_OPENVINOIR_EXPANSIONS_SAMPLES_H
