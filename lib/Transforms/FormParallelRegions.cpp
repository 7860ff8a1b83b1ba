// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FormParallelRegions.cpp - Divide large loops among threads ---------===//
//
// A loop of independent iterations, or the call of a kernel that has parts, moves to a function of its own, which does
// the share of one index. The code of the loop exists once, so one thread runs the same code as before.
//
//===----------------------------------------------------------------------===//

#include "CapturedValues.h"
#include "KernelCalls.h"
#include "LimitChecks.h"
#include "Recur/Analysis/KernelParts.h"
#include "Recur/Analysis/TimeLoopBuffers.h"
#include "Recur/Analysis/WorkEstimate.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace recur {
#define GEN_PASS_DEF_FORMPARALLELREGIONS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// The function that computes the bounds of a share, of the number of units, the size of the groups that stay whole,
/// the index and the count. The last share has what is left. A single index has all units, which takes no divisions.
static func::FuncOp getShare(ModuleOp module) {
  static constexpr StringLiteral name = "rt_share";
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  Location loc = module.getLoc();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  SmallVector<Type> numbers(4, builder.getIndexType());
  auto func =
      func::FuncOp::create(builder, loc, name, builder.getFunctionType(numbers, ArrayRef(numbers).take_front(2)));
  func.setPrivate();
  // All parts have this function, so that none has its code.
  func->setAttr(kPassThroughAttr, builder.getStrArrayAttr({"noinline"}));
  builder.setInsertionPointToStart(func.addEntryBlock());
  Value units = func.getArgument(0), grain = func.getArgument(1), index = func.getArgument(2),
        count = func.getArgument(3), one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value isAlone = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, count, one);
  auto share = scf::IfOp::create(
      builder, loc, isAlone,
      [&](OpBuilder &whole, Location loc) {
        Value zero = arith::ConstantIndexOp::create(whole, loc, 0);
        scf::YieldOp::create(whole, loc, ValueRange{zero, units});
      },
      [&](OpBuilder &part, Location loc) {
        Value groups = arith::DivUIOp::create(part, loc, units, grain);
        auto getStart = [&](Value of) -> Value {
          Value group = arith::DivUIOp::create(part, loc, arith::MulIOp::create(part, loc, groups, of), count);
          return arith::MulIOp::create(part, loc, group, grain);
        };
        Value next = arith::AddIOp::create(part, loc, index, one), from = getStart(index), to = getStart(next);
        Value isLast = arith::CmpIOp::create(part, loc, arith::CmpIPredicate::eq, next, count);
        scf::YieldOp::create(part, loc, ValueRange{from, arith::SelectOp::create(part, loc, isLast, units, to)});
      });
  func::ReturnOp::create(builder, loc, share.getResults());
  return func;
}

namespace {
/// A function that does the share of one index. It takes the frame, the index, the count, and then the captures.
class Part {
public:
  Part(ModuleOp module, StringRef name, Location loc) : loc(loc), builder(OpBuilder::atBlockEnd(module.getBody())) {
    MLIRContext *context = module.getContext();
    Type pointer = LLVM::LLVMPointerType::get(context), i32 = builder.getI32Type();
    func = func::FuncOp::create(builder, loc, name, builder.getFunctionType({pointer, i32, i32}, {}));
    func.setPrivate();
    func.addEntryBlock();
    builder.setInsertionPointToStart(&func.getBody().front());
    values.emplace(builder, func.getBody().front());
  }

  /// The value of the caller in this function, which becomes an argument or is made again.
  Value get(Value value) { return values->get(value); }

  /// Emits the bounds of the share of `units` units in groups of `grain`.
  std::pair<Value, Value> emitShare(Value units, Value grain) {
    index = toIndex(1);
    auto share = func::CallOp::create(builder, loc, getShare(func->getParentOfType<ModuleOp>()),
                                      ValueRange{units, grain, index, toIndex(2)});
    return {share.getResult(0), share.getResult(1)};
  }

  /// The index that the function does the share of, after `emitShare`.
  Value getIndex() const { return index; }

