// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BroadcastDim.cpp - A dim that broadcasts, checked ------------------===//

#include "BroadcastDim.h"

#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

Value recur::checkBroadcasts(RewriterBase &rewriter, Location loc, Value own, Value size) {
  auto equals = [&](Value other) {
    return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, own, other);
  };
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value fits = arith::OrIOp::create(rewriter, loc, equals(one), equals(size));
  SmallVector<Value> details;
  for (Value detail : {size, own})
    details.push_back(arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), detail));
  return rt::CheckOp::create(rewriter, loc, fits, rt::FaultKind::Shape, "dims {0} and {1} do not broadcast", details,
                             size)
      .getResult(0);
}
