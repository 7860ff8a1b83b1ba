// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ExpandSequences.cpp - Sequences as TensorIterators -----------------===//
//
// A sequence becomes one TensorIterator per direction, whose body is a cell. If a sequence may be shorter than the
// axis, the body also compares the time step with the length and selects between the new and the old state. A backward
// loop starts at the last time step, so it keeps its initial states until it reaches the end of the sequence.
//
//===----------------------------------------------------------------------===//

#include "Conform.h"
#include "Forms.h"
#include "WeightParts.h"

#include "Recur/Dialect/OV/IR/CellSizes.h"
#include "Recur/Dialect/OV/IR/OVShapes.h"
#include "Recur/Dialect/OV/IR/RankedValues.h"
#include "Recur/Dialect/OV/Transforms/Passes.h"
#include "Recur/Dialect/OV/Transforms/Remarks.h"
#include "Recur/Dialect/OV/Transforms/SequenceLengths.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

namespace recur::ov {
#define GEN_PASS_DEF_EXPANDSEQUENCES
#include "Recur/Dialect/OV/Transforms/Passes.h.inc"
} // namespace recur::ov

using namespace mlir;
using namespace recur;
using namespace recur::ov;

//===----------------------------------------------------------------------===//
// Lengths that cover the whole axis
//===----------------------------------------------------------------------===//

