// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ProductKernels.cpp - Code for products of any size -----------------===//
//
// Each kernel serves all sizes, which are arguments. It has static code for every tile height that fits the registers,
// and chooses among these at run time. A tile keeps its accumulators in registers and stores each element of the result
// once.
//
//===----------------------------------------------------------------------===//

#include "ProductKernels.h"
#include "DotKernel.h"
#include "KernelBuilder.h"
#include "NarrowWeights.h"
#include "PairKernel.h"
#include "Recur/Analysis/KernelParts.h"
#include "Recur/Analysis/WorkEstimate.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "TargetFacts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace mlir;
using namespace recur;

/// The fewest vector registers of a target.
static constexpr int64_t kLeastRegisters = 16;

/// True if a vector takes several registers.
static bool hasFewRegisters(int64_t registers) { return registers < kLeastRegisters; }

namespace {
/// Emits a function that computes C[rows, blocks, lanes] = start + A[rows, shared] * B[blocks, shared, lanes]. A masked
/// kernel has one block, whose number of columns is an argument, and computes it vector by vector.
class ProductKernel : KernelBuilder {
public:
  ProductKernel(func::FuncOp func, FloatType type, const MatrixElements &matrix, int64_t lanes, int64_t registers,
                bool masked, int64_t perElement)
      : KernelBuilder(func, type, lanes), matrix(matrix), vectors(masked ? 1 : 2), perElement(perElement),
        enough(getEnough(matrix.hasRoundedRows ? kEnoughAccumulatorsOfPairs : kEnoughAccumulators, registers)),
        maxRows(getMaxRows(registers, masked)), mostBlocks(getMostBlocks(registers, masked)), masked(masked) {}

  /// A part has some blocks, so many that a tile of a single row has enough accumulators.
  KernelParts getParts() const {
    KernelParts parts{{{kProductMatrix, 0}, {kProductResult, 1}},
                      enough / vectors,
                      {{kProductRows, 0}, {getArgumentOfSteps(), 1}, {kProductMatrix, 0}},
                      kWorkPerInstruction * vectors};
    for (unsigned i = 0; i < matrix.getNumFactors(); ++i)
      parts.along.push_back({kProductOthers + i, 0});
    return parts;
  }

  /// The same for several rows: a part may have some rows too, which are no fewer than a tile's.
  KernelParts getPartsOfRows() const {
    KernelParts parts = getParts();
    parts.other = {{{kProductRows, 0}, {kProductResult, 0}}, maxRows};
    return parts;
  }

  /// Emits calls: of `row` if there is a single row, of `rows` otherwise. A single row needs none of the code for
  /// tiles, so it has a function of its own. If B is narrow, `panels`, which is null otherwise, computes many
  /// rows.
  void emitChoice(func::FuncOp row, func::FuncOp rows, func::FuncOp panels) {
    Value height = memref::DimOp::create(builder, loc, argument(kProductRows), 0);
    auto emitCall = [&](func::FuncOp callee) {
      func::CallOp::create(builder, loc, callee,
                           func.getArguments().take_front(callee.getFunctionType().getNumInputs()));
    };
    auto emitIf = [&](arith::CmpIPredicate predicate, int64_t limit, func::FuncOp callee) {
      Value is = arith::CmpIOp::create(builder, loc, predicate, height, index(limit));
      auto choice = scf::IfOp::create(builder, loc, is, /*withElseRegion=*/true);
      builder.setInsertionPointToStart(choice.thenBlock());
      emitCall(callee);
      builder.setInsertionPointToStart(choice.elseBlock());
    };
    {
      OpBuilder::InsertionGuard guard(builder);
      emitIf(arith::CmpIPredicate::eq, 1, row);
      if (panels)
        emitIf(arith::CmpIPredicate::ugt, matrix.quantized ? maxRows : getMostRowsInRegisters(maxRows), panels);
      emitCall(rows);
    }
    func::ReturnOp::create(builder, loc);
  }

  /// Emits a loop over the blocks of a narrow B. Each of them is widened in the scratch, and `wideRows` multiplies all
  /// rows by the result.
  void emitPanels(func::FuncOp wideRows) {
    Value shared = getShared(), scratch = func.getArguments().back();
    auto blocks = scf::ForOp::create(builder, loc, index(0), getBlocks(), index(1));
    enter(blocks, [&](Value block) {
      SmallVector<SmallVector<Value>> origins{{block, index(0)}, {block, index(lanes)}};
      SmallVector<Value> none;
      emitGroups(shared, origins, none, [&](Value from, Value to, SmallVectorImpl<Value> &) {
        auto steps = scf::ForOp::create(builder, loc, from, to, index(1));
        enter(steps, [&](Value k) {
          SmallVector<Value> columns;
          loadColumns(k, origins, {}, columns);
          for (auto [i, column] : llvm::enumerate(columns))
            vector::StoreOp::create(builder, loc, column, scratch, {index(0), k, index(i * lanes)});
        });
      });
      Value result = argument(kProductResult);
      auto c = cast<MemRefType>(result.getType());
      OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1),
                   rows = memref::DimOp::create(builder, loc, result, 0).getResult();
      Value own = memref::SubViewOp::create(builder, loc, result, {zero, block, zero},
                                            {rows, one, builder.getIndexAttr(c.getShape().back())}, {one, one, one});
      func::CallOp::create(builder, loc, wideRows,
                           makeProductArguments(argument(kProductRows), scratch,
                                                memref::CastOp::create(builder, loc, c, own), argument(kProductStart)));
    });
    func::ReturnOp::create(builder, loc);
  }

