// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Homes.cpp - Final destinations of carried values -------------------===//
//
// After a loop, the result of a carried value is often copied to a buffer that already existed before the loop, such as
// the next state of an outer loop. Such a buffer is the home of the value. The last iteration writes to the home
// directly, and the copy goes away.
//
//===----------------------------------------------------------------------===//

#include "LoopBuffers.h"

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace recur;
using bufferization::MaterializeInDestinationOp;

/// The ops that contain `a` and `b`, or are `a` and `b`, and that are in the same block; null if there are none.
static std::pair<Operation *, Operation *> findInOneBlock(Operation *a, Operation *b) {
  for (; a; a = a->getParentOp())
    if (Operation *ancestor = a->getBlock()->findAncestorOpInBlock(*b))
      return {a, ancestor};
  return {};
}

/// True if the destination of `write` may already be written when `loop` runs. Then it must be defined before the loop,
/// and nothing else may use it from the loop up to the write.
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
    // Uses after the write are harmless, and so are writes before the loop. Any other use before it could be a
    // to_tensor whose tensor is read later.
    return other &&
           (last->isBeforeInBlock(around) || (isa<MaterializeInDestinationOp>(user) && around->isBeforeInBlock(other)));
  });
}

/// Finds an op that writes `value`, or a reshape of it, to a buffer that may be written from `loop` on. Returns null if
/// there is none.
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

/// A view of `buffer` in another shape, or null if there is none.
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

/// The type of a slot of the cell whose number is known only at run time.
static MemRefType getSlotType(const Cell &cell) {
  auto source = cast<MemRefType>(cell.buffer.getType());
  SmallVector<int64_t> offsets(source.getRank(), 0), strides(source.getRank(), 1), sizes{1};
  offsets.front() = ShapedType::kDynamic;
  llvm::append_range(sizes, source.getShape().drop_front());
  return cast<MemRefType>(
      memref::SubViewOp::inferRankReducedResultType(source.getShape().drop_front(), source, offsets, sizes, strides));
}

/// Finds a home for a cell whose value becomes `result`. The home must have the same strides as a slot, so that one op
/// can write to either.
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

/// The destination of this iteration: the home in the last iteration, `slot` in all others.
Value LoopBuffers::chooseHome(const Cell &cell, Value slot, Value iteration) {
  if (!cell.home)
    return slot;
  if (slot.getType() != cell.home.getType())
    slot = memref::CastOp::create(rewriter, loc, cell.home.getType(), slot);
  Value isLast = compare(arith::CmpIPredicate::eq, iteration, lastIteration);
  return arith::SelectOp::create(rewriter, loc, isLast, cell.home, slot);
}
