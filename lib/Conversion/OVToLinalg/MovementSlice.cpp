// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementSlice.cpp - Lowering of slices and splits ------------------===//
//
// This file lowers Slice, StridedSlice, Split and VariadicSplit. A part with constant steps that are positive is a
// tensor.extract_slice, which needs no copy. Elements at other steps are copied by a loop, and so are rows with steps
// that a kernel reads. `getSlicing` (OVMovement.h) has analyzed the operands; this file emits code for bounds that are
// known only at run time.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"
#include "Reshaping.h"

#include "Recur/Dialect/OV/IR/KnownSizes.h"
#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace recur::ov {

using P = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Slice and StridedSlice
//===----------------------------------------------------------------------===//

namespace {
/// The bounds and steps of a slice, each a vector of integers. If `steps` is null, all steps are 1.
struct Bounds {
  Value begin, end, steps;
};

/// The elements that are taken of a dim.
struct Taken {
  OpFoldResult start, size, step;
};

/// Lowers one Slice or StridedSlice, whose operands `slicing` describes.
class SliceLowering {
public:
  /// `readers` are the ops that read the result.
  SliceLowering(LoweringBuilder &b, Value data, const Slicing &slicing, Bounds bounds, Operation::user_range readers)
      : b(b), data(data), slicing(slicing), bounds(bounds),
        needsRows(llvm::any_of(readers, llvm::IsaPred<ConvolutionOp, GroupConvolutionOp, MatMulOp, TransposeOp>)) {}

  Value lower();

private:
  Value constant(int64_t value) { return indexOf(b, value); }
  /// The entry of a bound for a dim, as an index.
  Value read(Value vector, const SliceDim &dim) {
    // A constant entry may be far outside of the data; `take` limits it to the ends.
    DenseIntElementsAttr known;
    if (matchPattern(vector, m_Constant(&known)))
      return constant(known.getValues<APInt>()[*dim.entry].getSExtValue());
    return readIndex(b, vector, constant(*dim.entry));
  }
  /// Computes what is taken of dim `i`, with code for everything that is not known.
  Taken take(int64_t i);
  Taken shrink(int64_t i);
  /// A bound as an index, limited to the range from `least` to `most`. A negative bound counts from the end.
  Value clamp(Value bound, Value size, Value least, Value most);
  Value takeElements(ArrayRef<Taken> taken);
  Value takeSteps(Value part, ArrayRef<Taken> taken);
  /// True if a view can take the steps along dim `i`, which are `step`.
  bool isView(int64_t i, OpFoldResult step) const {
    std::optional<int64_t> known = getConstantIntValue(step);
    return known && *known > 0 && (*known == 1 || !needsRows || i + 1 != int64_t(slicing.dims.size()));
  }

  LoweringBuilder &b;
  Value data;
  const Slicing &slicing;
  Bounds bounds;
  /// True if a reader is computed by a kernel, which needs rows of contiguous elements.
  bool needsRows;
};
} // namespace

Value SliceLowering::clamp(Value bound, Value size, Value least, Value most) {
  Value isNegative = compare(b, P::slt, bound, constant(0));
  Value index = selectValue(b, isNegative, addIndex(b, bound, size), bound);
  return maxIndex(b, minIndex(b, index, most), least);
}

/// The single element of a dim that the result drops. Its index is checked unless it is provably in range.
Taken SliceLowering::shrink(int64_t i) {
  const SliceDim &dim = slicing.dims[i];
  Value start;
  if (dim.isInside)
    start = constant(dim.start);
  else
    start = checkIndex(b, dim.hasBegin ? read(bounds.begin, dim) : constant(0), getDim(b, data, i));
  return {toSize(b, start), b.getIndexAttr(1), b.getIndexAttr(1)};
}

