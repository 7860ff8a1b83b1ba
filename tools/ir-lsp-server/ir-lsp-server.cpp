// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-lsp-server.cpp - MLIR's language server for Recur's dialects ----===//
//
// Editors start this program and speak the Language Server Protocol with it on its standard input and output. It knows
// what the text of each stage may contain: diagnostics, hover texts, definitions and uses (editors/README.md).
//
//===----------------------------------------------------------------------===//

#include "Recur/Registration.h"
#include "Recur/Tools/CommandLine.h"
#include "Recur/Tools/TextNesting.h"

#include "mlir/IR/Dialect.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/CommandLine.h"

int main(int argc, char **argv) {
  // So far only options of LLVM's libraries are registered. Hide them, so that --help shows only those of the server.
  for (auto &entry : llvm::cl::getRegisteredOptions())
    entry.second->setHiddenFlag(llvm::cl::ReallyHidden);
  llvm::cl::SetVersionPrinter(recur::printVersion);
  // Its tests may read messages in another form, by an option.
  if (argc == 1)
    recur::leaveOutDeepMessages();
  mlir::DialectRegistry registry;
  recur::registerDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
