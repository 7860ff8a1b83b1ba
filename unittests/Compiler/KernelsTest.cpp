// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KernelsTest.cpp - kernels that Recur brings along ------------------===//
#include "Recur/Kernels.h"
#include "Recur/Compiler/Compiler.h"
#include "Recur/Registration.h"
#include "Recur/Target/SharedKernels.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "gtest/gtest.h"

using namespace recur;

namespace {

/// Products of other sizes than those that recur-kernels compiles.
constexpr llvm::StringLiteral kProducts = R"(
func.func @main(%x: tensor<?x160xf32>) -> tensor<?x320xf32> {
  %w = ov.constant dense<0.5> : tensor<160x768xf32>
  %v = ov.constant dense<0.5> : tensor<768x320xf32>
  %0 = ov.matmul %x, %w : (tensor<?x160xf32>, tensor<160x768xf32>) -> tensor<?x768xf32>
  %1 = ov.matmul %0, %v : (tensor<?x768xf32>, tensor<768x320xf32>) -> tensor<?x320xf32>
  return %1 : tensor<?x320xf32>
}
)";

/// Compiles the products for a CPU with some features.
void compileFor(const std::string &cpu, const std::string &features) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  mlir::FailureOr<Model> model = readModel(llvm::MemoryBuffer::getMemBuffer(kProducts, "products"),
                                           std::shared_ptr<llvm::MemoryBuffer>(), sources, &context);
  ASSERT_TRUE(mlir::succeeded(model));
  CompileOptions options;
  options.target.cpu = cpu;
  options.target.features = features;
  llvm::cantFail(compile(*model, options, EmitKind::Object, WeightsPlacement::External));
}

/// The names of the kernels that this process has generated, with their code behind them.
std::vector<std::pair<std::string, std::string>> getGenerated() {
  std::string saved;
  llvm::raw_string_ostream os(saved);
  saveKernels(os);
  std::vector<std::pair<std::string, std::string>> kernels;
  for (llvm::StringRef rest = saved; !rest.empty();) {
    llvm::StringRef head = rest.split('\n').first;
    size_t size = 0;
    EXPECT_FALSE(head.rsplit(' ').second.getAsInteger(10, size));
    kernels.emplace_back(head.split(' ').first.str(), rest.take_front(head.size() + 1 + size).str());
    rest = rest.drop_front(kernels.back().second.size());
  }
  return kernels;
}

// Another CPU of the same width calls the same kernels. This is one test because a process generates a kernel once.
TEST(Kernels, AreThoseThatACompilationGenerates) {
  if (!llvm::Triple(llvm::sys::getDefaultTargetTriple()).isX86_64())
    GTEST_SKIP() << "only x86-64 has shared kernels";
  for (const char *cpu : {"x86-64-v3", "x86-64-v4", "znver3", "sapphirerapids"})
    compileFor(cpu, "");
  auto generated = getGenerated();
  EXPECT_EQ(generated.size(), 4u);
  for (const auto &[name, code] : generated)
    EXPECT_TRUE(getBuiltKernels().contains(code)) << name << " is not what recur-kernels has generated";

  // A CPU without one of their features has kernels of its own.
  compileFor("x86-64-v4", "-avx512vl");
  EXPECT_EQ(getGenerated().size(), 6u);

  registerKernels();
  compileFor("znver5", "");
  EXPECT_EQ(getGenerated().size(), 6u);
}

} // namespace
