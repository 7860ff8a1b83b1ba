// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sort.cpp - Lowering of topk --------------------------------------------===//
//
// This file lowers TopK. A small k is an insertion into a sorted row of the k best elements, which needs only one
// scratch row. It runs in vectors (SortVectors.h) unless only a few elements are behind the axis. A large k is a merge
// sort of those that may be among the k best. If only the call tells k, the call chooses. Two kinds of rows are merged
// whatever k is: those whose k is the length, and integers, which are most often numbers of rows and sorted as a
// whole. A row of a few elements is sorted by insertion if its length is known. One best element is found by two
// reductions. The order of equal elements and of NaN is defined: the earlier element comes first, and NaN is greater
// than any number.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"
#include "Payloads.h"
#include "Reducing.h"
#include "SortVectors.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;

namespace recur::ov {

using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;

/// Insertion takes a time like k * k and merging one like the length. So merging is worth it if k * k is more than this
/// many times the length, which is assumed if it is unknown.
static constexpr int64_t squarePerLength = 8, assumedLength = 8192;
/// A greater k counts as this one, whose square has no overflow.
static constexpr int64_t greatestToSquare = 1 << 30;
/// The least number of elements that are sorted at once for a greater k, besides twice k.
static constexpr int64_t minCapacity = 64;

/// Appends a tensor of values and one of indices, both of `sizes`. If they have the same type, CSE would merge two
/// tensor.empty ops, and bufferization would put both tensors into one buffer. So the second one is then a
/// bufferization.alloc_tensor.
void appendEmpties(LoweringBuilder &b, ArrayRef<OpFoldResult> sizes, Type values, Type indices,
                   SmallVectorImpl<Value> &tensors) {
  tensors.push_back(emptyOf(b, sizes, values));
  tensors.push_back(values == indices ? scratchOf(b, sizes, indices) : emptyOf(b, sizes, indices));
}

namespace {
/// Lowers one TopK. For each row along the axis, a scratch row keeps the best elements seen so far, with their indices.
/// After the row, the indices tell which elements of the data are results. For k = 1 there is no scratch row.
///
/// If k is small, the row is always in order. It has k + 1 places: an element that is worse than all others lands in
/// the last place, so no branch is needed. Otherwise the row has keys, one number each for an element and its index,
/// and is sorted whenever it is full.
class TopKLowering : private BestElements {
public:
  TopKLowering(LoweringBuilder &b, TopKOp op, TopKOp::Adaptor adaptor) : b(b), op(op) {
    data = adaptor.getData();
    element = op.getData().getType().getElementType();
    indexElement = op.getIndexElementType();
    isMax = op.getMode() == TopKMode::Max;
    sortsByIndex = op.getSort() == TopKSort::Index;
    axis = *normalizeAxis(op.getAxis(), rankOf(data));
    int64_t known = shapeOf(data)[axis];
    bool isNarrow =
        elementOf(data).getIntOrFloatBitWidth() <= 32 && (ShapedType::isDynamic(known) || llvm::isUInt<32>(known));
    keyType = b.getIntegerType(isNarrow ? 64 : 128);
    checkNumber(extractOnly(b, adaptor.getK()));
  }

  SmallVector<Value> lower();

private:
  using Row = std::pair<Value, Value>;
  using Keys = std::array<Value, 2>;
  using ToIndex = llvm::function_ref<Value(LoweringBuilder &, Value)>;

