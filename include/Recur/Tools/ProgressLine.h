// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ProgressLine.h - How far a compilation is ----------------*- C++ -*-===//
//
// A line on a terminal, which shows that a long compilation goes on.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TOOLS_PROGRESSLINE_H
#define RECUR_TOOLS_PROGRESSLINE_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace recur {

/// Shows the part of the steps that are done, and the name of the step, in a line that disappears at the end. Nothing
/// is shown before `delay` has passed, so short compilations show nothing.
class ProgressLine {
public:
  using Clock = std::chrono::steady_clock;

  /// `title` is what is compiled. `os` is a terminal.
  ProgressLine(llvm::raw_ostream &os, llvm::StringRef title, Clock::duration delay = std::chrono::milliseconds(500));
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  /// Shows that `done` of `steps` steps are done, and `step` begins, unless it has shown another one just before.
  void show(llvm::StringRef step, unsigned done, unsigned steps);
  /// Removes the line, until a step is shown again. To be called before anything else is written to the terminal.
  void clear();

private:
  llvm::raw_ostream &os;
  std::string title;
  Clock::time_point next;
  bool isShown = false;
};

} // namespace recur

#endif // RECUR_TOOLS_PROGRESSLINE_H
