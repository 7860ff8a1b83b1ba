// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckTimeLoops.cpp - What a time loop must not do ------------------===//

#include "Recur/Dialect/RT/IR/RT.h"
#include "Recur/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

namespace recur {
#define GEN_PASS_DEF_CHECKTIMELOOPS
#include "Recur/Transforms/Passes.h.inc"
} // namespace recur

using namespace mlir;
using namespace recur;
using presburger::BoundType;

/// The number of time loops, left on the function where they were made. If the name changes there, every function with a
/// time loop fails here.
static constexpr llvm::StringLiteral kNumTimeLoops = "rt.time_loops";
/// Marks the cold branch in which a buffer grows.
static constexpr llvm::StringLiteral kGrowth = "rt.growth";

/// The functions of libm that a model may call, on f64 alone.
static constexpr llvm::StringLiteral kLibmFunctions[] = {
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos",  "cosh",  "erf", "erfc", "exp",
    "exp2", "expm1", "fmod", "log",   "log10", "log1p", "log2",  "pow",  "round", "sin", "sinh", "tan",  "tanh"};

//===----------------------------------------------------------------------===//
// Where buffers come from
//===----------------------------------------------------------------------===//

/// What `buffer` is a view of; null where it is a buffer of its own, as every place in the workspace is.
static Value getViewSource(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  if (auto view = dyn_cast_if_present<memref::ViewOp>(op); view && view.getSource().getDefiningOp<rt::WorkspaceOp>())
    return {};
  if (auto transpose = dyn_cast_if_present<memref::TransposeOp>(op))
    return transpose.getIn();
  auto view = dyn_cast_if_present<ViewLikeOpInterface>(op);
  return view ? view.getViewSource() : Value();
}

/// The values that control flow may bring to `value`, a result or a region argument.
static SmallVector<Value> getForwardedValues(Value value) {
  auto arg = dyn_cast<BlockArgument>(value);
  Operation *owner = arg ? arg.getOwner()->getParentOp() : value.getDefiningOp();
  auto branch = dyn_cast_if_present<RegionBranchOpInterface>(owner);
  if (!branch)
    return {};
  RegionBranchInverseSuccessorMapping mapping;
  branch.getSuccessorInputOperandMapping(mapping);
  // In the order of the program: the mapping has none.
  SmallVector<OpOperand *> operands = mapping.lookup(value);
  llvm::sort(operands, [&](OpOperand *a, OpOperand *b) {
    auto getPlace = [&](OpOperand *operand) {
      Operation *user = operand->getOwner();
      return std::pair(user == owner ? 0 : user->getParentRegion()->getRegionNumber() + 1, operand->getOperandNumber());
    };
    return getPlace(a) < getPlace(b);
  });
  return llvm::map_to_vector(operands, [](OpOperand *operand) { return operand->get(); });
}

/// The buffers that `buffer` may be a part of: one, unless control flow chooses.
static llvm::SetVector<Value> findRoots(Value buffer) {
  llvm::SetVector<Value> roots, worklist;
  worklist.insert(buffer);
  for (size_t i = 0; i < worklist.size(); ++i) {
    Value value = worklist[i];
    if (Value source = getViewSource(value)) {
      worklist.insert(source);
      continue;
    }
    SmallVector<Value> choices = getForwardedValues(value);
    if (auto select = value.getDefiningOp<arith::SelectOp>())
      choices = {select.getTrueValue(), select.getFalseValue()};
    if (choices.empty())
      roots.insert(value);
    worklist.insert(choices.begin(), choices.end());
  }
  return roots;
}

/// True if the contents of `root` may be read by another iteration of `timeLoop`, or after it. A place in the workspace
/// that nothing outside the loop touches is scratch: every iteration writes there before it reads.
static bool outlivesIteration(Value root, LoopLikeOpInterface timeLoop) {
  if (!isa_and_present<memref::ViewOp, memref::AllocOp, memref::AllocaOp>(root.getDefiningOp()))
    return true;
  SmallVector<Value> worklist{root};
  DenseSet<Value> visited;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!visited.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (isa<memref::DimOp, memref::DeallocOp>(user))
        continue;
      // Views may stand anywhere; what counts is what is done with them.
      if (llvm::any_of(user->getResults(), [&](Value result) { return getViewSource(result) == value; })) {
        llvm::append_range(worklist, user->getResults());
        continue;
      }
      // Carried by the loop itself, or used outside of it.
      if (!timeLoop->isProperAncestor(user) || (user->hasTrait<OpTrait::IsTerminator>() && user->getParentOp() == timeLoop))
        return true;
      // What control flow does with it inside.
      Operation *branch = user->hasTrait<OpTrait::IsTerminator>() ? user->getParentOp() : user;
      auto pushBuffers = [&](ValueRange values) {
        for (Value other : values)
          if (isa<BaseMemRefType>(other.getType()))
            worklist.push_back(other);
      };
      if (isa<RegionBranchOpInterface, arith::SelectOp>(branch)) {
        pushBuffers(branch->getResults());
        for (Region &region : branch->getRegions())
          pushBuffers(region.getArguments());
      }
    }
  }
  return false;
}

