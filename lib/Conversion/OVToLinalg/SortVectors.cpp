// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SortVectors.cpp - The k best elements, kept in vectors -------------===//
//
// The insertion of an element into a sorted row moves all worse elements by one place. In vectors no place needs a
// branch: a place gets the element before it, if the new element comes before that one; else the new element, if it
// comes before the element that is there; else it stays. Equal elements keep their order.
//
//===----------------------------------------------------------------------===//

#include "SortVectors.h"
#include "Indexing.h"
#include "Reshaping.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace recur::ov {

using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

static VectorType lanesOf(Type element) { return VectorType::get(kSortLanes, element); }

static Value splat(LoweringBuilder &b, Value scalar) {
  return vector::BroadcastOp::create(b, lanesOf(scalar.getType()), scalar);
}

/// The numbers of the lanes.
static Value numbersOf(LoweringBuilder &b, Type type) {
  SmallVector<APInt> numbers;
  for (int64_t i = 0; i != kSortLanes; ++i)
    numbers.emplace_back(type.getIntOrFloatBitWidth(), i);
  return arith::ConstantOp::create(b, DenseElementsAttr::get(lanesOf(type), numbers));
}

/// Read and write lanes along the last dim, from `place` on. If the dim is not `whole`, lanes beyond its end are zeros,
/// and are not written.
static Value read(LoweringBuilder &b, Value tensor, ValueRange place, bool whole) {
  Type element = elementOf(tensor);
  return vector::TransferReadOp::create(b, lanesOf(element), tensor, place, zeroOf(b, element), ArrayRef<bool>{whole});
}
static Value write(LoweringBuilder &b, Value row, Value tensor, ValueRange place, bool whole) {
  return vector::TransferWriteOp::create(b, row, tensor, place, ArrayRef<bool>{whole}).getResult();
}

static Value isAny(LoweringBuilder &b, Value mask) {
  return vector::ReductionOp::create(b, vector::CombiningKind::OR, mask);
}

/// The number of vectors that have `count` lanes.
static Value vectorsFor(LoweringBuilder &b, Value count) {
  return b.createOrFold<arith::CeilDivUIOp>(count, indexOf(b, kSortLanes));
}

//===----------------------------------------------------------------------===//
// The order
//===----------------------------------------------------------------------===//

Type BestElements::getCounter() const {
  int64_t known = shapeOf(data)[axis];
  MLIRContext *context = data.getContext();
  return IntegerType::get(context, !ShapedType::isDynamic(known) && llvm::isInt<31>(known) ? 32 : 64);
}

SmallVector<OpFoldResult> BestElements::getSizes(LoweringBuilder &b) const {
  SmallVector<OpFoldResult> sizes = getDims(b, data);
  sizes[axis] = numberOrAttr;
  return sizes;
}

Value BestElements::isBetter(LoweringBuilder &b, Value x, Value y) const {
  x = fromStorage(b, x, element);
  y = fromStorage(b, y, element);
  if (!isa<FloatType>(element)) {
    bool isSigned = !isUnsigned(element);
    return compare(b, isMax ? (isSigned ? I::sgt : I::ugt) : (isSigned ? I::slt : I::ult), x, y);
  }
  // NaN is greater than any number, but not greater than NaN.
  Value greaterOrNan = compare(b, isMax ? F::UGT : F::ULT, x, y);
  Value isNumber = compare(b, F::ORD, isMax ? y : x, isMax ? y : x);
  return arith::AndIOp::create(b, greaterOrNan, isNumber);
}

//===----------------------------------------------------------------------===//
// Along the last axis
//===----------------------------------------------------------------------===//

Value getPlaces(LoweringBuilder &b, const BestElements &best) {
  // The least number is not 0, so the k-th place can be read in any case.
  Value vectors = maxIndex(b, vectorsFor(b, toValue(b, best.numberOrAttr)), indexOf(b, 1));
  return b.createOrFold<arith::MulIOp>(vectors, indexOf(b, kSortLanes));
}

