// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BroadcastOperands.cpp - Broadcasts operands before an op -----------===//
//
// The pass broadcast-ov-operands. It visits the ops of each block in order and gives operands that broadcast their
// common dim before the op. The size of a common dim is computed and checked once per block.
//
//===----------------------------------------------------------------------===//

#include "BroadcastDim.h"
#include "Recur/Analysis/Sizes.h"
#include "Recur/Conversion/Passes.h"
#include "Recur/Dialect/OV/IR/Dims.h"
#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/OV/IR/RankedValues.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

#include "llvm/ADT/EquivalenceClasses.h"

namespace recur {
#define GEN_PASS_DEF_BROADCASTOVOPERANDS
#include "Recur/Conversion/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;
using ov::DimKind;
using ov::shapeOf;

/// The number of trailing dims of the result that do not broadcast: 2 for a matrix product, 0 for an element-wise op.
/// Returns nullopt for an op that does not broadcast.
static std::optional<int64_t> getNumOwnDims(Operation *op) {
  if (!isa_and_nonnull<ov::OVDialect>(op->getDialect()))
    return std::nullopt;
  if (auto product = dyn_cast<ov::MatMulOp>(op))
    return shapeOf(product.getA()).size() >= 2 && shapeOf(product.getB()).size() >= 2 ? std::optional<int64_t>(2)
                                                                                      : std::nullopt;
  auto mode = op->getAttrOfType<ov::AutoBroadcastAttr>("auto_broadcast");
  return mode && mode.getValue() == ov::AutoBroadcast::Numpy && op->getNumResults() == 1 ? std::optional<int64_t>(0)
                                                                                         : std::nullopt;
}

namespace {
/// The dims of values. It knows which dims the results of broadcasts have.
class OperandDims final : public ov::ValueDims {
public:
  /// Records that `wide` has the dims of `input`, except for `common` at `dim`.
  void setBroadcast(Value wide, Value input, int64_t dim, Dim common) {
    SmallVector<MaybeDim> &all = broadcasts[wide];
    for (int64_t d = 0, rank = shapeOf(wide).size(); d < rank; ++d)
      all.push_back(d == dim ? MaybeDim(common) : get(input, d));
  }

  /// True if an op that was asked for its dims fails unless these dims are equal.
  bool mustBeEqual(Dim a, Dim b) { return agreed.isEquivalent(a, b); }

  /// Records that the op that asks fails if the dims of its operands differ.
  MaybeDim getAgreed(ValueRange operands, int64_t dim) override {
    MaybeDim first;
    for (Value operand : operands)
      if (MaybeDim found = get(operand, dim)) {
        if (!first)
          first = found;
        agreed.unionSets(*first, *found);
      }
    return first;
  }

private:
  MaybeDim getOfOp(OpResult result, int64_t dim) override {
    if (auto it = broadcasts.find(result); it != broadcasts.end())
      return it->second[dim];
    Operation *op = result.getOwner();
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return trace(getKeptSize(slice, dim));
    if (auto wide = dyn_cast<rt::BroadcastDimOp>(op))
      return dim == static_cast<int64_t>(wide.getDim()) ? trace(wide.getSize()) : get(wide.getInput(), dim);
    if (auto read = dyn_cast<bufferization::ToTensorOp>(op))
      return trace(getBufferSize(read.getBuffer(), dim));
    return ValueDims::getOfOp(result, dim);
  }

  /// The dim that a size is: a constant, a dim of a tensor, a common dim of two others, or the value itself. Null sizes
  /// are not known.
  MaybeDim trace(OpFoldResult size) {
    if (!size)
      return std::nullopt;
    if (std::optional<int64_t> number = getConstantIntValue(size))
      return constant(*number);
    auto value = cast<Value>(size);
    if (auto dim = value.getDefiningOp<tensor::DimOp>())
      if (std::optional<int64_t> i = dim.getConstantIndex(); i && isa<RankedTensorType>(dim.getSource().getType()))
        return get(dim.getSource(), *i);
    // The form in which a common dim is materialized.
    if (auto select = value.getDefiningOp<arith::SelectOp>())
      if (auto isOne = select.getCondition().getDefiningOp<arith::CmpIOp>();
          isOne && isOne.getPredicate() == arith::CmpIPredicate::eq && isOne.getLhs() == select.getFalseValue() &&
          matchPattern(isOne.getRhs(), m_One())) {
        MaybeDim common = combine(DimKind::join, {trace(select.getFalseValue()), trace(select.getTrueValue())});
        if (common && !exprs.getConstant(*common))
          exprs.setValue(*common, value);
        return common;
      }
    return exprs.intern({DimKind::index, 0, value, {}});
  }

  llvm::DenseMap<Value, SmallVector<MaybeDim>> broadcasts;
  llvm::EquivalenceClasses<Dim> agreed;
};

/// Broadcasts the operands of the ops of one block, in order. Sizes are computed in this block.
class BlockBroadcaster {
public:
  explicit BlockBroadcaster(RewriterBase &rewriter) : rewriter(rewriter) {}

