// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Page.cpp - an explanation as a page --------------------------------===//
//
// One file without scripts. Its policy keeps a browser from loading anything, whatever the names in it are.
//
//===----------------------------------------------------------------------===//
#include "Markup.h"
#include "Picture.h"
#include "Words.h"

#include "Recur/Explain/Explain.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace recur;

static constexpr StringLiteral kStyle = R"(
:root { color-scheme: light dark; --page: #ffffff; --ink: #1c2024; --faint: #5c6670; --line: #aab4be; --box: #f1f4f7;
  --loop: #eef4fb; --loop-line: #3d6fa8; --slice: #1f77b4; --state: #c2570c; --result: #2a8a3e; }
@media (prefers-color-scheme: dark) { :root { --page: #15181c; --ink: #e6e9ec; --faint: #9aa5b0; --line: #5a6570;
  --box: #22272d; --loop: #1b2530; --loop-line: #6b9fd6; --slice: #5fb0ea; --state: #f0955a; --result: #62c278; } }
body { font: 15px/1.5 system-ui, sans-serif; background: var(--page); color: var(--ink); margin: 1.5rem auto;
  max-width: 1800px; padding: 0 1.5rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin-top: 2rem; }
h3 { font-size: 1rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
.faint { color: var(--faint); }
.pictures { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start; }
figure { margin: 0; min-width: 0; }
figcaption { font-weight: 600; padding-bottom: .5rem; }
svg { display: block; width: 100%; height: auto; }
table { border-collapse: collapse; }
.wide { overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .2rem .9rem .2rem 0; overflow-wrap: anywhere; }
th { font-weight: 600; white-space: nowrap; }
td:last-child { min-width: 15rem; }
code { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 13px; }
section.loop { border-left: 3px solid var(--loop-line); padding-left: 1rem; margin: 1rem 0; }
.legend span { margin-right: 1.5rem; white-space: nowrap; }
.legend b { display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; margin-right: .4rem; }
.bar { background: var(--box); width: clamp(60px, 16vw, 260px); height: .9rem; margin-top: .3rem; }
.bar div { background: var(--slice); height: 100%; }
.number { text-align: right; white-space: nowrap; }
)";

namespace {
class PagePrinter {
public:
  PagePrinter(raw_ostream &os, const Explanation &explanation) : os(os), explanation(explanation) {}

  void print();

private:
  static std::string code(StringRef text) { return "<code><bdi>" + escapeMarkup(text) + "</bdi></code>"; }
  /// A row of a table of facts. `markup` is escaped.
  void row(StringRef subject, const std::string &markup) {
    os << "<tr><th>" << subject << "</th><td>" << markup << "</td></tr>\n";
  }
  static std::string joinMarkup(ArrayRef<std::string> lines) { return join(lines, "<br>"); }

  void printTensors(StringRef subject, ArrayRef<TensorDescription> tensors);
  void printPictures();
  void printLoop(const ExplainedLoop &loop);
  /// The loop of the layer as the file states it, below `body`; null if there is none.
  static const ExplainedLoop *findLoop(const ExplainedBody &body, const LayerPlace &layer);
  void printLoops(const ExplainedBody &body);
  void printTimes(const ExplainedTimes &times);
  void printProduct();
  static std::vector<std::string> describe(ArrayRef<const ExplainedRemark *> remarks);

  raw_ostream &os;
  const Explanation &explanation;
};
} // namespace

void PagePrinter::printTensors(StringRef subject, ArrayRef<TensorDescription> tensors) {
  std::vector<std::string> lines;
  for (const TensorDescription &tensor : tensors)
    lines.push_back(code(tensor.name) + " " + escapeMarkup(describeType(tensor)));
  if (!lines.empty())
    row(subject, joinMarkup(lines));
}

void PagePrinter::printPictures() {
  os << "<h2>The model as a picture</h2>\n<p class='legend faint'>"
        "<span><b style='background:var(--slice)'></b>a part of an input, read by each iteration</span>"
        "<span><b style='background:var(--state)'></b>carried to the next iteration</span>"
        "<span><b style='background:var(--result)'></b>a part of a result, given by each iteration</span></p>\n"
     << "<p>" << escapeMarkup(spellChange(explanation)) << "</p>\n<div class='pictures'>\n";
  // Two pictures stand side by side if there is room for three quarters of their widths.
  auto draw = [&](const ExplainedBody &body, StringRef caption) {
    Picture picture = drawPicture(explanation, body, caption);
    unsigned least = picture.width * 3 / 4;
    os << formatv("<figure style='flex: 1 1 {0}px; max-width: min(100%, {1}px)'><figcaption>{2}</figcaption>\n<div "
                  "class='wide'><div style='min-width: {0}px'>\n{3}</div></div></figure>\n",
                  least, picture.width, caption, picture.svg);
  };
  // One picture shows loops that stay as they are; it has the work of the code that runs.
  if (haveEqualLoops(explanation.stated, explanation.simplified)) {
    draw(explanation.simplified, "As the file states it, and as it is compiled");
  } else {
    draw(explanation.stated, "As the file states it");
    draw(explanation.simplified, "After --ov-simplify, as it is compiled");
  }
  os << "</div>\n";
}

std::vector<std::string> PagePrinter::describe(ArrayRef<const ExplainedRemark *> remarks) {
  std::vector<std::string> lines;
  for (const RemarkGroup &group : groupRemarks(remarks)) {
    const ExplainedRemark &remark = *group.first;
    std::string text = "<b>" + escapeMarkup(remark.kind) + "</b>";
    if (!remark.pass.empty())
      text += " " + code(remark.pass);
    if (!remark.layer.name.empty() || remark.layer.line)
      text += " " + spellLayersOf(group) + " " +
              code(remark.layer.name.empty() ? remark.layer.describe() : remark.layer.name);
    if (!remark.layer.name.empty() && remark.layer.line)
      text += " <span class='faint'>" + escapeMarkup(remark.layer.describe()) + "</span>";
    lines.push_back(text + ": " + escapeMarkup(remark.text));
  }
  return lines;
}

const ExplainedLoop *PagePrinter::findLoop(const ExplainedBody &body, const LayerPlace &layer) {
  for (const ExplainedLoop &loop : body.loops) {
    if (loop.layer == layer)
      return &loop;
    if (const ExplainedLoop *inner = findLoop(loop.body, layer))
      return inner;
  }
  return nullptr;
}

void PagePrinter::printLoop(const ExplainedLoop &loop) {
  os << "<section class='loop'>\n<h3>" << code(loop.getName());
  std::vector<std::string> more{loop.type};
  if (!loop.layer.id.empty())
    more.push_back("id " + loop.layer.id);
  if (loop.layer.line)
    more.push_back(loop.layer.describe());
  os << " <span class='faint'>" << escapeMarkup(join(more, ", ")) << "</span></h3>\n<div class='wide'><table>\n";
  row("Iterations", escapeMarkup(loop.count));
  std::vector<std::string> lines;
  auto flush = [&](StringRef subject) {
    if (!lines.empty())
      row(subject, joinMarkup(lines));
    lines.clear();
  };
  for (const ExplainedSlice &slice : loop.slices)
    lines.push_back(code(slice.value) + " " +
                    escapeMarkup(slice.type + " " + slice.describe() + ": " + slice.partType));
  flush("Slices");
  for (const ExplainedRead &read : loop.reads)
    lines.push_back(code(read.value) + " " + escapeMarkup(read.type));
  flush("Reads");
  for (const ExplainedState &state : loop.states)
    lines.push_back(code(state.name) + " " + escapeMarkup(state.type) + ", at first " + code(state.initial) +
                    (state.user.empty() ? "" : ", at last to " + code(state.user)));
  flush("Carries");
  for (const ExplainedResult &result : loop.results)
    lines.push_back((result.user.empty() ? std::string("nothing that reads it") : code(result.user)) + " " +
                    escapeMarkup(result.type + " " + result.describe() + ": " + result.partType));
  flush("Gives");
  std::vector<std::string> layers = spellLayers(loop.body.countLayers());
  row("Layers", layers.empty() ? "none" : escapeMarkup(join(layers, ", ")));
  for (const std::string &text : {spellWork(loop.body), spellTraffic(loop)})
    if (!text.empty())
      lines.push_back(escapeMarkup(text));
  flush("Each iteration");
  // Work may have left the loop.
  if (const ExplainedLoop *stated = findLoop(explanation.stated, loop.layer))
    if (std::string work = spellWork(stated->body); !work.empty() && work != spellWork(loop.body))
      row("As the file states it", escapeMarkup(work));
  lines = describe(findRemarks(explanation, loop));
  flush("Remarks");
  os << "</table></div>\n";
  printLoops(loop.body);
  os << "</section>\n";
}

void PagePrinter::printLoops(const ExplainedBody &body) {
  for (const ExplainedLoop &loop : body.loops)
    printLoop(loop);
}

void PagePrinter::printTimes(const ExplainedTimes &times) {
  os << "<h2>Time</h2>\n<p>A call takes " << spellSeconds(times.seconds) << " (the median of " << times.calls
     << " calls with random inputs). The rows are layers that are computed in one go, in their order; those of a loop "
        "are under it.</p>\n<div class='wide'><table>\n<tr><th class='number'>share</th><th></th><th "
        "class='number'>time</th><th class='number'>times</th><th>layers</th></tr>\n";
  double most = 0;
  for (const ExplainedTime &row : times.rows)
    most = std::max(most, row.share);
  for (const ExplainedTime &row : times.rows) {
    unsigned depth = 0;
    for (int loop = row.loop; loop >= 0; loop = times.rows[loop].loop)
      ++depth;
    os << formatv("<tr><td class='number'>{0:F1} %</td><td><div class='bar'><div style='width:{1:F2}%'></div></div>"
                  "</td><td class='number'>{2}</td><td class='number'>{3}</td><td style='padding-left:{4}rem'>{5}"
                  "</td></tr>\n",
                  100 * row.share, most ? 100 * row.share / most : 0, spellSeconds(row.share * times.seconds),
                  spellNumber(row.times, ""), 1.5 * depth, code(row.layers));
  }
  os << "</table></div>\n";
}

void PagePrinter::printProduct() {
  os << "<h2>What it is compiled to</h2>\n<div class='wide'><table>\n";
  for (const auto &[subject, fact] : explanation.product)
    row(escapeMarkup(subject), escapeMarkup(fact));
  std::vector<std::string> lines = describe(findOtherRemarks(explanation));
  if (!lines.empty())
    row("Other remarks", joinMarkup(lines));
  os << "</table></div>\n";
}

void PagePrinter::print() {
  const std::string &name = explanation.name.empty() ? explanation.file : explanation.name;
  os << "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n<meta http-equiv='Content-Security-Policy' "
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<meta name='viewport' "
        "content='width=device-width, initial-scale=1'>\n<title>"
     << escapeMarkup(name) << "</title>\n<style>" << kStyle << kPictureStyle << "</style>\n</head>\n<body>\n<h1><bdi>"
     << escapeMarkup(name) << "</bdi></h1>\n<p class='faint'><bdi>" << escapeMarkup(explanation.file)
     << "</bdi></p>\n<div class='wide'><table>\n";
  printTensors("Inputs", explanation.tensors.inputs);
  printTensors("Outputs", explanation.tensors.outputs);
  printTensors("States", explanation.tensors.states);
  std::vector<std::string> layers = spellLayers(explanation.simplified.countLayers());
  row("Outside of loops", layers.empty() ? "no layers" : escapeMarkup(join(layers, ", ")));
  if (std::string work = spellWork(explanation.simplified); !work.empty())
    row("Each call", escapeMarkup(work));
  os << "</table></div>\n";
  printPictures();
  if (!explanation.simplified.loops.empty())
    os << "<h2>Loops</h2>\n";
  printLoops(explanation.simplified);
  if (explanation.times)
    printTimes(*explanation.times);
  printProduct();
  os << "</body>\n</html>\n";
}

void recur::printPage(raw_ostream &os, const Explanation &explanation) { PagePrinter(os, explanation).print(); }
