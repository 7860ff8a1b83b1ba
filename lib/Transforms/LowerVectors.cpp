// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LowerVectors.cpp - Vectors that fit registers ----------------------===//
//
// The vectorizer makes vectors of several dims, with masks and permutations. Each set of patterns below brings them
// closer to loads, stores and arithmetic on single vectors, and relies on the form that the sets before it leave.
//
// Most sets are upstream's, which has no pass that applies them in such an order: convert-vector-to-scf and
// convert-vector-to-llvm unroll each masked or permuted transfer to single elements. The patterns of this file are for
// five cases that upstream has none for: a vector of one element, a vector of elements that are a few elements apart, a
// column, a remainder loop that the affine map of its start shows to have at most one iteration, and a permutation of
// more lanes than a register has.
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "Recur/Transforms/Passes.h"
#include "SteppedRows.h"

#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"

namespace recur {
#define GEN_PASS_DEF_LOWERVECTORS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// True if `op` reads or writes exactly one element of a buffer, which is in bounds and not masked.
template <typename OpT>
static bool accessesElement(OpT op) {
  if (op.getVectorType().getNumElements() != 1 || !isa<MemRefType>(op.getBase().getType()))
    return false;
  if constexpr (std::is_same_v<OpT, vector::TransferReadOp> || std::is_same_v<OpT, vector::TransferWriteOp>)
    return !op.getMask() && !op.hasOutOfBoundsDim();
  return true;
}

namespace {
/// Reads a vector of one element as that element. Then the views of the buffer can fold, down to buffers without dims,
/// and its strides do not matter.
template <typename ReadT>
struct LowerElementRead final : OpRewritePattern<ReadT> {
  using OpRewritePattern<ReadT>::OpRewritePattern;
  LogicalResult matchAndRewrite(ReadT op, PatternRewriter &rewriter) const override {
    if (!accessesElement(op))
      return rewriter.notifyMatchFailure(op, "expected one element of a buffer, which is there");
    Value element = memref::LoadOp::create(rewriter, op.getLoc(), op.getBase(), op.getIndices());
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(op, op.getVectorType(), element);
    return success();
  }
};

/// Writes a vector of one element as that element.
template <typename WriteT>
struct LowerElementWrite final : OpRewritePattern<WriteT> {
  using OpRewritePattern<WriteT>::OpRewritePattern;
  LogicalResult matchAndRewrite(WriteT op, PatternRewriter &rewriter) const override {
    if (!accessesElement(op))
      return rewriter.notifyMatchFailure(op, "expected one element of a buffer, which is there");
    SmallVector<int64_t> first(op.getVectorType().getRank(), 0);
    Value element = vector::ExtractOp::create(rewriter, op.getLoc(), op.getValueToStore(), first);
    rewriter.replaceOpWithNewOp<memref::StoreOp>(op, element, op.getBase(), op.getIndices());
    return success();
  }
};

/// Reads elements that are a few elements apart, such as every second one, by shuffles.
struct LoadRowWithStep final : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::TransferReadOp op, PatternRewriter &rewriter) const override {
    if (!op.getPermutationMap().isMinorIdentity() || op.hasOutOfBoundsDim() ||
        !canLoadWithStep(op.getVectorType(), op.getBase()))
      return rewriter.notifyMatchFailure(op, "expected a part of a row with a step, which is there");
    auto mask = op.getMask() ? op.getMask().getDefiningOp<vector::CreateMaskOp>() : vector::CreateMaskOp();
    if (op.getMask() && !mask)
      return rewriter.notifyMatchFailure(op, "expected a mask of a number of lanes");
    rewriter.replaceOp(op, loadWithStep(rewriter, op.getLoc(), op.getVectorType(), op.getBase(), op.getIndices(),
                                        mask ? mask.getOperand(0) : Value(), op.getPadding()));
    return success();
  }
};

/// Upstream's patterns read a column of more elements.
constexpr int64_t kMostColumnElements = 32;

/// Elements of a buffer that do not follow one another, for example those of a column of a matrix.
struct Column {
  /// The elements as a buffer of one dim.
  Value elements;
  /// How many of them are read or written. Null: all.
  Value count;
};

