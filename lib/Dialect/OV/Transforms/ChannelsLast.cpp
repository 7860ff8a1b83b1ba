// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChannelsLast.cpp - Networks of convolutions with channels last -----===//
//
// Two steps. First, the convolutions that feed each other, directly or by ops that do the same in any layout, get a
// pair of transposes behind them. Then the transposes that restore the layout move behind these ops, one op after the
// other, until they meet those of the next convolution or an op that needs the given layout.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/ChannelsLast.h"

#include "Forms.h"

#include "Recur/Dialect/OV/IR/RankedValues.h"
#include "Recur/Dialect/OV/Transforms/Passes.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace recur::ov {
#define GEN_PASS_DEF_CHANNELSLAST
#include "Recur/Dialect/OV/Transforms/Passes.h.inc"
} // namespace recur::ov

using namespace mlir;
using namespace recur;
using namespace recur::ov;

/// True if `op` is a split whose parts may have their channels last. If it splits channels, rows of each part should be
/// whole lines of a cache.
static bool canBeSplit(Operation *op) {
  constexpr int64_t lineElements = 16;
  if (!isa<SplitOp, VariadicSplitOp>(op))
    return false;
  std::optional<int64_t> axis = getConstantAxis(op->getOperand(1), typeOf(op->getOperand(0)).getRank());
  return axis && (*axis != 1 || llvm::all_of(op->getResults(), [](Value part) {
           int64_t channels = typeOf(part).getDimSize(1);
           return !ShapedType::isDynamic(channels) && channels % lineElements == 0;
         }));
}

/// The op as a convolution whose result may have its channels last.
static bool isConvolution(Operation *op) {
  if (auto convolution = dyn_cast<ConvolutionOp>(op))
    return canBeLast(convolution);
  auto groups = dyn_cast<GroupConvolutionOp>(op);
  return groups && canBeLast(groups);
}

/// True if `op` may be able to work on another layout.
static bool isFlexible(Operation *op) {
  return isElementwise(op) || isReduction(op) || isa<PadOp, SliceOp, ConcatOp>(op) || hasAttribute(op, "begin_mask") ||
         canBeSplit(op);
}

/// True if a convolution has so many multiplications for each element of its data and of its result that transposes of
/// both take little of its time. With few channels, vectors would not be full.
static bool makesUpForTransposes(Operation *op) {
  constexpr int64_t leastChannels = 16, leastMultiplications = 100;
  // The channels of a group.
  RankedTensorType filters = typeOf(op->getOperand(1));
  bool hasGroups = isa<GroupConvolutionOp>(op);
  int64_t groups = hasGroups ? filters.getDimSize(0) : 1, outputs = filters.getDimSize(hasGroups),
          inputs = filters.getDimSize(hasGroups + 1);
  return outputs >= leastChannels && inputs >= leastChannels &&
         filters.getNumElements() >= leastMultiplications * groups * (outputs + inputs);
}

/// Finds the convolutions in networks of `least` or more, or with one that makes up for the transposes.
static SmallVector<Operation *> findNetworks(func::FuncOp func, unsigned least) {
  llvm::EquivalenceClasses<Operation *> networks;
  DenseMap<Value, Operation *> origins;
  SmallVector<Operation *> all;
  func.walk([&](Operation *op) {
    bool isOne = isConvolution(op);
    if (!isOne && !isFlexible(op))
      return;
    Operation *origin = nullptr;
    if (isOne) {
      all.push_back(op);
      networks.insert(op);
      origin = op;
    }
    for (Value operand : op->getOperands())
      if (Operation *other = origins.lookup(operand)) {
        if (origin)
          networks.unionSets(origin, other);
        origin = other;
      }
    for (Value result : op->getResults())
      if (origin)
        origins[result] = origin;
  });
  llvm::DenseMap<Operation *, unsigned> sizes;
  for (Operation *op : all)
    sizes[networks.getLeaderValue(op)] += makesUpForTransposes(op) ? least : 1;
  llvm::erase_if(all, [&](Operation *op) {
    if (sizes[networks.getLeaderValue(op)] >= least)
      return false;
    remarkMissed(op->getLoc(), "ov-channels-last", "not-channels-last",
                 "expected {0} convolutions that feed each other, or one of many channels", least);
    return true;
  });
  return all;
}

