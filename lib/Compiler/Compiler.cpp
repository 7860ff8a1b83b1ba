// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Compiler.cpp - From a model to machine code ------------------------===//
//
// A compilation has a module for each entry at each level. It lowers all of them with MLIR passes, packs the constants,
// which the modules share, translates the modules to one module of LLVM, with the ABI shim, and emits code.
//
//===----------------------------------------------------------------------===//

#include "Recur/Compiler/Compiler.h"

#include "Lowering.h"
#include "Recur/Compiler/PackWeights.h"
#include "Recur/Dialect/OV/IR/EmptyDims.h"
#include "Recur/Dialect/RT/IR/RTProfile.h"
#include "Recur/Import/FoldConstants.h"
#include "Recur/Target/ABI.h"
#include "Recur/Target/ElementType.h"
#include "Recur/Target/Libm.h"
#include "Recur/Target/ObjectFile.h"
#include "Recur/Target/SharedKernels.h"
#include "Recur/Target/StackMeasure.h"
#include "Recur/Target/Weights.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

#include <optional>
#include <sys/mman.h>

using namespace mlir;
using namespace recur;

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
  // Small pages lie anywhere in memory, so some sets of L2 get more of them than they can hold.
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

static llvm::Error fail(const llvm::Twine &what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), what);
}

namespace {
/// A module of the model for one entry and one level.
struct PlannedModule {
  ModuleOp module;
  /// The numbers of the entry in CompileOptions::entries, and of the level, counted from the least one.
  size_t entry, level;
};

/// The steps of `compile`, in the order in which they run. Each fails with a message or diagnostics.
class Compilation {
public:
  Compilation(Model &model, const CompileOptions &options, EmitKind kind, WeightsPlacement placement, Levels levels);

  llvm::Error lowerModules();
  llvm::Error packConstants();
  llvm::Error translateModules();
  llvm::Error emitCode();

  CompiledModel result;

private:
  llvm::Error begin(StringRef step) {
    return steps.begin(step) ? llvm::Error::success() : fail("the compilation was cancelled");
  }
  const llvm::TargetMachine &getMachine(const PlannedModule &planned) const { return *levels[planned.level]; }
  /// The module whose attributes say what all modules have packed.
  ModuleOp getLast() const { return modules.back().module; }
  /// The description of an entry, for all levels.
  EntryDescription describeEntry(size_t entry) const;
  /// The bytes of the packed constants, without the header of WeightsPlacement::Given.
  MutableArrayRef<char> getPacked() const { return weights.drop_front(headerBytes); }

  Model &model;
  const CompileOptions &options;
  EmitKind kind;
  WeightsPlacement placement;
  /// From the least to the best one.
  Levels levels;
  /// The plan: the modules of the best level, in the order of the entries, then those of the level before it, and so
  /// on. The first one is that of the model.
  SmallVector<PlannedModule> modules;
  SmallVector<OwningOpRef<ModuleOp>> copies;
  Steps steps;
  SharedKernels kernels;
  /// The bytes that become `result.weights`, and how many of them are a header.
  MutableArrayRef<char> weights;
  size_t headerBytes = 0;
  llvm::LLVMContext context;
  /// True after an error of LLVM's, which was reported.
  bool hasFailed = false;
  std::unique_ptr<llvm::Module> code;
  bool callsLibm = false;
};
} // namespace

Compilation::Compilation(Model &model, const CompileOptions &options, EmitKind kind, WeightsPlacement placement,
                         Levels levels)
    : model(model), options(options), kind(kind), placement(placement), levels(levels),
      steps(options.progress, options.entries.size() * levels.size()),
      kernels(kind != EmitKind::LLVM, levels, options.target.optLevel) {
  // Needs the bodies of loops as the model has them, for all entries.
  if (getStage(*model.module) == Stage::Import)
    ov::tellEmptyDims(*model.module);
  ::foldConstants(model);
  for (size_t level = levels.size(); level-- > 0;)
    for (size_t entry = 0; entry < options.entries.size(); ++entry) {
      if (!modules.empty())
        copies.push_back(model.module->clone());
      modules.push_back({copies.empty() ? *model.module : *copies.back(), entry, level});
    }
}

