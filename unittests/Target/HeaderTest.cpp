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
  model.inputs = {{"evil */ int x; /*\n#error", RECUR_I64, {-1, 3}}, {"what?\?/", RECUR_I64, {1}}};
  std::string text;
  raw_string_ostream os(text);
  emitHeader(os, model);
  EXPECT_EQ(StringRef(text).count("evil * / int x; / *?#error"), 1u);
  EXPECT_EQ(StringRef(text).count("what? ?/"), 1u);
  EXPECT_NE(text.find("input 0: i64 [?, 3]"), std::string::npos);
  EXPECT_NE(text.find("int32_t m_run(void *instance"), std::string::npos);
  EXPECT_EQ(text.find("m_workspace_bytes"), std::string::npos);
  EXPECT_NE(text.find("recur_entry_points m_entry_points(void)"), std::string::npos);
  EXPECT_NE(text.find("m_reset, NULL, NULL, NULL}"), std::string::npos);
}

TEST(Header, EntriesHaveNamesOfTheirOwn) {
  EXPECT_EQ(getFunctionName("m", Entry::Run, "query"), "m_query");
  EXPECT_EQ(getFunctionName("m", Entry::Step, "query"), "m_step_query");
  EXPECT_EQ(getFunctionName("m", Entry::Step, "run"), "m_step");
  EXPECT_EQ(getFunctionName("m", Entry::Step, "init"), "m_init");
  ModelDescription model;
  model.name = "m";
  model.inputs = {{"x", RECUR_F32, {9, 2}}};
  EntryDescription step;
  step.entry = Entry::Step;
  step.inputs = {{"x", RECUR_F32, {1, 2}}, {"h", RECUR_F32, {2}}, {"h is set", RECUR_BOOLEAN, {}}};
  step.outputs = {{"h", RECUR_F32, {2}}};
  step.setsState = {true};
  model.step = step;
  EXPECT_EQ(&model.getStatesEntry(), &*model.step);
  std::string text;
  raw_string_ostream os(text);
  emitHeader(os, model);
  for (StringRef part : {"m_run:\n *   input 0: f32 [9, 2] x\n", "m_step:\n *   input 0: f32 [1, 2] x\n",
                         " *   state 0: f32 [2] h\n", "#define m_num_inputs 1\n", "#define m_step_num_inputs 1\n",
                         "#define m_num_states 1\n", "int32_t m_run(", "int32_t m_step(", "m_reset, NULL, NULL, NULL}",
                         "m_reset,\n      m_get_state,\n      m_set_state,\n      m_state_memory}"})
    EXPECT_EQ(StringRef(text).count(part), 1u) << part.str();
}

} // namespace
