// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Layout.cpp - boxes in rows, and arrows between them ----------------===//
//
// The method of Sugiyama: boxes get rows, an arrow that passes a row gets a lane in it, the order in each row is that
// of the neighbours in the rows beside it, and then each row moves as near to its neighbours as it can.
//
//===----------------------------------------------------------------------===//
#include "Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace llvm;
using namespace recur;

namespace {

/// The distances between boxes of a row, and between a lane and what is beside it.
constexpr double kBoxGap = 24, kLaneGap = 14;
/// The distance between rows grows with how far arrows go aside.
constexpr double kLeastGap = 30, kMostGap = 84, kSlope = 0.12;
/// The distance between the ends of arrows at a box.
constexpr double kPort = 18;

/// A box or a lane in a row.
struct Item {
  size_t row = 0;
  /// The box, or -1 for a lane.
  ptrdiff_t box = -1;
  double width = 0;
  /// The middle.
  double x = 0;
  SmallVector<size_t> above, below;
};

/// A part of an arrow from an item to one in the next row.
struct Part {
  size_t from, to;
  double fromX = 0, toX = 0;
};

class Layout {
public:
  Layout(std::vector<LayoutBox> &boxes, std::vector<LayoutArrow> &arrows, double maxWidth)
      : boxes(boxes), arrows(arrows), maxWidth(maxWidth) {}

  LayoutSize run() {
    if (boxes.empty())
      return {};
    assignRows();
    addLanes();
    order();
    align();
    setPorts();
    return place();
  }

private:
  void assignRows();
  void addLanes();
  /// Sorts rows by the middle of the neighbours above, and then by that of those below.
  void order();
  void align();
  void setPorts();
  LayoutSize place();

  /// An end without a width pulls nothing.
  bool isFree(const Item &item) const { return item.box >= 0 && boxes[item.box].isEdge; }
  double getGap(const Item &a, const Item &b) const { return a.box < 0 || b.box < 0 ? kLaneGap : kBoxGap; }
  /// Gives the items of a row places in their order, from 0 on.
  void pack(ArrayRef<size_t> row);
  void moveRow(ArrayRef<size_t> row);

  std::vector<LayoutBox> &boxes;
  std::vector<LayoutArrow> &arrows;
  double maxWidth;
  std::vector<Item> items;
  std::vector<std::vector<size_t>> rows;
  /// The parts of each arrow.
  std::vector<std::vector<Part>> parts;
};

} // namespace

void Layout::assignRows() {
  std::vector<SmallVector<size_t>> next(boxes.size());
  std::vector<size_t> waits(boxes.size()), least(boxes.size());
  for (const LayoutArrow &arrow : arrows) {
    next[arrow.from].push_back(arrow.to);
    ++waits[arrow.to];
  }
  std::vector<double> widths;
  items.resize(boxes.size());
  size_t numRows = 0;
  // An arrow never goes back to an earlier place, so each place can be put below the one before it.
  for (auto place : {LayoutBox::Place::Start, LayoutBox::Place::Middle, LayoutBox::Place::End}) {
    size_t first = numRows;
    std::vector<size_t> ready;
    for (size_t i = 0; i < boxes.size(); ++i)
      if (boxes[i].place == place && !waits[i])
        ready.push_back(i);
    for (size_t done = 0; done < ready.size(); ++done) {
      size_t box = ready[done], row = std::max(first, least[box]);
      double own = boxes[box].width + kBoxGap;
      while (row < widths.size() && widths[row] > 0 && widths[row] + own > maxWidth + kBoxGap)
        ++row;
      widths.resize(std::max(widths.size(), row + 1));
      widths[row] += own;
      numRows = std::max(numRows, row + 1);
      items[box].row = row;
      items[box].box = box;
      items[box].width = boxes[box].width;
      for (size_t to : next[box]) {
        least[to] = std::max(least[to], row + 1);
        if (!--waits[to] && boxes[to].place == place)
          ready.push_back(to);
      }
    }
  }
  rows.resize(numRows);
  for (size_t i = 0; i < boxes.size(); ++i)
    rows[items[i].row].push_back(i);
}

