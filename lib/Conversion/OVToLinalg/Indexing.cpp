// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Indexing.cpp - Elements and slices at computed places --------------===//

#include "Indexing.h"
#include "Payloads.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace recur::ov {

using P = arith::CmpIPredicate;

Value addIndex(LoweringBuilder &b, Value x, Value y) { return b.createOrFold<arith::AddIOp>(x, y); }
Value subIndex(LoweringBuilder &b, Value x, Value y) { return b.createOrFold<arith::SubIOp>(x, y); }
Value minIndex(LoweringBuilder &b, Value x, Value y) { return b.createOrFold<arith::MinSIOp>(x, y); }
Value maxIndex(LoweringBuilder &b, Value x, Value y) { return b.createOrFold<arith::MaxSIOp>(x, y); }
Value selectValue(LoweringBuilder &b, Value condition, Value yes, Value no) {
  return b.createOrFold<arith::SelectOp>(condition, yes, no);
}

OpFoldResult toSize(LoweringBuilder &b, Value value) {
  std::optional<int64_t> constant = getConstantIntValue(value);
  return constant ? OpFoldResult(b.getIndexAttr(*constant)) : OpFoldResult(value);
}

Value entryOf(LoweringBuilder &b, Value vector, int64_t known, int64_t i) {
  return ShapedType::isDynamic(known) ? readIndex(b, vector, {indexOf(b, i)}) : indexOf(b, known);
}

Value readIndex(LoweringBuilder &b, Value tensor, ValueRange position) {
  return toIndex(b, b.createOrFold<tensor::ExtractOp>(tensor, position));
}

Value checkIndex(LoweringBuilder &b, Value index, Value size) {
  Value fromEnd = addIndex(b, index, size);
  Value at = selectValue(b, compare(b, P::slt, index, indexOf(b, 0)), fromEnd, index);
  // As an unsigned number, a negative index is too great.
  Value isInside = compare(b, P::ult, at, size);
  if (matchPattern(isInside, m_One()))
    return at;
  return check(b, isInside, rt::FaultKind::Index, "index {0} is out of range for {1} elements", {index, size}, at)
      .front();
}

/// The views of buffers that drop dims are told apart by strides, which may be unknown: then the first dims of one
/// element count as dropped. That is wrong where a longer dim stands between one that stays and one that goes.
static bool isAmbiguous(ArrayRef<OpFoldResult> sizes, ArrayRef<int64_t> dropped) {
  bool staysOne = false, isLong = false;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (llvm::is_contained(dropped, static_cast<int64_t>(i))) {
      if (staysOne && isLong)
        return true;
    } else if (getConstantIntValue(size) == 1) {
      staysOne = true;
    } else {
      isLong |= staysOne;
    }
  }
  return false;
}

static SmallVector<int64_t> shapeWithout(ArrayRef<OpFoldResult> sizes, ArrayRef<int64_t> dropped) {
  SmallVector<OpFoldResult> kept;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!llvm::is_contained(dropped, static_cast<int64_t>(i)))
      kept.push_back(size);
  return staticShapeOf(kept);
}

Value extractDropping(LoweringBuilder &b, Value tensor, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                      ArrayRef<int64_t> dropped) {
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  bool reduces = !isAmbiguous(sizes, dropped);
  auto type = RankedTensorType::get(shapeWithout(sizes, reduces ? dropped : ArrayRef<int64_t>()), elementOf(tensor));
  Value slice = sliceOf(b, type, tensor, offsets, sizes, strides);
  return reduces ? slice : dropUnitDims(b, slice, dropped);
}

/// True if a loop carries the tensor, and the sizes are known to be those of it.
static bool replacesCarried(Value tensor, ArrayRef<OpFoldResult> sizes) {
  auto carried = dyn_cast<BlockArgument>(tensor);
  if (!carried || !isa<scf::ForOp>(carried.getOwner()->getParentOp()))
    return false;
  ArrayRef<int64_t> shape = shapeOf(tensor);
  return !ShapedType::isDynamicShape(shape) && ArrayRef<int64_t>(staticShapeOf(sizes)) == shape;
}

