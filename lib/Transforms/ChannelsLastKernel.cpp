// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChannelsLastKernel.cpp - Convolutions along channels ---------------===//
//
// Two emitters, one for the sum over all channels and one for channels that have filters of their own. Tiles of
// positions have nearly equal sizes, and the module has code for each size. The last tile computes its last positions
// twice instead of having a size of its own.
//
//===----------------------------------------------------------------------===//

#include "ChannelsLastKernel.h"
#include "ChannelsLastTile.h"
#include "TargetFacts.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace recur;

namespace {
/// Emits the kernel
///
///     result[h, w, t, r] = start + sum over o, m, i of filters[t, o * F + m * I + i, r] *
///                          data[h * RowStep + w * ColumnStep + o * OuterStep + m * MiddleStep + i * InnerStep]
///
/// where I is the number of iterations of the inner loop, and F the step of the filters (ChannelSumArgument). A row h
/// sums the o for which h * RowStride + o * RowDilation is a row of the data.
class SumEmitter : TileBuilder {
public:
  SumEmitter(func::FuncOp func, FloatType type, int64_t lanes, int64_t registers,
             const std::optional<TileEpilogue> &epilogue)
      : TileBuilder(func, type, lanes, epilogue), registers(registers) {}

  void emit() {
    // The vectors of a tile of filters, and how many tiles are computed at once: two vectors make good use of an
    // element of the data that was broadcast.
    perTile = kChannels / lanes;
    block = std::max<int64_t>(1, 2 / perTile);
    int64_t most = getMostPositions(block);
    Value zero = index(0), one = index(1), tiles = size(kSumFilters, 0);
    data = {argument(kSumFirstDataRow), argument(kSumEndDataRow), argument(kSumRowStride), argument(kSumRowDilation),
            argument(kSumOuterCount)};
    walks = {{argument(kSumRowStep), argument(kSumColumnStep), {}, {}}, walkAlong(kSumResult)};
    for (auto [i, isShared] : llvm::enumerate(epilogue ? ArrayRef(epilogue->isShared) : ArrayRef<bool>()))
      if (!isShared)
        walks.push_back(walkAlong(kSumInputs + i));
    Value positions = times(size(kSumResult, 0), size(kSumResult, 1));
    // Groups of nearly equal size, of about as many positions as the caller wants.
    Value wanted = arith::MaxSIOp::create(builder, loc, argument(kSumNearPositions), index(most));
    Value half = arith::DivUIOp::create(builder, loc, wanted, index(2));
    Value groups = arith::DivUIOp::create(builder, loc, plus(positions, half), wanted);
    Value group =
        arith::CeilDivUIOp::create(builder, loc, positions, arith::MaxUIOp::create(builder, loc, groups, one));
    group = arith::MaxUIOp::create(builder, loc, group, one);
    emitLoop(zero, positions, group, [&](Value from) {
      Value to = least(plus(from, group), positions);
      // Outside of loops over filters, because LLVM would sink a division for each tile into the sum.
      Value row = arith::DivUIOp::create(builder, loc, from, size(kSumResult, 1));
      start = {row, minus(from, times(row, size(kSumResult, 1)))};
      auto emitTilesOf = [&](Value first, Value end, int64_t count) {
        emitLoop(first, end, index(count), [&](Value tile) { emitRuns(tile, count, from, to); });
      };
      auto getRest = [&](Value count, int64_t by) { return arith::RemUIOp::create(builder, loc, count, index(by)); };
      Value first = zero;
      if (hasWide()) {
        // The rest should have no tile on its own.
        int64_t wide = block + 1, widest = block + 2;
        Value rest = getRest(tiles, wide), isWhole = compare(arith::CmpIPredicate::eq, getRest(rest, block), zero);
        rest = select(arePreferred(minus(to, from), wide), select(isWhole, rest, offset(rest, wide)), tiles);
        first = minus(tiles, least(tiles, rest));
        emitTilesOf(zero, first, wide);
        // If it would, wide tiles leave over so many that they are computed at once.
        if (getMostPositions(widest) >= kLeastPositionsOfWide) {
          Value isOne = compare(arith::CmpIPredicate::eq, minus(tiles, first), index(widest));
          isOne = arith::AndIOp::create(builder, loc, isOne, arePreferred(minus(to, from), widest));
          Value next = select(isOne, tiles, first);
          emitTilesOf(first, next, widest);
          first = next;
        }
      }
      Value whole = minus(tiles, getRest(minus(tiles, first), block));
      emitTilesOf(first, whole, block);
      if (block > 1)
        emitTilesOf(whole, tiles, 1);
    });
    func::ReturnOp::create(builder, loc);
  }

private:
  /// The channels of a tile of filters.
  static constexpr int64_t kChannels = ov::kChannelTile;
  /// How many steps of the sum before its use a line of filters is prefetched: half a page, beyond which hardware does
  /// not look ahead by itself.
  static constexpr int64_t kStepsAhead = 32;
  /// The fewest positions of a tile. Fewer would take as long, because their accumulators would wait for each other.
  static constexpr int64_t kFewestPositions = 4;
  /// The fewest positions of wide tiles. With fewer, they would read more filters than they save in data.
  static constexpr int64_t kLeastPositionsOfWide = 6;

