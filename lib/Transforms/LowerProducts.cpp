// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LowerProducts.cpp - Products call kernels --------------------------===//
//
// The kernels take sizes and strides as values (ProductKernels.h). This file brings the operands of a product into the
// form that they take, and emits loops for the dims that they do not have.
//
//===----------------------------------------------------------------------===//

#include "KernelCalls.h"
#include "ProductKernels.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"
#include "TargetFacts.h"
#include "TransposeKernel.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/IR/PatternMatch.h"

#include <numeric>

namespace recur {
#define GEN_PASS_DEF_LOWERPRODUCTS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {
/// A buffer as base, offset, sizes and strides. Sizes and strides are found by the loops of the product.
struct Layout {
  Value base;
  OpFoldResult offset;
  llvm::SmallDenseMap<unsigned, OpFoldResult> sizes, strides;
};

struct LowerProducts final : recur::impl::LowerProductsBase<LowerProducts> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<rt::ProductOp> products;
    getOperation().walk([&](rt::ProductOp op) {
      if (op.hasPureBufferSemantics())
        products.push_back(op);
    });
    SmallVector<linalg::TransposeOp> transposes;
    getOperation().walk([&](linalg::TransposeOp op) {
      if (op.hasPureBufferSemantics() && callsKernel(op))
        transposes.push_back(op);
    });
    RefusalRemarks remarks("rt-lower-products", "no-kernel");
    IRRewriter rewriter(&getContext(), &remarks);
    for (rt::ProductOp op : products)
      lower(rewriter, op);
    for (linalg::TransposeOp op : transposes)
      (void)lowerTranspose(rewriter, op, vectorBits);
  }

  /// True if the elements of a row of `buffer` are apart, and a contiguous copy of it may be allocated at `op`. In a
  /// loop, its size must be known before.
  static bool needsCopy(Operation *op, Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    return type.getRank() != 0 && !type.isLastDimUnitStride() &&
           (type.hasStaticShape() || !op->getParentOfType<LoopLikeOpInterface>());
  }

  /// Replaces a product by calls of kernels, or by an op that becomes loops if the strides do not fit.
  void lower(RewriterBase &rewriter, rt::ProductOp op) {
    bool isDots = op.isDots();
    // A copy costs little beside a product of rows.
    if (!isDots)
      for (OpOperand *operand : {&op.getMatrixMutable(), &op.getInitMutable()})
        if (needsCopy(op, operand->get()))
          useCopy(rewriter, op, *operand);
    if (failed(isDots ? lowerDots(rewriter, op) : lowerRows(rewriter, op)))
      createGeneric(rewriter, op);
    else if (isDots)
      remarkPassed(op.getLoc(), "rt-lower-products", "kernel", "a kernel for dot products does loops of {0}",
                   JoinedSizes(op.getLoopSizes()));
    rewriter.eraseOp(op);
  }

  /// Creates a `linalg.generic` that computes `op`, and a fill in front of it.
  static void createGeneric(RewriterBase &rewriter, rt::ProductOp op) {
    Location loc = op.getLoc();
    rewriter.setInsertionPoint(op);
    linalg::FillOp::create(rewriter, loc, op.getStart(), op.getInit());
    unsigned numLoops = op.getSharedLoop() + 1, lane = op.getLane();
    AffineExpr sum = rewriter.getAffineDimExpr(op.getSharedLoop()), column = rewriter.getAffineDimExpr(lane);
    SmallVector<AffineExpr> ofMatrix(op.getMatrixMap().getResults());
    QuantizedMatrix integers = getIntegers(op);
    int64_t half = cast<MemRefType>(op.getMatrix().getType()).getShape().back();
    if (integers.hasHalves)
      ofMatrix.back() = column % half;
    if (op.hasPairs())
      ofMatrix = {ofMatrix[0], sum.floorDiv(2), column, sum % 2};
    auto map = [&](ArrayRef<AffineExpr> exprs) { return AffineMap::get(numLoops, 0, exprs, rewriter.getContext()); };
    SmallVector<AffineMap> maps{op.getRowsMap(), map(ofMatrix)};
    SmallVector<Value> inputs{op.getRows(), op.getMatrix()};
    int64_t steps = cast<MemRefType>(op.getMatrix().getType()).getDimSize(1);
    for (Value factor : {op.getZero(), op.getScale()})
      if (factor) {
        int64_t groups = cast<MemRefType>(factor.getType()).getDimSize(1);
        inputs.push_back(factor);
        maps.push_back(
            map({ofMatrix[0],
                 groups == 1 ? rewriter.getAffineConstantExpr(0) : sum.floorDiv(std::max<int64_t>(1, steps / groups)),
                 column}));
      }
    maps.push_back(rewriter.getMultiDimIdentityMap(numLoops).dropResult(numLoops - 1));
    SmallVector<utils::IteratorType> kinds(numLoops, utils::IteratorType::parallel);
    kinds.back() = utils::IteratorType::reduction;
    linalg::GenericOp::create(
        rewriter, loc, TypeRange(), inputs, op.getInit(), maps, kinds, [&](OpBuilder &b, Location at, ValueRange args) {
          Type type = args.back().getType();
          auto extend = [&](Value value) -> Value {
            return value.getType() == type ? value : arith::ExtFOp::create(b, at, type, value);
          };
          Value row = args[0], weight = args[1];
          if (op.hasPairs() && row.getType() == type)
            row = arith::TruncFOp::create(b, at, b.getBF16Type(), row);
          if (op.hasIntegers()) {
            Value column, number;
            if (integers.hasHalves) {
              column = linalg::IndexOp::create(b, at, lane);
              number = arith::DivUIOp::create(b, at, column, arith::ConstantIndexOp::create(b, at, half));
            }
            weight = emitDequantization(b, at, integers, number, weight, op.getZero() ? args[2] : Value(),
                                        op.getScale() ? args[op.getZero() ? 3 : 2] : Value());
          }
          Value product = arith::MulFOp::create(b, at, extend(row), extend(weight));
          linalg::YieldOp::create(b, at, arith::AddFOp::create(b, at, args.back(), product).getResult());
        });
  }

  static QuantizedMatrix getIntegers(rt::ProductOp op) {
    return {op.getSignedMatrix(), op.getSignedZero(), op.getElements() == rt::MatrixElements::Halves};
  }

  /// Returns a loop of `size` iterations, and moves the insertion point into it. The offset of each layout advances by
  /// its stride; a null stride leaves it alone.
  static scf::ForOp enterLoop(RewriterBase &rewriter, Location loc, Value size, MutableArrayRef<Layout> layouts,
                              ArrayRef<OpFoldResult> strides) {
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0),
          one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    auto nest = scf::ForOp::create(rewriter, loc, zero, size, one);
    rewriter.setInsertionPointToStart(nest.getBody());
    for (auto [layout, stride] : llvm::zip_equal(layouts, strides))
      if (stride)
        layout.offset = add(rewriter, loc, layout.offset, multiply(rewriter, loc, nest.getInductionVar(), stride));
    return nest;
  }
  /// The same for a loop of the product, with the strides of the layouts.
  static scf::ForOp enterLoop(RewriterBase &rewriter, Location loc, unsigned loop, MutableArrayRef<Layout> layouts) {
    SmallVector<OpFoldResult> strides;
    for (Layout &layout : layouts)
      strides.push_back(layout.strides.lookup(loop));
    return enterLoop(rewriter, loc, getSize(rewriter, loc, layouts, loop), layouts, strides);
  }

  /// The same for several loops of the product as one, so that threads share their iterations if some have only one.
  static scf::ForOp enterMergedLoop(RewriterBase &rewriter, Location loc, ArrayRef<unsigned> loops,
                                    MutableArrayRef<Layout> layouts) {
    if (loops.size() == 1)
      return enterLoop(rewriter, loc, loops.front(), layouts);
    SmallVector<Value> sizes;
    OpFoldResult count = rewriter.getIndexAttr(1);
    for (unsigned loop : loops) {
      sizes.push_back(getSize(rewriter, loc, layouts, loop));
      count = multiply(rewriter, loc, count, sizes.back());
    }
    SmallVector<OpFoldResult> none(layouts.size());
    scf::ForOp nest = enterLoop(rewriter, loc, getValueOrCreateConstantIndexOp(rewriter, loc, count), layouts, none);
    Value left = nest.getInductionVar();
    for (auto [loop, size] : llvm::reverse(llvm::zip_equal(loops, sizes))) {
      bool isFirst = loop == loops.front();
      Value index = isFirst ? left : arith::RemUIOp::create(rewriter, loc, left, size).getResult();
      if (!isFirst)
        left = arith::DivUIOp::create(rewriter, loc, left, size);
      for (Layout &layout : layouts)
        if (OpFoldResult stride = layout.strides.lookup(loop))
          layout.offset = add(rewriter, loc, layout.offset, multiply(rewriter, loc, index, stride));
    }
    return nest;
  }

  /// Emits calls of the kernel for dot products. Every dim of the result but the last is a loop around the call.
  LogicalResult lowerDots(RewriterBase &rewriter, rt::ProductOp op) {
    OpOperand *operands[] = {&op.getMatrixMutable(), &op.getRowsMutable()};
    if (failed(checkUnitStrides(rewriter, op, operands)))
      return failure();
    Location loc = op.getLoc();
    rewriter.setInsertionPoint(op);
    SmallVector<Layout> layouts{getLayout(rewriter, loc, op.getMatrix(), op.getMatrixMap()),
                                getLayout(rewriter, loc, op.getRows(), op.getRowsMap()),
                                getLayoutOfResult(rewriter, op)};
    SmallVector<int64_t> ranges = op.getLoopSizes();
    for (unsigned loop : llvm::seq(op.getLane()))
      if (ranges[loop] != 1)
        enterLoop(rewriter, loc, loop, layouts);
    auto type = cast<FloatType>(op.getStart().getType());
    ProductKernels kernels(getOperation(), type, {type, {}, {}, {}}, vectorBits, vectorRegisters);
    OpFoldResult rows = getSize(rewriter, loc, layouts, op.getLane()),
                 shared = getSize(rewriter, loc, layouts, op.getSharedLoop()), unit = rewriter.getIndexAttr(1);
    auto view = [&](MemRefType type, Layout &layout, ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides) {
      return createKernelView(rewriter, loc, type, layout.base, layout.offset, sizes, strides);
    };
    SmallVector<Value> arguments(kDotArguments);
    arguments[kDotMatrix] =
        view(kernels.getMatrixType(), layouts[0], {rows, shared}, {layouts[0].strides[op.getLane()], unit});
    arguments[kDotVector] = view(kernels.getVectorType(), layouts[1], shared, unit);
    arguments[kDotResult] = view(kernels.getColumnType(), layouts[2], rows, layouts[2].strides[op.getLane()]);
    arguments[kDotStart] = op.getStart();
    func::CallOp::create(rewriter, loc, kernels.getDot(), arguments);
    return success();
  }

  /// How many blocks of a packed matrix a panel has that stays in L2 while several calls read it. The last
  /// panel takes the rest too. Returns 0 if the whole matrix stays there, or if there are not two panels.
  static int64_t getBlocksOfPanel(rt::ProductOp op) {
    SmallVector<int64_t> ranges = op.getLoopSizes();
    int64_t blocks = ranges[op.getBlocks().front()], shared = ranges[op.getSharedLoop()];
    if (ShapedType::isDynamic(blocks) || ShapedType::isDynamic(shared))
      return 0;
    int64_t bits = getElementTypeOrSelf(op.getMatrix()).getIntOrFloatBitWidth();
    int64_t bytes = llvm::divideCeil(shared * ranges[op.getLane()] * bits, 8);
    int64_t panel = bytes > 0 ? llvm::alignDown(kHalfL2Bytes / bytes, kMostBlocksOfTile) : 0;
    return blocks * bytes > kHalfL2Bytes && 2 * panel <= blocks ? panel : 0;
  }

  /// Says in a remark which product a kernel computes, and with how many accumulators of an element.
  static void reportProduct(rt::ProductOp op, int64_t perElement) {
    if (!wantsRemarks(op.getContext()))
      return;
    auto join = [ranges = op.getLoopSizes()](ArrayRef<unsigned> loops) {
      return JoinedSizes(llvm::map_to_vector(loops, [&](unsigned loop) { return ranges[loop]; }));
    };
    SmallVector<unsigned> matrix = op.getBlocks();
    matrix.append({op.getSharedLoop(), op.getLane()});
    remarkPassed(op.getLoc(), "rt-lower-products", "kernel",
                 "a kernel multiplies rows ({0}) by a matrix of {1} elements of {2}; accumulators of an element: {3}",
                 join(op.getRowLoops()), join(matrix), getElementTypeOrSelf(op.getMatrix()), perElement);
  }

  /// Emits calls of the kernels for products: one for whole blocks of columns and, if needed, one for the remaining
  /// columns. Batches, and rows that cannot be merged into one dim, are loops around the calls.
  LogicalResult lowerRows(RewriterBase &rewriter, rt::ProductOp op) {
    OpOperand *operands[] = {&op.getRowsMutable(), &op.getMatrixMutable(), &op.getInitMutable()};
    if (failed(checkUnitStrides(rewriter, op, ArrayRef(operands).drop_front(op.hasPairs() ? 0 : 1))))
      return failure();
    bool hasRoundedRows = op.hasPairs() && getElementTypeOrSelf(op.getRows()).isBF16();
    QuantizedMatrix integers = getIntegers(op);
    MatrixElements matrix{getElementTypeOrSelf(op.getMatrix()),
                          {},
                          {},
                          op.hasIntegers() ? std::optional(integers) : std::nullopt,
                          op.hasPairs(),
                          hasRoundedRows};
    SmallVector<Value> factors;
    // Zero points and scales may have different groups. Those of the kernel are the parts in which both are the same.
    auto countGroups = [](Value factor) { return factor ? cast<MemRefType>(factor.getType()).getDimSize(1) : 1; };
    int64_t ofZero = countGroups(op.getZero()), ofScale = countGroups(op.getScale());
    int64_t groups = std::lcm(ofZero, ofScale);
    for (auto [factor, type] : {std::pair(op.getZero(), &matrix.zero), std::pair(op.getScale(), &matrix.scale)})
      if (factor) {
        factors.push_back(factor);
        *type = getElementTypeOrSelf(factor);
        if (!cast<MemRefType>(factor.getType()).getLayout().isIdentity())
          return rewriter.notifyMatchFailure(op, "expected contiguous zero points and scales");
      }
    if (op.getZero())
      matrix.groupsOfZero = groups / ofZero;
    if (op.getScale())
      matrix.groupsOfScale = groups / ofScale;
    auto type = cast<FloatType>(op.getStart().getType());
    SmallVector<int64_t> ranges = op.getLoopSizes();
    SmallVector<unsigned> blockLoops = op.getBlocks();
    unsigned lane = op.getLane(), shared = op.getSharedLoop();
    int64_t steps = ranges[shared],
            perElement = getAccumulatorsOfColumns(op.getColumns(), vectorBits / type.getWidth());
    // Tiles and panels of integers add the steps that a group leaves over in different orders.
    if (op.hasIntegers() && steps / groups % perElement != 0)
      perElement = 1;
    // Both halves of a byte are in one block, so a block that was packed for wider vectors is one of the kernel.
    int64_t own = getPackedColumns(std::max<int64_t>(1, vectorBits / 32));
    int64_t wider = integers.hasHalves ? std::max<int64_t>(1, ranges[lane] / own) : 1;
    ProductKernels kernels(getOperation(), type, matrix, wider * vectorBits, vectorRegisters / wider, perElement);
    bool packed = !blockLoops.empty() && ranges[lane] == kernels.getBlockSize();
    // A block that was packed for a single row, or for wider vectors, may hold several blocks of a kernel.
    bool hasWholeBlocks =
        packed || (!blockLoops.empty() && !integers.hasHalves && !ShapedType::isDynamic(ranges[lane]) &&
                   ranges[lane] % kernels.getBlockSize() == 0);
    auto arePairsApart = [&] { return cast<MemRefType>(op.getMatrix().getType()).getStridesAndOffset().first[2] != 2; };
    if (op.hasPairs() && (!packed || arePairsApart()))
      return rewriter.notifyMatchFailure(op, "expected blocks of two vectors, in which pairs follow each other");
    if (kernels.isNarrow() && (!hasWholeBlocks || ShapedType::isDynamic(steps)))
      return rewriter.notifyMatchFailure(op, "expected a narrow matrix to be packed at compile time");

    reportProduct(op, perElement);

    // Row dims that are contiguous in A and C are merged into one. Other row dims and batches become loops.
    SmallVector<unsigned> rows, apart, outer = op.getBatches(), rowLoops = op.getRowLoops();
    for (unsigned loop : llvm::reverse(rowLoops)) {
      // A dim of one row adds nothing to an offset, whatever its stride is.
      if (ranges[loop] == 1)
        continue;
      if (rows.empty() || (apart.empty() && isOneWith(op, loop, rows.back())))
        rows.push_back(loop);
      else
        apart.push_back(loop);
    }
    std::reverse(rows.begin(), rows.end());
    if (!blockLoops.empty() && !packed)
      outer.push_back(blockLoops.front());

    Location loc = op.getLoc();
    rewriter.setInsertionPoint(op);
    SmallVector<Layout> layouts{getLayout(rewriter, loc, op.getRows(), op.getRowsMap()),
                                getLayout(rewriter, loc, op.getMatrix(), op.getMatrixMap()),
                                getLayoutOfResult(rewriter, op)};
    // The dims of a packed matrix and of factors are not as many elements as the loops have iterations.
    if (op.getElements() != rt::MatrixElements::Plain)
      layouts[1].sizes.clear();
    // A kernel takes the factors of all blocks, or of a part of a block.
    if (!packed)
      for (Value factor : factors) {
        layouts.push_back(getLayout(rewriter, loc, factor, op.getMatrixMap()));
        layouts.back().sizes.clear();
      }
    MutableArrayRef<Layout> ofProduct = MutableArrayRef(layouts).take_front(std::size(operands));
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    OpFoldResult height = rewriter.getIndexAttr(1), rowOfA = rewriter.getIndexAttr(0),
                 rowOfC = rewriter.getIndexAttr(0);
    for (unsigned loop : rows) {
      height = multiply(rewriter, loc, height, getSize(rewriter, loc, layouts, loop));
      // The stride of the innermost dim, which comes last, is that of the merged dim.
      rowOfA = layouts[0].strides[loop];
      rowOfC = layouts[2].strides[loop];
    }
    // If row dims cannot be merged, the call takes the longest one, so that a batch of 1, or one step of time, costs
    // nothing.
    auto choose = [&](Value isFirst, OpFoldResult a, OpFoldResult b) -> OpFoldResult {
      if (a == b)
        return a;
      return arith::SelectOp::create(rewriter, loc, isFirst, getValueOrCreateConstantIndexOp(rewriter, loc, a),
                                     getValueOrCreateConstantIndexOp(rewriter, loc, b))
          .getResult();
    };
    // Narrow matrices are widened in one scratch, so their panels are not independent.
    int64_t panel = apart.empty() || !packed || op.hasPairs() || kernels.widensBlocks() || !factors.empty()
                        ? 0
                        : getBlocksOfPanel(op);
    OpFoldResult blocksOfCall;
    if (panel) {
      unsigned column = blockLoops.front();
      int64_t panels = ranges[column] / panel, last = ranges[column] - (panels - 1) * panel;
      auto stride = [&](unsigned operand) {
        return multiply(rewriter, loc, rewriter.getIndexAttr(panel), layouts[operand].strides[column]);
      };
      scf::ForOp loop = enterLoop(rewriter, loc, arith::ConstantIndexOp::create(rewriter, loc, panels), layouts,
                                  {OpFoldResult(), stride(1), stride(2)});
      loop->setAttr(rt::kIndependentAttr, rewriter.getUnitAttr());
      Value isLast = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, loop.getInductionVar(),
                                           arith::ConstantIndexOp::create(rewriter, loc, panels - 1));
      blocksOfCall = choose(isLast, rewriter.getIndexAttr(last), rewriter.getIndexAttr(panel));
    }
    for (unsigned loop : apart) {
      OpFoldResult size = getSize(rewriter, loc, layouts, loop), strideOfA = layouts[0].strides[loop],
                   strideOfC = layouts[2].strides[loop];
      Value isMore = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ugt,
                                           getValueOrCreateConstantIndexOp(rewriter, loc, size),
                                           getValueOrCreateConstantIndexOp(rewriter, loc, height));
      OpFoldResult less = choose(isMore, height, size), outerOfA = choose(isMore, rowOfA, strideOfA),
                   outerOfC = choose(isMore, rowOfC, strideOfC);
      height = choose(isMore, size, height);
      rowOfA = choose(isMore, strideOfA, rowOfA);
      rowOfC = choose(isMore, strideOfC, rowOfC);
      enterLoop(rewriter, loc, getValueOrCreateConstantIndexOp(rewriter, loc, less), ofProduct,
                {outerOfA, OpFoldResult(), outerOfC});
    }
    bool isInLoop = static_cast<bool>(op->getParentOfType<LoopLikeOpInterface>());
    // Outside of loops, only a block for wider vectors holds several blocks of a kernel, which are too few for threads.
    bool dividesBlocks = hasWholeBlocks && !packed && !kernels.widensBlocks() && !isInLoop;
    bool hasScratch = op.hasPairs() || kernels.widensBlocks();
    llvm::erase_if(outer, [&](unsigned loop) { return ranges[loop] == 1; });
    // The strides of dims that only the call knows prove nothing later. If there may be one iteration, the threads
    // share the calls.
    auto isDynamic = [&](int64_t range) { return ShapedType::isDynamic(range); };
    bool hasSeveral = llvm::any_of(outer, [&](unsigned loop) { return !isDynamic(ranges[loop]) && ranges[loop] > 1; });
    if (hasSeveral && !hasScratch && llvm::any_of(ranges, isDynamic) && !isInLoop) {
      enterMergedLoop(rewriter, loc, outer, layouts)->setAttr(rt::kIndependentAttr, rewriter.getUnitAttr());
      outer.clear();
    }
    for (unsigned loop : outer) {
      scf::ForOp nest = enterLoop(rewriter, loc, loop, layouts);
      if (dividesBlocks && llvm::is_contained(blockLoops, loop))
        nest->setAttr(rt::kIndependentAttr, rewriter.getUnitAttr());
    }
    OpFoldResult sum = rewriter.getIndexAttr(steps);
    if (ShapedType::isDynamic(steps))
      sum = getSize(rewriter, loc, layouts, shared);
    auto view = [&](MemRefType type, const Layout &layout, ArrayRef<OpFoldResult> sizes,
                    ArrayRef<OpFoldResult> strides) {
      return createKernelView(rewriter, loc, type, layout.base, layout.offset, sizes, strides);
    };
    MemRefType rowsType = kernels.getRowsType(), matrixType = kernels.getMatrixBlocksType(),
               blocksType = kernels.getBlocksType();
    OpFoldResult unit = rewriter.getIndexAttr(1), block = rewriter.getIndexAttr(kernels.getBlockSize());
    OpFoldResult rowOfB = layouts[1].strides[shared];
    if (op.hasPairs()) {
      createCallForPairs(rewriter, op, kernels, layouts, height, rowOfA, rowOfC);
      return success();
    }
    Value a = view(rowsType, layouts[0], {height, sum}, {rowOfA, layouts[0].strides[shared]});
    if (packed) {
      unsigned column = blockLoops.front();
      OpFoldResult blocks = panel ? blocksOfCall : OpFoldResult(getSize(rewriter, loc, layouts, column));
      OpFoldResult bytes = rewriter.getIndexAttr(cast<MemRefType>(op.getMatrix().getType()).getShape().back());
      Value b = view(matrixType, layouts[1], {blocks, sum, bytes}, {layouts[1].strides[column], rowOfB, unit});
      Value c = view(blocksType, layouts[2], {height, blocks, block}, {rowOfC, layouts[2].strides[column], unit});
      SmallVector<Value> arguments = makeProductArguments(a, b, c, op.getStart());
      for (Value factor : factors) {
        auto type = cast<MemRefType>(factor.getType());
        int64_t groups = type.getDimSize(1);
        arguments.push_back(createKernelView(rewriter, loc, kernels.getFactorsType(type.getElementType()), factor,
                                             rewriter.getIndexAttr(0), {blocks, rewriter.getIndexAttr(groups), block},
                                             {rewriter.getIndexAttr(groups * kernels.getBlockSize()), block, unit}));
      }
      if (op.hasIntegers() && isConstantIntValue(height, 1)) {
        func::CallOp::create(rewriter, loc, kernels.getProductOfRow(/*masked=*/false), arguments);
        return success();
      }
      addScratch(rewriter, loc, kernels, steps, arguments);
      func::CallOp::create(rewriter, loc, kernels.getProduct(/*masked=*/false), arguments);
    } else {
      // Whole blocks of columns, and then the remaining columns.
      Value width = getValueOrCreateConstantIndexOp(rewriter, loc, getSize(rewriter, loc, layouts, lane));
      Value perBlock = getValueOrCreateConstantIndexOp(rewriter, loc, block);
      int64_t known = ranges[lane];
      if (ShapedType::isDynamic(known) || known >= kernels.getBlockSize()) {
        OpFoldResult blocks = arith::DivUIOp::create(rewriter, loc, width, perBlock).getResult();
        Value b = view(matrixType, layouts[1], {blocks, sum, block}, {block, rowOfB, unit});
        Value c = view(blocksType, layouts[2], {height, blocks, block}, {rowOfC, block, unit});
        SmallVector<Value> arguments = makeProductArguments(a, b, c, op.getStart());
        for (auto [factor, layout] : llvm::zip_equal(factors, MutableArrayRef(layouts).drop_front(ofProduct.size()))) {
          auto type = cast<MemRefType>(factor.getType());
          arguments.push_back(createKernelView(
              rewriter, loc, kernels.getFactorsType(type.getElementType()), layout.base, layout.offset,
              {blocks, rewriter.getIndexAttr(type.getDimSize(1)), block}, {block, rewriter.getIndexAttr(known), unit}));
        }
        bool isRow = op.hasIntegers() && isConstantIntValue(height, 1);
        if (!isRow)
          addScratch(rewriter, loc, kernels, steps, arguments);
        func::CallOp::create(rewriter, loc, isRow ? kernels.getProductOfRow(false) : kernels.getProduct(false),
                             arguments);
      }
      if (ShapedType::isDynamic(known) || known % kernels.getBlockSize()) {
        Value rest = arith::RemUIOp::create(rewriter, loc, width, perBlock);
        Value some = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne, rest, zero);
        auto branch = scf::IfOp::create(rewriter, loc, some);
        rewriter.setInsertionPointToStart(&branch.getThenRegion().front());
        Value done = arith::SubIOp::create(rewriter, loc, width, rest);
        for (unsigned i : {1, 2})
          layouts[i].offset = add(rewriter, loc, layouts[i].offset, done);
        Value b = view(matrixType, layouts[1], {unit, sum, block}, {block, rowOfB, unit});
        Value c = view(blocksType, layouts[2], {height, unit, block}, {rowOfC, block, unit});
        SmallVector<Value> arguments = makeProductArguments(a, b, c, op.getStart());
        arguments.push_back(rest);
        func::CallOp::create(rewriter, loc, kernels.getProduct(/*masked=*/true), arguments);
      }
    }
    return success();
  }

  /// Adds the scratch of a narrow matrix, in which the kernel widens one block after the other.
  static void addScratch(RewriterBase &rewriter, Location loc, const ProductKernels &kernels, int64_t shared,
                         SmallVectorImpl<Value> &arguments) {
    if (!kernels.isNarrow())
      return;
    MemRefType type = kernels.getBlocksType();
    auto scratch = memref::AllocOp::create(rewriter, loc,
                                           MemRefType::get({1, shared, kernels.getBlockSize()}, type.getElementType()));
    arguments.push_back(memref::CastOp::create(rewriter, loc, type, scratch));
  }

  /// Emits the call of the kernel for a matrix of pairs, with its scratches if it rounds the rows.
  static void createCallForPairs(RewriterBase &rewriter, rt::ProductOp op, ProductKernels &kernels,
                                 ArrayRef<Layout> layouts, OpFoldResult height, OpFoldResult rowOfA,
                                 OpFoldResult rowOfC) {
    Location loc = op.getLoc();
    auto stride = [&](unsigned operand, unsigned loop) { return layouts[operand].strides.lookup(loop); };
    auto view = [&](MemRefType type, unsigned operand, ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides) {
      return createKernelView(rewriter, loc, type, layouts[operand].base, layouts[operand].offset, sizes, strides);
    };
    unsigned column = op.getBlocks().front();
    int64_t steps = op.getLoopSizes().back();
    bool hasRoundedRows = getElementTypeOrSelf(op.getRows()).isBF16();
    OpFoldResult unit = rewriter.getIndexAttr(1), blocks = getSize(rewriter, loc, layouts, column),
                 block = rewriter.getIndexAttr(kernels.getBlockSize());
    Value a = view(hasRoundedRows ? kernels.getRowsType() : kernels.getMatrixType(), 0,
                   {height, rewriter.getIndexAttr(steps)}, {rowOfA, unit});
    Value b = view(kernels.getMatrixBlocksType(), 1,
                   {blocks, rewriter.getIndexAttr(steps / 2), rewriter.getIndexAttr(2 * kernels.getBlockSize())},
                   {stride(1, column), stride(1, op.getSharedLoop()), unit});
    Value c = view(kernels.getBlocksType(), 2, {height, blocks, block}, {rowOfC, stride(2, column), unit});
    SmallVector<Value> arguments = makeProductArguments(a, b, c, op.getStart());
    if (hasRoundedRows) {
      func::CallOp::create(rewriter, loc,
                           isConstantIntValue(height, 1) ? kernels.getProductOfRow(/*masked=*/false)
                                                         : kernels.getProduct(/*masked=*/false),
                           arguments);
      return;
    }
    func::FuncOp kernel = kernels.getProductOfPairs();
    arguments.resize(kProductArgumentsOfPairs);
    for (auto [number, type] : {std::pair(kProductWideRows, kernels.getWideRowsType(steps)),
                                std::pair(kProductTileRows, kernels.getTileRowsType(steps))}) {
      Value scratch = memref::AllocOp::create(rewriter, loc, type);
      arguments[number] = memref::CastOp::create(rewriter, loc, kernel.getFunctionType().getInput(number), scratch);
    }
    arguments[kProductMayUseTiles] = rt::MayUseTilesOp::create(rewriter, loc);
    func::CallOp::create(rewriter, loc, kernel, arguments);
  }

  /// True if `loop` and the next one, `next`, provably run over one contiguous dim in A and in C, whatever the sizes
  /// are.
  static bool isOneWith(rt::ProductOp op, unsigned loop, unsigned next) {
    AffineMap result = AffineMap::getMultiDimIdentityMap(op.getSharedLoop(), op.getContext());
    for (auto [operand, map] : {std::pair<Value, AffineMap>(op.getRows(), op.getRowsMap()),
                                std::pair<Value, AffineMap>(op.getInit(), result)}) {
      auto type = cast<MemRefType>(operand.getType());
      unsigned i = *map.getResultPosition(getAffineDimExpr(loop, op.getContext())),
               j = *map.getResultPosition(getAffineDimExpr(next, op.getContext()));
      // Only dims of one element may be between them.
      for (unsigned between = i + 1; between < j; ++between)
        if (type.getDimSize(between) != 1)
          return false;
      if (i > j)
        return false;
      if (type.getLayout().isIdentity())
        continue;
      SmallVector<int64_t> strides;
      int64_t offset;
      if (failed(type.getStridesAndOffset(strides, offset)) || type.isDynamicDim(j) ||
          ShapedType::isDynamic(strides[i]) || ShapedType::isDynamic(strides[j]) ||
          strides[i] != type.getDimSize(j) * strides[j])
        return false;
    }
    return true;
  }

  /// The layout of `buffer`, whose first dims the loops of `map` index. The other dims are not part of it.
  static Layout getLayout(RewriterBase &rewriter, Location loc, Value buffer, AffineMap map) {
    auto metadata = memref::ExtractStridedMetadataOp::create(rewriter, loc, buffer);
    Layout layout;
    layout.base = metadata.getBaseBuffer();
    layout.offset = metadata.getConstifiedMixedOffset();
    SmallVector<OpFoldResult> sizes = metadata.getConstifiedMixedSizes(),
                              strides = metadata.getConstifiedMixedStrides();
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      layout.sizes[loop] = sizes[i];
      layout.strides[loop] = strides[i];
    }
    return layout;
  }
  static Layout getLayoutOfResult(RewriterBase &rewriter, rt::ProductOp op) {
    return getLayout(rewriter, op.getLoc(), op.getInit(), rewriter.getMultiDimIdentityMap(op.getSharedLoop()));
  }

  /// The size of `loop`, as a constant if one of the operands has a static size.
  static Value getSize(RewriterBase &rewriter, Location loc, ArrayRef<Layout> layouts, unsigned loop) {
    OpFoldResult size;
    for (const Layout &layout : layouts)
      if (auto it = layout.sizes.find(loop); it != layout.sizes.end() && (!size || isa<Attribute>(it->second)))
        size = it->second;
    return getValueOrCreateConstantIndexOp(rewriter, loc, size);
  }

  /// The sum or the product of `a` and `b`. If one of them is `neutral`, it is the other one.
  template <typename Op>
  static OpFoldResult combine(RewriterBase &rewriter, Location loc, OpFoldResult a, OpFoldResult b, int64_t neutral) {
    if (isConstantIntValue(a, neutral))
      return b;
    if (isConstantIntValue(b, neutral))
      return a;
    return Op::create(rewriter, loc, getValueOrCreateConstantIndexOp(rewriter, loc, a),
                      getValueOrCreateConstantIndexOp(rewriter, loc, b))
        .getResult();
  }
  static OpFoldResult add(RewriterBase &rewriter, Location loc, OpFoldResult a, OpFoldResult b) {
    return combine<arith::AddIOp>(rewriter, loc, a, b, 0);
  }
  static OpFoldResult multiply(RewriterBase &rewriter, Location loc, OpFoldResult a, OpFoldResult b) {
    return combine<arith::MulIOp>(rewriter, loc, a, b, 1);
  }
};
} // namespace
