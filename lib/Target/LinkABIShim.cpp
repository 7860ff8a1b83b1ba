// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LinkABIShim.cpp - the public ABI in front of generated code -----------===//
//
// The ABI shim (ABIShim/ABIShim.c) is compiled to assembly when Recur is built, and embedded in this library. It
// becomes the module's inline assembly, which LLVM assembles into the object of the model. So it costs a model neither
// time in the optimizer nor in the code generator.
//
// So do memcpy, memmove and memset (ABIShim/Memory.c). A label in the module's assembly defines a local symbol. All
// calls in the object refer to it, also those that the code generator makes.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/Header.h"
#include "Recur/Target/ModelModule.h"
#include "Recur/Target/TargetMachine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

// abi_h, entry_points_h, weights_h, map_weights_h, and for each architecture ARCH shim_ARCH_0 (without states),
// shim_ARCH_1, and memory_ARCH_N for vectors of N bytes
#include "EmbeddedTarget.inc"

using namespace llvm;

namespace recur {

/// The functions of all models, and then those of models with states.
static constexpr StringLiteral exportNames[] = {"info",  "instance_size", "init",      "query",     "run",
                                                "reset", "find_state",    "get_state", "set_state", "state_memory"};
static constexpr size_t exportsWithoutStates = 6;

static StringRef text(const unsigned char *bytes, size_t size) {
  return StringRef(reinterpret_cast<const char *>(bytes), size);
}

std::string abiHeaderText(WeightsSource source) {
  std::string result = (text(abi_h, abi_h_size) + "\n" + text(entry_points_h, entry_points_h_size)).str();
  if (source != WeightsSource::Object)
    result += ("\n" + text(weights_h, weights_h_size)).str();
  if (source == WeightsSource::File)
    result += ("\n" + text(map_weights_h, map_weights_h_size)).str();
  return result;
}

/// The assembly of the ABI shim.
static StringRef shimText(const Triple &triple, bool hasStates) {
  switch (triple.getArch()) {
  case Triple::aarch64:
    return hasStates ? text(shim_aarch64_1, shim_aarch64_1_size) : text(shim_aarch64_0, shim_aarch64_0_size);
  case Triple::riscv64:
    return hasStates ? text(shim_riscv64_1, shim_riscv64_1_size) : text(shim_riscv64_0, shim_riscv64_0_size);
  default:
    return hasStates ? text(shim_x86_64_1, shim_x86_64_1_size) : text(shim_x86_64_0, shim_x86_64_0_size);
  }
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

Error linkABIShim(Module &module, StringRef modelName, const llvm::TargetMachine &machine, bool hasStates) {
  if (!isValidModelName(modelName))
    return createStringError("'%s' cannot be the name of a model: it must be a C identifier that is not reserved",
                             modelName.str().c_str());
  // The ABI shim reads and calls these. The optimizer does not see it.
  SmallVector<GlobalValue *> contract;
  for (StringRef needed :
       {"recur_model_compute", "recur_model_sizes", "recur_model_info", "recur_model_faults", "recur_model_facts"}) {
    GlobalValue *value = module.getNamedValue(needed);
    if (!value || value->isDeclaration())
      return createStringError("internal error: the module does not define %s", needed.str().c_str());
    contract.push_back(value);
  }
  if (GlobalVariable *weights = module.getNamedGlobal(weightsSymbolName); weights && weights->hasInitializer())
    contract.push_back(weights);
  setTarget(module, machine);
  appendToCompilerUsed(module, contract);

  for (GlobalValue &value : module.global_values()) {
    if (value.isDeclaration()) {
      // The functions of the ABI shim are in the same object.
      if (value.getName().starts_with("recur_frame_")) {
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

  module.appendModuleInlineAsm(shimText(machine.getTargetTriple(), hasStates));
  module.appendModuleInlineAsm(memoryText(machine));
  for (StringRef name : ArrayRef(exportNames).take_front(hasStates ? std::size(exportNames) : exportsWithoutStates)) {
    std::string exported = (modelName + "_" + name).str();
    module.appendModuleInlineAsm("\t.globl\t" + exported + "\n\t.type\t" + exported + ",@function\n\t.set\t" +
                                 exported + ", recur_shim_" + name.str());
  }

  module.setPICLevel(PICLevel::BigPIC);
  module.setUwtable(UWTableKind::Default);
  for (Function &function : module)
    if (!function.isDeclaration())
      function.setUWTableKind(UWTableKind::Default);
  // This becomes the file name in the symbol table of the object file.
  module.setSourceFileName(modelName);
  module.setModuleIdentifier(modelName);
  return Error::success();
}

} // namespace recur
