// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-bench.cpp - Measures a model ------------------------------------===//
//
// Compiles a model for this machine, and prints the times of its calls beside what the machine can do, and beside
// OpenVINO.
//
//===----------------------------------------------------------------------===//

#include "../ModelOptions.h"

#include "Recur/Benchmark/Benchmark.h"
#include "Recur/Driver/Driver.h"
#include "Recur/Kernels.h"
#include "Recur/Registration.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

namespace cl = llvm::cl;
using namespace recur;

static cl::OptionCategory category("ir-bench options");
static cl::opt<std::string> input(cl::Positional, cl::desc("<model.xml or ov text>"), cl::Required, cl::cat(category));
static cl::opt<bool> asJSON("json", cl::desc("Print JSON"), cl::cat(category));
static ThreadsOption threads(category, "Run with N threads, and probe the machine with as many");
static cl::opt<double> seconds("seconds", cl::desc("Time the calls of each contestant for S seconds (default 1)"),
                               cl::value_desc("S"), cl::init(1), cl::cat(category));
static cl::opt<unsigned> rounds("rounds", cl::desc("Divide the time into N turns (default 5)"), cl::value_desc("N"),
                                cl::init(5), cl::cat(category));
enum class Contestant { None, OpenVINO };
static cl::opt<Contestant>
    compare("compare", cl::desc("Time another program by turns, on the same inputs"), cl::init(Contestant::None),
            cl::values(clEnumValN(Contestant::OpenVINO, "openvino", "OpenVINO, with as many threads, in f32")),
            cl::cat(category));
static cl::opt<std::string> python("python", cl::desc("The Python that has openvino (default: python3 from PATH)"),
                                   cl::value_desc("PROGRAM"), cl::cat(category));
static cl::opt<double> rtol("rtol", cl::desc("Relative tolerance of --compare (default 1e-3)"), cl::init(1e-3),
                            cl::cat(category));
static cl::opt<double> atol_("atol", cl::desc("Absolute tolerance of --compare (default 1e-4)"), cl::init(1e-4),
                             cl::cat(category));
static ReadOptions reading(category);
static CodeOptions code(category, "this machine's");

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  if (!parseCommandLine(argc, argv, "Recur: times the calls of a compiled model, and compares them with the machine\n",
                        {choicesOf(compare), choicesOf(code.weightsPrecision), choicesOf(code.precision)}))
    return 1;
  if (llvm::Error error = threads.check())
    return fail(std::move(error));
  if (llvm::Error error =
          checkUnused({std::addressof(code.targets), &code.debugInfo, &code.profile}, "where a model is timed"))
    return fail(std::move(error));
  if (python.getNumOccurrences() && compare == Contestant::None)
    return fail(llvm::createStringError("--python needs --compare"));
  if (rounds < 1 || !(seconds > 0 && seconds <= 3600))
    return fail(llvm::createStringError("expected --rounds of 1 or more, and --seconds of more than 0, up to 3600"));

  BenchmarkOptions options;
  options.model = input;
  options.weights = reading.weights;
  options.shapes = reading.getShapes();
  options.compile.target = TargetConfig::forHost();
  code.apply(options.compile);
  options.threads = threads;
  options.seconds = seconds;
  options.rounds = rounds;
  options.compareOpenVINO = compare == Contestant::OpenVINO;
  options.python = python;
  options.rtol = rtol;
  options.atol = atol_;

  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerKernels();
  mlir::MLIRContext context(registry, kCompilerThreading);
  int status = 0;
  llvm::Expected<BenchmarkReport> report = runBenchmark(options, context, status);
  if (!report)
    return fail(report.takeError());
  (asJSON ? printReportAsJSON : printReport)(*report, llvm::outs());
  return status;
}
