// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EliminateEmptyTensors.cpp - Compute values in their destination ----===//
//
// Upstream's elimination replaces an empty tensor by the destination of the value that is computed in it. Its function
// does the work here too. Upstream's pass lacks three things: it takes a destination in memory even if something else
// must still be read from there; it does not look through reshapes; and it cannot prefer one destination of a value to
// another. This file brings writes and slices into a form that the function can handle, and chooses the destinations.
//
//===----------------------------------------------------------------------===//

#include "Recur/Transforms/Passes.h"
#include "ReshapeBuffer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace recur {
#define GEN_PASS_DEF_ELIMINATEEMPTYTENSORS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace mlir::bufferization;
using namespace recur;

/// The tensor that `tensor` is a slice, a reshape or a cast of, directly or through others.
static Value getViewed(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp>(op))
      break;
    tensor = op->getOperand(0);
  }
  return tensor;
}

/// The values that may be in the buffer of `empty` once `user` has written into it.
static SetVector<Value> findInBuffer(tensor::EmptyOp empty, Operation *user, const AnalysisState &state) {
  SetVector<Value> values;
  auto addResults = [&](OpOperand &operand) {
    for (const AliasingValue &alias : state.getAliasingValues(operand))
      values.insert(alias.value);
  };
  for (OpOperand &operand : user->getOpOperands())
    if (operand.get() == empty.getResult())
      addResults(operand);
  for (unsigned i = 0; i != values.size(); ++i)
    for (OpOperand &use : values[i].getUses())
      addResults(use);
  return values;
}

/// True if `reader` is another write that follows `write`, and nothing between them changes a buffer but writes to
/// destinations of their own.
static bool isReadAtOnce(Operation *write, Operation *reader) {
  for (Operation *op = write; op != reader; op = op->getNextNode())
    if (!op || !(isa<MaterializeInDestinationOp>(op) || isMemoryEffectFree(op)))
      return false;
  return isa<MaterializeInDestinationOp>(reader);
}

/// True if the value that `write` stores may be computed in its destination. All other values that would then be in
/// that buffer must be read before the write. Bufferization cannot check this itself, because the write is one to
/// memory.
static bool canComputeInDestination(MaterializeInDestinationOp write, tensor::EmptyOp empty, Operation *user,
                                    const AnalysisState &state) {
  Block *block = write->getBlock();
  Value stored = getViewed(write.getSource());
  for (Value value : findInBuffer(empty, user, state)) {
    if (!block->getParent()->isAncestor(value.getParentRegion()))
      return false;
    for (OpOperand &use : value.getUses()) {
      if (use.getOwner() == write || !(state.bufferizesToMemoryRead(use) || state.bufferizesToMemoryWrite(use)))
        continue;
      Operation *reader = block->findAncestorOpInBlock(*use.getOwner());
      if (!reader)
        return false;
      if (!reader->isBeforeInBlock(write) && !(getViewed(value) == stored && isReadAtOnce(write, reader)))
        return false;
    }
  }
  return true;
}

/// The most tensors that are each a slice of the next one. Bufferization compares each write to one of them with all
/// others, and follows the chain of slices each time.
static constexpr unsigned kMostNestedSlices = 8;

/// True if slices of `tensor`, and slices of these, are destinations already, as deep as is worth its time.
static bool isNestedDeeply(Value tensor) {
  SmallVector<Value> slices{tensor};
  for (unsigned depth = 0; !slices.empty(); ++depth) {
    if (depth == kMostNestedSlices)
      return true;
    SmallVector<Value> inner;
    for (unsigned i = 0; i != slices.size(); ++i)
      for (OpOperand &use : slices[i].getUses()) {
        if (auto slice = dyn_cast<tensor::ExtractSliceOp>(use.getOwner()))
          inner.push_back(slice.getResult());
        // Something else has been inserted before, for example the padding.
        if (auto insert = dyn_cast<tensor::InsertSliceOp>(use.getOwner()); insert && use == insert.getDestMutable())
          slices.push_back(insert.getResult());
      }
    slices = std::move(inner);
  }
  return false;
}

