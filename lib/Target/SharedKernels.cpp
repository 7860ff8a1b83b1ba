// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SharedKernels.cpp - kernels that models share ----------------------===//
//
// A thread makes the module of a shared kernel in an LLVM context of its own. Nothing that the calls of one model have
// in common gets into its code.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/SharedKernels.h"
#include "EmitParts.h"
#include "Recur/Target/ModelContract.h"
#include "Recur/Target/TargetMachine.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Target/TargetMachine.h"

#include <deque>
#include <mutex>

using namespace llvm;

namespace recur {

namespace {
/// The code of the shared kernels that this process has compiled, by their names. Any thread may use it.
class KernelCache {
public:
  std::shared_ptr<const PartCode> find(StringRef name) {
    std::lock_guard guard(mutex);
    if (std::shared_ptr<const PartCode> code = codes.lookup(name))
      return code;
    auto known = saved.find(name);
    return known == saved.end() ? nullptr : known->second.read(name);
  }

  void save(raw_ostream &os) {
    std::lock_guard guard(mutex);
    // Threads have added them in any order.
    std::vector<std::string> names(order.begin(), order.end());
    llvm::sort(names);
    for (const std::string &name : names) {
      const PartCode &code = *codes.lookup(name);
      uint64_t frame = code.frames.empty() ? 0 : code.frames.front().second;
      os << name << ' ' << frame << ' ' << code.text.size() << '\n' << code.text;
    }
  }

  void addSaved(StringRef text) {
    std::lock_guard guard(mutex);
    while (!text.empty()) {
      auto [head, rest] = text.split('\n');
      auto [name, numbers] = head.split(' ');
      SavedCode code;
      size_t size = 0;
      [[maybe_unused]] bool fails = numbers.consumeInteger(10, code.frame) || !numbers.consume_front(" ") ||
                                    numbers.getAsInteger(10, size) || size > rest.size();
      assert(!fails && "the kernels were not written by saveKernels");
      code.text = rest.take_front(size);
      saved.try_emplace(name, code);
      text = rest.drop_front(code.text.size());
    }
  }

  void add(StringRef name, std::shared_ptr<const PartCode> code) {
    std::lock_guard guard(mutex);
    if (!codes.try_emplace(name, code).second)
      return;
    order.push_back(name.str());
    bytes += code->text.size();
    while (bytes > kMostBytes) {
      auto oldest = codes.find(order.front());
      bytes -= oldest->second->text.size();
      codes.erase(oldest);
      order.pop_front();
    }
  }

private:
  /// The code of a kernel in what saveKernels wrote.
  struct SavedCode {
    uint64_t frame = 0;
    StringRef text;

    std::shared_ptr<const PartCode> read(StringRef name) const {
      auto code = std::make_shared<PartCode>();
      code->text = text;
      code->frames.push_back({name.str(), frame});
      return code;
    }
  };

  /// A kernel takes about 100 KB.
  static constexpr uint64_t kMostBytes = 32 << 20;
  std::mutex mutex;
  StringMap<std::shared_ptr<const PartCode>> codes;
  StringMap<SavedCode> saved;
  /// From the oldest to the newest one.
  std::deque<std::string> order;
  uint64_t bytes = 0;
};

using OwnLevels = SmallVector<std::unique_ptr<llvm::TargetMachine>>;
} // namespace

static KernelCache &getCache() {
  // Threads may still compile when the process ends, so nothing destroys it.
  static KernelCache &cache = *new KernelCache;
  return cache;
}

/// Leaves only `kernel` in its module, as a function for others.
static void isolate(Function &kernel) {
  Module &module = *kernel.getParent();
  // Its lines would be those of one model.
  StripDebugInfo(module);
  for (Function &function : module)
    if (&function != &kernel)
      function.deleteBody();
  for (GlobalValue &global : make_early_inc_range(module.global_values()))
    if (&global != &kernel && global.use_empty())
      global.eraseFromParent();
  module.setModuleIdentifier(kernel.getName());
  module.setSourceFileName(kernel.getName());
  module.setPICLevel(PICLevel::BigPIC);
  module.setUwtable(UWTableKind::Default);
  kernel.setUWTableKind(UWTableKind::Default);
  kernel.setLinkage(GlobalValue::ExternalLinkage);
  kernel.setVisibility(GlobalValue::HiddenVisibility);
  kernel.setDSOLocal(true);
  // Somebody may want to know the frame of the kernel.
  kernel.addFnAttr("warn-stack-size", "0");
}

namespace {
/// Leaves out loop strength reduction, which takes a third of the time of the code generator. The kernels for products
/// have addresses as the pass would make them.
struct NoStrengthReduction final : OptPassGate {
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef pass, StringRef) const override { return pass != "Loop Strength Reduction"; }
};
} // namespace

/// The bits of the vectors for which the pass gains nothing. Narrower ones leave it 3 to 4 % in products of many rows.
static constexpr unsigned kVectorsWithoutReduction = 256;

/// Makes a kernel a function of the model that it is a part of.
static void makeInternal(Function &kernel) {
  kernel.setVisibility(GlobalValue::DefaultVisibility);
  kernel.setLinkage(GlobalValue::InternalLinkage);
}

