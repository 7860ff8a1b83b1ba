// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-translate.cpp - Models to MLIR text -----------------------------===//

#include "Recur/Import/OpenVINOIR.h"

#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "llvm/Support/CommandLine.h"

int main(int argc, char **argv) {
  // What is registered so far are the options of LLVM's libraries: --help shows ours.
  for (auto &entry : llvm::cl::getRegisteredOptions())
    entry.second->setHiddenFlag(llvm::cl::ReallyHidden);
  recur::registerImportOpenVINOIR();
  return failed(mlir::mlirTranslateMain(argc, argv, "Recur translation driver\n"));
}
