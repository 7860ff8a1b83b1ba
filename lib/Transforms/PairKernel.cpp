// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PairKernel.cpp - Products of bf16 in tile registers ----------------===//
//
// A tile register has 16 rows of 64 bytes, and a CPU has eight. A group of up to 16 rows of A takes four tiles of C,
// two blocks of columns. A group of up to 32 rows takes four tiles of one block, so each tile that is loaded is used
// twice.
//
//===----------------------------------------------------------------------===//

#include "PairKernel.h"
#include "KernelBuilder.h"
#include "ProductKernels.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace recur;

namespace {
/// The rows of a group.
constexpr int64_t kGroupRows = 2 * kTileRows;

class PairKernel : KernelBuilder {
public:
  PairKernel(func::FuncOp func, FloatType type, int64_t lanes) : KernelBuilder(func, type, lanes) {}

  void emitGroups(func::FuncOp row, func::FuncOp rows, func::FuncOp tiles) {
    Value a = argument(kProductRows), b = argument(kProductMatrix), c = argument(kProductResult),
          start = argument(kProductStart), wide = argument(kProductWideRows), narrow = argument(kProductTileRows),
          mayUseTiles = argument(kProductMayUseTiles);
    Value height = memref::DimOp::create(builder, loc, a, 0), shared = memref::DimOp::create(builder, loc, a, 1);
    auto groups = scf::ForOp::create(builder, loc, index(0), height, index(kGroupRows));
    enter(groups, [&](Value first) {
      Value count =
          arith::MinUIOp::create(builder, loc, arith::SubIOp::create(builder, loc, height, first), index(kGroupRows));
      Value part = getRows(c, first, count, c.getType());
      Value isOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, count, index(1));
      emitIf(
          arith::SelectOp::create(builder, loc, isOne, constant(builder.getBoolAttr(false)), mayUseTiles),
          [&] {
            emitRounding(a, first, count, shared, [&](Value r, Value k, Value rounded) {
              Value tile = arith::DivUIOp::create(builder, loc, r, index(kTileRows)),
                    rowOfTile = arith::RemUIOp::create(builder, loc, r, index(kTileRows)),
                    step = arith::DivUIOp::create(builder, loc, k, index(kTileDepth)),
                    column = arith::RemUIOp::create(builder, loc, k, index(kTileDepth));
              vector::StoreOp::create(builder, loc, rounded, narrow, ValueRange{tile, step, rowOfTile, column});
            });
            SmallVector<Value> arguments(kTiledArguments);
            arguments[kTiledRows] = narrow;
            arguments[kTiledMatrix] = b;
            arguments[kTiledResult] = part;
            arguments[kTiledScratch] = wide;
            func::CallOp::create(builder, loc, tiles, arguments);
          },
          [&] {
            emitRounding(a, first, count, shared, [&](Value r, Value k, Value rounded) {
              vector::StoreOp::create(builder, loc, arith::ExtFOp::create(builder, loc, vector, rounded), wide,
                                      ValueRange{r, k});
            });
            Value own = getRows(wide, index(0), count, row.getArgumentTypes()[kProductRows]);
            auto emitCall = [&](func::FuncOp callee) {
              func::CallOp::create(builder, loc, callee, makeProductArguments(own, b, part, start));
            };
            emitIf(isOne, [&] { emitCall(row); }, [&] { emitCall(rows); });
          });
    });
    func::ReturnOp::create(builder, loc);
  }

  void emitTiles() {
    Value height = memref::DimOp::create(builder, loc, argument(kTiledResult), 0),
          blocks = memref::DimOp::create(builder, loc, argument(kTiledMatrix), 0);
    Value isHigh = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, height, index(kTileRows));
    auto emitBlocks = [&](Value from, Value to, int64_t tiles, int64_t width) {
      auto loop = scf::ForOp::create(builder, loc, from, to, index(width));
      enter(loop, [&](Value block) { emitTile(tiles, width, block, height); });
    };
    emitIf(
        isHigh, [&] { emitBlocks(index(0), blocks, 2, 1); },
        [&] {
          Value even =
              arith::SubIOp::create(builder, loc, blocks, arith::RemUIOp::create(builder, loc, blocks, index(2)));
          emitBlocks(index(0), even, 1, 2);
          emitBlocks(even, blocks, 1, 1);
        });
    func::ReturnOp::create(builder, loc);
  }

