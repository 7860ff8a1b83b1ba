// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-run.cpp - Runs a model on .npy files ----------------------------===//
//
// Reads a model, compiles it for this machine or as a linked program (--aot), and runs it by the C driver
// (lib/Driver/Runner.c). With --interpret and --bisect the reference interpreter runs behind the same driver. A shared
// library of a model is loaded and run as it is.
//
//===----------------------------------------------------------------------===//

#include "../ModelOptions.h"
#include "../PassOptions.h"

#include "Recur/Compiler/Cache.h"
#include "Recur/Compiler/Compiler.h"
#include "Recur/Compiler/Diagnostics.h"
#include "Recur/Compiler/Summary.h"
#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Driver/Driver.h"
#include "Recur/Interpreter/Interpreter.h"
#include "Recur/Kernels.h"
#include "Recur/Registration.h"
#include "Recur/Target/JIT.h"
#include "Recur/Target/LoadedModel.h"
#include "Recur/Testing/Bisect.h"
#include "Recur/Transforms/Passes.h"

#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#include <chrono>

namespace cl = llvm::cl;
using namespace recur;

static cl::OptionCategory category("ir-run options");
static cl::opt<std::string> input(cl::Positional, cl::desc("<model.xml, ov text or model.so>"), cl::Required,
                                  cl::cat(category));
static cl::list<std::string> inputs(cl::Positional, cl::desc("[in.npy | name=in.npy]..."), cl::cat(category));
static cl::opt<std::string> outputDir("output-dir",
                                      cl::desc("Write out_0.npy, out_1.npy, ..., and state_0.npy, ... into DIR"),
                                      cl::value_desc("DIR"), cl::cat(category));
static cl::list<std::string> states("state", cl::desc("Set the state NAME before the run, to the value in FILE"),
                                    cl::value_desc("NAME=FILE"), cl::cat(category));
static cl::opt<uint64_t> randomInputs("random-inputs", cl::desc("Use random data for the inputs that are not given"),
                                      cl::value_desc("SEED"), cl::cat(category));
static cl::opt<std::string>
    expect("expect", cl::desc("Compare the outputs with out_0.npy, ... in DIR; exit with 2 on a difference"),
           cl::value_desc("DIR"), cl::cat(category));
static cl::opt<double> rtol("rtol", cl::desc("Relative tolerance of --expect (default 1e-4)"), cl::init(1e-4),
                            cl::cat(category));
static cl::opt<double> atol_("atol", cl::desc("Absolute tolerance of --expect (default 1e-5)"), cl::init(1e-5),
                             cl::cat(category));
static cl::opt<uint64_t> repeat("repeat", cl::desc("Measure the time of N more calls"), cl::value_desc("N"),
                                cl::cat(category));
static cl::opt<bool> info("info",
                          cl::desc("Print the inputs, outputs and states of the model, and how many layers and loops "
                                   "it has, without compiling it"),
                          cl::cat(category));
static cl::opt<bool> quiet("quiet", cl::desc("Print only errors, and what an option asks for"), cl::cat(category));
static cl::opt<bool>
    strict("strict",
           cl::desc("Call the model twice, with guard pages around all buffers, and without an allocator if "
                    "the query asks for none; fail if the model breaks a rule of the interface"),
           cl::cat(category));
static ThreadsOption threads(category, "Run with N threads (with --strict, the second of its two calls)");
static cl::opt<int64_t> maxIterations("max-iterations", cl::desc("Limit of the iterations of each loop (0: none)"),
                                      cl::init(RunOptions().maxIterations), cl::cat(category));
static cl::opt<int64_t> maxBytes("max-bytes", cl::desc("Limit of the bytes that the model allocates (0: none)"),
                                 cl::init(RunOptions().maxBytes), cl::cat(category));
static ReadOptions reading(category);
static PassOptions passes(category);
static CodeOptions code(category, "this machine's; --aot: x86-64-v2,x86-64-v3,x86-64-v4");
static cl::opt<Entry> entry("entry", cl::desc("What the call of the model computes (default run)"),
                            cl::init(Entry::Run), entryValues(), cl::cat(category));
static cl::opt<bool> aot("aot", cl::desc("Compile to an object, link it with $CC and a C driver, and run that"),
                         cl::cat(category));
