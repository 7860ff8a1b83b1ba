// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TextNesting.cpp - Text that is nested too deeply -------------------===//
//
// Counts brackets and signs, without regard to what they belong to.
//
//===----------------------------------------------------------------------===//

#include "Recur/Tools/TextNesting.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>
#include <unistd.h>

using namespace llvm;

static constexpr StringLiteral kTooDeep = "the text is nested more than 512 deep";
static_assert(recur::kMaxNesting == 512);

std::optional<size_t> recur::findDeepNesting(StringRef text) {
  size_t open = 0, signs = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    switch (c) {
    case '"':
      // To the end of the string. A string of MLIR ends with its line at the latest.
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        i += text[i] == '\\';
      break;
    case '/':
      if (text.substr(i, 2) == "//")
        i = std::min(text.find('\n', i), text.size());
      break;
    case '(':
    case '[':
    case '{':
    case '<':
      ++open;
      signs = 0;
      break;
    case ')':
    case ']':
    case '}':
      open -= open != 0;
      signs = 0;
      break;
    case '>':
      // The arrow of a function type closes nothing. Those of many function types in a row are nested.
      if (i != 0 && text[i - 1] == '-')
        break;
      open -= open != 0;
      signs = 0;
      break;
    case ',':
    case '\n':
      signs = 0;
      break;
    case '+':
    case '-':
    case '*':
      ++signs;
      break;
    case 'm':
    case 'f':
    case 'c':
      // The other operators of affine expressions.
      signs += text.substr(i).starts_with("mod ") || text.substr(i).starts_with("floordiv ") ||
               text.substr(i).starts_with("ceildiv ");
      break;
    default:
      break;
    }
    if (open > kMaxNesting || signs > kMaxNesting)
      return i;
  }
  return std::nullopt;
}

Error recur::checkNesting(MemoryBufferRef text) {
  std::optional<size_t> deep = findDeepNesting(text.getBuffer());
  if (!deep)
    return Error::success();
  StringRef before = text.getBuffer().take_front(*deep);
  size_t line = before.count('\n') + 1, column = *deep - (before.rfind('\n') + 1) + 1;
  return createStringError(text.getBufferIdentifier() + ":" + Twine(line) + ":" + Twine(column) + ": " + kTooDeep);
}

//===----------------------------------------------------------------------===//
// Messages of the language server protocol
//===----------------------------------------------------------------------===//

/// True if a string of the message is text that is nested too deeply.
static bool hasDeepText(const json::Value &value) {
  if (std::optional<StringRef> text = value.getAsString())
    return recur::findDeepNesting(*text).has_value();
  if (const json::Array *array = value.getAsArray())
    return any_of(*array, hasDeepText);
  if (const json::Object *object = value.getAsObject())
    return any_of(*object, [](const auto &entry) { return hasDeepText(entry.second); });
  return false;
}

static bool isTooDeep(StringRef message) {
  if (recur::findDeepNesting(message))
    return true;
  Expected<json::Value> value = json::parse(message);
  if (value)
    return hasDeepText(*value);
  // The server says what is wrong with it.
  consumeError(value.takeError());
  return false;
}

/// Copies messages: lines of a head, an empty line, and as many bytes as the head says.
static void copyMessages(FILE *from, FILE *to) {
  std::string head;
  size_t length = 0;
  char *line = nullptr;
  size_t capacity = 0;
  for (ssize_t count; (count = getline(&line, &capacity, from)) > 0;) {
    StringRef text(line, size_t(count));
    head += text;
    if (text.consume_front_insensitive("Content-Length:") && text.trim().getAsInteger(10, length))
      length = 0;
    if (!text.trim().empty())
      continue;
    std::string body;
    char part[4096];
    while (body.size() < length) {
      size_t got = fread(part, 1, std::min(sizeof(part), length - body.size()), from);
      if (got == 0)
        break;
      body.append(part, got);
    }
    if (isTooDeep(body)) {
      errs() << "error: a message is left out: " << kTooDeep << "\n";
    } else {
      fwrite(head.data(), 1, head.size(), to);
      fwrite(body.data(), 1, body.size(), to);
      fflush(to);
    }
    head.clear();
    length = 0;
  }
  free(line);
  fwrite(head.data(), 1, head.size(), to);
  fclose(to);
}

void recur::leaveOutDeepMessages() {
  int ends[2], input = dup(STDIN_FILENO);
  if (input < 0 || pipe(ends) != 0)
    return;
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  FILE *from = fdopen(input, "r"), *to = fdopen(ends[1], "w");
  if (from && to)
    std::thread(copyMessages, from, to).detach();
}
