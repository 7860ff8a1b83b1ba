// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FuseTimeLoops.cpp - Fuse time loops of the same iterations ---------===//
//
// Upstream's fuseIndependentSiblingForLoops fuses two loops that follow each other, and trusts its caller that they
// are independent. This file decides that, moves what stands between the loops, and decides whether fusing pays. The
// description of the pass in TensorPasses.td has the measurements.
//
//===----------------------------------------------------------------------===//

#include "Recur/Analysis/TimeLoopBuffers.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"
#include "TargetFacts.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace recur {
#define GEN_PASS_DEF_FUSETIMELOOPS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {
/// This is what an op uses and does. The ops in its regions count as well.
struct Accesses {
  /// The values from outside of the op.
  llvm::SetVector<Value> used;
  /// The buffers whose contents it may read, also through tensors, and those that it writes.
  llvm::SetVector<Value> read, written;
  /// True if it may end the call, by a check, or in a time loop that it is or has.
  bool hasChecks = false, hasIterations = false;
  /// False if it does anything else that is not known.
  bool isKnown = true;
};
} // namespace

/// Adds the buffers that `value` is, or is computed from. Clears `isKnown` if there may be others.
static void collectSources(Value value, llvm::SetVector<Value> &buffers, llvm::DenseSet<Value> &visited,
                           bool &isKnown) {
  if (!isa<ShapedType>(value.getType()) || !visited.insert(value).second)
    return;
  if (isa<BaseMemRefType>(value.getType())) {
    llvm::SetVector<Value> roots = findRoots(value);
    buffers.insert(roots.begin(), roots.end());
    return;
  }
  Operation *op = value.getDefiningOp();
  if (!op) {
    // The arguments of a function are read only. Nothing is known of those of a loop.
    isKnown &= isa<func::FuncOp>(value.getParentBlock()->getParentOp());
    return;
  }
  for (Value source : getUsedValues(op))
    collectSources(source, buffers, visited, isKnown);
}

static Accesses collectAccesses(Operation *op) {
  Accesses accesses;
  accesses.used = getUsedValues(op);
  llvm::DenseSet<Value> visited;
  for (Value value : accesses.used)
    collectSources(value, accesses.read, visited, accesses.isKnown);
  op->walk([&](Operation *inner) {
    accesses.hasChecks |= isa<rt::CheckOp>(inner);
    accesses.hasIterations |= isa<rt::IterationOp>(inner);
    if (isa<rt::CheckOp, rt::IterationOp>(inner) || isMemoryEffectFree(inner))
      return;
    auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!effects) {
      accesses.isKnown &= inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
      return;
    }
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &instance : instances) {
      Value value = instance.getValue();
      bool isBuffer = value && isa<BaseMemRefType>(value.getType());
      accesses.isKnown &= isBuffer && !isa<MemoryEffects::Free>(instance.getEffect());
      if (!isBuffer || !isa<MemoryEffects::Write>(instance.getEffect()))
        continue;
      for (Value root : findRoots(value)) {
        // Two allocations are never the same memory. Other buffers may be.
        accesses.isKnown &= root.getDefiningOp<memref::AllocOp>() != nullptr;
        accesses.written.insert(root);
      }
    }
  });
  return accesses;
}

static bool intersect(const llvm::SetVector<Value> &a, const llvm::SetVector<Value> &b) {
  return llvm::any_of(a, [&](Value value) { return b.contains(value); });
}

/// True if an op that does `later` may not run before the ops that do `earlier` and have the results `results`.
static bool dependsOn(const Accesses &later, const Accesses &earlier, const llvm::DenseSet<Value> &results) {
  return llvm::any_of(later.used, [&](Value value) { return results.contains(value); }) ||
         intersect(later.written, earlier.written) || intersect(later.written, earlier.read) ||
         intersect(later.read, earlier.written);
}

