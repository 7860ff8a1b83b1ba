// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MatchProduct.cpp - Products that kernels may compute ---------------===//
//
// `rt-form-products` turns the products that kernels compute into ops of their own. Fusion, before it, asks the same
// question (callsKernel) and leaves them as they are. `rt-specialize-rows` asks which of them only wait for a size.
//
//===----------------------------------------------------------------------===//

#include "MatchProduct.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Dialect/RT/IR/SumOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace recur;

/// The loops that index the dims of an operand. nullopt if anything else indexes a dim, or if a loop indexes two.
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

/// True if the payload is out + in0 * in1, in any order, and nothing else. Inputs may be extended first.
static bool isMultiplyAdd(Block *body) {
  auto add = body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  // The product may be either operand of the sum.
  Value sum = body->getArgument(2);
  auto multiply = (add.getLhs() == sum ? add.getRhs() : add.getLhs()).getDefiningOp<arith::MulFOp>();
  if (!multiply || (add.getLhs() != sum && add.getRhs() != sum))
    return false;
  unsigned numOps = 3;
  auto getSource = [&](Value factor) -> Value {
    auto extend = factor.getDefiningOp<arith::ExtFOp>();
    numOps += extend != nullptr;
    return extend ? extend.getIn() : factor;
  };
  Value left = getSource(multiply.getLhs()), right = getSource(multiply.getRhs());
  Value in0 = body->getArgument(0), in1 = body->getArgument(1);
  return llvm::hasNItems(body->getOperations(), numOps) &&
         ((left == in0 && right == in1) || (left == in1 && right == in0));
}

/// True if all operands are tensors or buffers, and have the same type of elements as C, f32 or f64, except that input
/// `narrow` may have f16 or bf16 if C has f32.
static bool haveFloats(linalg::GenericOp op, std::optional<unsigned> narrow = std::nullopt) {
  Type element = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  return (element.isF32() || element.isF64()) && llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
           Type own = getElementTypeOrSelf(operand.get().getType());
           bool isNarrow = operand.getOperandNumber() == narrow && element.isF32() && (own.isF16() || own.isBF16());
           return (own == element || isNarrow) && isa<ShapedType>(operand.get().getType());
         });
}

std::optional<MatchedProduct> recur::matchProduct(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 1 ||
      !isMultiplyAdd(op.getBody()))
    return std::nullopt;
  auto result = getLoops(op.getMatchingIndexingMap(op.getDpsInitOperand(0)));
  std::optional<SmallVector<unsigned>> inputs[] = {getLoops(op.getMatchingIndexingMap(op.getDpsInputOperand(0))),
                                                   getLoops(op.getMatchingIndexingMap(op.getDpsInputOperand(1)))};
  if (!result || !inputs[0] || !inputs[1] || result->empty() || inputs[0]->empty() || inputs[1]->empty())
    return std::nullopt;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  MatchedProduct product;
  product.lane = result->back();
  product.shared = reduced.front();
  product.matrix = llvm::is_contained(*inputs[0], product.lane) ? 0 : 1;
  product.rows = 1 - product.matrix;
  auto &rows = *inputs[product.rows], &matrix = *inputs[product.matrix];
  if (llvm::is_contained(rows, product.lane) || !llvm::is_contained(matrix, product.lane) ||
      !llvm::is_contained(rows, product.shared) || !llvm::is_contained(matrix, product.shared))
    return std::nullopt;
  product.isDots = matrix.back() == product.shared && rows.back() == product.shared;
  if ((!product.isDots && matrix.back() != product.lane) ||
      !haveFloats(op, product.isDots ? std::nullopt : std::optional(product.matrix)))
    return std::nullopt;
  result->pop_back();
  auto select = [&](bool inRows, bool inMatrix) {
    return rt::ProductOp::selectLoops(*result, op.getMatchingIndexingMap(op.getDpsInputOperand(product.rows)),
                                      op.getMatchingIndexingMap(op.getDpsInputOperand(product.matrix)), inRows,
                                      inMatrix);
  };
  product.batch = select(/*inRows=*/true, /*inMatrix=*/true);
  product.rowLoops = select(/*inRows=*/true, /*inMatrix=*/false);
  product.blocks = select(/*inRows=*/false, /*inMatrix=*/true);
  if (product.batch.size() + product.rowLoops.size() + product.blocks.size() != result->size())
    return std::nullopt;
  return product;
}

/// For a static matrix of at most this many elements, inline code takes no longer than a call.
static constexpr int64_t kFewElements = 256;
/// A shorter sum does not fill the vectors of the kernel.
static constexpr int64_t kShortSum = 16;

tensor::ExtractSliceOp recur::getSliceOfRows(Value rows) {
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(rows.getDefiningOp()))
    rows = rows.getDefiningOp()->getOperand(0);
  return rows.getDefiningOp<tensor::ExtractSliceOp>();
}

bool recur::callsKernel(linalg::GenericOp op) {
  std::optional<MatchedProduct> product = matchProduct(op);
  return product && callsKernel(op, *product);
}

bool recur::callsKernel(linalg::GenericOp op, const MatchedProduct &product) {
  // Packed weights have one dim of blocks.
  if (rt::hasOneColumn(op) || (!product.isDots && product.blocks.size() > 1))
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto isDynamic = [&](unsigned loop) { return ShapedType::isDynamic(ranges[loop]); };
  bool hasOpenRows = llvm::any_of(product.rowLoops, isDynamic) || llvm::any_of(product.batch, isDynamic);
  bool isShort = !isDynamic(product.shared) && ranges[product.shared] < kShortSum;
  if (product.isDots)
    return !isShort &&
           (isDynamic(product.shared) || isDynamic(product.lane) || hasOpenRows ||
            llvm::any_of(product.blocks, isDynamic) || ranges[product.shared] * ranges[product.lane] > kFewElements);
  if (isDynamic(product.lane) || hasOpenRows)
    return true;
  // No vectors compute a single element, which the kernel adds up in the same order as it does more rows.
  return !isDynamic(product.shared) && !isShort &&
         cast<ShapedType>(op.getDpsInits()[0].getType()).getNumElements() == 1;
}
