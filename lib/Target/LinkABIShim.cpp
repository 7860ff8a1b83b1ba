// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LinkABIShim.cpp - the public ABI in front of generated code -----------===//
//
// The ABI shim (ABIShim/ABIShim.c) is compiled to LLVM bitcode when Recur is built, and embedded in this library. It is
// linked into the module of each model before optimization, so that the optimizer can specialize it for the constants
// of the model.
//
//===----------------------------------------------------------------------===//
#include "Recur/Target/Header.h"
#include "Recur/Target/ModelModule.h"
#include "Recur/Target/TargetMachine.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

// shim_x86_64, shim_aarch64, abi_h
#include "EmbeddedTarget.inc"

using namespace llvm;

namespace recur {

static constexpr StringLiteral shimPrefix = "recur_shim_";
/// The functions of all models, and then those of models with states.
static constexpr StringLiteral exportNames[] = {"info",  "instance_size", "init",      "query",     "run",
                                                "reset", "find_state",    "get_state", "set_state", "state_memory"};
static constexpr size_t exportsWithoutStates = 6;

StringRef abiHeaderText() { return StringRef(reinterpret_cast<const char *>(abi_h), abi_h_size); }

static Expected<std::unique_ptr<Module>> parseShim(LLVMContext &context, const Triple &triple) {
  StringRef bytes = triple.getArch() == Triple::aarch64
                        ? StringRef(reinterpret_cast<const char *>(shim_aarch64), shim_aarch64_size)
                        : StringRef(reinterpret_cast<const char *>(shim_x86_64), shim_x86_64_size);
  return parseBitcodeFile(MemoryBufferRef(bytes, "shim"), context);
}

Error linkABIShim(Module &module, StringRef modelName, const llvm::TargetMachine &machine, bool hasStates,
                  bool optimizeShim) {
  if (!isValidModelName(modelName))
    return createStringError("'%s' cannot be the name of a model: it must be a C identifier that is not reserved",
                             modelName.str().c_str());
  for (StringRef needed : {"recur_model_compute", "recur_model_sizes"})
    if (Function *function = module.getFunction(needed); !function || function->isDeclaration())
      return createStringError("internal error: the module does not define %s", needed.str().c_str());

  Expected<std::unique_ptr<Module>> shim = parseShim(module.getContext(), machine.getTargetTriple());
  if (!shim)
    return shim.takeError();
  // Module flags of the C compiler would have to agree with those of the generated code. They are dropped; the settings
  // that matter (PIC level, unwind tables) are set below for the linked module.
  for (StringRef name : {"llvm.module.flags", "llvm.ident", "llvm.errno.tbaa"})
    if (NamedMDNode *node = (*shim)->getNamedMetadata(name))
      node->eraseFromParent();
  for (Function &function : **shim)
    if (!optimizeShim && !function.isDeclaration()) {
      for (Attribute::AttrKind kind : {Attribute::AlwaysInline, Attribute::OptimizeForSize, Attribute::MinSize})
        function.removeFnAttr(kind);
      function.addFnAttr(Attribute::OptimizeNone);
      function.addFnAttr(Attribute::NoInline);
    }
  setTarget(module, machine);
  (*shim)->setTargetTriple(module.getTargetTriple());
  (*shim)->setDataLayout(module.getDataLayout());
  if (Linker::linkModules(module, std::move(*shim)))
    return createStringError("internal error: the ABI shim does not link with the generated code");

  SmallVector<Function *> exports;
  auto names = ArrayRef(exportNames).take_front(hasStates ? std::size(exportNames) : exportsWithoutStates);
  for (StringRef name : names)
    exports.push_back(module.getFunction((shimPrefix + name).str()));
  internalizeModule(module, [&](const GlobalValue &value) {
    return is_contained(exports, dyn_cast<Function>(&value)) || value.isDeclaration();
  });
  // internalizeModule skips externally initialized globals.
  if (GlobalVariable *weights = module.getNamedGlobal(weightsSymbolName); weights && weights->hasInitializer())
    weights->setLinkage(GlobalValue::InternalLinkage);
  for (auto [function, name] : zip_equal(exports, names)) {
    std::string exported = (modelName + "_" + name).str();
    // An internal symbol of the generated code may happen to have this name.
    if (GlobalValue *taken = module.getNamedValue(exported))
      taken->setName(exported + ".internal");
    function->setName(exported);
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
