// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementRepeat.cpp - Lowering of ops that repeat elements ----------===//
//
// Broadcast, Pad and Tile repeat elements of their data. Broadcast is lowered like an element-wise op. Pad fills slabs
// or gathers mirrored elements. Tile is a linalg.generic with an extra loop for the repeats of each dim.
//
//===----------------------------------------------------------------------===//

#include "Broadcasting.h"
#include "Indexing.h"
#include "Padding.h"
#include "Reshaping.h"

#include "Recur/Dialect/OV/IR/KnownSizes.h"
#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace recur::ov {

using P = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Broadcast
//===----------------------------------------------------------------------===//

/// The sizes in the vector `target`. `known` has the static ones; the others are read and checked not to be negative.
static SmallVector<OpFoldResult> getTargetSizes(LoweringBuilder &b, Value target, ArrayRef<int64_t> known) {
  SmallVector<OpFoldResult> sizes;
  for (auto [i, dim] : llvm::enumerate(known)) {
    if (!ShapedType::isDynamic(dim)) {
      sizes.push_back(b.getIndexAttr(dim));
      continue;
    }
    Value size = entryOf(b, target, dim, i);
    Value fits = compare(b, P::sge, size, indexOf(b, 0));
    sizes.push_back(check(b, fits, rt::FaultKind::Shape, "target dim {0} is {1}", {indexOf(b, i), size}, size).front());
  }
  return sizes;
}

namespace {
/// Broadcast: an element-wise copy of the data with the target shape as a second operand.
struct LowerBroadcast final : OpConversionPattern<BroadcastOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(BroadcastOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    std::optional<SmallVector<int64_t>> known = getPartlyKnownSizes(op.getTargetShape());
    if (!known)
      return rewriter.notifyMatchFailure(op, "expected target_shape of static length");
    LoweringBuilder b(op.getLoc(), rewriter);
    Value data = adaptor.getData();
    if (op.getMode() == BroadcastMode::Explicit) {
      // Unit dims stand for the dims of the target that the data lacks. Then the rules of NumPy apply.
      SmallVector<int64_t> mapping = *getConstantAxes(op.getAxesMapping(), known->size()), missing;
      for (int64_t i = 0, e = known->size(); i != e; ++i)
        if (!llvm::is_contained(mapping, i))
          missing.push_back(i);
      data = insertUnitDims(b, data, missing);
    }
    SmallVector<OpFoldResult> target = getTargetSizes(b, adaptor.getTargetShape(), *known);
    // The target takes part in planning as an operand that is never read.
    Value standIn = emptyOf(b, target, elementOf(data));
    Broadcasting plan = planBroadcasting(b, {data, standIn}, op.getType().getShape(), /*numpy=*/true);
    plan.operands.pop_back();
    if (op.getMode() != BroadcastMode::Bidirectional)
      checkIsTarget(b, plan, target);
    Value result = emit(b, plan, elementOf(data));
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }

private:
  /// Checks that the result has the target shape. Except in bidirectional mode, only the data may be repeated.
  static void checkIsTarget(LoweringBuilder &b, Broadcasting &plan, ArrayRef<OpFoldResult> target) {
    for (auto [size, wanted] : llvm::zip_equal(plan.sizes, target)) {
      if (size == wanted || (getConstantIntValue(size) && getConstantIntValue(wanted)))
        continue;
      Value actual = toValue(b, size);
      Value expected = toValue(b, wanted);
      Value same = compare(b, P::eq, actual, expected);
      Value guarded =
          check(b, same, rt::FaultKind::Shape, "data of dim {0} does not broadcast to {1}", {actual, expected}, actual)
              .front();
      if (!getConstantIntValue(size))
        size = guarded;
    }
  }

