// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AlternateOrder.cpp - Read weights forward and backward by turns ----===//
//
// A time loop reads the same weights in each iteration. If a cache does not hold all of them and they are always read
// in the same order, it has dropped the first ones whenever they are needed again. If every second iteration goes
// backward, it begins with those that are still there.
//
//===----------------------------------------------------------------------===//

#include "LargeWeights.h"
#include "Recur/Analysis/TimeLoopBuffers.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace recur {
#define GEN_PASS_DEF_ALTERNATEORDER
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

namespace {
/// These loops and calls get a direction in the iterations of time loops.
struct Sites {
  SmallVector<scf::ForOp> loops;
  SmallVector<func::CallOp> calls;
  bool empty() const { return loops.empty() && calls.empty(); }
};

struct AlternateOrder final : recur::impl::AlternateOrderBase<AlternateOrder> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<scf::ForOp> timeLoops;
    // A time loop may be in a function that does the share of a thread.
    getOperation().walk([&](scf::ForOp loop) {
      if (rt::isTimeLoop(loop))
        timeLoops.push_back(loop);
    });
    for (scf::ForOp loop : timeLoops)
      alternate(loop);
    getOperation().walk([](scf::ForOp loop) { loop->removeDiscardableAttr(rt::kIndependentAttr); });
  }

  /// Finds loops and calls of kernels in `region` that read large weights in any order, but not in other time loops.
  Sites findSites(Region &region) {
    Sites sites;
    region.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (rt::isTimeLoop(op))
        return WalkResult::skip();
      auto loop = dyn_cast<scf::ForOp>(op);
      if (loop && loop->hasAttr(rt::kIndependentAttr)) {
        if (!readsLargeWeights(loop))
          return WalkResult::advance();
        sites.loops.push_back(loop);
        return WalkResult::skip();
      }
      auto call = dyn_cast<func::CallOp>(op);
      if (call && llvm::any_of(call.getOperands(), isPartOfLargeWeights))
        if (func::FuncOp kernel = getKernel(call); kernel && hasOrder(kernel))
          sites.calls.push_back(call);
      return WalkResult::advance();
    });
    return sites;
  }

  /// True if a kernel, or one that it calls, has a loop that may run in any order.
  bool hasOrder(func::FuncOp kernel) {
    auto [it, isNew] = ordered.try_emplace(kernel, false);
    if (!isNew)
      return it->second;
    bool result = false;
    kernel.walk([&](Operation *op) {
      result |= isa<scf::ForOp>(op) && op->hasAttr(rt::kIndependentAttr);
      if (auto call = dyn_cast<func::CallOp>(op))
        if (func::FuncOp callee = getKernel(call))
          result |= hasOrder(callee);
    });
    return ordered[kernel] = result;
  }

  /// Gives the iterations of `timeLoop` a direction, if anything in them has one.
  void alternate(scf::ForOp timeLoop) {
    Sites own = findSites(timeLoop.getRegion());
    // The functions that do a share of one thread.
    SmallVector<std::pair<func::FuncOp, Sites>> parts;
    SmallVector<Operation *> callers;
    timeLoop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (rt::isTimeLoop(op))
        return WalkResult::skip();
      func::FuncOp part;
      if (auto parallel = dyn_cast<rt::ParallelOp>(op))
        part = getOperation().lookupSymbol<func::FuncOp>(parallel.getPart());
      else if (auto call = dyn_cast<func::CallOp>(op); call && !getKernel(call))
        part = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
      if (!part || part.isExternal())
        return WalkResult::advance();
      auto known = llvm::find_if(parts, [&](auto &pair) { return pair.first == part; });
      if (known == parts.end()) {
        Sites sites = findSites(part.getBody());
        if (sites.empty())
          return WalkResult::advance();
        parts.emplace_back(part, std::move(sites));
      }
      callers.push_back(op);
      return WalkResult::advance();
    });
    if (own.empty() && parts.empty())
      return;
    remarkPassed(timeLoop.getLoc(), "rt-alternate-order", "alternates",
                 "every second iteration reads the weights backward");

    OpBuilder builder = OpBuilder::atBlockBegin(timeLoop.getBody());
    Location loc = timeLoop.getLoc();
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value parity = arith::AndIOp::create(builder, loc, timeLoop.getInductionVar(), one);
    Value backward = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, parity, one);
    direct(own, backward);
    for (auto &[part, sites] : parts)
      direct(sites, addArgument(part));
    for (Operation *caller : callers)
      caller->insertOperands(caller->getNumOperands(), backward);
  }

  /// Appends a flag to the arguments of a function.
  static Value addArgument(func::FuncOp func) {
    unsigned position = func.getNumArguments();
    (void)func.insertArgument(position, IntegerType::get(func.getContext(), 1), {}, func.getLoc());
    return func.getArgument(position);
  }

  /// Makes loops and kernels go backward if `backward` is true.
  void direct(const Sites &sites, Value backward) {
    for (scf::ForOp loop : sites.loops)
      direct(loop, backward);
    for (func::CallOp call : sites.calls) {
      direct(getKernel(call));
      // The last operand is the flag that all calls of the kernel have got.
      call->setOperand(call->getNumOperands() - 1, backward);
    }
  }

  /// Makes a loop go backward if `backward` is true.
  static void direct(scf::ForOp loop, Value backward) {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    Value lower = loop.getLowerBound(), step = loop.getStep();
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto minus = [&](Value a, Value b) { return builder.createOrFold<arith::SubIOp>(loc, a, b); };
    Value steps = builder.createOrFold<arith::DivSIOp>(loc, minus(minus(loop.getUpperBound(), lower), one), step);
    Value last = builder.createOrFold<arith::AddIOp>(loc, lower, builder.createOrFold<arith::MulIOp>(loc, steps, step));
    Value ends = builder.createOrFold<arith::AddIOp>(loc, lower, last);
    builder.setInsertionPointToStart(loop.getBody());
    Value iteration = loop.getInductionVar();
    auto opposite = arith::SubIOp::create(builder, loc, ends, iteration);
    auto place = arith::SelectOp::create(builder, loc, backward, opposite, iteration);
    llvm::SmallPtrSet<Operation *, 2> own{opposite, place};
    iteration.replaceAllUsesExcept(place, own);
    loop->removeDiscardableAttr(rt::kIndependentAttr);
  }

  /// Gives a kernel, and those that it calls, a flag that says whether they go backward. All calls that are there pass
  /// false.
  void direct(func::FuncOp kernel) {
    if (!directed.insert(kernel).second)
      return;
    Value backward = addArgument(kernel);
    SymbolTable::UseRange uses = *SymbolTable::getSymbolUses(kernel, getOperation());
    for (SymbolTable::SymbolUse use : uses) {
      OpBuilder builder(use.getUser());
      Value forward = arith::ConstantIntOp::create(builder, kernel.getLoc(), /*value=*/0, /*width=*/1);
      use.getUser()->insertOperands(use.getUser()->getNumOperands(), forward);
    }
    Sites sites;
    kernel.walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op); loop && loop->hasAttr(rt::kIndependentAttr))
        sites.loops.push_back(loop);
      if (auto call = dyn_cast<func::CallOp>(op))
        if (func::FuncOp callee = getKernel(call); callee && hasOrder(callee))
          sites.calls.push_back(call);
    });
    direct(sites, backward);
  }

  llvm::DenseMap<func::FuncOp, bool> ordered;
  llvm::DenseSet<func::FuncOp> directed;
};
} // namespace
