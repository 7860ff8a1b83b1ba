// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Text.cpp - an explanation for the terminal -------------------------===//
//
// Each line begins with its subject and a colon. What belongs to a loop is indented under it.
//
//===----------------------------------------------------------------------===//
#include "Words.h"

#include "Recur/Compiler/Report.h"
#include "Recur/Explain/Explain.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace recur;

namespace {
class TextPrinter {
public:
  TextPrinter(raw_ostream &os, const Explanation &explanation) : os(os), explanation(explanation) {}

  void print();

private:
  /// Begins a line.
  raw_ostream &line(StringRef subject) {
    os.indent(2 * depth) << subject << ": ";
    return os;
  }
  /// A name with the bytes that may be printed.
  static std::string escape(StringRef name) {
    std::string text;
    raw_string_ostream stream(text);
    printEscapedString(name, stream);
    return text;
  }
  /// A layer with its type, id and place.
  static std::string describeLayer(const ExplainedLoop &loop);

  void printBody(const ExplainedBody &body, StringRef per);
  void printLoop(const ExplainedLoop &loop);
  void printRemarks(ArrayRef<const ExplainedRemark *> remarks);
  void printTimes(const ExplainedTimes &times);

  raw_ostream &os;
  const Explanation &explanation;
  unsigned depth = 0;
  /// True while the loops are those after --ov-simplify, to which remarks belong.
  bool hasRemarks = false;
};
} // namespace

std::string TextPrinter::describeLayer(const ExplainedLoop &loop) {
  std::string text = loop.layer.name.empty() ? "" : " " + escape(loop.layer.name);
  std::vector<std::string> more{loop.type};
  if (!loop.layer.id.empty())
    more.push_back("id " + escape(loop.layer.id));
  if (loop.layer.line)
    more.push_back(escape(loop.layer.describe()));
  return "loop" + text + " (" + join(more, ", ") + ")";
}

void TextPrinter::printRemarks(ArrayRef<const ExplainedRemark *> remarks) {
  for (const RemarkGroup &group : groupRemarks(remarks)) {
    const ExplainedRemark &remark = *group.first;
    std::string where = remark.layer.name.empty() ? "" : escape(remark.layer.name);
    if (remark.layer.line)
      where += (where.empty() ? "" : " ") + ("(" + escape(remark.layer.describe()) + ")");
    line("remark") << remark.kind << (remark.pass.empty() ? "" : " " + remark.pass)
                   << (where.empty() ? "" : ", " + spellLayersOf(group) + " " + where) << ": " << escape(remark.text)
                   << "\n";
  }
}

void TextPrinter::printLoop(const ExplainedLoop &loop) {
  os.indent(2 * depth++) << describeLayer(loop) << "\n";
  line("iterations") << escape(loop.count) << "\n";
  for (const ExplainedSlice &slice : loop.slices)
    line("slices") << escape(slice.value) << " " << slice.type << " " << slice.describe() << ": " << slice.partType
                   << "\n";
  for (const ExplainedRead &read : loop.reads)
    line("reads") << escape(read.value) << " " << read.type << "\n";
  for (const ExplainedState &state : loop.states)
    line("carries") << escape(state.name) << " " << state.type << ", at first " << escape(state.initial)
                    << (state.user.empty() ? "" : ", at last to " + escape(state.user)) << "\n";
  for (const ExplainedResult &result : loop.results)
    line("gives") << (result.user.empty() ? "nothing that reads it" : escape(result.user)) << " " << result.type << " "
                  << result.describe() << ": " << result.partType << "\n";
  printBody(loop.body, "an iteration");
  if (std::string traffic = spellTraffic(loop); !traffic.empty())
    line("bytes of an iteration") << traffic << "\n";
  if (hasRemarks)
    printRemarks(findRemarks(explanation, loop));
  --depth;
}

void TextPrinter::printBody(const ExplainedBody &body, StringRef per) {
  std::vector<std::string> layers = spellLayers(body.countLayers());
  line("layers") << (layers.empty() ? "none" : join(layers, ", ")) << "\n";
  if (std::string work = spellWork(body); !work.empty())
    line(("work of " + per).str()) << work << "\n";
  for (const ExplainedLoop &loop : body.loops)
    printLoop(loop);
}

void TextPrinter::printTimes(const ExplainedTimes &times) {
  os << "time of a call: " << spellSeconds(times.seconds) << ", the median of " << times.calls << "\n";
  for (const ExplainedTime &row : times.rows) {
    unsigned indent = 1;
    for (int loop = row.loop; loop >= 0; loop = times.rows[loop].loop)
      ++indent;
    os.indent(2 * indent) << formatv("{0:F1} %, {1}, {2} times: ", 100 * row.share,
                                     spellSeconds(row.share * times.seconds), spellNumber(row.times, ""))
                          << escape(row.layers) << "\n";
  }
}

void TextPrinter::print() {
  os << "model: " << escape(explanation.name.empty() ? explanation.file : explanation.name) << "\n";
  printTensors(os, "input", explanation.tensors.inputs);
  printTensors(os, "output", explanation.tensors.outputs);
  printTensors(os, "state", explanation.tensors.states);
  os << "\nas the file states it\n";
  ++depth;
  printBody(explanation.stated, "a call");
  --depth;
  os << "\nafter --ov-simplify, as it is compiled\n";
  ++depth;
  line("change") << spellChange(explanation) << "\n";
  hasRemarks = true;
  printBody(explanation.simplified, "a call");
  --depth;
  os << "\ncompiled\n";
  ++depth;
  for (const auto &[subject, fact] : explanation.product)
    line(subject) << fact << "\n";
  printRemarks(findOtherRemarks(explanation));
  --depth;
  if (explanation.times) {
    os << "\n";
    printTimes(*explanation.times);
  }
}

void recur::printText(raw_ostream &os, const Explanation &explanation) { TextPrinter(os, explanation).print(); }
