// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChannelsLastKernel.cpp - Convolutions along channels ---------------===//
//
// Two emitters, one for the sum over all channels and one for channels on their own, and the calls of what they emit.
// Tiles of positions have nearly equal sizes, and the module has code for each size. The last tile computes its last
// positions twice instead of having a size of its own.
//
//===----------------------------------------------------------------------===//

#include "ChannelsLastKernel.h"
#include "KernelBuilder.h"
#include "KernelCalls.h"
#include "Recur/Analysis/KernelParts.h"
#include "Recur/Analysis/WorkEstimate.h"
#include "TargetFacts.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace recur;

static constexpr int64_t kAny = ShapedType::kDynamic;

namespace {
/// The base of the two emitters: arithmetic, loops and sizes of tiles.
class TileBuilder : protected KernelBuilder {
protected:
  TileBuilder(func::FuncOp func, FloatType type, int64_t lanes, int64_t registers)
      : KernelBuilder(func, type, lanes), registers(registers) {}

  Value size(unsigned operand, int64_t dim) { return memref::DimOp::create(builder, loc, argument(operand), dim); }
  Value plus(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
  Value minus(Value a, Value b) { return arith::SubIOp::create(builder, loc, a, b); }
  Value times(Value a, Value b) { return arith::MulIOp::create(builder, loc, a, b); }
  Value least(Value a, Value b) { return arith::MinUIOp::create(builder, loc, a, b); }
  Value select(Value condition, Value a, Value b) { return arith::SelectOp::create(builder, loc, condition, a, b); }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  void emitLoop(Value from, Value to, Value step, function_ref<void(Value)> body) {
    enter(scf::ForOp::create(builder, loc, from, to, step), body);
  }
  /// Emits nested loops of `sizes` that carry `sums`. `emit` gets the induction variables and the sums to update.
  void emitSums(ArrayRef<Value> sizes, SmallVectorImpl<Value> &sums,
                function_ref<void(ValueRange, MutableArrayRef<Value>)> emit) {
    SmallVector<Value> at;
    std::function<void(SmallVectorImpl<Value> &)> nest = [&](SmallVectorImpl<Value> &carried) {
      emitSum(index(0), sizes[at.size()], index(1), carried, [&](Value i, MutableArrayRef<Value> next) {
        at.push_back(i);
        if (at.size() == sizes.size()) {
          emit(at, next);
        } else {
          SmallVector<Value> inner(next);
          nest(inner);
          llvm::copy(inner, next.begin());
        }
        at.pop_back();
      });
    };
    nest(sums);
  }
  /// The size of the tiles for `count` positions, if a tile has at most `most` and there are as few as possible.
  Value balance(Value count, int64_t most) {
    Value tiles = arith::CeilDivUIOp::create(builder, loc, count, index(most));
    return arith::CeilDivUIOp::create(builder, loc, count, arith::MaxUIOp::create(builder, loc, tiles, index(1)));
  }

  int64_t registers;
};

/// Emits the kernel
///
///     C[h, w, t, r] = start + sum over i, y, x of A[t, (i * Y + y) * X + x, r] *
///                     B[h * B_h + w * B_w + i * B_i + y * B_y + x * B_x]
///
/// Its arguments are A, B, C, the sizes I, Y and X, the distances B_h, B_w, B_i, B_y and B_x, the number of positions
/// whose data fits a cache, and start. So many positions are computed for all filters before the next ones.
class SumEmitter : TileBuilder {
public:
  SumEmitter(func::FuncOp func, FloatType type, int64_t lanes, int64_t registers)
      : TileBuilder(func, type, lanes, registers) {}

