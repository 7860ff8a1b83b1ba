// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ObjectTest.cpp - object files, linked and run ----------------------===//
#include "Npy.h"
#include "Recur/Driver/Driver.h"
#include "Recur/Target/Header.h"
#include "Recur/Target/JIT.h"
#include "Recur/Target/ObjectFile.h"
#include "Recur/Target/TargetMachine.h"
#include "TestModel.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include <cstring>

using namespace llvm;
using namespace recur;

namespace {

class Objects : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(sys::fs::createUniqueDirectory("recur-test", directory)); }
  void TearDown() override { (void)sys::fs::remove_directories(directory); }

  std::string pathOf(StringRef name) {
    SmallString<128> path = directory;
    sys::path::append(path, name);
    return path.str().str();
  }

  void write(StringRef name, StringRef text) {
    Error error = writeProduct(pathOf(name), ArrayRef(text.data(), text.size()));
    ASSERT_FALSE(!!error) << toString(std::move(error));
  }

  int execute(std::vector<std::string> words) {
    ErrorOr<std::string> program = sys::findProgramByName(words[0]);
    if (!program)
      return -1;
    SmallVector<StringRef> arguments(words.begin(), words.end());
    return sys::ExecuteAndWait(*program, arguments);
  }

  SmallString<128> directory;
};

SmallVector<char, 0> compileAdder(std::string name, ArrayRef<float> weights) {
  auto object = compileModel(makeAddModel(std::move(name)), TargetConfig(), WeightsPlacement::Embedded);
  Error error = patchWeights(object, [&](MutableArrayRef<char> section) {
    EXPECT_EQ(section.size(), 64u);
    memcpy(section.data(), weights.data(), weights.size() * 4);
    return Error::success();
  });
  EXPECT_FALSE(!!error) << toString(std::move(error));
  return object;
}

void expectError(Error error, StringRef text) {
  ASSERT_TRUE(!!error);
  EXPECT_EQ(toString(std::move(error)), text.str());
}

TEST_F(Objects, AreReproducible) {
  EXPECT_EQ(compileAdder("adder", {1, 2, 3, 4}), compileAdder("adder", {1, 2, 3, 4}));
}

TEST_F(Objects, AreComplete) {
  auto object = compileAdder("adder", {1, 2, 3, 4});
  Error error = checkObject(object, "adder");
  EXPECT_FALSE(!!error) << toString(std::move(error));
  expectError(checkObject(object, "other"),
              "internal error: the object defines symbols without the model's prefix: adder_info, adder_init, "
              "adder_instance_size, adder_level, adder_query, adder_reset, adder_run");
  auto external = compileModel(makeAddModel(), TargetConfig(), WeightsPlacement::External);
  expectError(checkObject(external, "adder"), "internal error: the object has undefined symbols: recur_model_weights");
  expectError(patchWeights(external, [](MutableArrayRef<char>) { return Error::success(); }),
              "internal error: the object has no section for the weights");
  char garbage[] = "garbage";
  EXPECT_TRUE(errorToBool(checkObject(garbage, "x")));
  EXPECT_TRUE(errorToBool(patchWeights(garbage, [](MutableArrayRef<char>) { return Error::success(); })));
}

TEST_F(Objects, OddWeightsSizesHaveBytes) {
  for (uint64_t bytes : {0, 1, 4, 8, 16, 32, 63, 64, 65, 1 << 20}) {
    TestModel model = makeAddModel();
    model.description.weightsBytes = bytes;
    auto object = compileModel(model, TargetConfig(), WeightsPlacement::Embedded);
    bool called = false;
    Error error = patchWeights(object, [&](MutableArrayRef<char> section) {
      EXPECT_GE(section.size(), bytes);
      EXPECT_EQ(section.size() % 64, 0u);
      return called = true, Error::success();
    });
    EXPECT_FALSE(!!error) << toString(std::move(error));
    EXPECT_TRUE(called);
  }
}

