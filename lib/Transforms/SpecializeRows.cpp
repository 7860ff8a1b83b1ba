// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SpecializeRows.cpp - A time loop of its own for a single row -------===//
//
// A product of a dynamic number of rows calls a kernel, and the ops around it have loops over the rows and masks. In a
// time loop the rows are most often the batch of a cell, and most often one. Then this costs a good part of the time.
// So a branch has a copy of the loop for a single row, whose code is that of a static batch of one.
//
// The pass collects what it assumes to be one, and the branch checks it. So sizes are also collected that only have to
// agree with the rows, such as the batch of the input of a cell and that of its state.
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "CollectCanonicalPatterns.h"
#include "MatchProduct.h"
#include "Recur/Analysis/Sizes.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace recur {
#define GEN_PASS_DEF_SPECIALIZEROWS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// A cell has about ten element-wise ops for each product. A body that has many more of them has other work, which
/// gains little from a single row, and would be compiled twice.
static constexpr int64_t kMostOpsOfProduct = 32;

/// The loop of the rows of a product that calls a kernel only because their number is dynamic.
static std::optional<unsigned> findRows(linalg::GenericOp op) {
  std::optional<MatchedProduct> product = matchProduct(op);
  if (!product || product->isDots || !callsKernel(op, *product) || !op.hasPureTensorSemantics() ||
      !op.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
    return std::nullopt;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  std::optional<unsigned> rows;
  for (auto [loop, range] : llvm::enumerate(ranges)) {
    if (!ShapedType::isDynamic(range))
      continue;
    if (rows || !llvm::is_contained(product->rowLoops, loop))
      return std::nullopt;
    rows = loop;
  }
  // More static rows than one would be a tile of several rows, for which a kernel is as fast.
  if (!rows || llvm::any_of(product->rowLoops, [&](unsigned loop) { return loop != *rows && ranges[loop] != 1; }) ||
      llvm::any_of(product->batch, [&](unsigned loop) { return ranges[loop] != 1; }))
    return std::nullopt;
  return rows;
}

/// A size that is not known at compile time: an index, with -1, or a dim of a tensor or buffer.
using Size = std::pair<Value, int64_t>;

static std::optional<Size> findSize(Value shaped, int64_t dim);

/// The size that an index is, by the op that it comes from. Returns nullopt for a constant, and if there is no index.
static std::optional<Size> findSize(OpFoldResult size) {
  auto value = dyn_cast_if_present<Value>(size);
  if (!value)
    return std::nullopt;
  if (auto check = value.getDefiningOp<rt::CheckOp>())
    return findSize(OpFoldResult(check.getGuarded()[cast<OpResult>(value).getResultNumber()]));
  if (auto op = value.getDefiningOp<tensor::DimOp>(); op && op.getConstantIndex())
    return findSize(op.getSource(), *op.getConstantIndex());
  if (auto op = value.getDefiningOp<memref::DimOp>(); op && op.getConstantIndex())
    return findSize(op.getSource(), *op.getConstantIndex());
  // The size of a buffer that must not be empty. It is one if the size below it is.
  if (auto most = value.getDefiningOp<arith::MaxUIOp>(); most && isConstantIntValue(most.getRhs(), 1))
    return findSize(OpFoldResult(most.getLhs()));
  return Size(value, -1);
}

/// The dim of the source of a reshape that dim `dim` of the result is, if the other dims of its group have one element.
static std::optional<int64_t> getSourceDim(ArrayRef<ReassociationIndices> groups, ShapedType many, bool collapses,
                                           int64_t dim) {
  for (auto [i, group] : llvm::enumerate(groups)) {
    if (collapses ? int64_t(i) != dim : !llvm::is_contained(group, dim))
      continue;
    std::optional<int64_t> found;
    for (int64_t position : group) {
      if (many.getDimSize(position) == 1)
        continue;
      if (found)
        return std::nullopt;
      found = position;
    }
    return collapses ? found : std::optional<int64_t>(i);
  }
  return std::nullopt;
}

/// The dynamic size of a dim of a tensor or buffer, by the ops that it comes from. Returns nullopt for a static dim.
static std::optional<Size> findSize(Value shaped, int64_t dim) {
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.isDynamicDim(dim))
    return std::nullopt;
  Operation *op = shaped.getDefiningOp();
  if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op))
    return findSize(OpFoldResult(empty.getDynamicSize(dim)));
  if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op))
    return findSize(getKeptSize(slice, dim));
  if (auto subview = dyn_cast_or_null<memref::SubViewOp>(op))
    return findSize(getKeptSize(subview, dim));
  if (isa<MemRefType>(type))
    if (OpFoldResult size = getBufferSize(shaped, dim))
      return findSize(size);
  if (isa_and_nonnull<tensor::CastOp, memref::CastOp, bufferization::ToTensorOp>(op))
    return findSize(op->getOperand(0), dim);
  if (auto destination = dyn_cast_or_null<DestinationStyleOpInterface>(op))
    return findSize(destination.getTiedOpOperand(cast<OpResult>(shaped))->get(), dim);
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op))
    if (std::optional<int64_t> source =
            getSourceDim(collapse.getReassociationIndices(), collapse.getSrcType(), /*collapses=*/true, dim))
      return findSize(collapse.getSrc(), *source);
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    if (std::optional<int64_t> source =
            getSourceDim(expand.getReassociationIndices(), expand.getResultType(), /*collapses=*/false, dim))
      return findSize(expand.getSrc(), *source);
  return Size(shaped, dim);
}

