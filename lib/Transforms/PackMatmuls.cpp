// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PackMatmuls.cpp - Constant matrices for the vector unit ------------===//
//
// Vectors of a product run along the columns of the matrix. If the elements of a row are not consecutive in memory, or
// a row does not fill whole vectors, each load is slow. So constants are packed at compile time, and other matrices are
// transposed at run time.
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "MatchProduct.h"
#include "NarrowWeights.h"
#include "PackedMatrix.h"

#include "Recur/Dialect/OV/IR/Dequantization.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Dialect/RT/IR/SumOrder.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace recur {
#define GEN_PASS_DEF_PACKMATMULS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {

/// The loops of a product of `A` and `B`: the rows of A, which may be several dims, the column of B, and the dim that
/// both share.
struct Product {
  linalg::GenericOp op;
  OpOperand *a, *b;
  SmallVector<unsigned> rows;
  unsigned column, shared;
  /// True if B is [N, K], false if it is [K, N].
  bool transposed;
};

/// True for a sum of products of two operands along one dim. One column is contiguous as it lies, and its vectors run
/// along it.
bool isContraction(linalg::GenericOp op) {
  return !rt::hasOneColumn(op) && op.getNumDpsInputs() == 2 && op.getNumDpsInits() == 1 &&
         op.getNumReductionLoops() == 1 && linalg::isaContractionOpInterface(cast<linalg::LinalgOp>(op.getOperation()));
}

/// Matches C[rows..., n] += A[rows..., k] * B, where B has two dims, in either order.
FailureOr<Product> matchMatrixProduct(linalg::GenericOp op) {
  if (!isContraction(op))
    return failure();
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(cast<linalg::LinalgOp>(op.getOperation()));
  if (failed(dims) || !dims->batch.empty() || dims->n.size() != 1)
    return failure();
  Product product{op, op.getDpsInputOperand(0), op.getDpsInputOperand(1), {}, dims->n.front(), dims->k.front(), false};
  llvm::append_range(product.rows, dims->m);
  auto mapTo = [&](ArrayRef<unsigned> loops, unsigned last) {
    SmallVector<unsigned> all(loops);
    all.push_back(last);
    return AffineMap::getMultiDimMapWithTargets(op.getNumLoops(), all, op.getContext());
  };
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  // The dims of A are the rows of C, in order, and then the shared dim.
  if (maps[0] != mapTo(product.rows, product.shared) || maps[2] != mapTo(product.rows, product.column))
    return failure();
  product.transposed = maps[1] == mapTo(product.column, product.shared);
  if (!product.transposed && maps[1] != mapTo(product.shared, product.column))
    return failure();
  return product;
}