  void emit() {
    // The vectors of a tile of filters, and how many tiles are computed at once: two vectors make good use of an
    // element of the data that was broadcast.
    perTile = kChannels / lanes;
    int64_t block = std::max<int64_t>(1, 2 / perTile), vectors = block * perTile;
    // The registers hold the accumulators, the vectors of filters, and one element of the data. An even number of
    // positions, because there is code for even numbers only. More of them would need too many addresses.
    int64_t most = std::clamp<int64_t>((registers - 1 - vectors) / vectors, 2, 12) / 2 * 2;
    Value zero = index(0), positions = times(size(2, 0), size(2, 1)), tiles = size(0, 0);
    Value group = arith::MaxSIOp::create(builder, loc, argument(11), index(most));
    emitLoop(zero, positions, group, [&](Value from) {
      Value to = least(plus(from, group), positions);
      // The only division: LLVM would sink one for each tile into the loop over the shared dims.
      Value row = arith::DivUIOp::create(builder, loc, from, size(2, 1));
      start = {row, minus(from, times(row, size(2, 1)))};
      Value half = arith::CeilDivUIOp::create(builder, loc, balance(minus(to, from), most), index(2));
      emitSwitch(half, 1, most / 2, [&](int64_t pairs) {
        Value whole = minus(tiles, arith::RemUIOp::create(builder, loc, tiles, index(block)));
        emitLoop(zero, whole, index(block), [&](Value tile) { emitTiles(tile, block, 2 * pairs, from, to); });
        if (block > 1)
          emitLoop(whole, tiles, index(1), [&](Value tile) { emitTiles(tile, 1, 2 * pairs, from, to); });
      });
    });
    func::ReturnOp::create(builder, loc);
  }

  /// The channels of a tile of filters.
  static constexpr int64_t kChannels = kChannelTile;

private:
  /// Emits the tiles of `count` positions for positions `from` to `to`, for `tiles` tiles of filters from `tile` on.
  void emitTiles(Value tile, int64_t tiles, int64_t count, Value from, Value to) {
    SmallVector<Value> place(start);
    emitSum(from, to, index(count), place,
            [&](Value position, MutableArrayRef<Value> place) { emitTile(tile, tiles, count, position, to, place); });
  }

  /// Emits one tile. `place` is the row and the column of its first position, and becomes that of the next tile's.
  void emitTile(Value tile, int64_t tiles, int64_t count, Value position, Value to, MutableArrayRef<Value> place) {
    // The rows and columns of the positions. A position behind the last one is the last one.
    Value width = size(2, 1), zero = index(0), one = index(1);
    SmallVector<Value> rows{place[0]}, columns{place[1]}, offsets;
    for (int64_t i = 1; i <= count; ++i) {
      Value isBehind = compare(arith::CmpIPredicate::uge, offset(position, i), to), next = plus(columns.back(), one);
      Value wraps = compare(arith::CmpIPredicate::eq, next, width);
      Value h = rows.back(), w = columns.back();
      rows.push_back(select(isBehind, h, select(wraps, plus(h, one), h)));
      columns.push_back(select(isBehind, w, select(wraps, zero, next)));
    }
    place[0] = rows.pop_back_val();
    place[1] = columns.pop_back_val();
    for (auto [h, w] : llvm::zip_equal(rows, columns))
      offsets.push_back(plus(times(h, argument(6)), times(w, argument(7))));
    int64_t vectors = tiles * perTile;
    Value first = vector::BroadcastOp::create(builder, loc, vector, argument(12));
    SmallVector<Value> sums(count * vectors, first);
    Value height = argument(4), length = argument(5);
    emitSums({argument(3), height, length}, sums, [&](ValueRange at, MutableArrayRef<Value> next) {
      Value element = plus(times(plus(times(at[0], height), at[1]), length), at[2]);
      Value by = plus(plus(times(at[0], argument(8)), times(at[1], argument(9))), times(at[2], argument(10)));
      SmallVector<Value> filters;
      for (int64_t v = 0; v < vectors; ++v)
        filters.push_back(
            vector::LoadOp::create(builder, loc, vector, argument(0),
                                   ValueRange{offset(tile, v / perTile), element, index(v % perTile * lanes)}));
      for (int64_t i = 0; i < count; ++i) {
        Value scalar = memref::LoadOp::create(builder, loc, argument(1), ValueRange{plus(offsets[i], by)});
        Value factor = vector::BroadcastOp::create(builder, loc, vector, scalar);
        for (int64_t v = 0; v < vectors; ++v)
          next[i * vectors + v] = math::FmaOp::create(builder, loc, factor, filters[v], next[i * vectors + v]);
      }
    });
    for (int64_t i = 0; i < count; ++i)
      for (int64_t v = 0; v < vectors; ++v)
        vector::StoreOp::create(builder, loc, sums[i * vectors + v], argument(2),
                                ValueRange{rows[i], columns[i], offset(tile, v / perTile), index(v % perTile * lanes)});
  }

