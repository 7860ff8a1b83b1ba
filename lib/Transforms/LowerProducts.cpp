// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LowerProducts.cpp - Products of sizes that the call tells ----------===//

#include "Recur/Transforms/Passes.h"
#include "RowProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {
#define GEN_PASS_DEF_LOWERPRODUCTS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// What scf-to-cf hands on from a loop to the branch back.
static constexpr llvm::StringLiteral kAnnotation = "llvm.loop_annotation";

namespace {
struct Target {
  int64_t vectorBits, registers;
};

/// Emits a function that computes C[rows, blocks, lanes] = start + A[rows, shared] * B[blocks, shared, lanes].
/// A masked kernel has one block, of as many columns as it is told, and takes it vector by vector.
class Kernel {
public:
  Kernel(func::FuncOp func, FloatType type, int64_t lanes, int64_t registers, bool masked)
      : func(func), builder(func.getBody()), loc(func.getLoc()), type(type), vector(VectorType::get(lanes, type)),
        lanes(lanes), vectors(masked ? 1 : 2), maxRows(getMaxRows(registers, masked)), masked(masked) {}

  /// A single row needs none of the other code: it is a function of its own, `row`, and the others are `rows`.
  void emitChoice(func::FuncOp row, func::FuncOp rows) {
    Value height = memref::DimOp::create(builder, loc, func.getArgument(0), 0);
    Value isOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, height, index(1));
    auto choice = scf::IfOp::create(builder, loc, isOne, /*withElseRegion=*/true);
    for (auto [callee, block] : {std::pair(row, choice.thenBlock()), std::pair(rows, choice.elseBlock())}) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(block);
      func::CallOp::create(builder, loc, callee, func.getArguments());
    }
    func::ReturnOp::create(builder, loc);
  }

  void emitRow() {
    emitRows(1, index(0), index(1), index(0), getBlocks(), getShared());
    func::ReturnOp::create(builder, loc);
  }

  /// No rows, or more than one.
  void emitRows() {
    Value zero = index(0), one = index(1), most = index(maxRows);
    Value rows = memref::DimOp::create(builder, loc, func.getArgument(0), 0);
    Value shared = getShared(), blocks = getBlocks();
    // Tiles whose numbers of rows differ by one at most: `large` of `small + 1` rows, then those of `small`.
    Value tiles =
        arith::DivUIOp::create(builder, loc, arith::AddIOp::create(builder, loc, rows, index(maxRows - 1)), most);
    tiles = arith::MaxUIOp::create(builder, loc, tiles, one);
    Value small = arith::DivUIOp::create(builder, loc, rows, tiles);
    Value large = arith::SubIOp::create(builder, loc, rows, arith::MulIOp::create(builder, loc, small, tiles));
    Value hasLarge = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, large, zero);
    Value hasOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, tiles, one);
    // Blocks come outermost, so that all tiles read one from a near cache. One tile reads all of them at once.
    Value step = arith::SelectOp::create(builder, loc, hasOne, arith::MaxUIOp::create(builder, loc, blocks, one), one);
    auto groups = scf::ForOp::create(builder, loc, zero, blocks, step);
    enter(groups, [&](Value group) {
      Value end = arith::MinUIOp::create(builder, loc, arith::AddIOp::create(builder, loc, group, step), blocks);
      Value first = arith::SelectOp::create(builder, loc, hasLarge, zero, one);
      auto parts = scf::ForOp::create(builder, loc, first, index(2), one);
      enter(parts, [&](Value part) {
        Value isSmall = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, part, zero);
        Value smallStart = arith::MulIOp::create(builder, loc, large, arith::AddIOp::create(builder, loc, small, one));
        Value start = arith::SelectOp::create(builder, loc, isSmall, smallStart, zero);
        Value stop = arith::SelectOp::create(builder, loc, isSmall, rows, smallStart);
        Value height =
            arith::SelectOp::create(builder, loc, isSmall, small, arith::AddIOp::create(builder, loc, small, one));
        emitSwitch(height, 2, maxRows, [&](int64_t rows) { emitRows(rows, start, stop, group, end, shared); });
      });
    });
    func::ReturnOp::create(builder, loc);
  }