  /// Emits the function for a single row.
  void emitRow() {
    Value shared = getShared();
    if (isWide(mostBlocks))
      stepsTogether = arith::SelectOp::create(builder, loc, hasStreams(),
                                              getWholeSteps(index(0), shared, kStepsTogether), index(0));
    emitRows(1, index(0), index(0), getBlocks(), shared);
    func::ReturnOp::create(builder, loc);
  }

  /// Emits the function for several rows, or none.
  void emitRows() {
    Value rows = memref::DimOp::create(builder, loc, argument(kProductRows), 0), shared = getShared();
    if (masked)
      // All tiles of the only block follow each other.
      emitPanel(index(0), rows, shared);
    else {
      // The numbers of rows of the panels differ by at most one, so none of them has a single row.
      Value panels = getPanels(rows, shared);
      Parts parts = divide(rows, panels);
      auto loop = scf::ForOp::create(builder, loc, index(0), panels, index(1));
      enter(loop, [&](Value panel) {
        auto [first, size] = getPart(panel, parts);
        emitPanel(first, size, shared);
      });
    }
    func::ReturnOp::create(builder, loc);
  }

private:
  /// The panels of the rows, at least one. Each block of columns reads all rows of a panel again, so a panel stays in
  /// L2, unless it would have too few rows to use what they read of B.
  Value getPanels(Value rows, Value shared) {
    Value one = index(1);
    Value length = arith::MaxUIOp::create(builder, loc, shared, one);
    Value most =
        arith::DivUIOp::create(builder, loc, index(kHalfL2Bytes / (vector.getElementTypeBitWidth() / 8)), length);
    most = arith::MaxUIOp::create(builder, loc, most, index(kLeastTilesOfPanel * maxRows));
    return arith::MaxUIOp::create(builder, loc, arith::CeilDivUIOp::create(builder, loc, rows, most), one);
  }

  /// Parts whose numbers of indices differ by at most one: the first `large` ones have `small + 1`, the others `small`.
  struct Parts {
    Value small, large;
  };

  /// Divides `count` indices into `parts` parts, which are at least one.
  Parts divide(Value count, Value parts) {
    Value small = arith::DivUIOp::create(builder, loc, count, parts);
    return {small, arith::RemUIOp::create(builder, loc, count, parts)};
  }