namespace {
/// Reads a view of a buffer whose static type is known behind a cast.
///
/// Before: `%c = memref.cast %v : memref<1x64xf32> to memref<?x64xf32>`, `%t = bufferization.to_tensor %c`
/// After:  `%s = bufferization.to_tensor %v`, `%t = tensor.cast %s : tensor<1x64xf32> to tensor<?x64xf32>`
struct ReadBehindCast final : OpRewritePattern<bufferization::ToTensorOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(bufferization::ToTensorOp op, PatternRewriter &rewriter) const override {
    auto cast = op.getBuffer().getDefiningOp<memref::CastOp>();
    if (!cast || !memref::CastOp::canFoldIntoConsumerOp(cast))
      return rewriter.notifyMatchFailure(op, "expected a cast that hides a static type");
    auto type = memref::getTensorTypeFromMemRefType(cast.getSource().getType());
    Value tensor = bufferization::ToTensorOp::create(rewriter, op.getLoc(), type, cast.getSource(), op.getRestrict(),
                                                     op.getWritable());
    rewriter.replaceOpWithNewOp<tensor::CastOp>(op, op.getType(), tensor);
    return success();
  }
};

/// Writes to a view of a buffer whose static type is known behind a cast.
///
/// Before: `%c = memref.cast %v : memref<1x64xf32> to memref<?x64xf32>`,
///         `bufferization.materialize_in_destination %t in writable %c`
/// After:  `%s = tensor.cast %t : tensor<?x64xf32> to tensor<1x64xf32>`,
///         `bufferization.materialize_in_destination %s in writable %v`
struct WriteBehindCast final : OpRewritePattern<bufferization::MaterializeInDestinationOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(bufferization::MaterializeInDestinationOp op,
                                PatternRewriter &rewriter) const override {
    auto cast = op.getDest().getDefiningOp<memref::CastOp>();
    if (!cast || !memref::CastOp::canFoldIntoConsumerOp(cast))
      return rewriter.notifyMatchFailure(op, "expected a cast that hides a static type");
    Type type = memref::getTensorTypeFromMemRefType(cast.getSource().getType());
    Value source = op.getSource();
    if (source.getType() != type)
      source = tensor::CastOp::create(rewriter, op.getLoc(), type, source);
    rewriter.modifyOpInPlace(op, [&] {
      op.getSourceMutable().assign(source);
      op.getDestMutable().assign(cast.getSource());
    });
    return success();
  }
};

