// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CompiledABITest.cpp - the public ABI of models that were compiled --===//
//
// ModelABITest.cpp checks the statuses of the ABI on models that are written by hand as LLVM IR. This file checks the
// same promises on models that the compiler makes from `ov`.
//
//===----------------------------------------------------------------------===//
#include "../RunningSums.h"
#include "Recur/Compiler/Compiler.h"
#include "Recur/Registration.h"
#include "Recur/Target/JIT.h"
#include "Strict.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <cstring>

using namespace llvm;
using namespace recur;

namespace {

const char dynamicBatch[] = R"mlir(
  func.func @main(%x: tensor<?x4x2xf32> {ov.name = "x"}, %s0: tensor<?x1x2xf32> {ov.name = "s0"})
      -> (tensor<?x4x2xf32> {ov.name = "all"}) {
    %r:2 = ov.tensor_iterator slices(%a = %x along 1 [0:-1:1] part 1 : tensor<?x4x2xf32> to tensor<?x1x2xf32>)
        carried(%s = %s0 : tensor<?x1x2xf32>) concats(along 1 : tensor<?x4x2xf32>) {
      %t = ov.tanh %s : tensor<?x1x2xf32>
      %n = ov.add %t, %a : (tensor<?x1x2xf32>, tensor<?x1x2xf32>) -> tensor<?x1x2xf32>
      ov.yield next(%n : tensor<?x1x2xf32>) concat(%n : tensor<?x1x2xf32>)
    }
    return %r#1 : tensor<?x4x2xf32>
  }
)mlir";

const char tripCount[] = R"mlir(
  func.func @main(%n: tensor<i64> {ov.name = "n"}, %s0: tensor<1xi32> {ov.name = "s0"})
      -> (tensor<1xi32> {ov.name = "last"}, tensor<?xi32> {ov.name = "all"}) {
    %true = ov.constant dense<true> : tensor<i1>
    %one = ov.constant dense<1> : tensor<i32>
    %r:2 = ov.loop trip(%n : tensor<i64>) while(%true : tensor<i1>) carried(%s = %s0 : tensor<1xi32>)
        concats(along 0 : tensor<?xi32>) {
      %t = ov.add %s, %one : (tensor<1xi32>, tensor<i32>) -> tensor<1xi32>
      ov.yield while(%true : tensor<i1>) next(%t : tensor<1xi32>) concat(%t : tensor<1xi32>)
    }
    return %r#0, %r#1 : tensor<1xi32>, tensor<?xi32>
  }
)mlir";

const char booleans[] = R"mlir(
  func.func @main(%a: tensor<4xi1> {ov.name = "a"}, %b: tensor<?xi1> {ov.name = "b"})
      -> (tensor<4xi1> {ov.name = "same"}, tensor<?xi1> {ov.name = "both"}, tensor<4xi1> {ov.name = "not"}) {
    %both = ov.concat %a, %b {axis = 0} : (tensor<4xi1>, tensor<?xi1>) -> tensor<?xi1>
    %not = ov.logical_not %a : tensor<4xi1>
    return %a, %both, %not : tensor<4xi1>, tensor<?xi1>, tensor<4xi1>
  }
)mlir";

const char quotients[] = R"mlir(
  func.func @main(%x: tensor<2x3xi64> {ov.name = "x"}, %y: tensor<3xi64> {ov.name = "y"})
      -> (tensor<2x3xi64> {ov.name = "q"}) {
    %q = ov.divide %x, %y : (tensor<2x3xi64>, tensor<3xi64>) -> tensor<2x3xi64>
    return %q : tensor<2x3xi64>
  }
)mlir";

const char concat[] = R"mlir(
  func.func @main(%x: tensor<?x?xi8> {ov.name = "x"}, %y: tensor<?x?xi8> {ov.name = "y"})
      -> (tensor<?x?xi8> {ov.name = "z"}) {
    %z = ov.concat %x, %y {axis = 0} : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi8>
    return %z : tensor<?x?xi8>
  }
)mlir";

