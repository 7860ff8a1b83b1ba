// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ScalarNest.cpp - linalg on tensors as scalar loops -----------------===//
//
// This lowering serves ops whose results cannot be computed as vectors, and all ops if optimization is off. The
// accumulators of reductions are scalars, so no partial result is stored.
//
// A row that is reduced to one element has vectors of its own. Lane i accumulates the elements i, i + 32, i + 64 and so
// on. Then the upper half of the lanes is combined with the lower half, and 16 lanes go on with the rest of the row,
// and so do 8. The last elements follow one by one. So the order of a sum depends only on the length of the row: it is
// the same for every target, and for static and dynamic dims.
//
// A product with one column is such a row too, whatever the layout of its operands and the number of its rows is. A
// step is one multiply-add. Elements of a row that are not contiguous are read one by one; but if those of several rows
// are, a vector has elements of as many rows, and each lane of a row has a vector of its own.
//
// Rows of one vector each are reduced together, as many as a vector of their results has lanes. Lanes of two rows are
// put in one vector before they are combined, so that no lane is idle. The order of each sum stays the same.
//
//===----------------------------------------------------------------------===//

#include "ScalarNest.h"
#include "NestBuilder.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;
using namespace recur;

namespace {
/// The lanes of the vectors of a row: many for the most part of it, fewer for the rest.
constexpr int64_t kLanes[] = {32, 16, 8};

/// Returns for each result of `op` the payload's op that combines an accumulator with an element, if the innermost
/// reduced loop can run in vectors: each operand has one element for all of the loop or contiguous elements, and the
/// payload is element-wise. Returns nothing otherwise.
SmallVector<Operation *> matchRow(linalg::GenericOp op) {
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  std::optional<int64_t> columns = rt::getColumns(op);
  if (reduced.empty() || (columns && columns != 1))
    return {};
  unsigned row = reduced.back();
  int64_t size = op.getStaticLoopRanges()[row];
  if (!ShapedType::isDynamic(size) && size < std::end(kLanes)[-1])
    return {};
  bool reads = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isFunctionOfDim(row))
      continue;
    if (!columns && !isContiguous(map, row))
      return {};
    if (!getElementTypeOrSelf(input->get()).isIntOrFloat())
      return {};
    reads = true;
  }
  for (Operation &inner : op.getBody()->without_terminator())
    if (!isa<linalg::IndexOp>(inner) && !OpTrait::hasElementwiseMappableTraits(&inner) &&
        !inner.hasTrait<OpTrait::ConstantLike>())
      return {};
  SmallVector<Operation *> combiners;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    SmallVector<Operation *> chain;
    if (!matchReduction(op.getRegionOutputArgs(), i, chain) || chain.size() != 1 ||
        !arith::getNeutralElement(chain.front()))
      return {};
    combiners.push_back(chain.front());
  }
  return reads ? combiners : SmallVector<Operation *>();
}

/// True if an accumulator may take its initial value any number of times.
bool isIdempotent(Operation *combiner) {
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::MaxSIOp, arith::MaxUIOp,
             arith::MinSIOp, arith::MinUIOp, arith::AndIOp, arith::OrIOp>(combiner);
}

/// Emits the nest of one op.
class ScalarNest : NestBuilder {
public:
  /// `combiners` is what `matchRow` gave, or empty to reduce one by one.
  ScalarNest(RewriterBase &rewriter, linalg::GenericOp op, SmallVector<Operation *> combiners)
      : NestBuilder(rewriter, op), combiners(std::move(combiners)) {}

  void emit() {
    rewriter.setInsertionPoint(op);
    SmallVector<Range> ranges = cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(rewriter, loc);
    for (Range range : ranges)
      sizes.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, range.size));
    ivs.resize(sizes.size());
    for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray()))
      (kind == utils::IteratorType::parallel ? parallel : reduced).push_back(i);
    SmallVector<Value> results, starts;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      // The scalar of the fill starts the accumulator, and the tensor that it filled takes the results.
      auto fill = init.get().getDefiningOp<linalg::FillOp>();
      bool folds = fill && !reduced.empty();
      starts.push_back(folds ? fill.getInputs()[0] : Value());
      results.push_back(folds ? fill.getOutputs()[0] : init.get());
    }
    initialValues = std::move(starts);
    zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    rewriter.replaceOp(op, isDeepNest(op) ? emitJoined(results) : emitParallel(0, results));
  }

