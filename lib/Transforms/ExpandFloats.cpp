// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ExpandFloats.cpp - Functions of floats in plain arithmetic -------===//
//
// All patterns work on scalars and vectors alike. Most of them read a number as an integer, and compute sign, exponent
// and mantissa of the result from its bits.
//
//===----------------------------------------------------------------------===//

#include "ExpandFloats.h"
#include "ShapedBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace recur;

namespace {
/// f16 to f32 (and on to f64).
struct ExtendHalf final : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn().getType()).isF16())
      return rewriter.notifyMatchFailure(op, "not from f16");
    ShapedBuilder b(op, rewriter);
    Type like = op.getType(), i16 = b.withShape(like, b.getI16Type()), i32 = b.withShape(like, b.getI32Type());
    Type f32 = b.withShape(like, b.getF32Type());
    Value half = arith::ExtUIOp::create(b, i32, b.cast(i16, op.getIn()));
    Value sign = b.left(b.both(half, b.bits(i32, 0x8000)), 16);
    Value magnitude = b.both(half, b.bits(i32, 0x7fff));
    Value shifted = b.left(magnitude, 13);
    Value normal = b.plus(shifted, b.bits(i32, 112u << 23));
    // Infinities and NaNs. A signalling NaN becomes quiet, as in hardware.
    Value quiet = b.select(b.less(b.bits(i32, 0x7c00), magnitude), b.bits(i32, 0x400000), b.bits(i32, 0));
    Value special = b.either(b.plus(shifted, b.bits(i32, 224u << 23)), quiet);
    // A number below the least normal one is an integer times 2^-24, which f32 represents exactly.
    Value tiny = b.cast(i32, b.product(arith::SIToFPOp::create(b, f32, magnitude), b.number(f32, 0x1p-24)));
    Value result = b.select(b.less(magnitude, b.bits(i32, 0x400)), tiny,
                            b.select(b.less(magnitude, b.bits(i32, 0x7c00)), normal, special));
    Value extended = b.cast(f32, b.either(result, sign));
    if (getElementTypeOrSelf(like).isF64())
      extended = arith::ExtFOp::create(b, like, extended);
    rewriter.replaceOp(op, extended);
    return success();
  }
};

/// f32 to f16.
struct TruncateToHalf final : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF16() || !getElementTypeOrSelf(op.getIn().getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not from f32 to f16");
    ShapedBuilder b(op, rewriter);
    Type f32 = op.getIn().getType(), i32 = b.withShape(f32, b.getI32Type()), i16 = b.withShape(f32, b.getI16Type());
    Value single = b.cast(i32, op.getIn());
    Value sign = b.right(b.both(single, b.bits(i32, 0x80000000u)), 16);
    Value magnitude = b.both(single, b.bits(i32, 0x7fffffff));
    // Rounds to nearest even: adds one less than half of the last place, and one more if the last place is odd. The
    // same constant changes the bias of the exponent. A magnitude that is too large carries into the exponent of
    // infinity.
    Value odd = b.both(b.right(magnitude, 13), b.bits(i32, 1));
    Value normal = b.right(b.plus(b.plus(magnitude, b.bits(i32, 0xc8000fffu)), odd), 13);
    // Below the least normal number, the addition of 0.5 rounds, because the last place of 0.5 is 2^-24.
    Value tiny = arith::SubIOp::create(b, b.cast(i32, b.sum(b.cast(f32, magnitude), b.number(f32, 0.5))),
                                       b.bits(i32, 0x3f000000));
    Value payload = b.either(b.both(b.right(magnitude, 13), b.bits(i32, 0x3ff)), b.bits(i32, 0x7e00));
    Value special = b.select(b.less(b.bits(i32, 0x7f800000), magnitude), payload, b.bits(i32, 0x7c00));
    Value result = b.select(b.less(magnitude, b.bits(i32, 0x38800000)), tiny,
                            b.select(b.less(magnitude, b.bits(i32, 0x47800000)), normal, special));
    Value half = arith::TruncIOp::create(b, i16, b.either(result, sign));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), half);
    return success();
  }
};

