// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SharedKernels.cpp - kernels that models share ----------------------===//
//
// A kernel that is shared is a module of its own, in bitcode, which is the key of its code. It must not know what the
// calls of one model have in common. Where that makes it much smaller (for example, because all matrices have one
// block), the kernel belongs to the model.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/SharedKernels.h"
#include "EmitParts.h"
#include "Recur/Target/ModelContract.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/DeadArgumentElimination.h"
#include "llvm/Transforms/IPO/SCCP.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <deque>
#include <map>
#include <mutex>

using namespace llvm;

namespace recur {

/// The instructions of a kernel that is worth to be shared: their code takes longer to generate than to find.
static constexpr unsigned kInstructionsOfKernel = 600;

namespace {
using Key = BLAKE3Result<>;

/// The code of shared kernels that this process has compiled. Any thread may use it.
class KernelCache {
public:
  std::shared_ptr<const PartCode> find(const Key &key) {
    std::lock_guard guard(mutex);
    auto found = codes.find(key);
    return found == codes.end() ? nullptr : found->second;
  }

  void add(const Key &key, std::shared_ptr<const PartCode> code) {
    std::lock_guard guard(mutex);
    if (!codes.try_emplace(key, code).second)
      return;
    order.push_back(key);
    bytes += code->text.size();
    while (bytes > kMostBytes) {
      auto oldest = codes.find(order.front());
      order.pop_front();
      bytes -= oldest->second->text.size();
      codes.erase(oldest);
    }
  }

private:
  /// A kernel takes about 100 KB.
  static constexpr uint64_t kMostBytes = 32 << 20;
  std::mutex mutex;
  std::map<Key, std::shared_ptr<const PartCode>> codes;
  /// From the oldest to the newest one.
  std::deque<Key> order;
  uint64_t bytes = 0;
};
} // namespace

static KernelCache &getCache() {
  static KernelCache cache;
  return cache;
}

/// Runs passes over the whole module.
static void runPasses(Module &module, llvm::TargetMachine &machine, ModulePassManager passes) {
  LoopAnalysisManager loopAnalyses;
  FunctionAnalysisManager functionAnalyses;
  CGSCCAnalysisManager sccAnalyses;
  ModuleAnalysisManager moduleAnalyses;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(moduleAnalyses);
  builder.registerCGSCCAnalyses(sccAnalyses);
  builder.registerFunctionAnalyses(functionAnalyses);
  builder.registerLoopAnalyses(loopAnalyses);
  builder.crossRegisterProxies(loopAnalyses, functionAnalyses, sccAnalyses, moduleAnalyses);
  passes.run(module, moduleAnalyses);
}

/// True if `value` is no constant that a module has, but an intrinsic may be.
static bool isOfNoModule(const Value *value) {
  if (const auto *global = dyn_cast<GlobalValue>(value))
    return isa<Function>(global) && cast<Function>(global)->isIntrinsic();
  const auto *constant = dyn_cast<Constant>(value);
  return !constant || all_of(constant->operands(), [](const Use &operand) { return isOfNoModule(operand); });
}

/// True if code elsewhere can call `function`, and the function needs nothing but its arguments.
static bool isSelfContained(const Function &function) {
  if (function.hasAddressTaken() || !function.hasLocalLinkage())
    return false;
  return all_of(instructions(function), [](const Instruction &instruction) {
    if (const auto *call = dyn_cast<CallBase>(&instruction); call && !isa<IntrinsicInst>(call) && !call->isInlineAsm())
      return false;
    return all_of(instruction.operands(), [](const Use &operand) { return isOfNoModule(operand); });
  });
}

/// The bitcode of a module that has only `kernel`, as a function for others.
static std::string isolate(const Function &kernel) {
  ValueToValueMapTy copies;
  std::unique_ptr<Module> module =
      CloneModule(*kernel.getParent(), copies, [&](const GlobalValue *global) { return global == &kernel; });
  auto *own = cast<Function>(copies[&kernel]);
  module->setModuleInlineAsm("");
  for (GlobalValue &global : make_early_inc_range(module->global_values()))
    if (&global != own && global.use_empty())
      global.eraseFromParent();
  module->setModuleIdentifier(kernel.getName());
  module->setSourceFileName(kernel.getName());
  own->setLinkage(GlobalValue::ExternalLinkage);
  own->setVisibility(GlobalValue::HiddenVisibility);
  own->setDSOLocal(true);
  // Somebody may want to know the frame of the kernel.
  own->addFnAttr("warn-stack-size", "0");
  std::string bitcode;
  raw_string_ostream os(bitcode);
  WriteBitcodeToFile(*module, os, /*ShouldPreserveUseListOrder=*/true);
  return bitcode;
}

/// The key of the code of a kernel.
static Key getKey(StringRef bitcode, Levels levels, unsigned optLevel) {
  BLAKE3 hasher;
  auto add = [&](StringRef field) {
    uint64_t size = field.size();
    hasher.update(ArrayRef(reinterpret_cast<const uint8_t *>(&size), sizeof size));
    hasher.update(field);
  };
  for (const auto &level : levels)
    for (StringRef field :
         {StringRef(level->getTargetTriple().str()), level->getTargetCPU(), level->getTargetFeatureString()})
      add(field);
  hasher.update(ArrayRef(reinterpret_cast<const uint8_t *>(&optLevel), sizeof optLevel));
  add(bitcode);
  return hasher.final();
}

using OwnLevels = SmallVector<std::unique_ptr<llvm::TargetMachine>>;

/// Optimizes a kernel in bitcode. Generates its assembly if `kind` is Object, and its bitcode otherwise.
static Error generate(StringRef bitcode, const OwnLevels &levels, unsigned optLevel, EmitKind kind, PartCode &code) {
  LLVMContext context;
  keepMessages(context, code);
  Expected<std::unique_ptr<Module>> module = parseBitcodeFile(MemoryBufferRef(bitcode, "kernel"), context);
  if (!module)
    return module.takeError();
  if (Error error = optimizeModule(**module, levels, optLevel))
    return error;
  if (kind != EmitKind::Object) {
    raw_svector_ostream os(code.text);
    WriteBitcodeToFile(**module, os, /*ShouldPreserveUseListOrder=*/true);
    return Error::success();
  }
  // It becomes a part of the object of a model.
  for (Function &function : **module)
    if (!function.isDeclaration()) {
      function.setVisibility(GlobalValue::DefaultVisibility);
      function.setLinkage(GlobalValue::InternalLinkage);
    }
  return emitModule(**module, *levels.front(), EmitKind::Assembly, code.text);
}

SharedKernels::~SharedKernels() {
  if (threads)
    threads->wait();
}

void SharedKernels::take(Module &module, Levels levels, unsigned optLevel) {
  llvm::TargetMachine &machine = *levels.front();
  if (optLevel == 0 || !machine.getTargetTriple().isX86() || !module.debug_compile_units().empty())
    return;
  auto isLarge = [](const Function &function) {
    return function.hasFnAttribute(RECUR_KERNEL_ATTRIBUTE) && function.getInstructionCount() >= kInstructionsOfKernel;
  };
  if (none_of(module, isLarge))
    return;
  ModulePassManager before, after;
  before.addPass(DeadArgumentEliminationPass());
  runPasses(module, machine, std::move(before));
  for (const Function &function : module)
    if (isLarge(function) && isSelfContained(function))
      units.push_back({function.getName().str(), isolate(function), nullptr});
  after.addPass(IPSCCPPass());
  runPasses(module, machine, std::move(after));
  llvm::erase_if(units, [&](const Unit &unit) { return !isLarge(*module.getFunction(unit.name)); });

  for (Unit &unit : units) {
    Function &kernel = *module.getFunction(unit.name);
    kernel.deleteBody();
    kernel.setVisibility(GlobalValue::HiddenVisibility);
    kernel.setDSOLocal(true);
    kernel.setDoesNotThrow();
    Key key = getKey(unit.bitcode, levels, optLevel);
    if (kind == EmitKind::Object)
      unit.code = getCache().find(key);
    if (unit.code)
      continue;
    auto code = std::make_shared<PartCode>();
    unit.code = code;
    // A target machine serves one thread.
    auto own = std::make_shared<OwnLevels>();
    for (const auto &level : levels)
      own->push_back(copyMachine(*level));
    if (!threads)
      threads.emplace(hardware_concurrency(units.size()));
    threads->async([code, own, key, optLevel, kind = kind, bitcode = std::move(unit.bitcode)] {
      if (Error error = generate(bitcode, *own, optLevel, kind, *code))
        code->error = toString(std::move(error));
      else if (kind == EmitKind::Object && code->messages.empty())
        getCache().add(key, code);
    });
  }
}

std::vector<std::shared_ptr<const PartCode>> SharedKernels::getCode() {
  if (threads)
    threads->wait();
  std::vector<std::shared_ptr<const PartCode>> codes;
  for (const Unit &unit : units)
    codes.push_back(unit.code);
  return codes;
}

Error SharedKernels::putBack(Module &module) {
  if (threads)
    threads->wait();
  for (const Unit &unit : units) {
    if (!unit.code->error.empty())
      return createStringError("internal error: " + unit.code->error);
    auto kernel = parseBitcodeFile(MemoryBufferRef(unit.code->text, unit.name), module.getContext());
    if (!kernel)
      return kernel.takeError();
    if (Linker::linkModules(module, std::move(*kernel)))
      return createStringError("internal error: the kernel '" + unit.name + "' cannot be linked");
    Function &own = *module.getFunction(unit.name);
    own.setVisibility(GlobalValue::DefaultVisibility);
    own.setLinkage(GlobalValue::InternalLinkage);
  }
  return Error::success();
}

} // namespace recur
