// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Generation.cpp - Range and generators of random bits ---------------===//

#include "Machine.h"

#include <cmath>

using namespace mlir;

namespace recur::interpreter {

static MaybeTensor range(Machine &machine, ov::RangeOp op, Operands operands) {
  recur_element_type type = getElementType(op.getOutputType());
  bool isInteger = !isReal(type);
  Scalar numbers[3];
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (operand->getNumElements() != 1)
      return machine.fault(RECUR_E_SHAPE,
                           "an operand of a range has " + Twine(operand->getNumElements()) + " elements");
    numbers[i] = operand->get(0);
    if (numbers[i].isReal && isInteger) {
      if (std::isnan(numbers[i].real))
        return machine.fault(RECUR_E_SHAPE, "an operand of a range is NaN");
      numbers[i] = convertScalar(numbers[i], operand->getType(), RECUR_I64);
    }
  }
  bool allIntegers = llvm::none_of(numbers, [](Scalar number) { return number.isReal; });
  auto toReal = [](Scalar number) { return number.isReal ? number.real : double(number.integer); };
  int64_t count = 0;
  if (allIntegers) {
    Integer span = numbers[1].integer - numbers[0].integer, step = numbers[2].integer;
    if (step == 0)
      return machine.fault(RECUR_E_SHAPE, "the step of a range is 0");
    Integer steps = (span > 0) == (step > 0) && span != 0 ? (span + step - (step > 0 ? 1 : -1)) / step : 0;
    count = int64_t(std::min<Integer>(steps, std::numeric_limits<int64_t>::max()));
  } else {
    double steps = std::ceil((toReal(numbers[1]) - toReal(numbers[0])) / toReal(numbers[2]));
    if (toReal(numbers[2]) == 0 || !std::isfinite(toReal(numbers[1]) - toReal(numbers[0])) || std::isnan(steps))
      return machine.fault(RECUR_E_SHAPE, "the operands of a range are none");
    count = steps < 0x1p63 ? int64_t(std::max(steps, 0.0)) : std::numeric_limits<int64_t>::max();
  }
  MaybeTensor result = machine.make(type, {count});
  for (int64_t i = 0; result && i != count; ++i)
    if (isInteger)
      result->setInteger(i, numbers[0].integer + i * numbers[2].integer);
    else
      result->setReal(i, toReal(numbers[0]) + double(i) * toReal(numbers[2]));
  return result;
}

static MaybeTensor philox(Machine &machine, ov::PhiloxOp op, Operands operands) {
  Integer blocks = operands[0]->getInteger(0);
  if (blocks < 0)
    return machine.fault(RECUR_E_SHAPE, "the number of blocks is " + Twine(int64_t(blocks)));
  if (blocks > std::numeric_limits<int64_t>::max())
    return machine.fault(RECUR_E_OVERFLOW, "there are too many blocks");
  MaybeTensor result = machine.make(RECUR_U32, {int64_t(blocks), 4});
  auto multiplyHigh = [](uint32_t a, uint32_t b) { return uint32_t(uint64_t(a) * b >> 32); };
  for (uint64_t block = 0; result && block != uint64_t(blocks); ++block) {
    // The counter of 128 bits, least significant word first, and the key of 64 bits.
    uint64_t low = uint64_t(operands[1]->getInteger(0)) + block;
    uint32_t c[4] = {uint32_t(low), uint32_t(low >> 32), uint32_t(op.getCounter()),
                     uint32_t(uint64_t(op.getCounter()) >> 32)};
    uint32_t k[2] = {uint32_t(op.getKey()), uint32_t(uint64_t(op.getKey()) >> 32)};
    for (int round = 0; round != 10; ++round, k[0] += 0x9E3779B9, k[1] += 0xBB67AE85) {
      uint32_t next[4] = {multiplyHigh(0xCD9E8D57, c[2]) ^ c[1] ^ k[0], 0xCD9E8D57 * c[2],
                          multiplyHigh(0xD2511F53, c[0]) ^ c[3] ^ k[1], 0xD2511F53 * c[0]};
      llvm::copy(next, c);
    }
    for (int64_t i = 0; i != 4; ++i)
      result->setInteger(int64_t(block) * 4 + i, c[i]);
  }
  return result;
}

static MaybeTensor mersenneTwister(Machine &machine, ov::MersenneTwisterOp op, Operands operands) {
  static constexpr size_t length = 624, middle = 397;
  Integer count = operands[0]->getInteger(0);
  if (count < 0)
    return machine.fault(RECUR_E_SHAPE, "the number of words is " + Twine(int64_t(count)));
  if (count > std::numeric_limits<int64_t>::max())
    return machine.fault(RECUR_E_OVERFLOW, "there are too many words");
  MaybeTensor result = machine.make(RECUR_U32, {int64_t(count)});
  uint32_t state[length] = {uint32_t(op.getSeed())};
  for (uint32_t i = 1; i != length; ++i)
    state[i] = 1812433253 * (state[i - 1] ^ state[i - 1] >> 30) + i;
  for (int64_t i = 0; result && i != int64_t(count); ++i) {
    uint32_t &word = state[size_t(i) % length], next = state[size_t(i + 1) % length];
    uint32_t mixed = (word & 0x80000000) | (next & 0x7FFFFFFF);
    word = state[(size_t(i) + middle) % length] ^ mixed >> 1 ^ (mixed & 1 ? 0x9908B0DF : 0);
    uint32_t tempered = word;
    tempered ^= tempered >> 11;
    tempered ^= tempered << 7 & 0x9D2C5680;
    tempered ^= tempered << 15 & 0xEFC60000;
    result->setInteger(i, tempered ^ tempered >> 18);
  }
  return result;
}

void addGeneration(Handlers &handlers) {
  addHandler<ov::RangeOp>(handlers, range);
  addHandler<ov::PhiloxOp>(handlers, philox);
  addHandler<ov::MersenneTwisterOp>(handlers, mersenneTwister);
}

} // namespace recur::interpreter
