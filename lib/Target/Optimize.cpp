// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Optimize.cpp - LLVM's optimization and code generation -------------===//
//
// Runs LLVM's default pipeline and skips the passes that only cost compile time: Recur's own passes have already tiled,
// vectorized and unrolled the loops of the kernels.
//
//===----------------------------------------------------------------------===//
#include "EmitParts.h"
#include "Recur/Target/ModelContract.h"
#include "Recur/Target/ModelModule.h"
#include "Recur/Target/SharedKernels.h"
#include "Recur/Target/TargetMachine.h"
#include "Sanitize.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/CodeGen/TargetLowering.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
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

/// The number of loads and stores of a loop.
static uint64_t countAccesses(const Loop &loop) {
  uint64_t accesses = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      accesses += isa<LoadInst, StoreInst>(instruction);
  return accesses;
}

/// The number of instructions of a loop that make vectors. Those that compute addresses do not count: most of them are
/// the same in all iterations, and there are more of them if dims are dynamic.
static uint64_t countVectors(const Loop &loop) {
  uint64_t vectors = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      vectors += instruction.getType()->isVectorTy();
  return vectors;
}

/// The number of elements that a loop puts into vectors one by one, for example those of a column of a matrix.
static uint64_t countInsertions(const Loop &loop) {
  uint64_t insertions = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      insertions += isa<InsertElementInst>(instruction);
  return insertions;
}

/// The iterations of a rotated loop, if its counter goes from a constant to a constant. Nothing for other loops.
static std::optional<uint64_t> countIterations(const Loop &loop) {
  const BasicBlock *before = loop.getLoopPredecessor(), *latch = loop.getLoopLatch();
  auto *branch = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
  auto *compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  if (!before || !compare)
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
    if (from && to && step && *from >= 0 && *from <= *to && *step > 0)
      return (*to - *from) / *step + (compared == &counter);
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

/// Calls `handle` for each loop of the module, outer ones first.
static void forEachLoop(Module &module, function_ref<void(Loop &)> handle) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree tree(function);
    LoopInfo loops(tree);
    for (Loop *loop : loops.getLoopsInPreorder())
      handle(*loop);
  }
}

