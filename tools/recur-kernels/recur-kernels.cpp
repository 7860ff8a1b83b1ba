// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- recur-kernels.cpp - generate kernels when Recur is built -----------===//
//
// Compiles small models with dynamic dims for the CPUs that kernels are common to, and writes the shared kernels that
// they call. Models find them by the hashes in their names, so a kernel that has changed since is not found.
//
//===----------------------------------------------------------------------===//
#include "Recur/Compiler/Compiler.h"
#include "Recur/Compiler/Diagnostics.h"
#include "Recur/Registration.h"
#include "Recur/Target/SharedKernels.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/xxhash.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace recur;

/// Products in a time loop, whose kernels know a direction, because they read large weights. These are in a file: a
/// constant that is one number is not read.
static constexpr llvm::StringLiteral kCell = R"(
func.func @main(%x: tensor<?x?x128xf32>, %h0: tensor<?x128xf32>, %c0: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %0:2 = ov.tensor_iterator slices(%slice = %x along 1 [0:-1:1] part 1 : tensor<?x?x128xf32> to tensor<?x1x128xf32>)
      carried(%h = %h0 : tensor<?x128xf32>, %c = %c0 : tensor<?x128xf32>) {
    %axis = ov.constant dense<1> : tensor<1xi64>
    %row = ov.squeeze %slice, %axis : (tensor<?x1x128xf32>, tensor<1xi64>) -> tensor<?x128xf32>
    %w = ov.constant #ov.weights<0, tensor<512x128xf32>> : tensor<512x128xf32>
    %b = ov.constant dense<0.5> : tensor<512xf32>
    %ho, %co = ov.lstm_cell %row, %h, %c, %w, %w, %b {
      activations = [#ov.cell_activation<sigmoid>, #ov.cell_activation<tanh>, #ov.cell_activation<tanh>],
      activations_alpha = [], activations_beta = [], hidden_size = 128 : i64}
      : (tensor<?x128xf32>, tensor<?x128xf32>, tensor<?x128xf32>, tensor<512x128xf32>, tensor<512x128xf32>,
         tensor<512xf32>) -> (tensor<?x128xf32>, tensor<?x128xf32>)
    ov.yield next(%ho, %co : tensor<?x128xf32>, tensor<?x128xf32>)
  }
  return %0#0 : tensor<?x128xf32>
}
)";
/// The bytes of the weights.
static constexpr size_t kWeightsBytes = 512 * 128 * 4;

/// Products outside of a time loop, of different sizes.
static constexpr llvm::StringLiteral kProducts = R"(
func.func @main(%x: tensor<?x256xf32>) -> tensor<?x512xf32> {
  %w = ov.constant dense<0.5> : tensor<256x1024xf32>
  %v = ov.constant dense<0.5> : tensor<1024x512xf32>
  %0 = ov.matmul %x, %w : (tensor<?x256xf32>, tensor<256x1024xf32>) -> tensor<?x1024xf32>
  %1 = ov.matmul %0, %v : (tensor<?x1024xf32>, tensor<1024x512xf32>) -> tensor<?x512xf32>
  return %1 : tensor<?x512xf32>
}
)";

/// Compiles the model `text` for a CPU, and throws the result away.
static llvm::Error compileFor(llvm::StringRef cpu, llvm::StringRef text) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  DiagnosticPrinter printer(sources, &context, llvm::errs());
  // The weights are zeros.
  std::shared_ptr<llvm::MemoryBuffer> weights = llvm::WritableMemoryBuffer::getNewMemBuffer(kWeightsBytes);
  std::string module = llvm::formatv("module attributes {{ov.weights_file = #ov.weights_file<\"weights\", size = {0}, "
                                     "hash = {1}>} {{{2}}",
                                     kWeightsBytes, llvm::xxh3_64bits(weights->getBuffer()), text);
  mlir::FailureOr<Model> model =
      readModel(llvm::MemoryBuffer::getMemBufferCopy(module, "kernels"), weights, sources, &context);
  if (mlir::failed(model))
    return llvm::createStringError("the model cannot be read");
  CompileOptions options;
  options.target.cpu = cpu;
  return compile(*model, options, EmitKind::Object, WeightsPlacement::External).takeError();
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialized(argc, argv);
  llvm::ExitOnError exitOnError("recur-kernels: ");
  if (argc != 2) {
    llvm::WithColor::error(llvm::errs(), "recur-kernels") << "expected the name of a file to write\n";
    return 1;
  }
  // Other targets have no shared kernels.
  if (llvm::Triple(llvm::sys::getDefaultTargetTriple()).isX86_64())
    for (llvm::StringRef cpu : {"x86-64-v3", "x86-64-v4"})
      for (llvm::StringRef text : {kCell, kProducts})
        exitOnError(compileFor(cpu, text));
  std::error_code code;
  llvm::raw_fd_ostream os(argv[1], code);
  exitOnError(llvm::errorCodeToError(code));
  saveKernels(os);
  return 0;
}