/// Links two models into one C program that includes both headers. The program checks the results itself.
TEST_F(Objects, TwoModelsInOneProgram) {
  const char *names[] = {"first", "second"};
  for (int i = 0; i < 2; ++i) {
    auto object = compileAdder(names[i], {100.0f * (i + 1), 0, 0, 0});
    write(names[i] + std::string(".o"), StringRef(object.data(), object.size()));
    std::string header;
    raw_string_ostream os(header);
    emitHeader(os, makeAddModel(names[i]).description);
    write(names[i] + std::string(".h"), header);
  }
  write("main.c", R"(
    #include "first.h"
    #include "second.h"
    static float a[4] = {1, 2, 3, 4}, b[4], out[4];
    static char workspace[first_workspace_bytes + 64];
    int main(void) {
      int64_t four = 4, shape = 0;
      void *memory[64] = {0};
      void *at = (void *)(((uintptr_t)workspace + 63) / 64 * 64);
      recur_tensor in[first_num_inputs] = {{a, &four, 0, 1, RECUR_F32, 16}, {b, &four, 0, 1, RECUR_F32, 16}};
      recur_tensor result = {out, &shape, 0, 1, RECUR_F32, 16};
      if (first_instance_size() > sizeof(memory) || first_init(memory, 0, 0) != RECUR_OK)
        return 1;
      if (first_run(memory, in, &result, at, first_workspace_bytes, 0, 0) != RECUR_OK || out[0] != 101)
        return 2;
      if (second_run(memory, in, &result, at, 128, 0, 0) != RECUR_E_NOT_INITIALIZED)
        return 3;
      if (second_init(memory, 0, 0) || second_run(memory, in, &result, at, 128, 0, 0) || out[0] != 201 || out[1] != 2)
        return 4;
      return first_info() == second_info() ? 5 : 0;
    }
  )");
  ASSERT_EQ(execute({"cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Wl,-z,defs", "-o",
                     pathOf("program"), pathOf("main.c"), pathOf("first.o"), pathOf("second.o")}),
            0);
  EXPECT_EQ(execute({pathOf("program")}), 0);
  write("main.cpp", "#include \"first.h\"\n#include \"second.h\"\nint main() { return first_info()->abi != 1; }\n");
  ASSERT_EQ(execute({"c++", "-Wall", "-Wextra", "-Werror", "-o", pathOf("program"), pathOf("main.cpp"),
                     pathOf("first.o"), pathOf("second.o")}),
            0);
  EXPECT_EQ(execute({pathOf("program")}), 0);
}

TEST_F(Objects, ForAnotherArchitecture) {
  TargetConfig options;
  options.triple = "aarch64-linux-gnu";
  auto object = compileModel(makeDynamicAddModel("arm"), options, WeightsPlacement::Embedded);
  Error error = checkObject(object, "arm");
  EXPECT_FALSE(!!error) << toString(std::move(error));
}

TEST_F(Objects, TargetsAreChecked) {
  auto message = [](StringRef triple, StringRef cpu, StringRef features) {
    TargetConfig options;
    options.triple = triple.str();
    options.cpu = cpu.str();
    options.features = features.str();
    auto machine = createTargetMachine(options);
    return machine ? "" : toString(machine.takeError());
  };
  EXPECT_EQ(message("x86_64-linux-gnu", "x86-64-v2", "+avx,-sse4.2"), "");
  EXPECT_EQ(message("x86_64-linux-gnu", "pentium17", ""),
            "unknown CPU 'pentium17' for target 'x86_64-unknown-linux-gnu'");
  EXPECT_EQ(message("x86_64-linux-gnu", "", "+avx9"),
            "unknown CPU feature 'avx9' for target 'x86_64-unknown-linux-gnu'");
  EXPECT_EQ(message("x86_64-linux-gnu", "", "avx"), "CPU feature 'avx' must begin with + or -");
  EXPECT_EQ(message("nonsense", "", ""), "unknown target 'nonsense'");
  EXPECT_NE(message("x86_64-windows-msvc", "", ""), "");
}

