// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PrefetchWeights.cpp - Ask for weights before they are needed -------===//
//
// A product of several rows computes longer on each row of a matrix than a far cache takes to deliver it. But the CPU
// itself asks for it too late, so the two times add up. A prefetch some steps ahead makes them overlap.
//
//===----------------------------------------------------------------------===//

#include "Recur/Transforms/Passes.h"
#include "TargetFacts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

namespace recur {
#define GEN_PASS_DEF_PREFETCHWEIGHTS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// A tile of fewer rows reads faster than a far cache delivers, whoever asks.
static constexpr int64_t kLeastRows = 4;

/// How many steps along the shared dim a prefetch is ahead: at about 12 cycles a step, the latency of a far cache.
static constexpr int64_t kStepsAhead = 16;

/// True if `load` reads a part of a row of packed weights in each step of `loop`.
static bool readsWeights(vector::LoadOp load, scf::ForOp loop) {
  MemRefType type = load.getMemRefType();
  return type.getRank() == 3 && !ShapedType::isDynamic(type.getDimSize(2)) && type.getElementType().isIntOrFloat() &&
         load.getIndices()[1] == loop.getInductionVar();
}

/// True if the matrix may be too large for the second cache, from which the CPU fetches early enough.
static bool mayBeFar(MemRefType type) {
  return !type.hasStaticShape() || type.getNumElements() * type.getElementTypeBitWidth() / 8 > kLeastSecondCacheBytes;
}

/// Asks for the cache lines that begin in the part of a row that `load` reads, for a later step. Behind the last step
/// of a block is the next block. Behind the last one, the address is none of the matrix's; a prefetch of it has no
/// effect.
static void prefetch(vector::LoadOp load) {
  OpBuilder b(load);
  Location loc = load.getLoc();
  int64_t bytes = load.getMemRefType().getElementTypeBitWidth() / 8;
  APInt first;
  if (!matchPattern(load.getIndices()[2], m_ConstantInt(&first)))
    return;
  SmallVector<Value> indices(load.getIndices());
  indices[1] = arith::AddIOp::create(b, loc, indices[1], arith::ConstantIndexOp::create(b, loc, kStepsAhead));
  int64_t begin = first.getSExtValue(), end = begin + load.getVectorType().getNumElements();
  for (int64_t i = llvm::alignTo(begin * bytes, kLineBytes) / bytes; i < end; i += kLineBytes / bytes) {
    indices[2] = arith::ConstantIndexOp::create(b, loc, i);
    memref::PrefetchOp::create(b, loc, load.getBase(), indices, /*isWrite=*/false, /*localityHint=*/2,
                               /*isDataCache=*/true);
  }
}

namespace {
struct PrefetchWeights final : recur::impl::PrefetchWeightsBase<PrefetchWeights> {
  void runOnOperation() override {
    getOperation().walk([&](scf::ForOp loop) {
      SmallVector<vector::LoadOp> loads;
      int64_t loaded = 0, accumulated = 0;
      for (auto load : loop.getBody()->getOps<vector::LoadOp>())
        if (readsWeights(load, loop)) {
          loads.push_back(load);
          loaded += load.getVectorType().getNumElements();
        }
      for (Type type : loop.getResultTypes())
        if (auto vector = dyn_cast<VectorType>(type); vector && !vector.isScalable())
          accumulated += vector.getNumElements();
      // Each row of a tile has an accumulator for each element of the loaded columns.
      if (accumulated < kLeastRows * loaded)
        return;
      for (vector::LoadOp load : loads)
        if (mayBeFar(load.getMemRefType()))
          prefetch(load);
    });
  }
};
} // namespace