/// A compiled model with valid arguments: dynamic dims are 2, all numbers are 2, booleans are true.
class CompiledABI : public testing::TestWithParam<const char *> {
protected:
  void load(const char *text) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    mlir::MLIRContext context(registry);
    Model model;
    model.module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(!!model.module);
    CompileOptions options;
    options.target = TargetConfig::forHost();
    auto result = compile(model, options, EmitKind::Object, WeightsPlacement::External);
    ASSERT_TRUE(!!result) << toString(result.takeError());
    compiled = std::move(*result);
    auto loaded =
        JITModel::create(MemoryBuffer::getMemBufferCopy(StringRef(compiled.output.data(), compiled.output.size())),
                         options.name, compiled.weights);
    ASSERT_TRUE(!!loaded) << toString(loaded.takeError());
    jit = std::move(*loaded);
    entries = jit->entryPoints();
    info = entries.info();
    instance.resize(entries.instance_size() / 8 + 1);
    error.size = sizeof(error);
    ASSERT_EQ(entries.init(instance.data(), nullptr, &error), RECUR_OK);
    inputs.resize(info->num_inputs);
    outputs.resize(info->num_outputs);
    shapes.resize(info->num_inputs + info->num_outputs);
    buffers.resize(shapes.size());
    for (int i = 0; i < info->num_inputs; ++i) {
      const recur_tensor_info &tensor = info->inputs[i];
      shapes[i].assign(tensor.dims, tensor.dims + tensor.rank);
      for (int64_t &dim : shapes[i])
        dim = dim < 0 ? 2 : dim;
      fillInput(i);
    }
    for (int i = 0; i < info->num_outputs; ++i) {
      std::vector<int64_t> &shape = shapes[info->num_inputs + i];
      shape.assign(info->outputs[i].rank, -2);
      outputs[i] = {nullptr, shape.data(), nullptr, 0, 0, 0};
    }
  }

  static size_t elementBytes(int32_t type) { return type <= RECUR_I8 ? 1 : type == RECUR_I64 ? 8 : 4; }

  /// Allocates the data of an input for its shape and fills it.
  void fillInput(int index) {
    const recur_tensor_info &tensor = info->inputs[index];
    int64_t count = 1;
    for (int64_t dim : shapes[index])
      count *= dim;
    size_t bytes = count * elementBytes(tensor.element_type);
    buffers[index].assign(bytes / 8 + 1, 0);
    auto *data = reinterpret_cast<char *>(buffers[index].data());
    for (int64_t k = 0; k < count; ++k) {
      float real = 2;
      if (tensor.element_type == RECUR_F32)
        std::memcpy(data + 4 * k, &real, 4);
      else
        data[k * elementBytes(tensor.element_type)] = 2;
    }
    inputs[index] = {data, shapes[index].data(), nullptr, tensor.rank, tensor.element_type, bytes};
  }

  int32_t query() { return entries.query(instance.data(), inputs.data(), outputs.data(), &workspaceBytes, &error); }

  /// Queries the sizes and allocates the outputs and the workspace.
  void prepare() {
    ASSERT_EQ(query(), RECUR_OK) << error.message;
    for (int i = 0; i < info->num_outputs; ++i) {
      std::vector<uint64_t> &buffer = buffers[info->num_inputs + i];
      buffer.assign(outputs[i].bytes / 8 + 1, 0x7777777777777777);
      outputs[i].data = buffer.data();
    }
    workspaceStorage.assign(workspaceBytes + 128, 0);
    workspace = workspaceStorage.data() + (64 - reinterpret_cast<uintptr_t>(workspaceStorage.data()) % 64);
  }

  int32_t run(const recur_options *options = nullptr) {
    return entries.run(instance.data(), inputs.data(), outputs.data(), workspace, workspaceBytes, options, &error);
  }

  template <typename T>
  std::vector<T> get(int index) {
    auto *data = static_cast<const T *>(outputs[index].data);
    size_t size = outputs[index].bytes / sizeof(T);
    return std::vector<T>(data, data + size);
  }

  CompiledModel compiled;
  std::unique_ptr<JITModel> jit;
  recur_entry_points entries = {};
  const recur_info *info = nullptr;
  std::vector<uint64_t> instance;
  std::vector<recur_tensor> inputs, outputs;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<std::vector<uint64_t>> buffers;
  std::vector<uint8_t> workspaceStorage;
  uint8_t *workspace = nullptr;
  size_t workspaceBytes = 0;
  recur_error error = {};
};