/// Finds the ops between the loops that can run before the first loop. Fails if `second` cannot run at once after it
/// then.
static FailureOr<SmallVector<Operation *>> collectMovable(scf::ForOp first, scf::ForOp second, RewriterBase &rewriter) {
  Accesses earlier = collectAccesses(first), ofSecond = collectAccesses(second);
  if (!earlier.isKnown || !ofSecond.isKnown)
    return rewriter.notifyMatchFailure(second, "expected loops that only write buffers of the call");
  // Iterations of the two loops alternate in the fused loop. The fault that is reported must stay the same. The limit
  // of iterations is the same for both.
  if (earlier.hasChecks && ofSecond.hasChecks)
    return rewriter.notifyMatchFailure(second, "expected that not both loops can fail");
  SmallVector<Operation *> movable;
  llvm::DenseSet<Value> results(first->result_begin(), first->result_end());
  for (Operation *op = first->getNextNode(); op != second; op = op->getNextNode()) {
    Accesses own = collectAccesses(op);
    if (!own.isKnown || own.hasChecks || (own.hasIterations && earlier.hasChecks))
      return rewriter.notifyMatchFailure(op, "expected only ops that cannot fail between the loops");
    if (!dependsOn(own, earlier, results)) {
      movable.push_back(op);
      continue;
    }
    results.insert(op->result_begin(), op->result_end());
    earlier.read.insert(own.read.begin(), own.read.end());
    earlier.written.insert(own.written.begin(), own.written.end());
  }
  if (dependsOn(ofSecond, earlier, results))
    return rewriter.notifyMatchFailure(second, "expected a loop that does not need the other");
  return movable;
}

namespace {
/// The constant tensors that an iteration uses together with states. What does not depend on states is computed before
/// the loop, by this time or by rt-hoist-products.
struct Constants {
  int64_t bytes = 0;
  /// True if an op is known to use each element of one of them several times, as a product of several rows does.
  bool areReused = false;
};
} // namespace

/// The bytes of the elements of a constant in memory. `hasDots` says that the target has instructions for pairs of
/// bf16, so that a product reads numbers of bf16 as such.
static int64_t getBytes(Value constant, bool hasDots) {
  auto type = cast<RankedTensorType>(constant.getType());
  ov::WeightsAttr weights, narrow;
  if (hasDots && matchPattern(constant, m_Constant(&weights)))
    narrow = weights.getNarrow();
  if (narrow && narrow.getTensorType().getElementType().isBF16())
    type = narrow.getTensorType();
  return llvm::divideCeil(type.getNumElements() * type.getElementTypeBitWidth(), 8);
}

/// Returns nullopt if the body has a loop.
static std::optional<Constants> findConstants(scf::ForOp loop, bool hasDots) {
  llvm::SmallDenseSet<Value> dependent(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  llvm::SetVector<Value> found;
  Constants constants;
  bool nests = false;
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    nests |= isa<LoopLikeOpInterface>(op);
    bool depends = isa<bufferization::ToTensorOp>(op) ||
                   llvm::any_of(op->getOperands(), [&](Value operand) { return dependent.contains(operand); });
    if (!depends)
      return;
    dependent.insert(op->result_begin(), op->result_end());
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      Operation *source = operand.getDefiningOp();
      if (!type || !source || !source->hasTrait<OpTrait::ConstantLike>())
        continue;
      found.insert(operand);
      SmallVector<int64_t> ranges;
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op); linalgOp && linalgOp.getNumReductionLoops() != 0)
        ranges = linalgOp.getStaticLoopRanges();
      else if (auto convolution = dyn_cast<rt::ConvolutionOp>(op))
        ranges = convolution.getLoopSizes();
      else
        continue;
      constants.areReused |=
          !ShapedType::isDynamicShape(ranges) && ShapedType::getNumElements(ranges) > type.getNumElements();
    }
  });
  if (nests)
    return std::nullopt;
  for (Value constant : found)
    constants.bytes += getBytes(constant, hasDots);
  return constants;
}

static bool isTimeLoop(scf::ForOp loop) { return !loop.getBody()->getOps<rt::IterationOp>().empty(); }

/// How many later loops each time loop is compared with. Each comparison looks at all ops between the two loops.
static constexpr unsigned kMostTried = 8;