private:
  /// Emits one loop for all parallel loops but the innermost ones, and these inside of it.
  SmallVector<Value> emitJoined(ValueRange results) {
    ArrayRef<unsigned> joined = ArrayRef(parallel).drop_back(kMostNestedLoops - 1);
    Value count = one;
    for (unsigned dim : joined)
      count = rewriter.createOrFold<arith::MulIOp>(loc, count, sizes[dim]);
    return emitLoop(joined.front(), {zero, count, one}, results, [&](ValueRange carried) {
      Value number = ivs[joined.front()];
      for (unsigned dim : llvm::reverse(joined.drop_front())) {
        ivs[dim] = rewriter.createOrFold<arith::RemUIOp>(loc, number, sizes[dim]);
        number = rewriter.createOrFold<arith::DivUIOp>(loc, number, sizes[dim]);
      }
      ivs[joined.front()] = number;
      return emitParallel(joined.size(), carried);
    });
  }

  /// Emits the loops over the parallel dims from number `depth` on, which carry the results. Inside all of them, one
  /// element of each result is computed and stored.
  SmallVector<Value> emitParallel(unsigned depth, ValueRange results) {
    if (depth + 1 == parallel.size()) {
      if (areRowsContiguous())
        return emitContiguousRows(results);
      if (int64_t lanes = getLanesOfRows())
        return emitRows(lanes, results);
    }
    if (depth < parallel.size())
      return emitLoop(parallel[depth], results, [&](ValueRange carried) { return emitParallel(depth + 1, carried); });
    return emitElement(results);
  }

  /// Computes and stores one element of each result.
  SmallVector<Value> emitElement(ValueRange results) {
    SmallVector<Value> accumulators;
    for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable()))
      accumulators.push_back(initialValues[i] ? initialValues[i] : read(&init, results[i]));
    accumulators = emitReduced(0, accumulators);
    SmallVector<Value> next;
    for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable()))
      next.push_back(tensor::InsertOp::create(rewriter, loc, accumulators[i], results[i], indices(&init)));
    return next;
  }

  /// The number of lanes of a row, if the rows along the innermost parallel loop can be reduced together: each is one
  /// vector, and their results are contiguous. 0 otherwise.
  int64_t getLanesOfRows() {
    if (combiners.empty() || reduced.size() != 1)
      return 0;
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    int64_t lanes = ranges[reduced[0]], rows = ranges[parallel.back()];
    if (!llvm::is_contained(kLanes, lanes) || (!ShapedType::isDynamic(rows) && rows < getRowsAtOnce(lanes)))
      return 0;
    AffineExpr row = getAffineDimExpr(parallel.back(), op.getContext());
    for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
      AffineMap map = op.getMatchingIndexingMap(&init);
      if (!initialValues[i] || !initialValues[i].getType().isIntOrFloat() ||
          foldsAsKeys(combiners[i], initialValues[i].getType()) || map.getResults().back() != row ||
          llvm::any_of(map.getResults().drop_back(),
                       [&](AffineExpr expr) { return expr.isFunctionOfDim(parallel.back()); }))
        return 0;
    }
    return lanes;
  }

  /// Where rows are contiguous, how many of them a vector has, and how many lanes of them one loop adds.
  struct RowBlock {
    int64_t rows, lanes;
  };
  /// All targets have registers for so many. Elements of f32 of the first block fill a line of the cache.
  static constexpr RowBlock kContiguousRows[] = {{16, 4}, {8, 8}};

  /// True for a product with one column whose elements of several rows are contiguous, and those of one are not.
  bool areRowsContiguous() {
    if (combiners.empty() || !rt::hasOneColumn(op) || reduced.size() != 1 || !initialValues[0])
      return false;
    int64_t rows = op.getStaticLoopRanges()[parallel.back()];
    AffineExpr row = getAffineDimExpr(parallel.back(), op.getContext());
    auto isAlongRows = [&](OpOperand *operand) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      return map.getNumResults() != 0 && map.getResults().back() == row &&
             llvm::none_of(map.getResults().drop_back(),
                           [&](AffineExpr expr) { return expr.isFunctionOfDim(parallel.back()); });
    };
    bool hasColumns = false;
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (map.isFunctionOfDim(parallel.back()) && !isAlongRows(input))
        return false;
      hasColumns |= map.isFunctionOfDim(reduced[0]) && !isContiguous(map, reduced[0]) && isAlongRows(input);
    }
    return hasColumns && isAlongRows(op.getDpsInitOperand(0)) &&
           (ShapedType::isDynamic(rows) || rows >= std::end(kContiguousRows)[-1].rows);
  }

  /// Emits a loop over the innermost parallel dim for each block of rows, which are contiguous, and one over the
  /// remaining rows. Each row is added in the order of emitRow.
  SmallVector<Value> emitContiguousRows(ValueRange results) {
    unsigned dim = parallel.back();
    Value begin = zero;
    SmallVector<Value> done = llvm::to_vector(results);
    for (RowBlock block : kContiguousRows) {
      Value step = arith::ConstantIndexOp::create(rewriter, loc, block.rows);
      Value rest = rewriter.createOrFold<arith::RemUIOp>(loc, sizes[dim], step);
      Value end = rewriter.createOrFold<arith::SubIOp>(loc, sizes[dim], rest);
      if (isEqualConstantIntOrValue(begin, end))
        continue;
      done = emitLoop(dim, {begin, end, step}, done, [&](ValueRange carried) -> SmallVector<Value> {
        Value sums = emitRowsInLanes(block);
        return {vector::TransferWriteOp::create(rewriter, loc, sums, carried[0], indices(op.getDpsInitOperand(0)),
                                                ArrayRef<bool>{true})
                    .getResult()};
      });
      begin = end;
    }
    if (isEqualConstantIntOrValue(begin, sizes[dim]))
      return done;
    return emitLoop(dim, {begin, sizes[dim], one}, done, [&](ValueRange carried) { return emitElement(carried); });
  }

  /// The sums of a block of rows. A list of vectors stands for the lanes of emitRow.
  Value emitRowsInLanes(RowBlock block) {
    unsigned dim = reduced[0];
    std::optional<int64_t> size = getConstantIntValue(sizes[dim]);
    auto type = VectorType::get(block.rows, initialValues[0].getType());
    SmallVector<Value> lanes;
    Value done = zero;
    auto fold = [&](size_t count) {
      for (; lanes.size() > count; lanes.resize(lanes.size() / 2))
        for (size_t i = 0; i < lanes.size() / 2; ++i)
          lanes[i] = combine(combiners[0], lanes[i], lanes[i + lanes.size() / 2]);
    };
    auto step = [&](Value from, int64_t lane, Value sum) {
      ivs[dim] = rewriter.createOrFold<arith::AddIOp>(loc, from, arith::ConstantIndexOp::create(rewriter, loc, lane));
      return emitPayload(sum, block.rows, parallel.back()).front();
    };
    for (int64_t count : kLanes) {
      if (size && *size < count)
        continue;
      if (lanes.empty())
        lanes.assign(count, vector::BroadcastOp::create(
                                rewriter, loc, type,
                                arith::ConstantOp::create(rewriter, loc, *arith::getNeutralElement(combiners[0]))));
      fold(count);
      Value width = arith::ConstantIndexOp::create(rewriter, loc, count);
      Value rest = rewriter.createOrFold<arith::RemUIOp>(loc, sizes[dim], width);
      Value end = rewriter.createOrFold<arith::SubIOp>(loc, sizes[dim], rest);
      // A loop has as many lanes as registers hold.
      for (int64_t first = 0; first < count; first += block.lanes) {
        auto own = MutableArrayRef(lanes).slice(first, block.lanes);
        llvm::copy(emitLoop(dim, {done, end, width}, llvm::to_vector(own),
                            [&](ValueRange carried) {
                              Value from = ivs[dim];
                              SmallVector<Value> next;
                              for (auto [lane, sum] : llvm::enumerate(carried))
                                next.push_back(step(from, first + lane, sum));
                              return next;
                            }),
                   own.begin());
      }
      done = end;
    }
    fold(1);
    Value start = vector::BroadcastOp::create(rewriter, loc, type, initialValues[0]);
    Value sums = combine(combiners[0], start, lanes.front());
    return emitLoop(dim, {done, sizes[dim], one}, sums,
                    [&](ValueRange carried) -> SmallVector<Value> { return {step(ivs[dim], 0, carried.front())}; })
        .front();
  }

  static int64_t getRowsAtOnce(int64_t lanes) { return std::min<int64_t>(lanes, 16); }

  /// Emits the loop over the innermost parallel dim in steps of several rows of `lanes` elements, and one over the
  /// remaining rows.
  SmallVector<Value> emitRows(int64_t lanes, ValueRange results) {
    unsigned dim = parallel.back();
    int64_t atOnce = getRowsAtOnce(lanes);
    Value step = arith::ConstantIndexOp::create(rewriter, loc, atOnce);
    Value rest = rewriter.createOrFold<arith::RemUIOp>(loc, sizes[dim], step);
    Value end = rewriter.createOrFold<arith::SubIOp>(loc, sizes[dim], rest);
    SmallVector<Value> done = emitLoop(dim, {zero, end, step}, results, [&](ValueRange carried) {
      Value first = ivs[dim];
      ivs[reduced[0]] = zero;
      SmallVector<SmallVector<Value>> rows(combiners.size());
      for (int64_t row = 0; row < atOnce; ++row) {
        ivs[dim] = rewriter.createOrFold<arith::AddIOp>(loc, first, arith::ConstantIndexOp::create(rewriter, loc, row));
        SmallVector<Value> vectors;
        for (auto [combiner, start] : llvm::zip_equal(combiners, initialValues))
          vectors.push_back(startLanes(combiner, start, lanes));
        for (auto [combiner, list, vector] : llvm::zip_equal(combiners, rows, emitPayload(vectors, lanes)))
          list.push_back(foldLanes(vector, atOnce, by(combiner)));
      }
      ivs[dim] = first;
      SmallVector<Value> next;
      for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
        Value folded = foldRows(combiners[i], rows[i]);
        Value start = vector::BroadcastOp::create(rewriter, loc, folded.getType(), initialValues[i]);
        next.push_back(vector::TransferWriteOp::create(rewriter, loc, combine(combiners[i], start, folded), carried[i],
                                                       indices(&init), ArrayRef<bool>{true})
                           .getResult());
      }
      return next;
    });
    if (getConstantIntValue(rest) == 0)
      return done;
    return emitLoop(dim, {end, sizes[dim], one}, done, [&](ValueRange carried) { return emitElement(carried); });
  }

  /// Reduces vectors, of which there are as many as each has lanes, to one lane each. Each step puts the lower halves
  /// of the rows of two vectors in one vector, and the upper halves in another.
  Value foldRows(Operation *combiner, SmallVector<Value> rows) {
    int64_t lanes = rows.size();
    // The rows of each vector, in the order of its lanes.
    SmallVector<SmallVector<int64_t>> order;
    for (int64_t row = 0; row < lanes; ++row)
      order.push_back({row});
    // Instructions move lanes within 128 bits, or whole 128 bits.
    int64_t unit = 128 / getElementTypeOrSelf(rows[0]).getIntOrFloatBitWidth();
    for (int64_t length = lanes; length > 1; length /= 2) {
      int64_t group = length > unit ? lanes : std::min(unit, lanes);
      SmallVector<Value> next;
      SmallVector<SmallVector<int64_t>> nextOrder;
      for (size_t pair = 0; pair < rows.size(); pair += 2) {
        SmallVector<int64_t> low, high, both;
        for (int64_t begin = 0; begin < lanes; begin += group)
          for (int64_t from : {0, 1})
            for (int64_t lane = begin; lane < begin + group; lane += length) {
              both.push_back(order[pair + from][lane / length]);
              for (int64_t i = 0; i < length / 2; ++i) {
                low.push_back(from * lanes + lane + i);
                high.push_back(low.back() + length / 2);
              }
            }
        Value lower = vector::ShuffleOp::create(rewriter, loc, rows[pair], rows[pair + 1], low);
        Value upper = vector::ShuffleOp::create(rewriter, loc, rows[pair], rows[pair + 1], high);
        next.push_back(combine(combiner, lower, upper));
        nextOrder.push_back(std::move(both));
      }
      rows = std::move(next);
      order = std::move(nextOrder);
    }
    SmallVector<int64_t> places(lanes);
    for (auto [lane, row] : llvm::enumerate(order[0]))
      places[row] = lane;
    return vector::ShuffleOp::create(rewriter, loc, rows[0], rows[0], places);
  }

  /// Emits the loops over the reduced dims from number `depth` on, which carry the accumulators. Inside all of them,
  /// the payload is cloned.
  SmallVector<Value> emitReduced(unsigned depth, ValueRange accumulators) {
    if (depth + 1 == reduced.size() && !combiners.empty())
      return emitRow(reduced[depth], llvm::to_vector(accumulators));
    if (depth < reduced.size())
      return emitLoop(reduced[depth], accumulators,
                      [&](ValueRange carried) { return emitReduced(depth + 1, carried); });
    return emitPayload(accumulators);
  }

  /// Reduces a row into the accumulators, first in vectors of 32, 16 and 8 lanes. If the accumulators may take elements
  /// again, the last vector ends with the row. Otherwise, and in a short row, the rest goes one by one.
  SmallVector<Value> emitRow(unsigned dim, SmallVector<Value> accumulators) {
    std::optional<int64_t> size = getConstantIntValue(sizes[dim]);
    SmallVector<Value> vectors;
    Value done = zero;
    for (int64_t lanes : kLanes) {
      if (size && *size < lanes)
        continue;
      for (auto [i, combiner] : llvm::enumerate(combiners)) {
        if (vectors.size() == i)
          vectors.push_back(startLanes(combiner, accumulators[i], lanes));
        vectors[i] = foldLanes(vectors[i], lanes, by(combiner));
      }
      Value step = arith::ConstantIndexOp::create(rewriter, loc, lanes);
      Value rest = rewriter.createOrFold<arith::RemUIOp>(loc, sizes[dim], step);
      Value end = rewriter.createOrFold<arith::SubIOp>(loc, sizes[dim], rest);
      if (getConstantIntValue(end) != getConstantIntValue(done) || !getConstantIntValue(end))
        vectors =
            emitLoop(dim, {done, end, step}, vectors, [&](ValueRange carried) { return emitPayload(carried, lanes); });
      done = end;
    }
    auto isDone = [&] { return size && getConstantIntValue(done) == size; };
    if (llvm::all_of(combiners, isIdempotent) && !isDone()) {
      constexpr int64_t kLeast = std::end(kLanes)[-1];
      Value lanes = arith::ConstantIndexOp::create(rewriter, loc, kLeast);
      Value isLong = rewriter.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::uge, sizes[dim], lanes);
      Value end = rewriter.createOrFold<arith::SelectOp>(loc, isLong, sizes[dim], done);
      Value last = rewriter.createOrFold<arith::SubIOp>(loc, sizes[dim], lanes);
      vectors = emitLoop(dim, {done, end, lanes}, vectors, [&](ValueRange carried) {
        ivs[dim] = last;
        return emitPayload(carried, kLeast);
      });
      done = end;
    }
    for (auto [combiner, start, vector] : llvm::zip_equal(combiners, accumulators, vectors)) {
      start = combine(combiner, start, foldAllLanes(combiner, vector));
    }
    if (isDone())
      return accumulators;
    return emitLoop(dim, {done, sizes[dim], one}, accumulators,
                    [&](ValueRange carried) { return emitPayload(carried); });
  }

  /// The lanes of an accumulator before the first element. Those of a row do not wait for the row before it.
  Value startLanes(Operation *combiner, Value start, int64_t lanes) {
    if (!isIdempotent(combiner) || reduced.size() > 1)
      start = arith::ConstantOp::create(rewriter, loc, *arith::getNeutralElement(combiner));
    return vector::BroadcastOp::create(rewriter, loc, VectorType::get(lanes, start.getType()), start);
  }

  /// Combines the upper half of the lanes with the lower half until `lanes` remain.
  Value foldLanes(Value vector, int64_t lanes, function_ref<Value(Value, Value)> combine) {
    for (int64_t n = cast<VectorType>(vector.getType()).getNumElements() / 2; n >= lanes; n /= 2) {
      Value low = vector::ExtractStridedSliceOp::create(rewriter, loc, vector, 0, n, 1);
      Value high = vector::ExtractStridedSliceOp::create(rewriter, loc, vector, n, n, 1);
      vector = combine(low, high);
    }
    return vector;
  }

  /// True if the lanes are combined as integers of the same order. That is so for the greatest or least f32: its own
  /// instructions leave NaN and the sign of 0 open, so that each step would need several.
  static bool foldsAsKeys(Operation *combiner, Type element) {
    return element.isF32() && isa<arith::MaximumFOp, arith::MinimumFOp>(combiner);
  }

  /// Combines all lanes.
  Value foldAllLanes(Operation *combiner, Value vector) {
    auto type = cast<VectorType>(vector.getType());
    bool isMaximum = isa<arith::MaximumFOp>(combiner);
    if (!foldsAsKeys(combiner, type.getElementType()))
      return vector::ExtractOp::create(rewriter, loc, foldLanes(vector, 1, by(combiner)), 0);
    auto integers = type.clone(rewriter.getI32Type());
    auto constant = [&](Type type, int64_t value) -> Value {
      auto shaped = dyn_cast<ShapedType>(type);
      IntegerAttr attr = rewriter.getI32IntegerAttr(int32_t(value));
      return arith::ConstantOp::create(rewriter, loc, shaped ? TypedAttr(DenseElementsAttr::get(shaped, attr)) : attr);
    };
    // Turns the order of negative numbers around. Twice is the identity.
    auto reorder = [&](Value bits) -> Value {
      Value sign = arith::ShRSIOp::create(rewriter, loc, bits, constant(bits.getType(), 31));
      Value mask = arith::ShRUIOp::create(rewriter, loc, sign, constant(bits.getType(), 1));
      return arith::XOrIOp::create(rewriter, loc, bits, mask);
    };
    Value keys = reorder(arith::BitcastOp::create(rewriter, loc, integers, vector));
    // A key beyond those of all numbers, which is that of a NaN.
    Value beyond = constant(integers, isMaximum ? INT32_MAX : INT32_MIN);
    Value isNaN = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::UNO, vector, vector);
    keys = arith::SelectOp::create(rewriter, loc, isNaN, beyond, keys);
    keys = foldLanes(keys, 1, [&](Value a, Value b) -> Value {
      return isMaximum ? arith::MaxSIOp::create(rewriter, loc, a, b).getResult()
                       : arith::MinSIOp::create(rewriter, loc, a, b).getResult();
    });
    Value key = vector::ExtractOp::create(rewriter, loc, keys, 0);
    return arith::BitcastOp::create(rewriter, loc, type.getElementType(), reorder(key));
  }

  SmallVector<Operation *> combiners;
};
} // namespace

