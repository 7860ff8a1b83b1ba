// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AccessRelation.cpp - The elements that an access reaches -----------===//
//
// A relation follows an access outward through its guards and loops, and its buffer through the chain of views, and
// expresses what it finds as linear constraints. Upstream's ValueBoundsConstraintSet knows the bounds of many ops; this
// file adds those of memrefs, loops and the rt dialect. To compare relations, it combines their constraints and asks
// the Presburger library for an integer solution.
//
//===----------------------------------------------------------------------===//

#include "Recur/Analysis/AccessRelation.h"

#include "Recur/Dialect/RT/IR/DroppedDims.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Analysis/Presburger/PresburgerRelation.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace recur;
using presburger::BoundType;

//===----------------------------------------------------------------------===//
// Views and loops
//===----------------------------------------------------------------------===//

Value recur::getViewSource(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  // A typed view of bytes is a buffer of its own, unless there are other views of the bytes that may overlap it. Places
  // in the workspace never overlap while both are in use.
  if (auto view = dyn_cast_if_present<memref::ViewOp>(op);
      view && (view.getSource().getDefiningOp<rt::WorkspaceOp>() || view.getSource().hasOneUse()))
    return {};
  if (auto transpose = dyn_cast_if_present<memref::TransposeOp>(op))
    return transpose.getIn();
  auto view = dyn_cast_if_present<ViewLikeOpInterface>(op);
  return view ? view.getViewSource() : Value();
}

SmallVector<Value> recur::getInductionVars(LoopLikeOpInterface loop) {
  return loop.getLoopInductionVars().value_or(SmallVector<Value>());
}

bool recur::isInductionVar(LoopLikeOpInterface loop, Value value) {
  return llvm::is_contained(getInductionVars(loop), value);
}

SmallVector<LoopLikeOpInterface> recur::getLoopsBetween(Operation *op, Operation *scope) {
  SmallVector<LoopLikeOpInterface> loops;
  for (Operation *parent = op->getParentOp(); parent != scope; parent = parent->getParentOp())
    if (auto loop = dyn_cast<LoopLikeOpInterface>(parent))
      loops.push_back(loop);
  std::reverse(loops.begin(), loops.end());
  return loops;
}

