// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- IterationSpace.cpp - Number and parts of iterations ----------------===//
//
// Emits index arithmetic and checks for slices and trip counts. Everything that is static is computed here, so that
// loops over static shapes have constant bounds and no checks.
//
//===----------------------------------------------------------------------===//

#include "IterationSpace.h"

#include "Recur/Dialect/OV/IR/OVShapes.h"
#include "Recur/Dialect/OV/IR/SliceRange.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace recur;

Value recur::extractElement(OpBuilder &builder, Location loc, Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  SmallVector<Value> zeros;
  if (rank)
    zeros.assign(rank, arith::ConstantIndexOp::create(builder, loc, 0));
  return tensor::ExtractOp::create(builder, loc, tensor, zeros);
}

namespace {
/// Upstream's builder of index arithmetic, with constants, comparisons and checks.
struct IndexBuilder : ArithBuilder {
  IndexBuilder(OpBuilder &b, Location loc) : ArithBuilder(b, loc), b(b), loc(loc) {}

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value value(OpFoldResult ofr) { return getValueOrCreateConstantIndexOp(b, loc, ofr); }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value asI64(Value x) { return arith::IndexCastOp::create(b, loc, b.getI64Type(), x); }
  /// Creates an rt.check of `condition`. Returns `guarded`, which depends on the check.
  Value check(Value condition, rt::FaultKind kind, StringRef message, ValueRange details, Value guarded) {
    SmallVector<Value> numbers;
    for (Value detail : details)
      numbers.push_back(asI64(detail));
    return rt::CheckOp::create(b, loc, condition, kind, message, numbers, guarded).getResult(0);
  }

  OpBuilder &b;
  Location loc;
};

/// An index in IR, with the operators that `SliceRange` needs. A comparison gives an i1, `&` conjoins them.
struct IndexValue {
  IndexBuilder *ix;
  Value value;

  IndexValue make(Value result) const { return {ix, result}; }
  IndexValue compare(arith::CmpIPredicate predicate, IndexValue other) const {
    return make(ix->compare(predicate, value, other.value));
  }
  IndexValue operator+(IndexValue other) const { return make(ix->add(value, other.value)); }
  IndexValue operator-(IndexValue other) const { return make(ix->sub(value, other.value)); }
  IndexValue operator/(IndexValue other) const {
    return make(arith::DivSIOp::create(ix->b, ix->loc, value, other.value));
  }
  IndexValue operator%(IndexValue other) const {
    return make(arith::RemSIOp::create(ix->b, ix->loc, value, other.value));
  }
  IndexValue operator<(IndexValue other) const { return compare(arith::CmpIPredicate::slt, other); }
  IndexValue operator>=(IndexValue other) const { return compare(arith::CmpIPredicate::sge, other); }
  IndexValue operator==(IndexValue other) const { return compare(arith::CmpIPredicate::eq, other); }
  IndexValue operator&(IndexValue other) const { return make(ix->_and(value, other.value)); }
};
} // namespace

/// Emits the slices of an axis whose dim is only known at run time, with the check that there is a whole number of
/// them. An axis of no elements has no slices if `mayBeEmpty`; else it is a fault.
static void buildDynamicSlice(IndexBuilder &ix, SlicedAxis &sliced, Value dim, bool mayBeEmpty) {
  auto range = ov::SliceRange<IndexValue>::get(sliced.slice, IndexValue{&ix, dim},
                                               [&](int64_t number) { return IndexValue{&ix, ix.constant(number)}; });
  Value isValid = range.isWhole.value, count = range.count.value;
  if (mayBeEmpty) {
    Value zero = ix.constant(0), isEmpty = ix.compare(arith::CmpIPredicate::eq, dim, zero);
    isValid = arith::OrIOp::create(ix.b, ix.loc, isValid, isEmpty);
    count = arith::SelectOp::create(ix.b, ix.loc, isEmpty, zero, count);
  }
  sliced.count = ix.check(isValid, rt::FaultKind::Shape,
                          "an axis of {0} elements does not hold a whole number of parts of {1} elements",
                          {dim, ix.constant(sliced.slice.getPartSize())}, count);
  sliced.firstOffset = range.firstOffset.value;
}

/// True if a loop runs zero times over an axis of no elements.
static bool mayBeEmpty(ov::TensorIteratorOp op) { return op.getMayBeEmpty(); }
static bool mayBeEmpty(ov::LoopOp) { return true; }

/// Computes the slices of a loop. The verifier has checked those with a static axis.
template <typename LoopT>
static SmallVector<SlicedAxis> buildSlices(IndexBuilder &ix, LoopT op) {
  SmallVector<SlicedAxis> slices;
  for (auto [i, input] : llvm::enumerate(op.getSliced())) {
    SlicedAxis &sliced = slices.emplace_back(SlicedAxis{input, op.getSliceAt(i), {}, {}});
    int64_t dim = cast<RankedTensorType>(input.getType()).getDimSize(sliced.slice.getAxis());
    if (ShapedType::isDynamic(dim)) {
      Value size = ix.value(tensor::getMixedSize(ix.b, ix.loc, input, sliced.slice.getAxis()));
      buildDynamicSlice(ix, sliced, size, mayBeEmpty(op));
      continue;
    }
    // An axis without slices is an empty one of a loop that may be empty, as the verifier has checked.
    auto range = sliced.slice.getRange(dim).value_or(ov::SliceRange<int64_t>{});
    sliced.count = ix.b.getIndexAttr(range.count);
    sliced.firstOffset = ix.b.getIndexAttr(range.firstOffset);
  }
  return slices;
}

