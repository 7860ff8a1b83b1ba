// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Epilogue.cpp - The epilogue of a convolution in a kernel -----------===//
//
// The ops of the body are element-wise, so each of them is cloned with vectors as its operands and its result.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace recur;

/// The most ops, without constants, in the body of an epilogue that is computed on accumulators.
static constexpr int64_t kMostOpsInRegisters = 16;

bool recur::isLong(Block &body) {
  auto isOp = [](Operation &op) { return !isa<arith::ConstantOp>(op); };
  return llvm::count_if(body.without_terminator(), isOp) > kMostOpsInRegisters || llvm::any_of(body, [](Operation &op) {
           // CPUs have an instruction that rounds.
           return isa<math::MathDialect>(op.getDialect()) && !isa<math::RoundEvenOp>(op);
         });
}

std::string recur::describeBody(Block &body) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::DenseMap<Value, unsigned> numbers;
  for (Value argument : body.getArguments())
    numbers[argument] = numbers.size();
  os << body.getNumArguments();
  for (Operation &op : body) {
    os << ";" << op.getName() << op.getAttrDictionary();
    for (Value operand : op.getOperands())
      os << " " << numbers[operand];
    for (Value result : op.getResults()) {
      numbers[result] = numbers.size();
      os << result.getType();
    }
  }
  return text;
}

Value recur::emitBody(OpBuilder &builder, Block &body, VectorType type, ValueRange arguments) {
  Location loc = builder.getInsertionBlock()->getParentOp()->getLoc();
  IRMapping map;
  for (auto [argument, vector] : llvm::zip_equal(body.getArguments(), arguments))
    map.map(argument, vector);
  for (Operation &op : body.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto all = DenseElementsAttr::get(type.clone(constant.getType()), constant.getValue());
      map.map(constant.getResult(), arith::ConstantOp::create(builder, loc, all).getResult());
      continue;
    }
    Operation *clone = builder.clone(op, map);
    clone->setLoc(loc);
    clone->getResult(0).setType(type.clone(op.getResult(0).getType()));
  }
  return map.lookup(body.getTerminator()->getOperand(0));
}