static SmallVector<Value> getInductionVars(LoopLikeOpInterface loop) {
  return loop.getLoopInductionVars().value_or(SmallVector<Value>());
}

static bool isInductionVar(LoopLikeOpInterface loop, Value value) {
  return llvm::is_contained(getInductionVars(loop), value);
}

/// Collects what the place of a store is computed from, memory included. The end of a range does not count: it says how
/// much is stored, not where.
static DenseSet<Value> collectDependences(ArrayRef<Value> place) {
  DenseSet<Value> reached;
  SmallVector<Value> worklist(place);
  auto push = [&](ArrayRef<OpFoldResult> values) {
    for (OpFoldResult ofr : values)
      if (auto value = dyn_cast<Value>(ofr))
        worklist.push_back(value);
  };
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!reached.insert(value).second)
      continue;
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast_if_present<LoopLikeOpInterface>(arg.getOwner()->getParentOp());
      if (!loop || !isInductionVar(loop, arg)) {
        llvm::append_range(worklist, getForwardedValues(value));
        continue;
      }
      if (std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds())
        for (auto [inductionVar, start] : llvm::zip_equal(getInductionVars(loop), *lower))
          if (inductionVar == value)
            push(start);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (auto check = dyn_cast<rt::CheckOp>(op)) {
      worklist.push_back(check.getGuarded()[cast<OpResult>(value).getResultNumber()]);
    } else if (auto part = dyn_cast<OffsetSizeAndStrideOpInterface>(op); part && getViewSource(value)) {
      worklist.push_back(getViewSource(value));
      push(part.getMixedOffsets());
      push(part.getMixedStrides());
    } else {
      llvm::append_range(worklist, op->getOperands());
      for (Region &region : op->getRegions())
        for (Block &block : region)
          if (block.mightHaveTerminator())
            llvm::append_range(worklist, block.getTerminator()->getOperands());
    }
  }
  return reached;
}

/// The loops between `op` and the body of `timeLoop`, outermost first.
static SmallVector<LoopLikeOpInterface> getLoopsBetween(Operation *op, Operation *timeLoop) {
  SmallVector<LoopLikeOpInterface> loops;
  for (Operation *parent = op->getParentOp(); parent != timeLoop; parent = parent->getParentOp())
    if (auto loop = dyn_cast<LoopLikeOpInterface>(parent))
      loops.push_back(loop);
  std::reverse(loops.begin(), loops.end());
  return loops;
}

//===----------------------------------------------------------------------===//
// Footprint
//===----------------------------------------------------------------------===//

namespace {

/// Two executions of stores in one iteration of a time loop: in different iterations of `loop`, and in the same
/// iterations of the loops around it. Without `loop` in the same iteration of all loops that both are in.
struct Executions {
  LoopLikeOpInterface loop;
  /// The first induction variable that differs. None: nothing is known of the two iterations, they may be the same.
  std::optional<unsigned> inductionVar;
  /// The first store is in the later iteration.
  bool firstIsLater = false;
};

/// The elements that one execution of a store reaches, as constraints of their coordinates in the buffer at the
/// beginning of the chain of views. What can't be expressed is left out, so the footprint is never too small.
class Footprint : public ValueBoundsConstraintSet {
public:
  Footprint(Operation *store, Value target, LoopLikeOpInterface timeLoop);

  /// True if there is nothing but these elements, so that an overlap of two executions is one in fact.
  bool isExact() const { return exact; }

  /// True if an execution of the store of `first` and one of that of `second` are proven to reach different elements.
  static bool areDisjoint(const Footprint &first, const Footprint &second, Executions executions);

private:
  using Coordinates = SmallVector<AffineExpr>;

  bool addBounds(Value value, std::optional<int64_t> dim);
  void addInductionVarBounds(LoopLikeOpInterface loop, Value inductionVar);
  Coordinates getStored(Operation *store, Value target);
  Coordinates getBox(Value target, ValueRange indices, AffineMap map, VectorType vector, Value mask);
  Coordinates getWhole(Value buffer);
  Coordinates getSourceCoordinates(Operation *view, Value source, ArrayRef<AffineExpr> coordinates);
  /// Any element of the buffer.
  Coordinates getUnknown(Value buffer) {
    exact = false;
    return getWhole(buffer);
  }
  AffineExpr linearize(ArrayRef<AffineExpr> coordinates, ArrayRef<int64_t> shape);

  /// A new variable.
  std::pair<int64_t, AffineExpr> addVariable() {
    int64_t position = insert(/*isSymbol=*/true);
    return {position, getPosExpr(position)};
  }
  AffineExpr addVariable(AffineExpr lowerBound, AffineExpr upperBound) {
    auto [position, expr] = addVariable();
    addBound(BoundType::LB, position, lowerBound);
    if (upperBound)
      addBound(BoundType::UB, position, upperBound);
    return expr;
  }
  bool isRepeated(Value value) const {
    return !loops.empty() && loops.front()->isAncestor(value.getParentRegion()->getParentOp());
  }

  SmallVector<LoopLikeOpInterface> loops;
  Value base;
  /// Positions of the coordinates.
  SmallVector<int64_t> elements;
  bool exact = true;
};

} // namespace

