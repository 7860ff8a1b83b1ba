// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Elementwise.h - The pattern of element-wise ops ----------*- C++ -*-===//
//
// One pattern for all ops; what differs is the payload, a function of scalars of compute types.
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
bool needsLoops(mlir::Operation *op);

/// `divisor`, an element of `rhs`, checked not to be 0 unless `rhs` is known to have none.
mlir::Value checkDivisor(LoweringBuilder &b, mlir::Value rhs, mlir::Value divisor);

template <typename Op>
bool broadcastsLikeNumPy(Op op) {
  if constexpr (requires { op.getAutoBroadcast(); })
    return op.getAutoBroadcast() == "numpy";
  return false;
}

template <typename Op, Payload<Op> payload>
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
    mlir::Value result = emitBroadcasting(b, plan, getStorageType(type.getElementType()), needsLoops(op), body);
    rewriter.replaceOp(op, castTo(b, result, this->getTypeConverter()->convertType(type)));
    return mlir::success();
  }
};

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_ELEMENTWISE_H
