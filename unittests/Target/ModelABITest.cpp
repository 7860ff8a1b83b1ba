// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelABITest.cpp - the statuses of the public ABI ------------------===//
//
// Each test breaks one rule of ABI.h in the call of a model that is written by hand, and expects the status and the
// message.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/JIT.h"
#include "Recur/Target/ObjectFile.h"
#include "TestModel.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include <chrono>
#include <cmath>
#include <cstdlib>

using namespace llvm;
using namespace recur;

namespace {

alignas(64) const float weights[16] = {100, 200, 300, 400};

struct Allocator {
  int live = 0, calls = 0, failAt = -1;

  static void *alloc(void *ctx, size_t bytes, size_t alignment) {
    auto *self = static_cast<Allocator *>(ctx);
    if (self->calls++ == self->failAt)
      return nullptr;
    ++self->live;
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  static void release(void *ctx, void *block) {
    --static_cast<Allocator *>(ctx)->live;
    std::free(block);
  }
};

/// A model in the JIT with an initialized instance and valid arguments, which a test then changes.
class ModelABI : public testing::Test {
protected:
  void load(const TestModel &model) {
    auto object = compileModel(model, TargetConfig::forHost(), WeightsPlacement::External);
    StringRef name = model.description.name;
    Error check = checkObject(object, name, {weightsSymbolName});
    ASSERT_FALSE(!!check) << toString(std::move(check));
    auto loaded = JITModel::create(std::make_unique<SmallVectorMemoryBuffer>(std::move(object)), name,
                                   ArrayRef(reinterpret_cast<const uint8_t *>(weights), sizeof(weights)));
    ASSERT_TRUE(!!loaded) << toString(loaded.takeError());
    jit = std::move(*loaded);
    entries = jit->entryPoints();
    instance.resize(entries.instance_size() / 8 + 1);
    error.size = sizeof(error);
    options.size = sizeof(options);
    options.ctx = &allocator;
  }

  void SetUp() override {
    load(makeAddModel());
    ASSERT_EQ(entries.init(instance.data(), nullptr, &error), RECUR_OK);
  }

  int32_t run() {
    return entries.run(instance.data(), inputs, outputs, workspace, sizeof(workspace), &options, &error);
  }

  /// Expects that run fails with this status and message, and writes no output.
  void expectFault(int32_t status, StringRef message) {
    out[0] = -1;
    EXPECT_EQ(run(), status);
    EXPECT_EQ(error.code, status);
    EXPECT_STREQ(error.message, message.str().c_str());
    EXPECT_EQ(out[0], -1);
    EXPECT_EQ(allocator.live, 0);
  }

  void withAllocator() {
    options.alloc = Allocator::alloc;
    options.release = Allocator::release;
  }

