// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Indexing.cpp - Elements and slices at computed indices -------------===//
//
// Reads and writes of elements and slices at computed indices, in loops that carry the result tensor. Two helpers avoid
// slices that bufferization would handle wrongly: `isAmbiguous` and `replacesCarried`.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"
#include "Reshaping.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace recur::ov {

using P = arith::CmpIPredicate;

// Index arithmetic folds, so code for static sizes disappears at once.
Value addIndex(LoweringBuilder &b, Value x, Value y) { return b.createOrFold<arith::AddIOp>(x, y); }
Value subIndex(LoweringBuilder &b, Value x, Value y) { return b.createOrFold<arith::SubIOp>(x, y); }
Value minIndex(LoweringBuilder &b, Value x, Value y) { return b.createOrFold<arith::MinSIOp>(x, y); }
Value maxIndex(LoweringBuilder &b, Value x, Value y) { return b.createOrFold<arith::MaxSIOp>(x, y); }

Value entryOf(LoweringBuilder &b, Value vector, int64_t known, int64_t i) {
  return ShapedType::isDynamic(known) ? readIndex(b, vector, {indexOf(b, i)}) : indexOf(b, known);
}

Value readIndex(LoweringBuilder &b, Value tensor, ValueRange position) {
  return toIndex(b, b.createOrFold<tensor::ExtractOp>(tensor, position));
}

/// Checks that `index` is in [0, size), after adding `size` to a negative one if `fromEnd`. The index and the size are
/// the details of the message.
static Value checkRange(LoweringBuilder &b, Value index, Value size, bool fromEnd, StringRef message) {
  Value at = index;
  if (fromEnd) {
    Value counted = addIndex(b, index, size);
    at = selectValue(b, compare(b, P::slt, index, indexOf(b, 0)), counted, index);
  }
  // One unsigned comparison also rejects negative numbers.
  Value isInside = compare(b, P::ult, at, size);
  if (matchPattern(isInside, m_One()))
    return at;
  return check(b, isInside, rt::FaultKind::Index, message, {index, size}, at).front();
}

Value checkIndex(LoweringBuilder &b, Value index, Value size, bool fromEnd) {
  return checkRange(b, index, size, fromEnd, "index {0} is out of range for {1} elements");
}

Value checkAxis(LoweringBuilder &b, Value axis, int64_t rank) {
  return checkRange(b, axis, indexOf(b, rank), /*fromEnd=*/true, "axis {0} is out of range for rank {1}");
}

void appendCoordinates(LoweringBuilder &b, Value indices, ValueRange position, ArrayRef<OpFoldResult> sizes,
                       SmallVectorImpl<Value> &place) {
  for (auto [i, size] : llvm::enumerate(sizes)) {
    SmallVector<Value> entry(position);
    entry.push_back(indexOf(b, i));
    place.push_back(checkIndex(b, readIndex(b, indices, entry), toValue(b, size)));
  }
}

/// True if a slice that drops dims could become a memref.subview with the wrong dims dropped. MLIR finds the dropped
/// dims by comparing strides. If strides are dynamic, it takes the first dims of size 1. That is wrong if a kept dim of
/// size 1 comes first, then a longer dim, and then a dropped dim.
static bool isAmbiguous(ArrayRef<OpFoldResult> sizes, ArrayRef<int64_t> dropped) {
  bool staysOne = false, isLong = false;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (llvm::is_contained(dropped, static_cast<int64_t>(i))) {
      if (staysOne && isLong)
        return true;
    } else if (getConstantIntValue(size) == 1) {
      staysOne = true;
    } else {
      isLong |= staysOne;
    }
  }
  return false;
}

/// The static shape of `sizes` without the dims `dropped`.
static SmallVector<int64_t> shapeWithout(ArrayRef<OpFoldResult> sizes, ArrayRef<int64_t> dropped) {
  SmallVector<OpFoldResult> kept;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!llvm::is_contained(dropped, static_cast<int64_t>(i)))
      kept.push_back(size);
  return staticShapeOf(kept);
}

Value extractDropping(LoweringBuilder &b, Value tensor, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                      ArrayRef<int64_t> dropped) {
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  // In the ambiguous case, the slice keeps all dims and a reshape drops them.
  bool reduces = !isAmbiguous(sizes, dropped);
  auto type = RankedTensorType::get(shapeWithout(sizes, reduces ? dropped : ArrayRef<int64_t>()), elementOf(tensor));
  Value slice = sliceOf(b, type, tensor, offsets, sizes, strides);
  return reduces ? slice : dropUnitDims(b, slice, dropped);
}

