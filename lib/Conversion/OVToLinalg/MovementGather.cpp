// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementGather.cpp - Lowering of ops that read at computed places --===//
//
// Gather, GatherElements, GatherND and GatherTree read at indices that are values of the program. Every index is
// checked, so the lowerings are nests of scf.for around rt.check; a linalg body may not contain checks.
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

//===----------------------------------------------------------------------===//
// GatherTree
//===----------------------------------------------------------------------===//

namespace {
/// Lowers one GatherTree by two sweeps over the steps. The first sweep goes back in time. For each batch and beam, one
/// scratch tensor holds the beam to continue with, so rows are read and written in order. Another holds the earliest
/// end token found so far. The second sweep goes forward from the earliest end token of all beams and overwrites the
/// ids after each beam's end token. Rules G1 to G5 of docs/Semantics.md define the details.
class GatherTreeLowering {
public:
  GatherTreeLowering(LoweringBuilder &b, GatherTreeOp op, GatherTreeOp::Adaptor adaptor)
      : b(b), element(op.getStepIds().getType().getElementType()), steps(adaptor.getStepIds()),
        parents(adaptor.getParentIds()), lengths(adaptor.getMaxSeqLen()), endToken(adaptor.getEndToken()) {}

  Value lower();

private:
  /// Checks that the operands agree on their dims, and sets these.
  void checkShapes();
  /// The length of each batch, limited to [0, MAX_TIME].
  Value computeLengths();
  /// Convert a length or a parent of any element type to i64. `toLength` limits the length to [0, MAX_TIME], and NaN is
  /// a fault. `toParent` checks that the parent is a beam if it is used.
  Value toLength(LoweringBuilder &b, Value stored, Value batch);
  Value toParent(LoweringBuilder &b, Value stored, Value isUsed, ValueRange place);
  /// The results of the first sweep: the ids, the time of the first end token of each batch and beam (MAX_TIME if there
  /// is none), and the earliest of these times.
  struct Sweep {
    Value ids, firstEnds, earliestEnd;
  };
  Sweep sweepBack(Value clampedLengths);
  Value sweepForward(const Sweep &swept);

  /// True if an id equals the end token.
  Value isEnd(LoweringBuilder &b, Value stored) {
    Value value = fromStorage(b, stored, element), end = fromStorage(b, endScalar, element);
    if (isa<FloatType>(element))
      return compare(b, arith::CmpFPredicate::OEQ, value, end);
    return compare(b, P::eq, value, end);
  }

  LoweringBuilder &b;
  Type element;
  Value steps, parents, lengths, endToken, endScalar;
  /// MAX_TIME, BATCH_SIZE and BEAM_WIDTH.
  Value times, batches, beams;
};

/// Replaces a GatherTree by its two sweeps.
struct LowerGatherTree final : OpConversionPattern<GatherTreeOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(GatherTreeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value result = GatherTreeLowering(b, op, adaptor).lower();
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};
} // namespace

void GatherTreeLowering::checkShapes() {
  // All indices are computed from these guarded sizes, so nothing is read before the check.
  SmallVector<Value> sizes;
  for (int64_t i = 0; i != 3; ++i)
    sizes.push_back(checkSameDim(b, steps, i, parents, i).guarded);
  CheckedDim checked = checkSize(b, lengths, 0, getAsOpFoldResult(sizes[1]));
  if (checked.origin)
    sizes[1] = checked.guarded;
  times = sizes[0];
  batches = sizes[1];
  beams = sizes[2];
  endScalar = extractOnly(b, endToken);
}

Value GatherTreeLowering::toLength(LoweringBuilder &b, Value stored, Value batch) {
  Value most = toInt64(b, times), value = fromStorage(b, stored, element);
  Type i64 = b.getI64Type();
  if (isa<FloatType>(element)) {
    Value isNumber = compare(b, arith::CmpFPredicate::ORD, value, value);
    value = check(b, isNumber, rt::FaultKind::Index, "max_seq_len of batch {0} is NaN", batch, value).front();
  }
  value = convertScalar(b, value, element, i64);
  if (isUnsigned(element))
    return minimum(b, value, most, /*isUnsigned=*/true);
  return maximum(b, minimum(b, value, most, false), zeroOf(b, i64), false);
}

Value GatherTreeLowering::toParent(LoweringBuilder &b, Value stored, Value isUsed, ValueRange place) {
  Value number = fromStorage(b, stored, element), isNumber;
  if (isa<FloatType>(element))
    isNumber = compare(b, arith::CmpFPredicate::ORD, number, number);
  Value parent = convertScalar(b, number, element, b.getI64Type());
  // One unsigned comparison also rejects negative parents and great unsigned ones.
  Value isInside = compare(b, P::ult, parent, toInt64(b, beams));
  if (isNumber)
    isInside = arith::AndIOp::create(b, isInside, isNumber);
  Value isUnused = arith::XOrIOp::create(b, isUsed, oneOf(b, b.getI1Type()));
  Value isFine = arith::OrIOp::create(b, isInside, isUnused);
  return check(b, isFine, rt::FaultKind::Index, "parent {0} at time {1}, batch {2}, beam {3} is out of range",
               {parent, place[0], place[1], place[2]}, parent)
      .front();
}

