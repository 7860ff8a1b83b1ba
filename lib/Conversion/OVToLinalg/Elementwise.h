// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Elementwise.h - The pattern for element-wise ops ---------*- C++ -*-===//
//
// One pattern lowers all element-wise ops. Each op supplies a payload, a function that computes one result element from
// scalars of compute types. Payloads.h and Transcendentals.h have the building blocks of payloads.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_ELEMENTWISE_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_ELEMENTWISE_H

#include "Broadcasting.h"

namespace recur::ov {

/// Computes one element of the result of `op` from one element of each operand. All have compute types.
template <typename Op>
using Payload = mlir::Value (*)(LoweringBuilder &b, Op op, mlir::ValueRange args);

/// The element type of the first operand, which determines the signedness.
inline mlir::Type operandElement(mlir::Operation *op) { return elementOf(op->getOperand(0)); }

/// True if the payload of `op` may contain checks or loops, which are not allowed in the body of a linalg op.
template <typename Op>
using NeedsLoops = bool (*)(Op op);

/// Emits what must precede the loops of `op`, such as a check of an operand. The operands have converted types.
template <typename Op>
using Preparation = void (*)(LoweringBuilder &b, Op op, mlir::ValueRange operands, const Broadcasting &plan);

/// True if the operands broadcast by NumPy's rules; otherwise their shapes must be equal.
template <typename Op>
bool broadcastsLikeNumPy(Op op) {
  if constexpr (requires { op.getAutoBroadcast(); })
    return op.getAutoBroadcast() == AutoBroadcast::Numpy;
  return false;
}

/// Lowers an element-wise op to a linalg.generic, or to a nest of scf.for if its payload needs loops or checks.
template <typename Op, Payload<Op> payload, NeedsLoops<Op> needsLoops, Preparation<Op> prepare>
struct LowerElementwise final : mlir::OpConversionPattern<Op> {
  using mlir::OpConversionPattern<Op>::OpConversionPattern;
  llvm::LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                      mlir::ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    mlir::RankedTensorType type = op.getType();
    Broadcasting plan =
        planBroadcasting(b, adaptor.getOperands(), type.getShape(), broadcastsLikeNumPy(op), op->getOperands());
    if constexpr (prepare != nullptr)
      prepare(b, op, adaptor.getOperands(), plan);
    auto body = [&](LoweringBuilder &inner, mlir::ValueRange stored) {
      llvm::SmallVector<mlir::Value> args;
      for (auto [value, operand] : llvm::zip_equal(stored, op->getOperands()))
        args.push_back(fromStorage(inner, value, elementOf(operand)));
      return toStorage(inner, payload(inner, op, args), type.getElementType());
    };
    bool sideEffects = needsLoops != nullptr && needsLoops(op);
    mlir::Value result = emitBroadcasting(b, plan, getStorageType(type.getElementType()), sideEffects, body);
    rewriter.replaceOp(op, castTo(b, result, this->getTypeConverter()->convertType(type)));
    return mlir::success();
  }
};

/// Adds the pattern for an element-wise op. Without `needsLoops`, the payload must be free of checks and loops.
template <typename Op, Payload<Op> payload, NeedsLoops<Op> needsLoops = nullptr, Preparation<Op> prepare = nullptr>
void addElementwise(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns) {
  patterns.add<LowerElementwise<Op, payload, needsLoops, prepare>>(converter, patterns.getContext());
}

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_ELEMENTWISE_H
