// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckTimeLoops.cpp - What a time loop must not contain -------------===//
//
// The checks run on the final loops and buffers, so they find slow code whichever pass made it. Each op of a time loop
// is checked by itself first (checkOp, checkCopy). Then the stores to buffers that outlive an iteration are compared by
// their relations (checkStores).
//
//===----------------------------------------------------------------------===//

#include "LoopMarks.h"
#include "Recur/Analysis/AccessRelation.h"
#include "Recur/Analysis/TimeLoopBuffers.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Target/Libm.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
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
#include "llvm/ADT/TypeSwitch.h"

namespace recur {
#define GEN_PASS_DEF_CHECKTIMELOOPS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {

/// A store in a time loop to a buffer that outlives the iteration.
struct Store {
  Operation *op;
  Value target;
  /// The buffers that it may reach and that outlive the iteration.
  SmallVector<Value> roots;
  /// The loops between the time loop and the store, outermost first.
  SmallVector<LoopLikeOpInterface> loops;
  /// The values that its address is computed from.
  DenseSet<Value> dependences;
  /// Its relation in each of the roots, computed at the first request.
  DenseMap<Value, std::unique_ptr<AccessRelation>> relations;

  const AccessRelation &getRelation(Value root, LoopLikeOpInterface timeLoop);
};

struct CheckTimeLoops final : recur::impl::CheckTimeLoopsBase<CheckTimeLoops> {
  void runOnOperation() override;

private:
  /// Checks the ops of a kernel one by one. Its stores are not compared.
  void checkKernel(func::FuncOp kernel);
  /// Checks the number of time loops of a function, and then each time loop.
  void checkFunction(func::FuncOp func);

  // Checks of a single op. `scope` is the time loop or the kernel that contains it.
  void checkOp(Operation *op, Operation *scope);
  void checkMemory(Operation *op, Operation *scope);
  void checkCall(CallOpInterface call, Operation *scope);
  void checkMath(Operation *op, Operation *scope);
  void checkCopy(Operation *op, LoopLikeOpInterface timeLoop);

  // Checks of the stores to buffers that outlive an iteration.
  void checkStores(LoopLikeOpInterface timeLoop);
  void checkRepetition(Store &store, LoopLikeOpInterface timeLoop);
  void checkPair(Store &first, Store &second, Value root, LoopLikeOpInterface timeLoop);
  /// outlivesIteration with a cache.
  bool outlives(Value root, LoopLikeOpInterface timeLoop);

  static StringRef getName(Operation *scope) { return isa<func::FuncOp>(scope) ? "kernel" : "time loop"; }

  /// Emits an error at `op`. The note at the scope comes last.
  void report(Operation *op, Operation *scope, const Twine &message,
              function_ref<void(InFlightDiagnostic &)> addNotes = {}) {
    InFlightDiagnostic diag = op->emitError(message);
    if (addNotes)
      addNotes(diag);
    diag.attachNote(scope->getLoc()) << "this is the " << getName(scope);
    reported.insert(op);
    signalPassFailure();
  }
  /// Reports that an element may be stored twice. `other` is the location of the other store, or of the loop that
  /// repeats this one.
  void reportStore(const Store &store, LoopLikeOpInterface timeLoop, Location other, StringRef otherMessage) {
    report(store.op, timeLoop,
           "an element of a buffer that outlives the iteration may be stored more than once in an iteration",
           [&](InFlightDiagnostic &diag) {
             diag.attachNote(other) << otherMessage;
             diag.attachNote(store.roots.front().getLoc()) << "this is the buffer";
           });
  }

  /// The ops that have an error already. Each op gets at most one.
  DenseSet<Operation *> reported;
  /// For each time loop and buffer, whether the buffer outlives an iteration.
  DenseMap<std::pair<Operation *, Value>, bool> outliving;
};

} // namespace

const AccessRelation &Store::getRelation(Value root, LoopLikeOpInterface timeLoop) {
  std::unique_ptr<AccessRelation> &relation = relations[root];
  if (!relation)
    relation = std::make_unique<AccessRelation>(op, target, timeLoop, [&](arith::SelectOp select) {
      bool first = findRoots(select.getTrueValue()).contains(root),
           second = findRoots(select.getFalseValue()).contains(root);
      return first == second ? Value() : first ? select.getTrueValue() : select.getFalseValue();
    });
  return *relation;
}

