// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Compiler.cpp - From a model's file to machine code -----------------===//
//
// The whole compiler as a library: import or parse a model, lower it with MLIR passes, translate it to LLVM IR, link
// the ABI shim, optimize, and emit code.
//
//===----------------------------------------------------------------------===//

#include "Recur/Compiler/Compiler.h"

#include "LowerKernel.h"
#include "Recur/Compiler/PackWeights.h"
#include "Recur/Dialect/OV/IR/EmptyDims.h"
#include "Recur/Dialect/RT/IR/RTProfile.h"
#include "Recur/Import/FoldConstants.h"
#include "Recur/Import/OpenVINOIR.h"
#include "Recur/Pipelines/Pipelines.h"
#include "Recur/Target/ABI.h"
#include "Recur/Target/ElementType.h"
#include "Recur/Target/Libm.h"
#include "Recur/Target/ObjectFile.h"
#include "Recur/Target/SharedKernels.h"
#include "Recur/Target/StackMeasure.h"
#include "Recur/Target/Weights.h"
#include "Recur/Tools/TextNesting.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/xxhash.h"

#include <chrono>
#include <optional>
#include <sys/mman.h>

using namespace mlir;
using namespace recur;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Opens the weights file of a module: that of the options, or if they name none, the file that the module names,
/// beside `path`. Fails if it cannot be read.
static FailureOr<std::shared_ptr<llvm::MemoryBuffer>> openWeights(ModuleOp module, ov::WeightsFileAttr file,
                                                                  StringRef path, const ImportOptions &options) {
  SmallString<128> place(options.weightsPath);
  if (place.empty()) {
    // The module may come from anywhere, so its file name must not lead to another directory.
    if (file.getName() != llvm::sys::path::filename(file.getName()) || file.getName() == "..") {
      module.emitError() << "expected the weights file '" << file.getName() << "' to be named without directories";
      return failure();
    }
    place = llvm::sys::path::parent_path(path);
    llvm::sys::path::append(place, file.getName());
  }
  if (!llvm::sys::fs::is_regular_file(place)) {
    InFlightDiagnostic diag = module.emitError() << "cannot open the weights file '" << place << "'; ";
    if (options.weightsOption.empty())
      diag << "it belongs beside the text";
    else
      diag << "name it with " << options.weightsOption;
    return failure();
  }
  auto buffer = llvm::MemoryBuffer::getFile(place, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    module.emitError() << "cannot read the weights file '" << place << "': " << buffer.getError().message();
    return failure();
  }
  return std::shared_ptr<llvm::MemoryBuffer>(std::move(*buffer));
}