  /// The most positions of a tile with so many tiles of filters. The registers hold the accumulators, the vectors of
  /// filters, and one element of the data. An even number, because most tiles of filters have code for even numbers
  /// only. More of them would need too many addresses.
  int64_t getMostPositions(int64_t tiles) const {
    int64_t vectors = tiles * perTile;
    return std::clamp<int64_t>((registers - 1 - vectors) / vectors, 2, 12) / 2 * 2;
  }
  /// The fewest positions of a tile with so many tiles of filters.
  int64_t getFewestPositions(int64_t tiles) const {
    return tiles > block ? kLeastPositionsOfWide : std::min(kFewestPositions, getMostPositions(tiles));
  }
  /// True if there are registers for wide tiles, which have one tile of filters more than others. So a step has fewer
  /// loads, 11 instead of 14 for 24 sums, and fewer addresses, which otherwise come from memory as well.
  bool hasWide() const { return getMostPositions(block + 1) >= kLeastPositionsOfWide; }
  /// True if wide tiles are the better ones for `count` positions. Positions that other tiles take at once stay with
  /// them, so that filters, which may come from L3, are read once. And wide tiles may compute only little more
  /// positions twice than others.
  Value arePreferred(Value count, int64_t wide) {
    auto countComputed = [&](int64_t tiles) {
      Value unit = index(getUnit(tiles)),
            units = arith::CeilDivUIOp::create(builder, loc, balance(count, getMostPositions(tiles)), unit);
      Value size = arith::MaxUIOp::create(builder, loc, times(units, unit), index(getFewestPositions(tiles)));
      return times(size, arith::CeilDivUIOp::create(builder, loc, count, size));
    };
    Value isTight = compare(arith::CmpIPredicate::ule, times(countComputed(wide), index(16)),
                            times(countComputed(block), index(17)));
    // Nor are there many in a row that is shorter than such a tile.
    Value areMany = compare(arith::CmpIPredicate::ugt, count, index(getMostPositions(block)));
    Value areLong = compare(arith::CmpIPredicate::uge, size(kSumResult, 1), index(kLeastPositionsOfWide));
    return arith::AndIOp::create(builder, loc, arith::AndIOp::create(builder, loc, isTight, areMany), areLong);
  }
  /// There is code for multiples of this number of positions: for each number if tiles are wide, because most of the
  /// work is theirs, and for few numbers if only results with few channels have such tiles, or if the tiles are what
  /// wide ones leave over.
  int64_t getUnit(int64_t tiles) const {
    if (!hasWide() || tiles == block)
      return 2;
    return tiles < block ? 4 : tiles == block + 1 ? 1 : getMostPositions(tiles);
  }

  /// Emits the positions `from` to `to`, for `tiles` tiles of filters from `tile` on. They come in runs of rows whose
  /// windows have the same rows of data.
  void emitRuns(Value tile, int64_t tiles, Value from, Value to) {
    Value rows = size(kSumResult, 0), width = size(kSumResult, 1), zero = index(0);
    Type type = zero.getType();
    // The first row and the first position of a run.
    auto runs = scf::WhileOp::create(builder, loc, TypeRange{type, type}, ValueRange{start[0], from});
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&runs.getBefore(), {}, {type, type}, {loc, loc});
    ValueRange carried = runs.getBefore().getArguments();
    scf::ConditionOp::create(builder, loc, compare(arith::CmpIPredicate::ult, carried[1], to), carried);
    builder.createBlock(&runs.getAfter(), {}, {type, type}, {loc, loc});
    Value h = runs.getAfter().getArgument(0), begin = runs.getAfter().getArgument(1);
    summed = findKernelRows(data, h);
    Value next = findNextRows(data, rows, h, summed.first, summed.second);
    Value follows = times(next, width), end = least(follows, to), w = minus(begin, times(h, width));
    place = {w};
    for (const Walk &walk : walks)
      place.push_back(plus(times(h, walk.perRow), times(w, walk.perColumn)));
    int64_t most = getMostPositions(tiles), fewest = getFewestPositions(tiles), unit = getUnit(tiles);
    Value size = arith::MaxUIOp::create(builder, loc, balance(minus(end, begin), most), index(fewest));
    Value units = arith::CeilDivUIOp::create(builder, loc, size, index(unit));
    emitSwitch(units, fewest / unit, most / unit,
               [&](int64_t units) { emitTiles(tile, tiles, units * unit, begin, end); });
    if (hasLongEpilogue())
      finishStored(tile, tiles, begin, end);
    scf::YieldOp::create(builder, loc, ValueRange{next, follows});
  }

