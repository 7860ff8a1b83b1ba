// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- IndependentLoops.cpp - Loops whose iterations are independent ------===//
//
// Collects the accesses of a loop, and compares the elements of each write with those of all other accesses of its
// buffer in another iteration.
//
//===----------------------------------------------------------------------===//

#include "Recur/Analysis/IndependentLoops.h"

#include "Recur/Analysis/AccessRelation.h"
#include "Recur/Analysis/TimeLoopBuffers.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace recur;

/// The most pairs of accesses of a loop whose elements are compared. Each pair takes some tens of microseconds.
static constexpr size_t kMaxComparisons = 64;
/// The most dims of a buffer whose accesses are compared. The time of a comparison grows with their number more than
/// linearly.
static constexpr int64_t kMostDims = 16;

/// True if an access is not compared with others, because its buffer, or the root of that, has too many dims.
static bool hasManyDims(const BufferAccess &access, Value root) {
  auto isDeep = [](Value buffer) { return cast<MemRefType>(buffer.getType()).getRank() > kMostDims; };
  return isDeep(access.buffer) || isDeep(root);
}

/// True if different values of this kind are different memory, and `root` is the same one in all regions of `op`.
static bool isBuffer(Value root, Operation *op) {
  Operation *source = root.getDefiningOp();
  return isa_and_present<memref::AllocOp, memref::GetGlobalOp, rt::InputOp, rt::OutputOp, rt::WeightsOp>(source) &&
         !op->isAncestor(source);
}

