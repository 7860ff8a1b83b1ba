// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TimeLoopBuffers.cpp - How a time loop uses buffers -----------------===//
//
// Answers the questions of the check of time loops: where a buffer comes from, whether it is scratch of an iteration,
// what the offset of a store depends on, and what is a copy. An answer that is not certain is the one that the check
// complains about.
//
//===----------------------------------------------------------------------===//

#include "Recur/Analysis/TimeLoopBuffers.h"

#include "Recur/Analysis/AccessRelation.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

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

llvm::SetVector<Value> recur::getUsedValues(Operation *op) {
  llvm::SetVector<Value> used;
  used.insert(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  return used;
}

llvm::SetVector<Value> recur::findRoots(Value buffer) {
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

/// Collects the accesses of `root`, also those through views and control flow. Fails if the buffer is passed to an op
/// with unknown effects, or from one iteration of `timeLoop` to the next.
static LogicalResult collectAccesses(Value root, LoopLikeOpInterface timeLoop,
                                     SmallVectorImpl<BufferAccess> &accesses) {
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

func::FuncOp recur::getKernel(CallOpInterface call) {
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

BufferAccess recur::getKernelAccess(func::CallOp call, Value buffer) {
  BufferAccess access{call, buffer, /*reads=*/false, /*writes=*/false};
  func::FuncOp kernel = getKernel(call);
  for (auto [i, operand] : llvm::enumerate(call.getOperands())) {
    if (operand != buffer)
      continue;
    SmallVector<BufferAccess> inside;
    bool known = kernel && succeeded(collectAccesses(kernel.getArgument(i), {}, inside));
    for (const BufferAccess &other : inside) {
      access.reads |= other.reads;
      access.writes |= other.writes;
    }
    access.reads |= !known;
    access.writes |= !known;
  }
  return access;
}

LogicalResult recur::collectAccessesOf(Operation *op, SmallVectorImpl<BufferAccess> &accesses) {
  if (isMemoryEffectFree(op))
    return success();
  if (auto call = dyn_cast<func::CallOp>(op)) {
    if (!getKernel(call))
      return failure();
    llvm::SmallSetVector<Value, 4> buffers;
    for (Value operand : call.getOperands())
      if (isa<MemRefType>(operand.getType()))
        buffers.insert(operand);
    for (Value buffer : buffers)
      accesses.push_back(getKernelAccess(call, buffer));
    return success();
  }
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return failure();
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    Value buffer = effect.getValue();
    bool reads = isa<MemoryEffects::Read>(effect.getEffect()), writes = isa<MemoryEffects::Write>(effect.getEffect());
    if (!buffer || !isa<MemRefType>(buffer.getType()) || !(reads || writes) ||
        effect.getResource() != SideEffects::DefaultResource::get())
      return failure();
    accesses.push_back({op, buffer, reads, writes});
  }
  return success();
}

bool recur::isReadInOtherTimeLoop(Value root, Operation *op) {
  SmallVector<BufferAccess> accesses;
  if (failed(collectAccesses(root, /*timeLoop=*/{}, accesses)))
    return false;
  return llvm::any_of(accesses, [&](const BufferAccess &access) {
    for (Operation *loop = access.op->getParentOp(); access.reads && loop; loop = loop->getParentOp())
      if (rt::isTimeLoop(loop) && !loop->isAncestor(op))
        return true;
    return false;
  });
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
static bool isReadFresh(const BufferAccess &read, ArrayRef<BufferAccess> accesses, LoopLikeOpInterface timeLoop) {
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
  for (const BufferAccess &write : accesses) {
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

bool recur::outlivesIteration(Value root, LoopLikeOpInterface timeLoop) {
  if (!isa_and_present<memref::ViewOp, memref::AllocOp, memref::AllocaOp>(root.getDefiningOp()))
    return true;
  SmallVector<BufferAccess> accesses;
  if (failed(collectAccesses(root, timeLoop, accesses)))
    return true;
  auto isInside = [&](const BufferAccess &access) { return timeLoop->isProperAncestor(access.op); };
  if (llvm::all_of(accesses, isInside))
    return false;
  // A buffer that one side never reads is not scratch there: it is written for the other side.
  bool readInside = false, readOutside = false;
  for (const BufferAccess &access : accesses)
    if (access.reads)
      (isInside(access) ? readInside : readOutside) = true;
  return !readInside || !readOutside || !llvm::all_of(accesses, [&](const BufferAccess &access) {
    return !access.reads || isReadFresh(access, accesses, timeLoop);
  });
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

DenseSet<Value> recur::collectDependences(ArrayRef<Value> place) {
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

Value recur::getCopiedBuffer(Operation *op, LoopLikeOpInterface timeLoop) {
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
