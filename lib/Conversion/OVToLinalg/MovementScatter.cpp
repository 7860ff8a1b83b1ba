// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementScatter.cpp - Lowering of ops that write at computed places ===//
//
// This file lowers ScatterUpdate, ScatterElementsUpdate and ScatterNDUpdate. All lowerings carry the data through loops
// and write one element or slice at a time into it. Bufferization decides whether the data may be overwritten in place
// or must be copied first.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"
#include "Payloads.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace recur::ov {

using P = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {
/// The way in which the old element and the update are combined. `Update` replaces the old element.
enum class Combination { Update, Sum, Difference, Product, Least, Greatest, Mean };

/// The reduction of a scatter op. It works on elements of storage types.
struct Reduction {
  Combination kind;
  Type element;

  /// True if the update replaces the old element, which is then not read.
  bool replaces() const { return kind == Combination::Update; }
  /// The new element. Booleans are combined by logic: sums and maxima by or, products and minima by and.
  Value combine(LoweringBuilder &b, Value old, Value update) const;
  /// The start value, of storage type, of a reduction that ignores the data. Combining it with an update gives the
  /// update. No op that uses it subtracts.
  Value getNeutral(LoweringBuilder &b) const;
};
} // namespace

static Combination getCombination(ScatterElementsReduction reduction) {
  switch (reduction) {
  case ScatterElementsReduction::None:
    return Combination::Update;
  case ScatterElementsReduction::Sum:
    return Combination::Sum;
  case ScatterElementsReduction::Prod:
    return Combination::Product;
  case ScatterElementsReduction::Min:
    return Combination::Least;
  case ScatterElementsReduction::Max:
    return Combination::Greatest;
  case ScatterElementsReduction::Mean:
    return Combination::Mean;
  }
  llvm_unreachable("a reduction of ov.scatter_elements_update");
}

static Combination getCombination(ScatterNDReduction reduction) {
  switch (reduction) {
  case ScatterNDReduction::None:
    return Combination::Update;
  case ScatterNDReduction::Sum:
    return Combination::Sum;
  case ScatterNDReduction::Sub:
    return Combination::Difference;
  case ScatterNDReduction::Prod:
    return Combination::Product;
  case ScatterNDReduction::Min:
    return Combination::Least;
  case ScatterNDReduction::Max:
    return Combination::Greatest;
  }
  llvm_unreachable("a reduction of ov.scatter_nd_update");
}

Value Reduction::combine(LoweringBuilder &b, Value old, Value update) const {
  Value lhs = fromStorage(b, old, element), rhs = fromStorage(b, update, element), result;
  bool isBoolean = element.isInteger(1);
  switch (kind) {
  case Combination::Update:
    return update;
  case Combination::Sum:
  case Combination::Mean:
    result = isBoolean ? arith::OrIOp::create(b, lhs, rhs).getResult() : add(b, lhs, rhs);
    break;
  case Combination::Difference:
    result = subtract(b, lhs, rhs);
    break;
  case Combination::Product:
    result = isBoolean ? arith::AndIOp::create(b, lhs, rhs).getResult() : multiply(b, lhs, rhs);
    break;
  case Combination::Least:
    result = isBoolean ? arith::AndIOp::create(b, lhs, rhs).getResult() : minimum(b, lhs, rhs, isUnsigned(element));
    break;
  case Combination::Greatest:
    result = isBoolean ? arith::OrIOp::create(b, lhs, rhs).getResult() : maximum(b, lhs, rhs, isUnsigned(element));
    break;
  }
  return toStorage(b, result, element);
}

Value Reduction::getNeutral(LoweringBuilder &b) const {
  Type storage = getStorageType(element);
  bool isBoolean = element.isInteger(1);
  switch (kind) {
  case Combination::Product:
    return oneOf(b, storage);
  case Combination::Least:
    return isBoolean ? oneOf(b, storage) : greatestOf(b, storage, isUnsigned(element));
  case Combination::Greatest:
    return isBoolean ? zeroOf(b, storage) : leastOf(b, storage, isUnsigned(element));
  default:
    return zeroOf(b, storage);
  }
}

//===----------------------------------------------------------------------===//
// ScatterUpdate
//===----------------------------------------------------------------------===//