/// The fixture of tests that every model must pass.
class EveryModel : public CompiledABI {
protected:
  void SetUp() override { load(GetParam()); }

  void expectAlias() {
    EXPECT_EQ(run(), RECUR_E_ALIAS);
    EXPECT_EQ(error.code, RECUR_E_ALIAS);
    EXPECT_NE(StringRef(error.message).find("overlap"), StringRef::npos) << error.message;
  }
};

TEST_P(EveryModel, KeepsItsPromises) {
  strict_call call = {};
  call.model = &entries;
  call.inputs = inputs.data();
  call.outputs = outputs.data();
  std::vector<void *> blocks(info->num_outputs, nullptr);
  call.blocks = blocks.data();
  EXPECT_EQ(recur_call_strictly(&call), 0) << call.error.message;
  for (void *block : blocks)
    free(block);
}

TEST_P(EveryModel, QueryWithoutData) {
  ASSERT_EQ(query(), RECUR_OK) << error.message;
  auto told = shapes;
  size_t bytes = workspaceBytes;
  bool decides = false;
  for (auto [i, input] : enumerate(inputs)) {
    input.data = nullptr;
    decides |= compiled.description.inputs[i].decidesSizes;
  }
  EXPECT_EQ(query(), decides ? RECUR_E_ALLOCATOR_NEEDED : RECUR_OK) << error.message;
  if (!decides) {
    EXPECT_EQ(shapes, told);
    EXPECT_EQ(workspaceBytes, bytes);
    return;
  }
  for (int i = 0; i < info->num_outputs; ++i)
    for (int axis = 0; axis < info->outputs[i].rank; ++axis)
      EXPECT_EQ(outputs[i].shape[axis], info->outputs[i].dims[axis]);
}

TEST_P(EveryModel, Faults) {
  prepare();
  ASSERT_EQ(run(), RECUR_OK) << error.message;
  if (workspaceBytes) {
    --workspaceBytes;
    EXPECT_EQ(run(), RECUR_E_WORKSPACE);
    ++workspaceBytes;
    ++workspace;
    EXPECT_EQ(run(), RECUR_E_WORKSPACE);
    --workspace;
  }
  for (recur_tensor &input : inputs) {
    recur_tensor old = input;
    input.data = nullptr;
    EXPECT_EQ(run(), RECUR_E_NULL);
    input = old;
    --input.bytes;
    EXPECT_EQ(run(), RECUR_E_CAPACITY);
    input = old;
    ++input.rank;
    EXPECT_EQ(run(), RECUR_E_SHAPE);
    input = old;
    input.element_type = RECUR_F64;
    EXPECT_EQ(run(), RECUR_E_DTYPE);
    input = old;
    if (input.rank) {
      int64_t dim = *input.shape;
      *input.shape = -1;
      EXPECT_EQ(run(), RECUR_E_SHAPE);
      *input.shape = dim;
    }
  }
  for (recur_tensor &output : outputs) {
    --output.bytes;
    EXPECT_EQ(run(), RECUR_E_CAPACITY);
    ++output.bytes;
    void *data = output.data;
    output.data = nullptr;
    EXPECT_EQ(run(), RECUR_E_CAPACITY);
    output.data = data;
  }
  recur_options options = {};
  EXPECT_EQ(run(&options), RECUR_E_VERSION);
  options.size = sizeof(options);
  EXPECT_EQ(run(&options), RECUR_OK);
  options.flags = 1;
  EXPECT_EQ(run(&options), RECUR_E_VERSION);
}

