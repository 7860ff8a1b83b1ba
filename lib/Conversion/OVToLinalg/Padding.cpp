// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Padding.cpp - Lowering of pad, tile, range and one_hot -------------===//

#include "Indexing.h"
#include "Payloads.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace recur::ov {

using P = arith::CmpIPredicate;

static Value toValue(LoweringBuilder &b, OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

namespace {
/// Where the data stands in one dim of the padded tensor: `size` elements from `offset`, which are those of the data
/// from `from`.
struct Center {
  OpFoldResult offset, size, from;
};
} // namespace

/// Every element is written once: in front of and behind each dim a slab of the value, and the data.
static Value surround(LoweringBuilder &b, Value data, Value value, ArrayRef<OpFoldResult> sizes,
                      ArrayRef<Center> centers) {
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)), extents(sizes),
      ones(sizes.size(), b.getIndexAttr(1));
  Value result = emptyOf(b, sizes, elementOf(data));
  auto addSlab = [&](size_t i, OpFoldResult offset, Value size) {
    if (getConstantIntValue(size) == 0)
      return;
    offsets[i] = offset;
    extents[i] = toSize(b, size);
    Value slab = filledOf(b, extents, value);
    result = insertInto(b, slab, result, offsets, extents, ones);
  };
  SmallVector<OpFoldResult> from, kept;
  bool isWhole = true;
  for (auto [i, center] : llvm::enumerate(centers)) {
    Value end = addIndex(b, toValue(b, center.offset), toValue(b, center.size));
    addSlab(i, b.getIndexAttr(0), toValue(b, center.offset));
    addSlab(i, toSize(b, end), subIndex(b, toValue(b, sizes[i]), end));
    // Slabs of the dims that follow are between those of this one.
    offsets[i] = center.offset;
    extents[i] = center.size;
    from.push_back(center.from);
    isWhole &= getConstantIntValue(center.from) == 0 && center.size == getDimOrAttr(b, data, i);
  }
  if (!isWhole)
    data = sliceOf(b, RankedTensorType::get(staticShapeOf(extents), elementOf(data)), data, from, extents, ones);
  return insertInto(b, data, result, offsets, extents, ones);
}

Value padWith(LoweringBuilder &b, Value data, Value value, ArrayRef<OpFoldResult> before,
              ArrayRef<OpFoldResult> behind) {
  SmallVector<OpFoldResult> sizes;
  SmallVector<Center> centers;
  for (auto [i, front, back] : llvm::enumerate(before, behind)) {
    OpFoldResult size = getDimOrAttr(b, data, i);
    Value sum = addIndex(b, addIndex(b, toValue(b, size), toValue(b, front)), toValue(b, back));
    sizes.push_back(toSize(b, sum));
    centers.push_back({front, size, b.getIndexAttr(0)});
  }
  return surround(b, data, value, sizes, centers);
}

namespace {
class PadLowering {
public:
  PadLowering(LoweringBuilder &b, PadOp op, PadOp::Adaptor adaptor)
      : b(b), mode(op.getPadMode()), data(adaptor.getData()), begin(adaptor.getPadsBegin()), end(adaptor.getPadsEnd()),
        value(adaptor.getPadValue()), knownBegin(*getPartlyKnownIntegers(op.getPadsBegin())),
        knownEnd(*getPartlyKnownIntegers(op.getPadsEnd())) {}

  Value lower();

private:
  struct Dim {
    /// Pads in front, the size of the data and of the result.
    Value front, size;
    OpFoldResult padded;
    bool isPadded;
  };
  Dim plan(int64_t i);
  Center placeData(const Dim &dim);
  Value mirror(LoweringBuilder &b, const Dim &dim, Value iv);

  LoweringBuilder &b;
  StringRef mode;
  Value data, begin, end, value;
  SmallVector<int64_t> knownBegin, knownEnd;
};
} // namespace

