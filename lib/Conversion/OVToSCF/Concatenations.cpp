// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Concatenations.cpp - Where the slices of all iterations go ---------===//
//
// If the number of iterations and the dims of a slice are known before the loop, each iteration writes its slice to its
// offset in the result. Else the slices lie one after the other in a growing buffer, and are put in order after the
// loop.
//
//===----------------------------------------------------------------------===//

#include "LoopValue.h"

#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace recur;

namespace {

/// The base of all concatenations.
class Concatenation : public LoopValue {
public:
  Concatenation(LoopBuilder &builder, RankedTensorType type, RankedTensorType sliceType, ov::ConcatOutputAttr attr)
      : LoopValue(builder, type), sliceType(sliceType), axis(attr.getAxis()), reverse(attr.getReverse()) {}

protected:
  /// Guards dims that the declared type of the result knows, but that slices and their number only show at run time.
  LogicalResult checkDeclaredDims(MutableArrayRef<OpFoldResult> dims);

  RankedTensorType sliceType;
  int64_t axis;
  bool reverse;
};

/// A concatenation of a known number of slices: each iteration writes its slice to the result.
class PlacedConcatenation final : public Concatenation {
public:
  using Concatenation::Concatenation;
  LogicalResult plan(ArrayRef<OpFoldResult> dims, ArrayRef<OpFoldResult> emptyDims);
  void prepare(Iteration &iteration) override;
  void write(Iteration &iteration, Value yielded) override;
  Value getResult(Value, ValueRange) override { return builder.readBuffer(buffer, type); }

private:
  SmallVector<OpFoldResult> sliceDims;
  /// The whole result, and the part of it that the present iteration writes.
  Value buffer, destination;
};

/// A concatenation in a growing buffer.
class GrowingConcatenation : public Concatenation {
public:
  GrowingConcatenation(LoopBuilder &builder, RankedTensorType type, RankedTensorType sliceType,
                       ov::ConcatOutputAttr attr)
      : Concatenation(builder, type, sliceType, attr), row(builder.createGrowing({2})) {}

protected:
  /// The result after the loop. `sliceDims` are the dims of a slice; `length` is the result's dim along the axis.
  /// `lengths` is a growing buffer with the length (i64) of each slice, or null if all have the length in `sliceDims`.
  /// `emptyDims` are the dims without a slice; where one is null, it is that in `sliceDims`.
  Value assemble(Value count, ArrayRef<OpFoldResult> sliceDims, OpFoldResult length, Value lengths,
                 ArrayRef<OpFoldResult> emptyDims);

  /// The growing buffer.
  Value row;

private:
  Value copySlices(Value bytes, Value count, ArrayRef<OpFoldResult> sliceDims, ArrayRef<OpFoldResult> dims,
                   Value lengths);
};

/// A growing concatenation of slices of equal dims, which are known before the loop.
class AppendedConcatenation final : public GrowingConcatenation {
public:
  AppendedConcatenation(LoopBuilder &builder, RankedTensorType type, RankedTensorType sliceType,
                        ov::ConcatOutputAttr attr, ArrayRef<OpFoldResult> sliceDims, ArrayRef<OpFoldResult> emptyDims)
      : GrowingConcatenation(builder, type, sliceType, attr), sliceDims(sliceDims), emptyDims(emptyDims) {}
  void prepare(Iteration &iteration) override;
  void write(Iteration &iteration, Value yielded) override;
  Value getResult(Value numIterations, ValueRange scalars) override;

private:
  SmallVector<OpFoldResult> sliceDims, emptyDims;
  Value destination;
};

/// A growing concatenation of slices whose dims are not known before the loop. The dims may differ along the axis only.
/// Without a slice, the result has the dims `emptyDims`, and 0 in place of those that are null.
class RaggedConcatenation final : public GrowingConcatenation {
public:
  RaggedConcatenation(LoopBuilder &builder, RankedTensorType type, RankedTensorType sliceType,
                      ov::ConcatOutputAttr attr, ArrayRef<OpFoldResult> emptyDims);
  void write(Iteration &iteration, Value yielded) override;
  Value getResult(Value numIterations, ValueRange scalars) override;

private:
  /// A growing buffer with the length (i64) of each slice.
  Value lengths;
  /// The first of the iter_args (indices): the bytes of all slices so far, their length, and then the dynamic dims that
  /// they share.
  unsigned firstScalar;
  /// The dims without a slice where a slice has a static dim; null elsewhere.
  SmallVector<OpFoldResult> emptyDims;
};

} // namespace