/// The elements that `op` reads or writes, if they are in bounds, but do not follow one another. Upstream makes a loop
/// of such a transfer, and LLVM computes an address for each element when it unrolls the loop. Here, the elements have
/// one address, and are at constant distances from it if the strides are known.
template <typename OpT>
FailureOr<Column> viewColumn(PatternRewriter &rewriter, OpT op) {
  auto memory = dyn_cast<MemRefType>(op.getBase().getType());
  VectorType vector = op.getVectorType();
  if (!memory || vector.isScalable() || op.hasOutOfBoundsDim() || isa<VectorType>(memory.getElementType()))
    return rewriter.notifyMatchFailure(op, "expected a vector of elements of a buffer, which are there");
  // All dims but one have one element.
  int64_t length = vector.getNumElements(), offset;
  const auto *whole = llvm::find(vector.getShape(), length);
  if (length == 1 || length > kMostColumnElements || whole == vector.getShape().end())
    return rewriter.notifyMatchFailure(op, "expected some elements along one dim");
  auto along =
      dyn_cast<AffineDimExpr>(op.getPermutationMap().getResult(std::distance(vector.getShape().begin(), whole)));
  if (!along)
    return rewriter.notifyMatchFailure(op, "expected elements along a dim of the buffer");
  int64_t dim = along.getPosition();
  SmallVector<int64_t> strides;
  if (failed(memory.getStridesAndOffset(strides, offset)) || strides[dim] == 1)
    return rewriter.notifyMatchFailure(op, "expected elements that do not follow one another");
  Value active;
  if (Value mask = op.getMask()) {
    // A part of a mask with one index is the whole mask.
    while (isa_and_present<vector::ExtractOp, vector::ShapeCastOp>(mask.getDefiningOp()))
      mask = mask.getDefiningOp()->getOperand(0);
    auto known = mask.getDefiningOp<vector::CreateMaskOp>();
    if (!known)
      return rewriter.notifyMatchFailure(op, "expected a mask of a number of lanes");
    for (auto [size, lanes] : llvm::zip_equal(known.getVectorType().getShape(), known.getOperands())) {
      if (size == length)
        active = lanes;
      else if (size != 1 || getConstantIntValue(lanes) != 1)
        return rewriter.notifyMatchFailure(op, "expected a mask of a number of lanes along one dim");
    }
    if (!active)
      return rewriter.notifyMatchFailure(op, "expected a mask along the dim of the elements");
  }
  Location loc = op.getLoc();
  Column column;
  if (active)
    column.count = arith::MinSIOp::create(rewriter, loc, active, arith::ConstantIndexOp::create(rewriter, loc, length));
  SmallVector<OpFoldResult> sizes(memory.getRank(), rewriter.getIndexAttr(1)), steps = sizes;
  sizes[dim] = active ? OpFoldResult(column.count) : rewriter.getIndexAttr(length);
  SmallVector<OpFoldResult> offsets = getAsOpFoldResult(op.getIndices());
  MemRefType type = memref::SubViewOp::inferRankReducedResultType({active ? ShapedType::kDynamic : length}, memory,
                                                                  offsets, sizes, steps);
  column.elements = memref::SubViewOp::create(rewriter, loc, type, op.getBase(), offsets, sizes, steps);
  return column;
}

/// The type of the vector that `op` reads or writes, without dims of one element.
template <typename OpT>
VectorType getRowType(OpT op) {
  return VectorType::get({op.getVectorType().getNumElements()}, op.getVectorType().getElementType());
}

/// Emits a loop over the first `count` lanes of a vector.
template <typename BodyT>
scf::ForOp overLanes(PatternRewriter &rewriter, Location loc, Value count, ValueRange initial, BodyT body) {
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0), one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  return scf::ForOp::create(rewriter, loc, zero, count, one, initial, body);
}