/// Collects the memrefs that `op` stores to. Fails if they are not known.
static LogicalResult getStoredBuffers(Operation *op, SmallVectorImpl<Value> &buffers) {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    for (Value operand : call.getOperands())
      if (isa<MemRefType>(operand.getType()) && !llvm::is_contained(buffers, operand) &&
          getKernelAccess(call, operand).writes)
        buffers.push_back(operand);
    return success();
  }
  // A growing `rt.reserve` writes its cell, which is a part of growing and no store of the model.
  if (auto reserve = dyn_cast<rt::ReserveOp>(op); reserve && reserve.getGrowing())
    return success();
  // Tiles are loaded into registers.
  if (isa<amx::TileZeroOp, amx::TileLoadOp>(op))
    return success();
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return success();
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    // Effects on other resources only keep an op in its place; they are no stores to memory.
    if (!isa<MemoryEffects::Write>(effect.getEffect()) || effect.getResource() != SideEffects::DefaultResource::get())
      continue;
    Value value = effect.getValue();
    if (!value || !isa<MemRefType>(value.getType()))
      return failure();
    if (!llvm::is_contained(buffers, value))
      buffers.push_back(value);
  }
  return success();
}

void CheckTimeLoops::checkCall(CallOpInterface call, Operation *scope) {
  auto reportCall = [&](const Twine &what) {
    report(call, scope, "expected no call in a " + getName(scope) + ", but this calls " + what);
  };
  auto symbol = dyn_cast_if_present<SymbolRefAttr>(call.getCallableForCallee());
  if (!symbol)
    return reportCall("what a pointer points to");
  if (isa<func::CallOp>(call) && getKernel(call))
    return;
  auto isF64 = [](Type type) { return type.isF64(); };
  StringRef name = symbol.getRootReference();
  if (!llvm::is_contained(kLibmFunctions, name) || !llvm::all_of(call.getArgOperands().getTypes(), isF64) ||
      !llvm::all_of(call->getResultTypes(), isF64))
    reportCall("'" + name + "'");
}

/// An op of `math` becomes a call in the end, unless it is an instruction or is expanded into instructions.
void CheckTimeLoops::checkMath(Operation *op, Operation *scope) {
  static constexpr llvm::StringLiteral instructions[] = {
      "absf",  "absi",  "ceil",  "copysign", "ctlz",     "ctpop",     "cttz", "floor", "fma",
      "isinf", "isnan", "rsqrt", "isfinite", "isnormal", "roundeven", "sqrt", "trunc"};
  StringRef name = op->getName().stripDialect();
  bool isMath = isa<math::MathDialect>(op->getDialect());
  if (isMath && llvm::is_contained(instructions, name))
    return;
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  // rt-expand-math expands them into arithmetic.
  bool isExponential = isa<math::ExpOp, math::ExpM1Op>(op);
  if ((element.isF32() && (isExponential || isa<arith::RemFOp>(op))) || (element.isF64() && isExponential))
    return;
  StringRef function = isa<arith::RemFOp>(op) ? "fmod" : isa<math::PowFOp>(op) ? "pow" : name;
  if (element.isF64() && llvm::is_contained(kLibmFunctions, function))
    return;
  std::string text;
  llvm::raw_string_ostream(text) << "expected no call in a " << getName(scope) << ", but '" << op->getName() << "' of '"
                                 << element << "' becomes one";
  report(op, scope, text);
}

void CheckTimeLoops::checkMemory(Operation *op, Operation *scope) {
  // Memory that each iteration needs in addition can only be requested here, and a request is rarely more than a
  // comparison.
  if (auto reserve = dyn_cast<rt::ReserveOp>(op); reserve && reserve.getGrowing())
    return;
  // A buffer of fixed size at the start of a kernel is a part of its stack frame.
  if (auto alloca = dyn_cast<memref::AllocaOp>(op);
      alloca && alloca.getType().hasStaticShape() && isa<func::FuncOp>(alloca->getParentOp()))
    return;
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(op)) {
    if (interface.hasEffect<MemoryEffects::Allocate>())
      return report(op, scope, "expected no allocation in a " + getName(scope));
    if (interface.hasEffect<MemoryEffects::Free>())
      return report(op, scope, "expected no deallocation in a " + getName(scope));
  }
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    // A contiguous copy becomes a memcpy. Any other copy would call a function of MLIR's runtime library.
    auto isContiguous = [](Value buffer) {
      auto type = dyn_cast<MemRefType>(buffer.getType());
      return type && (type.getLayout().isIdentity() ||
                      (type.hasStaticShape() && memref::isStaticShapeAndContiguousRowMajor(type)));
    };
    if (!isContiguous(copy.getSource()) || !isContiguous(copy.getTarget()))
      return report(op, scope,
                    "expected no call in a " + getName(scope) + ", but a copy that is not contiguous becomes one");
  }
  SmallVector<Value> buffers;
  if (hasUnknownEffects(op) || failed(getStoredBuffers(op, buffers))) {
    if (!op->hasTrait<OpTrait::IsTerminator>() && !isa<memref::PrefetchOp>(op))
      report(op, scope, "expected to know what this does to memory in a " + getName(scope));
    return;
  }
}