  /// Checks that k is not greater than the axis, and sets the members that depend on it.
  void checkNumber(Value k);
  Value toElement(LoweringBuilder &b, Value index) { return arith::IndexCastOp::create(b, indexElement, index); }
  /// Inserts `value` with its `index` into the row: begins at place `from` and moves worse elements up by one place.
  /// Sorts by index if `byIndex`, else by value.
  Row sortIn(LoweringBuilder &b, Row row, Value from, Value value, Value index, bool byIndex);
  /// A signed number of type `keyType` that is less than those of the elements that come later in the order. The upper
  /// half has the order of `value`, and the lower half is its index.
  Value keyOf(LoweringBuilder &b, Value value, Value index);
  /// The index in a key.
  Value indexIn(LoweringBuilder &b, Value key);
  /// Sorts the first `count` keys of the first of two rows. Each row has place for twice as many keys.
  Keys sortKeys(LoweringBuilder &b, Value count, Keys rows);
  /// A pass of `sortKeys`: merges each two sorted runs of `width` keys of the row `from` into the row `to`.
  Value mergeRuns(LoweringBuilder &b, Value count, Value width, Value from, Value to);
  /// Collects the keys that come before the last of the k best so far, and sorts them when `capacity` keys are there.
  /// Returns the two rows, of which the first begins with the k best keys.
  Keys collectBest(LoweringBuilder &b, ValueRange place, Value capacity, Keys rows);
  /// Writes the keys that do not come after the last of the k best to the second row, by index.
  Value orderByIndex(LoweringBuilder &b, ValueRange place, Keys rows);
  /// Copies the elements of the data at the first k places of the row, which `toIndex` makes to indices, and the
  /// indices, to the results.
  SmallVector<Value> give(LoweringBuilder &b, ValueRange place, Value row, ToIndex toIndex, ValueRange results);
  /// The k-th element of a row.
  Value lastOf(LoweringBuilder &b, Value row);
  /// For k = 1: finds the best element, and then the first one that is equal to it. Both searches are reductions, which
  /// run in vectors.
  SmallVector<Value> lowerToReductions();
  /// For any k, by insertion. `inVectors` if the axis is the last.
  SmallVector<Value> lowerToRows(bool inVectors);
  /// True if k is known to be the length, and rows are sorted one by one. Merging is then never slower.
  bool sortsAll();
  /// True if the dims behind the axis make insertion in lanes worth it.
  bool hasLanes();
  /// For any k, by insertion, in the way that fits the dims.
  SmallVector<Value> lowerToInsertions();
  /// For any k, by merging.
  SmallVector<Value> lowerToMerges();
  /// For a k that only the call tells: by merging if it is large, otherwise by insertion.
  SmallVector<Value> lowerToBoth();

