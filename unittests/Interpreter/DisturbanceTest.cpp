// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DisturbanceTest.cpp - which sums a disturbance changes -------------===//
#include "Recur/Interpreter/Tensor.h"
#include "gtest/gtest.h"

using namespace recur;
using namespace recur::interpreter;

namespace {

TEST(Disturbance, KeepsExactSums) {
  Disturbance disturbance(1, 2);
  for (recur_element_type type : {RECUR_F32, RECUR_F64})
    for (double sum : {0.0, 3.0, -0x1p52})
      EXPECT_EQ(disturbSum(type, sum), sum);
}

TEST(Disturbance, ChangesSumsThatMayHaveLostAnAddend) {
  Disturbance disturbance(1, 2);
  // 0x1p63 + 5 is 0x1p63, in f64 as well.
  for (recur_element_type type : {RECUR_F16, RECUR_F32, RECUR_F64})
    for (double sum : {0x1p63, -0x1p53})
      EXPECT_NE(disturbSum(type, sum), sum);
  EXPECT_NE(disturbSum(RECUR_F32, 0x1p24 + 1), 0x1p24 + 1);
}

TEST(Disturbance, ChangesNothingWhenItIsGone) {
  {
    Disturbance disturbance(1, 2);
  }
  EXPECT_EQ(disturbSum(RECUR_F32, 0x1p63), 0x1p63);
}

} // namespace