  /// The first index and the size of part `number`.
  std::pair<Value, Value> getPart(Value number, Parts parts) {
    auto [small, large] = parts;
    Value first = arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, number, small),
                                        arith::MinUIOp::create(builder, loc, number, large));
    Value isLarge = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, number, large);
    Value size =
        arith::SelectOp::create(builder, loc, isLarge, arith::AddIOp::create(builder, loc, small, index(1)), small);
    return {first, size};
  }

  /// Emits the tiles of `rows` rows from `from` on.
  void emitPanel(Value from, Value rows, Value shared) {
    Value zero = index(0), one = index(1), most = index(maxRows), blocks = getBlocks();
    // The numbers of rows of the tiles differ by at most one.
    Value tiles = arith::CeilDivUIOp::create(builder, loc, rows, most);
    tiles = arith::MaxUIOp::create(builder, loc, tiles, one);
    Parts parts = divide(rows, tiles);
    Value hasOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, tiles, one);
    // The loop over blocks is outermost, so that all tiles read a block from L2. A single tile takes all
    // blocks in one iteration.
    Value step = arith::SelectOp::create(builder, loc, hasOne, arith::MaxUIOp::create(builder, loc, blocks, one), one);
    auto groups = scf::ForOp::create(builder, loc, zero, blocks, step);
    groups->setAttr(rt::kIndependentAttr, builder.getUnitAttr());
    enter(groups, [&](Value group) {
      Value end = arith::MinUIOp::create(builder, loc, arith::AddIOp::create(builder, loc, group, step), blocks);
      auto loop = scf::ForOp::create(builder, loc, zero, tiles, one);
      loop->setAttr(rt::kTilesOfBlockAttr, builder.getUnitAttr());
      enter(loop, [&](Value tile) {
        auto [first, height] = getPart(tile, parts);
        Value row = arith::AddIOp::create(builder, loc, from, first);
        emitSwitch(height, std::min<int64_t>(2, maxRows), maxRows,
                   [&](int64_t rows) { emitRows(rows, row, group, end, shared); });
      });
    });
  }

  /// The most rows of a tile: they leave registers for loaded values, of which integers and pairs have more than
  /// others, and are no more than it takes to keep the units busy.
  int64_t getMaxRows(int64_t registers, bool masked) const {
    bool hasMore = matrix.quantized || (matrix.hasPairs && !matrix.hasRoundedRows);
    // So few, because each vector takes registers, and no fewer, because tiles shall have two rows or more.
    if (hasFewRegisters(registers))
      return 3;
    int64_t rows = !hasManyRegisters(registers) || masked ? 6 : hasMore ? 12 : getAccumulators(registers) / 2;
    return std::max<int64_t>(1, rows / perElement);
  }

  /// The accumulators that keep the units busy: `most` vectors of a register each, or fewer larger ones.
  static int64_t getEnough(int64_t most, int64_t registers) {
    return hasFewRegisters(registers) ? std::max<int64_t>(2, most * registers / kLeastRegisters) : most;
  }

  /// Zero points and scales take registers too. A tile of one block more than there must be has registers everywhere.
  int64_t getMostBlocks(int64_t registers, bool masked) const {
    bool hasRegisters = hasManyRegisters(registers) && !matrix.quantized && !matrix.hasRoundedRows;
    int64_t least = std::max<int64_t>(1, enough / (vectors * perElement));
    return masked ? 1 : perElement == 1 && hasRegisters ? 2 * least : least + 1;
  }

  /// True for the tile of a row that has more accumulators than it needs, so that it reads more streams. A step of
  /// pairs is two steps already.
  bool isWide(int64_t blocks) const { return blocks * vectors >= 2 * enough && !matrix.hasPairs; }

  /// The steps along the shared dim: its elements, or its pairs.
  Value getShared() { return memref::DimOp::create(builder, loc, argument(getArgumentOfSteps()), 1); }
  /// The argument whose second dim has these steps.
  unsigned getArgumentOfSteps() const { return matrix.hasPairs ? kProductMatrix : kProductRows; }
  /// The end of the steps from `from` on that can be taken `step` at a time, which is `to` or little less.
  Value getWholeSteps(Value from, Value to, int64_t step) {
    Value steps = arith::SubIOp::create(builder, loc, to, from);
    return arith::SubIOp::create(builder, loc, to, arith::RemUIOp::create(builder, loc, steps, index(step)));
  }
  Value getBlocks() {
    if (!masked)
      return memref::DimOp::create(builder, loc, argument(kProductMatrix), 0);
    return arith::CeilDivUIOp::create(builder, loc, argument(kProductColumns), index(lanes));
  }
  /// Emits the tiles of `rows` rows from `row` on, for blocks `group` to `end`. If there are few rows, a tile takes
  /// several blocks, so that it has enough accumulators: `step` blocks at a time, then half as many of the remaining
  /// ones, and so on. A masked kernel has at most two vectors, and takes one at a time.
  void emitRows(int64_t rows, Value row, Value group, Value end, Value shared) {
    if (rows == 1 && !masked)
      return emitBlocksOfRow(row, group, end, shared);
    int64_t step = masked ? 1 : llvm::bit_floor(uint64_t(std::max<int64_t>(1, enough / (rows * vectors * perElement))));
    Value from = group;
    for (int64_t width = step; width >= 1; width /= 2) {
      Value to = width > 1 ? getWholeSteps(from, end, width) : end;
      auto columns = scf::ForOp::create(builder, loc, from, to, index(width));
      enter(columns, [&](Value block) { emitTile(rows, width, row, block, shared); });
      from = to;
    }
  }

  /// The same for a single row. A pass over the shared dim is expensive there, so the tiles take as many blocks as
  /// should be read together, and their numbers of blocks differ by at most one.
  void emitBlocksOfRow(Value row, Value group, Value end, Value shared) {
    Value one = index(1), count = arith::SubIOp::create(builder, loc, end, group), most = index(mostBlocks);
    if (int64_t few = enough / (vectors * perElement); few + 1 < mostBlocks)
      most = arith::SelectOp::create(builder, loc, isOneSet(), index(few), most);
    for (int64_t width : {2, 4})
      if (hasTurns(width))
        most = arith::SelectOp::create(builder, loc, isReadByTurns(count, width, shared), index(width), most);
    Value tiles = arith::CeilDivUIOp::create(builder, loc, count, most);
    Parts parts = divide(count, arith::MaxUIOp::create(builder, loc, tiles, one));
    auto loop = scf::ForOp::create(builder, loc, index(0), tiles, one);
    loop->setAttr(rt::kIndependentAttr, builder.getUnitAttr());
    enter(loop, [&](Value tile) {
      auto [first, width] = getPart(tile, parts);
      Value block = arith::AddIOp::create(builder, loc, group, first);
      emitSwitch(width, 1, mostBlocks, [&](int64_t width) { emitTile(1, width, row, block, shared); });
    });
  }

  /// The bytes of a step of a block of f32 or f64.
  int64_t getRowBytes() const { return vectors * lanes * vector.getElementTypeBitWidth() / 8; }

  /// True if a row may take so few blocks at a time, so that a tile stays in L1 (getBlocksByTurns).
  bool hasTurns(int64_t blocks) const {
    return !masked && perElement == 1 && !matrix.quantized && !matrix.hasPairs && blocks <= kBlocksOfWholeTile &&
           blocks * getRowBytes() >= kLeastBytesOfStep;
  }

  /// True if a tile of `blocks` blocks, which divide all `count` ones, stays in L1, and one of twice as
  /// many does not.
  Value isReadByTurns(Value count, int64_t blocks, Value shared) {
    auto compare = [&](arith::CmpIPredicate predicate, Value steps, int64_t bytes) -> Value {
      return arith::CmpIOp::create(builder, loc, predicate, steps, index(bytes / getRowBytes()));
    };
    Value isEven = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         arith::RemUIOp::create(builder, loc, count, index(blocks)), index(0));
    Value all = arith::MulIOp::create(builder, loc, count, shared);
    Value isNear = compare(arith::CmpIPredicate::ult, all, kL2Bytes);
    Value fits = compare(arith::CmpIPredicate::ule, shared, kL1Bytes / blocks);
    Value isTooWide = compare(arith::CmpIPredicate::ugt, shared, kL1Bytes / (2 * blocks));
    return arith::AndIOp::create(builder, loc, arith::AndIOp::create(builder, loc, isEven, isNear),
                                 arith::AndIOp::create(builder, loc, fits, isTooWide));
  }

  Value getStrideOfBlocks() {
    return memref::ExtractStridedMetadataOp::create(builder, loc, argument(kProductMatrix)).getStrides()[0];
  }

  /// True if all blocks of B are in one set of the first TLB.
  Value isOneSet() {
    Type element = cast<MemRefType>(argument(kProductMatrix).getType()).getElementType();
    Value rest = arith::RemUIOp::create(builder, loc, getStrideOfBlocks(),
                                        index(kBytesOfTLBSets * 8 / element.getIntOrFloatBitWidth()));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest, index(0));
  }

  /// True if each block of B is a stream of its own: a row of it is not followed by the row of the next block.
  Value hasStreams() {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, getStrideOfBlocks(),
                                 index(cast<MemRefType>(argument(kProductMatrix).getType()).getShape().back()));
  }

  /// Emits one tile: `rows` rows from `row` on, and `width` blocks (in a masked kernel: vectors) from `block` on.
  void emitTile(int64_t rows, int64_t width, Value row, Value block, Value shared) {
    Value c = argument(kProductResult);
    int64_t columns = width * vectors, count = rows * columns;
    SmallVector<Value> masks;
    SmallVector<SmallVector<Value>> origins;
    for (int64_t i = 0; i < columns; ++i) {
      if (!masked) {
        origins.push_back({offset(block, i / 2), index(i % 2 * lanes)});
        continue;
      }
      Value column = arith::MulIOp::create(builder, loc, offset(block, i), index(lanes));
      Value left = arith::SubIOp::create(builder, loc, argument(kProductColumns), column);
      masks.push_back(mask(left));
      origins.push_back({index(0), column});
    }
    Value first = vector::BroadcastOp::create(builder, loc, vector, argument(kProductStart));
    SmallVector<Value> sums(count, first);
    auto emitLoop = [&](Value from, Value to, int64_t step, SmallVectorImpl<Value> &over) {
      emitSum(from, to, index(step), over, [&](Value k, MutableArrayRef<Value> next) {
        for (int64_t i = 0; i < step; ++i)
          emitStep(rows, row, offset(k, i), origins, masks, next.slice(i * count, count));
      });
    };
    if (perElement > 1)
      sums.resize(count * perElement, zeros());
    if (matrix.quantized) {
      // The steps of a group that are left over go to the first accumulators.
      emitGroups(shared, origins, sums, [&](Value from, Value to, SmallVectorImpl<Value> &next) {
        Value whole = perElement > 1 ? getWholeSteps(from, to, perElement) : to;
        emitLoop(from, whole, perElement, next);
        if (perElement == 1)
          return;
        SmallVector<Value> first(next.begin(), next.begin() + count);
        emitLoop(whole, to, 1, first);
        llvm::copy(first, next.begin());
      });
      addSteps(sums, count);
    } else {
      Value whole = index(0);
      if (perElement > 1) {
        whole = getWholeSteps(index(0), shared, perElement);
        emitLoop(index(0), whole, perElement, sums);
        addSteps(sums, count);
      } else if (rows == 1 && isWide(width)) {
        whole = stepsTogether;
        emitStepsTogether(row, origins, sums);
      } else if (rows == 1 && !matrix.hasPairs && !masked) {
        // LLVM does not unroll a loop of any number of steps.
        whole = getWholeSteps(index(0), shared, kStepsTogether);
        emitSum(index(0), whole, index(kStepsTogether), sums, [&](Value k, MutableArrayRef<Value> next) {
          for (int64_t i = 0; i < kStepsTogether; ++i)
            emitStep(rows, row, offset(k, i), origins, masks, next);
        });
      }
      emitLoop(whole, shared, 1, sums);
    }
    for (auto [i, sum] : llvm::enumerate(sums)) {
      ArrayRef<Value> origin = origins[i % columns];
      SmallVector<Value> indices{offset(row, i / columns), origin[0], origin[1]};
      if (masked)
        vector::MaskedStoreOp::create(builder, loc, c, indices, masks[i % columns], sum);
      else
        vector::StoreOp::create(builder, loc, sum, c, indices);
    }
  }

  /// Emits the loop over `stepsTogether` for the row `row`. A block takes all steps of an iteration before the next
  /// block does, so each stream is read in pieces of several lines.
  void emitStepsTogether(Value row, ArrayRef<SmallVector<Value>> origins, SmallVectorImpl<Value> &sums) {
    emitSum(index(0), stepsTogether, index(kStepsTogether), sums, [&](Value first, MutableArrayRef<Value> next) {
      SmallVector<Value> steps, factors;
      for (int64_t i = 0; i < kStepsTogether; ++i) {
        steps.push_back(offset(first, i));
        Value element = memref::LoadOp::create(builder, loc, argument(kProductRows), ValueRange{row, steps.back()});
        factors.push_back(vector::BroadcastOp::create(builder, loc, vector, element));
      }
      for (size_t from = 0; from < origins.size(); from += vectors)
        for (auto [k, factor] : llvm::zip_equal(steps, factors)) {
          SmallVector<Value> columns;
          loadColumns(k, origins.slice(from, vectors), {}, columns);
          for (auto [column, sum] : llvm::zip_equal(columns, next.slice(from, vectors)))
            sum = math::FmaOp::create(builder, loc, factor, column, sum);
        }
    });
  }

  /// Emits one step along the shared dim for all rows and columns of a tile.
  void emitStep(int64_t rows, Value row, Value k, ArrayRef<SmallVector<Value>> origins, ArrayRef<Value> masks,
                MutableArrayRef<Value> sums) {
    Value a = argument(kProductRows);
    SmallVector<Value> columns;
    if (matrix.hasRoundedRows)
      return emitDots(rows, row, k, origins, sums);
    if (matrix.hasPairs)
      return emitPairs(rows, row, k, origins, sums);
    loadColumns(k, origins, masks, columns);
    for (int64_t r = 0; r < rows; ++r) {
      Value element = memref::LoadOp::create(builder, loc, a, ValueRange{offset(row, r), k});
      Value factor = vector::BroadcastOp::create(builder, loc, vector, element);
      for (auto [i, column] : llvm::enumerate(columns)) {
        Value &sum = sums[r * columns.size() + i];
        sum = math::FmaOp::create(builder, loc, factor, column, sum);
      }
    }
  }

  /// Loads the pairs of B at step `k` and the vector `i` of a tile, whose origin is `origin`.
  Value loadPairs(Value k, unsigned i, ArrayRef<Value> origin) {
    return vector::LoadOp::create(builder, loc, VectorType::get(2 * lanes, builder.getBF16Type()),
                                  argument(kProductMatrix), ValueRange{origin[0], k, index(i % 2 * 2 * lanes)});
  }

  /// Emits the two steps of a pair, which one instruction adds.
  void emitDots(int64_t rows, Value row, Value k, ArrayRef<SmallVector<Value>> origins, MutableArrayRef<Value> sums) {
    SmallVector<Value> columns;
    for (auto [i, origin] : llvm::enumerate(origins))
      columns.push_back(loadPairs(k, i, origin));
    Type i32 = builder.getI32Type();
    Value even = arith::MulIOp::create(builder, loc, k, index(2));
    for (int64_t r = 0; r < rows; ++r) {
      Value pair = vector::LoadOp::create(builder, loc, VectorType::get(2, builder.getBF16Type()),
                                          argument(kProductRows), ValueRange{offset(row, r), even});
      Value bits = vector::ExtractOp::create(
          builder, loc, vector::BitCastOp::create(builder, loc, VectorType::get(1, i32), pair), ArrayRef<int64_t>{0});
      Value factor = vector::BitCastOp::create(builder, loc, columns.front().getType(),
                                               vector::BroadcastOp::create(builder, loc, vector.clone(i32), bits));
      for (auto [i, column] : llvm::enumerate(columns)) {
        Value &sum = sums[r * columns.size() + i];
        sum = x86vector::DotBF16Op::create(builder, loc, sum, factor, column);
      }
    }
  }

  /// Emits the two steps of a pair. The bits of the first element, shifted, are a f32, and so are those of the second
  /// one without the others, so a vector of pairs costs two instructions to widen.
  void emitPairs(int64_t rows, Value row, Value k, ArrayRef<SmallVector<Value>> origins, MutableArrayRef<Value> sums) {
    VectorType bits = vector.clone(builder.getI32Type());
    SmallVector<Value> halves[2];
    for (auto [i, origin] : llvm::enumerate(origins)) {
      Value pairs = vector::BitCastOp::create(builder, loc, bits, loadPairs(k, i, origin));
      Value first = arith::ShLIOp::create(builder, loc, pairs, splat(builder.getI32IntegerAttr(16), bits)),
            second = arith::AndIOp::create(builder, loc, pairs, splat(builder.getI32IntegerAttr(-65536), bits));
      halves[0].push_back(arith::BitcastOp::create(builder, loc, vector, first));
      halves[1].push_back(arith::BitcastOp::create(builder, loc, vector, second));
    }
    Value even = arith::MulIOp::create(builder, loc, k, index(2));
    for (int64_t r = 0; r < rows; ++r) {
      Value factors[2];
      for (int64_t half = 0; half < 2; ++half) {
        Value element = memref::LoadOp::create(builder, loc, argument(kProductRows),
                                               ValueRange{offset(row, r), offset(even, half)});
        factors[half] = vector::BroadcastOp::create(builder, loc, vector, element);
      }
      // Both factors of a row are used at once, so they take no registers from then on.
      for (size_t i = 0; i < origins.size(); ++i)
        for (int64_t half = 0; half < 2; ++half) {
          Value &sum = sums[r * origins.size() + i];
          sum = math::FmaOp::create(builder, loc, factors[half], halves[half][i], sum);
        }
    }
  }

  /// Loads the vectors of B at step `k` and `origins`, as factors.
  void loadColumns(Value k, ArrayRef<SmallVector<Value>> origins, ArrayRef<Value> masks,
                   SmallVectorImpl<Value> &columns) {
    Value b = argument(kProductMatrix), halves;
    for (auto [i, origin] : llvm::enumerate(origins)) {
      SmallVector<Value> indices{origin[0], k, origin[1]};
      if (masked) {
        columns.push_back(vector::MaskedLoadOp::create(builder, loc, vector, b, indices, masks[i], zeros()));
        continue;
      }
      if (!matrix.quantized) {
        columns.push_back(loadWidened(b, indices));
        continue;
      }
      // Both vectors of a block are halves of the same bytes.
      const QuantizedMatrix &kind = *matrix.quantized;
      bool isHigh = kind.hasHalves && i % 2 != 0;
      if (kind.hasHalves)
        indices[2] = index(0);
      Value integers = isHigh ? halves : loadIntegers(b, indices, kind.isSigned && !kind.hasHalves);
      halves = integers;
      auto number = [&](int64_t value) { return splat(builder.getI32IntegerAttr(value), integers.getType()); };
      if (kind.hasHalves)
        integers = isHigh ? arith::ShRUIOp::create(builder, loc, integers, number(4)).getResult()
                          : arith::AndIOp::create(builder, loc, integers, number(15)).getResult();
      Value w = arith::SIToFPOp::create(builder, loc, vector, integers);
      if (kind.hasHalves && kind.isSigned && !matrix.zero)
        w = arith::SubFOp::create(builder, loc, w, splat(builder.getF32FloatAttr(8), vector));
      if (matrix.zero)
        w = arith::SubFOp::create(builder, loc, w, zeroPoints[i]);
      if (matrix.scale)
        w = arith::MulFOp::create(builder, loc, w, scales[i]);
      columns.push_back(w);
    }
  }

  /// Loads a vector of integers of eight bits, as i32.
  Value loadIntegers(Value buffer, ValueRange indices, bool isSigned) {
    Type wide = vector.clone(builder.getI32Type());
    Value loaded = vector::LoadOp::create(builder, loc, vector.clone(builder.getI8Type()), buffer, indices);
    return isSigned ? arith::ExtSIOp::create(builder, loc, wide, loaded).getResult()
                    : arith::ExtUIOp::create(builder, loc, wide, loaded).getResult();
  }

  Value splat(TypedAttr value, Type type) {
    return constant(DenseElementsAttr::get(cast<ShapedType>(type), Attribute(value)));
  }

  /// Emits `emit` for the steps of each group that has the same zero points and the same scales, whose vectors at
  /// `origins` are loaded first. The loop over groups carries `sums`.
  void emitGroups(Value shared, ArrayRef<SmallVector<Value>> origins, SmallVectorImpl<Value> &sums,
                  function_ref<void(Value, Value, SmallVectorImpl<Value> &)> emit) {
    if (!matrix.quantized || matrix.getNumFactors() == 0)
      return emit(index(0), shared, sums);
    int64_t ofFirst = matrix.zero ? matrix.groupsOfZero : matrix.groupsOfScale;
    Value groups = memref::DimOp::create(builder, loc, argument(kProductOthers), 1);
    if (ofFirst != 1)
      groups = arith::MulIOp::create(builder, loc, groups, index(ofFirst));
    Value steps = arith::DivUIOp::create(builder, loc, shared, groups);
    auto emitGroup = [&](Value group, MutableArrayRef<Value> next) {
      auto load = [&](Type type, unsigned operand, int64_t sharing, SmallVectorImpl<Value> &vectors) {
        vectors.clear();
        if (!type)
          return;
        Value at = sharing == 1 ? group : arith::DivUIOp::create(builder, loc, group, index(sharing)).getResult();
        for (const SmallVector<Value> &origin : origins)
          vectors.push_back(loadFactors(argument(operand), {origin[0], at, origin[1]}));
      };
      load(matrix.zero, matrix.getZeroArgument(), matrix.groupsOfZero, zeroPoints);
      load(matrix.scale, matrix.getScaleArgument(), matrix.groupsOfScale, scales);
      // Signed integers of four bits are raised by 8.
      if (matrix.quantized->hasHalves && matrix.quantized->isSigned)
        for (Value &zero : zeroPoints)
          zero = arith::AddFOp::create(builder, loc, zero, splat(builder.getF32FloatAttr(8), vector));
      Value from = arith::MulIOp::create(builder, loc, group, steps);
      SmallVector<Value> inner(next);
      emit(from, arith::AddIOp::create(builder, loc, from, steps), inner);
      llvm::copy(inner, next.begin());
    };
    if (!sums.empty())
      return emitSum(index(0), groups, index(1), sums, emitGroup);
    auto loop = scf::ForOp::create(builder, loc, index(0), groups, index(1));
    enter(loop, [&](Value group) { emitGroup(group, {}); });
  }

  /// Loads a vector of zero points or scales.
  Value loadFactors(Value buffer, ValueRange indices) {
    if (!getElementTypeOrSelf(buffer.getType()).isInteger(8))
      return loadWidened(buffer, indices);
    return arith::SIToFPOp::create(builder, loc, vector, loadIntegers(buffer, indices, matrix.quantized->zeroIsSigned));
  }

  const MatrixElements &matrix;
  /// The zero points and scales of the current group, for each vector of a tile.
  SmallVector<Value> zeroPoints, scales;
  /// The vectors of a block that are taken together.
  int64_t vectors;
  /// How many steps along the shared dim have accumulators of their own.
  int64_t perElement;
  /// The accumulators that keep the units busy.
  int64_t enough;
  /// The most rows of a tile, and the most blocks of a single row.
  int64_t maxRows, mostBlocks;
  /// The end of the steps that a wide tile takes `kStepsTogether` at a time: none of a single stream, which the CPU
  /// fetches ahead if few loads follow each other at equal distances.
  Value stepsTogether;
  /// The steps that an iteration takes for a single row.
  static constexpr int64_t kStepsTogether = 4;
  bool masked;
};
} // namespace