void Layout::addLanes() {
  for (const LayoutArrow &arrow : arrows) {
    std::vector<Part> &own = parts.emplace_back();
    size_t last = arrow.from;
    auto connect = [&](size_t to) {
      own.push_back({last, to});
      items[last].below.push_back(to);
      items[to].above.push_back(last);
      last = to;
    };
    for (size_t row = items[arrow.from].row + 1; row < items[arrow.to].row; ++row) {
      rows[row].push_back(items.size());
      items.emplace_back().row = row;
      connect(items.size() - 1);
    }
    connect(arrow.to);
  }
}

void Layout::pack(ArrayRef<size_t> row) {
  double x = 0;
  for (auto [i, item] : enumerate(row)) {
    if (i)
      x += getGap(items[row[i - 1]], items[item]);
    items[item].x = x + items[item].width / 2;
    x += items[item].width;
  }
  for (size_t item : row)
    items[item].x -= x / 2;
}

void Layout::order() {
  for (ArrayRef<size_t> row : rows)
    pack(row);
  auto sortRow = [&](std::vector<size_t> &row, SmallVector<size_t> Item::*neighbours) {
    // Items with the same middle stay in their order.
    std::map<size_t, std::pair<double, size_t>> keys;
    for (auto [i, item] : enumerate(row)) {
      double sum = 0, count = 0;
      for (size_t other : items[item].*neighbours)
        if (!isFree(items[other])) {
          sum += items[other].x;
          ++count;
        }
      keys[item] = {count != 0 ? sum / count : items[item].x, i};
    }
    llvm::sort(row, [&](size_t a, size_t b) { return keys[a] < keys[b]; });
    pack(row);
  };
  for (int i = 0; i < 4; ++i) {
    for (std::vector<size_t> &row : rows)
      sortRow(row, &Item::above);
    for (std::vector<size_t> &row : reverse(rows))
      sortRow(row, &Item::below);
  }
}

void Layout::moveRow(ArrayRef<size_t> row) {
  // Each item wants to be in the middle of its neighbours. Items that would lie on each other move as one block, so
  // that the sum of the squares of the distances from there is the least.
  struct Block {
    double sum, weight;
    size_t count;
    double getX() const { return sum / weight; }
  };
  SmallVector<Block> blocks;
  SmallVector<double> offsets;
  double offset = 0;
  for (auto [i, index] : enumerate(row)) {
    const Item &item = items[index];
    if (i) {
      const Item &last = items[row[i - 1]];
      offset += (last.width + item.width) / 2 + getGap(last, item);
    }
    offsets.push_back(offset);
    double sum = 0, count = 0;
    for (const SmallVector<size_t> *neighbours : {&item.above, &item.below})
      for (size_t other : *neighbours) {
        if (isFree(items[other]))
          continue;
        // Arrows that pass rows should be straight.
        double weight = item.box < 0 && items[other].box < 0 ? 4 : 1;
        sum += weight * items[other].x;
        count += weight;
      }
    double wanted = count != 0 ? sum / count : item.x, weight = item.box < 0 ? 1 : 2;
    blocks.push_back({weight * (wanted - offset), weight, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].getX() > blocks.back().getX()) {
      Block last = blocks.pop_back_val();
      blocks.back().sum += last.sum;
      blocks.back().weight += last.weight;
      blocks.back().count += last.count;
    }
  }
  size_t i = 0;
  for (const Block &block : blocks)
    for (size_t end = i + block.count; i < end; ++i)
      items[row[i]].x = block.getX() + offsets[i];
}

void Layout::align() {
  for (int i = 0; i < 12; ++i) {
    for (ArrayRef<size_t> row : rows)
      moveRow(row);
    for (ArrayRef<size_t> row : reverse(rows))
      moveRow(row);
  }
}