  LoweringBuilder &b;
  TopKOp op;
  /// i64 for elements of at most 32 bits, i128 for others.
  IntegerType keyType;
};

/// Replaces a TopK by its loops.
struct LowerTopK final : OpConversionPattern<TopKOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(TopKOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> results = TopKLowering(b, op, adaptor).lower();
    for (auto [result, type] : llvm::zip_equal(results, op.getResultTypes()))
      result = castTo(b, result, getTypeConverter()->convertType(type));
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void TopKLowering::checkNumber(Value k) {
  length = getDim(b, data, axis);
  Value wanted = toIndex(b, k);
  zero = indexOf(b, 0);
  number = wanted;
  // One unsigned comparison also rejects a negative k.
  Value fits = compare(b, I::ule, wanted, length);
  if (op.canFault()) {
    ValueRange guarded = check(b, fits, rt::FaultKind::Index, "k is {0}, but the axis has {1} elements",
                               {wanted, length}, {wanted, zero});
    number = guarded[0];
    zero = guarded[1];
  }
  numberOrAttr = getConstantIntValue(wanted) ? toSize(b, wanted) : OpFoldResult(number);
}

TopKLowering::Row TopKLowering::sortIn(LoweringBuilder &b, Row row, Value from, Value value, Value index,
                                       bool byIndex) {
  Value one = indexOf(b, 1), first = indexOf(b, 0);
  SmallVector<Value> inits{from, row.first, row.second};
  auto before = [&](LoweringBuilder &inner, ValueRange args) {
    // The first place has no place before it. The value read there instead is not used.
    Value isInside = compare(inner, I::sgt, args[0], first);
    Value previous = arith::SelectOp::create(inner, isInside, arith::SubIOp::create(inner, args[0], one), first);
    Value moves = byIndex ? compare(inner, I::slt, index, readAt(inner, args[2], previous))
                          : isBetter(inner, value, readAt(inner, args[1], previous));
    return arith::AndIOp::create(inner, isInside, moves).getResult();
  };
  auto search = scf::WhileOp::create(
      b, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        LoweringBuilder inner(loc, nested, b);
        scf::ConditionOp::create(inner, before(inner, args), args);
      },
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        LoweringBuilder inner(loc, nested, b);
        Value previous = arith::SubIOp::create(inner, args[0], one);
        Value values = writeAt(inner, readAt(inner, args[1], previous), args[1], args[0]);
        Value indices = writeAt(inner, readAt(inner, args[2], previous), args[2], args[0]);
        scf::YieldOp::create(inner, ValueRange{previous, values, indices});
      });
  Value place = search.getResult(0);
  return {writeAt(b, value, search.getResult(1), place), writeAt(b, index, search.getResult(2), place)};
}

SmallVector<Value> TopKLowering::lowerToReductions() {
  bool isFloat = isa<FloatType>(element);
  Type compute = getComputeType(element);
  // NaN is greater than any number: a maximum has to propagate it, and a minimum has to ignore it.
  auto combineMin = [](LoweringBuilder &b, Value lhs, Value rhs, bool isUnsigned) -> Value {
    if (isa<FloatType>(lhs.getType()))
      return arith::MinNumFOp::create(b, lhs, rhs, arith::FastMathFlags::nsz);
    return minimum(b, lhs, rhs, isUnsigned);
  };
  bool isUnsignedElement = isUnsigned(element);
  Value neutral = isMax     ? leastOf(b, compute, isUnsignedElement)
                  : isFloat ? constantOf(b, compute, std::numeric_limits<double>::quiet_NaN())
                            : greatestOf(b, compute, isUnsignedElement);
  Value best = reduce(b, data, element, axis, neutral, isMax ? Combine(maximumButForZeros) : Combine(combineMin));

  // The index of the first element that is equal, or `none`.
  int64_t rank = rankOf(data);
  Type counter = getCounter();
  Value none = greatestOf(b, counter, /*isUnsigned=*/false);
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  iterators[axis] = IteratorType::reduction;
  AffineMap reduced = getReducedMap(b.getContext(), rank, axis);
  SmallVector<OpFoldResult> outer = getDims(b, data);
  outer.erase(outer.begin() + axis);
  auto findFirst = [&](LoweringBuilder &inner, ValueRange args) -> Value {
    Value value = fromStorage(inner, args[0], element), wanted = args[1], isEqual;
    if (isFloat) {
      // If a maximum is NaN, the first NaN is the result. No number is then equal to it.
      isEqual = compare(inner, F::OEQ, value, wanted);
      if (isMax)
        isEqual = arith::OrIOp::create(inner, isEqual, compare(inner, F::UNO, value, value));
    } else {
      isEqual = compare(inner, I::eq, value, wanted);
    }
    Value index = arith::IndexCastOp::create(inner, counter, linalg::IndexOp::create(inner, axis));
    return arith::MinSIOp::create(inner, args[2], arith::SelectOp::create(inner, isEqual, index, none));
  };
  Value first = generic(b, {data, best}, filledOf(b, outer, none), {b.getMultiDimIdentityMap(rank), reduced, reduced},
                        iterators, findFirst);

  SmallVector<OpFoldResult> sizes = getSizes(b);
  auto give = [&](LoweringBuilder &inner, ValueRange place, ValueRange carried) -> SmallVector<Value> {
    Value index = readAt(inner, first, place);
    // A row of NaN has no least number: its first element is the result.
    Value isFound = compare(inner, I::ne, index, none);
    Value found = arith::SelectOp::create(inner, isFound, toIndex(inner, index), zero);
    SmallVector<Value> target = placeAt(place, axis, indexOf(inner, 0));
    Value value = readAt(inner, data, placeAt(place, axis, found));
    return {writeAt(inner, value, carried[0], target), writeAt(inner, toElement(inner, found), carried[1], target)};
  };
  SmallVector<Value> inits;
  appendEmpties(b, sizes, elementOf(data), indexElement, inits);
  return loopsAround(b, sizes, axis, inits, give);
}

SmallVector<Value> TopKLowering::lowerToRows(bool inVectors) {
  SmallVector<OpFoldResult> sizes = getSizes(b);
  Value one = indexOf(b, 1);
  Value places = inVectors ? getPlaces(b, *this) : b.createOrFold<arith::AddIOp>(toValue(b, numberOrAttr), one);
  SmallVector<Value> inits;
  appendEmpties(b, sizes, elementOf(data), indexElement, inits);
  // Indices in the type of the result would be copied to it, which a time loop should not do. Others are converted.
  Type indexType = inVectors && getCounter() != indexElement ? getCounter() : Type(b.getI64Type());
  appendEmpties(b, getAsOpFoldResult(places), elementOf(data), indexType, inits);
  auto select = [&](LoweringBuilder &outer, ValueRange place, ValueRange carried) -> SmallVector<Value> {
    auto take = [&](LoweringBuilder &inner, Value iv, ValueRange row) -> SmallVector<Value> {
      Value value = readAt(inner, data, placeAt(place, axis, iv));
      Value end = arith::MinSIOp::create(inner, iv, number);
      Value index = arith::IndexCastOp::create(inner, indexType, iv);
      Row next = sortIn(inner, {row[0], row[1]}, end, value, index, /*byIndex=*/false);
      return {next.first, next.second};
    };
    SmallVector<Value> row(carried.drop_front(2));
    if (inVectors) {
      BestRow found = collectInVectors(outer, *this, place, {row[0], row[1], indexOf(outer, 0)});
      row = {found.values, found.indices};
    } else {
      row = loop(outer, zero, length, row, take);
    }
    // Sorts the k best elements by index, by insertion too.
    if (sortsByIndex) {
      auto sort = [&](LoweringBuilder &inner, Value iv, ValueRange row) -> SmallVector<Value> {
        Value value = readAt(inner, row[0], iv), index = readAt(inner, row[1], iv);
        Row next = sortIn(inner, {row[0], row[1]}, iv, value, index, /*byIndex=*/true);
        return {next.first, next.second};
      };
      row = loop(outer, one, number, row, sort);
    }
    SmallVector<Value> next = give(outer, place, row[1], toIndex, carried.take_front(2));
    llvm::append_range(next, row);
    return next;
  };
  SmallVector<Value> results = loopsAround(b, sizes, axis, inits, select);
  results.truncate(2);
  return results;
}

Value TopKLowering::keyOf(LoweringBuilder &b, Value value, Value index) {
  unsigned half = keyType.getWidth() / 2;
  auto number = [&](const APInt &bits) { return constantOf(b, keyType, bits.sext(2 * half)); };
  Value greatest = number(APInt::getSignedMaxValue(half)), order;
  if (isa<FloatType>(element)) {
    Type compute = half == 64 ? b.getF64Type() : b.getF32Type(), bitsType = b.getIntegerType(half);
    value = fromStorage(b, value, element);
    if (value.getType() != compute)
      value = arith::ExtFOp::create(b, compute, value);
    // A sum with 0 is never -0, which is equal to 0. NaN is greater than infinity. The bits of a negative number have
    // the opposite order.
    Value isNan = compare(b, F::UNO, value, value);
    value = arith::AddFOp::create(b, value, constantOf(b, compute, 0));
    Value bits = arith::ExtSIOp::create(b, keyType, arith::BitcastOp::create(b, bitsType, value));
    Value isNegative = arith::ShRSIOp::create(b, bits, number(APInt(half, 2 * half - 1)));
    Value flips = arith::AndIOp::create(b, isNegative, greatest);
    order = arith::SelectOp::create(b, isNan, greatest, arith::XOrIOp::create(b, bits, flips));
  } else if (isUnsigned(element)) {
    // Half of the range is negative.
    order = arith::AddIOp::create(b, arith::ExtUIOp::create(b, keyType, value), number(APInt::getSignedMinValue(half)));
  } else {
    order = arith::ExtSIOp::create(b, keyType, value);
  }
  if (isMax)
    order = arith::XOrIOp::create(b, order, number(APInt::getAllOnes(half)));
  Value place = toInt64(b, index);
  if (place.getType() != keyType)
    place = arith::ExtUIOp::create(b, keyType, place);
  return arith::OrIOp::create(b, arith::ShLIOp::create(b, order, number(APInt(half, half))), place);
}

Value TopKLowering::indexIn(LoweringBuilder &b, Value key) {
  if (keyType.getWidth() == 128)
    return toIndex(b, arith::TruncIOp::create(b, b.getI64Type(), key));
  return toIndex(b, arith::AndIOp::create(b, key, constantOf(b, keyType, APInt(64, 0xffffffff))));
}

Value TopKLowering::mergeRuns(LoweringBuilder &b, Value count, Value width, Value from, Value to) {
  Value one = indexOf(b, 1), first = indexOf(b, 0);
  Value both = arith::AddIOp::create(b, width, width);
  auto merge = [&](LoweringBuilder &outer, Value pair, ValueRange carried) -> SmallVector<Value> {
    Value start = arith::MulIOp::create(outer, pair, both);
    Value middle = arith::AddIOp::create(outer, start, width);
    Value last = arith::SubIOp::create(outer, arith::AddIOp::create(outer, middle, width), one);
    // As many keys are merged from the front as from the back, so neither passes the limits of the runs. No step has a
    // branch, which would go the wrong way at every other key.
    auto mergeTwo = [&](LoweringBuilder &inner, Value iv, ValueRange args) -> SmallVector<Value> {
      auto isRightLess = [&](Value left, Value right) -> Value {
        return arith::IndexCastUIOp::create(inner, first.getType(), compare(inner, I::slt, right, left));
      };
      auto sum = [&](Value x, Value y) -> Value { return arith::AddIOp::create(inner, x, y); };
      auto difference = [&](Value x, Value y) -> Value { return arith::SubIOp::create(inner, x, y); };
      Value left = readAt(inner, from, args[1]), right = readAt(inner, from, args[2]);
      Value row = writeAt(inner, arith::MinSIOp::create(inner, left, right), args[0], sum(start, iv));
      Value takesRight = isRightLess(left, right);
      left = readAt(inner, from, args[3]);
      right = readAt(inner, from, args[4]);
      row = writeAt(inner, arith::MaxSIOp::create(inner, left, right), row, difference(last, iv));
      Value takesLeft = isRightLess(left, right);
      return {row, sum(args[1], difference(one, takesRight)), sum(args[2], takesRight), difference(args[3], takesLeft),
              difference(args[4], difference(one, takesLeft))};
    };
    SmallVector<Value> inits{carried[0], start, middle, arith::SubIOp::create(outer, middle, one), last};
    return {loop(outer, first, width, inits, mergeTwo)[0]};
  };
  // The last pair of runs may reach over the end.
  return loop(b, first, arith::CeilDivUIOp::create(b, count, both), to, merge)[0];
}

TopKLowering::Keys TopKLowering::sortKeys(LoweringBuilder &b, Value count, Keys rows) {
  Value one = indexOf(b, 1), two = indexOf(b, 2), first = indexOf(b, 0);
  // The least power of 4 that is not less than the count.
  auto grow = scf::WhileOp::create(
      b, TypeRange{one.getType()}, ValueRange{one},
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        LoweringBuilder inner(loc, nested, b);
        scf::ConditionOp::create(inner, compare(inner, I::slt, args[0], count), args);
      },
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        LoweringBuilder inner(loc, nested, b);
        scf::YieldOp::create(inner, ValueRange{arith::MulIOp::create(inner, args[0], indexOf(inner, 4))});
      });
  // The passes come in twos, so that the result is in the first row. If their number would be odd, the keys are first
  // sorted in pairs in their place.
  Value half = arith::DivUIOp::create(b, grow.getResult(0), two);
  Value isOdd = compare(b, I::sge, half, count);
  Value full = arith::SelectOp::create(b, isOdd, half, grow.getResult(0));
  Value start = arith::SelectOp::create(b, isOdd, two, one);
  Value greatest = greatestOf(b, keyType, /*isUnsigned=*/false);
  auto pad = [&](LoweringBuilder &inner, Value iv, ValueRange args) -> SmallVector<Value> {
    return {writeAt(inner, greatest, args[0], iv), writeAt(inner, greatest, args[1], iv)};
  };
  SmallVector<Value> padded = loop(b, count, full, rows, pad);
  auto sortPair = [&](LoweringBuilder &inner, Value iv, ValueRange args) -> SmallVector<Value> {
    Value left = arith::MulIOp::create(inner, iv, two), right = arith::AddIOp::create(inner, left, one);
    Value x = readAt(inner, args[0], left), y = readAt(inner, args[0], right);
    Value row = writeAt(inner, arith::MinSIOp::create(inner, x, y), args[0], left);
    return {writeAt(inner, arith::MaxSIOp::create(inner, x, y), row, right)};
  };
  Value pairs = arith::SelectOp::create(b, isOdd, arith::CeilDivUIOp::create(b, count, two), first);
  SmallVector<Value> inits{start, loop(b, first, pairs, padded[0], sortPair)[0], padded[1]};
  auto passes = scf::WhileOp::create(
      b, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        LoweringBuilder inner(loc, nested, b);
        scf::ConditionOp::create(inner, compare(inner, I::slt, args[0], full), args);
      },
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        LoweringBuilder inner(loc, nested, b);
        Value twice = arith::MulIOp::create(inner, args[0], two);
        Value spare = mergeRuns(inner, count, args[0], args[1], args[2]);
        Value row = mergeRuns(inner, count, twice, spare, args[1]);
        scf::YieldOp::create(inner, ValueRange{arith::MulIOp::create(inner, twice, two), row, spare});
      });
  return {passes.getResult(1), passes.getResult(2)};
}

