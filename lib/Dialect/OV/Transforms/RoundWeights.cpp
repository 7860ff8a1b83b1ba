// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RoundWeights.cpp - Weights in fewer bits ---------------------------===//
//
// The user may choose that weights of f32 take fewer bytes. The constants get layout steps that round them when they
// are packed, and steps that widen them again. Later passes find the narrow type before the last conversion, as they do
// in models that were shipped with narrow weights.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/Transforms/Passes.h"

#include "mlir/IR/Builders.h"

namespace recur::ov {
#define GEN_PASS_DEF_ROUNDWEIGHTS
#include "Recur/Dialect/OV/Transforms/Passes.h.inc"
} // namespace recur::ov

using namespace mlir;
using namespace recur::ov;

/// `weights` with steps that round and widen. Null if they stay as they are.
static WeightsAttr round(WeightsAttr weights, ArrayRef<int64_t> axes, WeightsPrecision precision) {
  MLIRContext *context = weights.getContext();
  auto wide = ConvertStepAttr::get(context, Float32Type::get(context));
  if (precision == WeightsPrecision::BF16)
    return weights.append(ConvertStepAttr::get(context, BFloat16Type::get(context))).append(wide);
  if (axes.empty())
    return {};
  WeightsAttr scale = weights.append(QuantizationScaleStepAttr::get(context, axes));
  return weights.append(QuantizeStepAttr::get(context, axes))
      .append(wide)
      .append(ArithmeticStepAttr::get(context, ArithmeticKind::Multiply, scale));
}

/// True if the weights were shipped in more bits than `precision` has.
static bool isWide(WeightsAttr weights, WeightsPrecision precision) {
  Type stored = weights.getStored().getElementType();
  return weights.getTensorType().getElementType().isF32() &&
         (stored.isF32() || (precision == WeightsPrecision::Int8 && (stored.isF16() || stored.isBF16())));
}

namespace {
struct RoundWeights final : recur::ov::impl::RoundWeightsBase<RoundWeights> {
  using RoundWeightsBase::RoundWeightsBase;

  void runOnOperation() override {
    if (precision == WeightsPrecision::F32)
      return;
    getOperation().walk([&](WeightsOpInterface op) {
      for (Weights &use : op.getWeights()) {
        auto constant = use.operand->get().getDefiningOp<ConstantOp>();
        auto weights = constant ? dyn_cast<WeightsAttr>(constant.getValue()) : WeightsAttr();
        if (!weights || !isWide(weights, precision))
          continue;
        WeightsAttr rounded = round(weights, use.axes, precision);
        if (!rounded)
          continue;
        OpBuilder builder(constant);
        use.operand->set(ConstantOp::create(builder, constant.getLoc(), constant.getType(), rounded));
      }
    });
  }
};
} // namespace
