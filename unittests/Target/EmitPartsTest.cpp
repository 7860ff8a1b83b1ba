// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EmitPartsTest.cpp - one object from code that threads generate -----===//
#include "EmitParts.h"
#include "Recur/Target/JIT.h"
#include "Recur/Target/ModelModule.h"
#include "Recur/Target/ObjectFile.h"
#include "Recur/Target/StackMeasure.h"
#include "Recur/Target/TargetMachine.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

#ifdef __linux__
#include <sched.h>
#endif

using namespace llvm;
using namespace recur;

namespace {

constexpr unsigned kFunctions = 6, kSteps = 900;

/// The result of function `number` of makeModule, whose steps depend on their number and on that of the function.
double compute(unsigned number, double x) {
  for (unsigned i = 0; i < kSteps; ++i)
    x = i % 3 == 0 ? x * (0.5 + 0.001 * number) : x + i;
  return number == 0 ? x : x + compute(number - 1, x);
}

/// A module that is large enough for several parts. Function n of it calls function n - 1, reads a private constant
/// without a name and one of its own, which has the name of a label, and has a frame. `entry` calls the last one,
/// through a table of pointers.
std::string makeModule(StringRef extra = "") {
  std::string text;
  raw_string_ostream os(text);
  os << "@0 = private unnamed_addr constant double 5.0e-01\n"
        "@table = internal constant [1 x ptr] [ptr @f"
     << kFunctions - 1 << "]\n";
  for (unsigned n = 0; n < kFunctions; ++n) {
    os << "@.L" << n << " = private unnamed_addr constant double "
       << format("0x%016" PRIX64, bit_cast<uint64_t>(0.001 * n)) << "\ndefine internal double @f" << n
       << "(double %x) noinline {\n"
       << "  %frame = alloca [" << 100 * (n + 1) << " x i8]\n  store volatile i8 1, ptr %frame\n"
       << "  %half = load double, ptr @0\n  %own = load double, ptr @.L" << n
       << "\n  %factor = fadd double %half, %own\n";
    std::string last = "%x";
    for (unsigned i = 0; i < kSteps; ++i) {
      std::string next = "%v" + std::to_string(i);
      if (i % 3 == 0)
        os << "  " << next << " = fmul double " << last << ", %factor\n";
      else
        os << "  " << next << " = fadd double " << last << ", " << i << ".0\n";
      last = next;
    }
    if (n == 0) {
      os << "  ret double " << last << "\n}\n";
      continue;
    }
    os << "  %rest = call double @f" << n - 1 << "(double " << last << ")\n  %sum = fadd double " << last
       << ", %rest\n  ret double %sum\n}\n";
  }
  os << "define double @entry(double %x) {\n  %f = load ptr, ptr @table\n  %r = call double %f(double %x)\n"
        "  ret double %r\n}\n"
     << extra;
  return text;
}

/// The messages that a context gets: the number of errors and warnings, and the text of the last one.
struct Messages {
  unsigned count = 0;
  std::string last;
};

struct Handler : DiagnosticHandler {
  explicit Handler(Messages &messages) : messages(messages) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() == DS_Remark || info.getSeverity() == DS_Note)
      return true;
    ++messages.count;
    raw_string_ostream os(messages.last = {});
    DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    return true;
  }
  Messages &messages;
};

struct Emitted {
  SmallVector<char, 0> object;
  uint64_t stackBytes = 0;
  Messages messages;
};

Emitted emit(StringRef text) {
  Emitted result;
  auto machine = cantFail(createTargetMachine(TargetConfig::forHost()));
  LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<Handler>(result.messages));
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  setTarget(*module, *machine);
  module->setPICLevel(PICLevel::BigPIC);
  EXPECT_EQ(hasParts(*module), machine->getTargetTriple().isX86());
  StackMeasure measure(*module);
  cantFail(emitModule(*module, *machine, EmitKind::Object, result.object));
  result.stackBytes = measure.getDeepest();
  return result;
}

TEST(EmitParts, ComputeTheSame) {
  Emitted emitted = emit(makeModule());
  EXPECT_EQ(emitted.messages.count, 0u) << emitted.messages.last;
  EXPECT_TRUE(cantFail(readObjectFacts(emitted.object)).undefined.empty());
  auto jit = cantFail(
      linkObject(MemoryBuffer::getMemBufferCopy(StringRef(emitted.object.data(), emitted.object.size()), "parts")));
  auto *entry = cantFail(jit->lookup("entry")).toPtr<double(double)>();
  EXPECT_EQ(entry(1.25), compute(kFunctions - 1, 1.25));
  // The frames of all functions, which call each other, and of which the last one is called through the table.
  EXPECT_GE(emitted.stackBytes, 100u * kFunctions * (kFunctions + 1) / 2);
}

TEST(EmitParts, LocalSymbolsStayLocal) {
  Emitted emitted = emit(makeModule());
  StringRef bytes(emitted.object.data(), emitted.object.size());
  auto file = cantFail(object::ObjectFile::createObjectFile(MemoryBufferRef(bytes, "parts")));
  std::vector<std::string> global;
  for (const object::SymbolRef &symbol : file->symbols())
    if (cantFail(symbol.getFlags()) & object::SymbolRef::SF_Global)
      global.push_back(cantFail(symbol.getName()).str());
  EXPECT_EQ(global, std::vector<std::string>{"entry"});
}

#ifdef __linux__
TEST(EmitParts, BytesDoNotDependOnThreads) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  Emitted many = emit(makeModule());
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &all)) {
      CPU_SET(cpu, &one);
      break;
    }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  Emitted alone = emit(makeModule());
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  EXPECT_EQ(many.object, alone.object);
}
#endif

TEST(EmitParts, ErrorsReachTheContext) {
  // The code generator of a part finds the first fault, and the assembler the second one.
  Emitted generator =
      emit(makeModule("define void @bad() {\n  call void asm \"\", \"{nowhere}\"(i32 1)\n  ret void\n}\n"));
  EXPECT_EQ(generator.messages.count, 1u);
  EXPECT_NE(generator.messages.last.find("nowhere"), std::string::npos) << generator.messages.last;
  Emitted assembler = emit(makeModule("define void @bad() {\n  call void asm \"nonsense\", \"\"()\n  ret void\n}\n"));
  EXPECT_EQ(assembler.messages.count, 1u);
  EXPECT_NE(assembler.messages.last.find("nonsense"), std::string::npos) << assembler.messages.last;
}

} // namespace
