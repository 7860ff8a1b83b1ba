// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-reduce.cpp - Upstream's mlir-reduce with Recur's dialects -------===//

#include "Recur/Registration.h"
#include "Recur/Tools/CommandLine.h"

#include "mlir/IR/Dialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Reducer/Passes.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "llvm/Support/CommandLine.h"

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter(recur::printVersion);
  mlir::DialectRegistry registry;
  recur::registerDialects(registry);
  recur::registerPasses();
  mlir::registerReducerPasses();
  mlir::MLIRContext context(registry);
  return failed(mlir::mlirReduceMain(argc, argv, context));
}
