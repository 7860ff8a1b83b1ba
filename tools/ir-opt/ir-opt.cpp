// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-opt.cpp - Recur's passes on MLIR text ---------------------------===//

#include "Recur/Registration.h"

#include "mlir/IR/Dialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  recur::registerDialects(registry);
  recur::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Recur optimizer driver\n", registry));
}
