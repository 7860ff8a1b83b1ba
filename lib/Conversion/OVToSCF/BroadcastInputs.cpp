// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BroadcastInputs.cpp - Broadcasts inputs before a loop --------------===//
//
// Groups the dynamic dims of values in the body that belong to the same rows, finds the groups whose inputs may have
// different sizes before the loop, and broadcasts these inputs to the common dim. A dim along which an op does more
// than compute row by row, such as a sum over it, is fixed and left alone.
//
//===----------------------------------------------------------------------===//

#include "BroadcastInputs.h"

#include "BodyDims.h"
#include "BroadcastDim.h"
#include "Recur/Dialect/OV/IR/OVShapes.h"
#include "Recur/Dialect/OV/IR/RankedValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace recur;
using ov::DimKind;
using ov::shapeOf;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {
/// The dynamic dims of values in the body of a loop, in groups. A row along one dim of a group is computed only from
/// the same row along the others. A group is fixed if an op does not treat the rows of one of its dims separately.
class RowGroups {
public:
  using Dim = std::pair<Value, int64_t>;

  explicit RowGroups(Block &body);
  /// Joins the groups of two dims.
  void connect(Dim a, Dim b) { classes.join(getNumber(a), getNumber(b)); }
  /// Fixes the group of a dim, or of all dims of some values. Static dims are ignored.
  void fix(Value value, int64_t dim);
  void fixAll(ValueRange values);
  /// Numbers the groups. `connect` and `fix` must not be called afterwards.
  void finish();
  /// The group of a dim, or nullopt if the dim is static or its group is fixed.
  std::optional<unsigned> getGroup(Value value, int64_t dim) const;

private:
  /// The number of a dim in `classes`.
  unsigned getNumber(Dim dim);
  /// Connects or fixes the dims of the operands and results of an op.
  void visit(Operation *op);
  /// Connects the dims of operands that broadcast by NumPy's rules with those of the result.
  void connectBroadcast(Operation *op);
  /// Connects dim i of the operand with dim `to(i)` of the result, or fixes it if that is negative.
  void connectDims(Value operand, Value result, llvm::function_ref<int64_t(int64_t)> to);

  llvm::IntEqClasses classes;
  llvm::DenseMap<Dim, unsigned> numbers;
  SmallVector<Dim> fixedDims;
  llvm::DenseSet<unsigned> fixedGroups;
};
} // namespace

RowGroups::RowGroups(Block &body) {
  for (Operation &op : body.without_terminator())
    visit(&op);
}

unsigned RowGroups::getNumber(Dim dim) {
  auto [it, isNew] = numbers.try_emplace(dim, numbers.size());
  if (isNew)
    classes.grow(numbers.size());
  return it->second;
}

void RowGroups::fix(Value value, int64_t dim) {
  if (ShapedType::isDynamic(shapeOf(value)[dim])) {
    getNumber({value, dim});
    fixedDims.push_back({value, dim});
  }
}

void RowGroups::fixAll(ValueRange values) {
  for (Value value : values)
    if (isa<RankedTensorType>(value.getType()))
      for (int64_t d = 0, rank = shapeOf(value).size(); d < rank; ++d)
        fix(value, d);
}

void RowGroups::finish() {
  classes.compress();
  for (Dim dim : fixedDims)
    fixedGroups.insert(classes[numbers.lookup(dim)]);
}

std::optional<unsigned> RowGroups::getGroup(Value value, int64_t dim) const {
  auto it = numbers.find({value, dim});
  if (it == numbers.end() || fixedGroups.contains(classes[it->second]))
    return std::nullopt;
  return classes[it->second];
}

void RowGroups::connectBroadcast(Operation *op) {
  Value result = op->getResult(0);
  int64_t rank = shapeOf(result).size();
  for (Value operand : op->getOperands()) {
    int64_t missing = rank - static_cast<int64_t>(shapeOf(operand).size());
    for (auto [i, size] : llvm::enumerate(shapeOf(operand))) {
      int64_t to = missing + static_cast<int64_t>(i);
      if (size == 1)
        continue;
      if (ShapedType::isDynamic(size) && ShapedType::isDynamic(shapeOf(result)[to])) {
        connect({operand, i}, {result, to});
        continue;
      }
      fix(operand, i);
      fix(result, to);
    }
  }
}

void RowGroups::connectDims(Value operand, Value result, llvm::function_ref<int64_t(int64_t)> to) {
  llvm::SmallBitVector isReached(shapeOf(result).size());
  for (auto [i, size] : llvm::enumerate(shapeOf(operand))) {
    int64_t at = to(i);
    if (at >= 0 && ShapedType::isDynamic(size) && ShapedType::isDynamic(shapeOf(result)[at])) {
      connect({operand, i}, {result, at});
      isReached.set(at);
    } else {
      fix(operand, i);
    }
  }
  for (int64_t d = 0, rank = shapeOf(result).size(); d < rank; ++d)
    if (!isReached.test(d))
      fix(result, d);
}