/// Reads a column by loads of its elements. If the elements have a mask, a loop reads them, and puts each one into its
/// lane by a comparison of the numbers of all lanes.
struct LoadColumn final : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::TransferReadOp op, PatternRewriter &rewriter) const override {
    FailureOr<Column> column = viewColumn(rewriter, op);
    if (failed(column))
      return rewriter.notifyMatchFailure(op, "expected a column");
    Location loc = op.getLoc();
    VectorType type = getRowType(op);
    if (column->count) {
      auto numbers = VectorType::get(type.getShape(), rewriter.getI32Type());
      auto lanes = DenseIntElementsAttr::get(numbers, llvm::to_vector(llvm::seq<int32_t>(0, type.getNumElements())));
      Value all = arith::ConstantOp::create(rewriter, loc, lanes);
      Value padding = vector::BroadcastOp::create(rewriter, loc, type, op.getPadding());
      auto readLane = [&](OpBuilder &b, Location loc, Value lane, ValueRange read) {
        Value element = memref::LoadOp::create(b, loc, column->elements, lane);
        Value number = arith::IndexCastOp::create(b, loc, b.getI32Type(), lane);
        Value isLane = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, all,
                                             vector::BroadcastOp::create(b, loc, numbers, number));
        Value everywhere = vector::BroadcastOp::create(b, loc, type, element);
        Value next = arith::SelectOp::create(b, loc, isLane, everywhere, read.front());
        scf::YieldOp::create(b, loc, next);
      };
      scf::ForOp loop = overLanes(rewriter, loc, column->count, padding, readLane);
      rewriter.replaceOpWithNewOp<vector::ShapeCastOp>(op, op.getVectorType(), loop.getResult(0));
      return success();
    }
    SmallVector<Value> elements;
    for (int64_t i = 0, e = type.getNumElements(); i < e; ++i) {
      Value place = arith::ConstantIndexOp::create(rewriter, loc, i);
      elements.push_back(memref::LoadOp::create(rewriter, loc, column->elements, place));
    }
    Value row = vector::FromElementsOp::create(rewriter, loc, type, elements);
    rewriter.replaceOpWithNewOp<vector::ShapeCastOp>(op, op.getVectorType(), row);
    return success();
  }
};

/// Writes a column by stores of its elements, in a loop if they have a mask.
struct StoreColumn final : OpRewritePattern<vector::TransferWriteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::TransferWriteOp op, PatternRewriter &rewriter) const override {
    FailureOr<Column> column = viewColumn(rewriter, op);
    if (failed(column))
      return rewriter.notifyMatchFailure(op, "expected a column");
    Value row = vector::ShapeCastOp::create(rewriter, op.getLoc(), getRowType(op), op.getValueToStore());
    auto store = [&](OpBuilder &b, Location loc, OpFoldResult lane, Value place) {
      Value element = vector::ExtractOp::create(b, loc, row, lane);
      memref::StoreOp::create(b, loc, element, column->elements, place);
    };
    if (column->count)
      overLanes(rewriter, op.getLoc(), column->count, {}, [&](OpBuilder &b, Location loc, Value lane, ValueRange) {
        store(b, loc, lane, lane);
        scf::YieldOp::create(b, loc);
      });
    else
      for (int64_t i = 0, e = op.getVectorType().getNumElements(); i < e; ++i)
        store(rewriter, op.getLoc(), rewriter.getIndexAttr(i),
              arith::ConstantIndexOp::create(rewriter, op.getLoc(), i));
    rewriter.eraseOp(op);
    return success();
  }
};

/// Turns a remainder loop, which starts at the last multiple of its step, into a branch. The loop has at most one
/// iteration, which LLVM does not see.
struct LowerLoopOverRest final : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(scf::ForOp loop, PatternRewriter &rewriter) const override {
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    auto start = loop.getLowerBound().getDefiningOp<affine::AffineApplyOp>();
    if (!step || !start || !llvm::equal(start.getMapOperands(), ValueRange(loop.getUpperBound())) ||
        loop.getNumResults() != 0)
      return rewriter.notifyMatchFailure(loop, "expected a loop from a multiple of its step, without results");
    AffineMap map = start.getAffineMap();
    AffineExpr end = map.getNumDims() ? rewriter.getAffineDimExpr(0) : rewriter.getAffineSymbolExpr(0);
    if (map.getResult(0) != end.floorDiv(*step) * *step)
      return rewriter.notifyMatchFailure(loop, "expected to start at the last multiple of the step");
    Value hasRest = arith::CmpIOp::create(rewriter, loop.getLoc(), arith::CmpIPredicate::slt, loop.getLowerBound(),
                                          loop.getUpperBound());
    auto branch = scf::IfOp::create(rewriter, loop.getLoc(), hasRest);
    rewriter.inlineBlockBefore(loop.getBody(), branch.thenYield(), loop.getLowerBound());
    // The terminator of the loop is now in front of that of the branch.
    rewriter.eraseOp(branch.thenYield()->getPrevNode());
    rewriter.eraseOp(loop);
    return success();
  }
};

/// Lane i of the result is lane `numbers[i]` of `row`. LLVM makes one instruction of these ops, if registers hold all.
Value permute(OpBuilder &b, Location loc, Value row, Value numbers) {
  SmallVector<Value> elements;
  for (int64_t i = 0, e = cast<VectorType>(row.getType()).getNumElements(); i < e; ++i) {
    Value number =
        arith::IndexCastOp::create(b, loc, b.getIndexType(), vector::ExtractOp::create(b, loc, numbers, i).getResult());
    elements.push_back(vector::ExtractOp::create(b, loc, row, number));
  }
  return vector::FromElementsOp::create(b, loc, cast<VectorType>(row.getType()), elements);
}

