// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WinogradKernel.h - Code for transformed filters ----------*- C++ -*-===//
//
// Emits the body of the kernel for a convolution by Winograd's algorithm F(2, 3). Along a transformed dim, two
// positions are computed together. Their windows cover four elements d of the data, which become
//
//     d0 - d2, d1 + d2, d2 - d1, d1 - d3.
//
// Each of them is multiplied by an element of the transformed filters, and summed over all channels, by the kernel for
// products of matrices: the rows are pairs of positions, the columns are channels of the result. The two results are
// made of the four sums m as m0 + m1 + m2 and m1 - m2 - m3.
//
// With a stride of 2, the windows cover five elements, which become
//
//     d0 - d2, d2, d2 - d4, d1, d3.
//
// The last two are multiplied by the same element of the filters. The results are m0 + m1 + m3 and m1 - m2 + m4.
//
// A sum that is not finite could make two results not finite where only one is. So a pair with such a result is
// computed once more, without transformed data.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_WINOGRADKERNEL_H
#define RECUR_LIB_TRANSFORMS_WINOGRADKERNEL_H

#include "ChannelsLastKernel.h"

namespace recur {

/// The numbers of the arguments of the kernel, in their order.
enum WinogradArgument : unsigned {
  /// The filters, [tile, transformed element, input channel, channel].
  kWinogradFilters,
  /// The data, from its first element on, with one dim more in front, along which a call can be divided.
  kWinogradData,
  /// The result, [row, column, tile, channel].
  kWinogradResult,
  /// The distances of rows and of columns of the data, and the greatest number of a row and of a column.
  kWinogradRowStep,
  kWinogradColumnStep,
  kWinogradLastRow,
  kWinogradLastColumn,
  /// The dilations along rows and along columns, which are 1 if there are strides.
  kWinogradDilationY,
  kWinogradDilationX,
  /// The number that all sums start from.
  kWinogradStart,
  /// Room for getWinogradRoom elements, from the first one on. A part of a call has an index of the first dim for
  /// itself.
  kWinogradScratch,
  /// The pairs of positions in a group.
  kWinogradGroup,
  /// The number of channels that all tiles have in the result, for the epilogue. Its other inputs come behind it.
  kWinogradChannels,
  kWinogradInputs,
};

/// How rows or columns are transformed.
enum class WinogradForm { none, stride1, stride2 };

/// The elements of the data that a pair of positions has along a dim of this form, and the elements of its filters.
constexpr int64_t getPairElements(WinogradForm form) {
  return form == WinogradForm::none ? 1 : form == WinogradForm::stride1 ? 4 : 5;
}
constexpr int64_t getFilterElements(WinogradForm form) { return form == WinogradForm::none ? 1 : 4; }

/// The transformed data of a group has one plane for each element of a pair, and so have its sums. A plane has this
/// many elements more than it needs: a cache line, without which the planes of groups and channels of even numbers
/// begin in one set of L1.
constexpr int64_t kWinogradPad = 16;

/// The room for a group of `group` pairs with so many elements.
constexpr int64_t getWinogradRoom(int64_t group, int64_t elements, int64_t inputs) {
  return elements * (group * (inputs + ov::kWinogradTile) + 2 * kWinogradPad);
}

/// Fills the entry block of the kernel. `forms` are those of rows and columns. `product` is the kernel for several rows
/// (ProductKernels.h), for blocks of `block` columns.
void emitWinograd(mlir::func::FuncOp func, mlir::FloatType type, int64_t lanes, std::array<WinogradForm, 2> forms,
                  mlir::func::FuncOp product, int64_t block, const std::optional<TileEpilogue> &epilogue);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_WINOGRADKERNEL_H
