// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- HoistProducts.cpp - Products of many iterations at once ------------===//
//
// A product of one row reads the whole matrix for little arithmetic. If the rows of many iterations are known before
// the loop, one product of all of them reads the matrix once. Strips bound the memory for the results.
//
//===----------------------------------------------------------------------===//

#include "ByteCount.h"
#include "MatchProduct.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {
#define GEN_PASS_DEF_HOISTPRODUCTS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {
/// A product in a time loop whose rows are a slice of a loop-invariant tensor, and whose matrix is loop-invariant.
struct Candidate {
  /// A `linalg.generic`, or an `rt.product` of pairs.
  Operation *op;
  /// The numbers of the operands.
  unsigned rows, matrix;
  /// The scalar that sums start from.
  Value start;
  /// The op that rounds the slice, or null.
  linalg::GenericOp rounding;
  tensor::ExtractSliceOp part;
  SmallVector<OpFoldResult> sizes;
  /// The dim of the tensor along which the slice moves, by one element in each iteration.
  unsigned axis;
  /// True if it moves toward lower indices.
  bool backward;
  /// The dims of the tensor that A has, and `axis`. The slice has one element along all others.
  llvm::SmallBitVector kept;
};
} // namespace

/// The amount by which `value` grows in each iteration, or nullopt if that is not constant.
static std::optional<int64_t> getStep(Value value, scf::ForOp loop) {
  if (value == loop.getInductionVar())
    return 1;
  if (loop.isDefinedOutsideOfLoop(value))
    return 0;
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  std::optional<int64_t> left = getStep(op->getOperand(0), loop), right = getStep(op->getOperand(1), loop);
  if (!left || !right)
    return std::nullopt;
  return isa<arith::AddIOp>(op) ? *left + *right : *left - *right;
}

/// Computes `value` in the iteration in which the induction variable is `iteration`. getStep must have an answer for
/// `value`.
static Value computeAt(RewriterBase &rewriter, Value value, scf::ForOp loop, Value iteration) {
  if (value == loop.getInductionVar())
    return iteration;
  if (loop.isDefinedOutsideOfLoop(value))
    return value;
  Operation *op = value.getDefiningOp();
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, computeAt(rewriter, operand, loop, iteration));
  return rewriter.clone(*op, mapping)->getResult(0);
}

/// The op that converts each element of another tensor to that of `value`, or null.
static linalg::GenericOp getRounding(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  bool converts = op && op.getNumDpsInputs() == 1 && op.getNumReductionLoops() == 0 &&
                  llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isIdentity(); }) &&
                  llvm::hasNItems(op.getBody()->getOperations(), 2) && isa<arith::TruncFOp>(op.getBody()->front());
  return converts ? op : linalg::GenericOp();
}

/// Says in a remark why a product whose rows are a part of a tensor from outside of the loop stays in the loop.
static std::nullopt_t refuse(Operation *op, const char *reason) {
  remarkMissed(op->getLoc(), "rt-hoist-products", "not-hoisted", "{0}", reason);
  return std::nullopt;
}

/// The candidate that `op` is, so far as its operands tell: it starts from a scalar, has no batch, and sums along the
/// last dim of the rows. Nullopt for an op that is no product of this kind.
static std::optional<Candidate> matchOperands(Operation *op) {
  Candidate candidate{op, 0, 1, {}, {}, {}, {}, 0, false, {}};
  Value init;
  if (auto product = dyn_cast<rt::ProductOp>(op)) {
    if (!product.hasPairs() || !product.getBatches().empty())
      return std::nullopt;
    candidate.start = product.getStart();
    init = product.getInit();
  } else {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    std::optional<MatchedProduct> matched = generic ? matchProduct(generic) : std::nullopt;
    auto fill = matched ? generic.getDpsInits()[0].getDefiningOp<linalg::FillOp>() : linalg::FillOp();
    if (!fill || matched->isDots || matched->blocks.size() > 1 || !matched->batch.empty())
      return std::nullopt;
    AffineMap rows = generic.getMatchingIndexingMap(generic.getDpsInputOperand(matched->rows));
    if (rows.getDimPosition(rows.getNumResults() - 1) != matched->shared)
      return std::nullopt;
    candidate.rows = matched->rows;
    candidate.matrix = matched->matrix;
    candidate.start = fill.getInputs()[0];
    init = fill.getOutputs()[0];
  }
  auto empty = init.getDefiningOp<tensor::EmptyOp>();
  if (!empty)
    return std::nullopt;
  candidate.sizes = empty.getMixedSizes();
  return candidate;
}

