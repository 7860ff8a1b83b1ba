// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SeparateDestinations.cpp - A destination for each op ---------------===//
//
// CSE merges equal empty tensors, which are only placeholders for buffers, and equal frames of padded tensors. This
// pass undoes that before bufferization decides which tensors share a buffer.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace recur {
#define GEN_PASS_DEF_SEPARATEDESTINATIONS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// Returns the tensor that `value` overwrites, followed through ops and loops to the first one.
static Value findOverwritten(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    OpOperand *overwritten = nullptr;
    if (auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op))
      overwritten = destinationStyle.getTiedOpOperand(cast<OpResult>(value));
    else if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      overwritten = loop.getTiedLoopInit(cast<OpResult>(value));
    if (!overwritten)
      break;
    value = overwritten->get();
  }
  return value;
}

/// True if `put` inserts a slice at the place from which `taken` extracts it. Both uses must see the same tensor.
static bool isPutBack(OpOperand &taken, OpOperand &put) {
  auto extract = dyn_cast<tensor::ExtractSliceOp>(taken.getOwner());
  auto insert = dyn_cast<tensor::InsertSliceOp>(put.getOwner());
  if (!extract || !insert || put.get() != insert.getDest() || extract->getBlock() != insert->getBlock() ||
      !extract->isBeforeInBlock(insert) || extract.getMixedOffsets() != insert.getMixedOffsets() ||
      extract.getMixedSizes() != insert.getMixedSizes() || extract.getMixedStrides() != insert.getMixedStrides())
    return false;
  // The inserted slice may come from another extract of the same tensor, which is then the one to stay with.
  auto origin = findOverwritten(insert.getSource()).getDefiningOp<tensor::ExtractSliceOp>();
  return !origin || origin == extract || origin.getSource() != extract.getSource();
}

/// True if the op only reads the tensor.
static bool isOnlyRead(OpOperand &use) {
  Operation *op = use.getOwner();
  return isa<vector::TransferReadOp>(op) ||
         (isa<linalg::LinalgOp, rt::KernelOpInterface>(op) && cast<DestinationStyleOpInterface>(op).isDpsInput(&use));
}

/// The parts of a frame, from the last one to the first: fills that are inserted into an empty tensor, as the edges of
/// a padded tensor are. Empty if `value` is no frame.
static SmallVector<tensor::InsertSliceOp> findFrame(Value value) {
  SmallVector<tensor::InsertSliceOp> parts;
  while (auto insert = value.getDefiningOp<tensor::InsertSliceOp>()) {
    auto fill = insert.getSource().getDefiningOp<linalg::FillOp>();
    if (!fill || !fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>())
      return {};
    parts.push_back(insert);
    value = insert.getDest();
  }
  return value.getDefiningOp<tensor::EmptyOp>() ? parts : SmallVector<tensor::InsertSliceOp>();
}

/// The op that computes what `insert` inserts into a frame: a frame in front of it may be its destination.
static Operation *findStart(tensor::InsertSliceOp insert) {
  Operation *start = insert.getSource().getDefiningOp();
  return start && start->getBlock() == insert->getBlock() ? start : insert;
}

/// True if the op, or the iterations of a loop, overwrite the tensor.
static bool isDestination(OpOperand &use) {
  if (auto op = dyn_cast<DestinationStyleOpInterface>(use.getOwner()))
    return op.isDpsInit(&use);
  auto loop = dyn_cast<LoopLikeOpInterface>(use.getOwner());
  return loop && loop.getTiedLoopRegionIterArg(&use);
}

/// The op in front of which a destination of the use belongs. A vector.mask may not have another op in its region.
static Operation *getUser(OpOperand &use) {
  auto mask = dyn_cast<vector::MaskOp>(use.getOwner()->getParentOp());
  return mask ? mask : use.getOwner();
}

