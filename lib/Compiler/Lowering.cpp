// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Lowering.cpp - The passes of a compilation -------------------------===//
//
// Runs the pipelines on a module, with the options of the compilation and what a machine has.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "LowerKernel.h"
#include "Recur/Pipelines/MarkCounts.h"
#include "Recur/Pipelines/Pipelines.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include <optional>

using namespace mlir;
using namespace recur;

void recur::addTime(std::vector<StageTime> &times, StringRef stage, Clock::time_point &start) {
  Clock::time_point now = Clock::now();
  auto known = llvm::find_if(times, [&](const StageTime &time) { return time.stage == stage; });
  if (known == times.end())
    known = times.insert(times.end(), {stage.str(), 0});
  known->seconds += std::chrono::duration<double>(now - start).count();
  start = now;
}

namespace {
/// Measures the time of each stage. The first pass of a stage records the stage in the module.
class StageTimer final : public PassInstrumentation {
public:
  explicit StageTimer(std::vector<StageTime> &times) : times(times) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (auto module = dyn_cast<ModuleOp>(op); module && pass->getArgument() == "rt-enter-stage")
      finish(module);
  }
  /// Ends the stage that the module is in.
  void finish(ModuleOp module) {
    if (Stage stage = getStage(module); stage != entered) {
      addTime(times, stringifyStage(stage), start);
      entered = stage;
    }
  }
  void begin(ModuleOp module) { entered = getStage(module); }

private:
  std::vector<StageTime> &times;
  Clock::time_point start = Clock::now();
  Stage entered = Stage::Import;
};

/// Reports each pass on the module as a step with the name of its stage.
class PassSteps : public PassInstrumentation {
public:
  PassSteps(ModuleOp module, Steps &steps) : module(module), steps(steps) {}
  void runBeforePass(Pass *, Operation *op) override {
    if (op == module)
      (void)steps.begin(stringifyStage(getStage(module)));
  }

private:
  ModuleOp module;
  Steps &steps;
};
} // namespace

/// Sets what the stages need to know about a machine.
static void describeTarget(const llvm::TargetMachine &machine, PipelineOptions &pipeline) {
  std::string names = featureNames(requiredFeatures(machine));
  auto has = [&](StringRef feature) {
    SmallVector<StringRef> list;
    StringRef(names).split(list, ',');
    return llvm::is_contained(list, feature);
  };
  pipeline.vectorBits = vectorBits(machine);
  if (machine.getTargetTriple().isX86()) {
    pipeline.fma = has("fma");
    pipeline.rounding = has("sse4.1");
    pipeline.f16c = has("f16c");
    pipeline.scaling = has("avx512f");
    pipeline.tiles = has("amx-bf16");
    pipeline.dots = hasFastDots(machine);
    pipeline.vectorRegisters = has("avx512f") ? 32 : 16;
  } else if (machine.getTargetTriple().isRISCV()) {
    // Vectors become scalars, of which 32 registers hold few.
    pipeline.f16c = false;
    pipeline.vectorRegisters = 16;
  } else {
    pipeline.vectorRegisters = 32;
  }
}

/// Fails if the module is past what `stage` and the options need.
static LogicalResult checkStage(ModuleOp module, Stage stage, const CompileOptions &options) {
  Stage passed = getStage(module);
  if (passed > stage)
    return module.emitError() << "expected a module of stage '" << stringifyStage(stage)
                              << "' or before, but got one of '" << stringifyStage(passed) << "'";
  bool isStep = options.entries.front() == Entry::Step;
  if (passed >= Stage::Loops && isStep)
    return module.emitError() << "expected a module of stage 'simplify' or before, for its loops to become one time "
                                 "step, but got one of '"
                              << stringifyStage(passed) << "'";
  if (passed >= Stage::Loops && options.checkNaN)
    return module.emitError()
           << "expected a module of stage 'simplify' or before, for its layers to be checked for NaN, "
              "but got one of '"
           << stringifyStage(passed) << "'";
  if (passed == Stage::LLVM && options.checkTimeLoops)
    return module.emitError("expected a module before stage 'llvm', for its time loops to be checked");
  return success();
}

