// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SharedKernelsTest.cpp - kernels that models share ------------------===//
#include "Recur/Target/SharedKernels.h"
#include "Recur/Target/JIT.h"
#include "Recur/Target/ObjectFile.h"
#include "Recur/Target/StackMeasure.h"
#include "Recur/Target/TargetMachine.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace recur;

namespace {

/// Returns the text of a kernel that adds `number` and has a frame of 1000 bytes.
std::string makeKernel(const std::string &name, int number) {
  return "define internal double @kernel" + std::to_string(number) + "(double %x) noinline \"rt.shared\"=\"" + name +
         "\" {\n  %frame = alloca [1000 x i8]\n  call void asm sideeffect \"\", \"r\"(ptr %frame)\n  %r = fadd double "
         "%x, " +
         std::to_string(number) + ".0\n  ret double %r\n}\n";
}

/// The kernel without its code.
std::string declareKernel(const std::string &name, int number) {
  return "declare double @kernel" + std::to_string(number) + "(double) noinline \"rt.shared\"=\"" + name + "\"\n";
}

/// A function that calls the kernels 1 and 2 after each other.
constexpr const char *kEntry = "define double @entry(double %x) {\n  %a = call double @kernel1(double %x)\n"
                               "  %b = call double @kernel2(double %a)\n  ret double %b\n}\n";

struct Emitted {
  SmallVector<char, 0> output;
  uint64_t stackBytes = 0;
};

/// Emits a module with the shared kernels `names`, for which there is code if `isKnown` is set.
Emitted emit(const std::string &text, ArrayRef<StringRef> names, EmitKind kind = EmitKind::Object,
             bool isKnown = false) {
  Emitted result;
  SmallVector<std::unique_ptr<llvm::TargetMachine>> levels;
  levels.push_back(cantFail(createTargetMachine(TargetConfig::forHost())));
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  setTarget(*module, *levels.front());
  module->setPICLevel(PICLevel::BigPIC);
  SharedKernels kernels(kind != EmitKind::LLVM, levels, /*optLevel=*/3);
  EXPECT_TRUE(kernels.isPossible());
  for (StringRef name : names) {
    EXPECT_EQ(kernels.hasCode(name), isKnown);
    bool isDefined = any_of(*module, [&](const Function &function) {
      return !function.isDeclaration() && function.getFnAttribute("rt.shared").getValueAsString() == name;
    });
    if (!isKnown && isDefined)
      kernels.generate(name, /*level=*/0, /*isCommon=*/false,
                       [text, name](LLVMContext &own, const llvm::TargetMachine &) {
                         SMDiagnostic diagnostic;
                         std::unique_ptr<Module> module = parseAssemblyString(text, diagnostic, own);
                         auto kernel = find_if(*module, [&](const Function &function) {
                           return function.getFnAttribute("rt.shared").getValueAsString() == name;
                         });
                         kernel->setName(name);
                         return module;
                       });
  }
  kernels.take(*module);
  cantFail(optimizeModule(*module, levels, /*optLevel=*/3));
  StackMeasure measure(*module);
  cantFail(emitModule(*module, *levels.front(), kind, result.output, &kernels));
  result.stackBytes = measure.getDeepest();
  return result;
}

/// The result of `entry` of an object for 0.25.
double run(const Emitted &emitted) {
  auto jit = cantFail(
      linkObject(MemoryBuffer::getMemBufferCopy(StringRef(emitted.output.data(), emitted.output.size()), "kernels")));
  return cantFail(jit->lookup("entry")).toPtr<double(double)>()(0.25);
}

struct SharedKernelsTest : testing::Test {
  void SetUp() override {
    SmallVector<std::unique_ptr<llvm::TargetMachine>> levels;
    levels.push_back(cantFail(createTargetMachine(TargetConfig::forHost())));
    if (!SharedKernels(/*areAssembly=*/true, levels, /*optLevel=*/3).isPossible())
      GTEST_SKIP() << "only x86-64 has shared kernels";
  }
};

TEST_F(SharedKernelsTest, HaveTheSameCodeForLaterModels) {
  Emitted first = emit(makeKernel("later1.0", 1) + makeKernel("later2.0", 2) + kEntry, {"later1.0", "later2.0"});
  // The code of both is known, and the module need not have it.
  Emitted later = emit(declareKernel("later1.0", 1) + declareKernel("later2.0", 2) + kEntry, {"later1.0", "later2.0"},
                       EmitKind::Object, /*isKnown=*/true);
  EXPECT_EQ(first.output, later.output);
  EXPECT_EQ(first.stackBytes, later.stackBytes);
  // A function that calls none may use 128 bytes below its frame.
  EXPECT_GE(first.stackBytes, 1000u - 128u);
  EXPECT_TRUE(cantFail(readObjectFacts(later.output)).undefined.empty());
  EXPECT_EQ(run(later), 3.25);
}

TEST_F(SharedKernelsTest, CanBeSaved) {
  Emitted first = emit(makeKernel("save1.0", 1) + makeKernel("save2.0", 2) + kEntry, {"save1.0", "save2.0"});
  std::string saved;
  raw_string_ostream os(saved);
  saveKernels(os);
  // They are not those of this process.
  for (size_t at; (at = saved.find("save")) != std::string::npos;)
    saved[at] = 'S';
  // They live as long as the process.
  addSavedKernels(*new std::string(saved));
  Emitted later = emit(declareKernel("Save1.0", 1) + declareKernel("Save2.0", 2) + kEntry, {"Save1.0", "Save2.0"},
                       EmitKind::Object, /*isKnown=*/true);
  EXPECT_EQ(first.stackBytes, later.stackBytes);
  EXPECT_EQ(run(later), 3.25);
}

TEST_F(SharedKernelsTest, AreOneForAllEntriesOfAModel) {
  Emitted emitted = emit(makeKernel("entries.0", 1) + makeKernel("entries.0", 2) + kEntry, {"entries.0"});
  // The name says that the second kernel does what the first one does.
  EXPECT_EQ(run(emitted), 2.25);
}

TEST_F(SharedKernelsTest, ArePartsOfATextOfLLVMIR) {
  Emitted emitted =
      emit(makeKernel("text1.0", 1) + makeKernel("text2.0", 2) + kEntry, {"text1.0", "text2.0"}, EmitKind::LLVM);
  StringRef text(emitted.output.data(), emitted.output.size());
  EXPECT_NE(text.find("define internal double @text1.0(double"), StringRef::npos) << text.str();
  EXPECT_NE(text.find("define internal double @text2.0(double"), StringRef::npos);
  EXPECT_EQ(text.find("hidden"), StringRef::npos);
}

TEST_F(SharedKernelsTest, HaveTheNamesThatThePassHasGiven) {
  // A text may have any attribute. Such a kernel is a function of the model, and nobody finds its code.
  Emitted emitted = emit(makeKernel("foreign.0", 1) + makeKernel("foreign.0", 2) + kEntry, {});
  EXPECT_EQ(run(emitted), 3.25);
  (void)emit(kEntry + declareKernel("foreign.0", 1) + makeKernel("other.0", 2), {"foreign.0"}, EmitKind::LLVM);
}

TEST_F(SharedKernelsTest, ArePartsOfAssembly) {
  Emitted emitted = emit(makeKernel("assembly1.0", 1) + makeKernel("assembly2.0", 2) + kEntry,
                         {"assembly1.0", "assembly2.0"}, EmitKind::Assembly);
  StringRef text(emitted.output.data(), emitted.output.size());
  for (StringRef line : {"entry:", "assembly1.0:", "assembly2.0:"})
    EXPECT_NE(text.find(("\n" + line + "\n").str()), StringRef::npos) << text.str();
}

} // namespace