namespace {
/// Moves transposes behind the ops of a function.
class Mover {
public:
  Mover(RewriterBase &rewriter, ArrayRef<Operation *> convolutions)
      : b(rewriter), convolutions(convolutions.begin(), convolutions.end()) {}

  /// Puts a pair of transposes behind a convolution.
  void surround(Operation *op) {
    b.setInsertionPointAfter(op);
    Value result = op->getResult(0), last = transpose(result, getOrderToLast(rankOf(result)));
    Value back = transpose(last, getOrderFromLast(rankOf(result)));
    b.replaceAllUsesExcept(result, back, last.getDefiningOp());
  }

  /// Moves the transposes of the operands of `op` behind it, if the op can work on the other layout.
  void move(Operation *op) {
    if (llvm::none_of(op->getOperands(), [&](Value operand) { return getLast(operand); }))
      return;
    b.setInsertionPoint(op);
    loc = op->getLoc();
    if (isElementwise(op))
      moveElementwise(op);
    else if (auto transpose = dyn_cast<TransposeOp>(op))
      merge(transpose);
    else if (auto pad = dyn_cast<PadOp>(op))
      movePad(pad);
    else if (auto slice = dyn_cast<SliceOp>(op))
      moveSlice(slice);
    else if (auto slice = dyn_cast<StridedSliceOp>(op))
      moveStridedSlice(slice);
    else if (canBeSplit(op))
      moveSplit(op);
    else if (auto concat = dyn_cast<ConcatOp>(op))
      moveConcat(concat);
    else if (isReduction(op))
      moveReduction(op);
  }

private:
  /// The value that a transpose gives its given layout, or null if `value` comes from elsewhere.
  static Value getLast(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() < 3)
      return {};
    TransposeOp transpose = matchTranspose(value.getDefiningOp(), getOrderFromLast(type.getRank()));
    return transpose ? transpose.getArg() : Value();
  }

  Value integers(ArrayRef<int64_t> list) {
    auto type = RankedTensorType::get(int64_t(list.size()), b.getI64Type());
    return ConstantOp::create(b, loc, type, DenseIntElementsAttr::get(type, list));
  }
  static RankedTensorType permute(RankedTensorType type, ArrayRef<int64_t> order) {
    SmallVector<int64_t> shape;
    for (int64_t axis : order)
      shape.push_back(type.getDimSize(axis));
    return type.clone(shape);
  }
  Value transpose(Value value, ArrayRef<int64_t> order) {
    loc = value.getLoc();
    return TransposeOp::create(b, loc, permute(typeOf(value), order), value, integers(order));
  }
  /// The place of an axis if the channels come last.
  static int64_t moveAxis(int64_t axis, int64_t rank) { return axis == 0 ? 0 : axis == 1 ? rank - 1 : axis - 1; }

  /// Replaces `op` by a clone with these operands, whose results have their channels last.
  void replace(Operation *op, ValueRange operands) {
    Operation *clone = b.clone(*op);
    SmallVector<Value> results;
    for (OpResult result : clone->getResults())
      b.modifyOpInPlace(clone, [&] { result.setType(permute(typeOf(result), getOrderToLast(rankOf(result)))); });
    b.modifyOpInPlace(clone, [&] { clone->setOperands(operands); });
    for (Value result : clone->getResults())
      results.push_back(transpose(result, getOrderFromLast(rankOf(result))));
    b.replaceOp(op, results);
  }

