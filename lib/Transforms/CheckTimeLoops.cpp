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
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Target/Libm.h"
#include "Recur/Transforms/Passes.h"

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

//===----------------------------------------------------------------------===//
// Origins of buffers
//===----------------------------------------------------------------------===//

/// The values that control flow may forward to `value`, a result or a region argument.
static SmallVector<Value> getForwardedValues(Value value) {
  auto arg = dyn_cast<BlockArgument>(value);
  Operation *owner = arg ? arg.getOwner()->getParentOp() : value.getDefiningOp();
  auto branch = dyn_cast_if_present<RegionBranchOpInterface>(owner);
  if (!branch)
    return {};
  RegionBranchInverseSuccessorMapping mapping;
  branch.getSuccessorInputOperandMapping(mapping);
  // The mapping has no order, so the operands are sorted in program order.
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

/// The buffers that `buffer` may be a part of. There is one, unless control flow or a select chooses between several.
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
/// An op that accesses a buffer, which is one of its operands.
struct Access {
  Operation *op;
  Value buffer;
  bool reads, writes;
};
} // namespace

static Access getKernelAccess(func::CallOp call, Value buffer);

/// Collects the accesses of `root`, also those through views and control flow. Fails if the buffer is passed to an op
/// with unknown effects, or from one iteration of `timeLoop` to the next.
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
        if (timeLoop && branch == timeLoop)
          return failure();
        pushBuffers(branch->getResults());
        for (Region &region : branch->getRegions())
          pushBuffers(region.getArguments());
        continue;
      }
      if (auto call = dyn_cast<func::CallOp>(user)) {
        accesses.push_back(getKernelAccess(call, buffer));
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
      // An op that neither reads nor writes the buffer may pass it on in an unknown way.
      if (!reads && !writes)
        return failure();
      accesses.push_back({user, buffer, reads, writes});
    }
  }
  return success();
}

/// The kernel that is called, or null. A kernel is a private function with a body and the attribute `rt.kernel`. It may
/// only call kernels that come after it, which excludes recursion.
static func::FuncOp getKernel(CallOpInterface call) {
  auto symbol = dyn_cast_if_present<SymbolRefAttr>(call.getCallableForCallee());
  auto kernel = symbol ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, symbol) : func::FuncOp();
  if (!kernel || !kernel->hasAttr(rt::kKernelAttr) || !kernel.isPrivate() || kernel.isExternal())
    return {};
  auto caller = call->getParentOfType<func::FuncOp>();
  if (caller && caller->hasAttr(rt::kKernelAttr) &&
      (caller->getBlock() != kernel->getBlock() || !caller->isBeforeInBlock(kernel)))
    return {};
  return kernel;
}

/// How a call accesses one of its operands. If the callee is no kernel, or its accesses are not known, the call reads
/// and writes the buffer.
static Access getKernelAccess(func::CallOp call, Value buffer) {
  Access access{call, buffer, /*reads=*/false, /*writes=*/false};
  func::FuncOp kernel = getKernel(call);
  for (auto [i, operand] : llvm::enumerate(call.getOperands())) {
    if (operand != buffer)
      continue;
    SmallVector<Access> inside;
    bool known = kernel && succeeded(collectAccesses(kernel.getArgument(i), {}, inside));
    for (const Access &other : inside) {
      access.reads |= other.reads;
      access.writes |= other.writes;
    }
    access.reads |= !known;
    access.writes |= !known;
  }
  return access;
}

/// The innermost block that contains both ops, directly or nested.
static Block *getCommonBlock(Operation *a, Operation *b) {
  Block *block = a->getBlock();
  while (!block->findAncestorOpInBlock(*b))
    block = block->getParentOp()->getBlock();
  return block;
}

