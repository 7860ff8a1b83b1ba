// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DecomposeCells.cpp - Cells as products and element-wise ops --------===//
//
// The product of the input is kept separate from that of the state, because only the latter depends on the previous
// iteration: ov-hoist-time-parallel can move the former out of the loop.
//
//===----------------------------------------------------------------------===//

#include "Conform.h"
#include "WeightParts.h"

#include "Recur/Dialect/OV/IR/CellSizes.h"
#include "Recur/Dialect/OV/IR/OVShapes.h"
#include "Recur/Dialect/OV/IR/RankedValues.h"
#include "Recur/Dialect/OV/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace recur::ov {
#define GEN_PASS_DEF_DECOMPOSECELLS
#include "Recur/Dialect/OV/Transforms/Passes.h.inc"
} // namespace recur::ov

using namespace recur::ov;

namespace {
/// Builds the ops that the cells have in common.
template <typename Cell>
class CellBuilder {
public:
  CellBuilder(Cell cell, PatternRewriter &rewriter)
      : b(cell.getLoc(), rewriter), cell(cell), element(elementOf(cell.getX())), hidden(cell.getHiddenSize()),
        batch(getBatch(cell.getInitialHiddenState())) {
    CellSizes sizes = getCellSizes(cell);
    w = conform(b, cell.getW(), {sizes.rows, ShapedType::kDynamic});
    r = conform(b, cell.getR(), {sizes.rows, hidden});
    bias = conform(b, cell.getB(), sizes.bias);
  }

  /// `a * b^T`.
  Value product(Value a, Value transposed) { return MatMulOp::create(b, a, transposed, false, true); }
  /// Sums and products of tensors of the same shape. They do not broadcast, so it is a fault if the shapes differ.
  Value sum(Value x, Value y) { return AddOp::create(b, x, y, AutoBroadcast::None); }
  Value multiply(Value x, Value y) { return MultiplyOp::create(b, x, y, AutoBroadcast::None); }
  /// Adds the bias, which broadcasts along the batch.
  Value addBias(Value x, Value bias) { return AddOp::create(b, x, bias); }
  /// `1 - x`.
  Value complement(Value x) { return SubtractOp::create(b, scalar(1.0), x); }
  /// Clamps the arguments of an activation to [-clip, clip], if `clip` is not 0.
  Value clip(Value x) {
    double bound = cell.getClip().convertToDouble();
    return bound == 0.0 ? x : ClampOp::create(b, x, b.getF64FloatAttr(-bound), b.getF64FloatAttr(bound));
  }
  /// Applies activation `number` of the cell.
  Value activate(Value x, unsigned number);
  /// The number of rows of an operand of the cell, which is the batch.
  OpFoldResult getBatch(Value operand) { return tensor::getMixedSize(b, b.getLoc(), operand, 0); }
  /// The columns of `x` that belong to gates [first, first + count). `x` has `rows` rows, the number of rows of the
  /// operand that it was computed from. X and the state need separate numbers: no op has compared their batches yet.
  Value gates(Value x, OpFoldResult rows, int64_t first, int64_t count = 1);
  /// The same columns for an `x` that was computed from the state or has its batch.
  Value gates(Value x, int64_t first, int64_t count = 1) { return gates(x, batch, first, count); }
  /// The rows of a weight matrix, or the elements of the bias, that belong to gates [first, first + count).
  Value weightsOf(Value weights, int64_t first, int64_t count);

  /// The weights, whose dims are compared with those that the cell needs.
  Value w, r, bias;

private:
  Value scalar(double value) {
    auto type = RankedTensorType::get({}, element);
    return ConstantOp::create(b, type, DenseElementsAttr::get(type, Attribute(b.getFloatAttr(element, value))));
  }

  ImplicitLocOpBuilder b;
  Cell cell;
  Type element;
  int64_t hidden;
  OpFoldResult batch;
};
} // namespace

/// The parameter of activation `number`, or `otherwise` if the cell has no parameters.
static double getParameter(ArrayAttr parameters, unsigned number, double otherwise) {
  return parameters.empty() ? otherwise : cast<FloatAttr>(parameters[number]).getValueAsDouble();
}

template <typename Cell>
Value CellBuilder<Cell>::activate(Value x, unsigned number) {
  switch (cast<CellActivationAttr>(cell.getActivations()[number]).getValue()) {
  case CellActivation::Sigmoid:
    return SigmoidOp::create(b, x);
  case CellActivation::Tanh:
    return TanhOp::create(b, x);
  case CellActivation::Relu:
    return ReluOp::create(b, x);
  case CellActivation::HardSigmoid:
    break;
  }
  Value scaled = MultiplyOp::create(b, x, scalar(getParameter(cell.getActivationsAlpha(), number, 0.2)));
  Value shifted = AddOp::create(b, scaled, scalar(getParameter(cell.getActivationsBeta(), number, 0.5)));
  return ClampOp::create(b, shifted, b.getF64FloatAttr(0.0), b.getF64FloatAttr(1.0));
}

