// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Epilogue.cpp - Element-wise ops behind convolutions ----------------===//
//
// The op is found from the convolution, along reshapes and slices of its result that start at the first element. So an
// element of the epilogue is at the position and the channel of the accumulator that it is computed from.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "RowProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace recur;

/// The most ops in the body of an epilogue that is computed on accumulators, and of any other one.
static constexpr size_t kMostOpsInRegisters = 16, kMostOps = 64;

/// True if `op` is a slice from the first element on, without steps.
static bool isSliceAtStart(Operation *op) {
  auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
  return slice && isa<tensor::ExtractSliceOp, memref::SubViewOp>(op) &&
         cast<ShapedType>(op->getOperand(0).getType()).getRank() ==
             cast<ShapedType>(op->getResult(0).getType()).getRank() &&
         llvm::all_of(slice.getMixedOffsets(), [](OpFoldResult x) { return isConstantIntValue(x, 0); }) &&
         llvm::all_of(slice.getMixedStrides(), [](OpFoldResult x) { return isConstantIntValue(x, 1); });
}

/// True if `op` is an operation on the elements of vectors.
static bool isElementwise(Operation &op) {
  return op.getNumRegions() == 0 && op.getNumResults() == 1 && op.hasTrait<OpTrait::Elementwise>() &&
         op.hasTrait<OpTrait::Vectorizable>() && isMemoryEffectFree(&op) &&
         isa<arith::ArithDialect, math::MathDialect>(op.getDialect());
}

/// True if `value` is a constant.
static bool isConstant(Value value) { return value.getDefiningOp<arith::ConstantOp>() != nullptr; }

/// True if the body of `op` can be emitted on vectors of `type`.
static bool hasElementwiseBody(linalg::GenericOp op, Type type) {
  Block *body = op.getBody();
  if (body->getOperations().size() > kMostOps + 1 || op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) ||
      !llvm::all_of(body->getArgumentTypes(), [&](Type given) { return given == type; }))
    return false;
  auto isKnown = [&](Value value) { return value.getParentBlock() == body || isConstant(value); };
  return llvm::all_of(*body, [&](Operation &inner) {
    return llvm::all_of(inner.getOperands(), isKnown) &&
           (isa<linalg::YieldOp, arith::ConstantOp>(inner) || isElementwise(inner));
  });
}

bool recur::isLong(Epilogue epilogue) {
  Block *body = epilogue.op.getBody();
  return body->getOperations().size() > kMostOpsInRegisters + 1 || llvm::any_of(*body, [](Operation &op) {
           // CPUs have an instruction that rounds.
           return isa<math::MathDialect>(op.getDialect()) && !isa<math::RoundEvenOp>(op);
         });
}

/// True if an operand has an element for each channel, the last loop, and one or one for each iteration of the others.
static bool hasChannels(AffineMap map) {
  unsigned loops = map.getNumDims();
  return map.getNumResults() != 0 && map.getResults().back() == getAffineDimExpr(loops - 1, map.getContext()) &&
         llvm::all_of(map.getResults().drop_back(), [&](AffineExpr expr) {
           auto dim = dyn_cast<AffineDimExpr>(expr);
           return expr == getAffineConstantExpr(0, map.getContext()) || (dim && dim.getPosition() < loops - 1);
         });
}

