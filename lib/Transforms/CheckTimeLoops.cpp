// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckTimeLoops.cpp - What a time loop must not do ------------------===//

#include "Footprint.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace recur {
#define GEN_PASS_DEF_CHECKTIMELOOPS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The number of time loops, left on the function where they were made. If the name changes there, every function with
/// a time loop fails here.
static constexpr llvm::StringLiteral kNumTimeLoops = "rt.time_loops";
/// Marks the cold branch in which a buffer grows.
static constexpr llvm::StringLiteral kGrowth = "rt.growth";

/// The functions of libm that a model may call, on f64 alone.
static constexpr llvm::StringLiteral kLibmFunctions[] = {
    "acos", "acosh", "asin", "asinh", "atan",  "atan2", "atanh", "cbrt", "cos",   "cosh", "erf",  "erfc", "exp",
    "exp2", "expm1", "fmod", "log",   "log10", "log1p", "log2",  "pow",  "round", "sin",  "sinh", "tan",  "tanh"};

//===----------------------------------------------------------------------===//
// Where buffers come from
//===----------------------------------------------------------------------===//

/// The values that control flow may bring to `value`, a result or a region argument.
static SmallVector<Value> getForwardedValues(Value value) {
  auto arg = dyn_cast<BlockArgument>(value);
  Operation *owner = arg ? arg.getOwner()->getParentOp() : value.getDefiningOp();
  auto branch = dyn_cast_if_present<RegionBranchOpInterface>(owner);
  if (!branch)
    return {};
  RegionBranchInverseSuccessorMapping mapping;
  branch.getSuccessorInputOperandMapping(mapping);
  // In the order of the program: the mapping has none.
  SmallVector<OpOperand *> operands = mapping.lookup(value);
  llvm::sort(operands, [&](OpOperand *a, OpOperand *b) {
    auto getPlace = [&](OpOperand *operand) {
      Operation *user = operand->getOwner();
      return std::pair(user == owner ? 0 : user->getParentRegion()->getRegionNumber() + 1, operand->getOperandNumber());
    };
    return getPlace(a) < getPlace(b);
  });
  return llvm::map_to_vector(operands, [](OpOperand *operand) { return operand->get(); });
}

/// The buffers that `buffer` may be a part of: one, unless control flow chooses.
static llvm::SetVector<Value> findRoots(Value buffer) {
  llvm::SetVector<Value> roots, worklist;
  worklist.insert(buffer);
  for (size_t i = 0; i < worklist.size(); ++i) {
    Value value = worklist[i];
    if (Value source = getViewSource(value)) {
      worklist.insert(source);
      continue;
    }
    SmallVector<Value> choices = getForwardedValues(value);
    if (auto select = value.getDefiningOp<arith::SelectOp>())
      choices = {select.getTrueValue(), select.getFalseValue()};
    if (choices.empty())
      roots.insert(value);
    worklist.insert(choices.begin(), choices.end());
  }
  return roots;
}

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

namespace {
struct Access {
  Operation *op;
  Value buffer;
  bool reads, writes;
};
} // namespace

/// Collects the accesses of `root`, through views and control flow; fails where it is passed on to something else, or
/// from one iteration of `timeLoop` to the next.
static LogicalResult collectAccesses(Value root, LoopLikeOpInterface timeLoop, SmallVectorImpl<Access> &accesses) {
  llvm::SetVector<Value> worklist;
  worklist.insert(root);
  auto pushBuffers = [&](ValueRange values) {
    for (Value value : values)
      if (isa<BaseMemRefType>(value.getType()))
        worklist.insert(value);
  };
  for (size_t i = 0; i < worklist.size(); ++i) {
    Value buffer = worklist[i];
    for (Operation *user : buffer.getUsers()) {
      if (isa<memref::DimOp, memref::DeallocOp>(user))
        continue;
      bool isView = llvm::any_of(user->getResults(), [&](Value result) { return getViewSource(result) == buffer; });
      if (isView || isa<arith::SelectOp>(user)) {
        pushBuffers(user->getResults());
        continue;
      }
      Operation *branch = user->hasTrait<OpTrait::IsTerminator>() ? user->getParentOp() : user;
      if (isa<RegionBranchOpInterface>(branch)) {
        if (branch == timeLoop)
          return failure();
        pushBuffers(branch->getResults());
        for (Region &region : branch->getRegions())
          pushBuffers(region.getArguments());
        continue;
      }
      auto interface = dyn_cast<MemoryEffectOpInterface>(user);
      if (!interface)
        return failure();
      SmallVector<MemoryEffects::EffectInstance> effects;
      interface.getEffectsOnValue(buffer, effects);
      bool reads = false, writes = false;
      for (const MemoryEffects::EffectInstance &effect : effects) {
        reads |= isa<MemoryEffects::Read>(effect.getEffect());
        writes |= isa<MemoryEffects::Write>(effect.getEffect());
      }
      // Neither: nobody knows what becomes of it.
      if (!reads && !writes)
        return failure();
      accesses.push_back({user, buffer, reads, writes});
    }
  }
  return success();
}