/// f64 to f16 or bf16. Rounding to odd: if f32 does not represent the number exactly, the result is the next f32 toward
/// zero with its last bit set.
struct NarrowDouble final : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Type to = getElementTypeOrSelf(op.getType());
    if (!getElementTypeOrSelf(op.getIn().getType()).isF64() || (!to.isF16() && !to.isBF16()))
      return rewriter.notifyMatchFailure(op, "not from f64 to f16 or bf16");
    ShapedBuilder b(op, rewriter);
    Type f64 = op.getIn().getType(), f32 = b.withShape(f64, b.getF32Type()), i32 = b.withShape(f64, b.getI32Type());
    Value x = op.getIn();
    Value near = arith::TruncFOp::create(b, f32, x);
    Value back = arith::ExtFOp::create(b, f64, near);
    Value inexact = b.compare(arith::CmpFPredicate::ONE, back, x);
    Value above = b.compare(arith::CmpFPredicate::OGT, b.magnitude(back), b.magnitude(x));
    Value bits = b.cast(i32, near);
    Value below = b.select(above, arith::SubIOp::create(b, bits, b.bits(i32, 1)), bits);
    Value odd = b.select(inexact, b.either(below, b.bits(i32, 1)), bits);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), b.cast(f32, odd));
    return success();
  }
};

/// An integer to f16 or bf16, which canonicalization makes of a conversion to f32 that is rounded again. f32 represents
/// integers of up to 16 bits exactly, f64 those of up to 53 bits.
template <typename Op>
struct NarrowInteger final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type to = getElementTypeOrSelf(op.getType());
    if (!to.isF16() && !to.isBF16())
      return rewriter.notifyMatchFailure(op, "neither to f16 nor to bf16");
    ShapedBuilder b(op, rewriter);
    bool isShort = getElementTypeOrSelf(op.getIn().getType()).getIntOrFloatBitWidth() <= 16;
    Value exact = Op::create(b, b.withShape(op.getType(), isShort ? b.getF32Type() : b.getF64Type()), op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), exact);
    return success();
  }
};

/// The maximum or minimum of numbers that ignores NaN. LLVM computes it in f16 if the operands were f16 before, and has
/// a call of `fminf` for that where the CPU has no arithmetic of f16.
template <typename Op>
struct ExpandMinMaxNum final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (getElementTypeOrSelf(op.getType()).isF64())
      return rewriter.notifyMatchFailure(op, "f64, which is an instruction");
    ShapedBuilder b(op, rewriter);
    constexpr bool isMin = std::is_same_v<Op, arith::MinNumFOp>;
    Value x = op.getLhs(), y = op.getRhs();
    Value isFirst = b.compare(isMin ? arith::CmpFPredicate::OLT : arith::CmpFPredicate::OGT, x, y);
    Value isNaN = b.compare(arith::CmpFPredicate::UNO, y, y);
    rewriter.replaceOp(op, b.select(isNaN, x, b.select(isFirst, x, y)));
    return success();
  }
};

/// True if `x` is -|y| or a negative multiple of |y|.
bool isNeverPositive(Value x) {
  if (auto negated = x.getDefiningOp<arith::NegFOp>())
    return negated.getOperand().getDefiningOp<math::AbsFOp>() != nullptr;
  auto product = x.getDefiningOp<arith::MulFOp>();
  APFloat factor(0.0);
  return product && product.getLhs().getDefiningOp<math::AbsFOp>() &&
         matchPattern(product.getRhs(), m_ConstantFloat(&factor)) && factor.isNegative();
}

/// Splits x, f32 or f64, into x = n ln 2 + r with an integer n and |r| <= ln 2 / 2.
struct ReducedExponent {
  /// `x` is first limited to the range between `least` and `most`, if they are there. NaN stays NaN.
  ReducedExponent(ShapedBuilder &b, Value x, std::optional<double> least, std::optional<double> most)
      : b(b), type(x.getType()), isSingle(getElementTypeOrSelf(type).isF32()) {
    x = limit(x, least, arith::CmpFPredicate::OLT);
    bounded = limit(x, most, arith::CmpFPredicate::OGT);
  }
  Value fused(Value x, Value y, Value z) { return math::FmaOp::create(b, x, y, z); }
  Value number(double value) { return b.number(type, value); }

  /// Computes r, n, and 2^(n + offset), for which `offset` is a constant or a choice of `kMagic` plus some constants.
  /// If x is NaN, r is, and the power is arbitrary.
  void split(Value magic) {
    // The addition of 1.5 * 2^23, or 2^52, rounds a number to an integer, which is then in the low bits of the sum.
    // Together with the bias of exponents, the shift moves it to its place.
    Value shifted = fused(bounded, number(isSingle ? 0x1.715476p0 : 0x1.71547652b82fep0), magic);
    Value whole = b.difference(shifted, magic);
    // The first part of ln 2 has so few bits that its product with n is exact.
    r = fused(whole, number(isSingle ? -0.693359375 : -0x1.62e42feep-1), bounded);
    r = fused(whole, number(isSingle ? 2.12194440e-4 : -0x1.a39ef35793c76p-33), r);
    Value bits = b.cast(b.withShape(type, b.getIntegerType(isSingle ? 32 : 64)), shifted);
    power = b.cast(type, b.left(bits, isSingle ? 23 : 52));
    exponent = arith::SubIOp::create(b, bits, b.cast(bits.getType(), magic));
  }
  /// The value for `split` that adds `offset` to the exponent of `power`.
  Value magic(int offset) { return number(isSingle ? 0x1.8p23 + 127 + offset : 0x1.8p52 + 1023 + offset); }

