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

/// On ov: canonical form; loops that run once or never go.
static void populateSimplifyPipeline(OpPassManager &pm, const PipelineOptions &options) {
  addCleanUp(pm);
  if (options.optimize) {
    // What a body makes of invariants is one too, and then sliced.
    pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
    pm.addNestedPass<func::FuncOp>(ov::createRaiseLoops());
    addCleanUp(pm);
  }
}

/// Cells are decomposed, TensorIterator and Loop become scf loops over slices.
static void populateLoopsPipeline(OpPassManager &pm, const PipelineOptions &options) {
  pm.addNestedPass<func::FuncOp>(ov::createExpandSequences());
  pm.addNestedPass<func::FuncOp>(ov::createDecomposeCells());
  addCleanUp(pm);
  if (options.optimize) {
    pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
    pm.addNestedPass<func::FuncOp>(ov::createHoistTimeParallel());
    addCleanUp(pm);
    pm.addNestedPass<func::FuncOp>(ov::createFuseLoops());
    addCleanUp(pm);
    // The initial values of loops get their dims here, so this comes first.
    pm.addNestedPass<func::FuncOp>(createBroadcastOVOperands());
    addCleanUp(pm);
  }
  pm.addNestedPass<func::FuncOp>(createConvertOVLoopsToSCF());
  addCleanUp(pm);
}

/// ov becomes linalg on tensors; boolean and unsigned tensors become i8 and iN.
static void populateLinalgPipeline(OpPassManager &pm, const PipelineOptions &) {
  pm.addNestedPass<func::FuncOp>(createConvertOVToLinalg());
  addCleanUp(pm);
  // The dims of what ops compute are told by their operands.
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  addCleanUp(pm);
  // Sizes are found, and are asked about, at the start: each loop that is left has buffers of known size.
  pm.addNestedPass<func::FuncOp>(createScalarizeShapes());
  addCleanUp(pm);
  pm.addNestedPass<func::FuncOp>(createHoistChecks());
  addCleanUp(pm);
}

/// Element-wise work is fused, tiled and vectorized for the target; arguments and results become buffers of the call.
static void populateSchedulePipeline(OpPassManager &pm, const PipelineOptions &options) {
  if (options.optimize) {
    PackMatmulsOptions pack;
    pack.vectorBits = options.vectorBits;
    pm.addNestedPass<func::FuncOp>(createPackMatmuls(pack));
    addCleanUp(pm);
    // The transposed copy of a matrix that a loop does not change is made before the loop.
    pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
    pm.addNestedPass<func::FuncOp>(createHoistProducts());
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

/// Tensors become buffers, buffers get places in the caller's workspace.
static void populateBufferizePipeline(OpPassManager &pm, const PipelineOptions &options) {
  pm.addNestedPass<func::FuncOp>(createSeparateDestinations());
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  addCleanUp(pm);
  pm.addNestedPass<func::FuncOp>(createForwardCopies());
  LowerProductsOptions products;
  products.vectorBits = options.vectorBits;
  products.vectorRegisters = options.vectorRegisters;
  pm.addPass(createLowerProducts(products));
  pm.addNestedPass<func::FuncOp>(createLowerVectors());
  LowerCopiesOptions copies;
  copies.kernels = options.optimize;
  pm.addPass(createLowerCopies(copies));
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  addCleanUp(pm);
  pm.addPass(memref::createFoldMemRefAliasOpsPass());
  PlanWorkspaceOptions workspace;
  workspace.share = options.optimize;
  workspace.report = options.reportWorkspace;
  pm.addPass(createPlanWorkspace(workspace));
  pm.addPass(createPlanWeights());
  addCleanUp(pm);
  if (options.checkTimeLoops)
    pm.addPass(createCheckTimeLoops());
}

/// Everything becomes the LLVM dialect.
static void populateLLVMPipeline(OpPassManager &pm, const PipelineOptions &options) {
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

namespace {
struct StagePipeline {
  const char *flag, *description;
  rt::Stage stage;
  void (*populate)(OpPassManager &, const PipelineOptions &);
};
} // namespace

/// In the order of rt::Stage.
static constexpr StagePipeline stages[] = {
    {"ov-simplify", "Canonical form of ov", rt::Stage::Simplify, populateSimplifyPipeline},
    {"ov-loops", "From ov loops to scf loops over slices", rt::Stage::Loops, populateLoopsPipeline},
    {"ov-linalg", "From ov to linalg on tensors", rt::Stage::Linalg, populateLinalgPipeline},
    {"ov-schedule", "Fuse, tile and vectorize; arguments and results become buffers", rt::Stage::Schedule,
     populateSchedulePipeline},
    {"ov-bufferize", "From tensors to buffers in the caller's workspace", rt::Stage::Bufferize,
     populateBufferizePipeline},
    {"ov-llvm", "From buffers and loops to the LLVM dialect", rt::Stage::LLVM, populateLLVMPipeline},
};

static void populate(OpPassManager &pm, const StagePipeline &stage, const PipelineOptions &options) {
  EnterStageOptions enter;
  enter.stage = stringifyStage(stage.stage).str();
  pm.addPass(createEnterStage(enter));
  stage.populate(pm, options);
}

void recur::populateStages(OpPassManager &pm, rt::Stage from, rt::Stage to, const PipelineOptions &options) {
  for (const StagePipeline &stage : stages)
    if (stage.stage > from && stage.stage <= to)
      populate(pm, stage, options);
  // The check is a part of the stage that this module has passed already.
  if (options.checkTimeLoops && from == rt::Stage::Bufferize)
    pm.addPass(createCheckTimeLoops());
}

void recur::registerPipelines() {
  for (const StagePipeline &stage : stages)
    PassPipelineRegistration<PipelineOptions>(
        stage.flag, stage.description,
        [&stage](OpPassManager &pm, const PipelineOptions &options) { populate(pm, stage, options); });
  PassPipelineRegistration<PipelineOptions>("ov-to-llvm", "All stages, from ov to the LLVM dialect",
                                            [](OpPassManager &pm, const PipelineOptions &options) {
                                              populateStages(pm, rt::Stage::Import, rt::Stage::LLVM, options);
                                            });
}
