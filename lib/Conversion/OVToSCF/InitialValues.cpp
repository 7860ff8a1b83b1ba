// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- InitialValues.cpp - Initial values of states -----------------------===//
//
// A state that is read as "its value if it was set, else this initial value" becomes a buffer that one of two branches
// fills. The ops that only the initial value needs move into its branch. Those that can fault stay, because a call
// checks an initial value whether it needs it or not. Dims of the initial value are computed from what stays.
//
// One more branch computes what several initial values need and nothing else does, unless all of their states are set.
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
          tensor::CastOp, bufferization::ToTensorOp>(op))
    return true;
  return llvm::all_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || (tensor.hasStaticShape() && tensor.getElementType().isInteger() &&
                       tensor.getNumElements() <= ov::kMaxShapeElements);
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

/// The ops of `block`, from `values` on, whose elements nothing else needs, each after its users. `isReader(op, user)`
/// says which users of an op may stay where they are.
static OwnOps findOwnOps(ArrayRef<Value> values, Block *block,
                         llvm::function_ref<bool(Operation *, Operation *)> isReader) {
  OwnOps own;
  auto isOwned = [&](Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      Operation *around = block->findAncestorOpInBlock(*user);
      return isReader(op, user) || (around && (isa<ov::ShapeOfOp>(around) || own.contains(around)));
    });
  };
  // An op comes again after each of its users.
  SmallVector<Operation *> candidates;
  for (Value value : values)
    candidates.push_back(value.getDefiningOp());
  while (!candidates.empty()) {
    Operation *op = candidates.pop_back_val();
    if (!op || op->getBlock() != block || own.contains(op) || op->hasTrait<OpTrait::ConstantLike>() ||
        !isMemoryEffectFree(op) || !isOwned(op))
      continue;
    own.insert(op);
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        candidates.push_back(operand.getDefiningOp());
    });
  }
  return own;
}

/// The ops whose elements only the initial value `init` of `read` needs, each after its users.
static OwnOps findOwnOps(Value init, Operation *read) {
  SmallVector<Operation *> join = findJoin(read);
  return findOwnOps(init, read->getBlock(),
                    [&](Operation *, Operation *user) { return llvm::is_contained(join, user); });
}

/// The initial values of `reads` that take work which no other op of the block needs, alone or together.
static llvm::SmallPtrSet<Operation *, 8> findReadsOfWork(ArrayRef<Operation *> reads, const ov::StateReads &states) {
  llvm::SmallPtrSet<Operation *, 8> joins, works, result;
  SmallVector<Value> inits;
  auto getInit = [&](Operation *read) { return states.lookup(read->getResult(0)).init; };
  for (Operation *read : reads)
    if (Value init = getInit(read)) {
      inits.push_back(init);
      joins.insert_range(findJoin(read));
    }
  if (inits.empty())
    return result;
  OwnOps own =
      findOwnOps(inits, reads.front()->getBlock(), [&](Operation *, Operation *user) { return joins.contains(user); });
  for (Operation *op : llvm::reverse(own)) {
    bool takesWork = !takesNoWork(op);
    op->walk([&](Operation *inner) {
      takesWork |=
          llvm::any_of(inner->getOperands(), [&](Value operand) { return works.contains(operand.getDefiningOp()); });
    });
    if (takesWork)
      works.insert(op);
  }
  for (Operation *read : reads)
    if (Value init = getInit(read); init && works.contains(init.getDefiningOp()))
      result.insert(read);
  return result;
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

namespace {
/// A branch that computes initial values, and the flags of their states. It runs while one of these is not set.
struct Branch {
  Block *block;
  llvm::SmallSetVector<Value, 4> isSet;
};
} // namespace

/// Moves ops in front of the terminator of `block`.
static void moveInto(RewriterBase &rewriter, Block *block, const OwnOps &own) {
  SmallVector<Operation *> ops(own.getArrayRef());
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : ops)
    rewriter.moveOpBefore(op, block->getTerminator());
  rewriter.setInsertionPoint(block->getTerminator());
}

/// Replaces `read`, the choice between a state and its initial value, by a buffer that one of two branches fills.
static Branch branch(RewriterBase &rewriter, Operation *read, const ov::StateRead &state, const OwnOps &own) {
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
  moveInto(rewriter, choice.elseBlock(), own);
  buffers.write(state.init, buffer);
  rewriter.setInsertionPointAfter(choice);
  SmallVector<Operation *> join = findJoin(read);
  rewriter.replaceOp(read, buffers.readBuffer(buffer, type));
  for (Operation *op : llvm::drop_begin(join))
    rewriter.eraseOp(op);
  Branch result{choice.elseBlock(), {}};
  result.isSet.insert(state.state->isSet);
  return result;
}