  bool hasLongEpilogue() const { return epilogue && isLong(*epilogue->body); }

  /// Applies the epilogue to the results of a run that were stored.
  void finishStored(Value tile, int64_t tiles, Value from, Value to) {
    int64_t count = std::max<int64_t>(1, getVectorsByTurns(registers) / perTile);
    // Positions are the inner loop, because masks and constants are the same for all of them.
    emitLoop(tile, offset(tile, tiles), index(1), [&](Value own) {
      masks.clear();
      for (int64_t v = 0; v < perTile; ++v)
        masks.push_back(maskChannels(argument(kSumChannels), offset(times(own, index(kChannels)), v * lanes)));
      SmallVector<Value> place(this->place);
      emitSum(from, to, index(count), place, [&](Value position, MutableArrayRef<Value> place) {
        SmallVector<Value> offsets = emitOffsets(count, position, to, place);
        llvm::copy(ArrayRef(offsets).take_back(place.size()), place.begin());
        auto find = [&](size_t walk, int64_t i, int64_t v) {
          return findChannels(walk, offsets[walk * count + i], own, v);
        };
        // All are loaded before any is stored: positions behind the last one are the last one.
        SmallVector<Value> results;
        for (int64_t i = 0; i < count; ++i)
          for (int64_t v = 0; v < perTile; ++v)
            results.push_back(load(walks[1].buffer, find(1, i, v), masks[v]));
        finishTile(results, perTile, own, find, /*byTurns=*/true);
        for (auto [i, result] : llvm::enumerate(results))
          store(result, walks[1].buffer, find(1, i / perTile, i % perTile), masks[i % perTile]);
      });
    });
  }

  /// The distance from the last position of a row to the first one of the next.
  Value findWrap(size_t walk) {
    return minus(walks[walk].perRow, times(minus(size(kSumResult, 1), index(1)), walks[walk].perColumn));
  }
  /// Where vector `v` of the channels of `tile` begins behind the position `at` of a walk.
  Value findChannels(size_t walk, Value at, Value tile, int64_t v) {
    Value channel = plus(times(offset(tile, v / perTile), walks[walk].perTile), index(v % perTile * lanes));
    return plus(at, channel);
  }
  /// Applies the epilogue to sums, of which each position has `vectors`, from the first one of `tile` on. `find` says
  /// where the vectors of a walk are, for a position and a vector. If `byTurns`, the sums take turns in functions.
  void finishTile(MutableArrayRef<Value> sums, int64_t vectors, Value tile,
                  function_ref<Value(size_t, int64_t, int64_t)> find, bool byTurns = false) {
    auto loadInput = [&](int64_t input, int64_t i, int64_t v) {
      if (epilogue->isShared[input])
        return load(argument(kSumInputs + input),
                    {index(0), index(0), offset(tile, v / perTile), index(v % perTile * lanes)}, masks[v]);
      size_t walk = 2 + llvm::count(ArrayRef(epilogue->isShared).take_front(input), false);
      return load(walks[walk].buffer, find(walk, i, v), masks[v]);
    };
    finish(sums, vectors, loadInput, byTurns);
  }

  /// Emits the tiles of `count` positions for a run of positions, `from` to `to`.
  void emitTiles(Value tile, int64_t tiles, int64_t count, Value from, Value to) {
    SmallVector<Value> place(this->place);
    masks.clear();
    for (int64_t v = 0; v < tiles * perTile; ++v) {
      Value channel = offset(times(tile, index(kChannels)), v * lanes);
      masks.push_back(epilogue ? maskChannels(argument(kSumChannels), channel) : Value());
    }
    emitSum(from, to, index(count), place,
            [&](Value position, MutableArrayRef<Value> place) { emitTile(tile, tiles, count, position, to, place); });
  }