Footprint::Footprint(Operation *store, Value target, LoopLikeOpInterface timeLoop)
    : ValueBoundsConstraintSet(store->getContext(), [this](Value value, std::optional<int64_t> dim,
                                                           ValueBoundsConstraintSet &) { return addBounds(value, dim); }),
      loops(getLoopsBetween(store, timeLoop)), base(target) {
  // What a branch guards is not always stored.
  for (Operation *parent = store->getParentOp(); parent != timeLoop; parent = parent->getParentOp())
    if (isa<RegionBranchOpInterface>(parent) && !isa<LoopLikeOpInterface>(parent))
      exact = false;
  Coordinates coordinates = getStored(store, target);
  while (Value source = getViewSource(base)) {
    if (!isa<MemRefType>(source.getType()))
      break;
    coordinates = getSourceCoordinates(base.getDefiningOp(), source, coordinates);
    base = source;
  }
  for (AffineExpr coordinate : coordinates) {
    auto [position, expr] = addVariable();
    addBound(BoundType::EQ, position, coordinate);
    elements.push_back(position);
  }
  for (LoopLikeOpInterface loop : loops) {
    for (Value inductionVar : getInductionVars(loop))
      if (inductionVar.getType().isIndex())
        (void)getExpr(inductionVar);
    for (OpFoldResult step : loop.getLoopSteps().value_or(SmallVector<OpFoldResult>()))
      if (auto value = dyn_cast<Value>(step); value && value.getType().isIndex())
        (void)getExpr(value);
  }
  processWorklist();
}

/// True if control flow or a select chooses `value`. Upstream compares what it chooses from, and for that inserts columns
/// that shift those still to be visited.
static bool isChosen(Value value) {
  Operation *op = value.getDefiningOp();
  return !op || op->getNumRegions() != 0 || isa<arith::SelectOp>(op);
}

/// Adds what upstream does not know of a value or dim, and returns true if it has nothing to add.
bool Footprint::addBounds(Value value, std::optional<int64_t> dim) {
  if (dim) {
    exact = false;
    if (auto view = value.getDefiningOp<memref::ViewOp>())
      bound(value)[*dim] == getExpr(view.getSizes()[view.getType().getDynamicDimIndex(*dim)]);
    if (auto output = value.getDefiningOp<rt::OutputOp>())
      bound(value)[*dim] ==
          getExpr(output.getDims()[cast<MemRefType>(value.getType()).getDynamicDimIndex(*dim)]);
    return isChosen(value);
  }
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast_if_present<LoopLikeOpInterface>(arg.getOwner()->getParentOp());
    if (loop && isInductionVar(loop, arg))
      addInductionVarBounds(loop, arg);
    else
      exact &= !isRepeated(value);
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (auto check = dyn_cast<rt::CheckOp>(op)) {
    bound(value) == getExpr(check.getGuarded()[cast<OpResult>(value).getResultNumber()]);
    return true;
  }
  if (isRepeated(value)) {
    auto product = dyn_cast<arith::MulIOp>(op);
    bool known = isa<affine::AffineApplyOp, arith::AddIOp, arith::SubIOp, arith::ConstantOp>(op) ||
                 (product && (getConstantIntValue(product.getLhs()) || getConstantIntValue(product.getRhs())));
    exact &= known;
  }
  // The parity of an iteration chooses a slot.
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
  return isChosen(value);
}

/// lb <= iv < ub, and iv is lb plus a multiple of the step, so that the last vector of a loop is known to end before
/// what follows it.
void Footprint::addInductionVarBounds(LoopLikeOpInterface loop, Value inductionVar) {
  SmallVector<Value> inductionVars = getInductionVars(loop);
  unsigned i = llvm::find(inductionVars, inductionVar) - inductionVars.begin();
  std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
                                           steps = loop.getLoopSteps();
  if (!lower || !upper || !steps) {
    exact = false;
    return;
  }
  std::optional<int64_t> step = getConstantIntValue((*steps)[i]);
  if (isRepeated(inductionVar)) {
    exact &= step.has_value();
    // Values from elsewhere may be such that the loop runs once.
    for (OpFoldResult limit : {(*lower)[i], (*upper)[i]})
      exact &= getConstantIntValue(limit) || isRepeated(cast<Value>(limit));
  }
  AffineExpr first = getExpr((*lower)[i]), end = getExpr((*upper)[i]);
  bound(inductionVar) >= first;
  bound(inductionVar) < end;
  if (step && *step > 1) {
    AffineExpr number = addVariable(getExpr(int64_t(0)), {});
    bound(inductionVar) == first + number * *step;
  }
}