/// Lets models share a kernel, unless all calls have the same size of dim 0 of `operand`, by which the kernel chooses
/// its tiles. Not for kernels with several accumulators of an element: these serve small matrices, for which it takes
/// up to twice as long not to know the strides.
static void shareKernel(func::FuncOp kernel, int64_t operand) {
  kernel->setAttr(rt::kSharedAttr, Builder(kernel.getContext()).getDenseI64ArrayAttr({operand, 0}));
}

std::string MatrixElements::getName() const {
  std::string name;
  llvm::raw_string_ostream os(name);
  auto print = [&](Type type, bool isSigned, int64_t bits) {
    if (type && type.isInteger())
      os << (isSigned ? "_i" : "_u") << bits;
    else if (type)
      os << '_' << type;
  };
  print(element, quantized && quantized->isSigned, quantized && quantized->hasHalves ? 4 : 8);
  if (zero)
    os << "_zero";
  print(zero, quantized && quantized->zeroIsSigned, 8);
  if (groupsOfZero != 1)
    os << 'x' << groupsOfZero;
  if (hasPairs)
    os << (hasRoundedRows ? "_dots" : "_pairs");
  if (scale)
    os << "_scale";
  print(scale, false, 8);
  if (groupsOfScale != 1)
    os << 'x' << groupsOfScale;
  return name;
}

