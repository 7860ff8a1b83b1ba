// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Depfile.cpp - what a tool read, for make and ninja -----------------===//
//
// make and ninja agree on how these characters are escaped, but not on a backslash before one of them.
//
//===----------------------------------------------------------------------===//

#include "Recur/Tools/Depfile.h"
#include "Recur/Tools/CommandLine.h"

#include "llvm/ADT/StringRef.h"

using namespace llvm;
using namespace recur;

/// Appends the paths of `files`, with spaces before them. Fails if a path has one of the characters `refused`.
static Error append(std::string &rule, ArrayRef<ToolFile> files, StringRef refused) {
  for (const ToolFile &file : files) {
    if (file.path == "-")
      continue;
    if (StringRef(file.path).find_first_of(refused) != StringRef::npos)
      return createStringError("expected a path that a rule of make can name, but got '" + file.path + "' for " +
                               file.words);
    rule += rule.empty() ? "" : " ";
    for (char c : file.path) {
      if (StringRef(" #:").contains(c))
        rule += '\\';
      rule += c == '$' ? "$$" : std::string(1, c);
    }
  }
  return Error::success();
}

Expected<std::string> recur::makeDepfile(ArrayRef<ToolFile> outputs, ArrayRef<ToolFile> inputs) {
  std::string rule;
  // A % in the target would make a pattern of the rule.
  if (Error error = append(rule, outputs, "\\\n\r\t%"))
    return std::move(error);
  rule += ":";
  if (Error error = append(rule, inputs, "\\\n\r\t"))
    return std::move(error);
  return rule + "\n";
}
