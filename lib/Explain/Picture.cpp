// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Picture.cpp - loops as pictures ------------------------------------===//
//
// Each box is measured before it is drawn. Texts have a font of equal widths, and columns that are wider than those of
// common fonts, so that a text fits its box whatever the font of the reader is.
//
//===----------------------------------------------------------------------===//
#include "Picture.h"

#include "Markup.h"
#include "Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace recur;

const StringLiteral recur::kPictureStyle = R"(
svg text { font: 12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: var(--ink); }
svg .strong { font-weight: 600; }
svg .faint { fill: var(--faint); }
svg .model { fill: var(--page); stroke: var(--line); }
svg .loop { fill: var(--loop); stroke: var(--loop-line); stroke-width: 1.5; }
svg .body { fill: var(--page); stroke: var(--loop-line); stroke-dasharray: 4 3; }
svg .layers, svg .value { fill: var(--box); stroke: var(--line); }
svg .flow { stroke: var(--line); fill: none; }
svg .slice { stroke: var(--slice); fill: none; stroke-width: 1.5; }
svg .state { stroke: var(--state); fill: none; stroke-width: 1.5; }
svg .result { stroke: var(--result); fill: none; stroke-width: 1.5; }
svg .slice-part { fill: var(--slice); stroke: var(--slice); }
svg .state-part { fill: var(--state); stroke: none; }
svg .result-part { fill: var(--result); stroke: var(--result); }
svg .flow-part { fill: var(--line); stroke: none; }
)";

namespace {

// All lengths are in pixels.
constexpr double kColumn = 7.4, kLine = 16, kPad = 12, kGap = 22;
/// The strip of parts of a slice or a concatenation, and the arrow beside it.
constexpr double kStripCell = 8, kStripHeight = 12, kArrow = 26;
constexpr unsigned kStripCells = 5;
/// A port has two lines and a distance to the next one. A back edge has two lines above it.
constexpr double kPort = 2 * kLine + 10, kEdge = 2 * kLine + 12;
/// Longer texts are shortened.
constexpr unsigned kNameColumns = 30, kTitleColumns = 72, kLayersColumns = 48;

/// A text with its class.
struct Line {
  std::string text, style;
};

double getWidth(StringRef text) { return countColumns(text) * kColumn; }

double getWidth(ArrayRef<Line> lines) {
  double width = 0;
  for (const Line &line : lines)
    width = std::max(width, getWidth(line.text));
  return width;
}

/// A name of at most so many columns, as a line.
Line makeLine(StringRef text, unsigned columns, StringRef style) {
  return {shorten(makePrintable(text), columns), style.str()};
}

/// The things that are drawn at the left or the right of a loop.
struct Port {
  Line name, detail;
  /// The whole texts, which a pointer shows.
  std::string title;
  /// True if there is a strip of parts, and which of them is the first one.
  bool hasStrip;
  bool isBackward;

