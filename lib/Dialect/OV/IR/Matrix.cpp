// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Matrix.cpp - Products of matrices ----------------------------------===//
//
// This file has the type inference, dims, the fault check and the canonical form of MatMul. The last two dims of each
// operand are the matrix, the others are batch dims that broadcast.
//
//===----------------------------------------------------------------------===//

#include "Inference.h"

#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur::ov;

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

LogicalResult MatMulOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  SmallVector<int64_t> a(shapeOf(adaptor.getA())), b(shapeOf(adaptor.getB()));
  // An operand of rank 1 is a row if it is `a`, and a column if it is `b`. The transpose attributes do not apply to it.
  bool dropsRow = a.size() == 1, dropsColumn = b.size() == 1;
  if (dropsRow)
    a.insert(a.begin(), 1);
  else if (adaptor.getTransposeA())
    std::swap(a[a.size() - 1], a[a.size() - 2]);
  if (dropsColumn)
    b.push_back(1);
  else if (adaptor.getTransposeB())
    std::swap(b[b.size() - 1], b[b.size() - 2]);
  // C4
  if (!mergeDims(a[a.size() - 1], b[b.size() - 2]))
    return report("expected contracted dims that are equal, but got ", a[a.size() - 1], " and ", b[b.size() - 2]);
  // C5
  std::optional<SmallVector<int64_t>> shape =
      broadcastShapes(ArrayRef<int64_t>(a).drop_back(2), ArrayRef<int64_t>(b).drop_back(2));
  if (!shape)
    return report("expected batch dims that broadcast, but got ", adaptor.getA().getType(), " and ",
                  adaptor.getB().getType());
  if (!dropsRow)
    shape->push_back(a[a.size() - 2]);
  if (!dropsColumn)
    shape->push_back(b[b.size() - 1]);
  return addType(types, *shape, elementOf(adaptor.getA()));
}

std::optional<int64_t> MatMulOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  // A vector has no rows, or no columns, which moves the axes of the product.
  if (rankOf(getA()) < 2 || rankOf(getB()) < 2)
    return std::nullopt;
  Value given = getOperand(operand);
  int64_t rank = rankOf(given), product = getType().getRank();
  if (axis < rank - 2)
    return alignAtEnd(given, axis, getResult());
  bool isFirst = operand == 0, isTransposed = isFirst ? getTransposeA() : getTransposeB();
  // The other one of the last two axes is summed.
  int64_t kept = isFirst == isTransposed ? rank - 1 : rank - 2;
  return axis == kept ? std::optional(isFirst ? product - 2 : product - 1) : std::nullopt;
}

DimSource::MaybeDim MatMulOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  int64_t rankA = rankOf(getA()), rankB = rankOf(getB());
  // The dims of the result are the batch dims, then the rows unless `a` has rank 1, then the columns unless `b` has
  // rank 1.
  int64_t rows = rankA > 1, columns = rankB > 1, batch = getType().getRank() - rows - columns;
  if (dim == batch && rows)
    return dims.get(getA(), getTransposeA() ? rankA - 1 : rankA - 2);
  if (dim >= batch)
    return dims.get(getB(), getTransposeB() ? rankB - 2 : rankB - 1);
  SmallVector<DimSource::MaybeDim> found;
  for (auto [operand, own] : {std::pair(getA(), rankA - 2), std::pair(getB(), rankB - 2)})
    if (int64_t at = dim - (batch - own); at >= 0)
      found.push_back(dims.get(operand, at));
  return dims.combine(DimKind::join, found);
}

SmallVector<Weights> MatMulOp::getWeights() {
  // Each column of the second matrix has a scale. A vector is one column.
  int64_t rank = cast<RankedTensorType>(getB().getType()).getRank();
  return {{&getAMutable(), {}}, {&getBMutable(), {getTransposeB() || rank == 1 ? rank - 1 : rank - 2}}};
}

bool MatMulOp::canFault() {
  int64_t rankA = getA().getType().getRank(), rankB = getB().getType().getRank();
  int64_t contractedA = rankA == 1 || !getTransposeA() ? rankA - 1 : rankA - 2;
  int64_t contractedB = rankB == 1 ? 0 : getTransposeB() ? rankB - 1 : rankB - 2;
  if (!provablySameDim(getA(), contractedA, getB(), contractedB))
    return true;
  if (rankA <= 2 || rankB <= 2 || getA() == getB())
    return false;
  return !provablyBroadcast(shapeOf(getA()).drop_back(2), shapeOf(getB()).drop_back(2));
}

