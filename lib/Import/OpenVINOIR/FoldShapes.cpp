// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FoldShapes.cpp - Small tensors that are constant in effect ---------===//
//
// The interpreter evaluates an op whose operands are all constant. So every op can be evaluated, by the same code that
// defines its meaning, and the ops need no folds for this.
//
//===----------------------------------------------------------------------===//

#include "FoldShapes.h"

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/OV/IR/OVShapes.h"
#include "Recur/Interpreter/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace recur;

/// The constant that is equal to `value`, or null if its elements are not known or there are too many.
static DenseElementsAttr getConstant(Value value) {
  DenseElementsAttr attr;
  if (matchPattern(value, m_Constant(&attr)))
    return attr.getNumElements() <= ov::kMaxShapeElements ? attr : DenseElementsAttr();
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.hasStaticShape() || !type.getElementType().isInteger() || type.getNumElements() > ov::kMaxShapeElements)
    return {};
  std::optional<SmallVector<int64_t>> integers = ov::getConstantIntegers(value);
  if (!integers)
    return {};
  unsigned width = type.getElementTypeBitWidth();
  SmallVector<APInt> elements;
  for (int64_t integer : *integers)
    elements.push_back(APInt(64, integer, /*isSigned=*/true).sextOrTrunc(width));
  return DenseElementsAttr::get(type, elements);
}

/// True if the type does not show that a result is too large to be folded. Integers may be a shape or indices.
static bool mayFold(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  int64_t bytes = llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
  int64_t most = tensor.getElementType().isInteger() ? ov::kMaxShapeElements : ov::kMaxDenseBytes / bytes;
  return !tensor.hasStaticShape() || tensor.getNumElements() <= most;
}

DenseElementsAttr ir::toAttribute(const interpreter::Tensor &tensor, Type element) {
  auto type = RankedTensorType::get(tensor.getShape(), element);
  if (!element.isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, tensor.getBytes());
  SmallVector<bool> elements;
  for (char byte : tensor.getBytes())
    elements.push_back(byte != 0);
  return DenseElementsAttr::get(type, elements);
}

/// The results of `op` for constant operands, by the interpreter. Empty if the op ends the call with a fault, or if a
/// result is too large.
static SmallVector<DenseElementsAttr> evaluate(Operation *op, ArrayRef<DenseElementsAttr> operands) {
  Location loc = op->getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto func = func::FuncOp::create(builder, loc, "main", builder.getFunctionType({}, op->getResultTypes()));
  builder.setInsertionPointToStart(func.addEntryBlock());
  IRMapping mapping;
  for (auto [operand, attr] : llvm::zip_equal(op->getOperands(), operands))
    mapping.map(operand, ov::ConstantOp::create(builder, loc, attr).getResult());
  Operation *copy = builder.clone(*op, mapping);
  func::ReturnOp::create(builder, loc, copy->getResults());
  InterpreterOptions limits;
  limits.maxBytes = ov::kMaxShapeElements * 8;
  ModelRun run = interpret(*module, {}, {}, limits);
  SmallVector<DenseElementsAttr> results;
  if (run.status != RECUR_OK)
    return results;
  for (auto [tensor, type] : llvm::zip_equal(run.outputs, op->getResultTypes())) {
    Type element = getElementTypeOrSelf(type);
    if (!mayFold(RankedTensorType::get(tensor.getShape(), element)))
      return {};
    results.push_back(ir::toAttribute(tensor, element));
  }
  return results;
}

/// The constants that are equal to the results of `op`, as far as it can be folded; null for the others.
static SmallVector<DenseElementsAttr> foldShape(Operation *op) {
  SmallVector<DenseElementsAttr> results(op->getNumResults());
  if (!isa<ov::OVDialect>(op->getDialect()) || op->hasTrait<OpTrait::ConstantLike>() || op->getNumRegions() ||
      !llvm::all_of(op->getResultTypes(), mayFold))
    return results;
  for (auto [attr, result] : llvm::zip_equal(results, op->getResults()))
    attr = getConstant(result);
  if (!llvm::is_contained(results, DenseElementsAttr()))
    return results;
  SmallVector<DenseElementsAttr> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(getConstant(operand));
    if (!operands.back())
      return results;
  }
  SmallVector<DenseElementsAttr> all = evaluate(op, operands);
  return all.empty() ? results : all;
}

void ir::foldShapes(OpBuilder &builder, SmallVectorImpl<Value> &results) {
  // One op may have many results.
  llvm::SmallDenseMap<Operation *, SmallVector<DenseElementsAttr>, 2> folded;
  llvm::SmallSetVector<Operation *, 2> replaced;
  for (Value &result : results) {
    auto value = dyn_cast_if_present<OpResult>(result);
    if (!value)
      continue;
    Operation *op = value.getOwner();
    auto [it, isNew] = folded.try_emplace(op);
    if (isNew)
      it->second = foldShape(op);
    DenseElementsAttr attr = it->second[value.getResultNumber()];
    if (!attr)
      continue;
    replaced.insert(op);
    result = ov::ConstantOp::create(builder, op->getLoc(), attr);
  }
  llvm::DenseSet<Operation *> kept;
  for (Value result : results)
    if (result)
      kept.insert(result.getDefiningOp());
  for (Operation *op : replaced)
    if (isOpTriviallyDead(op) && !kept.contains(op))
      op->erase();
}
