// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Generation.cpp - Random numbers and diagonals ----------------------===//
//
// This file expands RandomUniform, Multinomial and Eye. The random bits come from ov.philox or ov.mersenne_twister. A
// real number has as many random bits as its mantissa, so that all results are below the maximum before the last
// rounding.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "../TypeSyntax.h"

#include "llvm/ADT/Sequence.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace recur;
using namespace recur::ir;

/// The seed of the key if both seeds of the layer are 0.
static constexpr uint64_t kDefaultSeed = 1;

/// The lowest `bits` bits of unsigned integers, divided by 2^`bits`.
static Value makeFraction(Expansion &e, Value words, int bits, Type element) {
  Value low = bits == 32 ? words : e.make<ov::FloorModOp>({words, e.scalar(std::ldexp(1.0, bits), elementOf(words))});
  return e.multiply(e.convert(low, element), std::ldexp(1.0, -bits));
}

/// Words as integers below `span`, plus `least`. The words and the span are unsigned. With `seconds`, a number is a
/// word and 2^32 times that of `seconds`.
static Value drawIntegers(Expansion &e, Value words, Value seconds, Value least, Value span) {
  Type element = elementOf(span);
  Type number = IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth(), IntegerType::Unsigned);
  Value drawn = e.convert(words, number);
  if (seconds)
    drawn = e.add(drawn, e.multiply(e.convert(seconds, number), std::ldexp(1.0, 32)));
  drawn = e.make<ov::FloorModOp>({drawn, e.convert(span, number)});
  return e.add(e.convert(drawn, element), least);
}

/// The first or the second word of each pair.
static Value takeOfPairs(Expansion &e, Value words, int64_t which) {
  return e.gather(e.reshape(words, {e.size(-1), e.size(2)}), e.scalar(double(which), e.i64()), 1);
}

/// `count` numbers of the generator of TensorFlow. `first` is the number of the first block of words.
static Value drawPhilox(Expansion &e, int64_t key, int64_t counter, Size first, Size count, Value least, Value span) {
  Type element = elementOf(span);
  // Elements of 64 bits need two words.
  bool isWide = element.getIntOrFloatBitWidth() == 64;
  Size needed = isWide ? e.multiply(count, 2) : count;
  Size blocks = e.divide(e.add(needed, 3), 4);
  Value words = e.make<ov::PhiloxOp>({blocks, first}, {e.attribute("key", key), e.attribute("counter", counter)});
  words = e.slice(e.reshape(words, e.size(-1)), 0, e.size(0), needed);
  Value head = isWide ? takeOfPairs(e, words, 0) : words, second = isWide ? takeOfPairs(e, words, 1) : Value();
  if (isa<IntegerType>(element))
    return drawIntegers(e, head, second, least, span);
  Value drawn;
  if (isWide) {
    Value low = e.multiply(makeFraction(e, second, 32, element), std::ldexp(1.0, -20));
    drawn = e.add(makeFraction(e, head, 20, element), low);
  } else {
    drawn = makeFraction(e, head, element.isF32() ? 23 : element.isF16() ? 10 : 7, element);
  }
  return e.add(e.multiply(drawn, span), least);
}

/// The block of words that a call of the layer begins with, if calls go on where those before ended.
static Size countBlocks(Expansion &e, Size count) {
  Value first = e.state(e.getName(), RankedTensorType::get({1}, e.i64()));
  if (!first)
    return e.size(0);
  // OpenVINO leaves 255 unused counters for each element between two calls.
  e.setState(e.getName(), e.add(first, e.multiply(count, 256)));
  return first;
}

