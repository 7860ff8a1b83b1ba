// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CrashNotes.h - where a process ended, and its limits -------*- C++ -*-===//
//
// A process that checks models may crash. It shares a page of memory with the process that reports, which so learns
// what the other one was doing, and in which functions.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TESTING_CRASHNOTES_H
#define RECUR_TESTING_CRASHNOTES_H

#include "llvm/ADT/StringRef.h"

#include <memory>

namespace recur::fuzz {

/// Notes what this process is doing. The text must live as long as the program. The time that limitTime allows starts
/// again: a check compiles a model and interprets it several times, but who uses the tools does one of these at a time.
void enterPhase(llvm::StringLiteral phase);

/// A page that processes share.
class CrashNotes {
public:
  CrashNotes();
  ~CrashNotes();
  CrashNotes(const CrashNotes &) = delete;

  /// Lets this process, a child of the one that made the page, write its phase into the page, and the addresses of its
  /// functions if a signal ends it.
  void record();
  /// Forgets what was written.
  void clear();
  /// Describes what a child wrote before it ended: " while PHASE in FUNCTION < CALLER", with at most `most` functions.
  /// Empty if nothing was written.
  std::string describe(unsigned most) const;

private:
  struct Page;
  Page *page;
};

/// Limits each phase of this process to `seconds` of CPU time, which other processes on the machine do not use up. A
/// phase that waits for something is limited to 20 times as many seconds of elapsed time.
void limitTime(unsigned seconds);
/// True if the signal is the one by which limitTime ends a process.
bool isTimeLimit(int signal);

/// Limits the memory of this process to what it has, and `bytes` more. Memory beyond that cannot be allocated, which
/// ends the process by SIGABRT.
void limitMemory(uint64_t bytes);

} // namespace recur::fuzz

#endif // RECUR_TESTING_CRASHNOTES_H
