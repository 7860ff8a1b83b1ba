// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Picture.cpp - loops as pictures ------------------------------------===//
//
// Each box is measured before it is drawn, those in it first.
//
//===----------------------------------------------------------------------===//
#include "Picture.h"

#include "Drawing.h"
#include "Layout.h"
#include "Markup.h"
#include "Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <memory>
#include <set>

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
svg .flow { stroke: var(--faint); fill: none; stroke-width: 1.2; }
svg .slice { stroke: var(--slice); fill: none; stroke-width: 1.5; }
svg .state { stroke: var(--state); fill: none; stroke-width: 1.5; }
svg .result { stroke: var(--result); fill: none; stroke-width: 1.5; }
svg .slice-part { fill: var(--slice); stroke: var(--slice); }
svg .state-part { fill: var(--state); stroke: none; }
svg .result-part { fill: var(--result); stroke: var(--result); }
svg .flow-part { fill: var(--faint); stroke: none; }
)";

namespace {

// All lengths are in pixels.
constexpr double kPad = 12;
/// The arrow beside a strip of parts.
constexpr double kArrow = 26;
/// A port has two lines and a distance to the next one. A back edge has two lines above it.
constexpr double kPort = 2 * kLine + 10, kEdge = 2 * kLine + 12;
/// The width from which on boxes get another row.
constexpr double kMostWidth = 1400;
/// Longer texts are shortened.
constexpr unsigned kNameColumns = 30, kTitleColumns = 72, kLayersColumns = 48;
/// Boxes of layers name so many types, and titles so many tensors.
constexpr size_t kMostTypes = 12, kMostTensors = 20;
/// From so many inputs or outputs on, those with the same arrows are in one box, which lists some of them.
constexpr size_t kManyTensors = 6, kMostListed = 8;

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

struct LoopBox;

/// Layers, a loop, inputs or outputs.
struct Item {
  /// Without a loop: the lines, and the class of the box.
  std::vector<Line> lines;
  std::string title, style;
  std::unique_ptr<LoopBox> loop;
};

/// The items of a body and the arrows between them, without a frame.
struct BodyBox {
  std::vector<Item> items;
  /// The places of the items. Behind them are the upper and the lower edge of the frame, if arrows begin or end there.
  std::vector<LayoutBox> places;
  std::vector<LayoutArrow> arrows;
  std::vector<std::string> titles;
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

/// "and N more" for what a list leaves out.
std::string spellRest(size_t count) { return "and " + std::to_string(count) + " more"; }

Item makeLayersItem(const CountsByType &layers) {
  Item item;
  item.style = "layers";
  size_t count = 0;
  for (const auto &[type, own] : layers)
    count += own;
  std::vector<std::string> types = spellLayers(layers);
  item.title = join(types, ", ");
  if (types.size() == 1) {
    item.lines.push_back(makeLine(types.front(), kLayersColumns, ""));
    return item;
  }
  if (types.size() > kMostTypes) {
    size_t rest = types.size() - kMostTypes + 1;
    types.resize(kMostTypes - 1);
    types.push_back(spellRest(rest) + " types");
  }
  item.lines.push_back({std::to_string(count) + " layers", "strong"});
  append_range(item.lines, wrap(types, " \u00B7 ", kLayersColumns, "faint"));
  return item;
}

/// A box of inputs or outputs: each with its name, and with what it is and its type.
Item makeTensorsItem(ArrayRef<const TensorDescription *> tensors, StringRef kind) {
  Item item;
  item.style = "value";
  std::vector<std::string> titles;
  for (const TensorDescription *tensor : tensors)
    titles.push_back((kind + " " + tensor->name + " " + describeType(*tensor)).str());
  if (tensors.size() == 1) {
    item.lines = {makeLine(tensors.front()->name, kNameColumns, "strong"),
                  makeLine((kind + ": " + describeType(*tensors.front())).str(), kNameColumns, "faint")};
  } else {
    size_t listed = tensors.size() > kMostListed ? kMostListed - 1 : tensors.size();
    item.lines.push_back({std::to_string(tensors.size()) + " " + kind.str() + "s", "strong"});
    for (const TensorDescription *tensor : tensors.take_front(listed))
      item.lines.push_back({shorten(makePrintable(tensor->name), kNameColumns) + " " + describeType(*tensor), "faint"});
    if (listed < tensors.size())
      item.lines.push_back({spellRest(tensors.size() - listed), "faint"});
  }
  if (titles.size() > kMostTensors) {
    size_t rest = titles.size() - kMostTensors;
    titles.resize(kMostTensors);
    titles.push_back(spellRest(rest));
  }
  item.title = join(titles, "; ");
  return item;
}

/// The boxes of inputs or outputs of the model in groups: many of them are together if their arrows are between the
/// same boxes, and all or none are states, which are behind `numOwn` others.
std::vector<std::vector<size_t>> groupTensors(const ExplainedBody &body, ExplainedBox::Kind kind, size_t numOwn) {
  bool isInput = kind == ExplainedBox::Kind::Input;
  std::vector<std::set<size_t>> others(body.boxes.size());
  for (const ExplainedFlow &flow : body.flows)
    others[isInput ? flow.from : flow.to].insert(isInput ? flow.to : flow.from);
  size_t count = llvm::count_if(body.boxes, [&](const ExplainedBox &box) { return box.kind == kind; });
  std::map<std::pair<std::set<size_t>, bool>, size_t> known;
  std::vector<std::vector<size_t>> groups;
  for (auto [i, box] : enumerate(body.boxes)) {
    if (box.kind != kind)
      continue;
    auto [group, isNew] = known.try_emplace({others[i], box.index >= numOwn}, groups.size());
    if (isNew || count < kManyTensors)
      groups.push_back({i});
    else
      groups[group->second].push_back(i);
  }
  return groups;
}

/// Places a body. `tensors` is that of the model, and null for the body of a loop.
BodyBox measureBody(const ExplainedBody &body, const ModelTensors *tensors) {
  using Kind = ExplainedBox::Kind;
  BodyBox result;
  // The place of each box. Arrows in a loop without loops would say what its box says.
  std::vector<size_t> places(body.boxes.size());
  bool hasArrows = tensors || !body.loops.empty();
  auto add = [&](Item item, LayoutBox::Place place) {
    double width = getWidth(item.lines) + 2 * kPad, height = item.lines.size() * kLine + 12;
    if (item.loop) {
      width = item.loop->width;
      height = item.loop->height;
    }
    result.items.push_back(std::move(item));
    result.places.push_back({width, height, place});
    return result.items.size() - 1;
  };
  for (auto [i, box] : enumerate(body.boxes)) {
    if (box.kind == Kind::Layers) {
      places[i] = add(makeLayersItem(box.layers), LayoutBox::Place::Middle);
    } else if (box.kind == Kind::Loop) {
      Item item;
      item.loop = std::make_unique<LoopBox>(measureLoop(body.loops[box.index]));
      places[i] = add(std::move(item), LayoutBox::Place::Middle);
    }
  }
  for (Kind kind : {Kind::Input, Kind::Output}) {
    LayoutBox::Place place = kind == Kind::Input ? LayoutBox::Place::Start : LayoutBox::Place::End;
    if (!tensors)
      continue;
    ArrayRef<TensorDescription> own = kind == Kind::Input ? tensors->inputs : tensors->outputs;
    for (ArrayRef<size_t> boxes : groupTensors(body, kind, own.size())) {
      bool areStates = body.boxes[boxes.front()].index >= own.size();
      std::vector<const TensorDescription *> listed;
      for (size_t box : boxes) {
        size_t index = body.boxes[box].index;
        listed.push_back(areStates ? &tensors->states[index - own.size()] : &own[index]);
      }
      StringRef name = areStates ? "state" : kind == Kind::Input ? "input" : "output";
      size_t item = add(makeTensorsItem(listed, name), place);
      for (size_t box : boxes)
        places[box] = item;
    }
  }
  if (!tensors && hasArrows)
    for (auto [i, box] : enumerate(body.boxes))
      if (box.kind == Kind::Input || box.kind == Kind::Output) {
        places[i] = result.places.size();
        bool isInput = box.kind == Kind::Input;
        result.places.push_back({0, 0, isInput ? LayoutBox::Place::Start : LayoutBox::Place::End, /*isEdge=*/true});
      }
  std::map<std::pair<size_t, size_t>, std::vector<std::string>> arrows;
  if (hasArrows)
    for (const ExplainedFlow &flow : body.flows)
      append_range(arrows[{places[flow.from], places[flow.to]}], flow.tensors);
  for (auto &[ends, names] : arrows) {
    if (names.size() > kMostTensors) {
      size_t rest = names.size() - kMostTensors;
      names.resize(kMostTensors);
      names.push_back(spellRest(rest));
    }
    result.arrows.push_back({ends.first, ends.second});
    result.titles.push_back(join(names, "; "));
  }
  LayoutSize size = layOut(result.places, result.arrows, kMostWidth);
  result.width = size.width;
  result.height = size.height;
  return result;
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
        {makeLine(result.user.empty() ? "not read" : "to " + result.user, kNameColumns, "strong"),
         makeLine((result.axis ? "axis " + std::to_string(*result.axis) + " of " : "last value: ") + result.type,
                  kNameColumns, "faint"),
         result.user + " " + result.type + " " + result.describe() + ": " + result.partType, result.axis.has_value(),
         result.isReverse});
  for (const ExplainedState &state : loop.states)
    box.edges.push_back(
        {makeLine(state.name, kNameColumns, "strong"),
         makeLine(state.type + ", at first " + shorten(makePrintable(state.initial), 18), kTitleColumns, "faint"),
         state.name + " " + state.type + ", at first " + state.initial +
             (state.user.empty() ? "" : ", at last to " + state.user)});
  box.body = measureBody(loop.body, /*tensors=*/nullptr);

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

class LoopDrawing : public Drawing {
public:
  using Drawing::Drawing;