ProductKernels::ProductKernels(ModuleOp module, FloatType type, MatrixElements matrix, int64_t vectorBits,
                               int64_t vectorRegisters, int64_t perElement)
    : module(module), type(type), matrix(matrix), lanes(std::max<int64_t>(1, vectorBits / type.getWidth())),
      registers(vectorRegisters),
      perElement(matrix.hasRoundedRows || hasFewRegisters(vectorRegisters) ? 1 : perElement) {}

static constexpr int64_t kAny = ShapedType::kDynamic;

MemRefType ProductKernels::getRowsType() const {
  return matrix.hasRoundedRows ? getKernelViewType(matrix.element, {kAny, kAny}, {kAny, 1})
                               : getKernelViewType(type, {kAny, kAny}, {kAny, kAny});
}
MemRefType ProductKernels::getBlocksType(const MatrixElements &of) const {
  bool hasHalves = of.quantized && of.quantized->hasHalves;
  int64_t elements = hasHalves ? getBlockSize() / 2 : of.hasPairs ? getBlockSize() * 2 : getBlockSize();
  return getKernelViewType(of.element, {kAny, kAny, elements}, {kAny, kAny, 1});
}
MemRefType ProductKernels::getFactorsType(Type element) const {
  return getKernelViewType(element, {kAny, kAny, getBlockSize()}, {kAny, kAny, 1});
}
MemRefType ProductKernels::getWideRowsType(int64_t shared) const {
  return MemRefType::get({2 * kTileRows, shared}, type);
}
MemRefType ProductKernels::getTileRowsType(int64_t shared) const {
  int64_t steps = ShapedType::isDynamic(shared) ? kAny : shared / kTileDepth;
  return MemRefType::get({2, steps, kTileRows, kTileDepth}, BFloat16Type::get(type.getContext()));
}
MemRefType ProductKernels::getMatrixType() const { return getKernelViewType(type, {kAny, kAny}, {kAny, 1}); }
MemRefType ProductKernels::getVectorType() const { return getKernelViewType(type, {kAny}, {1}); }
MemRefType ProductKernels::getColumnType() const { return getKernelViewType(type, {kAny}, {kAny}); }