/// Keeps LLVM from looking at loops where it has nothing to do.
///
/// Loops that fill memory are not unrolled: unrolled, they become blocks of hundreds of stores, which are no faster,
/// and for which the scheduler of the code generator takes a time that is quadratic in their number. Loops with vectors
/// are not vectorized again: the vectorizer finds out that they cannot be after it has compared all accesses of the
/// loop with each other. Loops with many vectors are not unrolled either: to estimate the size of such a loop, the
/// unroller asks for the costs of all of its vectors, which took up to a half of the time of all passes, and it decides
/// against it.
static void markLoops(Module &module) {
  forEachLoop(module, [](Loop &loop) {
    uint64_t vectors = countVectors(loop);
    if (isFill(loop) || vectors > kMostUnrolledVectors)
      loop.setLoopAlreadyUnrolled();
    if (vectors > 0)
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

/// Keeps the code generator from computing a `copysign` in f16 because its result becomes f16. It would round the sign,
/// an f64, to f16 for it, by a call.
static void keepSigns(Module &module) {
  SmallVector<FPTruncInst *> roundings;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *rounding = dyn_cast<FPTruncInst>(&instruction)) {
        Value *wide = rounding->getOperand(0);
        // A vector of one element is taken apart.
        if (auto *element = dyn_cast<ExtractElementInst>(wide))
          wide = element->getVectorOperand();
        if (auto *sign = dyn_cast<IntrinsicInst>(wide); sign && sign->getIntrinsicID() == Intrinsic::copysign)
          roundings.push_back(rounding);
      }
  for (FPTruncInst *rounding : roundings) {
    IRBuilder<> builder(rounding);
    Value *wide = rounding->getOperand(0);
    rounding->setOperand(0, builder.CreateArithmeticFence(wide, wide->getType()));
  }
}

/// Keeps the code generator from computing an address in a loop that is the same in all iterations. Loop strength
/// reduction takes such an address apart, if it depends on the iteration of an outer loop, and then its parts are
/// computed where the last one is used: four instructions in each step of a product whose row is a state of a time
/// loop. An empty piece of assembly hides the parts.
static void keepAddresses(Module &module) {
  forEachLoop(module, [](Loop &loop) {
    BasicBlock *preheader = loop.getLoopPreheader();
    if (!loop.isInnermost() || !loop.getParentLoop() || !preheader || countVectors(loop) == 0)
      return;
    SmallVector<GetElementPtrInst *> addresses;
    for (BasicBlock *block : loop.blocks())
      for (Instruction &instruction : *block) {
        auto *load = dyn_cast<LoadInst>(&instruction);
        if (!load || load->getType()->isVectorTy())
          continue;
        auto *address = dyn_cast<GetElementPtrInst>(load->getPointerOperand());
        auto *base = address ? dyn_cast<GetElementPtrInst>(address->getPointerOperand()) : nullptr;
        if (!base || !loop.contains(address) || loop.contains(base) || base->hasAllConstantIndices() ||
            !loop.getParentLoop()->contains(base))
          continue;
        addresses.push_back(address);
      }
    // Several rows have parts in common.
    auto getBase = [](GetElementPtrInst *address) { return address->getPointerOperand(); };
    if (addresses.empty() || !all_equal(map_range(addresses, getBase)))
      return;
    Value *base = getBase(addresses.front());
    auto *type = FunctionType::get(base->getType(), {base->getType()}, /*isVarArg=*/false);
    Value *hidden = IRBuilder<>(preheader->getTerminator())
                        .CreateCall(InlineAsm::get(type, "", "=r,0", /*hasSideEffects=*/false), {base});
    for (GetElementPtrInst *address : addresses)
      address->setOperand(0, hidden);
  });
}

/// The instructions outside a loop of which a value consists, up to which it is no large expression.
static constexpr unsigned kMostVisibleParts = 8;

/// True if loop strength reduction would look through more than a few instructions outside the loop to find of what an
/// address or offset consists.
static bool isLargeExpression(Instruction &value) {
  SetVector<Instruction *> parts;
  parts.insert(&value);
  for (unsigned i = 0; i < parts.size() && parts.size() <= kMostVisibleParts; ++i)
    for (Value *operand : parts[i]->operands())
      if (auto *part = dyn_cast<Instruction>(operand);
          part && isa<GetElementPtrInst, BinaryOperator, CastInst, MinMaxIntrinsic>(part))
        parts.insert(part);
  return parts.size() > kMostVisibleParts;
}

/// Keeps the code generator from looking through addresses and offsets that are the same in all iterations of a loop,
/// if they are large expressions. With dynamic dims they are sums of products of dims and outer counters. Loop strength
/// reduction compares all parts of all such sums with each other, which took up to a half of the time of a compilation.
/// It does not look through `freeze`, which costs no instruction.
static void hideInvariants(Module &module) {
  forEachLoop(module, [](Loop &loop) {
    BasicBlock *preheader = loop.getLoopPreheader();
    // Loop strength reduction leaves other loops alone. The rows of a kernel share parts of their addresses, and these
    // are of few dims.
    if (!loop.isInnermost() || !preheader || preheader->getParent()->hasFnAttribute(RECUR_KERNEL_ATTRIBUTE))
      return;
    DenseMap<Instruction *, Value *> hidden;
    IRBuilder<> builder(preheader->getTerminator());
    for (BasicBlock *block : loop.blocks())
      for (Instruction &instruction : *block)
        for (Use &use : instruction.operands()) {
          auto *value = dyn_cast<Instruction>(use.get());
          if (!value || loop.contains(value) || !isa<GetElementPtrInst, BinaryOperator, CastInst>(value) ||
              !(value->getType()->isPointerTy() || value->getType()->isIntegerTy()))
            continue;
          auto [copy, isNew] = hidden.try_emplace(value, value);
          if (isNew && isLargeExpression(*value))
            copy->second = builder.CreateFreeze(value);
          use.set(copy->second);
        }
  });
}

/// Reads a factor that is the same in all lanes in front of its multiply-add. A tile with many rows has a factor for
/// each. The code generator keeps them in the order of the text for some CPUs (Zen 4 and 5, Skylake), so if all come
/// first, they do not fit the registers beside the accumulators.
static void sinkFactors(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function) {
      SmallVector<IntrinsicInst *> sums;
      bool writes = false;
      for (Instruction &instruction : block) {
        auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
        Intrinsic::ID id = intrinsic ? intrinsic->getIntrinsicID() : Intrinsic::not_intrinsic;
        writes |= instruction.mayWriteToMemory() && id != Intrinsic::prefetch;
        if (id == Intrinsic::fma)
          sums.push_back(intrinsic);
      }
      if (writes)
        continue;
      for (IntrinsicInst *sum : sums)
        for (Value *factor : sum->args()) {
          auto *splat = dyn_cast<ShuffleVectorInst>(factor);
          auto *lane = splat ? dyn_cast<InsertElementInst>(splat->getOperand(0)) : nullptr;
          auto *load = lane ? dyn_cast<LoadInst>(lane->getOperand(1)) : nullptr;
          if (!load)
            continue;
          Instruction *chain[] = {load, lane, splat};
          if (all_of(chain, [&](Instruction *step) { return step->getParent() == &block && step->hasOneUse(); }))
            for (Instruction *step : chain)
              step->moveBefore(sum->getIterator());
        }
    }
}

/// The only lane that a constant mask has, or nothing.
static std::optional<unsigned> getOnlyLane(Value *mask) {
  auto *constant = dyn_cast<Constant>(mask);
  if (!constant || !isa<FixedVectorType>(mask->getType()))
    return std::nullopt;
  APInt lanes = possiblyDemandedEltsInMask(mask);
  if (!lanes.isPowerOf2())
    return std::nullopt;
  Constant *element = constant->getAggregateElement(lanes.logBase2());
  return element && element->isOneValue() ? std::optional<unsigned>(lanes.logBase2()) : std::nullopt;
}

/// Makes stores of vectors of which a single lane is stored stores of scalars. LLVM 22 does so later, and too late: if
/// the vector is a truncated one, it stores the lane of the wider vector, with its bytes behind those of the element.
static void storeSingleLanes(Module &module) {
  SmallVector<IntrinsicInst *> stores;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *store = dyn_cast<IntrinsicInst>(&instruction);
          store && store->getIntrinsicID() == Intrinsic::masked_store && getOnlyLane(store->getArgOperand(2)))
        stores.push_back(store);
  for (IntrinsicInst *store : stores) {
    IRBuilder<> builder(store);
    unsigned lane = *getOnlyLane(store->getArgOperand(2));
    Value *element = builder.CreateExtractElement(store->getArgOperand(0), lane), *place = store->getArgOperand(1);
    Value *address = builder.CreateConstInBoundsGEP1_32(element->getType(), place, lane);
    uint64_t bytes = module.getDataLayout().getTypeStoreSize(element->getType());
    StoreInst *scalar = builder.CreateAlignedStore(element, address,
                                                   commonAlignment(store->getParamAlign(1).valueOrOne(), lane * bytes));
    scalar->copyMetadata(*store);
    store->eraseFromParent();
  }
}