/// The coordinates of a store's elements in its target.
Footprint::Coordinates Footprint::getStored(Operation *store, Value target) {
  auto rank = cast<ShapedType>(target.getType()).getRank();
  auto getMinorMap = [&](VectorType vector) {
    return AffineMap::getMinorIdentityMap(rank, vector.getRank(), store->getContext());
  };
  return TypeSwitch<Operation *, Coordinates>(store)
      .Case([&](memref::StoreOp op) {
        Coordinates coordinates;
        for (Value i : op.getIndices())
          coordinates.push_back(getExpr(i));
        return coordinates;
      })
      .Case([&](vector::StoreOp op) {
        VectorType vector = op.getVectorType();
        return getBox(target, op.getIndices(), getMinorMap(vector), vector, {});
      })
      .Case([&](vector::MaskedStoreOp op) {
        VectorType vector = op.getVectorType();
        return getBox(target, op.getIndices(), getMinorMap(vector), vector, op.getMask());
      })
      .Case([&](vector::TransferWriteOp op) {
        Value mask = op.getMask();
        if (auto masking = dyn_cast<vector::MaskOp>(op->getParentOp()))
          mask = masking.getMask();
        // Masks have the order of the buffer's dims.
        if (mask && !op.getPermutationMap().isMinorIdentity()) {
          exact = false;
          mask = {};
        }
        return getBox(target, op.getIndices(), op.getPermutationMap(), op.getVectorType(), mask);
      })
      .Case([&](memref::CopyOp) { return getWhole(target); })
      .Default([&](Operation *) { return getUnknown(target); });
}

/// What a vector covers that is stored at `indices`, whose dims go where `map` says.
Footprint::Coordinates Footprint::getBox(Value target, ValueRange indices, AffineMap map, VectorType vector,
                                         Value mask) {
  auto type = cast<MemRefType>(target.getType());
  Coordinates coordinates;
  for (Value i : indices)
    coordinates.push_back(getExpr(i));
  // A vector may be one element.
  if (isa<VectorType>(type.getElementType())) {
    exact &= !mask;
    return coordinates;
  }
  SmallVector<OpFoldResult> active(vector.getRank());
  if (mask) {
    exact = false;
    if (auto prefix = mask.getDefiningOp<vector::CreateMaskOp>())
      llvm::copy(prefix.getOperands(), active.begin());
    if (auto prefix = mask.getDefiningOp<vector::ConstantMaskOp>())
      for (auto [size, i] : llvm::zip_equal(active, prefix.getMaskDimSizes()))
        size = builder.getIndexAttr(i);
  }
  for (auto [i, place] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(place);
    if (!dim)
      continue;
    AffineExpr start = coordinates[dim.getPosition()], end;
    if (vector.getScalableDims()[i])
      exact = false;
    else
      end = start + vector.getDimSize(i);
    auto [position, element] = addVariable();
    addBound(BoundType::LB, position, start);
    if (end)
      addBound(BoundType::UB, position, end);
    if (active[i])
      addBound(BoundType::UB, position, start + getExpr(active[i]));
    // Nothing is written behind the end of the buffer.
    if (!type.isDynamicDim(dim.getPosition()))
      addBound(BoundType::UB, position, getExpr(type.getDimSize(dim.getPosition())));
    coordinates[dim.getPosition()] = element;
  }
  return coordinates;
}

Footprint::Coordinates Footprint::getWhole(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Coordinates coordinates;
  for (int64_t d = 0; d < type.getRank(); ++d)
    coordinates.push_back(addVariable(getExpr(int64_t(0)), getExpr(buffer, d)));
  return coordinates;
}

/// The place of an element in row-major order; null if the sizes are not known well enough.
AffineExpr Footprint::linearize(ArrayRef<AffineExpr> coordinates, ArrayRef<int64_t> shape) {
  AffineExpr place = getExpr(int64_t(0));
  std::optional<int64_t> stride = 1;
  for (auto [coordinate, size] : llvm::reverse(llvm::zip_equal(coordinates, shape))) {
    if (size == 1)
      continue;
    if (!stride)
      return {};
    place = place + coordinate * *stride;
    stride = ShapedType::isDynamic(size) ? std::nullopt : std::optional(*stride * size);
  }
  return place;
}