  std::unique_ptr<JITModel> jit;
  recur_entry_points entries = {};
  std::vector<uint64_t> instance;
  float a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40}, out[4] = {};
  int64_t aShape[1] = {4}, bShape[1] = {4}, outShape[1] = {0};
  recur_tensor inputs[2] = {{a, aShape, nullptr, 1, RECUR_F32, sizeof(a)},
                            {b, bShape, nullptr, 1, RECUR_F32, sizeof(b)}};
  recur_tensor outputs[1] = {{out, outShape, nullptr, 1, RECUR_F32, sizeof(out)}};
  alignas(64) uint8_t workspace[192] = {};
  recur_error error = {};
  recur_options options = {};
  Allocator allocator;
};

TEST_F(ModelABI, Runs) {
  ASSERT_EQ(run(), RECUR_OK) << error.message;
  EXPECT_EQ(out[0], 111);
  EXPECT_EQ(out[3], 444);
  EXPECT_EQ(outShape[0], 4);
  EXPECT_EQ(error.code, RECUR_OK);
  EXPECT_EQ(entries.run(instance.data(), inputs, outputs, workspace, sizeof(workspace), nullptr, nullptr), RECUR_OK);
}

TEST_F(ModelABI, Info) {
  const recur_info *info = entries.info();
  EXPECT_EQ(info->size, sizeof(recur_info));
  EXPECT_EQ(info->abi, 1u);
  EXPECT_STREQ(info->name, "adder");
  ASSERT_EQ(info->num_inputs, 2);
  EXPECT_STREQ(info->inputs[1].name, "b");
  EXPECT_EQ(info->inputs[1].rank, 1);
  EXPECT_EQ(info->inputs[1].dims[0], 4);
  EXPECT_EQ(info->inputs[1].element_type, RECUR_F32);
  ASSERT_EQ(info->num_outputs, 1);
  EXPECT_STREQ(info->outputs[0].name, "sum");
  EXPECT_EQ(info->workspace_bytes, 128);
  EXPECT_EQ(info->weights_bytes, 16u);
  EXPECT_EQ(info->compiler, getCompilerName());
}

TEST_F(ModelABI, Query) {
  size_t bytes = 0;
  inputs[0].data = inputs[1].data = nullptr;
  recur_tensor result = {nullptr, outShape, nullptr, 0, 0, 0};
  ASSERT_EQ(entries.query(instance.data(), inputs, &result, &bytes, &error), RECUR_OK) << error.message;
  EXPECT_EQ(bytes, 128u);
  EXPECT_EQ(result.rank, 1);
  EXPECT_EQ(result.element_type, RECUR_F32);
  EXPECT_EQ(result.bytes, 16u);
  EXPECT_EQ(outShape[0], 4);
  EXPECT_EQ(entries.query(instance.data(), inputs, &result, nullptr, nullptr), RECUR_OK);
  result.shape = nullptr;
  EXPECT_EQ(entries.query(instance.data(), inputs, &result, &bytes, &error), RECUR_E_NULL);
}

TEST_F(ModelABI, NotInitialized) {
  std::fill(instance.begin(), instance.end(), 0);
  expectFault(RECUR_E_NOT_INITIALIZED, "the instance is not initialized: call init first");
  EXPECT_EQ(entries.reset(instance.data()), RECUR_E_NOT_INITIALIZED);
  EXPECT_EQ(entries.reset(nullptr), RECUR_E_NULL);
  EXPECT_EQ(entries.init(nullptr, nullptr, &error), RECUR_E_NULL);
}

TEST_F(ModelABI, NullPointers) {
  inputs[1].data = nullptr;
  expectFault(RECUR_E_NULL, "input 1 'b': data is null");
  inputs[1].shape = nullptr;
  expectFault(RECUR_E_NULL, "input 1 'b': shape is null");
  EXPECT_EQ(error.where, RECUR_IN_INPUT);
  EXPECT_EQ(error.tensor, 1);
  EXPECT_EQ(entries.run(instance.data(), nullptr, outputs, workspace, 192, nullptr, &error), RECUR_E_NULL);
  EXPECT_STREQ(error.message, "inputs is null");
  EXPECT_EQ(entries.run(instance.data(), inputs, nullptr, workspace, 192, nullptr, nullptr), RECUR_E_NULL);
  EXPECT_EQ(entries.run(nullptr, inputs, outputs, workspace, 192, nullptr, nullptr), RECUR_E_NULL);
}

TEST_F(ModelABI, Shapes) {
  aShape[0] = 5;
  expectFault(RECUR_E_SHAPE, "input 0 'a': dim 0 is 5, expected 4");
  EXPECT_EQ(error.axis, 0);
  EXPECT_EQ(error.detail[0], 4);
  EXPECT_EQ(error.detail[1], 5);
  inputs[0].rank = 3;
  expectFault(RECUR_E_SHAPE, "input 0 'a': rank is 3, expected 1");
  inputs[0].rank = 1;
  aShape[0] = 4;
  outputs[0].rank = 0;
  expectFault(RECUR_E_SHAPE, "output 0 'sum': rank is 0, expected 1");
}

TEST_F(ModelABI, ElementTypes) {
  inputs[0].element_type = RECUR_BF16;
  expectFault(RECUR_E_DTYPE, "input 0 'a': element type is bf16, expected f32");
  inputs[0].element_type = 1234;
  expectFault(RECUR_E_DTYPE, "input 0 'a': element type is unknown, expected f32");
}

TEST_F(ModelABI, Layout) {
  int64_t strides[1] = {2};
  inputs[0].strides = strides;
  expectFault(RECUR_E_LAYOUT, "input 0 'a': stride of axis 0 is 2, expected 1 (dense, row-major)");
  strides[0] = 1;
  EXPECT_EQ(run(), RECUR_OK);
  inputs[0].data = reinterpret_cast<char *>(a) + 1;
  expectFault(RECUR_E_LAYOUT, "input 0 'a': data is not aligned to its elements of 4 bytes");
}

TEST_F(ModelABI, Capacity) {
  inputs[0].bytes = 15;
  expectFault(RECUR_E_CAPACITY, "input 0 'a': needs 16 bytes, the buffer has 15");
  inputs[0].bytes = 16;
  outputs[0].bytes = 12;
  expectFault(RECUR_E_CAPACITY, "output 0 'sum': needs 16 bytes, the buffer has 12");
  EXPECT_EQ(error.detail[0], 16);
  outputs[0].data = nullptr;
  expectFault(RECUR_E_CAPACITY, "output 0 'sum': needs 16 bytes, and data is null without an allocator");
}

TEST_F(ModelABI, Workspace) {
  auto call = [&](void *memory, size_t bytes) {
    return entries.run(instance.data(), inputs, outputs, memory, bytes, nullptr, &error);
  };
  EXPECT_EQ(call(workspace, 127), RECUR_E_WORKSPACE);
  EXPECT_STREQ(error.message, "workspace: needs 128 bytes, has 127");
  EXPECT_EQ(call(nullptr, 128), RECUR_E_WORKSPACE);
  EXPECT_EQ(call(workspace + 8, 128), RECUR_E_WORKSPACE);
  EXPECT_STREQ(error.message, "workspace: is not aligned to 64 bytes");
  EXPECT_EQ(error.where, RECUR_IN_WORKSPACE);
}

TEST_F(ModelABI, Alias) {
  outputs[0].data = a + 0;
  EXPECT_EQ(run(), RECUR_E_ALIAS);
  EXPECT_STREQ(error.message, "output 0 'sum': overlaps input 0");
  outputs[0].data = workspace + 16;
  EXPECT_EQ(run(), RECUR_E_ALIAS);
  outputs[0].data = workspace + 128;
  EXPECT_EQ(run(), RECUR_OK);
}

/// Memory that a call writes must not overlap other memory of the call.
TEST_F(ModelABI, AliasOfWhatIsWritten) {
  auto expectAlias = [&](StringRef message) {
    EXPECT_EQ(run(), RECUR_E_ALIAS);
    EXPECT_STREQ(error.message, message.str().c_str());
  };
  inputs[1].data = workspace + 112;
  expectAlias("input 1 'b': overlaps the workspace");
  inputs[1].data = workspace + 128;
  EXPECT_EQ(run(), RECUR_OK);
  inputs[1].data = b;
  auto *shape = reinterpret_cast<int64_t *>(workspace + 120);
  *shape = 4;
  inputs[0].shape = shape;
  expectAlias("input 0 'a': its shape overlaps the workspace");
  inputs[0].shape = aShape;
  outputs[0].shape = shape;
  expectAlias("output 0 'sum': its shape overlaps the workspace");
  outputs[0].shape = bShape;
  expectAlias("output 0 'sum': its shape overlaps that of input 1");
  outputs[0].shape = reinterpret_cast<int64_t *>(instance.data());
  expectAlias("output 0 'sum': its shape overlaps the instance");
  alignas(8) float data[4] = {};
  outputs[0].shape = reinterpret_cast<int64_t *>(data + 2);
  outputs[0].data = data;
  expectAlias("output 0 'sum': its shape overlaps output 0");
  inputs[0].data = data;
  outputs[0].data = out;
  expectAlias("output 0 'sum': its shape overlaps input 0");
  outputs[0].data = aShape;
  outputs[0].shape = outShape;
  inputs[0].data = a;
  expectAlias("output 0 'sum': overlaps the shape of input 0");
  EXPECT_EQ(aShape[0], 4);
  EXPECT_EQ(entries.run(instance.data(), inputs, inputs, workspace, sizeof(workspace), nullptr, &error), RECUR_E_ALIAS);
  EXPECT_STREQ(error.message, "inputs and outputs overlap");
}

TEST_F(ModelABI, AliasInQuery) {
  size_t bytes;
  outputs[0].shape = aShape;
  EXPECT_EQ(entries.query(instance.data(), inputs, outputs, &bytes, &error), RECUR_E_ALIAS);
  EXPECT_STREQ(error.message, "output 0 'sum': its shape overlaps that of input 0");
  outputs[0].shape = reinterpret_cast<int64_t *>(a);
  EXPECT_EQ(entries.query(instance.data(), inputs, outputs, &bytes, &error), RECUR_E_ALIAS);
  EXPECT_STREQ(error.message, "output 0 'sum': its shape overlaps input 0");
  EXPECT_EQ(a[0], 1);
  // Query does not write the data of outputs, so this overlap is allowed.
  outputs[0].shape = outShape;
  outputs[0].data = a;
  EXPECT_EQ(entries.query(instance.data(), inputs, outputs, &bytes, &error), RECUR_OK);
}

TEST_F(ModelABI, Versions) {
  options.size = 8;
  expectFault(RECUR_E_VERSION, "options has size 8, expected at least 56");
  options.size = sizeof(options);
  options.flags = 4;
  expectFault(RECUR_E_VERSION, "options has flags 4, expected 0");
  recur_config config = {};
  EXPECT_EQ(entries.init(instance.data(), &config, &error), RECUR_E_VERSION);
  config.size = sizeof(config);
  config.flags = 1;
  EXPECT_EQ(entries.init(instance.data(), &config, &error), RECUR_E_VERSION);
  EXPECT_STREQ(error.message, "config has flags 1, expected 0 or 256");
  config.flags = RECUR_USE_TILES;
  EXPECT_EQ(entries.init(instance.data(), &config, &error), RECUR_OK);
  EXPECT_LE(recur_request_tiles(), RECUR_USE_TILES);
  // The struct of a caller with an older, smaller ABI is filled only up to its size.
  struct {
    recur_error error;
  } small = {};
  small.error.size = offsetof(recur_error, message);
  EXPECT_EQ(entries.init(nullptr, nullptr, &small.error), RECUR_E_NULL);
  EXPECT_EQ(small.error.code, RECUR_E_NULL);
  EXPECT_EQ(small.error.message[0], 0);
  EXPECT_EQ(entries.init(instance.data(), nullptr, &small.error), RECUR_OK);
  EXPECT_EQ(small.error.code, RECUR_OK);
}

TEST_F(ModelABI, Weights) {
  recur_config config = {};
  config.size = sizeof(config);
  config.weights = weights;
  config.weights_bytes = 12;
  EXPECT_EQ(entries.init(instance.data(), &config, &error), RECUR_E_WEIGHTS);
  EXPECT_STREQ(error.message, "the weights have 12 bytes, expected 16");
  config.weights_bytes = 16;
  config.weights = weights + 1;
  EXPECT_EQ(entries.init(instance.data(), &config, &error), RECUR_E_WEIGHTS);
  alignas(64) float other[4] = {};
  config.weights = other;
  ASSERT_EQ(entries.init(instance.data(), &config, &error), RECUR_OK);
  ASSERT_EQ(run(), RECUR_OK);
  EXPECT_EQ(out[0], 11);
}

TEST_F(ModelABI, OutputFromAllocator) {
  withAllocator();
  outputs[0].data = nullptr;
  outputs[0].bytes = 0;
  ASSERT_EQ(run(), RECUR_OK) << error.message;
  EXPECT_EQ(static_cast<float *>(outputs[0].data)[3], 444);
  EXPECT_EQ(outputs[0].bytes, 16u);
  Allocator::release(&allocator, outputs[0].data);
  outputs[0].data = nullptr;
  options.max_bytes = 15;
  expectFault(RECUR_E_MEM_LIMIT, "16 bytes more would exceed max_bytes, which is 15");
  options.max_bytes = 0;
  allocator.failAt = allocator.calls;
  expectFault(RECUR_E_NOMEM, "the allocator could not give 16 bytes");
  EXPECT_EQ(outputs[0].data, nullptr);
}

TEST_F(ModelABI, CallIsCheap) {
  ASSERT_EQ(run(), RECUR_OK);
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i)
      run();
    best = std::min(best,
                    std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / 1e3);
  }
  RecordProperty("nanoseconds", std::to_string(best));
  // The bound is far above the usual time, so that the test does not fail on a busy machine.
  EXPECT_LT(best, 2000);
}