/// `count` numbers of the generator of PyTorch. The high word of two comes first. A 64-bit integer takes two words if a
/// limit does not fit 32 bits.
static Value drawTwister(Expansion &e, int64_t seed, Size count, Value least, Value most, Value span) {
  Type element = elementOf(span);
  bool isWide = element.getIntOrFloatBitWidth() == 64;
  Value words = e.make<ov::MersenneTwisterOp>({isWide ? e.multiply(count, 2) : count}, e.attribute("seed", seed));
  if (!isWide && isa<IntegerType>(element))
    return drawIntegers(e, words, {}, least, span);
  if (!isWide) {
    // The numbers are rounded to f16 and bf16 once.
    Value drawn = makeFraction(e, words, element.isF32() ? 24 : element.isF16() ? 11 : 8, e.f32());
    return e.convert(e.add(e.multiply(drawn, e.convert(span, e.f32())), e.convert(least, e.f32())), element);
  }
  Value high = takeOfPairs(e, words, 0), low = takeOfPairs(e, words, 1);
  if (isa<FloatType>(element)) {
    Value drawn =
        e.add(makeFraction(e, high, 21, element), e.multiply(makeFraction(e, low, 32, element), std::ldexp(1.0, -21)));
    return e.add(e.multiply(drawn, span), least);
  }
  Value narrow = drawIntegers(e, e.slice(words, 0, e.size(0), count), {}, least, span);
  Value fits = e.less(e.maximum(least, most), e.scalar(std::ldexp(1.0, 32), element));
  return e.select(fits, narrow, drawIntegers(e, low, high, least, span));
}

/// A seed of 64 bits. A negative number stands for its two's complement.
static FailureOr<uint64_t> readSeed(Expansion &e, StringRef name) {
  uint64_t value;
  int64_t negative;
  if (!e.text(name).getAsInteger(10, value))
    return value;
  if (!e.text(name).getAsInteger(10, negative))
    return uint64_t(negative);
  return e.error("expected an integer of 64 bits for attribute '" + name + "', but got '" + e.text(name) + "'");
}

namespace {
/// The attributes `global_seed` and `op_seed`.
struct Seeds {
  int64_t key, counter;
};
} // namespace

static FailureOr<Seeds> readSeeds(Expansion &e) {
  FailureOr<uint64_t> key = readSeed(e, "global_seed"), counter = readSeed(e, "op_seed");
  if (failed(key) || failed(counter))
    return failure();
  bool isDefault = *key == 0 && *counter == 0;
  return Seeds{int64_t(isDefault ? kDefaultSeed : *key), int64_t(*counter)};
}

LogicalResult recur::ir::expandRandomUniform(Expansion &e) {
  if (failed(e.expectRank(0, 1, 1)) || failed(e.expectOneElement(1)) || failed(e.expectOneElement(2)))
    return failure();
  Type element = e.type("output_type");
  auto integer = dyn_cast<IntegerType>(element);
  if (integer && !integer.isSignlessInteger(32) && !integer.isSignlessInteger(64))
    return e.error("expected 'output_type' to be a real type, i32 or i64, but got " + spell(element));
  FailureOr<Seeds> seeds = readSeeds(e);
  if (failed(seeds))
    return failure();
  Value shape = e.operand(0);
  if (failed(e.requireSizes("'shape'", shape)))
    return failure();
  Value least = e.reshape(e.convert(e.operand(1), element), e.integers({}));
  Value most = e.reshape(e.convert(e.operand(2), element), e.integers({}));
  Value span = e.subtract(most, least);
  Size count = e.reduce<ov::ReduceProdOp>(shape, {0}, /*keepDims=*/true);
  Value result = e.text("alignment") == "pytorch"
                     ? drawTwister(e, seeds->key, count, least, most, span)
                     : drawPhilox(e, seeds->key, seeds->counter, countBlocks(e, count), count, least, span);
  return e.replace(e.reshape(result, shape));
}