  /// A polynomial p with e^r = 1 + r + r^2 p. The relative error of e^r is below 2^-27.9 or 2^-55. That of f32 is by
  /// weighted least squares, that of f64 by Chebyshev's nodes.
  Value getPolynomial() {
    static constexpr double single[] = {0x1.6a2434p-10, 0x1.1239e2p-7, 0x1.5558f2p-5, 0x1.555492p-3, 0x1.fffffcp-2};
    static constexpr double full[] = {0x1.af389eea54156p-26, 0x1.28917c9f3a495p-22, 0x1.71de0db2eb873p-19,
                                      0x1.a019b914881bap-16, 0x1.a01a01a7c2f2cp-13, 0x1.6c16c17889f3cp-10,
                                      0x1.11111111109b5p-7,  0x1.5555555553d68p-5,  0x1.5555555555556p-3,
                                      0x1.0000000000001p-1};
    ArrayRef<double> coefficients = isSingle ? ArrayRef<double>(single) : ArrayRef<double>(full);
    Value p = number(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      p = fused(p, r, number(coefficient));
    return p;
  }

  Value r, exponent, power, bounded;

private:
  Value limit(Value x, std::optional<double> bound, arith::CmpFPredicate beyond) {
    if (!bound)
      return x;
    Value limit = number(*bound);
    return b.select(b.compare(beyond, x, limit), limit, x);
  }

  ShapedBuilder &b;
  Type type;
  bool isSingle;
};

/// math.exp of f32 and f64: e^x = 2^n e^r. The errors hold for denormal results and those next to infinity too.
struct ExpandExp final : OpRewritePattern<math::ExpOp> {
  /// `scales` says that the target has an instruction that multiplies by 2^n and rounds once.
  ExpandExp(MLIRContext *context, bool scales) : OpRewritePattern(context), scales(scales) {}
  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    Type element = getElementTypeOrSelf(x.getType());
    bool isSingle = element.isF32();
    if (!isSingle && !element.isF64())
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    ShapedBuilder b(op, rewriter);
    // Beyond these bounds the results are 0 and infinity.
    bool isNegative = isNeverPositive(x);
    std::optional<double> most;
    if (!isNegative)
      most = isSingle ? 89.0 : 710.0;
    ReducedExponent e(b, x, isSingle ? -104.0 : -746.0, most);
    Value one = e.number(1.0);
    auto getFactor = [&] { return e.fused(e.fused(e.getPolynomial(), e.r, one), e.r, one); };
    // The sign of x, if it is known, saves as much. An intrinsic takes no vectors of several dims.
    auto vector = dyn_cast<VectorType>(op.getType());
    if (scales && isSingle && !isNegative && (!vector || vector.getRank() == 1)) {
      e.split(e.magic(0));
      Value p = getFactor();
      rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(op, op.getType(), rewriter.getStringAttr("llvm.ldexp"),
                                                         ValueRange{p, e.exponent});
      return success();
    }
    // Multiplies by 2^n in two steps, so that each factor is a normal number, and only the last product rounds.
    int offset = isSingle ? 64 : 512;
    Value magic = e.magic(offset), rest = e.number(std::ldexp(1.0, -offset));
    if (!isNegative) {
      Value isBelow = b.compare(arith::CmpFPredicate::OLT, x, e.number(0.0));
      magic = b.select(isBelow, magic, e.magic(-offset));
      rest = b.select(isBelow, rest, e.number(std::ldexp(1.0, offset)));
    }
    e.split(magic);
    Value p = getFactor();
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, b.product(p, e.power), rest);
    return success();
  }

private:
  bool scales;
};