TopKLowering::Keys TopKLowering::collectBest(LoweringBuilder &b, ValueRange place, Value capacity, Keys rows) {
  Value one = indexOf(b, 1), first = indexOf(b, 0);
  SmallVector<Value> inits{zero, first, greatestOf(b, keyType, /*isUnsigned=*/false), rows[0], rows[1]};
  auto hasMore = [&](LoweringBuilder &inner, Value position) { return compare(inner, I::slt, position, length); };
  auto rounds = scf::WhileOp::create(
      b, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        LoweringBuilder inner(loc, nested, b);
        scf::ConditionOp::create(inner, hasMore(inner, args[0]), args);
      },
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        LoweringBuilder inner(loc, nested, b);
        Value limit = args[2];
        SmallVector<Value> taken{args[0], args[1], args[3]};
        auto fill = scf::WhileOp::create(
            inner, ValueRange(taken).getTypes(), taken,
            [&](OpBuilder &deeper, Location loc, ValueRange args) {
              LoweringBuilder innermost(loc, deeper, b);
              Value hasPlace = compare(innermost, I::slt, args[1], capacity);
              Value goesOn = arith::AndIOp::create(innermost, hasMore(innermost, args[0]), hasPlace);
              scf::ConditionOp::create(innermost, goesOn, args);
            },
            [&](OpBuilder &deeper, Location loc, ValueRange args) {
              LoweringBuilder innermost(loc, deeper, b);
              Value key = keyOf(innermost, readAt(innermost, data, placeAt(place, axis, args[0])), args[0]);
              Value isTaken =
                  arith::IndexCastUIOp::create(innermost, one.getType(), compare(innermost, I::slt, key, limit));
              scf::YieldOp::create(innermost, ValueRange{arith::AddIOp::create(innermost, args[0], one),
                                                         arith::AddIOp::create(innermost, args[1], isTaken),
                                                         writeAt(innermost, key, args[2], args[1])});
            });
        Value count = fill.getResult(1);
        Keys sorted = sortKeys(inner, count, {fill.getResult(2), args[4]});
        scf::YieldOp::create(inner, ValueRange{fill.getResult(0), minIndex(inner, count, number),
                                               lastOf(inner, sorted[0]), sorted[0], sorted[1]});
      });
  return {rounds.getResult(3), rounds.getResult(4)};
}