  /// Replaces `op` by the calls of the function. A loop has many executions, so there, work that is worth one thread
  /// needs neither a struct of captures nor the caller's callback: a kernel is called as before, and the function
  /// itself in place of another op.
  void replace(Operation *op, Value want) {
    func::ReturnOp::create(builder, loc);
    func.setFunctionType(builder.getFunctionType(func.getBody().front().getArgumentTypes(), {}));
    OpBuilder at(op);
    scf::IfOp choice;
    if (!getConstantIntValue(want) && op->getParentOfType<LoopLikeOpInterface>()) {
      Value two = arith::ConstantIndexOp::create(at, loc, 2);
      Value isSmall = arith::CmpIOp::create(at, loc, arith::CmpIPredicate::ult, want, two);
      choice = scf::IfOp::create(at, loc, isSmall, /*withElseRegion=*/true);
      at = choice.getElseBodyBuilder();
    }
    rt::ParallelOp::create(at, loc, FlatSymbolRefAttr::get(func.getSymNameAttr()), want, values->getArguments());
    if (choice && isa<func::CallOp>(op))
      return op->moveBefore(choice.thenYield());
    if (choice) {
      OpBuilder direct = choice.getThenBodyBuilder();
      SmallVector<Value> operands{op->getParentOfType<func::FuncOp>().getArgument(0),
                                  arith::ConstantIntOp::create(direct, loc, /*value=*/0, /*width=*/32),
                                  arith::ConstantIntOp::create(direct, loc, /*value=*/1, /*width=*/32)};
      llvm::append_range(operands, values->getArguments());
      func::CallOp::create(direct, loc, func, operands);
      // If it were inlined, the code would be there twice.
      func->setAttr(kPassThroughAttr, direct.getStrArrayAttr({"noinline"}));
    }
    op->erase();
  }

  Location loc;
  func::FuncOp func;
  OpBuilder builder;
  std::optional<CapturedValues> values;

private:
  Value toIndex(unsigned argument) {
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), func.getArgument(argument));
  }

  Value index;
};

/// The number of the last iteration of a time loop, an index, and whether it has no iteration.
struct LastIteration {
  Value number, isMissing;
};
} // namespace

/// Emits in front of `parallel` the value that `value` has inside of it, where `map` has that of the induction
/// variables. Returns null if it is not known there.
static Value rebuild(OpBuilder &builder, Value value, scf::ForOp parallel, IRMapping &map) {
  if (parallel.isDefinedOutsideOfLoop(value))
    return value;
  if (Value known = map.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() || !isPure(op))
    return Value();
  for (Value operand : op->getOperands())
    if (!rebuild(builder, operand, parallel, map))
      return Value();
  for (auto [result, copy] : llvm::zip_equal(op->getResults(), builder.clone(*op, map)->getResults()))
    map.map(result, copy);
  return map.lookup(value);
}

/// Emits in front of `parallel` the last iteration of a time loop in it. The numbers of its iterations grow in the
/// order in which they run, so it is the last one of each loop around. Fails if the iterations depend on what the
/// parallel region computes.
static FailureOr<LastIteration> buildLast(OpBuilder &builder, rt::IterationOp marker, scf::ForOp parallel) {
  Location loc = marker.getLoc();
  SmallVector<Region *> regions;
  for (Region *region = marker->getParentRegion(); region->getParentOp() != parallel;
       region = region->getParentRegion())
    regions.push_back(region);
  // The parallel region may be the time loop itself.
  if (regions.empty())
    regions.push_back(marker->getParentRegion());
  IRMapping map;
  Value isMissing = arith::ConstantIntOp::create(builder, loc, /*value=*/0, /*width=*/1);
  for (Region *region : llvm::reverse(regions)) {
    Value isSkipped;
    if (auto loop = dyn_cast<scf::ForOp>(region->getParentOp())) {
      Value lower = rebuild(builder, loop.getLowerBound(), parallel, map),
            upper = rebuild(builder, loop.getUpperBound(), parallel, map),
            step = rebuild(builder, loop.getStep(), parallel, map);
      if (!lower || !upper || !step)
        return failure();
      Value one = arith::ConstantIndexOp::create(builder, loc, 1);
      Value before = arith::SubIOp::create(builder, loc, buildTripCount(builder, loc, lower, upper, step), one);
      map.map(loop.getInductionVar(),
              builder.createOrFold<arith::AddIOp>(loc, lower, builder.createOrFold<arith::MulIOp>(loc, before, step)));
      isSkipped = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, lower, upper);
    } else if (auto branch = dyn_cast<scf::IfOp>(region->getParentOp())) {
      isSkipped = rebuild(builder, branch.getCondition(), parallel, map);
      if (!isSkipped)
        return failure();
      Value yes = arith::ConstantIntOp::create(builder, loc, /*value=*/1, /*width=*/1);
      if (region == &branch.getThenRegion())
        isSkipped = arith::XOrIOp::create(builder, loc, isSkipped, yes);
    } else if (auto choice = dyn_cast<scf::IndexSwitchOp>(region->getParentOp());
               choice && choice.getArg() == parallel.getInductionVar()) {
      continue;
    } else {
      return failure();
    }
    isMissing = builder.createOrFold<arith::OrIOp>(loc, isMissing, isSkipped);
  }
  Value number = rebuild(builder, marker.getNumber(), parallel, map);
  if (!number)
    return failure();
  return LastIteration{number, isMissing};
}

