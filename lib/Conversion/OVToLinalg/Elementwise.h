// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Elementwise.h - The pattern of element-wise ops ----------*- C++ -*-===//
//
// One pattern for all ops; what differs is the payload, a function of scalars of compute types. Payloads.h and
// Transcendentals.h have what payloads are made of.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_ELEMENTWISE_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_ELEMENTWISE_H

#include "Broadcasting.h"

namespace recur::ov {

/// Computes an element of `op` from elements of its operands.
template <typename Op>
using Payload = mlir::Value (*)(LoweringBuilder &b, Op op, mlir::ValueRange args);

/// The element type that decides about signedness.
inline mlir::Type operandElement(mlir::Operation *op) { return elementOf(op->getOperand(0)); }

/// True if the payload of `op` may hold checks or loops, which have no place in a linalg op.
template <typename Op>
using NeedsLoops = bool (*)(Op op);

template <typename Op>
bool broadcastsLikeNumPy(Op op) {
  if constexpr (requires { op.getAutoBroadcast(); })
    return op.getAutoBroadcast() == AutoBroadcast::Numpy;
  return false;
}

template <typename Op, Payload<Op> payload, NeedsLoops<Op> needsLoops>
struct LowerElementwise final : mlir::OpConversionPattern<Op> {
  using mlir::OpConversionPattern<Op>::OpConversionPattern;
  llvm::LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                      mlir::ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    mlir::RankedTensorType type = op.getType();
    Broadcasting plan = planBroadcasting(b, adaptor.getOperands(), type.getShape(), broadcastsLikeNumPy(op));
    auto body = [&](LoweringBuilder &inner, mlir::ValueRange stored) {
      llvm::SmallVector<mlir::Value> args;
      for (auto [value, operand] : llvm::zip_equal(stored, op->getOperands()))
        args.push_back(enter(inner, value, elementOf(operand)));
      return leave(inner, payload(inner, op, args), type.getElementType());
    };
    bool sideEffects = needsLoops != nullptr && needsLoops(op);
    mlir::Value result = emitBroadcasting(b, plan, getStorageType(type.getElementType()), sideEffects, body);
    rewriter.replaceOp(op, castTo(b, result, this->getTypeConverter()->convertType(type)));
    return mlir::success();
  }
};

/// Adds the pattern of an element-wise op: all that it takes to lower one. Without `needsLoops`, its payload is nothing
/// but arithmetic.
template <typename Op, Payload<Op> payload, NeedsLoops<Op> needsLoops = nullptr>
void addElementwise(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns) {
  patterns.add<LowerElementwise<Op, payload, needsLoops>>(converter, patterns.getContext());
}

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_ELEMENTWISE_H
