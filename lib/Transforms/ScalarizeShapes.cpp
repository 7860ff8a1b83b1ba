// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ScalarizeShapes.cpp - Sizes are scalars, not tensors ---------------===//
//
// In ov a shape is a tensor. The size of the workspace must be known before the workspace exists, so sizes cannot be
// read from tensors that the model computes. This pass evaluates such tensors element by element, as scalars.
//
//===----------------------------------------------------------------------===//

#include "Recur/Dialect/OV/IR/Dims.h"
#include "Recur/Dialect/OV/IR/RankedValues.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace recur {
#define GEN_PASS_DEF_SCALARIZESHAPES
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;
using ov::shapeOf;

/// The most iterations of a reduction that is unrolled, and the longest chain of ops that is followed.
static constexpr int64_t kMaxTerms = 64;
static constexpr unsigned kMaxDepth = 64;

using Indices = SmallVector<int64_t, 4>;

namespace {
/// Computes elements of tensors as scalars.
class Elements {
public:
  explicit Elements(RewriterBase &rewriter) : rewriter(rewriter) {}

  /// Returns the element as a scalar that is computed at the insertion point of the rewriter, without reading tensors
  /// that the model computes. Returns null if that is not possible. Ops that it created on the way and did not need are
  /// left to a clean-up pass.
  Value get(Value tensor, ArrayRef<int64_t> indices, unsigned depth = 0);

private:
  Value getOfCompute(linalg::LinalgOp op, unsigned result, ArrayRef<int64_t> indices, unsigned depth);
  Value getOfInsert(tensor::InsertSliceOp op, ArrayRef<int64_t> indices, unsigned depth);
  Value cloneBody(linalg::LinalgOp op, unsigned result, ArrayRef<int64_t> point, ValueRange arguments, unsigned depth);

  RewriterBase &rewriter;
};
} // namespace

/// True for a static tensor with no more elements than a shape may have.
static bool isSmall(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() <= ov::kMaxShapeElements;
}

/// Translates `indices` of a slice to indices of the tensor that it is a slice of. Returns nullopt if an offset or a
/// stride is dynamic.
template <typename SliceOp>
static std::optional<Indices> getSliceIndices(SliceOp op, ArrayRef<int64_t> indices) {
  Indices result;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned next = 0;
  for (auto [d, mixed] : llvm::enumerate(llvm::zip_equal(op.getMixedOffsets(), op.getMixedStrides()))) {
    std::optional<int64_t> offset = getConstantIntValue(std::get<0>(mixed)),
                           stride = getConstantIntValue(std::get<1>(mixed));
    if (!offset || !stride)
      return std::nullopt;
    result.push_back(*offset + (dropped.test(d) ? 0 : indices[next++]) * *stride);
  }
  return result;
}

/// The indices of the same element in another shape of its tensor.
static Indices reindex(ArrayRef<int64_t> from, ArrayRef<int64_t> indices, ArrayRef<int64_t> to) {
  SmallVector<int64_t> strides = computeStrides(from);
  return Indices(delinearize(linearize(indices, strides), computeStrides(to)));
}

