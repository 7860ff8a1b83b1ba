// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Compiler.h - From a model's file to machine code ---------*- C++ -*-===//
#ifndef RECUR_COMPILER_COMPILER_H
#define RECUR_COMPILER_COMPILER_H

#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Target/ModelDescription.h"
#include "Recur/Target/ModelModule.h"
#include "Recur/Target/TargetMachine.h"
#include "Recur/Tools/CommandLine.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdlib>
#include <memory>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace recur {

/// A model as a module of any stage, with its weights.
struct Model {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The weights file; null where nothing refers to one.
  std::shared_ptr<llvm::MemoryBuffer> weights;
  /// The files that were read, which no output may overwrite.
  std::vector<ToolFile> files = {};
};

/// Reads OpenVINO IR, or a module of any stage as text or bytecode, from the file `path` ("-": standard input). The
/// weights are `weightsPath`, else beside `path`, and must be the file that the module names. Errors are diagnostics of
/// the context; `sources` keeps the text that they point into. `shapes` fix dims of inputs (`NAME=[2,?,3]`) of an IR.
mlir::FailureOr<Model> readModel(llvm::StringRef path, llvm::StringRef weightsPath, llvm::SourceMgr &sources,
                                 mlir::MLIRContext *context, llvm::ArrayRef<std::string> shapes = {});

struct CompileOptions {
  TargetConfig target;
  /// The prefix of exported symbols.
  std::string name = "model";
  /// Without it the naive lowering, to compare with.
  bool optimize = true;
  /// Without it what is the same in all models takes no time: for those who compile many and look at what differs.
  bool optimizeGlue = true;
  /// Fail on allocations, calls and superfluous copies in time loops.
  bool checkTimeLoops = false;
  /// Remark how large the workspace is, and how much of it is alive at once.
  bool reportWorkspace = false;
};

using rt::Stage;

/// Runs the pipelines up to `stage` on the module, from where it stands. Errors are diagnostics of the context.
mlir::LogicalResult lower(mlir::ModuleOp module, Stage stage, const CompileOptions &options,
                          const llvm::TargetMachine &machine);

/// What the outside sees of a module that was lowered to Stage::LLVM, and was packed into `packed`.
ModelDescription describe(mlir::ModuleOp module, llvm::StringRef name, llvm::ArrayRef<uint8_t> packed);

/// The product of a compilation.
struct CompiledModel {
  ModelDescription description;
  /// The object, the assembly or the LLVM IR, as `kind` asked.
  llvm::SmallVector<char, 0> output;
  /// 64-byte aligned; embedded in the object already where that was asked for.
  std::unique_ptr<void, decltype(&std::free)> weightsStorage{nullptr, &std::free};
  llvm::ArrayRef<uint8_t> weights;
};

/// Compiles the model: lowers it (in place, from where it stands), packs its weights, and makes code of it. `placement`
/// says whether the weights are embedded in the object or stay in `CompiledModel::weights`.
llvm::Expected<CompiledModel> compile(Model &model, const CompileOptions &options, EmitKind kind,
                                      WeightsPlacement placement);

} // namespace recur

#endif // RECUR_COMPILER_COMPILER_H