namespace {
/// ScatterUpdate: writes the slice of the updates that belongs to each index.
struct LowerScatterUpdate final : OpConversionPattern<ScatterUpdateOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(ScatterUpdateOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::optional<int64_t> axis = getConstantAxis(op.getAxis(), op.getData().getType().getRank());
    if (!axis)
      return rewriter.notifyMatchFailure(op, "expected a constant axis");
    LoweringBuilder b(op.getLoc(), rewriter);
    Value data = adaptor.getData(), indices = adaptor.getIndices(), updates = adaptor.getUpdates();
    int64_t indexRank = rankOf(indices), rank = rankOf(data);
    for (int64_t i = 0; i != rank; ++i)
      if (i != *axis)
        guardSameDim(b, data, i, updates, i < *axis ? i : i - 1 + indexRank);
    for (int64_t i = 0; i != indexRank; ++i)
      guardSameDim(b, indices, i, updates, *axis + i);
    Value size = getDim(b, data, *axis);
    SmallVector<OpFoldResult> sizes = getDims(b, data);
    SmallVector<int64_t> shape = staticShapeOf(sizes);
    shape.erase(shape.begin() + *axis);
    bool isElement = llvm::all_of(shape, [](int64_t dim) { return dim == 1; });
    SmallVector<OpFoldResult> updateSizes = getDims(b, updates);
    SmallVector<int64_t> indexDims = llvm::to_vector(llvm::seq<int64_t>(*axis, *axis + indexRank));
    for (int64_t i : indexDims)
      updateSizes[i] = b.getIndexAttr(1);
    SmallVector<OpFoldResult> extents = sizes;
    extents[*axis] = b.getIndexAttr(1);
    // Writes one element, if all dims except the axis are 1, or one slice.
    auto body = [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
      Value index = checkIndex(inner, readIndex(inner, indices, ivs), size);
      Value zero = indexOf(inner, 0);
      if (isElement) {
        SmallVector<Value> from(updateSizes.size(), zero), to(rank, zero);
        llvm::copy(ivs, from.begin() + *axis);
        to[*axis] = index;
        Value element = inner.createOrFold<tensor::ExtractOp>(updates, from);
        return {tensor::InsertOp::create(inner, element, carried.front(), to)};
      }
      SmallVector<OpFoldResult> from(updateSizes.size(), inner.getIndexAttr(0)), to(rank, inner.getIndexAttr(0));
      for (auto [i, iv] : llvm::enumerate(ivs))
        from[*axis + i] = getAsOpFoldResult(iv);
      to[*axis] = getAsOpFoldResult(index);
      Value slice = extractDropping(inner, updates, from, updateSizes, indexDims);
      return {insertDropping(inner, slice, carried.front(), to, extents, *axis)};
    };
    Value result;
    if (hasOneElement(indices))
      result = body(b, SmallVector<Value>(indexRank, indexOf(b, 0)), data).front();
    else
      result = loopNest(b, getDims(b, indices), data, body).front();
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// ScatterElementsUpdate
//===----------------------------------------------------------------------===//

/// Lowers one ScatterElementsUpdate. A reduction that ignores the initial data first sets all written elements to the
/// neutral element. A mean is a sum with a tensor of counts, divided at the end.
class ScatterElementsLowering {
public:
  ScatterElementsLowering(LoweringBuilder &b, ScatterElementsUpdateOp op, ScatterElementsUpdateOp::Adaptor adaptor,
                          int64_t axis)
      : b(b), axis(axis), data(adaptor.getData()), indices(adaptor.getIndices()), updates(adaptor.getUpdates()),
        reduction{getCombination(op.getReduction()), op.getType().getElementType()}, usesInitial(op.getUseInitVal()) {}

  Value lower();

private:
  /// Checks that indices and updates have equal shapes, and that their other dims than the axis are not greater than
  /// those of the data.
  void checkShapes();
  /// Sets `place` to the indices of the element in the data, and returns the checked index.
  Value getPlace(LoweringBuilder &b, ValueRange ivs, SmallVector<Value> &place);
  /// Divides the elements with more than one summand by their counts.
  Value divide(Value sums, Value counts);

  LoweringBuilder &b;
  int64_t axis;
  Value data, indices, updates, size;
  Reduction reduction;
  bool usesInitial;
};

/// ScatterElementsUpdate along a constant axis.
struct LowerScatterElements final : OpConversionPattern<ScatterElementsUpdateOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(ScatterElementsUpdateOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::optional<int64_t> axis = getConstantAxis(op.getAxis(), op.getData().getType().getRank());
    if (!axis)
      return rewriter.notifyMatchFailure(op, "expected a constant axis");
    LoweringBuilder b(op.getLoc(), rewriter);
    Value result = ScatterElementsLowering(b, op, adaptor, *axis).lower();
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};
} // namespace

void ScatterElementsLowering::checkShapes() {
  for (int64_t i = 0, e = rankOf(data); i != e; ++i) {
    guardSameDim(b, indices, i, updates, i);
    if (i == axis || isSameDim(b, indices, i, data, i))
      continue;
    Value places = getDim(b, indices, i), most = getDim(b, data, i);
    if (getConstantIntValue(places) && getConstantIntValue(most))
      continue;
    CheckedDim checked = checkDim(b, compare(b, P::ule, places, most), "{0} indices do not fit a dim of {1}",
                                  {places, most}, places, getConstantIntValue(places).value_or(ShapedType::kDynamic));
    indices = guardDims(b, indices, {{i, checked}});
    // Tying has no effect on indices of static size, so the data depends on the check too.
    data = guardDims(b, data, {{i, {getDimOrAttr(b, data, i), most, checked.origin}}});
  }
  size = getDim(b, data, axis);
}

Value ScatterElementsLowering::getPlace(LoweringBuilder &b, ValueRange ivs, SmallVector<Value> &place) {
  place.assign(ivs.begin(), ivs.end());
  place[axis] = checkIndex(b, readIndex(b, indices, ivs), size);
  return place[axis];
}

/// Means of integers are rounded down.
Value ScatterElementsLowering::divide(Value sums, Value counts) {
  Type element = reduction.element;
  SmallVector<OpFoldResult> sizes = getDims(b, sums);
  return elementwise(b, {sums, counts}, emptyOf(b, sizes, elementOf(sums)),
                     [&](LoweringBuilder &inner, ValueRange args) -> Value {
                       Value sum = fromStorage(inner, args[0], element);
                       Value count = args[1], one = oneOf(inner, inner.getI64Type());
                       Value isMany = compare(inner, P::sgt, count, one);
                       if (isa<FloatType>(sum.getType())) {
                         Value divisor = arith::SIToFPOp::create(inner, sum.getType(), count);
                         Value mean = arith::DivFOp::create(inner, sum, divisor);
                         return selectValue(inner, isMany, toStorage(inner, mean, element), args[0]);
                       }
                       // The division is in i64, because a count may not fit the element type.
                       Value wide = convertScalar(inner, sum, element, inner.getI64Type());
                       Value divisor = selectValue(inner, isMany, count, one);
                       Value mean = divideIntegers(inner, wide, divisor, isUnsigned(element), /*floored=*/true);
                       if (mean.getType() != sum.getType())
                         mean = arith::TruncIOp::create(inner, sum.getType(), mean);
                       return selectValue(inner, isMany, mean, args[0]);
                     });
}

Value ScatterElementsLowering::lower() {
  checkShapes();
  SmallVector<OpFoldResult> places = getDims(b, indices);
  Value result = data;
  if (!reduction.replaces() && !usesInitial)
    // Sets the elements that updates go to to the neutral element.
    result = loopNest(b, places, result,
                      [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
                        SmallVector<Value> place;
                        getPlace(inner, ivs, place);
                        return {tensor::InsertOp::create(inner, reduction.getNeutral(inner), carried[0], place)};
                      })
                 .front();
  bool isMean = reduction.kind == Combination::Mean;
  SmallVector<Value> inits{result};
  if (isMean)
    inits.push_back(filledOf(b, getDims(b, data), constantOf(b, b.getI64Type(), APInt(64, usesInitial))));
  SmallVector<Value> results =
      loopNest(b, places, inits, [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) {
        SmallVector<Value> place, next;
        getPlace(inner, ivs, place);
        Value update = tensor::ExtractOp::create(inner, updates, ivs);
        if (!reduction.replaces())
          update = reduction.combine(inner, tensor::ExtractOp::create(inner, carried[0], place), update);
        next.push_back(tensor::InsertOp::create(inner, update, carried[0], place));
        if (isMean) {
          Value count = tensor::ExtractOp::create(inner, carried[1], place);
          count = arith::AddIOp::create(inner, count, oneOf(inner, inner.getI64Type()));
          next.push_back(tensor::InsertOp::create(inner, count, carried[1], place));
        }
        return next;
      });
  return isMean ? divide(results[0], results[1]) : results[0];
}

//===----------------------------------------------------------------------===//
// ScatterNDUpdate
//===----------------------------------------------------------------------===//

namespace {
/// ScatterNDUpdate: the last dim of the indices holds the coordinates of an element or slice of the data.
struct LowerScatterND final : OpConversionPattern<ScatterNDUpdateOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(ScatterNDUpdateOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value data = adaptor.getData(), indices = adaptor.getIndices(), updates = adaptor.getUpdates();
    int64_t outer = rankOf(indices) - 1, coordinates = shapeOf(indices).back();
    for (int64_t i = 0; i != outer; ++i)
      guardSameDim(b, indices, i, updates, i);
    for (int64_t i = coordinates, e = rankOf(data); i != e; ++i)
      guardSameDim(b, data, i, updates, i - coordinates + outer);
    SmallVector<OpFoldResult> sizes = getDims(b, data), places = getDims(b, indices);
    places.pop_back();
    Reduction reduction{getCombination(op.getReduction()), op.getType().getElementType()};
    // Slices are replaced as a whole, but combined element by element.
    SmallVector<OpFoldResult> loops(places);
    if (!reduction.replaces())
      llvm::append_range(loops, ArrayRef(sizes).drop_front(coordinates));
    auto body = [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
      SmallVector<Value> place;
      appendCoordinates(inner, indices, ivs.take_front(outer), ArrayRef(sizes).take_front(coordinates), place);
      llvm::append_range(place, ivs.drop_front(outer));
      Value update = readAt(inner, updates, ivs);
      if (!reduction.replaces())
        update = reduction.combine(inner, tensor::ExtractOp::create(inner, carried[0], place), update);
      return {writeAt(inner, update, carried[0], place)};
    };
    // A single update needs no loop.
    bool isOne =
        reduction.replaces() && llvm::all_of(places, [](OpFoldResult size) { return getConstantIntValue(size) == 1; });
    Value result = isOne ? body(b, SmallVector<Value>(outer, indexOf(b, 0)), data).front()
                         : loopNest(b, loops, data, body).front();
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};
} // namespace

void populateMovementScatterPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerScatterUpdate, LowerScatterElements, LowerScatterND>(converter, patterns.getContext());
}

} // namespace recur::ov