/// Reads a model from its text.
static FailureOr<Model> readText(std::unique_ptr<llvm::MemoryBuffer> buffer, StringRef path,
                                 const ImportOptions &options, llvm::SourceMgr &sources, MLIRContext *context) {
  Model model;
  model.files.push_back({"the model", path.str()});
  auto addWeightsFile = [&](StringRef file) {
    if (!file.empty())
      model.files.push_back({"the weights file", file.str()});
  };
  StringRef text = buffer->getBuffer();
  StringRef start = text.ltrim(" \t\r\n\xEF\xBB\xBF");
  llvm::MemoryBufferRef ref = buffer->getMemBufferRef();
  bool isModule = isBytecode(ref) || (llvm::sys::path::extension(path) == ".mlir") || start.starts_with("module") ||
                  start.starts_with("func") || start.starts_with("//") || start.starts_with("#");
  std::optional<size_t> deep = isModule && !isBytecode(ref) ? findDeepNesting(text) : std::nullopt;
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  if (deep) {
    auto [line, column] = sources.getLineAndColumn(SMLoc::getFromPointer(text.data() + *deep));
    emitError(FileLineColLoc::get(context, path, line, column))
        << "the text is nested more than " << kMaxNesting << " deep";
    return failure();
  }
  if (!isModule) {
    FailureOr<ImportedModel> imported = importOpenVINOIR(ref, context, options);
    if (failed(imported))
      return failure();
    model.module = std::move(imported->module);
    model.weights = std::move(imported->weights);
    addWeightsFile(imported->weightsFile);
    model.isIR = true;
    return model;
  }
  if (!options.shapes.empty()) {
    emitError(FileLineColLoc::get(context, path, 0, 0))
        << "expected OpenVINO IR where shapes are to be fixed, but got a module";
    return failure();
  }
  model.module = parseSourceFile<ModuleOp>(sources, ParserConfig(context));
  if (!model.module || failed(verifyStage(*model.module)))
    return failure();
  auto file = (*model.module)->getAttrOfType<ov::WeightsFileAttr>(ov::kWeightsFileAttr);
  if (!file)
    return model;
  std::shared_ptr<llvm::MemoryBuffer> weights = options.weights;
  if (!weights) {
    FailureOr<std::shared_ptr<llvm::MemoryBuffer>> opened = openWeights(*model.module, file, path, options);
    if (failed(opened))
      return failure();
    weights = std::move(*opened);
  }
  // The identifier of a buffer that was read from a file is its path.
  StringRef place = weights->getBufferIdentifier();
  if (weights->getBufferSize() != file.getSize() || llvm::xxh3_64bits(weights->getBuffer()) != file.getHash()) {
    model.module->emitError() << "the weights file '" << place << "' is not the one that the module was made with";
    return failure();
  }
  addWeightsFile(place);
  model.weights = std::move(weights);
  return model;
}

/// Says why a path is not one of a model that can be read.
static StringRef describeMissing(StringRef path) {
  if (llvm::sys::fs::is_directory(path))
    return "it is a folder; expected a file, such as model.xml in it";
  return llvm::sys::fs::exists(path) ? "not a regular file" : "no such file";
}

FailureOr<Model> recur::readModel(StringRef path, const ImportOptions &options, llvm::SourceMgr &sources,
                                  MLIRContext *context) {
  Location loc = FileLineColLoc::get(context, path, 0, 0);
  if (path != "-" && !llvm::sys::fs::is_regular_file(path)) {
    emitError(loc) << "cannot open '" << path << "': " << describeMissing(path);
    return failure();
  }
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer) {
    emitError(loc) << "cannot read '" << path << "': " << buffer.getError().message();
    return failure();
  }
  return readText(std::move(*buffer), path, options, sources, context);
}

FailureOr<Model> recur::readModel(StringRef path, StringRef weightsPath, llvm::SourceMgr &sources, MLIRContext *context,
                                  ArrayRef<std::string> shapes) {
  ImportOptions options;
  options.weightsPath = weightsPath.str();
  options.shapes.assign(shapes.begin(), shapes.end());
  return readModel(path, options, sources, context);
}

FailureOr<Model> recur::readModel(std::unique_ptr<llvm::MemoryBuffer> text, std::shared_ptr<llvm::MemoryBuffer> weights,
                                  llvm::SourceMgr &sources, MLIRContext *context, ArrayRef<std::string> shapes) {
  std::string path = text->getBufferIdentifier().str();
  // Without weights there are no bytes, and no file is looked for.
  ImportOptions options;
  if (!weights)
    weights = llvm::MemoryBuffer::getMemBuffer("", "the weights", /*RequiresNullTerminator=*/false);
  options.weights = std::move(weights);
  options.shapes.assign(shapes.begin(), shapes.end());
  return readText(std::move(text), path, options, sources, context);
}