  int64_t perTile = 1;
  /// The row and the column of the first position of a group.
  SmallVector<Value> start;
};

/// Emits the kernel
///
///     C[h, w, c] = start + sum over y, x of A[y, x, c] * B[y, x, h, w, c]
///
/// where B is a view of the data in which windows overlap. Its arguments are A, B, C and start.
class OwnEmitter : TileBuilder {
public:
  OwnEmitter(func::FuncOp func, FloatType type, int64_t lanes, int64_t registers)
      : TileBuilder(func, type, lanes, registers) {}

  void emit() {
    Value width = size(2, 1), zero = index(0), one = index(1), channels = size(2, 2);
    emitSwitch(balance(width, kMost), 1, kMost, [&](int64_t count) {
      Value rest = arith::RemUIOp::create(builder, loc, channels, index(lanes)), whole = minus(channels, rest);
      emitLoop(zero, size(2, 0), one, [&](Value h) {
        emitLoop(zero, whole, index(lanes), [&](Value c) { emitRow(count, h, c, Value()); });
        // At most once.
        emitLoop(whole, channels, index(lanes), [&](Value c) { emitRow(count, h, c, mask(rest)); });
      });
    });
    func::ReturnOp::create(builder, loc);
  }

private:
  /// The most positions of a tile, each of which has an accumulator.
  static constexpr int64_t kMost = kEnoughAccumulators;

  Value load(Value buffer, ValueRange at, Value some) {
    if (!some)
      return vector::LoadOp::create(builder, loc, vector, buffer, at);
    return vector::MaskedLoadOp::create(builder, loc, vector, buffer, at, some, zeros());
  }

  /// Emits a row of one vector of channels. `some` is null, or the mask of the channels.
  void emitRow(int64_t count, Value h, Value c, Value some) {
    Value zero = index(0), width = size(2, 1), last = minus(width, index(count));
    emitLoop(zero, width, index(count), [&](Value position) {
      Value w = least(position, last);
      Value first = vector::BroadcastOp::create(builder, loc, vector, argument(3));
      SmallVector<Value> sums(count, first);
      emitSums({size(0, 0), size(0, 1)}, sums, [&](ValueRange at, MutableArrayRef<Value> next) {
        Value filter = load(argument(0), {at[0], at[1], c}, some);
        for (int64_t i = 0; i < count; ++i) {
          Value data = load(argument(1), {at[0], at[1], h, offset(w, i), c}, some);
          next[i] = math::FmaOp::create(builder, loc, filter, data, next[i]);
        }
      });
      for (int64_t i = 0; i < count; ++i) {
        SmallVector<Value> at{h, offset(w, i), c};
        if (some)
          vector::MaskedStoreOp::create(builder, loc, argument(2), at, some, sums[i]);
        else
          vector::StoreOp::create(builder, loc, sums[i], argument(2), at);
      }
    });
  }
};

/// Emits the calls.
class Lowering {
public:
  Lowering(RewriterBase &rewriter, linalg::GenericOp op, const ChannelsLast &convolution, Value start,
           int64_t vectorBits, int64_t vectorRegisters)
      : b(rewriter), loc(op.getLoc()), op(op), convolution(convolution), start(start),
        type(cast<FloatType>(start.getType())), lanes(std::max<int64_t>(1, vectorBits / type.getWidth())),
        registers(vectorRegisters) {}