static TripleOption triple(category);
static WeightsModeOption weightsMode(category);
static SanitizeOption sanitize(category);
static cl::opt<std::string> emulator("emulator",
                                     cl::desc("The command that runs the linked program of --aot, if it is for another "
                                              "machine, e.g. 'qemu-aarch64 -L DIR'"),
                                     cl::value_desc("COMMAND"), cl::cat(category));
static cl::opt<std::string> cacheDir("cache-dir",
                                     cl::desc("Keep the compiled model in DIR, and take it from there if the model, "
                                              "the options, the CPU and this program are the same"),
                                     cl::value_desc("DIR"), cl::cat(category));
static cl::opt<bool> interpreted("interpret", cl::desc("Interpret the model as it was read, without compiling it"),
                                 cl::cat(category));
static cl::opt<bool> bisects("bisect",
                             cl::desc("Find the first layer and iteration at which the compiled model and the "
                                      "interpreted one differ by more than --rtol and --atol; exit with 2 if they do"),
                             cl::cat(category));

/// The number of outputs of a model, whatever its stage.
static size_t countOutputs(mlir::ModuleOp module) {
  if (auto outputs = module->getAttrOfType<mlir::ArrayAttr>(rt::kOutputsAttr))
    return outputs.size();
  auto states = module->getAttrOfType<mlir::DenseI64ArrayAttr>(ov::kStatesAttr);
  return (*findEntry(module)).getNumResults() - (states ? states.size() : 0);
}

/// Fails if --output-dir would overwrite a file that is read: a file of the model (`read`), an input, or a file of
/// --expect, which is read after the outputs were written.
static llvm::Error checkOutputDir(std::vector<ToolFile> read, size_t numOutputs) {
  std::vector<ToolFile> written;
  // An argument may be NAME=PATH. The names are known only when the model runs, so every text after an '=' counts as a
  // path.
  for (llvm::StringRef argument : inputs)
    for (llvm::StringRef path = argument, name;;) {
      read.push_back({"an input", path.str()});
      if (!path.contains('='))
        break;
      std::tie(name, path) = path.split('=');
    }
  for (size_t i = 0; i != numOutputs; ++i) {
    std::string name = "/out_" + std::to_string(i) + ".npy";
    written.push_back({"--output-dir", outputDir + name});
    if (!expect.empty())
      read.push_back({"a file of --expect", expect + name});
  }
  return checkOutputs(written, read);
}

/// Says what may explain outputs that differ from those of --expect, which is status 2. `shortWeights` is that of
/// getShortWeights. Returns the status.
static int explain(int status, llvm::StringRef shortWeights) {
  if (status == 2 && !shortWeights.empty() && !rtol.getNumOccurrences() && !atol_.getNumOccurrences())
    llvm::WithColor::note(llvm::errs()) << "the model has weights of " << shortWeights
                                        << ", so a larger tolerance may be right, e.g. --rtol=1e-2 --atol=1e-3\n";
  return status;
}

/// Reads the inputs before the model is compiled, which may take long. Returns false after an error, which was printed.
/// Random inputs and time steps have dims that only the compiled model knows.
static bool checkInputsEarly(mlir::ModuleOp module, RunOptions run) {
  if (run.randomSeed || entry != Entry::Run || getStage(module) > Stage::Simplify)
    return true;
  run.threads = 1;
  InterpretedModel model(module, [](auto, const InterpreterOptions &) { return ModelRun{RECUR_OK, "", {}}; });
  return checkInputs(model.entryPoints(), run);
}

/// True if the input is a shared library. A pipe is not looked into.
static bool isSharedLibrary() {
  llvm::file_magic magic;
  return llvm::sys::fs::is_regular_file(input) && !llvm::identify_magic(input, magic) &&
         magic == llvm::file_magic::elf_shared_object;
}

