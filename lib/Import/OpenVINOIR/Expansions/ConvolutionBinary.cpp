// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ConvolutionBinary.cpp - Convolutions of zeros and ones -------------===//
//
// This file expands BinaryConvolution. An element of the data agrees with one of the filter, or it does not. With 1 and
// -1 for the ones and the zeros, the product of both says that, so an ordinary convolution counts.
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

LogicalResult recur::ir::expandBinaryConvolution(Expansion &e) {
  if (failed(e.expectRank(0, 4, 4)) || failed(e.expectRank(1, 4, 4)))
    return failure();
  constexpr int64_t kMost = int64_t(1) << 31;
  for (auto [name, least] :
       {std::pair<StringRef, int64_t>("strides", 1), {"dilations", 1}, {"pads_begin", 0}, {"pads_end", 0}}) {
    int64_t first = least;
    if (e.integers(name).size() != 2 ||
        !llvm::all_of(e.integers(name), [&](int64_t entry) { return entry >= first && entry < kMost; }))
      return e.error("expected '" + name + "' to have two entries of " + Twine(least) + " or more");
  }
  Value data = e.operand(0), filters = e.operand(1);
  Type given = elementOf(data), real = getComputedType(e, given);
  // The pads of both ends along a spatial axis.
  SmallVector<Size> begin{e.size(0), e.size(0)}, end{e.size(0), e.size(0)};
  for (int64_t i : {0, 1}) {
    auto [before, behind] = getPads(e, i);
    begin.push_back(before);
    end.push_back(behind);
  }
  Value padded =
      e.pad(e.convert(data, real), e.concat(begin, 0), e.concat(end, 0), e.scalar(e.number("pad_value"), real));
  auto is = [&](double value) { return e.convert(e.equal(padded, e.scalar(value, real)), real); };
  Value ones = is(1), zeros = is(0);
  // An element that is neither agrees with nothing, so it counts -1 for each element of the filter.
  Value others = e.subtract(e.add(ones, zeros), 1), signs = e.subtract(ones, zeros);
  Value filterSigns = e.subtract(e.multiply(e.convert(filters, real), 2), 1);
  Value counting = e.broadcast(e.unsqueeze(e.scalar(1, real), {0}), e.shapeOf(filterSigns));
  auto entries = [&](StringRef name) { return e.attribute(name, e.integers(name)); };
  Value result = e.make<ov::ConvolutionOp>({e.concat({signs, others}, 1), e.concat({filterSigns, counting}, 1)},
                                           {entries("strides"), entries("dilations"),
                                            e.attribute("pads_begin", ArrayRef<int64_t>{0, 0}),
                                            e.attribute("pads_end", ArrayRef<int64_t>{0, 0})});
  return e.replace(e.convert(result, given));
}