Value GatherTreeLowering::computeLengths() {
  Value empty = emptyOf(b, getAsOpFoldResult(ValueRange{batches}), b.getI64Type());
  auto body = [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
    Value length = toLength(inner, tensor::ExtractOp::create(inner, lengths, ivs), ivs[0]);
    return {tensor::InsertOp::create(inner, length, carried[0], ivs)};
  };
  return loopNest(b, getAsOpFoldResult(ValueRange{batches}), empty, body).front();
}

GatherTreeLowering::Sweep GatherTreeLowering::sweepBack(Value clampedLengths) {
  Type i64 = b.getI64Type();
  Value one = indexOf(b, 1), last = arith::SubIOp::create(b, times, one);
  SmallVector<OpFoldResult> all = getAsOpFoldResult(ValueRange{times, batches, beams});
  SmallVector<OpFoldResult> row = getAsOpFoldResult(ValueRange{batches, beams});
  Value ids = emptyOf(b, all, getStorageType(element));
  // The first iteration needs a beam that is in range. It does not use what it reads there.
  Value chosen = filledOf(b, row, zeroOf(b, i64));
  Value firstEnds = filledOf(b, row, toInt64(b, times));
  auto body = [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
    Value time = arith::SubIOp::create(inner, last, ivs[0]), batch = ivs[1], beam = ivs[2];
    Value length = tensor::ExtractOp::create(inner, clampedLengths, batch);
    Value time64 = toInt64(inner, time), next = arith::AddIOp::create(inner, time, one);
    // Steps at or after the length get end tokens. In the last step before the length, each beam continues itself.
    Value isAlive = compare(inner, P::slt, time64, length);
    Value hasParent = compare(inner, P::slt, toInt64(inner, next), length);
    Value known = toIndex(inner, tensor::ExtractOp::create(inner, carried[1], ValueRange{batch, beam}));
    Value from = selectValue(inner, hasParent, next, time);
    Value stored = tensor::ExtractOp::create(inner, parents, ValueRange{from, batch, known});
    Value parent = toParent(inner, stored, hasParent, ValueRange{from, batch, known});
    Value source = selectValue(inner, hasParent, parent, toInt64(inner, beam));
    Value id = tensor::ExtractOp::create(inner, steps, ValueRange{time, batch, toIndex(inner, source)});
    Value isFirstEnd = arith::AndIOp::create(inner, isAlive, isEnd(inner, id));
    Value end = tensor::ExtractOp::create(inner, carried[2], ValueRange{batch, beam});
    end = selectValue(inner, isFirstEnd, time64, end);
    // After the length, the chosen beam is not used, but it must be in range.
    Value ids = tensor::InsertOp::create(inner, selectValue(inner, isAlive, id, endScalar), carried[0],
                                         ValueRange{time, batch, beam});
    Value chosen = tensor::InsertOp::create(inner, source, carried[1], ValueRange{batch, beam});
    Value ends = tensor::InsertOp::create(inner, end, carried[2], ValueRange{batch, beam});
    return {ids, chosen, ends, minimum(inner, carried[3], end, false)};
  };
  SmallVector<Value> results = loopNest(b, all, {ids, chosen, firstEnds, toInt64(b, times)}, body);
  return {results[0], results[2], results[3]};
}

Value GatherTreeLowering::sweepForward(const Sweep &swept) {
  Value one = indexOf(b, 1);
  Value start = arith::AddIOp::create(b, toIndex(b, swept.earliestEnd), one);
  auto sweepRow = [&](LoweringBuilder &outer, Value time, Value ids) {
    auto body = [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
      Value end = tensor::ExtractOp::create(inner, swept.firstEnds, ivs);
      Value isAfter = compare(inner, P::sgt, toInt64(inner, time), end);
      SmallVector<Value> place{time, ivs[0], ivs[1]};
      Value id = tensor::ExtractOp::create(inner, carried[0], place);
      return {tensor::InsertOp::create(inner, selectValue(inner, isAfter, endScalar, id), carried[0], place)};
    };
    return loopNest(outer, getAsOpFoldResult(ValueRange{batches, beams}), ids, body).front();
  };
  return loop(b, start, times, swept.ids,
              [&](LoweringBuilder &inner, Value time, ValueRange carried) {
                return SmallVector<Value>{sweepRow(inner, time, carried.front())};
              })
      .front();
}

Value GatherTreeLowering::lower() {
  checkShapes();
  return sweepForward(sweepBack(computeLengths()));
}

void populateMovementGatherPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerGather, LowerGatherElements, LowerGatherND, LowerGatherTree>(converter, patterns.getContext());
}

} // namespace recur::ov
