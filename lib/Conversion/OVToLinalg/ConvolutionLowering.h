// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ConvolutionLowering.h - Lowering of one convolution ------*- C++ -*-===//
//
// The class that lowers a convolution. Convolution.cpp describes the forms that it has; ConvolutionLast.cpp has the one
// with the channels last.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_CONVOLUTIONLOWERING_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_CONVOLUTIONLOWERING_H

#include "Indexing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace recur::ov {

/// Lowers one Convolution or GroupConvolution. A Convolution has one group.
template <typename Op>
class ConvolutionLowering {
public:
  ConvolutionLowering(LoweringBuilder &b, Op op, typename Op::Adaptor adaptor, ConvolutionOptions options)
      : b(b), op(op), options(options), element(op.getType().getElementType()), data(adaptor.getData()),
        filters(adaptor.getFilters()), spatial(rankOf(data) - 2) {}

  mlir::Value lower();

private:
  static constexpr bool hasGroups = std::is_same_v<Op, GroupConvolutionOp>;
  /// The window along one spatial dim: the pads, the size of the kernel, and the number of positions.
  struct Window {
    mlir::OpFoldResult padBegin, padEnd, kernel, places;
  };

  mlir::Value times(mlir::OpFoldResult x, mlir::OpFoldResult y) {
    return b.createOrFold<mlir::arith::MulIOp>(toValue(b, x), toValue(b, y));
  }
  /// Checks that the channels of the data are those of the filters times the groups, and sets N, G, O and I.
  void checkChannels();
  /// Computes the window of spatial dim `i`. Checks that the kernel fits, unless the pads are computed such that it
  /// does (SAME_UPPER and SAME_LOWER).
  Window planWindow(int64_t i);
  /// Copies what each position reads: [N, G, I, padded...] becomes [N, G, I, kernel..., places...].
  mlir::Value copyWindows(mlir::Value padded);
  /// The product for all groups and batches.
  mlir::Value multiplyAll(mlir::Value matrices, mlir::Value windows);
  /// True if the filters are f32 or f64 constants in the weights file.
  bool isConstant();
  /// True if they are a small constant, which stands in the IR.
  bool isSmallConstant();
  /// True if the result has too few positions to fill vectors, and enough output channels.
  bool hasFewPlaces();
  /// The convolution of a result of few positions, [N, O, S]. The padded data is [N, I, spatial...].
  mlir::Value multiplyFewPlaces(mlir::Value padded);
  /// The number R of channels in a tile for the kernel, or 0 if the convolution is none for the kernel.
  int64_t chooseTile();
  /// The filters as a constant of [G, T, I, kernel..., R], or [G, T, kernel..., I, R] if the input channels are to come
  /// last, and transformed for Winograd's algorithm. Then the rows of a kernel of three dims come first. The last tile
  /// is padded with zeros.
  mlir::Value packFilters(int64_t tile, bool inputsLast = false, bool isTransformed = false);
  /// The same for a small constant, which is not transformed.
  mlir::Value packSmallFilters(mlir::RankedTensorType packed, mlir::DenseElementsAttr filters, bool inputsLast);
  /// The convolution with packed filters, [N, G, O, places...].
  mlir::Value convolve(mlir::Value packed, mlir::Value padded);
  /// True if the result shall have its channels last.
  bool isLast();
  /// True if each channel has filters of its own.
  bool isOwn();
  /// The filters of channels on their own as a constant of [kernel..., G].
  mlir::Value packOwnFilters();
  /// True if Winograd's algorithm, which needs four multiplications for two positions instead of six, or five with
  /// strides of 2, saves time.
  bool usesWinograd();
  /// The convolution with channels last, and a transpose to [N, O, places...].
  mlir::Value lowerLast();

  LoweringBuilder &b;
  Op op;
  ConvolutionOptions options;
  mlir::Type element;
  mlir::Value data, filters;
  int64_t spatial;
  /// N, G, O and I.
  mlir::OpFoldResult batch, groups, outputs, inputs;
  llvm::SmallVector<Window> windows;
};

/// Merges dims of `tensor`. `starts` are the first dims of the groups that become one dim each.
inline mlir::Value mergeDims(LoweringBuilder &b, mlir::Value tensor, llvm::ArrayRef<int64_t> starts) {
  int64_t rank = rankOf(tensor);
  if (static_cast<int64_t>(starts.size()) == rank)
    return tensor;
  llvm::SmallVector<mlir::ReassociationIndices> groups(starts.size());
  for (auto [i, group] : llvm::enumerate(groups))
    llvm::append_range(group, llvm::seq(starts[i], i + 1 < starts.size() ? starts[i + 1] : rank));
  return mlir::tensor::CollapseShapeOp::create(b, tensor, groups);
}

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_CONVOLUTIONLOWERING_H