FailureOr<BufferAccesses> BufferAccesses::collect(Operation *op) {
  BufferAccesses result;
  WalkResult collected = op->walk([&](Operation *inner) {
    bool isCode = isa<scf::ForOp, scf::IfOp, scf::IndexSwitchOp, rt::IterationOp>(inner) ||
                  inner->hasTrait<OpTrait::IsTerminator>();
    return isCode || (inner->getNumRegions() == 0 && succeeded(collectAccessesOf(inner, result.accesses)))
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  if (collected.wasInterrupted())
    return failure();
  for (const BufferAccess &access : result.accesses) {
    llvm::SetVector<Value> found = findRoots(access.buffer);
    if (found.size() != 1 || !isBuffer(found.front(), op))
      return failure();
    result.roots.push_back(found.front());
  }
  return result;
}

/// The elements that a load or a store reaches: some from each index on, along each dim. The list is empty if it is
/// another op, or if the elements are not so.
static SmallVector<std::pair<Value, int64_t>> getReach(Operation *op) {
  SmallVector<std::pair<Value, int64_t>> reach;
  TypeSwitch<Operation *>(op)
      .Case<memref::LoadOp, memref::StoreOp>([&](auto access) {
        for (Value index : access.getIndices())
          reach.push_back({index, 1});
      })
      .Case<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp, vector::MaskedStoreOp>([&](auto access) {
        Value mask;
        if constexpr (requires { access.getMask(); })
          mask = access.getMask();
        VectorType vector = access.getVectorType();
        auto type = cast<MemRefType>(access.getBase().getType());
        std::optional<AffineMap> map;
        if (vector.getRank() <= type.getRank())
          map = getLaneMap(type, access.getIndices(), vector, mask);
        if (!map)
          return;
        for (Value index : access.getIndices())
          reach.push_back({index, 1});
        for (auto [size, place] : llvm::zip_equal(vector.getShape(), map->getResults()))
          reach[cast<AffineDimExpr>(place).getPosition()].second = size;
      });
  return reach;
}

/// The distance of `index` from `start`, if it is a constant.
static std::optional<int64_t> getDistance(Value index, Value start) {
  if (index == start)
    return 0;
  auto apply = index.getDefiningOp<affine::AffineApplyOp>();
  if (!apply || apply.getMapOperands().size() != 1 || apply.getMapOperands().front() != start)
    return std::nullopt;
  AffineMap map = apply.getAffineMap();
  AffineExpr operand =
      map.getNumDims() ? getAffineDimExpr(0, map.getContext()) : getAffineSymbolExpr(0, map.getContext());
  auto distance = dyn_cast<AffineConstantExpr>(map.getResult(0) - operand);
  return distance ? std::optional(distance.getValue()) : std::nullopt;
}

/// True if both accesses have indices along one dim that are those of the iteration alone: they are in the step from
/// the induction variable on. This is quick, and suffices for most pairs.
static bool haveOwnIndices(const BufferAccess &first, const BufferAccess &second, scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (first.buffer != second.buffer || !loop.isDefinedOutsideOfLoop(first.buffer) || !step)
    return false;
  auto isOwn = [&](std::pair<Value, int64_t> reach) {
    std::optional<int64_t> distance = getDistance(reach.first, loop.getInductionVar());
    return distance && *distance >= 0 && *distance + reach.second <= *step;
  };
  return llvm::any_of(llvm::zip(getReach(first.op), getReach(second.op)),
                      [&](auto both) { return isOwn(std::get<0>(both)) && isOwn(std::get<1>(both)); });
}

bool recur::hasIndependentIterations(scf::ForOp loop) {
  if (loop.getNumResults() || !loop.getInductionVar().getType().isIndex())
    return false;
  // An iteration of a time loop may end the call.
  if (loop->walk([](rt::IterationOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return false;
  FailureOr<BufferAccesses> collected = BufferAccesses::collect(loop);
  if (failed(collected))
    return false;
  auto &[accesses, roots] = *collected;
  llvm::DenseSet<Value> written;
  for (auto [access, root] : llvm::zip_equal(accesses, roots))
    if (access.writes)
      written.insert(root);
  if (written.empty())
    return false;
  SmallVector<std::pair<size_t, size_t>> pairs;
  for (auto [i, access] : llvm::enumerate(accesses)) {
    if (!access.writes)
      continue;
    for (auto [k, other] : llvm::enumerate(accesses)) {
      // A pair of two writes is compared once.
      if (roots[k] != roots[i] || (other.writes && k < i) || haveOwnIndices(access, other, loop))
        continue;
      pairs.push_back({i, k});
      if (pairs.size() > kMaxComparisons || hasManyDims(access, roots[i]) || hasManyDims(other, roots[k]))
        return false;
    }
  }
  Operation *scope = loop->getParentOp();
  SmallVector<std::unique_ptr<AccessRelation>> relations(accesses.size());
  auto iterations = cast<LoopLikeOpInterface>(loop.getOperation());
  for (auto [i, k] : pairs) {
    for (size_t one : {i, k})
      if (!relations[one])
        relations[one] = std::make_unique<AccessRelation>(accesses[one].op, accesses[one].buffer, scope);
    for (bool firstIsLater : {false, true})
      if (!(firstIsLater && k == i) &&
          !AccessRelation::areDisjoint(*relations[i], *relations[k], {iterations, 0, firstIsLater}))
        return false;
  }
  return true;
}

bool recur::areIndependent(const BufferAccesses &first, const BufferAccesses &second, Operation *scope,
                           LoopLikeOpInterface loop) {
  SmallVector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < first.roots.size(); ++i)
    for (size_t k = 0; k < second.roots.size(); ++k) {
      if (first.roots[i] != second.roots[k] || !(first.accesses[i].writes || second.accesses[k].writes))
        continue;
      pairs.push_back({i, k});
      if (pairs.size() > kMaxComparisons || hasManyDims(first.accesses[i], first.roots[i]) ||
          hasManyDims(second.accesses[k], second.roots[k]))
        return false;
    }
  auto getRelation = [&](const BufferAccess &access) { return AccessRelation(access.op, access.buffer, scope); };
  return llvm::all_of(pairs, [&](auto pair) {
    return AccessRelation::areDisjoint(getRelation(first.accesses[pair.first]),
                                       getRelation(second.accesses[pair.second]), {loop, {}});
  });
}