class DynamicABI : public ModelABI {
protected:
  void SetUp() override {
    load(makeDynamicAddModel());
    ASSERT_EQ(entries.init(instance.data(), nullptr, &error), RECUR_OK);
  }
};

TEST_F(DynamicABI, Runs) {
  ASSERT_EQ(run(), RECUR_OK) << error.message;
  EXPECT_EQ(out[3], 44);
  aShape[0] = bShape[0] = 0;
  inputs[0].data = nullptr;
  outputs[0].data = nullptr;
  ASSERT_EQ(run(), RECUR_OK) << error.message;
  EXPECT_EQ(outShape[0], 0);
}

TEST_F(DynamicABI, Faults) {
  aShape[0] = 3;
  expectFault(RECUR_E_SHAPE, "a and b clash: 3 and 4 elements");
  EXPECT_EQ(error.detail[1], 4);
  aShape[0] = -3;
  expectFault(RECUR_E_SHAPE, "input 0 'a': dim 0 is -3, expected at least 0");
  aShape[0] = INT64_MAX;
  expectFault(RECUR_E_OVERFLOW, "input 0 'a': its size does not fit 64 bits");
  // 2^56 floats fit 64 bits, but the limit is lower, so that sums of a few sizes cannot overflow.
  aShape[0] = int64_t(1) << 56;
  expectFault(RECUR_E_OVERFLOW, "input 0 'a': its size does not fit 64 bits");
}