  /// True if a convolution reads `value` as its data. It transposes the value if nothing else does.
  bool isData(Value value) {
    return llvm::any_of(value.getUses(), [&](OpOperand &use) {
      return use.getOperandNumber() == 0 && convolutions.contains(use.getOwner());
    });
  }
  /// An operand of an element-wise op with a result of `rank` dims, for the other layout. Returns null if it would have
  /// to be copied.
  Value convertOperand(Value operand, int64_t rank) {
    RankedTensorType type = typeOf(operand);
    int64_t own = type.getRank(), missing = rank - own;
    if (Value last = own == rank ? getLast(operand) : Value())
      return last;
    if (llvm::all_of(type.getShape(), [](int64_t dim) { return dim == 1; }))
      return operand;
    if (own == rank && isData(operand))
      return transpose(operand, getOrderToLast(rank));
    auto isUnit = [&](int64_t axis) { return axis < missing || type.getDimSize(axis - missing) == 1; };
    if (!llvm::all_of(llvm::seq<int64_t>(2, rank), isUnit) && !operand.getDefiningOp<ConstantOp>())
      return {};
    if (own == rank)
      return transpose(operand, getOrderToLast(rank));
    // Dims in front of those of the operand are 1.
    if (!llvm::all_of(llvm::seq<int64_t>(2, rank), isUnit) || !type.hasStaticShape() || !isUnit(0))
      return {};
    return ReshapeOp::create(b, loc, type.clone({type.getNumElements()}), operand, integers({type.getNumElements()}),
                             /*special_zero=*/false);
  }