static std::string getName(StringRef kind, FloatType type, StringRef suffix) {
  std::string name;
  llvm::raw_string_ostream(name) << "rt_" << kind << "_" << type << suffix;
  return name;
}

func::FuncOp ProductKernels::getProduct(bool masked) {
  std::string name = getProductName(matrix, masked);
  auto makeKernel = [&](func::FuncOp kernel) {
    return ProductKernel(kernel, type, matrix, lanes, registers, masked, perElement);
  };
  SmallVector<Type> arguments = getProductArguments(matrix, masked), choiceArguments = arguments;
  if (widensBlocks())
    choiceArguments.push_back(getBlocksType());
  return getOrCreateKernel(module, name, choiceArguments, [&](func::FuncOp kernel) {
    func::FuncOp row = getProductOfRow(masked), rows = getProductOfRows(matrix, masked), panels;
    if (widensBlocks()) {
      func::FuncOp wideRows = getProductOfRows({type, {}, {}, {}}, /*masked=*/false);
      panels = getOrCreateKernel(module, name + "_panels", choiceArguments,
                                 [&](func::FuncOp panels) { makeKernel(panels).emitPanels(wideRows); });
      // A kernel comes before those that it calls.
      wideRows->moveAfter(panels);
    }
    rows->moveAfter(kernel);
    row->moveAfter(kernel);
    ProductKernel emitter = makeKernel(kernel);
    emitter.emitChoice(row, rows, panels);
    // All parts would widen their panels in one scratch.
    if (!masked && !widensBlocks())
      setKernelParts(kernel, emitter.getPartsOfRows());
  });
}

