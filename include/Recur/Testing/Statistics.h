// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Statistics.h - features of the models tried --------------*- C++ -*-===//
//
// Workers send one report for each model to the main process, which adds the reports up.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TESTING_STATISTICS_H
#define RECUR_TESTING_STATISTICS_H

#include "Recur/Testing/Executions.h"

namespace recur::fuzz {

/// The report of a worker about one model. As text it is one line.
struct Report {
  uint64_t seed = 0;
  Verdict verdict;
  /// The CPU time for the model, in seconds.
  double seconds = 0;
  /// The features of the model (Model::features), and the names of its operations.
  std::vector<std::string> features, ops;

  /// The report as a line: seed, number of the verdict, text, seconds, features and operations, separated by tabs.
  std::string print() const;
  /// Reads what `print` has written. Returns nullopt if the line is not complete.
  static std::optional<Report> parse(llvm::StringRef line);
};

/// What failures of one cause have in common: the verdict and its text, without numbers and without the names in
/// quotes.
std::string getSignature(const Verdict &verdict);

/// Sums up the reports of a run, and prints how many models had each verdict, feature and op.
class Statistics {
public:
  void add(const Report &report);
  /// Prints tables of verdicts, features, operations and the reasons of failures.
  void print(llvm::raw_ostream &os) const;
  /// The same for mutants: how many of each operation and of each mutation there were, how many were refused, and how
  /// many agreed.
  void printMutants(llvm::raw_ostream &os) const;
  /// The number of models that were compared completely, including those that end with a fault.
  uint64_t countAgreeing() const;

private:
  unsigned models = 0;
  double seconds = 0, most = 0;
  std::map<std::string, unsigned> verdicts, features, ops, reasons;
  /// Of the features and operations of mutants, the numbers of those that were refused, and of those that agreed.
  std::map<std::string, unsigned> refused, agreeing;
};

} // namespace recur::fuzz

#endif // RECUR_TESTING_STATISTICS_H