/// The coordinates in `source` of elements with these coordinates in `view`.
Footprint::Coordinates Footprint::getSourceCoordinates(Operation *view, Value source,
                                                       ArrayRef<AffineExpr> coordinates) {
  auto sourceType = cast<MemRefType>(source.getType());
  auto viewType = dyn_cast<MemRefType>(view->getResult(0).getType());
  if (isa<memref::CastOp, memref::MemorySpaceCastOp, memref::AssumeAlignmentOp>(view) && viewType)
    return Coordinates(coordinates);
  if (auto subview = dyn_cast<memref::SubViewOp>(view)) {
    Coordinates result;
    llvm::SmallBitVector dropped = subview.getDroppedDims();
    unsigned next = 0;
    for (auto [d, offset] : llvm::enumerate(subview.getMixedOffsets())) {
      AffineExpr start = getExpr(offset);
      if (dropped.test(d)) {
        result.push_back(start);
        continue;
      }
      AffineExpr coordinate = coordinates[next++];
      std::optional<int64_t> stride = getConstantIntValue(subview.getMixedStrides()[d]);
      if (stride) {
        result.push_back(start + coordinate * *stride);
      } else {
        exact = false;
        result.push_back(addVariable(getExpr(int64_t(0)), {}));
      }
    }
    return result;
  }
  if (auto transpose = dyn_cast<memref::TransposeOp>(view)) {
    Coordinates result(coordinates.size());
    for (auto [i, place] : llvm::enumerate(transpose.getPermutation().getResults()))
      result[cast<AffineDimExpr>(place).getPosition()] = coordinates[i];
    return result;
  }
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(view)) {
    Coordinates result, any;
    for (auto [d, group] : llvm::enumerate(expand.getReassociationIndices())) {
      AffineExpr place =
          linearize(coordinates.slice(group.front(), group.size()), viewType.getShape().slice(group.front(), group.size()));
      if (!place) {
        exact = false;
        place = addVariable(getExpr(int64_t(0)), getExpr(source, d));
      }
      result.push_back(place);
    }
    return result;
  }
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(view)) {
    Coordinates result = getWhole(source);
    for (auto [d, group] : llvm::enumerate(collapse.getReassociationIndices())) {
      AffineExpr place = linearize(ArrayRef(result).slice(group.front(), group.size()),
                                   sourceType.getShape().slice(group.front(), group.size()));
      if (!place) {
        exact = false;
        continue;
      }
      int64_t position = addVariable().first;
      addBound(BoundType::EQ, position, place);
      addBound(BoundType::EQ, position, coordinates[d]);
    }
    return result;
  }
  if (auto cast = dyn_cast<memref::ReinterpretCastOp>(view);
      cast && sourceType.getLayout().isIdentity() && sourceType.hasStaticShape()) {
    AffineExpr place = getExpr(cast.getMixedOffsets().front());
    for (auto [coordinate, stride] : llvm::zip_equal(coordinates, cast.getMixedStrides())) {
      std::optional<int64_t> constant = getConstantIntValue(stride);
      if (!constant)
        return getUnknown(source);
      place = place + coordinate * *constant;
    }
    Coordinates result = getWhole(source);
    int64_t position = addVariable().first;
    addBound(BoundType::EQ, position, place);
    addBound(BoundType::EQ, position, linearize(result, sourceType.getShape()));
    return result;
  }
  return getUnknown(source);
}

/// Looks for an element, and a pair of executions, that both footprints admit.
bool Footprint::areDisjoint(const Footprint &first, const Footprint &second, Executions executions) {
  auto isRepeated = [&](Value value) {
    return executions.loop && executions.loop->isAncestor(value.getParentRegion()->getParentOp());
  };
  if (first.base != second.base || isRepeated(first.base))
    return false;
  // The coordinates, and what does not change from one execution to the other, are variables of both.
  unsigned numVariables = first.elements.size();
  DenseMap<ValueDim, unsigned> known;
  auto assignVariables = [&](const Footprint &footprint, bool own) {
    SmallVector<unsigned> columns(footprint.cstr.getNumVars());
    SmallVector<bool> assigned(columns.size());
    for (auto [d, position] : llvm::enumerate(footprint.elements)) {
      columns[position] = d;
      assigned[position] = true;
    }
    for (auto [position, column] : llvm::enumerate(columns)) {
      if (assigned[position])
        continue;
      std::optional<ValueDim> value =
          position < footprint.positionToValueDim.size() ? footprint.positionToValueDim[position] : std::nullopt;
      if (!value || (own && isRepeated(value->first))) {
        column = numVariables++;
        continue;
      }
      auto [it, isNew] = known.try_emplace(*value, numVariables);
      numVariables += isNew;
      column = it->second;
    }
    return columns;
  };
  SmallVector<unsigned> firstColumns = assignVariables(first, /*own=*/false),
                        secondColumns = assignVariables(second, /*own=*/true);

  presburger::IntegerPolyhedron pairs(presburger::PresburgerSpace::getSetSpace(numVariables));
  auto addConstraints = [&](const Footprint &footprint, ArrayRef<unsigned> columns) {
    const FlatLinearConstraints &from = footprint.cstr;
    auto translate = [&](auto at) {
      SmallVector<int64_t> row(numVariables + 1);
      for (auto [position, column] : llvm::enumerate(columns))
        row[column] += at(position);
      row.back() = at(columns.size());
      return row;
    };
    for (unsigned i = 0, e = from.getNumEqualities(); i < e; ++i)
      pairs.addEquality(translate([&](unsigned j) { return from.atEq64(i, j); }));
    for (unsigned i = 0, e = from.getNumInequalities(); i < e; ++i)
      pairs.addInequality(translate([&](unsigned j) { return from.atIneq64(i, j); }));
  };
  addConstraints(first, firstColumns);
  addConstraints(second, secondColumns);

  if (executions.inductionVar) {
    SmallVector<Value> inductionVars = getInductionVars(executions.loop);
    SmallVector<OpFoldResult> steps = executions.loop.getLoopSteps().value_or(SmallVector<OpFoldResult>());
    for (unsigned i = 0; i <= *executions.inductionVar; ++i) {
      auto one = first.valueDimToPosition.find({inductionVars[i], kIndexValue}),
           other = second.valueDimToPosition.find({inductionVars[i], kIndexValue});
      if (one == first.valueDimToPosition.end() || other == second.valueDimToPosition.end())
        continue;
      SmallVector<int64_t> row(numVariables + 1);
      int64_t sign = executions.firstIsLater ? 1 : -1;
      row[firstColumns[one->second]] = sign;
      row[secondColumns[other->second]] = -sign;
      if (i < *executions.inductionVar) {
        pairs.addEquality(row);
        continue;
      }
      // later - earlier - step >= 0
      std::optional<int64_t> step = i < steps.size() ? getConstantIntValue(steps[i]) : std::optional<int64_t>(1);
      auto stepPosition = step ? first.valueDimToPosition.end()
                               : first.valueDimToPosition.find({cast<Value>(steps[i]), kIndexValue});
      if (stepPosition != first.valueDimToPosition.end())
        row[firstColumns[stepPosition->second]] -= 1;
      else
        row.back() = -step.value_or(1);
      pairs.addInequality(row);
    }
  }
  return pairs.isEmpty() || pairs.isIntegerEmpty();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct Store {
  Operation *op;
  Value target;
  /// The buffers it may reach that outlive the iteration.
  SmallVector<Value> roots;
  SmallVector<LoopLikeOpInterface> loops;
  DenseSet<Value> dependences;
  std::unique_ptr<Footprint> footprint;
};

struct CheckTimeLoops final : recur::impl::CheckTimeLoopsBase<CheckTimeLoops> {
  void runOnOperation() override;

private:
  void checkOp(Operation *op, LoopLikeOpInterface timeLoop);
  void checkMemory(Operation *op, LoopLikeOpInterface timeLoop);
  void checkCall(CallOpInterface call, LoopLikeOpInterface timeLoop);
  void checkMath(Operation *op, LoopLikeOpInterface timeLoop);
  void checkStores(LoopLikeOpInterface timeLoop);
  void checkRepetition(Store &store, LoopLikeOpInterface timeLoop);
  void checkPair(const Store &first, const Store &second, LoopLikeOpInterface timeLoop);

  /// An error at `op`; the note at the loop comes last.
  void report(Operation *op, LoopLikeOpInterface timeLoop, const Twine &message,
              function_ref<void(InFlightDiagnostic &)> addNotes = {}) {
    InFlightDiagnostic diag = op->emitError(message);
    if (addNotes)
      addNotes(diag);
    diag.attachNote(timeLoop.getLoc()) << "this is the time loop";
    reported.insert(op);
    signalPassFailure();
  }
  void reportStore(const Store &store, LoopLikeOpInterface timeLoop, Location other, StringRef otherMessage) {
    report(store.op, timeLoop,
           "an element of a buffer that outlives the iteration may be stored more than once in an iteration",
           [&](InFlightDiagnostic &diag) {
             diag.attachNote(other) << otherMessage;
             diag.attachNote(store.roots.front().getLoc()) << "this is the buffer";
           });
  }

  DenseSet<Operation *> reported;
};

} // namespace