namespace {
/// Dims of operands that are cut together at multiples of `grain`.
struct Cut {
  ArrayRef<std::pair<int64_t, int64_t>> along;
  int64_t grain;
  /// Their size, and the number of parts that it makes, in front of the call.
  Value size, count;
};
} // namespace

/// Finds the cut of a call that makes the most parts: two if only the call of the model tells which one does, and none
/// if the size of the dims is not known in front of the call.
static SmallVector<Cut, 2> findCuts(OpBuilder &builder, func::CallOp call, const KernelParts &parts) {
  SmallVector<Cut, 2> cuts;
  Location loc = call.getLoc();
  auto add = [&](ArrayRef<std::pair<int64_t, int64_t>> along, int64_t grain, int64_t least) {
    auto [operand, dim] = along.front();
    OpFoldResult known = getKnownDim(call.getOperand(operand), dim);
    if (!known)
      return false;
    Value size = getValueOrCreateConstantIndexOp(builder, loc, known);
    Value count = builder.createOrFold<arith::DivUIOp>(loc, size, arith::ConstantIndexOp::create(builder, loc, least));
    cuts.push_back({along, grain, size, count});
    return true;
  };
  if (!add(parts.along, parts.grain, parts.grain) || !parts.other || rt::isInTimeLoop(call) ||
      !add(parts.other->along, /*grain=*/1, parts.other->least))
    return cuts;
  std::optional<int64_t> first = getConstantIntValue(cuts[0].count), second = getConstantIntValue(cuts[1].count);
  if (first && second)
    cuts.erase(cuts.begin() + (*second >= *first ? 0 : 1));
  return cuts;
}

