// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WinogradKernel.cpp - Convolutions by Winograd's algorithm ----------===//
//
// Groups of positions are transformed together, so that their transformed data stays in L2 while all tiles of
// filters are applied to it. Behind the last row or column of the data, the last one is read again: only results that
// are not stored depend on it.
//
//===----------------------------------------------------------------------===//

#include "WinogradKernel.h"
#include "ChannelsLastTile.h"
#include "ProductKernels.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace recur;

namespace {
/// Emits the kernel.
class WinogradEmitter : TileBuilder {
public:
  WinogradEmitter(func::FuncOp func, FloatType type, int64_t lanes, std::array<WinogradForm, 2> forms,
                  func::FuncOp product, int64_t block, const std::optional<TileEpilogue> &epilogue)
      : TileBuilder(func, type, lanes, epilogue), forms(forms), product(product), block(block) {
    for (unsigned dim = 0; dim < 2; ++dim) {
      isTransformed[dim] = forms[dim] != WinogradForm::none;
      numElements[dim] = getPairElements(forms[dim]);
      numFilters[dim] = getFilterElements(forms[dim]);
    }
  }

  void emit() {
    Value zero = index(0), one = index(1);
    channels = size(kWinogradFilters, 2);
    group = argument(kWinogradGroup);
    pairs[0] = countPairs(size(kWinogradResult, 0), argument(kWinogradDilationY), isTransformed[0]);
    pairs[1] = countPairs(size(kWinogradResult, 1), argument(kWinogradDilationX), isTransformed[1]);
    Value positions = times(pairs[0], pairs[1]);
    createScratches();
    // Groups of nearly equal size.
    Value step = arith::MaxUIOp::create(builder, loc, one, balance(positions, group));
    emitLoop(zero, positions, step, [&](Value from) {
      Value count = least(minus(positions, from), step);
      emitLoop(zero, count, one, [&](Value i) { transformData(i, findPlace(plus(from, i))); });
      emitLoop(zero, size(kWinogradFilters, 0), one, [&](Value tile) {
        emitLoop(zero, index(numElements[0] * numElements[1]), one,
                 [&](Value element) { multiply(tile, element, count); });
        emitLoop(zero, count, one, [&](Value i) {
          Place place = findPlace(plus(from, i));
          emitIfNotFinite(transformSums(i, place, tile), [&] { sumDirectly(place, tile); });
        });
      });
    });
    func::ReturnOp::create(builder, loc);
  }

private:
  /// The first row and column of a pair of positions, or of a position.
  using Place = std::array<Value, 2>;

  Value dilation(unsigned dim) { return argument(dim ? kWinogradDilationX : kWinogradDilationY); }

  /// The pairs along a dim of `size` positions. With a dilation, a pair has positions at its distance.
  Value countPairs(Value size, Value dilation, bool isTransformed) {
    if (!isTransformed)
      return size;
    return times(arith::CeilDivUIOp::create(builder, loc, size, times(dilation, index(2))), dilation);
  }

  /// Splits the scratch: [element, position of the group, input channel] has the transformed data, and [element,
  /// position of the group, channel of a tile] the sums. Planes of elements have a pad between them.
  void createScratches() {
    BufferParts scratch = describeBuffer(builder, loc, argument(kWinogradScratch));
    Value elements = index(numElements[0] * numElements[1]);
    auto getPlane = [&](Value width) { return plus(times(group, width), index(kWinogradPad)); };
    auto view = [&](Value offset, Value width) -> Value {
      MemRefType type = getKernelViewType(vector.getElementType(), {kAny, kAny, kAny}, {kAny, kAny, 1});
      SmallVector<Value> sizes{elements, group, width}, strides{getPlane(width), width, index(1)};
      return createKernelView(builder, loc, type, scratch.base, offset, getAsOpFoldResult(sizes),
                              getAsOpFoldResult(strides));
    };
    data = view(scratch.offset, channels);
    Value all = times(elements, getPlane(channels));
    sums = view(plus(scratch.offset, all), index(ov::kWinogradTile));
  }