/// The stored memrefs, or failure if nobody can tell them.
static LogicalResult getStoredBuffers(Operation *op, SmallVectorImpl<Value> &buffers) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  // Checks, markers and outputs write, as far as others can tell, so that they stay where they are.
  if (!interface || isa<rt::RTDialect>(op->getDialect()))
    return success();
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (!isa<MemoryEffects::Write>(effect.getEffect()))
      continue;
    Value value = effect.getValue();
    if (!value || !isa<MemRefType>(value.getType()))
      return failure();
    if (!llvm::is_contained(buffers, value))
      buffers.push_back(value);
  }
  return success();
}

void CheckTimeLoops::checkCall(CallOpInterface call, LoopLikeOpInterface timeLoop) {
  auto symbol = dyn_cast_if_present<SymbolRefAttr>(call.getCallableForCallee());
  if (!symbol)
    return report(call, timeLoop, "expected no call in a time loop, but this calls what a pointer points to");
  auto isF64 = [](Type type) { return type.isF64(); };
  StringRef name = symbol.getRootReference();
  if (!llvm::is_contained(kLibmFunctions, name) || !llvm::all_of(call.getArgOperands().getTypes(), isF64) ||
      !llvm::all_of(call->getResultTypes(), isF64))
    report(call, timeLoop, "expected no call in a time loop, but this calls '" + name + "'");
}

/// Everything in `math` that isn't an instruction, or made of some, is a call in the end.
void CheckTimeLoops::checkMath(Operation *op, LoopLikeOpInterface timeLoop) {
  static constexpr llvm::StringLiteral instructions[] = {
      "absf",  "absi",  "ceil",  "copysign", "ctlz",     "ctpop",     "cttz",  "floor", "fma",
      "isinf", "isnan", "rsqrt", "isfinite", "isnormal", "roundeven", "sqrt",  "trunc"};
  StringRef name = op->getName().stripDialect();
  bool isMath = isa<math::MathDialect>(op->getDialect());
  if (isMath && llvm::is_contained(instructions, name))
    return;
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  // Expanded into arithmetic later.
  if (isa<math::ExpOp>(op) && element.isF32())
    return;
  StringRef function = isa<arith::RemFOp>(op) ? "fmod" : isa<math::PowFOp>(op) ? "pow" : name;
  if (element.isF64() && llvm::is_contained(kLibmFunctions, function))
    return;
  std::string text;
  llvm::raw_string_ostream(text) << "expected no call in a time loop, but '" << op->getName() << "' of '" << element
                                 << "' becomes one";
  report(op, timeLoop, text);
}

