// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ForwardCopies.cpp - Compute values where they are copied to --------===//
//
// A copy of an allocation is removed by replacing the allocation with the target of the copy. The target may have other
// strides, so the types of all views of the buffer change with it.
//
//===----------------------------------------------------------------------===//

#include "Recur/Analysis/AccessRelation.h"
#include "Recur/Analysis/BufferLifetimes.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"
#include "ReshapeBuffer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

namespace recur {
#define GEN_PASS_DEF_FORWARDCOPIES
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// The buffer at the beginning of the chain of views.
static Value findRoot(Value buffer) {
  while (Value source = getViewSource(buffer))
    buffer = source;
  return buffer;
}

/// True unless `op` provably does not write to `buffer`.
static bool mayWrite(Operation *op, Value buffer) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  return !interface || interface.getEffectOnValue<MemoryEffects::Write>(buffer);
}

/// Calls `visit` for each access of `buffer` or of an alias of it, with the ancestor of the access in `block`. Skips
/// accesses outside of `block`. Fails as soon as `visit` fails.
static LogicalResult
visitAccesses(Value buffer, Block &block,
              function_ref<LogicalResult(Operation *access, Value part, Operation *around)> visit) {
  for (Value part : findAliases(buffer))
    for (Operation *user : part.getUsers()) {
      if (isMemoryEffectFree(user) && !user->hasTrait<OpTrait::IsTerminator>())
        continue;
      Operation *around = block.findAncestorOpInBlock(*user);
      if (around && failed(visit(user, part, around)))
        return failure();
    }
  return success();
}

/// True if all stores to `alloc` may go to the target of `copy`. As long as the buffer is in use, nothing else may read
/// or write these elements of the target, except for reads after the copy.
static bool isFreeMeanwhile(memref::CopyOp copy, memref::AllocOp alloc, Value root) {
  Block &block = *copy->getBlock();
  Operation *first = copy, *last = copy;
  LogicalResult known = visitAccesses(alloc, block, [&](Operation *access, Value part, Operation *around) {
    if (access == copy)
      return success();
    if (access->hasTrait<OpTrait::IsTerminator>() || !isa<MemoryEffectOpInterface>(access))
      return failure();
    if (around->isBeforeInBlock(first))
      first = around;
    if (last->isBeforeInBlock(around))
      last = around;
    return success(around->isBeforeInBlock(copy) || !mayWrite(access, part));
  });
  if (failed(known))
    return false;
  std::unique_ptr<AccessRelation> written;
  auto isElsewhere = [&](Operation *access, Value part) {
    if (!written)
      written = std::make_unique<AccessRelation>(copy, copy.getTarget(), block.getParentOp());
    return AccessRelation::areDisjoint(*written, AccessRelation(access, part, block.getParentOp()), {});
  };
  return succeeded(visitAccesses(root, block, [&](Operation *access, Value part, Operation *around) {
    if (access == copy || around->isBeforeInBlock(first) || last->isBeforeInBlock(around))
      return success();
    if (copy->isBeforeInBlock(around) && !access->hasTrait<OpTrait::IsTerminator>() && !mayWrite(access, part))
      return success();
    return success(isElsewhere(access, part));
  }));
}

/// Moves `value`, and the ops that it is computed from, before `anchor`. Returns false, and moves nothing, if one of
/// them may not stand there.
static bool hoistBefore(Value value, Operation *anchor) {
  SmallVector<Value> worklist{value};
  llvm::SetVector<Operation *> needed;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    // A value from a block around this one is available already.
    if (!op || op->getBlock() != anchor->getBlock() || op->isBeforeInBlock(anchor) || needed.contains(op))
      continue;
    if (!isPure(op) && !isa<memref::AllocOp, rt::OutputOp>(op))
      return false;
    if (op == anchor)
      return false;
    needed.insert(op);
    llvm::append_range(worklist, op->getOperands());
  }
  SmallVector<Operation *> ordered(needed.begin(), needed.end());
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : ordered)
    op->moveBefore(anchor);
  return true;
}

//===----------------------------------------------------------------------===//
// Replacing a buffer by one of another type
//===----------------------------------------------------------------------===//

/// Returns `type` with the strides and the offset that `other` has too. Those that differ become dynamic. Returns null
/// if the ranks differ, or if one of the types has no strides.
static MemRefType joinLayouts(MemRefType type, MemRefType other) {
  SmallVector<int64_t> strides, otherStrides;
  int64_t offset, otherOffset;
  if (type.getRank() != other.getRank() || failed(type.getStridesAndOffset(strides, offset)) ||
      failed(other.getStridesAndOffset(otherStrides, otherOffset)))
    return {};
  if (strides == otherStrides && offset == otherOffset)
    return type;
  for (auto [stride, otherStride] : llvm::zip_equal(strides, otherStrides))
    if (stride != otherStride)
      stride = ShapedType::kDynamic;
  if (offset != otherOffset)
    offset = ShapedType::kDynamic;
  return MemRefType::Builder(type).setLayout(StridedLayoutAttr::get(type.getContext(), offset, strides));
}

