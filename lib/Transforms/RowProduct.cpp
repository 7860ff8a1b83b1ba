// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RowProduct.cpp - Matrix products that kernels compute --------------===//
//
// Passes before and after bufferization must agree on the products that become kernel calls (callsKernel), so the same
// matchers work on tensors and on buffers.
//
//===----------------------------------------------------------------------===//

#include "RowProduct.h"
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

namespace {
/// The loops that index C and the two inputs, and the loop that the products are summed along.
struct Operands {
  SmallVector<unsigned> c, inputs[2];
  unsigned shared;
};
} // namespace

/// The loops of a product along one dim. Returns nullopt for any other op. The caller checks the types of elements.
static std::optional<Operands> matchOperands(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 1 ||
      !isMultiplyAdd(op.getBody()))
    return std::nullopt;
  auto c = getLoops(op.getMatchingIndexingMap(op.getDpsInitOperand(0))),
       left = getLoops(op.getMatchingIndexingMap(op.getDpsInputOperand(0))),
       right = getLoops(op.getMatchingIndexingMap(op.getDpsInputOperand(1)));
  if (!c || !left || !right || c->empty() || left->empty() || right->empty())
    return std::nullopt;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  return Operands{*c, {*left, *right}, reduced.front()};
}

Value recur::emitDequantization(OpBuilder &builder, Location loc, const QuantizedMatrix &matrix, unsigned halves,
                                Value b, Value zero, Value scale) {
  Type f32 = builder.getF32Type();
  auto toFloat = [&](Value value, bool isSigned) -> Value {
    if (value.getType() == f32)
      return value;
    if (isa<FloatType>(value.getType()))
      return arith::ExtFOp::create(builder, loc, f32, value);
    return isSigned ? arith::SIToFPOp::create(builder, loc, f32, value).getResult()
                    : arith::UIToFPOp::create(builder, loc, f32, value).getResult();
  };
  if (matrix.hasHalves) {
    Type i8 = b.getType();
    Value half = arith::IndexCastOp::create(builder, loc, i8, linalg::IndexOp::create(builder, loc, halves));
    Value two = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(i8, 2)),
          mask = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(i8, 15));
    Value shifted = arith::ShRUIOp::create(builder, loc, b, arith::ShLIOp::create(builder, loc, half, two));
    b = arith::AndIOp::create(builder, loc, shifted, mask);
  }
  Value w = toFloat(b, matrix.isSigned && !matrix.hasHalves);
  if (matrix.isSigned && matrix.hasHalves)
    w = arith::SubFOp::create(builder, loc, w, arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(8)));
  if (zero)
    w = arith::SubFOp::create(builder, loc, w, toFloat(zero, matrix.zeroIsSigned));
  return scale ? arith::MulFOp::create(builder, loc, w, toFloat(scale, false)).getResult() : w;
}

/// The argument that `value` is, or is converted from.
static BlockArgument getConverted(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::ExtFOp, arith::SIToFPOp, arith::UIToFPOp>(op))
    value = op->getOperand(0);
  return dyn_cast<BlockArgument>(value);
}

/// Matches a product with a packed matrix of integers, as PackMatmuls emits it.
static std::optional<RowProduct> matchQuantizedProduct(linalg::GenericOp op) {
  unsigned inputs = op.getNumDpsInputs();
  if (inputs < 2 || inputs > 4 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 1 ||
      !getElementTypeOrSelf(op.getDpsInputs()[1]).isInteger(8) || !getElementTypeOrSelf(op.getDpsInputs()[0]).isF32() ||
      !getElementTypeOrSelf(op.getDpsInits()[0]).isF32())
    return std::nullopt;
  Block *body = op.getBody();
  auto add = body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  auto product = add ? add.getRhs().getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  if (!product || add.getLhs() != body->getArgument(inputs) || product.getLhs() != body->getArgument(0))
    return std::nullopt;
  QuantizedMatrix matrix;
  Value w = product.getRhs();
  if (auto scaled = w.getDefiningOp<arith::MulFOp>()) {
    BlockArgument scale = getConverted(scaled.getRhs());
    if (!scale || scale.getOwner() != body)
      return std::nullopt;
    matrix.scale = scale.getArgNumber();
    w = scaled.getLhs();
  }
  if (auto moved = w.getDefiningOp<arith::SubFOp>())
    if (BlockArgument zero = getConverted(moved.getRhs()); zero && zero.getOwner() == body) {
      matrix.zero = zero.getArgNumber();
      matrix.zeroIsSigned = moved.getRhs().getDefiningOp<arith::SIToFPOp>() != nullptr;
      w = moved.getLhs();
    }
  if (auto raised = w.getDefiningOp<arith::SubFOp>()) {
    matrix.isSigned = true;
    w = raised.getLhs();
  }
  Operation *convert = w.getDefiningOp();
  if (!isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(convert))
    return std::nullopt;
  matrix.isSigned |= isa<arith::SIToFPOp>(convert);
  matrix.hasHalves = convert->getOperand(0).getDefiningOp<arith::AndIOp>() != nullptr;
  auto c = getLoops(op.getMatchingIndexingMap(op.getDpsInitOperand(0))),
       a = getLoops(op.getMatchingIndexingMap(op.getDpsInputOperand(0)));
  unsigned blocks = matrix.hasHalves ? 2 : 1;
  if (!a || !c || a->empty() || c->size() != a->size() + blocks)
    return std::nullopt;
  RowProduct result{0, 1, {}, {}, {}, c->back(), a->back(), matrix, {}};
  result.rows.assign(a->begin(), a->end() - 1);
  result.blocks.assign(c->begin() + result.rows.size(), c->end() - 1);
  return result;
}