Value TopKLowering::lastOf(LoweringBuilder &b, Value row) {
  return readAt(b, row, maxIndex(b, arith::SubIOp::create(b, number, indexOf(b, 1)), indexOf(b, 0)));
}

Value TopKLowering::orderByIndex(LoweringBuilder &b, ValueRange place, Keys rows) {
  Value limit = lastOf(b, rows[0]);
  auto take = [&](LoweringBuilder &inner, Value iv, ValueRange args) -> SmallVector<Value> {
    Value key = keyOf(inner, readAt(inner, data, placeAt(place, axis, iv)), iv);
    // For k = 0 there is no limit.
    Value isTaken =
        arith::AndIOp::create(inner, compare(inner, I::sle, key, limit), compare(inner, I::slt, args[1], number));
    return {writeAt(inner, key, args[0], args[1]),
            arith::AddIOp::create(inner, args[1], arith::IndexCastUIOp::create(inner, iv.getType(), isTaken))};
  };
  return loop(b, zero, length, {rows[1], indexOf(b, 0)}, take)[0];
}

SmallVector<Value> TopKLowering::give(LoweringBuilder &b, ValueRange place, Value row, ToIndex toIndex,
                                      ValueRange results) {
  auto copy = [&](LoweringBuilder &inner, Value iv, ValueRange results) -> SmallVector<Value> {
    SmallVector<Value> target = placeAt(place, axis, iv);
    Value index = toIndex(inner, readAt(inner, row, iv));
    return {writeAt(inner, readAt(inner, data, placeAt(place, axis, index)), results[0], target),
            writeAt(inner, toElement(inner, index), results[1], target)};
  };
  return loop(b, zero, number, results, copy);
}

