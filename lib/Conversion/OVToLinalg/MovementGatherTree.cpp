// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MovementGatherTree.cpp - Lowering of GatherTree --------------------===//
//
// GatherTree follows beams back in time. Its lowering is a nest of scf.for around rt.check, which goes from beam to
// beam. In front of it, if the beams of a batch fit one vector, there is a nest that has them as lanes and does the
// whole work, but for the report of a fault.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"
#include "Payloads.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace recur::ov {

using P = arith::CmpIPredicate;

/// More beams than these have no lanes.
constexpr int64_t kMostLanes = 16;
/// So many batches are swept at once. Blocks do not depend on each other, so several threads can have them. Their rows
/// are consecutive memory.
constexpr int64_t kBlock = 16;

namespace {
/// Builds vectors, whose lanes have 32 bits.
class LaneBuilder {
public:
  LaneBuilder(LoweringBuilder &b, int64_t lanes) : b(b), lanes(lanes) {}

  LoweringBuilder &getBuilder() const { return b; }
  int64_t getLanes() const { return lanes; }
  VectorType typeOf(Type element) const { return VectorType::get(lanes, element); }
  VectorType integers() const { return typeOf(b.getI32Type()); }
  Value splat(Value scalar) { return vector::BroadcastOp::create(b, typeOf(scalar.getType()), scalar); }
  Value splat(int64_t value) { return splat(constantOf(b, b.getI32Type(), APInt(32, value))); }
  Value splatIndex(Value index) { return splat(arith::IndexCastOp::create(b, b.getI32Type(), index)); }
  /// The numbers of the lanes.
  Value numbers() {
    return arith::ConstantOp::create(b, b.getI32VectorAttr(llvm::to_vector(llvm::seq<int32_t>(lanes))));
  }
  /// Read and write the row that begins at `place`. Lanes beyond its end are zeros, and are not written.
  Value read(Value tensor, ValueRange place) {
    Type element = elementOf(tensor);
    return vector::TransferReadOp::create(b, typeOf(element), tensor, place, zeroOf(b, element), fits(tensor));
  }
  Value write(Value row, Value tensor, ValueRange place) {
    return vector::TransferWriteOp::create(b, row, tensor, place, fits(tensor)).getResult();
  }
  /// Lane i of the result is lane `numbers[i]` of `row`. The code generator makes one permutation of these ops.
  Value permute(Value row, Value numbers) {
    SmallVector<Value> elements;
    for (int64_t i = 0; i != lanes; ++i) {
      Value number = toIndex(b, vector::ExtractOp::create(b, numbers, i));
      elements.push_back(vector::ExtractOp::create(b, row, number));
    }
    return vector::FromElementsOp::create(b, cast<VectorType>(row.getType()), elements);
  }
  /// The values modulo the number of lanes, which is a power of two.
  Value wrap(Value row) { return arith::AndIOp::create(b, row, splat(lanes - 1)); }

private:
  /// True if a row has as many elements as there are lanes.
  SmallVector<bool> fits(Value tensor) const { return {shapeOf(tensor).back() == lanes}; }

  LoweringBuilder &b;
  int64_t lanes;
};

/// Lowers one GatherTree by two sweeps over the steps. The first sweep goes back in time. For each batch and beam, one
/// scratch tensor holds the beam to continue with, so rows are read and written in order. Another holds the earliest
/// end token found so far. The second sweep goes forward from the earliest end token of all beams and overwrites the
/// ids after each beam's end token. Rules G1 to G5 of docs/Semantics.md define the details.
///
/// Elements of 32 bits have the same sweeps in vectors, whose lanes are the beams of one batch. The sweep back permutes
/// rows of ids and parents in registers. It has no checks, but says whether a parent that was used is out of range.
/// Only then, or if there are more beams than lanes, the scalar sweeps run; they report the fault.
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
  /// Goes back over the last `count` steps, which are all or none. The ids are stored in `ids`.
  Sweep sweepBack(Value clampedLengths, Value count, Value ids);
  Value sweepForward(const Sweep &swept);

