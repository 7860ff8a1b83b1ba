// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RTDialect.cpp - The rt dialect -------------------------------------===//
//
// Registers the dialect, and defines the verifiers, folds and canonicalizations of its ops. Most of the file is about
// `rt.check`: a check that provably holds is dropped.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace recur::rt;

/// The results of a check have the types of the guarded values, so the text of the op does not repeat them.
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

LogicalResult ParallelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto part = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(*this, getPartAttr());
  if (!part || !part.isPrivate() || part.isExternal())
    return emitOpError() << "expected '" << getPart() << "' to be a private function with a body";
  // The frame, the index and the count come before the captures.
  ArrayRef<Type> arguments = part.getArgumentTypes();
  if (arguments.size() < 3 || TypeRange(arguments.drop_front(3)) != getCaptures().getTypes() ||
      !part.getResultTypes().empty())
    return emitOpError() << "expected '" << getPart() << "' to take a frame, an index, a count and the captures";
  return success();
}

LogicalResult BroadcastDimOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  int64_t dim = getDim();
  if (dim < 0 || dim >= type.getRank() || !type.isDynamicDim(dim))
    return emitOpError() << "expected 'dim' to be a dynamic dim of " << type << ", but got " << dim;
  return success();
}

LogicalResult BroadcastDimOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> &dims = shapes.emplace_back(tensor::getMixedSizes(builder, getLoc(), getInput()));
  dims[getDim()] = getSize();
  return success();
}

/// True if dim `dim` of `tensor` provably is the value `size`: the tensor is computed into a `tensor.empty` with that
/// size, or is broadcast to it.
static bool hasSize(Value tensor, int64_t dim, Value size) {
  while (Operation *op = tensor.getDefiningOp()) {
    auto isSize = [&](SmallVector<OpFoldResult> sizes) { return sizes[dim] == OpFoldResult(size); };
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return isSize(empty.getMixedSizes());
    if (auto broadcast = dyn_cast<BroadcastDimOp>(op)) {
      if (broadcast.getDim() == uint64_t(dim))
        return broadcast.getSize() == size;
      tensor = broadcast.getInput();
    } else if (auto computed = dyn_cast<DestinationStyleOpInterface>(op)) {
      tensor = computed.getTiedOpOperand(cast<OpResult>(tensor))->get();
    } else {
      return false;
    }
  }
  return false;
}

OpFoldResult BroadcastDimOp::fold(FoldAdaptor) {
  return hasSize(getInput(), getDim(), getSize()) ? OpFoldResult(getInput()) : OpFoldResult();
}

void CheckOp::build(OpBuilder &builder, OperationState &state, Value condition, FaultKind kind, StringRef message,
                    ValueRange details, ValueRange guarded) {
  build(builder, state, guarded.getTypes(), condition, kind, builder.getStringAttr(message), details, guarded);
}

/// The comparison in a condition of the form `skip || comparison`, or null if there is none. A condition gets this form
/// when `rt-hoist-checks` moves a check out of code that does not always run; `skip` is true if the code does not run.
/// Adds each `skip` to `skipped`.
static arith::CmpIOp getComparison(Value condition, llvm::SmallDenseSet<Value> &skipped) {
  while (auto either = condition.getDefiningOp<arith::OrIOp>()) {
    skipped.insert(either.getLhs());
    condition = either.getRhs();
  }
  return condition.getDefiningOp<arith::CmpIOp>();
}

/// True if `a` is the result of a check after which it is equal to `b`, unless one of `skipped` is true.
static bool wasFoundEqual(Value a, Value b, const llvm::SmallDenseSet<Value> &skipped) {
  auto check = a.getDefiningOp<CheckOp>();
  if (!check)
    return false;
  Value guarded = check.getGuarded()[cast<OpResult>(a).getResultNumber()];
  if (guarded == b)
    return true;
  llvm::SmallDenseSet<Value> unless;
  arith::CmpIOp equality = getComparison(check.getCondition(), unless);
  if (!equality || equality.getPredicate() != arith::CmpIPredicate::eq ||
      !llvm::all_of(unless, [&](Value value) { return skipped.contains(value); }))
    return false;
  Value lhs = equality.getLhs(), rhs = equality.getRhs();
  return (lhs == guarded && rhs == b) || (rhs == guarded && lhs == b);
}

/// A check of the same condition that guards the same values and always runs before `op`, or null.
static CheckOp findSameBefore(CheckOp op) {
  for (Operation *user : op.getCondition().getUsers()) {
    auto other = dyn_cast<CheckOp>(user);
    if (!other || other == op || other.getGuarded() != op.getGuarded())
      continue;
    Operation *around = other->getBlock()->findAncestorOpInBlock(*op);
    if (around && other != around && other->isBeforeInBlock(around))
      return other;
  }
  return {};
}

LogicalResult CheckOp::canonicalize(CheckOp op, PatternRewriter &rewriter) {
  llvm::SmallDenseSet<Value> skipped;
  arith::CmpIOp equality = getComparison(op.getCondition(), skipped);
  bool holds = matchPattern(op.getCondition(), m_One());
  if (equality && equality.getPredicate() == arith::CmpIPredicate::eq)
    holds |= wasFoundEqual(equality.getLhs(), equality.getRhs(), skipped) ||
             wasFoundEqual(equality.getRhs(), equality.getLhs(), skipped);
  if (holds) {
    rewriter.replaceOp(op, op.getGuarded());
    return success();
  }
  if (CheckOp same = findSameBefore(op)) {
    rewriter.replaceOp(op, same.getResults());
    return success();
  }
  return rewriter.notifyMatchFailure(op, "only the call can tell whether it holds");
}

LogicalResult CheckOp::verify() {
  if (getGuarded().getTypes() != getResults().getTypes())
    return emitOpError("expected the results to have the types of the guarded values");
  if (getDetails().size() > 4)
    return emitOpError("expected at most 4 details, but got ") << getDetails().size();
  return success();
}

LogicalResult OutputOp::verify() {
  int64_t dynamic = cast<MemRefType>(getType()).getNumDynamicDims();
  if (int64_t(getDims().size()) != dynamic)
    return emitOpError("expected ") << dynamic << " dims, but got " << getDims().size();
  return success();
}
