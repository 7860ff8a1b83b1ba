// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Report.cpp - The result of a measurement as text -------------------===//
//
// Prints a report for people, and as JSON for scripts. Both have the same numbers.
//
//===----------------------------------------------------------------------===//

#include "Recur/Benchmark/Benchmark.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace recur;

static double toMicroseconds(double seconds) { return seconds * 1e6; }

static std::string spell(const CallTimes &times) {
  return formatv("median {0:f2} us, p90 {1:f2} us, p99 {2:f2} us, least {3:f2} us ({4} calls)",
                 toMicroseconds(times.median), toMicroseconds(times.p90), toMicroseconds(times.p99),
                 toMicroseconds(times.least), times.calls);
}

static std::string spellBytes(double bytes) {
  return bytes < 1e6 ? formatv("{0:f1} KB", bytes / 1e3).str() : formatv("{0:f1} MB", bytes / 1e6).str();
}

void recur::printReport(const BenchmarkReport &report, raw_ostream &os) {
  os << formatv("CPU: {0}; threads: {1}\n", report.cpu, report.threads);
  os << formatv("probe: {0:f1} GFLOP/s", report.roof.flops / 1e9);
  for (const MemoryLevel &level : report.roof.levels)
    os << formatv(", {0} {1:f1} GB/s and {2:f1} GFLOP/s of {3}", level.name, level.bandwidth / 1e9, level.flops / 1e9,
                  spellBytes(level.probed));
  os << "\n";
  for (const std::string &input : report.inputs)
    os << "input " << input << "\n";
  os << formatv("compile: {0:f1} ms; peak memory {1}, weights {2}\n", report.compileSeconds * 1e3,
                spellBytes(report.peakBytes), spellBytes(report.weightsBytes));
  os << "Recur: " << spell(report.times) << "\n";
  if (report.work) {
    double seconds = report.work->getSeconds(report.roof);
    os << formatv("roof: {0:f2} us ({1:f3} MFLOP, {2} of constants, inputs and outputs); Recur reaches {3:f1} % in the "
                  "median, {4:f1} % in its fastest call\n",
                  toMicroseconds(seconds), report.work->countFlops() / 1e6, spellBytes(report.work->countBytes()),
                  100 * seconds / report.times.median, 100 * seconds / report.times.least);
  } else {
    os << "roof: not known, because a dim or the number of iterations of a loop is not known\n";
  }
  if (const auto &peer = report.openVINO) {
    os << formatv("OpenVINO {0}: {1}\n", peer->version, spell(peer->times));
    os << formatv("OpenVINO's compile: {0:f1} ms\n", peer->compileSeconds * 1e3);
    os << formatv("ratio: {0:f3} (OpenVINO's median to Recur's)\n", peer->times.median / report.times.median);
  }
}

static json::Object toJSON(const CallTimes &times) {
  return json::Object{{"calls", int64_t(times.calls)},
                      {"median_us", toMicroseconds(times.median)},
                      {"p90_us", toMicroseconds(times.p90)},
                      {"p99_us", toMicroseconds(times.p99)},
                      {"least_us", toMicroseconds(times.least)}};
}

void recur::printReportAsJSON(const BenchmarkReport &report, raw_ostream &os) {
  json::Array levels;
  for (const MemoryLevel &level : report.roof.levels)
    levels.push_back(json::Object{{"name", level.name},
                                  {"capacity_bytes", int64_t(level.capacity)},
                                  {"probed_bytes", int64_t(level.probed)},
                                  {"bytes_per_second", level.bandwidth},
                                  {"flops_per_second", level.flops}});
  json::Object object{{"cpu", report.cpu},
                      {"threads", report.threads},
                      {"probe", json::Object{{"flops_per_second", report.roof.flops}, {"levels", std::move(levels)}}},
                      {"inputs", report.inputs},
                      {"compile_ms", report.compileSeconds * 1e3},
                      {"peak_bytes", int64_t(report.peakBytes)},
                      {"weights_bytes", int64_t(report.weightsBytes)},
                      {"recur", toJSON(report.times)}};
  if (report.work) {
    double seconds = report.work->getSeconds(report.roof);
    object["roof"] = json::Object{{"us", toMicroseconds(seconds)},
                                  {"flops", report.work->countFlops()},
                                  {"bytes", report.work->countBytes()},
                                  {"percent", 100 * seconds / report.times.median},
                                  {"percent_of_fastest", 100 * seconds / report.times.least}};
  } else {
    object["roof"] = nullptr;
  }
  if (const auto &peer = report.openVINO) {
    json::Object openVINO = toJSON(peer->times);
    openVINO["version"] = peer->version;
    openVINO["compile_ms"] = peer->compileSeconds * 1e3;
    object["openvino"] = std::move(openVINO);
    object["ratio"] = peer->times.median / report.times.median;
  }
  os << formatv("{0:2}", json::Value(std::move(object))) << "\n";
}