  void emit() {
    b.setInsertionPoint(op);
    filters = describeBuffer(b, loc, op.getDpsInputs()[0]);
    data = describeBuffer(b, loc, op.getDpsInputs()[1]);
    result = describeBuffer(b, loc, op.getDpsInits()[0]);
    unsigned spatial = convolution.strides.size();
    isPlane = spatial == 2;
    OpBuilder::InsertionGuard guard(b);
    if (!isConstantIntValue(data.sizes[0], 1)) {
      auto loop = scf::ForOp::create(b, loc, index(0), data.sizes[0], index(1));
      b.setInsertionPointToStart(loop.getBody());
      for (BufferParts *buffer : {&data, &result})
        buffer->offset = plus(buffer->offset, times(loop.getInductionVar(), buffer->strides[0]));
    }
    convolution.isDepthwise ? emitOwn() : emitSum();
  }

private:
  Value index(int64_t number) { return arith::ConstantIndexOp::create(b, loc, number); }
  Value plus(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
  Value times(Value x, Value y) { return b.createOrFold<arith::MulIOp>(loc, x, y); }
  Value times(Value x, int64_t y) { return times(x, index(y)); }

  Value view(MemRefType type, const BufferParts &buffer, ArrayRef<Value> sizes, ArrayRef<Value> strides) {
    return createKernelView(b, loc, type, buffer.base, buffer.offset, getAsOpFoldResult(sizes),
                            getAsOpFoldResult(strides));
  }
  /// The first spatial dim of a buffer.
  unsigned getFirst(const BufferParts &buffer) const { return &buffer == &data ? (convolution.isLast ? 1 : 2) : 1; }
  /// The size or the stride of the rows and of the columns of a buffer. Without rows, there is one.
  std::pair<Value, Value> getPlane(const BufferParts &buffer, ArrayRef<Value> from, int64_t otherwise) {
    unsigned first = getFirst(buffer);
    return {isPlane ? from[first] : index(otherwise), from[first + isPlane]};
  }

  void emitSum() {
    ArrayRef<int64_t> shape = cast<MemRefType>(op.getDpsInputs()[0].getType()).getShape();
    int64_t channels = convolution.isLast ? shape[shape.size() - 2] : shape[1];
    SmallVector<int64_t> kernel = getKernel(convolution.isLast ? 1 : 2);
    auto [dataRow, dataColumn] = getPlane(data, data.strides, 0);
    auto [rows, columns] = getPlane(result, result.sizes, 1);
    auto [resultRow, resultColumn] = getPlane(result, result.strides, 0);
    Value channel = data.strides[convolution.isLast ? data.strides.size() - 1 : 1];
    auto [strideY, strideX] = pad(convolution.strides);
    auto [dilationY, dilationX] = pad(convolution.dilations);
    // The loops of the sum, in the order of the filters. The innermost one should be long: neighbours whose steps make
    // up one line become one, and those of one step come first, which does not change the order.
    SmallVector<std::pair<int64_t, Value>> loops, dimensions = {{channels, channel},
                                                                {kernel[0], times(dataRow, dilationY)},
                                                                {kernel[1], times(dataColumn, dilationX)}};
    if (convolution.isLast)
      std::rotate(dimensions.begin(), dimensions.begin() + 1, dimensions.end());
    for (unsigned i = 2; i > 0; --i) {
      auto &[outer, outerStep] = dimensions[i - 1];
      auto &[inner, innerStep] = dimensions[i];
      std::optional<int64_t> far = getConstantIntValue(outerStep), near = getConstantIntValue(innerStep);
      if (far && near && *far == inner * *near)
        inner *= std::exchange(outer, 1);
    }
    for (bool isOneStep : {true, false})
      llvm::copy_if(dimensions, std::back_inserter(loops), [&](auto &x) { return (x.first == 1) == isOneStep; });
    // As many positions as have half of the data that may stay in a cache. The other half is left to the filters.
    int64_t near = kNearBytes * 8 / type.getWidth() / channels / (strideY * strideX);
    int64_t elements = channels * kernel[0] * kernel[1], tile = kChannelTile;
    Value tiles = filters.sizes[0];
    MemRefType filtersType = getKernelViewType(type, {kAny, kAny, tile}, {kAny, tile, 1}),
               dataType = getKernelViewType(type, {kAny}, {1}),
               resultType = getKernelViewType(type, {kAny, kAny, kAny, tile}, {kAny, kAny, tile, 1});
    Value a = view(filtersType, filters, {tiles, index(elements), index(tile)},
                   {index(elements * tile), index(tile), index(1)});
    // The kernel adds up the offsets itself, so the view has one dim.
    Value length = index(1);
    for (auto [size, stride] : llvm::drop_begin(llvm::zip_equal(data.sizes, data.strides)))
      length = plus(length, times(size, stride));
    Value from = view(dataType, data, {length}, {index(1)});
    Value to =
        view(resultType, result, {rows, columns, tiles, index(tile)}, {resultRow, resultColumn, index(tile), index(1)});
    SmallVector<Value> arguments{a, from, to};
    for (auto [size, stride] : loops)
      arguments.push_back(index(size));
    arguments.push_back(times(dataRow, strideY));
    arguments.push_back(times(dataColumn, strideX));
    for (auto [size, stride] : loops)
      arguments.push_back(stride);
    arguments.push_back(index(near));
    arguments.push_back(start);
    std::string name;
    llvm::raw_string_ostream(name) << "rt_convolution_channels_" << type;
    auto kernel_ = getOrCreateKernel(op->getParentOfType<ModuleOp>(), name, ValueRange(arguments).getTypes(),
                                     [&](func::FuncOp func) {
                                       SumEmitter(func, type, lanes, registers).emit();
                                       // A part has some tiles of filters, which have nothing in common.
                                       setKernelParts(func, {{{0, 0}, {2, 2}},
                                                             /*grain=*/std::max<int64_t>(1, 2 * lanes / tile),
                                                             {{0, 0}, {0, 1}, {2, 0}, {2, 1}},
                                                             std::max<int64_t>(1, kWorkPerInstruction * tile / lanes)});
                                     });
    func::CallOp::create(b, loc, kernel_, arguments);
  }

  void emitOwn() {
    auto [dataRow, dataColumn] = getPlane(data, data.strides, 0);
    auto [rows, columns] = getPlane(result, result.sizes, 1);
    auto [resultRow, resultColumn] = getPlane(result, result.strides, 0);
    auto [strideY, strideX] = pad(convolution.strides);
    auto [dilationY, dilationX] = pad(convolution.dilations);
    SmallVector<int64_t> kernel = getKernel(0);
    Value one = index(1), channels = result.sizes.back(), y = index(kernel[0]), x = index(kernel[1]);
    MemRefType filtersType = getKernelViewType(type, {kAny, kAny, kAny}, {kAny, kAny, 1}),
               dataType = getKernelViewType(type, SmallVector<int64_t>(5, kAny), {kAny, kAny, kAny, kAny, 1}),
               resultType = getKernelViewType(type, {kAny, kAny, kAny}, {kAny, kAny, 1});
    Value a = view(filtersType, filters, {y, x, channels}, {times(channels, x), channels, one});
    Value from = view(dataType, data, {y, x, rows, columns, channels},
                      {times(dataRow, dilationY), times(dataColumn, dilationX), times(dataRow, strideY),
                       times(dataColumn, strideX), one});
    Value to = view(resultType, result, {rows, columns, channels}, {resultRow, resultColumn, one});
    std::string name;
    llvm::raw_string_ostream(name) << "rt_depthwise_channels_" << type;
    SmallVector<Value> arguments{a, from, to, start};
    auto kernelFunction = getOrCreateKernel(op->getParentOfType<ModuleOp>(), name, ValueRange(arguments).getTypes(),
                                            [&](func::FuncOp func) {
                                              OwnEmitter(func, type, lanes, registers).emit();
                                              setKernelParts(func, {{{1, 2}, {2, 0}},
                                                                    /*grain=*/1,
                                                                    {{0, 0}, {0, 1}, {2, 0}, {2, 1}, {2, 2}},
                                                                    std::max<int64_t>(1, kWorkPerInstruction / lanes)});
                                            });
    func::CallOp::create(b, loc, kernelFunction, arguments);
  }

  /// The sizes of the kernel, which are dims of the filters from `first` on.
  SmallVector<int64_t> getKernel(unsigned first) {
    auto type = cast<MemRefType>(op.getDpsInputs()[0].getType());
    if (isPlane)
      return {type.getDimSize(first), type.getDimSize(first + 1)};
    return {1, type.getDimSize(first)};
  }
  std::pair<int64_t, int64_t> pad(ArrayRef<int64_t> list) { return {isPlane ? list.front() : 1, list.back()}; }

  RewriterBase &b;
  Location loc;
  linalg::GenericOp op;
  const ChannelsLast &convolution;
  Value start;
  FloatType type;
  int64_t lanes, registers;
  bool isPlane = false;
  BufferParts filters, data, result;
};
} // namespace

LogicalResult recur::lowerChannelsLast(RewriterBase &rewriter, linalg::GenericOp op, const ChannelsLast &convolution,
                                       Value start, int64_t vectorBits, int64_t vectorRegisters) {
  auto filters = cast<MemRefType>(op.getDpsInputOperand(0)->get().getType());
  if (!filters.hasStaticShape() || !filters.getLayout().isIdentity())
    return rewriter.notifyMatchFailure(op, "expected filters that were packed at compile time");
  SmallVector<OpOperand *> vectors{op.getDpsInitOperand(0)};
  if (convolution.isDepthwise)
    vectors.push_back(op.getDpsInputOperand(1));
  if (failed(checkUnitStrides(rewriter, op, vectors)))
    return failure();
  Lowering(rewriter, op, convolution, start, vectorBits, vectorRegisters).emit();
  return success();
}