static bool haveSameIterations(scf::ForOp first, scf::ForOp second) {
  return isEqualConstantIntOrValue(first.getLowerBound(), second.getLowerBound()) &&
         isEqualConstantIntOrValue(first.getUpperBound(), second.getUpperBound()) &&
         isEqualConstantIntOrValue(first.getStep(), second.getStep());
}

namespace {
struct FuseTimeLoops final : recur::impl::FuseTimeLoopsBase<FuseTimeLoops> {
  using Base::Base;

  void runOnOperation() override {
    // The walk visits inner blocks first, so fusing loops never erases a block that is still to be visited.
    getOperation().walk([&](Block *block) { fuseAll(*block); });
  }

  /// Fuses each time loop of a block with those of the next ones that it can be fused with. Loops that do not depend on
  /// each other, such as the directions of a sequence, are near each other.
  void fuseAll(Block &block) {
    SmallVector<scf::ForOp> loops(llvm::make_filter_range(block.getOps<scf::ForOp>(), isTimeLoop));
    for (unsigned i = 0; i + 1 < loops.size(); ++i)
      for (unsigned j = i + 1; j < loops.size() && j <= i + kMostTried;)
        if (FailureOr<scf::ForOp> fused = fuse(loops[i], loops[j]); succeeded(fused)) {
          loops[i] = *fused;
          loops.erase(loops.begin() + j);
        } else {
          ++j;
        }
  }

  /// True if loops that use these constants take less time as one.
  bool pays(const Constants &first, const Constants &second) const {
    int64_t bytes = first.bytes + second.bytes;
    if (bytes <= maxBytes)
      return true;
    // L1 of no CPU keeps a good part of so many bytes, even for one loop.
    return std::min(first.bytes, second.bytes) >= 6 * kL1Bytes && !first.areReused && !second.areReused &&
           bytes <= getL2Bytes(vectorRegisters);
  }

  /// Fuses two loops, and returns the new one.
  FailureOr<scf::ForOp> fuse(scf::ForOp first, scf::ForOp second) {
    RefusalRemarks remarks("rt-fuse-time-loops", "not-fused");
    IRRewriter rewriter(&getContext(), &remarks);
    // A loop that stood between two others may have moved in front of both.
    if (second->isBeforeInBlock(first))
      std::swap(first, second);
    if (!haveSameIterations(first, second))
      return rewriter.notifyMatchFailure(second, "expected as many iterations as the other loop has");
    std::optional<Constants> ofFirst = findConstants(first, hasDots), ofSecond = findConstants(second, hasDots);
    if (!ofFirst || !ofSecond)
      return rewriter.notifyMatchFailure(second, "expected bodies that have no loops");
    if (!pays(*ofFirst, *ofSecond))
      return rewriter.notifyMatchFailure(second, "expected constants that a cache keeps for both loops");
    FailureOr<SmallVector<Operation *>> movable = collectMovable(first, second, rewriter);
    if (failed(movable))
      return failure();
    remarkPassed(second.getLoc(), "rt-fuse-time-loops", "fused", "the loop runs together with {0}",
                 QuotedLayer{first.getLoc()});
    for (Operation *op : *movable)
      rewriter.moveOpBefore(op, first);
    // An op that needs the first loop stays behind it. The second loop comes before such ops.
    rewriter.moveOpAfter(second, first);
    scf::ForOp fused = fuseIndependentSiblingForLoops(first, second, rewriter);
    SmallVector<rt::IterationOp> numbers(fused.getBody()->getOps<rt::IterationOp>());
    for (rt::IterationOp number : llvm::drop_begin(numbers))
      rewriter.eraseOp(number);
    auto func = fused->getParentOfType<func::FuncOp>();
    if (auto count = func->getAttrOfType<IntegerAttr>(rt::kTimeLoopsAttr))
      func->setAttr(rt::kTimeLoopsAttr, rewriter.getI64IntegerAttr(count.getInt() - 1));
    return fused;
  }
};
} // namespace
