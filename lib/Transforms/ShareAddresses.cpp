// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ShareAddresses.cpp - One address for the rows of a tile ------------===//
//
// A tile of a product reads one element of each of its rows in a step. If only the call tells how far apart the rows
// are, LLVM computes the address of each row from that of the row before, which costs an instruction for each row of
// each step (measured: 4 to 7 percent of the time). A load can add a number to an address by itself, and multiply it by
// a power of two before, so a few multiples of the distance are enough for all rows. An empty piece of assembly, which
// has no instruction, hides from LLVM how the addresses of the steps are related, because LLVM would compute all
// addresses in its own way again.
//
//===----------------------------------------------------------------------===//

#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace recur {
#define GEN_PASS_DEF_SHAREADDRESSES
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// Fewer rows have no use for it.
static constexpr int64_t kLeastRows = 4;

/// The loads of one element of each row of a tile in a step of `loop`: the rows follow each other, at a distance that
/// only the call tells. Empty if there are none, or if they are not alike.
static SmallVector<memref::LoadOp> findRowLoads(scf::ForOp loop) {
  SmallVector<memref::LoadOp> loads;
  for (auto load : loop.getBody()->getOps<memref::LoadOp>()) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (load.getMemRefType().getRank() != 2 || !load.getType().isIntOrFloat() ||
        failed(load.getMemRefType().getStridesAndOffset(strides, offset)) || !ShapedType::isDynamic(strides[0]) ||
        load.getIndices()[1] != loop.getInductionVar())
      continue;
    if (loads.empty()) {
      if (!loop.isDefinedOutsideOfLoop(load.getMemRef()) || !loop.isDefinedOutsideOfLoop(load.getIndices()[0]))
        return {};
    } else {
      memref::LoadOp first = loads.front();
      auto next = load.getIndices()[0].getDefiningOp<arith::AddIOp>();
      if (load.getMemRef() != first.getMemRef() || !next || next.getLhs() != first.getIndices()[0] ||
          getConstantIntValue(next.getRhs()) != int64_t(loads.size()))
        return {};
    }
    loads.push_back(load);
  }
  return loads;
}

/// Lets the rows of a tile share an address.
static void shareAddress(scf::ForOp loop) {
  SmallVector<memref::LoadOp> loads = findRowLoads(loop);
  if (int64_t(loads.size()) < kLeastRows)
    return;
  memref::LoadOp first = loads.front();
  Location loc = first.getLoc();
  Type element = first.getType(), i64 = IntegerType::get(loop.getContext(), 64),
       pointer = LLVM::LLVMPointerType::get(loop.getContext());
  OpBuilder b(loop);
  auto cast = [&](Value index) -> Value { return b.createOrFold<arith::IndexCastOp>(loc, i64, index); };
  auto times = [&](Value x, Value y) { return b.createOrFold<arith::MulIOp>(loc, x, y); };
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  auto advance = [&](Value from, Type unit, Value count) -> Value {
    return LLVM::GEPOp::create(b, loc, pointer, unit, from, count);
  };
  auto layout = memref::ExtractStridedMetadataOp::create(b, loc, first.getMemRef());
  Value begin = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, first.getMemRef());
  Value base = LLVM::IntToPtrOp::create(b, loc, pointer, cast(begin));
  Value distance = layout.getStrides()[0], start = times(first.getIndices()[0], distance);
  base = advance(base, element, cast(b.createOrFold<arith::AddIOp>(loc, layout.getOffset(), start)));
  Value bytes = times(distance, index(llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)));
  // Multiples of the distance. A load multiplies one of them by 1, 2, 4 or 8.
  llvm::SmallDenseMap<int64_t, Value> multiples;
  auto split = [](int64_t row) {
    int64_t scale = 1;
    while (row % 2 == 0 && scale < 8) {
      row /= 2;
      scale *= 2;
    }
    return std::make_pair(row, scale);
  };
  for (int64_t row = 1; row < int64_t(loads.size()); ++row)
    if (Value &multiple = multiples[split(row).first]; !multiple)
      multiple = cast(times(bytes, index(split(row).first)));
  b.setInsertionPoint(first);
  Value address = advance(base, element, cast(times(loop.getInductionVar(), layout.getStrides()[1])));
  address =
      LLVM::InlineAsmOp::create(b, loc, pointer, address, "", "=r,0", /*has_side_effects=*/false,
                                /*is_align_stack=*/false, LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
          .getResult(0);
  for (auto [row, load] : llvm::enumerate(loads)) {
    b.setInsertionPoint(load);
    Value own = address;
    if (row != 0) {
      auto [multiple, scale] = split(row);
      own = advance(address, b.getIntegerType(8 * scale), multiples.lookup(multiple));
    }
    load.replaceAllUsesWith(LLVM::LoadOp::create(b, loc, element, own).getResult());
    load.erase();
  }
}

namespace {
struct ShareAddresses final : recur::impl::ShareAddressesBase<ShareAddresses> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      shareAddress(loop);
  }
};
} // namespace
