// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CrashNotes.cpp - where a process ended -----------------------------===//

#include "Recur/Testing/CrashNotes.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <execinfo.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

namespace recur::fuzz {

struct CrashNotes::Page {
  /// A pointer to a literal is the same in parent and child.
  const char *phase;
  int count;
  void *frames[48];
};

/// The page that this process writes into, or null.
static void *ownPage = nullptr;

/// The seconds that limitTime allows each phase; 0 without a limit.
static unsigned allowedSeconds = 0;

static void startTime() {
  itimerval timer = {};
  timer.it_value.tv_sec = allowedSeconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
  alarm(20 * allowedSeconds);
}

void enterPhase(llvm::StringLiteral phase) {
  if (ownPage)
    *static_cast<const char **>(ownPage) = phase.data();
  if (allowedSeconds)
    startTime();
}

void limitTime(unsigned seconds) {
  allowedSeconds = seconds;
  startTime();
}

bool isTimeLimit(int signal) { return signal == SIGPROF || signal == SIGALRM; }

CrashNotes::CrashNotes() {
  void *memory = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  page = memory == MAP_FAILED ? nullptr : static_cast<Page *>(memory);
}

CrashNotes::~CrashNotes() {
  if (page)
    munmap(page, sizeof(Page));
}

void CrashNotes::clear() {
  if (page)
    *page = {};
}

void CrashNotes::record() {
  if (!page)
    return;
  ownPage = page;
  // The first call loads a library, which a signal handler must not.
  void *frame;
  backtrace(&frame, 1);
  static char stack[1 << 16];
  stack_t other = {};
  other.ss_sp = stack;
  other.ss_size = sizeof(stack);
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  // SA_RESETHAND: the signal, raised once more, ends the process.
  action.sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
  action.sa_handler = [](int signal) {
    Page *own = static_cast<Page *>(ownPage);
    own->count = backtrace(own->frames, std::size(own->frames));
    raise(signal);
  };
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF, SIGALRM})
    sigaction(signal, &action, nullptr);
}

/// The name of the function at an address, without its parameters; empty if it is not known.
static std::string nameFunction(void *address) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname)
    return "";
  static llvm::symbolize::LLVMSymbolizer symbolizer;
  uint64_t offset = reinterpret_cast<uint64_t>(address) - reinterpret_cast<uint64_t>(info.dli_fbase) - 1;
  llvm::Expected<llvm::DILineInfo> line = symbolizer.symbolizeCode(
      info.dli_fname, llvm::object::SectionedAddress{offset, llvm::object::SectionedAddress::UndefSection});
  if (!line) {
    llvm::consumeError(line.takeError());
    return "";
  }
  llvm::StringRef name = line->FunctionName;
  if (name == llvm::DILineInfo::BadString)
    return "";
  name.consume_front("(anonymous namespace)::");
  return name.take_until([](char c) { return c == '(' || c == '<'; }).str();
}

std::string CrashNotes::describe(unsigned most) const {
  if (!page || (!page->phase && !page->count))
    return "";
  llvm::SmallVector<std::string> names;
  for (int i = 0; i < std::min<int>(page->count, std::size(page->frames)) && names.size() != most; ++i) {
    std::string name = nameFunction(page->frames[i]);
    llvm::StringRef text = name;
    // The handler, the C library, and functions that are everywhere tell nothing.
    bool isCommon = text.empty() || text.starts_with("_") || text.contains("CrashNotes") || text == "raise" ||
                    text == "abort" || text.starts_with("std::") || text.starts_with("llvm::report_");
    if (!isCommon && (names.empty() || names.back() != name))
      names.push_back(name);
  }
  std::string text = page->phase ? std::string(" while ") + page->phase : std::string();
  if (!names.empty())
    text += " in " + llvm::join(names, " < ");
  return text;
}

void limitMemory(uint64_t bytes) {
  uint64_t pages = 0;
  if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
    unsigned long total = 0;
    if (std::fscanf(file, "%lu", &total) == 1)
      pages = total;
    std::fclose(file);
  }
  rlimit limit = {};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min<uint64_t>(limit.rlim_max, pages * uint64_t(sysconf(_SC_PAGESIZE)) + bytes);
  setrlimit(RLIMIT_AS, &limit);
}

} // namespace recur::fuzz