TEST_F(DynamicABI, EmptyTensorsOfHugeDims) {
  // A model whose inputs have two dims; the first one is the dim of the output.
  TestModel model = makeDynamicAddModel();
  model.description.inputs[0].dims = model.description.inputs[1].dims = {-1, -1};
  load(model);
  ASSERT_EQ(entries.init(instance.data(), nullptr, &error), RECUR_OK);
  int64_t shape[2] = {INT64_MAX, 0};
  inputs[0].shape = inputs[1].shape = shape;
  inputs[0].rank = inputs[1].rank = 2;
  expectFault(RECUR_E_OVERFLOW, "input 0 'a': its size does not fit 64 bits");
}

/// An output dim below -1 is an overflow, not an unknown dim.
TEST_F(DynamicABI, NegativeDims) {
  TestModel model = makeDynamicAddModel();
  size_t at = model.ir.find("store i64 %n, ptr %dims");
  model.ir.replace(at, 23, "store i64 -7, ptr %dims");
  load(model);
  ASSERT_EQ(entries.init(instance.data(), nullptr, &error), RECUR_OK);
  expectFault(RECUR_E_OVERFLOW, "output 0 'sum': its size does not fit 64 bits");
  size_t bytes;
  outShape[0] = 3;
  EXPECT_EQ(entries.query(instance.data(), inputs, outputs, &bytes, &error), RECUR_E_OVERFLOW);
  EXPECT_EQ(outShape[0], 3) << "outputs are unchanged";
}