PadLowering::Dim PadLowering::plan(int64_t i) {
  Value size = getDim(b, data, i), zero = indexOf(b, 0);
  if (knownBegin[i] == 0 && knownEnd[i] == 0)
    return {zero, size, getDimOrAttr(b, data, i), false};
  // Greater pads would overflow, and make no tensor that there is memory for.
  Value limit = indexOf(b, int64_t(1) << 60), least = indexOf(b, -(int64_t(1) << 60));
  auto bound = [&](Value pad) { return maxIndex(b, minIndex(b, pad, limit), least); };
  Value front = bound(entryOf(b, begin, knownBegin[i], i)), back = bound(entryOf(b, end, knownEnd[i], i));
  Value padded = addIndex(b, addIndex(b, size, front), back);
  Value fits = compare(b, P::sge, padded, zero);
  auto both = [&](Value condition) { fits = b.createOrFold<arith::AndIOp>(fits, condition); };
  if (mode == "edge") {
    Value isUnpadded = b.createOrFold<arith::AndIOp>(compare(b, P::sle, front, zero), compare(b, P::sle, back, zero));
    both(b.createOrFold<arith::OrIOp>(isUnpadded, compare(b, P::sgt, size, zero)));
  } else if (mode != "constant") {
    Value most = mode == "symmetric" ? size : maxIndex(b, subIndex(b, size, indexOf(b, 1)), zero);
    both(compare(b, P::sle, front, most));
    both(compare(b, P::sle, back, most));
  }
  if (getConstantIntValue(fits) != -1 && getConstantIntValue(fits) != 1) {
    ValueRange checked = check(b, fits, rt::FaultKind::Shape, "pads {0} and {1} do not fit a dim of {2}",
                               {front, back, size}, {front, padded});
    front = checked[0];
    padded = checked[1];
  }
  return {front, size, toSize(b, padded), true};
}

Center PadLowering::placeData(const Dim &dim) {
  if (!dim.isPadded)
    return {b.getIndexAttr(0), dim.padded, b.getIndexAttr(0)};
  Value padded = toValue(b, dim.padded), zero = indexOf(b, 0);
  Value first = minIndex(b, maxIndex(b, dim.front, zero), padded);
  Value last = maxIndex(b, minIndex(b, addIndex(b, dim.front, dim.size), padded), first);
  Value from = minIndex(b, maxIndex(b, subIndex(b, first, dim.front), zero), dim.size);
  return {toSize(b, first), toSize(b, subIndex(b, last, first)), toSize(b, from)};
}

/// The index in the data of what stands at `iv`.
Value PadLowering::mirror(LoweringBuilder &b, const Dim &dim, Value iv) {
  Value zero = indexOf(b, 0), one = indexOf(b, 1);
  Value index = subIndex(b, iv, dim.front), last = subIndex(b, dim.size, one);
  if (mode == "edge")
    return maxIndex(b, minIndex(b, index, last), zero);
  // Mirrored at the edges, or between the edges and what is beyond.
  bool repeatsEdge = mode == "symmetric";
  Value ends = addIndex(b, last, repeatsEdge ? dim.size : last);
  Value inFront = subIndex(b, repeatsEdge ? indexOf(b, -1) : zero, index);
  index = selectValue(b, compare(b, P::slt, index, zero), inFront, index);
  return selectValue(b, compare(b, P::sgt, index, last), subIndex(b, ends, index), index);
}

Value PadLowering::lower() {
  SmallVector<Dim> dims;
  SmallVector<OpFoldResult> sizes;
  int64_t outer = 0;
  for (int64_t i = 0, e = rankOf(data); i != e; ++i) {
    dims.push_back(plan(i));
    sizes.push_back(dims.back().padded);
    if (dims.back().isPadded)
      outer = i + 1;
  }
  if (outer == 0)
    return data;
  if (mode == "constant") {
    SmallVector<Center> centers;
    for (const Dim &dim : dims)
      centers.push_back(placeData(dim));
    return surround(b, data, value ? extractOnly(b, value) : zeroOf(b, elementOf(data)), sizes, centers);
  }
  return gatherAt(b, data, sizes, outer, [&](LoweringBuilder &inner, ValueRange ivs) {
    SmallVector<Value> place(ivs);
    for (auto [i, iv] : llvm::enumerate(ivs))
      if (dims[i].isPadded)
        place[i] = mirror(inner, dims[i], iv);
    return place;
  });
}

