// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Markup.h - texts in HTML and SVG -------------------------*- C++ -*-===//
//
// Names come from files of strangers: they may have any bytes, and are text in a page, never markup.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_LIB_EXPLAIN_MARKUP_H
#define RECUR_LIB_EXPLAIN_MARKUP_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace recur {

/// The text as UTF-8 that a page may have and that reads in one direction: bytes that are no UTF-8, control characters,
/// and those that change the direction of a text, are replaced by U+FFFD, and spaces of any kind by one space.
std::string makePrintable(llvm::StringRef text);

/// The text as it stands in HTML and SVG, in an element or an attribute with double quotes.
std::string escapeMarkup(llvm::StringRef text);

/// The columns of a printable text in a font of equal widths.
unsigned countColumns(llvm::StringRef text);

/// A printable text of at most `columns` columns: the middle of a longer one is left out.
std::string shorten(llvm::StringRef text, unsigned columns);

} // namespace recur

#endif // RECUR_LIB_EXPLAIN_MARKUP_H