bool recur::ov::hasWholeLengths(Value x, Value lengths) {
  ValueDims dims;
  DimSource::MaybeDim axis = dims.get(x, 1);
  auto isAtLeastAxis = [&](DimSource::MaybeDim length) {
    if (!length || !axis)
      return false;
    std::optional<int64_t> number = dims.exprs.getConstant(*length), all = dims.exprs.getConstant(*axis);
    return *length == *axis || (number && all && *number >= *all);
  };
  if (auto constants = getConstantIntegers(lengths); constants && typeOf(lengths).hasStaticShape())
    return llvm::all_of(*constants, [&](int64_t length) { return isAtLeastAxis(dims.constant(length)); });
  // Other lengths are tracked only if all have one value: one element, which may be broadcast.
  while (auto convert = lengths.getDefiningOp<ConvertOp>())
    lengths = convert.getInput();
  if (auto broadcast = lengths.getDefiningOp<BroadcastOp>())
    lengths = broadcast.getData();
  while (lengths.getDefiningOp() && keepsElements(lengths.getDefiningOp()))
    lengths = lengths.getDefiningOp()->getOperand(0);
  RankedTensorType type = typeOf(lengths);
  if (!type.hasStaticShape() || type.getNumElements() != 1)
    return false;
  return isAtLeastAxis(dims.getElement(lengths, 0));
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

/// The initial states of a sequence, the hidden state first.
static SmallVector<Value> getStates(LSTMSequenceOp op) {
  return {op.getInitialHiddenState(), op.getInitialCellState()};
}
static SmallVector<Value> getStates(GRUSequenceOp op) { return {op.getInitialHiddenState()}; }
static SmallVector<Value> getStates(RNNSequenceOp op) { return {op.getInitialHiddenState()}; }

namespace {
/// This is what is known of a sequence before any sequence of the function has become a loop. The dims of a loop's
/// results are less well known.
struct KnownDims {
  /// No step has to read the lengths, since all cover the whole time axis.
  bool areLengthsWhole;
  /// There provably is one length for each sequence of X, and one row of each initial state.
  bool isOneLengthForEach, isOneStateForEach;
};
} // namespace

/// Returns what is known of `op`. If the call may bring another number of lengths than the static number of sequences,
/// the lengths are read, which compares the two.
template <typename SequenceT>
static KnownDims describe(SequenceT op) {
  Value x = op.getX(), lengths = op.getSequenceLengths();
  ValueDims dims;
  DimSource::MaybeDim batch = dims.get(x, 0);
  auto isOneForEach = [&](Value value) {
    DimSource::MaybeDim given = dims.get(value, 0);
    return given && batch && *given == *batch;
  };
  SmallVector<Value> states = getStates(op);
  bool isOneLengthForEach = !typeOf(lengths).isDynamicDim(0) || isOneForEach(lengths);
  bool isDynamic =
      typeOf(x).isDynamicDim(0) && llvm::all_of(states, [](Value state) { return typeOf(state).isDynamicDim(0); });
  return {hasWholeLengths(x, lengths) && (isOneLengthForEach || isDynamic), isOneLengthForEach,
          llvm::all_of(states, isOneForEach)};
}

namespace {
/// The activations of one direction, with their parameters.
struct Activations {
  template <typename SequenceT>
  Activations(SequenceT op, int64_t direction)
      : functions(select<SequenceT>(op.getActivations(), direction)),
        alpha(select<SequenceT>(op.getActivationsAlpha(), direction)),
        beta(select<SequenceT>(op.getActivationsBeta(), direction)) {}
  ArrayAttr functions, alpha, beta;

private:
  /// The entries for one direction of a list, which may have those of both, or the same for all directions.
  template <typename SequenceT>
  static ArrayAttr select(ArrayAttr list, int64_t direction) {
    constexpr size_t count = std::is_same_v<SequenceT, LSTMSequenceOp>  ? 3
                             : std::is_same_v<SequenceT, GRUSequenceOp> ? 2
                                                                        : 1;
    return list.size() <= count ? list
                                : ArrayAttr::get(list.getContext(), list.getValue().slice(direction * count, count));
  }
};
} // namespace

/// Creates the cell for one time step of `op`. `x`, `states`, the weights and `a` are those of one direction. The
/// results are the next states.
static ValueRange createCell(ImplicitLocOpBuilder &b, LSTMSequenceOp op, Activations a, Value x, ValueRange states,
                             Value w, Value r, Value bias) {
  auto cell = LSTMCellOp::create(b, x, states[0], states[1], w, r, bias, op.getHiddenSizeAttr(), a.functions, a.alpha,
                                 a.beta, op.getClipAttr());
  return cell->getResults();
}
static ValueRange createCell(ImplicitLocOpBuilder &b, GRUSequenceOp op, Activations a, Value x, ValueRange states,
                             Value w, Value r, Value bias) {
  auto cell = GRUCellOp::create(b, x, states[0], w, r, bias, op.getHiddenSizeAttr(), a.functions, a.alpha, a.beta,
                                op.getClipAttr(), op.getLinearBeforeResetAttr());
  return cell->getResults();
}
static ValueRange createCell(ImplicitLocOpBuilder &b, RNNSequenceOp op, Activations a, Value x, ValueRange states,
                             Value w, Value r, Value bias) {
  auto cell = RNNCellOp::create(b, x, states[0], w, r, bias, op.getHiddenSizeAttr(), a.functions, a.alpha, a.beta,
                                op.getClipAttr());
  return cell->getResults();
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

namespace {
/// Replaces one sequence by TensorIterators.
template <typename SequenceT>
class Expander {
public:
  Expander(SequenceT op, KnownDims known, RewriterBase &rewriter)
      : b(op.getLoc(), rewriter), op(op), known(known), directions(op.getNumDirections()) {}
  void run(RewriterBase &rewriter);

private:
  /// The results of one direction: the final states [N, H], and its part of Y, [N, 1, T, H].
  struct Direction {
    SmallVector<Value> finalStates;
    Value parts;
  };
  /// Builds the loop of direction `number` (0 or 1).
  Direction expandDirection(int64_t number);
  /// The state [N, H] of direction `number`, out of states [N, D, H].
  Value getStateOf(Value states, int64_t number);
  /// The weights of direction `number`, without the first dim. `shape` is the known shape of the weights of all
  /// directions.
  Value getWeightsOf(Value weights, int64_t number, ArrayRef<int64_t> shape);
  /// Concatenates the results of all directions along dim 1, and casts the result to `type`.
  Value join(ArrayRef<Value> ofDirections, Type type);
  /// A constant i64 tensor of rank 1, and one of rank 0.
  Value integers(ArrayRef<int64_t> values) {
    auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, b.getI64Type());
    return ConstantOp::create(b, type, DenseElementsAttr::get(type, values));
  }
  Value number(int64_t value) {
    auto type = RankedTensorType::get({}, b.getI64Type());
    return ConstantOp::create(b, type, DenseElementsAttr::get(type, value));
  }
  Value dropDim(Value value, int64_t axis) { return b.createOrFold<SqueezeOp>(value, integers(axis)); }

  ImplicitLocOpBuilder b;
  SequenceT op;
  KnownDims known;
  int64_t directions;
  /// N, T and H, as far as all operands together make them static.
  int64_t batch, length, hidden;
  /// The input X, with these dims.
  Value x;
};
} // namespace

template <typename SequenceT>
Value Expander<SequenceT>::getStateOf(Value states, int64_t number) {
  states = conform(b, states, {batch, directions, hidden});
  if (!known.isOneStateForEach)
    states = conform(b, states, 0, x, 0);
  // No step reads lengths that cover the whole axis, but there must be one for each sequence all the same.
  if (known.areLengthsWhole && !known.isOneLengthForEach)
    states = conform(b, states, 0, op.getSequenceLengths(), 0);
  if (directions == 1)
    return dropDim(states, 1);
  SmallVector<OpFoldResult> offsets(3, b.getIndexAttr(0)), strides(3, b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), states);
  offsets[1] = b.getIndexAttr(number);
  sizes[1] = b.getIndexAttr(1);
  SmallVector<int64_t> shape(typeOf(states).getShape());
  shape[1] = 1;
  Value own = createSlice(b, b.getLoc(), typeOf(states).clone(shape), states, offsets, sizes, strides);
  return dropDim(own, 1);
}

