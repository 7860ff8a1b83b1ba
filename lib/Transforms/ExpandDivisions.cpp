// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ExpandDivisions.cpp - Remainders and divisions of vectors ----------===//
//
// No CPU has an instruction for the remainder of floats, and few divide vectors of integers. Both are computed from
// quotients of floats here. All results are exact. A vector may have lanes of a remainder that have no value, so what
// decides about a branch is frozen. Floats that are rounded to integers are divided by a constant without a division.
//
//===----------------------------------------------------------------------===//

#include "ExpandFloats.h"
#include "ShapedBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace recur;

namespace {
using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;

/// True if any lane is. A scalar is its only lane.
Value isAny(ImplicitLocOpBuilder &b, Value lanes) {
  if (!isa<VectorType>(lanes.getType()))
    return lanes;
  return vector::ReductionOp::create(b, vector::CombiningKind::OR, lanes);
}

/// Replaces an op on vectors of several dims by one for each part of the first dim, and one on vectors without dims by
/// one on their elements.
template <typename Op>
LogicalResult splitFirstDim(Op op, PatternRewriter &rewriter) {
  auto type = cast<VectorType>(op.getType());
  Location loc = op.getLoc();
  Value result = ub::PoisonOp::create(rewriter, loc, type);
  auto replacePart = [&](ArrayRef<int64_t> place) {
    Value lhs = vector::ExtractOp::create(rewriter, loc, op.getLhs(), place),
          rhs = vector::ExtractOp::create(rewriter, loc, op.getRhs(), place);
    result = vector::InsertOp::create(rewriter, loc, Op::create(rewriter, loc, lhs, rhs), result, place);
  };
  if (type.getRank() == 0)
    replacePart({});
  else
    for (int64_t i = 0; i < type.getDimSize(0); ++i)
      replacePart(i);
  rewriter.replaceOp(op, result);
  return success();
}

/// True for a vector that does not have one dim.
bool needsSplitting(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() != 1;
}

/// An f32 divisor c as a sum of two numbers, of which `low` is far smaller, and not negative. For each x whose quotient
/// is neither tiny nor infinite, x / c, rounded, is high * x + low * x, of which the second product is rounded, and
/// then the sum. A quotient of 0 or infinity keeps its sign.
struct Reciprocal {
  float high, low;

  float multiply(float x) const { return std::fma(high, x, low * x); }
};

/// True if `reciprocal` gives the right quotient for each x. The relative error before the last rounding is less than
/// 2^-44. So the result may be wrong only if x / c is that near to the middle m between two numbers. With integers X
/// and C of 24 bits for x and c, and M of 25 bits for m, it is so if X * 2^k - M * C, where k is 24 or 25, is one of a
/// few integers. Each of them has a few solutions M, and an x for each M, which are tried.
bool isExact(const Reciprocal &reciprocal, float c) {
  constexpr int64_t kNear = 64;
  int exponent;
  int64_t divisor = std::ldexp(std::frexp(c, &exponent), 24);
  unsigned zeros = llvm::countr_zero(uint64_t(divisor));
  uint64_t odd = divisor >> zeros, inverse = odd;
  // Each of Newton's steps doubles the number of low bits that are right.
  for (unsigned bits = 3; bits < 64; bits *= 2)
    inverse *= 2 - odd * inverse;
  for (int k : {24, 25}) {
    // The difference is a multiple of the power of two in C.
    for (int64_t part = -(kNear >> zeros); part <= kNear >> zeros; ++part) {
      int64_t period = int64_t(1) << (k - zeros), first = uint64_t(-part) * inverse & uint64_t(period - 1);
      for (int64_t middle = first; part != 0 && middle < 1 << 25; middle += period) {
        int64_t x = (middle * divisor + part * (int64_t(1) << zeros)) >> k;
        if (middle >= 1 << 24 && x >= 1 << 23 && x < 1 << 24 && reciprocal.multiply(float(x)) != float(x) / c)
          return false;
      }
    }
  }
  return true;
}

/// The reciprocal of a positive constant of ordinary size, or nullopt if none was found.
std::optional<Reciprocal> getReciprocal(float c) {
  if (!(c >= 0x1p-30f && c <= 0x1p30f))
    return std::nullopt;
  // The product of two f32 is exact in f64, and so is its difference to 1.
  float high = float(1 / double(c));
  for (int tries = 0; tries != 4; ++tries) {
    double rest = 1 - double(high) * double(c);
    Reciprocal reciprocal{high, float(rest / c)};
    if (rest >= 0 && isExact(reciprocal, c))
      return reciprocal;
    high = std::nextafter(high, 0.0f);
  }
  return std::nullopt;
}

/// True if tiny quotients that are not exact, but have the right sign, give right results: the quotient is that of an
/// integer, or it is rounded to an integer after a product with a constant.
bool mayHaveTinyErrors(arith::DivFOp op) {
  if (op.getLhs().getDefiningOp<math::RoundEvenOp>())
    return true;
  auto isRounded = [](Operation *user) { return isa<math::RoundEvenOp>(user); };
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    auto product = dyn_cast<arith::MulFOp>(user);
    APFloat factor(0.0f);
    return isRounded(user) ||
           (product && product.getLhs() == op.getResult() && matchPattern(product.getRhs(), m_ConstantFloat(&factor)) &&
            std::fabs(factor.convertToFloat()) <= 0x1p30f && llvm::all_of(user->getUsers(), isRounded));
  });
}