Taken SliceLowering::take(int64_t i) {
  const SliceDim &dim = slicing.dims[i];
  if (dim.isWhole() && !dim.shrinks)
    return {b.getIndexAttr(0), getDimOrAttr(b, data, i), b.getIndexAttr(1)};
  if (dim.shrinks)
    return shrink(i);
  if (dim.isKnown())
    return {b.getIndexAttr(dim.start), b.getIndexAttr(dim.size), b.getIndexAttr(dim.step)};
  Value size = getDim(b, data, i), zero = constant(0), one = constant(1), minusOne = constant(-1);
  Value last = subIndex(b, size, one);
  Value step;
  if (!ShapedType::isDynamic(dim.step)) {
    step = constant(dim.step);
  } else {
    step = read(bounds.steps, dim);
    step = check(b, compare(b, P::ne, step, zero), rt::FaultKind::Shape, "the step of axis {0} is 0", constant(i), step)
               .front();
    // No tensor has more elements than the limit, and sums with a limited step do not overflow.
    Value limit = constant(int64_t(1) << 62);
    step = maxIndex(b, minIndex(b, step, limit), subIndex(b, zero, limit));
  }
  Value isBackward = compare(b, P::slt, step, zero);
  auto choose = [&](Value backward, Value forward) { return selectValue(b, isBackward, backward, forward); };
  // A backward slice ends at -1 at least, and begins at an element if there is one.
  Value least = choose(minusOne, zero), most = choose(last, size), first = choose(minIndex(b, zero, last), zero);
  Value begin = dim.hasBegin ? clamp(read(bounds.begin, dim), size, first, most) : choose(last, zero);
  Value end = dim.hasEnd ? clamp(read(bounds.end, dim), size, least, most) : choose(minusOne, size);
  // The number of elements between the bounds, and how many steps of it there are, rounded up.
  Value span = maxIndex(b, choose(subIndex(b, begin, end), subIndex(b, end, begin)), zero);
  Value count = span;
  if (!matchPattern(step, m_One())) {
    Value length = choose(subIndex(b, zero, step), step);
    count = b.createOrFold<arith::DivUIOp>(addIndex(b, span, subIndex(b, length, one)), length);
  }
  // An empty backward slice may begin at -1, which is not a valid index.
  if (dim.step != 1)
    begin = maxIndex(b, begin, zero);
  OpFoldResult known = ShapedType::isDynamic(dim.size) ? toSize(b, count) : OpFoldResult(b.getIndexAttr(dim.size));
  return {toSize(b, begin), known, toSize(b, step)};
}

/// Takes a short part of a vector element by element. It is mostly a part of a shape, and this way it needs no memory.
Value SliceLowering::takeElements(ArrayRef<Taken> taken) {
  int64_t start = *getConstantIntValue(taken[0].start), step = *getConstantIntValue(taken[0].step);
  int64_t size = *getConstantIntValue(taken[0].size);
  SmallVector<Value> elements;
  for (int64_t i = 0; i != size; ++i)
    elements.push_back(b.createOrFold<tensor::ExtractOp>(data, ValueRange{constant(start + i * step)}));
  return tensor::FromElementsOp::create(b, RankedTensorType::get(size, elementOf(data)), elements);
}

/// Copies every `step`th element of `part`, along the dims of which it is no view.
Value SliceLowering::takeSteps(Value part, ArrayRef<Taken> taken) {
  SmallVector<OpFoldResult> sizes;
  int64_t outer = 0;
  for (auto [i, dim] : llvm::enumerate(taken)) {
    sizes.push_back(dim.size);
    if (!isView(i, dim.step))
      outer = i + 1;
  }
  return gatherAt(b, part, sizes, outer, [&](LoweringBuilder &inner, ValueRange ivs) {
    SmallVector<Value> place(ivs);
    for (auto [i, iv] : llvm::enumerate(ivs))
      if (!isView(i, taken[i].step)) {
        Value distance = inner.createOrFold<arith::MulIOp>(iv, toValue(inner, taken[i].step));
        place[i] = addIndex(inner, toValue(inner, taken[i].start), distance);
      }
    return place;
  });
}

Value SliceLowering::lower() {
  // The longest part that is taken element by element.
  constexpr int64_t kFewElements = 16;
  SmallVector<Taken> taken;
  for (int64_t i = 0, e = slicing.dims.size(); i != e; ++i)
    taken.push_back(take(i));
  SmallVector<OpFoldResult> offsets, sizes, strides;
  SmallVector<int64_t> dropped;
  // A slice of everything is the data itself.
  bool hasSteps = false, isWhole = true;
  for (auto [i, dim] : llvm::enumerate(taken)) {
    bool isStepped = !isView(i, dim.step);
    hasSteps |= isStepped;
    isWhole &= slicing.dims[i].isWhole() || (slicing.dims[i].isKnown() && dim.size == getDimOrAttr(b, data, i));
    // Dims with other steps are taken whole first; `takeSteps` copies their elements later.
    offsets.push_back(isStepped ? OpFoldResult(b.getIndexAttr(0)) : dim.start);
    sizes.push_back(isStepped ? getDimOrAttr(b, data, i) : dim.size);
    strides.push_back(isStepped ? OpFoldResult(b.getIndexAttr(1)) : dim.step);
    if (slicing.dims[i].shrinks)
      dropped.push_back(i);
  }
  auto type = cast<RankedTensorType>(data.getType());
  bool isShort = type.getRank() == 1 && type.hasStaticShape() && isa<IntegerType>(type.getElementType()) &&
                 dropped.empty() && slicing.dims[0].isKnown() && slicing.dims[0].size <= kFewElements;
  Value result = data;
  if (isShort) {
    result = takeElements(taken);
  } else {
    if (!isWhole || !dropped.empty())
      result = sliceOf(b, RankedTensorType::get(staticShapeOf(sizes), elementOf(data)), data, offsets, sizes, strides);
    if (hasSteps)
      result = takeSteps(result, taken);
    result = dropUnitDims(b, result, dropped);
  }
  return insertUnitDims(b, result, slicing.newAxes);
}