  /// `top` and `bottom` are the edges of the frame.
  void drawBody(const BodyBox &body, double x, double y, double top, double bottom);
  void drawLoop(const LoopBox &loop, double x, double y);
};

void LoopDrawing::drawBody(const BodyBox &body, double x, double y, double top, double bottom) {
  for (auto [arrow, title] : zip_equal(body.arrows, body.titles)) {
    std::vector<Point> points = arrow.points;
    if (body.places[arrow.from].isEdge)
      points.front().second = top - y;
    if (body.places[arrow.to].isEdge)
      points.back().second = bottom - y;
    begin(title);
    drawFlow(points, x, y);
    end();
  }
  for (auto [item, place] : zip(body.items, body.places)) {
    double left = x + place.x, above = y + place.y;
    if (item.loop) {
      drawLoop(*item.loop, left, above);
      continue;
    }
    begin(item.title);
    drawBox(left, above, place.width, place.height, item.style, item.style == "value" ? 14 : 6);
    for (auto [i, line] : enumerate(item.lines))
      drawText(left + place.width / 2, above + 18 + i * kLine, line, "middle");
    end();
  }
}

void LoopDrawing::drawLoop(const LoopBox &loop, double x, double y) {
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
  drawBody(loop.body, bodyLeft + (loop.bodyWidth - loop.body.width) / 2, y + (loop.bodyHeight - loop.body.height) / 2,
           y, bottom);
  end();
}

} // namespace

Picture recur::drawPicture(const Explanation &explanation, const ExplainedBody &body, StringRef caption) {
  BodyBox box = measureBody(body, &explanation.tensors);
  double inner = std::max(box.width, 480.0), width = inner + 2 * kPad + 2, height = box.height + 2 * kPad + 2;
  Picture picture{"", unsigned(width)};
  raw_string_ostream os(picture.svg);
  os << "<svg xmlns='http://www.w3.org/2000/svg' role='img' aria-label=\"" << escapeMarkup(caption)
     << "\" viewBox='0 0 " << picture.width << " " << unsigned(height) << "'>\n";
  LoopDrawing drawing(os);
  drawing.drawBox(1, 1, width - 2, height - 2, "model", 12);
  drawing.drawBody(box, kPad + (inner - box.width) / 2, kPad, 0, 0);
  os << "</svg>\n";
  return picture;
}