/// Matches a product in the body of `loop` that can be computed for several iterations at once.
static std::optional<Candidate> match(scf::ForOp loop, Operation *op) {
  auto isOutside = [&](OpFoldResult value) {
    auto dynamic = dyn_cast<Value>(value);
    return !dynamic || loop.isDefinedOutsideOfLoop(dynamic);
  };
  std::optional<Candidate> matched = matchOperands(op);
  if (!matched || !isOutside(op->getOperand(matched->matrix)) || !isOutside(matched->start))
    return std::nullopt;
  Candidate candidate = *matched;
  // An empty product has no part for an iteration.
  if (!llvm::all_of(candidate.sizes, isOutside) ||
      llvm::any_of(candidate.sizes, [](OpFoldResult size) { return isConstantIntValue(size, 0); }))
    return std::nullopt;
  Value a = op->getOperand(candidate.rows);
  auto type = cast<RankedTensorType>(a.getType());
  if (isa<rt::ProductOp>(op) && type.getElementType().isBF16())
    if (linalg::GenericOp rounding = candidate.rounding = getRounding(a))
      a = rounding.getDpsInputs()[0];
  tensor::ExtractSliceOp part = candidate.part = getSliceOfRows(a);
  if (!part || !part.hasUnitStride() || !isOutside(part.getSource()) || part->getBlock() != loop.getBody())
    return std::nullopt;
  SmallVector<OpFoldResult> offsets = part.getMixedOffsets(), sizes = part.getMixedSizes();
  int64_t axis = -1;
  for (auto [i, offset] : llvm::enumerate(offsets)) {
    if (!isOutside(sizes[i]))
      return refuse(op, "expected rows whose sizes are known before the loop");
    if (isOutside(offset))
      continue;
    std::optional<int64_t> step = getStep(cast<Value>(offset), loop);
    if (axis >= 0 || !isOneInteger(sizes[i]) || (step != 1 && step != -1))
      return refuse(op, "expected rows that move by one element along one dim in each iteration");
    axis = i;
    candidate.backward = step == -1;
  }
  // The last dim is the one that the product sums over, so it cannot be the axis.
  if (axis < 0 || axis + 1 == int64_t(sizes.size()))
    return refuse(op, "expected rows that move in each iteration, along another dim than the summed one");
  candidate.axis = axis;
  // A has the dims of the slice in order, without the axis and some dims of one element. A dynamic dim of A must be the
  // next dynamic dim of the slice.
  candidate.kept.resize(sizes.size());
  candidate.kept.set(axis);
  int64_t next = 0;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (int64_t(i) == axis)
      continue;
    std::optional<int64_t> known = getConstantIntValue(size);
    int64_t dim = known.value_or(ShapedType::kDynamic);
    if (next < type.getRank() && type.getDimSize(next) == dim) {
      candidate.kept.set(i);
      ++next;
    } else if (dim != 1) {
      return std::nullopt;
    }
  }
  if (next != type.getRank())
    return std::nullopt;
  return candidate;
}