FailureOr<Model> recur::readModel(std::unique_ptr<llvm::MemoryBuffer> text, StringRef weightsPath,
                                  llvm::SourceMgr &sources, MLIRContext *context, ArrayRef<std::string> shapes) {
  std::string path = text->getBufferIdentifier().str();
  ImportOptions options;
  options.weightsPath = weightsPath.str();
  options.shapes.assign(shapes.begin(), shapes.end());
  return readText(std::move(text), path, options, sources, context);
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

namespace {

using Clock = std::chrono::steady_clock;

/// Adds the seconds since `start` to those of the stage in `times`, and makes now the start of the next stage.
void addTime(std::vector<StageTime> &times, StringRef stage, Clock::time_point &start) {
  Clock::time_point now = Clock::now();
  auto known = llvm::find_if(times, [&](const StageTime &time) { return time.stage == stage; });
  if (known == times.end())
    known = times.insert(times.end(), {stage.str(), 0});
  known->seconds += std::chrono::duration<double>(now - start).count();
  start = now;
}

/// Measures the time of each stage. The first pass of a stage records the stage in the module.
class StageTimer final : public PassInstrumentation {
public:
  explicit StageTimer(std::vector<StageTime> &times) : times(times) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (auto module = dyn_cast<ModuleOp>(op); module && pass->getArgument() == "rt-enter-stage")
      finish(module);
  }
  /// Ends the stage that the module is in.
  void finish(ModuleOp module) {
    if (Stage stage = getStage(module); stage != entered) {
      addTime(times, stringifyStage(stage), start);
      entered = stage;
    }
  }
  void begin(ModuleOp module) { entered = getStage(module); }

private:
  std::vector<StageTime> &times;
  Clock::time_point start = Clock::now();
  Stage entered = Stage::Import;
};

/// Reports the steps of a compilation: the passes of the module, and those of `compile` after them.
class Steps {
public:
  /// `modules` is the number of modules that will be lowered.
  Steps(const decltype(CompileOptions::progress) &report, unsigned modules) : report(report), modules(modules) {}

  /// The passes of a module follow, and then those of the modules that are left, which are about as many for each, and
  /// the last steps.
  void expectPasses(unsigned count) { steps = done + count * modules-- + kLastSteps; }
  /// All modules are lowered, so the number of steps is known.
  void expectLast() { steps = done + kLastSteps; }
  /// Returns false if the caller of the compiler wants it to end, now or earlier.
  bool begin(StringRef step) {
    if (report && !isCancelled)
      isCancelled = !report(step, std::min(done++, steps - 1), steps);
    return !isCancelled;
  }
  /// Reports that all steps are done. The answer comes too late.
  void end() {
    if (report)
      (void)report("done", steps, steps);
  }
  explicit operator bool() const { return report != nullptr; }

private:
  /// The weights, the optimization of the code, and the code itself.
  static constexpr unsigned kLastSteps = 3;

  const decltype(CompileOptions::progress) &report;
  unsigned modules, done = 0, steps = kLastSteps;
  bool isCancelled = false;
};

/// Reports each pass on the module as a step with the name of its stage.
class PassSteps : public PassInstrumentation {
public:
  PassSteps(ModuleOp module, Steps &steps) : module(module), steps(steps) {}
  void runBeforePass(Pass *, Operation *op) override {
    if (op == module)
      (void)steps.begin(stringifyStage(getStage(module)));
  }

private:
  ModuleOp module;
  Steps &steps;
};

} // namespace

/// Sets what the stages need to know about a machine.
static void describeTarget(const llvm::TargetMachine &machine, PipelineOptions &pipeline) {
  std::string names = featureNames(requiredFeatures(machine));
  auto has = [&](StringRef feature) {
    SmallVector<StringRef> list;
    StringRef(names).split(list, ',');
    return llvm::is_contained(list, feature);
  };
  pipeline.vectorBits = vectorBits(machine);
  if (machine.getTargetTriple().isX86()) {
    pipeline.fma = has("fma");
    pipeline.rounding = has("sse4.1");
    pipeline.f16c = has("f16c");
    pipeline.scaling = has("avx512f");
    pipeline.tiles = has("amx-bf16");
    pipeline.dots = hasFastDots(machine);
    pipeline.vectorRegisters = has("avx512f") ? 32 : 16;
  } else if (machine.getTargetTriple().isRISCV()) {
    // Vectors become scalars, of which 32 registers hold few.
    pipeline.f16c = false;
    pipeline.vectorRegisters = 16;
  } else {
    pipeline.vectorRegisters = 32;
  }
}

