// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PackedMatrix.cpp - Matrices in blocks of columns -------------------===//
//
// The arithmetic of an integer, for an op whose payload dequantizes. Kernels do the same on vectors.
//
//===----------------------------------------------------------------------===//

#include "PackedMatrix.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace recur;

Value recur::emitDequantization(OpBuilder &builder, Location loc, const QuantizedMatrix &matrix, Value half, Value b,
                                Value zero, Value scale) {
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
    half = arith::IndexCastOp::create(builder, loc, i8, half);
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
