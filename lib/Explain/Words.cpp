// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Words.cpp - numbers and counts as text -----------------------------===//
//
// The words that the text and the page have in common.
//
//===----------------------------------------------------------------------===//
#include "Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <array>
#include <cmath>
#include <map>
#include <tuple>

using namespace llvm;
using namespace recur;

std::string recur::spellNumber(double number, StringRef unit) {
  const char *prefixes[] = {"", "k", "M", "G", "T"};
  size_t i = 0;
  for (; std::abs(number) >= 999.5 && i + 1 < std::size(prefixes); ++i)
    number /= 1000;
  // Three digits that count, and a whole number of single units.
  int digits = i == 0 && number == std::floor(number) ? 0 : number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  std::string text;
  raw_string_ostream(text) << format("%.*f", digits, number) << " " << prefixes[i] << unit;
  return StringRef(text).rtrim().str();
}

std::string recur::spellSeconds(double seconds) {
  if (seconds < 1e-6)
    return formatv("{0:F1} ns", seconds * 1e9);
  if (seconds < 1e-3)
    return formatv("{0:F2} us", seconds * 1e6);
  if (seconds < 1)
    return formatv("{0:F2} ms", seconds * 1e3);
  return formatv("{0:F2} s", seconds);
}

std::vector<std::string> recur::spellLayers(const CountsByType &layers) {
  std::vector<std::pair<std::string, unsigned>> sorted(layers.begin(), layers.end());
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return std::make_pair(b.second, a.first) < std::make_pair(a.second, b.first);
  });
  std::vector<std::string> texts;
  texts.reserve(sorted.size());
  for (const auto &[type, count] : sorted)
    texts.push_back(std::to_string(count) + " " + type);
  return texts;
}

std::string recur::spellWork(const ExplainedBody &body) {
  if (!body.work)
    return "";
  std::string text = body.work->flops ? spellNumber(*body.work->flops, "FLOP") : "operations depend on the dims";
  if (body.work->weightBytes)
    text += ", " + spellNumber(body.work->weightBytes, "B") + " of weights";
  if (!body.loops.empty())
    text += ", outside of its loops";
  if (body.work->flops && body.work->iterations && *body.work->iterations != 1)
    text += "; " + spellNumber(*body.work->flops * *body.work->iterations, "FLOP") + " in the " +
            spellNumber(*body.work->iterations, "") + " of a call";
  return text;
}

std::string recur::spellTraffic(const ExplainedLoop &loop) {
  // The sum of bytes, and whether one of them is not known.
  auto sum = [](const auto &list, std::pair<double, bool> all = {0, true}) {
    for (const auto &entry : list)
      all = {all.first + entry.bytes.value_or(0), all.second && entry.bytes.has_value()};
    return all;
  };
  auto spell = [](std::pair<double, bool> bytes, StringRef what) {
    if (!bytes.second && !bytes.first)
      return "an open number of bytes" + what.str();
    return (bytes.second ? "" : "at least ") + spellNumber(bytes.first, "B") + what.str();
  };
  std::vector<std::string> parts;
  if (!loop.slices.empty())
    parts.push_back(spell(sum(loop.slices), " of slices read"));
  if (!loop.states.empty() || !loop.results.empty())
    parts.push_back(spell(sum(loop.results, sum(loop.states)), " written"));
  return join(parts, ", ");
}

/// The things whose number simplification changes.
static constexpr const char *kCounted[] = {"loops", "slices", "carried values", "concatenations",
                                           "conditions that end a loop"};

/// Adds what the loops of a body have, in the order of kCounted.
static void countParts(const ExplainedBody &body, std::array<unsigned, std::size(kCounted)> &counts) {
  for (const ExplainedLoop &loop : body.loops) {
    counts[0] += 1;
    counts[1] += loop.slices.size();
    counts[2] += loop.states.size();
    counts[3] += llvm::count_if(loop.results, [](const ExplainedResult &result) { return result.axis.has_value(); });
    counts[4] += StringRef(loop.count).starts_with("until ");
    countParts(loop.body, counts);
  }
}

std::string recur::spellChange(const Explanation &explanation) {
  if (explanation.stated.loops.empty())
    return "The model has no loops.";
  if (haveEqualLoops(explanation.stated, explanation.simplified))
    return "The loops stay as the file states them.";
  std::array<unsigned, std::size(kCounted)> before = {}, after = {};
  countParts(explanation.stated, before);
  countParts(explanation.simplified, after);
  std::vector<std::string> changes;
  for (auto [what, from, to] : zip_equal(kCounted, before, after))
    if (from != to)
      changes.push_back((what + Twine(" from ") + Twine(from) + " to " + Twine(to)).str());
  return changes.empty() ? "The loops have another form after --ov-simplify."
                         : "--ov-simplify changed the number of " + join(changes, ", of ") + ".";
}

/// Adds the layers of a loop of the body that has the layer `wanted`.
static void addPlaces(const ExplainedBody &body, const LayerPlace &wanted,
                      std::set<std::pair<unsigned, unsigned>> &places) {
  for (const ExplainedLoop &loop : body.loops) {
    if (loop.layer == wanted)
      places.insert(loop.body.places.begin(), loop.body.places.end());
    addPlaces(loop.body, wanted, places);
  }
}

std::vector<const ExplainedRemark *> recur::findRemarks(const Explanation &explanation, const ExplainedLoop &loop) {
  // A layer may have left the body, or have moved to another loop.
  std::set<std::pair<unsigned, unsigned>> places = loop.body.places;
  addPlaces(explanation.stated, loop.layer, places);
  std::vector<const ExplainedRemark *> found;
  for (const ExplainedRemark &remark : explanation.remarks)
    if (remark.layer.line && places.count(remark.layer.getKey()))
      found.push_back(&remark);
  return found;
}

/// Removes the remarks of all loops of a body.
static void removeFound(const Explanation &explanation, const ExplainedBody &body,
                        std::vector<const ExplainedRemark *> &remarks) {
  for (const ExplainedLoop &loop : body.loops) {
    for (const ExplainedRemark *remark : findRemarks(explanation, loop))
      llvm::erase(remarks, remark);
    removeFound(explanation, loop.body, remarks);
  }
}

std::vector<const ExplainedRemark *> recur::findOtherRemarks(const Explanation &explanation) {
  std::vector<const ExplainedRemark *> others;
  others.reserve(explanation.remarks.size());
  for (const ExplainedRemark &remark : explanation.remarks)
    others.push_back(&remark);
  removeFound(explanation, explanation.simplified, others);
  return others;
}

std::vector<RemarkGroup> recur::groupRemarks(ArrayRef<const ExplainedRemark *> remarks) {
  // So many remarks of a decision are read one by one.
  constexpr size_t few = 3;
  using Decision = std::tuple<std::string, std::string, std::string>;
  auto decide = [](const ExplainedRemark *remark) { return Decision(remark->kind, remark->pass, remark->name); };
  std::map<Decision, size_t> counts;
  for (const ExplainedRemark *remark : remarks)
    ++counts[decide(remark)];
  std::vector<RemarkGroup> groups;
  for (const ExplainedRemark *remark : remarks) {
    size_t &count = counts[decide(remark)];
    if (remark->pass.empty() || (count != 0 && count <= few))
      groups.push_back({remark, 1});
    else if (count != 0)
      groups.push_back({remark, std::exchange(count, 0)});
  }
  return groups;
}

std::string recur::spellLayersOf(const RemarkGroup &group) {
  return group.count > 1 ? "at " + std::to_string(group.count) + " layers, such as" : "at";
}
