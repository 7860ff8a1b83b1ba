// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MarkCountsTest.cpp - passes that drop marks ------------------------===//
#include "Recur/Pipelines/MarkCounts.h"
#include "Recur/Registration.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "gtest/gtest.h"

using namespace recur;

namespace {

constexpr llvm::StringLiteral kTwoLoops = R"(
func.func @main(%n: index, %x: memref<?xf32>, %y: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %y, %x[%i] : memref<?xf32>
  } {rt.independent}
  scf.for %i = %c0 to %n step %c1 {
    memref.store %y, %x[%i] : memref<?xf32>
  } {rt.independent}
  return
}
)";

/// A pass that does with each loop what a test says.
struct ChangeLoops : mlir::PassWrapper<ChangeLoops, mlir::OperationPass<mlir::func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ChangeLoops)

  ChangeLoops(llvm::StringRef name, std::function<void(mlir::scf::ForOp)> change) : name(name), change(change) {}
  llvm::StringRef getArgument() const override { return name; }
  void runOnOperation() override {
    getOperation().walk([&](mlir::scf::ForOp loop) { change(loop); });
  }
  llvm::StringRef name;
  std::function<void(mlir::scf::ForOp)> change;
};

/// Runs a pass with this name on two marked loops, and returns the errors.
std::string runPass(llvm::StringRef name, std::function<void(mlir::scf::ForOp)> change) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kTwoLoops, &context);
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) { errors += diagnostic.str(); });
  std::atomic<bool> hasDropped = false;
  mlir::PassManager passes(&context);
  passes.addInstrumentation(createMarkCounts(hasDropped));
  passes.addNestedPass<mlir::func::FuncOp>(std::make_unique<ChangeLoops>(name, change));
  EXPECT_TRUE(mlir::succeeded(passes.run(*module)));
  EXPECT_EQ(hasDropped, !errors.empty());
  return errors;
}

/// Replaces a loop by one without its attributes, as patterns do.
void replace(mlir::scf::ForOp loop) {
  mlir::OpBuilder builder(loop);
  auto other =
      mlir::scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep());
  other.getBody()->erase();
  other.getRegion().takeBody(loop.getRegion());
  loop.erase();
}

TEST(MarkCounts, FindsAPassThatDropsAMark) {
  EXPECT_EQ(runPass("any-pass", replace),
            "'any-pass' dropped 'rt.independent', which says that iterations are independent: 2 ops had it, and 0 have "
            "it");
}

TEST(MarkCounts, AllowsAConsumer) { EXPECT_EQ(runPass("rt-alternate-order", replace), ""); }

TEST(MarkCounts, AllowsToEraseAndToKeep) {
  EXPECT_EQ(runPass("any-pass", [](mlir::scf::ForOp loop) { loop.erase(); }), "");
  EXPECT_EQ(runPass("any-pass", [](mlir::scf::ForOp) {}), "");
}

TEST(MarkCounts, SaysWhatEachMarkMeans) {
  registerPasses();
  mlir::MLIRContext context;
  for (const Mark &mark : getMarks()) {
    EXPECT_TRUE(mark.name.starts_with("rt."));
    EXPECT_FALSE(mark.kinds.empty()) << mark.name.str();
    EXPECT_FALSE(mark.meaning.empty()) << mark.name.str();
    for (llvm::StringRef consumer : mark.consumers)
      EXPECT_NE(mlir::PassInfo::lookup(consumer), nullptr) << consumer.str();
  }
}

} // namespace
