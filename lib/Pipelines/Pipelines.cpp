// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Pipelines.cpp - The way from ov to LLVM, stage by stage ------------===//
//
// This file is the only place that lists which passes a stage runs, and in which order. `ir-opt` and the compiler use
// the same pipelines. The comment at a pass says what it needs from the passes before, and what it leaves for those
// after it. Clean-up (canonicalization and CSE) follows most steps, because later patterns match canonical form.
//
//===----------------------------------------------------------------------===//

#include "Recur/Pipelines/Pipelines.h"

#include "Recur/Conversion/Passes.h"
#include "Recur/Dialect/OV/Transforms/Passes.h"
#include "Recur/Transforms/CanonicalPatterns.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace recur;

/// The patterns that all instances of rt-canonicalize in a pipeline share.
using SharedPatterns = std::shared_ptr<CanonicalPatterns>;

/// Adds canonicalization, without the patterns of the classes `omitted`, and CSE. The patterns of the next step match
/// canonical form.
static void addCleanUp(OpPassManager &pm, const SharedPatterns &patterns, ArrayRef<std::string> omitted = {}) {
  CanonicalizeOptions options;
  llvm::append_range(options.omitPatterns, omitted);
  pm.addPass(createCanonicalize(std::move(options), patterns));
  pm.addPass(createCSEPass());
}

/// Adds the same for functions whose vectors are lowered to registers. The canonical form of vector.insert would take
/// these vectors apart.
template <typename FuncT = func::FuncOp>
static void addCleanUpOfRegisters(OpPassManager &pm, const SharedPatterns &patterns) {
  CanonicalizeOptions options;
  options.omitOps.push_back(vector::InsertOp::getOperationName().str());
  pm.addNestedPass<FuncT>(createCanonicalize(std::move(options), patterns));
  pm.addNestedPass<FuncT>(createCSEPass());
}

/// Brings ov into canonical form and raises loops. Loops that run once or never are removed.
static void populateSimplifyPipeline(OpPassManager &pm, const PipelineOptions &options,
                                     const SharedPatterns &patterns) {
  // Needs the bodies of loops as the model has them. Leaves the dims after no iteration as operands of loops.
  pm.addNestedPass<func::FuncOp>(ov::createTellEmptyDims());
  // Folds shapes and constants, so that trip counts and axes are known.
  addCleanUp(pm, patterns);
  // Needs constants with the layout that their readers see. Leaves layout steps that round.
  ov::RoundWeightsOptions round;
  round.precision = options.weightsPrecision;
  pm.addNestedPass<func::FuncOp>(ov::createRoundWeights(round));
  if (options.optimize) {
    // Needs folded constants, which upstream's CSE has merged. Leaves one op of those that are equal.
    pm.addNestedPass<func::FuncOp>(ov::createMergeEqualOps());
    ov::RollGroupsOptions roll;
    // A step is an iteration of each loop over time, and layers are no time.
    roll.layers = !options.step;
    // Needs constant indices of slices, and equal ops that are one. Leaves loops as an author would have written them.
    pm.addNestedPass<func::FuncOp>(ov::createRollGroups(roll));
    addCleanUp(pm, patterns);
    // A value that a body computes from loop-invariant values moves before the loop, where a raised loop can slice it.
    pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
    // Needs counters and conditions in canonical form. Leaves slices, concatenations and trip counts instead of reads,
    // writes and conditions at a counter.
    pm.addNestedPass<func::FuncOp>(ov::createRaiseLoops());
    addCleanUp(pm, patterns);
  }
}

