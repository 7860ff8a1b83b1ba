// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopSlices.cpp - Raise reads to sliced inputs ----------------------===//
//
// A gather, slice or strided slice that reads one part of a loop-invariant tensor at a counter becomes a sliced input
// of the loop. The set of faults must stay the same: a read beyond the end is a fault or gives an empty part, and a
// loop with too few parts is a fault.
//
//===----------------------------------------------------------------------===//

#include "RaiseLoops.h"
#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace recur::ov;
using namespace recur::ov::raising;

namespace {
/// The operands of an op that reads one part of a loop-invariant tensor in each iteration.
struct Read {
  /// The tensor, and the axis along which `counter` is the index of the part.
  Value data;
  int64_t axis;
  Induction counter;
  /// True if an index out of range is a fault; false if the part is then empty.
  bool faults;
  /// True if a negative index counts from the end.
  bool countsFromEnd;
};

/// A sliced input that replaces `reader`, which reads the same part.
struct NewSlice {
  Operation *reader;
  Value data;
  SliceInputAttr slice;
  RankedTensorType part;
};
} // namespace

/// The sliced input that has the same parts as `read` in every iteration. Fails, with a remark, if this cannot be
/// proved.
static FailureOr<NewSlice> getSlice(LoopOp loop, Operation *reader, const Read &read, RewriterBase &rewriter) {
  auto type = cast<RankedTensorType>(read.data.getType());
  int64_t dim = type.getDimSize(read.axis);
  int64_t start = read.counter.start, step = read.counter.step;
  std::optional<int64_t> trip = getConstantInteger(loop.getTripCount());
  if (step == 0)
    return rewriter.notifyMatchFailure(reader, "expected a counter that is not always the same");
  SliceInputAttr slice;
  if (trip && *trip > 0 && !ShapedType::isDynamic(dim)) {
    std::optional<int64_t> last = getLast(loop, read.counter);
    if (read.countsFromEnd && last && start < 0 && start >= -dim && *last < 0 && *last >= -dim) {
      start += dim;
      *last += dim;
    }
    if (!last || start < 0 || start >= dim || *last < 0 || *last >= dim)
      return rewriter.notifyMatchFailure(reader, "expected a part for every iteration that the trip count allows");
    slice = SliceInputAttr::get(loop.getContext(), read.axis, start, *last, step, 1);
  } else {
    if (!read.faults)
      return rewriter.notifyMatchFailure(reader,
                                         "expected a number of iterations that is provably not above the dim, as "
                                         "what lies beyond the end is empty");
    // An index beyond the last part is a fault, and so are more iterations than parts. Both are the same fault only if
    // all iterations of the trip count run.
    if (!loop.isConditionAlwaysTrue())
      return rewriter.notifyMatchFailure(reader, "expected a loop that does not end before its trip count");
    if (start != 0 || step != 1)
      return rewriter.notifyMatchFailure(reader, "expected a counter from 0 by 1 where the number of parts is known at "
                                                 "run time only");
    if (!isNonNegative(loop.getTripCount()))
      return rewriter.notifyMatchFailure(reader, "expected a trip count that is provably not -1");
    slice = SliceInputAttr::get(loop.getContext(), read.axis, 0, -1, 1, 1);
  }
  SmallVector<int64_t> shape(type.getShape());
  shape[read.axis] = 1;
  return NewSlice{reader, read.data, slice, type.clone(shape)};
}

/// True if the one-element integer `more` is provably `value` + 1, apart from wrapping.
static bool isOneMore(Value more, Value value) {
  Affine a = getAffine(more), b = getAffine(value);
  return a.base == b.base && a.scale == b.scale && a.offset == b.offset + 1;
}

/// The part that a gather with a counter as its only index reads.
static std::optional<Read> getRead(LoopOp loop, GatherOp op) {
  auto data = cast<RankedTensorType>(op.getData().getType());
  std::optional<int64_t> axis = getConstantAxis(op.getAxis(), data.getRank());
  std::optional<Induction> counter = getInduction(loop, op.getIndices());
  if (!axis || !counter || cast<RankedTensorType>(op.getIndices().getType()).getRank() > 1 || op.getBatchDims() != 0)
    return std::nullopt;
  return Read{op.getData(), *axis, *counter, /*faults=*/true, /*countsFromEnd=*/op.getVersion() >= 8};
}