TEST_P(EveryModel, Alias) {
  prepare();
  for (recur_tensor &output : outputs) {
    recur_tensor old = output;
    for (recur_tensor &input : inputs) {
      output.data = input.data;
      expectAlias();
      output.data = old.data;
      // A shape of rank 0 has no bytes.
      if (!input.rank || !output.rank)
        continue;
      output.shape = input.shape;
      expectAlias();
      EXPECT_EQ(query(), RECUR_E_ALIAS);
      output = old;
    }
    if (output.rank && !workspaceStorage.empty() && workspaceBytes) {
      output.shape = reinterpret_cast<int64_t *>(workspace);
      expectAlias();
      output = old;
    }
  }
  for (recur_tensor &input : inputs) {
    if (!workspaceBytes)
      break;
    recur_tensor old = input;
    std::memcpy(workspace, input.data, std::min(input.bytes, workspaceBytes));
    input.data = workspace;
    expectAlias();
    input = old;
  }
}

static std::string nameModel(const testing::TestParamInfo<const char *> &info) {
  const char *names[] = {"RunningSums", "DynamicBatch", "TripCount", "Booleans", "Quotients", "Concat"};
  return names[info.index];
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel,
                         testing::Values(runningSums, dynamicBatch, tripCount, booleans, quotients, concat), nameModel);

using ModelTest = CompiledABI;

TEST_F(ModelTest, RunningSums) {
  load(runningSums);
  EXPECT_EQ(info->workspace_bytes, int64_t(compiled.description.workspaceBytes));
  prepare();
  ASSERT_EQ(run(), RECUR_OK) << error.message;
  EXPECT_EQ(get<float>(0), (std::vector<float>{10, 10}));
  EXPECT_EQ(get<float>(1), (std::vector<float>{4, 4, 6, 6, 8, 8, 10, 10}));
}

TEST_F(ModelTest, DynamicBatch) {
  load(dynamicBatch);
  for (int64_t batch : {0, 1, 3}) {
    shapes[0][0] = shapes[1][0] = batch;
    fillInput(0);
    fillInput(1);
    prepare();
    ASSERT_EQ(run(), RECUR_OK) << error.message;
    EXPECT_EQ(shapes[2], (std::vector<int64_t>{batch, 4, 2}));
  }
  // The batch dims of the slices and of the state are now 2 and 3: they do not broadcast.
  shapes[0][0] = 2;
  fillInput(0);
  EXPECT_EQ(run(), RECUR_E_SHAPE) << error.message;
}

TEST_F(ModelTest, TripCount) {
  load(tripCount);
  EXPECT_TRUE(compiled.description.inputs[0].decidesSizes);
  EXPECT_FALSE(compiled.description.inputs[1].decidesSizes);
  auto *count = reinterpret_cast<int64_t *>(buffers[0].data());
  for (int64_t n : {0, 1, 5}) {
    *count = n;
    prepare();
    ASSERT_EQ(run(), RECUR_OK) << error.message;
    EXPECT_EQ(shapes[3][0], n);
    if (n == 5) {
      EXPECT_EQ(get<int32_t>(1), (std::vector<int32_t>{3, 4, 5, 6, 7}));
    }
  }
  *count = -2;
  EXPECT_EQ(query(), RECUR_E_TRIP) << error.message;
  EXPECT_EQ(run(), RECUR_E_TRIP) << error.message;
}