/// Decomposes cells, and turns TensorIterator and Loop into scf loops over slices.
static void populateLoopsPipeline(OpPassManager &pm, const PipelineOptions &options, const SharedPatterns &patterns) {
  // Leaves a loop over cells for each direction of a sequence.
  pm.addNestedPass<func::FuncOp>(ov::createExpandSequences());
  // Leaves products and element-wise ops. The product of the input is apart from that of the state.
  pm.addNestedPass<func::FuncOp>(ov::createDecomposeCells());
  addCleanUp(pm, patterns);
  // Moves what does not depend on the iteration while it is still ov, whose ops say whether they can fail.
  pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
  if (options.optimize) {
    // Needs loop-invariant matrices outside of the body. Leaves products of slices alone.
    pm.addNestedPass<func::FuncOp>(ov::createSplitJoinedProducts());
    addCleanUp(pm, patterns);
  }
  if (options.step) {
    // Needs sequences as loops, and the products that a loop has. Leaves one iteration, whose carried values are
    // states.
    pm.addPass(ov::createStreamLoops());
    addCleanUp(pm, patterns);
  }
  if (options.optimize) {
    // Needs decomposed cells. Leaves the products of all slices in one product before the loop.
    ov::HoistTimeParallelOptions hoist;
    // rt-hoist-products takes rounded rows only for instructions for pairs of bf16.
    if (options.precision != ov::ProductPrecision::F32 && !options.dots && !options.tiles)
      hoist.stripBytes = std::numeric_limits<int64_t>::max();
    pm.addNestedPass<func::FuncOp>(ov::createHoistTimeParallel(hoist));
    addCleanUp(pm, patterns);
  }
  if (options.precision != ov::ProductPrecision::F32) {
    ov::RoundProductsOptions round;
    round.precision = options.precision;
    // Comes after the products have moved, which conversions in front of them would prevent. Leaves conversions that
    // fold into constants.
    pm.addNestedPass<func::FuncOp>(ov::createRoundProducts(round));
    addCleanUp(pm, patterns);
  }
  if (options.optimize) {
    // Needs ops that broadcast by themselves. Leaves convolutions between transposes. Their kernels add in an order of
    // their own.
    ov::ChannelsLastOptions last;
    last.leastConvolutions = 3;
    if (!options.inOrder) {
      pm.addNestedPass<func::FuncOp>(ov::createChannelsLast(last));
      addCleanUp(pm, patterns);
    }
    // This pass determines the dims of the initial values of loops, so it runs before the loops are converted.
    pm.addNestedPass<func::FuncOp>(createBroadcastOVOperands());
    addCleanUp(pm, patterns);
  }
  // Leaves scf loops, whose states and concatenations are buffers, around ov ops on tensors.
  pm.addNestedPass<func::FuncOp>(createConvertOVLoopsToSCF());
  addCleanUp(pm, patterns);
  if (options.optimize) {
    // Broadcasts what the conversion could not broadcast before a loop, because a body does not compute it row by row.
    pm.addNestedPass<func::FuncOp>(createBroadcastOVOperands());
    addCleanUp(pm, patterns);
  }
  // Needs time loops with their numbers, and ov ops where they will be computed. Leaves a check behind each of them.
  if (options.checkNaN)
    pm.addNestedPass<func::FuncOp>(createCheckNaN());
}

/// Turns ov into linalg on tensors. Boolean tensors become i8, and unsigned integers become signless (iN).
static void populateLinalgPipeline(OpPassManager &pm, const PipelineOptions &options, const SharedPatterns &patterns) {
  // Needs a module without ov loops and branches, because all types change at once.
  ConvertOVToLinalgOptions toLinalg;
  toLinalg.inOrder = options.inOrder;
  toLinalg.kernels = options.optimize;
  pm.addNestedPass<func::FuncOp>(createConvertOVToLinalg(toLinalg));
  addCleanUp(pm, patterns);
  // Expresses the dims of results by the dims of operands.
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  addCleanUp(pm, patterns);
  // Sizes are computed and checked at the start of the function, so that buffers in the remaining loops have sizes that
  // are known before the loops.
  pm.addNestedPass<func::FuncOp>(createScalarizeShapes());
  addCleanUp(pm, patterns);
  // Needs sizes that are scalars. Leaves only checks in loops that depend on the iteration or on computed data.
  pm.addNestedPass<func::FuncOp>(createHoistChecks());
  addCleanUp(pm, patterns);
  if (options.optimize) {
    // Needs the conditions of checks in canonical form. Leaves branches with constant conditions.
    pm.addNestedPass<func::FuncOp>(createUseChecks());
    // The conditions of equal checks are one value now. This drops all of these checks but the first.
    addCleanUp(pm, patterns);
    FuseTimeLoopsOptions fuse;
    fuse.vectorRegisters = options.vectorRegisters;
    fuse.hasDots = options.dots;
    // Needs sizes and checks before the loops, and products that do not depend on the iteration. Leaves one loop.
    pm.addNestedPass<func::FuncOp>(createFuseTimeLoops(fuse));
    addCleanUp(pm, patterns);
  }
}

