// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LibraryTest.cpp - the compiler as a library ------------------------===//
//
// Tests recur_compiler.hpp beside recur.hpp, in a program that has another copy of LLVM.
//
//===----------------------------------------------------------------------===//
#include "../RunningSums.h"
#include "Recur/Library/recur_compiler.hpp"
#include "Recur/Target/recur.hpp"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace fs = std::filesystem;
using namespace recur;

namespace {

const std::string exampleFolder = std::string(RECUR_EXAMPLES) + "/lstm-example2";

Source sums() { return Source::from_memory(runningSums, {}, "sums.mlir"); }

std::string readFile(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

void writeFile(const fs::path &path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// A folder that is removed in the end.
struct Folder {
  Folder() {
    std::string name = fs::temp_directory_path() / "recur-library-XXXXXX";
    path = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

/// Expects the module to compute running sums.
void expectSums(const Module &module) {
  Model model(module.entry_points());
  model.run({std::array{1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f}, std::array{10.f, 20.f}});
  View<const float> last = model.output<float>("last"), all = model.output<float>("all");
  EXPECT_EQ(std::vector(last.begin(), last.end()), (std::vector{26.f, 40.f}));
  EXPECT_EQ(std::vector(all.begin(), all.end()), (std::vector{11.f, 22.f, 14.f, 26.f, 19.f, 32.f, 26.f, 40.f}));
}

/// The output of the example for inputs that depend on `seed`.
std::vector<float> runExample(const Module &module, int seed) {
  std::vector<float> x(25 * 512), h(256), c(256);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>((i * 7 + static_cast<size_t>(seed)) % 31) / 31.f;
  Model model(module.entry_points());
  model.run({x, h, c});
  View<const float> y = model.output<float>(0);
  return {y.begin(), y.end()};
}

TEST(Library, CompilesAndDescribesAModel) {
  Module module = compile(sums());
  expectSums(module);
  ASSERT_EQ(module.inputs().size(), 2u);
  EXPECT_STREQ(module.inputs()[0].name, "x");
  EXPECT_EQ(module.inputs()[0].element_type, RECUR_F32);
  EXPECT_EQ(module.inputs()[0].rank, 2);
  EXPECT_EQ(module.inputs()[0].dims[0], 4);
  ASSERT_EQ(module.outputs().size(), 2u);
  EXPECT_STREQ(module.outputs()[1].name, "all");
  EXPECT_TRUE(module.states().empty());
  EXPECT_STREQ(module.info().name, "sums");
  EXPECT_STREQ(version(), RECUR_VERSION);
}

TEST(Library, TakesAModelFromMemoryOrFromFiles) {
  Module fromFile = compile(Source::from_file(exampleFolder + "/model.xml"));
  std::string text = readFile(exampleFolder + "/model.xml"), weights = readFile(exampleFolder + "/model.bin");
  Module fromMemory = compile(Source::from_memory(text, std::as_bytes(std::span(weights))));
  EXPECT_EQ(runExample(fromFile, 1), runExample(fromMemory, 1));
  EXPECT_NE(runExample(fromFile, 1), runExample(fromFile, 2));

  // No file is opened for a model in memory, not even the weights that lie beside a file of its name.
  Outcome<Module> without = try_compile(Source::from_memory(text, {}, exampleFolder + "/model.xml"));
  ASSERT_FALSE(without);
  EXPECT_NE(std::string(without.error().what()).find("error: "), std::string::npos) << without.error().what();
}

TEST(Library, ReturnsLocatedDiagnostics) {
  Outcome<Module> bad =
      try_compile(Source::from_memory("<net name=\"m\" version=\"11\">\n  <layers>\n", {}, "bad.xml"));
  ASSERT_FALSE(bad);
  EXPECT_EQ(std::string(bad.error().what()).find("bad.xml:"), 0u) << bad.error().what();
  EXPECT_THROW(compile(Source::from_file("no/such/model.xml")), CompileError);
  Outcome<Module> missing = try_compile(Source::from_file("no/such/model.xml"));
  EXPECT_STREQ(missing.error().what(), "no/such/model.xml: error: cannot open 'no/such/model.xml': no such file");

  Outcome<Module> setting = try_compile(sums(), {.precision = "f16"});
  EXPECT_STREQ(setting.error().what(), "error: expected a precision of 'f32' or 'bf16', but got 'f16'");
  setting = try_compile(sums(), {.weights_precision = "int4"});
  EXPECT_STREQ(setting.error().what(),
               "error: expected a precision of weights of 'f32', 'bf16' or 'int8', but got 'int4'");
  setting = try_compile(sums(), {.level = 4});
  EXPECT_STREQ(setting.error().what(), "error: expected a level of 0 to 3, but got 4");
  setting = try_compile(sums(), {.cpu = "z80"});
  EXPECT_NE(std::string(setting.error().what()).find("unknown CPU 'z80'"), std::string::npos);
  setting = try_compile(sums(), {.targets = {"haswell"}});
  EXPECT_STREQ(setting.error().what(), "error: expected no targets for a model in this process, which has one CPU");
  Outcome<Product> product = try_build(sums(), ProductKind::object, {.cpu = "haswell", .targets = {"haswell"}});
  EXPECT_STREQ(product.error().what(),
               "error: expected either the CPUs of levels, or one CPU and its features, but got both");
  setting = try_compile(sums(), {.name = "a-b"});
  EXPECT_NE(std::string(setting.error().what()).find("'a-b' cannot be the name"), std::string::npos);
}

TEST(Library, ReturnsWhatLLVMRefuses) {
  // A call of a function that returns an f64, without the registers for it.
  Source power = Source::from_memory(R"mlir(
    func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
      %y = ov.power %x, %x : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
      return %y : tensor<4xf64>
    }
  )mlir",
                                     {}, "power.mlir");
  Outcome<Product> product = try_build(power, ProductKind::object, {.features = "-sse2", .triple = "x86_64-linux-gnu"});
  ASSERT_FALSE(product);
  EXPECT_NE(std::string(product.error().what()).find("SSE2 register return with SSE2 disabled"), std::string::npos);
  EXPECT_NE(std::string(product.error().what()).find("error: the model cannot be translated to machine code"),
            std::string::npos);

  // Features for which LLVM would end the process.
  std::pair<const char *, const char *> refused[] = {
      {"x86_64-linux-gnu", "-64bit"}, {"x86_64-linux-gnu", "-64bit-mode"}, {"riscv64-linux-gnu", "-d"},
      {"riscv64-linux-gnu", "+e"},    {"riscv64-linux-gnu", "+32bit"},     {"riscv64-linux-gnu", "+zcmp"},
      {"riscv64-linux-gnu", "+zfinx"}};
  for (auto [triple, features] : refused) {
    product = try_build(sums(), ProductKind::object, {.features = features, .triple = triple});
    ASSERT_FALSE(product) << features;
    EXPECT_NE(std::string(product.error().what()).find("error: the CPU features do not suit target '"),
              std::string::npos)
        << product.error().what();
  }
}

TEST(Library, ChecksForNaN) {
  Module module = compile(sums(), {.check_nan = true});
  expectSums(module);
  Model model(module.entry_points());
  Result<void> run = model.try_run({std::array{1.f, 2.f, NAN, 4.f, 5.f, 6.f, 7.f, 8.f}, std::array{10.f, 20.f}});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().status(), RECUR_E_NAN);
}

TEST(Library, MeasuresLayers) {
  Module measuring = compile(sums(), {.profile = true});
  Outcome<Module> copy = try_deserialize(measuring.serialize());
  ASSERT_TRUE(copy);
  for (const Module &module : {measuring, *copy}) {
    recur_profile_reader read = module.profile_reader();
    ASSERT_TRUE(read);
    Model model(module.entry_points());
    model.run({std::array{1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f}, std::array{10.f, 20.f}});
    std::vector<recur_profile_row> rows(model.profile(read, {}));
    model.profile(read, rows);
    auto inLoop = std::find_if(rows.begin(), rows.end(), [](const recur_profile_row &row) { return row.loop >= 0; });
    ASSERT_NE(inLoop, rows.end());
    EXPECT_EQ(inLoop->calls, 4u);
    EXPECT_EQ(rows[static_cast<size_t>(inLoop->loop)].calls, 4u);
  }
  EXPECT_FALSE(compile(sums()).profile_reader());
  Outcome<Product> both = try_build(sums(), ProductKind::object, {.entry = "run,step", .profile = true});
  EXPECT_STREQ(both.error().what(), "error: expected one entry and one CPU for a profile, whose rows are those of one");
}

TEST(Library, PrintsNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_FALSE(try_compile(Source::from_memory("<net>", {}, "bad.xml")));
  EXPECT_FALSE(try_compile(Source::from_memory("func.func @main(", {}, "bad.mlir")));
  EXPECT_FALSE(try_compile(Source::from_file("no/such/model.xml")));
  EXPECT_FALSE(try_compile(sums(), {.cpu = "z80"}));
  EXPECT_FALSE(try_compile(sums(), {.features = "+soft-float"}));
  EXPECT_FALSE(try_load("no/such/library.so"));
  EXPECT_FALSE(try_deserialize("bytes"));
  EXPECT_TRUE(try_compile(sums()));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Library, CompilesAndRunsOnManyThreadsAtOnce) {
  std::vector<float> expected = runExample(compile(Source::from_file(exampleFolder + "/model.xml")), 3);
  std::vector<std::string> problems(16);
  std::vector<std::thread> threads;
  threads.reserve(problems.size());
  for (size_t i = 0; i < problems.size(); ++i)
    threads.emplace_back([&, i] {
      if (i % 4 == 0) {
        Outcome<Module> bad = try_compile(Source::from_memory("<net>", {}, "bad" + std::to_string(i) + ".xml"));
        if (bad || std::string(bad.error().what()).find("bad" + std::to_string(i) + ".xml:") != 0)
          problems[i] = "expected an error of its own";
        return;
      }
      if (i % 4 == 1) {
        Outcome<Product> product = try_build(sums(), ProductKind::object, {.name = "sums"});
        problems[i] = product ? "" : product.error().what();
        return;
      }
      Outcome<Module> module = try_compile(Source::from_file(exampleFolder + "/model.xml"));
      if (!module)
        problems[i] = module.error().what();
      else if (runExample(*module, 3) != expected)
        problems[i] = "the output differs";
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &problem : problems)
    EXPECT_EQ(problem, "");
}

TEST(Library, BytesDoNotDependOnWhatWasCompiledBefore) {
  // The kernels of both products are shared: the first compilations generate their code, and later ones find it.
  Source model = Source::from_memory(R"mlir(
    func.func @main(%x: tensor<?x64xf32> {ov.name = "x"}) -> (tensor<?x96xf32> {ov.name = "y"}) {
      %a = ov.constant dense<0.5> : tensor<64x320xf32>
      %b = ov.constant dense<0.25> : tensor<320x96xf32>
      %p = ov.matmul %x, %a : (tensor<?x64xf32>, tensor<64x320xf32>) -> tensor<?x320xf32>
      %q = ov.matmul %p, %b : (tensor<?x320xf32>, tensor<320x96xf32>) -> tensor<?x96xf32>
      return %q : tensor<?x96xf32>
    })mlir",
                                     {}, "products.mlir");
  std::vector<std::string> bytes(4);
  std::vector<std::thread> threads;
  threads.reserve(bytes.size());
  for (std::string &own : bytes)
    threads.emplace_back([&] { own = compile(model).serialize(); });
  for (std::thread &thread : threads)
    thread.join();
  bytes.push_back(compile(model).serialize());
  for (const std::string &own : bytes)
    EXPECT_EQ(own, bytes.front());

  // So are objects for several CPUs, with lines for a debugger, and the remarks.
  for (bool lines : {false, true}) {
    std::string objects[2];
    std::vector<size_t> remarks(2);
    for (size_t i : {0, 1}) {
      Settings settings{.name = "products", .debug_info = lines};
      settings.remark = [&](const recur::CompileRemark &) { ++remarks[i]; };
      Outcome<Product> product = try_build(model, ProductKind::object, settings);
      ASSERT_TRUE(product) << product.error().what();
      objects[i] = product->bytes;
    }
    EXPECT_EQ(objects[0], objects[1]);
    EXPECT_EQ(remarks[0], remarks[1]);
    EXPECT_NE(remarks[0], 0u);
  }

  Module module = deserialize(bytes.back());
  Model runner(module.entry_points());
  for (size_t rows : {1, 2, 15}) {
    std::vector<float> x(rows * 64, 1.f);
    const int64_t dims[] = {static_cast<int64_t>(rows), 64};
    runner.run({View<const float>(std::span(std::as_const(x)), dims)});
    View<const float> y = runner.output<float>("y");
    EXPECT_EQ(std::vector(y.begin(), y.end()), std::vector<float>(rows * 96, 64 * 0.5f * 320 * 0.25f));
  }
}

TEST(Library, OneModuleRunsOnManyThreads) {
  Module module = compile(Source::from_file(exampleFolder + "/model.xml"));
  std::vector<std::vector<float>> results(8);
  std::vector<std::thread> threads;
  threads.reserve(results.size());
  for (size_t i = 0; i < results.size(); ++i)
    threads.emplace_back([&, i, copy = module] { results[i] = runExample(copy, static_cast<int>(i % 2)); });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(results[i], runExample(module, static_cast<int>(i % 2)));
}

TEST(Library, AModuleTravelsAsBytes) {
  Module module = compile(Source::from_file(exampleFolder + "/model.xml"));
  std::string bytes = module.serialize();
  Module copy = deserialize(bytes);
  EXPECT_EQ(runExample(copy, 4), runExample(module, 4));
  EXPECT_EQ(copy.serialize(), bytes);

  for (size_t place : {size_t(20), bytes.size() / 2, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    Outcome<Module> bad = try_deserialize(damaged);
    ASSERT_FALSE(bad) << place;
    EXPECT_STREQ(bad.error().what(), "error: the bytes of the model are damaged");
  }
  EXPECT_FALSE(try_deserialize(bytes.substr(0, 100)));
  EXPECT_FALSE(try_deserialize(""));
  EXPECT_FALSE(try_deserialize("text of no model"));
}

TEST(Library, WritesProductsAndLoadsThem) {
  Folder folder;
  std::string library = folder.path / "libsums.so", header = folder.path / "sums.h";
  aot(sums(), ProductKind::shared_library, library, header);
  EXPECT_NE(readFile(header).find("int32_t sums_run("), std::string::npos);
  Module module = load(library);
  expectSums(module);
  EXPECT_STREQ(module.info().cpu, "x86-64-v2");
  EXPECT_EQ(module.info().num_levels, 3);
  expectSums(deserialize(module.serialize()));
  // A library that is loaded is not read again.
  std::string one = folder.path / "libone.so", two = folder.path / "libtwo.so";
  aot(sums(), ProductKind::shared_library, one, {}, {.cpu = "x86-64-v3"});
  EXPECT_EQ(load(one).info().num_levels, 1);
  aot(sums(), ProductKind::shared_library, two, {}, {.targets = {"haswell", "x86-64"}});
  Module levels = load(two);
  EXPECT_STREQ(levels.info().cpu, "x86-64");
  EXPECT_STREQ(levels.info().levels[1], "haswell");

  Product object = build(sums(), ProductKind::object, {.name = "other"});
  EXPECT_EQ(object.bytes.substr(0, 4), "\x7f"
                                       "ELF");
  EXPECT_NE(object.header.find("int32_t other_run("), std::string::npos);
  EXPECT_EQ(object.bytes.find(".debug_line"), std::string::npos);
  Product lines = build(sums(), ProductKind::object, {.name = "other", .debug_info = true});
  EXPECT_NE(lines.bytes.find(".debug_line"), std::string::npos);
  EXPECT_EQ(build(sums(), ProductKind::static_library).bytes.substr(0, 8), "!<arch>\n");
  expectSums(deserialize(build(sums(), ProductKind::shared_library).bytes));

  // An object is no library, and neither is a text.
  writeFile(folder.path / "sums.o", object.bytes);
  writeFile(folder.path / "text.so", "text");
  for (const char *name : {"sums.o", "text.so", "none.so"}) {
    Outcome<Module> bad = try_load(folder.path / name);
    ASSERT_FALSE(bad) << name;
    EXPECT_NE(std::string(bad.error().what()).find(name), std::string::npos) << bad.error().what();
  }
}

TEST(Library, KeepsModulesInAFolder) {
  Folder folder;
  unsigned steps = 0;
  Settings settings = {.cache_dir = folder.path / "cache",
                       .progress = [&](std::string_view, unsigned, unsigned) { return ++steps > 0; }};
  expectSums(compile(sums(), settings));
  EXPECT_GT(steps, 0u);
  steps = 0;
  Module kept = compile(sums(), settings);
  EXPECT_EQ(steps, 0u);
  expectSums(kept);
  expectSums(deserialize(kept.serialize()));

  Outcome<Product> product = try_build(sums(), ProductKind::object, settings);
  ASSERT_FALSE(product);
  EXPECT_STREQ(product.error().what(), "error: a cache folder can be used for a model of this process alone");
}

/// Expects the module to compute running sums one time step after the other.
void expectSteps(const Module &module) {
  EXPECT_EQ(module.entry(), "step");
  Model model(module.entry_points());
  for (float sum : {11.f, 12.f, 13.f}) {
    model.run({std::array{1.f, 2.f}, std::array{10.f, 20.f}});
    EXPECT_EQ(model.output<float>("all")[0], sum);
  }
}

TEST(Library, LoadsTheEntryOfALibrary) {
  Folder folder;
  std::string step = folder.path / "step.so", both = folder.path / "both.so", run = folder.path / "run.so";
  aot(sums(), ProductKind::shared_library, step, "", {.entry = "step"});
  aot(sums(), ProductKind::shared_library, both, "", {.entry = "run,step"});
  aot(sums(), ProductKind::shared_library, run);
  expectSteps(load(step));
  expectSteps(load(step, "step"));
  expectSteps(load(both, "step"));
  expectSteps(deserialize(load(both, "step").serialize(), "step"));
  expectSums(load(both));
  EXPECT_EQ(load(both).entry(), "run");

  Module compiled = compile(sums(), {.entry = "step"});
  expectSteps(compiled);
  expectSteps(deserialize(compiled.serialize()));

  auto expectError = [](const Outcome<Module> &outcome, const std::string &text) {
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().what(), "error: " + text);
  };
  expectError(try_load(run, "step"), "expected '" + run + "' to have the function run_step, but it has run_run alone");
  expectError(try_deserialize(compiled.serialize(), "run"),
              "expected 'the bytes' to have the function sums_run, but it has sums_step alone");
  expectError(try_load(both, "walk"), "expected an entry of 'run' or 'step', but got 'walk'");
  expectError(try_compile(sums(), {.entry = "run,step"}), "expected an entry of 'run' or 'step', but got 'run,step'");
  EXPECT_STREQ(try_build(sums(), ProductKind::object, {.entry = "walk"}).error().what(),
               "error: expected an entry of 'run', 'step' or 'run,step', but got 'walk'");
}

TEST(Library, WritesNoFileThatIsRead) {
  Folder folder;
  fs::path model = folder.path / "sums.mlir";
  writeFile(model, runningSums);
  Outcome<void> written = try_aot(Source::from_file(model), ProductKind::object, model);
  ASSERT_FALSE(written);
  EXPECT_NE(std::string(written.error().what()).find("expected the product to name a file that is not read"),
            std::string::npos)
      << written.error().what();
  EXPECT_EQ(readFile(model), runningSums);
  // A failure leaves nothing.
  EXPECT_FALSE(try_aot(sums(), ProductKind::object, folder.path / "none" / "sums.o", folder.path / "sums.h",
                       {.precision = "f16"}));
  EXPECT_FALSE(fs::exists(folder.path / "sums.h"));
}

TEST(Library, ReportsProgressAndEndsWhenToldTo) {
  std::vector<std::string> steps;
  unsigned last = 0;
  Settings settings;
  settings.progress = [&](std::string_view step, unsigned done, unsigned all) {
    EXPECT_EQ(done == all, step == "done") << done;
    EXPECT_LE(done, all);
    EXPECT_TRUE(steps.empty() ? done == 0 : done == last + 1) << done;
    last = done;
    steps.emplace_back(step);
    return true;
  };
  expectSums(compile(sums(), settings));
  EXPECT_GT(steps.size(), 20u);
  EXPECT_EQ(steps[steps.size() - 2], "code");
  EXPECT_EQ(steps.back(), "done");
  EXPECT_NE(std::find(steps.begin(), steps.end(), "schedule"), steps.end());

  for (size_t end : {size_t(0), steps.size() / 2, steps.size() - 2}) {
    size_t calls = 0;
    settings.progress = [&](std::string_view, unsigned, unsigned) { return calls++ != end; };
    Outcome<Module> cancelled = try_compile(sums(), settings);
    ASSERT_FALSE(cancelled) << end;
    EXPECT_STREQ(cancelled.error().what(), "error: the compilation was cancelled");
    EXPECT_EQ(calls, end + 1);
  }
}

TEST(Library, ReportsWarnings) {
  std::string text;
  Settings settings{.weights_precision = "bf16"};
  settings.report = [&](std::string_view more) { text += more; };
  (void)compile(Source::from_file(exampleFolder + "/model.xml"), settings);
  EXPECT_NE(text.find("remark: weights were rounded: "), std::string::npos) << text;
}

TEST(Library, ReportsRemarks) {
  Source source = Source::from_file(exampleFolder + "/model.xml");
  std::vector<recur::CompileRemark> remarks;
  Settings settings{.level = 0};
  settings.remark = [&](const recur::CompileRemark &remark) { remarks.push_back(remark); };
  (void)compile(source, settings);
  auto isPacked = [](const recur::CompileRemark &remark) {
    return remark.pass == "rt-pack-matmuls" && remark.kind == "passed" && !remark.layer.empty() && remark.line > 1 &&
           remark.column > 0 && remark.file.ends_with("model.xml") && remark.text.starts_with("the matrix of ");
  };
  EXPECT_TRUE(std::any_of(remarks.begin(), remarks.end(), isPacked));

  // Some of them, for a product, and for a model that is in a cache folder.
  auto count = [&](const char *filter) {
    remarks.clear();
    settings.remark_filter = filter;
    (void)recur::build(source, recur::ProductKind::object, settings);
    return remarks.size();
  };
  auto areAll = [&](auto has) { return std::all_of(remarks.begin(), remarks.end(), has); };
  EXPECT_GT(count("passed"), 0u);
  EXPECT_TRUE(areAll([](const recur::CompileRemark &remark) { return remark.kind == "passed"; }));
  EXPECT_GT(count("pack"), 0u);
  EXPECT_TRUE(areAll([](const recur::CompileRemark &remark) { return remark.pass.find("pack") != std::string::npos; }));
  EXPECT_EQ(count("no-such-pass"), 0u);

  settings.remark_filter = "(";
  auto outcome = recur::try_compile(source, settings);
  ASSERT_FALSE(outcome);
  EXPECT_NE(std::string(outcome.error().what()).find("a regular expression of passes, but got '('"), std::string::npos);
}

} // namespace
