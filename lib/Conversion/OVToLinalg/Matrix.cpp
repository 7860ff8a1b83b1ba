// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Matrix.cpp - Lowering of matrix products ---------------------------===//
//
// MatMul becomes one linalg.generic. Its loops are the batch dims, the row and column dims of the result, and last the
// contracted dim. Transposed operands and broadcast batch dims are expressed by the indexing maps, so nothing is copied
// for them.
//
//===----------------------------------------------------------------------===//

#include "Broadcasting.h"
#include "Reducing.h"

using namespace mlir;

namespace recur::ov {

namespace {
/// One operand of the product: a vector, or a matrix with batch dims before it.
struct Side {
  Value tensor;
  /// The dim that the result keeps, which a vector does not have, and the contracted dim.
  std::optional<int64_t> kept;
  int64_t contracted;

  int64_t getBatchRank() const { return kept ? rankOf(tensor) - 2 : 0; }
};

struct LowerMatMul final : OpConversionPattern<MatMulOp> {
  LowerMatMul(const TypeConverter &converter, MLIRContext *context, bool inOrder)
      : OpConversionPattern(converter, context), inOrder(inOrder) {}
  LogicalResult matchAndRewrite(MatMulOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override;

private:
  bool inOrder;
};
} // namespace

/// Finds the kept and the contracted dim of an operand.
static Side makeSide(Value tensor, bool isLeft, bool transpose) {
  int64_t rank = rankOf(tensor);
  if (rank == 1)
    return {tensor, std::nullopt, 0};
  return isLeft != transpose ? Side{tensor, rank - 2, rank - 1} : Side{tensor, rank - 1, rank - 2};
}

/// Copies `side` with all batch dims of the result. This is needed for a batch dim that may be 1 at run time, because
/// an indexing map cannot select.
static Value broadcastBatch(LoweringBuilder &b, const Broadcasting &batch, const BroadcastOperand &operand,
                            Side &side) {
  int64_t batchRank = batch.sizes.size(), missing = batchRank - side.getBatchRank();
  Broadcasting whole = batch;
  BroadcastOperand all = operand;
  all.tensor = side.tensor;
  for (int64_t i = rankOf(side.tensor) - 2, e = rankOf(side.tensor); i != e; ++i) {
    whole.sizes.push_back(getDimOrAttr(b, side.tensor, i));
    all.reads.push_back(BroadcastOperand::Loop);
    all.sizes.push_back({});
  }
  whole.operands = {all};
  side.kept = *side.kept + missing;
  side.contracted += missing;
  return emitBroadcasting(b, whole, elementOf(side.tensor), /*sideEffects=*/false,
                          [](LoweringBuilder &, ValueRange args) { return args.front(); });
}

/// Plans the batch dims like those of an element-wise op. The operands of the plan are empty tensors that have only the
/// batch dims.
static Broadcasting planBatch(LoweringBuilder &b, Side &left, Side &right) {
  SmallVector<Value> standIns;
  SmallVector<Side *> sides{&left, &right};
  for (Side *side : sides) {
    SmallVector<OpFoldResult> sizes = getDims(b, side->tensor);
    sizes.truncate(side->getBatchRank());
    standIns.push_back(emptyOf(b, sizes, elementOf(side->tensor)));
  }
  // The declared type plays no role here; `castTo` checks the result against it.
  SmallVector<int64_t> declared(std::max(left.getBatchRank(), right.getBatchRank()), ShapedType::kDynamic);
  Broadcasting batch = planBroadcasting(b, standIns, declared, /*numpy=*/true);
  for (auto [side, operand] : llvm::zip_equal(sides, batch.operands))
    if (!operand.isRegular()) {
      side->tensor = broadcastBatch(b, batch, operand, *side);
      operand.reads.assign(batch.sizes.size(), BroadcastOperand::Loop);
    }
  return batch;
}

/// The columns that decide in which order the product adds (rt::kColumnsAttr): those of the result, which has as many
/// rows as a call computes at once. If only A is a constant, a call computes so many columns, and the rows decide: a
/// transpose of the result may exchange A and B.
static int64_t countColumns(MatMulOp op, OpFoldResult rows, OpFoldResult columns) {
  bool isTurned = op.getA().getDefiningOp<ConstantOp>() && !op.getB().getDefiningOp<ConstantOp>();
  return getConstantIntValue(isTurned ? rows : columns).value_or(-1);
}

LogicalResult LowerMatMul::matchAndRewrite(MatMulOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const {
  LoweringBuilder b(op.getLoc(), rewriter);
  RankedTensorType type = op.getType();
  Side left = makeSide(adaptor.getA(), /*isLeft=*/true, op.getTransposeA());
  Side right = makeSide(adaptor.getB(), /*isLeft=*/false, op.getTransposeB());
  // The bound of the loop over the contracted dim may come from either operand, so both must depend on the check.
  guardSameDim(b, left.tensor, left.contracted, right.tensor, right.contracted);
  Broadcasting batch = planBatch(b, left, right);

  // The loops: batch dims, row, column, contracted dim.
  SmallVector<OpFoldResult> sizes = batch.sizes;
  int64_t batchRank = sizes.size();
  int64_t rowLoop = batchRank, columnLoop = rowLoop + (left.kept ? 1 : 0);
  int64_t contractedLoop = columnLoop + (right.kept ? 1 : 0), loops = contractedLoop + 1;
  OpFoldResult one = b.getIndexAttr(1);
  if (left.kept)
    sizes.push_back(getDimOrAttr(b, left.tensor, *left.kept));
  if (right.kept)
    sizes.push_back(getDimOrAttr(b, right.tensor, *right.kept));
  // The indexing map of one operand. Batch dims are aligned at the right.
  auto mapOf = [&](const Side &side, const BroadcastOperand &operand, int64_t keptLoop) {
    SmallVector<AffineExpr> exprs(rankOf(side.tensor));
    for (int64_t i = 0, e = side.getBatchRank(); i != e; ++i)
      exprs[i] = operand.reads[i] == BroadcastOperand::Zero ? b.getAffineConstantExpr(0)
                                                            : b.getAffineDimExpr(batchRank - e + i);
    if (side.kept)
      exprs[*side.kept] = b.getAffineDimExpr(keptLoop);
    exprs[side.contracted] = b.getAffineDimExpr(contractedLoop);
    return AffineMap::get(loops, 0, exprs, b.getContext());
  };
  SmallVector<AffineMap> maps{mapOf(left, batch.operands[0], rowLoop), mapOf(right, batch.operands[1], columnLoop),
                              AffineMap::getMultiDimIdentityMap(loops, b.getContext()).dropResult(contractedLoop)};
  int64_t columns = countColumns(op, left.kept ? sizes[rowLoop] : one, right.kept ? sizes[columnLoop] : one);
  Value result = contract(b, {left.tensor, right.tensor}, type.getElementType(), sizes, maps, columns, inOrder);
  rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(type)));
  return success();
}

void populateMatrixPatterns(const TypeConverter &converter, RewritePatternSet &patterns, bool inOrder) {
  patterns.add<LowerMatMul>(converter, patterns.getContext(), inOrder);
}

} // namespace recur::ov