/// Lowers a module for `machine`, with constants that are packed for `best`, which may be the same.
static LogicalResult lower(ModuleOp module, Stage stage, const CompileOptions &options,
                           const llvm::TargetMachine &machine, const llvm::TargetMachine &best,
                           std::vector<StageTime> *times, Steps *steps, SharedKernels *kernels = nullptr,
                           size_t level = 0) {
  Stage passed = getStage(module);
  if (passed > stage)
    return module.emitError() << "expected a module of stage '" << stringifyStage(stage)
                              << "' or before, but got one of '" << stringifyStage(passed) << "'";
  bool isStep = options.entries.front() == Entry::Step;
  if (passed >= Stage::Loops && isStep)
    return module.emitError() << "expected a module of stage 'simplify' or before, for its loops to become one time "
                                 "step, but got one of '"
                              << stringifyStage(passed) << "'";
  if (passed >= Stage::Loops && options.checkNaN)
    return module.emitError()
           << "expected a module of stage 'simplify' or before, for its layers to be checked for NaN, "
              "but got one of '"
           << stringifyStage(passed) << "'";
  if (passed == Stage::LLVM && options.checkTimeLoops)
    return module.emitError("expected a module before stage 'llvm', for its time loops to be checked");
  PipelineOptions pipeline, packing;
  describeTarget(machine, pipeline);
  describeTarget(best, packing);
  pipeline.packVectorBits = packing.vectorBits;
  pipeline.packVectorRegisters = packing.vectorRegisters;
  pipeline.packF16c = packing.f16c;
  pipeline.optimize = options.optimize;
  pipeline.gangWork = options.gangWork;
  pipeline.weightsPrecision = options.weightsPrecision;
  pipeline.precision = options.precision;
  pipeline.step = isStep;
  // One time step has fewer positions and rows than all of them.
  pipeline.inOrder = llvm::is_contained(options.entries, Entry::Step);
  pipeline.checkTimeLoops = options.checkTimeLoops;
  pipeline.checkNaN = options.checkNaN;
  pipeline.profile = options.profile;
  if (kernels) {
    pipeline.kernelTarget = kernels->describeTarget(level);
    pipeline.commonKernelTarget = kernels->describeCommonTarget(level);
    pipeline.takeKernel = [&options, kernels, level](func::FuncOp kernel, bool isCommon) {
      if (!kernels->hasCode(kernel.getName()))
        kernels->generate(kernel.getName(), level, isCommon, lowerKernel(kernel, options.verifyPasses, describeTarget));
      // Passes have remarks on the bodies of kernels, and who configures passes wants to see what they do.
      return !options.remarks && !options.configurePasses;
    };
  }

  PassManager pm(module.getContext());
  pm.enableVerifier(options.verifyPasses);
  populateStages(pm, passed, stage, pipeline);
  if (options.debugInfo && stage == Stage::LLVM)
    pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass({LLVM::DIEmissionKind::Full}));
  StageTimer *timer = nullptr;
  if (times) {
    auto owned = std::make_unique<StageTimer>(*times);
    timer = owned.get();
    timer->begin(module);
    pm.addInstrumentation(std::move(owned));
  }
  if (steps && *steps) {
    steps->expectPasses(pm.size());
    pm.addInstrumentation(std::make_unique<PassSteps>(module, *steps));
  }
  if (options.configurePasses && failed(options.configurePasses(pm)))
    return failure();
  std::optional<RemarkScope> remarks;
  if (options.remarks)
    remarks.emplace(module.getContext(), options.remarkFilter, *options.remarks);
  if (failed(pm.run(module)) || failed(verify(module)))
    return failure();
  if (timer)
    timer->finish(module);
  return success();
}

