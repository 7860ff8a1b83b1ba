// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TransposeKernel.cpp - Code for transposes --------------------------===//
//
// A block has as many rows as a vector has lanes. It is transposed in registers: in each step, vectors at the distance
// of a power of two exchange halves of their lanes. The last block of a row or column overlaps the one before it.
//
// A few rows, as the colours of an image, are interleaved: each vector of the result takes lanes of all of them.
//
//===----------------------------------------------------------------------===//

#include "TransposeKernel.h"
#include "KernelBuilder.h"
#include "KernelCalls.h"
#include "Recur/Analysis/KernelParts.h"
#include "Recur/Analysis/WorkEstimate.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "Recur/Dialect/OV/IR/ChannelsLast.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace recur;

static constexpr int64_t kAny = ShapedType::kDynamic;

/// A static transpose of fewer elements takes no longer than a call.
static constexpr int64_t kFewElements = 1024;

/// The most rows that are interleaved.
static constexpr int64_t kMostInterleaved = 4;

namespace {
/// The numbers of the arguments of both kernels, in their order: A, [row, column], and B, which is A transposed.
enum TransposeArgument : unsigned { kTransposeSource, kTransposeTarget };

/// Emits the body of the kernel that interleaves a few rows.
class InterleaveEmitter : KernelBuilder {
public:
  InterleaveEmitter(func::FuncOp func, FloatType type, int64_t lanes, int64_t rows)
      : KernelBuilder(func, type, lanes), rows(rows) {}

  void emit() {
    Value columns = memref::DimOp::create(builder, loc, argument(kTransposeSource), 1), zero = index(0),
          step = index(lanes);
    Value isWhole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, columns, step);
    auto choice = scf::IfOp::create(builder, loc, isWhole, /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(choice.thenBlock());
      // The last vectors overlap the ones before them.
      Value last = arith::SubIOp::create(builder, loc, columns, step);
      enter(scf::ForOp::create(builder, loc, zero, columns, step),
            [&](Value q) { emitVectors(arith::MinUIOp::create(builder, loc, q, last)); });
      builder.setInsertionPointToStart(choice.elseBlock());
      enter(scf::ForOp::create(builder, loc, zero, columns, index(1)), [&](Value q) {
        for (int64_t p = 0; p < rows; ++p) {
          Value element = memref::LoadOp::create(builder, loc, argument(kTransposeSource), ValueRange{index(p), q});
          memref::StoreOp::create(builder, loc, element, argument(kTransposeTarget), ValueRange{offset(times(q), p)});
        }
      });
    }
    func::ReturnOp::create(builder, loc);
  }

private:
  Value times(Value q) { return arith::MulIOp::create(builder, loc, q, index(rows)); }

  void emitVectors(Value q) {
    SmallVector<Value> loaded;
    for (int64_t p = 0; p < rows; ++p)
      loaded.push_back(
          vector::LoadOp::create(builder, loc, vector, argument(kTransposeSource), ValueRange{index(p), q}));
    Value to = times(q);
    for (int64_t v = 0; v < rows; ++v) {
      Value mixed = loaded[0];
      for (int64_t p = 1; p < rows; ++p) {
        // Lane i is that of column `from` in row `row`. Lanes of later rows follow.
        SmallVector<int64_t> picks;
        for (int64_t i = 0; i < lanes; ++i) {
          int64_t row = (v * lanes + i) % rows, from = (v * lanes + i) / rows;
          picks.push_back(row == p ? lanes + from : p == 1 && row == 0 ? from : i);
        }
        mixed = vector::ShuffleOp::create(builder, loc, mixed, loaded[p], picks);
      }
      vector::StoreOp::create(builder, loc, mixed, argument(kTransposeTarget), ValueRange{offset(to, v * lanes)});
    }
  }

  int64_t rows;
};

/// Emits the body of the kernel.
class Emitter : KernelBuilder {
public:
  Emitter(func::FuncOp func, FloatType type, int64_t lanes) : KernelBuilder(func, type, lanes) {}