func::FuncOp ProductKernels::getProductOfPairs() {
  SmallVector<Type> arguments(kProductArgumentsOfPairs);
  arguments[kProductRows] = getMatrixType();
  arguments[kProductMatrix] = getMatrixBlocksType();
  arguments[kProductResult] = getBlocksType();
  arguments[kProductStart] = type;
  arguments[kProductWideRows] = getWideRowsType(kAny);
  arguments[kProductTileRows] = getTileRowsType(kAny);
  arguments[kProductMayUseTiles] = IntegerType::get(type.getContext(), 1);
  std::string name = getProductName(matrix, /*masked=*/false);
  return getOrCreateKernel(module, name, arguments, [&](func::FuncOp kernel) {
    func::FuncOp row = getProductOfRow(/*masked=*/false), rows = getProductOfRows(matrix, /*masked=*/false);
    SmallVector<Type> ofTiles(kTiledArguments);
    ofTiles[kTiledRows] = arguments[kProductTileRows];
    ofTiles[kTiledMatrix] = arguments[kProductMatrix];
    ofTiles[kTiledResult] = arguments[kProductResult];
    ofTiles[kTiledScratch] = arguments[kProductWideRows];
    func::FuncOp tiles = getOrCreateKernel(module, name + "_tiles", ofTiles,
                                           [&](func::FuncOp tiles) { emitTileKernel(tiles, type, lanes); });
    for (func::FuncOp callee : {tiles, rows, row})
      callee->moveAfter(kernel);
    emitPairKernel(kernel, type, lanes, row, rows, tiles);
  });
}

