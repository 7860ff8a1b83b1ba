// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Random.h - random numbers that a seed decides ---------------*- C++ -*-===//
//
// The numbers are the same on every machine, so that a seed makes a model again anywhere.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_TESTING_RANDOM_H
#define RECUR_LIB_TESTING_RANDOM_H

#include <cstdint>
#include <iterator>

namespace recur::fuzz {

/// SplitMix64.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// A number below `bound`, which is not 0.
  unsigned below(unsigned bound) { return unsigned(next() % bound); }
  /// True in `percent` of 100 cases.
  bool chance(unsigned percent) { return below(100) < percent; }
  /// An element of a range that is not empty.
  template <typename Range>
  auto &pick(Range &&range) {
    return *(std::begin(range) + below(unsigned(std::size(range))));
  }

private:
  uint64_t state;
};

} // namespace recur::fuzz

#endif // RECUR_LIB_TESTING_RANDOM_H
