// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WeightsTest.cpp - weights outside of a model's object --------------===//
#include "Recur/Target/JIT.h"
#include "Recur/Target/MapWeights.h"
#include "Recur/Target/ObjectFile.h"
#include "TestModel.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace recur;

namespace {

TEST(Weights, HashIsXXH3) {
  std::vector<uint8_t> bytes(5000);
  uint32_t random = 1;
  for (uint8_t &byte : bytes)
    byte = (random = random * 1664525 + 1013904223) >> 24;
  for (size_t size = 0; size <= bytes.size(); ++size)
    ASSERT_EQ(recur_hash_weights(bytes.data() + size % 7 % (bytes.size() - size + 1), size),
              xxh3_64bits(ArrayRef(bytes).slice(size % 7 % (bytes.size() - size + 1), size)))
        << size;
}

class GivenWeights : public testing::Test {
protected:
  void SetUp() override {
    TestModel model = makeAddModel();
    model.description.weightsHash = xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(weights), sizeof(weights)));
    auto object = compileModel(model, TargetConfig::forHost(), WeightsPlacement::Given);
    Error check = checkObject(object, "adder");
    ASSERT_FALSE(!!check) << toString(std::move(check));
    auto made = JITModel::create(std::make_unique<SmallVectorMemoryBuffer>(std::move(object)), "adder", {});
    ASSERT_TRUE(!!made) << toString(made.takeError());
    jit = std::move(*made);
    entries = jit->entryPoints();
    instance.resize(entries.instance_size());
    error.size = sizeof(error);
    config.size = sizeof(config);
  }

  int32_t init() { return entries.init(instance.data(), &config, &error); }
  int32_t check(const void *data, size_t bytes) { return recur_check_weights(entries.info(), data, bytes, &error); }

  alignas(64) float weights[4] = {100, 200, 300, 400};
  std::unique_ptr<JITModel> jit;
  recur_entry_points entries;
  std::vector<long double> instance;
  recur_error error = {};
  recur_config config = {};
};

TEST_F(GivenWeights, InitNeedsThem) {
  EXPECT_EQ(entries.init(instance.data(), nullptr, &error), RECUR_E_WEIGHTS);
  EXPECT_STREQ(error.message, "the object has no weights: config must give 16 bytes");
  EXPECT_EQ(init(), RECUR_E_WEIGHTS);
  config.weights = weights;
  config.weights_bytes = 15;
  EXPECT_EQ(init(), RECUR_E_WEIGHTS);
  EXPECT_STREQ(error.message, "the weights have 15 bytes, expected 16");
  config.weights_bytes = 16;
  EXPECT_EQ(init(), RECUR_OK) << error.message;
}

TEST_F(GivenWeights, Check) {
  EXPECT_EQ(check(weights, 16), RECUR_OK) << error.message;
  EXPECT_EQ(error.code, RECUR_OK);
  EXPECT_EQ(check(weights, 12), RECUR_E_WEIGHTS);
  EXPECT_STREQ(error.message, "the weights have another number of bytes than the model's");
  EXPECT_EQ(error.detail[0], 16);
  EXPECT_EQ(error.detail[1], 12);
  EXPECT_EQ(check(nullptr, 16), RECUR_E_NULL);
  alignas(64) float moved[32] = {};
  EXPECT_EQ(check(moved + 1, 16), RECUR_E_WEIGHTS);
  EXPECT_STREQ(error.message, "the weights are not aligned to RECUR_ALIGNMENT");
  EXPECT_EQ(check(moved, 16), RECUR_E_WEIGHTS);
  EXPECT_STREQ(error.message, "the weights have another hash than the model's");
  EXPECT_EQ(uint64_t(error.detail[0]), entries.info()->weights_hash);
  EXPECT_EQ(uint64_t(error.detail[1]), recur_hash_weights(moved, 16));
  EXPECT_EQ(recur_check_weights(entries.info(), moved, 16, nullptr), RECUR_E_WEIGHTS);
  // A struct without room for a message.
  error.size = offsetof(recur_error, message);
  error.message[0] = 'x';
  EXPECT_EQ(check(moved, 16), RECUR_E_WEIGHTS);
  EXPECT_EQ(error.message[0], 'x');
}

} // namespace