/// Runs the shared library of a model. Returns the exit status.
static int runSharedLibrary(const RunOptions &run) {
  if (llvm::Error error = checkUnused({&reading.weights,   std::addressof(reading.shapes),
                                       &code.cpu,          &code.features,
                                       &code.naive,        &code.checkTimeLoops,
                                       &code.gangWork,     &code.weightsPrecision,
                                       &code.precision,    &code.debugInfo,
                                       &code.checkNaN,     &code.profile,
                                       &code.verifyPasses, std::addressof(code.targets),
                                       &sanitize,          &aot,
                                       &interpreted,       &bisects,
                                       &cacheDir,          &info,
                                       &passes.remarks},
                                      "with a shared library, which is compiled already"))
    return fail(std::move(error));
  auto model = LoadedModel::open(input, entry.getNumOccurrences() ? std::optional<Entry>(entry) : std::nullopt);
  if (!model)
    return fail(model.takeError());
  const recur_entry_points &functions = (*model)->entryPoints();
  if (!outputDir.empty())
    if (llvm::Error error = checkOutputDir({{"the model", input}}, functions.info()->num_outputs))
      return fail(std::move(error));
  return runModel(functions, run);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  passes.registerMLIROptions();
  cl::HideUnrelatedOptions(category);
  if (!parseCommandLine(argc, argv, "Recur: runs OpenVINO IR models that loop, by JIT or as a linked program\n",
                        {choicesOf(entry), choicesOf(weightsMode), choicesOf(sanitize),
                         choicesOf(code.weightsPrecision), choicesOf(code.precision)}))
    return 1;

  if (llvm::Error error = checkTogether(
          interpreted, {&aot, &bisects, &cacheDir, &code.naive, &strict, &threads, &code.checkTimeLoops,
                        std::addressof(code.targets), &code.cpu, &code.features, &code.weightsPrecision,
                        &code.precision, &code.debugInfo, &code.checkNaN, &code.profile, &code.verifyPasses, &entry}))
    return fail(std::move(error));
  if (llvm::Error error = code.check())
    return fail(std::move(error));
  if (llvm::Error error = passes.check())
    return fail(std::move(error));
  for (const cl::Option *option : std::initializer_list<const cl::Option *>{&interpreted, &bisects, &info, &cacheDir})
    if (llvm::Error error = checkTogether(*option, passes.getOptions()))
      return fail(std::move(error));
  if (llvm::Error error = checkTogether(bisects, {&aot, &strict, &threads, &outputDir, &expect, &repeat, &cacheDir,
                                                  &code.checkNaN, &code.profile, &entry}))
    return fail(std::move(error));
  if (llvm::Error error = checkTogether(info, {&aot, &interpreted, &bisects, &strict, &threads, &outputDir, &expect,
                                               &repeat, &cacheDir, &code.checkNaN, &code.profile, &code.verifyPasses,
                                               &entry, &randomInputs, &quiet, std::addressof(states)}))
    return fail(std::move(error));
  // A model in the cache is not compiled again.
  if (llvm::Error error = checkTogether(cacheDir, {&code.verifyPasses}))
    return fail(std::move(error));
  if (info && !inputs.empty())
    return fail(llvm::createStringError("--info cannot be used with inputs, but got '" + inputs.front() + "'"));
  if (llvm::Error error = checkTogether(strict, {&code.profile}))
    return fail(std::move(error));
  if (llvm::Error error = checkTogether(aot, {&cacheDir}))
    return fail(std::move(error));
  for (const cl::Option *option :
       {static_cast<const cl::Option *>(&triple), static_cast<const cl::Option *>(&emulator),
        static_cast<const cl::Option *>(&weightsMode), static_cast<const cl::Option *>(&sanitize),
        static_cast<const cl::Option *>(std::addressof(code.targets))})
    if (option->getNumOccurrences() && !aot)
      return fail(llvm::createStringError("expected --aot with --" + option->ArgStr));
  if (llvm::Error error = threads.check())
    return fail(std::move(error));
  if (maxIterations < 0 || maxBytes < 0)
    return fail(llvm::createStringError("expected a limit of 0 or more, but got %lld",
                                        (long long)std::min<int64_t>(maxIterations, maxBytes)));

  RunOptions run;
  run.inputs.assign(inputs.begin(), inputs.end());
  run.states.assign(states.begin(), states.end());
  run.outputDir = outputDir;
  if (randomInputs.getNumOccurrences())
    run.randomSeed = randomInputs;
  run.expectDir = expect;
  run.rtol = rtol;
  run.atol = atol_;
  run.repeat = repeat;
  run.strict = strict;
  run.quiet = quiet;
  // Who asks for something else to be done with the outputs, or for measurements, need not see what they are like.
  run.show = outputDir.empty() && expect.empty() && !repeat && !strict && !bisects && !code.profile && !quiet;
  run.threads = threads;
  run.maxIterations = maxIterations;
  run.maxBytes = maxBytes;
  run.emulator = emulator;
  if (isSharedLibrary())
    return runSharedLibrary(run);
  if (sanitize != Sanitizer::None)
    run.compilerOptions.push_back(sanitize == Sanitizer::Address ? "-fsanitize=address" : "-fsanitize=thread");

  CompileOptions options;
  if (!aot)
    options.target = TargetConfig::forHost();
  options.target.triple = triple;
  code.apply(options);
  // Code that is to be compared with optimized code has no optimizations of LLVM either. They take most of the time.
  if (code.naive)
    options.target.optLevel = 0;
  options.entries = {entry};
  options.sanitizer = sanitize;

  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerKernels();
  mlir::MLIRContext context(registry, kCompilerThreading);
  llvm::SourceMgr sources;
  DiagnosticPrinter printer(sources, &context, llvm::errs());
  auto start = std::chrono::steady_clock::now();
  mlir::FailureOr<Model> model = readModel(input, reading.weights, sources, &context, reading.getShapes());
  if (mlir::failed(model))
    return 1;
  if (aot && code.hasDefaultLevels())
    options.target.levels = getDefaultLevels(*model->module, triple);
  if (!outputDir.empty())
    if (llvm::Error error = checkOutputDir(model->files, countOutputs(*model->module)))
      return fail(std::move(error));
  if (Stage stage = getStage(*model->module); (interpreted || bisects || info) && stage > Stage::Simplify)
    return fail(llvm::createStringError(llvm::StringRef("expected a module of stage 'simplify' or before for ") +
                                        (info ? "--info" : "the interpreter") + ", but got one of '" +
                                        stringifyStage(stage) + "'"));
  if (info) {
    printSummary(llvm::outs(), *model->module);
    return 0;
  }
  if (bisects && (*model->module)->hasAttr(ov::kStatesAttr))
    return fail(llvm::createStringError("--bisect cannot be used with a model that has states"));
  if (interpreted)
    return runModel(InterpretedModel(*model->module, model->weights).entryPoints(), run);
  if (bisects) {
    bool agrees = true;
    run.outputDir.clear();
    run.expectDir.clear();
    InterpretedModel bisecting(*model->module, [&](auto inputs, const InterpreterOptions &limits) {
      agrees = bisect(*model, options, inputs, limits, run.rtol, run.atol);
      // The caller does not use the outputs.
      return ModelRun{RECUR_OK, "", {}};
    });
    int status = runModel(bisecting.entryPoints(), run);
    return status || agrees ? status : 2;
  }
  run.suggestShapes = model->isIR;
  if (!checkInputsEarly(*model->module, run))
    return 1;
  std::string shortWeights = getShortWeights(*model->module);
  CompilationReport report(passes, options, printer, input);
  llvm::Expected<CompiledModel> compiled =
      cacheDir.empty()
          ? compile(*model, options, EmitKind::Object, aot ? weightsMode.getPlacement() : WeightsPlacement::External)
          : compileCached(*model, sources.getMemoryBuffer(sources.getMainFileID())->getBuffer(), reading.getShapes(),
                          options, cacheDir, [](llvm::Error error) {
                            llvm::errs() << "warning: " << llvm::toString(std::move(error)) << "\n";
                          });
  report.finish();
  if (!compiled)
    return fail(compiled.takeError());
  if (run.show)
    llvm::outs() << llvm::formatv("{0} in {1:F3} s\n",
                                  cacheDir.empty() ? "compiled" : "compiled, or taken from the cache,",
                                  std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  if (aot) {
    compiled->description.weightsSource = weightsMode;
    llvm::Expected<int> status = runLinkedModel(compiled->output, compiled->description, run, compiled->weights);
    return status ? explain(*status, shortWeights) : fail(status.takeError());
  }
  auto jit = JITModel::create(
      llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(compiled->output.data(), compiled->output.size()), "model"),
      options.name, compiled->weights, entry);
  if (!jit)
    return fail(jit.takeError());
  recur_profile_reader readProfile = nullptr;
  if (code.profile) {
    llvm::Expected<void *> address = (*jit)->find(getFunctionName(options.name, entry, "profile"));
    if (!address)
      return fail(address.takeError());
    readProfile = reinterpret_cast<recur_profile_reader>(*address);
  }
  return explain(runModel((*jit)->entryPoints(), run, readProfile), shortWeights);
}