/// Packs a constant matrix into blocks of columns, so that the inner loop loads consecutive vectors.
struct PackConstantOperand final : OpRewritePattern<linalg::GenericOp> {
  PackConstantOperand(MLIRContext *context, int64_t vectorBits, int64_t vectorRegisters, bool hasF16C, bool hasTiles,
                      bool hasDots)
      : OpRewritePattern(context), vectorBits(vectorBits), vectorRegisters(vectorRegisters), hasF16C(hasF16C),
        hasTiles(hasTiles), hasDots(hasDots) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    FailureOr<Product> product = matchMatrixProduct(op);
    if (failed(product))
      return rewriter.notifyMatchFailure(op, "not a product with a matrix");
    auto constant = product->b->get().getDefiningOp<ov::ConstantOp>();
    auto weights = constant ? dyn_cast<ov::WeightsAttr>(constant.getValue()) : ov::WeightsAttr();
    if (!weights) {
      if (!matchPattern(product->b->get(), m_Constant()))
        remarkMissed(op.getLoc(), "rt-pack-matmuls", "not-packed", "expected a constant matrix");
      return rewriter.notifyMatchFailure(op, "the matrix is not in the weights file");
    }
    auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
    if (!fill)
      return rewriter.notifyMatchFailure(op, "the product does not start from a fill");
    auto cType = cast<RankedTensorType>(op.getResult(0).getType());
    if (llvm::is_contained(cType.getShape(), 0))
      return rewriter.notifyMatchFailure(op, "an empty product reads no matrix");
    Location loc = op.getLoc();
    if (std::optional<ov::Dequantization> integers = ov::getDequantization(weights);
        integers && weights.getTensorType().getElementType() == cType.getElementType() &&
        staysQuantized(op, weights.getTensorType().getNumElements())) {
      remarkPassed(loc, "rt-pack-matmuls", "integers", "the product reads packed integers of {0} x {1} weights",
                   weights.getTensorType().getDimSize(product->transposed ? 1 : 0),
                   weights.getTensorType().getDimSize(product->transposed ? 0 : 1));
      packIntegers(rewriter, *product, *integers);
      return success();
    }
    ov::WeightsAttr narrow = weights.getNarrow();
    Value rounded = getRounded(product->a->get());
    if (rounded && narrow && matchPattern(fill.getInputs()[0], m_AnyZeroFloat())) {
      bool fits = fitsTiles(*product, narrow.getTensorType());
      if (fits || fitsDots(*product, narrow.getTensorType())) {
        remarkPassed(loc, "rt-pack-matmuls", "pairs", "the matrix of bf16 is packed in pairs for {0}",
                     fits ? "tile registers" : "instructions that add the products of a pair");
        packPairs(rewriter, *product, fits ? getUnrounded(*product, rounded) : rounded, narrow);
        return success();
      }
    }
    if (narrow &&
        !staysNarrow(op, weights.getTensorType().getNumElements(), narrow.getTensorType().getElementType(), hasF16C)) {
      remarkMissed(loc, "rt-pack-matmuls", "widened",
                   "expected a matrix that L2 does not hold in a loop, of a type that the target converts, for "
                   "weights to stay {0}",
                   narrow.getTensorType().getElementType());
      narrow = {};
    }
    if (narrow)
      constant = ov::ConstantOp::create(rewriter, constant.getLoc(), narrow.getType(), narrow);
    auto bType = cast<RankedTensorType>(constant.getType());
    auto accumulatorType = cType.getElementType();
    int64_t n = bType.getDimSize(product->transposed ? 0 : 1), k = bType.getDimSize(product->transposed ? 1 : 0);
    int64_t bits = std::max<int64_t>(bType.getElementTypeBitWidth(), accumulatorType.getIntOrFloatBitWidth());
    int64_t lanes = std::max<int64_t>(1, vectorBits / bits), block = getPackedColumns(lanes);
    if (mayHaveOneRow(op, /*isNarrow=*/narrow != nullptr))
      block = getColumnsOfRow(lanes, vectorRegisters, n, k, llvm::divideCeil(bType.getElementTypeBitWidth(), 8));
    int64_t blocks = llvm::divideCeil(n, block), columnDim = product->transposed ? 0 : 1;
    remarkPassed(loc, "rt-pack-matmuls", "packed",
                 "the matrix of {0} x {1} elements of {2} is packed in blocks of {3} columns", k, n,
                 bType.getElementType(), block);

