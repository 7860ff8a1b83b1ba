// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StrictTest.cpp - the strict driver detects broken promises ---------===//
//
// Each test plants one error in the LLVM IR of a correct model and expects that the strict driver reports it.
//
//===----------------------------------------------------------------------===//
#include "Strict.h"
#include "Recur/Target/JIT.h"
#include "TestModel.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include <csignal>
#include <cstdlib>

using namespace llvm;
using namespace recur;

namespace {

class Strict : public testing::Test {
protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "fast"); }

  /// Replaces the only occurrence of `from` in the LLVM IR of a model.
  static TestModel plant(TestModel model, StringRef from, StringRef to) {
    size_t at = model.ir.find(from.str());
    EXPECT_NE(at, std::string::npos);
    EXPECT_EQ(model.ir.find(from.str(), at + 1), std::string::npos);
    model.ir.replace(at, from.size(), to.str());
    return model;
  }

  /// Calls the model strictly with the inputs of the fixture; a model with fewer inputs takes the first ones. Returns
  /// the result of recur_call_strictly, and keeps the function and the error of the call.
  int call(const TestModel &model) {
    alignas(64) static const float weights[16] = {100, 200, 300, 400};
    auto object = compileModel(model, TargetConfig::forHost(), WeightsPlacement::External);
    auto jit = JITModel::create(std::make_unique<SmallVectorMemoryBuffer>(std::move(object)), model.description.name,
                                ArrayRef(reinterpret_cast<const uint8_t *>(weights), sizeof(weights)));
    EXPECT_TRUE(!!jit);
    outputs[0] = {nullptr, outShape, nullptr, 0, 0, 0};
    strict_call call = {};
    call.model = &(*jit)->entryPoints();
    call.inputs = inputs;
    call.outputs = outputs;
    call.blocks = blocks;
    int status = recur_call_strictly(&call);
    function = call.function ? call.function : "";
    error = call.error;
    return status;
  }

  void TearDown() override { free(blocks[0]); }

  /// Expects that the call returns after a broken promise with this message.
  void expectBreach(const TestModel &model, StringRef words) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(call(model), 1);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "error: strict: " + words.str() + "\n");
    EXPECT_EQ(function, "");
  }

  /// Expects that the call ends the process with this message, because a protected page was accessed.
  void expectEnd(const TestModel &model, StringRef words) {
    EXPECT_EXIT(call(model), testing::ExitedWithCode(1), "error: strict: the model accessed " + words.str());
  }

  void takeCount() { inputs[0] = {&count, aShape, nullptr, 0, RECUR_I64, 8}; }

  float a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40};
  int64_t count = 3, aShape[1] = {4}, bShape[1] = {4}, outShape[1] = {0};
  recur_tensor inputs[2] = {{a, aShape, nullptr, 1, RECUR_F32, sizeof(a)},
                            {b, bShape, nullptr, 1, RECUR_F32, sizeof(b)}};
  recur_tensor outputs[1] = {};
  void *blocks[1] = {};
  std::string function;
  recur_error error = {};
};

TEST_F(Strict, GoodModelsPass) {
  ASSERT_EQ(call(makeAddModel()), 0);
  EXPECT_EQ(static_cast<float *>(outputs[0].data)[3], 444);
  EXPECT_EQ(outShape[0], 4);
  free(blocks[0]);
  ASSERT_EQ(call(makeDynamicAddModel()), 0);
  EXPECT_EQ(static_cast<float *>(outputs[0].data)[3], 44);
  free(blocks[0]);
  takeCount();
  ASSERT_EQ(call(makeUnknownLengthModel()), 0);
  EXPECT_EQ(outputs[0].bytes, 12u);
  free(blocks[0]);
  ASSERT_EQ(call(makeRampModel()), 0);
  EXPECT_EQ(outShape[0], 3);
  free(blocks[0]);
  uint8_t booleans[4] = {0, 1, 0, 1};
  inputs[0] = {booleans, aShape, nullptr, 1, RECUR_BOOLEAN, 4};
  ASSERT_EQ(call(makeBooleanCopyModel()), 0);
  EXPECT_EQ(static_cast<uint8_t *>(outputs[0].data)[3], 1);
}

TEST_F(Strict, EmptyTensorsPass) {
  aShape[0] = bShape[0] = 0;
  inputs[0].bytes = inputs[1].bytes = 0;
  EXPECT_EQ(call(makeDynamicAddModel()), 0);
  EXPECT_EQ(outShape[0], 0);
  free(blocks[0]);
  count = 0;
  takeCount();
  EXPECT_EQ(call(makeUnknownLengthModel()), 0);
}

