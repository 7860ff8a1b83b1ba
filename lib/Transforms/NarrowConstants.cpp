// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NarrowConstants.cpp - Widen constants where they are read ----------===//
//
// A constant that was shipped as f16 or bf16 stays so in the object. A convolution gets narrow filters. If other
// readers read each element many times, a call widens the constant once. Readers of a part, and element-wise ones,
// widen what they read.
//
//===----------------------------------------------------------------------===//

#include "NarrowWeights.h"
#include "RowProduct.h"

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace recur {
#define GEN_PASS_DEF_NARROWCONSTANTS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;

/// `value` times `factor`, at most kManyReads. A dynamic factor counts as many.
static int64_t multiply(int64_t value, int64_t factor) {
  return ShapedType::isDynamic(factor) ? kManyReads : std::min(value * std::min(factor, kManyReads), kManyReads);
}

/// How often `op` reads each element of the constant `operand`, at most kManyReads.
static int64_t countReads(linalg::GenericOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  int64_t reads = 1;
  for (auto [loop, range] : llvm::enumerate(op.getStaticLoopRanges()))
    if (!map.isFunctionOfDim(loop))
      reads = multiply(reads, range);
  return reads;
}

/// The same for a call, with all loops around the op.
static int64_t countReadsOfCall(linalg::GenericOp op, OpOperand &operand) {
  int64_t reads = countReads(op, operand);
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>()) {
    auto counted = dyn_cast<scf::ForOp>(loop.getOperation());
    std::optional<APInt> trips = counted ? counted.getStaticTripCount() : std::nullopt;
    reads = multiply(reads, trips ? trips->getLimitedValue(kManyReads) : ShapedType::kDynamic);
  }
  return reads;
}

/// True if fusion will move an op that widens `operand` into `op`, which then reads each element once.
static bool willFuse(linalg::GenericOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return op.getNumReductionLoops() == 0 && map.isPermutation() && !op->getParentOfType<LoopLikeOpInterface>();
}

namespace {
/// How the readers of a constant change.
enum class Form {
  /// The constant stays as it is.
  wide,
  /// The reader, a convolution, gets narrow filters.
  filters,
  /// The reader gets a tensor that the call widens before the reader's outermost loop.
  once,
  /// The reader gets a tensor that is widened just before, and fused.
  fused,
  /// The reader takes a part, which is widened after it.
  part,
};

struct NarrowConstants final : recur::impl::NarrowConstantsBase<NarrowConstants> {
  using Base::Base;
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> reshapes;
    getOperation().walk([&](Operation *op) {
      if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
        reshapes.push_back(op);
    });
    for (Operation *op : reshapes)
      foldReshape(rewriter, op);
    SmallVector<ov::ConstantOp> constants;
    getOperation().walk([&](ov::ConstantOp op) { constants.push_back(op); });
    for (ov::ConstantOp constant : constants) {
      auto weights = dyn_cast<ov::WeightsAttr>(constant.getValue());
      ov::WeightsAttr narrow = weights ? weights.getNarrow() : ov::WeightsAttr();
      if (narrow && mayStayNarrow(narrow.getTensorType(), hasF16C) &&
          llvm::all_of(constant->getUses(), [](OpOperand &use) { return getForm(use) != Form::wide; }))
        makeNarrow(rewriter, constant, narrow);
    }
  }

  /// Replaces a constant under other dims by a constant with these dims.
  static void foldReshape(RewriterBase &rewriter, Operation *op) {
    auto constant = op->getOperand(0).getDefiningOp<ov::ConstantOp>();
    auto weights = constant ? dyn_cast<ov::WeightsAttr>(constant.getValue()) : ov::WeightsAttr();
    if (!weights)
      return;
    weights = weights.append(ov::ReshapeStepAttr::get(cast<RankedTensorType>(op->getResult(0).getType())));
    rewriter.setInsertionPoint(constant);
    rewriter.replaceOpWithNewOp<ov::ConstantOp>(op, weights.getType(), weights);
    if (constant->use_empty())
      rewriter.eraseOp(constant);
  }