    // FoldPackOfConstant turns the pack of the constant into layout steps.
    Value padding = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(bType.getElementType()));
    Value blocksOfB = tensor::EmptyOp::create(rewriter, loc, {blocks, k, block}, bType.getElementType());
    Value packed =
        linalg::PackOp::create(rewriter, constant.getLoc(), constant, blocksOfB, columnDim,
                               {rewriter.getIndexAttr(block)}, padding, ArrayRef<int64_t>{columnDim, 1 - columnDim})
            .getResult();

    // The loops of the new op: rows..., block, column in block, shared.
    unsigned numRows = product->rows.size();
    auto dim = [&](unsigned i) { return rewriter.getAffineDimExpr(i); };
    SmallVector<AffineExpr> a, c;
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, fill.getOutputs()[0]);
    sizes.back() = rewriter.getIndexAttr(blocks);
    sizes.push_back(rewriter.getIndexAttr(block));
    for (unsigned i = 0; i < numRows; ++i) {
      a.push_back(dim(i));
      c.push_back(dim(i));
    }
    a.push_back(dim(numRows + 2));
    c.append({dim(numRows), dim(numRows + 1)});
    SmallVector<AffineExpr> b{dim(numRows), dim(numRows + 2), dim(numRows + 1)};
    auto map = [&](ArrayRef<AffineExpr> exprs) { return AffineMap::get(numRows + 3, 0, exprs, getContext()); };
    SmallVector<utils::IteratorType> kinds(numRows + 2, utils::IteratorType::parallel);
    kinds.push_back(utils::IteratorType::reduction);
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, accumulatorType);
    Value zeros = linalg::FillOp::create(rewriter, loc, fill.getInputs()[0], empty).getResult(0);
    auto generic = linalg::GenericOp::create(rewriter, loc, zeros.getType(), ValueRange{product->a->get(), packed},
                                             zeros, ArrayRef<AffineMap>{map(a), map(b), map(c)}, kinds);
    rewriter.cloneRegionBefore(op.getRegion(), generic.getRegion(), generic.getRegion().end());
    if (narrow)
      extendArgument(rewriter, generic.getBody()->getArgument(1), bType.getElementType());

    replaceByBlocks(rewriter, op, generic.getResult(0), numRows, blocks * block, n);
    return success();
  }

  /// True if a product has a single row. A dynamic number of rows in a loop is most often the batch of a cell, and most
  /// often 1. But rt-hoist-products may take the rows of many iterations together if they are slices of one tensor.
  /// Kernels take narrow matrices in small blocks only.
  static bool mayHaveOneRow(linalg::GenericOp op, bool isNarrow) {
    auto loop = op->getParentOfType<LoopLikeOpInterface>();
    if (loop && isPartOfTensorOutside(op.getDpsInputs()[0], loop))
      return false;
    ArrayRef<int64_t> rows = cast<RankedTensorType>(op.getResult(0).getType()).getShape().drop_back();
    return llvm::all_of(rows,
                        [&](int64_t size) { return size == 1 || (ShapedType::isDynamic(size) && loop && !isNarrow); });
  }

  /// True if the elements of `value` are a slice, made in a `scf.for`, of a tensor from outside of it.
  static bool isPartOfTensorOutside(Value value, LoopLikeOpInterface loop) {
    tensor::ExtractSliceOp part = getSliceOfRows(value);
    return part && isa<scf::ForOp>(loop) && loop.isDefinedOutsideOfLoop(part.getSource());
  }

  /// The tensor of bf16 whose elements are those of `a`. Null if the elements of `a` may have more digits.
  static Value getRounded(Value a) {
    Value narrow = getConverted<arith::ExtFOp>(a);
    return narrow && getElementTypeOrSelf(narrow.getType()).isBF16() ? narrow : Value();
  }

  /// The tensor of f32 whose elements, rounded to bf16, are those of `rounded`, which the product reads.
  static Value getUnrounded(const Product &product, Value rounded) {
    Value wide = getConverted<arith::TruncFOp>(rounded);
    return wide && getElementTypeOrSelf(wide.getType()).isF32() ? wide : product.a->get();
  }

  /// The tensor whose elements an op converts to those of `value` by `OpT`, or null.
  template <typename OpT>
  static Value getConverted(Value value) {
    auto op = value.getDefiningOp<linalg::GenericOp>();
    if (!op || op.getNumDpsInputs() != 1 || op.getNumReductionLoops() != 0 ||
        !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isIdentity(); }))
      return {};
    auto convert = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<OpT>();
    return convert && convert.getIn() == op.getBody()->getArgument(0) ? op.getDpsInputs()[0] : Value();
  }

  /// True if tile registers can multiply by a matrix of this type.
  bool fitsTiles(const Product &product, RankedTensorType matrix) const {
    return hasTiles && matrix.getElementType().isBF16() && getElementTypeOrSelf(product.a->get().getType()).isF32() &&
           getPackedColumns(vectorBits / 32) == 2 * kTileColumns &&
           matrix.getDimSize(product.transposed ? 1 : 0) % kTileDepth == 0;
  }

  /// True if the product by a matrix of this type is worth the call of a kernel whose instructions add the two products
  /// of a pair.
  bool fitsDots(const Product &product, RankedTensorType matrix) const {
    return hasDots && matrix.getElementType().isBF16() && getElementTypeOrSelf(product.a->get().getType()).isF32() &&
           ov::mayHavePairs(llvm::alignTo(matrix.getDimSize(product.transposed ? 1 : 0), 2), matrix.getNumElements());
  }

  /// `a`, with a zero at the end of each row.
  static Value appendZero(PatternRewriter &rewriter, Location loc, Value a) {
    auto type = cast<RankedTensorType>(a.getType());
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, a), padded(sizes);
    padded.back() = rewriter.getIndexAttr(type.getShape().back() + 1);
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type.getElementType())),
          empty = tensor::EmptyOp::create(rewriter, loc, padded, type.getElementType());
    Value zeros = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
    SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0)),
        strides(sizes.size(), rewriter.getIndexAttr(1));
    return tensor::InsertSliceOp::create(rewriter, loc, a, zeros, offsets, sizes, strides);
  }

  /// Replaces a product by one of `a` with a packed matrix of pairs. If `a` has f32, the payload rounds them.
  void packPairs(PatternRewriter &rewriter, const Product &product, Value a, ov::WeightsAttr weights) const {
    MLIRContext *context = getContext();
    linalg::GenericOp op = product.op;
    Location loc = op.getLoc();
    int64_t n = weights.getTensorType().getDimSize(product.transposed ? 0 : 1),
            k = weights.getTensorType().getDimSize(product.transposed ? 1 : 0);
    int64_t block = getPackedColumns(vectorBits / 32), blocks = llvm::divideCeil(n, block);
    if (product.transposed)
      weights = weights.append(ov::TransposeStepAttr::get(context, {1, 0}));
    weights = weights.append(ov::PackStepAttr::get(context, block));
    auto append = [&](ov::LayoutStepAttrInterface step) { weights = weights.append(step); };
    auto reshape = [&](ArrayRef<int64_t> shape) {
      append(ov::ReshapeStepAttr::get(context, DenseI64ArrayAttr::get(context, shape)));
    };
    if (k % 2 == 0) {
      reshape({blocks, k / 2, 2, block});
      append(ov::TransposeStepAttr::get(context, {0, 1, 3, 2}));
    } else {
      // Blocks of two along K have a zero at the end.
      append(ov::TransposeStepAttr::get(context, {1, 0, 2}));
      reshape({k, blocks * block});
      append(ov::TransposeStepAttr::get(context, {1, 0}));
      append(ov::PackStepAttr::get(context, 2));
      reshape({(k + 1) / 2, blocks, block, 2});
      append(ov::TransposeStepAttr::get(context, {1, 0, 2, 3}));
      a = appendZero(rewriter, loc, a);
    }
    Value b = ov::ConstantOp::create(rewriter, product.b->get().getLoc(), weights.getType(), weights);
    replaceByPacked(rewriter, product, a, b, {}, {}, rt::MatrixElements::Pairs, QuantizedMatrix(), blocks, block, n);
  }

  /// Replaces a product by an `rt.product` of `a` and the packed matrix `b`, with `blocks` blocks of `block` columns.
  /// The first `n` columns are those of the product.
  static void replaceByPacked(PatternRewriter &rewriter, const Product &product, Value a, Value b, Value zero,
                              Value scale, rt::MatrixElements elements, const QuantizedMatrix &integers, int64_t blocks,
                              int64_t block, int64_t n) {
    linalg::GenericOp op = product.op;
    Location loc = op.getLoc();
    // The loops: rows..., block, lane, shared.
    unsigned numRows = product.rows.size(), numLoops = numRows + 3;
    auto dim = [&](unsigned i) { return rewriter.getAffineDimExpr(i); };
    auto map = [&](ArrayRef<AffineExpr> exprs) { return AffineMap::get(numLoops, 0, exprs, op.getContext()); };
    SmallVector<AffineExpr> rows;
    for (unsigned i = 0; i < numRows; ++i)
      rows.push_back(dim(i));
    rows.push_back(dim(numRows + 2));
    auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, fill.getOutputs()[0]);
    sizes.back() = rewriter.getIndexAttr(blocks);
    sizes.push_back(rewriter.getIndexAttr(block));
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, getElementTypeOrSelf(op.getResult(0)));
    auto packed = rt::ProductOp::create(rewriter, loc, a, b, fill.getInputs()[0], empty, map(rows),
                                        map({dim(numRows), dim(numRows + 2), dim(numRows + 1)}), blocks * block,
                                        elements, zero, scale, integers.isSigned, integers.zeroIsSigned);
    replaceByBlocks(rewriter, op, packed.getResult(), numRows, blocks * block, n);
  }

  /// Replaces a product by one with a packed matrix of integers.
  void packIntegers(PatternRewriter &rewriter, const Product &product, ov::Dequantization integers) const {
    MLIRContext *context = getContext();
    Location at = product.b->get().getLoc();
    Type i8 = rewriter.getI8Type();
    ov::WeightsAttr weights = integers.elements;
    int64_t n = weights.getTensorType().getDimSize(product.transposed ? 0 : 1);
    int64_t block = getPackedColumns(std::max<int64_t>(1, vectorBits / 32)), blocks = llvm::divideCeil(n, block);
    QuantizedMatrix matrix;
    matrix.isSigned = !weights.getTensorType().getElementType().isUnsignedInteger();
    matrix.hasHalves = integers.hasFourBits && block % 2 == 0;
    if (product.transposed)
      weights = weights.append(ov::TransposeStepAttr::get(context, {1, 0}));
    weights = weights.append(ov::PackStepAttr::get(context, block));
    if (matrix.hasHalves)
      weights = weights.append(ov::HalvesStepAttr::get(context));
    if (weights.getTensorType().getElementType() != i8)
      weights = weights.append(ov::BitcastStepAttr::get(context, i8));

    Value b = ov::ConstantOp::create(rewriter, at, weights.getType(), weights), zero, scale;
    auto createFactor = [&](TypedAttr factor) -> Value {
      bool isUnsigned = cast<RankedTensorType>(factor.getType()).getElementType().isUnsignedInteger();
      factor = ov::packFactor(factor, product.transposed, n, block);
      auto type = cast<RankedTensorType>(factor.getType());
      SmallVector<int64_t> shape{blocks, type.getDimSize(1), block};
      auto stored = dyn_cast<ov::WeightsAttr>(factor);
      if (!stored)
        return arith::ConstantOp::create(rewriter, at, cast<DenseElementsAttr>(factor).reshape(type.clone(shape)));
      if (type.getElementType().isF16() && !hasF16C)
        stored = stored.append(ov::ConvertStepAttr::get(context, rewriter.getF32Type()));
      if (isUnsigned)
        stored = stored.append(ov::BitcastStepAttr::get(context, i8));
      stored = stored.append(ov::ReshapeStepAttr::get(context, DenseI64ArrayAttr::get(context, shape)));
      return ov::ConstantOp::create(rewriter, at, stored.getType(), stored);
    };
    if (integers.zero) {
      Type element = cast<RankedTensorType>(integers.zero.getType()).getElementType();
      matrix.zeroIsSigned = element.isInteger() && !element.isUnsignedInteger();
      zero = createFactor(integers.zero);
    }
    if (integers.scale)
      scale = createFactor(integers.scale);
    replaceByPacked(rewriter, product, product.a->get(), b, zero, scale,
                    matrix.hasHalves ? rt::MatrixElements::Halves : rt::MatrixElements::Bytes, matrix, blocks, block,
                    n);
  }

  /// Replaces `op` by `result`, whose dims after the first `numRows` are one dim of blocks, of `columns` columns in
  /// all. The first `n` of them are those of `op`.
  static void replaceByBlocks(PatternRewriter &rewriter, linalg::GenericOp op, Value result, unsigned numRows,
                              int64_t columns, int64_t n) {
    Location loc = op.getLoc();
    auto cType = cast<RankedTensorType>(op.getResult(0).getType());
    int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, result);
    SmallVector<ReassociationIndices> groups;
    for (unsigned i = 0; i < numRows; ++i)
      groups.push_back({int64_t(i)});
    groups.push_back(llvm::to_vector(llvm::seq<int64_t>(numRows, rank)));
    result = tensor::CollapseShapeOp::create(rewriter, loc, result, groups);
    if (columns != n) {
      SmallVector<OpFoldResult> offsets(numRows + 1, rewriter.getIndexAttr(0)),
          strides(numRows + 1, rewriter.getIndexAttr(1)), wanted(sizes.begin(), sizes.begin() + numRows);
      wanted.push_back(rewriter.getIndexAttr(n));
      result = tensor::ExtractSliceOp::create(rewriter, loc, cType, result, offsets, wanted, strides);
    } else if (result.getType() != cType) {
      result = tensor::CastOp::create(rewriter, loc, cType, result);
    }
    rewriter.replaceOp(op, result);
  }

  int64_t vectorBits, vectorRegisters;
  bool hasF16C, hasTiles, hasDots;
};