/// True if all elements that `read` sees were provably stored after the body of `timeLoop` ran last, or, if the read is
/// in the loop, in the same iteration.
static bool isReadFresh(const Access &read, ArrayRef<Access> accesses, LoopLikeOpInterface timeLoop) {
  bool inLoop = timeLoop->isProperAncestor(read.op);
  if (!inLoop) {
    // A read before the loop sees nothing of it, unless a loop around both repeats the read.
    Block *block = getCommonBlock(read.op, timeLoop);
    if (block->findAncestorOpInBlock(*read.op)->isBeforeInBlock(block->findAncestorOpInBlock(*timeLoop)) &&
        !isa<LoopLikeOpInterface>(block->getParentOp()) &&
        !block->getParentOp()->getParentOfType<LoopLikeOpInterface>())
      return true;
  }
  AccessRelation reached(read.op, read.buffer, timeLoop->getParentOfType<func::FuncOp>());
  SmallVector<std::unique_ptr<AccessRelation>> writes;
  for (const Access &write : accesses) {
    if (!write.writes || (inLoop && !timeLoop->isProperAncestor(write.op)))
      continue;
    Block *block = getCommonBlock(read.op, write.op);
    Operation *readAncestor = block->findAncestorOpInBlock(*read.op),
              *writeAncestor = block->findAncestorOpInBlock(*write.op),
              *loopAncestor = inLoop ? nullptr : block->findAncestorOpInBlock(*timeLoop);
    if (!writeAncestor->isBeforeInBlock(readAncestor))
      continue;
    // The time loop runs between the write and the read, and may overwrite the elements.
    if (loopAncestor && !loopAncestor->isBeforeInBlock(writeAncestor) && !readAncestor->isBeforeInBlock(loopAncestor))
      continue;
    auto relation = std::make_unique<AccessRelation>(write.op, write.buffer, block->getParentOp());
    if (relation->isComplete() && relation->getBase() == reached.getBase())
      writes.push_back(std::move(relation));
  }
  return !writes.empty() && AccessRelation::isCovered(reached, writes);
}

/// True if the contents of `root` may be read by another iteration of `timeLoop`, or after it. All other buffers are
/// scratch: a place in the workspace that only the loop uses, or one that it shares with other code if both write all
/// elements before they read them.
static bool outlivesIteration(Value root, LoopLikeOpInterface timeLoop) {
  if (!isa_and_present<memref::ViewOp, memref::AllocOp, memref::AllocaOp>(root.getDefiningOp()))
    return true;
  SmallVector<Access> accesses;
  if (failed(collectAccesses(root, timeLoop, accesses)))
    return true;
  auto isInside = [&](const Access &access) { return timeLoop->isProperAncestor(access.op); };
  if (llvm::all_of(accesses, isInside))
    return false;
  // A buffer that one side never reads is not scratch there: it is written for the other side.
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

/// Collects the values that the place of a store is computed from, also through memory. The upper bound of a loop and
/// the sizes of a view do not count: they tell how much is stored, not where.
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
// Copies
//===----------------------------------------------------------------------===//

/// Returns `value` as a function of the induction variables of loops inside `timeLoop`, which become the dims of the
/// expression and are collected in `dims`. Values that do not change during an iteration of `timeLoop` count as 0.
/// Returns null if `value` depends on anything else.
static AffineExpr getInductionExpr(Value value, LoopLikeOpInterface timeLoop, SmallVectorImpl<Value> &dims) {
  MLIRContext *context = value.getContext();
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getAffineConstantExpr(*constant, context);
  Operation *parent = value.getParentRegion()->getParentOp();
  bool isRepeated = false;
  for (Operation *op = parent; timeLoop->isProperAncestor(op); op = op->getParentOp())
    isRepeated |= isa<LoopLikeOpInterface>(op);
  if (!isRepeated)
    return getAffineConstantExpr(0, context);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(parent); loop && isInductionVar(loop, value)) {
    unsigned position = llvm::find(dims, value) - dims.begin();
    if (position == dims.size())
      dims.push_back(value);
    return getAffineDimExpr(position, context);
  }
  Operation *op = value.getDefiningOp();
  if (!isa_and_present<arith::AddIOp, arith::SubIOp, arith::MulIOp, affine::AffineApplyOp,
                       affine::AffineDelinearizeIndexOp>(op))
    return {};
  SmallVector<AffineExpr> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(getInductionExpr(operand, timeLoop, dims));
    if (!operands.back())
      return {};
  }
  if (isa<arith::AddIOp>(op))
    return operands[0] + operands[1];
  if (isa<arith::SubIOp>(op))
    return operands[0] - operands[1];
  if (isa<arith::MulIOp>(op))
    return operands[0].isSymbolicOrConstant() || operands[1].isSymbolicOrConstant() ? operands[0] * operands[1]
                                                                                    : AffineExpr();
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    AffineMap map = apply.getAffineMap();
    ArrayRef<AffineExpr> all(operands);
    return map.getResult(0).replaceDimsAndSymbols(all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()));
  }
  // The results are the coordinates of an index in row-major order. Together they walk as the index does, so the index
  // stands for each of them.
  auto delinearize = cast<affine::AffineDelinearizeIndexOp>(op);
  return delinearize.getDynamicBasis().empty() ? operands[0] : AffineExpr();
}

