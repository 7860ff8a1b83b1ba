// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Gather.cpp - Lowering of ov.gather ---------------------------------===//

#include "Indexing.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace recur::ov {

namespace {
/// The result has the batch dims, the dims of data before the axis, those of indices, and those of data after the axis.
class GatherLowering {
public:
  GatherLowering(LoweringBuilder &b, GatherOp op, GatherOp::Adaptor adaptor, int64_t axis)
      : b(b), op(op), data(adaptor.getData()), indices(adaptor.getIndices()), axis(axis),
        batch(normalizeBatchDims(op.getBatchDims(), rankOf(indices))) {}

  Value lower();

private:
  int64_t getIndexRank() const { return rankOf(indices) - batch; }
  /// The index that is at `position` of indices, checked.
  Value getIndex(LoweringBuilder &b, ValueRange position);
  /// The slice of data at an index, without batch dims and axis.
  Value extractSlice(LoweringBuilder &b, ValueRange batchIvs, Value index);
  Value lowerToSlice();
  Value lowerToElement();
  Value lowerToLoops();
  void checkBatch();

  LoweringBuilder &b;
  GatherOp op;
  Value data, indices;
  int64_t axis, batch;
};

struct LowerGather final : OpConversionPattern<GatherOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(GatherOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    std::optional<SmallVector<int64_t>> axes = getConstantAxes(op.getAxis(), op.getData().getType().getRank());
    if (!axes || axes->size() != 1)
      return rewriter.notifyMatchFailure(op, "expected a constant axis");
    LoweringBuilder b(op.getLoc(), rewriter);
    Value result = GatherLowering(b, op, adaptor, axes->front()).lower();
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};
} // namespace

Value GatherLowering::getIndex(LoweringBuilder &b, ValueRange position) {
  using P = arith::CmpIPredicate;
  Value index = toIndex(b, b.createOrFold<tensor::ExtractOp>(indices, position));
  Value size = getDim(b, data, axis), zero = indexOf(b, 0), wanted = index;
  if (op.getVersion() >= 8) {
    Value fromEnd = b.createOrFold<arith::AddIOp>(index, size);
    index = b.createOrFold<arith::SelectOp>(compare(b, P::slt, index, zero), fromEnd, index);
  }
  // As an unsigned number, a negative index is too great.
  Value isInside = compare(b, P::ult, index, size);
  if (matchPattern(isInside, m_One()))
    return index;
  return check(b, isInside, rt::FaultKind::Index, "index {0} is out of range for {1} elements", {wanted, size}, index)
      .front();
}

Value GatherLowering::extractSlice(LoweringBuilder &b, ValueRange batchIvs, Value index) {
  SmallVector<OpFoldResult> offsets(rankOf(data), b.getIndexAttr(0)), sizes = getDims(b, data);
  SmallVector<int64_t> dropped;
  for (int64_t i = 0, e = rankOf(data); i != e; ++i) {
    if (i >= batch && i != axis)
      continue;
    offsets[i] = getAsOpFoldResult(i == axis ? index : batchIvs[i]);
    sizes[i] = b.getIndexAttr(1);
    dropped.push_back(i);
  }
  return extractDropping(b, data, offsets, sizes, dropped);
}

void GatherLowering::checkBatch() {
  for (int64_t i = 0; i != batch; ++i) {
    CheckedDim checked = checkSameDim(b, data, i, indices, i);
    data = tieDims(b, data, {{i, checked}});
    indices = tieDims(b, indices, {{i, checked}});
  }
}

/// One index: its slice of data, without a copy.
Value GatherLowering::lowerToSlice() {
  SmallVector<Value> zeros(rankOf(indices), indexOf(b, 0));
  Value slice = extractSlice(b, {}, getIndex(b, zeros));
  auto units = llvm::to_vector(llvm::seq<int64_t>(axis, axis + rankOf(indices)));
  return insertUnitDims(b, slice, units);
}

/// One element, as a scalar.
Value GatherLowering::lowerToElement() {
  Value index = getIndex(b, SmallVector<Value>(rankOf(indices), indexOf(b, 0)));
  SmallVector<Value> position(rankOf(data), indexOf(b, 0));
  position[axis] = index;
  Value element = b.createOrFold<tensor::ExtractOp>(data, position);
  SmallVector<int64_t> ones(rankOf(data) - 1 + rankOf(indices) - batch, 1);
  return tensor::FromElementsOp::create(b, RankedTensorType::get(ones, elementOf(data)), element);
}

/// One loop over batch dims and indices, which copies slices.
Value GatherLowering::lowerToLoops() {
  checkBatch();
  int64_t dataRank = rankOf(data), indexRank = getIndexRank();
  SmallVector<OpFoldResult> dataSizes = getDims(b, data), loops = getDims(b, indices), sizes;
  llvm::append_range(sizes, ArrayRef(dataSizes).take_front(axis));
  llvm::append_range(sizes, ArrayRef(loops).drop_front(batch));
  llvm::append_range(sizes, ArrayRef(dataSizes).drop_front(axis + 1));
  bool isElement = dataRank == batch + 1;
  auto body = [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
    Value index = getIndex(inner, ivs);
    if (isElement) {
      SmallVector<Value> position(ivs.take_front(batch));
      position.push_back(index);
      Value element = tensor::ExtractOp::create(inner, data, position);
      return {tensor::InsertOp::create(inner, element, carried.front(), ivs)};
    }
    Value slice = extractSlice(inner, ivs.take_front(batch), index);
    SmallVector<OpFoldResult> offsets(sizes.size(), inner.getIndexAttr(0)), extents = sizes;
    SmallVector<int64_t> dropped;
    for (int64_t i = 0; i != batch + indexRank; ++i) {
      int64_t dim = i < batch ? i : i - batch + axis;
      offsets[dim] = getAsOpFoldResult(ivs[i]);
      extents[dim] = inner.getIndexAttr(1);
      dropped.push_back(dim);
    }
    return {insertDropping(inner, slice, carried.front(), offsets, extents, dropped)};
  };
  return loopNest(b, loops, emptyOf(b, sizes, elementOf(data)), body).front();
}

Value GatherLowering::lower() {
  auto hasOneElement = [](RankedTensorType type) { return type.hasStaticShape() && type.getNumElements() == 1; };
  if (batch == 0 && hasOneElement(cast<RankedTensorType>(indices.getType()))) {
    SmallVector<int64_t> rest(shapeOf(data));
    rest.erase(rest.begin() + axis);
    return llvm::all_of(rest, [](int64_t dim) { return dim == 1; }) ? lowerToElement() : lowerToSlice();
  }
  return lowerToLoops();
}

void populateGatherPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerGather>(converter, patterns.getContext());
}

} // namespace recur::ov