llvm::Error Compilation::lowerModules() {
  // The code of a kernel would depend on these options, which its name does not tell.
  bool areShared = kernels.isPossible() && options.optimize && options.sanitizer == Sanitizer::None;
  ModuleOp previous;
  for (const PlannedModule &planned : modules) {
    CompileOptions own = options;
    std::swap(own.entries.front(), own.entries[planned.entry]);
    // One report for each entry is enough.
    if (planned.level + 1 != levels.size()) {
      own.report = false;
      own.remarks = nullptr;
    }
    // A module reads what those before it have packed, and adds to it.
    if (previous)
      for (StringRef attribute : {rt::kWeightsPlanAttr, rt::kWeightsBytesAttr})
        planned.module->setAttr(attribute, previous->getAttr(attribute));
    SharedLowering shared{*levels.back(), result.times, steps, areShared ? &kernels : nullptr, planned.level};
    if (failed(lowerShared(planned.module, own, getMachine(planned), shared)) || failed(verifyStage(planned.module)))
      return fail("the model cannot be compiled");
    previous = planned.module;
  }
  steps.expectLast();
  return llvm::Error::success();
}

EntryDescription Compilation::describeEntry(size_t entry) const {
  std::optional<EntryDescription> all;
  // From the least level on.
  for (const PlannedModule &planned : llvm::reverse(modules)) {
    if (planned.entry != entry)
      continue;
    EntryDescription own = describe(planned.module, options.entries[entry]);
    if (all)
      addLevel(*all, own);
    else
      all = std::move(own);
  }
  return *all;
}

llvm::Error Compilation::packConstants() {
  if (llvm::Error error = begin("weights"))
    return error;
  Clock::time_point start = Clock::now();
  const llvm::TargetMachine &least = *levels.front();
  result.triple = least.getTargetTriple().str();
  result.cpu = least.getTargetCPU().str();
  result.cpuFeatures = featureNames(requiredFeatures(least));
  for (const auto &level : levels)
    result.levels.push_back(level->getTargetCPU().str());
  int64_t bytes = getLast()->getAttrOfType<IntegerAttr>(rt::kWeightsBytesAttr).getInt();
  if (placement == WeightsPlacement::Embedded && uint64_t(bytes) > kMaxNearWeights && !least.getTargetTriple().isX86())
    return fail("expected at most " + llvm::Twine(kMaxNearWeights) +
                " bytes of weights in an object for this target, but got " + llvm::Twine(bytes) +
                "; --weights-mode=file writes them to a file of their own");
  headerBytes = placement == WeightsPlacement::Given && bytes ? sizeof(recur_weights_header) : 0;
  if (llvm::Error error = result.allocateWeights(uint64_t(bytes) + headerBytes).moveInto(weights))
    return error;
  ArrayRef<char> file;
  if (model.weights)
    file = ArrayRef<char>(model.weights->getBufferStart(), model.weights->getBufferSize());
  llvm::Expected<RoundingLoss> loss = packWeights(getLast(), file, getPacked());
  if (!loss)
    return loss.takeError();
  if (loss->constants != 0)
    getLast().emitRemark("weights were rounded: ")
        << loss->constants << " constants of " << loss->elements << " elements, with a root mean square error of "
        << llvm::formatv("{0:F3}", 100 * loss->getRelativeError()).str() << " % of that of the elements";
  ModelDescription &description = result.description;
  static_cast<EntryDescription &>(description) = describeEntry(0);
  if (options.entries.size() > 1)
    description.step = describeEntry(1);
  description.name = options.name;
  description.weightsBytes = result.weights.size();
  addTime(result.times, "weights", start);
  return llvm::Error::success();
}