/// The induction variables that walk through `indices`, from the one with the longest step to the one with the
/// shortest. Fails if one of them goes backward, or if the indices change by anything else.
static FailureOr<SmallVector<Value>> getWalk(ValueRange indices, LoopLikeOpInterface timeLoop) {
  SmallVector<Value> dims, walk;
  for (Value index : indices) {
    AffineExpr expr = getInductionExpr(index, timeLoop, dims);
    if (!expr)
      return failure();
    SmallVector<std::pair<int64_t, unsigned>> steps;
    for (unsigned i = 0; i < dims.size(); ++i) {
      if (!expr.isFunctionOfDim(i))
        continue;
      SmallVector<AffineExpr> place(dims.size(), getAffineConstantExpr(0, expr.getContext()));
      auto at = [&](int64_t value) {
        place[i] = getAffineConstantExpr(value, expr.getContext());
        return dyn_cast<AffineConstantExpr>(simplifyAffineExpr(expr.replaceDims(place), 0, 0));
      };
      AffineConstantExpr zero = at(0), one = at(1);
      if (!zero || !one || one.getValue() < zero.getValue())
        return failure();
      steps.push_back({zero.getValue() - one.getValue(), i});
    }
    llvm::sort(steps);
    for (auto [step, i] : steps)
      if (walk.empty() || walk.back() != dims[i])
        walk.push_back(dims[i]);
  }
  return walk;
}

/// If `op` copies a part of a buffer into another one, element by element in the same order, returns the source;
/// otherwise null. A single element is a scalar, not a copy.
static Value getCopiedBuffer(Operation *op, LoopLikeOpInterface timeLoop) {
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    auto type = dyn_cast<MemRefType>(copy.getSource().getType());
    return type && type.hasStaticShape() && type.getNumElements() <= 1 ? Value() : copy.getSource();
  }
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalg::isaCopyOpInterface(linalgOp) ? linalgOp.getDpsInputOperand(0)->get() : Value();
  struct Side {
    Value buffer, value;
    OperandRange indices;
  };
  auto getTransfer = [](auto transfer, Value value) -> std::optional<Side> {
    if (!transfer.getPermutationMap().isMinorIdentity())
      return std::nullopt;
    return Side{transfer.getBase(), value, transfer.getIndices()};
  };
  using MaybeSide = std::optional<Side>;
  auto store = llvm::TypeSwitch<Operation *, MaybeSide>(op)
                   .Case([](memref::StoreOp store) {
                     return Side{store.getMemRef(), store.getValueToStore(), store.getIndices()};
                   })
                   .Case<vector::StoreOp, vector::MaskedStoreOp>(
                       [](auto store) { return Side{store.getBase(), store.getValueToStore(), store.getIndices()}; })
                   .Case([&](vector::TransferWriteOp write) { return getTransfer(write, write.getValueToStore()); })
                   .Default(std::nullopt);
  if (!store || !store->value.getDefiningOp())
    return {};
  auto load = llvm::TypeSwitch<Operation *, MaybeSide>(store->value.getDefiningOp())
                  .Case([&](memref::LoadOp load) { return Side{load.getMemRef(), store->value, load.getIndices()}; })
                  .Case<vector::LoadOp, vector::MaskedLoadOp>(
                      [&](auto load) { return Side{load.getBase(), store->value, load.getIndices()}; })
                  .Case([&](vector::TransferReadOp read) { return getTransfer(read, store->value); })
                  .Default(std::nullopt);
  if (!load)
    return {};
  FailureOr<SmallVector<Value>> from = getWalk(load->indices, timeLoop), to = getWalk(store->indices, timeLoop);
  auto vector = dyn_cast<VectorType>(store->value.getType());
  if (failed(from) || failed(to) || *from != *to || (from->empty() && (!vector || vector.getNumElements() == 1)))
    return {};
  return load->buffer;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