/// The uses of `op`, in groups. The uses of a group must see the same tensor. All uses that only read a fill are the
/// first group.
static SmallVector<SmallVector<OpOperand *>> groupUses(Operation *op) {
  SmallVector<OpOperand *> uses, readers;
  for (OpOperand &use : op->getResult(0).getUses())
    (isa<linalg::FillOp>(op) && isOnlyRead(use) ? readers : uses).push_back(&use);
  SmallVector<SmallVector<OpOperand *>> groups;
  if (!readers.empty())
    groups.push_back(readers);
  // Only slices are compared with each other: many layers may share one empty tensor.
  SmallVector<OpOperand *> slices(llvm::make_filter_range(
      uses, [](OpOperand *use) { return isa<tensor::ExtractSliceOp, tensor::InsertSliceOp>(use->getOwner()); }));
  for (OpOperand *use : uses) {
    ArrayRef<OpOperand *> others;
    if (isa<tensor::ExtractSliceOp, tensor::InsertSliceOp>(use->getOwner()))
      others = slices;
    if (llvm::any_of(others, [&](OpOperand *other) { return isPutBack(*use, *other); }))
      continue;
    auto &group = groups.emplace_back(SmallVector<OpOperand *>{use});
    for (OpOperand *other : others)
      if (isPutBack(*other, *use))
        group.push_back(other);
  }
  return groups;
}

