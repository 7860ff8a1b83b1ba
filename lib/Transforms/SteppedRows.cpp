// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SteppedRows.cpp - Rows whose elements are apart --------------------===//
//
// All elements from the first to the last that counts are loaded, which are some vectors, from the buffer whose rows
// are contiguous. A shuffle adds the lanes of each vector to those of the vectors before it.
//
//===----------------------------------------------------------------------===//

#include "SteppedRows.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace recur;

/// The distance of the elements of a row. 0 if it is not known.
static int64_t getStep(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || failed(type.getStridesAndOffset(strides, offset)) || strides.empty())
    return 0;
  return ShapedType::isDynamic(strides.back()) ? 0 : strides.back();
}

/// The buffer that `buffer` views along the same rows, or null.
static memref::SubViewOp getViewOfRows(Value buffer) {
  auto view = buffer.getDefiningOp<memref::SubViewOp>();
  return view && !view.getDroppedDims().test(view.getSourceType().getRank() - 1) ? view : memref::SubViewOp();
}

bool recur::canLoadWithStep(VectorType type, Value buffer) {
  int64_t step = getStep(buffer);
  // With longer steps, single elements are as fast.
  if (type.getRank() != 1 || !type.getElementType().isIntOrFloat() || step < 2 || step > type.getNumElements() / 2)
    return false;
  while (getStep(buffer) != 1) {
    memref::SubViewOp view = getViewOfRows(buffer);
    if (!view)
      return false;
    buffer = view.getSource();
  }
  return true;
}

/// The value of `expr` for `values`.
static OpFoldResult apply(OpBuilder &builder, Location loc, AffineExpr expr, ArrayRef<OpFoldResult> values) {
  return affine::makeComposedFoldedAffineApply(builder, loc, AffineMap::get(values.size(), 0, expr), values);
}

Value recur::loadWithStep(OpBuilder &builder, Location loc, VectorType type, Value buffer, ValueRange indices,
                          Value active, Value padding) {
  int64_t step = getStep(buffer), lanes = type.getNumElements(), span = (lanes - 1) * step + 1;
  AffineExpr first = builder.getAffineDimExpr(0), second = builder.getAffineDimExpr(1);
  SmallVector<OpFoldResult> place = getAsOpFoldResult(indices);
  while (getStep(buffer) != 1) {
    memref::SubViewOp view = getViewOfRows(buffer);
    SmallVector<OpFoldResult> resolved = view.getMixedOffsets(), strides = view.getMixedStrides();
    llvm::SmallBitVector dropped = view.getDroppedDims();
    size_t own = 0;
    for (auto [dim, index] : llvm::enumerate(resolved))
      if (!dropped.test(dim)) {
        OpFoldResult distance = apply(builder, loc, first * second, {place[own++], strides[dim]});
        index = apply(builder, loc, first + second, {index, distance});
      }
    place = std::move(resolved);
    buffer = view.getSource();
  }
  OpFoldResult count;
  if (active) {
    padding = vector::BroadcastOp::create(builder, loc, type, padding);
    count = apply(builder, loc, (first - 1) * step + 1, OpFoldResult(active));
  }
  Value result;
  for (int64_t part = 0; part < step; ++part) {
    // The last part ends with the last element, because nothing may be behind it. A mask sees to that too.
    int64_t from = active ? part * lanes : std::min(part * lanes, span - lanes);
    SmallVector<Value> at = getValueOrCreateConstantIndexOp(builder, loc, place);
    at.back() = getValueOrCreateConstantIndexOp(builder, loc, apply(builder, loc, first + from, place.back()));
    Value loaded;
    if (active) {
      Value rest = getValueOrCreateConstantIndexOp(builder, loc, apply(builder, loc, first - from, count));
      Value mask = vector::CreateMaskOp::create(builder, loc, type.clone(builder.getI1Type()), rest);
      loaded = vector::MaskedLoadOp::create(builder, loc, type, buffer, at, mask, padding);
    } else {
      loaded = vector::LoadOp::create(builder, loc, type, buffer, at);
    }
    // Lanes from earlier parts stay, and those from later parts come later.
    SmallVector<int64_t> picked;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t home = lane * step / lanes, position = lane * step - from;
      if (home == part)
        picked.push_back(part ? lanes + position : position);
      else
        picked.push_back(home > part ? vector::ShuffleOp::kPoisonIndex : lane);
    }
    result = vector::ShuffleOp::create(builder, loc, part ? result : loaded, loaded, picked);
  }
  return result;
}
