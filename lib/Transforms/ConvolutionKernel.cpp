// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ConvolutionKernel.cpp - Code for convolutions ----------------------===//
//
// A tile is some rows of a tile of filters by some vectors of positions. Its accumulators stay in registers while the
// filters are read once, plane by plane. The vectors of the data overlap, and the elements of filters are broadcast.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionKernel.h"
#include "KernelBuilder.h"
#include "Recur/Analysis/KernelParts.h"
#include "Recur/Analysis/WorkEstimate.h"
#include "TargetFacts.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace recur;

static constexpr int64_t kAny = ShapedType::kDynamic;

/// The least tiles of positions that are worth a thread: so many that the last one, which has a mask, is a small share.
static constexpr int64_t kLeastTiles = 4;

namespace {
/// Emits the body of a kernel.
class Emitter : KernelBuilder {
public:
  Emitter(func::FuncOp func, FloatType type, int64_t rows, int64_t lanes, int64_t registers)
      : KernelBuilder(func, type, lanes), allRows(rows), registers(registers) {}

  void emit() {
    // A tile takes all rows if the accumulators leave registers for loaded values. Otherwise the rows are cut into
    // parts of nearly equal size.
    int64_t most = hasManyRegisters(registers) ? 8 : 4, parts = (allRows + most - 1) / most,
            height = (allRows + parts - 1) / parts;
    columns = getColumns(height);
    // As many whole tiles as the caller wants, and at least one.
    Value step = index(columns * lanes), near = argument(kConvolutionNearPositions);
    Value group =
        arith::MaxSIOp::create(builder, loc, step, minus(near, arith::RemSIOp::create(builder, loc, near, step)));
    Value zero = index(0), one = index(1), positions = size(kConvolutionData, 5), tiles = size(kConvolutionFilters, 0);
    first = minus(argument(kConvolutionPositions), argument(kConvolutionPositionsLeft));
    auto groups = scf::ForOp::create(builder, loc, zero, positions, group);
    enter(groups, [&](Value from) {
      Value to = arith::MinUIOp::create(builder, loc, arith::AddIOp::create(builder, loc, from, group), positions);
      auto filters = scf::ForOp::create(builder, loc, zero, tiles, one);
      enter(filters, [&](Value tile) {
        int64_t row = 0;
        for (int64_t part = 0; part < parts; ++part) {
          int64_t rows = (allRows - row + parts - part - 1) / (parts - part);
          emitRows({tile, row, rows}, from, to);
          row += rows;
        }
      });
    });
    func::ReturnOp::create(builder, loc);
  }

  /// A part has some tiles of filters, which have nothing in common, or some positions. Numbers say how many channels,
  /// or positions, follow from the first one on. Comes after `emit`.
  KernelParts getParts() const {
    KernelParts parts{{{kConvolutionFilters, 0}, {kConvolutionChannelsLeft, allRows}},
                      /*grain=*/1,
                      {{kConvolutionFilters, 0}, {kConvolutionFilters, 1}, {kConvolutionData, 5}},
                      std::max<int64_t>(1, kWorkPerInstruction * allRows / lanes)};
    parts.other = {{{kConvolutionData, 5}, {kConvolutionPositionsLeft, 1}}, kLeastTiles * columns * lanes};
    return parts;
  }

private:
  /// Some rows of a tile of filters.
  struct Rows {
    Value tile;
    int64_t first, count;
  };

  /// The number of vectors of positions in a tile of `rows` rows: the registers hold the accumulators, the vectors of
  /// data, and one element of a filter. Eight accumulators hide the latency of a multiply-add.
  int64_t getColumns(int64_t rows) const { return std::clamp<int64_t>((registers - 1) / (rows + 1), 1, 8); }