namespace {
/// Uses that must see the same tensor, and the op in front of which it belongs.
struct UsesOfOne {
  UsesOfOne(Operation *op, ArrayRef<OpOperand *> uses) : uses(uses) {
    // A fill that is only read stays where it is.
    if (isa<linalg::FillOp>(op) && !isDestination(*uses.front()))
      return;
    first = getUser(*uses.front());
    for (OpOperand *use : uses.drop_front())
      if (getUser(*use)->isBeforeInBlock(first))
        first = getUser(*use);
  }
  SmallVector<OpOperand *> uses;
  /// Null if the tensor may stay where it is.
  Operation *first = nullptr;
};

struct SeparateDestinations final : recur::impl::SeparateDestinationsBase<SeparateDestinations> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // Reshapes, slices and casts come first, then fills, because each copy of one of them is one more use of an empty
    // tensor.
    SmallVector<tensor::ExtractSliceOp> parts;
    SmallVector<Operation *> reshapes, casts, fills, empties;
    getOperation().walk([&](Operation *op) {
      if (op->getNumOperands() == 0 || !op->getOperand(0).getDefiningOp<tensor::EmptyOp>())
        return;
      if (auto part = dyn_cast<tensor::ExtractSliceOp>(op))
        parts.push_back(part);
      else if (isa<tensor::CastOp>(op))
        casts.push_back(op);
      else if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
        reshapes.push_back(op);
    });
    for (Operation *reshape : reshapes)
      replaceReshape(rewriter, reshape);
    for (tensor::ExtractSliceOp part : parts)
      separatePart(rewriter, part);
    separate(rewriter, casts);
    separateFrames(rewriter);
    getOperation().walk([&](Operation *op) {
      if (auto fill = dyn_cast<linalg::FillOp>(op); fill && fill->getNumResults() == 1)
        fills.push_back(op);
    });
    separate(rewriter, fills);
    getOperation().walk([&](tensor::EmptyOp empty) { empties.push_back(empty); });
    separate(rewriter, empties);
  }

  /// Replaces a reshape of an empty tensor by an empty tensor of the new shape.
  void replaceReshape(RewriterBase &rewriter, Operation *reshape) {
    auto type = cast<RankedTensorType>(reshape->getResult(0).getType());
    auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape);
    if (!expand && !type.hasStaticShape())
      return;
    rewriter.setInsertionPoint(reshape);
    SmallVector<OpFoldResult> sizes =
        expand ? expand.getMixedOutputShape() : getAsIndexOpFoldResult(&getContext(), type.getShape());
    rewriter.replaceOpWithNewOp<tensor::EmptyOp>(reshape, sizes, type.getElementType());
  }

  /// Gives each user of a slice of an empty tensor a slice of its own, right before it. CSE merged the slices together
  /// with the tensors, and hoisting moved them out of the loops in which the tensors are written.
  void separatePart(RewriterBase &rewriter, tensor::ExtractSliceOp part) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : part->getUses())
      uses.push_back(&use);
    if (uses.empty())
      return;
    for (OpOperand *use : llvm::drop_end(uses)) {
      rewriter.setInsertionPoint(getUser(*use));
      Value copy = rewriter.clone(*part)->getResult(0);
      rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(copy); });
    }
    rewriter.moveOpBefore(part, getUser(*uses.back()));
  }

  /// Gives each tensor that is inserted into a shared frame a frame of its own, right before the ops that compute it.
  /// Its empty tensor becomes one that CSE does not merge again.
  void separateFrames(RewriterBase &rewriter) {
    SmallVector<tensor::InsertSliceOp> users;
    getOperation().walk([&](tensor::InsertSliceOp insert) {
      SmallVector<tensor::InsertSliceOp> parts = findFrame(insert.getDest());
      bool isPart = insert.getSource().getDefiningOp<linalg::FillOp>() != nullptr;
      if (!isPart && llvm::any_of(parts, [](tensor::InsertSliceOp part) { return !part->hasOneUse(); }))
        users.push_back(insert);
    });
    DominanceInfo dominance(getOperation());
    for (tensor::InsertSliceOp user : users) {
      SmallVector<tensor::InsertSliceOp> parts = findFrame(user.getDest());
      auto empty = parts.back().getDest().getDefiningOp<tensor::EmptyOp>();
      SmallVector<Value> needed(empty->getOperands());
      for (tensor::InsertSliceOp part : parts) {
        auto fill = part.getSource().getDefiningOp<linalg::FillOp>();
        llvm::append_range(needed, fill.getInputs());
        llvm::append_range(needed, fill.getOutputs()[0].getDefiningOp()->getOperands());
        llvm::append_range(needed, llvm::drop_begin(part->getOperands(), 2));
      }
      Operation *start = findStart(user);
      if (!llvm::all_of(needed, [&](Value value) { return dominance.properlyDominates(value, start); }))
        start = user;
      rewriter.setInsertionPoint(start);
      Value frame =
          bufferization::AllocTensorOp::create(rewriter, empty.getLoc(), empty.getType(), empty.getDynamicSizes());
      for (tensor::InsertSliceOp part : llvm::reverse(parts)) {
        auto fill = part.getSource().getDefiningOp<linalg::FillOp>();
        IRMapping map;
        rewriter.clone(*fill.getOutputs()[0].getDefiningOp(), map);
        rewriter.clone(*fill, map);
        map.map(part.getDest(), frame);
        frame = rewriter.clone(*part, map)->getResult(0);
      }
      rewriter.modifyOpInPlace(user, [&] { user.getDestMutable().assign(frame); });
      for (tensor::InsertSliceOp part : parts)
        if (part->use_empty())
          rewriter.eraseOp(part);
    }
  }

  /// Gives each group of uses of each op, an empty tensor, a cast of one or a fill, a copy of its own, right before the
  /// first use. All groups are found before anything moves: the order of ops in a block is numbered again after that.
  static void separate(RewriterBase &rewriter, ArrayRef<Operation *> ops) {
    SmallVector<SmallVector<UsesOfOne>> groups = llvm::map_to_vector(ops, [](Operation *op) {
      return llvm::map_to_vector(groupUses(op),
                                 [&](const SmallVector<OpOperand *> &uses) { return UsesOfOne(op, uses); });
    });
    for (auto [op, ofOp] : llvm::zip_equal(ops, groups))
      separate(rewriter, op, ofOp);
  }

  static void separate(RewriterBase &rewriter, Operation *op, ArrayRef<UsesOfOne> groups) {
    if (groups.empty())
      return;
    SmallVector<Operation *> own{op};
    rewriter.setInsertionPointAfter(op);
    for (const UsesOfOne &group : groups.drop_front()) {
      Operation *copy = own.emplace_back(rewriter.clone(*op));
      for (OpOperand *use : group.uses)
        rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(copy->getResult(0)); });
    }
    for (auto [copy, group] : llvm::zip_equal(own, groups))
      if (group.first)
        rewriter.moveOpBefore(copy, group.first);
  }
};
} // namespace
