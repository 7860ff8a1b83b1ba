// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TargetMachine.cpp - LLVM's target machine and its CPU features -----===//
//
// Creates the target machine for a TargetConfig, and lists the CPU features that the generated code may use, which
// NAME_init checks at run time.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/TargetMachine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/RISCVISAInfo.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace llvm;

namespace recur {

void initializeTargets() {
#define RECUR_INITIALIZE(target)                                                                                       \
  LLVMInitialize##target##TargetInfo();                                                                                \
  LLVMInitialize##target##Target();                                                                                    \
  LLVMInitialize##target##TargetMC();                                                                                  \
  LLVMInitialize##target##AsmPrinter();                                                                                \
  LLVMInitialize##target##AsmParser();
  static const bool once = [] {
    RECUR_INITIALIZE(X86)
    RECUR_INITIALIZE(AArch64)
    RECUR_INITIALIZE(RISCV)
    return true;
  }();
#undef RECUR_INITIALIZE
  (void)once;
}

static std::string hostFeatures() {
  SubtargetFeatures features;
  StringMap<bool> map = sys::getHostCPUFeatures();
  // Sorted, because the string becomes part of the module and the order of a map is not deterministic.
  std::vector<StringRef> names;
  for (const auto &entry : map)
    names.push_back(entry.getKey());
  llvm::sort(names);
  for (StringRef name : names)
    features.AddFeature(name, map[name]);
  return features.getString();
}

/// The features of CPUFeatures.def for which `has` is true, as a bit mask.
static uint64_t getFeatureMask(function_ref<bool(StringRef)> has) {
  uint64_t mask = 0;
#define RECUR_X86_FEATURE(index, name, leaf, subleaf, reg, bit, xcr0)                                                  \
  if (has(name))                                                                                                       \
    mask |= uint64_t(1) << (index);
#include "Recur/Target/CPUFeatures.def"
  return mask;
}

/// The features of a CPU that CPUFeatures.def has, as a bit mask.
static uint64_t getMask(StringRef cpu) {
  SmallVector<StringRef> features;
  X86::getFeaturesForCPU(cpu, features);
  return getFeatureMask([&](StringRef feature) { return is_contained(features, feature); });
}

/// Compares the features of this machine with those of all CPUs that LLVM knows.
static std::string findHostCPU() {
  std::string name = sys::getHostCPUName().str();
  if (Triple(sys::getProcessTriple()).getArch() != Triple::x86_64)
    return name;
  StringMap<bool> map = sys::getHostCPUFeatures();
  uint64_t host = getFeatureMask([&](StringRef feature) { return map.lookup(feature); });
  SmallVector<StringRef> known;
  X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
  if (!is_contained(known, name))
    return name;
  uint64_t most = getMask(name) & host;
  for (StringRef cpu : known)
    if (uint64_t mask = getMask(cpu); (mask & ~host) == 0 && (most & ~mask) == 0 && popcount(mask) > popcount(most)) {
      most = mask;
      name = cpu.str();
    }
  return name;
}

std::string getHostCPU() {
  static const std::string name = findHostCPU();
  return name;
}

TargetConfig TargetConfig::forHost() {
  TargetConfig options;
  options.cpu = "native";
  return options;
}

/// Fails if the CPU or a feature is unknown. LLVM would only print a warning to standard error and ignore the name.
static Error checkNames(const Target &target, const Triple &triple, StringRef cpu, StringRef features) {
  std::unique_ptr<MCSubtargetInfo> info(target.createMCSubtargetInfo(triple, "", ""));
  if (!info)
    return createStringError("no code generation for target '%s'", triple.str().c_str());
  if (!cpu.empty() && !info->isCPUStringValid(cpu))
    return createStringError("unknown CPU '%s' for target '%s'", cpu.str().c_str(), triple.str().c_str());
  SmallVector<StringRef> list;
  features.split(list, ',', -1, /*KeepEmpty=*/false);
  for (StringRef feature : list) {
    StringRef name = feature;
    if (!name.consume_front("+") && !name.consume_front("-"))
      return createStringError("CPU feature '%s' must begin with + or -", feature.str().c_str());
    if (none_of(info->getAllProcessorFeatures(), [&](const auto &known) { return name == known.Key; }))
      return createStringError("unknown CPU feature '%s' for target '%s'", name.str().c_str(), triple.str().c_str());
  }
  return Error::success();
}

/// Fails if the features exclude each other, or if the target needs one that was removed. LLVM would end the process.
static Error checkFeatures(const llvm::TargetMachine &machine) {
  const MCSubtargetInfo &info = *machine.getMCSubtargetInfo();
  auto fail = [&](const Twine &why) {
    return createStringError("the CPU features do not suit target '" + machine.getTargetTriple().str() + "': " + why);
  };
  auto require = [&](ArrayRef<StringRef> needed) -> Error {
    for (StringRef feature : needed)
      if (!info.checkFeatures(feature))
        return fail("expected '" + feature + "'");
    return Error::success();
  };
  switch (machine.getTargetTriple().getArch()) {
  case Triple::x86_64:
    return require({"+64bit", "+64bit-mode"});
  case Triple::riscv64: {
    // The calling convention (kRISCVABI) has floats in registers.
    if (Error error = require({"+64bit", "-32bit", "-e", "+f", "+d"}))
      return error;
    std::vector<std::string> enabled;
    for (const auto &feature : info.getEnabledProcessorFeatures())
      enabled.push_back(std::string("+") + feature.Key);
    auto extensions = RISCVISAInfo::parseFeatures(/*XLen=*/64, enabled);
    if (!extensions)
      return fail(toString(extensions.takeError()));
    return Error::success();
  }
  default:
    return Error::success();
  }
}

static StringRef getDefaultCPU(const Triple &triple) {
  switch (triple.getArch()) {
  case Triple::x86_64:
    return "x86-64-v3";
  case Triple::riscv64:
    return "generic-rv64";
  default:
    return "generic";
  }
}

/// The calling convention of RISC-V that passes f32 and f64 in registers.
static constexpr const char kRISCVABI[] = "lp64d";

Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const TargetConfig &options) {
  initializeTargets();
  Triple triple(options.triple.empty() ? sys::getDefaultTargetTriple() : Triple::normalize(options.triple));
  if (triple.getArch() == Triple::UnknownArch)
    return createStringError("unknown target '%s'", triple.str().c_str());
  bool isSupported = is_contained({Triple::x86_64, Triple::aarch64, Triple::riscv64}, triple.getArch());
  std::string message;
  const Target *target = isSupported ? TargetRegistry::lookupTarget(triple, message) : nullptr;
  if (!target || !triple.isOSBinFormatELF())
    return createStringError("target '%s' is not supported; x86-64, aarch64 and riscv64 with ELF are",
                             triple.str().c_str());

  std::string cpu = options.cpu, features;
  if (cpu == "native") {
    if (triple.getArch() != Triple(sys::getProcessTriple()).getArch())
      return createStringError("CPU 'native' is not one of target '%s'", triple.str().c_str());
    cpu = getHostCPU();
    features = hostFeatures();
  } else if (cpu.empty()) {
    cpu = getDefaultCPU(triple);
  }
  // Distributions for RISC-V have these extensions, and pass floats in registers.
  TargetOptions targetOptions;
  if (triple.getArch() == Triple::riscv64) {
    features = "+m,+a,+f,+d,+c" + (features.empty() ? "" : "," + features);
    targetOptions.MCOptions.ABIName = kRISCVABI;
  }
  if (Error error = checkNames(*target, triple, cpu, options.features))
    return error;
  if (!options.features.empty())
    features += (features.empty() ? "" : ",") + options.features;

  CodeGenOptLevel level = CodeGenOpt::getLevel(std::min(options.optLevel, 3u)).value_or(CodeGenOptLevel::Default);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, cpu, features, targetOptions, Reloc::PIC_, /*CM=*/std::nullopt, level));
  if (!machine)
    return createStringError("no code generation for target '%s'", triple.str().c_str());
  if (Error error = checkFeatures(*machine))
    return error;
  return machine;
}