LogicalResult Concatenation::checkDeclaredDims(MutableArrayRef<OpFoldResult> dims) {
  for (auto [d, declared] : llvm::enumerate(type.getShape())) {
    if (ShapedType::isDynamic(declared) || getConstantIntValue(dims[d]) == declared)
      continue;
    if (std::optional<int64_t> size = getConstantIntValue(dims[d]))
      return builder.loop->emitError() << "expected parts that make up a concatenation of type " << type << ", but dim "
                                       << d << " would be " << *size;
    Value size = builder.indexValue(dims[d]), want = builder.index(declared);
    Value fits = builder.compare(arith::CmpIPredicate::eq, size, want);
    dims[d] = rt::CheckOp::create(builder.rewriter, builder.loc, fits, rt::FaultKind::Shape,
                                  "expected a concatenation with a dim of {0}, but got {1}",
                                  ValueRange{builder.asI64(want), builder.asI64(size)}, size)
                  .getResult(0);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// A known number of slices
//===----------------------------------------------------------------------===//

/// Emits the buffer of the result. `dims` are those of a slice.
LogicalResult PlacedConcatenation::plan(ArrayRef<OpFoldResult> dims, ArrayRef<OpFoldResult> emptyDims) {
  sliceDims.assign(dims.begin(), dims.end());
  OpFoldResult count = builder.space.count;
  SmallVector<OpFoldResult> wholeDims = builder.chooseDims(sliceDims, emptyDims);
  std::optional<int64_t> staticCount = getConstantIntValue(count), staticSize = getConstantIntValue(sliceDims[axis]);
  if (staticCount && staticSize) {
    int64_t total;
    if (llvm::MulOverflow(*staticCount, *staticSize, total))
      return builder.loop->emitError("expected a concatenation of fewer than 2^63 elements");
    wholeDims[axis] = builder.rewriter.getIndexAttr(total);
  } else {
    Value slices = builder.indexValue(count), length = builder.indexValue(sliceDims[axis]);
    // Division cannot overflow: slices <= limit / length.
    Value limit =
        arith::DivUIOp::create(builder.rewriter, builder.loc, builder.index(std::numeric_limits<int64_t>::max() / 16),
                               arith::MaxSIOp::create(builder.rewriter, builder.loc, length, builder.index(1)));
    Value fits = builder.compare(arith::CmpIPredicate::ule, slices, limit);
    Value product = arith::MulIOp::create(builder.rewriter, builder.loc, slices, length);
    wholeDims[axis] = rt::CheckOp::create(builder.rewriter, builder.loc, fits, rt::FaultKind::Overflow,
                                          "a concatenation of {0} parts is too large", builder.asI64(slices), product)
                          .getResult(0);
  }
  if (failed(checkDeclaredDims(wholeDims)))
    return failure();
  buffer = builder.allocate(type, wholeDims);
  return success();
}

void PlacedConcatenation::prepare(Iteration &iteration) {
  if (isEmpty(sliceDims))
    return;
  RewriterBase &b = builder.rewriter;
  Value length = builder.indexValue(sliceDims[axis]), number = iteration.number;
  if (reverse) {
    Value last = arith::SubIOp::create(b, builder.loc, builder.indexValue(builder.space.count), builder.index(1));
    number = arith::SubIOp::create(b, builder.loc, last, number);
  }
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), strides(type.getRank(), b.getIndexAttr(1));
  offsets[axis] = arith::MulIOp::create(b, builder.loc, number, length).getResult();
  destination = memref::SubViewOp::create(b, builder.loc, buffer, offsets, sliceDims, strides);
}

void PlacedConcatenation::write(Iteration &, Value yielded) {
  if (!isEmpty(sliceDims))
    builder.write(yielded, destination);
}

//===----------------------------------------------------------------------===//
// Growing buffers
//===----------------------------------------------------------------------===//

/// Copies `count` slices, which lie one after the other in `bytes`, to their offsets in a tensor of `dims`.
Value GrowingConcatenation::copySlices(Value bytes, Value count, ArrayRef<OpFoldResult> sliceDims,
                                       ArrayRef<OpFoldResult> dims, Value lengths) {
  RewriterBase &b = builder.rewriter;
  Location loc = builder.loc;
  Value whole = builder.allocate(type, dims);
  if (isEmpty(sliceDims) || isEmpty(dims))
    return whole;
  SmallVector<OpFoldResult> sizes(sliceDims);
  sizes[axis] = b.getIndexAttr(1);
  Value unit = builder.getBytes(sliceType, sizes), heldLengths;
  if (lengths)
    heldLengths = builder.viewAs(builder.getHeld(lengths), builder.index(0),
                                 RankedTensorType::get({ShapedType::kDynamic}, b.getI64Type()), {OpFoldResult(count)});
  auto copies = scf::ForOp::create(b, loc, builder.index(0), count, builder.index(1), ValueRange{builder.index(0)});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(copies.getBody());
  Value offset = copies.getRegionIterArg(0);
  sizes[axis] = sliceDims[axis];
  if (heldLengths) {
    Value length = memref::LoadOp::create(b, loc, heldLengths, copies.getInductionVar());
    sizes[axis] = arith::IndexCastOp::create(b, loc, b.getIndexType(), length).getResult();
  }
  Value length = builder.indexValue(sizes[axis]), next = arith::AddIOp::create(b, loc, offset, length), to = offset;
  if (reverse)
    to = arith::SubIOp::create(b, loc, builder.indexValue(dims[axis]), next);
  Value begin = arith::MulIOp::create(b, loc, offset, unit);
  Value slice = builder.viewAs(bytes, begin, sliceType, sizes);
  ArrayRef<int64_t> shape = cast<MemRefType>(slice.getType()).getShape();
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), strides(type.getRank(), b.getIndexAttr(1));
  offsets[axis] = to;
  Value destination = memref::SubViewOp::create(b, loc, whole, offsets, sizes, strides);
  builder.write(builder.readBuffer(slice, RankedTensorType::get(shape, type.getElementType())), destination);
  scf::YieldOp::create(b, loc, next);
  return whole;
}

