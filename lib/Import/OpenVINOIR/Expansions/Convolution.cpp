// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Convolution.cpp - Transposed convolutions --------------------------===//
//
// This file expands ConvolutionBackpropData and GroupConvolutionBackpropData. A transposed convolution is a convolution
// with stride 1: the data get `stride - 1` zeros after each element, and the filters are in reverse order.
//
// There need not be zeros. The results at a distance of the stride, a phase, come from the elements of the kernel at
// this distance, so a phase is a convolution of the data with these, and the phases are interleaved. If each phase is a
// convolution on its own, it has as many elements of the kernel as it needs, and computes only what the pads leave. If
// the size of the kernel is a multiple of the stride, one convolution can compute all phases, which are output
// channels.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "Samples.h"

#include "../TypeSyntax.h"

#include "Recur/Dialect/OV/IR/ChannelsLast.h"

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
  if (stride == 1)
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

/// True if one convolution can compute all phases.
static bool hasWholePhases(Value filters, ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations) {
  ArrayRef<int64_t> kernel = typeOf(filters).getShape().drop_front(2);
  auto isWhole = [&](int64_t i) { return kernel[i] > 0 && kernel[i] % strides[i] == 0 && dilations[i] == 1; };
  return typeOf(filters).hasStaticShape() && llvm::any_of(strides, [](int64_t stride) { return stride > 1; }) &&
         llvm::all_of(llvm::seq<int64_t>(0, kernel.size()), isWhole);
}

/// The transposed convolution without pads, for which hasWholePhases holds.
static Value convolvePhases(Expansion &e, Value data, Value filters, ArrayRef<int64_t> strides) {
  int64_t spatial = strides.size();
  ArrayRef<int64_t> shape = typeOf(filters).getShape();
  // [I, O, kernel...] becomes [strides..., O, I, kernel / strides...], and then all phases are output channels.
  SmallVector<int64_t> parts{shape[0], shape[1]}, order, reach, ones(spatial, 1),
      all{shape[1] * llvm::product_of(strides), shape[0]};
  for (auto [size, stride] : llvm::zip_equal(shape.drop_front(2), strides)) {
    order.push_back(parts.size() + 1);
    parts.append({size / stride, stride});
    all.push_back(size / stride);
    reach.push_back(size / stride - 1);
  }
  order.append({1, 0});
  for (int64_t i : llvm::seq(spatial))
    order.push_back(2 + 2 * i);
  filters = e.reshape(e.transpose(e.reshape(filters, e.integers(parts)), order), e.integers(all));
  for (int64_t i : llvm::seq(spatial))
    if (reach[i])
      filters = e.slice(filters, i + 2, -1, INT64_MIN, -1);
  Value phases = e.make<ov::ConvolutionOp>(
      {data, filters}, {e.attribute("strides", ArrayRef(ones)), e.attribute("pads_begin", ArrayRef(reach)),
                        e.attribute("pads_end", ArrayRef(reach)), e.attribute("dilations", ArrayRef(ones))});
  // Interleaves them with the channels as the last dim, so that rows of channels stay whole: [N, S * O, places...] is
  // [N, places..., S, O] first.
  SmallVector<int64_t> toLast{0}, fromLast{0, spatial + 1}, woven{0};
  SmallVector<Size> apart{e.dim(phases, 0)}, joined = apart;
  for (int64_t i : llvm::seq(spatial)) {
    toLast.push_back(2 + i);
    fromLast.push_back(1 + i);
    woven.append({1 + i, 1 + spatial + i});
    apart.push_back(e.dim(phases, 2 + i));
    joined.push_back(e.multiply(apart.back(), double(strides[i])));
  }
  for (int64_t stride : strides)
    apart.push_back(e.size(stride));
  toLast.push_back(1);
  woven.push_back(1 + 2 * spatial);
  for (SmallVector<Size> *sizes : {&apart, &joined})
    sizes->push_back(e.size(shape[1]));
  Value last = e.reshape(e.transpose(phases, toLast), apart);
  return e.transpose(e.reshape(e.transpose(last, woven), joined), fromLast);
}

namespace {
/// So many results of a transposed convolution without pads are left out at the beginning and at the end of a dim.
struct Crop {
  int64_t begin, end;
};

/// Builds the phases of a transposed convolution as convolutions of their own.
class OwnPhases {
public:
  OwnPhases(Expansion &e, Value data, Value filters, int64_t groupDims, ArrayRef<int64_t> strides, ArrayRef<Crop> crops)
      : e(e), data(data), filters(filters), groupDims(groupDims), spatial(strides.size()), strides(strides),
        crops(crops) {}

  /// True if the phases can be built: there are not too many, each has elements of the kernel, and no pads of a phase
  /// are below 0.
  bool areValid(ArrayRef<int64_t> dilations) const {
    constexpr int64_t most = 16;
    int64_t count = llvm::product_of(strides);
    auto isValid = [&](int64_t i) {
      int64_t room = getKernel(i) - strides[i];
      return dilations[i] == 1 && crops[i].begin >= 0 && room >= crops[i].begin &&
             countMore(i) + crops[i].begin / strides[i] >= 0;
    };
    return typeOf(filters).hasStaticShape() && count > 1 && count <= most &&
           llvm::all_of(llvm::seq<int64_t>(0, spatial), isValid);
  }
  /// True if one convolution for all phases would do more: it would compute results that the crops leave out. Its
  /// channels fill tiles better if those of a phase are no whole tiles.
  bool areBetterThanOne() const {
    return typeOf(filters).getDimSize(1) % ov::kChannelTile == 0 &&
           llvm::any_of(crops, [](const Crop &crop) { return crop.begin != 0 || crop.end != 0; });
  }