  void moveElementwise(Operation *op) {
    int64_t rank = rankOf(op->getResult(0));
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(convertOperand(operand, rank));
      if (!operands.back())
        return;
    }
    replace(op, operands);
  }

  void merge(TransposeOp op) {
    std::optional<SmallVector<int64_t>> order = getPermutation(op.getInputOrder(), op.getType().getRank());
    Value last = getLast(op.getArg());
    if (!order || !last)
      return;
    SmallVector<int64_t> fromLast = getOrderFromLast(order->size());
    for (int64_t &axis : *order)
      axis = fromLast[axis];
    if (llvm::is_sorted(*order) && last.getType() == op.getType())
      b.replaceOp(op, last);
    else
      b.replaceOpWithNewOp<TransposeOp>(op, op.getType(), last, integers(*order));
  }

  void movePad(PadOp op) {
    std::optional<SmallVector<int64_t>> begin = getConstantIntegers(op.getPadsBegin()),
                                        end = getConstantIntegers(op.getPadsEnd());
    Value last = getLast(op.getData());
    if (!last || !begin || !end)
      return;
    SmallVector<int64_t> before, behind;
    for (int64_t axis : getOrderToLast(begin->size())) {
      before.push_back((*begin)[axis]);
      behind.push_back((*end)[axis]);
    }
    SmallVector<Value> operands(op->getOperands());
    operands[0] = last;
    operands[1] = integers(before);
    operands[2] = integers(behind);
    replace(op, operands);
  }

  void moveSlice(SliceOp op) {
    int64_t rank = rankOf(op.getData());
    std::optional<SmallVector<int64_t>> axes = getConstantAxes(op.getAxes(), rank);
    Value last = getLast(op.getData());
    if (!last || !axes)
      return;
    for (int64_t &axis : *axes)
      axis = moveAxis(axis, rank);
    SmallVector<Value> operands(op->getOperands());
    operands[0] = last;
    operands[4] = integers(*axes);
    replace(op, operands);
  }

  /// Moves a slice whose entries are the first dims of the data and of the result.
  void moveStridedSlice(StridedSliceOp op) {
    int64_t rank = rankOf(op.getData());
    std::optional<SmallVector<int64_t>> begin = getConstantIntegers(op.getBegin()),
                                        end = getConstantIntegers(op.getEnd()), steps;
    steps = op.getStrides() ? getConstantIntegers(op.getStrides()) : SmallVector<int64_t>(begin ? begin->size() : 0, 1);
    Value last = getLast(op.getData());
    auto isSet = [](int64_t bit) { return bit != 0; };
    if (!last || !begin || !end || !steps || int64_t(begin->size()) > rank ||
        llvm::any_of(op.getNewAxisMask(), isSet) || llvm::any_of(op.getShrinkAxisMask(), isSet) ||
        llvm::any_of(op.getEllipsisMask(), isSet))
      return;
    SmallVector<int64_t> beginMask(op.getBeginMask()), endMask(op.getEndMask());
    for (SmallVector<int64_t> *mask : {&beginMask, &endMask})
      mask->resize(begin->size(), 0);
    // Dims without an entry are taken whole.
    for (auto [list, rest] : {std::pair(&*begin, 0), std::pair(&*end, 0), std::pair(&*steps, 1),
                              std::pair(&beginMask, 1), std::pair(&endMask, 1)}) {
      list->resize(rank, rest);
      SmallVector<int64_t> given(*list);
      for (auto [entry, axis] : llvm::zip_equal(*list, getOrderToLast(rank)))
        entry = given[axis];
    }
    b.modifyOpInPlace(op, [&] {
      op.setBeginMask(beginMask);
      op.setEndMask(endMask);
    });
    replace(op, {last, integers(*begin), integers(*end), integers(*steps)});
  }

  void moveSplit(Operation *op) {
    int64_t rank = rankOf(op->getOperand(0));
    std::optional<int64_t> axis = getConstantAxis(op->getOperand(1), rank);
    Value last = getLast(op->getOperand(0));
    if (!last || !axis)
      return;
    SmallVector<Value> operands(op->getOperands());
    operands[0] = last;
    auto type = RankedTensorType::get({}, b.getI64Type());
    operands[1] = ConstantOp::create(b, loc, type, DenseIntElementsAttr::get(type, moveAxis(*axis, rank)));
    replace(op, operands);
  }

  void moveConcat(ConcatOp op) {
    SmallVector<Value> operands;
    for (Value input : op.getInputs()) {
      operands.push_back(getLast(input));
      if (!operands.back())
        return;
    }
    int64_t rank = rankOf(op.getResult()), axis = moveAxis(*normalizeAxis(op.getAxis(), rank), rank);
    b.modifyOpInPlace(op, [&] { op.setAxis(axis); });
    replace(op, operands);
  }

  void moveReduction(Operation *op) {
    int64_t rank = rankOf(op->getOperand(0));
    std::optional<SmallVector<int64_t>> axes = getConstantAxes(op->getOperand(1), rank);
    Value last = getLast(op->getOperand(0));
    auto keepDims = dyn_cast_or_null<BoolAttr>(op->getAttr("keep_dims"));
    bool keeps = keepDims && keepDims.getValue();
    // Without the dims, the result has the same layout if all spatial dims are reduced.
    if (!last || !axes ||
        (!keeps && (int64_t(axes->size()) != rank - 2 || llvm::any_of(*axes, [](int64_t axis) { return axis < 2; }))))
      return;
    for (int64_t &axis : *axes)
      axis = moveAxis(axis, rank);
    llvm::sort(*axes);
    SmallVector<Value> operands{last, integers(*axes)};
    if (keeps)
      return replace(op, operands);
    b.modifyOpInPlace(op, [&] { op->setOperands(operands); });
  }

  RewriterBase &b;
  /// The convolutions that have their channels last.
  llvm::SmallDenseSet<Operation *> convolutions;
  Location loc = UnknownLoc::get(b.getContext());
};

struct ChannelsLast final : recur::ov::impl::ChannelsLastBase<ChannelsLast> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<Operation *> convolutions = findNetworks(getOperation(), leastConvolutions);
    if (convolutions.empty())
      return;
    // In program order, so that an op meets what was moved before it. With three dims, a transpose is its own inverse;
    // those that the pass inserts are not in the list, and stay pairs.
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isFlexible(op) || isa<TransposeOp>(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    Mover mover(rewriter, convolutions);
    for (Operation *op : convolutions) {
      remarkPassed(op->getLoc(), "ov-channels-last", "channels-last", "the convolution has its channels last");
      mover.surround(op);
    }
    for (Operation *op : ops)
      mover.move(op);
  }
};
} // namespace
