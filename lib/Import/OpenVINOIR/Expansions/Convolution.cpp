// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Convolution.cpp - Transposed convolutions --------------------------===//
//
// This file expands ConvolutionBackpropData and GroupConvolutionBackpropData. A transposed convolution is a convolution
// with stride 1: the data get `stride - 1` zeros after each element, and the filters are in reverse order.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "../TypeSyntax.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace recur;
using namespace recur::ir;
using llvm::Twine;

/// The attribute `name`, a list with an entry for each spatial dim. Reports an error if an entry is below `least`.
static FailureOr<ArrayRef<int64_t>> readList(Expansion &e, StringRef name, int64_t spatial, int64_t least) {
  ArrayRef<int64_t> list = e.integers(name);
  constexpr int64_t kMost = int64_t(1) << 31;
  if (int64_t(list.size()) == spatial &&
      llvm::all_of(list, [&](int64_t value) { return value >= least && value < kMost; }))
    return list;
  return e.error("expected '" + name + "' to have an entry of " + Twine(least) + " or more for each of " +
                 Twine(spatial) + " spatial dims");
}

/// `data` with `stride - 1` zeros after each element along `axis`, but not after the last one.
static Value spread(Expansion &e, Value data, int64_t axis, int64_t stride) {
  if (stride == 1 || !data)
    return data;
  int64_t rank = rankOf(data);
  SmallVector<Size> sizes;
  for (int64_t i : llvm::seq(rank))
    sizes.push_back(e.dim(data, i));
  sizes[axis] = e.multiply(sizes[axis], double(stride));
  SmallVector<int64_t> begin(rank + 1), end(rank + 1);
  end[axis + 1] = stride - 1;
  Value wide = e.pad(e.unsqueeze(data, {axis + 1}), e.integers(begin), e.integers(end), e.scalar(0, elementOf(data)));
  return e.slice(e.reshape(wide, sizes), axis, e.size(0), e.subtract(sizes[axis], double(stride - 1)));
}

/// Expands a transposed convolution. `groupDims` is 1 if the first dim of the filters is the number of groups, else 0.
static LogicalResult expandTransposed(Expansion &e, int64_t groupDims) {
  if (failed(e.expectRank(0, 3, 5)))
    return failure();
  Value data = e.operand(0), filters = e.operand(1);
  int64_t rank = rankOf(data), spatial = rank - 2;
  if (failed(e.expectRank(1, rank + groupDims, rank + groupDims)))
    return failure();
  FailureOr<ArrayRef<int64_t>> strides = readList(e, "strides", spatial, 1);
  FailureOr<ArrayRef<int64_t>> dilations = readList(e, "dilations", spatial, 1);
  FailureOr<ArrayRef<int64_t>> begin = readList(e, "pads_begin", spatial, 0);
  FailureOr<ArrayRef<int64_t>> end = readList(e, "pads_end", spatial, 0);
  FailureOr<ArrayRef<int64_t>> more = readList(e, "output_padding", spatial, 0);
  if (failed(strides) || failed(dilations) || failed(begin) || failed(end) || failed(more))
    return failure();
  Value wanted = e.operand(2);
  if (wanted && (rankOf(wanted) != 1 || (typeOf(wanted).hasStaticShape() && typeOf(wanted).getDimSize(0) != spatial)))
    return e.error("expected 'output_shape' to have an entry for each of " + Twine(spatial) +
                   " spatial dims, but got " + spell(typeOf(wanted)));
  StringRef autoPad = e.text("auto_pad");
  SmallVector<Size> before(2, e.size(0)), behind = before;
  for (int64_t i : llvm::seq(spatial)) {
    Size kernel = e.dim(filters, i + 2 + groupDims);
    Size reach = e.multiply(e.subtract(kernel, 1), double((*dilations)[i]));
    // Without pads, the result has this many elements.
    Size all = e.add(e.add(e.multiply(e.subtract(e.dim(data, i + 2), 1), double((*strides)[i])), reach), 1);
    Size padBegin = e.size(autoPad == "explicit" ? (*begin)[i] : 0);
    Size padEnd = e.size(autoPad == "explicit" ? (*end)[i] : 0);
    if (wanted) {
      Size size = e.gather(wanted, e.size(i), 0);
      // The pads remove the elements that are too many. If their number is odd, "same_upper" removes one more at the
      // beginning, "same_lower" at the end.
      Size total = e.subtract(e.add(all, double((*more)[i])), size);
      if (autoPad.starts_with("same")) {
        Size less = e.divide(e.maximum(total, 0), 2);
        padBegin = autoPad == "same_upper" ? e.subtract(e.maximum(total, 0), less) : less;
      }
      padEnd = e.subtract(total, padBegin);
    }
    before.push_back(e.subtract(reach, padBegin));
    behind.push_back(e.add(e.subtract(reach, padEnd), double((*more)[i])));
  }
  for (int64_t i : llvm::seq(spatial))
    data = spread(e, data, i + 2, (*strides)[i]);
  // Pads below 0 crop the data.
  data = e.pad(data, e.concat(before, 0), e.concat(behind, 0), e.scalar(0, elementOf(e.operand(0))));
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq(rank + groupDims));
  std::swap(order[groupDims], order[groupDims + 1]);
  filters = e.transpose(filters, order);
  for (int64_t i : llvm::seq(spatial))
    filters = e.slice(filters, i + 2 + groupDims, -1, INT64_MIN, -1);
  SmallVector<int64_t> ones(spatial, 1), zeros(spatial, 0);
  SmallVector<NamedAttribute> attributes{
      e.attribute("strides", ArrayRef(ones)), e.attribute("pads_begin", ArrayRef(zeros)),
      e.attribute("pads_end", ArrayRef(zeros)), e.attribute("dilations", ArrayRef(*dilations))};
  if (groupDims)
    return e.replace(e.make<ov::GroupConvolutionOp>({data, filters}, attributes));
  return e.replace(e.make<ov::ConvolutionOp>({data, filters}, attributes));
}

LogicalResult recur::ir::expandConvolutionBackpropData(Expansion &e) { return expandTransposed(e, /*groupDims=*/0); }

LogicalResult recur::ir::expandGroupConvolutionBackpropData(Expansion &e) {
  return expandTransposed(e, /*groupDims=*/1);
}