/// Makes the module of a kernel, and optimizes it. Generates its assembly, or its bitcode.
static Error generateCode(StringRef name, const SharedKernels::Make &make, const OwnLevels &levels, size_t level,
                          unsigned optLevel, bool isAssembly, PartCode &code) {
  NoStrengthReduction gate;
  LLVMContext context;
  keepMessages(context, code);
  Expected<std::unique_ptr<Module>> module = make(context, *levels[level]);
  if (!module)
    return module.takeError();
  setTarget(**module, *levels[level]);
  Function *kernel = (*module)->getFunction(name);
  if (!kernel || kernel->isDeclaration())
    return createStringError("internal error: the kernel '" + name + "' has no body");
  isolate(*kernel);
  if (Error error = optimizeModule(**module, levels, optLevel))
    return error;
  if (!isAssembly) {
    raw_svector_ostream os(code.text);
    WriteBitcodeToFile(**module, os, /*ShouldPreserveUseListOrder=*/true);
    return Error::success();
  }
  makeInternal(*kernel);
  if (vectorBits(*levels[level]) >= kVectorsWithoutReduction)
    context.setOptPassGate(gate);
  return emitModule(**module, *levels.front(), EmitKind::Assembly, code.text);
}

SharedKernels::~SharedKernels() {
  isCancelled = true;
  if (threads)
    threads->wait();
}

bool SharedKernels::isPossible() const { return optLevel > 0 && levels.front()->getTargetTriple().isX86(); }

std::string SharedKernels::describeTarget(size_t level) const {
  std::string text;
  raw_string_ostream os(text);
  os << levels[level]->getTargetTriple().str() << " -O" << optLevel;
  // The code calls functions that are named by what the least level has.
  for (size_t i : {size_t(0), level})
    os << ' ' << levels[i]->getTargetCPU() << ' ' << levels[i]->getTargetFeatureString();
  return text;
}

std::string SharedKernels::describeCommonTarget(size_t level) const {
  StringRef cpu = findCommonCPU(*levels[level]);
  return cpu.empty() ? "" : formatv("{0} -O{1} {2}", levels[level]->getTargetTriple().str(), optLevel, cpu).str();
}

bool SharedKernels::hasCode(StringRef name) {
  std::shared_ptr<const PartCode> code = isAssembly ? getCache().find(name) : nullptr;
  if (code)
    codes[name] = code;
  return codes.contains(name);
}

void SharedKernels::take(Module &module) {
  for (Function &kernel : make_early_inc_range(module)) {
    Attribute attribute = kernel.getFnAttribute(RECUR_SHARED_ATTRIBUTE);
    if (!attribute.isValid() || !codes.contains(attribute.getValueAsString()))
      continue;
    StringRef name = attribute.getValueAsString();
    // The entries of a model may share kernels, too.
    if (Function *other = module.getFunction(name); other && other != &kernel) {
      kernel.replaceAllUsesWith(other);
      kernel.eraseFromParent();
      continue;
    }
    kernel.setName(name);
    names.push_back(name.str());
    kernel.deleteBody();
    kernel.setVisibility(GlobalValue::HiddenVisibility);
    kernel.setDSOLocal(true);
    kernel.setDoesNotThrow();
  }
}

void SharedKernels::generate(StringRef name, size_t level, bool isCommon, Make make) {
  auto code = std::make_shared<PartCode>();
  codes[name] = code;
  // A target machine serves one thread.
  auto own = std::make_shared<OwnLevels>();
  if (isCommon) {
    own->push_back(copyMachine(*levels[level], findCommonCPU(*levels[level])));
    level = 0;
  } else {
    for (const auto &each : levels)
      own->push_back(copyMachine(*each));
  }
  if (!threads)
    threads.emplace();
  threads->async([=, this, name = name.str(), make = std::move(make)] {
    if (isCancelled)
      return;
    if (Error error = generateCode(name, make, *own, level, optLevel, isAssembly, *code)) {
      code->error = toString(std::move(error));
      return;
    }
    // Only the bytes of the text are kept, not what it has grown to.
    code->text = SmallString<0>(code->text.str());
    // Another compilation may have generated the same code meanwhile.
    if (isAssembly && code->messages.empty())
      getCache().add(name, code);
  });
}

std::vector<std::pair<StringRef, const PartCode *>> SharedKernels::getCode(const Module &module) {
  if (threads)
    threads->wait();
  std::vector<std::pair<StringRef, const PartCode *>> code;
  for (StringRef name : names)
    if (module.getFunction(name))
      code.push_back({name, codes.lookup(name).get()});
  return code;
}

Error SharedKernels::putBack(Module &module) {
  for (const auto &[name, code] : getCode(module)) {
    if (Error error = report(module, *code))
      return error;
    auto kernel = parseBitcodeFile(MemoryBufferRef(code->text, name), module.getContext());
    if (!kernel)
      return kernel.takeError();
    bool isMeasured = module.getFunction(name)->hasFnAttribute("warn-stack-size");
    if (Linker::linkModules(module, std::move(*kernel)))
      return createStringError("internal error: the kernel '" + name + "' cannot be linked");
    Function &own = *module.getFunction(name);
    if (!isMeasured)
      own.removeFnAttr("warn-stack-size");
    makeInternal(own);
  }
  return Error::success();
}

void saveKernels(raw_ostream &os) { getCache().save(os); }

void addSavedKernels(StringRef saved) { getCache().addSaved(saved); }

} // namespace recur