std::optional<AffineMap> recur::getLaneMap(MemRefType type, ValueRange indices, VectorType vector, Value mask) {
  ArrayRef<int64_t> shape = type.getShape();
  unsigned rank = shape.size();
  AffineMap map = AffineMap::getMinorIdentityMap(rank, vector.getRank(), type.getContext());
  if (vector.getRank() == 1 && type.getLayout().isIdentity()) {
    // Lanes along a last dim of 1 are elements along the dim before it.
    unsigned along = rank - 1;
    while (along != 0 && shape[along] == 1)
      --along;
    map = AffineMap::get(rank, /*symbolCount=*/0, getAffineDimExpr(along, type.getContext()));
  }
  auto constant = mask ? mask.getDefiningOp<vector::ConstantMaskOp>() : nullptr;
  if (mask && !constant)
    return map;
  // Folding makes constants of the parts of a constant index.
  auto goesOn = [&](auto pair) {
    auto [lanes, place] = pair;
    unsigned d = cast<AffineDimExpr>(place).getPosition();
    int64_t start = getConstantIntValue(indices[d]).value_or(0);
    return !ShapedType::isDynamic(shape[d]) && start + lanes > shape[d] &&
           !indices[d].getDefiningOp<affine::AffineDelinearizeIndexOp>();
  };
  ArrayRef<int64_t> lanes = constant ? constant.getMaskDimSizes() : vector.getShape();
  return llvm::any_of(llvm::zip_equal(lanes, map.getResults()), goesOn) ? std::nullopt : std::optional(map);
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

AccessRelation::AccessRelation(Operation *access, Value buffer, Operation *scope,
                               function_ref<Value(arith::SelectOp)> choose)
    : ValueBoundsConstraintSet(access->getContext(),
                               [this](Value value, std::optional<int64_t> dim, ValueBoundsConstraintSet &) {
                                 return addBounds(value, dim);
                               }),
      loops(getLoopsBetween(access, scope)), base(buffer) {
  for (Operation *op = access; op->getParentOp() != scope; op = op->getParentOp())
    addGuard(op->getParentOp(), op->getParentRegion());
  for (LoopLikeOpInterface loop : loops) {
    SmallVector<Value> inductionVars = getInductionVars(loop);
    // The trip count is not known.
    complete &= !inductionVars.empty();
    for (Value inductionVar : inductionVars) {
      if (inductionVar.getType().isIndex())
        (void)getExpr(inductionVar);
      else
        complete = false;
    }
    for (OpFoldResult step : loop.getLoopSteps().value_or(SmallVector<OpFoldResult>()))
      if (auto value = dyn_cast<Value>(step); value && value.getType().isIndex())
        (void)getExpr(value);
  }
  Coordinates coordinates = getAccessed(access, buffer);
  for (;;) {
    Value source = getViewSource(base);
    auto select = base.getDefiningOp<arith::SelectOp>();
    if (source && isa<MemRefType>(source.getType())) {
      coordinates = getSourceCoordinates(base.getDefiningOp(), source, coordinates);
    } else if (select && choose) {
      source = choose(select);
      if (!source)
        break;
      addCondition(select.getCondition(), source == select.getTrueValue());
    } else {
      break;
    }
    base = source;
  }
  for (AffineExpr coordinate : coordinates) {
    int64_t position = addVariable().first;
    addBound(BoundType::EQ, position, coordinate);
    elements.push_back(position);
  }
  processWorklist();
  // A constant needs no variable: it has the same value in every relation, and its column only costs time.
  for (int64_t i = positionToValueDim.size() - 1; i >= 0; --i) {
    auto value = positionToValueDim[i];
    if (!value || value->second != kIndexValue || !getConstantIntValue(value->first))
      continue;
    projectOut(i);
    for (int64_t &element : elements)
      element -= element > i;
  }
}

AffineExpr AccessRelation::addVariable(AffineExpr lower, AffineExpr upper) {
  auto [position, expr] = addVariable();
  addBound(BoundType::LB, position, lower);
  if (upper)
    addBound(BoundType::UB, position, upper);
  return expr;
}

void AccessRelation::addEquality(AffineExpr left, AffineExpr right) {
  int64_t position = addVariable().first;
  addBound(BoundType::EQ, position, left);
  addBound(BoundType::EQ, position, right);
}

/// Adds the condition under which `region` of `op` runs.
void AccessRelation::addGuard(Operation *op, Region *region) {
  if (auto choice = dyn_cast<scf::IndexSwitchOp>(op); choice && region != &choice.getDefaultRegion()) {
    int64_t value = choice.getCases()[region->getRegionNumber() - choice.getDefaultRegion().getRegionNumber() - 1];
    addEquality(getExpr(choice.getArg()), getExpr(value));
    return;
  }
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch) {
    complete &= !isa<RegionBranchOpInterface>(op) || isa<LoopLikeOpInterface>(op);
    return;
  }
  addCondition(branch.getCondition(), region == &branch.getThenRegion());
}

/// Adds the constraint that `condition` has the value `holds`, if it is a comparison of indices.
void AccessRelation::addCondition(Value condition, bool holds) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || !compare.getLhs().getType().isIndex()) {
    complete = false;
    return;
  }
  AffineExpr left = getExpr(compare.getLhs()), right = getExpr(compare.getRhs());
  auto addLess = [&](AffineExpr less, AffineExpr more) {
    int64_t position = addVariable().first;
    addBound(BoundType::EQ, position, less);
    addBound(BoundType::UB, position, more);
  };
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::slt:
    return holds ? addLess(left, right) : addLess(right, left + 1);
  case arith::CmpIPredicate::sle:
    return holds ? addLess(left, right + 1) : addLess(right, left);
  case arith::CmpIPredicate::sgt:
    return holds ? addLess(right, left) : addLess(left, right + 1);
  case arith::CmpIPredicate::sge:
    return holds ? addLess(right, left + 1) : addLess(left, right);
  case arith::CmpIPredicate::eq:
    if (holds)
      return addEquality(left, right);
    [[fallthrough]];
  default:
    complete = false;
  }
}

/// True if control flow or a select chooses `value`. Upstream must not process such a value: it compares the operands
/// to choose from, and for that inserts columns, which shift the columns that are still to be visited.
static bool isChosen(Value value) {
  Operation *op = value.getDefiningOp();
  return !op || op->getNumRegions() != 0 || isa<arith::SelectOp>(op);
}

