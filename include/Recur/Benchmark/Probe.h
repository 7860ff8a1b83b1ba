// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Probe.h - What this machine reaches at most --------------*- C++ -*-===//
//
// Measures the rate of multiply-adds, and that of loads from each level of memory, with loops that LLVM compiles for
// this machine. Each loop returns what it computed, and the probe compares it with what all its multiply-adds or loads
// must give.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_BENCHMARK_PROBE_H
#define RECUR_BENCHMARK_PROBE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace recur {

/// The vectors that one iteration of the loops of the probe loads, or multiplies and adds.
inline constexpr unsigned kProbeLoads = 8, kProbeProducts = 12;

/// The product of the probe has tiles of some rows and of two vectors of columns, and sums of this length. CPUs with
/// 32 vector registers have room for more rows than those with 16.
inline constexpr unsigned kProbeTiles = 2, kProbeShared = 128;
inline constexpr unsigned getProbeRows(bool hasManyRegisters) { return hasManyRegisters ? 13 : 5; }

/// A level of memory.
struct MemoryLevel {
  /// "L1", "L2", "L3" or "memory".
  std::string name;
  /// The bytes of one CPU that fit in, or the most for which the rate was probed; 0 for memory.
  uint64_t capacity;
  /// The bytes that the probe reads again and again.
  uint64_t probed;
  /// Bytes per second of all threads.
  double bandwidth;
  /// f32 operations per second of all threads in a product by a matrix of the probed bytes. It has the rows of
  /// kProbeTiles tiles, and asks for the next columns of the matrix while it computes.
  double flops;
};

/// The rates that the probe reaches.
struct MachineRoof {
  /// f32 operations per second of all threads, in registers. A multiply-add is two.
  double flops = 0;
  /// From the nearest level to the farthest one that could be probed.
  llvm::SmallVector<MemoryLevel> levels;

  /// The level that holds `bytes` bytes which are read again and again.
  const MemoryLevel &findLevel(double bytes) const;
};

/// Makes the module of the probe: `probe_flops(i64 iterations, ptr sum)` and
/// `probe_loads(ptr buffer, i64 bytes, i64 passes, ptr sum)`, which store a vector of sums, and
/// `probe_product(ptr rows, ptr matrix, i64 blocks, i64 passes, ptr sums)`. Its matrix is [blocks, kProbeShared, two
/// vectors]; the product of the rows, [row, kProbeShared], by each block is added to the sums, [row, two vectors].
std::unique_ptr<llvm::Module> makeProbe(llvm::LLVMContext &context, const llvm::TargetMachine &machine);

/// Measures with `threads` threads at once. Takes about a second.
llvm::Expected<MachineRoof> probeMachine(unsigned threads);

} // namespace recur

#endif // RECUR_BENCHMARK_PROBE_H