  double getWidth() const {
    double text = std::max(::getWidth(name.text), ::getWidth(detail.text));
    return text + 8 + (hasStrip ? kStripCells * kStripCell + 4 : 0) + kArrow;
  }
};

/// A value that is carried, as a line that goes back.
struct Edge {
  Line name, detail;
  std::string title;
};

/// Wraps texts into lines, with a separator between them.
std::vector<Line> wrap(ArrayRef<std::string> texts, StringRef separator, unsigned columns, StringRef style) {
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

struct LoopBox;

/// Layers or a loop in a body.
struct Item {
  std::vector<Line> layers;
  std::unique_ptr<LoopBox> loop;
  double width = 0, height = 0;
};

/// The items of a body below each other, without a frame.
struct BodyBox {
  std::vector<Item> items;
  double width = 0, height = 0;
};

struct LoopBox {
  std::vector<Line> header;
  std::string title;
  std::vector<Port> left, right;
  std::vector<Edge> edges;
  BodyBox body;
  /// `bodyWidth` and `bodyHeight` are those of the frame around the body.
  double leftWidth = 0, rightWidth = 0, bodyWidth = 0, bodyHeight = 0, width = 0, height = 0;

  double getHeaderHeight() const { return kPad + header.size() * kLine + 8; }
  /// How much farther an edge reaches than the one above it.
  double getEdgeStep() const { return std::min(10.0, 120.0 / std::max<size_t>(edges.size(), 1)); }
};

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

LoopBox measureLoop(const ExplainedLoop &loop);

BodyBox measureBody(const ExplainedBody &body) {
  BodyBox box;
  auto add = [&](Item item) {
    box.width = std::max(box.width, item.width);
    box.height += (box.items.empty() ? 0 : kGap) + item.height;
    box.items.push_back(std::move(item));
  };
  for (size_t i = 0; i < body.layers.size(); ++i) {
    if (!body.layers[i].empty()) {
      Item item;
      item.layers = wrap(spellLayers(body.layers[i]), " \u00B7 ", kLayersColumns, "");
      item.width = getWidth(item.layers) + 2 * kPad;
      item.height = item.layers.size() * kLine + 12;
      add(std::move(item));
    }
    if (i < body.loops.size()) {
      Item item;
      item.loop = std::make_unique<LoopBox>(measureLoop(body.loops[i]));
      item.width = item.loop->width;
      item.height = item.loop->height;
      add(std::move(item));
    }
  }
  return box;
}

LoopBox measureLoop(const ExplainedLoop &loop) {
  LoopBox box;
  box.header.push_back(makeLine(loop.getName(), kTitleColumns, "strong"));
  if (!loop.layer.name.empty())
    box.header.back().text += "  (" + loop.type + ")";
  // Long lines are broken between the parts of what they say.
  auto addLine = [&](const std::string &text, StringRef separator, StringRef style) {
    SmallVector<StringRef> parts;
    StringRef(text).split(parts, separator);
    append_range(box.header,
                 wrap(std::vector<std::string>(parts.begin(), parts.end()), separator, kTitleColumns, style));
  };
  addLine("iterations: " + loop.count, ", ", "");
  if (std::string work = spellWork(loop.body); !work.empty())
    addLine("each time: " + work, "; ", "faint");
  box.title = loop.getName() + " " + loop.layer.describe() + ": " + loop.count;
  for (const ExplainedSlice &slice : loop.slices)
    box.left.push_back({makeLine(slice.value, kNameColumns, "strong"),
                        makeLine("axis " + std::to_string(slice.axis) + " of " + slice.type, kNameColumns, "faint"),
                        slice.value + " " + slice.type + " " + slice.describe() + ": " + slice.partType, true,
                        slice.stride < 0});
  for (const ExplainedResult &result : loop.results)
    box.right.push_back(
        {makeLine(result.user.empty() ? "not read" : result.user, kNameColumns, "strong"),
         makeLine((result.axis ? "axis " + std::to_string(*result.axis) + " of " : "last value: ") + result.type,
                  kNameColumns, "faint"),
         result.user + " " + result.type + " " + result.describe() + ": " + result.partType, result.axis.has_value(),
         result.isReverse});
  for (const ExplainedState &state : loop.states)
    box.edges.push_back(
        {makeLine(state.name, kNameColumns, "strong"),
         makeLine(state.type + ", at first " + shorten(makePrintable(state.initial), 18), kTitleColumns, "faint"),
         state.name + " " + state.type + ", at first " + state.initial});
  box.body = measureBody(loop.body);

  auto measurePorts = [](ArrayRef<Port> ports) {
    double width = kPad;
    for (const Port &port : ports)
      width = std::max(width, port.getWidth() + kPad);
    return width;
  };
  box.leftWidth = measurePorts(box.left);
  box.rightWidth = measurePorts(box.right);
  double reach = 14 + box.getEdgeStep() * box.edges.size();
  box.bodyWidth = std::max(box.body.width + 2 * kPad, 120.0);
  for (const Edge &edge : box.edges)
    box.bodyWidth = std::max(box.bodyWidth, getWidth({edge.name, edge.detail}) + 2 * reach + kPad);
  box.bodyWidth = std::max(box.bodyWidth, getWidth(box.header) + 2 * kPad - box.leftWidth - box.rightWidth);
  box.bodyHeight = std::max({box.body.height + 2 * kPad, kPort * std::max(box.left.size(), box.right.size())});
  box.width = box.leftWidth + box.bodyWidth + box.rightWidth;
  box.height = box.getHeaderHeight() + box.bodyHeight + kPad + (box.edges.empty() ? 0 : 6 + kEdge * box.edges.size());
  return box;
}

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

class Drawing {
public:
  explicit Drawing(raw_ostream &os) : os(os) {}

  void drawText(double x, double y, const Line &line, StringRef anchor = "start") {
    os << "<text x='" << spell(x) << "' y='" << spell(y) << "'";
    if (!line.style.empty())
      os << " class='" << line.style << "'";
    if (anchor != "start")
      os << " text-anchor='" << anchor << "'";
    os << ">" << escapeMarkup(line.text) << "</text>\n";
  }
  void drawBox(double x, double y, double width, double height, StringRef style, double radius = 6) {
    os << "<rect x='" << spell(x) << "' y='" << spell(y) << "' width='" << spell(width) << "' height='" << spell(height)
       << "' rx='" << spell(radius) << "' class='" << style << "'/>\n";
  }
  /// A line through points, and an arrow at its end. `style` is the class; that of the arrow has "-part" behind it.
  void drawArrow(ArrayRef<std::pair<double, double>> points, StringRef style) {
    os << "<path class='" << style << "' d='";
    for (auto [i, point] : enumerate(points))
      os << (i ? "L" : "M") << spell(point.first) << " " << spell(point.second);
    os << "'/>\n";
    auto [x, y] = points.back();
    auto [fromX, fromY] = points[points.size() - 2];
    double dx = (x > fromX) - (x < fromX), dy = (y > fromY) - (y < fromY);
    os << "<path class='" << style << "-part' d='M" << spell(x) << " " << spell(y) << "L" << spell(x - 7 * dx - 4 * dy)
       << " " << spell(y - 7 * dy - 4 * dx) << "L" << spell(x - 7 * dx + 4 * dy) << " " << spell(y - 7 * dy + 4 * dx)
       << "Z'/>\n";
  }
  /// A strip of parts, of which the first one that is read or written is filled.
  void drawStrip(double x, double y, bool isBackward, StringRef style) {
    for (unsigned i = 0; i < kStripCells; ++i) {
      bool isFirst = i == (isBackward ? kStripCells - 1 : 0);
      drawBox(x + i * kStripCell, y, kStripCell, kStripHeight, isFirst ? (style + "-part").str() : style.str(), 1);
    }
  }
  void begin(StringRef title) { os << "<g><title>" << escapeMarkup(title) << "</title>\n"; }
  void end() { os << "</g>\n"; }

  void drawBody(const BodyBox &body, double x, double y, double width);
  void drawLoop(const LoopBox &loop, double x, double y);

private:
  static std::string spell(double number) {
    std::string text;
    raw_string_ostream(text) << format("%.1f", number);
    return text;
  }

  raw_ostream &os;
};

void Drawing::drawBody(const BodyBox &body, double x, double y, double width) {
  double middle = x + width / 2;
  for (auto [i, item] : enumerate(body.items)) {
    if (i) {
      drawArrow({{middle, y}, {middle, y + kGap - 2}}, "flow");
      y += kGap;
    }
    double left = middle - item.width / 2;
    if (item.loop) {
      drawLoop(*item.loop, left, y);
    } else {
      drawBox(left, y, item.width, item.height, "layers");
      for (auto [j, line] : enumerate(item.layers))
        drawText(middle, y + 18 + j * kLine, line, "middle");
    }
    y += item.height;
  }
}

void Drawing::drawLoop(const LoopBox &loop, double x, double y) {
  begin(loop.title);
  drawBox(x, y, loop.width, loop.height, "loop", 10);
  for (auto [i, line] : enumerate(loop.header))
    drawText(x + kPad, y + kPad + 11 + i * kLine, line);
  y += loop.getHeaderHeight();
  double bodyLeft = x + loop.leftWidth, bodyRight = bodyLeft + loop.bodyWidth, bottom = y + loop.bodyHeight;
  drawBox(bodyLeft, y, loop.bodyWidth, loop.bodyHeight, "body");

  // Ports are spread over the height of the body.
  auto getMiddle = [&](size_t i, size_t count) { return y + loop.bodyHeight * (2 * i + 1) / (2 * count); };
  for (auto [i, port] : enumerate(loop.left)) {
    double middle = getMiddle(i, loop.left.size()), end = bodyLeft - kArrow;
    begin(port.title);
    drawText(x + kPad, middle - 4, port.name);
    drawText(x + kPad, middle + kLine - 4, port.detail);
    if (port.hasStrip)
      drawStrip(end - kStripCells * kStripCell - 2, middle - kStripHeight / 2, port.isBackward, "slice");
    drawArrow({{end, middle}, {bodyLeft, middle}}, "slice");
    this->end();
  }
  for (auto [i, port] : enumerate(loop.right)) {
    double middle = getMiddle(i, loop.right.size()), end = bodyRight + kArrow;
    begin(port.title);
    drawArrow({{bodyRight, middle}, {end, middle}}, "result");
    if (port.hasStrip) {
      drawStrip(end + 2, middle - kStripHeight / 2, port.isBackward, "result");
      end += kStripCells * kStripCell + 4;
    }
    drawText(end + 6, middle - 4, port.name);
    drawText(end + 6, middle + kLine - 4, port.detail);
    this->end();
  }
  for (auto [i, edge] : enumerate(loop.edges)) {
    double reach = 14 + loop.getEdgeStep() * (loop.edges.size() - 1 - i), low = bottom + 6 + kEdge * (i + 1);
    double left = bodyLeft + reach, right = bodyRight - reach, middle = (left + right) / 2;
    begin(edge.title);
    drawArrow({{right, bottom}, {right, low}, {left, low}, {left, bottom}}, "state");
    drawText(middle, low - kLine - 6, edge.name, "middle");
    drawText(middle, low - 6, edge.detail, "middle");
    end();
  }
  drawBody(loop.body, bodyLeft + kPad, y + (loop.bodyHeight - loop.body.height) / 2, loop.bodyWidth - 2 * kPad);
  end();
}

/// A row of tensors of the model: what it says of them, and each with its name and type.
struct TensorRow {
  Line label;
  std::vector<std::pair<Line, Line>> tensors;
  std::vector<std::string> titles;
};

TensorRow makeRow(StringRef label, ArrayRef<TensorDescription> tensors) {
  TensorRow row{{label.str(), "faint"}, {}, {}};
  for (const TensorDescription &tensor : tensors) {
    row.tensors.push_back(
        {makeLine(tensor.name, kNameColumns, "strong"), makeLine(describeType(tensor), kNameColumns, "faint")});
    row.titles.push_back(tensor.name + " " + describeType(tensor));
  }
  return row;
}

/// The boxes of a row, wrapped to a width.
class RowBox {
public:
  RowBox(const TensorRow &row, double width) : row(row) {
    double x = 0, y = kLine + 4;
    for (const auto &[name, type] : row.tensors) {
      double own = getWidth({name, type}) + 2 * kPad;
      if (x != 0 && x + own > width) {
        x = 0;
        y += kHeight + 8;
      }
      places.push_back({x, y, own});
      x += own + 8;
    }
    height = row.tensors.empty() ? 0 : y + kHeight;
    // Each line is in the middle.
    for (size_t begin = 0, end = 0; begin < places.size(); begin = end) {
      while (end < places.size() && places[end].y == places[begin].y)
        ++end;
      double indent = (width - places[end - 1].x - places[end - 1].width) / 2;
      for (Place &place : MutableArrayRef(places).slice(begin, end - begin))
        place.x += indent;
    }
    labelX = width / 2;
  }

  void draw(Drawing &drawing, double x, double y) const {
    if (row.tensors.empty())
      return;
    drawing.drawText(x + labelX, y + 12, row.label, "middle");
    for (const auto &[tensor, title, place] : zip_equal(row.tensors, row.titles, places)) {
      drawing.begin(title);
      drawing.drawBox(x + place.x, y + place.y, place.width, kHeight, "value", 14);
      drawing.drawText(x + place.x + kPad, y + place.y + 16, tensor.first);
      drawing.drawText(x + place.x + kPad, y + place.y + 16 + kLine, tensor.second);
      drawing.end();
    }
  }

  double height = 0;

private:
  static constexpr double kHeight = 2 * kLine + 8;
  struct Place {
    double x, y, width;
  };
  const TensorRow &row;
  std::vector<Place> places;
  double labelX;
};

} // namespace

Picture recur::drawPicture(const Explanation &explanation, const ExplainedBody &body, StringRef caption) {
  BodyBox items = measureBody(body);
  TensorRow rows[] = {makeRow("inputs", explanation.tensors.inputs), makeRow("outputs", explanation.tensors.outputs),
                      makeRow("states, kept from call to call", explanation.tensors.states)};
  // Many inputs are wrapped, a single one is not.
  double inner = std::max(items.width, 480.0);
  for (const TensorRow &row : rows)
    for (const auto &[name, type] : row.tensors)
      inner = std::max(inner, getWidth({name, type}) + 2 * kPad);
  RowBox inputs(rows[0], inner), outputs(rows[1], inner), states(rows[2], inner);
  bool isEmpty = items.items.empty();
  double width = inner + 2 * kPad + 2, height = 2 * kPad + inputs.height + kGap + (isEmpty ? 0 : items.height + kGap) +
                                                outputs.height + (states.height ? states.height + kGap : 0) + 2;
  Picture picture{"", unsigned(width)};
  raw_string_ostream os(picture.svg);
  os << "<svg xmlns='http://www.w3.org/2000/svg' role='img' aria-label=\"" << escapeMarkup(caption)
     << "\" viewBox='0 0 " << picture.width << " " << unsigned(height) << "'>\n";
  Drawing drawing(os);
  drawing.drawBox(1, 1, width - 2, height - 2, "model", 12);
  double x = kPad, y = kPad, middle = x + inner / 2;
  auto descend = [&](double own) {
    y += own;
    drawing.drawArrow({{middle, y + 2}, {middle, y + kGap - 3}}, "flow");
    y += kGap;
  };
  inputs.draw(drawing, x, y);
  descend(inputs.height);
  if (!isEmpty) {
    drawing.drawBody(items, x, y, inner);
    descend(items.height);
  }
  outputs.draw(drawing, x, y);
  states.draw(drawing, x, y + outputs.height + kGap);
  os << "</svg>\n";
  return picture;
}
