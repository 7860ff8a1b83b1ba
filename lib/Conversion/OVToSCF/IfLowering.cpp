// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- IfLowering.cpp - Lower If to scf -----------------------------------===//
//
// Each result of the If leaves its bodies in one of three ways: as a scalar, through a buffer from before the If that
// both bodies write to, or as a tensor result of scf.if. A tensor result needs memory that the body allocates, so
// buffers are preferred.
//
//===----------------------------------------------------------------------===//

#include "IfLowering.h"

#include "BodyDims.h"
#include "BufferBuilder.h"
#include "FinalDestinations.h"
#include "IterationSpace.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace recur;

namespace {
/// The way in which a result of the If leaves its bodies.
struct Exit {
  enum Kind {
    /// The bodies yield a scalar, because the result has one element.
    scalar,
    /// Both bodies write to the buffers `destinations`, and yield nothing.
    written,
    /// The bodies yield a tensor, because its dims are not known before the If or depend on the condition.
    value
  } kind;
  SmallVector<Value> destinations;
  /// True if the destination is a new buffer, which the code after the If reads. Otherwise the destinations are those
  /// of the ops that wrote the result, and these ops are erased.
  bool hasBuffer = false;
};
} // namespace

/// The dims of a result, or failure if they are not known before the If or depend on its condition.
static FailureOr<SmallVector<OpFoldResult>> getDimsBefore(BodyDims &known, ov::IfOp op, unsigned number) {
  BodyDims::Dims first = known.getAll(op.getEnd(true).getValues()[number]),
                 second = known.getAll(op.getEnd(false).getValues()[number]);
  SmallVector<OpFoldResult> dims;
  for (auto [dim, other] : llvm::zip_equal(first, second)) {
    if (!dim || dim != other)
      return failure();
    dims.push_back(known.materialize(*dim));
  }
  return dims;
}

/// The buffers that a result is written to. Returns nothing if the result has other uses, or if the bodies cannot write
/// to a buffer yet.
static SmallVector<Value> getDestinations(ov::IfOp op, Value result) {
  SmallVector<Value> destinations;
  for (Operation *user : result.getUsers()) {
    auto write = dyn_cast<bufferization::MaterializeInDestinationOp>(user);
    if (!write || write->getBlock() != op->getBlock() || !isa<MemRefType>(write.getDest().getType()) ||
        !mayWriteEarlier(op, write))
      return {};
    destinations.push_back(write.getDest());
  }
  return destinations;
}

/// Chooses how result `number` leaves the bodies, and allocates a buffer if it needs one.
static Exit planExit(BufferBuilder &buffers, BodyDims &known, ov::IfOp op, unsigned number) {
  Value result = op.getResult(number);
  auto type = cast<RankedTensorType>(result.getType());
  if (isScalar(type))
    return {Exit::scalar, {}};
  if (SmallVector<Value> destinations = getDestinations(op, result); !destinations.empty())
    return {Exit::written, destinations};
  FailureOr<SmallVector<OpFoldResult>> dims = getDimsBefore(known, op, number);
  if (failed(dims))
    return {Exit::value, {}};
  Value buffer = buffers.allocate(type, *dims);
  return {Exit::written, {buffer}, /*hasBuffer=*/true};
}

void recur::lowerIf(RewriterBase &rewriter, ov::IfOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  BodyDims known(rewriter, op);
  BufferBuilder buffers(rewriter, op);
  SmallVector<Exit> exits;
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(op.getResultTypes())) {
    Exit exit = planExit(buffers, known, op, i);
    if (exit.kind == Exit::scalar)
      types.push_back(cast<RankedTensorType>(type).getElementType());
    else if (exit.kind == Exit::value)
      types.push_back(type);
    exits.push_back(exit);
  }
  Value condition = extractElement(rewriter, loc, op.getCondition());
  auto branch = scf::IfOp::create(rewriter, loc, types, condition, /*addThenBlock=*/false, /*addElseBlock=*/false);
  // Writes or yields the results at the end of both bodies.
  for (ov::ResultOp end : {op.getEnd(true), op.getEnd(false)}) {
    rewriter.setInsertionPoint(end);
    SmallVector<Value> yielded;
    for (auto [exit, value] : llvm::zip_equal(exits, end.getValues())) {
      if (exit.kind == Exit::scalar)
        yielded.push_back(extractElement(rewriter, loc, value));
      else if (exit.kind == Exit::value)
        yielded.push_back(value);
      for (Value destination : exit.destinations)
        buffers.write(value, destination);
    }
    rewriter.replaceOpWithNewOp<scf::YieldOp>(end, yielded);
  }
  rewriter.inlineRegionBefore(op.getThenBody(), branch.getThenRegion(), branch.getThenRegion().end());
  rewriter.inlineRegionBefore(op.getElseBody(), branch.getElseRegion(), branch.getElseRegion().end());

  rewriter.setInsertionPointAfter(branch);
  unsigned next = 0;
  for (auto [exit, result] : llvm::zip_equal(exits, op.getResults())) {
    auto type = cast<RankedTensorType>(result.getType());
    if (exit.kind == Exit::scalar) {
      rewriter.replaceAllUsesWith(result,
                                  tensor::FromElementsOp::create(rewriter, loc, type, branch.getResult(next++)));
    } else if (exit.kind == Exit::value) {
      rewriter.replaceAllUsesWith(result, branch.getResult(next++));
    } else if (exit.hasBuffer) {
      auto bufferType = cast<MemRefType>(exit.destinations.front().getType());
      auto contents = RankedTensorType::get(bufferType.getShape(), bufferType.getElementType());
      Value read = bufferization::ToTensorOp::create(rewriter, loc, contents, exit.destinations.front(),
                                                     /*restrict=*/true, /*writable=*/false);
      if (contents != type)
        read = tensor::CastOp::create(rewriter, loc, type, read);
      rewriter.replaceAllUsesWith(result, read);
    } else {
      // The bodies write to the destinations now.
      for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
        rewriter.eraseOp(user);
    }
  }
  rewriter.eraseOp(op);
}
