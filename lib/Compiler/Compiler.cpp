// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Compiler.cpp - From a model's file to machine code -----------------===//
//
// The whole compiler as a library: import or parse a model, lower it with MLIR passes, translate it to LLVM IR, link
// the ABI shim, optimize, and emit code.
//
//===----------------------------------------------------------------------===//

#include "Recur/Compiler/Compiler.h"

#include "Recur/Compiler/PackWeights.h"
#include "Recur/Import/OpenVINOIR.h"
#include "Recur/Pipelines/Pipelines.h"
#include "Recur/Target/ABI.h"
#include "Recur/Target/ElementType.h"
#include "Recur/Target/Libm.h"
#include "Recur/Target/ObjectFile.h"
#include "Recur/Target/StackMeasure.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
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

/// Opens the weights file of a module: `weightsPath`, or if that is empty, the file that the module names, beside
/// `path`. Fails if its size or its hash differs from the module's. Null if the module names no weights file.
static FailureOr<std::shared_ptr<llvm::MemoryBuffer>> findWeights(ModuleOp module, StringRef path,
                                                                  StringRef weightsPath) {
  auto file = module->getAttrOfType<ov::WeightsFileAttr>(ov::kWeightsFileAttr);
  if (!file)
    return std::shared_ptr<llvm::MemoryBuffer>();
  SmallString<128> place(weightsPath);
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
    module.emitError() << "cannot open the weights file '" << place << "'; name it with --weights";
    return failure();
  }
  auto buffer = llvm::MemoryBuffer::getFile(place, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    module.emitError() << "cannot read the weights file '" << place << "': " << buffer.getError().message();
    return failure();
  }
  if ((*buffer)->getBufferSize() != file.getSize() || llvm::xxh3_64bits((*buffer)->getBuffer()) != file.getHash()) {
    module.emitError() << "the weights file '" << place << "' is not the one that the module was made with";
    return failure();
  }
  return std::shared_ptr<llvm::MemoryBuffer>(std::move(*buffer));
}

static Model makeModel(OwningOpRef<ModuleOp> module, std::shared_ptr<llvm::MemoryBuffer> weights, StringRef path,
                       StringRef weightsPath) {
  std::vector<ToolFile> files{{"the model", path.str()}};
  if (!weightsPath.empty())
    files.push_back({"the weights file", weightsPath.str()});
  return {std::move(module), std::move(weights), std::move(files)};
}

FailureOr<Model> recur::readModel(StringRef path, StringRef weightsPath, llvm::SourceMgr &sources, MLIRContext *context,
                                  ArrayRef<std::string> shapes) {
  Location loc = FileLineColLoc::get(context, path, 0, 0);
  if (path != "-" && !llvm::sys::fs::is_regular_file(path)) {
    emitError(loc) << "cannot open '" << path
                   << "': " << (llvm::sys::fs::exists(path) ? "not a regular file" : "no such file");
    return failure();
  }
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer) {
    emitError(loc) << "cannot read '" << path << "': " << buffer.getError().message();
    return failure();
  }
  StringRef text = (*buffer)->getBuffer();
  StringRef start = text.ltrim(" \t\r\n\xEF\xBB\xBF");
  bool isModule = isBytecode((*buffer)->getMemBufferRef()) || (llvm::sys::path::extension(path) == ".mlir") ||
                  start.starts_with("module") || start.starts_with("func") || start.starts_with("//") ||
                  start.starts_with("#");
  llvm::MemoryBufferRef ref = (*buffer)->getMemBufferRef();
  sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  if (!isModule) {
    ImportOptions options;
    options.weightsPath = weightsPath.str();
    options.shapes.assign(shapes.begin(), shapes.end());
    FailureOr<ImportedModel> imported = importOpenVINOIR(ref, context, options);
    if (failed(imported))
      return failure();
    return makeModel(std::move(imported->module), std::move(imported->weights), path, imported->weightsFile);
  }
  if (!shapes.empty()) {
    emitError(loc) << "expected OpenVINO IR where shapes are to be fixed, but got a module";
    return failure();
  }
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, ParserConfig(context));
  if (!module || failed(verifyStage(*module)))
    return failure();
  FailureOr<std::shared_ptr<llvm::MemoryBuffer>> weights = findWeights(*module, path, weightsPath);
  if (failed(weights))
    return failure();
  // The identifier of a buffer that was read from a file is its path.
  StringRef weightsFile = *weights ? (*weights)->getBufferIdentifier() : StringRef();
  return makeModel(std::move(module), std::move(*weights), path, weightsFile);
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