/// The innermost block that both are in.
static Block *getCommonBlock(Operation *a, Operation *b) {
  Block *block = a->getBlock();
  while (!block->findAncestorOpInBlock(*b))
    block = block->getParentOp()->getBlock();
  return block;
}

/// True if everything that `read` sees was stored after the last time that the body of `timeLoop` ran, or in the same
/// iteration if the read is in the loop.
static bool isReadFresh(const Access &read, ArrayRef<Access> accesses, LoopLikeOpInterface timeLoop) {
  bool inLoop = timeLoop->isProperAncestor(read.op);
  if (!inLoop) {
    // What comes before the loop, and not again, can't see it.
    Block *block = getCommonBlock(read.op, timeLoop);
    if (block->findAncestorOpInBlock(*read.op)->isBeforeInBlock(block->findAncestorOpInBlock(*timeLoop)) &&
        !isa<LoopLikeOpInterface>(block->getParentOp()) &&
        !block->getParentOp()->getParentOfType<LoopLikeOpInterface>())
      return true;
  }
  Footprint reached(read.op, read.buffer, timeLoop->getParentOfType<func::FuncOp>());
  SmallVector<std::unique_ptr<Footprint>> writes;
  for (const Access &write : accesses) {
    if (!write.writes || (inLoop && !timeLoop->isProperAncestor(write.op)))
      continue;
    Block *block = getCommonBlock(read.op, write.op);
    Operation *readAncestor = block->findAncestorOpInBlock(*read.op),
              *writeAncestor = block->findAncestorOpInBlock(*write.op),
              *loopAncestor = inLoop ? nullptr : block->findAncestorOpInBlock(*timeLoop);
    if (!writeAncestor->isBeforeInBlock(readAncestor))
      continue;
    // The loop comes between the two.
    if (loopAncestor && !loopAncestor->isBeforeInBlock(writeAncestor) && !readAncestor->isBeforeInBlock(loopAncestor))
      continue;
    auto footprint = std::make_unique<Footprint>(write.op, write.buffer, block->getParentOp());
    if (footprint->isComplete() && footprint->getBase() == reached.getBase())
      writes.push_back(std::move(footprint));
  }
  return !writes.empty() && Footprint::isCovered(reached, writes);
}

