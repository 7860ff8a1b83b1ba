// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopValue.cpp - Carried and last values of a loop ------------------===//
//
// One class for each way to keep a carried or a last value: as a scalar, in a double buffer, in one buffer that is
// updated in place, or in growing buffers. Concatenations.cpp has the classes for concatenations.
//
//===----------------------------------------------------------------------===//

#include "LoopValue.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace recur;

SmallVector<OpFoldResult> LoopBuilder::chooseDims(ArrayRef<OpFoldResult> known, ArrayRef<OpFoldResult> empty) {
  SmallVector<OpFoldResult> result(known);
  for (auto [dim, other] : llvm::zip_equal(result, empty))
    if (ran && other && !isEqualConstantIntOrValue(dim, other))
      dim = arith::SelectOp::create(rewriter, loc, ran, indexValue(dim), indexValue(other)).getResult();
  return result;
}

Value Iteration::getReadCopy(LoopBuilder &builder) {
  if (!readCopy)
    readCopy = arith::AndIOp::create(builder.rewriter, builder.loc, number, builder.index(1));
  return readCopy;
}

Value Iteration::getWrittenCopy(LoopBuilder &builder) {
  return arith::XOrIOp::create(builder.rewriter, builder.loc, getReadCopy(builder), builder.index(1));
}

/// The number of the copy of a double buffer that holds the value after `numIterations`.
static OpFoldResult getFinalCopy(LoopBuilder &builder, Value numIterations) {
  if (std::optional<int64_t> count = getConstantIntValue(numIterations))
    return builder.rewriter.getIndexAttr(*count & 1);
  return arith::AndIOp::create(builder.rewriter, builder.loc, numIterations, builder.index(1)).getResult();
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

ScalarValue::ScalarValue(LoopBuilder &builder, RankedTensorType type, Value initial) : LoopValue(builder, type) {
  scalar = builder.addScalar(extractElement(builder.rewriter, builder.loc, initial ? initial : builder.zeros(type)));
}

Value ScalarValue::read(Iteration &iteration) { return builder.scalarToTensor(iteration.scalars[scalar], type); }

void ScalarValue::write(Iteration &iteration, Value yielded) {
  iteration.nextScalars[scalar] = extractElement(builder.rewriter, builder.loc, yielded);
}

Value ScalarValue::getResult(Value, ValueRange scalars) { return builder.scalarToTensor(scalars[scalar], type); }

//===----------------------------------------------------------------------===//
// Double-buffered carried values
//===----------------------------------------------------------------------===//

DoubleBufferedValue::DoubleBufferedValue(LoopBuilder &builder, Value initial, ArrayRef<OpFoldResult> dims,
                                         ArrayRef<OpFoldResult> initialDims)
    : LoopValue(builder, cast<RankedTensorType>(initial.getType())), initial(initial), dims(dims),
      initialDims(initialDims) {
  buffer = isEmpty(dims) ? builder.allocate(type, dims) : builder.allocateCopies(type, dims, /*copies=*/2);
  if (initialDims.empty())
    writeInitial();
}

Value DoubleBufferedValue::getCopy(OpFoldResult number) {
  return isEmpty(dims) ? buffer : builder.getCopy(buffer, type, dims, number);
}

void DoubleBufferedValue::writeInitial() { builder.write(initial, getCopy(builder.rewriter.getIndexAttr(0))); }

Value DoubleBufferedValue::read(Iteration &iteration) {
  return iteration.isInitial ? initial : builder.readBuffer(getCopy(iteration.getReadCopy(builder)), type);
}

void DoubleBufferedValue::prepare(Iteration &iteration) {
  destination = chooseDestination(iteration, getCopy(iteration.getWrittenCopy(builder)));
}

void DoubleBufferedValue::write(Iteration &, Value yielded) { builder.write(yielded, destination); }

Value DoubleBufferedValue::getResult(Value numIterations, ValueRange) {
  if (isConstantIntValue(numIterations, 0))
    return initial;
  if (finalDestination)
    return builder.readBuffer(finalDestination, type);
  Value copy = getCopy(getFinalCopy(builder, numIterations));
  if (initialDims.empty() || !builder.ran)
    return builder.readBuffer(copy, type);
  // Without an iteration, the result is the initial value, which has other dims.
  OpBuilder &b = builder.rewriter;
  SmallVector<OpFoldResult> resultDims;
  for (auto [before, after] : llvm::zip_equal(initialDims, dims))
    resultDims.push_back(
        isEqualConstantIntOrValue(before, after)
            ? before
            : OpFoldResult(arith::SelectOp::create(b, builder.loc, builder.ran, builder.indexValue(after),
                                                   builder.indexValue(before))
                               .getResult()));
  Value result = builder.allocate(type, resultDims);
  auto branch = scf::IfOp::create(b, builder.loc, builder.ran, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenYield());
    builder.write(builder.readBuffer(copy, type), result);
    b.setInsertionPoint(branch.elseYield());
    builder.write(initial, result);
  }
  return builder.readBuffer(result, type);
}

