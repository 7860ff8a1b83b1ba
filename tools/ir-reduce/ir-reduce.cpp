// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-reduce.cpp - smaller models that show the same fault ------------===//
//
// Removes from a model what its failure does not need. MLIR's reducer is there too, with a --help that shows what a
// user of this tool needs: the two passes that reduce, and no option of LLVM's libraries or of other passes.
//
//===----------------------------------------------------------------------===//

#include "Recur/Compiler/Compiler.h"
#include "Recur/Registration.h"
#include "Recur/Testing/ReduceModule.h"
#include "Recur/Testing/Statistics.h"
#include "Recur/Tools/CommandLine.h"
#include "Recur/Tools/TextNesting.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Reducer/Passes.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <unistd.h>

namespace cl = llvm::cl;
using namespace recur;

/// While it lives, nothing that this process or its children print to standard error is seen. Each try may print the
/// errors of a model that is only tried.
class Silence {
public:
  Silence() : before(dup(STDERR_FILENO)) {
    llvm::errs().flush();
    if (int nothing = open("/dev/null", O_WRONLY); nothing >= 0) {
      dup2(nothing, STDERR_FILENO);
      close(nothing);
    }
  }
  ~Silence() {
    llvm::errs().flush();
    dup2(before, STDERR_FILENO);
    close(before);
  }
  Silence(const Silence &) = delete;

private:
  int before;
};

/// Runs the passes that the command line names, upstream's reducers, on the module.
static llvm::Error runPasses(mlir::ModuleOp module, const mlir::PassPipelineCLParser &passes) {
  mlir::PassManager manager(module.getContext());
  llvm::Error error = llvm::Error::success();
  auto report = [&](const llvm::Twine &reason) {
    error = llvm::joinErrors(std::move(error), llvm::createStringError(reason));
    return mlir::failure();
  };
  if (mlir::failed(passes.addToPipeline(manager, report)))
    return error ? std::move(error) : llvm::createStringError("the passes cannot run");
  cantFail(std::move(error));
  Silence silence;
  if (mlir::failed(manager.run(module)))
    return llvm::createStringError("a pass failed");
  return llvm::Error::success();
}

/// True if the program `test` ends with status 1 for the module, in a file.
static bool isInteresting(mlir::ModuleOp module, llvm::StringRef test) {
  llvm::SmallString<128> path;
  int file;
  if (llvm::sys::fs::createTemporaryFile("ir-reduce", "mlir", file, path))
    return false;
  {
    llvm::raw_fd_ostream os(file, /*shouldClose=*/true);
    module.print(os);
  }
  Silence silence;
  int status =
      llvm::sys::ExecuteAndWait(test, {test, path}, std::nullopt, {std::nullopt, llvm::StringRef(""), std::nullopt});
  (void)llvm::sys::fs::remove(path);
  return status == 1;
}

/// Reduces the model while it fails as it does at first, or while `test` says so.
static llvm::Error reduceFailure(Model &model, llvm::StringRef test) {
  if (!test.empty()) {
    if (!isInteresting(*model.module, test))
      return llvm::createStringError("expected the program of --test to end with status 1 for the whole model");
    model.module =
        fuzz::reduceModule(std::move(model.module), [&](mlir::ModuleOp module) { return isInteresting(module, test); });
    return llvm::Error::success();
  }
  constexpr unsigned seconds = 60;
  auto find = [&](mlir::ModuleOp module) {
    Silence silence;
    return fuzz::findFailure(module, model.weights, seconds);
  };
  fuzz::Verdict failure = find(*model.module);
  if (!failure.isFailure())
    return llvm::createStringError("the model compiles, and computes what the interpreter computes; --test names a "
                                   "program that says what else is wrong");
  llvm::errs() << "looks for: " << spell(failure.kind) << ": " << failure.text << "\n";
  std::string signature = fuzz::getSignature(failure);
  model.module = fuzz::reduceModule(std::move(model.module), [&](mlir::ModuleOp module) {
    fuzz::Verdict now = find(module);
    return now.isFailure() && fuzz::getSignature(now) == signature;
  });
  return llvm::Error::success();
}

/// Reduces the model in the file `input`, and prints the result to the file `output`.
static llvm::Error reduce(mlir::MLIRContext &context, const mlir::PassPipelineCLParser &passes, llvm::StringRef input,
                          llvm::StringRef output, llvm::StringRef test) {
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  std::string message;
  // A fault of a pass also shows in a text that is no model, such as one of several functions.
  mlir::FailureOr<Model> model = Model();
  if (passes.hasAnyOccurrences()) {
    std::unique_ptr<llvm::MemoryBuffer> text = mlir::openInputFile(input, &message);
    if (!text)
      return llvm::createStringError(message);
    if (llvm::Error error = checkNesting(text->getMemBufferRef()))
      return error;
    sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
    model->module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  } else {
    model = readModel(input, /*weightsPath=*/"", sources, &context);
  }
  if (failed(model) || !model->module)
    return llvm::createStringError("the model cannot be read");
  std::unique_ptr<llvm::ToolOutputFile> file = mlir::openOutputFile(output, &message);
  if (!file)
    return llvm::createStringError(message);
  if (llvm::Error error = passes.hasAnyOccurrences() ? runPasses(*model->module, passes) : reduceFailure(*model, test))
    return error;
  model->module->print(file->os());
  file->keep();
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  // So far only options of LLVM's libraries are registered. Hide them, so that --help shows only ours.
  for (auto &entry : cl::getRegisteredOptions())
    if (!llvm::is_contained({"help", "version"}, entry.first))
      entry.second->setHiddenFlag(cl::ReallyHidden);
  llvm::InitLLVM init(argc, argv);
  cl::opt<std::string> input(cl::Positional, cl::desc("<model.xml or file.mlir>"), cl::init("-"));
  cl::opt<std::string> output("o", cl::desc("Write the smaller text to FILE (default '-': standard output)"),
                              cl::value_desc("FILE"), cl::init("-"));
  cl::opt<std::string> test("test",
                            cl::desc("A program that gets the text as a file, and ends with status 1 if that still "
                                     "shows the fault (default: the model fails to compile, crashes, or computes "
                                     "something else than the interpreter, as it does at first)"),
                            cl::value_desc("FILE"));
  // The parser of passes gives each registered pass an option. The others are registered behind it, because they only
  // stand in --opt-reduction-pass="opt-pass=..." and in --pass-pipeline.
  mlir::registerReducerPasses();
  mlir::PassPipelineCLParser passes("",
                                    "Passes that reduce. Their test=FILE is a program, which gets the text as a file "
                                    "and ends with status 1 if that still shows the fault");
  llvm::SmallVector<const char *> arguments = getArguments(argc, argv);
  if (llvm::Error error = checkArguments(arguments))
    return printError(std::move(error), llvm::errs());
  cl::SetVersionPrinter(printVersion);
  cl::ParseCommandLineOptions(arguments.size(), arguments.data(),
                              "Recur: makes a model smaller that shows a fault of the compiler\n");
  registerPasses();
  mlir::registerSymbolDCEPass();
  if (llvm::Error error = checkOutputs({{"-o", output}}, {{"the input", input}}))
    return printError(std::move(error), llvm::errs());
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  if (llvm::Error error = reduce(context, passes, input, output, test))
    return printError(std::move(error), llvm::errs());
  return 0;
}