/// True if the contents of `root` may be read by another iteration of `timeLoop`, or after it. All else is scratch: a
/// place in the workspace that only the loop uses, or that it shares with others, each of which writes there before it
/// reads.
static bool outlivesIteration(Value root, LoopLikeOpInterface timeLoop) {
  if (!isa_and_present<memref::ViewOp, memref::AllocOp, memref::AllocaOp>(root.getDefiningOp()))
    return true;
  SmallVector<Access> accesses;
  if (failed(collectAccesses(root, timeLoop, accesses)))
    return true;
  auto isInside = [&](const Access &access) { return timeLoop->isProperAncestor(access.op); };
  if (llvm::all_of(accesses, isInside))
    return false;
  // What one side never reads is no scratch of that side: it is written for the other one.
  bool readInside = false, readOutside = false;
  for (const Access &access : accesses)
    if (access.reads)
      (isInside(access) ? readInside : readOutside) = true;
  return !readInside || !readOutside || !llvm::all_of(accesses, [&](const Access &access) {
    return !access.reads || isReadFresh(access, accesses, timeLoop);
  });
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Collects what the place of a store is computed from, memory included. The end of a range does not count: it says how
/// much is stored, not where.
static DenseSet<Value> collectDependences(ArrayRef<Value> place) {
  DenseSet<Value> reached;
  SmallVector<Value> worklist(place);
  auto push = [&](ArrayRef<OpFoldResult> values) {
    for (OpFoldResult ofr : values)
      if (auto value = dyn_cast<Value>(ofr))
        worklist.push_back(value);
  };
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!reached.insert(value).second)
      continue;
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast_if_present<LoopLikeOpInterface>(arg.getOwner()->getParentOp());
      if (!loop || !isInductionVar(loop, arg)) {
        llvm::append_range(worklist, getForwardedValues(value));
        continue;
      }
      if (std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds())
        for (auto [inductionVar, start] : llvm::zip_equal(getInductionVars(loop), *lower))
          if (inductionVar == value)
            push(start);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (auto check = dyn_cast<rt::CheckOp>(op)) {
      worklist.push_back(check.getGuarded()[cast<OpResult>(value).getResultNumber()]);
    } else if (auto part = dyn_cast<OffsetSizeAndStrideOpInterface>(op); part && getViewSource(value)) {
      worklist.push_back(getViewSource(value));
      push(part.getMixedOffsets());
      push(part.getMixedStrides());
    } else {
      llvm::append_range(worklist, op->getOperands());
      for (Region &region : op->getRegions())
        for (Block &block : region)
          if (block.mightHaveTerminator())
            llvm::append_range(worklist, block.getTerminator()->getOperands());
    }
  }
  return reached;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct Store {
  Operation *op;
  Value target;
  /// The buffers it may reach that outlive the iteration.
  SmallVector<Value> roots;
  SmallVector<LoopLikeOpInterface> loops;
  DenseSet<Value> dependences;
  std::unique_ptr<Footprint> footprint;
};

struct CheckTimeLoops final : recur::impl::CheckTimeLoopsBase<CheckTimeLoops> {
  void runOnOperation() override;

private:
  void checkOp(Operation *op, LoopLikeOpInterface timeLoop);
  void checkMemory(Operation *op, LoopLikeOpInterface timeLoop);
  void checkCall(CallOpInterface call, LoopLikeOpInterface timeLoop);
  void checkMath(Operation *op, LoopLikeOpInterface timeLoop);
  void checkStores(LoopLikeOpInterface timeLoop);
  void checkRepetition(Store &store, LoopLikeOpInterface timeLoop);
  void checkPair(const Store &first, const Store &second, LoopLikeOpInterface timeLoop);

  /// An error at `op`; the note at the loop comes last.
  void report(Operation *op, LoopLikeOpInterface timeLoop, const Twine &message,
              function_ref<void(InFlightDiagnostic &)> addNotes = {}) {
    InFlightDiagnostic diag = op->emitError(message);
    if (addNotes)
      addNotes(diag);
    diag.attachNote(timeLoop.getLoc()) << "this is the time loop";
    reported.insert(op);
    signalPassFailure();
  }
  void reportStore(const Store &store, LoopLikeOpInterface timeLoop, Location other, StringRef otherMessage) {
    report(store.op, timeLoop,
           "an element of a buffer that outlives the iteration may be stored more than once in an iteration",
           [&](InFlightDiagnostic &diag) {
             diag.attachNote(other) << otherMessage;
             diag.attachNote(store.roots.front().getLoc()) << "this is the buffer";
           });
  }

  DenseSet<Operation *> reported;
};

} // namespace

/// The stored memrefs, or failure if nobody can tell them.
static LogicalResult getStoredBuffers(Operation *op, SmallVectorImpl<Value> &buffers) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  // Checks, markers and outputs write, as far as others can tell, so that they stay where they are.
  if (!interface || isa<rt::RTDialect>(op->getDialect()))
    return success();
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (!isa<MemoryEffects::Write>(effect.getEffect()))
      continue;
    Value value = effect.getValue();
    if (!value || !isa<MemRefType>(value.getType()))
      return failure();
    if (!llvm::is_contained(buffers, value))
      buffers.push_back(value);
  }
  return success();
}

