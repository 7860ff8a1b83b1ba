// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Driver.cpp - running a model on .npy files -------------------------===//
//
// The C++ side of the driver: it passes options to the C code, and builds a C program from sources that are embedded in
// the library, the generated header and the object file of a model.
//
//===----------------------------------------------------------------------===//
#include "Recur/Driver/Driver.h"
#include "Gang.h"
#include "Recur/Target/Header.h"
#include "Recur/Target/ObjectFile.h"
#include "Recur/Target/SystemCompiler.h"
#include "Runner.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

// runner_c, runner_h, gang_c, gang_h, numbers_h, options_h, show_h, strict_c, strict_h, guard_h, npy_c, npy_h,
// tuner_h, weights_h, map_weights_h, profile_h
#include "EmbeddedDriver.inc"

using namespace llvm;

namespace recur {

static_assert(kMaxThreads == gangMaxThreads);

std::vector<std::string> RunOptions::arguments() const {
  std::vector<std::string> result;
  auto add = [&](const char *name, const std::string &value) { result.push_back(name + ("=" + value)); };
  if (!outputDir.empty())
    add("--output-dir", outputDir);
  if (randomSeed)
    add("--random-inputs", std::to_string(*randomSeed & uint64_t(INT64_MAX)));
  if (!expectDir.empty())
    add("--expect", expectDir);
  // With 18 significant digits the C code reads exactly the same double.
  add("--rtol", formatv("{0:e17}", rtol));
  add("--atol", formatv("{0:e17}", atol));
  for (const std::string &state : states)
    add("--state", state);
  if (strict)
    result.push_back("--strict");
  if (quiet)
    result.push_back("--quiet");
  if (show)
    result.push_back("--show");
  if (suggestShapes)
    result.push_back("--suggest-shapes");
  if (threads > 1)
    add("--threads", std::to_string(threads));
  if (repeat)
    add("--repeat", std::to_string(repeat));
  add("--max-iterations", std::to_string(std::max<int64_t>(maxIterations, 0)));
  add("--max-bytes", std::to_string(std::max<int64_t>(maxBytes, 0)));
  result.push_back("--");
  llvm::append_range(result, inputs);
  return result;
}

RunArguments::RunArguments(const RunOptions &options) : texts(options.arguments()) {
  pointers.reserve(texts.size());
  for (const std::string &text : texts)
    pointers.push_back(text.c_str());
}

int runModel(const recur_entry_points &model, const RunOptions &options, recur_profile_reader readProfile) {
  RunArguments arguments(options);
  outs().flush();
  return recur_run_profiled_model(&model, readProfile, arguments.count(), arguments.data());
}

bool checkInputs(const recur_entry_points &model, const RunOptions &options) {
  RunArguments arguments(options);
  recur_run *run = recur_open_run(&model, arguments.count(), arguments.data());
  if (run)
    recur_close_run(run);
  return run != nullptr;
}

static std::string mainSource(const ModelDescription &model) {
  return "#define _POSIX_C_SOURCE 200809L\n#define _DEFAULT_SOURCE\n#define RECUR_DRIVER_EMBEDDED\n"
         "#include \"model.h\"\n#include \"Weights.h\"\n#include \"MapWeights.h\"\n#include \"Profile.h\"\n#include "
         "\"Runner.c\"\n#include "
         "\"Gang.c\"\n#include \"Strict.c\"\n#include "
         "\"Npy.c\"\nint main(int argc, char **argv) {\n  recur_entry_points model = " +
         getFunctionName(model.name, model.entry, "entry_points") +
         "();\n"
         "  return recur_run_profiled_model(&model, " +
         (model.profile.empty() ? "NULL" : getFunctionName(model.name, model.entry, "profile")) +
         ", argc - 1, (const char *const *)argv + 1);\n}\n";
}

Expected<int> runLinkedModel(ArrayRef<char> object, const ModelDescription &model, const RunOptions &options,
                             ArrayRef<uint8_t> weights) {
  Expected<std::vector<std::string>> command = findCommand(options.emulator, "emulator", "--emulator");
  if (!command)
    return command.takeError();
  Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  auto text = [](const unsigned char *bytes, size_t size) {
    return ArrayRef(reinterpret_cast<const char *>(bytes), size);
  };

  std::string header, source = mainSource(model);
  raw_string_ostream os(header);
  emitHeader(os, model);
  const std::pair<StringRef, ArrayRef<char>> files[] = {
      {"model.o", object},
      {"model.h", ArrayRef(header.data(), header.size())},
      {"main.c", ArrayRef(source.data(), source.size())},
      {"Runner.c", text(runner_c, runner_c_size)},
      {"Runner.h", text(runner_h, runner_h_size)},
      {"Gang.c", text(gang_c, gang_c_size)},
      {"Gang.h", text(gang_h, gang_h_size)},
      {"recur_tuner.h", text(tuner_h, tuner_h_size)},
      {"Numbers.h", text(numbers_h, numbers_h_size)},
      {"Options.h", text(options_h, options_h_size)},
      {"Show.h", text(show_h, show_h_size)},
      {"Strict.c", text(strict_c, strict_c_size)},
      {"Strict.h", text(strict_h, strict_h_size)},
      {"Guard.h", text(guard_h, guard_h_size)},
      {"Npy.c", text(npy_c, npy_c_size)},
      {"Npy.h", text(npy_h, npy_h_size)},
      {"Weights.h", text(weights_h, weights_h_size)},
      {"MapWeights.h", text(map_weights_h, map_weights_h_size)},
      {"Profile.h", text(profile_h, profile_h_size)},
  };
  for (const auto &[name, bytes] : files)
    if (Error error = writeProduct(folder->pathOf(name), bytes))
      return error;
  std::string weightsPath = folder->pathOf("model.weights");
  if (model.weightsSource != WeightsSource::Object)
    if (Error error = writeProduct(weightsPath, text(weights.data(), weights.size())))
      return error;

  std::string program = folder->pathOf("program");
  std::vector<std::string> link{"-O1", "-pthread", "-o", program, folder->pathOf("main.c"), folder->pathOf("model.o"),
                                "-lm"};
  llvm::append_range(link, options.compilerOptions);
  if (Error error = runSystemCompiler(link, *folder))
    return std::move(error);

  command->push_back(program);
  if (model.weightsSource != WeightsSource::Object)
    command->push_back((model.weightsSource == WeightsSource::File ? "--map-weights=" : "--read-weights=") +
                       weightsPath);
  llvm::append_range(*command, options.arguments());
  SmallVector<StringRef> arguments(command->begin(), command->end());
  std::string message;
  outs().flush();
  int status = sys::ExecuteAndWait(arguments[0], arguments, std::nullopt, {}, 0, 0, &message);
  if (status < 0)
    return createStringError("the compiled model ended without a status: " + message);
  return status;
}

} // namespace recur