  Value size(unsigned operand, int64_t dim) { return memref::DimOp::create(builder, loc, argument(operand), dim); }
  Value plus(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
  Value minus(Value a, Value b) { return arith::SubIOp::create(builder, loc, a, b); }
  Value times(Value a, Value b) { return arith::MulIOp::create(builder, loc, a, b); }

  /// Emits the tiles for positions `from` to `to`.
  void emitRows(const Rows &rows, Value from, Value to) {
    Value step = index(columns * lanes);
    Value whole = minus(to, arith::RemUIOp::create(builder, loc, minus(to, from), step));
    auto tiles = scf::ForOp::create(builder, loc, from, whole, step);
    enter(tiles, [&](Value position) {
      SmallVector<Value> sums = emitSums(rows, position, columns, Value());
      // A tile within one row of the result is stored at once, if all its channels are those of the result.
      Value width = size(kConvolutionResult, 2), pitch = argument(kConvolutionPitch), number = plus(first, position);
      Value h = arith::DivUIOp::create(builder, loc, number, pitch), w = minus(number, times(h, pitch));
      Value isInside = arith::AndIOp::create(
          builder, loc, arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, plus(w, step), width),
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, getChannelsLeft(rows), index(rows.count)));
      auto choice = scf::IfOp::create(builder, loc, isInside, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(choice.thenBlock());
      Value channel = getChannel(getChannelsLeft(rows));
      for (auto [i, sum] : llvm::enumerate(sums))
        vector::StoreOp::create(builder, loc, sum, argument(kConvolutionResult),
                                {offset(channel, i / columns), h, offset(w, i % columns * lanes)});
      builder.setInsertionPointToStart(choice.elseBlock());
      storeSegments(rows, sums, number, plus(number, step));
    });
    // One tile takes the rest. Its last vector has a mask.
    Value count = arith::CeilDivUIOp::create(builder, loc, minus(to, whole), index(lanes));
    emitSwitch(count, 1, columns, [&](int64_t vectors) {
      Value last = offset(whole, (vectors - 1) * lanes);
      storeSegments(rows, emitSums(rows, whole, vectors, mask(minus(to, last))), plus(first, whole), plus(first, to));
    });
  }

  /// Emits the loops over the elements of the filters, for `count` vectors of positions from `position` on. Returns
  /// the accumulators, row by row. A mask limits what is read of the last vector.
  SmallVector<Value> emitSums(const Rows &rows, Value position, int64_t count, Value mask) {
    Value start = vector::BroadcastOp::create(builder, loc, vector, argument(kConvolutionStart)), zero = index(0),
          one = index(1);
    SmallVector<Value> sums(rows.count * count, start);
    Value data = argument(kConvolutionData);
    auto getSize = [&](int64_t dim) { return size(kConvolutionData, dim); };
    Value planeRows = getSize(1), height = getSize(2), planeColumns = getSize(3), width = getSize(4);
    // The loop over the shifts in plane `plane` of `planes`, for a kernel of `size` elements.
    auto emitShifts = [&](Value plane, Value planes, Value size, SmallVectorImpl<Value> &over,
                          function_ref<void(Value, MutableArrayRef<Value>)> emit) {
      Value shifts = arith::CeilDivUIOp::create(builder, loc, minus(size, plane), planes);
      emitSum(zero, shifts, one, over, emit);
    };
    // Emits a loop inside another one.
    auto nest = [](MutableArrayRef<Value> outer, function_ref<void(SmallVectorImpl<Value> &)> emit) {
      SmallVector<Value> inner(outer);
      emit(inner);
      llvm::copy(inner, outer.begin());
    };
    auto emitElement = [&](Value element, ArrayRef<Value> at, MutableArrayRef<Value> next) {
      SmallVector<Value> columns;
      for (int64_t c = 0; c < count; ++c) {
        SmallVector<Value> indices(at);
        indices.push_back(offset(position, c * lanes));
        columns.push_back(
            mask && c == count - 1
                ? vector::MaskedLoadOp::create(builder, loc, vector, data, indices, mask, zeros()).getResult()
                : vector::LoadOp::create(builder, loc, vector, data, indices).getResult());
      }
      for (int64_t r = 0; r < rows.count; ++r) {
        Value scalar = memref::LoadOp::create(builder, loc, argument(kConvolutionFilters),
                                              ValueRange{rows.tile, element, index(rows.first + r)});
        Value factor = vector::BroadcastOp::create(builder, loc, vector, scalar);
        for (auto [c, column] : llvm::enumerate(columns)) {
          Value &sum = next[r * count + c];
          sum = math::FmaOp::create(builder, loc, factor, column, sum);
        }
      }
    };
    emitSum(zero, getSize(0), one, sums, [&](Value i, MutableArrayRef<Value> overChannels) {
      nest(overChannels, [&](SmallVectorImpl<Value> &inChannel) {
        emitSum(zero, planeRows, one, inChannel, [&](Value m, MutableArrayRef<Value> overPlaneRows) {
          nest(overPlaneRows, [&](SmallVectorImpl<Value> &inPlaneRow) {
            emitShifts(m, planeRows, height, inPlaneRow, [&](Value y, MutableArrayRef<Value> overRows) {
              Value row = plus(times(i, height), plus(times(y, planeRows), m)), element = times(row, width);
              nest(overRows, [&](SmallVectorImpl<Value> &inRow) {
                emitSum(zero, planeColumns, one, inRow, [&](Value n, MutableArrayRef<Value> overPlanes) {
                  nest(overPlanes, [&](SmallVectorImpl<Value> &inPlane) {
                    emitShifts(n, planeColumns, width, inPlane, [&](Value x, MutableArrayRef<Value> next) {
                      emitElement(plus(element, plus(times(x, planeColumns), n)), {i, m, y, n, x}, next);
                    });
                  });
                });
              });
            });
          });
        });
      });
    });
    return sums;
  }