/// math.expm1 of f32 and f64: e^x - 1 = 2^n (e^r - 1) + (2^n - 1). Within 1.5 ulp.
struct ExpandExpM1 final : OpRewritePattern<math::ExpM1Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ExpM1Op op, PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    Type element = getElementTypeOrSelf(x.getType());
    bool isSingle = element.isF32();
    if (!isSingle && !element.isF64())
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    ShapedBuilder b(op, rewriter);
    // Beyond these bounds the results are -1 and infinity.
    bool isNegative = isNeverPositive(x);
    std::optional<double> most;
    if (!isNegative)
      most = isSingle ? 89.0 : 710.0;
    ReducedExponent e(b, x, isSingle ? -20.0 : -40.0, most);
    // 2^128 (or 2^1024) is no number, so half of the result is computed where n may be positive.
    e.split(e.magic(isNegative ? 0 : -1));
    Value unit = e.number(isNegative ? 1.0 : 0.5);
    Value p = e.fused(b.product(e.r, e.r), e.getPolynomial(), e.r);
    Value result = e.fused(p, e.power, b.difference(e.power, unit));
    if (!isNegative)
      result = b.sum(result, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Rounds `x` to the nearest integer, ties to even, and keeps its sign. Only for |x| below `limit`, which is 2^23 for
/// f32 and 2^52 for f64.
Value roundToEven(ShapedBuilder &b, Value x, double limit) {
  Value big = b.number(x.getType(), limit);
  Value rounded = b.difference(b.sum(b.magnitude(x), big), big);
  return math::CopySignOp::create(b, rounded, x);
}
/// Adds `by` to `value` where `condition` holds.
Value adjust(ShapedBuilder &b, Value condition, Value value, double by) {
  Value step = b.select(condition, b.number(value.getType(), by), b.number(value.getType(), 0.0));
  return b.sum(value, step);
}
/// The overloads of `expand` correct `rounded`, the integer nearest to `x`, to the result of the op. They may lose the
/// sign, which the caller restores.
Value expand(ShapedBuilder &b, math::RoundEvenOp, Value, Value rounded) { return rounded; }
Value expand(ShapedBuilder &b, math::FloorOp, Value x, Value rounded) {
  return adjust(b, b.compare(arith::CmpFPredicate::OGT, rounded, x), rounded, -1.0);
}
Value expand(ShapedBuilder &b, math::CeilOp, Value x, Value rounded) {
  return adjust(b, b.compare(arith::CmpFPredicate::OLT, rounded, x), rounded, 1.0);
}
/// Rounds |x| toward zero.
Value truncateMagnitude(ShapedBuilder &b, Value x, Value rounded) {
  Value magnitude = b.magnitude(rounded);
  Value above = b.compare(arith::CmpFPredicate::OGT, magnitude, b.magnitude(x));
  return adjust(b, above, magnitude, -1.0);
}
Value expand(ShapedBuilder &b, math::TruncOp, Value x, Value rounded) { return truncateMagnitude(b, x, rounded); }
/// Rounds halves away from zero.
Value expand(ShapedBuilder &b, math::RoundOp, Value x, Value rounded) {
  Value whole = truncateMagnitude(b, x, rounded);
  Value part = b.difference(b.magnitude(x), whole);
  Value half = b.number(x.getType(), 0.5);
  return adjust(b, b.compare(arith::CmpFPredicate::OGE, part, half), whole, 1.0);
}

template <typename Op>
struct ExpandRounding final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    ShapedBuilder b(op, rewriter);
    Value x = op.getOperand();
    double limit = element.isF32() ? 0x1p23 : 0x1p52;
    // From `limit` on every value is an integer.
    Value small = b.compare(arith::CmpFPredicate::OLT, b.magnitude(x), b.number(x.getType(), limit));
    Value rounded = math::CopySignOp::create(b, expand(b, op, x, roundToEven(b, x, limit)), x);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, small, rounded, x);
    return success();
  }
};
} // namespace

void recur::populateExpandHalfPatterns(RewritePatternSet &patterns) {
  patterns.add<ExtendHalf, TruncateToHalf>(patterns.getContext());
}

void recur::populateExpandMinMaxNumPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandMinMaxNum<arith::MinNumFOp>, ExpandMinMaxNum<arith::MaxNumFOp>>(patterns.getContext());
}

void recur::populateExpandExpPatterns(RewritePatternSet &patterns, bool scales) {
  patterns.add<ExpandExp>(patterns.getContext(), scales);
  patterns.add<ExpandExpM1>(patterns.getContext());
}

void recur::populateNarrowDoublePatterns(RewritePatternSet &patterns) {
  patterns.add<NarrowDouble, NarrowInteger<arith::SIToFPOp>, NarrowInteger<arith::UIToFPOp>>(patterns.getContext());
}

void recur::populateExpandRoundingPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandRounding<math::FloorOp>, ExpandRounding<math::CeilOp>, ExpandRounding<math::TruncOp>,
               ExpandRounding<math::RoundOp>, ExpandRounding<math::RoundEvenOp>>(patterns.getContext());
}