  /// The first position of pair `number`.
  Place findPlace(Value number) {
    Value row = arith::DivUIOp::create(builder, loc, number, pairs[1]);
    Place place{row, minus(number, times(row, pairs[1]))};
    for (unsigned dim = 0; dim < 2; ++dim)
      if (isTransformed[dim]) {
        Value rounds = arith::DivUIOp::create(builder, loc, place[dim], dilation(dim));
        place[dim] = plus(place[dim], times(rounds, dilation(dim)));
      }
    return place;
  }
  /// Position `i` of the positions, or elements of the data, that follow each other at the distance of the dilation.
  Value advance(const Place &place, unsigned dim, int64_t i) {
    return i ? plus(place[dim], times(dilation(dim), index(i))) : place[dim];
  }
  /// The offsets of `counts` rows and columns of the data, from those that the position `place` reads on.
  std::array<SmallVector<Value>, 2> findData(const Place &place, std::array<int64_t, 2> counts) {
    std::array<SmallVector<Value>, 2> offsets;
    for (unsigned dim = 0; dim < 2; ++dim) {
      Place first = place;
      if (forms[dim] == WinogradForm::stride2)
        first[dim] = plus(place[dim], place[dim]);
      for (int64_t i = 0; i < counts[dim]; ++i)
        offsets[dim].push_back(
            times(least(advance(first, dim, i), argument(dim ? kWinogradLastColumn : kWinogradLastRow)),
                  argument(dim ? kWinogradColumnStep : kWinogradRowStep)));
    }
    return offsets;
  }

