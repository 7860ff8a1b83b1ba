// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-compile.cpp - A model becomes an object and a header ------------===//
//
// Reads a model and writes one product of its compilation: a module of a stage, LLVM IR, assembly, or an object, a
// library or a folder with a C header.
//
//===----------------------------------------------------------------------===//

#include "../ModelOptions.h"
#include "../PassOptions.h"

#include "Recur/Compiler/Compiler.h"
#include "Recur/Compiler/Diagnostics.h"
#include "Recur/Compiler/Report.h"
#include "Recur/Kernels.h"
#include "Recur/Registration.h"
#include "Recur/Target/CMakeFolder.h"
#include "Recur/Target/Header.h"
#include "Recur/Target/Libraries.h"
#include "Recur/Target/ObjectFile.h"
#include "Recur/Tools/Depfile.h"
#include "Recur/Transforms/Passes.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

namespace cl = llvm::cl;
using namespace recur;

static cl::OptionCategory category("ir-compile options");
static cl::opt<std::string> input(cl::Positional, cl::desc("<model.xml or ov text>"), cl::init("-"), cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("Write the result to FILE (default '-': standard output)"),
                                   cl::value_desc("FILE"), cl::init("-"), cl::cat(category));
static cl::opt<std::string> header("header", cl::desc("Write the C header of the model to FILE"),
                                   cl::value_desc("FILE"), cl::cat(category));
static cl::opt<std::string> depfile("depfile",
                                    cl::desc("Write a rule for make and ninja, which lists what was read, to FILE"),
                                    cl::value_desc("FILE"), cl::cat(category));
static cl::opt<std::string>
    name("name", cl::desc("Prefix of every exported symbol (default: the name of the output or input file)"),
         cl::value_desc("NAME"), cl::cat(category));
static ReadOptions reading(category);
static PassOptions passes(category);
static CodeOptions code(category, "x86-64-v2,x86-64-v3,x86-64-v4");
static cl::list<Entry> entries("entry", cl::CommaSeparated,
                               cl::desc("What calls of the model compute (default run; run,step: both in one object)"),
                               entryValues(), cl::cat(category));
static TripleOption triple(category);
static WeightsModeOption weightsMode(category);
static cl::opt<bool> weightsOnly("weights-only",
                                 cl::desc("Write new weights for an object that the same options made of a model that "
                                          "differs in large constants alone"),
                                 cl::cat(category));
static SanitizeOption sanitize(category);
static cl::opt<unsigned> optLevel("O", cl::desc("Optimization level of the code generator, 0 to 3 (default 3)"),
                                  cl::Prefix, cl::init(3), cl::cat(category));
static cl::opt<bool>
    verbose("v", cl::desc("Report what the model takes and needs, its sizes, the time of each stage, and hashes"),
            cl::cat(category));

enum class Product {
  MLIR,
  SCF,
  Linalg,
  Scheduled,
  Buffers,
  LLVMDialect,
  LLVM,
  Assembly,
  Object,
  StaticLibrary,
  SharedLibrary,
  CMakeFolder
};
static cl::opt<Product>
    emit("emit", cl::desc("What to write (default obj)"), cl::init(Product::Object),
         cl::values(clEnumValN(Product::MLIR, "mlir", "the model in the ov dialect"),
                    clEnumValN(Product::SCF, "scf", "loops over slices"),
                    clEnumValN(Product::Linalg, "linalg", "linalg on tensors"),
                    clEnumValN(Product::Scheduled, "scheduled", "loops over vectors, on tensors, for one CPU"),
                    clEnumValN(Product::Buffers, "buffers", "the same on buffers in the workspace"),
                    clEnumValN(Product::LLVMDialect, "llvm-dialect", "the LLVM dialect, before LLVM optimizes it"),
                    clEnumValN(Product::LLVM, "llvm", "optimized LLVM IR"),
                    clEnumValN(Product::Assembly, "asm", "assembly"), clEnumValN(Product::Object, "obj", "an object"),
                    clEnumValN(Product::StaticLibrary, "lib", "a static library"),
                    clEnumValN(Product::SharedLibrary, "shared", "a shared library, linked by $CC or else cc"),
                    clEnumValN(Product::CMakeFolder, "cmake",
                               "a library and a header in a folder for add_subdirectory of CMake")),
         cl::cat(category));

/// The stage of the module that is written; nullopt for another product.
static std::optional<Stage> getEmittedStage() {
  switch (emit) {
  case Product::MLIR:
    return Stage::Import;
  case Product::SCF:
    return Stage::Loops;
  case Product::Linalg:
    return Stage::Linalg;
  case Product::Scheduled:
    return Stage::Schedule;
  case Product::Buffers:
    return Stage::Bufferize;
  case Product::LLVMDialect:
    return Stage::LLVM;
  default:
    return std::nullopt;
  }
}
static bool isModule() { return getEmittedStage().has_value(); }
static bool isLibrary() { return emit == Product::StaticLibrary || emit == Product::SharedLibrary; }