LogicalResult recur::ir::expandMultinomial(Expansion &e) {
  if (failed(e.expectRank(0, 2, 2)) || failed(e.expectRank(1, 0, 1)) || failed(e.expectOneElement(1)))
    return failure();
  auto integer = dyn_cast<IntegerType>(e.type("convert_type"));
  if (!integer || !(integer.isSignlessInteger(32) || integer.isSignlessInteger(64)))
    return e.error("expected 'convert_type' to be i32 or i64, but got " + spell(e.type("convert_type")));
  FailureOr<Seeds> seeds = readSeeds(e);
  if (failed(seeds))
    return failure();
  Size count = e.reshape(e.operand(1), e.size(1));
  if (failed(e.requireSizes("'num_samples'", count)))
    return failure();
  Value probabilities = e.flag("log_probs") ? e.make<ov::ExpOp>(e.operand(0)) : e.operand(0);
  Type real = elementOf(probabilities);
  Size batch = e.dim(probabilities, 0), classes = e.dim(probabilities, 1);
  Value sums = e.make<ov::CumSumOp>({probabilities, e.scalar(1, e.i64())});
  sums = e.divide(sums, e.slice(sums, 1, -1, std::numeric_limits<int64_t>::max()));
  Value drawn = drawPhilox(e, seeds->key, seeds->counter, e.size(0), e.multiply(batch, count), e.scalar(0, real),
                           e.scalar(1, real));
  drawn = e.reshape(drawn, {batch, count});
  Value numbers = e.range(classes, e.i64());
  // The first class whose sum is not below a number, or the number of classes.
  auto find = [&](Value number, Value sums) {
    Value isReached = e.make<ov::LessEqualOp>({e.unsqueeze(number, {rankOf(number)}), sums});
    return e.reduce<ov::ReduceMinOp>(e.select(isReached, numbers, classes), {rankOf(number)}, /*keepDims=*/false);
  };
  Value found;
  if (e.flag("with_replacement")) {
    found = find(drawn, e.unsqueeze(sums, {1}));
  } else {
    Value places = e.range(count, e.i64()), none = e.broadcast(e.scalar(0, e.i64()), e.shapeOf(drawn));
    // No class is left after as many samples as there are classes. A negative count is not an endless loop. The check
    // above reports it.
    found = e.loop(e.minimum(e.maximum(count, 0), classes), {sums, none},
                   [&](Value sample, ValueRange carried) -> SmallVector<Value> {
                     Value sums = carried[0], chosen = e.unsqueeze(find(e.gather(drawn, sample, 1), sums), {1});
                     // The sums without the probability of the class, divided by what is left.
                     auto take = [&](Value place) {
                       return e.reduce<ov::ReduceSumOp>(e.select(e.equal(numbers, place), sums, e.scalar(0, real)), {1},
                                                        /*keepDims=*/true);
                     };
                     Value probability = e.subtract(take(chosen), take(e.subtract(chosen, 1)));
                     Value rest = e.select(e.less(numbers, chosen), sums, e.subtract(sums, probability));
                     rest = e.divide(rest, e.subtract(e.scalar(1, real), probability));
                     return {rest, e.select(e.equal(places, sample), chosen, carried[1])};
                   })[1];
  }
  found = e.select(e.less(found, classes), found, e.scalar(0, e.i64()));
  return e.replace(e.convert(found, e.type("convert_type")));
}

LogicalResult recur::ir::expandEye(Expansion &e) {
  for (unsigned i : llvm::seq(3u))
    if (failed(e.expectOneElement(i)))
      return failure();
  Value batch = e.operand(3);
  if (batch && (rankOf(batch) != 1 || typeOf(batch).isDynamicDim(0)))
    return e.error("expected 'batch_shape' to have rank 1 and a known number of entries, but got " +
                   spell(typeOf(batch)));
  auto read = [&](unsigned i) { return e.reshape(e.operand(i), e.size(1)); };
  Size rows = read(0), columns = read(1);
  if (failed(e.requireSizes("'num_rows'", rows)) || failed(e.requireSizes("'num_columns'", columns)))
    return failure();
  Value row = e.unsqueeze(e.range(rows, e.i64()), {1}), column = e.range(columns, e.i64());
  Value matrix = e.convert(e.equal(column, e.add(row, read(2))), e.type("output_type"));
  return e.replace(batch ? e.broadcast(matrix, e.concat({batch, rows, columns}, 0)) : matrix);
}