/// Folds a linalg.pack of a matrix in the weights file into steps of its layout, so that the matrix is packed at
/// compile time.
struct FoldPackOfConstant final : OpRewritePattern<linalg::PackOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::PackOp op, PatternRewriter &rewriter) const override {
    auto constant = op.getSource().getDefiningOp<ov::ConstantOp>();
    auto weights = constant ? dyn_cast<ov::WeightsAttr>(constant.getValue()) : ov::WeightsAttr();
    if (!weights)
      return rewriter.notifyMatchFailure(op, "expected a constant in the weights file");
    ArrayRef<int64_t> packed = op.getInnerDimsPos(), order = op.getOuterDimsPerm(), tiles = op.getStaticInnerTiles();
    if (op.getSourceType().getRank() != 2 || packed.size() != 1 || order.empty() || order.front() != packed.front() ||
        ShapedType::isDynamic(tiles.front()))
      return rewriter.notifyMatchFailure(op, "expected blocks of columns, one after the other");
    // The layout step pads with zeros.
    if (Value padding = op.getPaddingValue();
        padding && !matchPattern(padding, m_AnyZeroFloat()) && !matchPattern(padding, m_Zero()))
      return rewriter.notifyMatchFailure(op, "expected a padding of zeros");
    if (packed.front() == 0)
      weights = weights.append(ov::TransposeStepAttr::get(getContext(), {1, 0}));
    weights = weights.append(ov::PackStepAttr::get(getContext(), tiles.front()));
    rewriter.replaceOpWithNewOp<ov::ConstantOp>(op, weights.getType(), weights);
    return success();
  }
};

