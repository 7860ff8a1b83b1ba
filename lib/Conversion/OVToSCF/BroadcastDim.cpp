// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BroadcastDim.cpp - Broadcasts one dim, with a check ----------------===//
//
// Emits the check and the broadcast of one dim whose size is known only at run time: it is 1 or the common dim.
//
//===----------------------------------------------------------------------===//

#include "BroadcastDim.h"

#include "../ShapeFaults.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace recur;

Value recur::checkBroadcasts(RewriterBase &rewriter, Location loc, Value own, Value size) {
  auto equals = [&](Value other) { return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, own, other); };
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value fits = arith::OrIOp::create(rewriter, loc, equals(one), equals(size));
  SmallVector<Value> details;
  for (Value detail : {size, own})
    details.push_back(arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), detail));
  return rt::CheckOp::create(rewriter, loc, fits, rt::FaultKind::Shape, kDoNotBroadcast, details, size).getResult(0);
}

/// Repeats the one element that each row has along its last dim `count` times. If `count` is 0, the result has no
/// elements.
static Value repeatElements(RewriterBase &rewriter, Location loc, Value input, Value count) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = 1;
  // This is a slice instead of a cast to a dim of 1. A later pass may find out that the dim is another static size, and
  // that this code never runs. MLIR's patterns make invalid ops of a cast of that size to 1.
  SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0)),
      strides(type.getRank(), rewriter.getIndexAttr(1)), sizes = tensor::getMixedSizes(rewriter, loc, input);
  sizes.back() = rewriter.getIndexAttr(1);
  Value one = ov::createSlice(rewriter, loc, type.clone(shape), input, offsets, sizes, strides);
  SmallVector<Value> repeats(type.getRank(),
                             arith::ConstantIntOp::create(rewriter, loc, rewriter.getI64Type(), 1).getResult());
  repeats.back() = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), count);
  auto vector = RankedTensorType::get(type.getRank(), rewriter.getI64Type());
  return ov::TileOp::create(rewriter, loc, type, one, tensor::FromElementsOp::create(rewriter, loc, vector, repeats));
}

Value recur::broadcastDim(RewriterBase &rewriter, Location loc, Value input, int64_t dim, Value own, Value size) {
  auto type = cast<RankedTensorType>(input.getType());
  int64_t rank = type.getRank();
  if (dim != rank - 1)
    return rt::BroadcastDimOp::create(rewriter, loc, input, size, dim);
  SmallVector<OpFoldResult> offsets(rank, rewriter.getIndexAttr(0)), strides(rank, rewriter.getIndexAttr(1)),
      sizes = tensor::getMixedSizes(rewriter, loc, input);
  sizes[dim] = size;
  if (own) {
    Value same = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, own, size);
    // If the input is taken as it is, the copy in the other branch gets the size 0, and so no space.
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value count = arith::SelectOp::create(rewriter, loc, same, zero, size);
    auto choice = scf::IfOp::create(rewriter, loc, type, same, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToEnd(choice.thenBlock());
    scf::YieldOp::create(rewriter, loc, input);
    rewriter.setInsertionPointToEnd(choice.elseBlock());
    scf::YieldOp::create(rewriter, loc, repeatElements(rewriter, loc, input, count));
    input = choice.getResult(0);
  }
  SmallVector<int64_t> shape(type.getShape());
  if (std::optional<int64_t> known = getConstantIntValue(size)) {
    sizes[dim] = rewriter.getIndexAttr(*known);
    shape[dim] = *known;
  }
  Value slice = ov::createSlice(rewriter, loc, type.clone(shape), input, offsets, sizes, strides);
  return slice.getType() == type ? slice : tensor::CastOp::create(rewriter, loc, type, slice).getResult();
}
