// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Driver.cpp - running a model on .npy files -------------------------===//
//
// The C++ side of the driver: it passes options to the C code.
//
//===----------------------------------------------------------------------===//
#include "Recur/Driver/Driver.h"
#include "Gang.h"
#include "Runner.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

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

} // namespace recur