template <typename Cell>
Value CellBuilder<Cell>::gates(Value x, OpFoldResult rows, int64_t first, int64_t count) {
  if (first == 0 && cast<RankedTensorType>(x.getType()).getDimSize(1) == count * hidden)
    return x;
  SmallVector<OpFoldResult> offsets{b.getIndexAttr(0), b.getIndexAttr(first * hidden)};
  SmallVector<OpFoldResult> sizes{rows, b.getIndexAttr(count * hidden)};
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  auto type = tensor::ExtractSliceOp::inferResultType(cast<RankedTensorType>(x.getType()), sizes);
  return createSlice(b, b.getLoc(), cast<RankedTensorType>(type), x, offsets, sizes, strides);
}

template <typename Cell>
Value CellBuilder<Cell>::weightsOf(Value weights, int64_t first, int64_t count) {
  return extractPart(b, b.getLoc(), weights, 0, first * hidden, count * hidden);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Replaces a cell. Its declared types may know more or fewer dims than the inferred ones.
static void replaceCell(PatternRewriter &rewriter, Operation *cell, SmallVector<Value> values) {
  for (auto [value, type] : llvm::zip_equal(values, cell->getResultTypes()))
    if (value.getType() != type)
      value = tensor::CastOp::create(rewriter, cell->getLoc(), type, value);
  rewriter.replaceOp(cell, values);
}

namespace {
struct DecomposeLSTM final : OpRewritePattern<LSTMCellOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(LSTMCellOp op, PatternRewriter &rewriter) const override {
    CellBuilder<LSTMCellOp> c(op, rewriter);
    Value ofInput = c.addBias(c.product(op.getX(), c.w), c.bias);
    Value all = c.clip(c.sum(ofInput, c.product(op.getInitialHiddenState(), c.r)));
    Value forget = c.activate(c.gates(all, 0), 0), input = c.activate(c.gates(all, 1), 0);
    Value candidate = c.activate(c.gates(all, 2), 1), output = c.activate(c.gates(all, 3), 0);
    Value kept = c.multiply(forget, op.getInitialCellState());
    Value cell = c.sum(kept, c.multiply(input, candidate));
    Value hidden = c.multiply(output, c.activate(cell, 2));
    replaceCell(rewriter, op, {hidden, cell});
    return success();
  }
};

struct DecomposeGRU final : OpRewritePattern<GRUCellOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(GRUCellOp op, PatternRewriter &rewriter) const override {
    CellBuilder<GRUCellOp> c(op, rewriter);
    Value state = op.getInitialHiddenState();
    // C++ leaves the order open in which arguments are evaluated. Named values keep the order of the created ops fixed.
    Value bias = c.weightsOf(c.bias, 0, 3);
    Value ofInput = c.addBias(c.product(op.getX(), c.w), bias);
    bool isLinear = op.getLinearBeforeReset();
    Value ofState = c.product(state, isLinear ? c.r : c.weightsOf(c.r, 0, 2));
    OpFoldResult inputRows = c.getBatch(op.getX());
    Value inputGates = c.gates(ofInput, inputRows, 0, 2), stateGates = c.gates(ofState, 0, 2);
    Value both = c.clip(c.sum(inputGates, stateGates));
    Value update = c.activate(c.gates(both, 0), 0), reset = c.activate(c.gates(both, 1), 0);
    Value inner;
    if (isLinear) {
      Value last = c.gates(ofState, 2);
      inner = c.multiply(reset, c.addBias(last, c.weightsOf(c.bias, 3, 1)));
    } else {
      Value rows = c.weightsOf(c.r, 2, 1);
      inner = c.product(c.multiply(reset, state), rows);
    }
    Value candidate = c.activate(c.clip(c.sum(c.gates(ofInput, inputRows, 2), inner)), 1);
    Value changed = c.multiply(c.complement(update), candidate);
    Value hidden = c.sum(changed, c.multiply(update, state));
    replaceCell(rewriter, op, {hidden});
    return success();
  }
};

struct DecomposeRNN final : OpRewritePattern<RNNCellOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(RNNCellOp op, PatternRewriter &rewriter) const override {
    CellBuilder<RNNCellOp> c(op, rewriter);
    Value ofInput = c.addBias(c.product(op.getX(), c.w), c.bias);
    Value all = c.sum(ofInput, c.product(op.getInitialHiddenState(), c.r));
    replaceCell(rewriter, op, {c.activate(c.clip(all), 0)});
    return success();
  }
};

struct DecomposeCells final : recur::ov::impl::DecomposeCellsBase<DecomposeCells> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeLSTM, DecomposeGRU, DecomposeRNN>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