/// A quotient by a constant, as FakeQuantize has them, becomes a product and a fused multiply-add.
struct ExpandDivisionByConstant final : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    Type type = op.getType();
    APFloat divisor(0.0f);
    if (!getElementTypeOrSelf(type).isF32() || !matchPattern(op.getRhs(), m_ConstantFloat(&divisor)))
      return rewriter.notifyMatchFailure(op, "not a quotient of f32 by one constant");
    if (!mayHaveTinyErrors(op))
      return rewriter.notifyMatchFailure(op, "the quotient may be tiny");
    std::optional<Reciprocal> reciprocal = getReciprocal(divisor.convertToFloat());
    // LLVM multiplies by the reciprocal of a power of two.
    if (!reciprocal || reciprocal->low == 0)
      return rewriter.notifyMatchFailure(op, "a power of two, or no reciprocal gives exact quotients");
    ShapedBuilder b(op, rewriter);
    Value low = b.product(op.getLhs(), b.number(type, reciprocal->low));
    rewriter.replaceOpWithNewOp<math::FmaOp>(op, op.getLhs(), b.number(type, reciprocal->high), low);
    return success();
  }
};

/// The remainder of floats, C's fmod. With magnitudes a and d, and p bits of precision:
///
/// Let q be a / d, rounded. If q < 2^p, its integer part t is that of the exact quotient or one more, as rounding never
/// passes an integer. So a - t d lies between -d and d. It is a multiple of the last place of d, because that of a is
/// no less if a >= d. Therefore it is a number, and a fused multiply-add computes it exactly. One d more is a number
/// for the same reasons.
///
/// If q >= 2^p, q itself is an integer. The error of q is at most half of its last place, and a - q d is again a
/// number: a multiple of the last places of q and of d that needs p bits. It may be negative, and its quotient is
/// smaller by 2^p. So a few such steps lead to the first case. If q is infinite, d is first multiplied by a power of
/// two, at most twice.
struct ExpandRemainder final : OpRewritePattern<arith::RemFOp> {
  ExpandRemainder(MLIRContext *context, bool noFma) : OpRewritePattern(context), noFma(noFma) {}
  LogicalResult matchAndRewrite(arith::RemFOp op, PatternRewriter &rewriter) const override {
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    bool isSingle = element.isF32();
    if (!isSingle && !element.isF64())
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    if (!isSingle && noFma)
      return rewriter.notifyMatchFailure(op, "f64 on a target without fused multiply-add");
    if (needsSplitting(type))
      return splitFirstDim(op, rewriter);
    ShapedBuilder b(op, rewriter);
    Value lhs = LLVM::FreezeOp::create(b, op.getLhs());
    Value dividend = b.magnitude(lhs), divisor = b.magnitude(LLVM::FreezeOp::create(b, op.getRhs()));
    Value limit = b.number(type, isSingle ? 0x1p24 : 0x1p53);
    auto loop = scf::WhileOp::create(
        b, TypeRange{type, type}, ValueRange{dividend, b.quotient(dividend, divisor)},
        [&](OpBuilder &nested, Location loc, ValueRange args) {
          ShapedBuilder inner(loc, nested);
          Value isBig = inner.compare(F::OGE, inner.magnitude(args[1]), limit);
          scf::ConditionOp::create(inner, isAny(inner, isBig), args);
        },
        [&](OpBuilder &nested, Location loc, ValueRange args) {
          ShapedBuilder inner(loc, nested);
          scf::YieldOp::create(inner, reduce(inner, args[0], args[1], divisor, limit));
        });
    Value rest = loop.getResult(0), whole = math::TruncOp::create(b, loop.getResult(1));
    rest = subtractProduct(b, rest, whole, divisor);
    rest = b.select(b.compare(F::OLT, rest, b.number(type, 0.0)), b.sum(rest, divisor), rest);
    // This includes infinite divisors.
    rest = b.select(b.compare(F::OLT, dividend, divisor), dividend, rest);
    // Plain bits, because LLVM may compute copysign in f16 if the sign comes from there.
    Type bits = b.withShape(type, b.getIntegerType(element.getIntOrFloatBitWidth()));
    Value sign = b.both(b.cast(bits, lhs), b.bits(bits, isSingle ? uint64_t(1) << 31 : uint64_t(1) << 63));
    rewriter.replaceOp(op, b.cast(type, b.either(b.cast(bits, rest), sign)));
    return success();
  }

private:
  /// A step of the second case, for the lanes whose quotient `q` is not below the limit. Returns the new rest and its
  /// quotient. NaN ends it.
  SmallVector<Value> reduce(ShapedBuilder &b, Value rest, Value q, Value divisor, Value limit) const {
    Type type = rest.getType();
    bool isSingle = getElementTypeOrSelf(type).isF32();
    Value isBig = b.compare(F::OGE, b.magnitude(q), limit);
    Value infinity = b.number(type, std::numeric_limits<double>::infinity());
    // Quotients lie below 2^277 or 2^2098. A scaled quotient that was infinite before is 2^p at least.
    Value factor = b.number(type, isSingle ? 0x1p100 : 0x1p900), scaled = divisor;
    for (int i = 0; i != 2; ++i) {
      Value isInfinite = b.compare(F::OEQ, b.magnitude(q), infinity);
      scaled = b.select(isInfinite, b.product(scaled, factor), scaled);
      q = b.quotient(rest, scaled);
    }
    Value next = b.select(isBig, subtractProduct(b, rest, q, scaled), rest);
    return {next, b.quotient(next, divisor)};
  }