/// The entries of the object, without repetition, in the order of Entry.
static llvm::SmallVector<Entry> getEntries() {
  llvm::SmallVector<Entry> result(entries.begin(), entries.end());
  llvm::sort(result);
  result.erase(llvm::unique(result), result.end());
  return result;
}

/// Fails if options do not suit each other, or have values that they cannot have.
static llvm::Error checkOptions() {
  if (llvm::Error error = code.check())
    return error;
  if (llvm::Error error = passes.check())
    return error;
  if (isModule())
    if (llvm::Error error = checkTogether(emit, {&header, &code.checkTimeLoops, &weightsMode, &code.debugInfo,
                                                 &code.profile, &sanitize, std::addressof(code.targets)}))
      return error;
  if (emit == Product::CMakeFolder) {
    if (llvm::Error error = checkTogether(emit, {&header}))
      return error;
    if (output == "-")
      return llvm::createStringError("expected -o to name a folder, but got '-'");
  }
  if (weightsOnly) {
    if (llvm::Error error = checkTogether(weightsOnly, {&emit, &header, std::addressof(name)}))
      return error;
    if (output == "-")
      return llvm::createStringError("expected -o to name a file with --weights-only, but got '-'");
    if (weightsMode.getNumOccurrences() && weightsMode == WeightsSource::Object)
      return llvm::createStringError("expected --weights-mode=file or caller with --weights-only, but got embed");
  }
  // The linker would say only much later, and in words of its own, that the file is no library.
  llvm::StringRef extension = llvm::sys::path::extension(output);
  if (!emit.getNumOccurrences() && (extension == ".so" || extension == ".a"))
    return llvm::createStringError("expected --emit=" + llvm::Twine(extension == ".a" ? "lib" : "shared") +
                                   " to write '" + output + "'; --emit=obj writes an object of that name");
  if (emit == Product::SharedLibrary && sanitize != Sanitizer::None)
    return llvm::createStringError(
        "expected --emit=obj or lib with --sanitize, whose functions are in the program, but "
        "got shared");
  if (!weightsOnly && (emit == Product::Object || isLibrary()))
    if (llvm::Error error = checkBinaryOutput(output))
      return error;
  // They decide from the stage loops on.
  if (emit == Product::MLIR)
    if (llvm::Error error = checkTogether(emit, {std::addressof(entries), &code.checkNaN}))
      return error;
  if (isModule() && getEntries().size() > 1)
    return llvm::createStringError("expected --entry to name one entry, of which a module is written");
  if (code.profile && getEntries().size() > 1)
    return llvm::createStringError("expected --entry to name one entry with --profile");
  if (!depfile.empty() && output == "-")
    return llvm::createStringError("expected -o to name the file that --depfile is for, but got '-'");
  if (weightsMode != WeightsSource::Object && output == "-")
    return llvm::createStringError("expected -o to name a file with --weights-mode, but got '-'");
  if (optLevel > 3)
    return llvm::createStringError("expected -O0 to -O3, but got -O%u", unsigned(optLevel));
  return llvm::Error::success();
}

/// The path of the file of weights that --weights-mode asks for, beside the output or in its folder. `modelName` is the
/// name of the model.
static std::string makeWeightsPath(llvm::StringRef modelName) {
  bool isFolder = emit == Product::CMakeFolder;
  llvm::SmallString<128> path(isFolder ? llvm::StringRef(output) : llvm::sys::path::parent_path(output));
  llvm::sys::path::append(path, (isFolder ? modelName : getModelStem(output, isLibrary())) + ".weights");
  return path.str().str();
}

