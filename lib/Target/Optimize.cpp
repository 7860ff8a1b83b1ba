// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Optimize.cpp - LLVM's optimization and code generation -------------===//
//
// Runs the passes of LLVM that are worth their time, not one of its default pipelines: Recur's own passes have already
// tiled, vectorized, inlined and unrolled what pays.
//
//===----------------------------------------------------------------------===//
#include "EmitParts.h"
#include "PrepareCodeGen.h"
#include "Recur/Target/ModelContract.h"
#include "Recur/Target/ModelModule.h"
#include "Recur/Target/SharedKernels.h"
#include "Recur/Target/ShortLoops.h"
#include "Recur/Target/TargetMachine.h"
#include "Sanitize.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/ConstantMerge.h"
#include "llvm/Transforms/IPO/DeadArgumentElimination.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/SCCP.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Vectorize/LoopVectorize.h"

using namespace llvm;

namespace recur {

/// The library functions that LLVM may call: those that linkABIShim adds. Without this restriction LLVM replaces loops
/// by calls of strlen, memcmp and others.
static TargetLibraryInfoImpl libraryFunctions(const Triple &triple) {
  TargetLibraryInfoImpl info(triple);
  info.disableAllFunctions();
  for (LibFunc function : {LibFunc_memcpy, LibFunc_memmove, LibFunc_memset})
    info.setAvailable(function);
  return info;
}

/// A loop with more vectors than this is not worth unrolling, and neither is one that makes more in all its iterations.
static constexpr uint64_t kMostUnrolledVectors = 64, kMostVectorsOfIterations = 128;

/// A loop without vectors that loads and stores more often than this in all its iterations is not worth unrolling, nor
/// is one that puts more elements into vectors. It handles single elements, each with an address, so the loop around
/// them takes little of its time.
static constexpr uint64_t kMostScalarsOfIterations = 32;

/// The number of loads and stores of a loop.
static uint64_t countAccesses(const Loop &loop) {
  uint64_t accesses = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      accesses += isa<LoadInst, StoreInst>(instruction);
  return accesses;
}

/// The number of elements that a loop puts into vectors one by one, for example those of a column of a matrix.
static uint64_t countInsertions(const Loop &loop) {
  uint64_t insertions = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      insertions += isa<InsertElementInst>(instruction);
  return insertions;
}

/// The iterations of a loop whose counter goes from a constant to a constant. Nothing for other loops. A rotated loop
/// compares its counter at the end of an iteration, another one at the begin.
static std::optional<uint64_t> countIterations(const Loop &loop) {
  const BasicBlock *before = loop.getLoopPredecessor(), *latch = loop.getLoopLatch();
  if (!before || !latch)
    return std::nullopt;
  auto getCondition = [](const BasicBlock *block) -> const ICmpInst * {
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    return branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  };
  const ICmpInst *atEnd = getCondition(latch), *compare = atEnd ? atEnd : getCondition(loop.getHeader());
  if (!compare)
    return std::nullopt;
  auto getConstant = [](const Value *value) -> std::optional<int64_t> {
    auto *constant = dyn_cast<ConstantInt>(value);
    return constant ? constant->getValue().trySExtValue() : std::nullopt;
  };
  std::optional<int64_t> to = getConstant(compare->getOperand(1));
  for (const PHINode &counter : loop.getHeader()->phis()) {
    auto *next = dyn_cast<BinaryOperator>(counter.getIncomingValueForBlock(latch));
    const Value *compared = compare->getOperand(0);
    if (!next || next->getOpcode() != Instruction::Add || next->getOperand(0) != &counter ||
        (compared != &counter && compared != next))
      continue;
    std::optional<int64_t> from = getConstant(counter.getIncomingValueForBlock(before)),
                           step = getConstant(next->getOperand(1));
    if (!from || !to || !step || *from < 0 || *from > *to || *step <= 0)
      continue;
    if (atEnd)
      return (*to - *from) / *step + (compared == &counter);
    if (compared == &counter && is_contained({CmpInst::ICMP_SLT, CmpInst::ICMP_ULT}, compare->getPredicate()))
      return divideCeil(*to - *from, *step);
  }
  return std::nullopt;
}

/// False for a loop that the unroller shall not look at: it asks for the costs of all instructions, and simplifies each
/// of them in each iteration. It would leave most such loops alone in the end, and those that it unrolls gain nothing.
static bool isWorthUnrolling(const Loop &loop) {
  std::optional<uint64_t> iterations = countIterations(loop);
  if (!iterations)
    return false;
  if (uint64_t vectors = countVectors(loop))
    return SaturatingMultiply(vectors, *iterations) <= kMostVectorsOfIterations &&
           SaturatingMultiply(countInsertions(loop), *iterations) <= kMostScalarsOfIterations;
  return SaturatingMultiply(countAccesses(loop), *iterations) <= kMostScalarsOfIterations;
}

/// A loop with more vectors than this does not only copy.
static constexpr uint64_t kMostCopiedVectors = 8;

/// True for a loop of a kernel, which is in its final form.
static bool isOfKernel(const Loop &loop) {
  return loop.getHeader()->getParent()->hasFnAttribute(RECUR_KERNEL_ATTRIBUTE);
}

/// True for a loop that may be a copy, a fill, or without effect.
static bool mayCopy(const Loop &loop) { return !isOfKernel(loop) && countVectors(loop) <= kMostCopiedVectors; }

namespace {
/// Runs a pass on the loops for which `isWorth` holds.
template <typename Pass, bool (*isWorth)(const Loop &)>
class PassOnSomeLoops : public PassInfoMixin<PassOnSomeLoops<Pass, isWorth>> {
public:
  explicit PassOnSomeLoops(Pass pass = Pass()) : pass(std::move(pass)) {}