/// The most bytes for which the code generator makes stores instead of a call of the function of `intrinsic`, if there
/// are so many bytes in a vector.
static uint64_t getMostInlineBytes(const MemIntrinsic &intrinsic, const TargetSubtargetInfo &subtarget,
                                   unsigned vectorBytes) {
  const TargetLowering &lowering = *subtarget.getTargetLowering();
  unsigned stores = isa<MemSetInst>(intrinsic)    ? lowering.getMaxStoresPerMemset(/*OptSize=*/false)
                    : isa<MemMoveInst>(intrinsic) ? lowering.getMaxStoresPerMemmove(/*OptSize=*/false)
                                                  : lowering.getMaxStoresPerMemcpy(/*OptSize=*/false);
  return uint64_t(stores) * vectorBytes;
}

/// Lets functions of levels with wider vectors than those of the least one call the memcpy, memmove and memset of
/// their own width. The code generator would call those of the least level.
static void callMemoryFunctions(Module &module, Levels levels) {
  SmallVector<std::pair<MemIntrinsic *, const llvm::TargetMachine *>> calls;
  for (Function &function : module) {
    const llvm::TargetMachine &level = findLevel(function, levels);
    if (function.isDeclaration() || vectorBits(level) == vectorBits(*levels.front()))
      continue;
    for (Instruction &instruction : instructions(function)) {
      auto *intrinsic = dyn_cast<MemIntrinsic>(&instruction);
      if (!intrinsic || intrinsic->isVolatile() ||
          !is_contained({Intrinsic::memcpy, Intrinsic::memmove, Intrinsic::memset}, intrinsic->getIntrinsicID()))
        continue;
      auto *size = dyn_cast<ConstantInt>(intrinsic->getLength());
      if (!size || size->getZExtValue() >
                       getMostInlineBytes(*intrinsic, *level.getSubtargetImpl(function), vectorBits(level) / 8))
        calls.push_back({intrinsic, &level});
    }
  }
  for (auto [intrinsic, level] : calls) {
    IRBuilder<> builder(intrinsic);
    Type *pointer = builder.getPtrTy(), *word = builder.getInt64Ty();
    Value *arguments[] = {intrinsic->getRawDest(), nullptr, builder.CreateZExtOrTrunc(intrinsic->getLength(), word)};
    StringRef name = "memset";
    if (auto *transfer = dyn_cast<MemTransferInst>(intrinsic)) {
      name = isa<MemMoveInst>(intrinsic) ? "memmove" : "memcpy";
      arguments[1] = transfer->getRawSource();
    } else {
      arguments[1] = builder.CreateZExt(cast<MemSetInst>(intrinsic)->getValue(), builder.getInt32Ty());
    }
    FunctionCallee callee = module.getOrInsertFunction(getMemoryFunctionName(name, vectorBits(*level) / 8), pointer,
                                                       pointer, arguments[1]->getType(), word);
    auto *function = cast<Function>(callee.getCallee());
    // It is in the assembly of the module.
    function->setVisibility(GlobalValue::HiddenVisibility);
    function->setDSOLocal(true);
    function->setDoesNotThrow();
    builder.CreateCall(callee, arguments)->setTailCall();
    intrinsic->eraseFromParent();
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
  keepSigns(module);
  keepAddresses(module);
  hideInvariants(module);
  sinkFactors(module);
  storeSingleLanes(module);
  callMemoryFunctions(module, levels);
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
