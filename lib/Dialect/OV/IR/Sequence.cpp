// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sequence.cpp - Recurrent cells and sequences, OneHot ---------------===//
//
// All cells share their type inference, as do all sequences. The dims N, I, T and H occur in several operands, so each
// operand may add what is known of a dim.
//
//===----------------------------------------------------------------------===//

#include "Inference.h"

#include "Recur/Dialect/OV/IR/CellSizes.h"
#include "Recur/Dialect/OV/IR/KnownSizes.h"
#include "Recur/Dialect/OV/IR/OVMovement.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace recur::ov;

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

/// Merges each dim of `value` with the dim that is known so far, and stores the result there. Fails with an error if
/// they clash.
static LogicalResult expectDims(const Report &report, StringRef name, Value value, ArrayRef<int64_t *> dims) {
  for (auto [i, dim] : llvm::enumerate(dims)) {
    std::optional<int64_t> merged = mergeDims(*dim, shapeOf(value)[i]);
    if (!merged)
      return report("expected dim ", i, " of ", name, " to be ", *dim, ", but got ", value.getType());
    *dim = *merged;
  }
  return success();
}

/// Sets `types` to the type of the states, once for each of `states`.
template <typename Adaptor>
static LogicalResult inferCell(const Report &report, Adaptor adaptor, ValueRange states, Types &types) {
  int64_t hidden = adaptor.getHiddenSize();
  auto [rows, bias] = getCellSizes(adaptor);
  int64_t batch = ShapedType::kDynamic, input = ShapedType::kDynamic;
  if (failed(expectDims(report, "X", adaptor.getX(), {&batch, &input})) ||
      failed(expectDims(report, "W", adaptor.getW(), {&rows, &input})) ||
      failed(expectDims(report, "R", adaptor.getR(), {&rows, &hidden})) ||
      failed(expectDims(report, "B", adaptor.getB(), {&bias})))
    return failure();
  for (Value state : states)
    if (failed(expectDims(report, "a state", state, {&batch, &hidden})))
      return failure();
  types.assign(states.size(), RankedTensorType::get({batch, hidden}, elementOf(adaptor.getX())));
  return success();
}

LogicalResult LSTMCellOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  return inferCell(report, adaptor, {adaptor.getInitialHiddenState(), adaptor.getInitialCellState()}, types);
}

LogicalResult GRUCellOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  return inferCell(report, adaptor, adaptor.getInitialHiddenState(), types);
}

LogicalResult RNNCellOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  return inferCell(report, adaptor, adaptor.getInitialHiddenState(), types);
}

/// A dim of a state [N, H] of a cell. H is static.
static DimSource::MaybeDim describeCell(DimSource &dims, ValueRange agreed, int64_t dim) {
  return dim == 0 ? dims.getAgreed(agreed, 0) : std::nullopt;
}

DimSource::MaybeDim LSTMCellOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  return describeCell(dims, {getInitialHiddenState(), getX(), getInitialCellState()}, dim);
}

DimSource::MaybeDim GRUCellOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  return describeCell(dims, {getInitialHiddenState(), getX()}, dim);
}

DimSource::MaybeDim RNNCellOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  return describeCell(dims, {getInitialHiddenState(), getX()}, dim);
}

/// True unless all dims that must agree are provably equal. The inferred types may be static although an operand is
/// not, so the check looks at the operands.
template <typename Cell>
static bool canCellFault(Cell cell, ValueRange states) {
  auto isDynamic = [](Value value) { return !cast<ShapedType>(value.getType()).hasStaticShape(); };
  if (isDynamic(cell.getR()) || isDynamic(cell.getB()) || ShapedType::isDynamic(shapeOf(cell.getW())[0]))
    return true;
  if (!provablySameDim(cell.getX(), 1, cell.getW(), 1))
    return true;
  return llvm::any_of(states, [&](Value state) {
    return !provablySameDim(cell.getX(), 0, state, 0) || ShapedType::isDynamic(shapeOf(state)[1]);
  });
}

bool LSTMCellOp::canFault() { return canCellFault(*this, {getInitialHiddenState(), getInitialCellState()}); }

bool GRUCellOp::canFault() { return canCellFault(*this, getInitialHiddenState()); }

bool RNNCellOp::canFault() { return canCellFault(*this, getInitialHiddenState()); }

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

