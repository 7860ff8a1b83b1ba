// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MarkCounts.cpp - Passes that drop marks ----------------------------===//
//
// Passes may run on several functions at once, so each thread has the counts of the passes that it is in.
//
//===----------------------------------------------------------------------===//

#include "Recur/Pipelines/MarkCounts.h"

#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Dialect/RT/IR/SumOrder.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace recur;

static constexpr StringLiteral kAdditions[] = {"arith.addf"}, kLoops[] = {"scf.for"},
                               kSums[] = {"linalg.generic", "scf.for"}, kWork[] = {"scf.for", "func.call"},
                               kCalls[] = {"func.call"}, kViews[] = {"memref.reinterpret_cast"};

// An `rt.product` has the columns as an attribute.
static constexpr StringLiteral kTakeColumns[] = {"rt-pack-matmuls", "rt-form-products", "rt-tile-and-vectorize"},
                               kSplitSums[] = {"rt-tile-and-vectorize", "rt-split-accumulators"},
                               kFormParallelRegions[] = {"rt-form-parallel-regions"},
                               kOrderLoops[] = {"rt-form-parallel-regions", "rt-alternate-order"},
                               kKeepTimeLoops[] = {"rt-keep-time-loops"}, kExpandViews[] = {"expand-strided-metadata"};

static constexpr Mark kMarks[] = {
    {rt::kColumnsAttr, kAdditions, "the order of a sum", kTakeColumns},
    {rt::kAnyRowsAttr, kAdditions, "that the number of rows may not decide the order of a sum", kTakeColumns},
    {rt::kAccumulatorsAttr, kSums, "the accumulators of a sum", kSplitSums},
    {rt::kIndependentAttr, kLoops, "that iterations are independent", kOrderLoops},
    {rt::kTilesOfBlockAttr, kLoops, "that tiles read the same weights", {}},
    {rt::kUndividedAttr, kWork, "that one thread computes all of it", kFormParallelRegions},
    {rt::kInterchangeableAttr, kLoops, "that parts of a time loop are independent", kFormParallelRegions},
    {rt::kSameShapeAttr, kViews, "that a view has the shape of its source", kExpandViews},
    {rt::kStepsAttr, kLoops, "that a loop has iterations of a time loop", kKeepTimeLoops},
    {rt::kPartsAttr, kCalls, "how a call can be divided", kFormParallelRegions},
};

ArrayRef<Mark> recur::getMarks() { return kMarks; }

namespace {
/// For each mark: how many ops have it, and how many ops of its kinds do not.
struct Count {
  unsigned with = 0, without = 0;
};
using Counts = std::array<Count, std::size(kMarks)>;

class MarkCounts final : public PassInstrumentation {
public:
  explicit MarkCounts(std::atomic<bool> &hasDropped) : hasDropped(hasDropped) {}

  // A pass without a name runs others, which are counted themselves.
  void runBeforePass(Pass *pass, Operation *op) override {
    getBefore().push_back(pass->getArgument().empty() ? Counts() : count(op));
  }
  void runAfterPassFailed(Pass *, Operation *) override { getBefore().pop_back(); }
  void runAfterPass(Pass *pass, Operation *op) override {
    Counts before = getBefore().pop_back_val();
    if (pass->getArgument().empty())
      return;
    Counts after = count(op);
    for (auto [mark, had, has] : llvm::zip_equal(kMarks, before, after)) {
      if (has.with >= had.with || has.without <= had.without || llvm::is_contained(mark.consumers, pass->getArgument()))
        continue;
      hasDropped = true;
      op->emitError() << "'" << pass->getArgument() << "' dropped '" << mark.name << "', which says " << mark.meaning
                      << ": " << had.with << " ops had it, and " << has.with << " have it";
    }
  }

private:
  static Counts count(Operation *root) {
    Counts counts;
    root->walk([&](Operation *op) {
      for (auto [mark, number] : llvm::zip_equal(kMarks, counts))
        if (llvm::is_contained(mark.kinds, op->getName().getStringRef()))
          ++(op->hasAttr(mark.name) ? number.with : number.without);
    });
    return counts;
  }
  static SmallVector<Counts> &getBefore() {
    thread_local SmallVector<Counts> before;
    return before;
  }

  std::atomic<bool> &hasDropped;
};
} // namespace

std::unique_ptr<PassInstrumentation> recur::createMarkCounts(std::atomic<bool> &hasDropped) {
  return std::make_unique<MarkCounts>(hasDropped);
}