Value SlicedAxis::extractSlice(OpBuilder &builder, Location loc, Value iteration, RankedTensorType type) const {
  IndexBuilder ix(builder, loc);
  int64_t stride = slice.getStride(), axis = slice.getAxis();
  Value step =
      stride == 1 ? iteration : arith::MulIOp::create(builder, loc, iteration, ix.constant(stride)).getResult();
  OpFoldResult offset =
      getConstantIntValue(firstOffset) == 0 ? OpFoldResult(step) : OpFoldResult(ix.add(step, ix.value(firstOffset)));
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
      strides(type.getRank(), builder.getIndexAttr(1)), sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    sizes.push_back(d == axis ? OpFoldResult(builder.getIndexAttr(slice.getPartSize()))
                              : tensor::getMixedSize(builder, loc, input, d));
  offsets[axis] = offset;
  // A statically empty axis has no slices, and the loop has no iteration that would read one.
  return ov::createSlice(builder, loc, type, input, offsets, sizes, strides);
}

IterationSpace recur::buildIterationSpace(OpBuilder &builder, ov::TensorIteratorOp op) {
  IndexBuilder ix(builder, op.getLoc());
  IterationSpace space;
  space.slices = buildSlices(ix, op);
  space.count = space.slices.front().count;
  for (const SlicedAxis &slice : ArrayRef(space.slices).drop_front()) {
    // The verifier has compared static counts.
    if (isEqualConstantIntOrValue(space.count, slice.count))
      continue;
    Value left = ix.value(space.count), right = ix.value(slice.count);
    Value same = ix.compare(arith::CmpIPredicate::eq, left, right);
    space.count = ix.check(same, rt::FaultKind::Shape, "sliced inputs have {0} and {1} parts", {left, right}, left);
  }
  return space;
}

IterationSpace recur::buildIterationSpace(OpBuilder &builder, ov::LoopOp op) {
  using Predicate = arith::CmpIPredicate;
  Location loc = op.getLoc();
  IndexBuilder ix(builder, loc);
  IterationSpace space;
  space.slices = buildSlices(ix, op);
  bool always = op.isConditionAlwaysTrue();
  std::optional<int64_t> constantTrip = op.getValidTripCount();

  // The number of parts of the shortest sliced input, if all are static.
  std::optional<int64_t> staticSlices;
  for (const SlicedAxis &slice : space.slices) {
    std::optional<int64_t> count = getConstantIntValue(slice.count);
    if (!count) {
      staticSlices.reset();
      break;
    }
    staticSlices = std::min(*count, staticSlices.value_or(*count));
  }

  if (!always)
    space.condition = extractElement(builder, loc, op.getCondition());

  // A static count that is provably within the slices needs no code. A trip count below -1 is a fault, also of a loop
  // whose condition is false.
  if (std::optional<int64_t> count = op.getStaticCount();
      always && constantTrip && count && (space.slices.empty() || (staticSlices && *staticSlices >= *count))) {
    space.count = builder.getIndexAttr(*count);
    return space;
  }

  Value trip = extractElement(builder, loc, op.getTripCount());
  trip = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), trip);
  Value noLimit = ix.constant(-1), zero = ix.constant(0);
  if (!constantTrip)
    trip = ix.check(ix.compare(Predicate::sge, trip, noLimit), rt::FaultKind::TripCount,
                    "expected a trip count of at least -1, but got {0}", trip, trip);
  Value unlimited = ix.compare(Predicate::eq, trip, noLimit);

  if (!always) {
    // The condition may end the loop before the bound, so slices are checked in each iteration unless a static trip
    // count fits them.
    Value bound =
        arith::SelectOp::create(builder, loc, unlimited, ix.constant(std::numeric_limits<int64_t>::max()), trip);
    space.count = bound;
    space.checkSlices = !(constantTrip && *constantTrip >= 0 && staticSlices && *constantTrip <= *staticSlices);
    return space;
  }

  Value run = extractElement(builder, loc, op.getCondition());
  if (space.slices.empty()) {
    // Without slices, a trip count or a changing condition, nothing ends the loop unless it never starts. That is a
    // fault.
    Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
    Value hasLimit = arith::XOrIOp::create(builder, loc, unlimited, yes);
    Value neverRuns = arith::XOrIOp::create(builder, loc, run, yes);
    Value ends = arith::OrIOp::create(builder, loc, hasLimit, neverRuns);
    Value count = arith::SelectOp::create(builder, loc, run, trip, zero);
    space.count = ix.check(ends, rt::FaultKind::TripCount,
                           "a loop without a trip count, slices or a condition never ends", {}, count);
    return space;
  }
  // Without a trip count, the number of parts is the limit. A greater trip count is a fault.
  Value parts = ix.value(space.slices.front().count);
  for (const SlicedAxis &slice : ArrayRef(space.slices).drop_front())
    parts = arith::MinSIOp::create(builder, loc, parts, ix.value(slice.count));
  Value wanted = arith::SelectOp::create(builder, loc, unlimited, parts, trip);
  Value count = arith::SelectOp::create(builder, loc, run, wanted, zero);
  space.count = ix.check(ix.compare(Predicate::sle, count, parts), rt::FaultKind::TripCount,
                         "{0} iterations need as many parts, but a sliced input has {1}", {count, parts}, count);
  return space;
}