  /// The number of channels of the result from the first one of `rows` on. It is negative if these are no channels.
  Value getChannelsLeft(const Rows &rows) {
    return minus(argument(kConvolutionChannelsLeft), offset(times(rows.tile, index(allRows)), rows.first));
  }
  /// The channel of the result that the first of `rows` computes, of which `left` follow.
  Value getChannel(Value left) { return minus(size(kConvolutionResult, 0), left); }

  /// Stores the positions with the numbers `from` to `to`, whose sums are vectors row by row, without the numbers
  /// between two rows of the result. A vector is stored once for each row of the result that it has a part of.
  void storeSegments(const Rows &rows, ArrayRef<Value> sums, Value from, Value to) {
    Value pitch = argument(kConvolutionPitch), width = size(kConvolutionResult, 2), zero = index(0), one = index(1);
    Value left = getChannelsLeft(rows), channel = getChannel(left);
    Value h = arith::DivUIOp::create(builder, loc, from, pitch), origin = times(h, pitch);
    int64_t count = sums.size() / rows.count;
    for (int64_t c = 0; c < count; ++c) {
      Value position = offset(from, c * lanes);
      Value end = arith::MinUIOp::create(builder, loc, offset(position, lanes), to);
      // Stores to the row `h` of the result, which begins at `origin`, until the next one begins behind the vector.
      auto segments = scf::WhileOp::create(
          builder, loc, TypeRange{h.getType(), h.getType()}, ValueRange{h, origin},
          [&](OpBuilder &, Location, ValueRange state) {
            // The lanes from `before` up to `behind` are in the row.
            auto clamp = [&](Value lane) -> Value { return arith::MaxSIOp::create(builder, loc, lane, zero); };
            Value before = clamp(minus(state[1], position)),
                  behind = clamp(minus(arith::MinSIOp::create(builder, loc, plus(state[1], width), end), position));
            Value in = arith::AndIOp::create(
                builder, loc, mask(behind),
                arith::XOrIOp::create(
                    builder, loc, mask(before),
                    constant(SplatElementsAttr::get(VectorType::get(lanes, builder.getI1Type()), true))));
            Value at = minus(position, state[1]);
            for (int64_t r = 0; r < rows.count; ++r) {
              Value isChannel = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, left, index(r));
              auto choice = scf::IfOp::create(builder, loc, isChannel, /*withElseRegion=*/false);
              OpBuilder::InsertionGuard guard(builder);
              builder.setInsertionPointToStart(choice.thenBlock());
              vector::MaskedStoreOp::create(builder, loc, argument(kConvolutionResult),
                                            {offset(channel, r), state[0], at}, in, sums[r * count + c]);
            }
            Value next = plus(state[1], pitch);
            Value hasNext = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, next, end);
            scf::ConditionOp::create(builder, loc, hasNext, ValueRange{plus(state[0], one), next});
          },
          [&](OpBuilder &, Location, ValueRange state) { scf::YieldOp::create(builder, loc, state); });
      // The next vector begins in the row behind the last one, or still in that.
      h = segments.getResult(0), origin = segments.getResult(1);
      Value isBehind = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, origin, end);
      h = arith::SelectOp::create(builder, loc, isBehind, minus(h, one), h);
      origin = arith::SelectOp::create(builder, loc, isBehind, minus(origin, pitch), origin);
    }
  }

  int64_t allRows, registers, columns = 1;
  /// The number of the first position of the part.
  Value first;
};

