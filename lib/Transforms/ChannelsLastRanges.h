// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChannelsLastRanges.h - Columns with the same windows -----*- C++ -*-===//
//
// Windows of a convolution at the edges of its data read padding, in particular with dilations. Columns of results
// whose windows have data in the same columns of the kernel are a range, which can be computed without the other
// columns.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_CHANNELSLASTRANGES_H
#define RECUR_LIB_TRANSFORMS_CHANNELSLASTRANGES_H

#include "llvm/ADT/SmallVector.h"

namespace recur {

/// The windows along a dim: `places` windows of `kernel` elements, of data that have `size` elements, of which the
/// first and the last ones are padding.
struct WindowDim {
  int64_t places, size, padBegin, padEnd, kernel, stride, dilation;
};

/// Windows that follow each other, and the elements of the kernel that have data in them.
struct WindowRange {
  int64_t first, end, firstOfKernel, endOfKernel;

  int64_t countPlaces() const { return end - first; }
  int64_t countOfKernel() const { return endOfKernel - firstOfKernel; }
};

/// The ranges of columns, or nothing if dividing the columns into them saves too little. Rows of the kernel that read
/// padding are left out anyway. Tiles of the kernel have up to `tile` positions.
llvm::SmallVector<WindowRange> divideColumns(const WindowDim &rows, const WindowDim &columns, int64_t tile);

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_CHANNELSLASTRANGES_H
