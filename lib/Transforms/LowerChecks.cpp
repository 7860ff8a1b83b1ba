// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LowerChecks.cpp - Checks become branches to an epilogue ------------===//
//
// The checks of a function share an epilogue, which records the fault and returns its status. So a check that holds
// costs a comparison and a branch. The texts of faults are not in the code but in the module's `rt.faults`.
//
//===----------------------------------------------------------------------===//

#include "ByteCount.h"
#include "LimitChecks.h"
#include "Recur/Dialect/OV/IR/LayerName.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Target/ABI.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {
#define GEN_PASS_DEF_LOWERCHECKS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// Expands the indices that are divided by a size that a check gives. Without the check the size may be a constant of
/// 0, where the loop over the indices never runs, but affine.delinearize_index refuses it.
static LogicalResult expandCheckedSizes(IRRewriter &rewriter, func::FuncOp func) {
  SmallVector<affine::AffineDelinearizeIndexOp> divisions;
  func.walk([&](affine::AffineDelinearizeIndexOp op) {
    if (llvm::any_of(op.getDynamicBasis(), [](Value size) { return size.getDefiningOp<rt::CheckOp>() != nullptr; }))
      divisions.push_back(op);
  });
  for (affine::AffineDelinearizeIndexOp op : divisions) {
    rewriter.setInsertionPoint(op);
    if (failed(affine::lowerAffineDelinearizeIndexOp(rewriter, op)))
      return failure();
  }
  return success();
}

/// The status that a call returns for a fault of this kind.
static int32_t getStatus(rt::FaultKind kind) {
  switch (kind) {
  case rt::FaultKind::Shape:
    return RECUR_E_SHAPE;
  case rt::FaultKind::Overflow:
    return RECUR_E_OVERFLOW;
  case rt::FaultKind::TripCount:
    return RECUR_E_TRIP;
  case rt::FaultKind::Index:
    return RECUR_E_INDEX;
  case rt::FaultKind::Arithmetic:
    return RECUR_E_ARITH;
  case rt::FaultKind::IterationLimit:
    return RECUR_E_ITER_LIMIT;
  case rt::FaultKind::MemoryLimit:
    return RECUR_E_MEM_LIMIT;
  case rt::FaultKind::NoMemory:
    return RECUR_E_NOMEM;
  case rt::FaultKind::Cancelled:
    return RECUR_E_CANCELLED;
  case rt::FaultKind::Capacity:
    return RECUR_E_CAPACITY;
  case rt::FaultKind::NaN:
    return RECUR_E_NAN;
  case rt::FaultKind::Recorded:
    break;
  }
  return RECUR_E_INTERNAL;
}

/// The weights of branches. Faults and growth are rare, so their code is kept out of the hot path.
static constexpr int32_t kWeights[] = {2000, 1};