std::optional<Epilogue> recur::findEpilogue(linalg::GenericOp convolution) {
  std::optional<ChannelsLast> match = matchChannelsLast(convolution);
  if (!match)
    return std::nullopt;
  OpOperand *init = convolution.getDpsInitOperand(0);
  bool isBuffer = isa<MemRefType>(init->get().getType());
  Value value = isBuffer ? init->get() : convolution.getResult(0);
  if (isBuffer && !value.getDefiningOp<memref::AllocOp>())
    return std::nullopt;
  Epilogue found;
  // The only reader of `value`. A buffer is also filled and written.
  auto getReader = [&](Value value) -> Operation * {
    Operation *reader = nullptr;
    for (Operation *user : value.getUsers()) {
      if (isBuffer && (user == convolution || isa<linalg::FillOp>(user)))
        continue;
      if (reader)
        return nullptr;
      reader = user;
    }
    return reader;
  };
  Operation *reader = getReader(value);
  while (reader && (isa<tensor::CollapseShapeOp, memref::CollapseShapeOp>(reader) || isSliceAtStart(reader))) {
    found.views.push_back(reader);
    value = reader->getResult(0);
    reader = getReader(value);
  }
  found.op = dyn_cast_or_null<linalg::GenericOp>(reader);
  unsigned loops = match->strides.size() + 2;
  if (!found.op || found.op->getBlock() != convolution->getBlock() || found.op.getNumLoops() != loops ||
      found.op.getNumParallelLoops() != loops || found.op.getNumDpsInits() != 1 ||
      isBuffer != found.op.hasPureBufferSemantics())
    return std::nullopt;
  OpOperand *target = found.op.getDpsInitOperand(0);
  if (!found.op.getMatchingIndexingMap(target).isIdentity() || target->get() == value ||
      !hasElementwiseBody(found.op, getElementTypeOrSelf(value)) ||
      ShapedType::isDynamic(cast<ShapedType>(target->get().getType()).getShape().back()))
    return std::nullopt;
  // The functions of f64 are no vector code, and depthwise convolutions compute little between two results.
  if (isLong(found) && (match->isDepthwise || !getElementTypeOrSelf(value).isF32()))
    return std::nullopt;
  for (OpOperand *operand : found.op.getDpsInputOperands()) {
    AffineMap map = found.op.getMatchingIndexingMap(operand);
    if (operand->get() == value && map.isIdentity())
      found.input = operand->getOperandNumber();
    else if (operand->get() == value || !hasChannels(map))
      return std::nullopt;
  }
  return found;
}

linalg::GenericOp recur::findConvolution(linalg::GenericOp op) {
  for (Value input : op.getDpsInputs()) {
    while (Operation *view = input.getDefiningOp()) {
      if (!isa<tensor::CollapseShapeOp>(view) && !isSliceAtStart(view))
        break;
      input = view->getOperand(0);
    }
    auto convolution = input.getDefiningOp<linalg::GenericOp>();
    if (!convolution || !convolution.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
      continue;
    if (std::optional<Epilogue> found = findEpilogue(convolution); found && found->op == op)
      return convolution;
  }
  return {};
}

std::string recur::describeBody(Epilogue epilogue) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Block *body = epilogue.op.getBody();
  llvm::DenseMap<Value, unsigned> numbers;
  for (Value argument : body->getArguments())
    numbers[argument] = numbers.size();
  os << epilogue.input << "/" << body->getNumArguments();
  for (Operation &op : *body) {
    os << ";" << op.getName() << op.getAttrDictionary();
    for (Value operand : op.getOperands()) {
      if (operand.getParentBlock() == body)
        os << " " << numbers[operand];
      else
        os << " " << operand.getDefiningOp<arith::ConstantOp>().getValue();
    }
    for (Value result : op.getResults()) {
      numbers[result] = numbers.size();
      os << result.getType();
    }
  }
  return text;
}

Value recur::emitBody(OpBuilder &builder, linalg::GenericOp op, VectorType type, ValueRange inputs) {
  Block *body = op.getBody();
  Location loc = builder.getInsertionBlock()->getParentOp()->getLoc();
  IRMapping map;
  for (auto [argument, input] : llvm::zip(body->getArguments(), inputs))
    map.map(argument, input);
  auto addConstant = [&](Value value) {
    auto known = value.getDefiningOp<arith::ConstantOp>();
    if (!known || map.contains(value))
      return;
    auto all = DenseElementsAttr::get(type.clone(value.getType()), known.getValue());
    map.map(value, arith::ConstantOp::create(builder, loc, all).getResult());
  };
  for (Operation &inner : body->without_terminator()) {
    if (isa<arith::ConstantOp>(inner))
      continue;
    for (Value operand : inner.getOperands())
      addConstant(operand);
    Operation *clone = builder.clone(inner, map);
    clone->setLoc(loc);
    clone->getResult(0).setType(type.clone(inner.getResult(0).getType()));
  }
  Value yielded = body->getTerminator()->getOperand(0);
  addConstant(yielded);
  return map.lookup(yielded);
}