/// Emits the body of the kernel that copies data to planes.
class CopyEmitter : KernelBuilder {
public:
  CopyEmitter(func::FuncOp func, FloatType type, int64_t lanes) : KernelBuilder(func, type, lanes) {}

  void emit() {
    // A step of 1 takes vectors as they are, a step of 2 takes every other element of two vectors.
    auto choice = scf::IndexSwitchOp::create(builder, loc, TypeRange(), argument(kPlanesColumnStride),
                                             ArrayRef<int64_t>{1, 2}, 2);
    auto fill = [&](Region &region, int64_t step) {
      OpBuilder::InsertionGuard guard(builder);
      builder.createBlock(&region);
      emitRows(step);
      scf::YieldOp::create(builder, loc);
    };
    for (auto [i, region] : llvm::enumerate(choice.getCaseRegions()))
      fill(region, i + 1);
    fill(choice.getDefaultRegion(), 0);
    func::ReturnOp::create(builder, loc);
  }

private:
  template <typename Op>
  Value make(Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }

  /// Emits the loops over channels, planes and rows.
  void emitRows(int64_t step) {
    SmallVector<Value> indices;
    std::function<void()> emitLoop = [&] {
      unsigned dim = indices.size();
      if (dim == 4)
        return emitRow(step, indices);
      Value size = memref::DimOp::create(builder, loc, argument(kPlanesTarget), dim);
      auto loop = scf::ForOp::create(builder, loc, index(0), size, index(1));
      enter(loop, [&](Value i) {
        indices.push_back(i);
        emitLoop();
        indices.pop_back();
      });
    };
    emitLoop();
  }

  /// Emits the loop over a row of a plane, for a step of 1 or 2, or, if `step` is 0, for any.
  void emitRow(int64_t step, ArrayRef<Value> at) {
    Value height = memref::DimOp::create(builder, loc, argument(kPlanesSource), 1),
          width = memref::DimOp::create(builder, loc, argument(kPlanesSource), 2),
          length = memref::DimOp::create(builder, loc, argument(kPlanesTarget), 4);
    Value row = make<arith::AddIOp>(make<arith::MulIOp>(at[3], argument(kPlanesRowStride)),
                                    make<arith::MulIOp>(at[1], argument(kPlanesRowDilation)));
    row = make<arith::MinUIOp>(row, make<arith::SubIOp>(height, index(1)));
    Value origin = make<arith::MulIOp>(at[2], argument(kPlanesColumnDilation));
    auto vectors = scf::ForOp::create(builder, loc, index(0), length, index(lanes));
    enter(vectors, [&](Value w) {
      Value from = make<arith::AddIOp>(origin, make<arith::MulIOp>(w, argument(kPlanesColumnStride)));
      Value left = make<arith::MaxSIOp>(make<arith::SubIOp>(width, from), index(0));
      SmallVector<Value> target(at);
      target.push_back(w);
      vector::MaskedStoreOp::create(builder, loc, argument(kPlanesTarget), target, mask(make<arith::SubIOp>(length, w)),
                                    emitLoad(step, at[0], row, from, left));
    });
  }