void CheckTimeLoops::checkMemory(Operation *op, LoopLikeOpInterface timeLoop) {
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(op)) {
    if (interface.hasEffect<MemoryEffects::Allocate>())
      return report(op, timeLoop, "expected no allocation in a time loop");
    if (interface.hasEffect<MemoryEffects::Free>())
      return report(op, timeLoop, "expected no deallocation in a time loop");
  }
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    // What becomes a memcpy; anything else would call a function of MLIR's runtime library.
    auto isContiguous = [](Value buffer) {
      auto type = dyn_cast<MemRefType>(buffer.getType());
      return type && (type.getLayout().isIdentity() ||
                      (type.hasStaticShape() && memref::isStaticShapeAndContiguousRowMajor(type)));
    };
    if (!isContiguous(copy.getSource()) || !isContiguous(copy.getTarget()))
      return report(op, timeLoop, "expected no call in a time loop, but a copy that is not contiguous becomes one");
  }
  SmallVector<Value> buffers;
  if (hasUnknownEffects(op) || failed(getStoredBuffers(op, buffers))) {
    if (!op->hasTrait<OpTrait::IsTerminator>() && !isa<memref::PrefetchOp>(op))
      report(op, timeLoop, "expected to know what this does to memory in a time loop");
    return;
  }
}

void CheckTimeLoops::checkOp(Operation *op, LoopLikeOpInterface timeLoop) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (llvm::any_of(op->getOperandTypes(), isTensor) || llvm::any_of(op->getResultTypes(), isTensor))
    return report(op, timeLoop, "expected buffers in a time loop, but this is an op on tensors");
  if (auto call = dyn_cast<CallOpInterface>(op))
    return checkCall(call, timeLoop);
  if (isa<cf::AssertOp>(op))
    return report(op, timeLoop, "expected no call in a time loop, but 'cf.assert' becomes one");
  if (isa<arith::RemFOp>(op) || isa<math::MathDialect>(op->getDialect()))
    return checkMath(op, timeLoop);
  checkMemory(op, timeLoop);
}

/// True if `iv`, or anything else that changes from one iteration of `loop` to the next, takes part in where is stored.
static bool takesPart(LoopLikeOpInterface loop, Value inductionVar, const Store &store) {
  if (inductionVar && store.dependences.contains(inductionVar))
    return true;
  for (Region &region : loop->getRegions())
    for (BlockArgument arg : region.getArguments())
      if (store.dependences.contains(arg) && !isInductionVar(loop, arg))
        return true;
  return false;
}

/// An element must not be stored by several iterations of the loops between the store and the time loop.
void CheckTimeLoops::checkRepetition(Store &store, LoopLikeOpInterface timeLoop) {
  auto getFootprint = [&]() -> const Footprint & {
    if (!store.footprint)
      store.footprint = std::make_unique<Footprint>(store.op, store.target, timeLoop);
    return *store.footprint;
  };
  for (LoopLikeOpInterface loop : store.loops) {
    SmallVector<Value> inductionVars = getInductionVars(loop);
    for (unsigned i = 0, e = std::max<size_t>(inductionVars.size(), 1); i < e; ++i) {
      bool hasVar = i < inductionVars.size();
      // What depends on data is taken for granted once the loop takes part in it.
      if (takesPart(loop, hasVar ? inductionVars[i] : Value(), store) && !getFootprint().isExact())
        continue;
      if (Footprint::areDisjoint(getFootprint(), getFootprint(),
                                 {loop, hasVar ? std::optional(i) : std::nullopt, /*firstIsLater=*/false}))
        continue;
      return reportStore(store, timeLoop, loop.getLoc(), "by iterations of this loop");
    }
  }
  // An op on whole buffers is a loop nest too.
  auto linalgOp = dyn_cast<linalg::LinalgOp>(store.op);
  if (!linalgOp)
    return;
  for (OpOperand &init : linalgOp.getDpsInitsMutable()) {
    if (init.get() != store.target)
      continue;
    AffineMap map = linalgOp.getMatchingIndexingMap(&init);
    for (auto [d, size] : llvm::enumerate(linalgOp.getStaticLoopRanges()))
      if (size != 1 && !map.isFunctionOfDim(d))
        return reportStore(store, timeLoop, store.op->getLoc(), "by iterations of this op");
  }
}

/// The same place under the same names: the two differ in nothing but the branch they are in.
static bool isSamePlace(const Store &first, const Store &second) {
  return first.op->getName() == second.op->getName() && first.target == second.target &&
         llvm::equal(llvm::make_filter_range(first.op->getOperands(),
                                             [](Value value) { return value.getType().isIndex(); }),
                     llvm::make_filter_range(second.op->getOperands(),
                                             [](Value value) { return value.getType().isIndex(); }));
}