/// A model with the output out[n], where n is the value of the input, which recur_model_sizes reads.
class SizingInputABI : public ModelABI {
protected:
  void SetUp() override {
    load(makeRampModel());
    ASSERT_EQ(entries.init(instance.data(), nullptr, &error), RECUR_OK);
    inputs[0] = {&count, nullptr, nullptr, 0, RECUR_I64, 8};
    outputs[0] = {numbers, outShape, nullptr, 1, RECUR_I64, sizeof(numbers)};
  }
  int64_t count = 3, numbers[4] = {};
};

TEST_F(SizingInputABI, QueryReadsTheValue) {
  size_t bytes = 1;
  ASSERT_EQ(entries.query(instance.data(), inputs, outputs, &bytes, &error), RECUR_OK) << error.message;
  EXPECT_EQ(outShape[0], 3);
  EXPECT_EQ(outputs[0].bytes, 24u);
  EXPECT_EQ(bytes, 0u);
  ASSERT_EQ(run(), RECUR_OK) << error.message;
  EXPECT_EQ(numbers[2], 2);
}

TEST_F(SizingInputABI, QueryWithoutTheValue) {
  size_t bytes = 1;
  inputs[0].data = nullptr;
  EXPECT_EQ(entries.query(instance.data(), inputs, outputs, &bytes, &error), RECUR_E_ALLOCATOR_NEEDED);
  EXPECT_STREQ(error.message, "input 0 'count': sizes depend on its value, and data is null");
  EXPECT_EQ(error.where, RECUR_IN_INPUT);
  EXPECT_EQ(outShape[0], -1);
  EXPECT_EQ(outputs[0].bytes, 0u);
  EXPECT_EQ(bytes, 0u);
}

/// A model that the compiler must not make.
class FaultyABI : public ModelABI {
protected:
  void SetUp() override {
    load(makeFaultyModel());
    ASSERT_EQ(entries.init(instance.data(), nullptr, &error), RECUR_OK);
    inputs[0] = {&count, nullptr, nullptr, 0, RECUR_I64, 8};
    outputs[0] = {&number, outShape, nullptr, 1, RECUR_I64, sizeof(number)};
  }
  int64_t count = 0, number = 5;
};