  void emit() {
    Value rows = memref::DimOp::create(builder, loc, argument(kTransposeSource), 0),
          columns = memref::DimOp::create(builder, loc, argument(kTransposeSource), 1), zero = index(0),
          step = index(lanes);
    Value fewer = arith::MinUIOp::create(builder, loc, rows, columns);
    Value isWhole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, fewer, step);
    auto choice = scf::IfOp::create(builder, loc, isWhole, /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(choice.thenBlock());
      Value lastRow = arith::SubIOp::create(builder, loc, rows, step),
            lastColumn = arith::SubIOp::create(builder, loc, columns, step);
      enter(scf::ForOp::create(builder, loc, zero, columns, step), [&](Value q) {
        enter(scf::ForOp::create(builder, loc, zero, rows, step), [&](Value p) {
          emitBlock(arith::MinUIOp::create(builder, loc, p, lastRow),
                    arith::MinUIOp::create(builder, loc, q, lastColumn));
        });
      });
      // A matrix that is too small for a block.
      builder.setInsertionPointToStart(choice.elseBlock());
      enter(scf::ForOp::create(builder, loc, zero, columns, index(1)), [&](Value q) {
        enter(scf::ForOp::create(builder, loc, zero, rows, index(1)), [&](Value p) {
          Value element = memref::LoadOp::create(builder, loc, argument(kTransposeSource), ValueRange{p, q});
          memref::StoreOp::create(builder, loc, element, argument(kTransposeTarget), ValueRange{q, p});
        });
      });
    }
    func::ReturnOp::create(builder, loc);
  }

private:
  void emitBlock(Value p, Value q) {
    SmallVector<Value> rows;
    for (int64_t i = 0; i < lanes; ++i)
      rows.push_back(
          vector::LoadOp::create(builder, loc, vector, argument(kTransposeSource), ValueRange{offset(p, i), q}));
    for (int64_t distance = 1; distance < lanes; distance *= 2) {
      // The first of the two vectors keeps the lanes whose number lacks this bit.
      SmallVector<int64_t> low, high;
      for (int64_t i = 0; i < lanes; ++i) {
        bool hasBit = i & distance;
        low.push_back(hasBit ? lanes + i - distance : i);
        high.push_back(hasBit ? lanes + i : i + distance);
      }
      for (int64_t i = 0; i < lanes; ++i) {
        if (i & distance)
          continue;
        Value a = rows[i], b = rows[i + distance];
        rows[i] = vector::ShuffleOp::create(builder, loc, a, b, low);
        rows[i + distance] = vector::ShuffleOp::create(builder, loc, a, b, high);
      }
    }
    for (int64_t i = 0; i < lanes; ++i)
      vector::StoreOp::create(builder, loc, rows[i], argument(kTransposeTarget), ValueRange{offset(q, i), p});
  }
};
} // namespace

bool recur::callsKernel(linalg::TransposeOp op) {
  auto type = cast<ShapedType>(op.getInput().getType());
  int64_t rank = type.getRank();
  if ((!type.getElementType().isF32() && !type.getElementType().isF64()) || rank < 3 ||
      (type.hasStaticShape() && type.getNumElements() < kFewElements))
    return false;
  return llvm::equal(op.getPermutation(), ov::getOrderToLast(rank)) ||
         llvm::equal(op.getPermutation(), ov::getOrderFromLast(rank));
}