void Layout::setPorts() {
  std::vector<std::vector<Part *>> leaving(items.size()), reaching(items.size());
  for (std::vector<Part> &own : parts)
    for (Part &part : own) {
      leaving[part.from].push_back(&part);
      reaching[part.to].push_back(&part);
    }
  auto spread = [&](std::vector<Part *> &ends, size_t item, size_t Part::*other, double Part::*x) {
    auto getKey = [&](Part *part) { return std::make_pair(items[part->*other].x, part->*other); };
    llvm::sort(ends, [&](Part *a, Part *b) { return getKey(a) < getKey(b); });
    double step = std::min(kPort, std::max(0.0, items[item].width - 16) / std::max<size_t>(ends.size(), 1));
    for (auto [i, part] : enumerate(ends))
      part->*x = items[item].x + step * (i - (ends.size() - 1) / 2.0);
  };
  for (size_t i = 0; i < items.size(); ++i) {
    spread(leaving[i], i, &Part::to, &Part::fromX);
    spread(reaching[i], i, &Part::from, &Part::toX);
  }
  // A small step aside becomes a straight line, if an end is the only one at its box.
  for (std::vector<Part> &own : parts)
    for (Part &part : own) {
      auto canMove = [&](size_t item, ArrayRef<Part *> ends, double x) {
        return items[item].box >= 0 && ends.size() == 1 && std::abs(x - items[item].x) <= items[item].width / 2 - 12;
      };
      if (isFree(items[part.from]) || canMove(part.from, leaving[part.from], part.toX))
        part.fromX = part.toX;
      else if (isFree(items[part.to]) || canMove(part.to, reaching[part.to], part.fromX))
        part.toX = part.fromX;
    }
}

LayoutSize Layout::place() {
  double left = 0, right = 0;
  bool isFirst = true;
  for (const Item &item : items) {
    if (isFree(item))
      continue;
    left = isFirst ? item.x - item.width / 2 : std::min(left, item.x - item.width / 2);
    right = isFirst ? item.x + item.width / 2 : std::max(right, item.x + item.width / 2);
    isFirst = false;
  }
  std::vector<double> gaps(rows.size()), tops(rows.size()), bottoms(rows.size());
  for (ArrayRef<Part> own : parts)
    for (const Part &part : own) {
      double wanted = std::min(kMostGap, kLeastGap + kSlope * std::abs(part.toX - part.fromX));
      gaps[items[part.from].row] = std::max(gaps[items[part.from].row], wanted);
    }
  double y = 0;
  for (auto [i, row] : enumerate(rows)) {
    tops[i] = y;
    double height = 0;
    for (size_t item : row)
      if (items[item].box >= 0)
        height = std::max(height, boxes[items[item].box].height);
    bottoms[i] = y + height;
    y = bottoms[i] + (i + 1 < rows.size() ? std::max(kLeastGap, gaps[i]) : 0);
    for (size_t index : row) {
      const Item &item = items[index];
      if (item.box < 0)
        continue;
      LayoutBox &box = boxes[item.box];
      box.x = item.x - item.width / 2 - left;
      box.y = tops[i] + (height - box.height) / 2;
    }
  }
  for (auto [arrow, own] : zip_equal(arrows, parts)) {
    const LayoutBox &from = boxes[arrow.from], &to = boxes[arrow.to];
    arrow.points.push_back({own.front().fromX - left, from.y + from.height});
    for (const Part &part : own) {
      arrow.points.push_back({part.fromX - left, bottoms[items[part.from].row]});
      arrow.points.push_back({part.toX - left, tops[items[part.to].row]});
    }
    arrow.points.push_back({own.back().toX - left, to.y});
  }
  return {right - left, y};
}

LayoutSize recur::layOut(std::vector<LayoutBox> &boxes, std::vector<LayoutArrow> &arrows, double maxWidth) {
  return Layout(boxes, arrows, maxWidth).run();
}