TEST_F(Strict, FaultsOfModelsAreNoBreach) {
  bShape[0] = 3;
  inputs[1].bytes = 12;
  EXPECT_EQ(call(makeDynamicAddModel()), 1);
  EXPECT_EQ(function, "query");
  EXPECT_EQ(error.code, RECUR_E_SHAPE);
  EXPECT_STREQ(error.message, "a and b clash: 4 and 3 elements");
  takeCount();
  count = -1;
  EXPECT_EQ(call(makeUnknownLengthModel()), 1);
  EXPECT_EQ(function, "run");
  EXPECT_EQ(error.code, RECUR_E_TRIP);
}

TEST_F(Strict, AccessBehindABuffer) {
  expectEnd(plant(makeDynamicAddModel(), "icmp slt i64 %i, %n", "icmp sle i64 %i, %n"),
            "the byte 0 behind the end of input [01] '[ab]'");
  TestModel shorter = plant(makeAddModel(), "store i64 4, ptr %dims", "store i64 3, ptr %dims");
  shorter.description.outputs[0].dims[0] = 3;
  expectEnd(shorter, "the byte 0 behind the end of output 0 'sum'");
  TestModel working =
      plant(makeAddModel(), "store <4 x float> %t, ptr %out, align 4", R"(store <4 x float> %t, ptr %out, align 4
      %work.at = getelementptr %frame, ptr %frame, i64 0, i32 2
      %work = load ptr, ptr %work.at
      %behind = getelementptr i8, ptr %work, i64 128
      store i8 0, ptr %behind)");
  expectEnd(working, "the byte 0 behind the end of the workspace");
}

TEST_F(Strict, AccessBeforeABuffer) {
  const char store[] = "store <4 x float> %t, ptr %out, align 4";
  std::string before = "%before = getelementptr i8, ptr %out, i64 -4\n      store float 0.0, ptr %before\n      ";
  // The first call writes unused bytes in front of the buffer and changes their mark. The second call would write the
  // guard page.
  expectBreach(plant(makeAddModel(), store, before + store), "the model wrote around output 0 'sum'");
  std::string load =
      "%before = getelementptr i8, ptr %out, i64 -4\n      %u = load volatile float, ptr %before\n      ";
  expectEnd(plant(makeAddModel(), store, load + store), "the byte 4 before output 0 'sum'");
}

TEST_F(Strict, InputsAreReadOnly) {
  const char store[] = "store <4 x float> %t, ptr %out, align 4";
  expectEnd(plant(makeAddModel(), store, std::string(store) + "\n      store float 0.0, ptr %b"),
            "memory that it may only read, by a write to byte 0 of input 1 'b'");
  expectEnd(plant(makeAddModel(), store, std::string(store) + "\n      store ptr null, ptr %inputs"),
            "memory that it may only read, by a write to byte 0 of the descriptors of inputs");
}

TEST_F(Strict, BytesThatNobodyWrote) {
  const char store[] = "store <4 x float> %t, ptr %out, align 4";
  expectBreach(plant(makeAddModel(), store, ""), "element 0 of output 0 'sum' is another in the second call");
  std::string stale = R"(%work.at = getelementptr %frame, ptr %frame, i64 0, i32 2
      %work = load ptr, ptr %work.at
      %u = load float, ptr %work
      %third = getelementptr float, ptr %out, i64 2
      store float %u, ptr %third)";
  expectBreach(plant(makeAddModel(), store, store + ("\n      " + stale)),
               "element 2 of output 0 'sum' is another in the second call");
}

TEST_F(Strict, AnAllocatorThatQueryDidNotAskFor) {
  takeCount();
  expectBreach(plant(makeUnknownLengthModel(), "store i64 -1, ptr %dims", "store i64 3, ptr %dims"),
               "query returned 0, and run wants an allocator: an allocator is needed for a size that is known "
               "only after the computation");
}

TEST_F(Strict, MemoryOfTheAllocator) {
  takeCount();
  const char asks[] = "(ptr %frame, i64 %bytes)\n      %none";
  expectEnd(plant(makeUnknownLengthModel(), asks, "(ptr %frame, i64 0)\n      %none"),
            "the byte 0 behind the end of block 0 of the allocator");
  // With an alignment of 64, a block of 4 bytes has unused bytes behind it, so only the mark shows the write.
  expectBreach(plant(makeUnknownLengthModel(), asks, "(ptr %frame, i64 4)\n      %none"),
               "the model wrote around a block of the allocator");
}

TEST_F(Strict, QueryWithoutData) {
  takeCount();
  // The size depends on a value, but the description does not say so: query reads data that is null.
  TestModel model = makeRampModel();
  model.description.inputs[0].decidesSizes = false;
  EXPECT_EXIT(call(model), testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(Strict, DimsThatRunChanges) {
  expectBreach(plant(makeDynamicAddModel(), "exit:\n", R"(exit:
      %os = getelementptr %tensor, ptr %outputs, i64 0, i32 1
      %o = load ptr, ptr %os
      store i64 3, ptr %o
)"),
               "dim 0 of output 0 'sum' is 3, query said 4");
}

} // namespace