Value Elements::get(Value tensor, ArrayRef<int64_t> indices, unsigned depth) {
  Location loc = tensor.getLoc();
  if (depth++ > kMaxDepth || !isSmall(tensor.getType()))
    return {};
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    // The inputs of the model can be read at any time; loop-carried values cannot.
    auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (!func || !func.isPublic())
      return {};
    SmallVector<Value> positions;
    for (int64_t index : indices)
      positions.push_back(arith::ConstantIndexOp::create(rewriter, loc, index));
    return tensor::ExtractOp::create(rewriter, loc, tensor, positions);
  }
  Operation *op = tensor.getDefiningOp();
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant))) {
    auto element = constant.getValues<Attribute>()[linearize(indices, computeStrides(shapeOf(tensor)))];
    return arith::ConstantOp::create(rewriter, loc, cast<TypedAttr>(element));
  }
  if (auto elements = dyn_cast<tensor::FromElementsOp>(op))
    return elements.getElements()[linearize(indices, computeStrides(shapeOf(tensor)))];
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return get(cast.getSource(), indices, depth);
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    Value source = op->getOperand(0);
    return isSmall(source.getType()) ? get(source, reindex(shapeOf(tensor), indices, shapeOf(source)), depth) : Value();
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    std::optional<Indices> positions = getSliceIndices(slice, indices);
    return positions ? get(slice.getSource(), *positions, depth) : Value();
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return getOfInsert(insert, indices, depth);
  if (auto insert = dyn_cast<tensor::InsertOp>(op)) {
    bool isThere = true;
    for (auto [position, index] : llvm::zip_equal(insert.getIndices(), indices)) {
      std::optional<int64_t> known = getConstantIntValue(position);
      if (!known)
        return {};
      isThere &= *known == index;
    }
    return isThere ? insert.getScalar() : get(insert.getDest(), indices, depth);
  }
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return fill.value();
  if (auto compute = dyn_cast<linalg::LinalgOp>(op))
    return getOfCompute(compute, cast<OpResult>(tensor).getResultNumber(), indices, depth);
  return {};
}

Value Elements::getOfInsert(tensor::InsertSliceOp op, ArrayRef<int64_t> indices, unsigned depth) {
  // The indices of the element in the inserted tensor, if it is there.
  Indices inside;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  bool isThere = true;
  for (auto [d, index] : llvm::enumerate(indices)) {
    std::optional<int64_t> offset = getConstantIntValue(op.getMixedOffsets()[d]),
                           size = getConstantIntValue(op.getMixedSizes()[d]),
                           stride = getConstantIntValue(op.getMixedStrides()[d]);
    if (!offset || !size || !stride || *stride <= 0)
      return {};
    int64_t distance = index - *offset;
    isThere &= distance >= 0 && distance % *stride == 0 && distance / *stride < *size;
    if (!dropped.test(d))
      inside.push_back(distance / *stride);
  }
  return isThere ? get(op.getSource(), inside, depth) : get(op.getDest(), indices, depth);
}

/// Clones the payload of `op` for one point of its iteration space. Returns the value of `result`, or null if an
/// operand is not known as a scalar.
Value Elements::cloneBody(linalg::LinalgOp op, unsigned result, ArrayRef<int64_t> point, ValueRange arguments,
                          unsigned depth) {
  IRMapping mapping;
  Block *body = op.getBlock();
  for (auto [argument, value] : llvm::zip_equal(body->getArguments(), arguments))
    if (value)
      mapping.map(argument, value);
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(index.getResult(),
                  arith::ConstantIndexOp::create(rewriter, op.getLoc(), point[index.getDim()]).getResult());
      continue;
    }
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      // The element of another tensor can only be followed if its indices are constants.
      Indices positions;
      for (Value index : extract.getIndices()) {
        Value mapped = mapping.lookupOrDefault(index);
        std::optional<int64_t> known = getConstantIntValue(mapped);
        if (!known)
          return {};
        positions.push_back(*known);
      }
      Value element = get(extract.getTensor(), positions, depth);
      if (!element)
        return {};
      mapping.map(extract.getResult(), element);
      continue;
    }
    for (Value operand : inner.getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand);
          argument && argument.getOwner() == body && !mapping.contains(operand))
        return {};
    SmallVector<Value> folded;
    Operation *copy = rewriter.clone(inner, mapping);
    // Folds indices that are computed from constants, so that reads at them can be followed.
    SmallVector<Operation *> constants;
    if (succeeded(rewriter.tryFold(copy, folded, &constants)) && !folded.empty()) {
      for (auto [old, value] : llvm::zip_equal(inner.getResults(), folded))
        mapping.map(old, value);
      rewriter.eraseOp(copy);
    }
  }
  return mapping.lookupOrDefault(body->getTerminator()->getOperand(result));
}

