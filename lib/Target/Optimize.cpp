// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Optimize.cpp - LLVM's optimization and code generation -------------===//
//
// Runs LLVM's default pipeline and skips the passes that only cost compile time: Recur's own passes have already tiled,
// vectorized and unrolled the loops of the kernels.
//
//===----------------------------------------------------------------------===//
#include "EmitParts.h"
#include "PrepareCodeGen.h"
#include "Recur/Target/ModelContract.h"
#include "Recur/Target/ModelModule.h"
#include "Recur/Target/SharedKernels.h"
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
#include "llvm/Transforms/AggressiveInstCombine/AggressiveInstCombine.h"
#include "llvm/Transforms/IPO/CalledValuePropagation.h"
#include "llvm/Transforms/IPO/FunctionAttrs.h"
#include "llvm/Transforms/IPO/GlobalOpt.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Instrumentation/ControlHeightReduction.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/BDCE.h"
#include "llvm/Transforms/Scalar/CallSiteSplitting.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/DivRemPairs.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/Float2Int.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/JumpThreading.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopDistribute.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopInstSimplify.h"
#include "llvm/Transforms/Scalar/LoopLoadElimination.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopSimplifyCFG.h"
#include "llvm/Transforms/Scalar/LoopSink.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/MergedLoadStoreMotion.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Scalar/SpeculativeExecution.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Vectorize/VectorCombine.h"

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

/// The function that a pass is about to run on, or whose loop it is about to run on. Null for other units of IR.
static const Function *findFunction(const Any &ir) {
  if (auto *function = any_cast<const Function *>(&ir))
    return *function;
  if (auto *loop = any_cast<const Loop *>(&ir))
    return (*loop)->getHeader()->getParent();
  return nullptr;
}

/// Passes of LLVM's pipeline that are not worth their time for code that Recur generates. Recur has done their work
/// with more knowledge: it has unrolled what pays, its conditions do not repeat, and its loops carry values in
/// registers.
static bool isIdle(StringRef pass) {
  // These changed the code of none of 575 models. LoopDistributePass and LoopLoadEliminationPass even compare all
  // accesses of a loop with each other to find out.
  static const StringRef withoutEffect[] = {ADCEPass::name(),
                                            AggressiveInstCombinePass::name(),
                                            BDCEPass::name(),
                                            CalledValuePropagationPass::name(),
                                            CallSiteSplittingPass::name(),
                                            ControlHeightReductionPass::name(),
                                            DivRemPairsPass::name(),
                                            Float2IntPass::name(),
                                            GlobalOptPass::name(),
                                            LoopDistributePass::name(),
                                            LoopInstSimplifyPass::name(),
                                            LoopLoadEliminationPass::name(),
                                            LoopSimplifyCFGPass::name(),
                                            LoopSinkPass::name(),
                                            MergedLoadStoreMotionPass::name(),
                                            PostOrderFunctionAttrsPass::name(),
                                            ReversePostOrderFunctionAttrsPass::name(),
                                            SpeculativeExecutionPass::name(),
                                            VectorCombinePass::name()};
  // Without these, no benchmark is slower, and some are 2 to 5 % faster: loops that LLVM unrolls for any number of
  // iterations become larger, and their induction variables more. LoopFullUnrollPass is worth it.
  static const StringRef withoutGain[] = {CorrelatedValuePropagationPass::name(),
                                          DSEPass::name(),
                                          GVNPass::name(),
                                          IndVarSimplifyPass::name(),
                                          JumpThreadingPass::name(),
                                          LoopUnrollPass::name(),
                                          SCCPPass::name(),
                                          SimpleLoopUnswitchPass::name()};
  return is_contained(withoutEffect, pass) || is_contained(withoutGain, pass);
}

/// A loop with more vectors than this is not worth unrolling, and neither is one that makes more in all its iterations.
static constexpr uint64_t kMostUnrolledVectors = 64, kMostVectorsOfIterations = 128;

/// A loop without vectors that loads and stores more often than this in all its iterations is not worth unrolling, nor
/// is one that puts more elements into vectors. It handles single elements, each with an address, so the loop around
/// them takes little of its time.
static constexpr uint64_t kMostScalarsOfIterations = 32;

