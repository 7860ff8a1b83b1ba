// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RowProduct.cpp - Products whose sizes only the call tells ----------===//

#include "RowProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace recur;

/// The loops that index an operand, or nullopt where it is indexed by anything else.
static std::optional<SmallVector<unsigned>> getLoops(AffineMap map) {
  SmallVector<unsigned> loops;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || llvm::is_contained(loops, dim.getPosition()))
      return std::nullopt;
    loops.push_back(dim.getPosition());
  }
  return loops;
}

/// True if the payload is out + in0 * in1, in any order, and nothing else.
static bool isMultiplyAdd(Block *body) {
  if (!llvm::hasNItems(body->getOperations(), 3))
    return false;
  auto multiply = dyn_cast<arith::MulFOp>(body->front());
  auto add = dyn_cast<arith::AddFOp>(*std::next(body->begin()));
  if (!multiply || !add || body->getTerminator()->getOperand(0) != add.getResult())
    return false;
  auto pair = [](Value a, Value b, Value c, Value d) { return (a == c && b == d) || (a == d && b == c); };
  return pair(multiply.getLhs(), multiply.getRhs(), body->getArgument(0), body->getArgument(1)) &&
         pair(add.getLhs(), add.getRhs(), body->getArgument(2), multiply.getResult());
}

std::optional<RowProduct> recur::matchRowProduct(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 1 ||
      !isMultiplyAdd(op.getBody()))
    return std::nullopt;
  Type element = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  if (!element.isF32() && !element.isF64())
    return std::nullopt;
  for (Value operand : op->getOperands())
    if (getElementTypeOrSelf(operand.getType()) != element || !isa<ShapedType>(operand.getType()))
      return std::nullopt;
  auto c = getLoops(op.getMatchingIndexingMap(op.getDpsInitOperand(0)));
  std::optional<SmallVector<unsigned>> inputs[] = {getLoops(op.getMatchingIndexingMap(op.getDpsInputOperand(0))),
                                                   getLoops(op.getMatchingIndexingMap(op.getDpsInputOperand(1)))};
  if (!c || !inputs[0] || !inputs[1] || c->empty() || inputs[0]->empty() || inputs[1]->empty())
    return std::nullopt;
  RowProduct product;
  product.lane = c->back();
  bool last[] = {inputs[0]->back() == product.lane, inputs[1]->back() == product.lane};
  if (last[0] == last[1])
    return std::nullopt;
  product.a = last[0] ? 1 : 0;
  product.b = last[0] ? 0 : 1;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  product.shared = reduced.front();
  auto &a = *inputs[product.a], &b = *inputs[product.b];
  if (!llvm::is_contained(a, product.shared) || !llvm::is_contained(b, product.shared) ||
      llvm::is_contained(a, product.lane))
    return std::nullopt;
  for (unsigned loop : ArrayRef(*c).drop_back()) {
    bool inA = llvm::is_contained(a, loop), inB = llvm::is_contained(b, loop);
    if (!inA && !inB)
      return std::nullopt;
    (inA && inB ? product.batch : inA ? product.rows : product.blocks).push_back(loop);
  }
  return product;
}

bool recur::callsKernel(linalg::GenericOp op) {
  std::optional<RowProduct> product = matchRowProduct(op);
  // Packed weights have one dim of blocks.
  if (!product || product->blocks.size() > 1)
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  return ShapedType::isDynamic(ranges[product->lane]) ||
         llvm::any_of(product->rows, [&](unsigned loop) { return ShapedType::isDynamic(ranges[loop]); });
}