  Value add(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
  Value subtract(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }

  /// Replaces the elements of a plane, with `size[0]` rows, by what `transform` makes of each line along each dim that
  /// is transformed.
  SmallVector<Value> transformPlane(SmallVector<Value> plane, std::array<int64_t, 2> size,
                                    function_ref<SmallVector<Value>(WinogradForm, ArrayRef<Value>)> transform) {
    for (unsigned dim = 0; dim < 2; ++dim) {
      if (!isTransformed[dim])
        continue;
      int64_t lines = size[1 - dim], rowStep = dim ? 1 : size[1];
      SmallVector<SmallVector<Value>> results;
      for (int64_t line = 0; line < lines; ++line) {
        SmallVector<Value> elements;
        for (int64_t i = 0; i < size[dim]; ++i)
          elements.push_back(plane[line * (dim ? size[1] : 1) + i * rowStep]);
        results.push_back(transform(forms[dim], elements));
      }
      size[dim] = results.front().size();
      plane.assign(size[0] * size[1], Value());
      for (auto [line, elements] : llvm::enumerate(results))
        for (auto [i, element] : llvm::enumerate(elements))
          plane[dim ? line * size[1] + i : i * size[1] + line] = element;
    }
    return plane;
  }

  /// Transforms the data that the pair at `place` reads. It is position `i` of the group.
  void transformData(Value i, const Place &place) {
    std::array<SmallVector<Value>, 2> offsets = findData(place, numElements);
    emitVectors(channels, [&](Value channel, Value some) {
      SmallVector<Value> plane;
      for (Value row : offsets[0])
        for (Value column : offsets[1])
          plane.push_back(load(argument(kWinogradData), {index(0), plus(plus(row, column), channel)}, some));
      plane = transformPlane(plane, numElements, [&](WinogradForm form, ArrayRef<Value> d) -> SmallVector<Value> {
        if (form == WinogradForm::stride2)
          return {subtract(d[0], d[2]), d[2], subtract(d[2], d[4]), d[1], d[3]};
        return {subtract(d[0], d[2]), add(d[1], d[2]), subtract(d[2], d[1]), subtract(d[1], d[3])};
      });
      for (auto [element, value] : llvm::enumerate(plane))
        store(value, data, {index(element), i, channel}, some);
    });
  }

  /// The element of the filters that is multiplied by an element of the data.
  Value findFilter(Value element) {
    Value columns = index(numElements[1]), row = arith::DivUIOp::create(builder, loc, element, columns),
          column = minus(element, times(row, columns));
    return plus(times(least(row, index(numFilters[0] - 1)), index(numFilters[1])),
                least(column, index(numFilters[1] - 1)));
  }

  /// Multiplies the data of `count` positions by the filters of a tile, for one of the transformed elements.
  void multiply(Value tile, Value element, Value count) {
    Value width = index(ov::kWinogradTile);
    auto view = [&](Type type, Value buffer, ArrayRef<Value> at, ArrayRef<Value> sizes, ArrayRef<Value> steps) {
      BufferParts parts = describeBuffer(builder, loc, buffer);
      Value offset = parts.offset;
      for (auto [position, stride] : llvm::zip(at, parts.strides))
        offset = plus(offset, times(position, stride));
      return createKernelView(builder, loc, cast<MemRefType>(type), parts.base, offset, getAsOpFoldResult(sizes),
                              getAsOpFoldResult(steps));
    };
    FunctionType type = product.getFunctionType();
    Value blocks = index(ov::kWinogradTile / block), columns = index(block), one = index(1);
    // The kernel needs two rows. A second one that is none gives sums that nothing reads.
    count = arith::MaxUIOp::create(builder, loc, count, index(2));
    Value a = view(type.getInput(kProductRows), data, {element}, {count, channels}, {channels, one});
    Value b = view(type.getInput(kProductMatrix), argument(kWinogradFilters), {tile, findFilter(element)},
                   {blocks, channels, columns}, {columns, width, one});
    Value c = view(type.getInput(kProductResult), sums, {element}, {count, blocks, columns}, {width, columns, one});
    Value start = constant(builder.getZeroAttr(vector.getElementType()));
    func::CallOp::create(builder, loc, product, makeProductArguments(a, b, c, start));
  }

  /// Computes the results of the pair at `place` from the sums of position `i` of the group. Returns a vector with NaN
  /// if one of them is not finite.
  Value transformSums(Value i, const Place &place, Value tile) {
    std::array<int64_t, 2> counts{isTransformed[0] ? 2 : 1, isTransformed[1] ? 2 : 1};
    Value first = vector::BroadcastOp::create(builder, loc, vector, argument(kWinogradStart));
    SmallVector<Value> carried{zeros()};
    emitSum(index(0), index(ov::kWinogradTile), index(lanes), carried, [&](Value at, MutableArrayRef<Value> next) {
      SmallVector<Value> plane;
      for (int64_t element = 0; element < numElements[0] * numElements[1]; ++element)
        plane.push_back(load(sums, {index(element), i, at}, Value()));
      plane = transformPlane(plane, numElements, [&](WinogradForm form, ArrayRef<Value> m) -> SmallVector<Value> {
        if (form == WinogradForm::stride2)
          return {add(add(m[0], m[1]), m[3]), add(subtract(m[1], m[2]), m[4])};
        return {add(add(m[0], m[1]), m[2]), subtract(subtract(m[1], m[2]), m[3])};
      });
      for (Value &result : plane) {
        next.front() = math::FmaOp::create(builder, loc, result, zeros(), next.front());
        result = add(first, result);
      }
      for (int64_t y = 0; y < counts[0]; ++y)
        for (int64_t x = 0; x < counts[1]; ++x)
          finishOne(plane[y * counts[1] + x], {advance(place, 0, y), advance(place, 1, x)}, tile, at);
    });
    return carried.front();
  }

  /// Applies the epilogue to the result at `place`, and stores it, unless the place is behind the last row or column.
  void finishOne(Value sum, const Place &place, Value tile, Value at) {
    Value isInside;
    for (unsigned dim = 0; dim < 2; ++dim)
      if (isTransformed[dim]) {
        Value isBelow = compare(arith::CmpIPredicate::ult, place[dim], size(kWinogradResult, dim));
        isInside = isInside ? arith::AndIOp::create(builder, loc, isInside, isBelow).getResult() : isBelow;
      }
    auto choice = scf::IfOp::create(builder, loc, isInside);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(choice.thenBlock());
    Value some;
    if (epilogue)
      some = maskChannels(argument(kWinogradChannels), plus(times(tile, index(ov::kWinogradTile)), at));
    SmallVector<Value> one{sum};
    finish(one, 1, [&](int64_t input, int64_t, int64_t) {
      bool isShared = epilogue->isShared[input];
      return load(argument(kWinogradInputs + input),
                  {isShared ? index(0) : place[0], isShared ? index(0) : place[1], tile, at}, some);
    });
    store(one.front(), argument(kWinogradResult), {place[0], place[1], tile, at}, some);
  }

  /// Emits code for the case that `test` has a NaN.
  void emitIfNotFinite(Value test, function_ref<void()> emit) {
    Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, test, test);
    Value any = vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, isNaN);
    auto choice = scf::IfOp::create(builder, loc, any);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(choice.thenBlock());
    emit();
  }

