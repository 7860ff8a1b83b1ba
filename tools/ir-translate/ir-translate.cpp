// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ir-translate.cpp - Models to MLIR text -----------------------------===//

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Import/OpenVINOIR.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace recur;

namespace {
/// ImportOptions on a command line.
struct CommandLineOptions {
  llvm::cl::opt<std::string> weightsPath{"weights", llvm::cl::desc("The weights file; default: <model>.bin"),
                                         llvm::cl::value_desc("file")};
  llvm::cl::list<std::string> shapes{"shape", llvm::cl::desc("Fix dims of an input that the model leaves open"),
                                     llvm::cl::value_desc("NAME=[2,?,3]")};
  llvm::cl::opt<unsigned> maxDepth{"max-depth", llvm::cl::desc("Limit of bodies within bodies"),
                                   llvm::cl::init(ImportOptions().maxDepth)};
  llvm::cl::opt<uint64_t> maxFileBytes{"max-file-bytes", llvm::cl::desc("Limit of the size of the XML"),
                                       llvm::cl::init(ImportOptions().maxFileBytes)};
  llvm::cl::opt<uint64_t> maxElements{"max-elements", llvm::cl::desc("Limit of the elements of one tensor"),
                                      llvm::cl::init(ImportOptions().maxElements)};
  llvm::cl::opt<uint64_t> maxBytes{"max-bytes", llvm::cl::desc("Limit of the bytes of one tensor"),
                                   llvm::cl::init(ImportOptions().maxBytes)};
  llvm::cl::opt<uint64_t> maxOperations{"max-operations", llvm::cl::desc("Limit of the operations built"),
                                        llvm::cl::init(ImportOptions().maxOperations)};

  ImportOptions get() const {
    ImportOptions options;
    options.weightsPath = weightsPath;
    options.shapes.assign(shapes.begin(), shapes.end());
    options.maxDepth = maxDepth;
    options.maxFileBytes = maxFileBytes;
    options.maxElements = maxElements;
    options.maxBytes = maxBytes;
    options.maxOperations = maxOperations;
    return options;
  }
};
} // namespace

static void registerImport(const CommandLineOptions &commandLine) {
  TranslateToMLIRRegistration registration(
      "import-openvino", "import OpenVINO IR (model.xml, with its weights in model.bin beside it)",
      [&](llvm::SourceMgr &sources, MLIRContext *context) -> OwningOpRef<Operation *> {
        FailureOr<ImportedModel> model = importOpenVINOIR(
            sources.getMemoryBuffer(sources.getMainFileID())->getMemBufferRef(), context, commandLine.get());
        if (failed(model))
          return {};
        return OwningOpRef<Operation *>(model->module.release());
      },
      [](DialectRegistry &registry) {
        registry.insert<ov::OVDialect, func::FuncDialect, tensor::TensorDialect, arith::ArithDialect>();
      });
}

int main(int argc, char **argv) {
  // What is registered so far are the options of LLVM's libraries: --help shows ours.
  for (auto &entry : llvm::cl::getRegisteredOptions())
    entry.second->setHiddenFlag(llvm::cl::ReallyHidden);
  CommandLineOptions commandLine;
  registerImport(commandLine);
  return failed(mlirTranslateMain(argc, argv, "Recur translation driver\n"));
}
