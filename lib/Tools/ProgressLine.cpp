// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ProgressLine.cpp - How far a compilation is ------------------------===//
//
// The line is written over itself. That takes two control sequences, which all terminals have.
//
//===----------------------------------------------------------------------===//

#include "Recur/Tools/ProgressLine.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace recur;

/// Goes to the start of the line, and erases it.
static constexpr const char *kErase = "\r\x1b[K";
static constexpr std::chrono::milliseconds kInterval(100);

ProgressLine::ProgressLine(raw_ostream &os, StringRef title, Clock::duration delay)
    : os(os), title(title), next(Clock::now() + delay) {}

void ProgressLine::show(StringRef step, unsigned done, unsigned steps) {
  Clock::time_point now = Clock::now();
  if (now < next || steps == 0)
    return;
  next = now + kInterval;
  isShown = true;
  os << kErase << formatv("{0}: {1,3}% ({2})", title, 100 * uint64_t(done) / steps, step);
  os.flush();
}

void ProgressLine::clear() {
  if (!isShown)
    return;
  isShown = false;
  os << kErase;
  os.flush();
}
