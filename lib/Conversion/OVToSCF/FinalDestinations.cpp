// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FinalDestinations.cpp - Where the last iteration writes ------------===//
//
// The result of a loop is often copied to a buffer that is there before the loop: an output of the model, or the state
// of an outer loop. Then the last iteration writes to that buffer itself, and there is no copy.
//
//===----------------------------------------------------------------------===//

#include "FinalDestinations.h"

#include "LoopValue.h"

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

bool recur::mayWriteEarlier(Operation *op, MaterializeInDestinationOp write) {
  Value destination = write.getDest();
  if (Operation *definition = destination.getDefiningOp();
      definition && definition->getBlock() == op->getBlock() && !definition->isBeforeInBlock(op))
    return false;
  return llvm::all_of(destination.getUsers(), [&](Operation *user) {
    if (user == write || insideMutuallyExclusiveRegions(user, op))
      return true;
    auto [other, around] = findInOneBlock(op, user);
    Operation *last = other == op ? write.getOperation() : other;
    // Uses after the write are harmless, and so are writes before `op`. Any other use before it could be a
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
    if (write && isa<MemRefType>(write.getDest().getType()) && mayWriteEarlier(loop, write))
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

/// The type of a copy in the double buffer `buffer`. The number of the copy, and so its offset, is dynamic.
static MemRefType getCopyType(Value buffer) {
  auto source = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> offsets(source.getRank(), 0), strides(source.getRank(), 1), sizes{1};
  offsets.front() = ShapedType::kDynamic;
  llvm::append_range(sizes, source.getShape().drop_front());
  return cast<MemRefType>(
      memref::SubViewOp::inferRankReducedResultType(source.getShape().drop_front(), source, offsets, sizes, strides));
}

bool DoubleBufferedValue::findFinalDestination(Value result) {
  if (isEmpty(dims) || !initialDims.empty())
    return false;
  MaterializeInDestinationOp write = findWrite(builder.loop, result);
  if (!write)
    return false;
  // It must have the strides of a copy in the double buffer, so that one op writes to both.
  MemRefType copy = getCopyType(buffer);
  Value found = reshapeBuffer(builder.rewriter, builder.loc, write.getDest(), copy.getShape());
  if (!found)
    return false;
  auto type = cast<MemRefType>(found.getType());
  SmallVector<int64_t> strides, copyStrides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || failed(copy.getStridesAndOffset(copyStrides, offset)) ||
      strides != copyStrides || llvm::is_contained(strides, ShapedType::kDynamic))
    return false;
  finalDestination =
      type == copy ? found : memref::CastOp::create(builder.rewriter, builder.loc, copy, found).getResult();
  finalWrite = write;
  OpFoldResult count = builder.space.count;
  if (getConstantIntValue(count).value_or(0) > 0)
    return true;
  // Without an iteration, the result is the initial value.
  Value none = builder.compare(arith::CmpIPredicate::sle, builder.indexValue(count), builder.index(0));
  auto branch = scf::IfOp::create(builder.rewriter, builder.loc, none, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder.rewriter);
  builder.rewriter.setInsertionPoint(branch.thenYield());
  builder.write(initial, finalDestination);
  return true;
}

void DoubleBufferedValue::eraseFinalWrite() {
  if (finalWrite)
    builder.rewriter.eraseOp(finalWrite);
}

/// The buffer that this iteration writes: `copy`, unless it is the last one.
Value DoubleBufferedValue::chooseDestination(Iteration &iteration, Value copy) {
  if (!finalDestination)
    return copy;
  if (copy.getType() != finalDestination.getType())
    copy = memref::CastOp::create(builder.rewriter, builder.loc, finalDestination.getType(), copy);
  Value isLast = builder.compare(arith::CmpIPredicate::eq, iteration.number, builder.lastIteration);
  return arith::SelectOp::create(builder.rewriter, builder.loc, isLast, finalDestination, copy);
}