  PreservedAnalyses run(Loop &loop, LoopAnalysisManager &analyses, LoopStandardAnalysisResults &results,
                        LPMUpdater &updater) {
    return isWorth(loop) ? pass.run(loop, analyses, results, updater) : PreservedAnalyses::all();
  }

private:
  Pass pass;
};
} // namespace

/// The passes that are worth their time for code that Recur generates. Recur has vectorized, inlined and unrolled what
/// pays, its conditions do not repeat, and its loops carry values in registers. What is left for LLVM is to simplify
/// address arithmetic, to move it out of loops, to unroll loops of a few iterations, and to vectorize loops over dims
/// that may broadcast, for which Recur has no vectors. Loops of any number of iterations are not unrolled, and their
/// counters not widened: some models were 2 to 5 % slower with that.
static ModulePassManager buildPasses(unsigned optLevel) {
  FunctionPassManager functions;
  functions.addPass(SROAPass(SROAOptions::ModifyCFG));
  functions.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  functions.addPass(SimplifyCFGPass(SimplifyCFGOptions().convertSwitchRangeToICmp(true)));
  // Addresses of which parts are used twice are taken apart when only one of the uses is left. Those parts that are the
  // same in all iterations leave the loop then.
  functions.addPass(InstCombinePass());
  functions.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  functions.addPass(InstCombinePass());
  LoopPassManager invariants;
  invariants.addPass(LoopRotatePass());
  invariants.addPass(LICMPass(LICMOptions()));
  functions.addPass(createFunctionToLoopPassAdaptor(std::move(invariants), /*UseMemorySSA=*/true));
  LoopPassManager loops;
  loops.addPass(PassOnSomeLoops<LoopIdiomRecognizePass, mayCopy>());
  loops.addPass(PassOnSomeLoops<LoopDeletionPass, mayCopy>());
  loops.addPass(PassOnSomeLoops<LoopFullUnrollPass, isWorthUnrolling>(LoopFullUnrollPass(optLevel)));
  functions.addPass(createFunctionToLoopPassAdaptor(std::move(loops)));
  functions.addPass(LoopVectorizePass());
  functions.addPass(InferAlignmentPass());
  // Unrolled loops, and those of vectors, have more values that are the same in all iterations.
  functions.addPass(SROAPass(SROAOptions::ModifyCFG));
  functions.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  functions.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  functions.addPass(SimplifyCFGPass(SimplifyCFGOptions()
                                        .convertSwitchRangeToICmp(true)
                                        .convertSwitchToLookupTable(true)
                                        .needCanonicalLoops(false)
                                        .hoistCommonInsts(true)
                                        .sinkCommonInsts(true)));
  ModulePassManager passes;
  passes.addPass(IPSCCPPass());
  passes.addPass(DeadArgumentEliminationPass());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
  passes.addPass(GlobalDCEPass());
  passes.addPass(ConstantMergePass());
  return passes;
}

/// True for a loop that stores, but loads nothing: it fills memory, for example around a padded tensor.
static bool isFill(const Loop &loop) {
  bool stores = false;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      if (instruction.mayReadFromMemory())
        return false;
      stores |= instruction.mayWriteToMemory();
    }
  return stores;
}