private:
  void emitIf(Value condition, function_ref<void()> then, function_ref<void()> otherwise) {
    auto choice = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(choice.thenBlock());
    then();
    builder.setInsertionPointToStart(choice.elseBlock());
    otherwise();
  }

  /// The rows [first, first + count) of a buffer, as a view of `type`.
  Value getRows(Value buffer, Value first, Value count, Type type) {
    auto rank = cast<MemRefType>(buffer.getType()).getRank();
    SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0)), strides(rank, builder.getIndexAttr(1)),
        sizes = memref::getMixedSizes(builder, loc, buffer);
    offsets[0] = first;
    sizes[0] = count;
    Value rows = memref::SubViewOp::create(builder, loc, buffer, offsets, sizes, strides);
    return rows.getType() == type ? rows : memref::CastOp::create(builder, loc, type, rows).getResult();
  }

  /// Emits loops over the elements of rows [first, first + count) of A. `store` gets the row, counted from `first`, the
  /// first element, and a vector that is rounded to bf16.
  void emitRounding(Value a, Value first, Value count, Value shared, function_ref<void(Value, Value, Value)> store) {
    auto rows = scf::ForOp::create(builder, loc, index(0), count, index(1));
    enter(rows, [&](Value r) {
      Value row = arith::AddIOp::create(builder, loc, first, r);
      auto steps = scf::ForOp::create(builder, loc, index(0), shared, index(lanes));
      enter(steps, [&](Value k) {
        Value elements = vector::LoadOp::create(builder, loc, vector, a, ValueRange{row, k});
        store(r, k, arith::TruncFOp::create(builder, loc, vector.clone(builder.getBF16Type()), elements));
      });
    });
  }

  /// Emits the product of `tiles` tiles of rows and `width` blocks from `block` on.
  void emitTile(int64_t tiles, int64_t width, Value block, Value height) {
    Value rows = argument(kTiledRows), b = argument(kTiledMatrix);
    auto factors = amx::TileType::get({kTileRows, kTileDepth}, builder.getBF16Type()),
         results = amx::TileType::get({kTileRows, kTileColumns}, builder.getF32Type());
    int64_t columns = 2 * width;
    SmallVector<Value> sums;
    for (int64_t i = 0; i < tiles * columns; ++i)
      sums.push_back(amx::TileZeroOp::create(builder, loc, results));
    Value steps = memref::DimOp::create(builder, loc, rows, 1);
    emitSum(index(0), steps, index(1), sums, [&](Value step, MutableArrayRef<Value> next) {
      Value pair = arith::MulIOp::create(builder, loc, step, index(kTileDepth / 2));
      SmallVector<Value> left;
      for (int64_t t = 0; t < tiles; ++t)
        left.push_back(
            amx::TileLoadOp::create(builder, loc, factors, rows, ValueRange{index(t), step, index(0), index(0)}));
      for (int64_t i = 0; i < columns; ++i) {
        Value right = amx::TileLoadOp::create(builder, loc, factors, b,
                                              ValueRange{offset(block, i / 2), pair, index(i % 2 * 2 * kTileColumns)});
        for (int64_t t = 0; t < tiles; ++t) {
          Value &sum = next[t * columns + i];
          sum = amx::TileMulFOp::create(builder, loc, results, left[t], right, sum);
        }
      }
    });
    for (auto [i, sum] : llvm::enumerate(sums))
      emitStore(sum, int64_t(i) / columns * kTileRows, offset(block, int64_t(i) % columns / 2),
                index(int64_t(i) % 2 * kTileColumns), height);
  }

  /// Stores a tile of C, whose first row is `first`. Rows beyond those of C are left out: then the tile goes through
  /// the scratch.
  void emitStore(Value tile, int64_t first, Value block, Value column, Value height) {
    Value c = argument(kTiledResult), scratch = argument(kTiledScratch);
    Value isWhole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, height, index(first + kTileRows));
    emitIf(
        isWhole,
        [&] {
          Value stride = memref::ExtractStridedMetadataOp::create(builder, loc, c).getStrides()[0];
          amx::TileStoreOp::create(builder, loc, c, ValueRange{index(first), block, column}, tile, stride);
        },
        [&] {
          amx::TileStoreOp::create(builder, loc, scratch, ValueRange{index(0), index(0)}, tile);
          Value rows = arith::SubIOp::create(builder, loc, height, index(first));
          auto copies = scf::ForOp::create(builder, loc, index(0), rows, index(1));
          enter(copies, [&](Value r) {
            Value row = vector::LoadOp::create(builder, loc, vector, scratch, ValueRange{r, index(0)});
            vector::StoreOp::create(builder, loc, row, c, ValueRange{offset(r, first), block, column});
          });
        });
  }
};
} // namespace

void recur::emitPairKernel(func::FuncOp func, FloatType type, int64_t lanes, func::FuncOp row, func::FuncOp rows,
                           func::FuncOp tiles) {
  PairKernel(func, type, lanes).emitGroups(row, rows, tiles);
}

void recur::emitTileKernel(func::FuncOp func, FloatType type, int64_t lanes) {
  PairKernel(func, type, lanes).emitTiles();
}
