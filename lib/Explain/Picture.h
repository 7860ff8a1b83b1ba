// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Picture.h - loops as pictures ----------------------------*- C++ -*-===//
//
// Draws a model as nested boxes, in SVG.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_EXPLAIN_PICTURE_H
#define RECUR_LIB_EXPLAIN_PICTURE_H

#include "Recur/Explain/Explanation.h"

namespace recur {

struct Picture {
  /// An element of SVG, which the rules of `kPictureStyle` colour.
  std::string svg;
  /// The width that it has been made for, in pixels.
  unsigned width;
};

/// Draws `body`, which is that of the model. Data flows from top to bottom: from inputs through boxes of layers and
/// loops to outputs. What a loop slices comes from its left, what it concatenates leaves at its right, and what it
/// carries goes back below its body.
/// `caption` describes the picture for those who cannot see it.
Picture drawPicture(const Explanation &explanation, const ExplainedBody &body, llvm::StringRef caption);

/// The rules of CSS for pictures. They use the variables of the page.
extern const llvm::StringLiteral kPictureStyle;

} // namespace recur

#endif // RECUR_LIB_EXPLAIN_PICTURE_H
