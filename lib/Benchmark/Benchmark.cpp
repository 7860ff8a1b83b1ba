// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Benchmark.cpp - Measures a model -----------------------------------===//
//
// The order matters: the peak of memory is read after the compilation and before all else, and the probe runs between
// the compilation and the calls.
//
//===----------------------------------------------------------------------===//

#include "Recur/Benchmark/Benchmark.h"

#include "Inputs.h"
#include "Peer.h"

#include "Recur/Compiler/Diagnostics.h"
#include "Recur/Driver/Driver.h"
#include "Recur/Target/JIT.h"
#include "Recur/Transforms/Passes.h"
#include "Runner.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>
#include <sys/resource.h>
#include <thread>

using namespace llvm;
using namespace recur;

static double getSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

CallTimes CallTimes::summarize(std::vector<double> seconds) {
  llvm::sort(seconds);
  auto at = [&](double part) { return seconds[std::min<size_t>(seconds.size() - 1, seconds.size() * part)]; };
  return {seconds.size(), at(0.5), at(0.9), at(0.99), seconds.front()};
}

/// The name of the CPU, as the system says it.
static std::string describeCPU(const CompileOptions &options) {
  std::string name = getHostCPU();
  if (auto info = MemoryBuffer::getFileAsStream("/proc/cpuinfo")) {
    StringRef rest = (*info)->getBuffer().split("model name").second.split('\n').first;
    if (StringRef said = rest.ltrim(" \t:").trim(); !said.empty())
      name = (said + " (" + name + ")").str();
  }
  name += formatv(", {0} CPUs", std::thread::hardware_concurrency());
  if (auto machine = createTargetMachine(options.target))
    name += formatv(", vectors of {0} bits", vectorBits(**machine));
  else
    consumeError(machine.takeError());
  return name;
}

static mlir::FailureOr<Model> read(const BenchmarkOptions &options, ArrayRef<std::string> shapes,
                                   mlir::MLIRContext &context) {
  SourceMgr sources;
  DiagnosticPrinter printer(sources, &context, errs());
  return readModel(options.model, options.weights, sources, &context, shapes);
}

/// The dims of an input as text: [1,?,64].
static std::string spellDims(ArrayRef<int64_t> dims) {
  std::string text = "[";
  for (auto [axis, dim] : enumerate(dims))
    text += (axis ? "," : "") + (dim < 0 ? "?" : std::to_string(dim));
  return text + "]";
}

