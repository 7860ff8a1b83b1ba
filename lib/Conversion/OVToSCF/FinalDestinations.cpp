// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Homes.cpp - Where a loop leaves a value in the end -----------------===//

#include "LoopBuffers.h"

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace recur;
using bufferization::MaterializeInDestinationOp;

/// The two ops around `a` and `b` that are in one block.
static std::pair<Operation *, Operation *> findInOneBlock(Operation *a, Operation *b) {
  for (; a; a = a->getParentOp())
    if (Operation *ancestor = a->getBlock()->findAncestorOpInBlock(*b))
      return {a, ancestor};
  return {};
}

/// True if what `write` stores may be in its destination from `loop` on.
static bool isUnusedMeanwhile(Operation *loop, MaterializeInDestinationOp write) {
  Value destination = write.getDest();
  if (Operation *definition = destination.getDefiningOp();
      definition && definition->getBlock() == loop->getBlock() && !definition->isBeforeInBlock(loop))
    return false;
  return llvm::all_of(destination.getUsers(), [&](Operation *user) {
    if (user == write || insideMutuallyExclusiveRegions(user, loop))
      return true;
    auto [other, around] = findInOneBlock(loop, user);
    Operation *last = other == loop ? write.getOperation() : other;
    // A tensor of this place may be read later.
    return other &&
           (last->isBeforeInBlock(around) || (isa<MaterializeInDestinationOp>(user) && around->isBeforeInBlock(other)));
  });
}

/// Finds what writes `value`, or the same elements in another shape, to a place that is there before `loop`.
static MaterializeInDestinationOp findWrite(Operation *loop, Value value) {
  for (Operation *user : value.getUsers()) {
    if (user->getBlock() != loop->getBlock())
      continue;
    auto write = dyn_cast<MaterializeInDestinationOp>(user);
    if (write && isa<MemRefType>(write.getDest().getType()) && isUnusedMeanwhile(loop, write))
      return write;
    if (isa<ov::ReshapeOp, ov::SqueezeOp, ov::UnsqueezeOp>(user) && user->getOperand(0) == value)
      if (MaterializeInDestinationOp found = findWrite(loop, user->getResult(0)))
        return found;
  }
  return {};
}

/// `buffer` in another shape; null if there is no such view.
static Value reshapeBuffer(RewriterBase &rewriter, Location loc, Value buffer, ArrayRef<int64_t> shape) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getShape() == shape)
    return buffer;
  auto result = MemRefType::get(shape, type.getElementType());
  if (!type.hasStaticShape() || !result.hasStaticShape() || type.getRank() == result.getRank())
    return {};
  std::optional<SmallVector<ReassociationIndices>> groups = getReassociationIndicesForReshape(type, result);
  if (!groups)
    return {};
  if (type.getRank() > result.getRank())
    return memref::CollapseShapeOp::isGuaranteedCollapsible(type, *groups)
               ? memref::CollapseShapeOp::create(rewriter, loc, buffer, *groups).getResult()
               : Value();
  FailureOr<MemRefType> expanded = memref::ExpandShapeOp::computeExpandedType(type, shape, *groups);
  return failed(expanded) ? Value()
                          : memref::ExpandShapeOp::create(rewriter, loc, *expanded, buffer, *groups).getResult();
}

/// The type of a slot at a place that only the iteration tells.
static MemRefType getSlotType(const Cell &cell) {
  auto source = cast<MemRefType>(cell.buffer.getType());
  SmallVector<int64_t> offsets(source.getRank(), 0), strides(source.getRank(), 1), sizes{1};
  offsets.front() = ShapedType::kDynamic;
  llvm::append_range(sizes, source.getShape().drop_front());
  return cast<MemRefType>(
      memref::SubViewOp::inferRankReducedResultType(source.getShape().drop_front(), source, offsets, sizes, strides));
}

/// Lets the last iteration write the value, which becomes `result`, to where it would be copied after the loop. That
/// place must be laid out as a slot is, so that one op writes to both.
void LoopBuffers::findHome(Cell &cell, Value result) {
  MaterializeInDestinationOp write = findWrite(loop, result);
  if (!write)
    return;
  MemRefType slot = getSlotType(cell);
  Value home = reshapeBuffer(rewriter, loc, write.getDest(), slot.getShape());
  if (!home)
    return;
  auto type = cast<MemRefType>(home.getType());
  SmallVector<int64_t> strides, slotStrides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || failed(slot.getStridesAndOffset(slotStrides, offset)) ||
      strides != slotStrides || llvm::is_contained(strides, ShapedType::kDynamic))
    return;
  cell.home = type == slot ? home : memref::CastOp::create(rewriter, loc, slot, home).getResult();
  cell.homeWrite = write;
}

/// Where this iteration writes: to `slot`, unless it is the last one.
Value LoopBuffers::chooseHome(const Cell &cell, Value slot, Value iteration) {
  if (!cell.home)
    return slot;
  if (slot.getType() != cell.home.getType())
    slot = memref::CastOp::create(rewriter, loc, cell.home.getType(), slot);
  Value isLast = compare(arith::CmpIPredicate::eq, iteration, lastIteration);
  return arith::SelectOp::create(rewriter, loc, isLast, cell.home, slot);
}
