// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OptimizeTest.cpp - what LLVM's pipeline does to loops --------------===//
#include "Recur/Target/ModelModule.h"
#include "Recur/Target/TargetMachine.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
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

/// The function f of a module, once it is optimized.
Function *optimize(LLVMContext &context, std::unique_ptr<Module> &module, const std::string &text) {
  TargetConfig config;
  config.triple = "x86_64-unknown-linux-gnu";
  SmallVector<std::unique_ptr<llvm::TargetMachine>> levels;
  levels.push_back(cantFail(createTargetMachine(config)));
  SMDiagnostic diagnostic;
  module = parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  setTarget(*module, *levels.front());
  cantFail(optimizeModule(*module, levels, /*optLevel=*/3));
  return module->getFunction("f");
}

/// The blocks of the loop that remain.
size_t countBlocks(const std::string &text) {
  LLVMContext context;
  std::unique_ptr<Module> module;
  return optimize(context, module, text)->size();
}

/// The fences in a block that copies so many elements.
size_t countFences(unsigned copies) {
  std::string text = "define void @f(ptr noalias %x, ptr noalias %y) {\n";
  for (unsigned i = 0; i < copies; ++i)
    text +=
        formatv("  %from{0} = getelementptr float, ptr %x, i64 {1}\n  %to{0} = getelementptr float, ptr %y, i64 {0}\n"
                "  %v{0} = load float, ptr %from{0}\n  store float %v{0}, ptr %to{0}\n",
                i, 7 * i)
            .str();
  LLVMContext context;
  std::unique_ptr<Module> module;
  Function *function = optimize(context, module, text + "  ret void\n}\n");
  return count_if(instructions(*function), [](const Instruction &instruction) { return isa<FenceInst>(instruction); });
}

/// True if a loop of so many iterations, which stores the sums of rows of six elements, is vectorized.
bool isVectorized(StringRef iterations) {
  LLVMContext context;
  std::unique_ptr<Module> module;
  Function *function = optimize(context, module, R"(
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
  br label %rows
rows:
  %i = phi i64 [ 0, %0 ], [ %i.next, %end ]
  %more = icmp slt i64 %i, )" + iterations.str() + R"(
  br i1 %more, label %start, label %exit
start:
  %row = mul i64 %i, 6
  br label %columns
columns:
  %j = phi i64 [ 0, %start ], [ %j.next, %body ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %body ]
  %again = icmp slt i64 %j, 6
  br i1 %again, label %body, label %end
body:
  %at = add i64 %row, %j
  %x.at = getelementptr float, ptr %x, i64 %at
  %value = load float, ptr %x.at
  %sum.next = fadd float %sum, %value
  %j.next = add i64 %j, 1
  br label %columns
end:
  %y.at = getelementptr float, ptr %y, i64 %i
  store float %sum, ptr %y.at
  %i.next = add i64 %i, 1
  br label %rows
exit:
  ret void
}
)");
  return any_of(instructions(*function),
                [](const Instruction &instruction) { return instruction.getType()->isVectorTy(); });
}

TEST(Optimize, UnrollsOnlySmallLoops) {
  EXPECT_EQ(countBlocks(makeLoop(/*sums=*/20, "16")), 1u);
  // LLVM itself would unroll this one.
  EXPECT_GT(countBlocks(makeLoop(/*sums=*/40, "16")), 1u);
  EXPECT_GT(countBlocks(makeLoop(/*sums=*/20, "%n")), 1u);
}

TEST(Optimize, VectorizesNoLoopThatFillsNoVectors) {
  EXPECT_FALSE(isVectorized("6"));
  EXPECT_TRUE(isVectorized("64"));
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

TEST(Optimize, DividesBlocksOfManyAccesses) {
  EXPECT_EQ(countFences(128), 0u);
  EXPECT_EQ(countFences(500), 3u);
}

} // namespace