void CheckTimeLoops::checkCall(CallOpInterface call, LoopLikeOpInterface timeLoop) {
  auto symbol = dyn_cast_if_present<SymbolRefAttr>(call.getCallableForCallee());
  if (!symbol)
    return report(call, timeLoop, "expected no call in a time loop, but this calls what a pointer points to");
  auto isF64 = [](Type type) { return type.isF64(); };
  StringRef name = symbol.getRootReference();
  if (!llvm::is_contained(kLibmFunctions, name) || !llvm::all_of(call.getArgOperands().getTypes(), isF64) ||
      !llvm::all_of(call->getResultTypes(), isF64))
    report(call, timeLoop, "expected no call in a time loop, but this calls '" + name + "'");
}

/// Everything in `math` that isn't an instruction, or made of some, is a call in the end.
void CheckTimeLoops::checkMath(Operation *op, LoopLikeOpInterface timeLoop) {
  static constexpr llvm::StringLiteral instructions[] = {
      "absf",  "absi",  "ceil",  "copysign", "ctlz",     "ctpop",     "cttz", "floor", "fma",
      "isinf", "isnan", "rsqrt", "isfinite", "isnormal", "roundeven", "sqrt", "trunc"};
  StringRef name = op->getName().stripDialect();
  bool isMath = isa<math::MathDialect>(op->getDialect());
  if (isMath && llvm::is_contained(instructions, name))
    return;
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  // Expanded into arithmetic later.
  if (isa<math::ExpOp>(op) && element.isF32())
    return;
  StringRef function = isa<arith::RemFOp>(op) ? "fmod" : isa<math::PowFOp>(op) ? "pow" : name;
  if (element.isF64() && llvm::is_contained(kLibmFunctions, function))
    return;
  std::string text;
  llvm::raw_string_ostream(text) << "expected no call in a time loop, but '" << op->getName() << "' of '" << element
                                 << "' becomes one";
  report(op, timeLoop, text);
}

void CheckTimeLoops::checkMemory(Operation *op, LoopLikeOpInterface timeLoop) {
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(op)) {
    if (interface.hasEffect<MemoryEffects::Allocate>())
      return report(op, timeLoop, "expected no allocation in a time loop");
    if (interface.hasEffect<MemoryEffects::Free>())
      return report(op, timeLoop, "expected no deallocation in a time loop");
  }
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    // What becomes a memcpy; anything else would call a function of MLIR's runtime library.
    auto isContiguous = [](Value buffer) {
      auto type = dyn_cast<MemRefType>(buffer.getType());
      return type && (type.getLayout().isIdentity() ||
                      (type.hasStaticShape() && memref::isStaticShapeAndContiguousRowMajor(type)));
    };
    if (!isContiguous(copy.getSource()) || !isContiguous(copy.getTarget()))
      return report(op, timeLoop, "expected no call in a time loop, but a copy that is not contiguous becomes one");
  }
  SmallVector<Value> buffers;
  if (hasUnknownEffects(op) || failed(getStoredBuffers(op, buffers))) {
    if (!op->hasTrait<OpTrait::IsTerminator>() && !isa<memref::PrefetchOp>(op))
      report(op, timeLoop, "expected to know what this does to memory in a time loop");
    return;
  }
}

void CheckTimeLoops::checkOp(Operation *op, LoopLikeOpInterface timeLoop) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (llvm::any_of(op->getOperandTypes(), isTensor) || llvm::any_of(op->getResultTypes(), isTensor))
    return report(op, timeLoop, "expected buffers in a time loop, but this is an op on tensors");
  if (auto call = dyn_cast<CallOpInterface>(op))
    return checkCall(call, timeLoop);
  if (isa<cf::AssertOp>(op))
    return report(op, timeLoop, "expected no call in a time loop, but 'cf.assert' becomes one");
  if (isa<arith::RemFOp>(op) || isa<math::MathDialect>(op->getDialect()))
    return checkMath(op, timeLoop);
  checkMemory(op, timeLoop);
}