TEST_F(Objects, LevelsAreChecked) {
  auto describe = [](StringRef triple, std::vector<std::string> cpus, StringRef features = "") {
    TargetConfig options;
    options.triple = triple.str();
    options.levels = std::move(cpus);
    options.features = features.str();
    auto levels = createLevels(options);
    if (!levels)
      return toString(levels.takeError());
    std::string names;
    for (const auto &level : *levels)
      names += level->getTargetCPU().str() + ";";
    return names;
  };
  StringRef linux = "x86_64-linux-gnu";
  EXPECT_EQ(describe(linux, getDefaultLevels(linux)), "x86-64-v2;x86-64-v3;x86-64-v4;");
  EXPECT_EQ(describe(linux, {"znver4", "x86-64", "haswell"}), "x86-64;haswell;znver4;");
  EXPECT_EQ(describe(linux, {}), "x86-64-v3;");
  EXPECT_EQ(describe(linux, {"haswell"}), "haswell;");
  EXPECT_EQ(describe(linux, {"x86-64", "pentium17"}), "unknown CPU 'pentium17' for target 'x86_64-unknown-linux-gnu'");
  EXPECT_EQ(describe(linux, {"native", "x86-64"}), "expected the name of a CPU among several, but got 'native'");
  EXPECT_EQ(describe(linux, {"x86-64", "x86-64"}), "expected CPUs with features of their own, but all those of "
                                                   "'x86-64' are among those of 'x86-64'");
  EXPECT_EQ(describe(linux, {"haswell"}, "-fma"),
            "expected either the CPUs of levels, or one CPU and its features, but got both");
  EXPECT_TRUE(getDefaultLevels("aarch64-linux-gnu").empty());
  EXPECT_EQ(describe("aarch64-linux-gnu", {"cortex-a53", "cortex-a72"}),
            "expected one CPU for target 'aarch64-unknown-linux-gnu', because its code cannot tell CPUs apart, but got "
            "2");
}

TEST_F(Objects, LevelsShareFaults) {
  EntryDescription all, next, other;
  all.inputs = next.inputs = other.inputs = {{"x", RECUR_I64, {}}};
  all.faults = {{RECUR_OK, "a"}, {RECUR_OK, "b"}};
  all.workspaceBytes = 64;
  next.faults = {{RECUR_OK, "b"}};
  next.workspaceBytes = 128;
  next.inputs.front().decidesSizes = true;
  other.faults = {{RECUR_OK, "a"}, {RECUR_OK, "b"}};
  addLevel(all, next);
  EXPECT_EQ(all.workspaceBytes, 128);
  EXPECT_TRUE(all.inputs.front().decidesSizes);
  EXPECT_FALSE(all.reserves);
  other.reserves = true;
  addLevel(all, other);
  EXPECT_EQ(all.workspaceBytes, -1);
  EXPECT_TRUE(all.reserves);
  EXPECT_EQ(all.firstFaults, (std::vector<size_t>{0, 2, 0}));
  EXPECT_EQ(all.faults.size(), 3u);
}

// A virtual machine may have the family and model of an older CPU, so the features of this machine count.
TEST_F(Objects, HostCPUHasTheFeaturesOfItsName) {
  auto count = [](StringRef cpu) {
    TargetConfig options;
    options.cpu = cpu.str();
    auto named = createTargetMachine(options), host = createTargetMachine(TargetConfig::forHost());
    if (!named || !host) {
      ADD_FAILURE() << toString(joinErrors(named.takeError(), host.takeError()));
      return 0;
    }
    return llvm::popcount(requiredFeatures(**named) & requiredFeatures(**host));
  };
  EXPECT_GE(count(getHostCPU()), count(sys::getHostCPUName()));
}

#ifdef __x86_64__
TEST_F(Objects, LesserCPUIsAStatus) {
  // Almost no CPU of today has XOP: AMD dropped it with Zen, and Intel never had it.
  TargetConfig options;
  options.features = "+xop";
  auto object = compileModel(makeAddModel(), options, WeightsPlacement::External);
  alignas(64) static const uint8_t weights[64] = {};
  auto model = JITModel::create(std::make_unique<SmallVectorMemoryBuffer>(std::move(object)), "adder", weights);
  ASSERT_TRUE(!!model) << toString(model.takeError());
  const recur_entry_points &entries = (*model)->entryPoints();
  EXPECT_STREQ(entries.info()->cpu, "x86-64-v3");
  uint64_t instance[32];
  recur_error error = {};
  error.size = sizeof(error);
  int32_t status = entries.init(instance, nullptr, &error);
  if (status == RECUR_OK)
    GTEST_SKIP() << "this CPU has XOP";
  EXPECT_EQ(status, RECUR_E_CPU);
  EXPECT_TRUE(StringRef(error.message).starts_with("this CPU lacks ")) << error.message;
  EXPECT_TRUE(StringRef(error.message).ends_with(", the model was compiled for x86-64-v3")) << error.message;
}

