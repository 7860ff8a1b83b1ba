// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Markup.cpp - texts in HTML and SVG ---------------------------------===//
//
// Each text is taken apart into characters.
//
//===----------------------------------------------------------------------===//
#include "Markup.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

using namespace llvm;
using namespace recur;

static constexpr StringLiteral kReplacement = "\xEF\xBF\xBD";
static constexpr StringLiteral kEllipsis = "\xE2\x80\xA6";

/// Takes the next character from the front of a text. Returns 0 if the first byte begins none, and then takes that
/// byte.
static UTF32 takeCharacter(StringRef &text, StringRef &bytes) {
  const auto *begin = reinterpret_cast<const UTF8 *>(text.data()), *next = begin;
  UTF32 character = 0;
  if (convertUTF8Sequence(&next, begin + text.size(), &character, strictConversion) != conversionOK) {
    character = 0;
    next = begin + 1;
  }
  bytes = text.take_front(next - begin);
  text = text.drop_front(next - begin);
  return character;
}

/// True for characters that change the direction of what follows them.
static bool changesDirection(UTF32 character) {
  return character == 0x061C || character == 0x200E || character == 0x200F ||
         (character >= 0x202A && character <= 0x202E) || (character >= 0x2066 && character <= 0x2069);
}

std::string recur::makePrintable(StringRef text) {
  std::string result;
  while (!text.empty()) {
    StringRef bytes;
    UTF32 character = takeCharacter(text, bytes);
    if (character == ' ' || (character >= '\t' && character <= '\r'))
      result += ' ';
    else if (character < ' ' || (character >= 0x7F && character < 0xA0) || changesDirection(character) ||
             !sys::unicode::isPrintable(character))
      result += kReplacement;
    else
      result += bytes;
  }
  return result;
}

std::string recur::escapeMarkup(StringRef text) {
  std::string result;
  for (char c : makePrintable(text))
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&#39;";
      break;
    default:
      result += c;
    }
  return result;
}

unsigned recur::countColumns(StringRef text) {
  int columns = sys::unicode::columnWidthUTF8(text);
  return columns < 0 ? text.size() : columns;
}

std::string recur::shorten(StringRef text, unsigned columns) {
  if (countColumns(text) <= columns)
    return text.str();
  SmallVector<StringRef> characters;
  while (!text.empty())
    takeCharacter(text, characters.emplace_back());
  // Takes characters while they fit into `room` columns.
  auto take = [](auto begin, auto end, unsigned room) {
    unsigned count = 0;
    for (; begin != end; ++begin, ++count) {
      unsigned own = countColumns(*begin);
      if (own > room)
        break;
      room -= own;
    }
    return count;
  };
  unsigned head = take(characters.begin(), characters.end(), columns / 2);
  unsigned tail = take(characters.rbegin(), characters.rend(), columns - columns / 2 - 1);
  std::string result;
  for (StringRef character : ArrayRef(characters).take_front(head))
    result += character;
  result += kEllipsis;
  for (StringRef character : ArrayRef(characters).take_back(tail))
    result += character;
  return result;
}