LogicalResult recur::lower(ModuleOp module, Stage stage, const CompileOptions &options,
                           const llvm::TargetMachine &machine, std::vector<StageTime> *times) {
  return ::lower(module, stage, options, machine, /*best=*/machine, times, /*steps=*/nullptr);
}

std::vector<std::string> recur::getDefaultLevels(ModuleOp module, StringRef triple) {
  return getStage(module) > Stage::Linalg ? std::vector<std::string>() : getDefaultLevels(triple);
}

EntryDescription recur::describe(ModuleOp module, Entry entry) {
  EntryDescription description;
  description.entry = entry;
  auto addTensors = [&](StringRef attr, std::vector<TensorDescription> &tensors) {
    for (auto entry : module->getAttrOfType<ArrayAttr>(attr).getAsRange<DictionaryAttr>()) {
      TensorDescription &tensor = tensors.emplace_back();
      tensor.name = cast<StringAttr>(entry.get("name")).getValue().str();
      tensor.elementType = getElementType(cast<TypeAttr>(entry.get("type")).getValue());
      llvm::append_range(tensor.dims, cast<DenseI64ArrayAttr>(entry.get("dims")).asArrayRef());
    }
  };
  addTensors(rt::kInputsAttr, description.inputs);
  addTensors(rt::kOutputsAttr, description.outputs);
  if (auto states = module->getAttrOfType<DenseI64ArrayAttr>(ov::kStatesAttr))
    for (int64_t isAssigned : states.asArrayRef())
      description.setsState.push_back(isAssigned != 0);
  if (auto sizing = module->getAttrOfType<DenseI64ArrayAttr>(rt::kSizingInputsAttr))
    for (int64_t input : sizing.asArrayRef())
      description.inputs[input].decidesSizes = true;
  description.reserves = module.lookupSymbol("recur_frame_reserve") != nullptr;
  for (auto fault : module->getAttrOfType<ArrayAttr>(rt::kFaultsAttr).getAsRange<ArrayAttr>())
    description.faults.push_back(
        {recur_status(cast<IntegerAttr>(fault[0]).getInt()), cast<StringAttr>(fault[1]).getValue().str()});
  if (auto profile = module->getAttrOfType<ArrayAttr>(rt::kProfileAttr))
    for (auto row : profile.getAsRange<ArrayAttr>())
      description.profile.push_back({cast<StringAttr>(row[0]).getValue().str(), cast<IntegerAttr>(row[1]).getInt()});
  description.workspaceBytes = module->getAttrOfType<IntegerAttr>(rt::kWorkspaceBytesAttr).getInt();
  return description;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// The bytes of a huge page, and so many that the CPU's caches and its TLB gain from them.
static constexpr size_t kHugePageBytes = 1 << 21, kLeastBytesInHugePages = 1 << 18;

llvm::Expected<MutableArrayRef<char>> CompiledModel::allocateWeights(uint64_t bytes) {
  size_t alignment = bytes >= kLeastBytesInHugePages ? kHugePageBytes : RECUR_ALIGNMENT;
  // The number of bytes comes from the text of a module and may be huge, so a failed allocation must be an error.
  bool fits = bytes <= SIZE_MAX - 2 * alignment;
  weightsStorage.reset(fits ? std::calloc(llvm::alignTo(bytes, alignment) + alignment - 1, 1) : nullptr);
  if (!weightsStorage)
    return llvm::createStringError("there is no memory for " + llvm::Twine(bytes) + " bytes of weights");
  auto *aligned = reinterpret_cast<uint8_t *>(llvm::alignTo(uintptr_t(weightsStorage.get()), alignment));
#ifdef MADV_HUGEPAGE
  // Small pages lie anywhere in memory, so some sets of the second cache get more of them than they can hold.
  if (alignment == kHugePageBytes)
    madvise(aligned, llvm::alignTo(bytes, kHugePageBytes), MADV_HUGEPAGE);
#endif
  weights = ArrayRef<uint8_t>(aligned, bytes);
  return MutableArrayRef<char>(reinterpret_cast<char *>(aligned), bytes);
}

/// The LLVM module of an entry. The functions that only it calls are internal. Those that the ABI shim calls have the
/// names of the second entry if `isSecond` is set. Null if the module cannot be translated.
static std::unique_ptr<llvm::Module> translate(ModuleOp module, StringRef name, bool isSecond,
                                               llvm::LLVMContext &context, const llvm::TargetMachine &machine) {
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context, name);
  if (!code)
    return nullptr;
  setTarget(*code, machine);
  for (llvm::GlobalObject &object : code->global_objects()) {
    StringRef entry = object.getName();
    bool isEntry = entry.consume_front("recur_model_") && (entry == "compute" || entry == "sizes");
    if (isEntry && isSecond)
      object.setName("recur_step_" + entry.str());
    else if (!isEntry && !object.isDeclaration() && !object.hasLocalLinkage())
      object.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  return code;
}

/// Makes LLVM's diagnostics those of `module`. Without it, LLVM prints an error and ends the process. `hasFailed`
/// becomes true after an error.
static void reportThrough(llvm::LLVMContext &context, ModuleOp module, bool &hasFailed) {
  struct Handler : llvm::DiagnosticHandler {
    Handler(ModuleOp module, bool &hasFailed) : module(module), hasFailed(hasFailed) {}
    bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
      std::string text;
      llvm::raw_string_ostream os(text);
      llvm::DiagnosticPrinterRawOStream printer(os);
      info.print(printer);
      if (info.getSeverity() == llvm::DS_Error) {
        hasFailed = true;
        module.emitError() << text;
      } else if (info.getSeverity() == llvm::DS_Warning) {
        module.emitWarning() << text;
      }
      return true;
    }
    ModuleOp module;
    bool &hasFailed;
  };
  context.setDiagnosticHandler(std::make_unique<Handler>(module, hasFailed));
}