/// If only initial values read what `op` computes, moves it, and what only it needs, into a branch of its own, which
/// fills buffers. Fails, without a change, if this is not possible, or saves nothing.
static FailureOr<scf::IfOp> branchShared(RewriterBase &rewriter, Operation *op, SmallVectorImpl<Branch> &branches) {
  Branch shared{nullptr, {}};
  auto isReader = [&](Operation *read, Operation *user) {
    if (read != op)
      return false;
    auto around = llvm::find_if(branches, [&](Branch &one) { return one.block->findAncestorOpInBlock(*user); });
    if (around == branches.end())
      return false;
    shared.isSet.insert_range(around->isSet);
    return true;
  };
  if (op->getNumResults() == 0 || op->use_empty())
    return failure();
  OwnOps own = findOwnOps(op->getResult(0), op->getBlock(), isReader);
  if (shared.isSet.empty() || llvm::all_of(own, takesNoWork))
    return failure();
  DimsOfOthers others(own);
  for (OpResult result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      return failure();
    for (int64_t i : llvm::seq(type.getRank()))
      if (!others.get(result, i))
        return failure();
  }
  if (failed(replaceShapes(rewriter, own)))
    return failure();

  Location loc = op->getLoc();
  rewriter.setInsertionPoint(op);
  BufferBuilder buffers(rewriter, op);
  DimsOfOthers dims(own);
  SmallVector<Value> filled;
  for (OpResult result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<OpFoldResult> sizes;
    for (int64_t i : llvm::seq(type.getRank()))
      sizes.push_back(type.isDynamicDim(i) ? dims.exprs.materialize(rewriter, loc, *dims.get(result, i))
                                           : rewriter.getIndexAttr(type.getDimSize(i)));
    filled.push_back(buffers.allocate(type, sizes));
  }
  Value areSet;
  for (Value isSet : shared.isSet) {
    Value flag = extractElement(rewriter, loc, isSet);
    areSet = areSet ? arith::AndIOp::create(rewriter, loc, areSet, flag).getResult() : flag;
  }
  auto choice = scf::IfOp::create(rewriter, loc, areSet, /*withElseRegion=*/true);
  moveInto(rewriter, choice.elseBlock(), own);
  for (auto [result, buffer] : llvm::zip_equal(op->getResults(), filled))
    buffers.write(result, buffer);
  rewriter.setInsertionPointAfter(choice);
  for (auto [result, buffer] : llvm::zip_equal(op->getResults(), filled)) {
    Value read = buffers.readBuffer(buffer, result.getType());
    rewriter.replaceUsesWithIf(result, read, [&](OpOperand &use) { return !choice->isAncestor(use.getOwner()); });
  }
  shared.block = choice.elseBlock();
  branches.push_back(std::move(shared));
  return choice;
}

void recur::branchToInitialValues(RewriterBase &rewriter, FunctionOpInterface func) {
  std::vector<ov::State> states = ov::findStates(func);
  ov::StateReads reads = ov::findReads(states);
  // A read may be the initial value of another state, so the last one comes first.
  SmallVector<Operation *> ops;
  for (Operation &op : func.getFunctionBody().front())
    if (op.getNumResults() == 1 && reads.contains(op.getResult(0)))
      ops.push_back(&op);
  llvm::SmallPtrSet<Operation *, 8> ofWork = findReadsOfWork(ops, reads);
  SmallVector<Branch> branches;
  for (Operation *read : llvm::reverse(ops)) {
    if (!ofWork.contains(read))
      continue;
    ov::StateRead state = reads.lookup(read->getResult(0));
    OwnOps own = findOwnOps(state.init, read);
    if (succeeded(replaceShapes(rewriter, own)))
      branches.push_back(branch(rewriter, read, state, own));
  }
  // An op comes behind what it needs.
  Block &block = func.getFunctionBody().front();
  for (Operation *op = branches.empty() ? nullptr : &block.back(); op;) {
    FailureOr<scf::IfOp> shared = branchShared(rewriter, op, branches);
    op = succeeded(shared) ? (*shared)->getPrevNode() : op->getPrevNode();
  }
}