Value Elements::getOfCompute(linalg::LinalgOp op, unsigned result, ArrayRef<int64_t> indices, unsigned depth) {
  if (!op.hasPureTensorSemantics() || op.hasDynamicShape())
    return {};
  // An op with effects, such as a check, must stay where it is.
  for (Operation &inner : op.getBlock()->without_terminator())
    if (inner.getNumRegions() || (!isPure(&inner) && !isa<tensor::ExtractOp>(inner)))
      return {};
  OpOperand *init = op.getDpsInitOperand(result);
  AffineMap map = op.getMatchingIndexingMap(init);
  if (!map.isProjectedPermutation())
    return {};
  SmallVector<int64_t, 4> ranges = op.getStaticLoopRanges();
  Indices point(ranges.size(), 0);
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    point[cast<AffineDimExpr>(expr).getPosition()] = indices[i];
  SmallVector<unsigned> reduced;
  int64_t terms = 1;
  for (auto [d, range] : llvm::enumerate(ranges))
    if (!map.isFunctionOfDim(d)) {
      reduced.push_back(d);
      if (llvm::MulOverflow(terms, range, terms) || terms > kMaxTerms)
        return {};
    }
  bool readsInit = op.payloadUsesValueFromOperand(init);
  // Scalars would be added in another order.
  if (readsInit && terms > 1 && isa<FloatType>(getElementTypeOrSelf(init->get().getType())))
    return {};
  Value accumulator;
  if (readsInit && !(accumulator = get(init->get(), indices, depth)))
    return {};
  if (terms == 0)
    return accumulator ? accumulator : get(init->get(), indices, depth);
  while (true) {
    SmallVector<Value> arguments;
    for (OpOperand &operand : op->getOpOperands()) {
      Value &argument = arguments.emplace_back();
      if (&operand == init) {
        argument = accumulator;
        continue;
      }
      if (!op.payloadUsesValueFromOperand(&operand))
        continue;
      if (!isa<RankedTensorType>(operand.get().getType())) {
        argument = operand.get();
        continue;
      }
      SmallVector<int64_t> positions = op.getMatchingIndexingMap(&operand).compose(ArrayRef<int64_t>(point));
      if (!(argument = get(operand.get(), positions, depth)))
        return {};
    }
    Value value = cloneBody(op, result, point, arguments, depth);
    if (!value)
      return {};
    accumulator = value;
    // Goes to the next point of the reduction. The last dim changes fastest.
    auto next = llvm::find_if(llvm::reverse(reduced), [&](unsigned d) {
      if (++point[d] < ranges[d])
        return true;
      point[d] = 0;
      return false;
    });
    if (next == llvm::reverse(reduced).end())
      return accumulator;
  }
}

namespace {
struct ScalarizeShapes final : recur::impl::ScalarizeShapesBase<ScalarizeShapes> {
  using Base::Base;
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<tensor::ExtractOp> reads;
    getOperation().walk([&](tensor::ExtractOp read) {
      // The indices of a read in the payload of an op are not constant.
      if (!read->getParentOfType<linalg::LinalgOp>())
        reads.push_back(read);
    });
    for (tensor::ExtractOp read : reads)
      scalarize(rewriter, read);
  }

  void scalarize(RewriterBase &rewriter, tensor::ExtractOp read) {
    Indices indices;
    for (auto [index, size] : llvm::zip_equal(read.getIndices(), read.getTensor().getType().getShape())) {
      std::optional<int64_t> known = getConstantIntValue(index);
      if (!known || *known < 0 || *known >= size)
        return;
      indices.push_back(*known);
    }
    if (isa<BlockArgument>(read.getTensor()))
      return;
    rewriter.setInsertionPoint(read);
    if (Value element = Elements(rewriter).get(read.getTensor(), indices))
      rewriter.replaceOp(read, element);
  }
};
} // namespace