/// The type of the result of `view` if its source is of type `source`. Null if there is no such view.
static MemRefType getViewType(Operation *view, MemRefType source) {
  return llvm::TypeSwitch<Operation *, MemRefType>(view)
      .Case([&](memref::SubViewOp part) {
        return memref::SubViewOp::inferRankReducedResultType(part.getType().getShape(), source, part.getMixedOffsets(),
                                                             part.getMixedSizes(), part.getMixedStrides());
      })
      .Case([&](memref::ExpandShapeOp expand) {
        // A dim and its group must both be static, or both be dynamic.
        for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices()))
          if (source.isDynamicDim(dim) !=
              llvm::any_of(group, [&](int64_t d) { return expand.getResultType().isDynamicDim(d); }))
            return MemRefType();
        FailureOr<MemRefType> type = memref::ExpandShapeOp::computeExpandedType(
            source, expand.getResultType().getShape(), expand.getReassociationIndices());
        return failed(type) ? MemRefType() : *type;
      })
      .Case([&](memref::CollapseShapeOp collapse) {
        SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
        return memref::CollapseShapeOp::isGuaranteedCollapsible(source, groups)
                   ? memref::CollapseShapeOp::computeCollapsedType(source, groups)
                   : MemRefType();
      })
      .Case([&](memref::CastOp cast) {
        // The new buffer has the same dims, but other strides, which a cast cannot change.
        auto type = dyn_cast<MemRefType>(cast.getType());
        return type && memref::CastOp::areCastCompatible(source, type) ? joinLayouts(type, source) : MemRefType();
      })
      .Case([&](arith::SelectOp select) {
        auto type = dyn_cast<MemRefType>(select.getType());
        return type && select.getTrueValue() != select.getFalseValue() && type.getShape() == source.getShape()
                   ? joinLayouts(type, source)
                   : MemRefType();
      })
      .Default(MemRefType());
}

/// True if all users of `buffer`, and those of its views, may use a buffer of `type` instead.
static bool canReplace(Value buffer, MemRefType type) {
  if (buffer.getType() == type)
    return true;
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    if (isa<memref::DimOp, memref::LoadOp, memref::StoreOp, memref::CopyOp, vector::TransferReadOp,
            vector::TransferWriteOp, linalg::LinalgOp, rt::KernelOpInterface>(user))
      return true;
    MemRefType view = getViewType(user, type);
    return view && canReplace(user->getResult(0), view);
  });
}

/// Replaces `buffer` by `other`, and the views of `buffer` by views of `other`.
static void replace(RewriterBase &rewriter, Value buffer, Value other) {
  if (buffer.getType() == other.getType())
    return rewriter.replaceAllUsesWith(buffer, other);
  for (OpOperand &use : llvm::make_early_inc_range(buffer.getUses())) {
    Operation *user = use.getOwner();
    MemRefType type = getViewType(user, cast<MemRefType>(other.getType()));
    if (!type) {
      rewriter.modifyOpInPlace(user, [&] { use.set(other); });
      continue;
    }
    rewriter.setInsertionPoint(user);
    Operation *view = rewriter.clone(*user);
    view->setOperand(use.getOperandNumber(), other);
    view->getResult(0).setType(type);
    if (auto select = dyn_cast<arith::SelectOp>(view)) {
      rewriter.setInsertionPoint(view);
      for (OpOperand *side : {&select.getTrueValueMutable(), &select.getFalseValueMutable()})
        if (side->get().getType() != type)
          side->set(memref::CastOp::create(rewriter, view->getLoc(), type, side->get()));
    }
    replace(rewriter, user->getResult(0), view->getResult(0));
    rewriter.eraseOp(user);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Returns the allocation of which `source` is the whole, in the same or another shape, or null. `reshapes` gets the
/// reshapes between them, from the last one to the first.
static memref::AllocOp findAllocation(Value source, SmallVectorImpl<Operation *> &reshapes) {
  Operation *op = source.getDefiningOp();
  for (; isa_and_present<memref::ExpandShapeOp, memref::CollapseShapeOp>(op); op = op->getOperand(0).getDefiningOp())
    reshapes.push_back(op);
  return dyn_cast_if_present<memref::AllocOp>(op);
}

/// Returns a view of `target` that has the shape before these reshapes, or null if there is none.
static Value undoReshapes(RewriterBase &rewriter, Value target, ArrayRef<Operation *> reshapes) {
  for (Operation *reshape : reshapes)
    if (target)
      target = undoReshape(rewriter, reshape, target);
  return target;
}

namespace {
struct ForwardCopies final : recur::impl::ForwardCopiesBase<ForwardCopies> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies)
      forward(rewriter, copy);
  }

  /// Removes `copy` if its source can be replaced by its target.
  void forward(RewriterBase &rewriter, memref::CopyOp copy) {
    SmallVector<Operation *> reshapes;
    memref::AllocOp alloc = findAllocation(copy.getSource(), reshapes);
    Value root = findRoot(copy.getTarget());
    // The memory of an allocation or output is only reachable through its own views.
    if (!alloc || alloc->getBlock() != copy->getBlock() || root == alloc ||
        !isa_and_present<memref::AllocOp, rt::OutputOp>(root.getDefiningOp()) ||
        !isa<MemRefType>(copy.getTarget().getType()))
      return;
    if (!isFreeMeanwhile(copy, alloc, root) || !hoistBefore(copy.getTarget(), alloc))
      return;
    rewriter.setInsertionPoint(alloc);
    Value target = undoReshapes(rewriter, copy.getTarget(), reshapes);
    if (!target || !canReplace(alloc, cast<MemRefType>(target.getType())))
      return;
    rewriter.eraseOp(copy);
    replace(rewriter, alloc, target);
    rewriter.eraseOp(alloc);
  }
};
} // namespace