llvm::Error Compilation::translateModules() {
  if (llvm::Error error = begin("optimization"))
    return error;
  Clock::time_point start = Clock::now();
  registerBuiltinDialectTranslation(*getLast().getContext());
  registerLLVMDialectTranslation(*getLast().getContext());
  reportThrough(context, getLast(), hasFailed);
  for (PlannedModule &planned : modules) {
    std::unique_ptr<llvm::Module> own =
        translate(planned.module, options.name, planned.entry != 0, context, getMachine(planned));
    if (own && levels.size() > 1)
      nameLevel(*own, getMachine(planned));
    if (!own || (code && llvm::Linker::linkModules(*code, std::move(own))))
      return fail("the model cannot be translated to LLVM IR");
    if (!code)
      code = std::move(own);
    // Only the module itself is still needed, where diagnostics are reported.
    planned.module.getBody()->clear();
  }
  callsLibm = needsLibm(*code);
  ModelDescription &description = result.description;
  if (llvm::Error error = lowerProfile(*code, description))
    return error;
  kernels.take(*code);
  if (headerBytes) {
    recur_weights_header header = {};
    header.layout = description.weightsLayout = hashLayout(*code, description);
    header.hash = llvm::xxh3_64bits(result.weights.drop_front(headerBytes));
    std::memcpy(weights.data(), &header, sizeof header);
  }
  description.weightsHash = llvm::xxh3_64bits(result.weights);
  if (options.weightsOnly) {
    // An empty file has no layout, by which an old object could refuse it.
    if (result.weights.empty())
      return fail("expected weights outside of the code, but all constants are parts of it: compile the model again");
    addTime(result.times, "layout", start);
    steps.end();
    return llvm::Error::success();
  }
  emitModelInfo(*code, description, levels, placement);
  if (llvm::Error error = linkABIShim(*code, description, levels))
    return error;
  if (llvm::Error error = optimizeModule(*code, levels, options.target.optLevel, options.sanitizer))
    return error;
  addTime(result.times, "optimize", start);
  return llvm::Error::success();
}

llvm::Error Compilation::emitCode() {
  if (llvm::Error error = begin("code"))
    return error;
  Clock::time_point start = Clock::now();
  std::optional<StackMeasure> stack;
  if (options.report && kind == EmitKind::Object)
    stack.emplace(*code);
  bool isEmbedded = placement == WeightsPlacement::Embedded && kind == EmitKind::Object;
  // The zeros for the weights would let the buffer double until it holds them.
  if (isEmbedded)
    result.output.reserve(getPacked().size() + getPacked().size() / 8);
  if (llvm::Error error = emitModule(*code, *levels.front(), kind, result.output, &kernels))
    return error;
  if (hasFailed)
    return fail("the model cannot be translated to machine code");
  if (stack)
    result.stackBytes = stack->getDeepest();
  addTime(result.times, "emit", start);
  steps.end();
  if (kind != EmitKind::Object)
    return llvm::Error::success();
  if (isEmbedded && !getPacked().empty())
    if (llvm::Error error = patchWeights(result.output, [&](MutableArrayRef<char> section) -> llvm::Error {
          llvm::copy(getPacked(), section.begin());
          return llvm::Error::success();
        }))
      return error;
  SmallVector<StringRef> allowed;
  if (callsLibm)
    llvm::append_range(allowed, kLibmFunctions);
  if (placement == WeightsPlacement::External)
    allowed.push_back(weightsSymbolName);
  return checkObject(result.output, options.name, allowed, getSanitizerPrefix(options.sanitizer));
}

llvm::Expected<CompiledModel> recur::compile(Model &model, const CompileOptions &options, EmitKind kind,
                                             WeightsPlacement placement) {
  auto levels = createLevels(options.target);
  if (!levels)
    return levels.takeError();
  if (Stage passed = getStage(*model.module); levels->size() > 1 && passed > Stage::Linalg)
    return fail("expected a module of stage 'linalg' or before, for code for several CPUs, but got one of '" +
                stringifyStage(passed) + "'");
  if (options.profile && (options.entries.size() > 1 || levels->size() > 1))
    return fail("expected one entry and one CPU for a profile, whose rows are those of one");
  Compilation compilation(model, options, kind, placement, *levels);
  if (llvm::Error error = compilation.lowerModules())
    return error;
  if (llvm::Error error = compilation.packConstants())
    return error;
  if (llvm::Error error = compilation.translateModules())
    return error;
  if (!options.weightsOnly)
    if (llvm::Error error = compilation.emitCode())
      return error;
  return std::move(compilation.result);
}