struct SpecializeRows final : recur::impl::SpecializeRowsBase<SpecializeRows> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<Operation *> loops, copies;
    getOperation().walk([&](Operation *op) {
      if (isa<LoopLikeOpInterface>(op) && rt::isTimeLoop(op))
        loops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    // A copy changes the results of its loop, which sizes of a later loop may come from.
    for (Operation *loop : loops)
      if (llvm::SetVector<Size> ones = findOnes(loop); !ones.empty()) {
        remarkPassed(loop->getLoc(), "rt-specialize-rows", "specialized", "the loop has a copy for a single row");
        copies.push_back(specialize(rewriter, loop, ones));
      }
    if (copies.empty())
      return;
    if (auto count = getOperation()->getAttrOfType<IntegerAttr>(rt::kTimeLoopsAttr))
      getOperation()->setAttr(rt::kTimeLoopsAttr, rewriter.getI64IntegerAttr(count.getInt() + copies.size()));
    makeStatic(copies);
  }

  /// The sizes that must be one so that the products of a single row in `loop` are static, and all that agrees with
  /// them. They are known before the loop. Empty if `loop` shall have no copy.
  static llvm::SetVector<Size> findOnes(Operation *loop) {
    auto isInside = [&](Value value) { return loop->isAncestor(value.getParentRegion()->getParentOp()); };
    auto isBefore = [&](const Size &size) { return !isInside(size.first); };
    llvm::SetVector<Size> ones;
    // Each group has sizes that should be the same.
    SmallVector<SmallVector<Size>> groups;
    int64_t ops = 0, products = 0;
    auto add = [&](std::initializer_list<std::optional<Size>> sizes) {
      SmallVector<Size> &group = groups.emplace_back();
      for (const std::optional<Size> &size : sizes)
        if (size && isBefore(*size))
          group.push_back(*size);
    };
    WalkResult walked = loop->walk([&](Operation *op) {
      // An outer loop would copy the copies of inner ones.
      if (op != loop && rt::isTimeLoop(op))
        return WalkResult::interrupt();
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
        ++ops;
        SmallVector<SmallVector<Size>> sizes(linalgOp.getNumLoops());
        for (OpOperand &operand : op->getOpOperands())
          for (auto [dim, expr] : llvm::enumerate(linalgOp.getMatchingIndexingMap(&operand).getResults()))
            if (auto d = dyn_cast<AffineDimExpr>(expr))
              if (std::optional<Size> size = findSize(operand.get(), dim); size && isBefore(*size))
                sizes[d.getPosition()].push_back(*size);
        auto generic = dyn_cast<linalg::GenericOp>(op);
        std::optional<unsigned> rows = generic ? findRows(generic) : std::nullopt;
        if (rows && !sizes[*rows].empty()) {
          ++products;
          ones.insert_range(sizes[*rows]);
        }
        llvm::append_range(groups, sizes);
      }
      if (auto convolution = dyn_cast<rt::ConvolutionOp>(op)) {
        ++ops;
        add({findSize(convolution.getData(), 0), findSize(convolution.getInit(), 0)});
      }
      if (auto product = dyn_cast<rt::ProductOp>(op)) {
        ++ops;
        for (unsigned row : product.getRowLoops())
          add({findSize(product.getInit(), row),
               findSize(product.getRows(),
                        *product.getRowsMap().getResultPosition(getAffineDimExpr(row, op->getContext())))});
      }
      // A part that is all of its source, if the sizes agree.
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op); slice && isInside(slice.getSource()))
        for (auto [i, offset, size] : llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes()))
          if (isConstantIntValue(offset, 0))
            add({findSize(slice.getSource(), i), findSize(size)});
      if (auto write = dyn_cast<bufferization::MaterializeInDestinationOp>(op))
        for (int64_t i = 0, e = cast<ShapedType>(write.getSource().getType()).getRank(); i < e; ++i)
          add({findSize(write.getSource(), i), findSize(write.getDest(), i)});
      return WalkResult::advance();
    });
    if (walked.wasInterrupted() || products == 0)
      return {};
    auto refuse = [&](const char *reason) {
      remarkMissed(loop->getLoc(), "rt-specialize-rows", "not-specialized", "{0}", reason);
      return llvm::SetVector<Size>();
    };
    if (ops > kMostOpsOfProduct * products)
      return refuse("expected a body that is little more than its products");
    for (bool changed = true; changed;) {
      changed = false;
      for (ArrayRef<Size> group : groups) {
        if (llvm::none_of(group, [&](const Size &size) { return ones.contains(size); }))
          continue;
        for (const Size &size : group)
          changed |= ones.insert(size);
      }
    }
    // A copy of one iteration would be inlined, and be no loop.
    if (llvm::any_of(getBounds(loop), [&](OpFoldResult bound) {
          std::optional<Size> size = findSize(bound);
          return size && ones.contains(*size);
        }))
      return refuse("expected a number of iterations that is not the number of rows");
    return ones;
  }

  /// The values that may decide how many iterations `loop` has.
  static SmallVector<OpFoldResult> getBounds(Operation *loop) {
    SmallVector<OpFoldResult> bounds;
    if (auto whileOp = dyn_cast<scf::WhileOp>(loop)) {
      llvm::append_range(bounds, whileOp.getInits());
      whileOp.getBefore().walk([&](Operation *op) { llvm::append_range(bounds, op->getOperands()); });
      return bounds;
    }
    auto loopLike = cast<LoopLikeOpInterface>(loop);
    for (const std::optional<SmallVector<OpFoldResult>> &some :
         {loopLike.getLoopLowerBounds(), loopLike.getLoopUpperBounds(), loopLike.getLoopSteps()})
      if (some)
        llvm::append_range(bounds, *some);
    return bounds;
  }

  /// Puts the loop into a branch, for other sizes, and returns its copy in the other branch.
  static Operation *specialize(RewriterBase &rewriter, Operation *loop, const llvm::SetVector<Size> &ones) {
    Location loc = loop->getLoc();
    auto isOne = [&](std::optional<Size> size) { return size && ones.contains(*size); };
    llvm::SetVector<Value> captured(loop->operand_begin(), loop->operand_end());
    getUsedValuesDefinedAbove(loop->getRegions(), captured);

    rewriter.setInsertionPoint(loop);
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1), condition;
    for (auto [value, dim] : ones) {
      if (isa<TensorType>(value.getType()))
        value = tensor::DimOp::create(rewriter, loc, value, dim);
      else if (isa<MemRefType>(value.getType()))
        value = memref::DimOp::create(rewriter, loc, value, dim);
      Value isSingle = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, value, one);
      condition = condition ? arith::AndIOp::create(rewriter, loc, condition, isSingle).getResult() : isSingle;
    }
    bool hasResults = loop->getNumResults() != 0;
    auto branch = scf::IfOp::create(rewriter, loc, loop->getResultTypes(), condition, /*withElseRegion=*/true);
    rewriter.replaceAllUsesWith(loop->getResults(), branch.getResults());
    rewriter.setInsertionPointToStart(branch.elseBlock());
    if (hasResults)
      scf::YieldOp::create(rewriter, loc, loop->getResults());
    rewriter.moveOpBefore(loop, branch.elseBlock(), branch.elseBlock()->begin());

    rewriter.setInsertionPointToStart(branch.thenBlock());
    IRMapping mapping;
    for (Value value : captured)
      mapping.map(value, copyForOne(rewriter, loc, value, one, isOne));
    Operation *copy = rewriter.clone(*loop, mapping);
    if (hasResults)
      scf::YieldOp::create(rewriter, loc, copy->getResults());
    return copy;
  }

  /// Returns what replaces a value from before the loop in the copy.
  static Value copyForOne(RewriterBase &rewriter, Location loc, Value value, Value one,
                          function_ref<bool(std::optional<Size>)> isOne) {
    if (value.getType().isIndex())
      return isOne(findSize(OpFoldResult(value))) ? one : value;
    auto type = dyn_cast<ShapedType>(value.getType());
    if (!type || !isa<RankedTensorType, MemRefType>(type))
      return value;
    SmallVector<int64_t> shape(type.getShape());
    for (auto [dim, size] : llvm::enumerate(shape))
      if (isOne(findSize(value, dim)))
        size = 1;
    if (shape == type.getShape())
      return value;
    Operation *op = value.getDefiningOp();
    // A product shows that it is one by the fill that it starts from, which a cast would hide.
    if (isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(op)) {
      IRMapping mapping;
      for (Value operand : op->getOperands())
        mapping.map(operand, copyForOne(rewriter, loc, operand, one, isOne));
      return rewriter.clone(*op, mapping)->getResult(0);
    }
    if (auto buffer = dyn_cast<MemRefType>(type)) {
      // Only a static shape has static strides, which addresses are computed with. A memref.cast would fold into loads.
      if (ShapedType::isDynamicShape(shape) || !buffer.getLayout().isIdentity())
        return value;
      auto known = MemRefType::Builder(buffer).setShape(shape);
      auto cast = memref::ReinterpretCastOp::create(rewriter, loc, known, value, /*offset=*/0, shape,
                                                    computeSuffixProduct(shape));
      cast->setAttr(rt::kSameShapeAttr, rewriter.getUnitAttr());
      return memref::CastOp::create(rewriter, loc, type, cast);
    }
    value = tensor::CastOp::create(rewriter, loc, type.clone(shape), value);
    return tensor::CastOp::create(rewriter, loc, type, value);
  }

  /// Brings the copies into canonical form, which gives them static types. They are valid without it too.
  void makeStatic(ArrayRef<Operation *> copies) {
    RewritePatternSet patterns(&getContext());
    patterns.add<ReadBehindCast, WriteBehindCast>(&getContext());
    addCanonicalizationPatterns(patterns);
    FrozenRewritePatternSet frozen(std::move(patterns));
    for (Operation *copy : copies)
      (void)applyPatterns(*copy->getParentRegion(), frozen);
  }
};
} // namespace