/// Inserts `value` with its `index` into a row.
static BestRow insertInVectors(LoweringBuilder &b, const BestElements &best, Value value, Value index,
                               const BestRow &row) {
  Type counter = elementOf(row.indices);
  Value places = getDim(b, row.values, 0);
  auto toCounter = [&](LoweringBuilder &b, Value x) { return arith::IndexCastOp::create(b, counter, x); };
  Value values = splat(b, value), indices = splat(b, toCounter(b, index));
  Value filled = toCounter(b, row.count);
  // The first lane gets the last one of the vector before it.
  SmallVector<int64_t> moved{0};
  for (int64_t i = 0; i + 1 != kSortLanes; ++i)
    moved.push_back(kSortLanes + i);
  auto body = [&](LoweringBuilder &b, Value number, ValueRange carried) -> SmallVector<Value> {
    Value from = arith::MulIOp::create(b, number, indexOf(b, kSortLanes));
    Value here = read(b, carried[0], from, true), hereIndices = read(b, carried[1], from, true);
    auto before = [&](Value last, Value row) { return vector::ShuffleOp::create(b, splat(b, last), row, moved); };
    Value moves = before(carried[2], here), movesIndices = before(carried[3], hereIndices);
    // Places that have no element yet are worse than any element. Nothing moves to the first place, because no element
    // is better than itself.
    Value places =
        arith::SubIOp::create(b, numbersOf(b, counter), splat(b, arith::SubIOp::create(b, filled, toCounter(b, from))));
    auto isWorse = [&](Value row, int64_t least) -> Value {
      Value isFree =
          compare(b, I::sge, places, splat(b, constantOf(b, counter, APInt(counter.getIntOrFloatBitWidth(), least))));
      return arith::OrIOp::create(b, best.isBetter(b, values, row), isFree);
    };
    Value isMoved = isWorse(moves, 1), isTaken = isWorse(here, 0);
    auto choose = [&](Value moved, Value taken, Value stays) -> Value {
      return selectValue(b, isMoved, moved, selectValue(b, isTaken, taken, stays));
    };
    return {write(b, choose(moves, values, here), carried[0], from, true),
            write(b, choose(movesIndices, indices, hereIndices), carried[1], from, true),
            vector::ExtractOp::create(b, here, kSortLanes - 1),
            vector::ExtractOp::create(b, hereIndices, kSortLanes - 1)};
  };
  SmallVector<Value> inits{row.values, row.indices, value, toCounter(b, index)};
  SmallVector<Value> next = loop(b, indexOf(b, 0), vectorsFor(b, places), inits, body);
  Value count = arith::AddIOp::create(b, row.count, indexOf(b, 1));
  return {next[0], next[1], minIndex(b, count, places)};
}

BestRow collectInVectors(LoweringBuilder &b, const BestElements &best, ValueRange place, const BestRow &row) {
  Value first = indexOf(b, 0), one = indexOf(b, 1);
  Value last = maxIndex(b, arith::SubIOp::create(b, best.number, one), first);
  int64_t known = shapeOf(best.data)[best.axis];
  bool whole = !ShapedType::isDynamic(known) && known % kSortLanes == 0;
  Type bitsType = b.getIntegerType(kSortLanes), counter = best.getCounter();
  auto body = [&](LoweringBuilder &b, Value number, ValueRange carried) -> SmallVector<Value> {
    Value from = arith::MulIOp::create(b, number, indexOf(b, kSortLanes));
    Value row = read(b, best.data, placeAt(place, best.axis, from), whole);
    Value isGood = best.isBetter(b, row, splat(b, readAt(b, carried[0], last)));
    isGood = arith::OrIOp::create(b, isGood, splat(b, compare(b, I::slt, carried[2], best.number)));
    if (!whole) {
      Value left = arith::IndexCastOp::create(b, counter, arith::SubIOp::create(b, best.length, from));
      isGood = arith::AndIOp::create(b, isGood, compare(b, I::slt, numbersOf(b, counter), splat(b, left)));
    }
    Value bits = vector::ExtractOp::create(b, vector::BitCastOp::create(b, VectorType::get(1, bitsType), isGood), 0);
    // An element that is not better than those found in the same vector lands behind the k-th place.
    SmallVector<Value> inits{bits, carried[0], carried[1], carried[2]};
    auto each = scf::WhileOp::create(
        b, ValueRange(inits).getTypes(), inits,
        [&](OpBuilder &nested, Location loc, ValueRange args) {
          LoweringBuilder inner(loc, nested, b);
          scf::ConditionOp::create(inner, compare(inner, I::ne, args[0], zeroOf(inner, bitsType)), args);
        },
        [&](OpBuilder &nested, Location loc, ValueRange args) {
          LoweringBuilder inner(loc, nested, b);
          Value lane = arith::IndexCastUIOp::create(inner, inner.getIndexType(),
                                                    math::CountTrailingZerosOp::create(inner, args[0]));
          Value index = arith::AddIOp::create(inner, from, lane);
          Value value = readAt(inner, best.data, placeAt(place, best.axis, index));
          BestRow next = insertInVectors(inner, best, value, index, {args[1], args[2], args[3]});
          Value rest =
              arith::AndIOp::create(inner, args[0], arith::SubIOp::create(inner, args[0], oneOf(inner, bitsType)));
          scf::YieldOp::create(inner, ValueRange{rest, next.values, next.indices, next.count});
        });
    return llvm::to_vector(ValueRange(each.getResults()).drop_front());
  };
  SmallVector<Value> found = loop(b, best.zero, vectorsFor(b, best.length), {row.values, row.indices, row.count}, body);
  return {found[0], found[1], found[2]};
}