  /// Broadcasts the operands of `op` if they broadcast. If an op before it fails unless their dims are equal, `op` is
  /// told not to broadcast.
  void visit(Operation *op) {
    std::optional<int64_t> own = getNumOwnDims(op);
    bool isPlain = own == 0 && haveEqualDims(op);
    if (isPlain)
      rewriter.modifyOpInPlace(op, [&] {
        op->setAttr("auto_broadcast", ov::AutoBroadcastAttr::get(op->getContext(), ov::AutoBroadcast::None));
      });
    // The cache must get the dims of the results now. The new operands say less about them. Ops that do not broadcast
    // say which dims must be equal.
    if (isa_and_nonnull<ov::OVDialect>(op->getDialect()))
      for (Value result : op->getResults())
        if (auto type = dyn_cast<RankedTensorType>(result.getType()))
          for (int64_t d = 0; d < type.getRank(); ++d)
            (void)dims.get(result, d);
    if (!own || isPlain)
      return;
    int64_t rank = shapeOf(op->getResult(0)).size();
    rewriter.setInsertionPoint(op);
    for (int64_t d = 0; d < rank - *own; ++d)
      broadcast(op, rank, d);
  }

private:
  /// The dims that this block and the blocks around it determine.
  OperandDims dims;
  /// The common dims so far. `size` is the checked value, and `checked` has the dims that are known to broadcast to it.
  struct Common {
    Value size;
    llvm::DenseSet<ov::DimSource::Dim> checked;
  };
  llvm::DenseMap<ov::DimSource::Dim, Common> known;
  RewriterBase &rewriter;

  /// True if the operands of `op` have the same shape in their types, and dims that differ there must be equal, but are
  /// not the same dims.
  bool haveEqualDims(Operation *op) {
    Value first = op->getOperand(0);
    bool differ = false;
    for (Value operand : op->getOperands().drop_front()) {
      if (shapeOf(operand) != shapeOf(first))
        return false;
      for (auto [d, size] : llvm::enumerate(shapeOf(operand))) {
        ov::DimSource::MaybeDim other = dims.get(first, d), own = dims.get(operand, d);
        if (!ShapedType::isDynamic(size) || (own && own == other))
          continue;
        if (!own || !other || !dims.mustBeEqual(*own, *other))
          return false;
        differ = true;
      }
    }
    return differ;
  }

  Value materialize(Location loc, ov::DimSource::Dim dim) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, dims.exprs.materialize(rewriter, loc, dim));
  }

  /// Broadcasts the operands of `op` along dim `d` of its result of rank `rank`. Does nothing if their dims are
  /// provably equal, or if one is not known.
  void broadcast(Operation *op, int64_t rank, int64_t d) {
    struct Operand {
      OpOperand *operand;
      int64_t dim;
      ov::DimSource::Dim size;
    };
    SmallVector<Operand> operands;
    bool differ = false;
    for (OpOperand &operand : op->getOpOperands()) {
      int64_t dim = d - (rank - static_cast<int64_t>(shapeOf(operand.get()).size()));
      if (dim < 0 || shapeOf(operand.get())[dim] == 1)
        continue;
      ov::DimSource::MaybeDim size = dims.get(operand.get(), dim);
      if (!size)
        return;
      operands.push_back({&operand, dim, *size});
      differ |= *size != operands.front().size;
    }
    if (!differ)
      return;
    ov::DimSource::Dim common = dims.exprs.combine(
        DimKind::join, llvm::map_to_vector(operands, [](const Operand &operand) { return operand.size; }));
    Location loc = op->getLoc();
    auto [it, isNew] = known.try_emplace(common);
    if (isNew)
      it->second.size = materialize(loc, common);
    Common &all = it->second;
    for (const Operand &operand : operands)
      if (operand.size != common && all.checked.insert(operand.size).second)
        all.size = checkBroadcasts(rewriter, loc, materialize(loc, operand.size), all.size);
    // The check fails if the common dim is not that of an operand with a static dim. Types say nothing about it then.
    std::optional<int64_t> fixed = dims.exprs.getConstant(common);
    if (llvm::any_of(operands, [&](const Operand &operand) {
          int64_t own = shapeOf(operand.operand->get())[operand.dim];
          return !ShapedType::isDynamic(own) && own != fixed;
        }))
      fixed = std::nullopt;
    for (const Operand &operand : operands) {
      if (!ShapedType::isDynamic(shapeOf(operand.operand->get())[operand.dim]))
        continue;
      Value own = operand.size == common ? Value() : materialize(loc, operand.size);
      Value wide = broadcastDim(rewriter, loc, operand.operand->get(), operand.dim, own, all.size);
      if (fixed) {
        auto type = cast<RankedTensorType>(wide.getType());
        SmallVector<int64_t> shape(type.getShape());
        shape[operand.dim] = *fixed;
        wide = tensor::CastOp::create(rewriter, loc, type.clone(shape), wide);
      }
      dims.setBroadcast(wide, operand.operand->get(), operand.dim, common);
      rewriter.modifyOpInPlace(op, [&] { operand.operand->set(wide); });
    }
  }
};

struct BroadcastOVOperands final : recur::impl::BroadcastOVOperandsBase<BroadcastOVOperands> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Block *> blocks;
    // Bodies of ov loops are left to convert-ov-loops-to-scf, which broadcasts the inputs of the loop instead.
    getOperation().walk<WalkOrder::PreOrder>([&](Block *block) {
      if (isa<ov::TensorIteratorOp, ov::LoopOp>(block->getParentOp()))
        return WalkResult::skip();
      blocks.push_back(block);
      return WalkResult::advance();
    });
    for (Block *block : blocks) {
      BlockBroadcaster broadcaster(rewriter);
      for (Operation &op : llvm::make_early_inc_range(*block))
        broadcaster.visit(&op);
    }
  }
};
} // namespace