/// Matches a product of pairs of bf16, as PackMatmuls emits it.
static std::optional<RowProduct> matchPairProduct(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 2 ||
      !getElementTypeOrSelf(op.getDpsInputs()[1]).isBF16() || !getElementTypeOrSelf(op.getDpsInits()[0]).isF32())
    return std::nullopt;
  Block *body = op.getBody();
  auto add = body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  auto product = add ? add.getRhs().getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  if (!product || add.getLhs() != body->getArgument(2))
    return std::nullopt;
  auto left = product.getLhs().getDefiningOp<arith::ExtFOp>(), right = product.getRhs().getDefiningOp<arith::ExtFOp>();
  if (!left || !right || !left.getIn().getType().isBF16() || right.getIn() != body->getArgument(1))
    return std::nullopt;
  bool hasRoundedRows = left.getIn() == body->getArgument(0);
  auto rounded = left.getIn().getDefiningOp<arith::TruncFOp>();
  if (!hasRoundedRows && (!rounded || rounded.getIn() != body->getArgument(0) || !rounded.getIn().getType().isF32()))
    return std::nullopt;
  auto c = getLoops(op.getMatchingIndexingMap(op.getDpsInitOperand(0))),
       b = getLoops(op.getMatchingIndexingMap(op.getDpsInputOperand(1)));
  AffineMap a = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  if (!b || !c || b->size() != 4 || c->size() < 2 || a.getNumResults() + 1 != c->size())
    return std::nullopt;
  unsigned numRows = c->size() - 2, block = (*c)[numRows], lane = c->back(), shared = (*b)[1], pair = (*b)[3];
  RowProduct result{0, 1, {}, {}, {block}, lane, shared, {}, pair, hasRoundedRows};
  result.rows.assign(c->begin(), c->begin() + numRows);
  // A may have the rows in another order.
  for (unsigned row : result.rows)
    if (!llvm::is_contained(a.getResults().drop_back(), getAffineDimExpr(row, op.getContext())))
      return std::nullopt;
  if ((*b)[0] != block || (*b)[2] != lane || a.getResults().back() != getSharedIndex(op, result))
    return std::nullopt;
  return result;
}

AffineExpr recur::getSharedIndex(linalg::GenericOp op, const RowProduct &product) {
  AffineExpr shared = getAffineDimExpr(product.shared, op.getContext());
  return product.pair ? shared * 2 + getAffineDimExpr(*product.pair, op.getContext()) : shared;
}

std::optional<RowProduct> recur::matchRowProduct(linalg::GenericOp op) {
  if (std::optional<RowProduct> product = matchQuantizedProduct(op))
    return product;
  if (std::optional<RowProduct> product = matchPairProduct(op))
    return product;
  std::optional<Operands> operands = matchOperands(op);
  if (!operands)
    return std::nullopt;
  RowProduct product;
  product.lane = operands->c.back();
  bool last[] = {operands->inputs[0].back() == product.lane, operands->inputs[1].back() == product.lane};
  if (last[0] == last[1])
    return std::nullopt;
  product.a = last[0] ? 1 : 0;
  product.b = last[0] ? 0 : 1;
  product.shared = operands->shared;
  if (!haveFloats(op, product.b))
    return std::nullopt;
  auto &a = operands->inputs[product.a], &b = operands->inputs[product.b];
  if (!llvm::is_contained(a, product.shared) || !llvm::is_contained(b, product.shared) ||
      llvm::is_contained(a, product.lane))
    return std::nullopt;
  for (unsigned loop : ArrayRef(operands->c).drop_back()) {
    bool inA = llvm::is_contained(a, loop), inB = llvm::is_contained(b, loop);
    if (!inA && !inB)
      return std::nullopt;
    (inA && inB ? product.batch : inA ? product.rows : product.blocks).push_back(loop);
  }
  return product;
}

std::optional<DotProduct> recur::matchDotProduct(linalg::GenericOp op) {
  std::optional<Operands> operands = matchOperands(op);
  if (!operands || !haveFloats(op))
    return std::nullopt;
  DotProduct product;
  product.column = operands->c.back();
  product.shared = operands->shared;
  product.outer.assign(operands->c.begin(), operands->c.end() - 1);
  bool hasColumn[] = {llvm::is_contained(operands->inputs[0], product.column),
                      llvm::is_contained(operands->inputs[1], product.column)};
  if (hasColumn[0] == hasColumn[1] || operands->inputs[0].back() != product.shared ||
      operands->inputs[1].back() != product.shared)
    return std::nullopt;
  product.matrix = hasColumn[0] ? 0 : 1;
  product.vector = hasColumn[0] ? 1 : 0;
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
  if (rt::hasOneColumn(op))
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto isDynamic = [&](unsigned loop) { return ShapedType::isDynamic(ranges[loop]); };
  if (std::optional<DotProduct> product = matchDotProduct(op)) {
    if (!isDynamic(product->shared) && ranges[product->shared] < kShortSum)
      return false;
    return isDynamic(product->shared) || isDynamic(product->column) || llvm::any_of(product->outer, isDynamic) ||
           ranges[product->shared] * ranges[product->column] > kFewElements;
  }
  std::optional<RowProduct> product = matchRowProduct(op);
  if (product && (product->quantized || product->pair))
    return true;
  // Packed weights have one dim of blocks.
  if (!product || product->blocks.size() > 1)
    return false;
  if (isDynamic(product->lane) || llvm::any_of(product->rows, isDynamic) || llvm::any_of(product->batch, isDynamic))
    return true;
  // No vectors compute a single element, which the kernel adds up in the same order as it does more rows.
  return !isDynamic(product->shared) && ranges[product->shared] >= kShortSum &&
         cast<ShapedType>(op.getDpsInits()[0].getType()).getNumElements() == 1;
}