Value GrowingConcatenation::assemble(Value count, ArrayRef<OpFoldResult> sliceDims, OpFoldResult length, Value lengths,
                                     ArrayRef<OpFoldResult> emptyDims) {
  SmallVector<OpFoldResult> dims = builder.chooseDims(sliceDims, emptyDims);
  dims[axis] = length;
  // Cannot fail: the verifier has compared the static dims, and the axis is not static.
  (void)checkDeclaredDims(dims);
  Value bytes = builder.getHeld(row);
  // The slices are in order already if nothing lies between two of them.
  bool isInOrder =
      !reverse && llvm::all_of(sliceDims.take_front(axis), [](OpFoldResult dim) { return isConstantIntValue(dim, 1); });
  return builder.readBuffer(isInOrder ? builder.viewAs(bytes, builder.index(0), type, dims)
                                      : copySlices(bytes, count, sliceDims, dims, lengths),
                            type);
}

void AppendedConcatenation::prepare(Iteration &iteration) {
  if (isEmpty(sliceDims))
    return;
  Value bytes = builder.getBytes(sliceType, sliceDims);
  Value begin = arith::MulIOp::create(builder.rewriter, builder.loc, iteration.number, bytes);
  Value end = arith::AddIOp::create(builder.rewriter, builder.loc, begin, bytes);
  destination = builder.viewAs(builder.grow(row, end, begin), begin, sliceType, sliceDims);
}

void AppendedConcatenation::write(Iteration &, Value yielded) {
  if (!isEmpty(sliceDims))
    builder.write(yielded, destination);
}

Value AppendedConcatenation::getResult(Value numIterations, ValueRange) {
  Value length =
      arith::MulIOp::create(builder.rewriter, builder.loc, numIterations, builder.indexValue(sliceDims[axis]));
  return assemble(numIterations, sliceDims, length, /*lengths=*/{}, emptyDims);
}

RaggedConcatenation::RaggedConcatenation(LoopBuilder &builder, RankedTensorType type, RankedTensorType sliceType,
                                         ov::ConcatOutputAttr attr, ArrayRef<OpFoldResult> emptyDims)
    : GrowingConcatenation(builder, type, sliceType, attr), lengths(builder.createGrowing({2})),
      firstScalar(builder.initialScalars.size()), emptyDims(emptyDims) {
  for (unsigned i = 0; i < 2; ++i)
    builder.addScalar(builder.index(0));
  for (auto [d, dim] : llvm::enumerate(this->emptyDims))
    if (int64_t(d) != axis && sliceType.isDynamicDim(d)) {
      builder.addScalar(dim ? builder.indexValue(dim) : builder.index(0));
      dim = OpFoldResult();
    }
}

