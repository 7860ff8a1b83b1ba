// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ProgressLineTest.cpp - the line of a long compilation --------------===//
#include "Recur/Tools/ProgressLine.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace recur;

namespace {

constexpr const char *kErase = "\r\x1b[K";

TEST(ProgressLine, ReplacesItself) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ProgressLine line(os, "model.xml", std::chrono::seconds(0));
  line.show("loops", 1, 3);
  EXPECT_EQ(text, kErase + std::string("model.xml:  33% (loops)"));
  // Another step at once is not worth the time of the terminal.
  size_t length = text.size();
  line.show("linalg", 2, 3);
  EXPECT_EQ(text.size(), length);
  line.clear();
  EXPECT_EQ(text.substr(length), kErase);
  // Nothing is left to be cleared.
  line.clear();
  EXPECT_EQ(text.size(), length + std::string(kErase).size());
}

TEST(ProgressLine, IsClearedAtTheEnd) {
  std::string text;
  llvm::raw_string_ostream os(text);
  {
    ProgressLine(os, "m", std::chrono::seconds(0)).show("code", 3, 3);
  }
  EXPECT_EQ(text, kErase + std::string("m: 100% (code)") + kErase);
}

TEST(ProgressLine, ShowsNothingOfAShortCompilation) {
  std::string text;
  llvm::raw_string_ostream os(text);
  {
    ProgressLine(os, "m", std::chrono::hours(1)).show("loops", 1, 3);
  }
  EXPECT_EQ(text, "");
}

} // namespace