/// The part that a slice reads, if it takes one element of one dim and all other dims whole. `begin` and `end` are the
/// operands with the bounds.
static std::optional<Read> getRead(LoopOp loop, Value data, const std::optional<Slicing> &slicing, Value begin,
                                   Value end) {
  if (!slicing || !slicing->areAxesKnown || !slicing->newAxes.empty())
    return std::nullopt;
  std::optional<int64_t> axis;
  for (auto [d, dim] : llvm::enumerate(slicing->dims)) {
    int64_t size = cast<RankedTensorType>(data.getType()).getDimSize(d);
    if (dim.isWhole() || (dim.isKnown() && !dim.shrinks && dim.start == 0 && dim.step == 1 && dim.size == size))
      continue;
    if (axis || !dim.entry || !dim.hasBegin || (!dim.shrinks && (!dim.hasEnd || dim.step != 1)))
      return std::nullopt;
    axis = d;
  }
  if (!axis)
    return std::nullopt;
  const SliceDim &dim = slicing->dims[*axis];
  Value first = getEntry(begin, *dim.entry);
  std::optional<Induction> counter = first ? getInduction(loop, first) : std::nullopt;
  if (!counter)
    return std::nullopt;
  if (dim.shrinks)
    return Read{data, *axis, *counter, /*faults=*/true, /*countsFromEnd=*/true};
  Value last = getEntry(end, *dim.entry);
  if (!last || !isOneMore(last, first))
    return std::nullopt;
  return Read{data, *axis, *counter, /*faults=*/false, /*countsFromEnd=*/false};
}

/// The sliced input that replaces `op`, if `op` is a read of a loop-invariant tensor at a counter.
static FailureOr<NewSlice> matchSlice(LoopOp loop, Operation &op, RewriterBase &rewriter) {
  if (!isa<GatherOp, SliceOp, StridedSliceOp>(op) || !isOutside(loop, op.getOperand(0)))
    return failure();
  std::optional<Read> read;
  if (auto gather = dyn_cast<GatherOp>(op))
    read = getRead(loop, gather);
  else if (auto slice = dyn_cast<SliceOp>(op))
    read = getRead(loop, slice.getData(), getSlicing(slice), slice.getStart(), slice.getStop());
  else if (auto slice = dyn_cast<StridedSliceOp>(op))
    read = getRead(loop, slice.getData(), getSlicing(slice), slice.getBegin(), slice.getEnd());
  if (!read)
    return failure();
  return getSlice(loop, &op, *read, rewriter);
}

LoopOp raising::raiseSlices(LoopOp loop, RewriterBase &rewriter) {
  SmallVector<NewSlice> found;
  for (Operation &op : *loop.getBodyBlock())
    if (FailureOr<NewSlice> slice = matchSlice(loop, op, rewriter); succeeded(slice))
      found.push_back(*slice);
  if (found.empty())
    return loop;
  SmallVector<Value> sliced(loop.getSliced());
  SmallVector<Attribute> slices(loop.getSlices().begin(), loop.getSlices().end());
  unsigned firstNew = (loop.getIndexArg() ? 1 : 0) + sliced.size();
  for (auto [i, slice] : llvm::enumerate(found)) {
    sliced.push_back(slice.data);
    slices.push_back(slice.slice);
    Location loc = slice.reader->getLoc();
    Value part = loop.getBodyBlock()->insertArgument(firstNew + i, slice.part, loc);
    auto type = cast<RankedTensorType>(slice.reader->getResult(0).getType());
    rewriter.setInsertionPoint(slice.reader);
    if (type.getRank() < slice.part.getRank()) {
      auto axes = RankedTensorType::get({1}, rewriter.getI64Type());
      Value axis = createInteger(rewriter, loc, axes, slice.slice.getAxis());
      part = SqueezeOp::create(rewriter, loc, type, part, axis);
    } else if (type != slice.part) {
      part = tensor::CastOp::create(rewriter, loc, type, part);
    }
    rewriter.replaceOp(slice.reader, part);
  }
  rewriter.setInsertionPoint(loop);
  return rebuild(loop, rewriter, sliced, loop.getEmptyDims(), rewriter.getArrayAttr(slices),
                 loop.getConcatenated().getTypes(), loop.getConcats());
}
