// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Compiler.h - From a model's file to machine code ---------*- C++ -*-===//
//
// The compiler as a library: a tool reads a model with `readModel` (ReadModel.h) and calls `compile`. `lower` runs only
// the passes up to a stage.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_COMPILER_COMPILER_H
#define RECUR_COMPILER_COMPILER_H

#include "Recur/Analysis/WorkEstimate.h"
#include "Recur/Compiler/ReadModel.h"
#include "Recur/Compiler/Remarks.h"
#include "Recur/Dialect/OV/Transforms/ProductPrecision.h"
#include "Recur/Dialect/OV/Transforms/WeightsPrecision.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Target/ModelDescription.h"
#include "Recur/Target/ModelModule.h"
#include "Recur/Target/TargetMachine.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdlib>
#include <functional>
#include <memory>

namespace mlir {
class PassManager;
} // namespace mlir

namespace recur {

/// Options of `lower` and `compile`.
struct CompileOptions {
  /// `lower` takes no notice of it.
  TargetConfig target;
  /// The prefix of exported symbols.
  std::string name = "model";
  /// What the model can compute in a call: one entry, or Run and Step. With Step, small sums are not taken apart into
  /// scalars, so that T steps have the outputs of a run over T time steps, bit for bit, in the same object.
  llvm::SmallVector<Entry> entries = {Entry::Run};
  /// False: use the naive lowering, as a reference for tests and measurements.
  bool optimize = true;
  /// Verify the module after each pass, not only at the start of each stage and at the end, and refuse a pass that
  /// drops a mark (MarkCounts.h). This takes a third of the time of all passes.
#ifdef NDEBUG
  bool verifyPasses = false;
#else
  bool verifyPasses = true;
#endif
  /// Fail if a time loop has an allocation, a call or an unnecessary copy.
  bool checkTimeLoops = false;
  /// The least work of each thread of a parallel region, in the unit of WorkEstimate. The default is for a callback
  /// whose threads spin; tests choose a small number, so that small models are divided too.
  int64_t gangWork = kDefaultGangWork;
  /// The type that weights of f32 are rounded to.
  ov::WeightsPrecision weightsPrecision = ov::WeightsPrecision::F32;
  /// The type that the operands of products of f32 are rounded to.
  ov::ProductPrecision precision = ov::ProductPrecision::F32;
  /// Add lines of debug information, which map the code to the places of the layers in the model's text. The code stays
  /// the same.
  bool debugInfo = false;
  /// What the code checks in each access to memory. Only a program can run it, which has the runtime library.
  Sanitizer sanitizer = Sanitizer::None;
  /// Let a call end with RECUR_E_NAN as soon as an input or the result of a layer has a NaN. `lower` fails if the
  /// module has passed Stage::Loops.
  bool checkNaN = false;
  /// Measure the time of each layer in each call, into the instance (NAME_profile). Only for one entry.
  bool profile = false;
  /// Measure the stack of the code, for the best level.
  bool report = false;
  /// Make the weights alone, with WeightsPlacement::Given. They suit the object that the other options make of a model
  /// of the same layout.
  bool weightsOnly = false;
  /// Called by `compile` before each of its steps, with its name, the number of those before it and that of all steps,
  /// which is an estimate until all passes have run; and at last as "done", with all of them. If it returns false
  /// before, it is not called again, and the compilation ends with an error after the passes or the next step.
  std::function<bool(llvm::StringRef step, unsigned done, unsigned steps)> progress = nullptr;
  /// If it is not null, it gets what the passes decide about each entry, for the best level, in their order. Those of
  /// a compilation that fails are there until then.
  std::vector<Remark> *remarks = nullptr;
  /// Which remarks are wanted.
  RemarkFilter remarkFilter = {};
  /// Called with each pass manager before it runs, for what MLIR's own options ask for: timing, printing of modules.
  std::function<mlir::LogicalResult(mlir::PassManager &)> configurePasses = nullptr;
};

using rt::Stage;

/// The time that a stage of a compilation took, in seconds.
struct StageTime {
  std::string stage;
  double seconds;
};

/// Runs the pipelines on the module from its current stage, which must not be later than `stage`, up to `stage`, for
/// the first of the entries. `machine` decides vector widths and instruction sets. Errors are diagnostics of the
/// context. If `times` is not null, the time of each stage is appended to it.
mlir::LogicalResult lower(mlir::ModuleOp module, Stage stage, const CompileOptions &options,
                          const llvm::TargetMachine &machine, std::vector<StageTime> *times = nullptr);

/// The levels of an object of the module for which the user names no CPU: those of the target `triple`. Empty if the
/// module is past Stage::Linalg, because then its vectors are those of one CPU.
std::vector<std::string> getDefaultLevels(mlir::ModuleOp module, llvm::StringRef triple);

/// The description of an entry whose module was lowered to Stage::LLVM.
EntryDescription describe(mlir::ModuleOp module, Entry entry);

/// The result of a compilation.
struct CompiledModel {
  ModelDescription description;
  /// The object file, assembly or LLVM IR, as the argument `kind` of `compile` says. Empty with
  /// CompileOptions::weightsOnly.
  llvm::SmallVector<char, 0> output;
  /// The packed weights, 64-byte aligned, in huge pages if they are many and the system has such pages: `weights`
  /// points into `weightsStorage`. With WeightsPlacement::Embedded the object file has a copy of them. With
  /// WeightsPlacement::Given they begin with a header (Weights.h), unless there are none.
  std::unique_ptr<void, decltype(&std::free)> weightsStorage{nullptr, &std::free};
  llvm::ArrayRef<uint8_t> weights;
  /// The target, the oldest CPU that the model runs on, and the features that it needs, as in recur_info.
  std::string triple, cpu, cpuFeatures;
  /// The CPUs of the levels, from the least to the best one.
  std::vector<std::string> levels;
  /// With CompileOptions::report, and for an object: the stack that the functions of the generated code need
  /// (StackMeasure.h), in bytes.
  uint64_t stackBytes = 0;
  /// The time of each stage, in order.
  std::vector<StageTime> times;

  /// Makes `weights` point to `bytes` bytes of zeros, and returns them to be filled. Fails if there is no memory.
  llvm::Expected<llvm::MutableArrayRef<char>> allocateWeights(uint64_t bytes);
};

/// Compiles the model: lowers its module in place from the current stage, packs its weights, and generates code. If
/// there are two entries or several levels (TargetConfig::levels), copies of the module become the others. All share
/// the packed weights, which are packed for the best level. `placement` says whether the weights are embedded in the
/// object file, or stay only in `CompiledModel::weights`. Fails if there are several levels, and the module is past
/// Stage::Linalg.
llvm::Expected<CompiledModel> compile(Model &model, const CompileOptions &options, EmitKind kind,
                                      WeightsPlacement placement);

} // namespace recur

#endif // RECUR_COMPILER_COMPILER_H
