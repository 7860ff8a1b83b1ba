// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LowerKernel.cpp - LLVM IR of a shared kernel -----------------------===//
//
// A kernel is most of the code of a small model, and lowering it takes as long as that of the rest. So a thread lowers
// it, from bytecode, while the passes of the model go on.
//
//===----------------------------------------------------------------------===//

#include "LowerKernel.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace recur;

/// A module of the kernel alone, with the attributes of its module.
static std::string writeKernel(func::FuncOp kernel) {
  auto model = kernel->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(model.getLoc());
  (*module)->setAttrs(model->getAttrDictionary());
  module->getBody()->push_back(kernel->clone());
  std::string bytecode;
  llvm::raw_string_ostream os(bytecode);
  // The current version of bytecode can be written.
  [[maybe_unused]] LogicalResult written = writeBytecodeToFile(*module, os);
  assert(succeeded(written) && "a kernel cannot be written");
  return bytecode;
}

SharedKernels::Make recur::lowerKernel(func::FuncOp kernel, bool verifies,
                                       void (*describe)(const llvm::TargetMachine &, PipelineOptions &)) {
  // The context of the model loads more dialects meanwhile.
  auto registry = std::make_shared<DialectRegistry>();
  kernel.getContext()->getDialectRegistry().appendTo(*registry);
  return [=, bytecode = writeKernel(kernel)](
             llvm::LLVMContext &code,
             const llvm::TargetMachine &machine) -> llvm::Expected<std::unique_ptr<llvm::Module>> {
    MLIRContext context(*registry, MLIRContext::Threading::DISABLED);
    registerBuiltinDialectTranslation(context);
    registerLLVMDialectTranslation(context);
    std::string problem;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (problem.empty())
        problem = diagnostic.str();
    });
    auto module = parseSourceString<ModuleOp>(bytecode, ParserConfig(&context, /*verifyAfterParse=*/verifies));
    PipelineOptions options;
    describe(machine, options);
    PassManager pm(&context);
    pm.enableVerifier(verifies);
    populateSharedKernels(pm, options);
    std::unique_ptr<llvm::Module> result;
    if (module && succeeded(pm.run(*module)) && succeeded(verify(*module)))
      result = translateModuleToLLVMIR(*module, code);
    if (!result)
      return llvm::createStringError("internal error: a kernel cannot be lowered: " + problem);
    return result;
  };
}
