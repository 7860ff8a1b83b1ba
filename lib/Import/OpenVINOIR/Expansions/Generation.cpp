// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Generation.cpp - Random numbers and diagonals ----------------------===//
//
// This file expands RandomUniform and Eye. The random bits come from ov.philox. A real number has as many random bits
// as its mantissa, so that all results are below the maximum before the last rounding.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"

#include "../TypeSyntax.h"

#include "llvm/ADT/Sequence.h"

#include <cmath>

using namespace mlir;
using namespace recur;
using namespace recur::ir;

/// The seed of the key if both seeds of the layer are 0.
static constexpr int64_t kDefaultSeed = 1;

/// The lowest `bits` bits of unsigned integers, divided by 2^`bits`.
static Value makeFraction(Expansion &e, Value words, int bits, Type element) {
  Value low = bits == 32 ? words : e.make<ov::FloorModOp>({words, e.scalar(std::ldexp(1.0, bits), elementOf(words))});
  return e.multiply(e.convert(low, element), std::ldexp(1.0, -bits));
}

LogicalResult recur::ir::expandRandomUniform(Expansion &e) {
  if (failed(e.expectRank(0, 1, 1)) || failed(e.expectOneElement(1)) || failed(e.expectOneElement(2)))
    return failure();
  Type element = e.type("output_type"), i64 = e.i64();
  auto integer = dyn_cast<IntegerType>(element);
  if (integer && !integer.isSignlessInteger(32) && !integer.isSignlessInteger(64))
    return e.error("expected 'output_type' to be a real type, i32 or i64, but got " + spell(element));
  int64_t key = e.integer("global_seed"), counter = e.integer("op_seed");
  if (key == 0 && counter == 0)
    key = kDefaultSeed;
  Value shape = e.operand(0);
  Value least = e.reshape(e.convert(e.operand(1), element), e.integers({}));
  Value span = e.subtract(e.reshape(e.convert(e.operand(2), element), e.integers({})), least);

  // Elements of 64 bits need two words.
  bool isWide = element.getIntOrFloatBitWidth() == 64;
  Size count = e.reduce<ov::ReduceProdOp>(shape, {0}, /*keepDims=*/true);
  Size needed = isWide ? e.multiply(count, 2) : count;
  Size blocks = e.divide(e.add(needed, 3), 4);
  // OpenVINO leaves 255 unused counters for each element between two calls.
  Value first = e.state(e.getName(), RankedTensorType::get({1}, i64));
  if (first)
    e.setState(e.getName(), e.add(first, e.multiply(count, 256)));
  Value words = e.make<ov::PhiloxOp>({blocks, first ? first : e.size(0)},
                                     {e.attribute("key", key), e.attribute("counter", counter)});
  words = e.slice(e.reshape(words, e.size(-1)), 0, e.size(0), needed);
  Value head = words, second;
  if (isWide) {
    Value pairs = e.reshape(words, {e.size(-1), e.size(2)});
    head = e.gather(pairs, e.scalar(0, i64), 1);
    second = e.gather(pairs, e.scalar(1, i64), 1);
  }
  Value result;
  if (integer) {
    // The words and the span are unsigned.
    Type number = IntegerType::get(element.getContext(), integer.getWidth(), IntegerType::Unsigned);
    Value drawn = e.convert(head, number);
    if (isWide)
      drawn = e.add(drawn, e.multiply(e.convert(second, number), std::ldexp(1.0, 32)));
    drawn = e.make<ov::FloorModOp>({drawn, e.convert(span, number)});
    result = e.add(e.convert(drawn, element), least);
  } else {
    Value drawn;
    if (isWide) {
      Value low = e.multiply(makeFraction(e, second, 32, element), std::ldexp(1.0, -20));
      drawn = e.add(makeFraction(e, head, 20, element), low);
    } else {
      drawn = makeFraction(e, head, element.isF32() ? 23 : element.isF16() ? 10 : 7, element);
    }
    result = e.add(e.multiply(drawn, span), least);
  }
  return e.replace(e.reshape(result, shape));
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
  Size rows = e.maximum(read(0), 0), columns = e.maximum(read(1), 0);
  Value row = e.unsqueeze(e.range(rows, e.i64()), {1}), column = e.range(columns, e.i64());
  Value matrix = e.convert(e.equal(column, e.add(row, read(2))), e.type("output_type"));
  return e.replace(batch ? e.broadcast(matrix, e.concat({batch, rows, columns}, 0)) : matrix);
}