  /// The elements from `from` on, `left` of which are in the row.
  Value emitLoad(int64_t step, Value channel, Value row, Value from, Value left) {
    auto load = [&](Value at, Value count) -> Value {
      return vector::MaskedLoadOp::create(builder, loc, vector, argument(kPlanesSource), ValueRange{channel, row, at},
                                          mask(count), zeros());
    };
    if (step == 1)
      return load(from, left);
    if (step == 2) {
      Value more = make<arith::MaxSIOp>(make<arith::SubIOp>(left, index(lanes)), index(0));
      Value first = load(from, left), second = load(offset(from, lanes), more);
      SmallVector<int64_t> even;
      for (int64_t i = 0; i < lanes; ++i)
        even.push_back(2 * i);
      return vector::ShuffleOp::create(builder, loc, first, second, even);
    }
    Value numbers = numberLanes();
    Value stride = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), argument(kPlanesColumnStride));
    Value places = make<arith::MulIOp>(numbers, vector::BroadcastOp::create(builder, loc, numbers.getType(), stride));
    Value count = make<arith::CeilDivUIOp>(left, argument(kPlanesColumnStride));
    return vector::GatherOp::create(builder, loc, vector, argument(kPlanesSource), ValueRange{channel, row, from},
                                    places, mask(count), zeros());
  }
};
} // namespace

ConvolutionKernel::ConvolutionKernel(ModuleOp module, FloatType type, int64_t rows, int64_t vectorBits,
                                     int64_t vectorRegisters)
    : module(module), type(type), rows(rows), lanes(std::max<int64_t>(1, vectorBits / type.getWidth())),
      registers(vectorRegisters) {}

MemRefType ConvolutionKernel::getFiltersType() const {
  return getKernelViewType(type, {kAny, kAny, rows}, {kAny, rows, 1});
}
MemRefType ConvolutionKernel::getDataType() const {
  return getKernelViewType(type, SmallVector<int64_t>(6, kAny), {kAny, kAny, kAny, kAny, kAny, 1});
}
MemRefType ConvolutionKernel::getSourceType() const {
  return getKernelViewType(type, {kAny, kAny, kAny}, {kAny, kAny, 1});
}
MemRefType ConvolutionKernel::getPlanesType() const {
  return getKernelViewType(type, SmallVector<int64_t>(5, kAny), {kAny, kAny, kAny, kAny, 1});
}
MemRefType ConvolutionKernel::getResultType() const {
  return getKernelViewType(type, {kAny, kAny, kAny}, {kAny, kAny, 1});
}

func::FuncOp ConvolutionKernel::get() {
  std::string name;
  llvm::raw_string_ostream(name) << "rt_convolution_" << type << "_" << rows;
  SmallVector<Type> arguments(kConvolutionArguments, IndexType::get(type.getContext()));
  arguments[kConvolutionFilters] = getFiltersType();
  arguments[kConvolutionData] = getDataType();
  arguments[kConvolutionResult] = getResultType();
  arguments[kConvolutionStart] = type;
  return getOrCreateKernel(module, name, arguments, [&](func::FuncOp kernel) {
    Emitter emitter(kernel, type, rows, lanes, registers);
    emitter.emit();
    setKernelParts(kernel, emitter.getParts());
  });
}

func::FuncOp ConvolutionKernel::getCopy() {
  std::string name;
  llvm::raw_string_ostream(name) << "rt_planes_" << type;
  SmallVector<Type> arguments(kPlanesArguments, IndexType::get(type.getContext()));
  arguments[kPlanesSource] = getSourceType();
  arguments[kPlanesTarget] = getPlanesType();
  return getOrCreateKernel(module, name, arguments, [&](func::FuncOp kernel) {
    CopyEmitter(kernel, type, lanes).emit();
    // A part has some channels.
    KernelParts parts{{{kPlanesSource, 0}, {kPlanesTarget, 0}}, /*grain=*/1, {}, getCopyWork(type)};
    for (int64_t dim = 0; dim < 5; ++dim)
      parts.sizes.push_back({kPlanesTarget, dim});
    setKernelParts(kernel, parts);
  });
}