std::vector<std::string> getDefaultLevels(StringRef triple) {
  Triple target(triple.empty() ? sys::getDefaultTargetTriple() : Triple::normalize(triple));
  if (target.getArch() != Triple::x86_64)
    return {};
  return {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
}

Expected<SmallVector<std::unique_ptr<llvm::TargetMachine>>> createLevels(const TargetConfig &options) {
  SmallVector<std::unique_ptr<llvm::TargetMachine>> levels;
  std::vector<std::string> cpus = options.levels;
  if (cpus.empty())
    cpus.push_back(options.cpu);
  else if (!options.cpu.empty() || !options.features.empty())
    return createStringError("expected either the CPUs of levels, or one CPU and its features, but got both");
  for (const std::string &cpu : cpus) {
    if (cpus.size() > 1 && (cpu.empty() || cpu == "native"))
      return createStringError("expected the name of a CPU among several, but got '%s'", cpu.c_str());
    TargetConfig own = options;
    own.cpu = cpu;
    auto machine = createTargetMachine(own);
    if (!machine)
      return machine.takeError();
    levels.push_back(std::move(*machine));
  }
  if (levels.size() == 1)
    return levels;
  if (!levels.front()->getTargetTriple().isX86())
    return createStringError("expected one CPU for target '%s', because its code cannot tell CPUs apart, but got %zu",
                             levels.front()->getTargetTriple().str().c_str(), levels.size());
  auto getRank = [](const llvm::TargetMachine &machine) {
    return std::tuple(vectorBits(machine), popcount(requiredFeatures(machine)), machine.getTargetCPU());
  };
  llvm::sort(levels, [&](const auto &a, const auto &b) { return getRank(*a) < getRank(*b); });
  for (size_t i = 1; i < levels.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if ((requiredFeatures(*levels[i]) & ~requiredFeatures(*levels[k])) == 0)
        return createStringError("expected CPUs with features of their own, but all those of '" +
                                 levels[i]->getTargetCPU() + "' are among those of '" + levels[k]->getTargetCPU() +
                                 "'");
  return levels;
}

const llvm::TargetMachine &findLevel(const Function &function, ArrayRef<std::unique_ptr<llvm::TargetMachine>> levels) {
  StringRef cpu = function.getFnAttribute("target-cpu").getValueAsString();
  for (const auto &level : levels)
    if (level->getTargetCPU() == cpu)
      return *level;
  return *levels.front();
}

uint64_t requiredFeatures(const llvm::TargetMachine &machine) {
  if (machine.getTargetTriple().getArch() != Triple::x86_64)
    return 0;
  const MCSubtargetInfo &info = *machine.getMCSubtargetInfo();
  return getFeatureMask([&](StringRef feature) { return info.checkFeatures(("+" + feature).str()); });
}

std::string featureNames(uint64_t mask) {
  SmallVector<StringRef> names;
#define RECUR_X86_FEATURE(index, name, leaf, subleaf, reg, bit, xcr0)                                                  \
  if ((mask >> (index)) & 1)                                                                                           \
    names.push_back(name);
#include "Recur/Target/CPUFeatures.def"
  return join(names, ",");
}

unsigned vectorBits(const llvm::TargetMachine &machine) {
  if (machine.getTargetTriple().getArch() != Triple::x86_64)
    return 128;
  const MCSubtargetInfo &info = *machine.getMCSubtargetInfo();
  return info.checkFeatures("+avx512f") ? 512 : info.checkFeatures("+avx") ? 256 : 128;
}

/// The CPU that code for `cpu` is tuned for. LLVM tunes x86-64-v4 for Skylake. Its loads, scheduled early, take more
/// registers than there are, so a tile of a product copies all of its accumulators in each step (measured: 1.1 times
/// slower on sapphirerapids).
static StringRef getTuning(StringRef cpu) { return cpu == "x86-64-v4" ? "sapphirerapids" : cpu; }

StringRef findCommonCPU(const llvm::TargetMachine &machine) {
  if (machine.getTargetTriple().getArch() != Triple::x86_64)
    return "";
  // From the least to the best one, by the bits of their vectors.
  static constexpr std::pair<unsigned, StringRef> common[] = {{256, "x86-64-v3"}, {512, "x86-64-v4"}};
  for (auto [bits, cpu] : common)
    if (vectorBits(machine) == bits && (getMask(cpu) & ~requiredFeatures(machine)) == 0)
      return cpu;
  return "";
}

/// The CPUs with AVX512-BF16 whose vdpbf16ps has the throughput of a multiply-add. The scheduling models of LLVM cannot
/// tell: that of znver4, which znver5 has too, gives it a third. Measured: 8.6 to 8.9 of either in a nanosecond on
/// znver5, and on sapphirerapids half as many as multiply-adds.
static constexpr StringRef kCPUsWithFastDots[] = {"znver5"};

bool hasFastDots(const llvm::TargetMachine &machine) {
  return machine.getTargetTriple().getArch() == Triple::x86_64 &&
         machine.getMCSubtargetInfo()->checkFeatures("+avx512bf16") &&
         is_contained(kCPUsWithFastDots, machine.getTargetCPU());
}

void setTarget(Module &module, const llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  if (StringRef abi = machine.Options.MCOptions.ABIName; !abi.empty() && !module.getModuleFlag("target-abi"))
    module.addModuleFlag(Module::Error, "target-abi", MDString::get(module.getContext(), abi));
  for (Function &function : module) {
    // A function that has a CPU is of another level.
    if (function.isDeclaration() || function.hasFnAttribute("target-cpu"))
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    if (StringRef tuning = getTuning(machine.getTargetCPU()); tuning != machine.getTargetCPU())
      function.addFnAttr("tune-cpu", tuning);
    if (!machine.getTargetFeatureString().empty())
      function.addFnAttr("target-features", machine.getTargetFeatureString());
  }
}

} // namespace recur