  /// `a - q * d`, which is a number of the type. f64 holds the product of two f32 exactly.
  Value subtractProduct(ShapedBuilder &b, Value a, Value q, Value d) const {
    if (!noFma)
      return math::FmaOp::create(b, arith::NegFOp::create(b, q), d, a);
    Type f64 = b.withShape(a.getType(), b.getF64Type());
    auto wide = [&](Value x) -> Value { return arith::ExtFOp::create(b, f64, x); };
    return arith::TruncFOp::create(b, a.getType(), b.difference(wide(a), b.product(wide(q), wide(d))));
  }

  bool noFma;
};

/// Division and remainder of vectors of integers. A quotient a / b that is no integer is less than the next integer by
/// 1 / b at least. If a + b < 2^p, this is more than a rounding error of p bits. So the integer part of the rounded
/// quotient is right. f32 serves for up to 16 bits, and f64 for up to 32. i64 is divided as f64 if all lanes are below
/// 2^51, and one by one otherwise.
template <typename Op, typename ScalarOp, bool isSigned, bool isRest>
struct ExpandIntegerDivision final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isa<VectorType>(type) || !isa<IntegerType>(getElementTypeOrSelf(type)))
      return rewriter.notifyMatchFailure(op, "not a vector of integers");
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    if (width != 8 && width != 16 && width != 32 && width != 64)
      return rewriter.notifyMatchFailure(op, "not 8, 16, 32 or 64 bits");
    DenseElementsAttr constant;
    if (matchPattern(op.getRhs(), m_Constant(&constant)) && constant.isSplat())
      return rewriter.notifyMatchFailure(op, "a constant divisor, by which LLVM multiplies");
    if (needsSplitting(type))
      return splitFirstDim(op, rewriter);
    ShapedBuilder b(op, rewriter);
    rewriter.replaceOp(op, width == 64 ? divideLong(b, op) : divideShort(b, op, width));
    return success();
  }