/// Adds the bounds of a value or dim that upstream does not know. Returns true if upstream must not process it.
bool AccessRelation::addBounds(Value value, std::optional<int64_t> dim) {
  if (dim) {
    // Only dynamic dims come here.
    auto type = dyn_cast<MemRefType>(value.getType());
    auto subview = value.getDefiningOp<memref::SubViewOp>();
    if (std::optional<llvm::SmallDenseSet<unsigned>> dropped = subview ? rt::getDroppedDims(subview) : std::nullopt) {
      SmallVector<OpFoldResult> sizes;
      for (auto [d, size] : llvm::enumerate(subview.getMixedSizes()))
        if (!dropped->contains(d))
          sizes.push_back(size);
      bound(value)[*dim] == getExpr(sizes[*dim]);
    } else if (auto view = value.getDefiningOp<memref::ViewOp>()) {
      bound(value)[*dim] == getExpr(view.getSizes()[type.getDynamicDimIndex(*dim)]);
    } else if (auto output = value.getDefiningOp<rt::OutputOp>()) {
      bound(value)[*dim] == getExpr(output.getDims()[type.getDynamicDimIndex(*dim)]);
    } else {
      complete &= !isRepeated(value);
    }
    knownRanges = false;
    return subview || isChosen(value);
  }
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast_if_present<LoopLikeOpInterface>(arg.getOwner()->getParentOp());
    if (loop && isInductionVar(loop, arg))
      addInductionVarBounds(loop, arg);
    else
      complete &= !isRepeated(value);
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (auto check = dyn_cast<rt::CheckOp>(op)) {
    bound(value) == getExpr(check.getGuarded()[cast<OpResult>(value).getResultNumber()]);
    return true;
  }
  if (isRepeated(value)) {
    auto product = dyn_cast<arith::MulIOp>(op);
    complete &= isa<affine::AffineApplyOp, arith::AddIOp, arith::SubIOp, arith::ConstantOp>(op) ||
                (product && (getConstantIntValue(product.getLhs()) || getConstantIntValue(product.getRhs())));
  }
  // The parity of an iteration number chooses the slot of a double buffer: `x and 1` is 0 or 1, and `xor 1` of that is
  // the other slot.
  auto getMask = [](Value operand) -> std::optional<int64_t> {
    auto mask = operand.getDefiningOp<arith::AndIOp>();
    std::optional<int64_t> bits = mask ? getConstantIntValue(mask.getRhs()) : std::nullopt;
    return bits && *bits >= 0 ? bits : std::nullopt;
  };
  if (std::optional<int64_t> bits = getMask(value)) {
    bound(value) >= 0;
    bound(value) <= *bits;
  }
  if (auto other = dyn_cast<arith::XOrIOp>(op);
      other && getMask(other.getLhs()) == 1 && getConstantIntValue(other.getRhs()) == 1)
    bound(value) == getExpr(int64_t(1)) - getExpr(other.getLhs());
  if (auto remainder = dyn_cast<arith::RemUIOp>(op)) {
    std::optional<int64_t> divisor = getConstantIntValue(remainder.getRhs());
    if (divisor && *divisor > 0) {
      bound(value) >= 0;
      bound(value) < *divisor;
    }
  }
  // The last of several blocks ends at the end of all.
  if (auto least = dyn_cast<arith::MinSIOp>(op); least && value.getType().isIndex()) {
    bound(value) <= getExpr(least.getLhs());
    bound(value) <= getExpr(least.getRhs());
  }
  return isChosen(value);
}