TEST_F(FaultyABI, FaultsOfTheCompiler) {
  expectFault(RECUR_E_INTERNAL, "the computation failed");
  EXPECT_EQ(error.where, RECUR_IN_CALL);
  // The size of the workspace must be known if no check of the sizes has failed.
  count = -1;
  expectFault(RECUR_E_INTERNAL, "workspace: its size is not known");
  EXPECT_EQ(error.where, RECUR_IN_WORKSPACE);
  EXPECT_EQ(number, 5);
}

class BooleanABI : public ModelABI {
protected:
  void SetUp() override {
    load(makeBooleanCopyModel());
    ASSERT_EQ(entries.init(instance.data(), nullptr, &error), RECUR_OK);
    inputs[0] = {in, aShape, nullptr, 1, RECUR_BOOLEAN, sizeof(in)};
    outputs[0] = {bytes, outShape, nullptr, 1, RECUR_BOOLEAN, sizeof(bytes)};
  }
  uint8_t in[4] = {0, 1, 2, 255}, bytes[4] = {7, 7, 7, 7};
};

TEST_F(BooleanABI, OutputsAreZeroOrOne) {
  ASSERT_EQ(run(), RECUR_OK) << error.message;
  EXPECT_EQ(bytes[0], 0);
  for (int i = 1; i < 4; ++i)
    EXPECT_EQ(bytes[i], 1);
  EXPECT_EQ(in[3], 255);
}

class UnknownLengthABI : public ModelABI {
protected:
  void SetUp() override {
    load(makeUnknownLengthModel());
    ASSERT_EQ(entries.init(instance.data(), nullptr, &error), RECUR_OK);
    inputs[0] = {&count, nullptr, nullptr, 0, RECUR_I64, 8};
    outputs[0].element_type = RECUR_I32;
  }
  int64_t count = 3;
};

TEST_F(UnknownLengthABI, Query) {
  size_t bytes = 1;
  EXPECT_EQ(entries.query(instance.data(), inputs, outputs, &bytes, &error), RECUR_E_ALLOCATOR_NEEDED);
  EXPECT_EQ(outShape[0], -1);
  EXPECT_EQ(outputs[0].bytes, 0u);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(error.tensor, 0);
}

TEST_F(UnknownLengthABI, Allocator) {
  outputs[0].data = nullptr;
  expectFault(RECUR_E_ALLOCATOR_NEEDED,
              "output 0 'sevens': its size is known only when the model runs: give an allocator or a large buffer");
  withAllocator();
  ASSERT_EQ(run(), RECUR_OK) << error.message;
  EXPECT_EQ(outShape[0], 3);
  EXPECT_EQ(outputs[0].bytes, 12u);
  EXPECT_EQ(static_cast<int32_t *>(outputs[0].data)[2], 7);
  EXPECT_EQ(allocator.live, 1) << "the scratch is released, the output is the caller's";
  Allocator::release(&allocator, outputs[0].data);
}

TEST_F(UnknownLengthABI, FixedBuffer) {
  withAllocator();
  ASSERT_EQ(run(), RECUR_OK) << error.message;
  EXPECT_EQ(outShape[0], 3);
  EXPECT_EQ(allocator.live, 0);
  count = 5;
  EXPECT_EQ(run(), RECUR_E_CAPACITY);
  EXPECT_STREQ(error.message, "output 0 'sevens': needs 20 bytes, the buffer has 16");
  EXPECT_EQ(error.where, RECUR_IN_OUTPUT);
  EXPECT_EQ(error.detail[0], 20);
  EXPECT_EQ(allocator.live, 0);
}

TEST_F(UnknownLengthABI, EveryAllocationMayFail) {
  withAllocator();
  for (int failAt = 0; failAt < 3; ++failAt) {
    allocator.calls = 0;
    allocator.failAt = failAt;
    outputs[0].data = nullptr;
    if (failAt == 2) {
      EXPECT_EQ(run(), RECUR_OK);
      Allocator::release(&allocator, outputs[0].data);
    } else {
      EXPECT_EQ(run(), RECUR_E_NOMEM);
      EXPECT_EQ(outputs[0].data, nullptr);
    }
    EXPECT_EQ(allocator.live, 0);
  }
}

TEST_F(UnknownLengthABI, FaultOfTheModel) {
  withAllocator();
  count = -2;
  expectFault(RECUR_E_TRIP, "the trip count is -2");
  count = INT64_MAX / 2;
  EXPECT_NE(run(), RECUR_OK);
  options.max_bytes = 100;
  count = 100;
  EXPECT_EQ(run(), RECUR_E_MEM_LIMIT);
  EXPECT_EQ(allocator.live, 0);
}

} // namespace