// The best level of this CPU counts its faults behind those of the other.
TEST_F(Objects, FaultIsThatOfTheLevel) {
  TargetConfig options;
  options.levels = {"x86-64", "x86-64-v2"};
  TestModel clash = makeDynamicAddModel();
  clash.description.faults = {{RECUR_E_SHAPE, "the least level"}, {RECUR_E_SHAPE, "the best level: {0} and {1}"}};
  clash.description.firstFaults = {0, 1};
  auto object = compileModel(clash, options, WeightsPlacement::External);
  alignas(64) static const uint8_t weights[64] = {};
  auto model = JITModel::create(std::make_unique<SmallVectorMemoryBuffer>(std::move(object)), "dynamic", weights);
  ASSERT_TRUE(!!model) << toString(model.takeError());
  const recur_entry_points &entries = (*model)->entryPoints();
  ASSERT_EQ(entries.info()->num_levels, 2);
  EXPECT_STREQ(entries.info()->levels[0], "x86-64");
  EXPECT_STREQ(entries.info()->levels[1], "x86-64-v2");
  EXPECT_STREQ(entries.info()->cpu, "x86-64");
  uint64_t instance[32];
  recur_error error = {};
  error.size = sizeof(error);
  ASSERT_EQ(entries.init(instance, nullptr, &error), RECUR_OK);
  float data[3] = {};
  int64_t two[] = {2}, three[] = {3}, dims[1];
  recur_tensor inputs[] = {{data, two, nullptr, 1, RECUR_F32, 8}, {data, three, nullptr, 1, RECUR_F32, 12}};
  recur_tensor output = {nullptr, dims, nullptr, 1, RECUR_F32, 0};
  EXPECT_EQ(entries.query(instance, inputs, &output, nullptr, &error), RECUR_E_SHAPE);
  EXPECT_STREQ(error.message, "the best level: 2 and 3");
}
#endif

/// Tests of the driver with a model in the JIT and with a linked model.
class Driver : public Objects {
protected:
  void SetUp() override {
    Objects::SetUp();
    char message[NPY_MESSAGE_BYTES];
    const float a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40}, sum[4] = {111, 222, 333, 444};
    const int64_t shape[1] = {4};
    ASSERT_EQ(npy_write(pathOf("a.npy").c_str(), RECUR_F32, 1, shape, a, message), 0) << message;
    ASSERT_EQ(npy_write(pathOf("b.npy").c_str(), RECUR_F32, 1, shape, b, message), 0) << message;
    ASSERT_EQ(npy_write(pathOf("out_0.npy").c_str(), RECUR_F32, 1, shape, sum, message), 0) << message;
    options.inputs = {"b=" + pathOf("b.npy"), pathOf("a.npy")};
    options.expectDir = directory.str().str();
  }

  int runInJIT(const TestModel &model) {
    alignas(64) static const float weights[16] = {100, 200, 300, 400};
    auto object = compileModel(model, TargetConfig::forHost(), WeightsPlacement::External);
    auto loaded = JITModel::create(std::make_unique<SmallVectorMemoryBuffer>(std::move(object)), model.description.name,
                                   ArrayRef(reinterpret_cast<const uint8_t *>(weights), sizeof(weights)));
    EXPECT_TRUE(!!loaded);
    return loaded ? runModel((*loaded)->entryPoints(), options) : (consumeError(loaded.takeError()), -1);
  }

  int runLinked(ArrayRef<float> weights) {
    auto status = runLinkedModel(compileAdder("adder", weights), makeAddModel().description, options);
    EXPECT_TRUE(!!status);
    return status ? *status : (ADD_FAILURE() << toString(status.takeError()), -1);
  }

  RunOptions options;
};

TEST_F(Driver, InTheJIT) {
  options.repeat = 10;
  options.outputDir = pathOf("new");
  testing::internal::CaptureStdout();
  EXPECT_EQ(runInJIT(makeAddModel()), 0);
  std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("time per call: "), std::string::npos);
  EXPECT_NE(text.find("output 0 'sum': largest difference 0\n"), std::string::npos);
  EXPECT_TRUE(sys::fs::exists(pathOf("new/out_0.npy")));
}