  /// Emits the offsets of `count` positions in each buffer, one buffer after the other, and then `place` of the next
  /// position. A position behind the last one is the last one.
  SmallVector<Value> emitOffsets(int64_t count, Value position, Value to, ArrayRef<Value> place) {
    Value width = size(kSumResult, 1), zero = index(0), next = offset(place[0], count), first = place[0];
    auto isBelow = [&](Value a, Value b) { return compare(arith::CmpIPredicate::ule, a, b); };
    Value isOneRow = arith::AndIOp::create(builder, loc, isBelow(next, width), isBelow(offset(position, count), to));
    SmallVector<Type> types(walks.size() * (count + 1) + 1, zero.getType());
    auto choice = scf::IfOp::create(builder, loc, types, isOneRow, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    for (bool isOneRow : {true, false}) {
      builder.setInsertionPointToStart(isOneRow ? choice.thenBlock() : choice.elseBlock());
      SmallVector<Value> offsets, ends;
      Value column;
      for (auto [j, walk] : llvm::enumerate(walks)) {
        Value perWrap = findWrap(j);
        Value at = place[j + 1], w = first;
        for (int64_t i = 1; i <= count; ++i) {
          offsets.push_back(at);
          if (isOneRow && i < count) {
            at = plus(at, walk.perColumn);
            continue;
          }
          Value following = isOneRow ? next : offset(w, 1);
          Value wraps = compare(arith::CmpIPredicate::eq, following, width);
          Value step = select(wraps, perWrap, walk.perColumn);
          w = select(wraps, zero, following);
          if (!isOneRow)
            step = select(compare(arith::CmpIPredicate::uge, offset(position, i), to), zero, step);
          at = plus(at, step);
        }
        ends.push_back(at);
        column = w;
      }
      offsets.push_back(column);
      llvm::append_range(offsets, ends);
      scf::YieldOp::create(builder, loc, offsets);
    }
    return llvm::to_vector_of<Value>(choice.getResults());
  }

  /// Emits one tile. `place` is that of its first position, and becomes that of the next tile's.
  void emitTile(Value tile, int64_t tiles, int64_t count, Value position, Value to, MutableArrayRef<Value> place) {
    SmallVector<Value> offsets = emitOffsets(count, position, to, place);
    llvm::copy(ArrayRef(offsets).take_back(place.size()), place.begin());
    int64_t vectors = tiles * perTile, perLine = kLineBytes * 8 / vector.getElementTypeBitWidth();
    Value first = vector::BroadcastOp::create(builder, loc, vector, argument(kSumStart));
    SmallVector<Value> sums(count * vectors, first);
    Value height = argument(kSumMiddleCount), length = argument(kSumInnerCount);
    emitSums(summed, {height, length}, sums, [&](ValueRange at, MutableArrayRef<Value> next) {
      Value element = plus(plus(times(at[0], argument(kSumFilterStep)), times(at[1], length)), at[2]);
      Value by = plus(plus(times(at[0], argument(kSumOuterStep)), times(at[1], argument(kSumMiddleStep))),
                      times(at[2], argument(kSumInnerStep)));
      SmallVector<Value> filters;
      for (int64_t v = 0; v < vectors; ++v)
        filters.push_back(
            vector::LoadOp::create(builder, loc, vector, argument(kSumFilters),
                                   ValueRange{offset(tile, v / perTile), element, index(v % perTile * lanes)}));
      // The loads of one vector of filters take as long as its sums, and leave no room for more.
      for (int64_t t = 0; t < tiles && vectors > 1; ++t)
        for (int64_t channel = 0; channel < kChannels; channel += perLine)
          memref::PrefetchOp::create(builder, loc, argument(kSumFilters),
                                     ValueRange{offset(tile, t), offset(element, kStepsAhead), index(channel)},
                                     /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
      for (int64_t i = 0; i < count; ++i) {
        Value scalar =
            memref::LoadOp::create(builder, loc, argument(kSumData), ValueRange{index(0), plus(offsets[i], by)});
        Value factor = vector::BroadcastOp::create(builder, loc, vector, scalar);
        for (int64_t v = 0; v < vectors; ++v)
          next[i * vectors + v] = math::FmaOp::create(builder, loc, factor, filters[v], next[i * vectors + v]);
      }
    });
    auto find = [&](size_t walk, int64_t i, int64_t v) {
      return findChannels(walk, offsets[walk * count + i], tile, v);
    };
    if (!hasLongEpilogue())
      finishTile(sums, vectors, tile, find);
    for (auto [i, sum] : llvm::enumerate(sums))
      store(sum, walks[1].buffer, find(1, i / vectors, i % vectors), masks[i % vectors]);
  }

  /// A buffer of which each position has its own elements: the distances of rows, columns and tiles of filters, and a
  /// view with one dim.
  struct Walk {
    Value perRow, perColumn, perTile, buffer;
  };
  Walk walkAlong(unsigned operand) {
    BufferParts parts = describeBuffer(builder, loc, argument(operand));
    Value length = index(1);
    for (auto [size, stride] : llvm::zip_equal(parts.sizes, parts.strides))
      length = plus(length, times(size, stride));
    OpFoldResult one = builder.getIndexAttr(1);
    MemRefType type = getKernelViewType(vector.getElementType(), {ShapedType::kDynamic}, {1});
    Value view = createKernelView(builder, loc, type, parts.base, parts.offset, {length}, {one});
    return {parts.strides[0], parts.strides[1], parts.strides[2], view};
  }

  int64_t registers;
  /// The vectors of a tile of filters, and the tiles that have two vectors or more together.
  int64_t perTile = 1, block = 1;
  /// The channels that the vectors of a tile have in C; null if these are all.
  SmallVector<Value> masks;
  DataRows data;
  /// The data, the result, and inputs of the epilogue.
  SmallVector<Walk> walks;
  /// The row and the column of the first position of a group.
  SmallVector<Value> start;
  /// The column of the first position of a run, and its offset in each of `walks`.
  SmallVector<Value> place;
  /// The range of the outermost loop of the sum in a run.
  std::pair<Value, Value> summed;
};

/// Emits the kernel
///
///     result[h, w, c] = start + sum over y, x of filters[y, x, c] * data[y, x, h, w, c]
///
/// (DepthwiseArgument). A row h sums the y for which h * RowStride + y * RowDilation is a row of the data.
class DepthwiseEmitter : TileBuilder {
public:
  using TileBuilder::TileBuilder;

  void emit() {
    Value width = size(kDepthwiseResult, 1), zero = index(0), one = index(1), channels = size(kDepthwiseResult, 2);
    emitSwitch(balance(width, kMost), 1, kMost, [&](int64_t count) {
      emitLoop(zero, size(kDepthwiseResult, 0), one, [&](Value h) {
        Value row = plus(minus(argument(kDepthwiseRows), argument(kDepthwiseRowsLeft)), h);
        summed =
            findKernelRows({argument(kDepthwiseFirstDataRow), argument(kDepthwiseEndDataRow),
                            argument(kDepthwiseRowStride), argument(kDepthwiseRowDilation), size(kDepthwiseFilters, 0)},
                           row);
        emitLoop(zero, width, index(count), [&](Value position) {
          Value w = least(position, minus(width, index(count)));
          emitVectors(channels, [&](Value c, Value some) { emitTile(count, h, w, c, some); });
        });
      });
    });
    func::ReturnOp::create(builder, loc);
  }

private:
  /// The most positions of a tile, each of which has an accumulator.
  static constexpr int64_t kMost = kEnoughAccumulators;

  /// Emits a tile of one vector of channels. `some` is null, or the mask of the channels.
  void emitTile(int64_t count, Value h, Value w, Value c, Value some) {
    Value first = vector::BroadcastOp::create(builder, loc, vector, argument(kDepthwiseStart));
    SmallVector<Value> sums(count, first);
    emitSums(summed, {size(kDepthwiseFilters, 1)}, sums, [&](ValueRange at, MutableArrayRef<Value> next) {
      Value filter = load(argument(kDepthwiseFilters), {at[0], at[1], c}, some);
      for (int64_t i = 0; i < count; ++i) {
        Value data = load(argument(kDepthwiseData), {at[0], at[1], h, offset(w, i), c}, some);
        next[i] = math::FmaOp::create(builder, loc, filter, data, next[i]);
      }
    });
    finish(sums, 1, [&](int64_t input, int64_t i, int64_t) {
      bool isShared = epilogue->isShared[input];
      return load(argument(kDepthwiseInputs + input), {isShared ? index(0) : h, isShared ? index(0) : offset(w, i), c},
                  some);
    });
    for (auto [i, sum] : llvm::enumerate(sums))
      store(sum, argument(kDepthwiseResult), {h, offset(w, i), c}, some);
  }

  /// The rows of the kernel that are summed.
  std::pair<Value, Value> summed;
};
} // namespace

void recur::emitChannelSums(func::FuncOp func, FloatType type, int64_t lanes, int64_t registers,
                            const std::optional<TileEpilogue> &epilogue) {
  SumEmitter(func, type, lanes, registers, epilogue).emit();
}
void recur::emitDepthwise(func::FuncOp func, FloatType type, int64_t lanes,
                          const std::optional<TileEpilogue> &epilogue) {
  DepthwiseEmitter(func, type, lanes, epilogue).emit();
}