/// Adds lb <= iv < ub, and that iv is lb plus a multiple of the step. From the latter follows that the last vector of a
/// loop ends before the elements of the remainder loop.
void AccessRelation::addInductionVarBounds(LoopLikeOpInterface loop, Value inductionVar) {
  SmallVector<Value> inductionVars = getInductionVars(loop);
  unsigned i = llvm::find(inductionVars, inductionVar) - inductionVars.begin();
  std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
                                           steps = loop.getLoopSteps();
  if (!lower || !upper || !steps) {
    complete = false;
    return;
  }
  std::optional<int64_t> step = getConstantIntValue((*steps)[i]);
  if (isRepeated(inductionVar)) {
    complete &= step.has_value();
    for (OpFoldResult limit : {(*lower)[i], (*upper)[i]})
      knownRanges &= getConstantIntValue(limit) || isRepeated(cast<Value>(limit));
  }
  AffineExpr first = getExpr((*lower)[i]), end = getExpr((*upper)[i]);
  bound(inductionVar) >= first;
  bound(inductionVar) < end;
  if (step && *step > 1) {
    AffineExpr number = addVariable(getExpr(int64_t(0)), {});
    bound(inductionVar) == first + number *step.value();
  }
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

namespace {
/// The first `number` dims of a buffer, if an access has one index for all of them.
struct JoinedDims {
  unsigned number;
  Value index;
};
} // namespace

/// Finds dims of known sizes whose indices are parts of one: upstream accesses a buffer so in the place of a view that
/// joins these dims. Returns nothing if the first index is one of its own.
static std::optional<JoinedDims> findJoinedDims(ValueRange indices, ArrayRef<int64_t> shape) {
  auto split = indices.front().getDefiningOp<affine::AffineDelinearizeIndexOp>();
  if (!split)
    return std::nullopt;
  ArrayRef<int64_t> basis = split.getStaticBasis();
  unsigned number = 0;
  for (Value part : split.getMultiIndex()) {
    if (number == shape.size() || indices[number] != part)
      return std::nullopt;
    // The basis may lack the size of the first dim, which no other part depends on.
    unsigned partsLeft = split.getNumResults() - cast<OpResult>(part).getResultNumber();
    if (number != 0 && (ShapedType::isDynamic(shape[number]) || basis[basis.size() - partsLeft] != shape[number]))
      return std::nullopt;
    ++number;
    // A dim of 1 has no part.
    while (number != shape.size() && shape[number] == 1 && isConstantIntValue(indices[number], 0))
      ++number;
  }
  return JoinedDims{number, split.getLinearIndex()};
}

/// The coordinates of the element at `indices`. If one index is that of all dims from a first one on, `addLanes` gets
/// that dim, and may replace the index by that of an element behind it.
AccessRelation::Coordinates AccessRelation::getElement(Value buffer, ValueRange indices,
                                                       function_ref<AffineExpr(unsigned, AffineExpr)> addLanes) {
  ArrayRef<int64_t> shape = cast<MemRefType>(buffer.getType()).getShape();
  Coordinates coordinates;
  while (coordinates.size() != indices.size()) {
    unsigned d = coordinates.size();
    std::optional<JoinedDims> joined = findJoinedDims(indices.drop_front(d), shape.drop_front(d));
    if (!joined) {
      coordinates.push_back(getExpr(indices[d]));
      continue;
    }
    AffineExpr place = getExpr(joined->index);
    if (addLanes && d + joined->number == indices.size())
      place = addLanes(d, place);
    for (unsigned i = 0; i != joined->number; ++i)
      coordinates.push_back(addVariable(getExpr(int64_t(0)), getExpr(buffer, d + i)));
    addEquality(linearize(ArrayRef(coordinates).drop_front(d), shape.slice(d, joined->number)), place);
  }
  return coordinates;
}

/// The coordinates in `buffer` of the elements that `access` reaches.
AccessRelation::Coordinates AccessRelation::getAccessed(Operation *access, Value buffer) {
  auto getVector = [&](ValueRange indices, VectorType vector, Value mask = {}) {
    auto type = cast<MemRefType>(buffer.getType());
    // A vector may be one element of a buffer of vectors.
    if (vector.getRank() > type.getRank())
      return getUnknown(buffer);
    std::optional<AffineMap> map = getLaneMap(type, indices, vector, mask);
    return map ? getBox(buffer, indices, *map, vector, mask) : getUnknown(buffer);
  };
  auto getTransfer = [&](VectorTransferOpInterface op) {
    Value mask = op.getMask();
    if (auto masking = dyn_cast<vector::MaskOp>(op->getParentOp()))
      mask = masking.getMask();
    // The dims of a mask are in the order of the buffer's dims, not of the vector's.
    if (mask && !op.getPermutationMap().isMinorIdentity()) {
      complete = false;
      mask = {};
    }
    return getBox(buffer, op.getIndices(), op.getPermutationMap(), op.getVectorType(), mask);
  };
  return TypeSwitch<Operation *, Coordinates>(access)
      .Case<memref::LoadOp, memref::StoreOp>([&](auto op) { return getElement(buffer, op.getIndices()); })
      .Case<vector::LoadOp, vector::StoreOp>([&](auto op) { return getVector(op.getIndices(), op.getVectorType()); })
      .Case<vector::MaskedLoadOp, vector::MaskedStoreOp>(
          [&](auto op) { return getVector(op.getIndices(), op.getVectorType(), op.getMask()); })
      .Case<vector::TransferReadOp, vector::TransferWriteOp>(
          [&](auto op) { return getTransfer(cast<VectorTransferOpInterface>(op.getOperation())); })
      .Case([&](memref::CopyOp) { return getWhole(buffer); })
      .Case([&](linalg::LinalgOp op) {
        for (OpOperand &init : op.getDpsInitsMutable())
          if (init.get() == buffer && op.getMatchingIndexingMap(&init).isPermutation())
            return getWhole(buffer);
        return getUnknown(buffer);
      })
      .Default([&](Operation *) { return getUnknown(buffer); });
}

/// The coordinates of the elements that a vector covers at `indices`. `map` tells which dims of the buffer the dims of
/// the vector run along.
AccessRelation::Coordinates AccessRelation::getBox(Value buffer, ValueRange indices, AffineMap map, VectorType vector,
                                                   Value mask) {
  auto type = cast<MemRefType>(buffer.getType());
  if (isa<VectorType>(type.getElementType()))
    return getUnknown(buffer);
  // The number of active lanes in each dim, counted from the first one. Nothing is known of other masks.
  SmallVector<OpFoldResult> active(vector.getRank());
  if (auto prefix = mask ? mask.getDefiningOp<vector::CreateMaskOp>() : nullptr)
    llvm::copy(prefix.getOperands(), active.begin());
  else if (auto prefix = mask ? mask.getDefiningOp<vector::ConstantMaskOp>() : nullptr)
    llvm::transform(prefix.getMaskDimSizes(), active.begin(), [&](int64_t size) { return builder.getIndexAttr(size); });
  else
    complete &= !mask;
  auto addLanes = [&](unsigned i, AffineExpr start) {
    auto [position, element] = addVariable();
    addBound(BoundType::LB, position, start);
    if (vector.getScalableDims()[i])
      complete = false;
    else
      addBound(BoundType::UB, position, start + vector.getDimSize(i));
    if (active[i])
      addBound(BoundType::UB, position, start + getExpr(active[i]));
    return std::pair(position, element);
  };
  auto along = map.getNumResults() == 1 ? dyn_cast<AffineDimExpr>(map.getResult(0)) : nullptr;
  bool isRow = along && llvm::all_of(type.getShape().drop_front(along.getPosition() + 1),
                                     [](int64_t size) { return size == 1; });
  // The lanes of joined dims go on in the next row of the last one.
  bool hasLanes = false, isApart = false;
  Coordinates coordinates = getElement(buffer, indices, [&](unsigned first, AffineExpr start) {
    if (!isRow || along.getPosition() < first)
      return start;
    hasLanes = true;
    isApart = !type.areTrailingDimsContiguous(type.getRank() - first);
    return addLanes(0, start).second;
  });
  if (isApart)
    return getUnknown(buffer);
  if (hasLanes)
    return coordinates;
  for (auto [i, place] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(place);
    if (!dim)
      continue;
    unsigned d = dim.getPosition();
    // The dims of the vector cross those of the index.
    if (indices[d].getDefiningOp<affine::AffineDelinearizeIndexOp>())
      return getUnknown(buffer);
    auto [position, element] = addLanes(i, coordinates[d]);
    // No element is beyond the end of the buffer.
    addBound(BoundType::UB, position, getExpr(buffer, d));
    coordinates[d] = element;
  }
  return coordinates;
}

AccessRelation::Coordinates AccessRelation::getWhole(Value buffer) {
  Coordinates coordinates;
  for (int64_t d = 0, e = cast<MemRefType>(buffer.getType()).getRank(); d < e; ++d)
    coordinates.push_back(addVariable(getExpr(int64_t(0)), getExpr(buffer, d)));
  return coordinates;
}

/// The index of an element in row-major order. Null if it depends on a dynamic size.
AffineExpr AccessRelation::linearize(ArrayRef<AffineExpr> coordinates, ArrayRef<int64_t> shape) {
  AffineExpr place = getExpr(int64_t(0));
  std::optional<int64_t> stride = 1;
  for (auto [coordinate, size] : llvm::reverse(llvm::zip_equal(coordinates, shape))) {
    if (size == 1)
      continue;
    if (!stride)
      return {};
    place = place + coordinate * stride.value();
    stride = ShapedType::isDynamic(size) ? std::nullopt : std::optional(*stride * size);
  }
  return place;
}

/// True if the source has an element at all coordinates of the result, which is the same one.
static bool keepsShape(memref::ReinterpretCastOp op) {
  auto source = dyn_cast<MemRefType>(op.getSource().getType());
  return op->hasAttr(rt::kSameShapeAttr) && source && source.getLayout().isIdentity() &&
         op.getType().getLayout().isIdentity() && isConstantIntValue(op.getMixedOffsets().front(), 0) &&
         succeeded(verifyCompatibleShape(source, op.getType()));
}

/// The coordinates in `source` of elements that have `coordinates` in `view`, a view of it.
AccessRelation::Coordinates AccessRelation::getSourceCoordinates(Operation *view, Value source,
                                                                 ArrayRef<AffineExpr> coordinates) {
  auto sourceType = cast<MemRefType>(source.getType());
  if (isa<memref::CastOp, memref::MemorySpaceCastOp, memref::AssumeAlignmentOp>(view))
    return Coordinates(coordinates);
  if (auto subview = dyn_cast<memref::SubViewOp>(view)) {
    std::optional<llvm::SmallDenseSet<unsigned>> dropped = rt::getDroppedDims(subview);
    if (!dropped)
      return getUnknown(source);
    Coordinates result;
    for (auto [d, offset, stride] : llvm::enumerate(subview.getMixedOffsets(), subview.getMixedStrides())) {
      AffineExpr start = getExpr(offset);
      if (dropped->contains(d)) {
        result.push_back(start);
        continue;
      }
      AffineExpr coordinate = coordinates.front();
      coordinates = coordinates.drop_front();
      if (std::optional<int64_t> constant = getConstantIntValue(stride)) {
        result.push_back(start + coordinate * constant.value());
      } else {
        complete = false;
        result.push_back(addVariable(getExpr(int64_t(0)), getExpr(source, d)));
      }
    }
    return result;
  }
  if (auto bytes = dyn_cast<memref::ViewOp>(view)) {
    MemRefType type = bytes.getType();
    AffineExpr place = linearize(coordinates, type.getShape());
    if (!place || !type.getElementType().isIntOrFloat() || type.getElementTypeBitWidth() % 8 != 0)
      return getUnknown(source);
    int64_t size = type.getElementTypeBitWidth() / 8;
    AffineExpr start = getExpr(bytes.getByteShift()) + place * size;
    return {addVariable(start, start + size)};
  }
  if (auto transpose = dyn_cast<memref::TransposeOp>(view)) {
    Coordinates result(coordinates.size());
    for (auto [coordinate, place] : llvm::zip_equal(coordinates, transpose.getPermutation().getResults()))
      result[cast<AffineDimExpr>(place).getPosition()] = coordinate;
    return result;
  }
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(view)) {
    Coordinates result;
    ArrayRef<int64_t> shape = expand.getResultType().getShape();
    for (auto [d, group] : llvm::enumerate(expand.getReassociationIndices())) {
      AffineExpr place =
          linearize(coordinates.slice(group.front(), group.size()), shape.slice(group.front(), group.size()));
      if (!place) {
        complete = false;
        place = addVariable(getExpr(int64_t(0)), getExpr(source, d));
      }
      result.push_back(place);
    }
    return result;
  }
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(view)) {
    Coordinates result = getWhole(source);
    for (auto [coordinate, group] : llvm::zip_equal(coordinates, collapse.getReassociationIndices())) {
      AffineExpr place = linearize(ArrayRef(result).slice(group.front(), group.size()),
                                   sourceType.getShape().slice(group.front(), group.size()));
      if (place)
        addEquality(place, coordinate);
      else
        complete = false;
    }
    return result;
  }
  if (auto reinterpret = dyn_cast<memref::ReinterpretCastOp>(view); reinterpret && keepsShape(reinterpret))
    return Coordinates(coordinates);
  if (auto reinterpret = dyn_cast<memref::ReinterpretCastOp>(view);
      reinterpret && sourceType.getLayout().isIdentity() && sourceType.hasStaticShape()) {
    AffineExpr place = getExpr(reinterpret.getMixedOffsets().front());
    for (auto [coordinate, stride] : llvm::zip_equal(coordinates, reinterpret.getMixedStrides())) {
      std::optional<int64_t> constant = getConstantIntValue(stride);
      if (!constant)
        return getUnknown(source);
      place = place + coordinate * constant.value();
    }
    Coordinates result = getWhole(source);
    addEquality(place, linearize(result, sourceType.getShape()));
    return result;
  }
  return getUnknown(source);
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