void CheckTimeLoops::checkOp(Operation *op, Operation *scope) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (llvm::any_of(op->getOperandTypes(), isTensor) || llvm::any_of(op->getResultTypes(), isTensor))
    return report(op, scope, "expected buffers in a " + getName(scope) + ", but this is an op on tensors");
  if (auto call = dyn_cast<CallOpInterface>(op))
    return checkCall(call, scope);
  if (isa<cf::AssertOp>(op))
    return report(op, scope, "expected no call in a " + getName(scope) + ", but 'cf.assert' becomes one");
  if (isa<arith::RemFOp>(op) || isa<math::MathDialect>(op->getDialect()))
    return checkMath(op, scope);
  checkMemory(op, scope);
}

/// True if `inductionVar`, or anything else that changes from one iteration of `loop` to the next, takes part in the
/// address of `store`.
static bool takesPart(LoopLikeOpInterface loop, Value inductionVar, const Store &store) {
  if (inductionVar && store.dependences.contains(inductionVar))
    return true;
  for (Region &region : loop->getRegions())
    for (BlockArgument arg : region.getArguments())
      if (store.dependences.contains(arg) && !isInductionVar(loop, arg))
        return true;
  return false;
}

/// Checks that no element is stored by several iterations of a loop between the time loop and the store.
void CheckTimeLoops::checkRepetition(Store &store, LoopLikeOpInterface timeLoop) {
  for (LoopLikeOpInterface loop : store.loops) {
    SmallVector<Value> inductionVars = getInductionVars(loop);
    for (unsigned i = 0, e = std::max<size_t>(inductionVars.size(), 1); i < e; ++i) {
      bool hasVar = i < inductionVars.size();
      for (Value root : store.roots) {
        const AccessRelation &relation = store.getRelation(root, timeLoop);
        // The relation does not decide, for example because an index depends on data. Then it is enough that the loop
        // takes part in the address.
        if (takesPart(loop, hasVar ? inductionVars[i] : Value(), store) && !relation.isExact())
          continue;
        if (AccessRelation::areDisjoint(relation, relation,
                                        {loop, hasVar ? std::optional(i) : std::nullopt, /*firstIsLater=*/false}))
          continue;
        return reportStore(store, timeLoop, loop.getLoc(), "by iterations of this loop");
      }
    }
  }
  // A linalg op is a loop nest too: each of its loops must index the result.
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

/// True if the stores have the same buffer and the same indices, so that they differ only in the branch that they are
/// in.
static bool isSamePlace(const Store &first, const Store &second) {
  auto getIndices = [](Operation *op) {
    return llvm::make_filter_range(op->getOperands(), [](Value value) { return value.getType().isIndex(); });
  };
  return first.op->getName() == second.op->getName() && first.target == second.target &&
         llvm::equal(getIndices(first.op), getIndices(second.op));
}

/// Checks that no element of `root` is stored by both stores in one iteration of the time loop.
void CheckTimeLoops::checkPair(Store &first, Store &second, Value root, LoopLikeOpInterface timeLoop) {
  auto areDisjoint = [&](AccessRelation::Executions executions) {
    return AccessRelation::areDisjoint(first.getRelation(root, timeLoop), second.getRelation(root, timeLoop),
                                       executions);
  };
  SmallVector<LoopLikeOpInterface> common;
  for (auto [one, other] : llvm::zip(first.loops, second.loops))
    if (one == other)
      common.push_back(one);
  // This proof is enough for a main loop and its remainder loop. Two stores in one loop body always need the proofs
  // below.
  if (!common.empty() && first.loops != second.loops && areDisjoint({common.front(), std::nullopt}))
    return;
  bool exclusive = insideMutuallyExclusiveRegions(first.op, second.op);
  bool disjoint = exclusive || areDisjoint({});
  // Exclusive stores to the same address store different elements in different iterations if each of them does, which
  // checkRepetition has checked.
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

/// Reports a copy of values that could have been computed in its target. The source of such a copy is scratch. A source
/// that outlives the iteration, such as an input, has to be read, so its copy is no error.
void CheckTimeLoops::checkCopy(Operation *op, LoopLikeOpInterface timeLoop) {
  Value source = getCopiedBuffer(op, timeLoop);
  if (!source || reported.contains(op))
    return;
  llvm::SetVector<Value> roots = findRoots(source);
  if (llvm::any_of(roots, [&](Value root) { return outlives(root, timeLoop); }))
    return;
  report(op, timeLoop, "expected no copy in a time loop, but this copies what the iteration computed elsewhere",
         [&](InFlightDiagnostic &diag) { diag.attachNote(roots.front().getLoc()) << "this is the buffer"; });
}

bool CheckTimeLoops::outlives(Value root, LoopLikeOpInterface timeLoop) {
  auto [it, isNew] = outliving.try_emplace({timeLoop, root});
  if (isNew)
    it->second = outlivesIteration(root, timeLoop);
  return it->second;
}

void CheckTimeLoops::checkStores(LoopLikeOpInterface timeLoop) {
  SmallVector<Store> stores;
  timeLoop->walk([&](Operation *op) {
    SmallVector<Value> buffers;
    // Skips stores that were reported, here or for an inner time loop. If the target is not known, checkMemory has
    // reported it.
    if (op == timeLoop || reported.contains(op) || failed(getStoredBuffers(op, buffers)))
      return;
    for (Value buffer : buffers) {
      auto type = cast<MemRefType>(buffer.getType());
      if (type.hasStaticShape() && type.getNumElements() == 0)
        continue;
      SmallVector<Value> roots;
      for (Value root : findRoots(buffer))
        if (outlives(root, timeLoop))
          roots.push_back(root);
      if (roots.empty())
        continue;
      SmallVector<Value> address{buffer};
      for (Value operand : op->getOperands())
        if (getElementTypeOrSelf(operand.getType()).isIndex() ||
            (isa<vector::ScatterOp>(op) && operand == cast<vector::ScatterOp>(op).getIndices()))
          address.push_back(operand);
      stores.push_back({op, buffer, roots, getLoopsBetween(op, timeLoop), collectDependences(address),
                        DenseMap<Value, std::unique_ptr<AccessRelation>>()});
    }
  });
  for (Store &store : stores)
    checkRepetition(store, timeLoop);
  for (auto [i, second] : llvm::enumerate(stores)) {
    for (Store &first : MutableArrayRef(stores).take_front(i)) {
      // One error for each store.
      if (reported.contains(second.op))
        break;
      for (Value root : first.roots)
        if (!reported.contains(first.op) && !reported.contains(second.op) && llvm::is_contained(second.roots, root))
          checkPair(first, second, root, timeLoop);
    }
  }
}

void CheckTimeLoops::checkFunction(func::FuncOp func) {
  // Inner loops come first, so that an error names the innermost loop that it concerns.
  llvm::SetVector<Operation *> timeLoops;
  func.walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (isa<LoopLikeOpInterface>(op) && rt::isTimeLoop(op))
      timeLoops.insert(op);
  });
  func.walk([&](rt::IterationOp marker) {
    if (isa<LoopLikeOpInterface>(marker->getParentOp()))
      return;
    marker.emitError("expected 'rt.iteration' to stand in the body of a loop");
    signalPassFailure();
  });
  auto expected = func->getAttrOfType<IntegerAttr>(rt::kTimeLoopsAttr);
  if (expected ? expected.getInt() != int64_t(timeLoops.size()) : !timeLoops.empty()) {
    InFlightDiagnostic diag = func.emitError();
    if (expected)
      diag << "expected " << expected.getInt() << " time loops, as '" << rt::kTimeLoopsAttr << "' says, but found "
           << timeLoops.size();
    else
      diag << "expected '" << rt::kTimeLoopsAttr << "' to tell the number of time loops, which is " << timeLoops.size();
    for (Operation *loop : timeLoops)
      diag.attachNote(loop->getLoc()) << "this is a time loop";
    signalPassFailure();
  }

  for (Operation *op : timeLoops) {
    auto timeLoop = cast<LoopLikeOpInterface>(op);
    op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
      if (inner == op)
        return WalkResult::advance();
      // Inner time loops were checked before.
      if (timeLoops.contains(inner))
        return WalkResult::skip();
      checkOp(inner, timeLoop);
      checkCopy(inner, timeLoop);
      return WalkResult::advance();
    });
    // A time loop over strips has the iterations in loops of their own.
    SmallVector<LoopLikeOpInterface> steps;
    op->walk([&](scf::ForOp loop) {
      if (loop->hasAttr(rt::kStepsAttr))
        steps.push_back(loop);
    });
    if (steps.empty())
      steps.push_back(timeLoop);
    llvm::for_each(steps, [&](LoopLikeOpInterface loop) { checkStores(loop); });
  }
}

void CheckTimeLoops::checkKernel(func::FuncOp kernel) {
  if (!kernel.isPrivate() || kernel.isExternal()) {
    kernel.emitError("expected a kernel to be a private function with a body");
    return signalPassFailure();
  }
  kernel.walk([&](Operation *op) {
    if (op != kernel)
      checkOp(op, kernel);
  });
}

void CheckTimeLoops::runOnOperation() {
  reported.clear();
  outliving.clear();
  for (auto func : getOperation().getOps<func::FuncOp>()) {
    if (func->hasAttr(rt::kKernelAttr))
      checkKernel(func);
    checkFunction(func);
  }
}