/// The compiled model as a library.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> makeLibrary(llvm::ArrayRef<char> object,
                                                                       llvm::StringRef modelName) {
  if (emit == Product::StaticLibrary)
    return makeStaticLibrary(object, modelName);
  std::string soname = output == "-" ? "lib" + modelName.str() + ".so" : llvm::sys::path::filename(output).str();
  return linkSharedLibrary(object, soname);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  passes.registerMLIROptions();
  cl::HideUnrelatedOptions(category);
  if (!parseCommandLine(argc, argv, "Recur: compiles OpenVINO IR models that loop to native objects\n",
                        {choicesOf(emit), choicesOf(entries), choicesOf(weightsMode), choicesOf(sanitize),
                         choicesOf(code.weightsPrecision), choicesOf(code.precision)}))
    return 1;

  if (llvm::Error error = checkOptions())
    return fail(std::move(error));

  CompileOptions options;
  options.target.triple = triple;
  options.target.optLevel = optLevel;
  code.apply(options);
  options.report = verbose;
  options.weightsOnly = weightsOnly;
  options.sanitizer = sanitize;
  if (entries.getNumOccurrences())
    options.entries = getEntries();
  options.name = !name.empty()   ? name.getValue()
                 : output != "-" ? makeDefaultName(output, isLibrary())
                                 : makeDefaultName(input);
  if (!isValidModelName(options.name))
    return fail(llvm::createStringError("expected --name to be a C identifier, but got '" + options.name + "'"));

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
  if (code.hasDefaultLevels())
    options.target.levels = getDefaultLevels(*model->module, triple);
  double readSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::vector<ToolFile> outputs{{"-o", output}};
  if (!header.empty())
    outputs.push_back({"--header", header});
  std::string weightsPath;
  if (weightsMode != WeightsSource::Object && !weightsOnly)
    weightsPath = makeWeightsPath(options.name);
  if (!weightsPath.empty() && emit != Product::CMakeFolder)
    outputs.push_back({"--weights-mode", weightsPath});
  std::vector<ToolFile> targets = outputs;
  // The time of a folder tells nothing.
  if (emit == Product::CMakeFolder)
    targets.front().path = llvm::StringRef(output).rtrim('/').str() + "/CMakeLists.txt";
  if (!depfile.empty())
    outputs.push_back({"--depfile", depfile});
  if (llvm::Error error = checkOutputs(outputs, model->files))
    return fail(std::move(error));
  // The rule holds even if the compilation fails.
  if (!depfile.empty()) {
    llvm::Expected<std::string> rule = makeDepfile(targets, model->files);
    if (!rule)
      return fail(rule.takeError());
    if (llvm::Error error = writeProduct(depfile, llvm::ArrayRef<char>(*rule)))
      return fail(std::move(error));
  }

  CompilationReport report(passes, options, printer, input);
  if (isModule()) {
    auto machine = createTargetMachine(options.target);
    if (!machine)
      return fail(machine.takeError());
    // --emit=mlir does not lower the module.
    Stage stage = *getEmittedStage();
    if (stage == Stage::Import)
      stage = std::min(getStage(*model->module), Stage::Simplify);
    if (mlir::failed(lower(*model->module, stage, options, **machine)))
      return 1;
    report.finish();
    if (llvm::Error error = writeProduct(output, [&](llvm::raw_ostream &os) {
          model->module->print(os);
          os << "\n";
          return llvm::Error::success();
        }))
      return fail(std::move(error));
    return 0;
  }
  EmitKind kind = emit == Product::LLVM       ? EmitKind::LLVM
                  : emit == Product::Assembly ? EmitKind::Assembly
                                              : EmitKind::Object;
  WeightsPlacement placement = weightsOnly ? WeightsPlacement::Given : weightsMode.getPlacement();
  llvm::Expected<CompiledModel> compiled = compile(*model, options, kind, placement);
  report.finish();
  if (!compiled)
    return fail(compiled.takeError());
  compiled->description.weightsSource = weightsMode;
  compiled->description.weightsFile = llvm::sys::path::filename(weightsPath);
  compiled->times.insert(compiled->times.begin(), {"read", readSeconds});
  if (emit == Product::CMakeFolder) {
    if (llvm::Error error = writeCMakeFolder(output, compiled->output, compiled->description, compiled->weights))
      return fail(std::move(error));
    if (verbose)
      printReport(llvm::errs(), *compiled, /*isObject=*/true, {});
    return 0;
  }
  llvm::ArrayRef weights(reinterpret_cast<const char *>(compiled->weights.data()), compiled->weights.size());
  std::unique_ptr<llvm::MemoryBuffer> library;
  llvm::ArrayRef<char> product = weightsOnly ? weights : llvm::ArrayRef<char>(compiled->output);
  if (isLibrary()) {
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> made = makeLibrary(product, options.name);
    if (!made)
      return fail(made.takeError());
    library = std::move(*made);
    product = llvm::ArrayRef(library->getBufferStart(), library->getBufferSize());
  }
  // The header and the weights are written first: an object without them is of no use.
  if (!header.empty())
    if (llvm::Error error = writeProduct(header, [&](llvm::raw_ostream &os) {
          emitHeader(os, compiled->description);
          return llvm::Error::success();
        }))
      return fail(std::move(error));
  llvm::SmallVector<WrittenFile> files;
  if (!weightsPath.empty())
    files.push_back({weightsPath, weights});
  files.push_back({output, product});
  for (const WrittenFile &file : files)
    if (llvm::Error error = writeProduct(file.path, file.bytes))
      return fail(std::move(error));
  if (verbose)
    printReport(llvm::errs(), *compiled, kind == EmitKind::Object && !weightsOnly, files);
  return 0;
}