/// Keeps LLVM from looking at loops where it has nothing to do.
///
/// Loops that fill memory are not unrolled: unrolled, they become blocks of hundreds of stores, which are no faster,
/// and for which the scheduler of the code generator takes a time that is quadratic in their number. Loops with vectors
/// are not vectorized again: the vectorizer finds out that they cannot be after it has compared all accesses of the
/// loop with each other. Loops with many vectors are not unrolled either: to estimate the size of such a loop, the
/// unroller asks for the costs of all of its vectors, which took up to a half of the time of all passes, and it decides
/// against it. A loop of a few iterations is not vectorized if they do not fill vectors: LLVM would make vectors with
/// masks, and gather their elements (measured: 1.6 times the time for sums of six rows of six). Loops of kernels are in
/// their final form.
static void markLoops(Module &module) {
  forEachLoop(module, [](Loop &loop) {
    uint64_t vectors = countVectors(loop);
    bool isFinal = isOfKernel(loop);
    if (isFinal || isFill(loop) || vectors > kMostUnrolledVectors)
      loop.setLoopAlreadyUnrolled();
    std::optional<uint64_t> iterations = countIterations(loop);
    bool isShort = iterations && *iterations < kFewIterations && *iterations % 4 != 0;
    if (isFinal || vectors > 0 || isShort)
      addStringMetadataToLoop(&loop, "llvm.loop.vectorize.enable", 0);
  });
}

/// Inlines functions that only a function without branches calls, once: the share of a thread, which loads its
/// arguments from memory. Nothing else is worth inlining.
static void inlineShares(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    auto *call =
        function.hasLocalLinkage() && function.hasOneUse() ? dyn_cast<CallInst>(function.user_back()) : nullptr;
    if (!call || function.isDeclaration() || call->getCalledFunction() != &function ||
        call->getFunction() == &function || call->getFunction()->size() != 1 ||
        function.hasFnAttribute(RECUR_KERNEL_ATTRIBUTE) || function.hasFnAttribute(Attribute::NoInline))
      continue;
    InlineFunctionInfo info;
    if (InlineFunction(*call, info).isSuccess())
      function.eraseFromParent();
  }
}

Error optimizeModule(Module &module, Levels levels, unsigned optLevel, Sanitizer sanitizer) {
  llvm::TargetMachine &machine = *levels.front();
  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(module, &os))
    return createStringError("internal error: the generated code is not valid: " + problem);

  PassBuilder builder(&machine);
  LoopAnalysisManager loopAnalyses;
  FunctionAnalysisManager functionAnalyses;
  CGSCCAnalysisManager sccAnalyses;
  ModuleAnalysisManager moduleAnalyses;
  functionAnalyses.registerPass([&] { return TargetLibraryAnalysis(libraryFunctions(machine.getTargetTriple())); });
  builder.registerModuleAnalyses(moduleAnalyses);
  builder.registerCGSCCAnalyses(sccAnalyses);
  builder.registerFunctionAnalyses(functionAnalyses);
  builder.registerLoopAnalyses(loopAnalyses);
  builder.crossRegisterProxies(loopAnalyses, functionAnalyses, sccAnalyses, moduleAnalyses);

  ModulePassManager passes;
  if (optLevel > 0) {
    inlineShares(module);
    markLoops(module);
    passes = buildPasses(optLevel);
  }
  addSanitizer(module, passes, sanitizer);
  passes.run(module, moduleAnalyses);
  prepareCodeGen(module, levels);
  return Error::success();
}

Error emitModule(Module &module, llvm::TargetMachine &machine, EmitKind kind, SmallVectorImpl<char> &output,
                 SharedKernels *kernels) {
  if (kernels && !kernels->areAssembly())
    if (Error error = kernels->putBack(module))
      return error;
  if (kernels && (kernels->empty() || !kernels->areAssembly()))
    kernels = nullptr;
  if (kernels || (kind == EmitKind::Object && hasParts(module)))
    return emitParts(module, machine, kind, kernels, output);
  raw_svector_ostream os(output);
  if (kind == EmitKind::LLVM) {
    module.print(os, nullptr);
    return Error::success();
  }
  legacy::PassManager passes;
  passes.add(new TargetLibraryInfoWrapperPass(libraryFunctions(machine.getTargetTriple())));
  CodeGenFileType type = kind == EmitKind::Assembly ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile;
  if (machine.addPassesToEmitFile(passes, os, /*DwoOut=*/nullptr, type))
    return createStringError("target '%s' cannot write this kind of file", module.getTargetTriple().str().c_str());
  passes.run(module);
  return Error::success();
}

} // namespace recur
