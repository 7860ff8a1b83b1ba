// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Statistics.h - what the models were about ----------------*- C++ -*-===//
#ifndef RECUR_TOOLS_IR_FUZZ_STATISTICS_H
#define RECUR_TOOLS_IR_FUZZ_STATISTICS_H

#include "Executions.h"

namespace recur::fuzz {

/// What a worker reports of a model, one line each.
struct Report {
  uint64_t seed = 0;
  Verdict verdict;
  /// Of the CPU.
  double seconds = 0;
  std::vector<std::string> features, ops;

  std::string print() const;
  static std::optional<Report> parse(llvm::StringRef line);
};

class Statistics {
public:
  void add(const Report &report);
  void print(llvm::raw_ostream &os) const;
  /// Models that were compared to the end, those that end with a fault among them.
  uint64_t countAgreeing() const;

private:
  unsigned models = 0;
  double seconds = 0, most = 0;
  std::map<std::string, unsigned> verdicts, features, ops, reasons;
};

} // namespace recur::fuzz

#endif // RECUR_TOOLS_IR_FUZZ_STATISTICS_H
