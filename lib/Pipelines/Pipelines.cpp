// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Pipelines.cpp - The way from ov to LLVM, stage by stage ------------===//

#include "Recur/Pipelines/Pipelines.h"

#include "Recur/Conversion/Passes.h"
#include "Recur/Dialect/OV/Transforms/Passes.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace recur;

static void addCleanUp(OpPassManager &pm) {
  // The patterns undo what rt-lower-vectors does: vectors of several dims put together of registers.
  pm.addPass(createCanonicalizerPass(GreedyRewriteConfig(), {"(anonymous namespace)::InsertChainFullyInitialized",
                                                             "(anonymous namespace)::InsertToBroadcast"}));
  pm.addPass(createCSEPass());
}

void recur::populateSimplifyPipeline(OpPassManager &pm, const PipelineOptions &options) {
  addCleanUp(pm);
  if (options.optimize) {
    // What a body makes of invariants is one too, and then sliced.
    pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
    pm.addNestedPass<func::FuncOp>(ov::createRaiseLoops());
    addCleanUp(pm);
  }
}

void recur::populateLoopsPipeline(OpPassManager &pm, const PipelineOptions &options) {
  pm.addNestedPass<func::FuncOp>(ov::createExpandSequences());
  pm.addNestedPass<func::FuncOp>(ov::createDecomposeCells());
  addCleanUp(pm);
  if (options.optimize) {
    pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
    pm.addNestedPass<func::FuncOp>(ov::createHoistTimeParallel());
    addCleanUp(pm);
    pm.addNestedPass<func::FuncOp>(ov::createFuseLoops());
    addCleanUp(pm);
  }
  pm.addNestedPass<func::FuncOp>(createConvertOVLoopsToSCF());
  addCleanUp(pm);
}

void recur::populateLinalgPipeline(OpPassManager &pm, const PipelineOptions &) {
  pm.addNestedPass<func::FuncOp>(createConvertOVToLinalg());
  addCleanUp(pm);
}

void recur::populateSchedulePipeline(OpPassManager &pm, const PipelineOptions &options) {
  if (options.optimize) {
    PackMatmulsOptions pack;
    pack.vectorBits = options.vectorBits;
    pm.addNestedPass<func::FuncOp>(createPackMatmuls(pack));
    addCleanUp(pm);
    // The transposed copy of a matrix that a loop does not change is made before the loop.
    pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
    pm.addNestedPass<func::FuncOp>(createFuseElementwise());
  }
  pm.addPass(createLowerEntry());
  pm.addNestedPass<func::FuncOp>(createLowerWeights());
  addCleanUp(pm);
  // While linalg ops are whole, their results find the buffers that they are for.
  pm.addNestedPass<func::FuncOp>(createSeparateDestinations());
  pm.addPass(createEliminateEmptyTensors());
  addCleanUp(pm);
  TileAndVectorizeOptions tile;
  tile.vectorBits = options.vectorBits;
  tile.vectorRegisters = options.vectorRegisters;
  tile.vectorize = options.optimize;
  pm.addNestedPass<func::FuncOp>(createTileAndVectorize(tile));
  addCleanUp(pm);
}

void recur::populateBufferizePipeline(OpPassManager &pm, const PipelineOptions &options) {
  pm.addNestedPass<func::FuncOp>(createSeparateDestinations());
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  addCleanUp(pm);
  pm.addNestedPass<func::FuncOp>(createForwardOutputs());
  pm.addNestedPass<func::FuncOp>(createLowerVectors());
  pm.addNestedPass<func::FuncOp>(createLowerCopies());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  addCleanUp(pm);
  pm.addPass(memref::createFoldMemRefAliasOpsPass());
  pm.addPass(createPlanWorkspace());
  pm.addPass(createPlanWeights());
  addCleanUp(pm);
  if (options.checkTimeLoops)
    pm.addNestedPass<func::FuncOp>(createCheckTimeLoops());
}

void recur::populateLLVMPipeline(OpPassManager &pm, const PipelineOptions &options) {
  ExpandMathOptions math;
  math.noFma = !options.fma;
  math.noRounding = !options.rounding;
  math.noF16c = !options.f16c;
  pm.addNestedPass<func::FuncOp>(createExpandMath(math));
  pm.addPass(createKeepTimeLoops());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createLowerChecks());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  addCleanUp(pm);
  pm.addPass(createConvertRTToLLVM());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createStoreBFloatAsBits());
  addCleanUp(pm);
  pm.addPass(createKeepTimeLoops());
}

void recur::registerPipelines() {
  using Populate = void (*)(OpPassManager &, const PipelineOptions &);
  static constexpr struct {
    const char *flag, *description;
    Populate populate;
  } stages[] = {
      {"ov-simplify", "Canonical form of ov", populateSimplifyPipeline},
      {"ov-loops", "From ov loops to scf loops over slices", populateLoopsPipeline},
      {"ov-linalg", "From ov to linalg on tensors", populateLinalgPipeline},
      {"ov-schedule", "Fuse, tile and vectorize; arguments and results become buffers", populateSchedulePipeline},
      {"ov-bufferize", "From tensors to buffers in the caller's workspace", populateBufferizePipeline},
      {"ov-llvm", "From buffers and loops to the LLVM dialect", populateLLVMPipeline},
  };
  for (const auto &stage : stages)
    PassPipelineRegistration<PipelineOptions>(stage.flag, stage.description, stage.populate);
  PassPipelineRegistration<PipelineOptions>("ov-to-llvm", "All stages, from ov to the LLVM dialect",
                                            [](OpPassManager &pm, const PipelineOptions &options) {
                                              for (const auto &stage : stages)
                                                stage.populate(pm, options);
                                            });
}