//===----------------------------------------------------------------------===//
// Along another axis
//===----------------------------------------------------------------------===//

namespace {
/// The best elements of as many rows as there are lanes: tensors of k vectors.
struct BestLanes {
  Value values, indices;
};
} // namespace

/// Inserts the lanes of `row`, with their `index`, from the place `last` on. Place `last` has no element yet if
/// `isFirst`.
static BestLanes insertLanes(LoweringBuilder &b, const BestElements &best, Value row, Value index, Value last,
                             Value isFirst, Value lastRow, const BestLanes &lanes) {
  Value zero = indexOf(b, 0), one = indexOf(b, 1);
  Value indices = splat(b, index);
  Value lastIndices = selectValue(b, isFirst, indices, read(b, lanes.indices, ValueRange{last, zero}, true));
  auto choose = [&](LoweringBuilder &b, Value isTaken, ValueRange here) -> std::array<Value, 2> {
    return {selectValue(b, isTaken, row, here[0]), selectValue(b, isTaken, indices, here[1])};
  };
  auto body = [&](LoweringBuilder &b, Value step, ValueRange carried) -> SmallVector<Value> {
    Value place = arith::SubIOp::create(b, last, step), before = arith::SubIOp::create(b, place, one);
    Value moves = read(b, carried[0], ValueRange{before, zero}, true);
    Value movesIndices = read(b, carried[1], ValueRange{before, zero}, true);
    auto [taken, takenIndices] = choose(b, best.isBetter(b, row, carried[2]), carried.drop_front(2));
    Value isMoved = best.isBetter(b, row, moves);
    return {write(b, selectValue(b, isMoved, moves, taken), carried[0], ValueRange{place, zero}, true),
            write(b, selectValue(b, isMoved, movesIndices, takenIndices), carried[1], ValueRange{place, zero}, true),
            moves, movesIndices};
  };
  SmallVector<Value> next = loop(b, zero, last, {lanes.values, lanes.indices, lastRow, lastIndices}, body);
  auto [values, newIndices] = choose(b, best.isBetter(b, row, next[2]), ValueRange(next).drop_front(2));
  return {write(b, values, next[0], ValueRange{zero, zero}, true),
          write(b, newIndices, next[1], ValueRange{zero, zero}, true)};
}

/// Finds the best elements of the rows that begin at `from` along the last dim of `data`, which is all dims behind the
/// axis.
static BestLanes collectLanes(LoweringBuilder &b, const BestElements &best, Value data, ValueRange outer, Value from,
                              bool whole, const BestLanes &lanes) {
  Value zero = indexOf(b, 0), one = indexOf(b, 1);
  auto body = [&](LoweringBuilder &b, Value iv, ValueRange carried) -> SmallVector<Value> {
    SmallVector<Value> place(outer);
    place.append({iv, from});
    Value row = read(b, data, place, whole);
    Value isFirst = compare(b, I::slt, iv, best.number);
    Value last = minIndex(b, iv, arith::SubIOp::create(b, best.number, one));
    Value lastRow = selectValue(b, isFirst, row, read(b, carried[0], ValueRange{last, zero}, true));
    Value isGood = arith::OrIOp::create(b, isFirst, isAny(b, best.isBetter(b, row, lastRow)));
    auto insert = scf::IfOp::create(
        b, isGood,
        [&](OpBuilder &nested, Location loc) {
          LoweringBuilder inner(loc, nested, b);
          Value index = arith::IndexCastOp::create(inner, best.getCounter(), iv);
          BestLanes next = insertLanes(inner, best, row, index, last, isFirst, lastRow, {carried[0], carried[1]});
          scf::YieldOp::create(inner, ValueRange{next.values, next.indices});
        },
        [&](OpBuilder &nested, Location loc) { scf::YieldOp::create(nested, loc, carried); });
    return llvm::to_vector(ValueRange(insert.getResults()));
  };
  // For k = 0 there is no last place.
  Value end = selectValue(b, compare(b, I::eq, best.number, zero), zero, best.length);
  SmallVector<Value> found = loop(b, best.zero, end, {lanes.values, lanes.indices}, body);
  return {found[0], found[1]};
}

