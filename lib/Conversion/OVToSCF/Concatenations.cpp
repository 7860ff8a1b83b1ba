// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Concatenations.cpp - Concatenations of the parts of all iterations -===//
//
// There are three kinds of concatenations. If the number of iterations and the dims of the parts are known before the
// loop, the result is allocated there and each part is written to its place. If only the dims are known, the parts lie
// one after the other in a growing buffer. If the parts may differ in length, a second growing buffer holds their
// lengths. Parts in growing buffers are copied to the result after the loop, unless they are the result already.
//
//===----------------------------------------------------------------------===//

#include "LoopBuffers.h"

#include "Recur/Dialect/OV/IR/OV.h"
#include "Recur/Dialect/RT/IR/RT.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace recur;

/// The size of a dim of a result that is not carried: `dim`, or 0 if no iteration runs and the type of the result does
/// not know the dim.
OpFoldResult LoopBuffers::dimIfRun(OpFoldResult dim, int64_t declared) {
  if (!ran || !ShapedType::isDynamic(declared))
    return dim;
  return arith::SelectOp::create(rewriter, loc, ran, indexValue(dim), index(0)).getResult();
}

/// Checks the dims of a concatenation against its declared type. Differences that are known now are an error; others
/// are a shape fault at run time. Sets the checked dims in `dims`.
LogicalResult LoopBuffers::checkDeclaredDims(RankedTensorType type, MutableArrayRef<OpFoldResult> dims) {
  for (auto [d, declared] : llvm::enumerate(type.getShape())) {
    if (ShapedType::isDynamic(declared) || getConstantIntValue(dims[d]) == declared)
      continue;
    if (std::optional<int64_t> size = getConstantIntValue(dims[d]))
      return loop->emitError() << "expected parts that make up a concatenation of type " << type << ", but dim " << d
                               << " would be " << *size;
    Value size = indexValue(dims[d]);
    Value fits = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, size, index(declared));
    SmallVector<Value> details;
    for (Value detail : {index(declared), size})
      details.push_back(arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), detail));
    dims[d] = rt::CheckOp::create(rewriter, loc, fits, rt::FaultKind::Shape,
                                  "expected a concatenation with a dim of {0}, but got {1}", details, size)
                  .getResult(0);
  }
  return success();
}

/// Allocates a concatenation whose number of parts is known before the loop. A total length that does not fit an index
/// is an overflow fault.
LogicalResult LoopBuffers::planBuffer(Concatenation &concat) {
  SmallVector<OpFoldResult> dims;
  for (auto [dim, declared] : llvm::zip_equal(concat.partDims, concat.type.getShape()))
    dims.push_back(dimIfRun(dim, declared));
  std::optional<int64_t> count = getConstantIntValue(space.count),
                         size = getConstantIntValue(concat.partDims[concat.axis]);
  if (count && size) {
    int64_t total;
    if (llvm::MulOverflow(*count, *size, total))
      return loop->emitError("expected a concatenation of fewer than 2^63 elements");
    dims[concat.axis] = rewriter.getIndexAttr(total);
  } else {
    Value parts = indexValue(space.count), length = indexValue(concat.partDims[concat.axis]);
    // A product could overflow, so this compares parts <= limit / length. The limit leaves room for the size of an
    // element.
    Value limit = arith::DivUIOp::create(rewriter, loc, index(std::numeric_limits<int64_t>::max() / 16),
                                         arith::MaxSIOp::create(rewriter, loc, length, index(1)));
    Value fits = compare(arith::CmpIPredicate::ule, parts, limit);
    Value product = arith::MulIOp::create(rewriter, loc, parts, length);
    dims[concat.axis] = rt::CheckOp::create(rewriter, loc, fits, rt::FaultKind::Overflow,
                                            "a concatenation of {0} parts is too large", asI64(parts), product)
                            .getResult(0);
  }
  if (failed(checkDeclaredDims(concat.type, dims)))
    return failure();
  concat.buffer = checkedAlloc(concat.type, dims, /*slots=*/0);
  return success();
}

/// Creates the growing buffers of a concatenation whose parts may differ in length along the axis, and the iter_args
/// that count their bytes and length and keep their other dynamic dims.
void LoopBuffers::planRagged(Concatenation &concat) {
  concat.cell = createCells({2});
  concat.lengths = createCells({2});
  concat.firstScalar = initialScalars.size();
  unsigned dims = concat.partType.getNumDynamicDims() - concat.partType.isDynamicDim(concat.axis);
  initialScalars.append(2 + dims, index(0));
}

