// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SourceText.cpp - Places in the XML and reports about them ----------===//
//
// Finds lines and columns, emits diagnostics, and makes texts of the file safe to print.
//
//===----------------------------------------------------------------------===//

#include "SourceText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace mlir;
using namespace recur::ir;
using llvm::Twine;

SourceText::SourceText(StringRef text, StringRef path, MLIRContext *context)
    : text(text), file(StringAttr::get(context, path)) {
  Checkpoint current{1, 0};
  for (size_t block = 0; block <= text.size(); block += blockSize) {
    checkpoints.push_back(current);
    StringRef part = text.substr(block, blockSize);
    current.line += part.count('\n');
    if (size_t last = part.rfind('\n'); last != StringRef::npos)
      current.lineStart = block + last + 1;
  }
}

FileLineColLoc SourceText::locate(Offset offset) const {
  offset = std::min(offset, text.size());
  size_t block = offset / blockSize;
  Checkpoint place = checkpoints[block];
  StringRef part = text.slice(block * blockSize, offset);
  place.line += part.count('\n');
  if (size_t last = part.rfind('\n'); last != StringRef::npos)
    place.lineStart = block * blockSize + last + 1;
  return FileLineColLoc::get(file, place.line, offset - place.lineStart + 1);
}

Report &Report::note(Offset where, const Twine &message) {
  if (diagnostic)
    diagnostic->attachNote(source->locate(where)) << message;
  return *this;
}

Report Reports::error(Offset where, StringRef id, const Twine &message) {
  if (errors++ >= limit || isMuted)
    return {};
  return Report(source, emitError(source.locate(where)) << message << " [" << id << "]");
}

void Reports::warning(Offset where, StringRef id, const Twine &message) {
  if (!isMuted && warnings++ < limit)
    emitWarning(source.locate(where)) << message << " [" << id << "]";
}

/// The text with control characters escaped, at most `longest` bytes of it.
static std::string printable(StringRef text, size_t longest) {
  bool isCut = text.size() > longest;
  if (isCut)
    text = text.take_front(longest);
  std::string result;
  // A terminal may misinterpret text that is not valid UTF-8, or is cut within a character, so its bytes are escaped.
  const auto *bytes = reinterpret_cast<const llvm::UTF8 *>(text.data());
  bool isUTF8 = isCut ? llvm::isASCII(text) : llvm::isLegalUTF8String(&bytes, bytes + text.size());
  for (char c : text) {
    if ((static_cast<unsigned char>(c) < 0x80 && !llvm::isPrint(c)) || (!llvm::isASCII(c) && !isUTF8))
      result += "\\x" + llvm::utohexstr(static_cast<unsigned char>(c), /*LowerCase=*/true, /*Width=*/2);
    else
      result += c;
  }
  return result + (isCut ? "…" : "");
}

std::string recur::ir::shown(StringRef text) { return printable(text, /*longest=*/64); }
std::string recur::ir::quoted(StringRef text) { return "'" + shown(text) + "'"; }
std::string recur::ir::quotedPath(StringRef path) { return "'" + printable(path, /*longest=*/path.size()) + "'"; }

std::string recur::ir::didYouMean(StringRef word, ArrayRef<StringRef> candidates) {
  StringRef best;
  // Two swapped letters count as two edits, so two edits are allowed in all but the shortest words.
  unsigned bestDistance = 1 + (word.size() < 4 ? 1 : std::max<size_t>(2, std::min<size_t>(word.size(), 24) / 3));
  if (word.size() <= 64) {
    for (StringRef candidate : candidates) {
      unsigned distance = word.edit_distance_insensitive(candidate, /*AllowReplacements=*/true, bestDistance);
      if (distance < bestDistance) {
        best = candidate;
        bestDistance = distance;
      }
    }
  }
  return best.empty() ? "" : "; did you mean '" + best.str() + "'?";
}

std::string recur::ir::listed(ArrayRef<std::string> words) {
  constexpr size_t most = 12;
  std::string result;
  size_t shown = std::min(words.size(), most);
  for (size_t i = 0; i != shown; ++i) {
    if (i != 0)
      result += i + 1 == words.size() ? " and " : ", ";
    result += words[i];
  }
  if (shown != words.size())
    result += " and " + std::to_string(words.size() - shown) + " more";
  return result;
}

std::optional<int64_t> recur::ir::parseInteger(StringRef text) {
  int64_t value;
  if (text.trim().getAsInteger(10, value))
    return std::nullopt;
  return value;
}