void AccessRelation::Variables::addShared(const AccessRelation &relation, function_ref<bool(Value)> isOwn) {
  for (const auto &value : relation.positionToValueDim)
    if (value && !isOwn(value->first) && shared.try_emplace(*value, number).second)
      ++number;
}

SmallVector<unsigned> AccessRelation::Variables::assign(const AccessRelation &relation,
                                                        function_ref<bool(Value)> isOwn) {
  addShared(relation, isOwn);
  SmallVector<unsigned> variables(relation.cstr.getNumVars());
  for (const auto &[position, variable] : llvm::enumerate(variables)) {
    auto element = llvm::find(relation.elements, position);
    // The columns after those of values are divisions.
    const std::optional<ValueDim> *value =
        position < relation.positionToValueDim.size() ? &relation.positionToValueDim[position] : nullptr;
    if (element != relation.elements.end())
      variable = element - relation.elements.begin();
    else if (!value || !*value || isOwn((*value)->first))
      variable = number++;
    else
      variable = shared.lookup(**value);
  }
  return variables;
}

void AccessRelation::addConstraintsTo(presburger::IntegerRelation &relation, ArrayRef<unsigned> variables) const {
  SmallVector<int64_t> row;
  auto translate = [&](auto at) {
    row.assign(relation.getNumCols(), 0);
    for (auto [i, variable] : llvm::enumerate(variables))
      row[variable] += at(i);
    row.back() = at(variables.size());
  };
  for (unsigned i = 0, e = cstr.getNumEqualities(); i < e; ++i) {
    translate([&](unsigned j) { return cstr.atEq64(i, j); });
    relation.addEquality(row);
  }
  for (unsigned i = 0, e = cstr.getNumInequalities(); i < e; ++i) {
    translate([&](unsigned j) { return cstr.atIneq64(i, j); });
    relation.addInequality(row);
  }
}