/// True if `iv`, or anything else that changes from one iteration of `loop` to the next, takes part in where is stored.
static bool takesPart(LoopLikeOpInterface loop, Value inductionVar, const Store &store) {
  if (inductionVar && store.dependences.contains(inductionVar))
    return true;
  for (Region &region : loop->getRegions())
    for (BlockArgument arg : region.getArguments())
      if (store.dependences.contains(arg) && !isInductionVar(loop, arg))
        return true;
  return false;
}

/// An element must not be stored by several iterations of the loops between the store and the time loop.
void CheckTimeLoops::checkRepetition(Store &store, LoopLikeOpInterface timeLoop) {
  auto getFootprint = [&]() -> const Footprint & {
    if (!store.footprint)
      store.footprint = std::make_unique<Footprint>(store.op, store.target, timeLoop);
    return *store.footprint;
  };
  for (LoopLikeOpInterface loop : store.loops) {
    SmallVector<Value> inductionVars = getInductionVars(loop);
    for (unsigned i = 0, e = std::max<size_t>(inductionVars.size(), 1); i < e; ++i) {
      bool hasVar = i < inductionVars.size();
      // What depends on data is taken for granted once the loop takes part in it.
      if (takesPart(loop, hasVar ? inductionVars[i] : Value(), store) && !getFootprint().isExact())
        continue;
      if (Footprint::areDisjoint(getFootprint(), getFootprint(),
                                 {loop, hasVar ? std::optional(i) : std::nullopt, /*firstIsLater=*/false}))
        continue;
      return reportStore(store, timeLoop, loop.getLoc(), "by iterations of this loop");
    }
  }
  // An op on whole buffers is a loop nest too.
  auto linalgOp = dyn_cast<linalg::LinalgOp>(store.op);
  if (!linalgOp)
    return;
  for (OpOperand &init : linalgOp.getDpsInitsMutable()) {
    if (init.get() != store.target)
      continue;
    AffineMap map = linalgOp.getMatchingIndexingMap(&init);
    for (auto [d, size] : llvm::enumerate(linalgOp.getStaticLoopRanges()))
      if (size != 1 && !map.isFunctionOfDim(d))
        return reportStore(store, timeLoop, store.op->getLoc(), "by iterations of this op");
  }
}

/// The same place under the same names: the two differ in nothing but the branch they are in.
static bool isSamePlace(const Store &first, const Store &second) {
  auto getIndices = [](Operation *op) {
    return llvm::make_filter_range(op->getOperands(), [](Value value) { return value.getType().isIndex(); });
  };
  return first.op->getName() == second.op->getName() && first.target == second.target &&
         llvm::equal(getIndices(first.op), getIndices(second.op));
}

void CheckTimeLoops::checkPair(const Store &first, const Store &second, LoopLikeOpInterface timeLoop) {
  auto areDisjoint = [&](Footprint::Executions executions) {
    return Footprint::areDisjoint(*first.footprint, *second.footprint, executions);
  };
  SmallVector<LoopLikeOpInterface> common;
  for (auto [one, other] : llvm::zip(first.loops, second.loops))
    if (one == other)
      common.push_back(one);
  // A main loop and what was peeled off it need no more than this; stores of one loop body always do.
  if (!common.empty() && first.loops != second.loops && areDisjoint({common.front(), std::nullopt}))
    return;
  bool exclusive = insideMutuallyExclusiveRegions(first.op, second.op);
  bool disjoint = exclusive || areDisjoint({});
  // The loops themselves were checked for each of the two.
  if (!(exclusive && isSamePlace(first, second))) {
    for (LoopLikeOpInterface loop : common) {
      unsigned numVars = getInductionVars(loop).size();
      for (unsigned i = 0; disjoint && i < numVars; ++i)
        disjoint = areDisjoint({loop, i, /*firstIsLater=*/false}) && areDisjoint({loop, i, /*firstIsLater=*/true});
      if (disjoint && !numVars)
        disjoint = areDisjoint({loop, std::nullopt});
    }
  }
  if (!disjoint)
    reportStore(second, timeLoop, first.op->getLoc(), "by this store too");
}

