// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LimitChecks.cpp - The checks of time loops -------------------------===//
//
// Both checks raise faults of the caller's making, so their messages name the caller's options.
//
//===----------------------------------------------------------------------===//

#include "LimitChecks.h"

#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace recur;

void recur::emitLimitCheck(OpBuilder &builder, Location loc, Value number, Value isExempt) {
  Value limit = rt::IterationLimitOp::create(builder, loc, builder.getIndexType());
  Value ok = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, number, limit);
  if (isExempt)
    ok = builder.createOrFold<arith::OrIOp>(loc, ok, isExempt);
  Value detail = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), limit);
  rt::CheckOp::create(builder, loc, ok, rt::FaultKind::IterationLimit, "reached max_iterations, which is {0}", detail,
                      ValueRange());
}

void recur::emitCancelCheck(OpBuilder &builder, Location loc) {
  Value ok = rt::MayContinueOp::create(builder, loc, builder.getI1Type());
  rt::CheckOp::create(builder, loc, ok, rt::FaultKind::Cancelled, "cancelled by the caller", ValueRange(),
                      ValueRange());
}
