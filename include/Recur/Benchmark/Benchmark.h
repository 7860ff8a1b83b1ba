// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Benchmark.h - Measures a model ---------------------------*- C++ -*-===//
//
// Compiles a model in this process, times its calls, and says how far they are from what the machine can do. A peer
// runs the same model on the same inputs, in turns.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_BENCHMARK_BENCHMARK_H
#define RECUR_BENCHMARK_BENCHMARK_H

#include "Recur/Benchmark/ModelWork.h"
#include "Recur/Benchmark/Probe.h"
#include "Recur/Compiler/Compiler.h"

#include <optional>
#include <string>
#include <vector>

namespace recur {

struct BenchmarkOptions {
  std::string model, weights;
  std::vector<std::string> shapes;
  CompileOptions compile;
  unsigned threads = 1;
  /// The time that each contestant gets, and the number of turns in which it gets it.
  double seconds = 1;
  unsigned rounds = 5;
  /// Whether OpenVINO runs too, with `python`, and how far its outputs may differ.
  bool compareOpenVINO = false;
  std::string python;
  double rtol = 1e-3, atol = 1e-4;
};

/// The times of calls in seconds.
struct CallTimes {
  /// Makes a summary; at least one time is needed.
  static CallTimes summarize(std::vector<double> seconds);

  size_t calls;
  double median, p90, p99, least;
};

struct PeerReport {
  std::string version;
  double compileSeconds;
  CallTimes times;
};

struct BenchmarkReport {
  std::string cpu;
  unsigned threads;
  /// Lines about inputs: how they were made.
  std::vector<std::string> inputs;
  /// From the file to code in memory.
  double compileSeconds;
  /// The most memory that this process had until then, and the weights of the compiled model.
  uint64_t peakBytes, weightsBytes;
  CallTimes times;
  MachineRoof roof;
  /// Not set if the dims or the iterations of the model are not known.
  std::optional<ModelWork> work;
  std::optional<PeerReport> openVINO;
};

/// Measures a model. Diagnostics go to standard error. `status` is 2 if the outputs of the peer differ, which was
/// printed; else 0.
llvm::Expected<BenchmarkReport> runBenchmark(const BenchmarkOptions &options, mlir::MLIRContext &context, int &status);

/// Writes a report for people, or as JSON.
void printReport(const BenchmarkReport &report, llvm::raw_ostream &os);
void printReportAsJSON(const BenchmarkReport &report, llvm::raw_ostream &os);

} // namespace recur

#endif // RECUR_BENCHMARK_BENCHMARK_H