/// Spreads `entries`, one for each of `axes`, to a vector with one entry per dim. Dims that are not among the axes get
/// `otherwise`.
static Value spread(LoweringBuilder &b, Value entries, ArrayRef<Value> axes, int64_t rank, int64_t otherwise) {
  SmallVector<Value> all(rank, arith::ConstantIntOp::create(b, b.getI64Type(), otherwise));
  for (auto [k, axis] : llvm::enumerate(axes)) {
    Value entry = toInt64(b, readIndex(b, entries, indexOf(b, k)));
    for (auto [dim, value] : llvm::enumerate(all))
      value = selectValue(b, compare(b, P::eq, axis, indexOf(b, dim)), entry, value);
  }
  return tensor::FromElementsOp::create(b, RankedTensorType::get(rank, b.getI64Type()), all);
}

/// The bounds of all dims, for axes that are known only at run time. Checks that the axes are in range and distinct.
static Bounds spreadBounds(LoweringBuilder &b, Bounds bounds, Value axes, int64_t rank) {
  SmallVector<Value> checked;
  for (int64_t k = 0; k != shapeOf(axes).front(); ++k)
    checked.push_back(checkAxis(b, readIndex(b, axes, indexOf(b, k)), rank));
  for (size_t k = 1; k < checked.size(); ++k) {
    Value isNew = oneOf(b, b.getI1Type());
    for (Value before : ArrayRef(checked).take_front(k))
      isNew = b.createOrFold<arith::AndIOp>(isNew, compare(b, P::ne, checked[k], before));
    checked[k] = check(b, isNew, rt::FaultKind::Index, "axis {0} is given twice", checked[k], checked[k]).front();
  }
  return {spread(b, bounds.begin, checked, rank, 0),
          spread(b, bounds.end, checked, rank, std::numeric_limits<int64_t>::max()),
          spread(b, bounds.steps, checked, rank, 1)};
}

