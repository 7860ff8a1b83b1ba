// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StackMeasureTest.cpp - the stack that a model needs ----------------===//
#include "Recur/Target/StackMeasure.h"
#include "Recur/Target/ModelModule.h"
#include "Recur/Target/ObjectFile.h"
#include "Recur/Target/TargetMachine.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace recur;

namespace {

// `leaf` is called, `body` has its address taken, and `alone` is called by nobody.
constexpr char kModule[] = R"(
declare void @use(ptr)
define void @leaf() noinline {
  %a = alloca [1000 x i8]
  call void @use(ptr %a)
  ret void
}
define void @body() noinline {
  %a = alloca [3000 x i8]
  call void @use(ptr %a)
  ret void
}
define void @entry() {
  %a = alloca [500 x i8]
  call void @use(ptr %a)
  call void @leaf()
  call void @use(ptr @body)
  ret void
}
define void @alone() {
  %a = alloca [2000 x i8]
  call void @use(ptr %a)
  ret void
}
)";

TEST(StackMeasure, DeepestChain) {
  auto machine = cantFail(createTargetMachine(TargetConfig::forHost()));
  // The context has a handler of its own, as that of the compiler has. It counts all but remarks.
  struct Handler : DiagnosticHandler {
    explicit Handler(unsigned &count) : count(count) {}
    bool handleDiagnostics(const DiagnosticInfo &info) override {
      count += info.getSeverity() != DS_Remark;
      return true;
    }
    unsigned &count;
  };
  auto emit = [&](bool isMeasured, uint64_t &deepest) {
    unsigned others = 0;
    LLVMContext context;
    context.setDiagnosticHandler(std::make_unique<Handler>(others));
    SMDiagnostic diagnostic;
    std::unique_ptr<Module> module = parseAssemblyString(kModule, diagnostic, context);
    EXPECT_TRUE(module) << diagnostic.getMessage().str();
    setTarget(*module, *machine);
    std::optional<StackMeasure> measure;
    if (isMeasured)
      measure.emplace(*module);
    SmallVector<char, 0> object;
    cantFail(emitModule(*module, *machine, EmitKind::Object, object));
    if (measure)
      deepest = measure->getDeepest();
    EXPECT_EQ(others, 0u);
    measure.reset();
    context.diagnose(DiagnosticInfoGeneric("other"));
    EXPECT_EQ(others, 1u);
    return object;
  };
  uint64_t deepest = 0, none = 0;
  auto measured = emit(true, deepest);
  EXPECT_GE(deepest, 3500u);
  EXPECT_LT(deepest, 3700u);
  EXPECT_EQ(measured, emit(false, none));

  ObjectFacts facts = cantFail(readObjectFacts(measured));
  EXPECT_EQ(facts.undefined, std::vector<std::string>{"use"});
  EXPECT_GT(facts.codeBytes, 40u);
  EXPECT_TRUE(errorToBool(readObjectFacts({}).takeError()));
}

} // namespace
