// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LinkABIShim.cpp - the public ABI in front of generated code -----------===//
//
// The ABI shim (ABIShim/ABIShim.c) is compiled to assembly when Recur is built, and embedded in this library. It
// becomes the module's inline assembly, which LLVM assembles into the object of the model. So it costs a model neither
// time in the optimizer nor in the code generator.
//
// So do memcpy, memmove and memset (ABIShim/Memory.c). A label in the module's assembly defines a local symbol. All
// calls in the object refer to it, also those that the code generator makes. If there are several levels, these are
// functions of the least one, and those of the others have other names, by which optimizeModule calls them.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/Header.h"
#include "Recur/Target/ModelModule.h"
#include "Recur/Target/TargetMachine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

// abi_h, entry_points_h, profile_h, weights_h, map_weights_h, and for each architecture ARCH shim_ARCH_0 (without
// states), shim_ARCH_1, shim_ARCH_2 (for two entries), profile_ARCH, and memory_ARCH_N for vectors of N bytes
#include "EmbeddedTarget.inc"

using namespace llvm;

namespace recur {

/// The functions of all models, and then those of models with states.
static constexpr StringLiteral exportNames[] = {"info",      "instance_size", "init",        "query",
                                                "run",       "reset",         "level",       "find_state",
                                                "get_state", "set_state",     "state_memory"};
static constexpr size_t exportsWithoutStates = 7;

static StringRef text(const unsigned char *bytes, size_t size) {
  return StringRef(reinterpret_cast<const char *>(bytes), size);
}

std::string abiHeaderText(WeightsSource source, bool hasProfile) {
  std::string result = (text(abi_h, abi_h_size) + "\n" + text(entry_points_h, entry_points_h_size)).str();
  if (hasProfile)
    result += ("\n" + text(profile_h, profile_h_size)).str();
  if (source != WeightsSource::Object)
    result += ("\n" + text(weights_h, weights_h_size)).str();
  if (source == WeightsSource::File)
    result += ("\n" + text(map_weights_h, map_weights_h_size)).str();
  return result;
}

/// The assembly of the ABI shim.
static StringRef shimText(const Triple &triple, const ModelDescription &model) {
  auto choose = [&](StringRef without, StringRef with, StringRef both) {
    return model.step ? both : model.getStatesEntry().countStates() ? with : without;
  };
#define RECUR_SHIM_TEXT(arch, variant) text(shim_##arch##_##variant, shim_##arch##_##variant##_size)
#define RECUR_SHIM_TEXTS(arch) RECUR_SHIM_TEXT(arch, 0), RECUR_SHIM_TEXT(arch, 1), RECUR_SHIM_TEXT(arch, 2)
  switch (triple.getArch()) {
  case Triple::aarch64:
    return choose(RECUR_SHIM_TEXTS(aarch64));
  case Triple::riscv64:
    return choose(RECUR_SHIM_TEXTS(riscv64));
  default:
    return choose(RECUR_SHIM_TEXTS(x86_64));
  }
#undef RECUR_SHIM_TEXTS
#undef RECUR_SHIM_TEXT
}

/// The assembly of what only a model with a profile has.
static StringRef profileText(const Triple &triple) {
  switch (triple.getArch()) {
  case Triple::aarch64:
    return text(profile_aarch64, profile_aarch64_size);
  case Triple::riscv64:
    return text(profile_riscv64, profile_riscv64_size);
  default:
    return text(profile_x86_64, profile_x86_64_size);
  }
}

std::string getMemoryFunctionName(StringRef function, unsigned bytes) {
  return ("recur_" + function + "_" + Twine(bytes)).str();
}

/// The assembly of memcpy, memmove and memset.
static StringRef memoryText(const llvm::TargetMachine &machine) {
  switch (machine.getTargetTriple().getArch()) {
  case Triple::aarch64:
    return text(memory_aarch64_16, memory_aarch64_16_size);
  case Triple::riscv64:
    return text(memory_riscv64_16, memory_riscv64_16_size);
  default:
    break;
  }
  switch (vectorBits(machine)) {
  case 512:
    return text(memory_x86_64_64, memory_x86_64_64_size);
  case 256:
    return text(memory_x86_64_32, memory_x86_64_32_size);
  default:
    return text(memory_x86_64_16, memory_x86_64_16_size);
  }
}

/// The assembly of the same functions for a level other than the least one, whose vectors have `bytes` bytes.
static std::string renamedMemoryText(const llvm::TargetMachine &machine, unsigned bytes) {
  std::string result = memoryText(machine).str();
  auto rename = [&](StringRef from, StringRef to) {
    for (size_t at = result.find(from); at != std::string::npos; at = result.find(from, at + to.size()))
      result.replace(at, from.size(), to);
  };
  for (StringRef function : {"memcpy", "memmove", "memset"})
    rename(function, getMemoryFunctionName(function, bytes));
  rename(".LMemory.", (".LMemory" + Twine(bytes) + ".").str());
  return result;
}

Error linkABIShim(Module &module, const ModelDescription &model, Levels levels) {
  const llvm::TargetMachine &machine = *levels.front();
  if (!isValidModelName(model.name))
    return createStringError("'%s' cannot be the name of a model: it must be a C identifier that is not reserved",
                             model.name.c_str());
  // The ABI shim reads and calls these. The optimizer does not see it.
  SmallVector<GlobalValue *> contract;
  const StringRef prefixes[] = {"recur_model_", "recur_step_"};
  for (StringRef prefix : ArrayRef(prefixes).take_front(model.getEntries().size()))
    for (StringRef needed : {"compute", "sizes", "info", "faults", "facts"}) {
      std::string name = (prefix + needed).str();
      GlobalValue *value = module.getNamedValue(name);
      if (!value || value->isDeclaration())
        return createStringError("internal error: the module does not define %s", name.c_str());
      contract.push_back(value);
    }
  if (!model.profile.empty())
    for (StringRef needed : {"recur_profile_size", "recur_profile_labels"})
      contract.push_back(module.getNamedGlobal(needed));
  if (GlobalVariable *weights = module.getNamedGlobal(weightsSymbolName); weights && weights->hasInitializer())
    contract.push_back(weights);
  setTarget(module, machine);
  appendToCompilerUsed(module, contract);

  for (GlobalValue &value : module.global_values()) {
    if (value.isDeclaration()) {
      // The functions of the ABI shim are in the same object.
      if (value.getName().starts_with("recur_frame_") || value.getName() == "recur_profile_counters") {
        value.setVisibility(GlobalValue::HiddenVisibility);
        value.setDSOLocal(true);
      }
      continue;
    }
    if (value.hasAppendingLinkage() || value.hasPrivateLinkage())
      continue;
    value.setVisibility(GlobalValue::DefaultVisibility);
    value.setLinkage(GlobalValue::InternalLinkage);
    // So that it differs from all symbols of the ABI shim.
    if (!is_contained(contract, &value))
      value.setName("code." + value.getName());
  }

  module.appendModuleInlineAsm(shimText(machine.getTargetTriple(), model));
  module.appendModuleInlineAsm(memoryText(machine));
  SmallVector<unsigned> widths{vectorBits(machine)};
  for (const auto &level : levels.drop_front())
    if (unsigned bits = vectorBits(*level); !is_contained(widths, bits)) {
      widths.push_back(bits);
      module.appendModuleInlineAsm(renamedMemoryText(*level, bits / 8));
    }
  if (!model.profile.empty())
    module.appendModuleInlineAsm(profileText(machine.getTargetTriple()));
  auto exportAs = [&](const std::string &exported, const Twine &name, StringRef prefix = "recur_shim_") {
    module.appendModuleInlineAsm(
        ("\t.globl\t" + exported + "\n\t.type\t" + exported + ",@function\n\t.set\t" + exported + ", " + prefix + name)
            .str());
  };
  size_t count = model.getStatesEntry().countStates() ? std::size(exportNames) : exportsWithoutStates;
  for (StringRef name : ArrayRef(exportNames).take_front(count)) {
    std::string exported = getFunctionName(model.name, model.entry, name);
    bool measures = !model.profile.empty() && name == "init";
    exportAs(exported, name, measures ? "recur_profile_" : "recur_shim_");
    // What both entries share has one name.
    if (std::string other = model.step ? getFunctionName(model.name, Entry::Step, name) : exported; other != exported)
      exportAs(other, "step_" + name);
  }

  if (!model.profile.empty())
    exportAs(getFunctionName(model.name, model.entry, "profile"), "read", "recur_profile_");

  module.setPICLevel(PICLevel::BigPIC);
  module.setUwtable(UWTableKind::Default);
  for (Function &function : module)
    if (!function.isDeclaration())
      function.setUWTableKind(UWTableKind::Default);
  // This becomes the file name in the symbol table of the object file.
  module.setSourceFileName(model.name);
  module.setModuleIdentifier(model.name);
  return Error::success();
}

} // namespace recur