/// Transposes a matrix whose columns are not contiguous, so that vectors run along the rows of the copy.
struct TransposeOperand final : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  /// The fewest rows of A for each of several matrices. If a matrix is read for fewer rows, its copy takes longer than
  /// it saves. But a sum along the copy has another order.
  static constexpr int64_t kLeastRows = 4;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    if (!isContraction(op))
      return rewriter.notifyMatchFailure(op, "not a product");
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    if (!llvm::all_of(maps, [](AffineMap map) { return map.isProjectedPermutation(); }) || !maps[2].getNumResults())
      return rewriter.notifyMatchFailure(op, "expected operands that are read as they lie");
    AffineExpr column = maps[2].getResults().back();
    std::optional<unsigned> lane = maps[1].getResultPosition(column);
    if (!lane || maps[0].getResultPosition(column) || maps[1].getNumResults() < 2)
      return rewriter.notifyMatchFailure(op, "expected the columns to be those of the second operand");
    unsigned last = maps[1].getNumResults() - 1;
    SmallVector<unsigned> reduced;
    op.getReductionDims(reduced);
    if (maps[1].getDimPosition(last) != reduced.front())
      return rewriter.notifyMatchFailure(op, "not a product with a transposed matrix");
    int64_t rows = 1;
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    for (AffineExpr row : maps[2].getResults().drop_back())
      if (int64_t range = ranges[cast<AffineDimExpr>(row).getPosition()]; !maps[1].getResultPosition(row))
        rows = ShapedType::isDynamic(range) ? kLeastRows : std::min(rows * range, kLeastRows);
    if (last > 1 && rows < kLeastRows && !rt::hasAnyRows(op)) {
      remarkMissed(op.getLoc(), "rt-pack-matmuls", "not-transposed", "expected at least {0} rows for each matrix",
                   kLeastRows);
      return rewriter.notifyMatchFailure(op, "expected more rows");
    }
    remarkPassed(op.getLoc(), "rt-pack-matmuls", "transposed",
                 "the call transposes the matrix, so that vectors run along its columns");

    Location loc = op.getLoc();
    OpOperand *operand = op.getDpsInputOperand(1);
    Value b = operand->get();
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, last + 1));
    std::swap(order[*lane], order[last]);
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, b);
    std::swap(sizes[*lane], sizes[last]);
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, cast<RankedTensorType>(b.getType()).getElementType());
    Value copy = linalg::TransposeOp::create(rewriter, loc, b, empty, order).getResult()[0];
    SmallVector<AffineExpr> exprs(maps[1].getResults());
    std::swap(exprs[*lane], exprs[last]);
    maps[1] = AffineMap::get(maps[1].getNumDims(), 0, exprs, getContext());
    rewriter.modifyOpInPlace(op, [&] {
      operand->set(copy);
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
    return success();
  }
};

struct PackMatmuls final : recur::impl::PackMatmulsBase<PackMatmuls> {
  using Base::Base;
  void runOnOperation() override {
    RewritePatternSet constants(&getContext()), others(&getContext());
    constants.add<PackConstantOperand>(&getContext(), vectorBits, vectorRegisters, hasF16C, hasTiles, hasDots);
    constants.add<FoldPackOfConstant>(&getContext());
    others.add<TransposeOperand>(&getContext());
    if (failed(applyPatterns(getOperation(), std::move(constants))) ||
        failed(applyPatterns(getOperation(), std::move(others))))
      signalPassFailure();
  }
};
} // namespace