/// Fuses element-wise ops, tiles and vectorizes for the target, and turns arguments and results into buffers of the
/// call.
static void populateSchedulePipeline(OpPassManager &pm, const PipelineOptions &options,
                                     const SharedPatterns &patterns) {
  if (options.optimize) {
    PackMatmulsOptions pack;
    pack.vectorBits = options.packVectorBits ? options.packVectorBits : options.vectorBits;
    pack.vectorRegisters = options.packVectorRegisters ? options.packVectorRegisters : options.vectorRegisters;
    pack.hasF16C = options.f16c || options.packF16c;
    pack.hasTiles = options.tiles;
    pack.hasDots = options.dots;
    // Needs products and their matrices as they were lowered, so it comes before fusion.
    pm.addNestedPass<func::FuncOp>(createPackMatmuls(pack));
    addCleanUp(pm, patterns);
    // Needs checks in front of loops where they can be. Leaves the transposed copy of a loop-invariant matrix, and what
    // else is safe without the checks, before the loop.
    pm.addNestedPass<func::FuncOp>(createHoistInvariants());
    // Needs matrices in front of the loop. Leaves one product of a whole strip of iterations in front of the strip.
    pm.addNestedPass<func::FuncOp>(createHoistProducts());
    NarrowConstantsOptions narrow;
    narrow.hasF16C = options.f16c || options.packF16c;
    // Needs packed matrices, and loops as they will be. Leaves narrow constants, and ops that widen them.
    pm.addNestedPass<func::FuncOp>(createNarrowConstants(narrow));
    // Needs packed matrices, and loops as they will be. Leaves copies of loops for a single row.
    pm.addNestedPass<func::FuncOp>(createSpecializeRows());
    // Leaves one op for each chain of element-wise ops. A product keeps its own op.
    pm.addNestedPass<func::FuncOp>(createFuseElementwise());
    // Needs chains of element-wise ops as one op. Leaves convolutions that compute what alone reads their results.
    pm.addNestedPass<func::FuncOp>(createFuseEpilogues());
    // Needs fused ops. Leaves fewer loops of ops on tensors of many dims.
    pm.addNestedPass<func::FuncOp>(createCollapseLoops());
    // Needs products, those that fusion has made too, as they will be. Leaves products that no later pass changes.
    pm.addNestedPass<func::FuncOp>(createFormProducts());
  }
  // Leaves buffers of the call instead of arguments and results, so that results have destinations.
  pm.addPass(createLowerEntry());
  // Packing has made new reshapes. Leaves sizes of outputs that do not depend on the results themselves, so that the
  // results can be computed in the outputs.
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  // Needs the final layout of constants. Leaves buffers of packed weights.
  pm.addNestedPass<func::FuncOp>(createLowerWeights());
  addCleanUp(pm, patterns);
  // Results get their destinations before tiling, while each linalg op is still a single op.
  pm.addNestedPass<func::FuncOp>(createSeparateDestinations());
  pm.addPass(createEliminateEmptyTensors());
  addCleanUp(pm, patterns);
  if (options.optimize) {
    // Needs the destinations of results. Leaves ops of two results, which tiling takes as others.
    pm.addNestedPass<func::FuncOp>(createStoreTwice());
    // Needs the destinations of results. Leaves ops on one part of a batch, which are tiled as any others.
    pm.addNestedPass<func::FuncOp>(createFuseBatches());
    addCleanUp(pm, patterns);
    WidenPanelsOptions widen;
    widen.vectorBits = options.vectorBits;
    widen.vectorRegisters = options.vectorRegisters;
    // Needs products as whole ops, with their destinations. Leaves products of blocks that are widened before.
    pm.addNestedPass<func::FuncOp>(createWidenPanels(widen));
  }
  TileAndVectorizeOptions tile;
  tile.vectorBits = options.vectorBits;
  tile.vectorRegisters = options.vectorRegisters;
  tile.vectorize = options.optimize;
  // Needs destinations, because the tiles of an op are written one by one. Leaves vectors in the loops over tiles.
  pm.addNestedPass<func::FuncOp>(createTileAndVectorize(tile));
  // The pattern that folds a cast of a destination would leave a new cast in the region of vector.mask, which may have
  // one op.
  addCleanUp(pm, patterns, {"FoldTensorCastProducerOp"});
}

