// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Drawing.h - parts of pictures in SVG ---------------------*- C++ -*-===//
//
// Texts have a font of equal widths, and columns that are wider than those of common fonts, so that a text fits its box
// whatever the font of the reader is.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_EXPLAIN_DRAWING_H
#define RECUR_LIB_EXPLAIN_DRAWING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <utility>
#include <vector>

namespace recur {

// All lengths are in pixels.
constexpr double kColumn = 7.4, kLine = 16;
/// The strip of parts of a slice or a concatenation.
constexpr double kStripCell = 8, kStripHeight = 12;
constexpr unsigned kStripCells = 5;

/// A text with its class.
struct Line {
  std::string text, style;
};

double getWidth(llvm::StringRef text);
double getWidth(llvm::ArrayRef<Line> lines);

/// A name of at most so many columns, as a line.
Line makeLine(llvm::StringRef text, unsigned columns, llvm::StringRef style);

/// Wraps texts into lines, with a separator between them.
std::vector<Line> wrap(llvm::ArrayRef<std::string> texts, llvm::StringRef separator, unsigned columns,
                       llvm::StringRef style);

class Drawing {
public:
  using Point = std::pair<double, double>;

  explicit Drawing(llvm::raw_ostream &os) : os(os) {}

  void drawText(double x, double y, const Line &line, llvm::StringRef anchor = "start");
  void drawBox(double x, double y, double width, double height, llvm::StringRef style, double radius = 6);
  /// A line through points, and an arrow at its end. `style` is the class; that of the arrow has "-part" behind it.
  void drawArrow(llvm::ArrayRef<Point> points, llvm::StringRef style);
  /// An arrow down, of the points of a LayoutArrow moved by `x` and `y`.
  void drawFlow(llvm::ArrayRef<Point> points, double x, double y);
  /// A strip of parts, of which the first one that is read or written is filled.
  void drawStrip(double x, double y, bool isBackward, llvm::StringRef style);
  /// Between these are the elements that have a title, which a pointer shows.
  void begin(llvm::StringRef title);
  void end();

private:
  void drawHead(Point from, Point to, llvm::StringRef style);

  llvm::raw_ostream &os;
};

} // namespace recur

#endif // RECUR_LIB_EXPLAIN_DRAWING_H
