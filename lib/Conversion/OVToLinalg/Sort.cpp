// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sort.cpp - Lowering of topk ----------------------------------------===//
//
// This file lowers TopK to an insertion into a sorted row of the k best elements, which needs only one scratch row. The
// order of equal elements and of NaN is defined: the earlier element comes first, and NaN is greater than any number.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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
  return getConstantIntValue(numberOrAttr) == 1 ? lowerToBest() : lowerToRows();
}

void populateSortPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerTopK>(converter, patterns.getContext());
}

} // namespace recur::ov
