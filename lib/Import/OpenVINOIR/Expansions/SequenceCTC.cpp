// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SequenceCTC.cpp - Connectionist temporal classification ------------===//
//
// This file expands CTCGreedyDecoder, CTCGreedyDecoderSeqLen and CTCLoss. The decoders take the best class of each
// step. The loss adds up the probabilities of all alignments in a loop over the steps, as logarithms.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include <limits>

using namespace mlir;
using namespace recur;
using namespace recur::ir;

//===----------------------------------------------------------------------===//
// Rows of classes. All of them are i64 tensors of the shape [batch, steps].
//===----------------------------------------------------------------------===//

/// Moves the elements of each row by `count` places toward its end. `filler`, a scalar, fills the places in front.
static Value shift(Expansion &e, Value rows, int64_t count, Value filler) {
  return e.pad(rows, e.integers({0, count}), e.integers({0, -count}), filler);
}

/// Moves the elements of each row where `isKept` holds to the front of the row. `filler`, a scalar, fills the rest.
static Value compress(Expansion &e, Value rows, Value isKept, Value filler) {
  Size steps = e.dim(rows, 1), end = e.add(steps, 1);
  Value one = e.scalar(1, e.i64());
  Value places = e.make<ov::CumSumOp>({e.convert(isKept, e.i64()), one});
  // The others go to a place after the end, which is cut off.
  places = e.select(isKept, e.subtract(places, 1), steps);
  Value base = e.broadcast(filler, e.concat({e.dim(rows, 0), end}, 0));
  Value result = e.make<ov::ScatterElementsUpdateOp>({base, places, rows, one});
  return e.slice(result, 1, e.size(0), steps);
}

/// The number of elements of each row where `isKept` holds, [batch].
static Value countKept(Expansion &e, Value isKept) {
  return e.reduce<ov::ReduceSumOp>(e.convert(isKept, e.i64()), {1}, /*keepDims=*/false);
}

/// True for the first `lengths[i]` places of row i.
static Value makeMask(Expansion &e, Size steps, Value lengths) {
  return e.make<ov::LessOp>({e.range(steps, e.i64()), e.unsqueeze(lengths, {1})});
}

static Value both(Expansion &e, Value a, Value b) { return e.make<ov::LogicalAndOp>({a, b}); }
static Value isNot(Expansion &e, Value a) { return e.make<ov::LogicalNotOp>(a); }
static Value equal(Expansion &e, Value a, Value b) { return e.make<ov::EqualOp>({a, b}); }

/// The index of the blank, of shape [1]: the operand `i`, or the last of the classes.
static FailureOr<Size> getBlank(Expansion &e, unsigned i, Size classes) {
  if (!e.operand(i))
    return Size(e.subtract(classes, 1));
  if (failed(e.expectOneElement(i)))
    return failure();
  return Size(e.reshape(e.operand(i), e.size(1)));
}

//===----------------------------------------------------------------------===//
// CTCGreedyDecoder, CTCGreedyDecoderSeqLen
//===----------------------------------------------------------------------===//

namespace {
/// The classes of each row, -1 after them, and their number.
struct Decoded {
  Value classes, count;
};
} // namespace

/// Decodes the scores [batch, steps, classes]. `isInside` tells which steps belong to a sequence.
static Decoded decode(Expansion &e, Value data, Value isInside, Size blank, bool merges) {
  Type i64 = e.i64();
  MLIRContext *context = i64.getContext();
  SmallVector<Value> best = e.makeAll<ov::TopKOp>(
      {data, e.scalar(1, i64)},
      {e.attribute("axis", int64_t(2)), e.attribute("mode", ov::TopKModeAttr::get(context, ov::TopKMode::Max)),
       e.attribute("sort", ov::TopKSortAttr::get(context, ov::TopKSort::Value)),
       e.attribute("index_element_type", i64)});
  Value classes = e.squeeze(best[1], {2}), none = e.scalar(-1, i64);
  Value isKept = both(e, isInside, isNot(e, equal(e, classes, blank)));
  if (merges)
    isKept = both(e, isKept, isNot(e, equal(e, classes, shift(e, classes, 1, none))));
  return {compress(e, classes, isKept, none), countKept(e, isKept)};
}

LogicalResult recur::ir::expandCTCGreedyDecoder(Expansion &e) {
  if (failed(e.expectRank(0, 3, 3)) || failed(e.expectRank(1, 2, 2)))
    return failure();
  Value data = e.operand(0), mask = e.operand(1);
  Type element = elementOf(data);
  Size classes = e.dim(data, 2);
  data = e.transpose(data, {1, 0, 2});
  mask = e.transpose(mask, {1, 0});
  Value isZero = equal(e, mask, e.scalar(0, elementOf(e.operand(1))));
  Value ends = e.make<ov::CumSumOp>({e.convert(isZero, e.i64()), e.scalar(1, e.i64())});
  Value isInside = equal(e, ends, e.scalar(0, e.i64()));
  Decoded decoded = decode(e, data, isInside, e.subtract(classes, 1), e.flag("ctc_merge_repeated"));
  return e.replace(e.convert(e.unsqueeze(decoded.classes, {2, 3}), element));
}

LogicalResult recur::ir::expandCTCGreedyDecoderSeqLen(Expansion &e) {
  if (failed(e.expectRank(0, 3, 3)) || failed(e.expectRank(1, 1, 1)))
    return failure();
  Value data = e.operand(0);
  FailureOr<Size> blank = getBlank(e, 2, e.dim(data, 2));
  if (failed(blank))
    return failure();
  Decoded decoded = decode(e, data, makeMask(e, e.dim(data, 1), e.operand(1)), *blank, e.flag("merge_repeated"));
  return e.replace({e.convert(decoded.classes, e.type("classes_index_type")),
                    e.convert(decoded.count, e.type("sequence_length_type"))});
}