SmallVector<Value> TopKLowering::lowerToMerges() {
  SmallVector<OpFoldResult> sizes = getSizes(b);
  SmallVector<Value> inits;
  appendEmpties(b, sizes, elementOf(data), indexElement, inits);
  // A full row has more new keys than best ones. The least capacity makes a small k worth the sorting.
  Value two = indexOf(b, 2);
  Value capacity = b.createOrFold<arith::MulIOp>(toValue(b, numberOrAttr), two);
  capacity = minIndex(b, b.createOrFold<arith::AddIOp>(capacity, indexOf(b, minCapacity)), length);
  // A row of no keys has a place too, which is read but not used.
  Value places = b.createOrFold<arith::AddIOp>(b.createOrFold<arith::MulIOp>(capacity, two), indexOf(b, 1));
  for (int i = 0; i != 2; ++i)
    inits.push_back(scratchOf(b, getAsOpFoldResult(places), keyType));
  auto select = [&](LoweringBuilder &outer, ValueRange place, ValueRange carried) -> SmallVector<Value> {
    Keys rows = collectBest(outer, place, capacity, {carried[2], carried[3]});
    if (sortsByIndex)
      rows[1] = orderByIndex(outer, place, rows);
    Value row = rows[sortsByIndex];
    auto toIndex = [&](LoweringBuilder &inner, Value key) { return indexIn(inner, key); };
    SmallVector<Value> next = give(outer, place, row, toIndex, carried.take_front(2));
    llvm::append_range(next, rows);
    return next;
  };
  SmallVector<Value> results = loopsAround(b, sizes, axis, inits, select);
  results.truncate(2);
  return results;
}