/// An insertion that replaces all folds to what is inserted, which a loop cannot carry in its buffer: it is copied there.
static Value replaceAll(LoweringBuilder &b, Value slice, Value tensor) {
  Type type = tensor.getType();
  return bufferization::MaterializeInDestinationOp::create(b, type, castTo(b, slice, type), tensor).getResult();
}

Value insertDropping(LoweringBuilder &b, Value slice, Value tensor, ArrayRef<OpFoldResult> offsets,
                     ArrayRef<OpFoldResult> sizes, ArrayRef<int64_t> dropped) {
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  if (replacesCarried(tensor, sizes))
    return replaceAll(b, insertUnitDims(b, slice, dropped), tensor);
  if (isAmbiguous(sizes, dropped))
    slice = insertUnitDims(b, slice, dropped);
  return insertInto(b, slice, tensor, offsets, sizes, strides);
}

namespace {
/// The slice at leading indices.
struct LeadingSlice {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  RankedTensorType type;

  LeadingSlice(LoweringBuilder &b, Value tensor, ValueRange place)
      : offsets(getAsOpFoldResult(place)), sizes(getDims(b, tensor)), strides(sizes.size(), b.getIndexAttr(1)) {
    offsets.resize(sizes.size(), b.getIndexAttr(0));
    for (size_t i = 0; i != place.size(); ++i)
      sizes[i] = b.getIndexAttr(1);
    type = RankedTensorType::get(staticShapeOf(ArrayRef(sizes).drop_front(place.size())), elementOf(tensor));
  }
};
} // namespace

Value readAt(LoweringBuilder &b, Value data, ValueRange place) {
  if (rankOf(data) == static_cast<int64_t>(place.size()))
    return tensor::ExtractOp::create(b, data, place);
  LeadingSlice slice(b, data, place);
  return sliceOf(b, slice.type, data, slice.offsets, slice.sizes, slice.strides);
}

Value writeAt(LoweringBuilder &b, Value value, Value tensor, ValueRange place) {
  if (!isa<RankedTensorType>(value.getType()))
    return tensor::InsertOp::create(b, value, tensor, place);
  LeadingSlice slice(b, tensor, place);
  if (replacesCarried(tensor, slice.sizes))
    return replaceAll(b, insertUnitDims(b, value, llvm::to_vector(llvm::seq<int64_t>(0, place.size()))), tensor);
  return insertInto(b, value, tensor, slice.offsets, slice.sizes, slice.strides);
}

Value gatherAt(LoweringBuilder &b, Value data, ArrayRef<OpFoldResult> sizes, int64_t outer, Place place) {
  auto body = [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
    return {writeAt(inner, readAt(inner, data, place(inner, ivs)), carried.front(), ivs)};
  };
  return loopNest(b, sizes.take_front(outer), emptyOf(b, sizes, elementOf(data)), body).front();
}

//===----------------------------------------------------------------------===//
// GatherElements and GatherND
//===----------------------------------------------------------------------===//

