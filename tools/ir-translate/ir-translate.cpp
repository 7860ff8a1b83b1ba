// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-translate.cpp - Models to MLIR text -----------------------------===//

#include "Recur/Import/OpenVINOIR.h"

#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  recur::registerImportOpenVINOIR();
  return failed(mlir::mlirTranslateMain(argc, argv, "Recur translation driver\n"));
}