//===----------------------------------------------------------------------===//
// CTCLoss
//===----------------------------------------------------------------------===//

/// The logarithm of the sum of the numbers whose logarithms are given.
static Value addLogarithms(Expansion &e, ArrayRef<Value> numbers) {
  Value greatest = numbers.front(), sum;
  for (Value number : numbers.drop_front())
    greatest = e.maximum(greatest, number);
  Type element = elementOf(greatest);
  Value isNone = equal(e, greatest, e.scalar(-std::numeric_limits<double>::infinity(), element));
  Value origin = e.select(isNone, e.scalar(0, element), greatest);
  for (Value number : numbers) {
    Value power = e.make<ov::ExpOp>(e.subtract(number, origin));
    sum = sum ? e.add(sum, power) : power;
  }
  return e.add(origin, e.make<ov::LogOp>(sum));
}

// The places of a row of labels are blank, label, blank, label, .., blank. `sums` has for each place the logarithm of
// the probability of all alignments of the steps so far that end there. A step stays at its place, goes to the next
// one, or goes from a label to the next label.
LogicalResult recur::ir::expandCTCLoss(Expansion &e) {
  if (failed(e.expectRank(0, 3, 3)) || failed(e.expectRank(1, 1, 1)) || failed(e.expectRank(2, 2, 2)) ||
      failed(e.expectRank(3, 1, 1)))
    return failure();
  Value logits = e.operand(0), labels = e.operand(2);
  Type element = elementOf(logits), i64 = e.i64();
  Size batch = e.dim(logits, 0), count = e.dim(labels, 1);
  FailureOr<Size> blank = getBlank(e, 4, e.dim(logits, 2));
  if (failed(blank))
    return failure();
  bool merges = e.flag("ctc_merge_repeated");
  Value scores = e.make<ov::LogSoftmaxOp>(logits, e.attribute("axis", int64_t(2)));

  // The labels that count, at the front of their rows.
  Value isKept = makeMask(e, count, e.operand(3));
  if (e.flag("unique")) {
    Value numbers = e.range(count, i64);
    Value isEarlier = e.make<ov::LessOp>({numbers, e.unsqueeze(numbers, {1})});
    Value isSame = equal(e, e.unsqueeze(labels, {2}), e.unsqueeze(labels, {1}));
    Value isRepeated = e.reduce<ov::ReduceLogicalOrOp>(both(e, isSame, isEarlier), {2}, /*keepDims=*/false);
    isKept = both(e, isKept, isNot(e, isRepeated));
  } else if (e.flag("preprocess_collapse_repeated")) {
    Value isFirst = equal(e, e.range(count, i64), e.scalar(0, i64));
    Value differs = isNot(e, equal(e, labels, shift(e, labels, 1, e.scalar(0, i64))));
    isKept = both(e, isKept, e.make<ov::LogicalOrOp>({isFirst, differs}));
  }
  Value number = e.squeeze(*blank, {0});
  Value targets = compress(e, labels, isKept, number), lengths = countKept(e, isKept);

  Size places = e.add(e.multiply(count, 2), 1);
  Value pairs = e.concat({e.broadcast(number, e.concat({batch, count, e.size(1)}, 0)), e.unsqueeze(targets, {2})}, 2);
  pairs = e.reshape(pairs, {batch, e.multiply(count, 2)});
  // Dims of tensors are stated to be equal, so that the loop needs no checks and no buffers for them.
  Value shape = e.concat({batch, places}, 0);
  auto state = [&](Value value) { return e.reshape(value, shape); };
  Value row = state(e.concat({pairs, e.broadcast(number, e.concat({batch, e.size(1)}, 0))}, 1));
  Value indices = e.range(places, i64);
  Value isLabel = equal(e, e.make<ov::FloorModOp>({indices, e.scalar(2, i64)}), e.scalar(1, i64));
  Value isBlank = e.broadcast(isNot(e, isLabel), shape), maySkip = e.broadcast(isLabel, shape);
  if (merges)
    maySkip = both(e, maySkip, isNot(e, equal(e, row, state(shift(e, row, 2, e.scalar(-1, i64))))));

  Value never = e.scalar(-std::numeric_limits<double>::infinity(), element);
  Value start = e.select(equal(e, indices, e.scalar(0, i64)), e.scalar(0, element), never);
  start = e.broadcast(start, shape);
  Value steps = e.reshape(e.operand(1), {batch, e.size(1)});
  SmallVector<Value> sums = e.loop(e.dim(logits, 1), start, [&](Value step, ValueRange carried) -> SmallVector<Value> {
    Value sum = carried.front();
    Value stay = merges ? sum : e.select(isBlank, sum, never);
    Value skip = e.select(maySkip, state(shift(e, sum, 2, never)), never);
    Value next = addLogarithms(e, {stay, state(shift(e, sum, 1, never)), skip});
    Value own = e.make<ov::GatherElementsOp>({e.gather(scores, step, 1), row}, e.attribute("axis", int64_t(1)));
    return {e.select(e.make<ov::LessOp>({step, steps}), e.add(next, own), sum)};
  });
  // An alignment ends in the last label or in the blank after it.
  Value last = e.multiply(e.unsqueeze(lengths, {1}), 2);
  auto takeAt = [&](Value place) {
    return e.reduce<ov::ReduceMaxOp>(e.select(equal(e, indices, place), sums.front(), never), {1}, /*keepDims=*/false);
  };
  Value total = addLogarithms(e, {takeAt(last), takeAt(e.subtract(last, 1))});
  return e.replace(e.make<ov::NegativeOp>(total));
}