func::FuncOp ProductKernels::getProductOfRow(bool masked) {
  return getOrCreateKernel(module, getProductName(matrix, masked) + "_row", getProductArguments(matrix, masked),
                           [&](func::FuncOp row) {
                             ProductKernel emitter(row, type, matrix, lanes, registers, masked, perElement);
                             emitter.emitRow();
                             if (!masked && perElement == 1)
                               shareKernel(row, kProductMatrix);
                             if (matrix.quantized || matrix.hasRoundedRows)
                               setKernelParts(row, emitter.getParts());
                           });
}

std::string ProductKernels::getProductName(const MatrixElements &of, bool masked) const {
  std::string name = getName(hasFewRegisters(registers) ? "wide_product" : "product", type, masked ? "_rest" : "");
  if (of.element != type)
    name += of.getName();
  return perElement == 1 ? name : name + "_by" + std::to_string(perElement);
}

SmallVector<Type> ProductKernels::getProductArguments(const MatrixElements &of, bool masked) const {
  SmallVector<Type> arguments(kProductOthers);
  arguments[kProductRows] = getRowsType();
  arguments[kProductMatrix] = getBlocksType(of);
  arguments[kProductResult] = getBlocksType();
  arguments[kProductStart] = type;
  for (Type factor : {of.zero, of.scale})
    if (factor)
      arguments.push_back(getFactorsType(factor));
  if (masked)
    arguments.push_back(IndexType::get(type.getContext()));
  return arguments;
}

func::FuncOp ProductKernels::getProductOfRows(const MatrixElements &of, bool masked) {
  std::string name = getProductName(of, masked) + "_rows";
  return getOrCreateKernel(module, name, getProductArguments(of, masked), [&](func::FuncOp rows) {
    ProductKernel(rows, type, of, lanes, registers, masked, perElement).emitRows();
    if (!masked && perElement == 1)
      shareKernel(rows, kProductRows);
  });
}

func::FuncOp ProductKernels::getDot() {
  SmallVector<Type> arguments(kDotArguments);
  arguments[kDotMatrix] = getMatrixType();
  arguments[kDotVector] = getVectorType();
  arguments[kDotResult] = getColumnType();
  arguments[kDotStart] = type;
  return getOrCreateKernel(module, getName("dot", type, ""), arguments,
                           [&](func::FuncOp kernel) { emitDotKernel(kernel, type, lanes); });
}