  Value build() {
    SmallVector<int64_t> phase(spatial), fromLast{0, spatial + 1};
    Value result = weave(phase, 0);
    // [N, places, stride, ..., O] becomes [N, results, ..., O]. The last phases may have one result too many.
    SmallVector<Size> joined{e.dim(data, 0)};
    for (int64_t i : llvm::seq(spatial)) {
      joined.push_back(e.multiply(e.add(e.dim(data, i + 2), double(countMore(i))), double(strides[i])));
      fromLast.push_back(i + 1);
    }
    joined.push_back(e.dim(result, rankOf(result) - 1));
    result = e.reshape(result, joined);
    for (int64_t i : llvm::seq(spatial))
      if (int64_t over = countMore(i) * strides[i] - (getKernel(i) - strides[i] - crops[i].begin - crops[i].end))
        result = e.slice(result, i + 1, 0, -over);
    return e.transpose(result, fromLast);
  }

private:
  int64_t getKernel(int64_t i) const { return typeOf(filters).getDimSize(i + 2 + groupDims); }
  /// How many results more than data a phase has along a spatial dim.
  int64_t countMore(int64_t i) const {
    return llvm::divideCeilSigned(getKernel(i) - strides[i] - crops[i].begin - crops[i].end, strides[i]);
  }

  /// Interleaves the phases along the spatial dims from `i` on, as [N, places, stride, ..., O], so that rows of
  /// channels stay whole. `phase` has the numbers along the dims before.
  Value weave(MutableArrayRef<int64_t> phase, int64_t i) {
    if (i == spatial)
      return convolve(phase);
    SmallVector<Value> parts;
    for (int64_t number : llvm::seq(strides[i])) {
      phase[i] = number;
      parts.push_back(weave(phase, i + 1));
    }
    return parts.size() == 1 ? parts.front() : e.concat(parts, 2 * i + 2);
  }

  /// A phase as [N, places, 1, ..., O].
  Value convolve(ArrayRef<int64_t> phase) {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq(rankOf(filters))), ones(spatial, 1), begin, end, toLast{0},
                         units;
    std::swap(order[groupDims], order[groupDims + 1]);
    Value own = filters;
    for (int64_t i : llvm::seq(spatial)) {
      // Result j of the phase is result `j * stride + at` of those without pads, and comes from each stride-th element
      // of the kernel, from `first` on.
      int64_t at = phase[i] + crops[i].begin, first = at % strides[i],
              count = llvm::divideCeil(getKernel(i) - first, strides[i]);
      if (getKernel(i) != 1)
        own = e.slice(own, i + 2 + groupDims, first + (count - 1) * strides[i], INT64_MIN, -strides[i]);
      begin.push_back(count - 1 - at / strides[i]);
      end.push_back(countMore(i) + at / strides[i]);
      toLast.push_back(i + 2);
      units.push_back(2 * i + 2);
    }
    own = e.transpose(own, order);
    toLast.push_back(1);
    SmallVector<NamedAttribute> attributes{
        e.attribute("strides", ArrayRef(ones)), e.attribute("pads_begin", ArrayRef(begin)),
        e.attribute("pads_end", ArrayRef(end)), e.attribute("dilations", ArrayRef(ones))};
    Value result = groupDims ? e.make<ov::GroupConvolutionOp>({data, own}, attributes)
                             : e.make<ov::ConvolutionOp>({data, own}, attributes);
    return e.unsqueeze(e.transpose(result, toLast), units);
  }

  Expansion &e;
  Value data, filters;
  int64_t groupDims, spatial;
  ArrayRef<int64_t> strides;
  ArrayRef<Crop> crops;
};
} // namespace

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
  bool inPhases = !groupDims && hasWholePhases(filters, *strides, *dilations);
  SmallVector<Size> before(2, e.size(0)), behind = before;
  // Those that are known.
  SmallVector<Crop> crops;
  for (int64_t i : llvm::seq(spatial)) {
    Size kernel = e.dim(filters, i + 2 + groupDims);
    Size reach = e.multiply(e.subtract(kernel, 1), double((*dilations)[i]));
    // Without pads, the result has this many elements.
    Size all = e.add(e.add(e.multiply(e.subtract(e.dim(data, i + 2), 1), double((*strides)[i])), reach), 1);
    Size padBegin = e.size(autoPad == "explicit" ? (*begin)[i] : 0);
    Size padEnd = e.size(autoPad == "explicit" ? (*end)[i] : 0);
    if (wanted) {
      Size size = e.gather(wanted, e.size(i), 0);
      // The pads remove the elements that are too many. If their number is odd, they remove one more where a
      // convolution would add one less.
      Size total = e.subtract(e.add(all, double((*more)[i])), size);
      if (autoPad.starts_with("same"))
        padBegin = splitPads(e, e.maximum(total, 0)).second;
      padEnd = e.subtract(total, padBegin);
    }
    padEnd = e.subtract(padEnd, double((*more)[i]));
    if (padBegin && padEnd) {
      auto begin = ov::getConstantIntegers(padBegin), end = ov::getConstantIntegers(padEnd);
      if (begin && end)
        crops.push_back({begin->front(), end->front()});
    }
    // The zeros around the data, or around the result.
    Size around = inPhases ? e.size(0) : reach;
    before.push_back(e.subtract(around, padBegin));
    behind.push_back(e.subtract(around, padEnd));
  }
  if (int64_t(crops.size()) == spatial) {
    OwnPhases phases(e, data, filters, groupDims, *strides, crops);
    if (phases.areValid(*dilations) && (!inPhases || phases.areBetterThanOne()))
      return e.replace(phases.build());
  }
  if (inPhases)
    return e.replace(e.pad(convolvePhases(e, data, filters, *strides), e.concat(before, 0), e.concat(behind, 0),
                           e.scalar(0, elementOf(data))));
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