void RaggedConcatenation::write(Iteration &iteration, Value yielded) {
  RewriterBase &b = builder.rewriter;
  Location loc = builder.loc;
  ValueRange scalars = iteration.scalars;
  SmallVector<OpFoldResult> dims;
  unsigned next = firstScalar + 2;
  for (int64_t d = 0; d < sliceType.getRank(); ++d) {
    if (!sliceType.isDynamicDim(d)) {
      dims.push_back(b.getIndexAttr(sliceType.getDimSize(d)));
      continue;
    }
    Value size = tensor::DimOp::create(b, loc, yielded, d);
    if (d != axis) {
      Value before = scalars[next];
      Value fits =
          arith::OrIOp::create(b, loc, builder.compare(arith::CmpIPredicate::eq, iteration.number, builder.index(0)),
                               builder.compare(arith::CmpIPredicate::eq, before, size));
      size = rt::CheckOp::create(b, loc, fits, rt::FaultKind::Shape,
                                 "parts with a dim of {0} and of {1} do not make up a concatenation",
                                 ValueRange{builder.asI64(before), builder.asI64(size)}, size)
                 .getResult(0);
      iteration.nextScalars[next++] = size;
    }
    dims.push_back(size);
  }
  Value begin = scalars[firstScalar];
  Value end = arith::AddIOp::create(b, loc, begin, builder.getBytes(sliceType, dims));
  builder.write(yielded, builder.viewAs(builder.grow(row, end, begin), begin, sliceType, dims));
  iteration.nextScalars[firstScalar] = end;

  Value length = builder.indexValue(dims[axis]);
  Value total = arith::AddIOp::create(b, loc, scalars[firstScalar + 1], length);
  Value fits = builder.compare(arith::CmpIPredicate::ule, total, builder.index(int64_t(1) << 56));
  iteration.nextScalars[firstScalar + 1] =
      rt::CheckOp::create(b, loc, fits, rt::FaultKind::Overflow, "a concatenation of length {0} is too large",
                          builder.asI64(total), total)
          .getResult(0);
  auto entry = RankedTensorType::get({1}, b.getI64Type());
  Value at = arith::MulIOp::create(b, loc, iteration.number, builder.index(8));
  Value bytes = arith::AddIOp::create(b, loc, at, builder.index(8));
  Value element = builder.viewAs(builder.grow(lengths, bytes, at), at, entry, {b.getIndexAttr(1)});
  memref::StoreOp::create(b, loc, builder.asI64(length), element, builder.index(0));
}

Value RaggedConcatenation::getResult(Value numIterations, ValueRange scalars) {
  SmallVector<OpFoldResult> sliceDims;
  OpFoldResult length = scalars[firstScalar + 1];
  unsigned next = firstScalar + 2;
  for (auto [d, dim] : llvm::enumerate(sliceType.getShape()))
    sliceDims.push_back(!ShapedType::isDynamic(dim) ? OpFoldResult(builder.rewriter.getIndexAttr(dim))
                        : int64_t(d) == axis        ? length
                                                    : OpFoldResult(scalars[next++]));
  return assemble(numIterations, sliceDims, length, lengths, emptyDims);
}

std::unique_ptr<LoopValue> recur::planConcatenation(LoopBuilder &builder, RankedTensorType type,
                                                    RankedTensorType sliceType, ov::ConcatOutputAttr attr,
                                                    ArrayRef<OpFoldResult> sliceDims,
                                                    ArrayRef<OpFoldResult> emptyDims) {
  if (llvm::is_contained(sliceDims, OpFoldResult()))
    return std::make_unique<RaggedConcatenation>(builder, type, sliceType, attr, emptyDims);
  if (builder.space.condition)
    return std::make_unique<AppendedConcatenation>(builder, type, sliceType, attr, sliceDims, emptyDims);
  auto placed = std::make_unique<PlacedConcatenation>(builder, type, sliceType, attr);
  if (failed(placed->plan(sliceDims, emptyDims)))
    return nullptr;
  return placed;
}