/// A view of the indices from `first` on, `count` of them, of a dim of `view`, with the same type.
static Value takeIndices(OpBuilder &builder, Location loc, Value view, int64_t dim, Value first, OpFoldResult count) {
  auto type = cast<MemRefType>(view.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
      sizes = memref::getMixedSizes(builder, loc, view), strides(type.getRank(), builder.getIndexAttr(1));
  offsets[dim] = first;
  sizes[dim] = count;
  Value share = memref::SubViewOp::create(builder, loc, view, offsets, sizes, strides);
  return share.getType() == type ? share : memref::CastOp::create(builder, loc, type, share).getResult();
}

namespace {
struct FormParallelRegions final : recur::impl::FormParallelRegionsBase<FormParallelRegions> {
  using Base::Base;

  void runOnOperation() override {
    auto compute = getOperation().lookupSymbol<func::FuncOp>(kComputeFunction);
    if (!compute)
      return;
    SmallVector<Operation *> candidates;
    compute.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->hasAttr(rt::kUndividedAttr)) {
        remarkMissed(op->getLoc(), "rt-form-parallel-regions", "undivided",
                     "expected more work for each cache line of the result, which a time loop on one thread reads");
        return WalkResult::skip();
      }
      if (op->hasAttr(rt::kIndependentAttr) || findParts(op)) {
        candidates.push_back(op);
        return WalkResult::skip();
      }
      if (auto call = dyn_cast<func::CallOp>(op); call && getKernelParts(call))
        candidates.push_back(op);
      return WalkResult::advance();
    });
    for (Operation *op : candidates) {
      if (scf::ForOp parts = findParts(op))
        divide(cast<scf::ForOp>(op), parts);
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        divide(loop, loop);
      else if (auto call = dyn_cast<func::CallOp>(op))
        divide(call);
    }
  }

  /// Emits the number of threads that `op` is worth, which is at most `most`. Returns null if it is known to be
  /// below 2.
  Value buildWant(OpBuilder &builder, Operation *op, Value most) {
    Location loc = op->getLoc();
    Value work = WorkEstimate(op).build(builder, loc);
    Value least = arith::ConstantIndexOp::create(builder, loc, gangWork * kWorkPerInstruction);
    Value want =
        builder.createOrFold<arith::MinUIOp>(loc, builder.createOrFold<arith::DivUIOp>(loc, work, least), most);
    std::optional<int64_t> known = getConstantIntValue(want);
    if (known && *known < 2) {
      remarkMissed(loc, "rt-form-parallel-regions", "one-thread",
                   "expected work of {0} or more vector instructions and parts for several threads", 2 * gangWork);
      return Value();
    }
    remarkPassed(loc, "rt-form-parallel-regions", "divided", "up to {0} threads share the work",
                 JoinedSizes(known.value_or(ShapedType::kDynamic)));
    return want;
  }

  Part makePart(Operation *op) { return Part(getOperation(), "rt_part_" + std::to_string(numParts++), op->getLoc()); }

  /// Emits the checks of the time loops in `loop`, which becomes a parallel region, because a parallel region raises no
  /// fault: that of the limit of iterations in front of it, and that of cancellation behind it. An iteration only ends
  /// its share once the caller has cancelled the call (rt-lower-checks). Returns false if the number of iterations is
  /// not known.
  static bool moveChecks(scf::ForOp loop) {
    SmallVector<rt::IterationOp> markers;
    loop.walk([&](rt::IterationOp marker) { markers.push_back(marker); });
    OpBuilder before(loop), after(loop->getContext());
    after.setInsertionPointAfter(loop);
    SmallVector<LastIteration> last;
    for (rt::IterationOp marker : markers) {
      FailureOr<LastIteration> own = buildLast(before, marker, loop);
      if (failed(own))
        return false;
      last.push_back(*own);
    }
    for (auto [marker, own] : llvm::zip_equal(markers, last))
      emitLimitCheck(before, marker.getLoc(), own.number, own.isMissing);
    if (!markers.empty())
      emitCancelCheck(after, markers.front().getLoc());
    return true;
  }

  /// The loop over the parts of each iteration of a time loop, or null.
  static scf::ForOp findParts(Operation *timeLoop) {
    auto loop = dyn_cast<scf::ForOp>(timeLoop);
    if (loop)
      for (auto inner : loop.getBody()->getOps<scf::ForOp>())
        if (inner->hasAttr(rt::kInterchangeableAttr))
          return inner;
    return scf::ForOp();
  }

  /// Divides the iterations of `divided`, which is `loop` or the loop over the parts of each of its iterations. Then a
  /// thread runs `loop` with some of the parts.
  void divide(scf::ForOp loop, scf::ForOp divided) {
    OpBuilder builder(loop);
    for (Value bound : {divided.getLowerBound(), divided.getUpperBound(), divided.getStep()})
      if (!loop.isDefinedOutsideOfLoop(bound))
        return;
    Value trips = buildTripCount(builder, loop.getLoc(), getAsOpFoldResult(divided.getLowerBound()),
                                 getAsOpFoldResult(divided.getUpperBound()), getAsOpFoldResult(divided.getStep()));
    Value want = buildWant(builder, loop, trips);
    if (!want || !moveChecks(loop))
      return;
    Part part = makePart(loop);
    llvm::SetVector<Value> used;
    if (divided != loop)
      used.insert(loop->operand_begin(), loop->operand_end());
    getUsedValuesDefinedAbove(loop->getRegions(), used);
    for (Value value : used)
      (void)part.get(value);
    auto [from, to] = part.emitShare(part.get(trips), arith::ConstantIndexOp::create(part.builder, loop.getLoc(), 1));
    Value lower = part.get(divided.getLowerBound()), step = part.get(divided.getStep());
    auto getBound = [&, builder = &part.builder](Value iteration) {
      return builder->createOrFold<arith::AddIOp>(loop.getLoc(), lower,
                                                  builder->createOrFold<arith::MulIOp>(loop.getLoc(), iteration, step));
    };
    // The bound of a share is that of its iterations: the last one may end behind the upper bound of the loop.
    Value first = getBound(from), end = getBound(to);
    part.builder.clone(*loop, part.values->map);
    auto share = cast<scf::ForOp>(part.values->map.lookup(divided.getOperation()));
    share.setLowerBound(first);
    share.setUpperBound(end);
    part.replace(loop, want);
  }

  /// Divides the dims of a kernel's operands.
  void divide(func::CallOp call) {
    KernelParts parts = *getKernelParts(call);
    OpBuilder builder(call);
    Location loc = call.getLoc();
    SmallVector<Cut, 2> cuts = findCuts(builder, call, parts);
    if (cuts.empty())
      return;
    // If there are two cuts, whether the second one is made.
    Value isSecond, most = cuts.front().count;
    if (cuts.size() == 2) {
      isSecond = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, cuts[1].count, cuts[0].count);
      most = arith::MaxUIOp::create(builder, loc, cuts[0].count, cuts[1].count);
    }
    if (parts.scratch) {
      OpFoldResult room = getKnownDim(call.getOperand(*parts.scratch), 0);
      if (!room)
        return;
      most = builder.createOrFold<arith::MinUIOp>(loc, most, getValueOrCreateConstantIndexOp(builder, loc, room));
    }
    Value want = buildWant(builder, call, most);
    if (!want)
      return;
    Part part = makePart(call);
    for (Value value : call.getOperands())
      (void)part.get(value);
    SmallVector<Value> operands = llvm::map_to_vector(call.getOperands(), [&](Value value) { return part.get(value); });
    auto constant = [&](int64_t number) -> Value { return arith::ConstantIndexOp::create(part.builder, loc, number); };
    auto choose = [&](Value second, Value first) -> Value {
      return arith::SelectOp::create(part.builder, loc, part.get(isSecond), second, first);
    };
    if (isSecond)
      (void)part.get(isSecond);
    for (Cut &cut : cuts)
      cut.size = part.get(cut.size);
    Value size = cuts.front().size, grain = constant(cuts.front().grain);
    if (isSecond) {
      size = choose(cuts[1].size, size);
      grain = choose(constant(cuts[1].grain), grain);
    }
    auto [from, to] = part.emitShare(size, grain);
    for (auto [i, cut] : llvm::enumerate(cuts)) {
      // A cut that is not made leaves the dims whole.
      Value first = from, end = to;
      if (isSecond) {
        Value zero = constant(0);
        first = i ? choose(from, zero) : choose(zero, from);
        end = i ? choose(to, cut.size) : choose(cut.size, to);
      }
      Value extent = arith::SubIOp::create(part.builder, loc, end, first);
      for (auto [operand, dim] : cut.along) {
        Value &view = operands[operand];
        if (!view.getType().isIndex()) {
          view = takeIndices(part.builder, loc, view, dim, first, extent);
          continue;
        }
        Value before = part.builder.createOrFold<arith::MulIOp>(loc, first, constant(dim));
        view = arith::SubIOp::create(part.builder, loc, view, before);
      }
    }
    if (parts.scratch) {
      Value &scratch = operands[*parts.scratch];
      scratch = takeIndices(part.builder, loc, scratch, 0, part.getIndex(), part.builder.getIndexAttr(1));
    }
    func::CallOp::create(part.builder, loc, getKernel(call), operands);
    part.replace(call, want);
  }

  unsigned numParts = 0;
};
} // namespace