/// Sorts the best elements of each lane by index, by insertion.
static BestLanes orderLanes(LoweringBuilder &b, const BestElements &best, const BestLanes &lanes) {
  Value zero = indexOf(b, 0), one = indexOf(b, 1);
  auto insert = [&](LoweringBuilder &b, Value last, ValueRange carried) -> SmallVector<Value> {
    auto sink = [&](LoweringBuilder &b, Value step, ValueRange carried) -> SmallVector<Value> {
      Value place = arith::SubIOp::create(b, last, step), before = arith::SubIOp::create(b, place, one);
      Value row = read(b, carried[0], ValueRange{before, zero}, true);
      Value indices = read(b, carried[1], ValueRange{before, zero}, true);
      Value isBefore = compare(b, I::slt, carried[3], indices);
      Value values = write(b, selectValue(b, isBefore, row, carried[2]), carried[0], ValueRange{place, zero}, true);
      Value greatest =
          write(b, arith::MaxSIOp::create(b, carried[3], indices), carried[1], ValueRange{place, zero}, true);
      return {values, greatest, selectValue(b, isBefore, carried[2], row),
              arith::MinSIOp::create(b, carried[3], indices)};
    };
    SmallVector<Value> inits{carried[0], carried[1], read(b, carried[0], ValueRange{last, zero}, true),
                             read(b, carried[1], ValueRange{last, zero}, true)};
    SmallVector<Value> next = loop(b, zero, last, inits, sink);
    return {write(b, next[2], next[0], ValueRange{zero, zero}, true),
            write(b, next[3], next[1], ValueRange{zero, zero}, true)};
  };
  SmallVector<Value> sorted = loop(b, one, best.number, {lanes.values, lanes.indices}, insert);
  return {sorted[0], sorted[1]};
}

SmallVector<Value> findBestOfLanes(LoweringBuilder &b, const BestElements &best) {
  // The dims behind the axis become one.
  SmallVector<OpFoldResult> sizes = best.getSizes(b);
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0, rank = sizes.size(); i != rank; ++i) {
    if (i <= best.axis + 1)
      groups.emplace_back();
    groups.back().push_back(i);
  }
  bool isGrouped = groups.back().size() != 1;
  Value data = isGrouped ? tensor::CollapseShapeOp::create(b, best.data, groups) : best.data;
  SmallVector<OpFoldResult> given = getDims(b, data);
  given[best.axis] = best.numberOrAttr;
  int64_t known = shapeOf(data).back();
  bool whole = !ShapedType::isDynamic(known) && known % kSortLanes == 0;

  SmallVector<Value> inits;
  appendEmpties(b, given, elementOf(data), best.indexElement, inits);
  appendEmpties(b, {best.numberOrAttr, b.getIndexAttr(kSortLanes)}, elementOf(data), best.getCounter(), inits);
  SmallVector<OpFoldResult> outer = llvm::to_vector(ArrayRef(given).take_front(best.axis));
  outer.push_back(toSize(b, vectorsFor(b, toValue(b, given.back()))));
  auto body = [&](LoweringBuilder &b, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
    Value from = arith::MulIOp::create(b, ivs.back(), indexOf(b, kSortLanes));
    BestLanes lanes = collectLanes(b, best, data, ivs.drop_back(), from, whole, {carried[2], carried[3]});
    if (best.sortsByIndex)
      lanes = orderLanes(b, best, lanes);
    auto give = [&](LoweringBuilder &b, Value iv, ValueRange results) -> SmallVector<Value> {
      SmallVector<Value> place(ivs.drop_back()), row{iv, indexOf(b, 0)};
      place.append({iv, from});
      Value indices = read(b, lanes.indices, row, true);
      Type from = best.getCounter(), to = best.indexElement;
      if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
        indices = arith::ExtSIOp::create(b, lanesOf(to), indices);
      else if (from != to)
        indices = arith::TruncIOp::create(b, lanesOf(to), indices);
      return {write(b, read(b, lanes.values, row, true), results[0], place, whole),
              write(b, indices, results[1], place, whole)};
    };
    SmallVector<Value> next = loop(b, best.zero, best.number, carried.take_front(2), give);
    next.append({lanes.values, lanes.indices});
    return next;
  };
  SmallVector<Value> results = loopNest(b, outer, inits, body);
  results.truncate(2);
  if (isGrouped)
    for (Value &result : results)
      result = expandShape(b, result, groups, sizes);
  return results;
}

} // namespace recur::ov