void CheckTimeLoops::checkPair(const Store &first, const Store &second, LoopLikeOpInterface timeLoop) {
  auto areDisjoint = [&](Executions executions) {
    return Footprint::areDisjoint(*first.footprint, *second.footprint, executions);
  };
  SmallVector<LoopLikeOpInterface> common;
  for (auto [one, other] : llvm::zip(first.loops, second.loops))
    if (one == other)
      common.push_back(one);
  // A main loop and what was peeled off it need no more than this.
  if (!common.empty() && areDisjoint({common.front(), std::nullopt}))
    return;
  bool exclusive = insideMutuallyExclusiveRegions(first.op, second.op);
  bool disjoint = exclusive || areDisjoint({});
  // The loops themselves were checked for each of the two.
  if (!(exclusive && isSamePlace(first, second))) {
    for (LoopLikeOpInterface loop : common) {
      unsigned numVars = getInductionVars(loop).size();
      for (unsigned i = 0; disjoint && i < numVars; ++i)
        disjoint = areDisjoint({loop, i, /*firstIsLater=*/false}) && areDisjoint({loop, i, /*firstIsLater=*/true});
      if (disjoint && !numVars)
        disjoint = areDisjoint({loop, std::nullopt});
    }
  }
  if (!disjoint)
    reportStore(second, timeLoop, first.op->getLoc(), "by this store too");
}

void CheckTimeLoops::checkStores(LoopLikeOpInterface timeLoop) {
  DenseMap<Value, bool> outlives;
  SmallVector<Store> stores;
  timeLoop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->hasAttr(kGrowth))
      return WalkResult::skip();
    SmallVector<Value> buffers;
    // A store was reported already, here or for a loop inside, or nobody can tell where it goes.
    if (op == timeLoop || reported.contains(op) || failed(getStoredBuffers(op, buffers)))
      return WalkResult::advance();
    for (Value buffer : buffers) {
      auto type = cast<MemRefType>(buffer.getType());
      if (type.hasStaticShape() && type.getNumElements() == 0)
        continue;
      SmallVector<Value> roots;
      for (Value root : findRoots(buffer)) {
        auto [it, isNew] = outlives.try_emplace(root);
        if (isNew)
          it->second = outlivesIteration(root, timeLoop);
        if (it->second)
          roots.push_back(root);
      }
      if (roots.empty())
        continue;
      SmallVector<Value> place{buffer};
      for (Value operand : op->getOperands())
        if (getElementTypeOrSelf(operand.getType()).isIndex() ||
            (isa<vector::ScatterOp>(op) && operand == cast<vector::ScatterOp>(op).getIndices()))
          place.push_back(operand);
      stores.push_back({op, buffer, roots, getLoopsBetween(op, timeLoop), collectDependences(place), nullptr});
    }
    return WalkResult::advance();
  });
  for (Store &store : stores)
    checkRepetition(store, timeLoop);
  for (auto [i, second] : llvm::enumerate(stores)) {
    for (Store &first : MutableArrayRef(stores).take_front(i)) {
      // One error for each store.
      if (reported.contains(second.op))
        break;
      if (reported.contains(first.op) ||
          llvm::none_of(first.roots, [&](Value root) { return llvm::is_contained(second.roots, root); }))
        continue;
      for (Store *store : {&first, &second})
        if (!store->footprint)
          store->footprint = std::make_unique<Footprint>(store->op, store->target, timeLoop);
      checkPair(first, second, timeLoop);
    }
  }
}

void CheckTimeLoops::runOnOperation() {
  func::FuncOp func = getOperation();
  reported.clear();
  // Inner loops come first, so that an error names the innermost loop for which it is one.
  llvm::SetVector<Operation *> timeLoops;
  func.walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (!isa<LoopLikeOpInterface>(op))
      return;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.getOps<rt::IterationOp>().empty())
          timeLoops.insert(op);
  });
  func.walk([&](rt::IterationOp marker) {
    if (isa<LoopLikeOpInterface>(marker->getParentOp()))
      return;
    marker.emitError("expected 'rt.iteration' to stand in the body of a loop");
    signalPassFailure();
  });
  auto expected = func->getAttrOfType<IntegerAttr>(kNumTimeLoops);
  if (expected ? expected.getInt() != int64_t(timeLoops.size()) : !timeLoops.empty()) {
    InFlightDiagnostic diag = func.emitError();
    if (expected)
      diag << "expected " << expected.getInt() << " time loops, as '" << kNumTimeLoops << "' says, but found "
           << timeLoops.size();
    else
      diag << "expected '" << kNumTimeLoops << "' to tell the number of time loops, which is " << timeLoops.size();
    for (Operation *loop : timeLoops)
      diag.attachNote(loop->getLoc()) << "this is a time loop";
    signalPassFailure();
  }

  for (Operation *op : timeLoops) {
    auto timeLoop = cast<LoopLikeOpInterface>(op);
    op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
      if (inner == op)
        return WalkResult::advance();
      // A loop inside was here before; a branch that grows a buffer may do what it needs.
      if (inner->hasAttr(kGrowth) || timeLoops.contains(inner))
        return WalkResult::skip();
      checkOp(inner, timeLoop);
      return WalkResult::advance();
    });
    checkStores(timeLoop);
  }
}