/// Appends the types of Y and of the final states.
template <typename Adaptor>
static LogicalResult inferSequence(const Report &report, Adaptor adaptor, ValueRange states, Types &types) {
  int64_t hidden = adaptor.getHiddenSize();
  auto [rows, bias] = getCellSizes(adaptor);
  int64_t batch = ShapedType::kDynamic, length = batch, input = batch;
  int64_t directions = adaptor.getDirection() == SequenceDirection::Bidirectional ? 2 : 1;
  if (failed(expectDims(report, "X", adaptor.getX(), {&batch, &length, &input})))
    return failure();
  for (Value state : states)
    if (failed(expectDims(report, "a state", state, {&batch, &directions, &hidden})))
      return failure();
  if (failed(expectDims(report, "sequence_lengths", adaptor.getSequenceLengths(), {&batch})) ||
      failed(expectDims(report, "W", adaptor.getW(), {&directions, &rows, &input})) ||
      failed(expectDims(report, "R", adaptor.getR(), {&directions, &rows, &hidden})) ||
      failed(expectDims(report, "B", adaptor.getB(), {&directions, &bias})))
    return failure();
  Type element = elementOf(adaptor.getX());
  types.push_back(RankedTensorType::get({batch, directions, length, hidden}, element));
  types.append(states.size(), RankedTensorType::get({batch, directions, hidden}, element));
  return success();
}

LogicalResult LSTMSequenceOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  return inferSequence(report, adaptor, {adaptor.getInitialHiddenState(), adaptor.getInitialCellState()}, types);
}

LogicalResult GRUSequenceOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  return inferSequence(report, adaptor, adaptor.getInitialHiddenState(), types);
}

LogicalResult RNNSequenceOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  return inferSequence(report, adaptor, adaptor.getInitialHiddenState(), types);
}

/// A dim of Y [N, D, T, H], which is result 0, or of a final state [N, D, H]. D and H are static.
template <typename Op>
static DimSource::MaybeDim describeSequence(DimSource &dims, Op op, unsigned result, int64_t dim) {
  if (dim == 0)
    return dims.getAgreed({op.getInitialHiddenState(), op.getX()}, 0);
  return result == 0 && dim == 2 ? dims.get(op.getX(), 1) : std::nullopt;
}

DimSource::MaybeDim LSTMSequenceOp::describeDim(DimSource &dims, unsigned result, int64_t dim) {
  return describeSequence(dims, *this, result, dim);
}

DimSource::MaybeDim GRUSequenceOp::describeDim(DimSource &dims, unsigned result, int64_t dim) {
  return describeSequence(dims, *this, result, dim);
}

DimSource::MaybeDim RNNSequenceOp::describeDim(DimSource &dims, unsigned result, int64_t dim) {
  return describeSequence(dims, *this, result, dim);
}

//===----------------------------------------------------------------------===//
// OneHot
//===----------------------------------------------------------------------===//

LogicalResult OneHotOp::inferTypes(const Report &report, Adaptor adaptor, Types &types) {
  std::optional<SmallVector<int64_t>> depth = getPartlyKnownSizes(adaptor.getDepth());
  // C2
  if (!isUnknown(depth->front()) && depth->front() < 0)
    return report("expected depth that is not negative, but got ", depth->front());
  SmallVector<int64_t> shape(shapeOf(adaptor.getIndices()));
  std::optional<int64_t> axis = normalizeAxis(adaptor.getAxis(), shape.size() + 1);
  shape.insert(shape.begin() + *axis, depth->front());
  return addType(types, shape, elementOf(adaptor.getOnValue()));
}

std::optional<int64_t> OneHotOp::mapAxis(unsigned operand, unsigned, int64_t axis) {
  std::optional<int64_t> inserted = normalizeAxis(getAxis(), getType().getRank());
  return operand == 0 && inserted ? std::optional(insertAxes(*inserted, axis)) : std::nullopt;
}

DimSource::MaybeDim OneHotOp::describeDim(DimSource &dims, unsigned, int64_t dim) {
  std::optional<int64_t> axis = normalizeAxis(getAxis(), getType().getRank());
  return dim == *axis ? std::nullopt : dims.get(getIndices(), dim - (dim > *axis));
}

bool OneHotOp::canFault() {
  std::optional<SmallVector<int64_t>> depth = getPartlyKnownSizes(getDepth());
  return !depth || isUnknown(depth->front());
}

bool LSTMSequenceOp::canFault() { return !llvm::all_of(getOperands(), isStatic); }

bool GRUSequenceOp::canFault() { return !llvm::all_of(getOperands(), isStatic); }

bool RNNSequenceOp::canFault() { return !llvm::all_of(getOperands(), isStatic); }