/// Lets a value that is reshaped before it is written be written in its original shape, to a view of the destination,
/// because upstream's elimination does not look through reshapes. The view is created right after the destination.
static void reshapeDestination(RewriterBase &rewriter, MaterializeInDestinationOp write) {
  while (Operation *reshape = write.getSource().getDefiningOp()) {
    if (!isa<MemRefType>(write.getDest().getType()))
      return;
    rewriter.setInsertionPointAfterValue(write.getDest());
    Value view = undoReshape(rewriter, reshape, write.getDest());
    if (!view)
      return;
    rewriter.modifyOpInPlace(write, [&] {
      write.getSourceMutable().assign(reshape->getOperand(0));
      write.getDestMutable().assign(view);
    });
  }
}

/// Merges a slice and a collapse that only drops dims of 1 into one slice. If the tensor that is sliced has dynamic
/// dims, its slices have dynamic strides, and bufferization does not see that the collapse is a view. (If dims of 1
/// remain, the op does not say which. That makes no difference if all sizes are known; otherwise the collapse is left
/// alone.)
static void reduceSlice(RewriterBase &rewriter, tensor::CollapseShapeOp collapse) {
  auto slice = collapse.getSrc().getDefiningOp<tensor::ExtractSliceOp>();
  RankedTensorType type = collapse.getSrcType();
  if (!slice || slice.getSourceType().hasStaticShape() || slice.getSourceType().getRank() != type.getRank())
    return;
  bool dropsOnly = llvm::all_of(collapse.getReassociationIndices(), [&](ArrayRef<int64_t> group) {
    int64_t others = llvm::count_if(group, [&](int64_t d) { return type.getDimSize(d) != 1; });
    return others == 1 || (others == 0 && type.hasStaticShape());
  });
  if (!dropsOnly)
    return;
  rewriter.setInsertionPoint(collapse);
  rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(collapse, collapse.getResultType(), slice.getSource(),
                                                      slice.getMixedOffsets(), slice.getMixedSizes(),
                                                      slice.getMixedStrides());
}

/// True if a value is written to a destination and also inserted into another tensor. Such a value is computed in the
/// destination and copied from there. A destination such as a state is read again anyway, so the additional read costs
/// little.
static bool isInsertedToo(MaterializeInDestinationOp write) {
  Value stored = getViewed(write.getSource());
  SmallVector<Value> views{stored};
  for (unsigned i = 0; i != views.size(); ++i)
    for (Operation *user : views[i].getUsers()) {
      if (auto insert = dyn_cast<tensor::InsertSliceOp>(user); insert && insert.getSource() == views[i])
        return true;
      if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user))
        views.push_back(user->getResult(0));
    }
  return false;
}

namespace {
struct EliminateEmptyTensors final : recur::impl::EliminateEmptyTensorsBase<EliminateEmptyTensors> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](MaterializeInDestinationOp write) { reshapeDestination(rewriter, write); });
    getOperation().walk([&](tensor::CollapseShapeOp collapse) { reduceSlice(rewriter, collapse); });
    bool prefersDestinations = false;
    getOperation().walk([&](MaterializeInDestinationOp write) { prefersDestinations |= isInsertedToo(write); });
    if (prefersDestinations && failed(eliminate(rewriter, /*onlyDestinations=*/true)))
      return signalPassFailure();
    if (failed(eliminate(rewriter, /*onlyDestinations=*/false)))
      signalPassFailure();
  }

  /// Runs upstream's elimination with the rule of `canComputeInDestination`. With `onlyDestinations`, only values that
  /// are written to a destination are treated; a second run treats the others.
  LogicalResult eliminate(RewriterBase &rewriter, bool onlyDestinations) {
    OneShotBufferizationOptions options;
    options.allowReturnAllocsFromLoops = true;
    options.bufferizeFunctionBoundaries = true;
    OneShotAnalysisState state(getOperation(), options);
    if (failed(analyzeModuleOp(getOperation(), state)))
      return failure();
    auto extract = [&](RewriterBase &rewriter, SubsetInsertionOpInterface op, tensor::EmptyOp empty, Operation *user) {
      auto write = dyn_cast<MaterializeInDestinationOp>(op.getOperation());
      if ((onlyDestinations && !write) || isNestedDeeply(empty) ||
          (write && isa<MemRefType>(write.getDest().getType()) && !canComputeInDestination(write, empty, user, state)))
        return Value();
      return buildSubsetExtraction(rewriter, op, empty, user);
    };
    return eliminateEmptyTensors(rewriter, getOperation(), state, extract);
  }
};
} // namespace
