// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Statistics.cpp - features of the models tried ----------------------===//

#include "Recur/Testing/Statistics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <tuple>

namespace recur::fuzz {

std::string Report::print() const {
  std::string text = verdict.text;
  for (char &c : text)
    if (c == '\n' || c == '\t')
      c = ' ';
  return llvm::formatv("{0}\t{1}\t{2}\t{3:f3}\t{4}\t{5}\n", seed, int(verdict.kind), text, seconds,
                       llvm::join(features, ","), llvm::join(ops, ","))
      .str();
}

std::optional<Report> Report::parse(llvm::StringRef line) {
  llvm::SmallVector<llvm::StringRef> fields, names;
  line.split(fields, '\t');
  Report report;
  int kind = 0;
  if (fields.size() != 6 || fields[0].getAsInteger(10, report.seed) || fields[1].getAsInteger(10, kind) ||
      fields[3].getAsDouble(report.seconds))
    return std::nullopt;
  report.verdict = {Verdict::Kind(kind), fields[2].str()};
  fields[4].split(names, ',', -1, /*KeepEmpty=*/false);
  report.features.assign(names.begin(), names.end());
  names.clear();
  fields[5].split(names, ',', -1, /*KeepEmpty=*/false);
  report.ops.assign(names.begin(), names.end());
  return report;
}

void Statistics::add(const Report &report) {
  ++models;
  seconds += report.seconds;
  most = std::max(most, report.seconds);
  ++verdicts[spell(report.verdict.kind).str()];
  for (const std::string &feature : report.features)
    ++features[feature];
  for (const std::string &op : report.ops)
    ++ops[op];
  bool agrees = report.verdict.kind == Verdict::Agrees || report.verdict.kind == Verdict::Fault;
  if (!agrees)
    ++reasons[getSignature(report.verdict)];
  if (agrees || report.verdict.kind == Verdict::Invalid)
    for (const auto *names : {&report.features, &report.ops})
      for (const std::string &name : *names)
        ++(agrees ? agreeing : refused)[name];
}

std::string getSignature(const Verdict &verdict) {
  std::string general;
  bool isQuoted = false;
  // The kinds of layers differ in errors of one cause, too.
  llvm::StringRef before, after = verdict.text;
  std::tie(before, after) = after.split(" of type ");
  std::string text = (before + " " + after.split(": ").second).str();
  for (char c : (spell(verdict.kind) + ": " + text).str()) {
    isQuoted ^= c == '\'';
    if (!isdigit(c) && (!isQuoted || c == '\''))
      general += c;
  }
  return general.substr(0, 160);
}

uint64_t Statistics::countAgreeing() const {
  uint64_t sum = 0;
  for (Verdict::Kind kind : {Verdict::Agrees, Verdict::Fault})
    if (auto found = verdicts.find(spell(kind).str()); found != verdicts.end())
      sum += found->second;
  return sum;
}

void Statistics::print(llvm::raw_ostream &os) const {
  auto table = [&](llvm::StringRef title, const std::map<std::string, unsigned> &entries) {
    if (!entries.empty())
      os << title << "\n";
    for (const auto &[name, count] : entries)
      os << llvm::formatv("  {0,6} {1}\n", count, name);
  };
  os << llvm::formatv("{0} models, {1:f2} s of CPU each, {2:f1} s at most\n", models, seconds / std::max(models, 1u),
                      most);
  table("verdicts", verdicts);
  table("models with", features);
  table("models with the operation", ops);
  table("reasons", reasons);
}

void Statistics::printMutants(llvm::raw_ostream &os) const {
  os << llvm::formatv("{0} mutants, {1:f3} s of CPU each, {2:f1} s at most\n", models, seconds / std::max(models, 1u),
                      most);
  os << "verdicts\n";
  for (const auto &[name, count] : verdicts)
    os << llvm::formatv("  {0,6} {1}\n", count, name);
  auto find = [](const std::map<std::string, unsigned> &counts, const std::string &name) {
    auto found = counts.find(name);
    return found == counts.end() ? 0 : found->second;
  };
  auto table = [&](llvm::StringRef title, const std::map<std::string, unsigned> &entries) {
    os << title << "\n   tried refused  agreed\n";
    for (const auto &[name, count] : entries)
      os << llvm::formatv("  {0,6}  {1,6}  {2,6} {3}\n", count, find(refused, name), find(agreeing, name), name);
  };
  table("mutations", features);
  table("operations", ops);
}

} // namespace recur::fuzz