/// Turns tensors into buffers, and gives the buffers offsets in the caller's workspace.
static void populateBufferizePipeline(OpPassManager &pm, const PipelineOptions &options,
                                      const SharedPatterns &patterns) {
  // Tiling has made new empty tensors. Two values that are alive together must not share one.
  pm.addNestedPass<func::FuncOp>(createSeparateDestinations());
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  // Needs branches with buffers. Leaves rows whose elements are known to be contiguous.
  pm.addNestedPass<func::FuncOp>(createKeepStrides());
  addCleanUp(pm, patterns);
  // Needs buffers. Leaves values that are computed where they would be copied to.
  pm.addNestedPass<func::FuncOp>(createForwardCopies());
  LowerProductsOptions products;
  products.vectorBits = options.vectorBits;
  products.vectorRegisters = options.vectorRegisters;
  // Needs products on buffers, whose strides are known. Leaves calls of kernels.
  pm.addPass(createLowerProducts(products));
  LowerConvolutionsOptions convolutions;
  convolutions.vectorBits = options.vectorBits;
  convolutions.vectorRegisters = options.vectorRegisters;
  // Needs convolutions on buffers, whose strides are known. Leaves calls of kernels.
  pm.addPass(createLowerConvolutions(convolutions));
  // Needs the vectors of tiles. Leaves vectors of one dim, which fit registers.
  LowerVectorsOptions vectors;
  vectors.vectorBits = options.vectorBits;
  pm.addNestedPass<func::FuncOp>(createLowerVectors(vectors));
  LowerCopiesOptions copies;
  copies.kernels = options.optimize;
  // Comes after all passes that make or remove copies. Leaves loops over vectors, or calls of kernels.
  pm.addPass(createLowerCopies(copies));
  // Leaves scalar loops for the ops that tiling has left alone.
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  addCleanUpOfRegisters(pm, patterns);
  // Leaves loads and stores on the buffers themselves, whose lifetimes the next pass compares.
  pm.addPass(memref::createFoldMemRefAliasOpsPass());
  // Needs one loop over the batch, and accesses to the buffers themselves. Leaves a loop over strips of iterations.
  if (options.optimize)
    pm.addNestedPass<func::FuncOp>(createStripBatches());
  // Needs loops that carry vectors, before any of them is unrolled. Leaves the order of sums that the kernels have.
  if (options.optimize)
    pm.addNestedPass<func::FuncOp>(createSplitAccumulators());
  GroupTimeLoopsOptions group;
  group.gangWork = options.gangWork;
  // Needs time loops whose states are in buffers, and whose allocations are memory of their own. Leaves loops over the
  // numbers of time loops. A profile counts the ops of a layer, which stand in no loop for it.
  if (options.optimize && !options.profile)
    pm.addNestedPass<func::FuncOp>(createGroupTimeLoops(group));
  KeepStatesOptions states;
  states.vectorRegisters = options.vectorRegisters;
  // Needs loads and stores on the buffers themselves. Leaves states in registers.
  if (options.optimize)
    pm.addNestedPass<func::FuncOp>(createKeepStates(states));
  MarkIndependentLoopsOptions mark;
  mark.gangWork = options.gangWork;
  // Needs allocations, each of which is memory of its own. Leaves a mark on the loops that several threads may share.
  if (options.optimize)
    pm.addNestedPass<func::FuncOp>(createMarkIndependentLoops(mark));
  PlanWorkspaceOptions workspace;
  workspace.share = options.optimize;
  // Needs the final set of buffers. Leaves views of the workspace, and the function that computes the sizes.
  pm.addPass(createPlanWorkspace(workspace));
  // Leaves one condition for the checks of buffers with the same dims, of which the canonical form has one.
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addPass(createPlanWeights());
  addCleanUpOfRegisters(pm, patterns);
  if (options.checkTimeLoops)
    pm.addPass(createCheckTimeLoops());
}

/// Lowers loops over vectors, in their final order, to the LLVM dialect.
static void populateLowering(OpPassManager &pm, const PipelineOptions &options, const SharedPatterns &patterns) {
  if (options.optimize) {
    // Needs loops over loads of whole vectors, in their final directions. Leaves hints, which later passes ignore.
    pm.addNestedPass<func::FuncOp>(createPrefetchWeights());
    // Needs loads of the rows of tiles, by their indices. Leaves addresses.
    pm.addNestedPass<func::FuncOp>(createShareAddresses());
    // Needs planned buffers, which no later pass compares. Leaves views of them, whose indices are those of loops.
    pm.addNestedPass<func::FuncOp>(createMergeIndices());
  }
  ExpandMathOptions math;
  math.noFma = !options.fma;
  math.noRounding = !options.rounding;
  math.noF16c = !options.f16c;
  math.scaling = options.scaling;
  // Leaves no op that would become a call of libm, but the documented ones of f64.
  pm.addNestedPass<func::FuncOp>(createExpandMath(math));
  // Needs loops in their final form, whose bounds are values. Leaves those around loops that never run without an
  // iteration.
  pm.addNestedPass<func::FuncOp>(createSkipEmptyNests());
  // Needs scf, where time loops and trip counts are visible. Leaves annotations against unrolling.
  pm.addPass(createKeepTimeLoops());
  // Leaves branches. A check becomes one that leaves its loops in the middle, which scf cannot express.
  pm.addNestedPass<func::FuncOp>(createSCFToControlFlowPass());
  pm.addPass(createLowerChecks());
  // Leaves arithmetic on offsets instead of views. Some of it is affine.
  pm.addNestedPass<func::FuncOp>(memref::createExpandStridedMetadataPass());
  pm.addNestedPass<func::FuncOp>(createLowerAffinePass());
  addCleanUpOfRegisters(pm, patterns);
  // Leaves casts from descriptors to memrefs. The general conversion makes them casts between equal types, which go.
  pm.addPass(createConvertRTToLLVM());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  // Needs all types to be those of LLVM. Leaves i16 wherever bf16 is only stored.
  pm.addPass(createStoreBFloatAsBits());
  addCleanUpOfRegisters<LLVM::LLVMFuncOp>(pm, patterns);
  // The annotations are on branches now. Moves them to the attribute that becomes LLVM's metadata.
  pm.addPass(createKeepTimeLoops());
}

