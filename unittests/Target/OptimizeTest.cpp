// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OptimizeTest.cpp - what LLVM's pipeline does to loops --------------===//
#include "Recur/Target/ModelModule.h"
#include "Recur/Target/TargetMachine.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace recur;

namespace {

/// A loop of four iterations, until `bound`, over `sums` sums of vectors.
std::string makeLoop(unsigned sums, StringRef bound) {
  std::string text = R"(
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %go = icmp slt i64 %i, )" +
                     bound.str() +
                     R"(
  br i1 %go, label %body, label %exit
body:
  %from = getelementptr float, ptr %x, i64 %i
  %to = getelementptr float, ptr %y, i64 %i
  %v0 = load <4 x float>, ptr %from
)";
  for (unsigned i = 0; i < sums; ++i)
    text += formatv("  %v{0} = fadd <4 x float> %v{1}, %v{2}\n", i + 1, i, i / 2);
  return text + formatv("  store <4 x float> %v{0}, ptr %to\n", sums).str() + R"(
  %next = add nsw i64 %i, 4
  br label %head
exit:
  ret void
}
)";
}

/// The blocks of the loop that remain.
size_t countBlocks(const std::string &text) {
  TargetConfig config;
  config.triple = "x86_64-unknown-linux-gnu";
  SmallVector<std::unique_ptr<llvm::TargetMachine>> levels;
  levels.push_back(cantFail(createTargetMachine(config)));
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  setTarget(*module, *levels.front());
  cantFail(optimizeModule(*module, levels, /*optLevel=*/3));
  return module->getFunction("f")->size();
}

TEST(Optimize, UnrollsOnlySmallLoops) {
  EXPECT_EQ(countBlocks(makeLoop(/*sums=*/20, "16")), 1u);
  // LLVM itself would unroll this one.
  EXPECT_GT(countBlocks(makeLoop(/*sums=*/40, "16")), 1u);
  EXPECT_GT(countBlocks(makeLoop(/*sums=*/20, "%n")), 1u);
}

TEST(Optimize, InlinesTheShareOfAThread) {
  std::string text = makeLoop(/*sums=*/20, "16");
  text.replace(text.find("define void @f"), strlen("define void @f"), "define internal void @share");
  text += R"(
define void @f(ptr %arguments) {
  %x = load ptr, ptr %arguments
  %y.at = getelementptr ptr, ptr %arguments, i64 1
  %y = load ptr, ptr %y.at
  call void @share(ptr %x, ptr %y, i64 16)
  ret void
}
)";
  EXPECT_EQ(countBlocks(text), 1u);
}

} // namespace
