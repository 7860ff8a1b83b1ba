// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Generation.cpp - Lowering of ops that make tensors -----------------===//
//
// Range: the number of elements is computed and checked before the loop, in i64 for integers and in f64 for floats.
// Philox: each iteration computes one block of four words.
// MersenneTwister: a loop computes the words from earlier ones, one by one. A parallel loop tempers them.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"
#include "Payloads.h"

using namespace mlir;

namespace recur::ov {

using P = arith::CmpIPredicate;

namespace {
/// Lowers one Range. Its three operands may have different element types, also other ones than the result.
class RangeLowering {
public:
  RangeLowering(LoweringBuilder &b, RangeOp op, RangeOp::Adaptor adaptor)
      : b(b), op(op), element(op.getType().getElementType()) {
    for (auto [operand, source] : llvm::zip_equal(adaptor.getOperands(), op.getOperands())) {
      Type from = cast<RankedTensorType>(source.getType()).getElementType();
      numbers.push_back(fromStorage(b, extract(operand), from));
      elements.push_back(from);
    }
  }

  Value lower();

private:
  /// The element of an operand. Any other number of elements is a shape fault.
  Value extract(Value operand) {
    if (rankOf(operand) == 0 || !typeOf(operand).isDynamicDim(0))
      return extractOnly(b, operand);
    Value size = tensor::DimOp::create(b, operand, 0), isOne = compare(b, P::eq, size, indexOf(b, 1));
    Value place =
        check(b, isOne, rt::FaultKind::Shape, "an operand of a range has {0} elements", size, indexOf(b, 0)).front();
    return tensor::ExtractOp::create(b, operand, place);
  }
  /// Operand `i` (start, stop, step) converted to type `to`.
  Value convert(LoweringBuilder &b, unsigned i, Type to) { return convertScalar(b, numbers[i], elements[i], to); }
  /// The number of elements as an index, computed in i64. A step of 0 or too many elements are a shape fault.
  Value countIntegers();
  /// The same in f64. Infinite or NaN operands that make no range are a shape fault too.
  Value countFloats();