/// Splits a permutation of more lanes than a register has: each half of the result takes its lanes from both halves of
/// the row, and selects. LLVM would go through memory, element by element.
struct SplitPermutation final : OpRewritePattern<vector::FromElementsOp> {
  SplitPermutation(MLIRContext *context, int64_t vectorBits) : OpRewritePattern(context), vectorBits(vectorBits) {}
  LogicalResult matchAndRewrite(vector::FromElementsOp op, PatternRewriter &rewriter) const override {
    auto type = cast<VectorType>(op.getType());
    int64_t lanes = type.getNumElements();
    if (type.getRank() != 1 || !type.getElementType().isIntOrFloat() || !llvm::isPowerOf2_64(lanes) ||
        lanes * type.getElementTypeBitWidth() <= vectorBits)
      return rewriter.notifyMatchFailure(op, "expected a vector that is wider than a register");
    Value row, numbers;
    for (auto [i, element] : llvm::enumerate(op.getElements())) {
      auto read = element.getDefiningOp<vector::ExtractOp>();
      if (!read || read.getSource().getType() != type || read.getDynamicPosition().size() != 1)
        return rewriter.notifyMatchFailure(op, "expected elements of one vector at computed places");
      auto cast = read.getDynamicPosition()[0].getDefiningOp<arith::IndexCastOp>();
      auto number = cast ? cast.getIn().getDefiningOp<vector::ExtractOp>() : vector::ExtractOp();
      if (!number || number.getSourceVectorType().getShape() != type.getShape() || number.hasDynamicPosition() ||
          number.getStaticPosition() != ArrayRef<int64_t>(i) || (row && row != read.getSource()) ||
          (numbers && numbers != number.getSource()))
        return rewriter.notifyMatchFailure(op, "expected places that are the lanes of one vector");
      row = read.getSource();
      numbers = number.getSource();
    }
    Location loc = op.getLoc();
    int64_t half = lanes / 2;
    auto getHalf = [&](Value vector, int64_t from) -> Value {
      return vector::ExtractStridedSliceOp::create(rewriter, loc, vector, from, half, 1);
    };
    Value rows[] = {getHalf(row, 0), getHalf(row, half)};
    Value result = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
    for (int64_t from : {int64_t(0), half}) {
      Value all = getHalf(numbers, from);
      auto numbersType = cast<VectorType>(all.getType());
      auto constant = [&](int64_t value) -> Value {
        return arith::ConstantOp::create(
            rewriter, loc,
            DenseElementsAttr::get(numbersType, rewriter.getIntegerAttr(numbersType.getElementType(), value)));
      };
      Value own = arith::AndIOp::create(rewriter, loc, all, constant(half - 1));
      Value isUpper = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::uge, all, constant(half));
      Value part = arith::SelectOp::create(rewriter, loc, isUpper, permute(rewriter, loc, rows[1], own),
                                           permute(rewriter, loc, rows[0], own));
      result = vector::InsertStridedSliceOp::create(rewriter, loc, part, result, from, 1);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  int64_t vectorBits;
};

struct LowerVectors final : recur::impl::LowerVectorsBase<LowerVectors> {
  using Base::Base;
  void runOnOperation() override {
    // Kernels are built from vectors that fit registers.
    if (getOperation()->hasAttr(rt::kKernelAttr))
      return;
    auto apply = [&](auto populate) {
      RewritePatternSet patterns(&getContext());
      populate(patterns);
      return applyPatterns(getOperation(), std::move(patterns));
    };
    MLIRContext *context = &getContext();
    auto canonicalize = [&](RewritePatternSet &patterns) {
      context->getLoadedDialect<vector::VectorDialect>()->getCanonicalizationPatterns(patterns);
      // Without the patterns of vector.insert, which would take apart vectors that were assembled from registers.
      for (RegisteredOperationName op : context->getRegisteredOperationsByDialect("vector"))
        if (op.getStringRef() != vector::InsertOp::getOperationName())
          op.getCanonicalizationPatterns(patterns, context);
      scf::ForOp::getCanonicalizationPatterns(patterns, context);
    };
    // `vector.mask` becomes masked reads and writes.
    LogicalResult result = apply([&](RewritePatternSet &patterns) {
      patterns.add<LowerLoopOverRest>(context);
      if (vectorBits > 0)
        patterns.add<SplitPermutation>(context, vectorBits);
      vector::populateVectorMaskLoweringPatternsForSideEffectingOps(patterns);
    });
    if (succeeded(result))
      result = apply([&](RewritePatternSet &patterns) {
        vector::populateCastAwayVectorLeadingOneDimPatterns(patterns);
        vector::populateDropInnerMostUnitDimsXferOpPatterns(patterns);
        vector::populateDropUnitDimWithShapeCastPatterns(patterns);
        canonicalize(patterns);
      });
    if (succeeded(result))
      result = apply([&](RewritePatternSet &patterns) {
        vector::populateVectorTransferPermutationMapLoweringPatterns(patterns);
        patterns.add<LoadRowWithStep, LoadColumn, StoreColumn>(context);
        canonicalize(patterns);
      });
    if (succeeded(result))
      result = apply([&](RewritePatternSet &patterns) {
        vector::populateVectorBroadcastLoweringPatterns(patterns);
        vector::populateVectorMaskOpLoweringPatterns(patterns);
        vector::populateVectorShapeCastLoweringPatterns(patterns);
        vector::populateVectorTransposeLoweringPatterns(patterns, vector::VectorTransposeLowering::Shuffle1D);
        vector::populateVectorTransferLoweringPatterns(patterns, /*maxTransferRank=*/1);
        canonicalize(patterns);
      });
    // The remaining transfers have several dims, or strides. The former are unrolled to vectors of one dim, the latter
    // to scalars.
    if (succeeded(result))
      result = apply([&](RewritePatternSet &patterns) {
        VectorTransferToSCFOptions options;
        options.enableFullUnroll();
        options.setTargetRank(1);
        populateVectorToSCFConversionPatterns(patterns, options);
        // A broadcast of one element is one load. The benefit lets this pattern run before those that read element by
        // element.
        vector::populateVectorTransferPermutationMapLoweringPatterns(patterns, /*benefit=*/10);
        vector::populateVectorBroadcastLoweringPatterns(patterns);
        // The patterns above transpose what a transfer of several dims broadcasts.
        vector::populateVectorShapeCastLoweringPatterns(patterns);
        vector::populateVectorTransposeLoweringPatterns(patterns, vector::VectorTransposeLowering::Shuffle1D);
        vector::populateVectorTransferLoweringPatterns(patterns, /*maxTransferRank=*/1);
        canonicalize(patterns);
      });
    // A transposition with a broadcast leaves inserted and extracted slices, for which LLVM has shuffles.
    if (succeeded(result))
      result = apply([&](RewritePatternSet &patterns) {
        vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
        // A mask compares the numbers of lanes with the number of active lanes, for which 32 bits are enough.
        vector::populateVectorMaskMaterializationPatterns(patterns, /*force32BitVectorIndices=*/true);
        // The patterns above also give masks to transfers that may reach beyond the end of the buffer.
        vector::populateVectorTransferLoweringPatterns(patterns, /*maxTransferRank=*/1);
        patterns.add<LowerElementRead<vector::LoadOp>, LowerElementRead<vector::TransferReadOp>,
                     LowerElementWrite<vector::StoreOp>, LowerElementWrite<vector::TransferWriteOp>>(context);
      });
    // LLVM splits wide vectors itself, but only after it has let loads have the values of earlier stores. A load of a
    // part of a wide vector would take it from the bits of an integer of 512 bits.
    if (succeeded(result) && vectorBits > 0)
      result = apply([&](RewritePatternSet &patterns) {
        vector::populateVectorUnrollPatterns(patterns, vector::UnrollVectorOptions().setNativeShapeFn(
                                                           [&](Operation *op) { return getRegisterShape(op); }));
        vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
      });
    if (failed(result))
      signalPassFailure();
  }

private:
  /// The number of elements of a register, if `op` stores several of them.
  std::optional<SmallVector<int64_t>> getRegisterShape(Operation *op) const {
    auto store = dyn_cast<vector::StoreOp>(op);
    if (!store || store.getVectorType().getRank() != 1 || !store.getVectorType().getElementType().isIntOrFloat())
      return std::nullopt;
    int64_t elements = vectorBits / store.getVectorType().getElementTypeBitWidth();
    if (elements <= 1 || store.getVectorType().getNumElements() <= elements)
      return std::nullopt;
    return SmallVector<int64_t>{elements};
  }
};
} // namespace
