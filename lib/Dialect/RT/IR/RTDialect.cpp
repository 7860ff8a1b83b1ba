// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RTDialect.cpp - The rt dialect -------------------------------------===//

#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace recur::rt;

/// The results of a check have the types of what it guards, so they are not printed.
static ParseResult parseGuardedTypes(OpAsmParser &, SmallVectorImpl<Type> &results, TypeRange guarded) {
  results.assign(guarded.begin(), guarded.end());
  return success();
}
static void printGuardedTypes(OpAsmPrinter &, Operation *, TypeRange, TypeRange) {}

#include "Recur/Dialect/RT/IR/RTDialect.cpp.inc"
#include "Recur/Dialect/RT/IR/RTEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Recur/Dialect/RT/IR/RTAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "Recur/Dialect/RT/IR/RTOps.cpp.inc"

void RTDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Recur/Dialect/RT/IR/RTOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Recur/Dialect/RT/IR/RTAttrs.cpp.inc"
      >();
}

void CheckOp::build(OpBuilder &builder, OperationState &state, Value condition, FaultKind kind, StringRef message,
                    ValueRange details, ValueRange guarded) {
  build(builder, state, guarded.getTypes(), condition, kind, builder.getStringAttr(message), details, guarded);
}

LogicalResult CheckOp::verify() {
  if (getGuarded().getTypes() != getResults().getTypes())
    return emitOpError("expected the results to have the types of the guarded values");
  if (getDetails().size() > 4)
    return emitOpError("expected at most 4 details, but got ") << getDetails().size();
  return success();
}
