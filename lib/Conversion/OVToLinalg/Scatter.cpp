// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Scatter.cpp - Lowering of ops that write at computed places --------===//
//
// All write into their data, one place after the other: bufferization sees whether the data may be overwritten.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"
#include "Payloads.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;

namespace recur::ov {

using P = arith::CmpIPredicate;

/// Checks that dim `i` of `a` is dim `j` of `c`; both depend on it.
static void tieSameDim(LoweringBuilder &b, Value &a, int64_t i, Value &c, int64_t j) {
  CheckedDim checked = checkSameDim(b, a, i, c, j);
  a = tieDims(b, a, {{i, checked}});
  c = tieDims(b, c, {{j, checked}});
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {
/// How an update is combined with what is there, on elements as memory has them.
struct Reduction {
  StringRef name;
  Type element;

  bool replaces() const { return name == "none"; }
  Value combine(LoweringBuilder &b, Value old, Value update) const;
  /// What changes nothing, as memory has it.
  Value getNeutral(LoweringBuilder &b) const;
};
} // namespace

Value Reduction::combine(LoweringBuilder &b, Value old, Value update) const {
  Value lhs = enter(b, old, element), rhs = enter(b, update, element), result;
  bool isUnsigned = ov::isUnsigned(element);
  if (element.isInteger(1))
    result = name == "sum" || name == "max" ? arith::OrIOp::create(b, lhs, rhs).getResult()
                                            : arith::AndIOp::create(b, lhs, rhs).getResult();
  else if (name == "sum" || name == "mean")
    result = add(b, lhs, rhs);
  else if (name == "sub")
    result = isa<FloatType>(lhs.getType()) ? arith::SubFOp::create(b, lhs, rhs).getResult()
                                           : arith::SubIOp::create(b, lhs, rhs).getResult();
  else if (name == "prod")
    result = multiply(b, lhs, rhs);
  else if (name == "min")
    result = minimum(b, lhs, rhs, isUnsigned);
  else
    result = maximum(b, lhs, rhs, isUnsigned);
  return leave(b, result, element);
}

Value Reduction::getNeutral(LoweringBuilder &b) const {
  Type storage = getStorageType(element);
  bool isMin = name == "min", isUnsigned = ov::isUnsigned(element);
  if (auto type = dyn_cast<FloatType>(storage)) {
    if (name == "sum" || name == "mean")
      return zeroOf(b, storage);
    if (name == "prod")
      return constantOf(b, storage, 1.0);
    return arith::ConstantOp::create(b, FloatAttr::get(type, APFloat::getInf(type.getFloatSemantics(), !isMin)));
  }
  unsigned width = storage.getIntOrFloatBitWidth();
  if (element.isInteger(1))
    return constantOf(b, storage, APInt(width, name == "prod" || isMin));
  if (name == "sum" || name == "mean")
    return zeroOf(b, storage);
  if (name == "prod")
    return constantOf(b, storage, APInt(width, 1));
  if (isUnsigned)
    return constantOf(b, storage, isMin ? APInt::getMaxValue(width) : APInt::getMinValue(width));
  return constantOf(b, storage, isMin ? APInt::getSignedMaxValue(width) : APInt::getSignedMinValue(width));
}

//===----------------------------------------------------------------------===//
// ScatterUpdate
//===----------------------------------------------------------------------===//

namespace {
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
        tieSameDim(b, data, i, updates, i < *axis ? i : i - 1 + indexRank);
    for (int64_t i = 0; i != indexRank; ++i)
      tieSameDim(b, indices, i, updates, *axis + i);
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
    auto indexType = cast<RankedTensorType>(indices.getType());
    Value result;
    if (indexType.hasStaticShape() && indexType.getNumElements() == 1)
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

class ScatterElementsLowering {
public:
  ScatterElementsLowering(LoweringBuilder &b, ScatterElementsUpdateOp op, ScatterElementsUpdateOp::Adaptor adaptor,
                          int64_t axis)
      : b(b), axis(axis), data(adaptor.getData()), indices(adaptor.getIndices()),
        updates(adaptor.getUpdates()), reduction{op.getReduction(), op.getType().getElementType()},
        usesInitial(op.getUseInitVal()) {}

  Value lower();

private:
  void checkShapes();
  Value getPlace(LoweringBuilder &b, ValueRange ivs, SmallVector<Value> &place);
  Value divide(Value sums, Value counts);

  LoweringBuilder &b;
  int64_t axis;
  Value data, indices, updates, size;
  Reduction reduction;
  bool usesInitial;
};

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
    tieSameDim(b, indices, i, updates, i);
    if (i == axis || isSameDim(b, indices, i, data, i))
      continue;
    Value places = getDim(b, indices, i), most = getDim(b, data, i);
    if (getConstantIntValue(places) && getConstantIntValue(most))
      continue;
    CheckedDim checked = checkDim(b, compare(b, P::ule, places, most), "{0} indices do not fit a dim of {1}",
                                  {places, most}, places, getConstantIntValue(places).value_or(ShapedType::kDynamic));
    indices = tieDims(b, indices, {{i, checked}});
    // Indices of static size depend on the check by the data.
    data = tieDims(b, data, {{i, {getDimOrAttr(b, data, i), most, checked.origin}}});
  }
  size = getDim(b, data, axis);
}

Value ScatterElementsLowering::getPlace(LoweringBuilder &b, ValueRange ivs, SmallVector<Value> &place) {
  place.assign(ivs.begin(), ivs.end());
  place[axis] = checkIndex(b, readIndex(b, indices, ivs), size);
  return place[axis];
}

/// The mean of integers is floored.
Value ScatterElementsLowering::divide(Value sums, Value counts) {
  Type element = reduction.element;
  SmallVector<OpFoldResult> sizes = getDims(b, sums);
  return elementwise(b, {sums, counts}, emptyOf(b, sizes, elementOf(sums)),
                     [&](LoweringBuilder &inner, ValueRange args) -> Value {
                       Value sum = enter(inner, args[0], element);
                       Value count = args[1], one = constantOf(inner, inner.getI64Type(), APInt(64, 1));
                       Value isMany = compare(inner, P::sgt, count, one);
                       if (isa<FloatType>(sum.getType())) {
                         Value divisor = arith::SIToFPOp::create(inner, sum.getType(), count);
                         Value mean = arith::DivFOp::create(inner, sum, divisor);
                         return selectValue(inner, isMany, leave(inner, mean, element), args[0]);
                       }
                       // In 64 bits every count is a number.
                       bool isUnsigned = ov::isUnsigned(element);
                       Value wide = convertScalar(inner, sum, element, inner.getI64Type());
                       Value divisor = selectValue(inner, isMany, count, one);
                       Value mean = divideIntegers(inner, wide, divisor, isUnsigned, /*floored=*/true);
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
    // What is combined starts anew.
    result = loopNest(b, places, result,
                      [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
                        SmallVector<Value> place;
                        getPlace(inner, ivs, place);
                        return {tensor::InsertOp::create(inner, reduction.getNeutral(inner), carried[0], place)};
                      })
                 .front();
  bool isMean = reduction.name == "mean";
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
          count = arith::AddIOp::create(inner, count, constantOf(inner, inner.getI64Type(), APInt(64, 1)));
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
struct LowerScatterND final : OpConversionPattern<ScatterNDUpdateOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(ScatterNDUpdateOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value data = adaptor.getData(), indices = adaptor.getIndices(), updates = adaptor.getUpdates();
    int64_t outer = rankOf(indices) - 1, coordinates = shapeOf(indices).back();
    for (int64_t i = 0; i != outer; ++i)
      tieSameDim(b, indices, i, updates, i);
    for (int64_t i = coordinates, e = rankOf(data); i != e; ++i)
      tieSameDim(b, data, i, updates, i - coordinates + outer);
    SmallVector<OpFoldResult> sizes = getDims(b, data), places = getDims(b, indices);
    places.pop_back();
    Reduction reduction{op.getReduction(), op.getType().getElementType()};
    // Slices are replaced as a whole, and combined element by element.
    SmallVector<OpFoldResult> loops(places);
    if (!reduction.replaces())
      llvm::append_range(loops, ArrayRef(sizes).drop_front(coordinates));
    auto body = [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
      SmallVector<Value> place;
      for (int64_t i = 0; i != coordinates; ++i) {
        SmallVector<Value> position(ivs.take_front(outer));
        position.push_back(indexOf(inner, i));
        place.push_back(checkIndex(inner, readIndex(inner, indices, position),
                                   getValueOrCreateConstantIndexOp(inner, inner.getLoc(), sizes[i])));
      }
      llvm::append_range(place, ivs.drop_front(outer));
      Value update = readAt(inner, updates, ivs);
      if (!reduction.replaces())
        update = reduction.combine(inner, tensor::ExtractOp::create(inner, carried[0], place), update);
      return {writeAt(inner, update, carried[0], place)};
    };
    // One place needs no loop.
    bool isOne =
        reduction.replaces() && llvm::all_of(places, [](OpFoldResult size) { return getConstantIntValue(size) == 1; });
    Value result = isOne ? body(b, SmallVector<Value>(outer, indexOf(b, 0)), data).front()
                         : loopNest(b, loops, data, body).front();
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};
} // namespace

void populateScatterPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerScatterUpdate, LowerScatterElements, LowerScatterND>(converter, patterns.getContext());
}

} // namespace recur::ov
