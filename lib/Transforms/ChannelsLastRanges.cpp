// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChannelsLastRanges.cpp - Columns with the same windows -------------===//
//
// Finds the ranges, and compares the time that their tiles take with that of tiles for whole rows.
//
//===----------------------------------------------------------------------===//

#include "ChannelsLastRanges.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace recur;
using llvm::SmallVector;

static SmallVector<WindowRange> findRanges(const WindowDim &dim) {
  SmallVector<WindowRange> ranges;
  for (int64_t place : llvm::seq(dim.places)) {
    // The elements of the kernel in front of the element `to` of the data.
    auto countBefore = [&](int64_t to) {
      return std::clamp<int64_t>(llvm::divideCeilSigned(to - place * dim.stride, dim.dilation), 0, dim.kernel);
    };
    int64_t first = countBefore(dim.padBegin), end = std::max(first, countBefore(dim.size - dim.padEnd));
    if (ranges.empty() || ranges.back().firstOfKernel != first || ranges.back().endOfKernel != end)
      ranges.push_back({place, place, first, end});
    ranges.back().end = place + 1;
  }
  return ranges;
}

SmallVector<WindowRange> recur::divideColumns(const WindowDim &rows, const WindowDim &columns, int64_t tile) {
  // A smaller gain would not make up for the calls. In a long row, padding matters little.
  constexpr double leastGain = 1.1;
  constexpr int64_t mostPlaces = 4096;
  if (std::max(rows.places, columns.places) > mostPlaces)
    return {};
  SmallVector<WindowRange> rowRanges = findRanges(rows), ranges = findRanges(columns);
  // A step of the sum takes the time of as many positions as the tiles have, and of one more for the filters.
  auto measure = [&](int64_t positions) {
    constexpr int64_t fewest = 4;
    int64_t tiles = llvm::divideCeil(positions, tile), size = llvm::divideCeil(positions, tiles);
    return tiles * (std::max<int64_t>(fewest, llvm::alignTo(size, 2)) + 1);
  };
  int64_t whole = 0, divided = 0;
  for (const WindowRange &row : rowRanges) {
    whole += measure(row.countPlaces() * columns.places) * row.countOfKernel() * columns.kernel;
    for (const WindowRange &column : ranges)
      divided += measure(row.countPlaces() * column.countPlaces()) * row.countOfKernel() * column.countOfKernel();
  }
  if (double(whole) < leastGain * double(divided))
    ranges.clear();
  return ranges;
}