private:
  /// How many accumulators hide the latency of a multiply-add.
  static constexpr int64_t enough = 8;

  /// As many rows as leave registers for what is loaded, and no more than keep the units busy.
  static int64_t getMaxRows(int64_t registers, bool masked) { return registers >= 32 && !masked ? 8 : 6; }

  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value getShared() { return memref::DimOp::create(builder, loc, func.getArgument(0), 1); }
  Value getBlocks() {
    if (!masked)
      return memref::DimOp::create(builder, loc, func.getArgument(1), 0);
    return arith::CeilDivUIOp::create(builder, loc, func.getArgument(4), index(lanes));
  }
  Value offset(Value value, int64_t by) {
    return by ? arith::AddIOp::create(builder, loc, value, index(by)).getResult() : value;
  }

  void enter(scf::ForOp loop, function_ref<void(Value)> body) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    keep(loop);
    body(loop.getInductionVar());
  }

  /// Copies of these loops gain nothing: the accumulators fill the registers.
  void keep(scf::ForOp loop) {
    MLIRContext *context = builder.getContext();
    auto unroll = LLVM::LoopUnrollAttr::get(context, /*disable=*/BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
    loop->setDiscardableAttr(kAnnotation, LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {}, {},
                                                                        {}, {}, {}, {}, {}, {}));
  }

  /// Code for each of first...last that `value` may be; nothing for any other.
  void emitSwitch(Value value, int64_t first, int64_t last, function_ref<void(int64_t)> emitCase) {
    SmallVector<int64_t> cases;
    for (int64_t i = first; i <= last; ++i)
      cases.push_back(i);
    auto choice = scf::IndexSwitchOp::create(builder, loc, TypeRange(), value, cases, cases.size());
    OpBuilder::InsertionGuard guard(builder);
    for (auto [i, region] : llvm::zip_equal(cases, choice.getCaseRegions())) {
      builder.createBlock(&region);
      emitCase(i);
      scf::YieldOp::create(builder, loc);
    }
    builder.createBlock(&choice.getDefaultRegion());
    scf::YieldOp::create(builder, loc);
  }

  /// Few rows take several blocks at once, so that there are accumulators enough: `step` at a time, then half as many of
  /// what is left, and so on. One row takes a single block that is left together with the `step` before it, because a
  /// pass over the shared dim costs much there. A masked kernel takes one vector at a time: it has two at most.
  void emitRows(int64_t rows, Value start, Value stop, Value group, Value end, Value shared) {
    int64_t step = masked ? 1 : llvm::bit_floor(uint64_t(std::max<int64_t>(1, enough / (rows * vectors))));
    auto emitTiles = [&](int64_t width, Value block) {
      if (rows == 1)
        return emitTile(rows, width, start, block, shared);
      auto tiles = scf::ForOp::create(builder, loc, start, stop, index(rows));
      enter(tiles, [&](Value row) { emitTile(rows, width, row, block, shared); });
    };
    Value from = group;
    for (int64_t width = step; width >= 1; width /= 2) {
      Value to = end, hasOneMore;
      if (width > 1) {
        Value count = arith::SubIOp::create(builder, loc, end, from);
        Value rest = arith::RemUIOp::create(builder, loc, count, index(width));
        if (rows == 1 && width == step) {
          Value isOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest, index(1));
          Value isMore = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, count, index(width));
          hasOneMore = arith::AndIOp::create(builder, loc, isOne, isMore);
          rest = arith::SelectOp::create(builder, loc, hasOneMore, index(width + 1), rest);
        }
        to = arith::SubIOp::create(builder, loc, end, rest);
      }
      auto columns = scf::ForOp::create(builder, loc, from, to, index(width));
      enter(columns, [&](Value block) { emitTiles(width, block); });
      from = to;
      if (hasOneMore) {
        auto choice = scf::IfOp::create(builder, loc, hasOneMore);
        {
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPointToStart(choice.thenBlock());
          emitTiles(width + 1, to);
        }
        from = arith::SelectOp::create(builder, loc, hasOneMore, end, to);
      }
    }
  }

  void emitTile(int64_t rows, int64_t width, Value row, Value block, Value shared) {
    Value c = func.getArgument(2);
    int64_t columns = width * vectors, count = rows * columns;
    SmallVector<Value> masks;
    SmallVector<SmallVector<Value>> places;
    for (int64_t i = 0; i < columns; ++i) {
      if (!masked) {
        places.push_back({offset(block, i / 2), index(i % 2 * lanes)});
        continue;
      }
      Value column = arith::MulIOp::create(builder, loc, offset(block, i), index(lanes));
      Value left = arith::SubIOp::create(builder, loc, func.getArgument(4), column);
      masks.push_back(vector::CreateMaskOp::create(builder, loc, VectorType::get(lanes, builder.getI1Type()), left));
      places.push_back({index(0), column});
    }
    // Where a tile has few accumulators, several steps along the shared dim have accumulators of their own.
    int64_t chains = llvm::bit_floor(uint64_t(std::max<int64_t>(enough / count, 1)));
    Value first = vector::BroadcastOp::create(builder, loc, vector, func.getArgument(3));
    SmallVector<Value> sums(count, first);
    Value whole = index(0);
    auto emitLoop = [&](Value from, Value to, int64_t step) {
      auto loop = scf::ForOp::create(builder, loc, from, to, index(step), sums);
      enter(loop, [&](Value k) {
        SmallVector<Value> next(loop.getRegionIterArgs());
        for (int64_t i = 0; i < step; ++i)
          emitStep(rows, row, offset(k, i), places, masks, MutableArrayRef<Value>(next).slice(i * count, count));
        scf::YieldOp::create(builder, loc, next);
      });
      sums.assign(loop.result_begin(), loop.result_end());
    };
    if (chains > 1) {
      whole = arith::SubIOp::create(builder, loc, shared, arith::RemUIOp::create(builder, loc, shared, index(chains)));
      sums.resize(count * chains,
                  arith::ConstantOp::create(builder, loc, vector, builder.getZeroAttr(vector)).getResult());
      emitLoop(index(0), whole, chains);
      for (int64_t half = count * chains / 2; half >= count; half /= 2)
        for (int64_t i = 0; i < half; ++i)
          sums[i] = arith::AddFOp::create(builder, loc, sums[i], sums[i + half]);
      sums.truncate(count);
    }
    emitLoop(whole, shared, 1);
    for (auto [i, sum] : llvm::enumerate(sums)) {
      ArrayRef<Value> place = places[i % columns];
      SmallVector<Value> indices{offset(row, i / columns), place[0], place[1]};
      if (masked)
        vector::MaskedStoreOp::create(builder, loc, c, indices, masks[i % columns], sum);
      else
        vector::StoreOp::create(builder, loc, sum, c, indices);
    }
  }

  /// One step along the shared dim for all rows and columns of a tile.
  void emitStep(int64_t rows, Value row, Value k, ArrayRef<SmallVector<Value>> places, ArrayRef<Value> masks,
                MutableArrayRef<Value> sums) {
    Value a = func.getArgument(0), b = func.getArgument(1);
    SmallVector<Value> columns;
    for (auto [i, place] : llvm::enumerate(places)) {
      SmallVector<Value> indices{place[0], k, place[1]};
      if (!masked) {
        columns.push_back(vector::LoadOp::create(builder, loc, vector, b, indices));
        continue;
      }
      Value nothing = arith::ConstantOp::create(builder, loc, vector, builder.getZeroAttr(vector));
      columns.push_back(vector::MaskedLoadOp::create(builder, loc, vector, b, indices, masks[i], nothing));
    }
    for (int64_t r = 0; r < rows; ++r) {
      Value element = memref::LoadOp::create(builder, loc, a, ValueRange{offset(row, r), k});
      Value factor = vector::BroadcastOp::create(builder, loc, vector, element);
      for (auto [i, column] : llvm::enumerate(columns)) {
        Value &sum = sums[r * columns.size() + i];
        sum = math::FmaOp::create(builder, loc, factor, column, sum);
      }
    }
  }

  func::FuncOp func;
  OpBuilder builder;
  Location loc;
  FloatType type;
  VectorType vector;
  /// Lanes of a vector, vectors of a block, rows of a tile.
  int64_t lanes, vectors, maxRows;
  bool masked;
};