namespace {
struct LowerGatherElements final : OpConversionPattern<GatherElementsOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(GatherElementsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value data = adaptor.getData(), indices = adaptor.getIndices();
    int64_t rank = rankOf(data), axis = *normalizeAxis(op.getAxis(), rank);
    for (int64_t i = 0; i != rank; ++i)
      if (i != axis) {
        CheckedDim checked = checkSameDim(b, data, i, indices, i);
        data = tieDims(b, data, {{i, checked}});
        indices = tieDims(b, indices, {{i, checked}});
      }
    Value size = getDim(b, data, axis);
    Value result = gatherAt(b, data, getDims(b, indices), rank, [&](LoweringBuilder &inner, ValueRange ivs) {
      SmallVector<Value> place(ivs);
      place[axis] = checkIndex(inner, readIndex(inner, indices, ivs), size);
      return place;
    });
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

struct LowerGatherND final : OpConversionPattern<GatherNDOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(GatherNDOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value data = adaptor.getData(), indices = adaptor.getIndices();
    int64_t batch = op.getBatchDims(), outer = rankOf(indices) - 1, coordinates = shapeOf(indices).back();
    for (int64_t i = 0; i != batch; ++i) {
      CheckedDim checked = checkSameDim(b, data, i, indices, i);
      data = tieDims(b, data, {{i, checked}});
      indices = tieDims(b, indices, {{i, checked}});
    }
    SmallVector<OpFoldResult> dataSizes = getDims(b, data), sizes = getDims(b, indices);
    sizes.pop_back();
    llvm::append_range(sizes, ArrayRef(dataSizes).drop_front(batch + coordinates));
    Value result = gatherAt(b, data, sizes, outer, [&](LoweringBuilder &inner, ValueRange ivs) {
      SmallVector<Value> place(ivs.take_front(batch));
      for (int64_t i = 0; i != coordinates; ++i) {
        SmallVector<Value> position(ivs);
        position.push_back(indexOf(inner, i));
        place.push_back(checkIndex(inner, readIndex(inner, indices, position),
                                   getValueOrCreateConstantIndexOp(inner, inner.getLoc(), dataSizes[batch + i])));
      }
      return place;
    });
    if (op.getVersion() < 8 && batch > 1) {
      SmallVector<ReassociationIndices> groups(1);
      for (int64_t i = 0, e = sizes.size(); i != e; ++i) {
        if (i >= batch)
          groups.emplace_back();
        groups.back().push_back(i);
      }
      result = tensor::CollapseShapeOp::create(b, result, groups);
    }
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// ReverseSequence
//===----------------------------------------------------------------------===//

struct LowerReverseSequence final : OpConversionPattern<ReverseSequenceOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(ReverseSequenceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value data = adaptor.getData(), lengths = adaptor.getSeqLengths();
    int64_t rank = rankOf(data), batch = *normalizeAxis(op.getBatchAxis(), rank);
    int64_t seq = *normalizeAxis(op.getSeqAxis(), rank);
    CheckedDim checked = checkSameDim(b, data, batch, lengths, 0);
    data = tieDims(b, data, {{batch, checked}});
    lengths = tieDims(b, lengths, {{0, checked}});
    Type element = op.getSeqLengths().getType().getElementType();
    Value size = getDim(b, data, seq);
    // All lengths are checked before anything is moved, so that the loops over elements have no checks.
    auto toLength = [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
      Value stored = tensor::ExtractOp::create(inner, lengths, ivs);
      Value wide = convertScalar(inner, enter(inner, stored, element), element, inner.getI64Type());
      Value length = toIndex(inner, wide);
      Value fits = compare(inner, P::ule, length, size);
      wide = check(inner, fits, rt::FaultKind::Index, "sequence {0} has length {1}, but there are {2} elements",
                   {ivs[0], length, size}, wide)
                 .front();
      return {tensor::InsertOp::create(inner, wide, carried.front(), ivs)};
    };
    SmallVector<OpFoldResult> batchSize = getDims(b, lengths);
    Value checkedLengths = loopNest(b, batchSize, emptyOf(b, batchSize, b.getI64Type()), toLength).front();
    int64_t outer = std::max(batch, seq) + 1;
    Value result = gatherAt(b, data, getDims(b, data), outer, [&](LoweringBuilder &inner, ValueRange ivs) {
      SmallVector<Value> place(ivs);
      Value length = readIndex(inner, checkedLengths, ivs[batch]);
      Value mirrored = subIndex(inner, subIndex(inner, length, indexOf(inner, 1)), ivs[seq]);
      place[seq] = selectValue(inner, compare(inner, P::slt, ivs[seq], length), mirrored, ivs[seq]);
      return place;
    });
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};
} // namespace

void populateIndexingPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerGatherElements, LowerGatherND, LowerReverseSequence>(converter, patterns.getContext());
}

} // namespace recur::ov
