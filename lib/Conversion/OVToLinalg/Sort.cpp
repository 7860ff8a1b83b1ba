// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sort.cpp - Lowering of topk and select_boxes ---------------------------===//
//
// This file lowers TopK to an insertion into a sorted row of the k best elements, which needs only one scratch row. One
// best element of a contiguous row is found by two reductions. The order of equal elements and of NaN is defined: the
// earlier element comes first, and NaN is greater than any number.
//
// SelectBoxes keeps the candidates of a class in a row that gets shorter with each choice.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"
#include "Payloads.h"
#include "Reducing.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;

namespace recur::ov {

using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;

/// Appends an empty tensor for values and one for indices. If both have the same type, CSE would merge two tensor.empty
/// ops, and bufferization would put both tensors into one buffer. So the second one is then a
/// bufferization.alloc_tensor.
static void appendEmpties(LoweringBuilder &b, ArrayRef<OpFoldResult> sizes, Type values, Type indices,
                          SmallVectorImpl<Value> &tensors) {
  tensors.push_back(emptyOf(b, sizes, values));
  if (values != indices) {
    tensors.push_back(emptyOf(b, sizes, indices));
    return;
  }
  SmallVector<Value> dynamic;
  for (OpFoldResult size : sizes)
    if (!getConstantIntValue(size))
      dynamic.push_back(cast<Value>(size));
  auto type = RankedTensorType::get(staticShapeOf(sizes), indices);
  tensors.push_back(bufferization::AllocTensorOp::create(b, type, dynamic));
}

namespace {
/// Lowers one TopK. For each row along the axis, a scratch row keeps the best elements seen so far in order, with their
/// indices. The scratch row has k + 1 places: an element that is worse than all others lands in the last place, so no
/// branch is needed. After the row, the indices tell which elements of the data are results. For k = 1 there is no
/// scratch row.
class TopKLowering {
public:
  TopKLowering(LoweringBuilder &b, TopKOp op, TopKOp::Adaptor adaptor)
      : b(b), op(op), data(adaptor.getData()), element(op.getData().getType().getElementType()),
        indexElement(op.getIndexElementType()), axis(*normalizeAxis(op.getAxis(), rankOf(data))) {
    checkNumber(extractOnly(b, adaptor.getK()));
  }

  SmallVector<Value> lower();

private:
  using Row = std::pair<Value, Value>;

  /// Checks that k is not greater than the axis, and sets the members that depend on it.
  void checkNumber(Value k);
  /// True if `x` comes before `y` in the order. `y` is the earlier element of the data, so it wins if they are equal.
  Value isBetter(LoweringBuilder &b, Value x, Value y);
  Value toElement(LoweringBuilder &b, Value index) { return arith::IndexCastOp::create(b, indexElement, index); }
  /// Inserts `value` with its `index` into the row: begins at place `from` and moves worse elements up by one place.
  /// Sorts by index if `byIndex`, else by value.
  Row sortIn(LoweringBuilder &b, Row row, Value from, Value value, Value index, bool byIndex);
  /// For k = 1: carries the best element of a row in scalars.
  SmallVector<Value> lowerToBest();
  /// For k = 1 and contiguous rows: finds the best element, and then the first one that is equal to it. Both searches
  /// are reductions, which run in vectors.
  SmallVector<Value> lowerToReductions();
  /// For any k.
  SmallVector<Value> lowerToRows();