template <typename SequenceT>
Value Expander<SequenceT>::getWeightsOf(Value weights, int64_t number, ArrayRef<int64_t> shape) {
  return dropDim(extractPart(b, b.getLoc(), conform(b, weights, shape), 0, number, 1), 0);
}

template <typename SequenceT>
typename Expander<SequenceT>::Direction Expander<SequenceT>::expandDirection(int64_t number) {
  bool isBackward = number == 1 || op.getDirection() == SequenceDirection::Reverse;
  Type element = typeOf(x).getElementType();
  CellSizes sizes = getCellSizes(op);
  Value allW = conform(b, op.getW(), {directions, sizes.rows, typeOf(x).getDimSize(2)});
  Value w = getWeightsOf(conform(b, allW, 2, x, 2), number, {});
  Value r = getWeightsOf(op.getR(), number, {directions, sizes.rows, hidden});
  Value bias = getWeightsOf(op.getB(), number, {directions, sizes.bias});
  SmallVector<Value> inits;
  for (Value states : getStates(op))
    inits.push_back(getStateOf(states, number));
  unsigned numStates = inits.size();

  // The length of each sequence is broadcast to all elements of its state. So the comparison with the time step, and
  // the selects, need no broadcast in the loop.
  Value lengths, zeros, step;
  if (!known.areLengthsWhole) {
    lengths = conform(b, op.getSequenceLengths(), batch);
    lengths = conform(b, lengths, 0, x, 0);
    if (!typeOf(lengths).getElementType().isInteger(64))
      lengths = ConvertOp::create(b, typeOf(lengths).clone(b.getI64Type()), lengths);
    Value shape = b.createOrFold<ShapeOfOp>(inits.front(), b.getI64Type());
    lengths = UnsqueezeOp::create(b, lengths, integers(1));
    lengths = BroadcastOp::create(b, typeOf(inits.front()).clone(b.getI64Type()), lengths, shape, Value(),
                                  BroadcastMode::Numpy);
    auto scalar = RankedTensorType::get({}, element);
    Value zero = ConstantOp::create(b, scalar, DenseElementsAttr::get(scalar, b.getZeroAttr(element)));
    zeros = BroadcastOp::create(b, typeOf(inits.front()), zero, shape, Value(), BroadcastMode::Numpy);
    Value first = this->number(0);
    step = this->number(isBackward ? -1 : 1);
    if (isBackward) {
      Value dims = b.createOrFold<ShapeOfOp>(x, b.getI64Type());
      Value size = b.createOrFold<GatherOp>(dims, this->number(1), this->number(0));
      first = AddOp::create(b, size, step);
    }
    inits.push_back(first);
  }

  auto slices = SliceInputAttr::get(b.getContext(), /*axis=*/1, isBackward ? -1 : 0, isBackward ? 0 : -1,
                                    isBackward ? -1 : 1, /*partSize=*/1);
  auto concats = ConcatOutputAttr::get(b.getContext(), /*axis=*/2, /*reverse=*/isBackward);
  SmallVector<Type> carried = llvm::to_vector(ValueRange(inits).getTypes());
  Type whole = RankedTensorType::get({typeOf(inits.front()).getDimSize(0), 1, length, hidden}, element);
  auto loop = TensorIteratorOp::create(b, carried, TypeRange(), whole, x, inits, /*empty_dims=*/ValueRange(),
                                       b.getArrayAttr(slices), b.getArrayAttr(concats), /*may_be_empty=*/length <= 0);
  OpBuilder::InsertionGuard guard(b);
  Block &body = loop.getBody().emplaceBlock();
  SmallVector<int64_t> part(typeOf(x).getShape());
  part[1] = 1;
  Value place = body.addArgument(typeOf(x).clone(part), b.getLoc());
  for (Type type : carried)
    body.addArgument(type, b.getLoc());
  b.setInsertionPointToStart(&body);
  ValueRange states = loop.getCarriedArgs();
  SmallVector<Value> next(
      createCell(b, op, Activations(op, number), dropDim(place, 1), states.take_front(numStates), w, r, bias));
  for (auto [value, type] : llvm::zip_equal(next, TypeRange(carried).take_front(numStates)))
    if (value.getType() != type)
      value = tensor::CastOp::create(b, type, value);
  Value result = next.front();
  if (!known.areLengthsWhole) {
    Value at = states.back();
    Value counts = LessOp::create(b, at, lengths);
    result = SelectOp::create(b, counts, result, zeros, AutoBroadcast::None);
    for (auto [value, state] : llvm::zip_equal(next, states.take_front(numStates)))
      value = SelectOp::create(b, counts, value, state, AutoBroadcast::None);
    next.push_back(AddOp::create(b, at, step));
  }
  Value piece = UnsqueezeOp::create(b, result, integers({1, 2}));
  YieldOp::create(b, Value(), next, ValueRange(), piece);
  return {SmallVector<Value>(loop.getCarried().take_front(numStates)), loop.getConcatenated().front()};
}

