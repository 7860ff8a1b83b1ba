// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Payloads.h - Scalar arithmetic of the ov ops -------------*- C++ -*-===//
//
// Scalar functions from which the lowerings build payloads. All arguments and results have compute types (Lowering.h).
// A payload without a loop can be vectorized; the functions whose code contains a loop say so.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_CONVERSION_OVTOLINALG_PAYLOADS_H
#define RECUR_LIB_CONVERSION_OVTOLINALG_PAYLOADS_H

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace recur::ov {

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Converts a scalar as ov.convert does. `from` and `to` are the element types of the tensors; the value and the result
/// have the compute types of these.
mlir::Value convertScalar(LoweringBuilder &b, mlir::Value value, mlir::Type from, mlir::Type to);

//===----------------------------------------------------------------------===//
// Numbers, floats or integers
//===----------------------------------------------------------------------===//

/// Arithmetic on floats or integers. Integers wrap.
mlir::Value add(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs);
mlir::Value subtract(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs);
mlir::Value multiply(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs);
/// The absolute value. The least signed integer stays as it is.
mlir::Value absolute(LoweringBuilder &b, mlir::Value x, bool isUnsigned);
/// The greater, or the lesser, of two values. The result is NaN if either value is NaN.
mlir::Value maximum(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs, bool isUnsigned);
mlir::Value minimum(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs, bool isUnsigned);
/// The same as `maximum`, but either zero may be the greater of two, which takes fewer instructions.
mlir::Value maximumButForZeros(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs, bool isUnsigned);
/// Limits `x` to the range from `low` to `high`; a null bound means no limit on that side. NaN stays NaN, because it is
/// not beyond either bound. That is what the ops need, and each bound takes one instruction.
mlir::Value clampBetween(LoweringBuilder &b, mlir::Value x, mlir::Value low, mlir::Value high, bool isUnsigned = false);
/// The least and the greatest value of a type. For floats they are the infinities.
mlir::Value leastOf(LoweringBuilder &b, mlir::Type type, bool isUnsigned);
mlir::Value greatestOf(LoweringBuilder &b, mlir::Type type, bool isUnsigned);

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The quotient, rounded down if `floored`, else toward zero. The least signed integer divided by -1 wraps. A divisor
/// of 0 is undefined behavior, so the caller must check it.
mlir::Value divideIntegers(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs, bool isUnsigned, bool floored);
/// The remainder. It has the sign of the divisor if `floored`, else that of the dividend. A divisor of 0 is undefined
/// behavior.
mlir::Value restOfIntegers(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs, bool isUnsigned, bool floored);
/// The power of two integers, computed by a loop; it wraps. A negative exponent gives the inverse, truncated to an
/// integer; the inverse of 0 is 0.
mlir::Value powerOfIntegers(LoweringBuilder &b, mlir::Value base, mlir::Value exponent, bool isUnsigned);

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// The exact remainder, with the same sign rules as for integers.
mlir::Value restOfFloats(LoweringBuilder &b, mlir::Value lhs, mlir::Value rhs, bool floored);

/// Short forms for arithmetic on f32 or f64 scalars of one type, and on the bits of f64.
class ScalarMath {
public:
  ScalarMath(LoweringBuilder &b, mlir::Type type) : b(b), type(type) {}

  mlir::Value real(double value) { return constantOf(b, type, value); }
  mlir::Value sum(mlir::Value x, mlir::Value y) { return mlir::arith::AddFOp::create(b, x, y); }
  mlir::Value difference(mlir::Value x, mlir::Value y) { return mlir::arith::SubFOp::create(b, x, y); }
  mlir::Value product(mlir::Value x, mlir::Value y) { return mlir::arith::MulFOp::create(b, x, y); }
  mlir::Value quotient(mlir::Value x, mlir::Value y) { return mlir::arith::DivFOp::create(b, x, y); }
  mlir::Value sum(mlir::Value x, double y) { return sum(x, real(y)); }
  mlir::Value product(mlir::Value x, double y) { return product(x, real(y)); }
  /// `x * y + z`, rounded once. A later pass splits it if the target has no such instruction.
  mlir::Value fused(mlir::Value x, mlir::Value y, mlir::Value z) { return mlir::math::FmaOp::create(b, x, y, z); }
  /// The polynomial with the given coefficients, beginning with that of the highest power, by Horner's rule.
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients) {
    mlir::Value result = real(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      result = fused(result, x, real(coefficient));
    return result;
  }
  mlir::Value exponential(mlir::Value x) { return mlir::math::ExpOp::create(b, x); }
  mlir::Value negative(mlir::Value x) { return mlir::arith::NegFOp::create(b, x); }
  mlir::Value magnitude(mlir::Value x) { return mlir::math::AbsFOp::create(b, x); }
  mlir::Value clamp(mlir::Value x, double low, double high) {
    mlir::Value least = real(low), most = real(high);
    return clampBetween(b, x, least, most);
  }

  mlir::Value is(mlir::arith::CmpFPredicate predicate, mlir::Value x, mlir::Value y) {
    return compare(b, predicate, x, y);
  }
  mlir::Value isEqual(mlir::Value x, double y) { return is(mlir::arith::CmpFPredicate::OEQ, x, real(y)); }
  mlir::Value isLess(mlir::Value x, double y) { return is(mlir::arith::CmpFPredicate::OLT, x, real(y)); }
  mlir::Value isGreater(mlir::Value x, double y) { return is(mlir::arith::CmpFPredicate::OGT, x, real(y)); }
  mlir::Value isNan(mlir::Value x) { return is(mlir::arith::CmpFPredicate::UNO, x, x); }
  mlir::Value both(mlir::Value x, mlir::Value y) { return mlir::arith::AndIOp::create(b, x, y); }
  mlir::Value either(mlir::Value x, mlir::Value y) { return mlir::arith::OrIOp::create(b, x, y); }
  mlir::Value isNot(mlir::Value x) { return mlir::arith::XOrIOp::create(b, x, oneOf(b, x.getType())); }
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no) {
    return selectValue(b, condition, yes, no);
  }

  /// An i64 constant, and conversions between the bits of an f64 and its value.
  mlir::Value bits(uint64_t value) { return constantOf(b, b.getI64Type(), llvm::APInt(64, value)); }
  mlir::Value toBits(mlir::Value x) { return mlir::arith::BitcastOp::create(b, b.getI64Type(), x); }
  mlir::Value fromBits(mlir::Value x) { return mlir::arith::BitcastOp::create(b, type, x); }

private:
  LoweringBuilder &b;
  mlir::Type type;
};

} // namespace recur::ov

#endif // RECUR_LIB_CONVERSION_OVTOLINALG_PAYLOADS_H