/// Appends a part of any length. Its other dims must equal those of the first part; it is a shape fault if they do not.
/// Appends its length to the buffer of lengths.
void LoopBuffers::addPart(const Concatenation &concat, Value part, Value iteration, ValueRange scalars,
                          MutableArrayRef<Value> nextScalars) {
  RankedTensorType type = concat.partType;
  SmallVector<OpFoldResult> dims;
  unsigned next = concat.firstScalar + 2;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d)) {
      dims.push_back(rewriter.getIndexAttr(type.getDimSize(d)));
      continue;
    }
    Value size = tensor::DimOp::create(rewriter, loc, part, d);
    if (d != concat.axis) {
      Value before = scalars[next];
      Value fits = arith::OrIOp::create(rewriter, loc, compare(arith::CmpIPredicate::eq, iteration, index(0)),
                                        compare(arith::CmpIPredicate::eq, before, size));
      size = rt::CheckOp::create(rewriter, loc, fits, rt::FaultKind::Shape,
                                 "parts with a dim of {0} and of {1} do not make up a concatenation",
                                 ValueRange{asI64(before), asI64(size)}, size)
                 .getResult(0);
      nextScalars[next++] = size;
    }
    dims.push_back(size);
  }
  Value begin = scalars[concat.firstScalar];
  Value end = arith::AddIOp::create(rewriter, loc, begin, getBytes(type, dims));
  write(part, viewAs(grow(concat.cell, end, begin), begin, type, dims));
  nextScalars[concat.firstScalar] = end;

  Value length = indexValue(dims[concat.axis]);
  Value total = arith::AddIOp::create(rewriter, loc, scalars[concat.firstScalar + 1], length);
  Value fits = compare(arith::CmpIPredicate::ule, total, index(int64_t(1) << 56));
  nextScalars[concat.firstScalar + 1] =
      rt::CheckOp::create(rewriter, loc, fits, rt::FaultKind::Overflow, "a concatenation of length {0} is too large",
                          asI64(total), total)
          .getResult(0);
  auto entry = RankedTensorType::get({1}, rewriter.getI64Type());
  Value at = arith::MulIOp::create(rewriter, loc, iteration, index(8));
  Value bytes = arith::AddIOp::create(rewriter, loc, at, index(8));
  Value slot = viewAs(grow(concat.lengths, bytes, at), at, entry, {rewriter.getIndexAttr(1)});
  memref::StoreOp::create(rewriter, loc, asI64(length), slot, index(0));
}

/// Copies `count` parts, which lie one after the other in the buffer `parts` of bytes, to a new tensor of `dims`. If
/// the concatenation is backward, the first part goes to the end.
Value LoopBuffers::gatherParts(const Concatenation &concat, Value parts, Value count, ArrayRef<OpFoldResult> partDims,
                               ArrayRef<OpFoldResult> dims) {
  int64_t rank = concat.partType.getRank(), axis = concat.axis;
  Value whole = checkedAlloc(concat.type, dims, /*slots=*/0);
  if (isEmpty(partDims) || isEmpty(dims))
    return whole;
  SmallVector<OpFoldResult> sizes(partDims);
  sizes[axis] = rewriter.getIndexAttr(1);
  Value unit = getBytes(concat.partType, sizes), lengths;
  if (concat.lengths) {
    lengths = viewAs(getHeld(concat.lengths), index(0),
                     RankedTensorType::get({ShapedType::kDynamic}, rewriter.getI64Type()), {OpFoldResult(count)});
  }
  auto copies = scf::ForOp::create(rewriter, loc, index(0), count, index(1), ValueRange{index(0)});
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(copies.getBody());
  Value offset = copies.getRegionIterArg(0);
  sizes[axis] = partDims[axis];
  if (lengths) {
    Value length = memref::LoadOp::create(rewriter, loc, lengths, copies.getInductionVar());
    sizes[axis] = arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(), length).getResult();
  }
  Value length = indexValue(sizes[axis]), next = arith::AddIOp::create(rewriter, loc, offset, length), place = offset;
  if (concat.backward)
    place = arith::SubIOp::create(rewriter, loc, indexValue(dims[axis]), next);
  Value begin = arith::MulIOp::create(rewriter, loc, offset, unit);
  Value part = viewAs(parts, begin, concat.partType, sizes);
  SmallVector<int64_t> shape(cast<MemRefType>(part.getType()).getShape());
  SmallVector<OpFoldResult> offsets(rank, rewriter.getIndexAttr(0)), strides(rank, rewriter.getIndexAttr(1));
  offsets[axis] = place;
  Value destination = memref::SubViewOp::create(rewriter, loc, whole, offsets, sizes, strides);
  write(readBuffer(part, RankedTensorType::get(shape, concat.type.getElementType())), destination);
  scf::YieldOp::create(rewriter, loc, next);
  return whole;
}

/// Reads the concatenation of `count` parts from a growing buffer, after the loop.
Value LoopBuffers::readConcatenation(const Concatenation &concat, Value count, ValueRange scalars) {
  int64_t axis = concat.axis;
  SmallVector<OpFoldResult> partDims(concat.partDims), dims;
  if (concat.lengths) {
    unsigned next = concat.firstScalar + 2;
    for (auto [d, dim] : llvm::enumerate(concat.partType.getShape()))
      partDims.push_back(!ShapedType::isDynamic(dim) ? OpFoldResult(rewriter.getIndexAttr(dim))
                         : int64_t(d) == axis        ? OpFoldResult(scalars[concat.firstScalar + 1])
                                                     : OpFoldResult(scalars[next++]));
  }
  for (auto [dim, declared] : llvm::zip_equal(partDims, concat.type.getShape()))
    dims.push_back(dimIfRun(dim, declared));
  dims[axis] = concat.lengths
                   ? OpFoldResult(scalars[concat.firstScalar + 1])
                   : OpFoldResult(arith::MulIOp::create(rewriter, loc, count, indexValue(partDims[axis])).getResult());
  // This emits no error: the verifier has compared the static dims, and the dim of the axis is not static.
  (void)checkDeclaredDims(concat.type, dims);
  Value parts = getHeld(concat.cell);
  // If all dims before the axis are 1, parts that lie one after the other are the concatenation.
  bool inPlace = !concat.backward && llvm::all_of(ArrayRef(partDims).take_front(axis),
                                                  [](OpFoldResult dim) { return isConstantIntValue(dim, 1); });
  return readBuffer(inPlace ? viewAs(parts, index(0), concat.type, dims)
                            : gatherParts(concat, parts, count, partDims, dims),
                    concat.type);
}