template <typename SequenceT>
Value Expander<SequenceT>::join(ArrayRef<Value> ofDirections, Type type) {
  Value joined = directions == 1 ? ofDirections.front() : ConcatOp::create(b, ofDirections, 1).getResult();
  return joined.getType() == type ? joined : tensor::CastOp::create(b, type, joined).getResult();
}

template <typename SequenceT>
void Expander<SequenceT>::run(RewriterBase &rewriter) {
  SmallVector<Type> inferred;
  LogicalResult isInferred =
      SequenceT::inferReturnTypes(op.getContext(), op.getLoc(), op->getOperands(), op->getAttrDictionary(),
                                  op->getPropertiesStorage(), op->getRegions(), inferred);
  (void)isInferred; // Inference cannot fail, because the verifier has run it before.
  ArrayRef<int64_t> dims = cast<RankedTensorType>(inferred.front()).getShape();
  batch = dims[0];
  length = dims[2];
  hidden = dims[3];
  x = conform(b, op.getX(), {batch, length, typeOf(op.getW()).getDimSize(2)});
  SmallVector<Value> parts;
  SmallVector<SmallVector<Value>> states(op->getNumResults() - 1);
  for (int64_t number = 0; number < directions; ++number) {
    Direction direction = expandDirection(number);
    parts.push_back(direction.parts);
    for (auto [all, own] : llvm::zip_equal(states, direction.finalStates))
      all.push_back(UnsqueezeOp::create(b, own, integers(1)));
  }
  SmallVector<Value> results{join(parts, op.getY().getType())};
  for (auto [all, result] : llvm::zip_equal(states, op->getResults().drop_front()))
    results.push_back(join(all, result.getType()));
  rewriter.replaceOp(op, results);
}

namespace {
struct ExpandSequences final : recur::ov::impl::ExpandSequencesBase<ExpandSequences> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // The operands of one sequence may have dims of another. So all are looked at before anything changes.
    SmallVector<std::pair<Operation *, KnownDims>> sequences;
    getOperation().walk([&](Operation *op) {
      TypeSwitch<Operation *>(op).Case<LSTMSequenceOp, GRUSequenceOp, RNNSequenceOp>(
          [&](auto sequence) { sequences.emplace_back(op, describe(sequence)); });
    });
    for (auto [op, known] : sequences) {
      if (!known.areLengthsWhole)
        remarkMissed(op->getLoc(), "ov-expand-sequences", "masked",
                     "expected a length for each sequence that is known to be that of the time axis, so that no step "
                     "compares it");
      rewriter.setInsertionPoint(op);
      TypeSwitch<Operation *>(op).Case<LSTMSequenceOp, GRUSequenceOp, RNNSequenceOp>(
          [&, known = known](auto sequence) { Expander(sequence, known, rewriter).run(rewriter); });
    }
  }
};
} // namespace