  /// Computes the results of the pair at `place` without transformed data. The filters are transformed back.
  void sumDirectly(const Place &place, Value tile) {
    std::array<int64_t, 2> kernel{isTransformed[0] ? 3 : 1, isTransformed[1] ? 3 : 1};
    emitLoop(index(0), index(ov::kWinogradTile), index(lanes), [&](Value at) {
      emitLoop(index(0), index(isTransformed[0] ? 2 : 1), index(1), [&](Value y) {
        emitLoop(index(0), index(isTransformed[1] ? 2 : 1), index(1), [&](Value x) {
          Place own{plus(place[0], times(y, dilation(0))), plus(place[1], times(x, dilation(1)))};
          std::array<SmallVector<Value>, 2> offsets = findData(own, kernel);
          SmallVector<Value> sum{vector::BroadcastOp::create(builder, loc, vector, argument(kWinogradStart))};
          emitSum(index(0), channels, index(1), sum, [&](Value channel, MutableArrayRef<Value> next) {
            SmallVector<Value> plane;
            for (int64_t element = 0; element < numFilters[0] * numFilters[1]; ++element)
              plane.push_back(load(argument(kWinogradFilters), {tile, index(element), channel, at}, Value()));
            plane = transformPlane(plane, numFilters, [&](WinogradForm form, ArrayRef<Value> u) -> SmallVector<Value> {
              if (form == WinogradForm::stride2)
                return {u[0], u[3], u[2]};
              return {u[0], subtract(u[1], u[2]), u[3]};
            });
            for (int64_t i = 0; i < kernel[0]; ++i)
              for (int64_t j = 0; j < kernel[1]; ++j) {
                Value at = plus(plus(offsets[0][i], offsets[1][j]), channel);
                Value element = memref::LoadOp::create(builder, loc, argument(kWinogradData), ValueRange{index(0), at});
                Value factor = vector::BroadcastOp::create(builder, loc, vector, element);
                next.front() = math::FmaOp::create(builder, loc, factor, plane[i * kernel[1] + j], next.front());
              }
          });
          finishOne(sum.front(), own, tile, at);
        });
      });
    });
  }

  static constexpr int64_t kAny = ShapedType::kDynamic;

  /// How rows and columns are transformed, and whether they are; the elements of the data that a pair has along each
  /// dim, and those of the filters.
  std::array<WinogradForm, 2> forms;
  std::array<bool, 2> isTransformed;
  std::array<int64_t, 2> numElements, numFilters;
  func::FuncOp product;
  int64_t block;
  /// The input channels, the positions of a group, and the pairs along each dim.
  Value channels, group;
  std::array<Value, 2> pairs;
  /// The transformed data and the sums of a group.
  Value data, sums;
};
} // namespace

void recur::emitWinograd(func::FuncOp func, FloatType type, int64_t lanes, std::array<WinogradForm, 2> forms,
                         func::FuncOp product, int64_t block, const std::optional<TileEpilogue> &epilogue) {
  WinogradEmitter(func, type, lanes, forms, product, block, epilogue).emit();
}