/// True if `tensor` is carried by an scf.for, and a slice of `sizes` statically covers all of it.
static bool replacesCarried(Value tensor, ArrayRef<OpFoldResult> sizes) {
  auto carried = dyn_cast<BlockArgument>(tensor);
  if (!carried || !isa<scf::ForOp>(carried.getOwner()->getParentOp()))
    return false;
  ArrayRef<int64_t> shape = shapeOf(tensor);
  return !ShapedType::isDynamicShape(shape) && ArrayRef<int64_t>(staticShapeOf(sizes)) == shape;
}

/// Replaces all of a carried tensor by `slice`. An insert_slice would fold to the slice itself, and the loop could not
/// carry its result in the same buffer. So this copies explicitly.
static Value replaceAll(LoweringBuilder &b, Value slice, Value tensor) {
  Type type = tensor.getType();
  return bufferization::MaterializeInDestinationOp::create(b, type, castTo(b, slice, type), tensor).getResult();
}

Value insertDropping(LoweringBuilder &b, Value slice, Value tensor, ArrayRef<OpFoldResult> offsets,
                     ArrayRef<OpFoldResult> sizes, ArrayRef<int64_t> dropped) {
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  if (replacesCarried(tensor, sizes))
    return replaceAll(b, insertUnitDims(b, slice, dropped), tensor);
  if (isAmbiguous(sizes, dropped))
    slice = insertUnitDims(b, slice, dropped);
  return insertInto(b, slice, tensor, offsets, sizes, strides);
}

namespace {
/// The operands of a slice at leading indices: one element along each of these dims, and all of the remaining dims.
struct LeadingSlice {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  RankedTensorType type;

  LeadingSlice(LoweringBuilder &b, Value tensor, ValueRange place)
      : offsets(getAsOpFoldResult(place)), sizes(getDims(b, tensor)), strides(sizes.size(), b.getIndexAttr(1)) {
    offsets.resize(sizes.size(), b.getIndexAttr(0));
    for (size_t i = 0; i != place.size(); ++i)
      sizes[i] = b.getIndexAttr(1);
    type = RankedTensorType::get(staticShapeOf(ArrayRef(sizes).drop_front(place.size())), elementOf(tensor));
  }
};
} // namespace

Value readAt(LoweringBuilder &b, Value data, ValueRange place) {
  // With an index for every dim, this reads a scalar.
  if (rankOf(data) == static_cast<int64_t>(place.size()))
    return tensor::ExtractOp::create(b, data, place);
  LeadingSlice slice(b, data, place);
  return sliceOf(b, slice.type, data, slice.offsets, slice.sizes, slice.strides);
}

Value writeAt(LoweringBuilder &b, Value value, Value tensor, ValueRange place) {
  // A scalar is a single element.
  if (!isa<RankedTensorType>(value.getType()))
    return tensor::InsertOp::create(b, value, tensor, place);
  LeadingSlice slice(b, tensor, place);
  if (replacesCarried(tensor, slice.sizes))
    return replaceAll(b, insertUnitDims(b, value, llvm::to_vector(llvm::seq<int64_t>(0, place.size()))), tensor);
  return insertInto(b, value, tensor, slice.offsets, slice.sizes, slice.strides);
}

Value gatherAt(LoweringBuilder &b, Value data, ArrayRef<OpFoldResult> sizes, int64_t outer, Place place) {
  // The loops carry the result and write one element or slice per iteration.
  auto body = [&](LoweringBuilder &inner, ValueRange ivs, ValueRange carried) -> SmallVector<Value> {
    return {writeAt(inner, readAt(inner, data, place(inner, ivs)), carried.front(), ivs)};
  };
  return loopNest(b, sizes.take_front(outer), emptyOf(b, sizes, elementOf(data)), body).front();
}

SmallVector<Value> loopsAround(LoweringBuilder &b, ArrayRef<OpFoldResult> sizes, int64_t axis, ValueRange inits,
                               function_ref<SmallVector<Value>(LoweringBuilder &, ValueRange, ValueRange)> body) {
  SmallVector<OpFoldResult> outer(sizes);
  outer.erase(outer.begin() + axis);
  return loopNest(b, outer, inits, body);
}

SmallVector<Value> placeAt(ValueRange outer, int64_t axis, Value index) {
  SmallVector<Value> place(outer);
  place.insert(place.begin() + axis, index);
  return place;
}

} // namespace recur::ov
