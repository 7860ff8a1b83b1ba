// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FaultsTest.cpp - all faults of a call ------------------------------===//
#include "Recur/Interpreter/Interpreter.h"
#include "gtest/gtest.h"

#include "Recur/Dialect/OV/IR/OV.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace recur;
using namespace recur::interpreter;

namespace {

/// A gather of an index, a layer that needs it, and a tensor of a size.
constexpr llvm::StringLiteral kModel = R"(
func.func @main(%i: tensor<1xi64>, %n: tensor<1xi64>) -> (tensor<?xi64>, tensor<?xi64>) {
  %axis = ov.constant dense<0> : tensor<i64>
  %table = ov.constant dense<[1, -1]> : tensor<2xi64>
  %0 = ov.gather %table, %i, %axis : (tensor<2xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %1 = ov.broadcast %axis, %0 : (tensor<i64>, tensor<1xi64>) -> tensor<?xi64>
  %2 = ov.broadcast %axis, %n : (tensor<i64>, tensor<1xi64>) -> tensor<?xi64>
  return %1, %2 : tensor<?xi64>, tensor<?xi64>
})";

ModelRun run(int64_t index, int64_t size) {
  MLIRContext context;
  context.loadDialect<ov::OVDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kModel, &context);
  Tensor first(RECUR_I64, {1}), second(RECUR_I64, {1});
  first.setInteger(0, index);
  second.setInteger(0, size);
  InterpreterOptions options;
  options.findsAllFaults = true;
  return interpret(*module, {}, {first, second}, options);
}

TEST(Faults, AreThoseOfAllLayersThatDoNotNeedOne) {
  EXPECT_EQ(run(0, 1).status, RECUR_OK);
  EXPECT_TRUE(run(0, 1).faults.empty());
  // The layer that needs the result of the gather does not run.
  ModelRun both = run(9, -1);
  EXPECT_EQ(both.status, RECUR_E_INDEX);
  EXPECT_EQ(both.faults, (std::vector<recur_status>{RECUR_E_INDEX, RECUR_E_SHAPE}));
  EXPECT_EQ(run(9, 1).faults, std::vector<recur_status>{RECUR_E_INDEX});
}

} // namespace