namespace {
struct LowerPad final : OpConversionPattern<PadOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(PadOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value result = PadLowering(b, op, adaptor).lower();
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Tile
//===----------------------------------------------------------------------===//

/// A loop over the repeats of each dim stands before the loop over the dim; the two are one dim of the result.
struct LowerTile final : OpConversionPattern<TileOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(TileOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    std::optional<SmallVector<int64_t>> known = getPartlyKnownIntegers(op.getRepeats());
    if (!known)
      return rewriter.notifyMatchFailure(op, "expected repeats of static length");
    LoweringBuilder b(op.getLoc(), rewriter);
    Value data = adaptor.getData();
    int64_t rank = std::max<int64_t>(rankOf(data), known->size());
    data = insertUnitDims(b, data, llvm::to_vector(llvm::seq<int64_t>(0, rank - rankOf(data))));
    SmallVector<OpFoldResult> sizes;
    SmallVector<AffineExpr> exprs;
    SmallVector<ReassociationIndices> groups;
    SmallVector<OpFoldResult> resultSizes;
    bool isEmpty = false;
    for (int64_t i = 0; i != rank; ++i) {
      OpFoldResult dim = getDimOrAttr(b, data, i), repeat = getRepeat(b, adaptor.getRepeats(), *known, i - rank, dim);
      bool isUnit = getConstantIntValue(dim) == 1, isOnce = getConstantIntValue(repeat) == 1;
      isEmpty |= getConstantIntValue(repeat) == 0;
      resultSizes.push_back(toSize(b, b.createOrFold<arith::MulIOp>(toValue(b, dim), toValue(b, repeat))));
      ReassociationIndices &group = groups.emplace_back();
      if (!isOnce || isUnit) {
        group.push_back(sizes.size());
        sizes.push_back(repeat);
      }
      if (!isUnit) {
        group.push_back(sizes.size());
        sizes.push_back(dim);
      }
      exprs.push_back(isUnit ? b.getAffineConstantExpr(0) : b.getAffineDimExpr(sizes.size() - 1));
    }
    if (isEmpty) {
      Value none = emptyOf(b, resultSizes, elementOf(data));
      rewriter.replaceOp(op, castTo(b, none, getTypeConverter()->convertType(op.getType())));
      return success();
    }
    SmallVector<AffineMap> maps{AffineMap::get(sizes.size(), 0, exprs, b.getContext()),
                                b.getMultiDimIdentityMap(sizes.size())};
    SmallVector<IteratorType> iterators(sizes.size(), IteratorType::parallel);
    Value result = generic(b, data, emptyOf(b, sizes, elementOf(data)), maps, iterators,
                           [](LoweringBuilder &, ValueRange args) { return args.front(); });
    if (static_cast<int64_t>(sizes.size()) != rank)
      result = tensor::CollapseShapeOp::create(b, result, groups);
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }

private:
  /// The repeats of a dim, counted from the end of `known`, where there are some.
  static OpFoldResult getRepeat(LoweringBuilder &b, Value vector, ArrayRef<int64_t> known, int64_t fromEnd,
                                OpFoldResult dim) {
    int64_t i = static_cast<int64_t>(known.size()) + fromEnd;
    if (i < 0)
      return b.getIndexAttr(1);
    if (!ShapedType::isDynamic(known[i]))
      return b.getIndexAttr(std::max<int64_t>(known[i], 0));
    Value zero = indexOf(b, 0), one = indexOf(b, 1);
    Value repeat = maxIndex(b, readIndex(b, vector, {indexOf(b, i)}), zero), size = toValue(b, dim);
    Value most = b.createOrFold<arith::DivUIOp>(indexOf(b, int64_t(1) << 56), maxIndex(b, size, one));
    return check(b, compare(b, P::ule, repeat, most), rt::FaultKind::Overflow,
                 "{0} repeats of a dim of {1} are too many", {repeat, size}, repeat)
        .front();
  }
};

//===----------------------------------------------------------------------===//
// Range
//===----------------------------------------------------------------------===//

class RangeLowering {
public:
  RangeLowering(LoweringBuilder &b, RangeOp op, RangeOp::Adaptor adaptor)
      : b(b), op(op), element(op.getType().getElementType()) {
    for (auto [operand, source] : llvm::zip_equal(adaptor.getOperands(), op.getOperands())) {
      Type from = cast<RankedTensorType>(source.getType()).getElementType();
      numbers.push_back(enter(b, extractOnly(b, operand), from));
      elements.push_back(from);
    }
  }

