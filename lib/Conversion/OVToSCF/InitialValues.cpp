// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- InitialValues.cpp - Initial values of states -----------------------===//
//
// A state that is read as "its value if it was set, else this initial value" becomes a buffer that one of two branches
// fills. The ops that only the initial value needs move into its branch. Those that can fault stay, because a call
// checks an initial value whether it needs it or not. Dims of the initial value are computed from what stays.
//
// An initial value that takes no work, such as zeros, stays where it is: ops that read it compute it on the way.
//
//===----------------------------------------------------------------------===//

#include "InitialValues.h"

#include "BufferBuilder.h"
#include "IterationSpace.h"

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/OV/IR/OVMovement.h"
#include "Recur/Dialect/OV/IR/OVShapes.h"
#include "Recur/Dialect/OV/IR/StateReads.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace recur;

/// True if an op moves or repeats elements, or computes so few that they are dims.
static bool takesNoWork(Operation *op) {
  if (isa<ov::ConstantOp, ov::ShapeOfOp, ov::BroadcastOp, ov::ReshapeOp, ov::SqueezeOp, ov::UnsqueezeOp, ov::ConvertOp,
          tensor::CastOp>(op))
    return true;
  return llvm::all_of(op->getResultTypes(), [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.hasStaticShape() && tensor.getElementType().isInteger() &&
           tensor.getNumElements() <= ov::kMaxShapeElements;
  });
}

/// `read`, and the ops in front of it that join the elements of the state and of the initial value, each after its
/// user. Only `read` if another op uses one of these.
static SmallVector<Operation *> findJoin(Operation *read) {
  SmallVector<Operation *> join{read};
  auto take = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<ov::ReshapeOp, ov::SliceOp, ov::ConcatOp>(op) && op->hasOneUse())
      join.push_back(op);
    return join.back();
  };
  if (!isa<ov::ReshapeOp>(read) || !isa<ov::SliceOp>(take(read->getOperand(0))) ||
      !isa<ov::ConcatOp>(take(join.back()->getOperand(0))))
    return {read};
  take(join.back()->getOperand(1));
  return join;
}

using OwnOps = llvm::SmallSetVector<Operation *, 8>;

namespace {
/// Dims of what moves, in terms of what stays.
class DimsOfOthers final : public ov::ValueDims {
public:
  explicit DimsOfOthers(const OwnOps &own) : own(own) {}

private:
  bool isKnown(Value value) override { return !own.contains(value.getDefiningOp()); }

  const OwnOps &own;
};
} // namespace

/// The ops whose elements only the initial value `init` of `read` needs, each after its users.
static OwnOps findOwnOps(Value init, Operation *read) {
  SmallVector<Operation *> join = findJoin(read);
  Block *block = read->getBlock();
  OwnOps own;
  auto isOwn = [&](Operation *user) {
    user = block->findAncestorOpInBlock(*user);
    return isa_and_nonnull<ov::ShapeOfOp>(user) || llvm::is_contained(join, user) || own.contains(user);
  };
  // An op comes again after each of its users.
  SmallVector<Operation *> candidates{init.getDefiningOp()};
  while (!candidates.empty()) {
    Operation *op = candidates.pop_back_val();
    if (!op || op->getBlock() != block || own.contains(op) || op->hasTrait<OpTrait::ConstantLike>() ||
        !isMemoryEffectFree(op) || !llvm::all_of(op->getUsers(), isOwn))
      continue;
    own.insert(op);
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        candidates.push_back(operand.getDefiningOp());
    });
  }
  return own;
}

/// Replaces each ShapeOf of an op that moves. Fails, without a change, if a dim follows from the op's elements.
static LogicalResult replaceShapes(RewriterBase &rewriter, const OwnOps &own) {
  SmallVector<ov::ShapeOfOp> shapes;
  for (Operation *op : own)
    for (Operation *user : op->getUsers())
      if (auto shape = dyn_cast<ov::ShapeOfOp>(user); shape && !own.contains(user))
        shapes.push_back(shape);
  for (ov::ShapeOfOp shape : shapes) {
    DimsOfOthers dims(own);
    for (int64_t i : llvm::seq(cast<RankedTensorType>(shape.getOperand().getType()).getRank()))
      if (!dims.get(shape.getOperand(), i))
        return failure();
  }
  for (ov::ShapeOfOp shape : shapes) {
    rewriter.setInsertionPoint(shape);
    DimsOfOthers dims(own);
    auto type = cast<RankedTensorType>(shape.getResult().getType());
    SmallVector<Value> sizes;
    for (int64_t i : llvm::seq(type.getNumElements())) {
      OpFoldResult dim = dims.exprs.materialize(rewriter, shape.getLoc(), *dims.get(shape.getOperand(), i));
      Value index = getValueOrCreateConstantIndexOp(rewriter, shape.getLoc(), dim);
      sizes.push_back(arith::IndexCastOp::create(rewriter, shape.getLoc(), type.getElementType(), index));
    }
    rewriter.replaceOpWithNewOp<tensor::FromElementsOp>(shape, type, sizes);
  }
  return success();
}

/// Replaces `read`, the choice between a state and its initial value, by a buffer that one of two branches fills.
static void branch(RewriterBase &rewriter, Operation *read, const ov::StateRead &state, const OwnOps &own) {
  Location loc = read->getLoc();
  rewriter.setInsertionPoint(read);
  BufferBuilder buffers(rewriter, read);
  auto type = cast<RankedTensorType>(read->getResult(0).getType());
  SmallVector<OpFoldResult> dims;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      dims.push_back(rewriter.getIndexAttr(size));
      continue;
    }
    // The target shape chooses between the dims of the state and those of the initial value.
    Value element = tensor::ExtractOp::create(rewriter, loc, read->getOperand(1), buffers.index(i));
    dims.push_back(arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(), element).getResult());
  }
  Value buffer = buffers.allocate(type, dims);
  Value isSet = extractElement(rewriter, loc, state.state->isSet);
  auto choice = scf::IfOp::create(rewriter, loc, isSet, /*withElseRegion=*/true);
  rewriter.setInsertionPoint(choice.thenBlock()->getTerminator());
  buffers.write(state.state->value, buffer);
  Operation *end = choice.elseBlock()->getTerminator();
  SmallVector<Operation *> ops(own.getArrayRef());
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : ops)
    rewriter.moveOpBefore(op, end);
  rewriter.setInsertionPoint(end);
  buffers.write(state.init, buffer);
  rewriter.setInsertionPointAfter(choice);
  SmallVector<Operation *> join = findJoin(read);
  rewriter.replaceOp(read, buffers.readBuffer(buffer, type));
  for (Operation *op : llvm::drop_begin(join))
    rewriter.eraseOp(op);
}

void recur::branchToInitialValues(RewriterBase &rewriter, FunctionOpInterface func) {
  std::vector<ov::State> states = ov::findStates(func);
  ov::StateReads reads = ov::findReads(states);
  // A read may be the initial value of another state, so the last one comes first.
  SmallVector<Operation *> ops;
  for (Operation &op : func.getFunctionBody().front())
    if (op.getNumResults() == 1 && reads.contains(op.getResult(0)))
      ops.push_back(&op);
  for (Operation *read : llvm::reverse(ops)) {
    ov::StateRead state = reads.lookup(read->getResult(0));
    OwnOps own = state.init ? findOwnOps(state.init, read) : OwnOps();
    if (!llvm::all_of(own, takesNoWork) && succeeded(replaceShapes(rewriter, own)))
      branch(rewriter, read, state, own);
  }
}