namespace {
struct LowerChecks final : recur::impl::LowerChecksBase<LowerChecks> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Attribute> faults;
    llvm::DenseMap<Attribute, int64_t> sites;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      SmallVector<rt::IterationOp> markers;
      func.walk([&](rt::IterationOp marker) { markers.push_back(marker); });
      for (rt::IterationOp marker : markers)
        poll(rewriter, marker);
      func.walk([&](rt::OutputOp output) { acquire(rewriter, output); });
      SmallVector<rt::ReserveOp> reservations;
      func.walk([&](rt::ReserveOp reserve) {
        if (reserve.getGrowing())
          reservations.push_back(reserve);
      });
      for (rt::ReserveOp reserve : llvm::reverse(reservations)) {
        if (failed(moveOutOfLine(rewriter, func, reserve)))
          return signalPassFailure();
      }
      if (failed(expandCheckedSizes(rewriter, func)))
        return signalPassFailure();
      SmallVector<rt::CheckOp> checks;
      func.walk([&](rt::CheckOp check) { checks.push_back(check); });
      // Splitting a block takes time for each op behind the check, so the last check comes first.
      for (rt::CheckOp check : llvm::reverse(checks)) {
        if (failed(expectInFunction(check)))
          return signalPassFailure();
        rewriter.splitBlock(check->getBlock(), std::next(check->getIterator()));
      }
      Block *epilogue = nullptr, *recorded = nullptr, *returned = nullptr;
      for (rt::CheckOp check : checks) {
        if (func.getNumResults() == 0) {
          lowerToReturn(rewriter, func, check, epilogue);
          continue;
        }
        StringRef layer = getLayerName(check.getLoc());
        std::string text = layer.empty() ? check.getMessage().str() : ("'" + layer + "': " + check.getMessage()).str();
        auto getSite = [&](int32_t status) -> int64_t {
          ArrayAttr fault = rewriter.getArrayAttr({rewriter.getI64IntegerAttr(status), rewriter.getStringAttr(text)});
          auto [site, isNew] = sites.try_emplace(fault, faults.size());
          if (isNew)
            faults.push_back(fault);
          return site->second;
        };
        if (check.getKind() == rt::FaultKind::Recorded && !check.getDetails().empty()) {
          lowerReturned(rewriter, func, check, returned);
          continue;
        }
        if (check.getKind() == rt::FaultKind::Recorded) {
          lowerRecorded(rewriter, func, check, text.empty() ? -1 : getSite(RECUR_OK), recorded);
          continue;
        }
        int32_t status = getStatus(check.getKind());
        lower(rewriter, func, check, status, getSite(status), epilogue);
      }
    }
    getOperation()->setAttr(rt::kFaultsAttr, rewriter.getArrayAttr(faults));
  }

  /// Checks at the start of each iteration of a time loop that the iteration limit is not reached, and that the caller
  /// has not cancelled the call.
  void poll(RewriterBase &rewriter, rt::IterationOp marker) {
    Location loc = marker.getLoc();
    rewriter.setInsertionPoint(marker);
    // The function of a parallel region has no status. rt-form-parallel-regions checks the limit in front of the
    // parallel region, and asks once more behind it.
    if (marker->getParentOfType<func::FuncOp>().getNumResults() != 0)
      emitLimitCheck(rewriter, loc, marker.getNumber());
    emitCancelCheck(rewriter, loc);
    rewriter.eraseOp(marker);
  }

  /// Acquires a late output where it stands, because its dims are computed there. The call ends if that fails.
  void acquire(RewriterBase &rewriter, rt::OutputOp output) {
    if (!output.getLate())
      return;
    Location loc = output.getLoc();
    rewriter.setInsertionPoint(output);
    auto type = cast<MemRefType>(output.getType());
    // rt-lower-entry has checked the static dims.
    Value count = buildByteCount(rewriter, loc, getStaticBytes(type).value_or(std::numeric_limits<int64_t>::max()),
                                 output.getDims(), std::numeric_limits<int64_t>::max());
    Value bytes = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), count);
    SmallVector<Value> dims;
    unsigned next = 0;
    for (int64_t dim : type.getShape())
      dims.push_back(ShapedType::isDynamic(dim) ? output.getDims()[next++]
                                                : arith::ConstantIndexOp::create(rewriter, loc, dim).getResult());
    Value ok = rt::AcquireOutputOp::create(rewriter, loc, rewriter.getI1Type(), output.getNumber(), bytes, dims);
    rt::CheckOp::create(rewriter, loc, ok, rt::FaultKind::Recorded, "", ValueRange(), ValueRange());
  }

  /// Fails, with an error, if `op` is inside a region of another op than the function. A branch cannot leave such a
  /// region.
  static LogicalResult expectInFunction(Operation *op) {
    if (isa<func::FuncOp>(op->getParentOp()))
      return success();
    return op->emitError("expected structured control flow to be lowered before this");
  }

  /// Moves the reservation of a growing buffer, which an iteration of a loop may reach, to a block of its own, for the
  /// rare case that the buffer has to grow. Otherwise the code uses the buffer that the cell holds. Other reservations
  /// stand beside much more work, so they stay calls, which are less code.
  LogicalResult moveOutOfLine(RewriterBase &rewriter, func::FuncOp func, rt::ReserveOp reserve) {
    if (failed(expectInFunction(reserve)))
      return failure();
    Location loc = reserve.getLoc();
    Value cell = reserve.getCell();
    rewriter.setInsertionPoint(reserve);
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    Value capacity = memref::LoadOp::create(rewriter, loc, cell, one);
    Value bytes = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), reserve.getBytes());
    Value fits = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sle, bytes, capacity);
    Value held = rt::HeldOp::create(rewriter, loc, reserve.getBuffer().getType(), cell);
    Value ok = arith::ConstantIntOp::create(rewriter, loc, 1, 1);
    Block *here = reserve->getBlock(), *rest = rewriter.splitBlock(here, std::next(reserve->getIterator()));
    for (OpResult result : reserve->getResults())
      rewriter.replaceAllUsesWith(result, rest->addArgument(result.getType(), loc));
    Block *growth = rewriter.createBlock(&func.getBody(), func.getBody().end());
    rewriter.moveOpBefore(reserve, growth, growth->end());
    rewriter.setInsertionPointToEnd(growth);
    cf::BranchOp::create(rewriter, loc, rest, reserve->getResults());
    rewriter.setInsertionPointToEnd(here);
    auto branch = cf::CondBranchOp::create(rewriter, loc, fits, rest, ValueRange{held, ok}, growth, ValueRange());
    branch.setBranchWeights(kWeights);
    return success();
  }

  /// Lowers a check whose fault the frame holds already. The epilogue adds the layer and returns the status of the
  /// fault. A negative `site` stands for no layer.
  void lowerRecorded(RewriterBase &rewriter, func::FuncOp func, rt::CheckOp check, int64_t site, Block *&epilogue) {
    if (!epilogue) {
      epilogue = rewriter.createBlock(&func.getBody(), func.getBody().end(), {rewriter.getI64Type()}, {func.getLoc()});
      Value status =
          rt::RecordedStatusOp::create(rewriter, func.getLoc(), rewriter.getI32Type(), epilogue->getArgument(0));
      returnStatus(rewriter, func, status);
    }
    rewriter.setInsertionPoint(check);
    Value operand = arith::ConstantIntOp::create(rewriter, check.getLoc(), site, 64);
    branch(rewriter, check, epilogue, operand);
  }

  /// Lowers a check of the status that a function of layers has returned, its only detail. That function has recorded
  /// the fault.
  void lowerReturned(RewriterBase &rewriter, func::FuncOp func, rt::CheckOp check, Block *&epilogue) {
    Location loc = check.getLoc();
    if (!epilogue) {
      epilogue = rewriter.createBlock(&func.getBody(), func.getBody().end(), {rewriter.getI32Type()}, {func.getLoc()});
      returnStatus(rewriter, func, epilogue->getArgument(0));
    }
    rewriter.setInsertionPoint(check);
    Value status = arith::TruncIOp::create(rewriter, loc, rewriter.getI32Type(), check.getDetails().front());
    branch(rewriter, check, epilogue, status);
  }

  /// Returns a status. The other results of a function of layers, which nobody reads then, are zeros.
  void returnStatus(RewriterBase &rewriter, func::FuncOp func, Value status) {
    SmallVector<Value> results{status};
    for (Type type : func.getResultTypes().drop_front())
      results.push_back(arith::ConstantOp::create(rewriter, func.getLoc(), rewriter.getZeroAttr(type)));
    func::ReturnOp::create(rewriter, func.getLoc(), results);
  }

  /// Lowers a check in a function without a status, which only returns.
  void lowerToReturn(RewriterBase &rewriter, func::FuncOp func, rt::CheckOp check, Block *&epilogue) {
    if (!epilogue) {
      epilogue = rewriter.createBlock(&func.getBody(), func.getBody().end());
      func::ReturnOp::create(rewriter, func.getLoc());
    }
    branch(rewriter, check, epilogue, ValueRange());
  }

  /// Lowers a check with a fault of its own. The epilogue records the fault `site` with the details, and returns
  /// `status`.
  void lower(RewriterBase &rewriter, func::FuncOp func, rt::CheckOp check, int32_t status, int64_t site,
             Block *&epilogue) {
    Location loc = check.getLoc();
    if (!epilogue) {
      SmallVector<Type> types(6, rewriter.getI64Type());
      types[0] = rewriter.getI32Type();
      epilogue =
          rewriter.createBlock(&func.getBody(), func.getBody().end(), types, SmallVector<Location>(6, func.getLoc()));
      rt::FailOp::create(rewriter, func.getLoc(), epilogue->getArgument(1), epilogue->getArguments().drop_front(2));
      returnStatus(rewriter, func, epilogue->getArgument(0));
    }
    rewriter.setInsertionPoint(check);
    SmallVector<Value> operands{arith::ConstantIntOp::create(rewriter, loc, status, 32),
                                arith::ConstantIntOp::create(rewriter, loc, site, 64)};
    llvm::append_range(operands, check.getDetails());
    while (operands.size() < 6)
      operands.push_back(arith::ConstantIntOp::create(rewriter, loc, 0, 64));
    branch(rewriter, check, epilogue, operands);
  }

  /// Ends the block of the check, which is its last op, with a branch to the next block or, if the condition does not
  /// hold, to the epilogue. The rest gets constants as arguments: a constant that the condition refuses, as an offset
  /// of -1, may not be seen in the rest, where upstream's ops refuse it too.
  void branch(RewriterBase &rewriter, rt::CheckOp check, Block *epilogue, ValueRange operands) {
    Location loc = check.getLoc();
    Value condition = check.getCondition();
    SmallVector<Value> guarded(check.getGuarded()), constants;
    Block *rest = check->getBlock()->getNextNode();
    for (Value &value : guarded) {
      if (!matchPattern(value, m_Constant()))
        continue;
      constants.push_back(value);
      value = rest->addArgument(value.getType(), loc);
    }
    rewriter.setInsertionPoint(check);
    auto branch = cf::CondBranchOp::create(rewriter, loc, condition, rest, constants, epilogue, operands);
    branch.setBranchWeights(kWeights);
    rewriter.replaceOp(check, guarded);
  }
};
} // namespace