/// Sizes and strides of a buffer, by the loops of a product.
struct Layout {
  Value base;
  OpFoldResult offset;
  llvm::SmallDenseMap<unsigned, OpFoldResult> sizes, strides;
};

struct LowerProducts final : recur::impl::LowerProductsBase<LowerProducts> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.hasPureBufferSemantics() && callsKernel(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops)
      (void)lower(rewriter, op);
  }

  /// The fill that `op` starts from, with nothing between them that has to do with memory.
  static linalg::FillOp findFill(linalg::GenericOp op) {
    Value c = op.getDpsInits()[0];
    for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode()) {
      if (auto fill = dyn_cast<linalg::FillOp>(before))
        return fill.getOutputs()[0] == c ? fill : linalg::FillOp();
      if (!isMemoryEffectFree(before) && !isa<memref::AllocOp>(before))
        return {};
    }
    return {};
  }

  LogicalResult lower(RewriterBase &rewriter, linalg::GenericOp op) {
    RowProduct product = *matchRowProduct(op);
    OpOperand *operands[] = {op.getDpsInputOperand(product.a), op.getDpsInputOperand(product.b),
                             op.getDpsInitOperand(0)};
    auto type = cast<FloatType>(getElementTypeOrSelf(operands[2]->get().getType()));
    int64_t lanes = std::max<int64_t>(1, vectorBits / type.getWidth());
    SmallVector<SmallVector<int64_t>> typeStrides(3);
    for (auto [operand, strides] : llvm::zip_equal(operands, typeStrides)) {
      int64_t offset;
      if (failed(cast<MemRefType>(operand->get().getType()).getStridesAndOffset(strides, offset)))
        return rewriter.notifyMatchFailure(op, "expected buffers with strides");
    }
    if (typeStrides[1].back() != 1 || typeStrides[2].back() != 1)
      return rewriter.notifyMatchFailure(op, "expected rows whose elements are one after the other");
    linalg::FillOp fill = findFill(op);
    if (!fill)
      return rewriter.notifyMatchFailure(op, "expected a product that starts from a fill");
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    bool packed = !product.blocks.empty() && ranges[product.lane] == 2 * lanes;

    // Rows one after the other, in A and C, are one dim; other rows, and batches, are loops.
    SmallVector<unsigned> rows, apart, outer = product.batch;
    for (unsigned loop : llvm::reverse(product.rows)) {
      // One row is at the offset, whatever its stride.
      if (ranges[loop] == 1)
        continue;
      if (rows.empty() || (apart.empty() && isOneWith(op, operands, loop, rows.back())))
        rows.push_back(loop);
      else
        apart.push_back(loop);
    }
    std::reverse(rows.begin(), rows.end());
    if (!product.blocks.empty() && !packed)
      outer.push_back(product.blocks.front());

    Location loc = op.getLoc();
    rewriter.setInsertionPoint(op);
    SmallVector<Layout> layouts;
    for (OpOperand *operand : operands)
      layouts.push_back(getLayout(rewriter, op, operand));
    Value start = fill.getInputs()[0];
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0),
          one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    OpFoldResult height = rewriter.getIndexAttr(1), rowOfA = rewriter.getIndexAttr(0),
                 rowOfC = rewriter.getIndexAttr(0);
    for (unsigned loop : rows) {
      height = multiply(rewriter, loc, height, getSize(rewriter, loc, layouts, loop));
      // The last stride is that of the whole.
      rowOfA = layouts[0].strides[loop];
      rowOfC = layouts[2].strides[loop];
    }
    auto enterLoop = [&](Value size, ArrayRef<OpFoldResult> strides) {
      auto nest = scf::ForOp::create(rewriter, loc, zero, size, one);
      rewriter.setInsertionPointToStart(nest.getBody());
      for (auto [layout, stride] : llvm::zip_equal(layouts, strides))
        if (stride)
          layout.offset = add(rewriter, loc, layout.offset, multiply(rewriter, loc, nest.getInductionVar(), stride));
    };
    // The call takes the longer one of rows that are apart, so that a batch of 1, or one step of time, costs nothing.
    auto choose = [&](Value isFirst, OpFoldResult a, OpFoldResult b) -> OpFoldResult {
      if (a == b)
        return a;
      return arith::SelectOp::create(rewriter, loc, isFirst, getValueOrCreateConstantIndexOp(rewriter, loc, a),
                                     getValueOrCreateConstantIndexOp(rewriter, loc, b))
          .getResult();
    };
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
      enterLoop(getValueOrCreateConstantIndexOp(rewriter, loc, less), {outerOfA, OpFoldResult(), outerOfC});
    }
    for (unsigned loop : outer) {
      SmallVector<OpFoldResult> strides;
      for (Layout &layout : layouts)
        strides.push_back(layout.strides.lookup(loop));
      enterLoop(getSize(rewriter, loc, layouts, loop), strides);
    }
    OpFoldResult shared = getSize(rewriter, loc, layouts, product.shared);
    auto view = [&](Layout &layout, ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides) -> Value {
      int64_t lane = sizes.size() == 3 ? 2 * lanes : ShapedType::kDynamic;
      return reinterpret(rewriter, loc, type, layout, sizes, strides, lane);
    };
    OpFoldResult unit = rewriter.getIndexAttr(1), block = rewriter.getIndexAttr(2 * lanes);
    Value a = view(layouts[0], {height, shared}, {rowOfA, layouts[0].strides[product.shared]});
    OpFoldResult rowOfB = layouts[1].strides[product.shared];
    if (packed) {
      unsigned column = product.blocks.front();
      OpFoldResult blocks = getSize(rewriter, loc, layouts, column);
      Value b = view(layouts[1], {blocks, shared, block}, {layouts[1].strides[column], rowOfB, unit});
      Value c = view(layouts[2], {height, blocks, block}, {rowOfC, layouts[2].strides[column], unit});
      func::CallOp::create(rewriter, loc, getKernel(type, lanes, /*masked=*/false), ValueRange{a, b, c, start});
    } else {
      // Whole blocks of columns, and what is left of them.
      Value width = getValueOrCreateConstantIndexOp(rewriter, loc, getSize(rewriter, loc, layouts, product.lane));
      Value lane = getValueOrCreateConstantIndexOp(rewriter, loc, block);
      int64_t known = ranges[product.lane];
      if (ShapedType::isDynamic(known) || known >= 2 * lanes) {
        OpFoldResult blocks = arith::DivUIOp::create(rewriter, loc, width, lane).getResult();
        Value b = view(layouts[1], {blocks, shared, block}, {block, rowOfB, unit});
        Value c = view(layouts[2], {height, blocks, block}, {rowOfC, block, unit});
        func::CallOp::create(rewriter, loc, getKernel(type, lanes, /*masked=*/false), ValueRange{a, b, c, start});
      }
      if (ShapedType::isDynamic(known) || known % (2 * lanes)) {
        Value rest = arith::RemUIOp::create(rewriter, loc, width, lane);
        Value some = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne, rest, zero);
        auto branch = scf::IfOp::create(rewriter, loc, some);
        rewriter.setInsertionPointToStart(&branch.getThenRegion().front());
        Value done = arith::SubIOp::create(rewriter, loc, width, rest);
        for (unsigned i : {1, 2})
          layouts[i].offset = add(rewriter, loc, layouts[i].offset, done);
        Value b = view(layouts[1], {unit, shared, block}, {block, rowOfB, unit});
        Value c = view(layouts[2], {height, unit, block}, {rowOfC, block, unit});
        func::CallOp::create(rewriter, loc, getKernel(type, lanes, /*masked=*/true), ValueRange{a, b, c, start, rest});
      }
    }
    rewriter.eraseOp(op);
    rewriter.eraseOp(fill);
    return success();
  }

  /// True if `loop` and the one after it, `next`, run over one dim in A and in C, whatever the sizes are.
  static bool isOneWith(linalg::GenericOp op, ArrayRef<OpOperand *> operands, unsigned loop, unsigned next) {
    for (OpOperand *operand : {operands[0], operands[2]}) {
      auto type = cast<MemRefType>(operand->get().getType());
      AffineMap map = op.getMatchingIndexingMap(operand);
      MLIRContext *context = op.getContext();
      unsigned i = *map.getResultPosition(getAffineDimExpr(loop, context)),
               j = *map.getResultPosition(getAffineDimExpr(next, context));
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

  static Layout getLayout(RewriterBase &rewriter, linalg::GenericOp op, OpOperand *operand) {
    auto metadata = memref::ExtractStridedMetadataOp::create(rewriter, op.getLoc(), operand->get());
    Layout layout;
    layout.base = metadata.getBaseBuffer();
    layout.offset = metadata.getConstifiedMixedOffset();
    SmallVector<OpFoldResult> sizes = metadata.getConstifiedMixedSizes(),
                              strides = metadata.getConstifiedMixedStrides();
    for (auto [i, expr] : llvm::enumerate(op.getMatchingIndexingMap(operand).getResults())) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      layout.sizes[loop] = sizes[i];
      layout.strides[loop] = strides[i];
    }
    return layout;
  }

  /// A size that is a constant, if one of the operands knows it.
  static Value getSize(RewriterBase &rewriter, Location loc, ArrayRef<Layout> layouts, unsigned loop) {
    OpFoldResult size;
    for (const Layout &layout : layouts)
      if (auto it = layout.sizes.find(loop); it != layout.sizes.end() && (!size || isa<Attribute>(it->second)))
        size = it->second;
    return getValueOrCreateConstantIndexOp(rewriter, loc, size);
  }

  /// The sum or the product, which is the other operand where one is `neutral`.
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

  static MemRefType getViewType(MLIRContext *context, Type type, unsigned rank, int64_t lane) {
    SmallVector<int64_t> shape(rank, ShapedType::kDynamic), strides(rank, ShapedType::kDynamic);
    if (rank == 3) {
      shape.back() = lane;
      strides.back() = 1;
    }
    return MemRefType::get(shape, type, StridedLayoutAttr::get(context, ShapedType::kDynamic, strides));
  }

  static Value reinterpret(RewriterBase &rewriter, Location loc, Type type, const Layout &layout,
                           ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides, int64_t lane) {
    MemRefType view = getViewType(rewriter.getContext(), type, sizes.size(), lane);
    // The type does not tell what is constant: one function serves all.
    auto asValues = [&](ArrayRef<OpFoldResult> from, ArrayRef<int64_t> known) {
      SmallVector<OpFoldResult> to;
      for (auto [value, size] : llvm::zip_equal(from, known))
        to.push_back(ShapedType::isDynamic(size) ? OpFoldResult(getValueOrCreateConstantIndexOp(rewriter, loc, value))
                                                 : OpFoldResult(rewriter.getIndexAttr(size)));
      return to;
    };
    SmallVector<int64_t> knownStrides;
    int64_t offset;
    (void)view.getStridesAndOffset(knownStrides, offset);
    OpFoldResult first = getValueOrCreateConstantIndexOp(rewriter, loc, layout.offset);
    return memref::ReinterpretCastOp::create(rewriter, loc, view, layout.base, first, asValues(sizes, view.getShape()),
                                             asValues(strides, knownStrides));
  }

  /// The one function for a kind of product, made when it is first asked for.
  func::FuncOp getKernel(FloatType type, int64_t lanes, bool masked) {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    std::string name;
    llvm::raw_string_ostream(name) << "rt_product_" << type << (masked ? "_rest" : "");
    if (auto known = module.lookupSymbol<func::FuncOp>(name))
      return known;
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    SmallVector<Type> arguments{getViewType(context, type, 2, 0), getViewType(context, type, 3, 2 * lanes),
                                getViewType(context, type, 3, 2 * lanes), type};
    if (masked)
      arguments.push_back(builder.getIndexType());
    auto create = [&](const Twine &suffix) {
      auto kernel = func::FuncOp::create(builder, module.getLoc(), (name + suffix).str(),
                                         builder.getFunctionType(arguments, {}));
      kernel.setPrivate();
      kernel->setAttr(kKernelAttr, builder.getUnitAttr());
      // One copy of the code for all products.
      kernel->setAttr("passthrough", builder.getStrArrayAttr({"noinline"}));
      kernel.addEntryBlock();
      return kernel;
    };
    func::FuncOp kernel = create(""), row = create("_row"), rows = create("_rows");
    Kernel(kernel, type, lanes, vectorRegisters, masked).emitChoice(row, rows);
    Kernel(row, type, lanes, vectorRegisters, masked).emitRow();
    Kernel(rows, type, lanes, vectorRegisters, masked).emitRows();
    return kernel;
  }
};
} // namespace