TEST_F(Driver, Linked) {
  EXPECT_EQ(runLinked({100, 200, 300, 400}), 0);
  EXPECT_EQ(runLinked({100, 200, 300, 401}), 2);
  options.atol = 2;
  EXPECT_EQ(runLinked({100, 200, 300, 401}), 0);
}

TEST_F(Driver, Complains) {
  auto complaint = [&](const TestModel &model) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(runInJIT(model), 1);
    return testing::internal::GetCapturedStderr();
  };
  options.inputs = {};
  EXPECT_EQ(complaint(makeAddModel()), "error: input 0 'a' is not given (--random-inputs=SEED gives it random data)\n");
  options.inputs = {"c=x.npy", "x", "y"};
  EXPECT_EQ(complaint(makeAddModel()), "error: too many inputs: the model has 2\n");
  options.inputs = {"a=/nonexistent.npy", pathOf("a.npy")};
  EXPECT_EQ(complaint(makeAddModel()), "error: input 0 'a': '/nonexistent.npy': no such file\n");
  options.inputs = {"a=x", "a=x"};
  EXPECT_EQ(complaint(makeAddModel()), "error: input 'a' is given twice\n");
  options.inputs = {pathOf("a.npy")};
  EXPECT_EQ(complaint(makeUnknownLengthModel()),
            "error: input 0 'count': '" + pathOf("a.npy") + "' holds f32, expected i64\n");
  const int64_t count = -9, shape[1] = {3};
  char message[NPY_MESSAGE_BYTES];
  ASSERT_EQ(npy_write(pathOf("count.npy").c_str(), RECUR_I64, 0, nullptr, &count, message), 0);
  options.inputs = {pathOf("count.npy")};
  EXPECT_EQ(complaint(makeUnknownLengthModel()), "error: the trip count is -9 (status 11)\n");
  const float three[3] = {};
  ASSERT_EQ(npy_write(pathOf("a.npy").c_str(), RECUR_F32, 1, shape, three, message), 0);
  options.inputs = {pathOf("a.npy"), pathOf("b.npy")};
  EXPECT_EQ(complaint(makeAddModel()), "error: input 0 'a': dim 0 is 3, expected 4 (status 2)\n");
}

TEST_F(Driver, OutputsOfUnknownLength) {
  const int64_t count = 3, shape[1] = {3};
  const int32_t sevens[3] = {7, 7, 7};
  char message[NPY_MESSAGE_BYTES];
  ASSERT_EQ(npy_write(pathOf("count.npy").c_str(), RECUR_I64, 0, nullptr, &count, message), 0);
  ASSERT_EQ(npy_write(pathOf("out_0.npy").c_str(), RECUR_I32, 1, shape, sevens, message), 0);
  options.inputs = {pathOf("count.npy")};
  options.repeat = 3;
  EXPECT_EQ(runInJIT(makeUnknownLengthModel()), 0);
}

TEST_F(Driver, MadeUpInputs) {
  options = {};
  options.randomSeed = 7;
  options.outputDir = pathOf("one");
  EXPECT_EQ(runInJIT(makeDynamicAddModel()), 0);
  options.outputDir.clear();
  options.expectDir = pathOf("one");
  options.rtol = options.atol = 0;
  EXPECT_EQ(runInJIT(makeDynamicAddModel()), 0);
  options.randomSeed = 8;
  EXPECT_EQ(runInJIT(makeDynamicAddModel()), 2);
}

TEST_F(Driver, CompilerIsNamed) {
  std::string old = getenv("CC") ? getenv("CC") : "";
  setenv("CC", "no-such-compiler -O2", 1);
  auto status = runLinkedModel({}, makeAddModel().description, options);
  old.empty() ? unsetenv("CC") : setenv("CC", old.c_str(), 1);
  ASSERT_FALSE(!!status);
  EXPECT_EQ(toString(status.takeError()), "the C compiler 'no-such-compiler', which CC names, is not found");
}

TEST_F(Objects, ProductsAreWhole) {
  EXPECT_TRUE(errorToBool(writeProduct(pathOf("x"), [](raw_ostream &os) {
    os << "half";
    return createStringError("stop");
  })));
  EXPECT_FALSE(sys::fs::exists(pathOf("x")));
  Error error = writeProduct("/nonexistent/x", ArrayRef<char>());
  EXPECT_NE(toString(std::move(error)).find("/nonexistent/x"), std::string::npos);
}

} // namespace