  /// The number of lanes that hold the beams of a batch. 0 if the sweeps in vectors do not suit the element type or the
  /// number of beams.
  int64_t getLanes() const;
  /// A sweep back in vectors carries this. Both scratch tensors have a row of lanes for each batch.
  struct LaneState {
    Value ids, chosen, firstEnds, isBad, earliestEnd;
  };
  LaneState stepBack(LaneBuilder v, Value time, Value batch, Value clampedLengths, const LaneState &state);
  /// The sweeps in vectors, on ids in `ids`, block by block. Returns the ids, and the number of steps that the scalar
  /// sweeps still have to do: none or all.
  std::pair<Value, Value> sweepInVectors(Value clampedLengths, Value ids, int64_t lanes);

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

GatherTreeLowering::Sweep GatherTreeLowering::sweepBack(Value clampedLengths, Value count, Value ids) {
  Type i64 = b.getI64Type();
  Value one = indexOf(b, 1), last = arith::SubIOp::create(b, times, one);
  SmallVector<OpFoldResult> all = getAsOpFoldResult(ValueRange{count, batches, beams});
  SmallVector<OpFoldResult> row = getAsOpFoldResult(ValueRange{batches, beams});
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

int64_t GatherTreeLowering::getLanes() const {
  constexpr int64_t least = 4;
  int64_t width = shapeOf(steps)[2];
  if (getStorageType(element).getIntOrFloatBitWidth() != 32)
    return 0;
  if (ShapedType::isDynamic(width))
    return kMostLanes;
  return width < 2 || width > kMostLanes ? 0 : std::max(least, int64_t(llvm::bit_ceil(uint64_t(width))));
}

GatherTreeLowering::LaneState GatherTreeLowering::stepBack(LaneBuilder v, Value time, Value batch, Value clampedLengths,
                                                           const LaneState &state) {
  LoweringBuilder &b = v.getBuilder();
  Value zero = indexOf(b, 0), last = arith::SubIOp::create(b, times, indexOf(b, 1));
  Value length = arith::TruncIOp::create(b, b.getI32Type(), tensor::ExtractOp::create(b, clampedLengths, batch));
  Value lengthRow = v.splat(length), timeRow = v.splatIndex(time), most = v.splatIndex(beams);
  Value isAlive = compare(b, P::slt, timeRow, lengthRow);
  Value hasParent = compare(b, P::slt, arith::AddIOp::create(b, timeRow, v.splat(1)), lengthRow);

  // In the last step there is no row of parents, and none is used.
  Value from = arith::MinSIOp::create(b, arith::AddIOp::create(b, time, indexOf(b, 1)), last);
  Value candidates = v.read(parents, {from, batch, zero});
  // All numbers in `chosen` are in range. They are wrapped so that up to 8 lanes stay a vector. If LLVM sees no use of
  // the vector but its lanes, it reads these as scalars, and does not find the permutation. With AVX-512 it can even
  // take two lanes for one number: https://github.com/llvm/llvm-project/issues/218382. It leaves 16 lanes together.
  Value known = v.read(state.chosen, {batch, zero});
  if (v.getLanes() < kMostLanes)
    known = v.wrap(known);
  Value parent = v.permute(candidates, known), isInside;
  if (isa<FloatType>(element)) {
    // Truncation brings fractions above -1 in range.
    isInside = arith::AndIOp::create(
        b, compare(b, arith::CmpFPredicate::OGT, parent, v.splat(constantOf(b, element, -1))),
        compare(b, arith::CmpFPredicate::OLT, parent, arith::SIToFPOp::create(b, v.typeOf(element), most)));
    parent = selectValue(b, isInside, parent, v.splat(zeroOf(b, element)));
    parent = arith::FPToSIOp::create(b, v.integers(), parent);
  } else {
    isInside = compare(b, P::ult, parent, most);
    parent = v.wrap(parent);
  }
  Value isOutside = arith::XOrIOp::create(b, isInside, v.splat(oneOf(b, b.getI1Type())));
  Value isBad = arith::OrIOp::create(b, state.isBad, arith::AndIOp::create(b, hasParent, isOutside));
  // Lanes beyond the beams do what the last beam does.
  Value own = arith::MinSIOp::create(b, v.numbers(), arith::SubIOp::create(b, most, v.splat(1)));
  Value source = selectValue(b, hasParent, parent, own);

  Value id = v.permute(v.read(steps, {time, batch, zero}), source), endRow = v.splat(endScalar);
  Value isEnd =
      isa<FloatType>(element) ? compare(b, arith::CmpFPredicate::OEQ, id, endRow) : compare(b, P::eq, id, endRow);
  Value isFirstEnd = arith::AndIOp::create(b, isAlive, isEnd);
  Value end = selectValue(b, isFirstEnd, timeRow, v.read(state.firstEnds, {batch, zero}));
  return {v.write(selectValue(b, isAlive, id, endRow), state.ids, {time, batch, zero}),
          v.write(source, state.chosen, {batch, zero}), v.write(end, state.firstEnds, {batch, zero}), isBad,
          arith::MinSIOp::create(b, state.earliestEnd, end)};
}

std::pair<Value, Value> GatherTreeLowering::sweepInVectors(Value clampedLengths, Value ids, int64_t lanes) {
  Value zero = indexOf(b, 0), one = indexOf(b, 1), last = arith::SubIOp::create(b, times, one);
  // Beams and times must fit lanes, and there must be a beam.
  Value fits = arith::AndIOp::create(b, compare(b, P::ult, arith::SubIOp::create(b, beams, one), indexOf(b, lanes)),
                                     compare(b, P::ule, times, indexOf(b, INT32_MAX)));
  Value count = selectValue(b, fits, times, zero);
  auto scratch = [&](Value rows) { return scratchOf(b, {toSize(b, rows), b.getIndexAttr(lanes)}, b.getI32Type()); };
  Value blocks = b.createOrFold<arith::CeilDivUIOp>(batches, indexOf(b, kBlock));
  auto body = [&](LoweringBuilder &b, Value block, ValueRange carried) -> SmallVector<Value> {
    LaneBuilder v(b, lanes);
    Value from = arith::MulIOp::create(b, block, indexOf(b, kBlock));
    Value size = minIndex(b, arith::SubIOp::create(b, batches, from), indexOf(b, kBlock));
    OpFoldResult batchesOfBlock = toSize(b, size);
    Value never = v.splatIndex(times);
    SmallVector<Value> begun =
        loopNest(b, batchesOfBlock, carried.slice(1, 2),
                 [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
                   LaneBuilder v(inner, lanes);
                   SmallVector<Value> place{arith::AddIOp::create(inner, from, ivs[0]), zero};
                   return {v.write(v.splat(0), carried[0], place), v.write(never, carried[1], place)};
                 });
    SmallVector<Value> swept =
        loopNest(b, {toSize(b, count), batchesOfBlock},
                 {carried[0], begun[0], begun[1], v.splat(zeroOf(b, b.getI1Type())), never},
                 [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
                   LaneState next = stepBack(LaneBuilder(inner, lanes), arith::SubIOp::create(inner, last, ivs[0]),
                                             arith::AddIOp::create(inner, from, ivs[1]), clampedLengths,
                                             {carried[0], carried[1], carried[2], carried[3], carried[4]});
                   return {next.ids, next.chosen, next.firstEnds, next.isBad, next.earliestEnd};
                 });
    Value earliest = vector::ReductionOp::create(b, vector::CombiningKind::MINSI, swept[4]);
    Value start = arith::AddIOp::create(b, toIndex(b, earliest), one);
    auto sweepRows = [&](LoweringBuilder &outer, Value time, ValueRange carried) {
      return loopNest(outer, batchesOfBlock, carried,
                      [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
                        LaneBuilder v(inner, lanes);
                        Value batch = arith::AddIOp::create(inner, from, ivs[0]);
                        SmallVector<Value> place{time, batch, zero};
                        Value end = v.read(swept[2], {batch, zero});
                        Value isAfter = compare(inner, P::sgt, v.splatIndex(time), end);
                        Value id = selectValue(inner, isAfter, v.splat(endScalar), v.read(carried[0], place));
                        return {v.write(id, carried[0], place)};
                      });
    };
    Value ids = loop(b, start, count, swept[0], sweepRows).front();
    Value isBad = arith::ExtUIOp::create(b, v.integers(), swept[3]);
    return {ids, swept[1], swept[2], v.write(isBad, carried[3], {block, zero})};
  };
  SmallVector<Value> done = loop(b, zero, blocks, {ids, scratch(batches), scratch(batches), scratch(blocks)}, body);

  auto collect = [&](LoweringBuilder &b, Value block, ValueRange carried) -> SmallVector<Value> {
    Value isBad = LaneBuilder(b, lanes).read(done[3], {block, zero});
    return {arith::OrIOp::create(b, carried[0], isBad)};
  };
  LaneBuilder v(b, lanes);
  Value bad = loop(b, zero, blocks, v.splat(0), collect).front();
  Value isAnyBad =
      compare(b, P::ne, vector::ReductionOp::create(b, vector::CombiningKind::OR, bad), zeroOf(b, b.getI32Type()));
  Value isToDo = arith::OrIOp::create(b, isAnyBad, arith::XOrIOp::create(b, fits, oneOf(b, b.getI1Type())));
  return {done[0], selectValue(b, isToDo, times, zero)};
}

Value GatherTreeLowering::lower() {
  checkShapes();
  Value clampedLengths = computeLengths();
  Value ids = emptyOf(b, getAsOpFoldResult(ValueRange{times, batches, beams}), getStorageType(element)), count = times;
  if (int64_t lanes = getLanes())
    std::tie(ids, count) = sweepInVectors(clampedLengths, ids, lanes);
  return sweepForward(sweepBack(clampedLengths, count, ids));
}

void populateMovementGatherTreePatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerGatherTree>(converter, patterns.getContext());
}

} // namespace recur::ov