/// The greatest number in constraints that are searched for integers. The search takes steps of the size of numbers,
/// and products of larger ones do not fit 64 bits.
static constexpr int64_t kMostOfSearch = int64_t(1) << 31;
/// The most variables among which integers are searched. The time of a search grows with them more than exponentially,
/// and those that found something had at most 12, in all models of the tests.
static constexpr unsigned kMostVariables = 16;

/// True if constraints have numbers that are too large for a search.
static bool hasLargeNumbers(const presburger::IntegerRelation &relation) {
  auto isLarge = [](const DynamicAPInt &number) { return abs(number) > kMostOfSearch; };
  for (unsigned i = 0, e = relation.getNumEqualities(); i != e; ++i)
    if (llvm::any_of(relation.getEquality(i), isLarge))
      return true;
  for (unsigned i = 0, e = relation.getNumInequalities(); i != e; ++i)
    if (llvm::any_of(relation.getInequality(i), isLarge))
      return true;
  return false;
}

namespace {
/// Pairs of elements, in which variables that others determine can be replaced. Upstream's functions do not do so by
/// themselves, and take time that grows with the number of variables more than linearly.
struct Pairs : presburger::IntegerPolyhedron {
  using IntegerPolyhedron::IntegerPolyhedron;

  /// Replaces each variable that an equality gives as an integer expression of others. The elements are not described
  /// any more, but there are pairs only if there were some before.
  void removeDetermined() {
    convertToLocal(presburger::VarKind::SetDim, 0, getNumDimVars());
    removeRedundantLocalVars();
  }
};
} // namespace