/// A loop of fewer iterations fills no vector of most CPUs.
static constexpr uint64_t kFewIterations = 16;

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

/// Decides which passes run on which functions, to save compile time.
class PassFilter {
public:
  /// False for a pass that has no effect on code that Recur generates.
  bool isWorthRunning(StringRef pass, Any ir) {
    if (isIdle(pass))
      return false;
    if (auto *loop = any_cast<const Loop *>(&ir); loop && !isWorthRunning(pass, **loop))
      return false;
    const Function *function = findFunction(ir);
    if (!function)
      return true;
    if (pass == InstCombinePass::name())
      return combinations[function->getName()]++ < kCombinations;
    // A kernel is already vectorized and unrolled. The remaining work is to simplify its address arithmetic and to move
    // it out of the loops.
    static const StringRef cleanUp[] = {EarlyCSEPass::name(),   LCSSAPass::name(),        LICMPass::name(),
                                        LoopRotatePass::name(), LoopSimplifyPass::name(), SimplifyCFGPass::name(),
                                        SROAPass::name()};
    return !function->hasFnAttribute(RECUR_KERNEL_ATTRIBUTE) || is_contained(cleanUp, pass);
  }

private:
  /// False for a pass that finds nothing in a loop.
  static bool isWorthRunning(StringRef pass, const Loop &loop) {
    if (pass == LoopFullUnrollPass::name())
      return isWorthUnrolling(loop);
    // These look for copies, and for loops without effect.
    if (pass == LoopIdiomRecognizePass::name() || pass == LoopDeletionPass::name())
      return countVectors(loop) <= kMostCopiedVectors;
    return true;
  }

  /// A loop with more vectors than this does not only copy.
  static constexpr uint64_t kMostCopiedVectors = 8;
  /// LLVM's pipeline combines the instructions of a function five times. It finds no more after two that a measurement
  /// shows.
  static constexpr unsigned kCombinations = 2;
  /// How often the instructions of a function have been combined, by its name: passes replace functions by new ones,
  /// which may have the address of an old one.
  StringMap<unsigned> combinations;
};

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
/// masks, and gather their elements (measured: 1.6 times the time for sums of six rows of six).
static void markLoops(Module &module) {
  forEachLoop(module, [](Loop &loop) {
    uint64_t vectors = countVectors(loop);
    if (isFill(loop) || vectors > kMostUnrolledVectors)
      loop.setLoopAlreadyUnrolled();
    std::optional<uint64_t> iterations = countIterations(loop);
    bool isShort = iterations && *iterations < kFewIterations && *iterations % 4 != 0;
    if (vectors > 0 || isShort)
      addStringMetadataToLoop(&loop, "llvm.loop.vectorize.enable", 0);
  });
}

/// Inlines functions that only a function without branches calls, once: the share of a thread, which loads its
/// arguments from memory. LLVM would do so too, but only after it has simplified the callee, and would simplify it
/// again.
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

  if (optLevel > 0)
    inlineShares(module);
  markLoops(module);
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  // Recur has made vectors of all that are worth it. The SLP vectorizer compares what it has gathered in all blocks of
  // a function with each other, which takes a time that is quadratic in the number of layers.
  tuning.SLPVectorization = false;
  PassInstrumentationCallbacks instrumentation;
  PassFilter filter;
  instrumentation.registerShouldRunOptionalPassCallback(
      [&](StringRef pass, Any ir) { return filter.isWorthRunning(pass, ir); });
  PassBuilder builder(&machine, tuning, /*PGOOpt=*/std::nullopt, &instrumentation);
  addSanitizer(module, builder, sanitizer);
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

  static const OptimizationLevel choices[] = {OptimizationLevel::O0, OptimizationLevel::O1, OptimizationLevel::O2,
                                              OptimizationLevel::O3};
  OptimizationLevel level = choices[std::min(optLevel, 3u)];
  ModulePassManager passes = level == OptimizationLevel::O0 ? builder.buildO0DefaultPipeline(level)
                                                            : builder.buildPerModuleDefaultPipeline(level);
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
