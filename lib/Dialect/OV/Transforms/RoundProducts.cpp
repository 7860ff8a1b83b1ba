// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RoundProducts.cpp - Products of rounded operands -------------------===//
//
// The user may choose that products multiply numbers of fewer bits, for which CPUs have faster instructions. The
// rounding is made explicit, as conversions in front of the product, so it means the same to the interpreter and to all
// later passes. Matrices are rounded once, at compile time. To round one in each call takes longer than the product
// saves (measured for a gated delta rule: 2.4 times as long), so a product of two computed tensors stays as it is.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/Dequantization.h"
#include "Recur/Dialect/OV/Transforms/Passes.h"

#include "mlir/IR/Builders.h"

namespace recur::ov {
#define GEN_PASS_DEF_ROUNDPRODUCTS
#include "Recur/Dialect/OV/Transforms/Passes.h.inc"
} // namespace recur::ov

using namespace mlir;
using namespace recur::ov;

/// The layout of a constant in the weights file, or null for any other value.
static WeightsAttr getWeights(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant ? dyn_cast<WeightsAttr>(constant.getValue()) : WeightsAttr();
}

/// True if each element of `value` is a number of bf16.
static bool isRounded(Value value) {
  if (auto convert = value.getDefiningOp<ConvertOp>())
    return getElementTypeOrSelf(convert.getInput().getType()).isBF16();
  WeightsAttr weights = getWeights(value), narrow = weights ? weights.getNarrow() : WeightsAttr();
  return narrow && narrow.getTensorType().getElementType().isBF16();
}

/// True for a product of f32 in f32 by a matrix in the weights file that are not integers. Integers are fewer bits
/// already.
static bool mayRound(MatMulOp product) {
  WeightsAttr matrix = getWeights(product.getB());
  return matrix && !getDequantization(matrix) && getElementTypeOrSelf(product.getType()).isF32() &&
         llvm::all_of(product->getOperandTypes(), [](Type type) { return getElementTypeOrSelf(type).isF32(); });
}

namespace {
struct RoundProducts final : recur::ov::impl::RoundProductsBase<RoundProducts> {
  using RoundProductsBase::RoundProductsBase;

  void runOnOperation() override {
    if (precision == ProductPrecision::F32)
      return;
    getOperation().walk([&](MatMulOp product) {
      if (!mayRound(product))
        return;
      OpBuilder builder(product);
      for (OpOperand &operand : product->getOpOperands()) {
        auto type = cast<RankedTensorType>(operand.get().getType());
        if (isRounded(operand.get()))
          continue;
        Value narrow = ConvertOp::create(builder, product.getLoc(), type.clone(builder.getBF16Type()), operand.get());
        operand.set(ConvertOp::create(builder, product.getLoc(), type, narrow));
      }
    });
  }
};
} // namespace