/// Sets what the stages need to know about the options, `machine`, and `best`, which constants are packed for.
static void describeCompilation(const CompileOptions &options, const llvm::TargetMachine &machine,
                                const llvm::TargetMachine &best, PipelineOptions &pipeline) {
  PipelineOptions packing;
  describeTarget(machine, pipeline);
  describeTarget(best, packing);
  pipeline.packVectorBits = packing.vectorBits;
  pipeline.packVectorRegisters = packing.vectorRegisters;
  pipeline.packF16c = packing.f16c;
  pipeline.optimize = options.optimize;
  pipeline.gangWork = options.gangWork;
  pipeline.weightsPrecision = options.weightsPrecision;
  pipeline.precision = options.precision;
  pipeline.step = options.entries.front() == Entry::Step;
  // One time step has fewer positions and rows than all of them.
  pipeline.inOrder = llvm::is_contained(options.entries, Entry::Step);
  pipeline.checkTimeLoops = options.checkTimeLoops;
  pipeline.checkNaN = options.checkNaN;
  pipeline.profile = options.profile;
}

/// Lowers a module for `machine`. `times` may be null, and `shared` if this is the only module.
static LogicalResult lower(ModuleOp module, Stage stage, const CompileOptions &options,
                           const llvm::TargetMachine &machine, std::vector<StageTime> *times,
                           const SharedLowering *shared) {
  if (failed(checkStage(module, stage, options)))
    return failure();
  Stage passed = getStage(module);
  PipelineOptions pipeline;
  describeCompilation(options, machine, shared ? shared->best : machine, pipeline);
  if (shared && shared->kernels) {
    SharedKernels *kernels = shared->kernels;
    size_t level = shared->level;
    pipeline.kernelTarget = kernels->describeTarget(level);
    pipeline.commonKernelTarget = kernels->describeCommonTarget(level);
    pipeline.takeKernel = [&options, kernels, level](func::FuncOp kernel, bool isCommon) {
      if (!kernels->hasCode(kernel.getName()))
        kernels->generate(kernel.getName(), level, isCommon, lowerKernel(kernel, options.verifyPasses, describeTarget));
      // Passes have remarks on the bodies of kernels, and who configures passes wants to see what they do.
      return !options.remarks && !options.configurePasses;
    };
  }

  PassManager pm(module.getContext());
  pm.enableVerifier(options.verifyPasses);
  std::atomic<bool> hasDroppedMarks = false;
  if (options.verifyPasses)
    pm.addInstrumentation(createMarkCounts(hasDroppedMarks));
  populateStages(pm, passed, stage, pipeline);
  if (options.debugInfo && stage == Stage::LLVM)
    pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass({LLVM::DIEmissionKind::Full}));
  StageTimer *timer = nullptr;
  if (times) {
    auto owned = std::make_unique<StageTimer>(*times);
    timer = owned.get();
    timer->begin(module);
    pm.addInstrumentation(std::move(owned));
  }
  if (shared && shared->steps) {
    shared->steps.expectPasses(pm.size());
    pm.addInstrumentation(std::make_unique<PassSteps>(module, shared->steps));
  }
  if (options.configurePasses && failed(options.configurePasses(pm)))
    return failure();
  std::optional<RemarkScope> remarks;
  if (options.remarks)
    remarks.emplace(module.getContext(), options.remarkFilter, *options.remarks);
  if (failed(pm.run(module)) || failed(verify(module)) || hasDroppedMarks)
    return failure();
  if (timer)
    timer->finish(module);
  return success();
}

LogicalResult recur::lower(ModuleOp module, Stage stage, const CompileOptions &options,
                           const llvm::TargetMachine &machine, std::vector<StageTime> *times) {
  return ::lower(module, stage, options, machine, times, /*shared=*/nullptr);
}

LogicalResult recur::lowerShared(ModuleOp module, const CompileOptions &options, const llvm::TargetMachine &machine,
                                 const SharedLowering &shared) {
  return ::lower(module, Stage::LLVM, options, machine, &shared.times, &shared);
}