LogicalResult recur::lowerTranspose(RewriterBase &rewriter, linalg::TransposeOp op, int64_t vectorBits) {
  if (failed(checkUnitStrides(rewriter, op, {&op.getInputMutable(), &op.getInitMutable()})))
    return failure();
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  auto index = [&](int64_t number) -> Value { return arith::ConstantIndexOp::create(rewriter, loc, number); };
  auto plus = [&](Value x, Value y) { return rewriter.createOrFold<arith::AddIOp>(loc, x, y); };
  auto times = [&](Value x, Value y) { return rewriter.createOrFold<arith::MulIOp>(loc, x, y); };
  BufferParts source = describeBuffer(rewriter, loc, op.getInput()),
              target = describeBuffer(rewriter, loc, op.getInit());
  ArrayRef<Value> from = source.strides, to = target.strides, sizes = target.sizes;
  int64_t rank = sizes.size();
  ArrayRef<int64_t> order = op.getPermutation();
  // The dims of the target that are its last one and that of the source.
  int64_t p = rank - 1, q = std::distance(order.begin(), llvm::find(order, rank - 1));
  Value rows = sizes[p], columns = sizes[q];
  // The dims in front of q in the target are one with it if they are contiguous in both.
  bool isMerged = llvm::all_of(ArrayRef<Value>{op.getInput(), op.getInit()}, [](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getLayout().isIdentity();
  });
  bool isToLast = q == rank - 2;
  SmallVector<int64_t> outer{0};
  for (int64_t dim = 1; dim < rank; ++dim) {
    if (dim == p || dim == q)
      continue;
    if (!isMerged)
      outer.push_back(dim);
    else if (isToLast)
      columns = times(columns, sizes[dim]);
    else
      rows = times(rows, sizes[dim]);
  }
  for (int64_t dim : outer) {
    if (isConstantIntValue(sizes[dim], 1))
      continue;
    auto loop = scf::ForOp::create(rewriter, loc, index(0), sizes[dim], index(1));
    // The strides of dims that only the call knows prove nothing later. If the first dim is not known, it may be 1, and
    // threads share the calls.
    if (dim == 0 && getConstantIntValue(sizes[dim]) && !cast<ShapedType>(op.getInit().getType()).hasStaticShape() &&
        !op->getParentOfType<LoopLikeOpInterface>())
      loop->setAttr(rt::kIndependentAttr, rewriter.getUnitAttr());
    rewriter.setInsertionPointToStart(loop.getBody());
    source.offset = plus(source.offset, times(loop.getInductionVar(), from[order[dim]]));
    target.offset = plus(target.offset, times(loop.getInductionVar(), to[dim]));
  }
  auto type = cast<FloatType>(cast<MemRefType>(op.getInput().getType()).getElementType());
  MemRefType viewType = getKernelViewType(type, {kAny, kAny}, {kAny, 1});
  auto view = [&](Value base, Value offset, Value rows, Value columns, OpFoldResult stride) {
    return createKernelView(rewriter, loc, viewType, base, offset, {rows, columns}, {stride, rewriter.getIndexAttr(1)});
  };
  int64_t lanes = std::max<int64_t>(1, vectorBits / type.getWidth());
  ModuleOp module = op->getParentOfType<ModuleOp>();
  std::optional<int64_t> few = getConstantIntValue(rows);
  if (few && *few > 1 && *few <= kMostInterleaved && isConstantIntValue(to[q], *few)) {
    MemRefType rowsType = getKernelViewType(type, {*few, kAny}, {kAny, 1}),
               mixedType = getKernelViewType(type, {kAny}, {1});
    OpFoldResult one = rewriter.getIndexAttr(1);
    Value a = createKernelView(rewriter, loc, rowsType, source.base, source.offset,
                               {rewriter.getIndexAttr(*few), columns}, {from[order[p]], one});
    Value b = createKernelView(rewriter, loc, mixedType, target.base, target.offset, {times(columns, rows)}, {one});
    std::string name;
    llvm::raw_string_ostream(name) << "rt_interleave_" << *few << "_" << type;
    auto kernel = getOrCreateKernel(module, name, {rowsType, mixedType},
                                    [&](func::FuncOp func) { InterleaveEmitter(func, type, lanes, *few).emit(); });
    func::CallOp::create(rewriter, loc, kernel, ValueRange{a, b});
    rewriter.eraseOp(op);
    return success();
  }
  Value a = view(source.base, source.offset, rows, columns, from[order[p]]);
  Value b = view(target.base, target.offset, columns, rows, to[q]);
  std::string name;
  llvm::raw_string_ostream(name) << "rt_transpose_" << type;
  auto kernel = getOrCreateKernel(module, name, {viewType, viewType}, [&](func::FuncOp func) {
    Emitter(func, type, lanes).emit();
    // A part has some columns, at least a block of them. An element is loaded and stored, and has its part in the steps
    // of its block.
    int64_t cost = kWorkPerInstruction * (2 + llvm::Log2_64(lanes)) / lanes;
    setKernelParts(func, {{{kTransposeSource, 1}, {kTransposeTarget, 0}},
                          /*grain=*/lanes,
                          {{kTransposeSource, 0}, {kTransposeSource, 1}},
                          cost});
  });
  func::CallOp::create(rewriter, loc, kernel, ValueRange{a, b});
  rewriter.eraseOp(op);
  return success();
}