/// Drops the loops of one iteration of a product with one column, and the dims that they index, so that the elements of
/// a row, and the results, are contiguous if they are so in memory.
static linalg::GenericOp dropColumn(RewriterBase &rewriter, linalg::GenericOp op) {
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  if (!fill)
    return op;
  linalg::ControlDropUnitDims options;
  options.controlFn = [](Operation *op) {
    SmallVector<unsigned> loops;
    for (auto [loop, kind] : llvm::enumerate(cast<linalg::GenericOp>(op).getIteratorTypesArray()))
      if (kind == utils::IteratorType::parallel)
        loops.push_back(loop);
    return loops;
  };
  rewriter.modifyOpInPlace(op, [&] { op.getDpsInitsMutable()[0].set(fill.getOutputs()[0]); });
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::DropUnitDimsResult> dropped = linalg::dropUnitDims(rewriter, op, options);
  if (succeeded(dropped)) {
    rewriter.replaceOp(op, dropped->replacements);
    op = cast<linalg::GenericOp>(dropped->resultOp);
  }
  rewriter.setInsertionPoint(op);
  Value zeros = linalg::FillOp::create(rewriter, op.getLoc(), fill.getInputs()[0], op.getDpsInits()[0]).getResult(0);
  rewriter.modifyOpInPlace(op, [&] { op.getDpsInitsMutable()[0].set(zeros); });
  return op;
}

bool recur::isDeepNest(linalg::GenericOp op) {
  return llvm::count_if(llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()), [](auto loop) {
           return std::get<0>(loop) != 1 && std::get<1>(loop) == utils::IteratorType::parallel;
         }) > kMostNestedLoops;
}

bool recur::reducesRowsInVectors(linalg::GenericOp op) { return !matchRow(op).empty(); }

LogicalResult recur::lowerToScalarNest(RewriterBase &rewriter, linalg::GenericOp op, bool vectorize) {
  if (!op.hasPureTensorSemantics())
    return rewriter.notifyMatchFailure(op, "expected an op on tensors");
  if (vectorize && rt::hasOneColumn(op))
    op = dropColumn(rewriter, op);
  ScalarNest(rewriter, op, vectorize ? matchRow(op) : SmallVector<Operation *>()).emit();
  return success();
}