//===----------------------------------------------------------------------===//
// Canonicalization
//===----------------------------------------------------------------------===//

/// The order that exchanges the last two dims of a tensor of rank `rank`.
static SmallVector<int64_t> getMatrixOrder(int64_t rank) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::swap(order[rank - 1], order[rank - 2]);
  return order;
}

/// Exchanges the last two dims of a tensor.
static Value transposeMatrix(PatternRewriter &rewriter, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> order = getMatrixOrder(type.getRank()), shape = applyPermutation(type.getShape(), order);
  Value axes = ConstantOp::create(rewriter, loc, rewriter.getI64TensorAttr(order));
  return TransposeOp::create(rewriter, loc, type.clone(shape), value, axes);
}

/// True if the columns of a second matrix hold few vectors of any target, the last of which is not full. Vectors along
/// them would do much work for nothing.
static bool hasRaggedColumns(int64_t columns) {
  constexpr int64_t kLanes = 16, kFewVectors = 3;
  return !ShapedType::isDynamic(columns) && columns < kFewVectors * kLanes && columns % kLanes != 0;
}

/// The transposition if `op` is one that exchanges the last two dims, else null.
static TransposeOp matchTransposedMatrix(Operation *op) {
  auto transpose = dyn_cast_or_null<TransposeOp>(op);
  int64_t rank = transpose ? transpose.getType().getRank() : 0;
  return rank >= 2 && getPermutation(transpose.getInputOrder(), rank) == getMatrixOrder(rank) ? transpose
                                                                                              : TransposeOp();
}

namespace {
/// Moves a constant first matrix to the second place, where it is packed at compile time: A·B = (Bᵀ·Aᵀ)ᵀ. The products
/// of an element and their order stay the same. This costs transpositions of B and of the result, unless they are there
/// already. So it pays if B has few columns, or if it is transposed.
struct MoveConstantToRight final : OpRewritePattern<MatMulOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(MatMulOp op, PatternRewriter &rewriter) const override {
    RankedTensorType a = op.getA().getType(), b = op.getB().getType();
    if (a.getRank() != 2 || b.getRank() < 2)
      return rewriter.notifyMatchFailure(op, "expected a first operand that is one matrix, and a second of matrices");
    if (!matchPattern(op.getA(), m_Constant()) || matchPattern(op.getB(), m_Constant()))
      return rewriter.notifyMatchFailure(op, "expected a constant first matrix and a second one that is computed");
    int64_t rank = b.getRank(), columns = b.getDimSize(op.getTransposeB() ? rank - 2 : rank - 1);
    if (b.isDynamicDim(op.getTransposeB() ? rank - 1 : rank - 2))
      return rewriter.notifyMatchFailure(op, "expected contracted dims that are known to be equal");
    TransposeOp before = matchTransposedMatrix(op.getB().getDefiningOp());
    if (!op.getTransposeB() && !before && !hasRaggedColumns(columns))
      return rewriter.notifyMatchFailure(op, "expected a second matrix of few columns, or one that is transposed");
    Location loc = op.getLoc();
    Value rows = op.getTransposeB() ? op.getB() : before ? before.getArg() : transposeMatrix(rewriter, loc, op.getB());
    SmallVector<int64_t> shape = applyPermutation(op.getType().getShape(), getMatrixOrder(rank));
    Value product = MatMulOp::create(rewriter, loc, op.getType().clone(shape), rows, op.getA(), /*transpose_a=*/false,
                                     /*transpose_b=*/!op.getTransposeA());
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      if (TransposeOp after = matchTransposedMatrix(user); after && after.getType() == product.getType())
        rewriter.replaceOp(after, product);
    rewriter.replaceOp(op, transposeMatrix(rewriter, loc, product));
    return success();
  }
};
} // namespace

void MatMulOp::getCanonicalizationPatterns(RewritePatternSet &results, MLIRContext *context) {
  results.add<MoveConstantToRight>(context);
}
