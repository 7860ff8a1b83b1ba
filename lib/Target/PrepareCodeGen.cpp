// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PrepareCodeGen.cpp - Edits in front of the code generator ----------===//
//
// LLVM's code generator would compile some code of this compiler wrongly, or take too long for it. Edits of the module
// keep it from both.
//
//===----------------------------------------------------------------------===//

#include "PrepareCodeGen.h"
#include "Recur/Target/ModelContract.h"
#include "Recur/Target/TargetMachine.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/CodeGen/TargetLowering.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace recur {

uint64_t countVectors(const Loop &loop) {
  uint64_t vectors = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      vectors += instruction.getType()->isVectorTy();
  return vectors;
}

void forEachLoop(Module &module, function_ref<void(Loop &)> handle) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree tree(function);
    LoopInfo loops(tree);
    for (Loop *loop : loops.getLoopsInPreorder())
      handle(*loop);
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

/// The most loads and stores of a block between which the code generator looks for dependences.
static constexpr unsigned kMostAccesses = 256;

/// Divides long blocks by fences, which are no instructions. The scheduler of the code generator compares each access
/// with all others up to the next fence, and there are as many as layers on vectors, one behind the other, need.
static void divideLongBlocks(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function) {
      unsigned accesses = 0;
      for (Instruction &instruction : block) {
        if (!isa<LoadInst, StoreInst>(instruction) || accesses++ != kMostAccesses)
          continue;
        IRBuilder<>(&instruction).CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
        accesses = 1;
      }
    }
}

void prepareCodeGen(Module &module, Levels levels) {
  keepSigns(module);
  keepAddresses(module);
  hideInvariants(module);
  sinkFactors(module);
  storeSingleLanes(module);
  callMemoryFunctions(module, levels);
  divideLongBlocks(module);
}

} // namespace recur