void RowGroups::visit(Operation *op) {
  auto keep = [](int64_t i) { return i; };
  auto keepAllBut = [](int64_t axis) { return [axis](int64_t i) { return i == axis ? -1 : i; }; };
  // The default for an op that is not known to compute row by row.
  auto fixOp = [&] {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    fixAll(captured.getArrayRef());
    fixAll(op->getOperands());
    fixAll(op->getResults());
  };
  if (auto cast = dyn_cast<tensor::CastOp>(op);
      cast && isa<RankedTensorType>(cast.getType()) && isa<RankedTensorType>(cast.getSource().getType()))
    return connectDims(cast.getSource(), cast.getResult(), keep);
  if (!isa_and_nonnull<ov::OVDialect>(op->getDialect()))
    return fixOp();
  if (op->hasTrait<OpTrait::Elementwise>() && op->getNumOperands() == 1)
    return connectDims(op->getOperand(0), op->getResult(0), keep);
  if (auto mode = op->getAttrOfType<ov::AutoBroadcastAttr>("auto_broadcast"))
    return mode.getValue() == ov::AutoBroadcast::Numpy ? connectBroadcast(op) : fixOp();
  llvm::TypeSwitch<Operation *>(op)
      // Each row of A gives one row of the product.
      .Case([&](ov::MatMulOp product) {
        int64_t rank = shapeOf(product.getA()).size();
        if (product.getTransposeA() || rank < 2 || shapeOf(product.getB()).size() != 2)
          return fixOp();
        connectDims(product.getA(), product.getResult(), keepAllBut(rank - 1));
        fixAll(product.getB());
      })
      .Case([&](ov::SqueezeOp squeeze) {
        std::optional<SmallVector<int64_t>> axes = ov::getSqueezedAxes(shapeOf(squeeze.getData()), squeeze.getAxes());
        if (!axes)
          return fixOp();
        connectDims(squeeze.getData(), squeeze.getResult(), [&](int64_t i) {
          return llvm::is_contained(*axes, i) ? -1 : i - llvm::count_if(*axes, [&](int64_t axis) { return axis < i; });
        });
      })
      .Case([&](ov::UnsqueezeOp unsqueeze) {
        std::optional<SmallVector<int64_t>> axes =
            ov::getConstantAxes(unsqueeze.getAxes(), unsqueeze.getType().getRank());
        if (!axes)
          return fixOp();
        llvm::sort(*axes);
        connectDims(unsqueeze.getData(), unsqueeze.getResult(), [&](int64_t i) {
          for (int64_t axis : *axes)
            i += axis <= i;
          return i;
        });
      })
      .Case<ov::SplitOp, ov::VariadicSplitOp>([&](auto split) {
        std::optional<int64_t> axis = ov::getConstantAxis(split.getAxis(), shapeOf(split.getData()).size());
        if (!axis)
          return fixOp();
        for (Value part : split->getResults())
          connectDims(split.getData(), part, keepAllBut(*axis));
      })
      .Case<ov::ConstantOp>([](auto) {})
      .Default([&](Operation *) { fixOp(); });
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

namespace {
/// A dim of an input of the loop. `inner` is the value in the body that has this dim: the block argument, or the
/// captured value itself.
struct InputDim {
  Value input, inner;
  int64_t dim;
  BodyDims::Dim size;
};
} // namespace

/// Broadcasts the inputs of `op` whose groups have different dims before the loop.
template <typename LoopT>
static void broadcast(RewriterBase &rewriter, LoopT op) {
  // The slices of an ov.loop may be too short. That error comes first, so nothing may fail before it. A tensor iterator
  // that may be empty is a sequence, whose batches agree even without time steps.
  if (isa<ov::LoopOp>(op.getOperation()) && (!op.runsAtLeastOnce() || !op.getSliced().empty()))
    return;
  Block &body = *op.getBodyBlock();
  RowGroups groups(body);
  ov::YieldOp yield = op.getYield();
  // A carried value has the same rows in all iterations. Rows along the axis of a slice or concatenation are not
  // separate.
  for (auto [arg, next] : llvm::zip_equal(op.getCarriedArgs(), yield.getNext()))
    for (int64_t d = 0, rank = shapeOf(arg).size(); d < rank; ++d)
      if (ShapedType::isDynamic(shapeOf(arg)[d]))
        groups.connect({arg, d}, {next, d});
  for (auto [i, part] : llvm::enumerate(yield.getConcat()))
    groups.fix(part, op.getConcatAt(i).getAxis());
  for (auto [i, arg] : llvm::enumerate(op.getSliceArgs()))
    groups.fix(arg, op.getSliceAt(i).getAxis());
  groups.finish();

  // The inputs of each group, and their dims before the loop.
  BodyDims dims(rewriter, op);
  llvm::MapVector<unsigned, SmallVector<InputDim>> inputs;
  llvm::DenseSet<unsigned> unknown;
  auto collect = [&](Value input, Value inner) {
    for (int64_t d = 0, rank = shapeOf(inner).size(); d < rank; ++d) {
      std::optional<unsigned> group = groups.getGroup(inner, d);
      if (!group)
        continue;
      if (std::optional<BodyDims::Dim> size = dims.get(input, d))
        inputs[*group].push_back({input, inner, d, *size});
      else
        unknown.insert(*group);
    }
  };
  for (auto [input, arg] : llvm::zip_equal(op.getSliced(), op.getSliceArgs()))
    collect(input, arg);
  for (auto [init, arg] : llvm::zip_equal(op.getInitArgs(), op.getCarriedArgs())) {
    collect(init, arg);
    dims.setCarried(arg, dims.getAll(init));
  }
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getBody(), captured);
  for (Value value : captured)
    if (isa<RankedTensorType>(value.getType()))
      collect(value, value);

  // The group may be broadcast only if all values that the body yields have the common dim already in the first
  // iteration. Otherwise results would get other dims.
  auto getCommon = [&](unsigned group, ArrayRef<InputDim> members) -> std::optional<BodyDims::Dim> {
    if (unknown.contains(group))
      return std::nullopt;
    BodyDims::Dim common =
        dims.exprs.combine(DimKind::join, llvm::map_to_vector(members, [](const InputDim &dim) { return dim.size; }));
    for (Value value : yield->getOperands())
      for (int64_t d = 0, rank = shapeOf(value).size(); d < rank; ++d)
        if (groups.getGroup(value, d) == group && dims.get(value, d) != common)
          return std::nullopt;
    return common;
  };
  SmallVector<std::pair<BodyDims::Dim, SmallVector<InputDim>>> found;
  for (auto &[group, members] : inputs) {
    bool differ = llvm::any_of(members, [&](const InputDim &dim) { return dim.size != members.front().size; });
    if (std::optional<BodyDims::Dim> common = differ ? getCommon(group, members) : std::nullopt)
      found.push_back({*common, std::move(members)});
  }

  // An input may be broadcast along several dims, one after the other. So a captured value is replaced by its last
  // broadcast.
  llvm::DenseMap<Value, Value> broadcastCaptured;
  for (auto &[common, members] : found) {
    auto materialize = [&](BodyDims::Dim dim) {
      return getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), dims.materialize(dim));
    };
    Value size = materialize(common);
    llvm::SetVector<BodyDims::Dim> others;
    for (const InputDim &dim : members)
      if (dim.size != common)
        others.insert(dim.size);
    for (BodyDims::Dim own : others)
      size = checkBroadcasts(rewriter, op.getLoc(), materialize(own), size);
    for (const InputDim &dim : members) {
      Value own = dim.size == common ? Value() : materialize(dim.size);
      auto broadcastOperand = [&](OpOperand &operand) {
        Value wide = broadcastDim(rewriter, op.getLoc(), operand.get(), dim.dim, own, size);
        rewriter.modifyOpInPlace(op, [&] { operand.set(wide); });
      };
      auto arg = dyn_cast<BlockArgument>(dim.inner);
      if (!arg || arg.getOwner() != &body) {
        Value &now = broadcastCaptured.try_emplace(dim.input, dim.input).first->second;
        Value wide = broadcastDim(rewriter, op.getLoc(), now, dim.dim, own, size);
        rewriter.replaceUsesWithIf(now, wide, [&](OpOperand &use) { return op->isProperAncestor(use.getOwner()); });
        now = wide;
        continue;
      }
      for (auto [i, slice] : llvm::enumerate(op.getSliceArgs()))
        if (slice == arg)
          broadcastOperand(op.getSlicedMutable()[i]);
      for (auto [i, carried] : llvm::enumerate(op.getCarriedArgs()))
        if (carried == arg)
          broadcastOperand(op.getInitArgsMutable()[i]);
    }
  }
}

void recur::broadcastInputs(RewriterBase &rewriter, ov::TensorIteratorOp op) { broadcast(rewriter, op); }
void recur::broadcastInputs(RewriterBase &rewriter, ov::LoopOp op) { broadcast(rewriter, op); }
