// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TargetFacts.h - What schedules assume about targets ------*- C++ -*-===//
//
// The sizes of caches and register files that the passes of this folder decide by. They are bounds for all targets, so
// a model has the same schedule for every CPU with the same vectors.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TRANSFORMS_TARGETFACTS_H
#define RECUR_LIB_TRANSFORMS_TARGETFACTS_H

#include <algorithm>
#include <cstdint>

namespace recur {

/// The bytes that L1 of any target holds.
constexpr int64_t kL1Bytes = 32 * 1024;

/// The bytes that L2 of any target holds.
constexpr int64_t kLeastL2Bytes = 256 * 1024;

/// The bytes of one operand that may stay in a cache near the core while others pass through it: a half of L2 of a
/// common CPU.
constexpr int64_t kHalfL2Bytes = 512 * 1024;

/// A matrix of so many bytes does not stay in L2 of a common CPU.
constexpr int64_t kL2Bytes = 2 * kHalfL2Bytes;

/// The least tiles of a panel of rows. So many rows use what they read of the other operand that L3 delivers it
/// while they compute.
constexpr int64_t kLeastTilesOfPanel = 4;

/// The bytes that a cache reads at once, on all targets.
constexpr int64_t kLineBytes = 64;

/// The first TLB of today's CPUs has 16 sets of four to six pages (4 KiB each). Addresses at multiples of these bytes
/// all fall into one set.
constexpr uint64_t kBytesOfTLBSets = 16 * 4096;

/// True for the number of vector registers of AVX-512. Targets without it have fewer.
constexpr bool hasManyRegisters(int64_t vectorRegisters) { return vectorRegisters >= 32; }

/// The bytes of constants that stay in L2 of a CPU with so many vector registers. CPUs with AVX-512 have 1 MiB or
/// more, of which other data take a part.
constexpr int64_t getL2Bytes(int64_t vectorRegisters) {
  return hasManyRegisters(vectorRegisters) ? kHalfL2Bytes * 5 / 4 : kLeastL2Bytes;
}

/// The vector registers that a tile of inline code has for its accumulators. A row of a tile has two, which are a block
/// of packed columns.
constexpr int64_t getAccumulators(int64_t vectorRegisters) { return hasManyRegisters(vectorRegisters) ? 26 : 10; }

/// The accumulators of a tile of a single row. Blocks of columns have sizes that are powers of two.
constexpr int64_t getAccumulatorsOfRow(int64_t vectorRegisters) { return hasManyRegisters(vectorRegisters) ? 16 : 8; }

/// The vectors that take turns in each step of a chain as long as that of exp, if there are so many vector registers. A
/// chain keeps a few values.
constexpr int64_t getVectorsByTurns(int64_t vectorRegisters) { return hasManyRegisters(vectorRegisters) ? 4 : 2; }

/// The accumulators that hide the latency of a multiply-add.
constexpr int64_t kEnoughAccumulators = 8;

/// The same for an instruction that adds the two products of a pair, which takes longer: a power of two.
constexpr int64_t kEnoughAccumulatorsOfPairs = 16;

/// The most blocks of columns, of two vectors, that a tile of a single row reads together in inline code. Panels of a
/// matrix have multiples of them.
constexpr int64_t kMostBlocksOfTile = kEnoughAccumulators;

/// The blocks, of two vectors each, that have enough accumulators.
constexpr int64_t kBlocksOfWholeTile = kEnoughAccumulators / 2;

/// The least bytes that a step of a tile of one row reads. Its multiply-adds take four cycles, in which L2
/// delivers at most so many.
constexpr int64_t kLeastBytesOfStep = 4 * kLineBytes;

/// How many of `blocks` packed blocks a tile of one row takes, if the tiles of a product are read forward and backward
/// by turns from L1 and L2: so many that L1 holds what the last tile has read. A block
/// has `bytes` bytes, and `rowBytes` of them in each step. Returns 0 if L1 holds all blocks or not even a
/// tile, if L2 does not hold all, or if some blocks would be left over.
constexpr int64_t getBlocksByTurns(int64_t blocks, int64_t bytes, int64_t rowBytes) {
  if (rowBytes <= 0)
    return 0;
  int64_t tile = std::max<int64_t>(1, kLeastBytesOfStep / rowBytes);
  if (tile * bytes > kL1Bytes || blocks * bytes <= kL1Bytes || blocks * bytes >= kL2Bytes ||
      blocks % std::max(tile, kBlocksOfWholeTile) != 0)
    return 0;
  while (tile < kBlocksOfWholeTile && 2 * tile * bytes <= kL1Bytes)
    tile *= 2;
  return tile;
}

/// The most steps of a sum that have accumulators of their own.
constexpr int64_t kMostAccumulatorsOfElement = 4;

/// How many steps of a sum have accumulators of their own, if a row of the result has `vectors` vectors: so many that a
/// single row hides the latency of a multiply-add. This decides the order of a sum, so it depends on the columns alone,
/// and neither on the number of rows nor on how a tile is cut.
constexpr int64_t getAccumulatorsOfElement(int64_t vectors) {
  int64_t perElement = 1;
  while (2 * perElement * vectors <= kEnoughAccumulators && perElement < kMostAccumulatorsOfElement)
    perElement *= 2;
  return perElement;
}

/// The same for vectors of `lanes` elements, by the columns that `rt.columns` and `rt.product` name: their number, or
/// -1 for one accumulator.
constexpr int64_t getAccumulatorsOfColumns(int64_t columns, int64_t lanes) {
  if (columns < 0)
    return 1;
  // More columns than so many have one accumulator in any case.
  columns = std::clamp<int64_t>(columns, 1, 1 << 30);
  lanes = std::max<int64_t>(1, lanes);
  return getAccumulatorsOfElement((columns + lanes - 1) / lanes);
}

} // namespace recur

#endif // RECUR_LIB_TRANSFORMS_TARGETFACTS_H