/// A store in a time loop to a buffer that outlives the iteration.
struct Store {
  Operation *op;
  Value target;
  /// The buffers that it may reach and that outlive the iteration.
  SmallVector<Value> roots;
  /// The loops between the time loop and the store, outermost first.
  SmallVector<LoopLikeOpInterface> loops;
  /// The values that its place is computed from.
  DenseSet<Value> dependences;
  /// Its relation in each of the roots, computed at the first request.
  DenseMap<Value, std::unique_ptr<AccessRelation>> relations;

  const AccessRelation &getRelation(Value root, LoopLikeOpInterface timeLoop);
};

struct CheckTimeLoops final : recur::impl::CheckTimeLoopsBase<CheckTimeLoops> {
  void runOnOperation() override;

private:
  void checkKernel(func::FuncOp kernel);
  void checkFunction(func::FuncOp func);
  /// `scope` is a time loop, or a kernel.
  void checkOp(Operation *op, Operation *scope);
  void checkMemory(Operation *op, Operation *scope);
  void checkCall(CallOpInterface call, Operation *scope);
  void checkMath(Operation *op, Operation *scope);
  void checkStores(LoopLikeOpInterface timeLoop);
  void checkCopy(Operation *op, LoopLikeOpInterface timeLoop);
  bool outlives(Value root, LoopLikeOpInterface timeLoop);
  void checkRepetition(Store &store, LoopLikeOpInterface timeLoop);
  void checkPair(Store &first, Store &second, Value root, LoopLikeOpInterface timeLoop);

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
  void reportStore(const Store &store, LoopLikeOpInterface timeLoop, Location other, StringRef otherMessage) {
    report(store.op, timeLoop,
           "an element of a buffer that outlives the iteration may be stored more than once in an iteration",
           [&](InFlightDiagnostic &diag) {
             diag.attachNote(other) << otherMessage;
             diag.attachNote(store.roots.front().getLoc()) << "this is the buffer";
           });
  }

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
  // rt-expand-math expands it into arithmetic.
  if (isa<math::ExpOp>(op) && element.isF32())
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
/// place of `store`.
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
        // takes part in the place.
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
  // Exclusive stores to the same place store different elements in different iterations if each of them does, which
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
      SmallVector<Value> place{buffer};
      for (Value operand : op->getOperands())
        if (getElementTypeOrSelf(operand.getType()).isIndex() ||
            (isa<vector::ScatterOp>(op) && operand == cast<vector::ScatterOp>(op).getIndices()))
          place.push_back(operand);
      stores.push_back({op, buffer, roots, getLoopsBetween(op, timeLoop), collectDependences(place),
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
    checkStores(timeLoop);
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
