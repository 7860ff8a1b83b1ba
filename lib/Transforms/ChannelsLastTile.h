// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChannelsLastTile.h - Parts of kernels for channels last --*- C++ -*-===//
//
// This class has what the emitters of the kernels for convolutions along channels share.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_CHANNELSLASTTILE_H
#define RECUR_LIB_TRANSFORMS_CHANNELSLASTTILE_H

#include "ChannelsLastKernel.h"
#include "KernelBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace recur {

/// The base of the emitters: arithmetic, loops and sizes of tiles.
class TileBuilder : protected KernelBuilder {
public:
  TileBuilder(mlir::func::FuncOp func, mlir::FloatType type, int64_t lanes, const std::optional<TileEpilogue> &epilogue)
      : KernelBuilder(func, type, lanes), epilogue(epilogue) {}

protected:
  mlir::Value size(unsigned operand, int64_t dim) {
    return mlir::memref::DimOp::create(builder, loc, argument(operand), dim);
  }
  mlir::Value plus(mlir::Value a, mlir::Value b) { return mlir::arith::AddIOp::create(builder, loc, a, b); }
  mlir::Value minus(mlir::Value a, mlir::Value b) { return mlir::arith::SubIOp::create(builder, loc, a, b); }
  mlir::Value times(mlir::Value a, mlir::Value b) { return mlir::arith::MulIOp::create(builder, loc, a, b); }
  mlir::Value least(mlir::Value a, mlir::Value b) { return mlir::arith::MinUIOp::create(builder, loc, a, b); }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return mlir::arith::SelectOp::create(builder, loc, condition, a, b);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b) {
    return mlir::arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  void emitLoop(mlir::Value from, mlir::Value to, mlir::Value step, llvm::function_ref<void(mlir::Value)> body) {
    enter(mlir::scf::ForOp::create(builder, loc, from, to, step), body);
  }
  /// Emits nested loops that carry `sums`, the first one over `range`, and the others over `sizes`. `emit` gets the
  /// induction variables and the sums to update.
  void emitSums(std::pair<mlir::Value, mlir::Value> range, llvm::ArrayRef<mlir::Value> sizes,
                llvm::SmallVectorImpl<mlir::Value> &sums,
                llvm::function_ref<void(mlir::ValueRange, llvm::MutableArrayRef<mlir::Value>)> emit) {
    llvm::SmallVector<mlir::Value> at;
    std::function<void(llvm::SmallVectorImpl<mlir::Value> &)> nest = [&](llvm::SmallVectorImpl<mlir::Value> &carried) {
      auto [from, to] = at.empty() ? range : std::pair(index(0), sizes[at.size() - 1]);
      emitSum(from, to, index(1), carried, [&](mlir::Value i, llvm::MutableArrayRef<mlir::Value> next) {
        at.push_back(i);
        if (at.size() > sizes.size()) {
          emit(at, next);
        } else {
          llvm::SmallVector<mlir::Value> inner(next);
          nest(inner);
          llvm::copy(inner, next.begin());
        }
        at.pop_back();
      });
    };
    nest(sums);
  }
  /// The size of the tiles for `count` positions, if a tile has at most `most` and there are as few as possible.
  mlir::Value balance(mlir::Value count, int64_t most) { return balance(count, index(most)); }
  mlir::Value balance(mlir::Value count, mlir::Value most) {
    mlir::Value tiles = mlir::arith::CeilDivUIOp::create(builder, loc, count, most);
    return mlir::arith::CeilDivUIOp::create(builder, loc, count,
                                            mlir::arith::MaxUIOp::create(builder, loc, tiles, index(1)));
  }

  /// A convolution reads these rows of its data. Rows of padding in front of them and behind them are zeros.
  struct DataRows {
    /// The first row of data, and the one behind the last.
    mlir::Value first, end;
    /// The distances of two rows of positions, and of two rows of the kernel; the rows of the kernel.
    mlir::Value stride, dilation, kernel;
  };
  /// The number of steps of `by` that reach `to` from 0, where `to` may be negative.
  mlir::Value countSteps(mlir::Value to, mlir::Value by) {
    mlir::Value reach = mlir::arith::MaxSIOp::create(builder, loc, to, index(0));
    return mlir::arith::CeilDivUIOp::create(builder, loc, reach, by);
  }
  /// The rows of the kernel, from one to another, that read data for positions in row `h`.
  std::pair<mlir::Value, mlir::Value> findKernelRows(const DataRows &data, mlir::Value h) {
    mlir::Value at = times(h, data.stride);
    return {countSteps(minus(data.first, at), data.dilation),
            least(countSteps(minus(data.end, at), data.dilation), data.kernel)};
  }
  /// The row of positions behind `h`, of `rows`, from which on other rows of the kernel read data than in row `h`,
  /// where `first` to `end` do.
  mlir::Value findNextRows(const DataRows &data, mlir::Value rows, mlir::Value h, mlir::Value first, mlir::Value end) {
    auto findRow = [&](mlir::Value limit, mlir::Value kernelRow) {
      mlir::Value before = times(minus(kernelRow, index(1)), data.dilation);
      mlir::Value row = countSteps(minus(limit, before), data.stride);
      return select(compare(mlir::arith::CmpIPredicate::eq, kernelRow, index(0)), rows, row);
    };
    mlir::Value next = least(least(findRow(data.first, first), findRow(data.end, end)), rows);
    return mlir::arith::MaxUIOp::create(builder, loc, next, plus(h, index(1)));
  }

  /// The mask of the channels of a vector from `channel` on, if there are `count` channels in all.
  mlir::Value maskChannels(mlir::Value count, mlir::Value channel) {
    return mask(mlir::arith::MaxSIOp::create(builder, loc, minus(count, channel), index(0)));
  }
  /// Emits code for each vector of `channels` channels. The last one has a mask if it is not full; others have none.
  void emitVectors(mlir::Value channels, llvm::function_ref<void(mlir::Value, mlir::Value)> emit) {
    mlir::Value rest = mlir::arith::RemUIOp::create(builder, loc, channels, index(lanes)),
                whole = minus(channels, rest);
    emitLoop(index(0), whole, index(lanes), [&](mlir::Value channel) { emit(channel, mlir::Value()); });
    // At most once.
    emitLoop(whole, channels, index(lanes), [&](mlir::Value channel) { emit(channel, mask(rest)); });
  }

  /// Loads vectors. `some` is null, or the mask of the lanes.
  mlir::Value load(mlir::Value buffer, mlir::ValueRange at, mlir::Value some) {
    if (!some)
      return mlir::vector::LoadOp::create(builder, loc, vector, buffer, at);
    return mlir::vector::MaskedLoadOp::create(builder, loc, vector, buffer, at, some, zeros());
  }
  void store(mlir::Value value, mlir::Value buffer, mlir::ValueRange at, mlir::Value some) {
    if (some)
      mlir::vector::MaskedStoreOp::create(builder, loc, buffer, at, some, value);
    else
      mlir::vector::StoreOp::create(builder, loc, value, buffer, at);
  }

  /// The vector of all lanes of `vectors`, of which there is a power of two. A shuffle is direct in LLVM if its
  /// operands have one type, so pairs are joined.
  mlir::Value join(llvm::SmallVector<mlir::Value> vectors) {
    for (int64_t length = lanes; vectors.size() > 1; length *= 2) {
      for (size_t i = 0; i < vectors.size() / 2; ++i)
        vectors[i] = mlir::vector::ShuffleOp::create(builder, loc, vectors[2 * i], vectors[2 * i + 1],
                                                     llvm::to_vector(llvm::seq<int64_t>(2 * length)));
      vectors.truncate(vectors.size() / 2);
    }
    return vectors.front();
  }

  /// Replaces sums by what the epilogue computes from them. Each of the positions has `vectors` of them. `loadInput`
  /// loads a vector of an input of the epilogue, for a position and a vector. If `byTurns`, all sums are one long
  /// vector, so that they take turns in each step of a function.
  void finish(llvm::MutableArrayRef<mlir::Value> sums, int64_t vectors,
              llvm::function_ref<mlir::Value(int64_t, int64_t, int64_t)> loadInput, bool byTurns = false) {
    if (!epilogue)
      return;
    llvm::SmallVector<llvm::SmallVector<mlir::Value>> shared(vectors);
    for (auto [v, known] : llvm::enumerate(shared))
      for (auto [i, isShared] : llvm::enumerate(epilogue->isShared))
        known.push_back(isShared ? loadInput(i, 0, v) : mlir::Value());
    llvm::SmallVector<llvm::SmallVector<mlir::Value>> inputs(sums.size());
    for (auto [i, own] : llvm::enumerate(inputs)) {
      for (auto [j, known] : llvm::enumerate(shared[i % vectors]))
        own.push_back(known ? known : loadInput(j, i / vectors, i % vectors));
      own.insert(own.begin(), sums[i]);
      if (!byTurns)
        sums[i] = emitBody(builder, *epilogue->body, vector, own);
    }
    if (!byTurns)
      return;
    llvm::SmallVector<mlir::Value> joined;
    for (size_t j = 0; j < inputs.front().size(); ++j)
      joined.push_back(join(llvm::map_to_vector(inputs, [&](auto &own) { return own[j]; })));
    auto type = mlir::cast<mlir::VectorType>(joined.front().getType());
    mlir::Value results = emitBody(builder, *epilogue->body, type, joined);
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = mlir::vector::ShuffleOp::create(builder, loc, results, results,
                                            llvm::to_vector(llvm::seq<int64_t>(i * lanes, (i + 1) * lanes)));
  }

  const std::optional<TileEpilogue> &epilogue;
};

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_CHANNELSLASTTILE_H