void CheckTimeLoops::checkStores(LoopLikeOpInterface timeLoop) {
  DenseMap<Value, bool> outlives;
  SmallVector<Store> stores;
  timeLoop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->hasAttr(kGrowth))
      return WalkResult::skip();
    SmallVector<Value> buffers;
    // A store was reported already, here or for a loop inside, or nobody can tell where it goes.
    if (op == timeLoop || reported.contains(op) || failed(getStoredBuffers(op, buffers)))
      return WalkResult::advance();
    for (Value buffer : buffers) {
      auto type = cast<MemRefType>(buffer.getType());
      if (type.hasStaticShape() && type.getNumElements() == 0)
        continue;
      SmallVector<Value> roots;
      for (Value root : findRoots(buffer)) {
        auto [it, isNew] = outlives.try_emplace(root);
        if (isNew)
          it->second = outlivesIteration(root, timeLoop);
        if (it->second)
          roots.push_back(root);
      }
      if (roots.empty())
        continue;
      SmallVector<Value> place{buffer};
      for (Value operand : op->getOperands())
        if (getElementTypeOrSelf(operand.getType()).isIndex() ||
            (isa<vector::ScatterOp>(op) && operand == cast<vector::ScatterOp>(op).getIndices()))
          place.push_back(operand);
      stores.push_back({op, buffer, roots, getLoopsBetween(op, timeLoop), collectDependences(place), nullptr});
    }
    return WalkResult::advance();
  });
  for (Store &store : stores)
    checkRepetition(store, timeLoop);
  for (auto [i, second] : llvm::enumerate(stores)) {
    for (Store &first : MutableArrayRef(stores).take_front(i)) {
      // One error for each store.
      if (reported.contains(second.op))
        break;
      if (reported.contains(first.op) ||
          llvm::none_of(first.roots, [&](Value root) { return llvm::is_contained(second.roots, root); }))
        continue;
      for (Store *store : {&first, &second})
        if (!store->footprint)
          store->footprint = std::make_unique<Footprint>(store->op, store->target, timeLoop);
      checkPair(first, second, timeLoop);
    }
  }
}

void CheckTimeLoops::runOnOperation() {
  func::FuncOp func = getOperation();
  reported.clear();
  // Inner loops come first, so that an error names the innermost loop for which it is one.
  llvm::SetVector<Operation *> timeLoops;
  func.walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (!isa<LoopLikeOpInterface>(op))
      return;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.getOps<rt::IterationOp>().empty())
          timeLoops.insert(op);
  });
  func.walk([&](rt::IterationOp marker) {
    if (isa<LoopLikeOpInterface>(marker->getParentOp()))
      return;
    marker.emitError("expected 'rt.iteration' to stand in the body of a loop");
    signalPassFailure();
  });
  auto expected = func->getAttrOfType<IntegerAttr>(kNumTimeLoops);
  if (expected ? expected.getInt() != int64_t(timeLoops.size()) : !timeLoops.empty()) {
    InFlightDiagnostic diag = func.emitError();
    if (expected)
      diag << "expected " << expected.getInt() << " time loops, as '" << kNumTimeLoops << "' says, but found "
           << timeLoops.size();
    else
      diag << "expected '" << kNumTimeLoops << "' to tell the number of time loops, which is " << timeLoops.size();
    for (Operation *loop : timeLoops)
      diag.attachNote(loop->getLoc()) << "this is a time loop";
    signalPassFailure();
  }

  for (Operation *op : timeLoops) {
    auto timeLoop = cast<LoopLikeOpInterface>(op);
    op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
      if (inner == op)
        return WalkResult::advance();
      // A loop inside was here before; a branch that grows a buffer may do what it needs.
      if (inner->hasAttr(kGrowth) || timeLoops.contains(inner))
        return WalkResult::skip();
      checkOp(inner, timeLoop);
      return WalkResult::advance();
    });
    checkStores(timeLoop);
  }
}