  static Form getForm(OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<tensor::ExtractSliceOp, tensor::ExtractOp>(user))
      return Form::part;
    auto op = dyn_cast<linalg::GenericOp>(user);
    if (!op || !op.isDpsInput(&use))
      return Form::wide;
    if (use.getOperandNumber() == 0 && matchConvolution(op) && countReads(op, use) >= kManyReads)
      return Form::filters;
    return willFuse(op, use) ? Form::fused : countReadsOfCall(op, use) >= kManyReads ? Form::once : Form::wide;
  }

  /// Replaces the constant by a narrow one, whose elements are widened for each of its readers.
  static void makeNarrow(RewriterBase &rewriter, ov::ConstantOp constant, ov::WeightsAttr weights) {
    for (OpOperand &use : llvm::make_early_inc_range(constant->getUses())) {
      Operation *user = use.getOwner();
      Location loc = user->getLoc();
      Form form = getForm(use);
      rewriter.setInsertionPoint(constant);
      Value narrow = form == Form::filters ? createFlat(rewriter, constant, weights, 2)
                     : form == Form::once  ? createFlat(rewriter, constant, weights, 0)
                                           : createConstant(rewriter, constant, weights);
      if (form == Form::part) {
        widenPart(rewriter, user, narrow);
        continue;
      }
      Operation *place = user;
      while (form == Form::once && !isa<FunctionOpInterface>(place->getParentOp()))
        place = place->getParentOp();
      rewriter.setInsertionPoint(place);
      Value wide = form == Form::filters ? narrow : widen(rewriter, loc, narrow);
      if (form != Form::fused)
        wide = unflatten(rewriter, loc, wide, weights.getTensorType().getShape());
      rewriter.modifyOpInPlace(user, [&] { use.set(wide); });
      if (form == Form::filters)
        extendArgument(rewriter, cast<linalg::GenericOp>(user).getBody()->getArgument(0), getElementTypeOrSelf(narrow));
    }
    rewriter.eraseOp(constant);
  }

  static Value createConstant(RewriterBase &rewriter, ov::ConstantOp constant, ov::WeightsAttr weights) {
    return ov::ConstantOp::create(rewriter, constant.getLoc(), weights.getType(), weights);
  }

  /// A constant with the elements of `weights` whose first `leading` dims are one, and the others another one. So
  /// vectors that widen it run along many elements. Without leading dims, the constant has one dim.
  static Value createFlat(RewriterBase &rewriter, ov::ConstantOp constant, ov::WeightsAttr weights, unsigned leading) {
    RankedTensorType type = weights.getTensorType();
    SmallVector<int64_t> shape;
    if (leading != 0)
      shape.push_back(llvm::product_of(type.getShape().take_front(leading)));
    shape.push_back(llvm::product_of(type.getShape().drop_front(leading)));
    return createConstant(rewriter, constant, weights.append(ov::ReshapeStepAttr::get(type.clone(shape))));
  }

  /// Replaces a reader of an element or a slice.
  static void widenPart(RewriterBase &rewriter, Operation *user, Value narrow) {
    rewriter.setInsertionPoint(user);
    Type element = getElementTypeOrSelf(narrow);
    Operation *part = rewriter.clone(*user);
    Type wide = user->getResult(0).getType();
    part->setOperand(0, narrow);
    auto tensor = dyn_cast<RankedTensorType>(wide);
    part->getResult(0).setType(tensor ? Type(tensor.clone(element)) : element);
    Value result = part->getResult(0);
    result = tensor ? widen(rewriter, user->getLoc(), result)
                    : arith::ExtFOp::create(rewriter, user->getLoc(), wide, result).getResult();
    rewriter.replaceOp(user, result);
  }
};
} // namespace
