// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MergeEqualOps.cpp - equal ops that may fail become one -------------===//
//
// Upstream's CSE merges ops without effects only. An op that may fail has one, so that it is not erased. But the second
// of two equal ops fails only if the first one does, and then the call has ended.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/OV/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopedHashTable.h"

namespace recur::ov {
#define GEN_PASS_DEF_MERGEEQUALOPS
#include "Recur/Dialect/OV/Transforms/Passes.h.inc"
} // namespace recur::ov

using namespace mlir;
using namespace recur;
using namespace recur::ov;

namespace {
/// Ops are the same key if they have equal operands, attributes, types and regions.
struct EqualOps : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(const_cast<Operation *>(op), OperationEquivalence::directHashValue,
                                             OperationEquivalence::ignoreHashValue,
                                             OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b)
      return true;
    if (a == getTombstoneKey() || a == getEmptyKey() || b == getTombstoneKey() || b == getEmptyKey())
      return false;
    return OperationEquivalence::isEquivalentTo(const_cast<Operation *>(a), const_cast<Operation *>(b),
                                                OperationEquivalence::IgnoreLocations);
  }
};

/// True if the only effects of an op are faults.
bool onlyFails(Operation *op) {
  if (isMemoryEffectFree(op))
    return true;
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(op);
  return effects && llvm::all_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
           return isa<MemoryEffects::Write>(effect.getEffect()) && isa<FaultResource>(effect.getResource());
         });
}

struct MergeEqualOps final : recur::ov::impl::MergeEqualOpsBase<MergeEqualOps> {
  void runOnOperation() override {
    Known known;
    merge(getOperation().getBody(), known);
  }

private:
  using Known = llvm::ScopedHashTable<Operation *, Operation *, EqualOps>;

  /// Merges the ops of a region with those before, and with those before the op around it.
  void merge(Region &region, Known &known) {
    if (!region.hasOneBlock())
      return;
    Known::ScopeTy scope(known);
    for (Operation &op : llvm::make_early_inc_range(region.front().without_terminator())) {
      for (Region &inner : op.getRegions())
        merge(inner, known);
      if (op.getNumResults() == 0 || !onlyFails(&op))
        continue;
      if (Operation *before = known.lookup(&op)) {
        op.replaceAllUsesWith(before);
        op.erase();
      } else {
        known.insert(&op, &op);
      }
    }
  }
};
} // namespace
