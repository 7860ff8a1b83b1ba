// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitAccumulators.cpp - Sums that do not wait for each other -------===//
//
// Each multiply-add of a sum waits for the one before it. A tile with few accumulators leaves the units idle in the
// meantime. Here several steps get accumulators of their own, which are added after the loop. LLVM would need
// permission to reorder sums for it, which it would use elsewhere too.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace recur {
#define GEN_PASS_DEF_SPLITACCUMULATORS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// True if each result of `loop` is a sum of vectors to which each step adds one product, and nothing else happens in
/// the loop but reads.
static bool isLoopOfSums(scf::ForOp loop) {
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [sum, next] : llvm::zip_equal(loop.getRegionIterArgs(), yield.getOperands())) {
    auto fma = next.getDefiningOp<math::FmaOp>();
    if (!fma || fma->getBlock() != loop.getBody() || fma.getC() != sum || !sum.hasOneUse() || !next.hasOneUse() ||
        !isa<VectorType>(sum.getType()))
      return false;
  }
  return loop.getNumResults() != 0 && llvm::all_of(loop.getBody()->without_terminator(), [](Operation &op) {
           return op.getNumRegions() == 0 && (isMemoryEffectFree(&op) || hasSingleEffect<MemoryEffects::Read>(&op));
         });
}

/// Lets each iteration of `loop` take `accumulators` steps, each with accumulators of its own. The steps that are left
/// over come after it, one by one.
static void split(scf::ForOp loop, int64_t accumulators) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> inits(loop.getInitArgs());
  size_t count = inits.size();
  for (int64_t number = 1; number < accumulators; ++number)
    for (size_t i = 0; i < count; ++i)
      inits.push_back(arith::ConstantOp::create(b, loc, b.getZeroAttr(inits[i].getType())));
  Value from = loop.getLowerBound(), to = loop.getUpperBound(), step = loop.getStep();
  Value wide = b.createOrFold<arith::MulIOp>(loc, step, arith::ConstantIndexOp::create(b, loc, accumulators));
  Value length = b.createOrFold<arith::SubIOp>(loc, to, from);
  Value rest = b.createOrFold<arith::RemUIOp>(loc, length, wide);
  Value whole = b.createOrFold<arith::SubIOp>(loc, to, rest);
  auto result = scf::ForOp::create(b, loc, from, whole, wide, inits);
  result->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  OpBuilder body = OpBuilder::atBlockBegin(result.getBody());
  Value k = result.getInductionVar();
  SmallVector<Value> next;
  for (int64_t number = 0; number < accumulators; ++number) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), k);
    for (auto [i, sum] : llvm::enumerate(loop.getRegionIterArgs()))
      mapping.map(sum, result.getRegionIterArg(number * count + i));
    for (Operation &op : loop.getBody()->without_terminator())
      body.clone(op, mapping);
    for (Value sum : loop.getBody()->getTerminator()->getOperands())
      next.push_back(mapping.lookup(sum));
    if (number + 1 < accumulators)
      k = arith::AddIOp::create(body, loc, k, step);
  }
  scf::YieldOp::create(body, loc, next);
  SmallVector<Value> sums(result.getResults());
  addSteps(b, loc, sums, count);
  if (isConstantIntValue(rest, 0)) {
    loop.replaceAllUsesWith(sums);
    loop.erase();
    return;
  }
  loop.getLowerBoundMutable().assign(whole);
  loop.getInitArgsMutable().assign(sums);
}

namespace {
struct SplitAccumulators final : recur::impl::SplitAccumulatorsBase<SplitAccumulators> {
  void runOnOperation() override {
    // Kernels have several accumulators for an element already.
    if (getOperation()->hasAttr(rt::kKernelAttr))
      return;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(rt::kAccumulatorsAttr))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      int64_t accumulators = cast<IntegerAttr>(loop->removeAttr(rt::kAccumulatorsAttr)).getInt();
      if (isLoopOfSums(loop) && isConstantIntValue(loop.getStep(), 1))
        split(loop, accumulators);
    }
  }
};
} // namespace