namespace {
/// Slice, with axes that may be known only at run time.
struct LowerSlice final : OpConversionPattern<SliceOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(SliceOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    std::optional<Slicing> slicing = getSlicing(op);
    if (!slicing)
      return rewriter.notifyMatchFailure(op, "expected bounds and axes of static length");
    LoweringBuilder b(op.getLoc(), rewriter);
    Bounds bounds{adaptor.getStart(), adaptor.getStop(), adaptor.getStep()};
    if (!slicing->areAxesKnown)
      bounds = spreadBounds(b, bounds, adaptor.getAxes(), slicing->dims.size());
    Value result = SliceLowering(b, adaptor.getData(), *slicing, bounds, op->getUsers()).lower();
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

/// StridedSlice. `getSlicing` has applied its masks.
struct LowerStridedSlice final : OpConversionPattern<StridedSliceOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(StridedSliceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::optional<Slicing> slicing = getSlicing(op);
    if (!slicing)
      return rewriter.notifyMatchFailure(op, "expected bounds of static length");
    LoweringBuilder b(op.getLoc(), rewriter);
    Bounds bounds{adaptor.getBegin(), adaptor.getEnd(), adaptor.getStrides()};
    Value result = SliceLowering(b, adaptor.getData(), *slicing, bounds, op->getUsers()).lower();
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Split and VariadicSplit
//===----------------------------------------------------------------------===//

/// Cuts `data` into parts of the given lengths along `axis`.
static SmallVector<Value> cut(LoweringBuilder &b, Value data, int64_t axis, ArrayRef<OpFoldResult> lengths) {
  SmallVector<OpFoldResult> offsets(rankOf(data), b.getIndexAttr(0)), ones(rankOf(data), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = getDims(b, data);
  SmallVector<Value> parts;
  // Each part begins where the one before it ends.
  Value begin = indexOf(b, 0);
  for (OpFoldResult length : lengths) {
    offsets[axis] = toSize(b, begin);
    sizes[axis] = length;
    auto type = RankedTensorType::get(staticShapeOf(sizes), elementOf(data));
    parts.push_back(sliceOf(b, type, data, offsets, sizes, ones));
    begin = addIndex(b, begin, toValue(b, length));
  }
  return parts;
}

namespace {
/// Split into parts of equal length. It is a shape fault if the axis is not divisible.
struct LowerSplit final : OpConversionPattern<SplitOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(SplitOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    std::optional<int64_t> axis = getConstantAxis(op.getAxis(), op.getData().getType().getRank());
    if (!axis)
      return rewriter.notifyMatchFailure(op, "expected a constant axis");
    LoweringBuilder b(op.getLoc(), rewriter);
    Value data = adaptor.getData(), size = getDim(b, data, *axis), count = indexOf(b, op.getNumSplits());
    Value length = b.createOrFold<arith::DivUIOp>(size, count);
    if (op.canFault()) {
      Value rest = b.createOrFold<arith::RemUIOp>(size, count);
      Value isWhole = compare(b, P::eq, rest, indexOf(b, 0));
      length =
          check(b, isWhole, rt::FaultKind::Shape, "a dim of {0} is not divided by {1}", {size, count}, length).front();
    }
    SmallVector<OpFoldResult> lengths(op.getNumSplits(), toSize(b, length));
    SmallVector<Value> parts = cut(b, data, *axis, lengths);
    for (auto [part, result] : llvm::zip_equal(parts, op.getParts()))
      part = castTo(b, part, getTypeConverter()->convertType(result.getType()));
    rewriter.replaceOp(op, parts);
    return success();
  }
};

/// VariadicSplit into parts of given lengths, one of which may be -1 for the rest.
struct LowerVariadicSplit final : OpConversionPattern<VariadicSplitOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(VariadicSplitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::optional<int64_t> axis = getConstantAxis(op.getAxis(), op.getData().getType().getRank());
    std::optional<SmallVector<int64_t>> known = getPartlyKnownSizes(op.getSplitLengths());
    if (!axis || !known)
      return rewriter.notifyMatchFailure(op, "expected a constant axis and lengths of static number");
    LoweringBuilder b(op.getLoc(), rewriter);
    Value data = adaptor.getData();
    SmallVector<OpFoldResult> lengths;
    if (op.canFault()) {
      lengths = resolve(b, getDim(b, data, *axis), adaptor.getSplitLengths(), *known);
    } else {
      auto resolved = resolveSplitLengths(*known, shapeOf(data)[*axis]);
      for (int64_t length : *resolved)
        lengths.push_back(b.getIndexAttr(length));
    }
    SmallVector<Value> parts = cut(b, data, *axis, lengths);
    for (auto [part, result] : llvm::zip_equal(parts, op.getParts()))
      part = castTo(b, part, getTypeConverter()->convertType(result.getType()));
    rewriter.replaceOp(op, parts);
    return success();
  }

private:
  /// Reads the lengths and checks that they add up to `size`. Each length is compared with the part of `size` that is
  /// left, so no sum overflows.
  static SmallVector<OpFoldResult> resolve(LoweringBuilder &b, Value size, Value vector, ArrayRef<int64_t> known) {
    Value zero = indexOf(b, 0), minusOne = indexOf(b, -1), one = oneOf(b, b.getI1Type());
    Value ok = one, hasRest = zeroOf(b, b.getI1Type()), left = size;
    auto both = [&](Value x, Value y) { return b.createOrFold<arith::AndIOp>(x, y); };
    SmallVector<Value> entries, isRest;
    for (auto [i, entry] : llvm::enumerate(known)) {
      Value length = entryOf(b, vector, entry, i);
      // At most one length may be -1.
      isRest.push_back(compare(b, P::eq, length, minusOne));
      ok = both(ok, b.createOrFold<arith::XOrIOp>(both(hasRest, isRest.back()), one));
      hasRest = b.createOrFold<arith::OrIOp>(hasRest, isRest.back());
      length = selectValue(b, isRest.back(), zero, length);
      // One unsigned comparison also rejects negative lengths.
      ok = both(ok, compare(b, P::ule, length, left));
      left = subIndex(b, left, selectValue(b, compare(b, P::ule, length, left), length, zero));
      entries.push_back(length);
    }
    ok = both(ok, b.createOrFold<arith::OrIOp>(hasRest, compare(b, P::eq, left, zero)));
    SmallVector<Value> guarded;
    for (auto [length, takesRest] : llvm::zip_equal(entries, isRest))
      guarded.push_back(selectValue(b, takesRest, left, length));
    ValueRange checked = check(b, ok, rt::FaultKind::Shape, "split_lengths do not make up a dim of {0}", size, guarded);
    SmallVector<OpFoldResult> lengths;
    for (auto [before, after] : llvm::zip_equal(guarded, checked)) {
      std::optional<int64_t> constant = getConstantIntValue(before);
      // A constant length other than 0 must depend on the check, because it is in range only if the check has passed.
      lengths.push_back(constant && *constant == 0 ? OpFoldResult(b.getIndexAttr(0)) : OpFoldResult(after));
    }
    return lengths;
  }
};
} // namespace

void populateMovementSlicePatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerSlice, LowerStridedSlice, LowerSplit, LowerVariadicSplit>(converter, patterns.getContext());
}

} // namespace recur::ov