/// Each input byte except 0 is true, and each true output is 1, whether ops compute it or only move it.
TEST_F(ModelTest, Booleans) {
  load(booleans);
  EXPECT_EQ(info->inputs[0].element_type, RECUR_BOOLEAN);
  EXPECT_EQ(info->outputs[0].element_type, RECUR_BOOLEAN);
  const uint8_t given[4] = {0, 1, 2, 255};
  std::memcpy(buffers[0].data(), given, 4);
  prepare();
  ASSERT_EQ(run(), RECUR_OK) << error.message;
  EXPECT_EQ(get<uint8_t>(0), (std::vector<uint8_t>{0, 1, 1, 1}));
  EXPECT_EQ(get<uint8_t>(1), (std::vector<uint8_t>{0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(get<uint8_t>(2), (std::vector<uint8_t>{1, 0, 0, 0}));
}

TEST_F(ModelTest, Quotients) {
  load(quotients);
  auto *x = reinterpret_cast<int64_t *>(buffers[0].data()), *y = reinterpret_cast<int64_t *>(buffers[1].data());
  prepare();
  x[0] = int64_t(1) << 62;
  y[0] = 3;
  ASSERT_EQ(run(), RECUR_OK) << error.message;
  EXPECT_EQ(get<int64_t>(0)[0], (int64_t(1) << 62) / 3);
  EXPECT_EQ(get<int64_t>(0)[1], 1);
  y[1] = 0;
  EXPECT_EQ(run(), RECUR_E_ARITH);
}

/// The sum of two dims overflows. The other dim is 0, so the tensors themselves have no bytes.
TEST_F(ModelTest, ConcatOfHugeDims) {
  load(concat);
  shapes[0] = {INT64_MAX, 0};
  shapes[1] = {3, 0};
  fillInput(1);
  inputs[0].bytes = 0;
  EXPECT_EQ(query(), RECUR_E_OVERFLOW);
  EXPECT_EQ(shapes[2], (std::vector<int64_t>{-2, -2})) << "outputs are unchanged";
  shapes[0] = {5, 0};
  ASSERT_EQ(query(), RECUR_OK) << error.message;
  EXPECT_EQ(shapes[2], (std::vector<int64_t>{8, 0}));
}

/// Tells the callback of a gang what to do, and keeps what it saw.
struct GangLog {
  /// The count to choose, if it is not more than what is wanted.
  int32_t count;
  /// The number of calls, the greatest number of threads wanted, and the greatest count that a body got.
  int calls = 0;
  int32_t want = 0, given = 0;
};

/// Runs the indices one after the other, from the last one to the first. The bodies of these models do not wait for
/// each other.
static void runBackward(void *context, int32_t want, recur_body body, void *arg) {
  auto *log = static_cast<GangLog *>(context);
  ++log->calls;
  EXPECT_GE(want, 2);
  log->want = std::max(log->want, want);
  int32_t count = std::min(want, log->count);
  log->given = std::max(log->given, count);
  for (int32_t i = count; i-- > 0;)
    body(arg, i, count);
}

class GangTest : public CompiledABI {
protected:
  /// Fills an input with numbers whose sums are rounded.
  void fillFractions(int index) {
    auto *data = static_cast<float *>(const_cast<void *>(inputs[index].data));
    for (size_t k = 0; k < inputs[index].bytes / 4; ++k)
      data[k] = float(int(k * 7919 % 2003) - 1001) / 777;
  }

  /// Runs the model with a callback that chooses `count`, or without one if it is 0, and returns the first output.
  std::vector<float> runWith(int32_t count) {
    log = {count};
    recur_config config = {sizeof(recur_config), 0, nullptr, 0, count ? runBackward : nullptr, &log};
    EXPECT_EQ(entries.init(instance.data(), &config, &error), RECUR_OK) << error.message;
    prepare();
    EXPECT_EQ(run(), RECUR_OK) << error.message;
    return get<float>(0);
  }

  /// Expects that the model asks for threads, and that its output does not depend on their number.
  void expectSameForAllCounts() {
    std::vector<float> alone = runWith(0);
    for (int32_t count : {1, 2, 3, 7, 1000}) {
      std::vector<float> result = runWith(count);
      EXPECT_EQ(std::memcmp(result.data(), alone.data(), alone.size() * sizeof(float)), 0) << count << " threads";
      EXPECT_GE(log.calls, 1);
      EXPECT_EQ(log.given, std::min(count, log.want));
    }
  }

  GangLog log = {0};
};

TEST_F(GangTest, Product) {
  load(R"mlir(
    func.func @main(%x: tensor<?x96xf32> {ov.name = "x"}, %w: tensor<96x?xf32> {ov.name = "w"})
        -> (tensor<?x?xf32> {ov.name = "y"}) {
      %y = ov.matmul %x, %w : (tensor<?x96xf32>, tensor<96x?xf32>) -> tensor<?x?xf32>
      return %y : tensor<?x?xf32>
    }
  )mlir");
  // Few and many rows, and blocks of columns that the number of threads does not divide.
  for (auto [rows, columns] : {std::pair(1, 9000), std::pair(2, 5000), std::pair(3, 4100), std::pair(64, 1333)}) {
    SCOPED_TRACE(columns);
    shapes[0][0] = rows;
    shapes[1][1] = columns;
    for (int i : {0, 1}) {
      fillInput(i);
      fillFractions(i);
    }
    expectSameForAllCounts();
  }
  // Little work is for one thread.
  shapes[0][0] = shapes[1][1] = 4;
  for (int i : {0, 1})
    fillInput(i);
  runWith(7);
  EXPECT_EQ(log.calls, 0);
}

TEST_F(GangTest, Rows) {
  load(R"mlir(
    func.func @main(%x: tensor<301x257xf32> {ov.name = "x"}) -> (tensor<301x257xf32> {ov.name = "y"}) {
      %y = ov.softmax %x {axis = 1} : tensor<301x257xf32>
      return %y : tensor<301x257xf32>
    }
  )mlir");
  fillFractions(0);
  expectSameForAllCounts();
}

/// The size of a buffer inside the model is known only during the computation. The messages of query and run name the
/// layer that computes it.
TEST_F(ModelTest, LayerOfALateSize) {
  load(R"mlir(
    func.func @main(%x: tensor<4xi32>) -> tensor<i64> {
      %axes = ov.constant dense<[0, 1]> : tensor<2xi64>
      %n = ov.non_zero %x {output_type = i64} : (tensor<4xi32>) -> tensor<1x?xi64> loc("where")
      %s = ov.reduce_sum %n, %axes : (tensor<1x?xi64>, tensor<2xi64>) -> tensor<i64>
      return %s : tensor<i64>
    }
  )mlir");
  EXPECT_EQ(query(), RECUR_E_ALLOCATOR_NEEDED);
  EXPECT_NE(StringRef(error.message).find("'where': the size of a buffer"), StringRef::npos) << error.message;
  uint64_t sum;
  outputs[0].data = &sum;
  outputs[0].bytes = sizeof(sum);
  workspaceStorage.assign(workspaceBytes + 64, 0);
  workspace = workspaceStorage.data() + (64 - reinterpret_cast<uintptr_t>(workspaceStorage.data()) % 64);
  EXPECT_EQ(run(), RECUR_E_ALLOCATOR_NEEDED);
  EXPECT_NE(StringRef(error.message).find("'where': an allocator is needed"), StringRef::npos) << error.message;
}

/// The element types of inputs and outputs are those of the model, not those that the code uses in memory.
TEST_F(ModelTest, ElementTypesOfTheText) {
  load(R"mlir(
    func.func @main(%a: tensor<4xi1>, %b: tensor<2xui8>) -> (tensor<4xi1>, tensor<2xui8>) {
      %c = ov.logical_not %a : tensor<4xi1>
      return %c, %b : tensor<4xi1>, tensor<2xui8>
    }
  )mlir");
  EXPECT_EQ(info->inputs[0].element_type, RECUR_BOOLEAN);
  EXPECT_EQ(info->inputs[1].element_type, RECUR_U8);
  EXPECT_EQ(info->outputs[0].element_type, RECUR_BOOLEAN);
  EXPECT_EQ(info->outputs[1].element_type, RECUR_U8);
}

} // namespace