  LoweringBuilder &b;
  TopKOp op;
  Value data;
  Type element, indexElement;
  int64_t axis;
  /// The length of the axis, k, and 0. The latter two depend on the check of k.
  Value length, number, zero;
  /// k as a size, which is an attribute if k is constant.
  OpFoldResult numberOrAttr;
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

Value TopKLowering::isBetter(LoweringBuilder &b, Value x, Value y) {
  bool isMax = op.getMode() == TopKMode::Max;
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

SmallVector<Value> TopKLowering::lowerToBest() {
  SmallVector<OpFoldResult> sizes = getDims(b, data);
  sizes[axis] = numberOrAttr;
  auto search = [&](LoweringBuilder &outer, ValueRange place, ValueRange carried) -> SmallVector<Value> {
    auto step = [&](LoweringBuilder &inner, Value iv, ValueRange best) -> SmallVector<Value> {
      Value candidate = readAt(inner, data, placeAt(place, axis, iv));
      Value wins = isBetter(inner, candidate, best[0]);
      return {arith::SelectOp::create(inner, wins, candidate, best[0]),
              arith::SelectOp::create(inner, wins, toElement(inner, iv), best[1])};
    };
    Value start = readAt(outer, data, placeAt(place, axis, zero));
    SmallVector<Value> best = loop(outer, indexOf(outer, 1), length, {start, zeroOf(outer, indexElement)}, step);
    SmallVector<Value> target = placeAt(place, axis, indexOf(outer, 0));
    return {writeAt(outer, best[0], carried[0], target), writeAt(outer, best[1], carried[1], target)};
  };
  SmallVector<Value> inits;
  appendEmpties(b, sizes, elementOf(data), indexElement, inits);
  return loopsAround(b, sizes, axis, inits, search);
}

SmallVector<Value> TopKLowering::lowerToReductions() {
  bool isMax = op.getMode() == TopKMode::Max, isFloat = isa<FloatType>(element);
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
  int64_t rank = rankOf(data), known = shapeOf(data)[axis];
  Type counter = !ShapedType::isDynamic(known) && llvm::isInt<31>(known) ? b.getI32Type() : b.getI64Type();
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

  SmallVector<OpFoldResult> sizes = getDims(b, data);
  sizes[axis] = numberOrAttr;
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

SmallVector<Value> TopKLowering::lowerToRows() {
  SmallVector<OpFoldResult> sizes = getDims(b, data);
  sizes[axis] = numberOrAttr;
  Value one = indexOf(b, 1);
  Value places = b.createOrFold<arith::AddIOp>(toValue(b, numberOrAttr), one);
  SmallVector<Value> inits;
  appendEmpties(b, sizes, elementOf(data), indexElement, inits);
  appendEmpties(b, getAsOpFoldResult(places), elementOf(data), b.getI64Type(), inits);
  auto select = [&](LoweringBuilder &outer, ValueRange place, ValueRange carried) -> SmallVector<Value> {
    auto take = [&](LoweringBuilder &inner, Value iv, ValueRange row) -> SmallVector<Value> {
      Value value = readAt(inner, data, placeAt(place, axis, iv));
      Value end = arith::MinSIOp::create(inner, iv, number);
      Row next = sortIn(inner, {row[0], row[1]}, end, value, toInt64(inner, iv), /*byIndex=*/false);
      return {next.first, next.second};
    };
    SmallVector<Value> row = loop(outer, zero, length, carried.drop_front(2), take);
    // Sorts the k best elements by index, by insertion too.
    if (op.getSort() == TopKSort::Index) {
      auto sort = [&](LoweringBuilder &inner, Value iv, ValueRange row) -> SmallVector<Value> {
        Value value = readAt(inner, row[0], iv), index = readAt(inner, row[1], iv);
        Row next = sortIn(inner, {row[0], row[1]}, iv, value, index, /*byIndex=*/true);
        return {next.first, next.second};
      };
      row = loop(outer, one, number, row, sort);
    }
    // Copies the k best elements and their indices to the results.
    auto give = [&](LoweringBuilder &inner, Value iv, ValueRange results) -> SmallVector<Value> {
      SmallVector<Value> target = placeAt(place, axis, iv);
      Value index = toIndex(inner, readAt(inner, row[1], iv));
      return {writeAt(inner, readAt(inner, data, placeAt(place, axis, index)), results[0], target),
              writeAt(inner, toElement(inner, index), results[1], target)};
    };
    SmallVector<Value> next = loop(outer, zero, number, carried.take_front(2), give);
    llvm::append_range(next, row);
    return next;
  };
  SmallVector<Value> results = loopsAround(b, sizes, axis, inits, select);
  results.truncate(2);
  return results;
}

SmallVector<Value> TopKLowering::lower() {
  if (getConstantIntValue(numberOrAttr) != 1)
    return lowerToRows();
  bool isContiguous = llvm::all_of(shapeOf(data).drop_front(axis + 1), [](int64_t dim) { return dim == 1; });
  return isContiguous ? lowerToReductions() : lowerToBest();
}

//===----------------------------------------------------------------------===//
// SelectBoxes
//===----------------------------------------------------------------------===//

namespace {
/// Lowers one SelectBoxes. For each batch and class, two scratch rows have the boxes that may still be chosen, in their
/// order, and their scores. A choice is the first of the best of them; then one pass updates the scores and closes the
/// gaps of the boxes that are dropped.
class SelectBoxesLowering {
public:
  SelectBoxesLowering(LoweringBuilder &b, SelectBoxesOp op, SelectBoxesOp::Adaptor adaptor)
      : b(b), op(op), boxes(adaptor.getBoxes()), scores(adaptor.getScores()), most(adaptor.getMaxBoxes()),
        element(op.getBoxes().getType().getElementType()), compute(getComputeType(element)) {
    auto only = [&](Value tensor) { return fromStorage(b, extractOnly(b, tensor), element); };
    overlapLimit = only(adaptor.getIouThreshold());
    scoreLimit = only(adaptor.getScoreThreshold());
    sigma = only(adaptor.getSigma());
  }

  SmallVector<Value> lower();

private:
  /// Checks that the operands agree on their dims.
  void checkShapes();
  /// A tensor of its own buffer. (CSE would merge two tensor.empty ops of one type and size.)
  Value scratchOf(Value size, Type type) {
    return bufferization::AllocTensorOp::create(b, RankedTensorType::get(ShapedType::kDynamic, type), ValueRange{size});
  }
  /// The four sides of box `box`, an index.
  SmallVector<Value> readBox(LoweringBuilder &b, Value batch, Value box);
  /// The overlap of two boxes.
  Value getOverlap(LoweringBuilder &b, ArrayRef<Value> x, ArrayRef<Value> y);
  /// Stores the boxes above the limit in the rows. Returns the two rows and the number of candidates.
  SmallVector<Value> collect(LoweringBuilder &b, Value batch, Value kind, Value row, Value rowScores);
  /// Updates the rows, the first two of `carried`, after the choice of candidate `best`. `number` are the candidates.
  SmallVector<Value> update(LoweringBuilder &b, Value batch, Value best, Value number, ValueRange carried);
  /// Chooses boxes of a class. `carried` are the indices, the scores and the number of choices, and the two rows.
  SmallVector<Value> choose(LoweringBuilder &b, ValueRange place, ValueRange carried);

  LoweringBuilder &b;
  SelectBoxesOp op;
  Value boxes, scores, most;
  Type element, compute;
  Value overlapLimit, scoreLimit, sigma;
  /// The number of boxes, and the most that are chosen of a class.
  Value count, limit;
};

struct LowerSelectBoxes final : OpConversionPattern<SelectBoxesOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(SelectBoxesOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> results = SelectBoxesLowering(b, op, adaptor).lower();
    for (auto [result, type] : llvm::zip_equal(results, op.getResultTypes()))
      result = castTo(b, result, getTypeConverter()->convertType(type));
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void SelectBoxesLowering::checkShapes() {
  guardSameDim(b, boxes, 0, scores, 0);
  guardSameDim(b, boxes, 1, scores, 2);
  CheckedDim sides = checkSize(b, boxes, 2, b.getIndexAttr(4));
  if (sides.origin)
    boxes = guardDims(b, boxes, {{2, sides}});
}

SmallVector<Value> SelectBoxesLowering::readBox(LoweringBuilder &b, Value batch, Value box) {
  SmallVector<Value> sides;
  for (int64_t i = 0; i != 4; ++i)
    sides.push_back(fromStorage(b, readAt(b, boxes, ValueRange{batch, box, indexOf(b, i)}), element));
  return sides;
}

Value SelectBoxesLowering::getOverlap(LoweringBuilder &b, ArrayRef<Value> x, ArrayRef<Value> y) {
  ScalarMath m(b, compute);
  auto area = [&](ArrayRef<Value> box) {
    return m.product(m.difference(box[2], box[0]), m.difference(box[3], box[1]));
  };
  auto common = [&](unsigned side) {
    Value length = m.difference(minimum(b, x[side + 2], y[side + 2], false), maximum(b, x[side], y[side], false));
    return maximum(b, length, m.real(0), false);
  };
  Value first = area(x), second = area(y), both = m.product(common(0), common(1));
  Value overlap = m.quotient(both, m.difference(m.sum(first, second), both));
  Value hasAreas = m.both(m.isGreater(first, 0), m.isGreater(second, 0));
  return m.select(hasAreas, overlap, m.real(0));
}

SmallVector<Value> SelectBoxesLowering::collect(LoweringBuilder &b, Value batch, Value kind, Value row,
                                                Value rowScores) {
  Value zero = indexOf(b, 0), one = indexOf(b, 1);
  return loop(b, zero, count, {row, rowScores, zero},
              [&](LoweringBuilder &inner, Value iv, ValueRange carried) -> SmallVector<Value> {
                Value stored = readAt(inner, scores, ValueRange{batch, kind, iv});
                Value isGood = compare(inner, F::OGT, fromStorage(inner, stored, element), scoreLimit);
                Value step = arith::SelectOp::create(inner, isGood, one, zero);
                return {writeAt(inner, toInt64(inner, iv), carried[0], carried[2]),
                        writeAt(inner, stored, carried[1], carried[2]), arith::AddIOp::create(inner, carried[2], step)};
              });
}

SmallVector<Value> SelectBoxesLowering::update(LoweringBuilder &b, Value batch, Value best, Value number,
                                               ValueRange carried) {
  Value zero = indexOf(b, 0), one = indexOf(b, 1);
  SmallVector<Value> chosen = readBox(b, batch, toIndex(b, readAt(b, carried[0], best)));
  return loop(b, zero, number, {carried[0], carried[1], zero},
              [&](LoweringBuilder &inner, Value iv, ValueRange rows) -> SmallVector<Value> {
                ScalarMath m(inner, compute);
                Value box = readAt(inner, rows[0], iv);
                Value overlap = getOverlap(inner, readBox(inner, batch, toIndex(inner, box)), chosen);
                Value score = fromStorage(inner, readAt(inner, rows[1], iv), element);
                Value isSoft = m.isGreater(sigma, 0);
                Value exponent = m.quotient(m.product(m.product(overlap, -0.5), overlap), sigma);
                score = m.select(isSoft, m.product(score, m.exponential(exponent)), score);
                Value stays = m.isNot(m.is(F::OGT, overlap, overlapLimit));
                if (!op.getDrops())
                  stays = m.either(stays, isSoft);
                stays = m.both(stays, m.is(F::OGT, score, scoreLimit));
                stays = m.both(stays, compare(inner, I::ne, iv, best));
                Value step = arith::SelectOp::create(inner, stays, one, zero);
                return {writeAt(inner, box, rows[0], rows[2]),
                        writeAt(inner, toStorage(inner, score, element), rows[1], rows[2]),
                        arith::AddIOp::create(inner, rows[2], step)};
              });
}

SmallVector<Value> SelectBoxesLowering::choose(LoweringBuilder &b, ValueRange place, ValueRange carried) {
  Value zero = indexOf(b, 0), one = indexOf(b, 1), batch = place[0], kind = place[1];
  SmallVector<Value> inits(carried.take_front(3));
  llvm::append_range(inits, collect(b, batch, kind, carried[3], carried[4]));
  inits.push_back(limit);
  auto choice = scf::WhileOp::create(
      b, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        LoweringBuilder inner(loc, nested, b);
        Value hasMore =
            arith::AndIOp::create(inner, compare(inner, I::ne, args[5], zero), compare(inner, I::ne, args[6], zero));
        scf::ConditionOp::create(inner, hasMore, args);
      },
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        LoweringBuilder inner(loc, nested, b);
        Value row = args[3], rowScores = args[4], number = args[5];
        SmallVector<Value> best =
            loop(inner, one, number, {readAt(inner, rowScores, zero), zero},
                 [&](LoweringBuilder &innermost, Value iv, ValueRange known) -> SmallVector<Value> {
                   Value score = readAt(innermost, rowScores, iv);
                   Value wins = compare(innermost, F::OGT, fromStorage(innermost, score, element),
                                        fromStorage(innermost, known[0], element));
                   return {arith::SelectOp::create(innermost, wins, score, known[0]),
                           arith::SelectOp::create(innermost, wins, iv, known[1])};
                 });
        Value indices = args[0], next = args[2];
        Value parts[] = {toInt64(inner, batch), toInt64(inner, kind), readAt(inner, row, best[1])};
        for (auto [i, part] : llvm::enumerate(parts))
          indices = writeAt(inner, part, indices, ValueRange{next, indexOf(inner, i)});
        SmallVector<Value> results{indices, writeAt(inner, best[0], args[1], next),
                                   arith::AddIOp::create(inner, next, one)};
        llvm::append_range(results, update(inner, batch, best[1], number, {row, rowScores}));
        results.push_back(arith::SubIOp::create(inner, args[6], one));
        scf::YieldOp::create(inner, results);
      });
  return llvm::to_vector(ValueRange(choice.getResults()).take_front(5));
}

SmallVector<Value> SelectBoxesLowering::lower() {
  checkShapes();
  Value zero = indexOf(b, 0);
  count = getDim(b, scores, 2);
  limit = minIndex(b, maxIndex(b, toIndex(b, extractOnly(b, most)), zero), count);
  SmallVector<OpFoldResult> classes{getDimOrAttr(b, scores, 0), getDimOrAttr(b, scores, 1)};
  Value capacity = b.createOrFold<arith::MulIOp>(toValue(b, classes[0]), toValue(b, classes[1]));
  capacity = b.createOrFold<arith::MulIOp>(capacity, limit);
  Type i64 = b.getI64Type(), storage = getStorageType(element);
  SmallVector<Value> inits{emptyOf(b, {toSize(b, capacity), b.getIndexAttr(3)}, i64), scratchOf(capacity, storage),
                           zero, scratchOf(count, i64), scratchOf(count, storage)};
  SmallVector<Value> made =
      loopNest(b, classes, inits, [&](LoweringBuilder &inner, ValueRange place, ValueRange carried) {
        return choose(inner, place, carried);
      });
  // The results have the number of rows that turned out.
  OpFoldResult rows = getAsOpFoldResult(made[2]);
  auto same = [](LoweringBuilder &, ValueRange place) { return SmallVector<Value>(place); };
  return {gatherAt(b, made[0], {rows, b.getIndexAttr(3)}, 2, same), gatherAt(b, made[1], rows, 1, same)};
}

void populateSortPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerTopK, LowerSelectBoxes>(converter, patterns.getContext());
}

} // namespace recur::ov