namespace {
struct HoistProducts final : recur::impl::HoistProductsBase<HoistProducts> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](rt::IterationOp marker) {
      if (auto loop = dyn_cast<scf::ForOp>(marker->getParentOp()); loop && getConstantIntValue(loop.getStep()) == 1)
        loops.push_back(loop);
    });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      SmallVector<Candidate, 1> candidates;
      for (Operation &op : *loop.getBody())
        if (std::optional<Candidate> candidate = match(loop, &op))
          candidates.push_back(*candidate);
      for (Candidate &candidate : candidates)
        remarkPassed(candidate.op->getLoc(), "rt-hoist-products", "hoisted",
                     "the product is computed for strips of iterations, before each strip");
      if (!candidates.empty())
        hoist(rewriter, loop, candidates);
    }
  }

  /// The number of iterations of a strip: as many as allow for the result of each product `max-bytes` or the bytes of
  /// its matrix, and at least one.
  Value getStripLength(RewriterBase &rewriter, Location loc, scf::ForOp loop, MutableArrayRef<Candidate> candidates) {
    auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(rewriter, loc, value).getResult(); };
    Value one = index(1);
    Value length = rewriter.createOrFold<arith::SubIOp>(loc, loop.getUpperBound(), loop.getLowerBound());
    length = rewriter.createOrFold<arith::MaxSIOp>(loc, length, one);
    for (Candidate &candidate : candidates) {
      auto type = cast<RankedTensorType>(candidate.op->getResult(0).getType());
      auto matrix = cast<RankedTensorType>(candidate.op->getOperand(candidate.matrix).getType());
      int64_t bytes = std::max<int64_t>(maxBytes, getStaticBytes(matrix).value_or(0));
      int64_t left = bytes / (type.getElementTypeBitWidth() / 8);
      for (int64_t dim : type.getShape())
        if (!ShapedType::isDynamic(dim))
          left /= std::max<int64_t>(1, dim);
      Value most = index(left);
      for (OpFoldResult size : candidate.sizes)
        if (auto dynamic = dyn_cast<Value>(size))
          most = rewriter.createOrFold<arith::DivUIOp>(loc, most,
                                                       rewriter.createOrFold<arith::MaxUIOp>(loc, dynamic, one));
      length =
          rewriter.createOrFold<arith::MinUIOp>(loc, length, rewriter.createOrFold<arith::MaxUIOp>(loc, most, one));
    }
    return divideEvenly(rewriter, loc, loop, length);
  }

  /// The number of iterations of a strip, at most `length`: if it is static, the largest number that divides those of
  /// the loop, unless that would be less than a half. Then all products have the same rows, which are known.
  static Value divideEvenly(RewriterBase &rewriter, Location loc, scf::ForOp loop, Value length) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    APInt most;
    if (!trips || trips->ule(1) || !matchPattern(length, m_ConstantInt(&most)) || most.ule(1))
      return length;
    uint64_t all = trips->getZExtValue(), least = llvm::divideCeil(most.getZExtValue(), 2);
    for (uint64_t size = std::min(all, most.getZExtValue()); size >= least; --size)
      if (all % size == 0)
        return arith::ConstantIndexOp::create(rewriter, loc, size);
    return length;
  }

  /// True if `length` iterations, which are at least one, divide those of `loop` without a remainder.
  static bool dividesEvenly(scf::ForOp loop, Value length) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    APInt size;
    return trips && matchPattern(length, m_ConstantInt(&size)) && trips->urem(size.getZExtValue()) == 0;
  }

  /// The memory for the product of a strip, and for its rounded rows, if they are rounded. It is allocated before the
  /// strips, so that its size is known when a call begins.
  struct Buffers {
    Value product, rounded;
  };

  /// The sizes of the rows of a product of `count` iterations, in the order of the slice.
  static SmallVector<OpFoldResult> getRowSizes(Candidate &candidate, OpFoldResult count) {
    SmallVector<OpFoldResult> result;
    for (auto [i, size] : llvm::enumerate(candidate.part.getMixedSizes()))
      if (candidate.kept.test(i))
        result.push_back(i == candidate.axis ? count : size);
    return result;
  }

  /// Puts `loop` into a loop over strips, which computes the products of a strip before the iterations of the strip
  /// run.
  void hoist(RewriterBase &rewriter, scf::ForOp loop, MutableArrayRef<Candidate> candidates) {
    Location loc = loop.getLoc();
    rewriter.setInsertionPoint(loop);
    Value length = getStripLength(rewriter, loc, loop, candidates);
    auto allocate = [&](ArrayRef<OpFoldResult> sizes, Type element) -> Value {
      SmallVector<Value> dynamic;
      SmallVector<int64_t> shape;
      dispatchIndexOpFoldResults(sizes, dynamic, shape);
      // Unlike empty tensors, CSE does not merge these. Each product needs a buffer of its own, in all strips.
      return bufferization::AllocTensorOp::create(rewriter, loc, RankedTensorType::get(shape, element), dynamic);
    };
    SmallVector<Buffers> buffers;
    for (Candidate &candidate : candidates) {
      SmallVector<OpFoldResult> sizes{getAsOpFoldResult(length)};
      llvm::append_range(sizes, candidate.sizes);
      Value product = allocate(sizes, getElementTypeOrSelf(candidate.op->getResult(0).getType())), rounded;
      if (candidate.rounding)
        rounded =
            allocate(getRowSizes(candidate, sizes.front()), getElementTypeOrSelf(candidate.rounding.getResult(0)));
      buffers.push_back({product, rounded});
    }
    auto strips =
        scf::ForOp::create(rewriter, loc, loop.getLowerBound(), loop.getUpperBound(), length, loop.getInitArgs());
    if (loop.getNumResults() == 0)
      rewriter.eraseOp(strips.getBody()->getTerminator());
    rewriter.setInsertionPointToStart(strips.getBody());
    Value first = strips.getInductionVar();
    Value end = arith::AddIOp::create(rewriter, loc, first, length), count = length;
    if (!dividesEvenly(loop, length)) {
      end = arith::MinSIOp::create(rewriter, loc, end, loop.getUpperBound());
      count = arith::SubIOp::create(rewriter, loc, end, first);
    }
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    Value last = arith::SubIOp::create(rewriter, loc, end, one);
    SmallVector<std::pair<Value, Value>> products;
    for (auto [candidate, buffer] : llvm::zip_equal(candidates, buffers))
      products.push_back(createProduct(rewriter, loop, candidate, buffer, candidate.backward ? last : first,
                                       getAsOpFoldResult(count)));

    auto inner = scf::ForOp::create(rewriter, loc, first, end, one, strips.getRegionIterArgs());
    if (loop.getNumResults() == 0)
      rewriter.eraseOp(inner.getBody()->getTerminator());
    inner->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    scf::YieldOp::create(rewriter, loc, inner.getResults());
    for (auto [candidate, product] : llvm::zip_equal(candidates, products)) {
      // The product of this iteration is a slice of the product of the strip.
      rewriter.setInsertionPoint(candidate.op);
      auto type = cast<RankedTensorType>(candidate.op->getResult(0).getType());
      Value offset = cast<Value>(candidate.part.getMixedOffsets()[candidate.axis]);
      SmallVector<OpFoldResult> offsets(type.getRank() + 1, rewriter.getIndexAttr(0)),
          strides(type.getRank() + 1, rewriter.getIndexAttr(1)), sizes{rewriter.getIndexAttr(1)};
      offsets[0] = arith::SubIOp::create(rewriter, loc, offset, product.second).getResult();
      llvm::append_range(sizes, candidate.sizes);
      rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(candidate.op, type, product.first, offsets, sizes, strides);
    }
    SmallVector<Value> arguments{inner.getInductionVar()};
    llvm::append_range(arguments, inner.getRegionIterArgs());
    if (!inner.getBody()->empty())
      rewriter.eraseOp(&inner.getBody()->back());
    rewriter.mergeBlocks(loop.getBody(), inner.getBody(), arguments);
    rewriter.replaceOp(loop, strips.getResults());
  }

  /// The first elements of `buffer` along each dim, as many as `sizes`.
  static Value getStart(RewriterBase &rewriter, Location loc, Value buffer, ArrayRef<OpFoldResult> sizes) {
    SmallVector<OpFoldResult> zeros(sizes.size(), rewriter.getIndexAttr(0)),
        ones(sizes.size(), rewriter.getIndexAttr(1));
    return tensor::ExtractSliceOp::create(rewriter, loc, buffer, zeros, sizes, ones);
  }

  /// Converts each element of `a` as `rounding` does, into `place`.
  static Value roundAll(RewriterBase &rewriter, linalg::GenericOp rounding, Value a, Value place) {
    int64_t rank = cast<RankedTensorType>(a.getType()).getRank();
    SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
    auto all = linalg::GenericOp::create(rewriter, rounding.getLoc(), place.getType(), a, place, maps, kinds);
    rewriter.cloneRegionBefore(rounding.getRegion(), all.getRegion(), all.getRegion().end());
    return all.getResult(0);
  }

  /// Creates the product of a strip of `count` iterations. `lowest` is the iteration that reads the lowest index of the
  /// axis. Returns the product, and this index.
  std::pair<Value, Value> createProduct(RewriterBase &rewriter, scf::ForOp loop, Candidate &candidate, Buffers buffers,
                                        Value lowest, OpFoldResult count) {
    Operation *op = candidate.op;
    Location loc = op->getLoc();
    tensor::ExtractSliceOp part = candidate.part;
    SmallVector<OpFoldResult> offsets = part.getMixedOffsets(), sizes = part.getMixedSizes(),
                              strides = part.getMixedStrides();
    Value begin = computeAt(rewriter, cast<Value>(offsets[candidate.axis]), loop, lowest);
    offsets[candidate.axis] = begin;
    sizes[candidate.axis] = count;
    SmallVector<int64_t> shape;
    unsigned position = 0;
    for (unsigned i = 0; i < sizes.size(); ++i) {
      if (!candidate.kept.test(i))
        continue;
      if (i == candidate.axis)
        position = shape.size();
      shape.push_back(getConstantIntValue(sizes[i]).value_or(ShapedType::kDynamic));
    }
    auto element = part.getType().getElementType();
    Value a = tensor::ExtractSliceOp::create(rewriter, loc, RankedTensorType::get(shape, element), part.getSource(),
                                             offsets, sizes, strides);
    if (candidate.rounding)
      a = roundAll(rewriter, candidate.rounding, a,
                   getStart(rewriter, loc, buffers.rounded, getRowSizes(candidate, count)));
    // Adds a first loop, over iterations, which indexes the dim `at` of the operand, if given.
    auto shift = [&](AffineMap map, std::optional<unsigned> at) {
      SmallVector<AffineExpr> exprs;
      for (AffineExpr expr : map.getResults())
        exprs.push_back(expr.shiftDims(map.getNumDims(), 1));
      if (at)
        exprs.insert(exprs.begin() + *at, rewriter.getAffineDimExpr(0));
      return AffineMap::get(map.getNumDims() + 1, 0, exprs, op->getContext());
    };
    SmallVector<OpFoldResult> wanted{count};
    llvm::append_range(wanted, candidate.sizes);
    Value own = getStart(rewriter, loc, buffers.product, wanted);
    if (auto product = dyn_cast<rt::ProductOp>(op)) {
      rt::ProductOp all = rt::ProductOp::create(
          rewriter, loc, TypeRange(own), ValueRange{a, product.getMatrix(), product.getStart(), own},
          product.getProperties(), product->getDiscardableAttrDictionary().getValue());
      all.setRowsMap(shift(product.getRowsMap(), position));
      all.setMatrixMap(shift(product.getMatrixMap(), std::nullopt));
      return {all.getResult(), begin};
    }
    auto generic = cast<linalg::GenericOp>(op);
    SmallVector<AffineMap> maps(3);
    SmallVector<Value> inputs(generic.getDpsInputs());
    inputs[candidate.rows] = a;
    maps[candidate.rows] = shift(generic.getMatchingIndexingMap(generic.getDpsInputOperand(candidate.rows)), position);
    maps[candidate.matrix] =
        shift(generic.getMatchingIndexingMap(generic.getDpsInputOperand(candidate.matrix)), std::nullopt);
    maps[2] = shift(generic.getMatchingIndexingMap(generic.getDpsInitOperand(0)), 0);
    SmallVector<utils::IteratorType> kinds{utils::IteratorType::parallel};
    llvm::append_range(kinds, generic.getIteratorTypesArray());
    Value start = linalg::FillOp::create(rewriter, loc, candidate.start, own).getResult(0);
    auto product = linalg::GenericOp::create(rewriter, loc, own.getType(), inputs, start, maps, kinds);
    rewriter.cloneRegionBefore(generic.getRegion(), product.getRegion(), product.getRegion().end());
    return {product.getResult(0), begin};
  }
};
} // namespace