bool AccessRelation::areDisjoint(const AccessRelation &first, const AccessRelation &second, Executions executions) {
  bool isGuess = executions.loop && !executions.inductionVar && !getInductionVars(executions.loop).empty();
  auto differs = [&](Value value) {
    return executions.loop && executions.loop->isAncestor(value.getParentRegion()->getParentOp());
  };
  if (first.base != second.base || differs(first.base))
    return false;
  Variables all(first);
  SmallVector<unsigned> firstVariables = all.assign(first, [](Value) { return false; }),
                        secondVariables = all.assign(second, differs);
  Pairs pairs(presburger::PresburgerSpace::getSetSpace(all.number));
  first.addConstraintsTo(pairs, firstVariables);
  second.addConstraintsTo(pairs, secondVariables);

  if (executions.inductionVar) {
    // Earlier induction variables are equal, and this one differs by at least one step.
    SmallVector<Value> inductionVars = getInductionVars(executions.loop);
    SmallVector<OpFoldResult> steps = executions.loop.getLoopSteps().value_or(SmallVector<OpFoldResult>());
    for (auto [i, inductionVar] : llvm::enumerate(ArrayRef(inductionVars).take_front(*executions.inductionVar + 1))) {
      if (!inductionVar.getType().isIndex())
        return false;
      SmallVector<int64_t> row(all.number + 1);
      row[firstVariables[first.getPos(inductionVar)]] = executions.firstIsLater ? 1 : -1;
      row[secondVariables[second.getPos(inductionVar)]] = executions.firstIsLater ? -1 : 1;
      if (i < *executions.inductionVar) {
        pairs.addEquality(row);
        continue;
      }
      OpFoldResult step = i < steps.size() ? steps[i] : OpFoldResult();
      std::optional<int64_t> constant = step ? getConstantIntValue(step) : 1;
      if (constant)
        row.back() = -*constant;
      else
        row[firstVariables[first.getPos(cast<Value>(step))]] -= 1;
      pairs.addInequality(row);
    }
  }
  // The first tests are quick, and sufficient unless the arithmetic is intricate. The last one searches for a pair of
  // executions, which takes long if there is one. So it is not run if nothing is known of the iterations, where the
  // caller only hopes for a short proof, or if a corner of the rational pairs is a pair of integers.
  // The numbers of the accesses count. Replacing variables multiplies some, but leaves fewer dims to search.
  bool hasSmallNumbers = !hasLargeNumbers(pairs);
  pairs.removeDetermined();
  if (pairs.isEmpty())
    return true;
  if (isGuess)
    return false;
  presburger::Simplex rational(pairs);
  bool canSearch = hasSmallNumbers && pairs.getNumVars() <= kMostVariables;
  return rational.isEmpty() || (canSearch && !rational.getSamplePointIfIntegral() && pairs.isIntegerEmpty());
}

