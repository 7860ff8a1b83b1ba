// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Times.cpp - the times of the layers of a model ---------------------===//
//
// The model runs by JIT, behind the driver of ir-run.
//
//===----------------------------------------------------------------------===//
#include "Times.h"

#include "Runner.h"

#include "Recur/Driver/Driver.h"
#include "Recur/Target/JIT.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace recur;

static constexpr double kSeconds = 0.5;
static constexpr uint64_t kSeed = 1;

/// Fails if a dim of an input is not known.
static Error checkDims(ArrayRef<TensorDescription> inputs) {
  for (const TensorDescription &input : inputs)
    if (is_contained(input.dims, -1))
      return createStringError("expected all dims of the inputs to be known for --time, but input '" + input.name +
                               "' is " + describeType(input) + "; fix them by --shape");
  return Error::success();
}

Expected<ExplainedTimes> recur::measureTimes(Model &model, CompileOptions options) {
  if (Error error = checkDims(describeTensors(*model.module).inputs))
    return error;
  options.profile = true;
  Expected<CompiledModel> compiled = compile(model, options, EmitKind::Object, WeightsPlacement::External);
  if (!compiled)
    return compiled.takeError();
  auto jit = JITModel::create(
      MemoryBuffer::getMemBufferCopy(StringRef(compiled->output.data(), compiled->output.size()), "model"),
      options.name, compiled->weights);
  if (!jit)
    return jit.takeError();
  Expected<void *> address = (*jit)->find(getFunctionName(options.name, Entry::Run, "profile"));
  if (!address)
    return address.takeError();
  auto readProfile = reinterpret_cast<recur_profile_reader>(*address);

  RunOptions run;
  run.randomSeed = kSeed;
  run.quiet = true;
  RunArguments arguments(run);
  std::unique_ptr<recur_run, decltype(&recur_close_run)> opened(
      recur_open_run(&(*jit)->entryPoints(), arguments.count(), arguments.data()), &recur_close_run);
  auto fail = [] { return createStringError("a call of the model failed"); };
  double first;
  if (!opened || recur_time_calls(opened.get(), 1, &first))
    return fail();
  size_t calls = std::clamp(kSeconds / std::max(first, 1e-9), 2.0, 1e5);
  std::vector<double> seconds(calls);
  if (recur_time_calls(opened.get(), calls, seconds.data()))
    return fail();
  sort(seconds);

  const void *instance = recur_get_instance(opened.get());
  std::vector<recur_profile_row> rows(readProfile(instance, nullptr, 0));
  readProfile(instance, rows.data(), rows.size());
  double ticks = 0;
  for (const recur_profile_row &row : rows)
    ticks += row.ticks;
  ExplainedTimes times{seconds[calls / 2], calls, {}};
  for (const recur_profile_row &row : rows)
    times.rows.push_back({row.layers, row.loop, ticks ? row.ticks / ticks : 0, double(row.calls) / double(calls + 1)});
  return times;
}
