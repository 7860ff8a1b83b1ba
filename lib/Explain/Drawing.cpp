// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Drawing.cpp - parts of pictures in SVG -----------------------------===//
//
// Writes elements of SVG. Colours are those of the classes.
//
//===----------------------------------------------------------------------===//
#include "Drawing.h"

#include "Markup.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace recur;

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

double recur::getWidth(StringRef text) { return countColumns(text) * kColumn; }

double recur::getWidth(ArrayRef<Line> lines) {
  double width = 0;
  for (const Line &line : lines)
    width = std::max(width, getWidth(line.text));
  return width;
}

Line recur::makeLine(StringRef text, unsigned columns, StringRef style) {
  return {shorten(makePrintable(text), columns), style.str()};
}

std::vector<Line> recur::wrap(ArrayRef<std::string> texts, StringRef separator, unsigned columns, StringRef style) {
  std::vector<Line> lines;
  std::string line;
  for (const std::string &text : texts) {
    std::string next = shorten(makePrintable(text), columns);
    if (!line.empty() && countColumns(line) + countColumns(separator) + countColumns(next) > columns) {
      lines.push_back({line, style.str()});
      line.clear();
    }
    line += (line.empty() ? "" : separator.str()) + next;
  }
  if (!line.empty())
    lines.push_back({line, style.str()});
  return lines;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static std::string spell(double number) {
  std::string text;
  raw_string_ostream(text) << format("%.1f", number);
  return text;
}

static std::string spell(Drawing::Point point) { return spell(point.first) + " " + spell(point.second); }

void Drawing::drawText(double x, double y, const Line &line, StringRef anchor) {
  os << "<text x='" << spell(x) << "' y='" << spell(y) << "'";
  if (!line.style.empty())
    os << " class='" << line.style << "'";
  if (anchor != "start")
    os << " text-anchor='" << anchor << "'";
  os << ">" << escapeMarkup(line.text) << "</text>\n";
}

void Drawing::drawBox(double x, double y, double width, double height, StringRef style, double radius) {
  os << "<rect x='" << spell(x) << "' y='" << spell(y) << "' width='" << spell(width) << "' height='" << spell(height)
     << "' rx='" << spell(radius) << "' class='" << style << "'/>\n";
}

void Drawing::drawHead(Point from, Point to, StringRef style) {
  auto [x, y] = to;
  double dx = (x > from.first) - (x < from.first), dy = (y > from.second) - (y < from.second);
  os << "<path class='" << style << "-part' d='M" << spell(to) << "L"
     << spell({x - 7 * dx - 4 * dy, y - 7 * dy - 4 * dx}) << "L" << spell({x - 7 * dx + 4 * dy, y - 7 * dy + 4 * dx})
     << "Z'/>\n";
}

void Drawing::drawArrow(ArrayRef<Point> points, StringRef style) {
  os << "<path class='" << style << "' d='";
  for (auto [i, point] : enumerate(points))
    os << (i ? "L" : "M") << spell(point);
  os << "'/>\n";
  drawHead(points[points.size() - 2], points.back(), style);
}

void Drawing::drawFlow(ArrayRef<Point> points, double x, double y) {
  auto move = [&](Point point) { return Point{point.first + x, point.second + y}; };
  os << "<path class='flow' d='M" << spell(move(points.front()));
  for (size_t i = 1; i < points.size(); ++i) {
    auto [fromX, fromY] = move(points[i - 1]);
    auto [toX, toY] = move(points[i]);
    double middle = (fromY + toY) / 2;
    // Every second part is bent, unless it is straight.
    if (i % 2 == 0 && fromX != toX)
      os << "C" << spell({fromX, middle}) << " " << spell({toX, middle}) << " ";
    else
      os << "L";
    os << spell({toX, toY});
  }
  os << "'/>\n";
  Point end = move(points.back());
  drawHead({end.first, end.second - 1}, end, "flow");
}

void Drawing::drawStrip(double x, double y, bool isBackward, StringRef style) {
  for (unsigned i = 0; i < kStripCells; ++i) {
    bool isFirst = i == (isBackward ? kStripCells - 1 : 0);
    drawBox(x + i * kStripCell, y, kStripCell, kStripHeight, isFirst ? (style + "-part").str() : style.str(), 1);
  }
}

void Drawing::begin(StringRef title) { os << "<g><title>" << escapeMarkup(title) << "</title>\n"; }

void Drawing::end() { os << "</g>\n"; }