static constexpr const char *cancelled = "the compilation was cancelled";

/// Computes what depends on constants alone. Large results follow the bytes of the weights file in memory.
static void foldConstants(Model &model) {
  if (getStage(*model.module) != Stage::Import)
    return;
  StringRef file = model.weights ? model.weights->getBuffer() : StringRef();
  SmallVector<char, 0> extra = foldLargeConstants(*model.module, ArrayRef(file.data(), file.size()));
  if (extra.empty())
    return;
  StringRef name = model.weights ? model.weights->getBufferIdentifier() : StringRef("the weights");
  auto weights = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(file.size() + extra.size(), name);
  llvm::copy(extra, llvm::copy(file, weights->getBufferStart()));
  model.weights = std::move(weights);
}

llvm::Expected<CompiledModel> recur::compile(Model &model, const CompileOptions &options, EmitKind kind,
                                             WeightsPlacement placement) {
  auto levels = createLevels(options.target);
  if (!levels)
    return levels.takeError();
  llvm::TargetMachine &least = *levels->front();
  const llvm::TargetMachine &best = *levels->back();
  if (Stage passed = getStage(*model.module); levels->size() > 1 && passed > Stage::Linalg)
    return llvm::createStringError("expected a module of stage 'linalg' or before, for code for several CPUs, but got "
                                   "one of '" +
                                   stringifyStage(passed) + "'");
  auto fail = [](const char *what) { return llvm::createStringError(llvm::inconvertibleErrorCode(), what); };
  // The modules of the best level, in the order of the entries, then those of the level before it, and so on.
  SmallVector<ModuleOp> modules{*model.module};
  if (options.profile && (options.entries.size() > 1 || levels->size() > 1))
    return llvm::createStringError("expected one entry and one CPU for a profile, whose rows are those of one");
  // Needs the bodies of loops as the model has them, for all entries.
  if (getStage(*model.module) == Stage::Import)
    ov::tellEmptyDims(*model.module);
  ::foldConstants(model);
  SmallVector<OwningOpRef<ModuleOp>> copies;
  size_t numEntries = options.entries.size();
  while (modules.size() < numEntries * levels->size()) {
    copies.push_back(model.module->clone());
    modules.push_back(*copies.back());
  }
  Steps steps(options.progress, modules.size());
  SharedKernels kernels(kind != EmitKind::LLVM, *levels, options.target.optLevel);
  // The code of a kernel would depend on these options, which its name does not tell.
  bool areShared = kernels.isPossible() && options.optimize && options.sanitizer == Sanitizer::None;
  CompiledModel result;
  auto getLevel = [&](size_t i) -> llvm::TargetMachine & { return *(*levels)[levels->size() - 1 - i / numEntries]; };
  for (auto [i, module] : llvm::enumerate(modules)) {
    CompileOptions own = options;
    std::swap(own.entries.front(), own.entries[i % numEntries]);
    // One report for each entry is enough.
    if (i >= numEntries) {
      own.report = false;
      own.remarks = nullptr;
    }
    // A module reads what those before it have packed, and adds to it.
    if (i != 0)
      for (StringRef attribute : {rt::kWeightsPlanAttr, rt::kWeightsBytesAttr})
        module->setAttr(attribute, modules[i - 1]->getAttr(attribute));
    if (failed(::lower(module, Stage::LLVM, own, getLevel(i), best, &result.times, &steps,
                       areShared ? &kernels : nullptr, levels->size() - 1 - i / numEntries)) ||
        failed(verifyStage(module)))
      return fail("the model cannot be compiled");
  }

  steps.expectLast();
  if (!steps.begin("weights"))
    return fail(cancelled);
  Clock::time_point start = Clock::now();
  result.triple = least.getTargetTriple().str();
  result.cpu = least.getTargetCPU().str();
  result.cpuFeatures = featureNames(requiredFeatures(least));
  for (const auto &level : *levels)
    result.levels.push_back(level->getTargetCPU().str());
  ModuleOp plan = modules.back();
  int64_t bytes = plan->getAttrOfType<IntegerAttr>(rt::kWeightsBytesAttr).getInt();
  if (placement == WeightsPlacement::Embedded && uint64_t(bytes) > kMaxNearWeights && !least.getTargetTriple().isX86())
    return llvm::createStringError("expected at most " + llvm::Twine(kMaxNearWeights) +
                                   " bytes of weights in an object for this target, but got " + llvm::Twine(bytes) +
                                   "; --weights-mode=file writes them to a file of their own");
  size_t headerBytes = placement == WeightsPlacement::Given && bytes ? sizeof(recur_weights_header) : 0;
  llvm::Expected<MutableArrayRef<char>> weights = result.allocateWeights(uint64_t(bytes) + headerBytes);
  if (!weights)
    return weights.takeError();
  MutableArrayRef<char> packed = weights->drop_front(headerBytes);
  ArrayRef<char> file;
  if (model.weights)
    file = ArrayRef<char>(model.weights->getBufferStart(), model.weights->getBufferSize());
  llvm::Expected<RoundingLoss> loss = packWeights(plan, file, packed);
  if (!loss)
    return loss.takeError();
  if (loss->constants != 0)
    plan.emitRemark("weights were rounded: ")
        << loss->constants << " constants of " << loss->elements << " elements, with a root mean square error of "
        << llvm::formatv("{0:F3}", 100 * loss->getRelativeError()).str() << " % of that of the elements";
  ModelDescription &description = result.description;
  auto describeLevels = [&](size_t entry) {
    std::optional<EntryDescription> all;
    for (size_t i = levels->size(); i-- > 0;) {
      EntryDescription own = describe(modules[i * numEntries + entry], options.entries[entry]);
      if (all)
        addLevel(*all, own);
      else
        all = std::move(own);
    }
    return *all;
  };
  static_cast<EntryDescription &>(description) = describeLevels(0);
  if (numEntries > 1)
    description.step = describeLevels(1);
  description.name = options.name;
  description.weightsBytes = result.weights.size();
  addTime(result.times, "weights", start);

  if (!steps.begin("optimization"))
    return fail(cancelled);
  registerBuiltinDialectTranslation(*plan.getContext());
  registerLLVMDialectTranslation(*plan.getContext());
  llvm::LLVMContext context;
  bool hasFailed = false;
  reportThrough(context, plan, hasFailed);
  std::unique_ptr<llvm::Module> code;
  for (auto [i, module] : llvm::enumerate(modules)) {
    std::unique_ptr<llvm::Module> own = translate(module, options.name, i % numEntries != 0, context, getLevel(i));
    if (own && levels->size() > 1)
      nameLevel(*own, getLevel(i));
    if (!own || (code && llvm::Linker::linkModules(*code, std::move(own))))
      return fail("the model cannot be translated to LLVM IR");
    if (!code)
      code = std::move(own);
    // Only the module itself is still needed, where diagnostics are reported.
    module.getBody()->clear();
  }
  bool callsLibm = needsLibm(*code);
  if (llvm::Error error = lowerProfile(*code, description))
    return error;
  kernels.take(*code);
  if (headerBytes) {
    recur_weights_header header = {};
    header.layout = description.weightsLayout = hashLayout(*code, description);
    header.hash = llvm::xxh3_64bits(result.weights.drop_front(headerBytes));
    std::memcpy(weights->data(), &header, sizeof header);
  }
  description.weightsHash = llvm::xxh3_64bits(result.weights);
  if (options.weightsOnly) {
    // An empty file has no layout, by which an old object could refuse it.
    if (result.weights.empty())
      return fail("expected weights outside of the code, but all constants are parts of it: compile the model again");
    addTime(result.times, "layout", start);
    steps.end();
    return result;
  }
  emitModelInfo(*code, description, *levels, placement);
  if (llvm::Error error = linkABIShim(*code, description, *levels))
    return error;
  if (llvm::Error error = optimizeModule(*code, *levels, options.target.optLevel, options.sanitizer))
    return error;
  addTime(result.times, "optimize", start);
  if (!steps.begin("code"))
    return fail(cancelled);
  std::optional<StackMeasure> stack;
  if (options.report && kind == EmitKind::Object)
    stack.emplace(*code);
  // The zeros for the weights would let the buffer double until it holds them.
  if (placement == WeightsPlacement::Embedded && kind == EmitKind::Object)
    result.output.reserve(bytes + bytes / 8);
  if (llvm::Error error = emitModule(*code, least, kind, result.output, &kernels))
    return error;
  if (hasFailed)
    return fail("the model cannot be translated to machine code");
  if (stack)
    result.stackBytes = stack->getDeepest();
  addTime(result.times, "emit", start);
  steps.end();
  if (kind != EmitKind::Object)
    return result;
  if (placement == WeightsPlacement::Embedded && bytes)
    if (llvm::Error error = patchWeights(result.output, [&](MutableArrayRef<char> section) -> llvm::Error {
          llvm::copy(packed, section.begin());
          return llvm::Error::success();
        }))
      return error;
  SmallVector<StringRef> allowed;
  if (callsLibm)
    llvm::append_range(allowed, kLibmFunctions);
  if (placement == WeightsPlacement::External)
    allowed.push_back(weightsSymbolName);
  if (llvm::Error error = checkObject(result.output, options.name, allowed, getSanitizerPrefix(options.sanitizer)))
    return error;
  return result;
}