  LoweringBuilder &b;
  RangeOp op;
  Type element;
  SmallVector<Value> numbers;
  SmallVector<Type> elements;
};

struct LowerRange final : OpConversionPattern<RangeOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(RangeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value result = RangeLowering(b, op, adaptor).lower();
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};
} // namespace

/// The greatest number of elements that a tensor may have.
static constexpr int64_t kMostElements = int64_t(1) << 56;

Value RangeLowering::countIntegers() {
  Type i64 = b.getI64Type();
  Value start = convert(b, 0, i64), stop = convert(b, 1, i64), step = convert(b, 2, i64);
  Value zero = zeroOf(b, i64), one = oneOf(b, i64);
  Value isForward = compare(b, P::sgt, step, zero);
  // The difference of two i64 may not fit i64, but it fits an unsigned number.
  Value distance =
      selectValue(b, isForward, b.createOrFold<arith::SubIOp>(stop, start), b.createOrFold<arith::SubIOp>(start, stop));
  Value isEmpty = selectValue(b, isForward, compare(b, P::sge, start, stop), compare(b, P::sle, start, stop));
  Value isZero = compare(b, P::eq, step, zero);
  Value length = selectValue(b, isForward, step, b.createOrFold<arith::SubIOp>(zero, step));
  length = selectValue(b, isZero, one, length);
  Value count = b.createOrFold<arith::DivUIOp>(b.createOrFold<arith::SubIOp>(distance, one), length);
  count = selectValue(b, isEmpty, zero, b.createOrFold<arith::AddIOp>(count, one));
  Value fits = compare(b, P::ule, count, constantOf(b, i64, APInt(64, kMostElements)));
  fits = b.createOrFold<arith::AndIOp>(fits, compare(b, P::ne, step, zero));
  return check(b, fits, rt::FaultKind::Shape, "the range from {0} to {1} by {2} is none", {start, stop, step},
               toIndex(b, count))
      .front();
}

Value RangeLowering::countFloats() {
  using F = arith::CmpFPredicate;
  Type f64 = b.getF64Type();
  Value start = convert(b, 0, f64), stop = convert(b, 1, f64), step = convert(b, 2, f64), zero = zeroOf(b, f64);
  Value span = arith::SubFOp::create(b, stop, start);
  Value steps = arith::DivFOp::create(b, span, step);
  // The ordered comparison also rejects NaN. A step of 0, and an infinite start or stop, are rejected too.
  Value fits = compare(b, F::OLT, steps, constantOf(b, f64, double(kMostElements)));
  fits = b.createOrFold<arith::AndIOp>(fits, compare(b, F::UNE, step, zero));
  Value isFinite = compare(b, F::ORD, span, arith::SubFOp::create(b, span, span));
  fits = b.createOrFold<arith::AndIOp>(fits, isFinite);
  steps = check(b, fits, rt::FaultKind::Shape, "the operands of a range are none", {}, steps).front();
  Value isForward = compare(b, F::OGT, steps, zero);
  steps = selectValue(b, isForward, steps, zero);
  // Rounds up without a call of ceil.
  Value whole = arith::FPToSIOp::create(b, b.getI64Type(), steps);
  Value isCut = compare(b, F::OLT, arith::SIToFPOp::create(b, f64, whole), steps);
  Value more = arith::ExtUIOp::create(b, b.getI64Type(), isCut);
  return toIndex(b, b.createOrFold<arith::AddIOp>(whole, more));
}

Value RangeLowering::lower() {
  bool isInteger = isa<IntegerType>(element);
  bool countsIntegers = isInteger || llvm::all_of(elements, llvm::IsaPred<IntegerType>);
  if (isInteger)
    for (unsigned i = 0; i != 3; ++i) {
      if (isa<IntegerType>(elements[i]))
        continue;
      // A float operand of an integer range is truncated to i64.
      Value isNumber = compare(b, arith::CmpFPredicate::ORD, numbers[i], numbers[i]);
      numbers[i] =
          check(b, isNumber, rt::FaultKind::Shape, "operand {0} of a range is NaN", {indexOf(b, i)}, numbers[i])
              .front();
      numbers[i] = convert(b, i, b.getI64Type());
      elements[i] = b.getI64Type();
    }
  Value count = countsIntegers ? countIntegers() : countFloats();
  OpFoldResult size = toSize(b, count);
  // Integers wrap, so i64 arithmetic gives the low bits that narrower types need.
  Type compute = isInteger ? Type(b.getI64Type()) : getComputeType(element);
  Value start = convert(b, 0, compute), step = convert(b, 2, compute);
  return elementwise(b, {}, emptyOf(b, size, getStorageType(element)),
                     [&](LoweringBuilder &inner, ValueRange) -> Value {
                       Value i = toInt64(inner, linalg::IndexOp::create(inner, 0));
                       if (!isInteger)
                         i = arith::SIToFPOp::create(inner, compute, i);
                       Value value = add(inner, start, multiply(inner, i, step));
                       Type storage = getStorageType(element);
                       if (!isInteger)
                         return toStorage(inner, value, element);
                       return storage == compute ? value : arith::TruncIOp::create(inner, storage, value).getResult();
                     });
}

//===----------------------------------------------------------------------===//
// Philox
//===----------------------------------------------------------------------===//

namespace {
/// The state of Philox: two pairs of 32-bit words, in i64 values that are below 2^32.
struct LowerPhilox final : OpConversionPattern<PhiloxOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(PhiloxOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value blocks = toIndex(b, extractOnly(b, adaptor.getBlocks()));
    if (op.canFault())
      blocks = check(b, compare(b, P::sge, blocks, indexOf(b, 0)), rt::FaultKind::Shape, "the number of blocks is {0}",
                     blocks, blocks)
                   .front();
    Value first = toInt64(b, extractOnly(b, adaptor.getFirst()));
    SmallVector<OpFoldResult> sizes{toSize(b, blocks), b.getIndexAttr(4)};
    auto body = [&](LoweringBuilder &inner, Value iv, ValueRange carried) -> SmallVector<Value> {
      Value result = carried[0];
      Value block = arith::AddIOp::create(inner, first, toInt64(inner, iv));
      for (auto [i, word] : llvm::enumerate(computeBlock(inner, op, block)))
        result = writeAt(inner, arith::TruncIOp::create(inner, inner.getI32Type(), word), result,
                         ValueRange{iv, indexOf(inner, i)});
      return {result};
    };
    Value result = loop(b, indexOf(b, 0), blocks, emptyOf(b, sizes, b.getI32Type()), body).front();
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }

private:
  static SmallVector<Value> computeBlock(LoweringBuilder &b, PhiloxOp op, Value block) {
    Type i64 = b.getI64Type();
    auto number = [&](uint64_t value) { return constantOf(b, i64, APInt(64, value)); };
    Value half = number(32), mask = number(0xFFFFFFFF);
    auto low = [&](Value x) -> Value { return arith::AndIOp::create(b, x, mask); };
    auto high = [&](Value x) -> Value { return arith::ShRUIOp::create(b, x, half); };
    uint64_t key = op.getKey(), counter = op.getCounter();
    uint32_t keys[2] = {uint32_t(key), uint32_t(key >> 32)};
    SmallVector<Value> words{low(block), high(block), number(uint32_t(counter)), number(counter >> 32)};
    for (int round = 0; round != 10; ++round) {
      Value first = arith::MulIOp::create(b, words[0], number(0xD2511F53));
      Value second = arith::MulIOp::create(b, words[2], number(0xCD9E8D57));
      auto mix = [&](Value product, Value word, uint32_t key) -> Value {
        return arith::XOrIOp::create(b, arith::XOrIOp::create(b, high(product), word), number(key));
      };
      words = {mix(second, words[1], keys[0]), low(second), mix(first, words[3], keys[1]), low(first)};
      keys[0] += 0x9E3779B9;
      keys[1] += 0xBB67AE85;
    }
    return words;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// MersenneTwister
//===----------------------------------------------------------------------===//

/// MT19937 computes each word from those `kTwisterLength`, `kTwisterLength` - 1 and `kTwisterLength` - `kTwisterMiddle`
/// places before.
static constexpr int64_t kTwisterLength = 624, kTwisterMiddle = 397;

namespace {
struct LowerMersenneTwister final : OpConversionPattern<MersenneTwisterOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(MersenneTwisterOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LoweringBuilder b(op.getLoc(), rewriter);
    Value count = toIndex(b, extractOnly(b, adaptor.getCount()));
    if (op.canFault())
      count = check(b, compare(b, P::sge, count, indexOf(b, 0)), rt::FaultKind::Shape, "the number of words is {0}",
                    count, count)
                  .front();
    OpFoldResult size = toSize(b, count), length = b.getIndexAttr(kTwisterLength), one = b.getIndexAttr(1);
    Value words = drawWords(b, count, word(b, uint32_t(op.getSeed())));
    Value drawn = sliceOf(b, RankedTensorType::get(staticShapeOf(size), b.getI32Type()), words, length, size, one);
    Value result = elementwise(b, drawn, emptyOf(b, size, b.getI32Type()), temper);
    rewriter.replaceOp(op, castTo(b, result, getTypeConverter()->convertType(op.getType())));
    return success();
  }

private:
  static Value word(LoweringBuilder &b, uint32_t value) { return constantOf(b, b.getI32Type(), APInt(32, value)); }
  static Value mix(LoweringBuilder &b, Value x, Value y) { return arith::XOrIOp::create(b, x, y); }
  static Value shiftRight(LoweringBuilder &b, Value x, uint32_t bits) {
    return arith::ShRUIOp::create(b, x, word(b, bits));
  }
  static Value mask(LoweringBuilder &b, Value x, uint32_t bits) { return arith::AndIOp::create(b, x, word(b, bits)); }

  /// The state that `seed` gives, with `count` words behind it.
  static Value drawWords(LoweringBuilder &b, Value count, Value seed) {
    Value length = indexOf(b, kTwisterLength);
    Value words = emptyOf(b, toSize(b, addIndex(b, count, length)), b.getI32Type());
    words = writeAt(b, seed, words, indexOf(b, 0));
    auto initialize = [&](LoweringBuilder &inner, Value i, ValueRange carried) -> SmallVector<Value> {
      Value last = mix(inner, carried[1], shiftRight(inner, carried[1], 30));
      Value scaled = arith::MulIOp::create(inner, last, word(inner, 1812433253));
      Value next =
          arith::AddIOp::create(inner, scaled, arith::IndexCastOp::create(inner, inner.getI32Type(), i).getResult());
      return {writeAt(inner, next, carried[0], i), next};
    };
    words = loop(b, indexOf(b, 1), length, {words, seed}, initialize).front();
    auto twist = [&](LoweringBuilder &inner, Value i, ValueRange carried) -> SmallVector<Value> {
      auto at = [&](int64_t offset) { return addIndex(inner, i, indexOf(inner, offset)); };
      Value first = readAt(inner, carried[0], i), second = readAt(inner, carried[0], at(1));
      Value mixed =
          arith::OrIOp::create(inner, mask(inner, first, 0x80000000), mask(inner, second, 0x7FFFFFFF)).getResult();
      Value isOdd = compare(inner, P::ne, mask(inner, mixed, 1), zeroOf(inner, inner.getI32Type()));
      Value matrix = selectValue(inner, isOdd, word(inner, 0x9908B0DF), zeroOf(inner, inner.getI32Type()));
      Value next =
          mix(inner, mix(inner, readAt(inner, carried[0], at(kTwisterMiddle)), shiftRight(inner, mixed, 1)), matrix);
      return {writeAt(inner, next, carried[0], at(kTwisterLength))};
    };
    return loop(b, indexOf(b, 0), count, words, twist).front();
  }

  static Value temper(LoweringBuilder &b, ValueRange args) {
    auto shiftLeft = [&](Value x, uint32_t bits) -> Value { return arith::ShLIOp::create(b, x, word(b, bits)); };
    Value x = mix(b, args[0], shiftRight(b, args[0], 11));
    x = mix(b, x, mask(b, shiftLeft(x, 7), 0x9D2C5680));
    x = mix(b, x, mask(b, shiftLeft(x, 15), 0xEFC60000));
    return mix(b, x, shiftRight(b, x, 18));
  }
};
} // namespace

void populateGenerationPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerRange, LowerPhilox, LowerMersenneTwister>(converter, patterns.getContext());
}

} // namespace recur::ov
