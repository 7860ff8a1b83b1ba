// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GatherTree.cpp - Lowering of ov.gather_tree ------------------------===//
//
// Two sweeps over rows. The first goes back in time: a scratch tensor holds, for each batch and beam, the beam of the
// next step, so that every row is read and written in order; another notes the first end token seen so far. The second
// goes forward from the earliest end token there is, and overwrites what follows the end tokens.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Payloads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace recur::ov {

namespace {
class GatherTreeLowering {
public:
  GatherTreeLowering(LoweringBuilder &b, GatherTreeOp op, GatherTreeOp::Adaptor adaptor)
      : b(b), element(op.getStepIds().getType().getElementType()), steps(adaptor.getStepIds()),
        parents(adaptor.getParentIds()), lengths(adaptor.getMaxSeqLen()), endToken(adaptor.getEndToken()) {}

  Value lower();

private:
  using P = arith::CmpIPredicate;

  void checkShapes();
  /// The number of steps of each batch, in [0, MAX_TIME].
  Value computeLengths();
  /// The lengths and parents of all types are numbers of i64 here.
  Value toLength(LoweringBuilder &b, Value stored, Value batch);
  Value toParent(LoweringBuilder &b, Value stored, Value isUsed, ValueRange place);
  struct Sweep {
    Value ids, firstEnds, earliestEnd;
  };
  Sweep sweepBack(Value clampedLengths);
  Value sweepForward(const Sweep &swept);

  Value select(LoweringBuilder &b, Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, condition, yes, no);
  }
  Value isEnd(LoweringBuilder &b, Value stored) {
    Value value = enter(b, stored, element), end = enter(b, endScalar, element);
    if (isa<FloatType>(element))
      return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, value, end);
    return compare(b, P::eq, value, end);
  }

  LoweringBuilder &b;
  Type element;
  Value steps, parents, lengths, endToken, endScalar;
  /// MAX_TIME, BATCH_SIZE and BEAM_WIDTH.
  Value times, batches, beams;
};

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

static Value toInt64(LoweringBuilder &b, Value index) {
  return b.createOrFold<arith::IndexCastOp>(b.getI64Type(), index);
}

void GatherTreeLowering::checkShapes() {
  // All places come from these sizes, so nothing is read before they are checked.
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
  Value most = toInt64(b, times);
  Value value = enter(b, stored, element);
  Type i64 = b.getI64Type();
  if (isa<FloatType>(element)) {
    Value isNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, value, value);
    value = check(b, isNumber, rt::FaultKind::Index, "max_seq_len of batch {0} is NaN", batch, value).front();
    value = saturateToInteger(b, value, cast<IntegerType>(i64), /*isUnsigned=*/false);
  } else if (isUnsigned(element)) {
    if (value.getType() != i64)
      value = arith::ExtUIOp::create(b, i64, value);
    return minimum(b, value, most, /*isUnsigned=*/true);
  } else if (value.getType() != i64) {
    value = arith::ExtSIOp::create(b, i64, value);
  }
  return maximum(b, minimum(b, value, most, false), zeroOf(b, i64), false);
}

Value GatherTreeLowering::toParent(LoweringBuilder &b, Value stored, Value isUsed, ValueRange place) {
  Type i64 = b.getI64Type();
  Value value = enter(b, stored, element), isNumber;
  if (isa<FloatType>(element)) {
    isNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, value, value);
    value = saturateToInteger(b, value, cast<IntegerType>(i64), /*isUnsigned=*/false);
  } else if (value.getType() != i64) {
    value = isUnsigned(element) ? arith::ExtUIOp::create(b, i64, value).getResult()
                                : arith::ExtSIOp::create(b, i64, value).getResult();
  }
  // As an unsigned number, a negative parent is too great; so is a great unsigned one.
  Value isInside = compare(b, P::ult, value, toInt64(b, beams));
  if (isNumber)
    isInside = arith::AndIOp::create(b, isInside, isNumber);
  Value isUnused = arith::XOrIOp::create(b, isUsed, constantOf(b, b.getI1Type(), APInt(1, 1)));
  Value isFine = arith::OrIOp::create(b, isInside, isUnused);
  return check(b, isFine, rt::FaultKind::Index, "parent {0} at time {1}, batch {2}, beam {3} is out of range",
               {value, place[0], place[1], place[2]}, value)
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
  // Beam 0 stands for any before the last step is reached.
  Value chosen = filledOf(b, row, zeroOf(b, i64));
  Value firstEnds = filledOf(b, row, toInt64(b, times));
  auto body = [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
    Value time = arith::SubIOp::create(inner, last, ivs[0]), batch = ivs[1], beam = ivs[2];
    Value length = tensor::ExtractOp::create(inner, clampedLengths, batch);
    Value time64 = toInt64(inner, time), next = arith::AddIOp::create(inner, time, one);
    // Steps at or after the length are end tokens; the last step before it has the beams in their order.
    Value isAlive = compare(inner, P::slt, time64, length);
    Value hasParent = compare(inner, P::slt, toInt64(inner, next), length);
    Value known = toIndex(inner, tensor::ExtractOp::create(inner, carried[1], ValueRange{batch, beam}));
    Value from = select(inner, hasParent, next, time);
    Value stored = tensor::ExtractOp::create(inner, parents, ValueRange{from, batch, known});
    Value parent = toParent(inner, stored, hasParent, ValueRange{from, batch, known});
    Value source = select(inner, hasParent, parent, toInt64(inner, beam));
    Value id = tensor::ExtractOp::create(inner, steps, ValueRange{time, batch, toIndex(inner, source)});
    Value isFirstEnd = arith::AndIOp::create(inner, isAlive, isEnd(inner, id));
    Value end = tensor::ExtractOp::create(inner, carried[2], ValueRange{batch, beam});
    end = select(inner, isFirstEnd, time64, end);
    // Before the last step is reached, what is chosen does not count, but must be in range.
    Value ids = tensor::InsertOp::create(inner, select(inner, isAlive, id, endScalar), carried[0],
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
      return {tensor::InsertOp::create(inner, select(inner, isAfter, endScalar, id), carried[0], place)};
    };
    return loopNest(outer, getAsOpFoldResult(ValueRange{batches, beams}), ids, body).front();
  };
  auto loop = scf::ForOp::create(b, start, times, one, swept.ids,
                                 [&](OpBuilder &nested, Location loc, Value time, ValueRange carried) {
                                   LoweringBuilder inner(loc, nested, b);
                                   scf::YieldOp::create(inner, sweepRow(inner, time, carried.front()));
                                 });
  return loop.getResult(0);
}

Value GatherTreeLowering::lower() {
  checkShapes();
  return sweepForward(sweepBack(computeLengths()));
}

void populateGatherTreePatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerGatherTree>(converter, patterns.getContext());
}

} // namespace recur::ov
