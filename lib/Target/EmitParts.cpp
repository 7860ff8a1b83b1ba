// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EmitParts.cpp - one object from code that threads generate ---------===//
//
// The code generator takes half of the time of a compilation, and it looks at one function at a time. So the functions
// of a large module are divided into parts. A thread generates the assembly of each part, in an LLVM context of its
// own. Then all of it becomes the inline assembly of a module without functions, like the ABI shim, and LLVM assembles
// it into one object, which costs little.
//
// The parts depend only on the module, and not on the number of threads, so the object has the same bytes on every
// machine. LLVM's own splitCodeGen gives an object for each part, and a model is one object.
//
//===----------------------------------------------------------------------===//
#include "EmitParts.h"
#include "Recur/Target/ModelModule.h"
#include "Recur/Target/SharedKernels.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace recur {

/// The instructions that are worth a part, and the most parts. A part costs a millisecond or two: its module is read,
/// and its assembly is printed and read.
static constexpr unsigned kInstructionsOfPart = 300;
static constexpr unsigned kMostParts = 3;

namespace {
/// How many parts there are, and the part of each function with a body. They are in the order of the
/// module, so the object is that of a module which is not divided.
struct Parts {
  unsigned count = 1;
  StringMap<unsigned> numbers;
};
} // namespace

static Parts divide(const Module &module) {
  uint64_t all = 0, before = 0;
  for (const Function &function : module)
    all += function.getInstructionCount();
  Parts parts;
  // Lines for a debugger refer to a table of files, which each part would define.
  if (module.debug_compile_units().empty())
    parts.count = std::clamp<uint64_t>(all / kInstructionsOfPart, 1, kMostParts);
  for (const Function &function : module)
    if (uint64_t size = function.getInstructionCount()) {
      // The part in which the middle of the function would be, if parts had equal sizes.
      parts.numbers[function.getName()] = (2 * before + size) * parts.count / (2 * all);
      before += size;
    }
  return parts;
}

bool hasParts(const Module &module) { return Triple(module.getTargetTriple()).isX86() && divide(module).count > 1; }

namespace {
/// Keeps what the code generator says in a thread.
struct PartHandler final : DiagnosticHandler {
  explicit PartHandler(PartCode &code) : code(code) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (const auto *size = dyn_cast<DiagnosticInfoStackSize>(&info)) {
      code.frames.push_back({size->getFunction().getName().str(), size->getStackSize()});
      return true;
    }
    // Nobody has asked the code generator for its statistics.
    if (info.getSeverity() == DS_Remark)
      return true;
    std::string text;
    raw_string_ostream os(text);
    DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    code.messages.push_back({info.getSeverity(), text});
    return true;
  }
  PartCode &code;
};
} // namespace

void keepMessages(LLVMContext &context, PartCode &code) {
  context.setDiagnosticHandler(std::make_unique<PartHandler>(code));
}

Error report(Module &module, const PartCode &code) {
  if (!code.error.empty())
    return createStringError(code.error);
  LLVMContext &context = module.getContext();
  for (const auto &[name, size] : code.frames)
    if (const Function *function = module.getFunction(name); function && function->hasFnAttribute("warn-stack-size"))
      context.diagnose(DiagnosticInfoStackSize(*function, size, /*StackLimit=*/0, DS_Warning));
  for (const auto &[severity, message] : code.messages)
    context.diagnose(DiagnosticInfoGeneric(message, severity));
  return Error::success();
}

std::unique_ptr<llvm::TargetMachine> copyMachine(const llvm::TargetMachine &machine, StringRef cpu,
                                                 StringRef features) {
  return std::unique_ptr<llvm::TargetMachine>(machine.getTarget().createTargetMachine(
      machine.getTargetTriple(), cpu, features, machine.Options, machine.getRelocationModel(), machine.getCodeModel(),
      machine.getOptLevel()));
}

std::unique_ptr<llvm::TargetMachine> copyMachine(const llvm::TargetMachine &machine) {
  return copyMachine(machine, machine.getTargetCPU(), machine.getTargetFeatureString());
}

/// Leaves the functions of part `number` in a module that has not been read yet. The last part has the variables, too.
static Error keepPart(Module &module, const Parts &parts, unsigned number) {
  for (Function &function : module) {
    if (!function.isMaterializable())
      continue;
    if (parts.numbers.lookup(function.getName()) == number) {
      if (Error error = function.materialize())
        return error;
      continue;
    }
    function.deleteBody();
    // All parts become one object.
    function.setDSOLocal(true);
  }
  if (GlobalVariable *used = module.getNamedGlobal("llvm.compiler.used"))
    used->eraseFromParent();
  for (GlobalVariable &variable : module.globals())
    if (number + 1 != parts.count && !variable.isDeclaration()) {
      variable.setLinkage(GlobalValue::AvailableExternallyLinkage);
      variable.setDSOLocal(true);
    }
  return module.materializeMetadata();
}