private:
  static Value divideShort(ShapedBuilder &b, Op op, unsigned width) {
    Type type = op.getType(), i32 = b.withShape(type, b.getI32Type());
    Type real = b.withShape(type, width == 32 ? Type(b.getF64Type()) : b.getF32Type());
    auto toReal = [&](Value x) -> Value {
      if (width != 32)
        x = isSigned ? arith::ExtSIOp::create(b, i32, x).getResult() : arith::ExtUIOp::create(b, i32, x).getResult();
      // An extended number is never too large for a signed one.
      if (isSigned || width != 32)
        return arith::SIToFPOp::create(b, real, x);
      return arith::UIToFPOp::create(b, real, x);
    };
    Value lhs = toReal(op.getLhs()), rhs = toReal(op.getRhs()), result = b.quotient(lhs, rhs);
    if (isRest)
      result = restOf(b, lhs, rhs, result);
    if (width == 32)
      return isSigned ? arith::FPToSIOp::create(b, type, result).getResult()
                      : arith::FPToUIOp::create(b, type, result).getResult();
    return arith::TruncIOp::create(b, type, arith::FPToSIOp::create(b, i32, result));
  }

  static Value divideLong(ShapedBuilder &b, Op op) {
    Type type = op.getType(), f64 = b.withShape(type, b.getF64Type());
    Value lhs = LLVM::FreezeOp::create(b, op.getLhs()), rhs = LLVM::FreezeOp::create(b, op.getRhs());
    // Adding 2^51 makes the range of signed numbers begin at 0.
    constexpr uint64_t kLimit = uint64_t(1) << 51;
    auto isFar = [&](Value x) {
      Value shifted = isSigned ? b.plus(x, b.bits(type, kLimit)) : x;
      return b.compare(I::uge, shifted, b.bits(type, isSigned ? 2 * kLimit : kLimit));
    };
    // The bits of the f64 1.5 * 2^52 + x are those of 1.5 * 2^52 plus x.
    Value magic = b.number(f64, 0x1.8p52), magicBits = b.bits(type, 0x4338000000000000);
    auto branch = scf::IfOp::create(
        b, isAny(b, b.either(isFar(lhs), isFar(rhs))),
        [&](OpBuilder &nested, Location loc) {
          ShapedBuilder inner(loc, nested);
          scf::YieldOp::create(inner, divideLanes(inner, lhs, rhs));
        },
        [&](OpBuilder &nested, Location loc) {
          ShapedBuilder inner(loc, nested);
          auto toReal = [&](Value x) { return inner.difference(inner.cast(f64, inner.plus(x, magicBits)), magic); };
          Value a = toReal(lhs), c = toReal(rhs), result = inner.quotient(a, c);
          result = isRest ? restOf(inner, a, c, result) : math::TruncOp::create(inner, result).getResult();
          Value bits = inner.cast(type, inner.sum(result, magic));
          scf::YieldOp::create(inner, ValueRange(arith::SubIOp::create(inner, bits, magicBits).getResult()));
        });
    return branch.getResult(0);
  }

  /// Divides by the instruction for scalars. Lanes without a value must not trap, so a divisor of 0 becomes 1. Division
  /// by -1 may overflow, which traps too, so it becomes a negation.
  static Value divideLanes(ShapedBuilder &b, Value lhs, Value rhs) {
    Type type = lhs.getType();
    Value zero = b.bits(type, 0), one = b.bits(type, 1);
    rhs = b.select(b.compare(I::eq, rhs, zero), one, rhs);
    if (!isSigned)
      return ScalarOp::create(b, type, lhs, rhs);
    Value isMinusOne = b.compare(I::eq, rhs, b.bits(type, ~uint64_t(0)));
    Value result = ScalarOp::create(b, type, lhs, b.select(isMinusOne, one, rhs));
    return isRest ? result : b.select(isMinusOne, arith::SubIOp::create(b, zero, lhs), result);
  }

  /// `a - trunc(q) * d`. No product is greater than a, so all are exact.
  static Value restOf(ShapedBuilder &b, Value a, Value d, Value q) {
    return b.difference(a, b.product(math::TruncOp::create(b, q), d));
  }
};
} // namespace

void recur::populateExpandDivisionPatterns(RewritePatternSet &patterns, bool noFma) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandRemainder>(context, noFma);
  if (!noFma)
    patterns.add<ExpandDivisionByConstant>(context);
  patterns.add<ExpandIntegerDivision<arith::DivSIOp, LLVM::SDivOp, true, false>,
               ExpandIntegerDivision<arith::DivUIOp, LLVM::UDivOp, false, false>,
               ExpandIntegerDivision<arith::RemSIOp, LLVM::SRemOp, true, true>,
               ExpandIntegerDivision<arith::RemUIOp, LLVM::URemOp, false, true>>(context);
}