bool TopKLowering::hasLanes() {
  // Some of the lanes have no element if there are few. A great k costs all lanes as much as the one that needs it.
  constexpr int64_t leastLanes = 8, greatestNumber = 64;
  if (getConstantIntValue(numberOrAttr).value_or(0) > greatestNumber)
    return false;
  int64_t lanes = 1;
  for (int64_t dim : shapeOf(data).drop_front(axis + 1)) {
    if (ShapedType::isDynamic(dim))
      return true;
    lanes = llvm::SaturatingMultiply<uint64_t>(lanes, dim);
  }
  return lanes >= leastLanes;
}

SmallVector<Value> TopKLowering::lowerToInsertions() {
  // A row of few elements takes no longer one by one.
  int64_t elements = shapeOf(data)[axis];
  if (axis + 1 == rankOf(data))
    return lowerToRows(/*inVectors=*/ShapedType::isDynamic(elements) || elements > kSortLanes);
  return hasLanes() ? findBestOfLanes(b, *this) : lowerToRows(/*inVectors=*/false);
}

SmallVector<Value> TopKLowering::lowerToBoth() {
  Value k = minIndex(b, number, indexOf(b, greatestToSquare));
  Value square = arith::DivUIOp::create(b, arith::MulIOp::create(b, k, k), indexOf(b, squarePerLength));
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(getSizes(b), dynamic, shape);
  Type types[] = {RankedTensorType::get(shape, elementOf(data)), RankedTensorType::get(shape, indexElement)};
  auto branch = scf::IfOp::create(b, types, compare(b, I::ugt, square, length), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, lowerToMerges());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, lowerToInsertions());
  return branch.getResults();
}

bool TopKLowering::sortsAll() {
  return isSameSize(b, numberOrAttr, data, axis) && (axis + 1 == rankOf(data) || !hasLanes());
}

SmallVector<Value> TopKLowering::lower() {
  std::optional<int64_t> known = getConstantIntValue(numberOrAttr);
  if (known == 1)
    return lowerToReductions();
  int64_t elements = shapeOf(data)[axis];
  bool isOpen = ShapedType::isDynamic(elements);
  if (!known && (isOpen || elements > minCapacity))
    return isa<FloatType>(element) && !sortsAll() ? lowerToBoth() : lowerToMerges();
  if (!known)
    return lowerToInsertions();
  bool isLarge = *known > greatestToSquare || *known * *known / squarePerLength > (isOpen ? assumedLength : elements);
  return isLarge ? lowerToMerges() : lowerToInsertions();
}

void populateSortPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerTopK>(converter, patterns.getContext());
}

} // namespace recur::ov