/// Generates the assembly of part `number` of a module, given as bitcode.
static Error emitPart(MemoryBufferRef bitcode, const Parts &parts, unsigned number, const llvm::TargetMachine &machine,
                      PartCode &code) {
  LLVMContext context;
  keepMessages(context, code);
  Expected<std::unique_ptr<Module>> module = getLazyBitcodeModule(bitcode, context);
  if (!module)
    return module.takeError();
  if (Error error = keepPart(**module, parts, number))
    return error;
  return emitModule(**module, *copyMachine(machine), EmitKind::Assembly, code.text);
}

/// Appends the assembly of a part to `text`. All of its symbols stay local, and its private labels, which every part
/// counts from zero, get the number of the part.
static void appendPart(StringRef part, unsigned number, std::string &text) {
  text.reserve(text.size() + part.size() + part.size() / 4);
  auto isOfName = [](char c) { return isAlnum(c) || c == '_' || c == '.' || c == '$'; };
  std::string prefix = ".L" + utostr(number) + ".";
  while (!part.empty()) {
    auto [line, rest] = part.split('\n');
    part = rest;
    // The object has the name of one file. The files of lines for a debugger have numbers.
    if (line.starts_with("\t.file\t\""))
      continue;
    for (size_t from = 0; from < line.size();) {
      size_t at = line.find(".L", from);
      if (at == StringRef::npos) {
        text += line.substr(from);
        break;
      }
      text += line.slice(from, at);
      text += at > 0 && isOfName(line[at - 1]) ? StringRef(".L") : StringRef(prefix);
      from = at + 2;
    }
    text += '\n';
  }
}

/// Lets all lines for a debugger be of one compile unit: an object of assembly has one table of lines.
static void joinCompileUnits(Module &module) {
  DICompileUnit *first = nullptr;
  for (DICompileUnit *unit : module.debug_compile_units())
    first = first ? first : unit;
  if (!first)
    return;
  DebugInfoFinder finder;
  finder.processModule(module);
  for (DISubprogram *function : finder.subprograms())
    if (function->getUnit())
      function->replaceUnit(first);
  NamedMDNode *units = module.getNamedMetadata("llvm.dbg.cu");
  units->clearOperands();
  units->addOperand(first);
}

Error emitParts(Module &module, llvm::TargetMachine &machine, EmitKind kind, SharedKernels *kernels,
                SmallVectorImpl<char> &output) {
  // Private labels belong to one part, and so do the numbers of what has no name.
  for (GlobalObject &global : module.global_objects()) {
    if (global.hasPrivateLinkage())
      global.setLinkage(GlobalValue::InternalLinkage);
    if (!global.hasName() || global.getName().starts_with(".L"))
      global.setName("recur.local" + global.getName());
  }
  joinCompileUnits(module);
  Parts parts = divide(module);
  std::string text = module.getModuleInlineAsm();
  module.setModuleInlineAsm("");
  SmallString<0> bitcode;
  raw_svector_ostream os(bitcode);
  // The order of the uses of a value decides how the code generator places some of its copies.
  WriteBitcodeToFile(module, os, /*ShouldPreserveUseListOrder=*/true);

  std::vector<PartCode> codes(parts.count);
  auto emit = [&](unsigned number) {
    PartCode &code = codes[number];
    if (Error error = emitPart(MemoryBufferRef(bitcode, module.getName()), parts, number, machine, code))
      code.error = toString(std::move(error));
  };
  // This thread generates a part as well: its heap has room that the passes gave back.
  {
    DefaultThreadPool threads(hardware_concurrency(parts.count - 1));
    for (unsigned number = 1; number < parts.count; ++number)
      threads.async(emit, number);
    emit(0);
    threads.wait();
  }

  SmallVector<const PartCode *> all;
  for (const PartCode &code : codes)
    all.push_back(&code);
  if (kernels)
    for (const auto &[name, code] : kernels->getCode(module))
      all.push_back(code);
  LLVMContext &context = module.getContext();
  for (auto [number, code] : enumerate(all)) {
    if (Error error = report(module, *code))
      return error;
    appendPart(code->text, number, text);
  }
  if (kind == EmitKind::Assembly) {
    output.append(text.begin(), text.end());
    return Error::success();
  }
  Module assembly(module.getModuleIdentifier(), context);
  assembly.setSourceFileName(module.getSourceFileName());
  assembly.setTargetTriple(module.getTargetTriple());
  assembly.setDataLayout(module.getDataLayout());
  assembly.setPICLevel(module.getPICLevel());
  assembly.setModuleInlineAsm(text);
  return emitModule(assembly, machine, EmitKind::Object, output);
}

} // namespace recur