  Value lower();

private:
  Value convert(LoweringBuilder &b, unsigned i, Type to) { return convertScalar(b, numbers[i], elements[i], to); }
  Value countIntegers();
  Value countFloats();

  LoweringBuilder &b;
  RangeOp op;
  Type element;
  SmallVector<Value> numbers;
  SmallVector<Type> elements;
};

struct LowerRange final : OpConversionPattern<RangeOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(RangeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value result = RangeLowering(b, op, adaptor).lower();
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};
} // namespace

/// No tensor has more elements.
static constexpr int64_t kMostElements = int64_t(1) << 56;

Value RangeLowering::countIntegers() {
  Type i64 = b.getI64Type();
  Value start = convert(b, 0, i64), stop = convert(b, 1, i64), step = convert(b, 2, i64);
  Value zero = zeroOf(b, i64), one = constantOf(b, i64, APInt(64, 1));
  Value isForward = compare(b, P::sgt, step, zero);
  // As unsigned numbers, differences do not overflow.
  Value distance =
      selectValue(b, isForward, b.createOrFold<arith::SubIOp>(stop, start), b.createOrFold<arith::SubIOp>(start, stop));
  Value isEmpty = selectValue(b, isForward, compare(b, P::sge, start, stop), compare(b, P::sle, start, stop));
  Value isZero = compare(b, P::eq, step, zero);
  Value length = selectValue(b, isForward, step, b.createOrFold<arith::SubIOp>(zero, step));
  length = selectValue(b, isZero, one, length);
  Value count = b.createOrFold<arith::DivUIOp>(b.createOrFold<arith::SubIOp>(distance, one), length);
  count = selectValue(b, isEmpty, zero, b.createOrFold<arith::AddIOp>(count, one));
  Value fits = compare(b, P::ule, count, constantOf(b, i64, APInt(64, kMostElements)));
  fits = b.createOrFold<arith::AndIOp>(fits, compare(b, P::ne, step, zero));
  return check(b, fits, rt::FaultKind::Shape, "the range from {0} to {1} by {2} is none", {start, stop, step},
               toIndex(b, count))
      .front();
}

Value RangeLowering::countFloats() {
  using F = arith::CmpFPredicate;
  Type f64 = b.getF64Type();
  Value start = convert(b, 0, f64), stop = convert(b, 1, f64), step = convert(b, 2, f64), zero = zeroOf(b, f64);
  Value span = arith::SubFOp::create(b, stop, start);
  Value steps = arith::DivFOp::create(b, span, step);
  // NaN is not less than anything; without a step, and with infinite operands, there is none too.
  Value fits = arith::CmpFOp::create(b, F::OLT, steps, constantOf(b, f64, double(kMostElements)));
  fits = b.createOrFold<arith::AndIOp>(fits, arith::CmpFOp::create(b, F::UNE, step, zero));
  Value isFinite = arith::CmpFOp::create(b, F::ORD, span, arith::SubFOp::create(b, span, span));
  fits = b.createOrFold<arith::AndIOp>(fits, isFinite);
  steps = check(b, fits, rt::FaultKind::Shape, "the operands of a range are none", {}, steps).front();
  Value isForward = arith::CmpFOp::create(b, F::OGT, steps, zero);
  steps = selectValue(b, isForward, steps, zero);
  // Rounded up, without a call.
  Value whole = arith::FPToSIOp::create(b, b.getI64Type(), steps);
  Value isCut = arith::CmpFOp::create(b, F::OLT, arith::SIToFPOp::create(b, f64, whole), steps);
  Value more = arith::ExtUIOp::create(b, b.getI64Type(), isCut);
  return toIndex(b, b.createOrFold<arith::AddIOp>(whole, more));
}

