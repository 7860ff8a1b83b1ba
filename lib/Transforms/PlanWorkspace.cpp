// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanWorkspace.cpp - Places in the caller's workspace ---------------===//

#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

#include <set>

namespace recur {
#define GEN_PASS_DEF_PLANWORKSPACE
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

static constexpr int64_t kAlignment = 64;

/// Moves an allocation out of every loop in which its sizes do not change.
static void hoistAllocation(memref::AllocOp alloc) {
  while (!isa<func::FuncOp>(alloc->getParentOp())) {
    Operation *parent = alloc->getParentOp();
    for (Value operand : alloc.getOperands())
      if (parent->isAncestor(operand.getParentBlock()->getParentOp()))
        return;
    alloc->moveBefore(parent);
  }
}

/// True if `op` may be computed again from the inputs alone, without doing any of the model's work.
static bool canRecompute(Operation *op) {
  if (isa<rt::InputOp, rt::CheckOp, memref::DimOp, affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(op) ||
      isa<arith::ArithDialect>(op->getDialect()))
    return op->getNumRegions() == 0;
  // Of an integer input, at a known place.
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getMemRef().getDefiningOp<rt::InputOp>() && isa<IntegerType>(load.getType());
  return false;
}

/// Collects what `value` is computed from, in the function's block; fails where that is the model's work.
static LogicalResult collectSlice(Value value, llvm::SetVector<Operation *> &slice) {
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || !isa<func::FuncOp>(op->getParentOp()) || !canRecompute(op))
      return failure();
    if (slice.insert(op))
      llvm::append_range(worklist, op->getOperands());
  }
  return success();
}

namespace {

/// Sizes as a constant plus index values.
struct Extent {
  int64_t bytes = 0;
  Value dynamic;
};

struct PlanWorkspace final : recur::impl::PlanWorkspaceBase<PlanWorkspace> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto compute = module.lookupSymbol<func::FuncOp>(kComputeFunction);
    if (!compute)
      return;
    SmallVector<memref::AllocOp> fixed, variable;
    SmallVector<memref::AllocOp> allocs;
    compute.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
    for (memref::AllocOp alloc : allocs) {
      hoistAllocation(alloc);
      if (!alloc.getType().getLayout().isIdentity()) {
        alloc.emitError("expected allocations to be dense");
        return signalPassFailure();
      }
      if (alloc.getType().hasStaticShape())
        fixed.push_back(alloc);
      else if (dependsOnInputs(alloc))
        variable.push_back(alloc);
      else
        fixed.push_back(reserve(compute, alloc));
    }

    OpBuilder builder = OpBuilder::atBlockBegin(&compute.getBody().front());
    Location loc = compute.getLoc();
    Value workspace;
    if (!allocs.empty())
      workspace = rt::WorkspaceOp::create(
          builder, loc, MemRefType::get({ShapedType::kDynamic}, builder.getIntegerType(8)));
    int64_t end = 0;
    auto place = [&](memref::AllocOp alloc, Value offset) {
      OpBuilder at(alloc);
      Value view = memref::ViewOp::create(at, alloc.getLoc(), alloc.getType(), workspace, offset, alloc.getDynamicSizes());
      alloc.replaceAllUsesWith(view);
      alloc.erase();
    };
    for (memref::AllocOp alloc : fixed) {
      MemRefType type = alloc.getType();
      int64_t bytes;
      if (llvm::MulOverflow<int64_t>(type.getNumElements(), type.getElementTypeBitWidth() / 8, bytes) ||
          bytes > std::numeric_limits<int64_t>::max() - kAlignment ||
          llvm::AddOverflow<int64_t>(end, llvm::alignTo(bytes, kAlignment), bytes)) {
        alloc.emitError("expected fewer than 2^63 bytes of workspace");
        return signalPassFailure();
      }
      OpBuilder at(alloc);
      place(alloc, arith::ConstantIndexOp::create(at, alloc.getLoc(), end));
      end = bytes;
    }

