// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SelectBoxes.cpp - Lowering of select_boxes -----------------------------===//
//
// SelectBoxes keeps the candidates of a class in a row that gets shorter with each choice.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"
#include "Payloads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace recur::ov {

using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;

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
  SmallVector<Value> inits{emptyOf(b, {toSize(b, capacity), b.getIndexAttr(3)}, i64),
                           scratchOf(b, toSize(b, capacity), storage), zero, scratchOf(b, toSize(b, count), i64),
                           scratchOf(b, toSize(b, count), storage)};
  SmallVector<Value> made =
      loopNest(b, classes, inits, [&](LoweringBuilder &inner, ValueRange place, ValueRange carried) {
        return choose(inner, place, carried);
      });
  // The results have the number of rows that turned out.
  OpFoldResult rows = getAsOpFoldResult(made[2]);
  auto same = [](LoweringBuilder &, ValueRange place) { return SmallVector<Value>(place); };
  return {gatherAt(b, made[0], {rows, b.getIndexAttr(3)}, 2, same), gatherAt(b, made[1], rows, 1, same)};
}

void populateSelectBoxesPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerSelectBoxes>(converter, patterns.getContext());
}

} // namespace recur::ov