/// Counts the work of the model with the dims that its inputs have.
static std::optional<ModelWork> countWorkOfCall(const BenchmarkOptions &options, ArrayRef<BenchmarkInput> inputs,
                                                mlir::MLIRContext &context) {
  std::vector<std::string> shapes;
  // Only an IR accepts dims.
  if (sys::path::extension(options.model) == ".xml")
    for (const BenchmarkInput &input : inputs)
      if (input.isOpen)
        shapes.push_back(input.name + "=" + spellDims(input.dims));
  llvm::append_range(shapes, options.shapes);
  // The model was compiled, so what it says now is of no interest.
  mlir::ScopedDiagnosticHandler ignore(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  SourceMgr sources;
  mlir::FailureOr<Model> model = readModel(options.model, options.weights, sources, &context, shapes);
  if (mlir::failed(model))
    return std::nullopt;
  auto machine = createTargetMachine(options.compile.target);
  if (!machine) {
    consumeError(machine.takeError());
    return std::nullopt;
  }
  if (getStage(*model->module) > Stage::Linalg ||
      mlir::failed(lower(*model->module, Stage::Linalg, options.compile, **machine)))
    return std::nullopt;
  ModelWork work = countWork(*model->module);
  return work.isKnown ? std::optional<ModelWork>(std::move(work)) : std::nullopt;
}

/// The number of calls of one turn, from the time of a first call.
static size_t countCalls(const BenchmarkOptions &options, double secondsPerCall) {
  return std::clamp(options.seconds / options.rounds / std::max(secondsPerCall, 1e-9), 2.0, 1e6);
}

/// Times Recur and the peer (or null) in turns. `open` has been called once.
static Error timeInTurns(const BenchmarkOptions &options, recur_run *run, Peer *peer, BenchmarkReport &report) {
  std::vector<double> ours, theirs;
  auto timeOurs = [&](size_t count) -> Error {
    size_t before = ours.size();
    ours.resize(before + count);
    return recur_time_calls(run, count, ours.data() + before) ? createStringError("a call of the model failed")
                                                              : Error::success();
  };
  constexpr size_t kFirstCalls = 3;
  if (Error error = timeOurs(kFirstCalls))
    return error;
  if (peer)
    if (Error error = peer->timeCalls(kFirstCalls, theirs))
      return error;
  size_t ourCount = countCalls(options, *llvm::min_element(ours)),
         theirCount = peer ? countCalls(options, *llvm::min_element(theirs)) : 0;
  ours.clear();
  theirs.clear();
  for (unsigned round = 0; round < options.rounds; ++round)
    for (bool isOurTurn : {round % 2 == 0, round % 2 != 0}) {
      if (!isOurTurn && !peer)
        continue;
      if (Error error = isOurTurn ? timeOurs(ourCount) : peer->timeCalls(theirCount, theirs))
        return error;
    }
  report.times = CallTimes::summarize(std::move(ours));
  if (peer)
    report.openVINO = {peer->getVersion().str(), peer->getCompileSeconds(), CallTimes::summarize(std::move(theirs))};
  return Error::success();
}

Expected<BenchmarkReport> recur::runBenchmark(const BenchmarkOptions &options, mlir::MLIRContext &context,
                                              int &status) {
  BenchmarkReport report;
  report.cpu = describeCPU(options.compile);
  report.threads = options.threads;
  double begin = getSeconds();
  mlir::FailureOr<Model> model = read(options, options.shapes, context);
  if (mlir::failed(model))
    return createStringError("the model cannot be read");
  SourceMgr sources;
  DiagnosticPrinter printer(sources, &context, errs());
  Expected<CompiledModel> compiled = compile(*model, options.compile, EmitKind::Object, WeightsPlacement::External);
  if (!compiled)
    return compiled.takeError();
  auto jit = JITModel::create(
      MemoryBuffer::getMemBufferCopy(StringRef(compiled->output.data(), compiled->output.size()), "model"),
      options.compile.name, compiled->weights);
  if (!jit)
    return jit.takeError();
  report.compileSeconds = getSeconds() - begin;
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  report.peakBytes = uint64_t(usage.ru_maxrss) * 1024;
  report.weightsBytes = compiled->weights.size();

  SmallString<128> directory;
  if (std::error_code code = sys::fs::createUniqueDirectory("recur-bench", directory))
    return createStringError(code, "cannot make a temporary directory: " + code.message());
  llvm::scope_exit cleanUp([&] { (void)sys::fs::remove_directories(directory); });
  auto inputs = findInputs(*(*jit)->entryPoints().info(), options.model, directory);
  if (!inputs)
    return inputs.takeError();
  for (const BenchmarkInput &input : *inputs) {
    const char *how = !input.isRandom ? "from " : input.isOpen ? "random, open dims made up" : "random";
    report.inputs.push_back(input.name + " " + spellDims(input.dims) + ": " + how +
                            (input.isRandom ? "" : sys::path::filename(input.path).str()));
  }
  report.work = countWorkOfCall(options, *inputs, context);
  Expected<MachineRoof> roof = probeMachine(options.threads);
  if (!roof)
    return roof.takeError();
  report.roof = std::move(*roof);

  std::unique_ptr<Peer> peer;
  RunOptions run;
  for (const BenchmarkInput &input : *inputs)
    run.inputs.push_back(input.path);
  run.threads = options.threads;
  run.quiet = true;
  if (options.compareOpenVINO) {
    auto started = Peer::start(options.python, {options.model, options.weights, run.inputs, options.shapes,
                                                options.threads, directory.str().str()});
    if (!started)
      return started.takeError();
    peer = std::move(*started);
    run.expectDir = directory.str().str();
    run.rtol = options.rtol;
    run.atol = options.atol;
  }
  RunArguments arguments(run);
  std::unique_ptr<recur_run, decltype(&recur_close_run)> opened(
      recur_open_run(&(*jit)->entryPoints(), arguments.count(), arguments.data()), &recur_close_run);
  int result = opened ? recur_finish_run(opened.get()) : 1;
  if (result == 1)
    return createStringError("the model cannot be called");
  status = result;
  if (Error error = timeInTurns(options, opened.get(), peer.get(), report))
    return error;
  return report;
}
