// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- HeaderTest.cpp - names and the generated header --------------------===//
#include "Recur/Target/Header.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace recur;

namespace {

TEST(ModelName, Valid) {
  EXPECT_TRUE(isValidModelName("speech"));
  EXPECT_TRUE(isValidModelName("a_1"));
  for (StringRef bad : {"", "1a", "_a", "a-b", "int", "class", "recur", "recur_model", "a__b", "a b", "\xc3\xa9"})
    EXPECT_FALSE(isValidModelName(bad)) << bad.str();
}

TEST(ModelName, Made) {
  EXPECT_EQ(makeModelName("my model.v2"), "my_model_v2");
  EXPECT_EQ(makeModelName("2nd"), "model_2nd");
  EXPECT_EQ(makeModelName("for"), "model_for");
  EXPECT_EQ(makeModelName("..."), "model");
  EXPECT_EQ(makeModelName(""), "model");
  EXPECT_EQ(makeModelName("recur_x"), "model_recur_x");
  for (StringRef text : {"__a__b__", "a--b", "recur", "_", "9", "\xc3\xa9"})
    EXPECT_TRUE(isValidModelName(makeModelName(text))) << makeModelName(text);
  EXPECT_TRUE(isValidModelName(makeModelName(std::string(1000, '7'))));
}

TEST(Header, NamesCannotEscape) {
  ModelDescription model;
  model.name = "m";
  model.inputs = {{"evil */ int x; /*\n#error", RECUR_I64, {-1, 3}}};
  std::string text;
  raw_string_ostream os(text);
  emitHeader(os, model);
  EXPECT_EQ(StringRef(text).count("evil * / int x; /*?#error"), 1u);
  EXPECT_NE(text.find("input 0: i64 [?, 3]"), std::string::npos);
  EXPECT_NE(text.find("int32_t m_run(void *instance"), std::string::npos);
  EXPECT_EQ(text.find("m_workspace_bytes"), std::string::npos);
  EXPECT_NE(text.find("recur_entry_points m_entry_points(void)"), std::string::npos);
  EXPECT_NE(text.find("m_reset, NULL, NULL, NULL}"), std::string::npos);
}

} // namespace
