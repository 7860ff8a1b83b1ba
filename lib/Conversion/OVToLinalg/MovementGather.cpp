// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementGather.cpp - Lowering of ops that read at computed places --===//
//
// Gather, GatherElements and GatherND read at indices that are values of the program. Every index is checked, so the
// lowerings are nests of scf.for around rt.check; a linalg body may not contain checks.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"
#include "Payloads.h"
#include "Reshaping.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace recur::ov {

using P = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

namespace {
/// Lowers one Gather. The dims of the result are the batch dims, the dims of the data before the axis, those of the
/// indices, and those of the data after the axis. There are three forms: a slice and a scalar for one index, and loops
/// for all others.
class GatherLowering {
public:
  GatherLowering(LoweringBuilder &b, GatherOp op, GatherOp::Adaptor adaptor, int64_t axis)
      : b(b), op(op), data(adaptor.getData()), indices(adaptor.getIndices()), axis(axis),
        batch(normalizeBatchDims(op.getBatchDims(), rankOf(indices))) {}

  Value lower();

private:
  /// The number of dims of the indices that are not batch dims.
  int64_t getIndexRank() const { return rankOf(indices) - batch; }
  /// Reads and checks the index at `position` of the indices.
  Value getIndex(LoweringBuilder &b, ValueRange position);
  /// The slice of the data at an index, without the batch dims and the axis.
  Value extractSlice(LoweringBuilder &b, ValueRange batchIvs, Value index);
  Value lowerToSlice();
  Value lowerToElement();
  Value lowerToLoops();

  LoweringBuilder &b;
  GatherOp op;
  Value data, indices;
  int64_t axis, batch;
};

/// Gather along a constant axis.
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
  return checkIndex(b, readIndex(b, indices, position), getDim(b, data, axis), /*fromEnd=*/op.getVersion() >= 8);
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

/// One index selects one slice of the data, which needs no copy.
Value GatherLowering::lowerToSlice() {
  SmallVector<Value> zeros(rankOf(indices), indexOf(b, 0));
  Value slice = extractSlice(b, {}, getIndex(b, zeros));
  auto units = llvm::to_vector(llvm::seq<int64_t>(axis, axis + rankOf(indices)));
  return insertUnitDims(b, slice, units);
}

/// One index into data with no other dims selects one element, which becomes a scalar.
Value GatherLowering::lowerToElement() {
  Value index = getIndex(b, SmallVector<Value>(rankOf(indices), indexOf(b, 0)));
  SmallVector<Value> position(rankOf(data), indexOf(b, 0));
  position[axis] = index;
  Value element = b.createOrFold<tensor::ExtractOp>(data, position);
  SmallVector<int64_t> ones(rankOf(data) - 1 + rankOf(indices) - batch, 1);
  return tensor::FromElementsOp::create(b, RankedTensorType::get(ones, elementOf(data)), element);
}

/// A loop nest over the dims of the indices, which copies a slice or an element for each index.
Value GatherLowering::lowerToLoops() {
  for (int64_t i = 0; i != batch; ++i)
    guardSameDim(b, data, i, indices, i);
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
  if (batch == 0 && hasOneElement(indices)) {
    SmallVector<int64_t> rest(shapeOf(data));
    rest.erase(rest.begin() + axis);
    return llvm::all_of(rest, [](int64_t dim) { return dim == 1; }) ? lowerToElement() : lowerToSlice();
  }
  return lowerToLoops();
}

//===----------------------------------------------------------------------===//
// GatherElements and GatherND
//===----------------------------------------------------------------------===//

namespace {
/// GatherElements: the result has the shape of the indices, which replace the position along the axis.
struct LowerGatherElements final : OpConversionPattern<GatherElementsOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(GatherElementsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value data = adaptor.getData(), indices = adaptor.getIndices();
    int64_t rank = rankOf(data), axis = *normalizeAxis(op.getAxis(), rank);
    for (int64_t i = 0; i != rank; ++i)
      if (i != axis)
        guardSameDim(b, data, i, indices, i);
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

/// GatherND: the last dim of the indices holds the coordinates of an element or slice of the data.
struct LowerGatherND final : OpConversionPattern<GatherNDOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(GatherNDOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value data = adaptor.getData(), indices = adaptor.getIndices();
    int64_t batch = op.getBatchDims(), outer = rankOf(indices) - 1, coordinates = shapeOf(indices).back();
    for (int64_t i = 0; i != batch; ++i)
      guardSameDim(b, data, i, indices, i);
    SmallVector<OpFoldResult> dataSizes = getDims(b, data), sizes = getDims(b, indices);
    sizes.pop_back();
    llvm::append_range(sizes, ArrayRef(dataSizes).drop_front(batch + coordinates));
    Value result = gatherAt(b, data, sizes, outer, [&](LoweringBuilder &inner, ValueRange ivs) {
      SmallVector<Value> place(ivs.take_front(batch));
      appendCoordinates(inner, indices, ivs, ArrayRef(dataSizes).slice(batch, coordinates), place);
      return place;
    });
    // GatherND-5 merges the batch dims of the result into one.
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
} // namespace

void populateMovementGatherPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerGather, LowerGatherElements, LowerGatherND>(converter, patterns.getContext());
}

} // namespace recur::ov