/// Lowers everything to the LLVM dialect.
static void populateLLVMPipeline(OpPassManager &pm, const PipelineOptions &options, const SharedPatterns &patterns) {
  // Needs fused and tiled layers, whose order is that of their effects, and checked time loops. Leaves calls, over
  // which later passes move nothing.
  if (options.profile)
    pm.addPass(createProfileLayers());
  FormParallelRegionsOptions regions;
  regions.gangWork = options.gangWork;
  // Needs planned buffers and checked time loops. Leaves functions for the shares of several threads.
  if (options.optimize)
    pm.addPass(createFormParallelRegions(regions));
  // Needs the marks of independent loops, and the functions for the shares. Leaves loops in a direction of time loops.
  if (options.optimize)
    pm.addPass(createAlternateOrder());
  // Needs time loops in their final form, and no marks of a profile. Leaves blocks of a bounded length.
  if (!options.profile)
    pm.addPass(createOutlineLayers());
  ShareKernelsOptions share;
  share.target = options.kernelTarget;
  share.commonTarget = options.commonKernelTarget;
  // Needs kernels that no later pass asks what they do. Leaves less to lower: populateSharedKernels lowers them.
  if (options.takeKernel)
    pm.addPass(createShareKernels(std::move(share), options.takeKernel));
  populateLowering(pm, options, patterns);
}

void recur::populateSharedKernels(OpPassManager &pm, const PipelineOptions &options) {
  populateLowering(pm, options, std::make_shared<CanonicalPatterns>());
}

namespace {
/// A stage: its pipeline for the command line, and the function that adds its passes.
struct StagePipeline {
  const char *flag, *description;
  rt::Stage stage;
  void (*populate)(OpPassManager &, const PipelineOptions &, const SharedPatterns &);
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

/// Adds the passes of a stage. The first one records the stage in the module.
static void populate(OpPassManager &pm, const StagePipeline &stage, const PipelineOptions &options,
                     const SharedPatterns &patterns) {
  EnterStageOptions enter;
  enter.stage = stringifyStage(stage.stage).str();
  pm.addPass(createEnterStage(enter));
  stage.populate(pm, options, patterns);
}

void recur::populateStages(OpPassManager &pm, rt::Stage from, rt::Stage to, const PipelineOptions &options) {
  // The bufferize stage contains the check, but this module has passed that stage already. The check comes first: after
  // the LLVM stage there is no loop left to check.
  if (options.checkTimeLoops && from == rt::Stage::Bufferize)
    pm.addPass(createCheckTimeLoops());
  auto patterns = std::make_shared<CanonicalPatterns>();
  for (const StagePipeline &stage : stages)
    if (stage.stage > from && stage.stage <= to)
      populate(pm, stage, options, patterns);
}

void recur::registerPipelines() {
  for (const StagePipeline &stage : stages)
    PassPipelineRegistration<PipelineOptions>(stage.flag, stage.description,
                                              [&stage](OpPassManager &pm, const PipelineOptions &options) {
                                                populate(pm, stage, options, std::make_shared<CanonicalPatterns>());
                                              });
  PassPipelineRegistration<PipelineOptions>("ov-to-llvm", "All stages, from ov to the LLVM dialect",
                                            [](OpPassManager &pm, const PipelineOptions &options) {
                                              populateStages(pm, rt::Stage::Import, rt::Stage::LLVM, options);
                                            });
}