  /// Fills the result if the data has one element, else copies it by loops.
  static Value emit(LoweringBuilder &b, const Broadcasting &plan, Type element) {
    Value data = plan.operands.front().tensor;
    if (hasOneElement(data) && !plan.isScalar())
      return filledOf(b, plan.sizes, extractOnly(b, data));
    return emitBroadcasting(b, plan, element, /*sideEffects=*/false,
                            [](LoweringBuilder &, ValueRange args) { return args.front(); });
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

namespace {
/// Lowers one Pad. In constant mode the data is surrounded by slabs of the value. In the other modes, each element is
/// copied from a position in the data. Pads may be negative, which crops the data.
class PadLowering {
public:
  PadLowering(LoweringBuilder &b, PadOp op, PadOp::Adaptor adaptor)
      : b(b), mode(op.getPadMode()), data(adaptor.getData()), begin(adaptor.getPadsBegin()), end(adaptor.getPadsEnd()),
        value(adaptor.getPadValue()), knownBegin(*getPartlyKnownSizes(op.getPadsBegin())),
        knownEnd(*getPartlyKnownSizes(op.getPadsEnd())) {}

  Value lower();

private:
  struct Dim {
    /// The pad in front, and the size of the data.
    Value front, size;
    /// The size of the result.
    OpFoldResult padded;
    bool isPadded;
  };
  /// Computes and checks the pads of dim `i`.
  Dim plan(int64_t i);
  /// The range of the result that has data, for constant mode. It may be empty.
  Center placeData(const Dim &dim);
  Value mirror(LoweringBuilder &b, const Dim &dim, Value iv);

  LoweringBuilder &b;
  PadMode mode;
  Value data, begin, end, value;
  SmallVector<int64_t> knownBegin, knownEnd;
};
} // namespace

PadLowering::Dim PadLowering::plan(int64_t i) {
  Value size = getDim(b, data, i), zero = indexOf(b, 0);
  if (knownBegin[i] == 0 && knownEnd[i] == 0)
    return {zero, size, getDimOrAttr(b, data, i), false};
  // Pads are limited so that sums do not overflow. There is no memory for a tensor with greater pads.
  Value limit = indexOf(b, int64_t(1) << 60), least = indexOf(b, -(int64_t(1) << 60));
  auto bound = [&](Value pad) { return maxIndex(b, minIndex(b, pad, limit), least); };
  Value front = bound(entryOf(b, begin, knownBegin[i], i)), back = bound(entryOf(b, end, knownEnd[i], i));
  Value padded = addIndex(b, addIndex(b, size, front), back);
  Value fits = compare(b, P::sge, padded, zero);
  auto both = [&](Value condition) { fits = b.createOrFold<arith::AndIOp>(fits, condition); };
  // Each mode needs elements to repeat: at least one in edge mode, and as many as the pads in the other modes, not
  // counting the edge in reflect mode.
  if (mode == PadMode::Edge) {
    Value isUnpadded = b.createOrFold<arith::AndIOp>(compare(b, P::sle, front, zero), compare(b, P::sle, back, zero));
    both(b.createOrFold<arith::OrIOp>(isUnpadded, compare(b, P::sgt, size, zero)));
  } else if (mode != PadMode::Constant) {
    Value most = mode == PadMode::Symmetric ? size : maxIndex(b, subIndex(b, size, indexOf(b, 1)), zero);
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

/// The index in the data of the element at index `iv` of the result. It repeats the edge, or mirrors the data at the
/// edge.
Value PadLowering::mirror(LoweringBuilder &b, const Dim &dim, Value iv) {
  Value zero = indexOf(b, 0), one = indexOf(b, 1);
  Value index = subIndex(b, iv, dim.front), last = subIndex(b, dim.size, one);
  if (mode == PadMode::Edge)
    return maxIndex(b, minIndex(b, index, last), zero);
  // Reflect mode mirrors at the edge elements; symmetric mode mirrors between them and the pads, so it repeats the
  // edge.
  bool repeatsEdge = mode == PadMode::Symmetric;
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
  if (mode == PadMode::Constant) {
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
/// Replaces a Pad by its slabs or loops.
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

/// Tile: a linalg.generic with a loop over the repeats before the loop over each dim. The two loops become one dim of
/// the result by a tensor.collapse_shape. Dims of 1 and dims that are not repeated have one loop.
struct LowerTile final : OpConversionPattern<TileOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(TileOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    std::optional<SmallVector<int64_t>> known = getPartlyKnownSizes(op.getRepeats());
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
  /// The number of repeats of a dim. `fromEnd` is its position, counted from the end of `known` (negative). A dim
  /// without an entry is taken once. A negative number counts as 0; too many repeats are an overflow fault. A few of
  /// them are too many only for a dim that no buffer has.
  static OpFoldResult getRepeat(LoweringBuilder &b, Value vector, ArrayRef<int64_t> known, int64_t fromEnd,
                                OpFoldResult dim) {
    int64_t i = static_cast<int64_t>(known.size()) + fromEnd;
    if (i < 0)
      return b.getIndexAttr(1);
    bool isKnown = !ShapedType::isDynamic(known[i]);
    if (isKnown && (getConstantIntValue(dim) || known[i] <= kMostUncheckedRepeats))
      return b.getIndexAttr(std::max<int64_t>(known[i], 0));
    Value zero = indexOf(b, 0), one = indexOf(b, 1), size = toValue(b, dim);
    Value repeat = isKnown ? indexOf(b, known[i]) : maxIndex(b, readIndex(b, vector, {indexOf(b, i)}), zero);
    Value most = b.createOrFold<arith::DivUIOp>(indexOf(b, int64_t(1) << 56), maxIndex(b, size, one));
    return check(b, compare(b, P::ule, repeat, most), rt::FaultKind::Overflow,
                 "{0} repeats of a dim of {1} are too many", {repeat, size}, repeat)
        .front();
  }
};
} // namespace

void populateMovementRepeatPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerBroadcast, LowerPad, LowerTile>(converter, patterns.getContext());
}

} // namespace recur::ov