//===----------------------------------------------------------------------===//
// Carried values that are updated in place
//===----------------------------------------------------------------------===//

InPlaceValue::InPlaceValue(LoopBuilder &builder, Value initial, ArrayRef<OpFoldResult> dims)
    : LoopValue(builder, cast<RankedTensorType>(initial.getType())), initial(initial), dims(dims),
      buffer(builder.allocateCopies(type, dims, /*copies=*/1)) {
  builder.write(initial, getBuffer());
}

Value InPlaceValue::read(Iteration &iteration) {
  destination = getBuffer();
  return iteration.isInitial ? initial : builder.readBuffer(destination, type, /*writable=*/true);
}

void InPlaceValue::overwrite(Iteration &, Value yielded) { builder.write(yielded, destination); }

Value InPlaceValue::getResult(Value numIterations, ValueRange) {
  return isConstantIntValue(numIterations, 0) ? initial : builder.readBuffer(getBuffer(), type);
}

//===----------------------------------------------------------------------===//
// Values whose dims are known only in the loop
//===----------------------------------------------------------------------===//

GrowingValue::GrowingValue(LoopBuilder &builder, RankedTensorType type, Value initial, ArrayRef<OpFoldResult> empty)
    : LoopValue(builder, type), initial(initial), rows(builder.createGrowing({initial ? 2 : 1, 2})),
      firstDim(builder.initialScalars.size()) {
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      builder.addScalar(initial    ? builder.indexValue(tensor::getMixedSize(builder.rewriter, builder.loc, initial, d))
                        : empty[d] ? builder.indexValue(empty[d])
                                   : builder.index(0));
  if (initial)
    builder.write(initial, view(builder.index(0), builder.initialScalars, /*isHeld=*/false));
}

SmallVector<OpFoldResult> GrowingValue::getDims(ValueRange scalars) {
  SmallVector<OpFoldResult> dims;
  unsigned next = firstDim;
  for (int64_t dim : type.getShape())
    dims.push_back(ShapedType::isDynamic(dim) ? OpFoldResult(scalars[next++])
                                              : OpFoldResult(builder.rewriter.getIndexAttr(dim)));
  return dims;
}

/// The buffer number `copy`: with what it holds, or with room for another value.
Value GrowingValue::view(OpFoldResult copy, ValueRange scalars, bool isHeld) {
  SmallVector<OpFoldResult> dims = getDims(scalars);
  Value row = builder.getGrowing(rows, copy);
  Value bytes = isHeld ? builder.getHeld(row) : builder.grow(row, builder.getBytes(type, dims), builder.index(0));
  return builder.viewAs(bytes, builder.index(0), type, dims);
}

Value GrowingValue::read(Iteration &iteration) {
  return builder.readBuffer(view(iteration.getReadCopy(builder), iteration.scalars, /*isHeld=*/true), type);
}

void GrowingValue::write(Iteration &iteration, Value yielded) {
  for (unsigned d = 0, scalar = firstDim; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      iteration.nextScalars[scalar++] = tensor::DimOp::create(builder.rewriter, builder.loc, yielded, d);
  Value copy = initial ? iteration.getWrittenCopy(builder) : builder.index(0);
  builder.write(yielded, view(copy, iteration.nextScalars, /*isHeld=*/false));
}

Value GrowingValue::getResult(Value numIterations, ValueRange scalars) {
  if (initial && isConstantIntValue(numIterations, 0))
    return initial;
  OpFoldResult copy = initial ? getFinalCopy(builder, numIterations) : builder.rewriter.getIndexAttr(0);
  return builder.readBuffer(view(copy, scalars, /*isHeld=*/true), type);
}

//===----------------------------------------------------------------------===//
// Last values of known dims
//===----------------------------------------------------------------------===//

LastValue::LastValue(LoopBuilder &builder, RankedTensorType type, ArrayRef<OpFoldResult> known,
                     ArrayRef<OpFoldResult> empty)
    : LoopValue(builder, type) {
  SmallVector<OpFoldResult> dims = builder.chooseDims(known, empty);
  buffer = builder.allocate(type, dims);
  if (!builder.ran)
    return;
  if (type.hasStaticShape()) {
    builder.write(builder.zeros(type), buffer);
    return;
  }
  OpBuilder &b = builder.rewriter;
  auto branch = scf::IfOp::create(b, builder.loc, builder.ran, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.elseYield());
  SmallVector<Value> sizes =
      llvm::map_to_vector(dims, [&](OpFoldResult dim) { return builder.asI64(builder.indexValue(dim)); });
  Value shape = tensor::FromElementsOp::create(b, builder.loc, sizes);
  Value zero = builder.zeros(RankedTensorType::get({}, type.getElementType()));
  builder.write(
      ov::BroadcastOp::create(b, builder.loc, type, zero, shape, /*axes_mapping=*/Value(), ov::BroadcastMode::Numpy),
      buffer);
}

void LastValue::write(Iteration &, Value yielded) { builder.write(yielded, buffer); }

Value LastValue::getResult(Value, ValueRange) { return builder.readBuffer(buffer, type); }