Value RangeLowering::lower() {
  bool isInteger = isa<IntegerType>(element);
  bool countsIntegers = isInteger || llvm::all_of(elements, llvm::IsaPred<IntegerType>);
  if (isInteger)
    for (unsigned i = 0; i != 3; ++i) {
      if (isa<IntegerType>(elements[i]))
        continue;
      Value isNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, numbers[i], numbers[i]);
      numbers[i] =
          check(b, isNumber, rt::FaultKind::Shape, "operand {0} of a range is NaN", {indexOf(b, i)}, numbers[i])
              .front();
      numbers[i] = convert(b, i, b.getI64Type());
      elements[i] = b.getI64Type();
    }
  Value count = countsIntegers ? countIntegers() : countFloats();
  OpFoldResult size = toSize(b, count);
  // Integers wrap, so that 64 bits hold what narrower ones need.
  Type compute = isInteger ? Type(b.getI64Type()) : getComputeType(element);
  Value start = convert(b, 0, compute), step = convert(b, 2, compute);
  return elementwise(
      b, {}, emptyOf(b, size, getStorageType(element)), [&](LoweringBuilder &inner, ValueRange) -> Value {
        Value i =
            inner.createOrFold<arith::IndexCastOp>(inner.getI64Type(), linalg::IndexOp::create(inner, 0).getResult());
        if (!isInteger)
          i = arith::SIToFPOp::create(inner, compute, i);
        Value value = add(inner, start, multiply(inner, i, step));
        Type storage = getStorageType(element);
        if (!isInteger)
          return leave(inner, value, element);
        return storage == compute ? value : arith::TruncIOp::create(inner, storage, value).getResult();
      });
}

//===----------------------------------------------------------------------===//
// OneHot
//===----------------------------------------------------------------------===//

namespace {
struct LowerOneHot final : OpConversionPattern<OneHotOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(OneHotOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value indices = adaptor.getIndices();
    Type indexElement = op.getIndices().getType().getElementType();
    int64_t rank = rankOf(indices) + 1, axis = *normalizeAxis(op.getAxis(), rank);
    SmallVector<OpFoldResult> sizes = getDims(b, indices);
    int64_t known = getPartlyKnownIntegers(op.getDepth())->front();
    OpFoldResult depth = b.getIndexAttr(known);
    if (ShapedType::isDynamic(known)) {
      Value size = toIndex(b, extractOnly(b, adaptor.getDepth()));
      Value fits = compare(b, P::sge, size, indexOf(b, 0));
      depth = check(b, fits, rt::FaultKind::Shape, "depth {0} is negative", size, size).front();
    }
    sizes.insert(sizes.begin() + axis, depth);
    Value on = extractOnly(b, adaptor.getOnValue()), off = extractOnly(b, adaptor.getOffValue());
    bool countsFromDepth =
        op.getNegativeIndicesMode() == "normalize" && !cast<IntegerType>(indexElement).isUnsignedInteger();
    Value end = b.createOrFold<arith::IndexCastOp>(b.getI64Type(), toValue(b, depth));
    SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank).dropResult(axis), b.getMultiDimIdentityMap(rank)};
    SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
    Value result = generic(b, indices, emptyOf(b, sizes, elementOf(adaptor.getOnValue())), maps, iterators,
                           [&](LoweringBuilder &inner, ValueRange args) {
                             Value wanted = convertScalar(inner, enter(inner, args[0], indexElement), indexElement,
                                                          inner.getI64Type());
                             if (countsFromDepth) {
                               Value isNegative = compare(inner, P::slt, wanted, zeroOf(inner, inner.getI64Type()));
                               wanted = selectValue(inner, isNegative, add(inner, wanted, end), wanted);
                             }
                             Value place = inner.createOrFold<arith::IndexCastOp>(
                                 inner.getI64Type(), linalg::IndexOp::create(inner, axis).getResult());
                             return selectValue(inner, compare(inner, P::eq, wanted, place), on, off);
                           });
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};
} // namespace

void populatePaddingPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerPad, LowerTile, LowerRange, LowerOneHot>(converter, patterns.getContext());
}

} // namespace recur::ov
