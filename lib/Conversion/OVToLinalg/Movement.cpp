// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Movement.cpp - Lowering of transpose, concat, reverse_sequence -----===//
//
// This file lowers Transpose, Concat and ReverseSequence. Moving elements costs memory traffic, so cheaper forms are
// preferred: a transpose that moves only unit dims is a reshape, and a short vector is put together from scalars.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"
#include "Payloads.h"
#include "Reshaping.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace recur::ov {

//===----------------------------------------------------------------------===//
// Transpose
//===----------------------------------------------------------------------===//

/// If only unit dims change places, transposes by dropping and inserting unit dims, which moves no element. Otherwise
/// returns null.
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
/// Transpose by a constant permutation, as a reshape or a linalg.transpose.
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
      // The verifier of linalg.transpose compares types, so the type of the operand must show every dim that is known
      // to be static.
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

/// Concat along an attribute's axis.
struct LowerConcat final : OpConversionPattern<ConcatOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(ConcatOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override;
};
} // namespace

/// Concatenates short vectors element by element. These are mostly shapes, and this way they need no memory.
static Value concatElements(LoweringBuilder &b, ValueRange inputs, RankedTensorType type) {
  SmallVector<Value> elements;
  for (Value input : inputs)
    for (int64_t i = 0; i != shapeOf(input).front(); ++i)
      elements.push_back(b.createOrFold<tensor::ExtractOp>(input, ValueRange{indexOf(b, i)}));
  return tensor::FromElementsOp::create(b, type, elements);
}

/// The most inputs that are inserted into a tensor, one after the other. Bufferization compares each of these inserts
/// with all others, and follows the chain of them each time.
static constexpr size_t kMostInserts = 16;

/// Concatenates by writing each input to its part of a buffer, which no other op writes. A buffer of static size begins
/// before the inputs, so that they can be computed in it.
static Value concatInBuffer(LoweringBuilder &b, ArrayRef<Value> inputs, int64_t axis, ArrayRef<OpFoldResult> sizes,
                            ArrayRef<OpFoldResult> offsets) {
  int64_t rank = rankOf(inputs.front());
  auto type = MemRefType::get(staticShapeOf(sizes), elementOf(inputs.front()));
  SmallVector<OpFoldResult> begin(rank, b.getIndexAttr(0)), strides(rank, b.getIndexAttr(1));
  SmallVector<Value> parts;
  Value buffer;
  {
    OpBuilder::InsertionGuard guard(b);
    if (type.hasStaticShape())
      b.setInsertionPointToStart(b.getInsertionBlock());
    SmallVector<Value> dynamic;
    for (OpFoldResult size : sizes)
      if (!getConstantIntValue(size))
        dynamic.push_back(cast<Value>(size));
    buffer = memref::AllocOp::create(b, type, dynamic);
    for (auto [input, offset] : llvm::zip_equal(inputs, offsets)) {
      begin[axis] = offset;
      SmallVector<OpFoldResult> part(sizes);
      part[axis] = getDimOrAttr(b, input, axis);
      parts.push_back(memref::SubViewOp::create(b, buffer, begin, part, strides));
    }
  }
  for (auto [input, part] : llvm::zip_equal(inputs, parts)) {
    auto shape = cast<MemRefType>(part.getType()).getShape();
    Value source = castTo(b, input, RankedTensorType::get(shape, type.getElementType()));
    auto write = bufferization::MaterializeInDestinationOp::create(b, Type(), source, part);
    write.setRestrict(true);
    write.setWritable(true);
  }
  auto result = RankedTensorType::get(type.getShape(), type.getElementType());
  return bufferization::ToTensorOp::create(b, result, buffer, /*restrict=*/true);
}

/// Concatenates by inserting each input into the result. Checks that all other dims agree, and makes the inputs depend
/// on these checks.
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
      input = guardDims(b, input, {{i, checkSize(b, input, i, sizes[i])}});
  }
  // Each part begins at the end of the one before it.
  SmallVector<OpFoldResult> offsets{b.getIndexAttr(0)};
  for (Value input : inputs) {
    OpFoldResult part = getDimOrAttr(b, input, axis), begin = offsets.back();
    offsets.push_back(toSize(b, addIndex(b, toValue(b, begin), toValue(b, part))));
  }
  sizes[axis] = offsets.pop_back_val();
  if (inputs.size() > kMostInserts)
    return concatInBuffer(b, inputs, axis, sizes, offsets);
  Value result = emptyOf(b, sizes, elementOf(inputs.front()));
  SmallVector<OpFoldResult> begin(rank, b.getIndexAttr(0)), strides(rank, b.getIndexAttr(1));
  for (auto [input, offset] : llvm::zip_equal(inputs, offsets)) {
    begin[axis] = offset;
    // More sizes may be known to be static than the type shows.
    SmallVector<OpFoldResult> part = getDims(b, input);
    auto type = RankedTensorType::get(staticShapeOf(part), elementOf(input));
    result = insertInto(b, castTo(b, input, type), result, begin, part, strides);
  }
  return result;
}

LogicalResult LowerConcat::matchAndRewrite(ConcatOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const {
  // The longest result that is put together element by element.
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
// ReverseSequence
//===----------------------------------------------------------------------===//

namespace {
/// ReverseSequence: copies element i of a sequence of length n from position n - 1 - i if i < n, else from i.
struct LowerReverseSequence final : OpConversionPattern<ReverseSequenceOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(ReverseSequenceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value data = adaptor.getData(), lengths = adaptor.getSeqLengths();
    int64_t rank = rankOf(data), batch = *normalizeAxis(op.getBatchAxis(), rank);
    int64_t seq = *normalizeAxis(op.getSeqAxis(), rank);
    guardSameDim(b, data, batch, lengths, 0);
    Type element = op.getSeqLengths().getType().getElementType();
    Value size = getDim(b, data, seq);
    // All lengths are checked before the first element is moved, so the loops over elements contain no checks.
    auto toLength = [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
      Value stored = tensor::ExtractOp::create(inner, lengths, ivs);
      Value wide = convertScalar(inner, fromStorage(inner, stored, element), element, inner.getI64Type());
      Value length = toIndex(inner, wide);
      Value fits = compare(inner, arith::CmpIPredicate::ule, length, size);
      wide = check(inner, fits, rt::FaultKind::Index, "sequence {0} has length {1}, but there are {2} elements",
                   {ivs[0], length, size}, wide)
                 .front();
      return {tensor::InsertOp::create(inner, wide, carried.front(), ivs)};
    };
    SmallVector<OpFoldResult> batchSize = getDims(b, lengths);
    Value checkedLengths = loopNest(b, batchSize, emptyOf(b, batchSize, b.getI64Type()), toLength).front();
    // The dims after both axes are copied as one slice.
    int64_t outer = std::max(batch, seq) + 1;
    Value result = gatherAt(b, data, getDims(b, data), outer, [&](LoweringBuilder &inner, ValueRange ivs) {
      SmallVector<Value> place(ivs);
      Value length = readIndex(inner, checkedLengths, ivs[batch]);
      Value mirrored = subIndex(inner, subIndex(inner, length, indexOf(inner, 1)), ivs[seq]);
      place[seq] = selectValue(inner, compare(inner, arith::CmpIPredicate::slt, ivs[seq], length), mirrored, ivs[seq]);
      return place;
    });
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};
} // namespace

void populateMovementPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerTranspose, LowerConcat, LowerReverseSequence>(converter, patterns.getContext());
}

} // namespace recur::ov
