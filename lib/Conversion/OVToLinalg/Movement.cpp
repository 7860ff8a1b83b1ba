// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Movement.cpp - Lowering of transpose, concat and broadcast ---------===//

#include "Broadcasting.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace recur::ov {

//===----------------------------------------------------------------------===//
// Transpose
//===----------------------------------------------------------------------===//

/// Transposes by reshaping, if only unit dims move; else null.
static Value moveUnitDims(LoweringBuilder &b, Value arg, ArrayRef<int64_t> order) {
  SmallVector<int64_t> before, after, kept;
  for (auto [i, axis] : llvm::enumerate(order)) {
    if (shapeOf(arg)[i] == 1)
      before.push_back(i);
    if (shapeOf(arg)[axis] == 1)
      after.push_back(i);
    else
      kept.push_back(axis);
  }
  if (!llvm::is_sorted(kept))
    return {};
  return insertUnitDims(b, dropUnitDims(b, arg, before), after);
}

namespace {
struct LowerTranspose final : OpConversionPattern<TransposeOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(TransposeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    std::optional<SmallVector<int64_t>> order = getPermutation(op.getInputOrder(), op.getType().getRank());
    if (!order)
      return rewriter.notifyMatchFailure(op, "expected a constant order");
    LoweringBuilder b(op.getLoc(), rewriter);
    Value arg = adaptor.getArg();
    Value result = moveUnitDims(b, arg, *order);
    if (!result) {
      SmallVector<OpFoldResult> sizes;
      SmallVector<int64_t> known(order->size());
      for (int64_t axis : *order) {
        sizes.push_back(getDimOrAttr(b, arg, axis));
        known[axis] = getConstantIntValue(sizes.back()).value_or(ShapedType::kDynamic);
      }
      // A dim may be known that the type does not say.
      if (auto type = RankedTensorType::get(known, elementOf(arg)); type != arg.getType())
        arg = tensor::CastOp::create(b, type, arg);
      Value empty = emptyOf(b, sizes, elementOf(arg));
      result = linalg::TransposeOp::create(b, arg, empty, *order)->getResult(0);
    }
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Concat
//===----------------------------------------------------------------------===//

struct LowerConcat final : OpConversionPattern<ConcatOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(ConcatOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override;
};
} // namespace

/// Short vectors, shapes above all, are put together element by element, so that they need no memory.
static Value concatElements(LoweringBuilder &b, ValueRange inputs, RankedTensorType type) {
  SmallVector<Value> elements;
  for (Value input : inputs)
    for (int64_t i = 0; i != shapeOf(input).front(); ++i)
      elements.push_back(b.createOrFold<tensor::ExtractOp>(input, ValueRange{indexOf(b, i)}));
  return tensor::FromElementsOp::create(b, type, elements);
}

static Value concatSlices(LoweringBuilder &b, MutableArrayRef<Value> inputs, int64_t axis) {
  int64_t rank = rankOf(inputs.front());
  SmallVector<OpFoldResult> sizes = getDims(b, inputs.front());
  for (int64_t i = 0; i != rank; ++i) {
    if (i == axis)
      continue;
    for (Value input : inputs)
      if (!ShapedType::isDynamic(shapeOf(input)[i]))
        sizes[i] = b.getIndexAttr(shapeOf(input)[i]);
    for (Value &input : inputs)
      input = tieDims(b, input, {{i, checkSize(b, input, i, sizes[i])}});
  }
  // The offset of each part is where the one before it ends.
  SmallVector<OpFoldResult> offsets{b.getIndexAttr(0)};
  for (Value input : inputs) {
    OpFoldResult part = getDimOrAttr(b, input, axis), begin = offsets.back();
    std::optional<int64_t> x = getConstantIntValue(begin), y = getConstantIntValue(part);
    if (x && y)
      offsets.push_back(b.getIndexAttr(*x + *y));
    else
      offsets.push_back(b.createOrFold<arith::AddIOp>(getValueOrCreateConstantIndexOp(b, b.getLoc(), begin),
                                                      getValueOrCreateConstantIndexOp(b, b.getLoc(), part)));
  }
  sizes[axis] = offsets.pop_back_val();
  Value result = emptyOf(b, sizes, elementOf(inputs.front()));
  SmallVector<OpFoldResult> begin(rank, b.getIndexAttr(0)), strides(rank, b.getIndexAttr(1));
  for (auto [input, offset] : llvm::zip_equal(inputs, offsets)) {
    begin[axis] = offset;
    // What is known of the sizes may be more than the type says.
    SmallVector<OpFoldResult> part = getDims(b, input);
    auto type = RankedTensorType::get(staticShapeOf(part), elementOf(input));
    result = insertInto(b, castTo(b, input, type), result, begin, part, strides);
  }
  return result;
}

LogicalResult LowerConcat::matchAndRewrite(ConcatOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const {
  constexpr int64_t kFewElements = 16;
  LoweringBuilder b(op.getLoc(), rewriter);
  SmallVector<Value> inputs(adaptor.getInputs());
  auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
  bool isStatic = llvm::all_of(inputs, [](Value input) { return cast<ShapedType>(input.getType()).hasStaticShape(); });
  Value result;
  if (isStatic && type.getRank() == 1 && type.hasStaticShape() && type.getNumElements() <= kFewElements)
    result = concatElements(b, inputs, type);
  else
    result = concatSlices(b, inputs, *normalizeAxis(op.getAxis(), type.getRank()));
  rewriter.replaceOp(op, castTo(b, result, type));
  return success();
}

//===----------------------------------------------------------------------===//
// Broadcast
//===----------------------------------------------------------------------===//

/// The sizes in `target`, not negative.
static SmallVector<OpFoldResult> getTargetSizes(LoweringBuilder &b, Value target, ArrayRef<int64_t> known) {
  SmallVector<OpFoldResult> sizes;
  for (auto [i, dim] : llvm::enumerate(known)) {
    if (!ShapedType::isDynamic(dim)) {
      sizes.push_back(b.getIndexAttr(dim));
      continue;
    }
    Value size = toIndex(b, b.createOrFold<tensor::ExtractOp>(target, ValueRange{indexOf(b, i)}));
    Value fits = compare(b, arith::CmpIPredicate::sge, size, indexOf(b, 0));
    sizes.push_back(check(b, fits, rt::FaultKind::Shape, "target dim {0} is {1}", {indexOf(b, i), size}, size).front());
  }
  return sizes;
}

namespace {
struct LowerBroadcast final : OpConversionPattern<BroadcastOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(BroadcastOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    std::optional<SmallVector<int64_t>> known = getPartlyKnownIntegers(op.getTargetShape());
    if (!known)
      return rewriter.notifyMatchFailure(op, "expected target_shape of static length");
    LoweringBuilder b(op.getLoc(), rewriter);
    Value data = adaptor.getData();
    if (op.getMode() == "explicit") {
      // With unit dims where there is no dim of the data, the rest is as for NumPy.
      SmallVector<int64_t> mapping = *getConstantAxes(op.getAxesMapping(), known->size()), missing;
      for (int64_t i = 0, e = known->size(); i != e; ++i)
        if (!llvm::is_contained(mapping, i))
          missing.push_back(i);
      data = insertUnitDims(b, data, missing);
    }
    SmallVector<OpFoldResult> target = getTargetSizes(b, adaptor.getTargetShape(), *known);
    // The target takes part as an operand that is never read.
    Value standIn = emptyOf(b, target, elementOf(data));
    Broadcasting plan = planBroadcasting(b, {data, standIn}, op.getType().getShape(), /*numpy=*/true);
    plan.operands.pop_back();
    if (op.getMode() != "bidirectional")
      checkIsTarget(b, plan, target);
    Value result = emit(b, plan, elementOf(data));
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }

private:
  /// Only the data is repeated: the result has the shape that is asked for.
  static void checkIsTarget(LoweringBuilder &b, Broadcasting &plan, ArrayRef<OpFoldResult> target) {
    for (auto [size, wanted] : llvm::zip_equal(plan.sizes, target)) {
      if (size == wanted || (getConstantIntValue(size) && getConstantIntValue(wanted)))
        continue;
      Value actual = getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
      Value expected = getValueOrCreateConstantIndexOp(b, b.getLoc(), wanted);
      Value same = compare(b, arith::CmpIPredicate::eq, actual, expected);
      Value guarded =
          check(b, same, rt::FaultKind::Shape, "data of dim {0} does not broadcast to {1}", {actual, expected}, actual)
              .front();
      if (!getConstantIntValue(size))
        size = guarded;
    }
  }

  static Value emit(LoweringBuilder &b, const Broadcasting &plan, Type element) {
    Value data = plan.operands.front().tensor;
    auto type = cast<RankedTensorType>(data.getType());
    if (type.hasStaticShape() && type.getNumElements() == 1 && !plan.isScalar())
      return filledOf(b, plan.sizes, extractOnly(b, data));
    return emitBroadcasting(b, plan, element, /*sideEffects=*/false,
                            [](LoweringBuilder &, ValueRange args) { return args.front(); });
  }
};
} // namespace

void populateMovementPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerTranspose, LowerConcat, LowerBroadcast>(converter, patterns.getContext());
}

} // namespace recur::ov