    // What depends on the call comes behind, in the order of the program.
    llvm::sort(variable, [](memref::AllocOp a, memref::AllocOp b) { return a->isBeforeInBlock(b); });
    SmallVector<Value> sizes;
    Value offset;
    for (memref::AllocOp alloc : variable) {
      OpBuilder at(alloc);
      if (!offset)
        offset = arith::ConstantIndexOp::create(at, alloc.getLoc(), end);
      Value next = arith::AddIOp::create(at, alloc.getLoc(), offset, getBytes(at, alloc));
      place(alloc, offset);
      offset = next;
    }
    if (failed(emitSizes(module, compute, end, offset)))
      return signalPassFailure();
    module->setAttr(kWorkspaceBytesAttr, builder.getI64IntegerAttr(offset ? -1 : end));
  }

  /// True if the size can be told before anything was computed.
  static bool dependsOnInputs(memref::AllocOp alloc) {
    llvm::SetVector<Operation *> slice;
    return isa<func::FuncOp>(alloc->getParentOp()) &&
           llvm::all_of(alloc.getDynamicSizes(), [&](Value size) { return succeeded(collectSlice(size, slice)); });
  }

  /// Lets a buffer whose size comes of the computation grow with the need; returns the cell that holds it.
  memref::AllocOp reserve(func::FuncOp compute, memref::AllocOp alloc) {
    OpBuilder entry = OpBuilder::atBlockBegin(&compute.getBody().front());
    Location loc = alloc.getLoc();
    auto cell = memref::AllocOp::create(entry, loc, MemRefType::get({2}, entry.getI64Type()));
    Value zero = arith::ConstantIntOp::create(entry, loc, 0, 64);
    for (int64_t i : {0, 1}) {
      Value index = arith::ConstantIndexOp::create(entry, loc, i);
      memref::StoreOp::create(entry, loc, zero, cell, ValueRange{index});
    }
    OpBuilder at(alloc);
    auto bytes = MemRefType::get({ShapedType::kDynamic}, at.getIntegerType(8));
    Value none = arith::ConstantIndexOp::create(at, loc, 0);
    auto block = rt::ReserveOp::create(at, loc, bytes, at.getI1Type(), cell, getBytes(at, alloc), none);
    Value buffer = rt::CheckOp::create(at, loc, block.getOk(), rt::FaultKind::Recorded, "", ValueRange(),
                                       ValueRange{block.getBuffer()})
                       .getResult(0);
    Value view = memref::ViewOp::create(at, loc, alloc.getType(), buffer, none, alloc.getDynamicSizes());
    alloc.replaceAllUsesWith(view);
    alloc.erase();
    return cell;
  }

  /// The aligned size of a dynamic allocation, checked.
  Value getBytes(OpBuilder &builder, memref::AllocOp alloc) {
    Location loc = alloc.getLoc();
    MemRefType type = alloc.getType();
    int64_t known = type.getElementTypeBitWidth() / 8;
    for (int64_t dim : type.getShape())
      if (!ShapedType::isDynamic(dim))
        known *= dim;
    Value bytes = arith::ConstantIndexOp::create(builder, loc, known);
    Value limit = arith::ConstantIndexOp::create(builder, loc, int64_t(1) << 56);
    for (Value dim : alloc.getDynamicSizes()) {
      // bytes * dim <= limit, without overflow; nothing is multiplied by a dim of 0.
      Value one = arith::ConstantIndexOp::create(builder, loc, 1);
      Value most = arith::DivUIOp::create(builder, loc, limit, arith::MaxUIOp::create(builder, loc, bytes, one));
      Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, dim, most);
      Value detail = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), dim);
      Value checked = rt::CheckOp::create(builder, loc, fits, rt::FaultKind::Overflow,
                                          "a buffer with a dim of {0} is too large", detail, dim)
                          .getResult(0);
      bytes = arith::MulIOp::create(builder, loc, bytes, checked);
    }
    Value mask = arith::ConstantIndexOp::create(builder, loc, -kAlignment);
    Value up = arith::ConstantIndexOp::create(builder, loc, kAlignment - 1);
    return arith::AndIOp::create(builder, loc, arith::AddIOp::create(builder, loc, bytes, up), mask);
  }

  LogicalResult emitSizes(ModuleOp module, func::FuncOp compute, int64_t fixed, Value end) {
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfter(compute);
    Location loc = compute.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    auto sizes = func::FuncOp::create(builder, loc, kSizesFunction,
                                      builder.getFunctionType({pointer, pointer, pointer}, builder.getI32Type()));
    builder.setInsertionPointToStart(sizes.addEntryBlock());
    llvm::SetVector<Operation *> slice;
    if (end && failed(collectSlice(end, slice)))
      return compute.emitError("not supported yet: a buffer whose size is only known once something was computed");

    SmallVector<rt::OutputOp> outputs(module->getAttrOfType<ArrayAttr>(kOutputsAttr).size());
    compute.walk([&](rt::OutputOp output) { outputs[output.getNumber()] = output; });
    // Dims of each output, null where only the computation tells.
    SmallVector<SmallVector<OpFoldResult>> dims;
    for (rt::OutputOp output : outputs) {
      auto &own = dims.emplace_back();
      auto type = cast<MemRefType>(output.getType());
      unsigned next = 0;
      for (int64_t dim : type.getShape()) {
        if (!ShapedType::isDynamic(dim)) {
          own.push_back(builder.getIndexAttr(dim));
          continue;
        }
        Value value = output.getDims()[next++];
        llvm::SetVector<Operation *> ownSlice;
        if (failed(collectSlice(value, ownSlice))) {
          own.push_back(builder.getIndexAttr(-1));
          output.setLate(true);
          continue;
        }
        slice.insert(ownSlice.begin(), ownSlice.end());
        own.push_back(value);
      }
    }
    SmallVector<Operation *> ordered(slice.begin(), slice.end());
    llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    IRMapping mapping;
    std::set<int64_t> read;
    for (Operation *op : ordered) {
      builder.clone(*op, mapping);
      if (auto load = dyn_cast<memref::LoadOp>(op))
        read.insert(load.getMemRef().getDefiningOp<rt::InputOp>().getNumber());
    }
    module->setAttr(kSizingInputsAttr,
                    builder.getDenseI64ArrayAttr(SmallVector<int64_t>(read.begin(), read.end())));
    SmallVector<Value> values;
    for (auto &own : dims)
      for (OpFoldResult dim : own)
        values.push_back(isa<Attribute>(dim)
                             ? arith::ConstantIndexOp::create(builder, loc, cast<IntegerAttr>(cast<Attribute>(dim)).getInt())
                                   .getResult()
                             : mapping.lookup(cast<Value>(dim)));
    Value bytes = end ? mapping.lookup(end) : arith::ConstantIndexOp::create(builder, loc, fixed).getResult();
    rt::SizesOp::create(builder, loc, bytes, values);
    Value ok = arith::ConstantIntOp::create(builder, loc, 0, 32);
    func::ReturnOp::create(builder, loc, ok);
    return success();
  }
};
} // namespace