bool AccessRelation::isCovered(const AccessRelation &read, ArrayRef<std::unique_ptr<AccessRelation>> writes) {
  Variables all(read);
  SmallVector<unsigned> readVariables = all.assign(read, [](Value) { return false; });
  for (const auto &write : writes)
    all.addShared(*write, [&](Value value) { return write->isRepeated(value); });
  using presburger::PresburgerSpace;
  unsigned numCommon = all.number;
  presburger::IntegerPolyhedron unwritten(PresburgerSpace::getSetSpace(numCommon));
  read.addConstraintsTo(unwritten, readVariables);
  if (hasLargeNumbers(unwritten))
    return false;
  presburger::PresburgerRelation rest(unwritten);
  for (const auto &write : writes) {
    // The variables of the write's own loops become local: it is enough that some execution reaches the element.
    all.number = numCommon;
    SmallVector<unsigned> variables = all.assign(*write, [&](Value value) { return write->isRepeated(value); });
    presburger::IntegerPolyhedron written(
        PresburgerSpace::getSetSpace(numCommon, /*numSymbols=*/0, all.number - numCommon));
    write->addConstraintsTo(written, variables);
    if (hasLargeNumbers(written))
      return false;
    rest = rest.subtract(written.computeReprWithOnlyDivLocals());
  }
  return rest.isIntegerEmpty();
}