namespace {

using Clock = std::chrono::steady_clock;

/// Appends the seconds since `start` to `times`, and makes now the start of the next stage.
void addTime(std::vector<StageTime> &times, StringRef stage, Clock::time_point &start) {
  Clock::time_point now = Clock::now();
  times.push_back({stage.str(), std::chrono::duration<double>(now - start).count()});
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

} // namespace

LogicalResult recur::lower(ModuleOp module, Stage stage, const CompileOptions &options,
                           const llvm::TargetMachine &machine, std::vector<StageTime> *times) {
  Stage passed = getStage(module);
  if (passed > stage)
    return module.emitError() << "expected a module of stage '" << stringifyStage(stage)
                              << "' or before, but got one of '" << stringifyStage(passed) << "'";
  bool isStep = options.entries.front() == Entry::Step;
  if (passed >= Stage::Loops && isStep)
    return module.emitError() << "expected a module of stage 'simplify' or before, for its loops to become one time "
                                 "step, but got one of '"
                              << stringifyStage(passed) << "'";
  if (passed == Stage::LLVM && options.checkTimeLoops)
    return module.emitError("expected a module before stage 'llvm', for its time loops to be checked");
  PipelineOptions pipeline;
  uint64_t features = requiredFeatures(machine);
  std::string names = featureNames(features);
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
  pipeline.optimize = options.optimize;
  pipeline.gangWork = options.gangWork;
  pipeline.weightsPrecision = options.weightsPrecision;
  pipeline.precision = options.precision;
  pipeline.step = isStep;
  // One time step has fewer rows than all of them.
  pipeline.inOrder = llvm::is_contained(options.entries, Entry::Step);
  pipeline.checkTimeLoops = options.checkTimeLoops;
  pipeline.reportWorkspace = options.report;

  PassManager pm(module.getContext());
  pm.enableVerifier(options.verifyPasses);
  populateStages(pm, passed, stage, pipeline);
  StageTimer *timer = nullptr;
  if (times) {
    auto owned = std::make_unique<StageTimer>(*times);
    timer = owned.get();
    timer->begin(module);
    pm.addInstrumentation(std::move(owned));
  }
  if (failed(pm.run(module)) || failed(verify(module)))
    return failure();
  if (timer)
    timer->finish(module);
  return success();
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

llvm::Expected<CompiledModel> recur::compile(Model &model, const CompileOptions &options, EmitKind kind,
                                             WeightsPlacement placement) {
  auto machine = createTargetMachine(options.target);
  if (!machine)
    return machine.takeError();
  auto fail = [](const char *what) { return llvm::createStringError(llvm::inconvertibleErrorCode(), what); };
  CompiledModel result;
  // The modules of the entries, in the order of the entries.
  SmallVector<ModuleOp> modules{*model.module};
  OwningOpRef<ModuleOp> second;
  if (options.entries.size() > 1)
    modules.push_back(*(second = model.module->clone()));
  for (auto [i, module] : llvm::enumerate(modules)) {
    CompileOptions own = options;
    std::swap(own.entries.front(), own.entries[i]);
    // The second entry reads what the first one has packed, and adds to it.
    if (i != 0)
      for (StringRef attribute : {rt::kWeightsPlanAttr, rt::kWeightsBytesAttr})
        module->setAttr(attribute, modules.front()->getAttr(attribute));
    if (failed(lower(module, Stage::LLVM, own, **machine, &result.times)) || failed(verifyStage(module)))
      return fail("the model cannot be compiled");
  }

  Clock::time_point start = Clock::now();
  result.triple = (*machine)->getTargetTriple().str();
  result.cpu = (*machine)->getTargetCPU().str();
  result.cpuFeatures = featureNames(requiredFeatures(**machine));
  ModuleOp plan = modules.back();
  int64_t bytes = plan->getAttrOfType<IntegerAttr>(rt::kWeightsBytesAttr).getInt();
  if (placement == WeightsPlacement::Embedded && uint64_t(bytes) > kMaxNearWeights &&
      !(*machine)->getTargetTriple().isX86())
    return llvm::createStringError("expected at most " + llvm::Twine(kMaxNearWeights) +
                                   " bytes of weights in an object for this target, but got " + llvm::Twine(bytes) +
                                   "; --weights-mode=file writes them to a file of their own");
  llvm::Expected<MutableArrayRef<char>> packed = result.allocateWeights(bytes);
  if (!packed)
    return packed.takeError();
  ArrayRef<char> file;
  if (model.weights)
    file = ArrayRef<char>(model.weights->getBufferStart(), model.weights->getBufferSize());
  llvm::Expected<RoundingLoss> loss = packWeights(plan, file, *packed);
  if (!loss)
    return loss.takeError();
  if (loss->constants != 0)
    plan.emitRemark("weights were rounded: ")
        << loss->constants << " constants of " << loss->elements << " elements, with a root mean square error of "
        << llvm::formatv("{0:F3}", 100 * loss->getRelativeError()).str() << " % of that of the elements";
  ModelDescription &description = result.description;
  static_cast<EntryDescription &>(description) = describe(modules.front(), options.entries.front());
  if (second)
    description.step = describe(*second, options.entries.back());
  description.name = options.name;
  description.weightsBytes = result.weights.size();
  description.weightsHash = llvm::xxh3_64bits(result.weights);
  addTime(result.times, "weights", start);

  registerBuiltinDialectTranslation(*plan.getContext());
  registerLLVMDialectTranslation(*plan.getContext());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code;
  for (auto [i, module] : llvm::enumerate(modules)) {
    std::unique_ptr<llvm::Module> own = translate(module, options.name, i != 0, context, **machine);
    if (!own || (code && llvm::Linker::linkModules(*code, std::move(own))))
      return fail("the model cannot be translated to LLVM IR");
    if (!code)
      code = std::move(own);
  }
  emitModelInfo(*code, description, **machine, placement);
  if (llvm::Error error = linkABIShim(*code, description, **machine))
    return error;
  if (llvm::Error error = optimizeModule(*code, **machine, options.target.optLevel))
    return error;
  addTime(result.times, "optimize", start);
  std::optional<StackMeasure> stack;
  if (options.report && kind == EmitKind::Object)
    stack.emplace(*code);
  // The zeros for the weights would let the buffer double until it holds them.
  if (placement == WeightsPlacement::Embedded && kind == EmitKind::Object)
    result.output.reserve(bytes + bytes / 8);
  if (llvm::Error error = emitModule(*code, **machine, kind, result.output))
    return error;
  if (stack)
    result.stackBytes = stack->getDeepest();
  addTime(result.times, "emit", start);
  if (kind != EmitKind::Object)
    return result;
  if (placement == WeightsPlacement::Embedded && bytes)
    if (llvm::Error error = patchWeights(result.output, [&](MutableArrayRef<char> section) -> llvm::Error {
          llvm::copy(*packed, section.begin());
          return llvm::Error::success();
        }))
      return error;
  SmallVector<StringRef> allowed(std::begin(kLibmFunctions), std::end(kLibmFunctions));
  if (placement == WeightsPlacement::External)
    allowed.push_back(weightsSymbolName);
  if (llvm::Error error = checkObject(result.output, options.name, allowed))
    return error;
  return result;
}
